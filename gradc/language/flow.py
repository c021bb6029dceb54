"""Long formulas, read and built a part at a time.

The rows of a million lines would take a gigabyte, and be far from the processor when
they are read again. So the statements of a part are built as soon as they are read, and
their rows are gone before the next part. The program is that of the whole formula.

That can be done if all inputs are declared in the first part, and the formula has
neither functions nor arrays; and what is wrong in it is told by who reads it as a whole.
So behind the first part names are looked up once, where the program is built, and it is
enough to notice that one has no value there or would be given a second one. Only a
formula that is too large is so in parts, too, and is not read again.
"""

from collections.abc import Sequence

from gradc.errors import GradcError, LimitMistake, Source
from gradc.ir import Program
from gradc.language.limits import MAX_OPS
from gradc.language.lower import Lowering, lower
from gradc.language.names import Names
from gradc.language.parse import Parser, parse, require_readable
from gradc.language.syntax import Binding, Result, Syntax
from gradc.ops import OPS, Table

LONG = 200_000  # characters of a formula that is read in parts
ROWS = 5_000  # of a part, which then fit into the cache of a processor
PLAIN = frozenset({Binding, Result})  # the statements of later parts


class Whole(Exception):
    """A formula has to be seen as a whole."""


def read(
    source: Source,
    ops: Table = OPS,
    *,
    inputs: Sequence[str] | None = None,
    max_ops: int = MAX_OPS,
) -> tuple[Syntax, Program]:
    """Parse and lower a formula; see `lower`.

    Returns:
        The program, behind the syntax, of a long formula only that of its first part.

    Raises:
        GradcError: something is wrong in the formula, or it is too large.
    """
    if len(source.text) > LONG:
        try:
            found = in_parts(source, ops, inputs, max_ops)
        except LimitMistake:
            raise
        except GradcError:
            found = None
        if found is not None:
            return found
    syntax = parse(source)
    return syntax, lower(syntax, ops, inputs=inputs, max_ops=max_ops)


def in_parts(
    source: Source,
    ops: Table,
    inputs: Sequence[str] | None = None,
    max_ops: int = MAX_OPS,
    rows: int = ROWS,
) -> tuple[Syntax, Program] | None:
    """Parse and lower a formula in parts, None if it has to be seen as a whole.

    Raises:
        GradcError: that may be so, or something is wrong.
    """
    require_readable(source)
    parts = Parser(source).parts(rows)
    first = next(parts)
    names = Names(first, ops)
    names.collect()
    if inputs is not None:
        names.give(inputs)
    names.resolve()
    if not names.closed or names.arrays or names.functions:
        return None
    lowering = Parts(first, names, max_ops)
    lowering.declare()
    lowering.build(first)
    try:
        for part in parts:
            lowering.proceed(part)
    except Whole:
        return None
    return first, lowering.finish(first)


class Parts(Lowering):
    """Grows the program of a formula whose first part alone has been checked."""

    def proceed(self, part: Syntax) -> None:
        """Build statements that follow.

        Raises:
            Whole: one is no binding and no result, or a name stands for two things.
            GradcError: a name or a call is not in order.
        """
        kinds = [*map(type, part.statements)]
        if part.arrays or not PLAIN.issuperset(kinds):
            raise Whole
        named = self._named()
        self.build(part)
        if self._named() != named + kinds.count(Binding):
            raise Whole

    def _named(self) -> int:
        """How many names have a value that are no constants of the table."""
        return len(self.values) - len(self.names.constants)

    def name(self, name: str) -> int:
        """Return the node of a constant: of other names one has come across before."""
        if name not in self.values and name not in self.names.known:
            assert self.builder.span is not None
            self.names.free(name, (self.builder.span[0], self.builder.span[1]))
        return super().name(name)

    def operation(self, row: int, name: str, args: tuple[int, ...]) -> int:
        """Build a call of an operation of the table, which is checked only now."""
        self.names.check_call(self.syntax.rows[row])
        if self.names.arrays:
            raise Whole
        return super().operation(row, name, args)
