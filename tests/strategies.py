"""Random formulas drawn from the table, and points drawn from their domains.

A formula is drawn by a `Random`, so that a seed names it.
Rows with a domain are called behind a conditional that asks for it, which makes most
formulas defined at most points and fills them with conditions. Bindings are read in
several places, inside branches and outside.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from gradc.calculus import template
from gradc.ir import CONDITIONS, LAZY, Node, Program, arguments, listing
from gradc.ops import OPS, Op
from gradc.passes.derive import derive
from gradc.run import FLOATS, arithmetic
from gradc.spelling import SYMBOLS
from tests.conftest import FUNCTIONS

NUMBERS = tuple(
    r for r in OPS if r.result == "number" and r.name not in {"where", *FUNCTIONS}
)
ARITHMETIC = tuple(OPS[name] for name in ("add", "sub", "mul", "div", "neg"))
# Rows whose witness is a numeric derivative, too coarse and slow to compare with.
COARSE = frozenset({"sinc"})
HELD = "detach"  # whose slope is that of another function
FINE = tuple(r for r in NUMBERS if r.name not in (*COARSE, HELD))
SMOOTH = tuple(r for r in FINE if r.kinks is None)
RATIONAL = (*ARITHMETIC, OPS["relu"], OPS["abs"], OPS["min"], OPS["max"])

ORDERS = ("0", "1", "2")
POWERS_OF_TWO = ("0", "1", "2", "0.5", "4", "0.25", "8")
DYADIC = ("0", "1", "2", "3", "0.5", "1.5", "4", "0.25", "8")
ODD = ("0.1", "1e-3", "7.3", "1e-300", "5e-324", "1e300", "-0.0", "pi", "e", "1e16")
FREE = (-math.inf, math.inf)
LARGEST = 300.0  # beyond, mpmath takes minutes or runs out of memory
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 5e-324, -1e-300, 1e-20, 1e16, -1e200)

Point = dict[str, float]

law = settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


@dataclass(frozen=True)
class Formula:
    """A formula, the names of its inputs, and the ends of their domains."""

    text: str
    domains: dict[str, tuple[float, float]]

    def points(self, random: Random, count: int = 4) -> list[Point]:
        """Points inside the domains: a few ordinary ones, then special ones."""
        found = []
        for k in range(count):
            point: Point = {}
            for name, (low, high) in self.domains.items():
                inside = [x for x in SPECIAL if low <= x <= high]
                if k % 2 and inside and random.random() < 0.7:
                    point[name] = random.choice(inside)
                else:
                    low, high = max(low, -4.0), min(high, 4.0)
                    point[name] = round(random.uniform(low, high) * 64) / 64
            found.append(point)
        return found

    def point(self, random: Random, special: Iterable[float]) -> Point:
        """A point in the domains: of short numbers, special ones, and pairs that are close."""
        point: Point = {}
        for name, (low, high) in self.domains.items():
            beside = [x * (1.0 + random.choice((0.0, 1e-9))) for x in point.values()]
            inside = [x for x in (*special, *beside) if low <= x <= high]
            if inside and random.random() < 0.5:
                point[name] = random.choice(inside)
            else:
                low, high = max(low, -4.0), min(high, 4.0)
                point[name] = round(random.uniform(low, high) * 16) / 16
        return point


def formula(
    random: Random,
    rows: Iterable[Op] = NUMBERS,
    constants: Iterable[str] = (*DYADIC, *ODD),
    lines: int = 5,
    branches: bool = True,
    guarded: bool = True,
    pairs: bool = False,
    idioms: Sequence[str] = (),
) -> Formula:
    """Draw a formula over some rows.

    Arguments:
        guarded: whether rows are called in their domains only.
        pairs: whether there are differences and quotients of two calls of a row.
        idioms: formulas in single letters, for each of which an expression is drawn.
    """
    draw = _Draw(random, tuple(rows), tuple(constants), branches, guarded)
    draw.pairs, draw.idioms = pairs, idioms
    return draw.formula(lines)


def formulas(**options: Any) -> st.SearchStrategy[tuple[Formula, Random]]:
    """Formulas for Hypothesis, each with a source of randomness for its points."""

    def draw(seed: int) -> tuple[Formula, Random]:
        random = Random(seed)
        return formula(random, **options), random

    return st.integers(0, 2**32).map(draw)


class _Draw:
    def __init__(
        self,
        random: Random,
        rows: tuple[Op, ...],
        constants: tuple[str, ...],
        branches: bool,
        guarded: bool,
    ) -> None:
        self.random = random
        self.rows = rows
        self.constants = constants
        self.branches = branches
        self.is_guarded, self.pairs = guarded, False
        self.idioms: Sequence[str] = ()
        self.names: list[str] = []
        self.guarded: dict[str, str] = {}  # functions that ask for a row's domain

    def formula(self, lines: int) -> Formula:
        random = self.random
        names = ["x", "y", "z"][: random.randint(1, 3)]
        domains = {name: self._domain() for name in names}
        self.names += names * 2
        body = []
        for k in range(random.randint(0, lines)):
            body.append(f"b{k} = {self.expression(random.randint(1, 3))}")
            self.names += [f"b{k}"] * 2
        body.append(self.expression(random.randint(1, 4)))
        free = [name for name in names if domains[name] == FREE]
        bound = [name for name in names if domains[name] != FREE]
        declared = [f"{x} in [{domains[x][0]}, {domains[x][1]}]" for x in bound]
        head = "input " + ", ".join(
            [*declared, *free]
        )  # a domain is that of all before
        return Formula("\n".join([head, *self.guarded.values(), *body]), domains)

    def _domain(self) -> tuple[float, float]:
        ends = [FREE, (-2.0, 2.0), (0.0, 1.0), (0.5, 8.0)]
        return self.random.choice(ends)

    def expression(self, depth: int) -> str:
        random = self.random
        kind = random.random()
        if depth == 0 or kind < 0.1:
            if random.random() < 0.2:
                return random.choice(self.constants)
            return random.choice(self.names)
        if self.branches and kind < 0.3:
            return self._conditional(depth - 1)
        if self.idioms and kind > 0.8:
            return self._idiom(depth - 1)
        row = random.choice(ARITHMETIC if kind < 0.6 else self.rows)
        call = self._call(row, depth - 1)
        if self.pairs and kind > 0.7:  # of two calls there is much to cancel
            other = random.choice(("1", self._call(row, depth - 1)))
            sign = random.choice(("-", "-", "/"))
            call = f"({call} {sign} {other})"
            if random.random() < 0.5:
                call = f"({call}/({self.expression(1)} {sign} {self.expression(1)}))"
        return call

    def _call(self, row: Op, depth: int) -> str:
        count = len(row.params)
        if row.variadic:
            count = self.random.randint(count, count + 2)
        args = [self.expression(depth) for _ in range(count)]
        params, domain = [*row.params], row.domain
        for k in row.held:  # an order or a shape
            args[k] = self.random.choice(ORDERS)
        free = [k for k in range(len(params)) if k not in row.held]
        if not domain or not free or not self.is_guarded:
            return written(row, args)
        for k in row.held:
            domain = re.sub(rf"\b{params[k]}\b", args[k], domain)
            params[k] = args[k]
        name = "_".join(["safe", row.name, *(args[k] for k in row.held)])
        head = f"{name}({', '.join(params[k] for k in free)})"
        call = f"{written(row, params)} if {domain} else {params[free[0]]}"
        self.guarded[name] = f"{head} = {call}"
        return f"{name}({', '.join(args[k] for k in free)})"

    def _idiom(self, depth: int) -> str:
        """An idiom with an expression for each of its letters."""
        parts: dict[str, str] = {}

        def part(letter: re.Match[str]) -> str:
            return parts.setdefault(letter[0], self.expression(depth))

        text = re.sub(r"\b[a-df-z]\b", part, self.random.choice(self.idioms))
        return f"({text})"

    def _conditional(self, depth: int) -> str:
        kind = self.random.random()
        c, x, y = self.condition(depth), self.expression(depth), self.expression(depth)
        if kind < 0.5:
            return f"where({c}, {x}, {y})"
        if kind < 0.8:
            return f"({x} if {c} else {y})"
        d, z = self.condition(depth), self.expression(depth)
        return f"piecewise(({x}, {c}), ({z}, {d}), {y})"

    def condition(self, depth: int) -> str:
        random = self.random
        kind = random.random()
        if depth > 0 and kind < 0.3:
            word = random.choice(("and", "or"))
            parts = [self.condition(depth - 1), self.condition(depth - 1)]
            return f"({parts[0]} {word} {parts[1]})"
        if depth > 0 and kind < 0.4:
            return f"not {self.condition(depth - 1)}"
        count = random.choice((1, 1, 1, 2))
        found = self.expression(min(depth, 1))
        for _ in range(count):
            sign = random.choice(("<", "<=", ">", ">=", "==", "!="))
            found += f" {sign} {self.expression(min(depth, 1))}"
        return f"({found})"


def holds(row: Op, condition: str | None, args: Sequence[Any]) -> bool:
    """Whether a condition of a row is true of arguments."""
    if condition is None:
        return False
    read = template(f"where({condition}, 1, 0)", row, "domain")
    if not row.variadic:
        return bool(FLOATS.function(read, row.params)(*args))
    found = FLOATS.function(read, (*row.params, "xs"))
    return bool(found(*args[: len(row.params)], *args[row.leading :]))


def written(row: Op, args: Iterable[str]) -> str:
    """A row applied to arguments, as the language writes it."""
    args = [*args]
    if row.name == "neg":
        return f"(-{args[0]})"
    if row.name == "pow":
        return f"({args[0]}^{args[1]})"
    if row.infix:
        return f"({args[0]} {SYMBOLS[row.name]} {args[1]})"
    return f"{row.called}({', '.join(args)})" if args else row.called


# ---- the meaning of a program, once more and in the plainest way


Compute = Callable[[Op], Callable[..., Any]]


def needed(
    program: Program,
    point: dict[str, Any],
    compute: Compute = FLOATS.compute,
    number: Callable[[float], Any] = float,
) -> dict[int, Any]:
    """The value of every node that the outputs need at a point, and of no other.

    Arguments:
        compute: what computes a row.
        number: the type of number that constants and inputs become.
    """
    values: dict[int, Any] = {}
    stack = list(program.outputs)
    while stack:
        node = program.nodes[stack[-1]]
        first = values.get(node[1]) if node[0] in LAZY else None
        if node[0] not in LAZY:
            wanted = list(arguments(node))
        elif node[1] not in values:
            wanted = [node[1]]
        elif node[0] == "where":
            wanted = [node[2] if first else node[3]]
        else:
            wanted = [node[2]] if bool(first) == (node[0] == "and") else []
        missing = [a for a in wanted if a not in values]
        if missing or stack[-1] in values:
            stack = stack + missing if missing else stack[:-1]
            continue
        i = stack.pop()
        if node[0] in LAZY:
            values[i] = values[wanted[0]] if wanted else first
        elif node[0] in ("const", "input"):
            values[i] = number(node[1] if node[0] == "const" else point[node[1]])
        else:
            values[i] = compute(program.ops[node[0]])(*[values[a] for a in wanted])
    return values


def has_branches(program: Program) -> bool:
    """Whether some node of a program is lazy."""
    return any(node[0] in LAZY or node[0] in CONDITIONS for node in program.nodes)


class Precise(NamedTuple):
    """What a program computes in mpmath's digits.

    `size` is the largest number on the way to the outputs, `taken` the conditions that
    were asked on it, with their answers.
    """

    outputs: list[Any]
    size: Any
    taken: dict[int, bool]


def precise(program: Program, point: Point) -> Precise | None:
    """The outputs of a program in mpmath's digits, None where `numbers` has none."""
    values = numbers(program, point)
    if values is None:
        return None
    taken = {i: x for i, x in values.items() if isinstance(x, bool)}
    outputs = [mpf(values[i]) for i in program.outputs]
    return Precise(outputs, max(abs(mpf(x)) for x in values.values()), taken)


def numbers(program: Program, point: Point) -> dict[int, Any] | None:
    """What the nodes of a program are in mpmath's digits, as far as they are needed.

    None where one of them is not defined, or grows beyond what is quickly computed.
    """

    def compute(row: Op) -> Any:
        found = arithmetic(mpf(1)).compute(row)
        if row.infix and row.name != "pow":
            return found

        def moderate(*args: Any) -> Any:
            if any(abs(x) > LARGEST for x in args):
                raise OverflowError
            return found(*args)

        return moderate

    try:
        values = needed(program, point, compute, mpf)
    except (ArithmeticError, ValueError, TypeError):
        return None
    real = all(isinstance(x, (int, float, mpf)) for x in values.values())
    return values if real and all(map(mp.isfinite, values.values())) else None


def differentiated(program: Program) -> Program:
    """A program with its derivatives by all inputs."""
    return derive(program, [item.name for item in program.inputs])


def folds_exactly(*programs: Program) -> bool:
    """Whether the constants are so short that arithmetic on them is not rounded."""
    constants = [n[1] for p in programs for n in p.nodes if n[0] == "const"]
    return all(math.ldexp(x, 8).is_integer() for x in constants)


# ---- what a program has to be


def verify(program: Program) -> Program:
    """A program, which is legal: its arguments stand earlier and are of the right kind.

    No node stands twice, and every input is declared.
    """
    seen: set[object] = set()
    for i, node in enumerate(program.nodes):
        key: object = node
        if node[0] == "const":  # of which a quotient has a value of its own
            key = "const", node[1].hex(), getattr(node[1], "exact", None)
        problem = "stands twice" if key in seen else _problem(program, i, node)
        assert not problem, f"node %{i} = {node}: {problem}\n{listing(program)}"
        seen.add(key)
    for i in program.outputs:
        assert 0 <= i < len(program.nodes) and program.nodes[i][0] not in CONDITIONS
    return program


def _problem(program: Program, i: int, node: Node) -> str:
    op, args = node[0], node[1:]
    if op == "const":
        return "" if isinstance(args[0], float) else "is no float"
    if op == "input":
        declared = [item.name for item in program.inputs]
        return "" if args[0] in declared else "is not declared"
    if op not in program.ops:
        return "is no operation of the table"
    if not program.ops[op].accepts(len(args)):
        return f"takes {program.ops[op].arity_text}"
    if not all(0 <= a < i for a in args):
        return "uses a node that does not stand earlier"
    for k, a in enumerate(args):
        wants = op in ("and", "or", "not") or (op == "where" and k == 0)
        if wants != (program.nodes[a][0] in CONDITIONS):
            return f"argument {k + 1} is a {'number' if wants else 'condition'}"
    return ""


# ---- formulas over columns


REDUCING = "sum mean prod max min norm logsumexp".split()
ROWWISE = (
    "sum(a*X[i, 0] - norm(X[i])*y[i] for i in range(n))",
    "sum([x[0]*b + sum(x[1:])^2 for x in X])",
    "mean(X[:, 1]*t) + max([X[i][1] for i in range(n)])",
)
COLUMNS = "data t[n], y[n], u[m], X[n, 2]\ninput a, b, s[n]"


class Columns:
    """Draws formulas over columns of two lengths, of numbers and of rows of two.

    Arguments:
        rows: the operations in them; each is called in its domain only.
    """

    def __init__(self, random: Random, rows: Sequence[Op]) -> None:
        self.random, self.rows = random, tuple(rows)
        self.columns = {"n": ["t", "y", "s"], "m": ["u"]}
        self.numbers = ["a", "b", "n"]
        self.guarded: dict[str, str] = {}

    def formula(self, lines: int = 3) -> str:
        """A formula; its inputs are COLUMNS."""
        random, body = self.random, list[str]()
        for k in range(random.randint(0, lines)):
            length = random.choice(("", "n", "m"))
            body.append(f"v{k} = {self._column(length) if length else self._number()}")
            (self.columns[length] if length else self.numbers).append(f"v{k}")
        kinds = random.choice((("",), ("",), ("n",), ("n", ""), ("", "", "m")))
        found = [self._column(kind) if kind else self._number() for kind in kinds]
        parts = [f"r{k} = {part}" for k, part in enumerate(found)]
        last = "return " + (", ".join(parts) if len(parts) > 1 else found[0])
        return "\n".join([COLUMNS, *self.guarded.values(), *body, last])

    def _expression(self, names: Sequence[str]) -> str:
        draw = _Draw(self.random, self.rows, DYADIC, True, True)
        draw.names, draw.guarded = [*names], self.guarded
        return draw.expression(2)

    def _column(self, length: str) -> str:
        random, own = self.random, self.columns[length]
        one, found = random.choice(own), self._expression([*own * 2, *self.numbers])
        kind = random.random()
        if kind < 0.2:
            body = re.sub(rf"\b({'|'.join(own)})\b", r"\1[i]", found)
            return f"[{body} - i*{one}[i] for i in range({length})]"
        if kind < 0.3:
            return f"softmax({found} + {one})"
        if kind < 0.4 and length == "n":
            return f"{one} * (X @ [{self._number()}, b])"
        return f"({found} {random.choice('+-*')} {one})"

    def _number(self) -> str:
        random, length = self.random, self.random.choice("nnnm")
        kind = random.random()
        if kind < 0.2:
            return self._expression(self.numbers)
        if kind < 0.3:
            return random.choice(ROWWISE)
        if kind < 0.4:
            return f"dot({self._column(length)}, {self._column(length)})"
        return f"{random.choice(REDUCING)}({self._column(length)})"
