"""What a module carries so that Python's exceptions become one, or none.

A module none of whose operations can raise carries nothing. In the others `value` and
`value_and_grad` are guarded by a `try`, which costs nothing as long as all is well, and
behind them stand the parts of the formula by their lines and a copy of
`gradc.unbounded`, without the functions that it does not call.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from itertools import groupby
from math import sqrt

from gradc import unbounded
from gradc.analysis.intervals import Intervals
from gradc.ir import LAZY, Builder, Node, Program, live
from gradc.ops import Table
from gradc.passes.schedule import WIDTH, Schedule
from gradc.rational import Ratio
from gradc.spelling import spelling
from gradc.targets.printer import literal, one_line

_LEAVES = frozenset({"const", "input", "flag", "False", "True"})
_BEGIN = "\n# ---- what modules carry\n\n"
_ENTRY = re.compile(r' +"(\w+)": lambda ')
_CALL = re.compile(r"\b\w+\(")
# Functions that raise at no finite number, and constants.
_TOTAL = frozenset(
    "abs asinh atan atan2 copysign cos degrees erf erfc hypot max min pi e radians tanh "
    "sign sin tan relu ties".split()
)
_ENDLESS = frozenset("atanh log log10 log1p log2 logbase".split())
_TERMS = frozenset({"add", "sub"})
LONG = 10_000  # nodes above which the arguments of exponentials are not looked at
FAR = unbounded.ENDS / 1000  # the logarithm of a base is less
MATH = ("inf", "isfinite", "isinf", "isnan", "nan")
DECIMALS = frozenset(unbounded.DECIMALS)
STEEP = frozenset(unbounded.STEEP)
SQUARED = frozenset({"erfc", "exp_square", "normcdf", "normpdf"})  # steep by a square
# Functions that lose no digits near 1, nor where they are near to it.
STEADY = frozenset(
    "exp exp2 sinh cosh sqrt cbrt hypot sin cos tan abs copysign".split()
)
COMPARED = frozenset("< <= > >= == != min max".split())
_SYMBOLS: Mapping[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Mod: "%",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}


def can_raise(program: Program, fixed: Sequence[bool]) -> bool:
    """Whether a program has an operation that can raise."""
    return any(
        is_partial(program.ops, program.nodes, i)
        for i, is_fixed in enumerate(fixed)
        if not is_fixed
    )


def is_partial(ops: Table, nodes: Sequence[Node], i: int) -> bool:
    """Whether there are finite floats at which a node raises."""
    if nodes[i][0] == "div" and nodes[nodes[i][2]][0] == "const":
        return not nodes[nodes[i][2]][1]
    return bool(symbols(ops, nodes[i]))


def has_poles(program: Program) -> bool:
    """Whether derivatives have poles, perhaps, where the values have none.

    There a derivative may be 0/0 beside a value.
    """
    nodes = program.nodes
    valued = live(nodes, program.outputs[: program.count])
    divisors = {node[2] for node, on in zip(nodes, valued) if on and node[0] == "div"}
    intervals = Intervals(Builder.upon(program), program.inputs)

    def is_pole(i: int) -> bool:
        op, *args = nodes[i]
        if op != "div":
            return is_partial(program.ops, nodes, i)
        low, high = intervals.of(args[1])
        return args[1] not in divisors and low <= 0.0 <= high

    derived = (i for i, on in enumerate(valued) if program.alive[i] and not on)
    return any(map(is_pole, derived))


def is_steep(program: Program) -> bool:
    """Whether an exponential may be beyond decimals, or a program is too long to tell."""
    if STEEP.isdisjoint(program.operations) or len(program.nodes) > LONG:
        return not STEEP.isdisjoint(program.operations)
    intervals = Intervals(Builder.upon(program), program.inputs)
    for op, *args in program.nodes:
        if op in STEEP:
            square = op in SQUARED
            size = max(map(abs, intervals.of(args[0 if square else -1])))
            if size > (sqrt(FAR) if square else FAR):
                return True
    return False


def has_endless_terms(program: Program) -> bool:
    """Whether two terms of a sum may be infinite, as logarithms are at 0."""
    endless: list[bool] = []
    for op, *args in program.nodes:
        below = [] if op in ("const", "input") else [endless[a] for a in args]
        if op in _TERMS and all(below):
            return True
        endless.append(op in _ENDLESS or any(below))
    return False


def symbols(ops: Table, node: Node) -> list[str]:
    """The functions and operators of a node's spelling that can raise."""
    if node[0] in _LEAVES:
        return []
    found = spelling(ops[node[0]], len(node) - 1)
    signs = [s for s in "/%" if any(s in p for p in found.pieces if isinstance(p, str))]
    return [*signs, *(name for name in found.names if name not in _TOTAL)]


def parts(
    page: Schedule,
    starts: Iterable[tuple[int, int]],
    fixed: Sequence[bool],
    moved: int,
) -> Iterator[tuple[tuple[int, str, int], str]]:
    """The parts of the formula that can raise, by line, operation and its count there.

    Arguments:
        page: the statements of `value`.
        starts: the lines at which statements begin, each with the node it computes.
        fixed: the nodes that are computed at import.
        moved: how many lines further down than in the source the formula stands.
    """
    ops, nodes = page.program.ops, page.nodes
    yield (0, "", 0), _part(page.program, page.outputs[0], moved)
    for line, roots in _by_line(starts):
        order = [i for root in roots for i in _order(page, root, fixed)]
        branches = any(nodes[i][0] in LAZY for i in order)
        called = [(symbol, i) for i in order for symbol in symbols(ops, nodes[i])]
        total = Counter(symbol for symbol, _ in called)
        counts: Counter[str] = Counter()
        for symbol, i in called:
            counts[symbol] += 1
            if is_partial(ops, nodes, i):
                # In what order branches are computed, only the run knows.
                named = roots[0] if branches and total[symbol] > 1 else i
                key = line, symbol, counts[symbol]
                yield key, _part(page.program, named, moved)


def _by_line(starts: Iterable[tuple[int, int]]) -> Iterator[tuple[int, list[int]]]:
    """The nodes that a line computes: one, but for several results."""
    for line, group in groupby(starts, key=lambda start: start[0]):
        yield line, [root for _, root in group]


def _order(page: Schedule, root: int, fixed: Sequence[bool]) -> list[int]:
    """The nodes of a statement in the order in which Python computes them."""
    found, stack = [], [root]
    while stack:
        i = stack.pop()
        node = page.nodes[i]
        if node[0] in _LEAVES or (i < len(fixed) and fixed[i]):
            continue
        found.append(i)
        holes = spelling(page.program.ops[node[0]], len(node) - 1).holes
        stack += [node[1 + k] for k, _ in holes if page.inline[node[1 + k]]]
    return found[::-1]


def _part(program: Program, i: int, moved: int) -> str:
    span = program.spans[i] if i < len(program.nodes) else None
    if span is None:
        return "the formula"
    return one_line(program.source.part(span[0], span[1], moved))


def table(found: Mapping[tuple[int, str, int], str]) -> list[str]:
    """The parts as the module has them."""
    lines = ["PARTS = {"]
    for (line, symbol, count), part in found.items():
        head = f'    ({line}, "{symbol}", {count}): "'
        part = part.replace("\\", "\\\\").replace('"', '\\"')
        room = WIDTH - len(head) - 2
        if len(part) > room:
            part = part[: room - 3].rstrip("\\ ") + "..."
        lines.append(f'{head}{part}",')
    return [*lines, "}"]


def ratios(exact: Mapping[float, Ratio], used: Set[float]) -> list[str]:
    """The constants that floats round, as the module has them."""
    found = sorted((x, ratio) for x, ratio in exact.items() if x in used)
    if not found:
        return ['EXACT: "dict[float, tuple[int, int]]" = {}']
    lines = ["EXACT = {"]
    for x, (above, below) in found:
        key = f"    {literal(x)}: ("
        line = f"{key}{above}, {below}),"
        parts = [key, f"        {above},", f"        {below},", "    ),"]
        lines += [line] if len(line) <= WIDTH else parts
    return [*lines, "}"]


def carried(used: Set[str], value: str) -> str:
    """What stands behind the functions of a module.

    Arguments:
        used: the words of what the module uses, as `unbounded` marks them.
        value: the function that computes the values.
    """
    lines: list[str] = []
    used = {*used}  # with the functions that what is carried calls
    blank = above = 0  # lines before this one, and most since the last one
    left_out: int | None = None  # how far in a definition stands that is not carried
    for line in _carried():
        depth = len(line) - len(line.lstrip())
        is_end = depth == left_out and line.lstrip() == "}"
        inside = left_out is not None and (depth > left_out or is_end)
        if line and not inside:
            text, _, marks = line.partition("  # for ")
            entry = _ENTRY.match(line)
            needing = {entry[1]} if entry else {*marks.split()}
            left_out = depth if needing and not used & needing else None
            if left_out is None:
                lines += [*[""] * above, text]
                above = 0
                used |= {f"{name})" for name in _CALL.findall(text)}
        blank = 0 if line else blank + 1
        above = max(above, blank)
    return "\n".join(lines).replace("_value", value)


@lru_cache(maxsize=None)
def _carried() -> list[str]:
    """The lines of `unbounded` below its declarations."""
    with open(unbounded.__file__, encoding="utf-8") as file:
        return file.read().partition(_BEGIN)[2].strip("\n").split("\n")


def numbers(text: str) -> set[float]:
    """The floats in a text of Python, which have no signs."""
    nodes = ast.walk(ast.parse(text))
    found = (node.value for node in nodes if isinstance(node, ast.Constant))
    return {x for x in found if isinstance(x, float)}


def words(text: str) -> set[str]:
    """The operators and functions that a text of Python uses."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.BinOp):
            found.add(_SYMBOLS[type(node.op)])
        elif isinstance(node, ast.Compare):
            found.update(_SYMBOLS[type(op)] for op in node.ops)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found.add(node.func.id)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            if not isinstance(node.operand, ast.Constant):
                found.add("neg")
    return found
