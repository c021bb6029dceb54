"""The inside of the compiler as text: its stages, and rows of the table of operations.

Each stage has a notation of its own: the rows of the syntax, the nodes of a program,
the statements of a schedule, the text of a module. A program is drawn as a graph as
well, for Graphviz.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gradc.arithmetic import arithmetic
from gradc.compiled import select
from gradc.compiler import compile
from gradc.errors import Source, mistake
from gradc.functions import Interface, chosen, titles
from gradc.ir import LAZY, Program, arguments, elements, listing
from gradc.language.lower import MAX_OPS, lower
from gradc.language.parse import parse
from gradc.language.syntax import Syntax
from gradc.language.syntax import listing as rows
from gradc.ops import Op
from gradc.passes.schedule import Assign, If, Schedule, Statement
from gradc.pipeline import functions, passes
from gradc.run import NOT_DEFINED, run
from gradc.spelling import SYMBOLS
from gradc.targets.module import schedules
from gradc.targets.printer import literal
from gradc.value import Value

Stage = Syntax | Program | dict[str, Schedule] | str


def names(strict: bool = False) -> list[str]:
    """What the stages are called, in their order."""
    return ["parse", *programs(strict), "schedule", "python"]


def programs(strict: bool = False) -> list[str]:
    """The stages that are programs."""
    return ["lower", *(name for name, _ in passes((), strict))]


def stages(
    text: str,
    name: str,
    *,
    wrt: Sequence[str] | None = None,
    strict: bool = False,
    max_ops: int = MAX_OPS,
) -> Iterator[tuple[str, Stage]]:
    """Compile a formula step by step; the options are those of `compile`.

    Raises:
        GradcError: the formula is at fault, at the stage that finds it out.
    """
    syntax = parse(Source.read(text, name))
    yield "parse", syntax
    program = lower(syntax, max_ops=max_ops)
    yield "lower", program
    names = select(program, wrt)
    interface = Interface(program, names)
    for title, change in passes(names, strict):
        program = change(program)
        yield title, program
    found = functions(interface, chosen(interface.program, None), strict)
    yield "schedule", dict(zip([f.name for f in found], schedules(found)))
    compiled = compile(text, filename=name, wrt=wrt, strict=strict, max_ops=max_ops)
    yield "python", compiled.source


def shown(stage: Stage) -> str:
    """A stage in its notation."""
    if isinstance(stage, Syntax):
        return rows(stage)
    if isinstance(stage, Program):
        return listing(stage)
    if isinstance(stage, str):
        return stage.rstrip("\n")
    parts = [f"{title}:\n{_outline(page)}" for title, page in stage.items()]
    page = stage["value"]
    lines, _ = _texts(page)
    once = [f"    %{i} = {lines[i]}" for i, on in enumerate(page.fixed) if on]
    return "\n\n".join(["\n".join(["import:", *once]), *parts] if once else parts)


def _outline(page: Schedule) -> str:
    """The statements of a schedule, with what stands inline in brackets."""
    texts, words = _texts(page)
    lines: list[str] = []
    stack: list[tuple[Statement | str, int]] = [(s, 1) for s in reversed(page.body)]
    while stack:
        statement, depth = stack.pop()
        if isinstance(statement, If):
            sides = [(s, depth + 1) for s in statement.yes or ("pass",)]
            if statement.no:
                sides += [("else:", depth), *((s, depth + 1) for s in statement.no)]
            stack += reversed(sides)
            statement = f"if {words[statement.condition]}:"
        elif isinstance(statement, Assign):
            i, target = statement.value, page.target[statement.target]
            is_here = i == statement.target or page.inline[i]
            statement = f"%{target} = {texts[i] if is_here else words[i]}"
        lines.append("    " * depth + statement)
    outputs = ", ".join(words[i] for i in page.outputs)
    return "\n".join([*lines, f"    return {outputs}"])


def _texts(page: Schedule) -> tuple[list[str], list[str]]:
    """Each node as it is computed, and as it is read: a leaf, a variable, or inline."""
    texts: list[str] = []
    words: list[str] = []
    for i, node in enumerate(page.nodes):
        if node[0] in ("const", "input"):
            texts.append(literal(node[1]) if node[0] == "const" else str(node[1]))
            words.append(texts[-1])
        else:
            texts.append(" ".join([node[0], *(words[a] for a in arguments(node))]))
            words.append(f"({texts[i]})" if page.inline[i] else f"%{page.target[i]}")
    return texts, words


# ---- a program as a graph


def dot(
    program: Program,
    wrt: Sequence[str] | None = None,
    point: Mapping[str, float] | None = None,
) -> str:
    """The text that Graphviz draws.

    Arguments:
        wrt: the inputs that the program has derivatives by, if it has any.
        point: a number for each input; every node that is needed there carries its
            value, and the derivative of the first output by it.

    Raises:
        GradcError: the program is not defined at the point.
    """
    numbers = {} if point is None else _numbers(program, point)
    lines = ["digraph {", "  graph [ordering=in, rankdir=BT];"]
    for i, node in enumerate(program.nodes):
        label = _title(program, i) + numbers.get(i, "")
        shape = ", shape=box" if node[0] == "input" else ""
        lines.append(f'  n{i} [label="{label}"{shape}];')
        lines += [f"  n{a} -> n{i};" for a in arguments(node)]
    slopes = [f"d/d{x}" for x in elements(program, select(program, wrt))]
    if program.count > 1:  # of a Jacobian only what is not zero
        slopes = ["derivative"] * len(program.outputs)
    for k, (i, title) in enumerate(zip(program.outputs, [*titles(program), *slopes])):
        lines.append(f'  o{k} [label="{title}", shape=plaintext];')
        lines.append(f"  n{i} -> o{k};")
    return "\n".join([*lines, "}"])


def _title(program: Program, i: int) -> str:
    op, *rest = program.nodes[i]
    if op in ("const", "input"):
        return str(rest[0])
    title, name = SYMBOLS.get(op, str(op)), program.names.get(i)
    return title if name is None else f"{name} = {title}"


def _numbers(program: Program, point: Mapping[str, float]) -> dict[int, str]:
    """What each node is at a point, and the derivative of the first output by it."""
    inputs = {name: Value(x) for name, x in point.items()}
    found = run(program, inputs, arithmetic(Value(0.0)))
    try:
        first = found.results()[0]
        if isinstance(first, Value):  # else no input counts
            first.backward()
    except NOT_DEFINED:
        i, at = found.failed, ", ".join(f"{name} = {x!r}" for name, x in point.items())
        reason = "there is no gradient" if i is None else "no real number here"
        span = None if i is None else program.spans[i]
        raise mistake(
            "undefined_at", program.source, span, reason=reason, at=at
        ) from None
    lines = {}
    for i, (op, *_) in enumerate(program.nodes):
        x = found.values[i]
        if isinstance(x, Value):  # that of a lazy node is the one that is taken
            slope = "" if op in LAZY else f"\\ngrad {float(x.grad):.6g}"
            lines[i] = f"\\n{float(x.data):.6g}{slope}"
        elif found.has(i) and op != "const":
            lines[i] = f"\\n{x}"
    return lines


# ---- the table of operations


def full(row: Op) -> str:
    """A row of the table, a line for each column."""
    lines = [(f"d/d{n}", p or "none") for n, p in zip(row.params, row.partials or ())]
    if row.each is not None:
        repeated = "all the others" if row.leading else "all the arguments"
        lines[row.leading :] = [("d/dx", f"{row.each}   (xs: {repeated})")]
    if row.ulp is not None:
        lines.append(("ulp", "{:g} for the value, {:g} for partials".format(*row.ulp)))
    for column in ("means", "domain", "kinks", "python", "witness"):
        if (text := getattr(row, column)) is not None:
            lines.append((column, text))
    if row.also:
        lines.append(("also", ", ".join(row.also)))
    if row.result != "number":
        lines.append(("result", row.result))
    columns = [f"  {line}" for line in table(lines).split("\n")] if lines else []
    return "\n".join([row.signature, f"  {row.doc}", *columns])


def calls(row: Op) -> set[str]:
    """The names under which a row is found: the function, the symbol, the node."""
    symbol = row.signature.strip(f" {''.join(row.params)}") if row.infix else row.name
    return {row.name, row.called, *row.also, symbol}


def table(rows: Sequence[tuple[str, str]]) -> str:
    """Two columns, the second one aligned."""
    width = max(len(first) for first, _ in rows)
    return "\n".join(f"{first:{width}}  {second}" for first, second in rows)
