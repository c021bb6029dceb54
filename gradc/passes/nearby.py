"""Whether a series is needed where the domains keep away from its center.

A function that is 0/0 at a point loses digits near it, the value some and derivatives
more. Where the domains come no nearer than where few are lost, it needs no series there.
Both are computed at points around the nearest corners of the domains, and at others in
the radius of the series; an input without a domain may be of any size. What no point
needs, because conditionals around it are decided otherwise there, is not compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from math import isfinite
from random import Random

from gradc.evaluate import evaluate, is_reached
from gradc.ir import Input, Program, Result, compact
from gradc.passes.derive import derive

LOST = (2.0**-48, 2.0**-43)  # of a value, and of a derivative: 4 bits, and 9
CORNERS = 64  # of the domains that are looked at
NEAREST = 8  # of the points at which they are found to be
AROUND = 24  # points around these
ANYWHERE = 200  # points of which those are taken that are in the radius
SHARE = 1e-3  # of a domain, by which points around corners are inside
SIZES = (-6.0, 6.0)  # powers of ten, between which inputs without a domain are

Point = dict[str, float]
Need = tuple[Program, int]  # a program, and a node that it may not need at all points


def agree_nearby(
    program: Program, distance: int, limit: float, sides: tuple[int, int], need: Need
) -> bool:
    """Whether two nodes are the same where the inputs come nearest to a point.

    Arguments:
        program: has the nodes; its outputs do not matter.
        distance, limit: the node that is the distance from the point, and the radius.
        sides: the node with all digits, where they can be had within the radius; and as
            it is outside.
        need: tells at which points they are compared.
    """
    names = [item.name for item in program.inputs if item.kind == "input"]
    try:
        points = list(_points(program, distance, limit))
        needed = [is_reached(*need, point) for point in points]
        near, far = [derive(_alone(program, i), names) for i in sides]
        return needed.count(None) < len(points) and all(
            abs(x - y) <= LOST[k > 0] * abs(x)
            for point, on in zip(points, needed)
            if on
            for k, (x, y) in enumerate(zip(evaluate(near, point), evaluate(far, point)))
        )
    except (ArithmeticError, ValueError):
        return False


def _alone(program: Program, i: int) -> Program:
    """A program of one node."""
    return compact(replace(program, outputs=(i,), results=(Result("", ()),)))


def _points(program: Program, distance: int, limit: float) -> Iterator[Point]:
    """Points in the domains and in the radius, first around the nearest corners."""
    draw = Random(1729)
    inputs, measured = program.inputs, _alone(program, distance)
    found: list[tuple[float, tuple[bool, ...]]] = []
    for _ in range(CORNERS):
        corner = tuple(draw.choice((False, True)) for _ in inputs)
        point = {x.name: _at(x, float(high), draw) for x, high in zip(inputs, corner)}
        found.append((*evaluate(measured, point), corner))
    inside = [corner for far, corner in sorted(found) if far < limit][:NEAREST]
    for corner in islice(inside * AROUND, AROUND):
        shares = [abs(high - draw.uniform(0.0, SHARE)) for high in corner]
        yield {x.name: _at(x, share, draw) for x, share in zip(inputs, shares)}
    for _ in range(ANYWHERE if inside else 0):
        point = {x.name: _at(x, draw.random(), draw) for x in inputs}
        if evaluate(measured, point)[0] < limit:
            yield point


def _at(item: Input, share: float, draw: Random) -> float:
    """A number in a domain by its share, if that has two ends; any number if not."""
    ends = [x for x in (item.low, item.high) if x is not None and isfinite(x)]
    if len(ends) == 2:
        return ends[0] + share * (ends[1] - ends[0])
    size: float = 10.0 ** draw.uniform(*SIZES)
    if not ends:
        return draw.choice((size, -size))
    return ends[0] + size if ends[0] == item.low else ends[0] - size
