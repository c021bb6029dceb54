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

import numpy
from numpy.typing import NDArray

Array = NDArray[numpy.float64]
Gram = Callable[[Array], Array]  # nan where there is no value

MOST = 2000  # evaluations of a descent
CONDITION = 1e7  # of J, its columns of length 1, beyond which J'J determines no step
SETTLED = 1e-8  # of a parameter, or of its standard error: a step that changes nothing
FALL = 1e-6  # of r'r: what a step may still promise where it changes nothing
ROUNDING = 1e-30  # of the squares of what the parameters make of r: there is no less


@dataclass(frozen=True)
class Newton:
    """The undamped step from a point.

    Attributes:
        step: infinite where J'J is singular, as far as doubles can tell.
        inverse: that of J'J, None where it is singular.
        weak: the positions of the parameters that the data do not determine there.
    """

    step: Array
    inverse: Array | None
    weak: list[int]


@dataclass(frozen=True)
class Found:
    """Where a descent ended: `reason` says why it has not converged, "" if it has."""

    b: Array
    gram: Array
    newton: Newton
    evaluations: int
    reason: str


@numpy.errstate(all="ignore")
def least(gram: Gram, start: Array, rows: int, most: int = MOST) -> Found:
    """The least r'r from a start; a second try makes the first steps a tenth as long.

    Raises:
        ValueError: there is no value at the start.
    """
    first = descend(gram, start, rows, most=most)
    if not first.reason:
        return first
    second = descend(gram, start, rows, shorter=0.1, most=most)
    is_better = not second.reason or second.gram[0, 0] < first.gram[0, 0]
    evaluations = first.evaluations + second.evaluations
    return replace(second if is_better else first, evaluations=evaluations)


def descend(
    gram: Gram, start: Array, rows: int, *, shorter: float = 1.0, most: int = MOST
) -> Found:
    """One descent: the first radius is the length of the start, or `shorter`."""
    b, known = start, gram(start)
    if not numpy.isfinite(known).all():
        raise ValueError("there is no value at the start")
    scale, radius, reason = numpy.zeros(len(b)), 0.0, "too many steps"
    for evaluations in range(1, most + 1):
        scale = numpy.maximum(scale, _lengths(known))
        units = numpy.where(scale > 0, scale, 1.0)
        radius = radius or shorter * (_norm(units * b) or 1.0)
        newton = undamped(known)
        left = _left(b, known, newton, rows)
        if left <= SETTLED and _is_least(b, known, newton.step):
            reason = ""
            break
        step, damping = bounded(known, newton.step, units, radius)
        length = _norm(units * step)
        promised = damping * length**2 - known[0, 1:] @ step
        trial = gram(b + step)
        has_value = numpy.isfinite(trial).all() and promised > 0
        gain = (known[0, 0] - trial[0, 0]) / promised if has_value else -1.0
        if gain < 0.25:
            radius = 0.5 * min(radius, length)
        elif gain > 0.75 or damping == 0:
            radius = 2 * length
        if gain > 1e-4:
            b, known = b + step, trial
        elif length <= 1e-15 * _norm(units * b) or promised <= 1e-16 * known[0, 0]:
            reason = "" if left <= 1e-6 else "no step helps"
            break
    return Found(b, known, newton, evaluations, reason)


def undamped(gram: Array) -> Newton:
    """The step to where r'r is least if r is linear in the parameters."""
    units = _lengths(gram)
    units[units == 0] = 1.0
    squares, vectors = numpy.linalg.eigh(gram[1:, 1:] / numpy.outer(units, units))
    if not squares[0] * CONDITION**2 > squares[-1]:
        sizes = numpy.abs(vectors[:, 0])
        weak = numpy.flatnonzero(sizes >= 0.5 * sizes.max())
        return Newton(numpy.full(len(units), numpy.inf), None, weak.tolist())
    vectors /= units[:, None]
    inverse = (vectors / squares) @ vectors.T
    return Newton(-inverse @ gram[1:, 0], inverse, [])


def bounded(
    gram: Array, step: Array, units: Array, radius: float
) -> tuple[Array, float]:
    """The best step within a radius, and its damping: 0 if the undamped one is."""
    if _norm(units * step) <= 1.1 * radius:
        return step, 0.0
    squares, vectors = numpy.linalg.eigh(gram[1:, 1:] / numpy.outer(units, units))
    squares = numpy.maximum(numpy.abs(squares), 1e-300)
    slope = vectors.T @ (gram[1:, 0] / units)
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
    return -(vectors @ parts) / units, damping


def _left(b: Array, gram: Array, newton: Newton, rows: int) -> float:
    """How far there is to go, relative to each parameter or to its standard error."""
    if newton.inverse is None:
        return numpy.inf
    variances = newton.inverse.diagonal() * gram[0, 0] / max(rows - len(b), 1)
    sizes = numpy.maximum(numpy.abs(b), numpy.sqrt(variances))
    return float((numpy.abs(newton.step) / numpy.maximum(sizes, 1e-300)).max())


def _is_least(b: Array, gram: Array, step: Array) -> bool:
    """Whether a step would not make r'r less, or by no more than rounding does."""
    least = ((_lengths(gram) * b) ** 2).sum() * ROUNDING
    return bool(-(gram[0, 1:] @ step) <= max(FALL * gram[0, 0], least))


def _lengths(gram: Array) -> Array:
    """The lengths of the columns of J."""
    return numpy.sqrt(numpy.abs(gram.diagonal()[1:]))


def _norm(x: Array) -> float:
    return float(numpy.sqrt(x @ x))
