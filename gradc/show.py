"""The inside of the compiler as text: its stages, and the table of operations.

Each stage has a notation of its own: the rows of the syntax, the nodes of a program,
the statements of a schedule, the text of a module.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradc.compiled import select
from gradc.compiler import compile
from gradc.emit import chosen
from gradc.functions import Interface
from gradc.ir import Program, arguments, listing
from gradc.language.lower import MAX_OPS, lower
from gradc.language.parse import parse
from gradc.language.syntax import Syntax
from gradc.language.syntax import listing as rows
from gradc.ops import Op
from gradc.passes.schedule import Assign, If, Schedule, Statement
from gradc.pipeline import functions, passes
from gradc.source import Source
from gradc.targets.printer import literal
from gradc.targets.python import schedules

Stage = Syntax | Program | dict[str, Schedule] | str

LEAVES = ("const", "input")


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
    interface = Interface(program, names, bare=False, sparse=False)
    for title, run in passes(names, strict):
        program = run(program)
        yield title, program
    emit = chosen(interface.program, None)
    found = functions(interface, emit, strict)
    titles = [function.name for function in found]
    yield "schedule", dict(zip(titles, schedules(found)))
    yield "python", compile(
        text, filename=name, wrt=wrt, strict=strict, max_ops=max_ops
    ).source


def shown(stage: Stage) -> str:
    """A stage in its notation."""
    if isinstance(stage, Syntax):
        return rows(stage)
    if isinstance(stage, Program):
        return listing(stage)
    if isinstance(stage, str):
        return stage.rstrip("\n")
    first = stage["value"]
    once = [f"    {_defined(first, i)}" for i, on in enumerate(first.fixed) if on]
    parts = ["\n".join(["import:", *once])] if once else []
    for title, page in stage.items():
        parts.append(f"{title}:\n{outline(page)}")
    return "\n\n".join(parts)


def outline(page: Schedule) -> str:
    """The statements of a schedule, with what stands inline in brackets."""
    lines: list[str] = []
    stack: list[tuple[Statement | str, int]] = [(s, 1) for s in reversed(page.body)]
    while stack:
        statement, depth = stack.pop()
        if isinstance(statement, If):
            stack += reversed(_branches(page, statement, depth))
            continue
        if isinstance(statement, Assign):
            statement = _assignment(page, statement)
        lines.append("    " * depth + statement)
    outputs = ", ".join(_operand(page, i) for i in page.outputs)
    return "\n".join([*lines, f"    return {outputs}"])


def _branches(
    page: Schedule, statement: If, depth: int
) -> list[tuple[Statement | str, int]]:
    """What a conditional consists of, each with its depth; a text is a line."""
    head = f"if {_operand(page, statement.condition)}:"
    found: list[tuple[Statement | str, int]] = [(head, depth)]
    found += [(s, depth + 1) for s in statement.yes or ("pass",)]
    if statement.no:
        found += [("else:", depth), *((s, depth + 1) for s in statement.no)]
    return found


def _assignment(page: Schedule, statement: Assign) -> str:
    i, target = statement.value, f"%{page.target[statement.target]}"
    if i == statement.target or page.inline[i]:
        return f"{target} = {_texts(page, i)[i]}"
    return f"{target} = {_operand(page, i)}"


def _defined(page: Schedule, i: int) -> str:
    return f"%{i} = {_texts(page, i)[i]}"


def _operand(page: Schedule, i: int) -> str:
    """A node where it is read: a leaf, its variable, or all of it in brackets."""
    node = page.nodes[i]
    if node[0] in LEAVES:
        return literal(node[1]) if node[0] == "const" else str(node[1])
    return f"({_texts(page, i)[i]})" if page.inline[i] else f"%{page.target[i]}"


def _texts(page: Schedule, i: int) -> dict[int, str]:
    """The text of a node and of all that stands inline in it."""
    texts: dict[int, str] = {}
    stack, found = [i], [i]
    while stack:
        read = arguments(page.nodes[stack.pop()])
        inner = [a for a in read if page.inline[a] and page.nodes[a][0] not in LEAVES]
        stack += inner
        found += inner
    for j in sorted(set(found)):
        node = page.nodes[j]
        words = [
            f"({texts[a]})" if a in texts else _operand(page, a)
            for a in arguments(node)
        ]
        texts[j] = " ".join([node[0], *words])
    return texts


# ---- the table of operations


def table(rows: Sequence[tuple[str, str]]) -> str:
    """Two columns, the second one aligned."""
    width = max(len(first) for first, _ in rows)
    return "\n".join(f"{first:{width}}  {second}" for first, second in rows)


def full(row: Op) -> str:
    """A row of the table with all its columns."""
    lines = []
    if row.each is not None:
        for name, partial in zip(row.params[: row.leading], row.partials or ()):
            lines.append((f"d/d{name}", "none" if partial is None else partial))
        repeated = "all the others" if row.leading else "all the arguments"
        lines.append(("d/dx", f"{row.each}   (xs: {repeated})"))
    else:
        for name, partial in zip(row.params, row.partials or ()):
            lines.append((f"d/d{name}", "none" if partial is None else partial))
    for column in ("varying", "positive", "joint"):
        for name, text in zip(row.params, getattr(row, column) or ()):
            lines.append((f"d/d{name}, {column}", text))
    if row.ulp is not None:
        lines.append(("ulp", "{:g} for the value, {:g} for partials".format(*row.ulp)))
    for name, scale in zip(("value", "partials"), row.scale):
        if scale is not None:
            lines.append((f"scale, {name}", scale))
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
