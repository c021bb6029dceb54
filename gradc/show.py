"""The inside of the compiler as text: its stages, and rows of the table of operations.

Each stage has a notation of its own: the rows of the syntax, the nodes of a program,
the text of a module. A program is drawn as a graph as well, for Graphviz.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gradc.compiler import compile, select
from gradc.errors import Source, mistake, point_text, table
from gradc.functions import passes, titles, words
from gradc.ir import LAZY, Program, arguments, elements, listing
from gradc.language.limits import MAX_OPS
from gradc.language.lower import lower
from gradc.language.parse import parse
from gradc.language.syntax import Syntax
from gradc.language.syntax import listing as rows
from gradc.ops import Op
from gradc.run import NOT_DEFINED, arithmetic, run
from gradc.spelling import SYMBOLS
from gradc.value import Value

Stage = Syntax | Program | str


def stages(
    text: str, name: str = "<formula>", **options: Any
) -> Iterator[tuple[str, Stage]]:
    """Compile a formula step by step; the options are those of `compile`."""
    syntax = parse(Source.read(text, name))
    yield "parse", syntax
    most, columns = options.get("max_ops", MAX_OPS), options.get("columns", ())
    program = lower(syntax, max_ops=most, columns=words(columns))
    yield "lower", program
    wrt, strict = select(program, options.get("wrt")), options.get("strict", False)
    for title, change in passes(wrt, strict):
        program = change(program)
        yield title, program
    yield "python", compile(text, filename=name, **options).source


def shown(stage: Stage) -> str:
    """A stage in its notation."""
    if isinstance(stage, Syntax):
        return rows(stage)
    return listing(stage) if isinstance(stage, Program) else stage.rstrip("\n")


def dot(
    program: Program, wrt: Sequence[str] | None = None, point: Mapping[str, float] = {}
) -> str:
    """The text that Graphviz draws.

    At a point, each node that is needed carries its value, and the derivative of the
    first output by it. By `wrt` the program has derivatives, if it has any.
    """
    numbers = _numbers(program, point) if point else {}
    lines = ["digraph {", "  graph [ordering=in, rankdir=BT];"]
    for i, (op, *rest) in enumerate(program.nodes):
        title, shape = SYMBOLS.get(op, str(op)), ", shape=box" if op == "input" else ""
        if op in ("const", "input"):
            title = str(rest[0])
        elif i in program.names:
            title = f"{program.names[i]} = {title}"
        lines.append(f'  n{i} [label="{title}{numbers.get(i, "")}"{shape}];')
        lines += [f"  n{a} -> n{i};" for a in arguments(program.nodes[i])]
    slopes = [f"d/d{x}" for x in elements(program, select(program, wrt))]
    if program.count > 1:  # of a Jacobian only what is not zero
        slopes = ["derivative"] * len(program.outputs)
    for k, (i, title) in enumerate(zip(program.outputs, [*titles(program), *slopes])):
        lines.append(f'  o{k} [label="{title}", shape=plaintext];')
        lines.append(f"  n{i} -> o{k};")
    return "\n".join([*lines, "}"])


def _numbers(program: Program, point: Mapping[str, float]) -> dict[int, str]:
    """What each node is at a point, and the derivative of the first output by it."""
    inputs = {name: Value(x) for name, x in point.items()}
    found = run(program, inputs, arithmetic(Value(0.0)))
    try:
        first = found.results()[0]
        if isinstance(first, Value):  # else no input counts
            first.backward()
    except NOT_DEFINED:
        i, at = found.failed, point_text(point)
        reason = "there is no gradient" if i is None else "no real number here"
        source, span = program.source, None if i is None else program.spans[i]
        raise mistake("undefined_at", source, span, reason=reason, at=at) from None
    lines = {}
    for i, (op, *_) in enumerate(program.nodes):
        x = found.values[i]
        if isinstance(x, Value):  # that of a lazy node is the one that is taken
            slope = "" if op in LAZY else f"\\ngrad {float(x.grad):.6g}"
            lines[i] = f"\\n{float(x.data):.6g}{slope}"
        elif found.has(i) and op != "const":
            lines[i] = f"\\n{x}"
    return lines


def full(row: Op) -> str:
    """A row of the table, a line for each column."""
    lines = [(f"d/d{n}", p or "none") for n, p in zip(row.params, row.partials or ())]
    for column in ("each", "ulp", "means", "domain", "kinks", "python", "also"):
        if cell := getattr(row, column):
            text = cell if isinstance(cell, str) else ", ".join(map(str, cell))
            lines.append((column, text))
    columns = [f"  {line}" for line in table(lines).split("\n")] if lines else []
    return "\n".join([row.signature, f"  {row.doc}", *columns])


def calls(row: Op) -> set[str]:
    """The names under which a row is found: the function, the symbol, the node."""
    symbol = row.signature.strip(f" {''.join(row.params)}") if row.infix else row.name
    return {row.name, row.called, *row.also, symbol}
