"""Long formulas, read and built a part at a time.

The rows of a million lines would take a gigabyte, and be far from the processor when
they are read again. So the statements of a part are built as soon as they are read, and
their rows are gone before the next part. The program is that of the whole formula.

That can be done if all inputs are declared in the first part, and the formula has
neither functions nor arrays; and what is wrong in it is told by who reads it as a whole.
Only a formula that is too large is so in parts, too, and is not read again.
"""

from collections.abc import Sequence

from gradc.errors import GradcError, LimitMistake
from gradc.ir import Program
from gradc.language.limits import MAX_OPS
from gradc.language.lower import Lowering, lower
from gradc.language.names import Names
from gradc.language.parse import Parser, parse, require_readable
from gradc.language.syntax import Binding, Result, Syntax
from gradc.ops import OPS, Table
from gradc.source import Source

LONG = 200_000  # characters of a formula that is read in parts
ROWS = 5_000  # of a part, which then fit into the cache of a processor
PLAIN = frozenset({Binding, Result})  # the statements of later parts


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
    lowering = Lowering(first, names, max_ops)
    lowering.declare()
    lowering.build(first)
    for part in parts:
        if not PLAIN.issuperset(map(type, part.statements)):
            return None
        names.proceed(part)
        if names.arrays or part.arrays:
            return None
        lowering.build(part)
    return first, lowering.finish(first)
