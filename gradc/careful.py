"""Floats where they end: a program run again, as IEEE 754 and C compute.

Generated code is fast because it leaves the ends of its domain to Python, whose `exp`
and `pow` overflow with an exception, as does `1/0.0`, while `1e200*1e200` does not.
Where it raises, comes to what is not finite, or has lost digits, the program is run here
once more, in the numbers of `gradc.unbounded`:

- A number has more digits than a float and no bounds, until the result is a float
  again: an intermediate result never spoils a result that is finite.
- At a pole an operation is infinite, elsewhere outside its domain NaN, and what follows
  goes on from there.
- 0 times an infinity is NaN in the value, but 0 if the infinity is that of a logarithm,
  which any power outweighs: x*log(x) is 0 at 0. In a derivative it is 0, for an adjoint
  that is 0 contributes nothing, unless that 0 is the inverse of an infinity, or the
  derivative tends to something else from all sides: that of cos(sqrt(x)) is -1/2 at 0.
- What has no finite value is what it tends to, if it does so from all sides, and so are
  its derivatives: (x - 1)/(x^2 - 1) is 1/2 at 1. For a derivative, numbers that are
  equal at the point stay so: that of acos(min(x, 1))^2 at 1 is a half of -2, as ties
  share, and that of where(x > 1, 0, acos(x)^2) is all of it.
- A finite value may have an infinite derivative, which is returned.
- A value that is not finite, or a derivative that is NaN, is a `DomainError`, unless the
  caller wants such numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gradc import unbounded
from gradc.errors import GradcError, outside_domain
from gradc.ir import COMPARISONS, LAZY, Node, Program, arguments, once
from gradc.ops import OPS, Op
from gradc.spelling import SYMBOLS, function, spelling
from gradc.unbounded import DECIMALS, Number

if TYPE_CHECKING:
    from decimal import Decimal

_OPERATORS = frozenset({*SYMBOLS, "neg", "mod", "not", "where", "relu"})
_BUILTINS = frozenset({"abs", "max", "min"})
_CONSTANTS = frozenset({"pi", "e"})
_EXACT = _BUILTINS | _CONSTANTS | DECIMALS.keys()
DIGITS = 80  # those of a first run
GROWTH = 1.5  # the power with which digits take time
# Rows that take so much longer than one operation, by series of their own.
SLOW = frozenset(
    "erf erfc erfcx erfcx_n normcdf gelu gamma lgamma lgamma_gap lgamma_sum digamma"
    " polygamma polygamma_gap beta lbeta".split()
)
SLOWER = 100


@dataclass
class Effort:
    """How much work runs may still do: operations, more for those of many digits."""

    left: float

    def spend(self, operations: int, digits: int) -> None:
        """Count a run that is about to begin.

        Raises:
            Exhausted: it would be too much work.
        """
        work = operations * (digits / DIGITS) ** GROWTH
        if work > self.left:
            raise Exhausted
        self.left -= work


class Exhausted(Exception):
    """A run would take more work than may be done."""


_effort: ContextVar[Effort | None] = ContextVar("effort", default=None)


@once
def _work(program: Program) -> int:
    """The operations of a run, as it were: slow ones count for many."""
    slow = sum(node[0] in SLOW for node in program.nodes)
    return len(program.nodes) + (SLOWER - 1) * slow


@contextmanager
def limited(effort: Effort | None) -> Iterator[None]:
    """Let runs do only so much work, or with None any; they raise `Exhausted` then."""
    token = _effort.set(effort)
    try:
        yield
    finally:
        _effort.reset(token)


@contextmanager
def _many(digits: int) -> Iterator[None]:
    """Compute with so many digits, and let nothing raise."""
    from decimal import MAX_EMAX, MIN_EMIN, Context, localcontext  # rarely needed

    with localcontext(Context(digits, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])):
        yield


def keeps_digits(program: Program) -> bool:
    """Whether a run in numbers without bounds has all their digits throughout."""
    return all(has_digits(program, node) for node in program.nodes)


def has_digits(program: Program, node: Node) -> bool:
    """Whether an operation has all the digits that its arguments have."""
    op, *args = node
    if op in ("const", "input") or op in _OPERATORS:
        return True
    names = set(spelling(program.ops[op], len(args)).names)
    known = names <= _EXACT
    return known and _is_known(program.ops[op])


def _is_known(row: Op) -> bool:
    """Whether a row is spelled in functions and operators that numbers have."""
    return row.name in OPS and OPS[row.name] is row


class Careful:
    """One run of a program in numbers of so many digits, at a point or beside it.

    `values` holds the nodes that were needed.
    """

    def __init__(
        self,
        program: Program,
        point: Sequence[float],
        digits: int,
        side: int,
        only: int = -1,
        kept: Mapping[int, bool] | None = None,
    ) -> None:
        """Prepare a run: at the point, or on a side of it, or of one of its inputs.

        Arguments:
            kept: the comparisons that hold as they did in another run.
        """
        self.program = program
        self.digits = digits
        self.values: dict[int, Any] = {}
        known: dict[str, Any] = {"exact": program.exact, "bounds": (*program.bounds,)}
        known |= {"done": [], "adjoint": False, "digits": digits}
        known |= {"ties": {}, "kept": kept or {}}
        kind: Any = type("Number", (Number,), known)
        self._number = kind
        self._functions: dict[str, Callable[..., Any]] = {}
        names = [item.name for item in program.inputs]
        self.point = point
        self._point = dict(zip(names, point))
        own = [item.name for item in program.inputs if item.kind != "vector"]
        self._places = {name: n for n, name in enumerate(own, 1)}
        self._side = side
        self._only = only
        self._least = unbounded.smallest(point[: len(own)])

    @property
    def ties(self) -> Mapping[int, bool]:
        """The comparisons of equal numbers, and whether they hold."""
        found: Mapping[int, bool] = self._number.ties
        return found

    @property
    def needed(self) -> int:
        """How many digits the run needs."""
        numbers = (x for x in self.values.values() if isinstance(x, Number))
        return max([self.digits, *(x.needed() for x in numbers)])

    def results(self) -> list[float]:
        """The values, and behind them the derivatives; they may be infinite or NaN."""
        with _many(self.digits):
            for k, output in enumerate(self.program.outputs):
                self._number.adjoint = k >= self.program.count
                self._run(output)
        return [float(self.values[output]) for output in self.program.outputs]

    def number(self, i: int) -> Decimal:
        """What a node is, in all digits."""
        with _many(self.digits):
            self._run(i)
        found: Decimal = self.values[i].x
        return found

    def is_large(self, found: Sequence[float]) -> bool:
        """Whether a value is a number, but none of the floats: it tends to nothing."""
        pairs = zip(self.program.outputs[: self.program.count], found)
        return any(not (math.isfinite(x) or self._ends(i, True)) for i, x in pairs)

    def endless(self, nodes: Sequence[int]) -> int | None:
        """The first of some nodes that has no value, or is an output and no float."""
        with _many(self.digits):
            for i in nodes:
                self._run(i)
                if self._ends(i, i not in self.program.outputs):
                    return i
        return None

    def trouble(self, k: int, x: float) -> GradcError:
        """The mistake that an output is `x`, and where that comes from."""
        nodes = self.program.nodes
        self._number.adjoint = k >= self.program.count
        i = self.program.outputs[k]
        todo = [i]
        while todo:
            i = todo.pop()
            args = arguments(nodes[i])
            todo = [a for a in args if self._ends(a, math.isnan(x))][:1]
            todo = [a for a in todo if nodes[a][0] != "input"]
        below = {i}
        for k in range(i, -1, -1):
            if k in below:
                below.update(arguments(nodes[k]))
        inputs = {nodes[k][1] for k in below if nodes[k][0] == "input"}
        at = {name: x for name, x in self._point.items() if name in inputs}
        span = self.program.spans[i]
        found = x if math.isnan(x) else float(self.values[i])
        how = self._number.adjoint, self._number.beyond
        return outside_domain(self.program.source, span, found, at, *how)

    def _ends(self, i: int, beyond: bool) -> bool:
        """Whether a node is infinite or NaN, as a float or also beyond floats."""
        found = self.values.get(i, 0.0)
        if beyond and isinstance(found, Number):
            return not found.x.is_finite()
        return not math.isfinite(found)

    def _run(self, output: int) -> None:
        stack = [output]
        while stack:
            i = stack[-1]
            node = self.program.nodes[i]
            wanted = [] if i in self.values else self._wanted(node)
            stack += wanted
            if not wanted:
                stack.pop()
                if i not in self.values:
                    self.values[i] = self._compute(node)

    def _wanted(self, node: Node) -> list[int]:
        """The arguments that are needed next."""
        op, *args = node
        if op in ("const", "input"):
            return []
        if op in LAZY:
            args = args[:1] if args[0] not in self.values else [self._chosen(node)]
        return [a for a in args if a not in self.values]

    def _chosen(self, node: Node) -> int:
        """The argument that a lazy node is, by its first."""
        op, first, *others = node
        if op == "where":
            return int(others[0 if self.values[first] else 1])
        return int(others[0] if bool(self.values[first]) == (op == "and") else first)

    def _compute(self, node: Node) -> Any:
        op, *args = node
        if op == "const":
            found = self._number(args[0])
            found.settle()
            return found
        if op == "input":
            x = self._number(self._point[args[0]]).measure()
            place = self._places.get(args[0])  # none of a vector, which stays
            if place and self._side >= 0 and self._only in (-1, place - 1):
                x.x = unbounded.beside(x.x, place, self._side, self._least)
            return x
        if op in LAZY:
            return self.values[self._chosen(node)]
        operands = [self.values[a] for a in args]
        if op == "not":
            return not operands[0]
        if op in COMPARISONS:
            return COMPARISONS[op](*operands)
        return self._function(op)(*operands)

    def _function(self, op: str) -> Callable[..., Any]:
        """A row as a function of numbers."""
        if op not in self._functions:
            row = self.program.ops[op]
            on = function(row)
            if _is_known(row) and not row.variadic:
                on = unbounded.lifted(on, self._number)
            elif row.called not in _BUILTINS:
                on = unbounded.function(on)
            self._functions[op] = on
        return self._functions[op]


def endless(program: Program, nodes: Sequence[int]) -> int | None:
    """The first of some constant nodes that has no finite value, None if all have.

    What is no output may be too large for a float.
    """
    digits = 0
    run = Careful(program, (), DIGITS, -1)
    while digits < run.needed:
        digits = run.needed
        run = Careful(program, (), digits, -1)
        found = run.endless(nodes)
    return found


def outputs(
    program: Program,
    point: Sequence[float],
    ieee: bool = False,
    limits: bool = True,
    axes: Mapping[int, int] | None = None,
) -> tuple[float, ...]:
    """The values of a program and its derivatives, wherever they are.

    Arguments:
        ieee: return what is infinite or NaN, too.
        limits: what has no value is what it tends to from all sides.
        axes: of outputs that are derivatives the input, by its place: one that tends to
            nothing from all sides may do so along its input.

    Raises:
        DomainError: a value is not finite, or a derivative is NaN.
    """
    point = [*map(float, point)]
    run, found = _run(program, point)
    if limits and (ieee or not run.is_large(found)):
        _tending(run, found, axes or {})
    for k, x in enumerate(found):
        wrong = math.isnan(x) if k >= program.count else not math.isfinite(x)
        if wrong and not ieee:
            raise run.trouble(k, x)
    return tuple(found)


def _tending(run: Careful, found: list[float], axes: Mapping[int, int]) -> None:
    """Put what they tend to in the place of results that have no value."""
    program, point = run.program, run.point
    numbers = [run.values[output] for output in program.outputs]
    vague = [*map(unbounded.is_vague, numbers)]
    if not any(vague):
        return
    whole = any(not x.x.is_finite() for x in numbers[: program.count])
    sides = _sides(program, point)
    kept = _sides(program, point, kept=run.ties) if run.ties else sides
    for k, x in enumerate(found):
        derived = k >= program.count
        if vague[k] or (whole and derived):
            ways = [[side[k] for side in way] for way in (kept, sides)[not derived :]]
            tended = unbounded.tended(ways, not whole and math.isnan(x) and derived)
            settled = math.isfinite(x) or numbers[k].taken
            if (whole and settled) or not math.isnan(tended):
                found[k] = tended
            vague[k] = math.isnan(found[k]) or (numbers[k].taken and math.isnan(tended))
    near: dict[int, list[list[list[float]]]] = {}
    for k, place in axes.items() if not whole else ():
        if vague[k]:
            if place not in near:
                near[place] = [_sides(program, point, place, t) for t in (run.ties, {})]
            ways = [[side[k] for side in way] for way in near[place]]
            tended = unbounded.tended(ways, math.isnan(found[k]))
            if not math.isnan(tended):
                found[k] = tended


def _sides(
    program: Program,
    point: Sequence[float],
    only: int = -1,
    kept: Mapping[int, bool] | None = None,
) -> list[list[float]]:
    """The results around a point, those further away and, if these are any, the near.

    What is equal at the point may be `kept` so: then all go by the same conditions.
    """
    found: list[list[float]] = []
    for sides in ((0, 1), (2, 3, 4, 5)):
        runs = (_run(program, point, 250, side, only, kept)[0] for side in sides)
        found += map(_sized, runs)
        if not any(math.isfinite(x) for results in found for x in results):
            break
    return found


def _sized(run: Careful) -> list[float]:
    """The results of a run, infinite where they are beyond what can be computed."""
    return [unbounded.sized(run.values[i]) for i in run.program.outputs]


def _run(
    program: Program,
    point: Sequence[float],
    digits: int = DIGITS,
    side: int = -1,
    only: int = -1,
    kept: Mapping[int, bool] | None = None,
) -> tuple[Careful, list[float]]:
    """A run in as many digits as it needs, and its results."""
    effort = _effort.get()
    if effort is not None:
        effort.spend(_work(program), digits)
    run = Careful(program, point, digits, side, only, kept)
    found = run.results()
    if run.needed == digits:
        return run, found
    return _run(program, point, run.needed, side, only, kept)
