"""Modes: points at which one term of a sum is 1, or a density is largest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import product

from gradc.analysis.kinds import ALONE, LIKELY, SEVERAL, TOGETHER, Kind
from gradc.analysis.lines import Line, lines
from gradc.analysis.roundings import DIFFERENCES, SUMS
from gradc.ir import Program, arguments, live

WITHIN = 16  # terms of a sum that are looked at


def lone(program: Program) -> Iterator[Kind]:
    """The kinds of points at which one term of a sum is next to 1, the others tiny.

    There a logarithm of the sum is small, and so it is in the slope of a power.
    """
    nodes = program.nodes
    places = {item.name: i for i, item in enumerate(program.inputs)}
    found: dict[tuple[int, ...], None] = {}
    for op, *args in nodes:
        terms = args[:1] if op in DIFFERENCES or op == "pow" else []
        bases: set[int] = set()
        seen: set[int] = set()
        while terms and len(seen) < WITHIN:
            name, *below = nodes[terms.pop()]
            if name in SUMS or name == "where":
                terms += {*below[-2:]} - seen
                seen.update(below[-2:])
            elif name == "pow" and nodes[below[0]][0] == "input":
                bases.add(places[nodes[below[0]][1]])
            elif name == "input":
                bases.add(places[below[0]])
        if len(bases) > 1:
            found[tuple(sorted(bases))] = None
    for some in found:
        for i in some:
            others = [(k, k, ALONE[0]) for k in some if k != i]
            yield from [[(i, i, ALONE[4]), *others]] * LIKELY


def modes(program: Program) -> Iterator[Kind]:
    """The kinds of points at which a density is largest.

    These are k - 1 of x^(k - 1)*exp(-x/t) with a unit t, 1/2 of x^k*(1 - x)^m with
    equal exponents, and 1/4 of x^k*(1 - x)^(n - k) with four times as many trials.
    """
    nodes = program.nodes
    places = {item.name: i for i, item in enumerate(program.inputs)}
    values = live(nodes, program.outputs[: program.count])
    powers = [node[1:] for node, on in zip(nodes, values) if on and node[0] == "pow"]
    yield from _shifted(program, places, powers)
    yield from _shared(program, places, powers)


def _shifted(
    program: Program, places: Mapping[str, int], powers: Sequence[Sequence[int]]
) -> Iterator[Kind]:
    """The kinds at which a base is next to its exponent without a factor."""
    nodes, known = program.nodes, lines(program.nodes)
    found: dict[tuple[int, int, float], None] = {}
    for base, exponent in powers:
        name, slope, start = known.get(exponent, Line(None))
        if nodes[base][0] == "input" and name is not None and start and slope:
            found[places[nodes[base][1]], places[name], start / slope] = None
    for i, j, shift in found:
        if i != j:
            some = range(min(len(places), TOGETHER))
            kind: Kind = [(k, k, _unit) for k in some if k not in (i, j)]
            kind.append((i, j, partial(_beside_shifted, shift)))
            yield from [kind] * LIKELY


def _shared(
    program: Program, places: Mapping[str, int], powers: Sequence[Sequence[int]]
) -> Iterator[Kind]:
    """The kinds at which a share is as large as the exponents of it and the rest say."""
    nodes = program.nodes
    shares: set[int] = set()
    exponents: set[int] = set()
    for base, exponent in powers:
        below = [nodes[a] for a in (exponent, *arguments(nodes[exponent]))]
        exponents.update(places[node[1]] for node in below if node[0] == "input")
        op, *rest = nodes[base]
        if op == "sub" and nodes[rest[0]] == ("const", 1.0):
            below = [nodes[rest[1]]]
            shares.update(places[node[1]] for node in below if node[0] == "input")
    few = sorted(exponents)[:SEVERAL]
    for i, j, k in product(sorted(shares)[:SEVERAL], few, few):
        if len({i, j, k}) == 3:
            even: Kind = [(i, i, ALONE[5]), (j, k, partial(_times, 1.0))]
            fourth: Kind = [(i, i, _quarter), (j, k, partial(_times, 4.0))]
            yield from [even, fourth] * 2


def _beside_shifted(shift: float, y: float, small: float) -> float:
    """What an input is next to another one that is shifted."""
    return (y + shift) * (1.0 + small)


def _unit(x: float, small: float) -> float:
    """A rate or a scale that does nothing."""
    return 1.0


def _quarter(x: float, small: float) -> float:
    """A share that is next to 1/4."""
    return 0.25 + small


def _times(factor: float, y: float, small: float) -> float:
    """What is a multiple of another input."""
    return factor * y
