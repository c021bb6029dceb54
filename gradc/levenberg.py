"""Least squares by steps of bounded length, which ask for sums of products alone.

What is known at a point b is the gram [[r'r, r'J], [J'r, J'J]] of a residual r and its
Jacobian J. Around b it tells what r'r would be if r were linear, and the step is the best
one for that which is no longer than a radius; the radius grows where that was right and
shrinks where it was not (Levenberg 1944, Marquardt 1963; in this form Moré 1978). The
length of a step is measured with each parameter in units of how much r depends on it, the
most that was met on the way. Half of the Hessian of any other height may stand for J'J, with
half of its slopes for J'r.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf, isfinite, sqrt
from typing import Any, NamedTuple

import numpy
from numpy.typing import NDArray

Array = NDArray[numpy.float64]
Gram = Callable[[Array], Array]  # nan where there is no value
Ends = tuple[Array, Array]  # the least and the most of each parameter

MOST = 1000  # evaluations of a descent
FIRST = 0.25  # of the length of the start: with all of it, steps lead over poles
CONDITION = 1e7  # of J, its columns of length 1, beyond which J'J determines no step
SETTLED = 1e-8  # of a parameter, or of its standard error: a step that changes nothing
NEARLY = 1e-6  # the same where no step makes r'r less
FALL = 1e-6  # of r'r: what a step may still promise where it changes nothing
ROUNDING = 1e-30  # of the squares of what the parameters make of r, which rounding does


class Task(NamedTuple):
    """What is to be made least, over so many rows.

    A `unit` is by how much a standard error changes it, None if its size tells that.
    At a point, for the parameters that are free, `newton` knows more than the gram.
    """

    gram: Gram
    rows: int
    ends: Ends
    unit: float | None = None
    newton: Callable[[Array, Any], Newton] | None = None


class Newton(NamedTuple):
    """The undamped step, and the inverse of J'J; none where that is singular.

    Then `weak` has the positions of the parameters that the data do not determine.
    """

    step: Array
    inverse: Array | None
    weak: list[int]

    def among(self, is_free: Any) -> Newton:
        """The same of all parameters, of which these are those that are free."""
        free, step = numpy.flatnonzero(is_free), numpy.zeros(len(is_free))
        if len(free) == len(step):
            return self
        step[free], inverse = self.step, None
        if self.inverse is not None:
            inverse = numpy.full((len(step), len(step)), numpy.nan)
            inverse[numpy.ix_(free, free)] = self.inverse
        return Newton(step, inverse, free[self.weak].tolist())


NOWHERE = Newton(numpy.zeros(0), None, [])


@dataclass(frozen=True)
class Found:
    """Where a search ended; `reason` says why it has not converged, "" if it has."""

    b: Array
    squares: float
    newton: Newton
    evaluations: int
    reason: str


@numpy.errstate(all="ignore")
def least(task: Task, start: Array) -> Found:
    """The least r'r from a start; a second try makes the first steps a tenth as long.

    Raises:
        ArithmeticError: there is no value at the start.
    """
    first = descend(task, start)
    if not first.reason:
        return first
    second = descend(task, start, 0.1 * FIRST)
    is_better = not second.reason or second.squares < first.squares
    evaluations = first.evaluations + second.evaluations
    return replace(second if is_better else first, evaluations=evaluations)


def descend(task: Task, start: Array, first: float = FIRST) -> Found:
    """One descent: the first radius is such a part of the length of the start."""
    gram, rows, ends, unit, _ = task
    b, known, reason = start, gram(start), "too many steps"
    if not isfinite(known.sum()):
        raise ArithmeticError("the squares are too large")
    scale, radius, before = numpy.zeros(len(b)), 0.0, NOWHERE
    for evaluations in range(1, MOST + 1):
        scale = numpy.maximum(scale, numpy.sqrt(numpy.abs(known.diagonal()[1:])))
        units = scale if all(scale.tolist()) else numpy.where(scale > 0, scale, 1.0)
        radius = radius or first * (_norm(scale * b) or 1.0)
        newton, free = within(task, known, b)
        squares, slope = float(known[0, 0]), known[0, 1:]
        far = left(b, newton, unit or squares / max(rows - len(b), 1))
        if far <= SETTLED and not growing(before, newton):
            if -(slope @ newton.step) <= FALL * (unit or squares) + noise(known, b):
                return Found(b, squares, newton, evaluations, "")
        step = bounded(known, newton.step, units, radius, free)
        there = numpy.clip(b + step, *ends)
        is_cut = bool((there != b + step).any())
        step = there - b if is_cut else step
        trial = gram(there)
        promised = -float((2 * slope + known[1:, 1:] @ step) @ step)
        has_value = promised > 0 and isfinite(trial.sum())
        gain = (squares - float(trial[0, 0])) / promised if has_value else -1.0
        radius = adapted(radius, gain, _norm(units * step))
        if gain > 1e-4:
            b, known, before = there, trial, newton
            continue
        is_tiny = _norm(units * step) <= 1e-15 * _norm(units * b)
        is_tiny |= promised <= 1e-16 * abs(squares) and not is_cut
        is_exact = unit is None and far < inf and squares <= noise(known, b)
        if is_tiny or is_exact:
            if far < inf and not is_exact:
                there = numpy.clip(b + newton.step, *ends)
                further = within(task, gram(there), there)[0]
                newton.weak.extend(growing(newton, further))
            is_least = far <= NEARLY and not newton.weak
            reason = "" if is_least or is_exact else "no step helps"
            break
    return Found(b, squares, newton, evaluations, reason)


def adapted(radius: float, gain: float, length: float) -> float:
    """The radius behind a step that has gained such a part of what it promised."""
    if gain < 0.25:
        return 0.5 * min(radius, length)
    return max(radius, 2 * length) if gain > 0.75 else radius


def noise(gram: Array, b: Array) -> float:
    """What rounding may leave of r'r where that could be 0."""
    return ROUNDING * float(gram.diagonal()[1:] @ (b * b))


def within(task: Task, gram: Array, b: Array) -> tuple[Newton, Any]:
    """The undamped step within bounds, and which parameters are free.

    One is held at a bound beyond which r'r falls, or to beyond which the step leads.
    """
    is_free = inside(b, gram[0, 1:], task.ends)
    while True:
        read = numpy.flatnonzero([True, *is_free])
        if task.newton and isfinite(gram.sum()):
            found = task.newton(b, is_free).among(is_free)
        else:
            found = undamped(gram[numpy.ix_(read, read)]).among(is_free)
        may = inside(b, -found.step, task.ends)
        if found.inverse is None or may.all():
            return found, is_free
        is_free = is_free & may


def inside(b: Array, slope: Array, ends: Ends) -> Any:
    """Which parameters are not at a bound beyond which something with a slope falls."""
    return ~(((b <= ends[0]) & (slope > 0)) | ((b >= ends[1]) & (slope < 0)))


def undamped(gram: Array) -> Newton:
    """The step to where r'r is least if r is linear in the parameters.

    J'J of columns of length 1 is singular where the trace of its inverse says so, which
    is at least the inverse of the least eigenvalue.
    """
    units = 1.0 / numpy.sqrt(numpy.abs(gram.diagonal()[1:]))
    units = units[:, None] * units
    scaled = gram[1:, 1:] * units
    try:
        numpy.linalg.cholesky(scaled)  # of a Hessian anything may be negative
        inverse: Any = numpy.linalg.inv(scaled)
        sizes = inverse.diagonal().tolist()
        if min(sizes, default=1.0) > 0 and sum(sizes) < CONDITION**2:
            inverse *= units
            return Newton(-(inverse @ gram[0, 1:]), inverse, [])
    except numpy.linalg.LinAlgError:
        pass
    return singular(numpy.linalg.eigh(numpy.nan_to_num(scaled))[1][:, 0])


def by_jacobian(residual: Array, jacobian: Array) -> Newton:
    """The same from J itself, of which J'J has the condition squared."""
    units = numpy.sqrt((jacobian**2).sum(axis=0))
    units[units == 0] = 1.0
    around, sizes, right = numpy.linalg.svd(jacobian / units, full_matrices=False)
    if not all(sizes > 1e-14 * sizes.max(initial=0.0)):
        return singular(right[-1])
    vectors = right.T / units[:, None] / sizes
    return Newton(-vectors @ (around.T @ residual), vectors @ vectors.T, [])


def singular(direction: Array) -> Newton:
    """No step, for the residual does not change in a direction."""
    sizes = numpy.abs(direction)
    weak = numpy.flatnonzero(sizes >= 0.5 * sizes.max())
    return Newton(numpy.full(len(sizes), inf), None, weak.tolist())


def bounded(gram: Array, step: Array, units: Array, radius: float, free: Any) -> Array:
    """The best step within a radius, the undamped one if it is.

    Where a Hessian is negative, it leads down as far as if it were positive.
    """
    if _norm(units * step) <= 1.1 * radius:
        return step
    read = numpy.flatnonzero(free)
    table = gram[1:, 1:] / (units[:, None] * units)
    squares, vectors = numpy.linalg.eigh(table[numpy.ix_(read, read)])
    squares = numpy.maximum(numpy.abs(squares), 1e-300)
    slope: Array = vectors.T @ (gram[0, 1:] / units)[read]
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
    found = numpy.zeros(len(units))
    found[read] = -(vectors @ parts) / units[read]
    return found


def left(b: Array, newton: Newton, unit: float) -> float:
    """How far there is to go, relative to each parameter or to its standard error.

    The variance of estimates is the inverse of J'J, times a unit.
    """
    if newton.inverse is None:
        return inf
    variances = newton.inverse.diagonal().tolist()
    parts = zip(newton.step.tolist(), b.tolist(), variances)
    squares = [s * s / (max(x * x, v * unit) + 1e-300) for s, x, v in parts]
    return sqrt(max(squares, default=0.0))


def growing(before: Newton, now: Newton) -> list[int]:
    """The parameters whose standard errors a step has not left as they were.

    On a plateau that goes on for ever they grow faster than the steps.
    """
    if before.inverse is None or now.inverse is None:
        return now.weak or [*range(len(now.step))]
    one, other = before.inverse.diagonal(), now.inverse.diagonal()
    is_growing = numpy.abs(one - other) > 0.01 * other
    return numpy.flatnonzero(is_growing).tolist() if is_growing.any() else []


def _norm(x: Array) -> float:
    return sqrt(x @ x)
