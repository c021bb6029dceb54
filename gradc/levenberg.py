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

from collections.abc import Callable, Sequence
from math import hypot, inf, isfinite, sqrt
from typing import Any, NamedTuple

import numpy
from numpy.typing import NDArray

Array = NDArray[numpy.float64]
Ends = tuple[Array, Array]  # the least and the most of each parameter

MOST = 1000  # evaluations
FIRST = 0.25  # of the length of the start: with all of it, steps lead over poles
CONDITION = 1e14  # of J'J, its diagonal 1, beyond which it determines no step
SETTLED = 1e-8  # of a parameter, or of its standard error: a step that changes nothing
NEARLY = 1e-6  # the same where no step makes r'r less
FALL = 1e-6  # of r'r: what a step may still promise where it changes nothing
FAINT = 1e-4  # of the most that a parameter did, of its standard error, of a way to try
ROUNDING = 1e-30  # of the squares of what the parameters make of r, which rounding does


class Task(NamedTuple):
    """What is to be made least, over so many rows.

    A `unit` is by how much a standard error changes it, None if its size tells that. A
    residual and its `jacobian` are asked for where the gram says too little.
    """

    gram: Callable[[Array], Array]  # nan where there is no value
    rows: int
    ends: Ends | None = None
    unit: float | None = None
    jacobian: Callable[[Array], tuple[Array, Array]] | None = None

    def inside(self, b: Array, slope: Array) -> Any:
        """Which parameters are at no bound beyond which something with a slope falls."""
        if self.ends is None:
            return True
        low, high = self.ends
        return ~(((b <= low) & (slope > 0)) | ((b >= high) & (slope < 0)))

    def bowl(self, gram: Array, b: Array) -> Bowl:
        """The parabola at a point.

        A parameter is held at a bound beyond which r'r falls, or to beyond which the
        step leads.
        """
        free, slope = numpy.ones(len(b), bool), gram[0, 1:]
        while True:
            free = free & self.inside(b, slope)
            found = Bowl.of_gram(gram, free)
            if found.weak and self.jacobian is not None:
                found = Bowl.of_jacobian(*self.jacobian(b), free)
            if found.weak or self.ends is None:
                return found
            slope = -found.step()
            if (self.inside(b, slope) | ~free).all():
                return found

    def left(self, b: Array, squares: float, bowl: Bowl) -> float:
        """How far there is to go, relative to each parameter or to its standard error.

        The variance of estimates is the inverse of J'J, times a unit.
        """
        if bowl.weak:
            return inf
        unit = self.unit or squares / max(self.rows - len(b), 1)
        sizes = numpy.maximum(b * b, bowl.inverse().diagonal() * unit) + 1e-300
        return sqrt((bowl.step() ** 2 / sizes).max())

    def is_over(self, b: Array, gram: Array, before: Bowl | None, bowl: Bowl) -> bool:
        """Whether what is left is less than anyone wants to know, or is rounding."""
        squares, least = float(gram[0, 0]), float(gram.diagonal()[1:] @ (b * b))
        if self.unit is None and not bowl.weak and squares <= ROUNDING * least:
            return True
        fall = -float(gram[0, 1:] @ bowl.step())
        is_small = fall <= FALL * (self.unit or squares)
        is_small = is_small and self.left(b, squares, bowl) <= SETTLED
        return is_small and not growing(before, bowl)


class Bowl(NamedTuple):
    """The parabola that r'r is if r is linear, by the axes on which its parts are apart.

    Along these, in units of the parameters, it has half of the slopes and bends. `weak`
    are the parameters that the data do not determine, if J'J is singular.
    """

    free: Any  # the other parameters are held
    units: Array
    axes: Array
    bends: Array
    slopes: Array
    weak: Sequence[int] = ()

    @classmethod
    def of_gram(cls, gram: Array, free: Any, units: Array | None = None) -> Bowl:
        """That of a gram, by default in units in which the columns of J have length 1."""
        if units is None:
            units = numpy.sqrt(numpy.abs(gram.diagonal()[1:]))
            units[units == 0] = 1.0
        table, slopes = gram[1:, 1:] / (units[:, None] * units), gram[0, 1:] / units
        if not free.all():
            table = numpy.where(free[:, None] & free, table, numpy.eye(len(free)))
            slopes = slopes * free
        bends, axes = numpy.linalg.eigh(table)
        return cls(free, units, axes, bends, slopes @ axes).told(CONDITION)

    @classmethod
    def of_jacobian(cls, residual: Array, jacobian: Array, free: Any) -> Bowl:
        """The same from J, of which J'J has the condition squared."""
        units = numpy.sqrt((jacobian**2).sum(axis=0))
        units[units == 0] = 1.0
        table = numpy.concatenate([jacobian / units * free, numpy.diag(1.0 * ~free)])
        around, sizes, axes = numpy.linalg.svd(table, full_matrices=False)
        slopes = sizes * (residual @ around[: len(residual)])
        return cls(free, units, axes.T, sizes**2, slopes).told(CONDITION**2)

    def told(self, most: float) -> Bowl:
        """With what is weak: J'J is singular if its inverse has a trace beyond that."""
        if self.bends.min() > 0 and (1 / self.bends).sum() < most:
            return self
        sizes = numpy.abs(self.axes[:, self.bends.argmin()])
        weak = numpy.flatnonzero(sizes >= 0.5 * sizes.max()).tolist()
        return self._replace(weak=weak)

    def step(self, damping: float = 0.0) -> Array:
        """The step to the bottom; with a damping it is shorter."""
        found: Array = self.axes @ (self.slopes / (self.bends + damping)) / -self.units
        return found

    def within(self, radius: float) -> Array:
        """The best step of such a length; where a bend is negative, as if it were not."""
        bends, slopes = numpy.maximum(numpy.abs(self.bends), 1e-300), self.slopes
        # No part of the step is longer than the whole, so the damping is at least this;
        # from below, Newton's method on 1/length never goes too far.
        damping = max(0.0, float((numpy.abs(slopes) / radius - bends).max()))
        for _ in range(50):
            parts = slopes / (bends + damping)
            length = hypot(*parts)
            if length <= 1.1 * radius:
                break
            bend = float((parts**2 / (bends + damping)).sum())
            damping += (length / radius - 1) * length**2 / bend
        return self._replace(bends=bends).step(damping)

    def inverse(self) -> Array:
        """Of J'J."""
        parts = self.axes / self.units[:, None]
        found: Array = (parts / self.bends) @ parts.T
        return (found + found.T) / 2  # the same on both sides of the diagonal


class Found(NamedTuple):
    """Where a search ended; `reason` says why it has not converged, "" if it has."""

    b: Array
    squares: float
    bowl: Bowl
    evaluations: int
    reason: str


@numpy.errstate(all="ignore")
def least(task: Task, start: Array, first: float = FIRST) -> Found:
    """The least r'r from a start; the first step is such a part of its length.

    Raises:
        ArithmeticError: there is no value at the start.
    """
    b, known, before, reason = start, task.gram(start), None, "too many steps"
    if not isfinite(known.sum()):
        raise ArithmeticError("the squares are too large")
    scale, radius = numpy.zeros(len(b)), 0.0
    for evaluations in range(1, MOST + 1):
        squares, bowl = float(known[0, 0]), task.bowl(known, b)
        if task.is_over(b, known, before, bowl):
            reason = ""
            break
        scale = numpy.maximum(scale, bowl.units)
        radius = radius or first * (hypot(*(scale * b)) or 1.0)
        step = bowl.step()
        if bowl.weak or hypot(*(scale * step)) > 1.1 * radius:
            step = Bowl.of_gram(known, bowl.free, scale).within(radius)
        there = b + step
        if task.ends is not None:
            there = numpy.clip(there, *task.ends)
            step = there - b
        trial, length = task.gram(there), hypot(*(scale * step))
        promised = -float((2 * known[0, 1:] + known[1:, 1:] @ step) @ step)
        has_value, gain = isfinite(trial.sum()), -1.0
        if has_value and promised > 0:
            gain = (squares - float(trial[0, 0])) / promised
        if gain < 0.25:
            radius = 0.5 * min(radius, length)
        elif gain > 0.75:
            radius = max(radius, 2 * length)
        is_tiny = length <= 1e-15 * hypot(*(scale * b))
        is_tiny |= abs(promised) <= 1e-16 * abs(squares)
        if gain > 1e-4 or is_tiny and before is None and has_value and not bowl.weak:
            b, known, before = there, trial, bowl
        elif is_tiny:
            bowl = bowl._replace(weak=bowl.weak or growing(before, bowl))
            reason = "" if task.left(b, squares, bowl) <= NEARLY else "no step helps"
            break
    found = Found(b, squares, bowl, evaluations, reason)
    return found if reason else told_apart(task, found, scale, start)


def told_apart(task: Task, found: Found, scale: Array, start: Array) -> Found:
    """The end of a search, if what is searched for does not go on for ever.

    Where a likelihood does, standard errors are far larger than all the way that was
    gone, and what the parameters do is next to nothing of the most that they did, which
    is a scale. Where residuals have come to rounding, they rise by less than is told.
    """
    b, bowl = found.b, found.bowl
    way = numpy.maximum(numpy.abs(b), numpy.abs(b - start))
    did = bowl.units * way
    if task.unit is not None:
        is_less = (bowl.units < FAINT * scale) & (did < FAINT) & bowl.free
    elif found.squares <= ROUNDING * float(did @ did):
        trials = [task.gram(there) for there in b + numpy.diag(FAINT * way)]
        rises = numpy.array([trial.flat[0] for trial in trials])
        is_less = (rises < 0.1 * (FAINT * did) ** 2) & bowl.free
    else:
        return found
    if not is_less.any():
        return found
    weak = numpy.flatnonzero(is_less).tolist()
    return found._replace(bowl=bowl._replace(weak=weak), reason="no step helps")


def growing(before: Bowl | None, now: Bowl) -> list[int]:
    """The parameters whose standard errors a step has not left as they were.

    On a plateau that goes on for ever they grow faster than the steps.
    """
    if before is None:
        return [*range(len(now.free))]
    one, other = before.inverse().diagonal(), now.inverse().diagonal()
    is_same = numpy.abs(one - other) < 0.01 * other
    return [*map(int, numpy.flatnonzero(before.free & now.free & ~is_same))]
