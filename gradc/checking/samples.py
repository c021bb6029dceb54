"""Where a module is tried, and which of the numbers that its functions return.

Nothing is known of an input without a domain, so every point is of a kind drawn anew:
ordinary, positive, small whole numbers (which meet ties and kinks), many orders of
magnitude with both signs, close to the numbers of the formula, rising. Numbers have few
digits, for the sake of those who read them. Others lie at the edges of branches: along
one input from a drawn point to where a comparison of the module turns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from random import Random
from typing import NamedTuple

from gradc.functions import ZERO, Function, titles
from gradc.ir import COMPARISONS, Input, Program, arguments, live, varying
from gradc.run import run
from gradc.spelling import SYMBOLS

Point = dict[str, float]
Gap = Callable[[float], float | None]

_REACH = 8.0  # decades of magnitude, up and down
_STARTS = 4  # from which a guard is looked for
_SECANTS = 12  # steps on the way to where a comparison turns
_BISECTIONS = 200  # at most


def drawn(inputs: Sequence[Input], program: Program, random: Random) -> Iterator[Point]:
    """Points to try, without end."""
    numbers = sorted({n[1] for n in program.nodes if n[0] == "const"})[:1000] or [1.0]
    while True:
        form, kind = random.random(), random.choice(_KINDS)
        found = []
        for _ in inputs:
            if form < 0.2:  # each of its own kind
                kind = random.choice(_KINDS)
            found.append(kind(random, numbers))
        if 0.2 <= form < 0.3:  # all of one magnitude
            size = _power(random, _REACH)
            found = [size * random.uniform(-1.0, 1.0) for _ in inputs]
        elif 0.3 <= form < 0.4:
            found.sort(reverse=random.random() < 0.5)
        pairs = zip(inputs, found)
        yield {i.name: _inside(i, random) if i.domain else _short(x) for i, x in pairs}


def _near(random: Random, numbers: Sequence[float]) -> float:
    """Close to a number of the formula, or between two, with either sign."""
    one, other = random.choice(numbers), random.choice(numbers)
    around = one + random.uniform(-1.0, 1.0), one * random.uniform(0.9, 1.1)
    found = random.choice((*around, random.uniform(one, other)))
    return found * random.choice((1.0, -1.0))


def _wide(random: Random, numbers: Sequence[float]) -> float:
    return random.choice((1.0, -1.0)) * _power(random, _REACH)


_KINDS: Sequence[Callable[[Random, Sequence[float]], float]] = (
    *[lambda random, numbers: random.uniform(-3.0, 3.0)] * 2,
    *[lambda random, numbers: random.uniform(0.0, 3.0)] * 2,
    lambda random, numbers: random.random(),
    lambda random, numbers: random.uniform(1.0, 100.0),
    *[_wide] * 2,
    lambda random, numbers: float(random.randint(-4, 9)),
    _near,
)


def _inside(item: Input, random: Random) -> float:
    """A number of a declared domain: anywhere in it, or near or at one of its ends."""
    low, high = item.low or 0.0, item.high or 0.0
    for _ in range(20):
        x = _between(low, high, random)
        for shown in (_short(x), x):
            if is_within(item, shown):
                return shown
    return high if math.isinf(low) else low + min((high - low) / 2.0, 1.0)


def _between(low: float, high: float, random: Random) -> float:
    form = random.random()
    if math.isinf(low) and math.isinf(high):
        return random.choice(_KINDS)(random, (0.0, 1.0))
    if math.isinf(low) or math.isinf(high):
        away = _power(random, _REACH if form < 0.5 else 1.0)
        return low + away if math.isinf(high) else high - away
    if form < 0.2:  # at an end, or near it
        part = 0.0 if form < 0.05 else 0.01 * _power(random, 3.0)
        return random.choice((low + part * (high - low), high - part * (high - low)))
    if form < 0.5 and low > 0.0 and high / low > 10.0:  # over many magnitudes
        return low * math.exp(random.random() * math.log(high / low))
    x = random.uniform(low, high)
    return float(round(x)) if form < 0.3 else x


def is_within(item: Input, x: float) -> bool:
    """Whether a number is in the domain of an input."""
    if item.low is None or item.high is None:
        return True
    above = x > item.low if item.low_open else x >= item.low
    return above and (x < item.high if item.high_open else x <= item.high)


def _power(random: Random, reach: float) -> float:
    """A magnitude up to so many decades above and below 1."""
    return math.pow(10.0, random.uniform(-reach, reach))


def _short(x: float) -> float:
    return float(f"{x:.5g}")


def words(program: Program, i: int, depth: int = 3) -> str:
    """A node as Python would write it, with what it computes it from."""
    op, *of = program.nodes[i]
    if op in ("const", "input"):
        return f"{of[0]:g}" if op == "const" else str(of[0])
    if not depth:
        return program.names.get(i, "...")
    inner = [words(program, a, depth - 1) for a in of]
    infix = op in SYMBOLS and len(of) == 2
    return f" {SYMBOLS[op]} ".join(inner) if infix else f"{op}({', '.join(inner)})"


class Edges:
    """The search for points at which the comparisons of a program turn.

    It ends when so many operations have been run.

    Attributes:
        guards: the comparisons.
        missed: the sides that no point has entered, in words.
    """

    def __init__(
        self, program: Program, inputs: Sequence[Input], operations: int
    ) -> None:
        self.program, self.inputs, self.left = program, inputs, operations
        nodes, varies = program.nodes, varying(program.nodes)
        on = [n[0] in COMPARISONS and alive for n, alive in zip(nodes, program.alive)]
        self.guards = [i for i in range(len(nodes)) if on[i] and varies[i]]
        self.missed: list[str] = []

    def points(self, starts: Sequence[Point]) -> Iterator[Point]:
        """Points on both sides of where each guard turns, found from some starts."""
        runs = [(start, run(self.program, start)) for start in starts]
        runs.sort(key=lambda pair: not all(map(float.is_integer, pair[0].values())))
        entered = {(g, r.values[g]) for g in self.guards for _, r in runs if r.has(g)}
        for guard in sorted(
            self.guards, key=lambda g: len({(g, True), (g, False)} & entered)
        ):
            near: set[bool] = set()
            reached = [start for start, there in runs if there.has(guard)]
            for point in self.near(guard, reached[:_STARTS]):
                there = run(self.program, point)
                if there.has(guard):
                    near.add(there.values[guard])
                    runs.append((point, there))
                    yield point
                if len(near) == 2 or near and self.program.nodes[guard][0] == "eq":
                    break
            entered |= {(guard, side) for side in near}
            for side in (True, False):
                if (guard, side) not in entered:
                    said = f"{words(self.program, guard)} is {str(side).lower()}"
                    self.missed.append(said)

    def near(self, guard: int, starts: Sequence[Point]) -> Iterator[Point]:
        """Points on both sides of where a guard turns, and some further beyond.

        They lie along one input from a start; each is tried that the guard depends on.
        """
        nodes = self.program.nodes
        needed = live(nodes, [guard])
        reads = {n[1] for n, on in zip(nodes, needed) if on and n[0] == "input"}
        inputs = [item for item in self.inputs if item.name in reads]
        for start in starts[:1]:  # what hypot(x, y) == 0 asks for
            zeros = {item.name: 0.0 for item in inputs if is_within(item, 0.0)}
            yield {**start, **zeros}
        for start in starts:
            for item in inputs:
                for x in _turning(
                    partial(self._gap, guard, start, item), start[item.name]
                ):
                    yield {**start, item.name: x}

    def _gap(self, guard: int, start: Point, item: Input, x: float) -> float | None:
        """By how much the two sides of a comparison differ, None if they have none."""
        self.left -= len(self.program.nodes)
        if self.left < 0 or not is_within(item, x):
            return None
        sides = arguments(self.program.nodes[guard])
        there = run(self.program, {**start, item.name: x}, outputs=sides)
        if there.failed is not None:
            return None
        one, other = there.results()
        return one - other if math.isfinite(one - other) else None


def _turning(gap: Gap, start: float) -> Sequence[float]:
    """Where a function is 0 or changes its sign: on both sides, there, and beyond."""
    here, found = gap(start), chain(_secants(gap, start), _far(start))
    if here is None:
        return ()

    def turns(there: float | None) -> bool:
        return there is not None and (there > 0.0) != (here > 0.0)

    beyond = next((x for x in found if turns(gap(x))), None)
    if beyond is None:
        return ()
    low, high = start, beyond
    for _ in range(_BISECTIONS):
        x = low + (high - low) / 2.0
        if low * high > 0.0 and not 0.25 < low / high < 4.0:  # by magnitude
            x = math.copysign(math.sqrt(abs(low)) * math.sqrt(abs(high)), low)
        there = gap(x)
        if x in (low, high) or there is None:
            break
        if there == 0.0:
            return low, x, high, beyond
        low, high = (low, x) if turns(there) else (x, high)
    return low, high, beyond


def _secants(gap: Gap, x: float) -> Iterator[float]:
    """Ever nearer to where a function is 0, and a little further each time."""
    y, step = gap(x), 1e-3 * (x or 1.0)
    for _ in range(_SECANTS):
        there = gap(x + step)
        if y is None or there is None or there == y:
            return
        x, y, step = x + step, there, step * there / (y - there)
        yield x
        yield x + 1.01 * step


def _far(start: float) -> Iterator[float]:
    yield from (0.0, -start)
    for size in (4.0**k for k in range(1, 14)):
        yield from (start * size, start / size, start + size, start - size)


class Number(NamedTuple):
    """A number that a function returns: an output of the formula, or a derivative of it.

    Attributes:
        place: where it stands among all that is returned, ZERO for what is left out.
        output: which one; None for the sum of all, each times its element of `v`.
        along: the inputs that it is the derivative by, VECTOR for what is along `v`.
    """

    function: str
    title: str
    place: int
    output: int | None = 0
    along: tuple[str, ...] = ()


VECTOR = "v."  # no input is called so


def component(k: int) -> float:
    """An element of the vector that products are tried with: one like no other."""
    return 2.0 * math.sin(k + 1.0)


def returned(function: Function, program: Program, wrt: Sequence[str]) -> list[Number]:
    """All that a function of a module returns, in order.

    Arguments:
        program: the formula; `wrt` are the inputs that it is differentiated by.
    """
    called, new = titles(program), partial(Number, function.name)
    if function.name == "vjp":
        return [new(f"vjp[{x}]", j, None, (x,)) for j, x in enumerate(wrt)]
    if function.name == "jvp":
        return [new(f"jvp[{k}]", k, k, (VECTOR,)) for k in range(len(called))]
    if function.name == "hvp":
        return [new(f"hvp[{x}]", j, 0, (VECTOR, x)) for j, x in enumerate(wrt)]
    found = [new(name, k, k) for k, name in enumerate(called)]
    if function.name == "value":
        return found
    rows: list[tuple[str, int, tuple[str, ...]]]
    rows = [(name, k, ()) for k, name in enumerate(called)]
    if function.name != "value_and_jacobian":
        found += [new(f"d/d{x}", 1 + j, 0, (x,)) for j, x in enumerate(wrt)]
        rows = [(f"d2/d{x}", 0, (x,)) for x in wrt]
    if function.name == "value_and_grad":
        return found
    cells = [(i, j) for i in range(len(rows)) for j in range(len(wrt))]
    places = cells if function.places is None else function.places
    there = {cell: len(found) + k for k, cell in enumerate(places)}
    for i, j in cells:
        name, output, along = rows[i]
        title = f"{name} d{wrt[j]}" if along else f"d{name}/d{wrt[j]}"
        place = there.get((i, j), ZERO)
        found.append(new(title, place, output, (*along, wrt[j])))
    return found
