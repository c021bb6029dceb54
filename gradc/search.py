"""What a fit makes least over columns of data: squares, or minus a likelihood.

Both are descents by `levenberg`, for which a likelihood has a gram of its own. SciPy leads
to the top of a likelihood, and goes on where sums of products are nearly singular.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from math import inf, isfinite
from typing import Any

import numpy

from gradc.errors import mistake
from gradc.levenberg import MOST, NEARLY, OPEN, Array, Ends
from gradc.levenberg import Found, by_jacobian, least, left, noise

Columns = dict[str, Array]
Told = Callable[[int, float], None]  # gets passes over the rows, and the least so far
TIGHT = 1e-15  # relative, where SciPy shall stop
LARGE = 10  # standard errors of a parameter of 1 that are looked at


class Squares:
    """The sum of squares of a formula's residual, whose passes over columns are counted."""

    def __init__(
        self, compiled: Any, columns: Columns, at: Array, progress: Told | None
    ) -> None:
        self.compiled, self.columns, self.progress = compiled, columns, progress
        self.bound = compiled.bind(*columns.values())
        self.evaluations, self.least = 0, inf
        inputs = [x for x in compiled.formula.inputs if x.rows]
        given = [(x.rows, columns.get(x.array or x.name)) for x in inputs]
        lengths = {rows: len(column) for rows, column in given if column is not None}
        standing = compiled.formula.results[0].rows
        self.rows = lengths.get(standing, max(lengths.values(), default=0))
        if standing and standing not in lengths:  # of other rows, as lags are
            self.rows = len(self.ask("value", at, 0))

    def ask(self, name: str, b: Array, *shape: int) -> Any:
        """What a function over the columns returns, nan where it has no value."""
        self.evaluations += 1
        if self.progress is not None:
            self.progress(self.evaluations, self.least)
        try:
            return getattr(self.bound, name)(b)
        except (ArithmeticError, ValueError):
            return numpy.full(shape, numpy.nan)

    def gram(self, b: Array) -> Array:
        """[[r'r, r'J], [J'r, J'J]], or what stands for it."""
        found: Array = self.ask("gram", b, 1 + len(b), 1 + len(b))
        self.least = min(self.least, float(found[0, 0]))
        return found

    def value(self, b: Array) -> Array:
        found: Array = self.ask("value", b, self.rows)
        return found

    def jacobian(self, b: Array) -> Array:
        found: Array = self.ask("jacobian", b, self.rows, len(b))
        return found

    def best(self, at: Array, ends: Ends) -> Found:
        """Where it is least within bounds.

        Raises:
            ArithmeticError: there is no value at the start.
        """
        found = least(self.gram, at, self.rows, ends)
        is_open = found.newton.inverse is None and found.free.all()
        return self.judged(self.refined(found, ends) if is_open else found)

    def refined(self, found: Found, ends: Ends) -> Found:
        """The least by the Jacobian itself, if that determines all parameters."""
        stops: Any = dict.fromkeys(("ftol", "xtol", "gtol"), TIGHT)
        ways: Any = {"bounds": ends, "x_scale": "jac", "max_nfev": MOST}
        solve = optimizer().least_squares
        try:
            b = solve(self.value, found.b, self.jacobian, **ways, **stops).x
        except ValueError:  # there is a value, but no derivative
            return found
        residual, table, is_there = self.value(b), found.gram.copy(), False
        for _ in range(3):  # undamped steps, of which a model that is linear takes one
            newton = by_jacobian(residual, self.jacobian(b))
            if newton.inverse is None:
                return found
            table[0, 0] = residual @ residual
            is_there = left(b, table, newton, self.rows - len(b)) <= NEARLY
            trial = self.value(b + newton.step)
            if is_there or not trial @ trial <= 1.01 * table[0, 0]:
                break
            b, residual = b + newton.step, trial
        reason = "" if is_there else "no step helps"
        return replace(found, b=b, gram=table, newton=newton, reason=reason)

    def height(self, b: Array) -> float:
        """What is least, of which a standard error changes one `unit`."""
        found = self.value(b)
        return float(numpy.nan_to_num(found @ found, nan=inf))

    def unit(self, found: Found) -> float:
        return float(found.gram[0, 0]) / max(self.rows - len(found.b), 1)

    def judged(self, found: Found) -> Found:
        """What was found, not converged if a large standard error makes no difference.

        On a plateau that goes on for ever each step is less than a part of the standard
        errors, which grow, so those that are large are tried, both ways.
        """
        if found.gram[0, 0] <= noise(found.gram, found.b):  # whose least is chance
            return found
        inverse: Any = found.newton.inverse
        if inverse is None:
            return found
        unit, weak = self.unit(found), list[int]()
        errors = numpy.sqrt(inverse.diagonal() * unit)
        for k in numpy.flatnonzero(errors > LARGE * numpy.abs(found.b[found.free])):
            move = numpy.zeros(len(found.b))
            move[found.free] = inverse[k] * (unit / errors[k])
            ends = [self.height(found.b + move), self.height(found.b - move)]
            weak += [int(k)] * (min(ends) < self.height(found.b) + 0.2 * unit)
        if not weak:
            return found
        newton = found.newton._replace(weak=weak)
        return replace(found, newton=newton, reason="there is no end")


class Likelihood(Squares):
    """Minus a log-likelihood."""

    origin = 0.0
    sizes: Array  # of the parameters at the start
    steps: Array  # over which gradients are compared

    def lost(self, b: Array) -> tuple[float, Array]:
        """Minus the log-likelihood and its gradient; inf where there is no value."""
        value, slope = self.ask("value_and_grad", b, 2)
        if not isfinite(value + numpy.sum(slope)):
            return inf, numpy.zeros(len(b))
        self.least = min(self.least, -float(value))
        return -float(value), -numpy.array(slope, float)

    def gram(self, b: Array) -> Array:
        """What has half the gradient and the Hessian of minus twice the log-likelihood.

        In place of r'r stands that itself but for a constant: near the top it is the
        number of rows, as chi-squared would be. In place of J'J stands the observed
        information.
        """
        value, slope = self.lost(b)
        table = numpy.empty((1 + len(b), 1 + len(b)))
        table[0, 0] = self.rows + 2 * (value - self.origin)
        table[0, 1:] = table[1:, 0] = slope
        table[1:, 1:] = self.information(b)
        return table

    def information(self, b: Array) -> Array:
        """Second derivatives of minus the log-likelihood, by differences of gradients.

        The steps are a ten-thousandth of the standard errors that were found last, or a
        thousandth of the parameter, or of its start, if that is less.
        """
        moves = numpy.diag(self.steps)
        rises = [self.lost(b + move)[1] - self.lost(b - move)[1] for move in moves]
        table = numpy.array(rises) / (2 * self.steps[:, None])
        sizes = numpy.sqrt(numpy.abs(table.diagonal()))
        is_good = (sizes > 0) & (sizes < inf)
        most = 1e-3 * numpy.maximum(self.sizes, numpy.abs(b))
        self.steps = numpy.minimum(numpy.where(is_good, 1e-4 / sizes, inf), most)
        found: Array = (table + table.T) / 2
        return found

    def best(self, at: Array, ends: Ends) -> Found:
        if not isfinite(self.lost(at)[0]):
            raise ArithmeticError("there is no value at the start")
        self.sizes = numpy.where(at == 0, 1.0, numpy.abs(at))
        self.steps = 1e-5 * self.sizes
        self.information(at)
        if ends is OPEN:
            at = self.led(at)
        for _ in range(3):  # until what stands for r'r is about the number of rows
            self.origin = self.lost(at)[0]
            found = least(self.gram, at, self.rows, ends)
            at = found.b
            if abs(found.gram[0, 0] - self.rows) < 0.5 * self.rows:
                break
        return self.judged(found)

    def height(self, b: Array) -> float:
        return 2 * self.lost(b)[0]

    def unit(self, found: Found) -> float:
        return 1.0

    def led(self, at: Array) -> Array:
        """Where SciPy comes to, each parameter in units of its standard error."""
        units = 1e4 * self.steps

        def lost(x: Array) -> tuple[float, Array]:
            value, slope = self.lost(x * units)
            return value, slope * units

        found: Array = optimizer().minimize(lost, at / units, jac=True).x * units
        return found


def optimizer() -> Any:
    """SciPy's, which is an extra."""
    try:
        return import_module("scipy.optimize")
    except ImportError:
        raise mistake("fit_needs", name="SciPy", extra="fit") from None
