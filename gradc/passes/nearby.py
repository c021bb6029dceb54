"""Whether a series is needed where the domains keep away from its center.

A function that is 0/0 at a point loses digits near it, the value some and derivatives
more. Where the domains come no nearer than where few are lost, it needs no series there.
Both are computed at points around the nearest corners of the domains.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from random import Random

from gradc.evaluate import evaluate
from gradc.ir import Program, Result, compact
from gradc.passes.derive import derive

LOST = (2.0**-48, 2.0**-43)  # of a value, and of a derivative: 4 bits, and 9
CORNERS = 64  # of the domains that are looked at
NEAREST = 8  # of the points at which they are found to be
AROUND = 24  # points around these
SHARE = 1e-3  # of a domain, by which such points are inside

Point = dict[str, float]


def agree_nearby(
    program: Program, distance: int, limit: float, near: int, far: int
) -> bool:
    """Whether two nodes are the same where the inputs come nearest to a point.

    Arguments:
        program: has the nodes; its outputs do not matter.
        distance, limit: the node that is the distance from the point, and the radius.
        near: the node with all digits in the radius.
        far: the node as it is outside.
    """
    names = [item.name for item in program.inputs if item.kind == "input"]
    try:
        points = _points(program, distance, limit)
        sides = [derive(_alone(program, i), names) for i in (near, far)]
        return bool(points) and all(
            abs(x - y) <= LOST[k > 0] * abs(x)
            for point in points
            for k, (x, y) in enumerate(zip(*(evaluate(side, point) for side in sides)))
        )
    except (ArithmeticError, ValueError):
        return False


def _alone(program: Program, i: int) -> Program:
    """A program of one node."""
    return compact(replace(program, outputs=(i,), results=(Result("", ()),)))


def _points(program: Program, distance: int, limit: float) -> list[Point]:
    """Points in the domains, around the corners of these that are in the radius."""
    draw = Random(1729)
    ends = [(item.name, item.low, item.high) for item in program.inputs]
    bounded = [(n, x, y) for n, x, y in ends if x is not None and y is not None]
    if len(bounded) < len(ends):
        return []
    measured = _alone(program, distance)
    found: dict[tuple[bool, ...], float] = {}
    for _ in range(CORNERS):
        corner = tuple(draw.choice((False, True)) for _ in ends)
        point = {n: y if high else x for high, (n, x, y) in zip(corner, bounded)}
        (found[corner],) = evaluate(measured, point)
    corners = sorted(found, key=lambda corner: (found[corner], corner))
    inside = [corner for corner in corners if found[corner] < limit][:NEAREST]

    def around(corner: tuple[bool, ...]) -> Point:
        shares = [abs(high - draw.uniform(0.0, SHARE)) for high in corner]
        return {n: x + share * (y - x) for share, (n, x, y) in zip(shares, bounded)}

    return [around(corner) for corner in islice(inside * AROUND, AROUND)]
