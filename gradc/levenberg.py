"""Least squares by steps of bounded length, which ask for sums of products alone.

What is known at a point b is the gram [[r'r, r'J], [J'r, J'J]] of a residual r and its
Jacobian J. Around b it tells what r'r would be if r were linear, and the step is the best
one for that which is no longer than a radius; the radius grows where that was right and
shrinks where it was not (Levenberg 1944, Marquardt 1963; in this form Moré 1978). The
length of a step is measured with each parameter in units of how much r depends on it, the
most that was met on the way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import NamedTuple

import numpy
from numpy.typing import NDArray

Array = NDArray[numpy.float64]
Mask = NDArray[numpy.bool_]
Gram = Callable[[Array], Array]  # nan where there is no value
Ends = tuple[Array | float, Array | float]  # the least and the most of parameters
OPEN: Ends = (-inf, inf)

MOST = 2000  # evaluations of a descent
LOST = 200  # steps one after the other at which J'J is singular
CONDITION = 1e7  # of J, its columns of length 1, beyond which J'J determines no step
SETTLED = 1e-8  # of a parameter, or of its standard error: a step that changes nothing
NEARLY = 1e-6  # the same where no step makes r'r less
FALL = 1e-6  # of r'r: what a step may still promise where it changes nothing
ROUNDING = 1e-30  # of the squares of what the parameters make of r, which rounding does


class Newton(NamedTuple):
    """The undamped step from a point.

    The step is infinite, and there is no inverse of J'J, where that is singular as far as
    doubles can tell; then `weak` has the positions of the parameters that the data do
    not determine.
    """

    step: Array
    inverse: Array | None
    weak: list[int]


@dataclass(frozen=True)
class Found:
    """Where a descent ended.

    Attributes:
        free: which parameters are not held at a bound that r'r falls beyond.
        newton: the step of those, and which of them the data do not determine.
        reason: why it has not converged, "" if it has.
    """

    b: Array
    gram: Array
    free: Mask
    newton: Newton
    evaluations: int
    reason: str


@numpy.errstate(all="ignore")
def least(gram: Gram, start: Array, rows: int, ends: Ends = OPEN) -> Found:
    """The least r'r from a start; a second try makes the first steps a tenth as long.

    Raises:
        ArithmeticError: there is no value at the start.
    """
    first = descend(gram, start, rows, ends)
    if not first.reason:
        return first
    second = descend(gram, start, rows, ends, shorter=0.1)
    is_better = not second.reason or second.gram[0, 0] < first.gram[0, 0]
    evaluations = first.evaluations + second.evaluations
    return replace(second if is_better else first, evaluations=evaluations)


def descend(
    gram: Gram, start: Array, rows: int, ends: Ends, shorter: float = 1.0
) -> Found:
    """One descent within bounds: the first radius is the start's length, or shorter."""
    b, known = start, gram(start)
    if not numpy.isfinite(known).all():
        raise ArithmeticError("there is no value at the start")
    scale, radius, lost, reason = numpy.zeros(len(b)), 0.0, 0, "too many steps"
    for evaluations in range(1, MOST + 1):
        free, part = held(b, known, ends)
        scale = numpy.maximum(scale, numpy.sqrt(numpy.abs(known.diagonal()[1:])))
        units = numpy.where(scale > 0, scale, 1.0)[free]
        radius = radius or shorter * (_norm(scale * b) or 1.0)
        newton = undamped(part)
        far = left(b[free], part, newton, rows - len(b))
        lost = 0 if newton.inverse is not None else lost + 1
        if lost == LOST:
            break
        if far <= SETTLED and settled(part, newton.step, b[free]):
            reason = ""
            break
        there = moved(b, free, bounded(part, newton.step, units, radius), ends)
        step, trial = (there - b)[free], gram(there)
        promised = -(2 * part[0, 1:] + part[1:, 1:] @ step) @ step
        has_value = promised > 0 and numpy.isfinite(trial).all()
        gain = (known[0, 0] - trial[0, 0]) / promised if has_value else -1.0
        length = _norm(units * step)
        if gain < 0.25:
            radius = 0.5 * min(radius, length)
        elif gain > 0.75:
            radius = max(radius, 2 * length)
        if gain > 1e-4:
            b, known = there, trial
            continue
        is_tiny = length <= 1e-15 * _norm(scale * b) or promised <= 1e-16 * known[0, 0]
        is_exact = far < inf and known[0, 0] <= noise(part, b[free])
        if is_tiny or is_exact:
            reason = "" if far <= NEARLY or is_exact else "no step helps"
            break
    return Found(b, known, free, newton, evaluations, reason)


def moved(b: Array, free: Mask, step: Array, ends: Ends) -> Array:
    """Where a step leads to within bounds."""
    there = b.copy()
    there[free] += step
    inside: Array = there if ends is OPEN else numpy.clip(there, *ends)
    return inside


def held(b: Array, gram: Array, ends: Ends) -> tuple[Mask, Array]:
    """Which parameters no bound holds, against which r'r falls, and their gram."""
    if ends is OPEN:
        return numpy.ones(len(b), bool), gram
    slope = gram[0, 1:]
    free = ~(((b <= ends[0]) & (slope > 0)) | ((b >= ends[1]) & (slope < 0)))
    read = numpy.flatnonzero([True, *free])
    return free, gram[numpy.ix_(read, read)]


def undamped(gram: Array) -> Newton:
    """The step to where r'r is least if r is linear in the parameters."""
    if len(gram) == 1:
        return Newton(numpy.zeros(0), numpy.zeros((0, 0)), [])
    units = numpy.sqrt(numpy.abs(gram.diagonal()[1:]))
    units[units == 0] = 1.0
    column = units[:, None]
    squares, vectors = numpy.linalg.eigh(gram[1:, 1:] / (column * units))
    if not squares[0] * CONDITION**2 > squares[-1]:
        return _singular(vectors[:, 0])
    vectors /= column * numpy.sqrt(squares)
    inverse = vectors @ vectors.T
    return Newton(-inverse @ gram[1:, 0], inverse, [])


def by_jacobian(residual: Array, jacobian: Array) -> Newton:
    """The same from J itself, of which J'J has the condition squared."""
    units = numpy.sqrt((jacobian**2).sum(axis=0))
    units[units == 0] = 1.0
    around, sizes, right = numpy.linalg.svd(jacobian / units, full_matrices=False)
    if not sizes[-1] > 1e-14 * sizes[0]:
        return _singular(right[-1])
    vectors = right.T / units[:, None] / sizes
    return Newton(-vectors @ (around.T @ residual), vectors @ vectors.T, [])


def _singular(direction: Array) -> Newton:
    """No step, for the residual does not change in a direction."""
    sizes = numpy.abs(direction)
    weak = numpy.flatnonzero(sizes >= 0.5 * sizes.max())
    return Newton(numpy.full(len(sizes), inf), None, weak.tolist())


def bounded(gram: Array, step: Array, units: Array, radius: float) -> Array:
    """The best step within a radius, the undamped one if it is."""
    if _norm(units * step) <= 1.1 * radius:
        return step
    squares, vectors = numpy.linalg.eigh(gram[1:, 1:] / (units[:, None] * units))
    squares = numpy.maximum(numpy.abs(squares), 1e-300)
    slope: Array = vectors.T @ (gram[0, 1:] / units)
    # No part of the step is longer than the whole, so the damping is at least this;
    # from below, Newton's method on 1/length never goes too far.
    damping = max(0.0, float((numpy.abs(slope) / radius - squares).max()))
    for _ in range(50):
        parts = slope / (squares + damping)
        length = _norm(parts)
        if length <= 1.1 * radius:
            break
        bend = float((parts**2 / (squares + damping)).sum())
        damping += (length / radius - 1) * length**2 / bend
    best: Array = -(vectors @ parts) / units
    return best


def left(b: Array, gram: Array, newton: Newton, spare: int) -> float:
    """How far there is to go, relative to each parameter or to its standard error."""
    if newton.inverse is None:
        return inf
    variances = newton.inverse.diagonal() * (abs(gram[0, 0]) / max(spare, 1))
    squares = newton.step**2 / (numpy.maximum(b * b, variances) + 1e-300)
    return sqrt(squares.max(initial=0.0))


def settled(gram: Array, step: Array, b: Array) -> bool:
    """Whether r'r would not fall by a step, as far as that counts."""
    promised = -(gram[0, 1:] @ step)
    return bool(promised <= max(FALL * gram[0, 0], noise(gram, b)))


def noise(gram: Array, b: Array) -> float:
    """What rounding may leave of r'r where that could be 0."""
    return ROUNDING * float(gram.diagonal()[1:] @ (b * b))


def _norm(x: Array) -> float:
    return sqrt(x @ x)
