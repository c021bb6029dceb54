"""The functions that one program computes: their statements, variables and arguments."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from operator import itemgetter
from typing import NamedTuple

from gradc.arrays import nest
from gradc.run import evaluate
from gradc.functions import ZERO, Function, filled, is_long, numbers
from gradc.ir import CONDITIONS, LAZY, Builder, Program, grouped
from gradc.passes.schedule import Schedule, is_entangled, schedule
from gradc.targets.interface import Parameter, accepted, taken
from gradc.targets.names import Lives, Names, lives
from gradc.targets.printer import literal

TITLE = 24  # columns of a constant's name
NUMBERS = {  # with which such a name may begin
    "0.25": "QUARTER",
    "0.5": "HALF",
    "1": "ONE",
    "2": "TWO",
    "3": "THREE",
    "4": "FOUR",
    "5": "FIVE",
    "6": "SIX",
    "8": "EIGHT",
}
_DECIDING = LAZY | CONDITIONS


class Page(NamedTuple):
    """A function as it is written: its statements, their steps, and its variables."""

    schedule: Schedule
    lives: Lives
    assigned: dict[int, str]


class Pages:
    """Functions of one program: if there are two, the first is `value`.

    Raises:
        GradcError: conditions that wait for each other, too many to take apart.
    """

    def __init__(self, functions: Sequence[Function], reserved: frozenset[str]) -> None:
        self.functions = functions
        self.program = functions[-1].program
        self.reserved = reserved
        self._pages: dict[str, Page] = {}
        for function in functions:
            if not self._is_straight(function) and self._is_due(function):
                self.page(function)  # which may be refused

    def _is_due(self, function: Function) -> bool:
        """Whether a function is put in order at once: to be called, or to be refused."""
        return not is_long(self.program) or is_entangled(*needed(function))

    def page(self, function: Function) -> Page:
        """One of the functions, put in order when it is first asked for."""
        found = self._pages.get(function.name)
        if found is None:
            program, outputs = needed(function)
            end = len(program.nodes)
            fixed, widths = self.fixed[:end], self.widths[:end]
            ordered = schedule(program, outputs, fixed, widths)
            steps = lives(ordered)
            found = Page(ordered, steps, self.names.assign(ordered, steps))
            self._pages[function.name] = found
        return found

    def _is_straight(self, function: Function) -> bool:
        """Whether a function has no conditionals."""
        if LAZY.isdisjoint(self.program.operations):
            return True
        end = self.program.last + 1 if function.name == "value" else None
        return LAZY.isdisjoint(map(itemgetter(0), self.program.nodes[:end]))

    @cached_property
    def names(self) -> Names:
        """The names of arguments and variables."""
        return Names(self.program, self.reserved)

    @cached_property
    def fixed(self) -> list[bool]:
        """Which nodes no input changes."""
        return fixed(self.program)[0]

    @cached_property
    def inputs(self) -> dict[int, str]:
        """The elements of the arguments, by their nodes."""
        elements, nodes = self.names.elements, enumerate(self.program.nodes)
        return {i: elements[node[1]] for i, node in nodes if node[0] == "input"}

    @cached_property
    def leaves(self) -> list[str]:
        """The texts of constants and inputs; empty for every other node."""
        leaves = [""] * len(self.program.nodes)
        for i, node in enumerate(self.program.nodes):
            if node[0] == "const":
                leaves[i] = literal(node[1])
        for i, text in self.inputs.items():
            leaves[i] = text
        return leaves

    @cached_property
    def widths(self) -> list[int]:
        """How many columns the name or the text of each node may take."""
        program, widths = self.program, self.names.widths()
        for i, text in enumerate(self.leaves):
            if text:
                widths[i] = len(text)
            elif self.fixed[i]:
                widths[i] = len(title(program, i)) + 3  # a number may follow
        return widths

    def parameters(self, function: Function) -> list[Parameter]:
        """The arguments of a function, as it takes them apart."""
        found, spelled = [], self.names.parameters
        for argument in grouped(self.program.inputs):
            own = [self.names.elements[item.name] for item in argument.elements]
            shape, name = argument.shape, spelled[argument.name]
            if argument.elements[0].kind != "vector":
                names = nest(own, shape)
                found.append(Parameter(name, taken(shape), names))
            elif function.vector is not None:
                names = filled(function.vector, own.__getitem__)
                found.append(Parameter(name, accepted(names), names))
        return found


def needed(function: Function) -> tuple[Program, tuple[int, ...]]:
    """What a function returns, and of what: `value` reads nothing behind the values."""
    program, returned = function.program, numbers(function.layout)
    outputs = tuple(program.outputs[k] for k in returned if k != ZERO)
    if function.name == "value":
        end = program.last + 1
        names = _below(end, program.names)
        nodes = program.nodes[:end]
        program = replace(program, nodes=nodes, names=names)
    return program, outputs


def _below(end: int, names: Mapping[int, str]) -> Mapping[int, str]:
    """The names of nodes before another one."""
    if max(names, default=-1) < end:
        return names
    return {i: name for i, name in names.items() if i < end}


def together(functions: Sequence[Function]) -> list[list[Function]]:
    """The functions, those of the same program side by side."""
    found: list[list[Function]] = []
    for function in functions:
        if found and found[-1][0].program is function.program:
            found[-1].append(function)
        else:
            found.append([function])
    return found


def fixed(program: Program) -> tuple[list[bool], list[int]]:
    """Which nodes no input changes: those computed at import, those without a value."""
    found = [False] * len(program.nodes)
    broken: list[int] = []
    values: dict[int, float] = {}
    for i, node in enumerate(program.nodes):
        op = node[0]
        if op == "const":
            values[i] = node[1]
        elif (len(node) == 1 or node[1] in values) and op not in _DECIDING:
            args = node[1:]
            if all(a in values for a in args):
                value = _value(program, node, [values[a] for a in args])
                if math.isfinite(value):
                    found[i], values[i] = True, value
                else:
                    broken.append(i)
    return found, broken


def _value(program: Program, node: tuple[object, ...], args: list[float]) -> float:
    builder = Builder(program.ops)
    positions = [builder.const(a) for a in args]
    output = builder.add(str(node[0]), *positions)
    try:
        return float(evaluate(builder.follow(program, [output]), {})[0])
    except (ArithmeticError, ValueError):
        return math.nan


def title(program: Program, i: int) -> str:
    """A name for a constant that says what it is, `_TWO_PI`; `_C` if it has none."""
    sign, words = "", _words(program, i, 4)
    if words.startswith("MINUS "):
        sign, words = words[:6], words[6:]
    first, _, rest = words.partition(" ")
    words = f"{sign}{NUMBERS.get(first, first)} {rest}"
    name = "_" + re.sub(r"\W+", "_", words).strip("_").upper()
    return name if len(name) <= TITLE and not name[1].isdigit() else "_C"


def _words(program: Program, i: int, depth: int) -> str:
    node = program.nodes[i]
    if node[0] == "const":
        return literal(node[1]).removesuffix(".0").replace("-", "MINUS ")
    if depth == 0:
        return "LONGER" * 5
    args = [_words(program, a, depth - 1) for a in node[1:]]
    if node[0] == "mul" and args[1].startswith("1 OVER "):
        return f"{args[0]} {args[1][2:]}"  # 2*(1/x) as 2/x
    infix = {"add": "PLUS", "sub": "LESS", "mul": "", "div": "OVER", "pow": "TO"}
    if node[0] in infix:
        return f"{args[0]} {infix[node[0]]} {args[1]}"
    return " ".join([node[0], *args])
