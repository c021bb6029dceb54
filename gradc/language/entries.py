"""Operations on the entries of arrays, done at once where that is exact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradc.ir import COMPARISONS
from gradc.language.limits import Size
from gradc.language.shapes import (
    LARGEST_WHOLE,
    Entry,
    Known,
    Operand,
    Whole,
    entries_of,
    folded,
    shape_of,
    shaped,
)
from gradc.language.variables import is_variable
from gradc.ops import VARIABLE

ZERO = Whole(0.0)


class Entries:
    """Adds operations on entries to a program."""

    def __init__(self, size: Size) -> None:
        self.size, self.builder = size, size.builder
        self.serial = 0  # of the last variable

    def entry(self, op: str, *args: Entry) -> Entry:
        """An operation on entries, done at once if they are known."""
        for arg in args:
            if arg.__class__ is not int:
                break
        else:
            return self.builder.add(op, *args)  # type: ignore[arg-type]
        known = _known(op, args)
        if known is not None:
            return known
        return self.builder.add(op, *[self.node(arg) for arg in args])

    def node(self, entry: Entry) -> int:
        """The node of an entry, which is a constant if it was none so far."""
        if isinstance(entry, Whole):
            return self.size.const(entry.value)
        if isinstance(entry, Known):
            zero = self.size.const(0.0)
            return self.builder.add("le" if entry.holds else "lt", zero, zero)
        return entry

    def literal(self, value: Any) -> Operand:
        if value.is_integer() and value <= LARGEST_WHOLE:
            return Whole(value)
        return self.size.const(value)

    def told_apart(self, arg: Operand) -> Operand:
        """An argument that differs from another: 0 and -0, which are equal, as nodes."""
        if isinstance(arg, int) or ZERO not in (entries := entries_of(arg)):
            return arg
        found = [
            self.node(e) if isinstance(e, Whole) and str(e.value) == "-0.0" else e
            for e in entries
        ]
        return shaped(shape_of(arg), found)

    def variable(self, value: Operand, constant: bool = True) -> Operand:
        """Make variables of what a name stands for.

        Arguments:
            constant: whether also of constants, which then are no bounds any more.
        """
        found: list[Entry] = []
        for entry in entries_of(value):
            if constant and not isinstance(entry, int):
                entry = self.node(entry)
            if isinstance(entry, int):
                fixed = self.builder.nodes[entry][0] == "const" and not constant
                if not fixed and not is_variable(self.builder, entry):
                    self.serial += 1
                    serial = self.size.const(float(self.serial))
                    entry = self.builder.add(VARIABLE, entry, serial)
            found.append(entry)
        return shaped(shape_of(value), found)


def _known(op: str, args: Sequence[Entry]) -> Entry | None:
    """An operation as far as what is known decides it, else None."""
    if all(isinstance(arg, Whole) for arg in args):
        values = [arg.value for arg in args if isinstance(arg, Whole)]
        if op in COMPARISONS:
            return Known(COMPARISONS[op](*values))
        return folded(op, values)
    if op == "not" and isinstance(args[0], Known):
        return Known(not args[0].holds)
    if op == "where" and isinstance(args[0], Known):
        return args[1] if args[0].holds else args[2]
    if op in ("and", "or"):
        for one, other in (args, args[::-1]):
            if isinstance(one, Known):
                return other if one.holds == (op == "and") else one
    return None
