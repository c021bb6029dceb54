"""What a fit has found: as numbers, as text, as JSON, and as a picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from math import inf, isfinite
from typing import Any

import numpy

from gradc.compiler import Compiled
from gradc.errors import mistake
from gradc.levenberg import Array

Columns = Mapping[str, Array]
FINE = 400  # points of a curve


@dataclass(frozen=True)
class Fit:
    """What a fit has found.

    Attributes:
        estimates, errors: by parameter; an error is None where the data tell none.
        covariance: of the estimates in their order, nan where the data tell none.
        ssr: the sum of squares of residuals, over sigma if there is one; of a
            likelihood None.
        loglik: the log-likelihood; of residuals that of normally distributed ones.
        dof: rows less parameters.
        aic, bic: by the parameters, and the size of residuals where it is estimated.
        evaluations: passes over the rows.
        reason: why the search ended.
        is_scaled: whether the size of residuals is estimated.
        compiled, columns: what was fitted, and to what.
    """

    estimates: dict[str, float]
    covariance: Array
    ssr: float | None
    loglik: float
    dof: int
    aic: float
    bic: float
    converged: bool
    reason: str
    evaluations: int
    is_scaled: bool
    compiled: Compiled = field(repr=False)
    columns: dict[str, Array] = field(repr=False)

    @property
    def point(self) -> Array:
        return numpy.array([*self.estimates.values()])

    @property
    def errors(self) -> dict[str, float | None]:
        errors = numpy.sqrt(self.covariance.diagonal()).tolist()
        return dict(zip(self.estimates, map(_known, errors)))

    @property
    def correlations(self) -> dict[str, dict[str, float | None]]:
        """The correlation of each two estimates; None where the data tell none."""
        variances = numpy.maximum(self.covariance.diagonal(), 1e-150)
        products = numpy.outer(variances, variances)
        rows = (self.covariance / numpy.sqrt(products)).tolist()
        names = [*self.estimates]
        return {x: dict(zip(names, map(_known, row))) for x, row in zip(names, rows)}

    def as_dict(self) -> dict[str, Any]:
        """What is told in JSON."""
        words = "correlations ssr loglik dof aic bic converged evaluations".split()
        errors = self.errors
        both = {n: {"value": x, "se": errors[n]} for n, x in self.estimates.items()}
        return {"estimates": both, **{word: getattr(self, word) for word in words}}

    def __str__(self) -> str:
        wide, table = max(map(len, self.estimates)), [*self.correlations.values()]
        lines = [f"{'':{wide}}  {'estimate':>16}  {'standard error':>14}  correlations"]
        for k, (name, x) in enumerate(self.estimates.items()):
            cells = [f"{name:{wide}}  {x:16.9g}", _shown(self.errors[name], "14.5g")]
            cells += [_shown(r, "7.4f") for r in [*table[k].values()][:k]]
            lines.append("  ".join(cells).rstrip())
        squares = "" if self.ssr is None else f"sum of squares {self.ssr:.9g}, "
        lines.append(f"{squares}log-likelihood {self.loglik:.9g}")
        lines.append(f"{self.dof} degrees of freedom, {self.evaluations} evaluations")
        return "\n".join(
            [*lines, f"AIC {self.aic:.9g}, BIC {self.bic:.9g}", self.reason]
        )

    def plot(self, path: str) -> None:
        """Draw data, the curve with its 95 % band, and residuals into a file.

        Raises:
            GradcError: matplotlib is missing, the file cannot be written, or the fit is
                that of a likelihood, which has no residuals.
        """
        if self.ssr is None:
            raise mistake("plot_likelihood")
        try:
            figure = import_module("matplotlib.figure").Figure(layout="constrained")
            quantile = import_module("scipy.special").stdtrit
        except ImportError:
            raise mistake("fit_needs", name="matplotlib", extra="plot") from None
        above, below = figure.subplots(2, sharex=True, height_ratios=[3, 1])
        wide = quantile(self.dof if self.is_scaled else inf, 0.975)
        with numpy.errstate(all="ignore"):
            x, name, residual = draw(self, above, wide)
        below.plot(x, residual, ".", color="0.3")
        below.axhline(0.0, color="0.7")
        below.set(xlabel=name, ylabel="residual")
        try:
            figure.savefig(path, dpi=150)
        except (OSError, ValueError) as error:
            raise mistake("unwritable", path, reason=str(error)) from None

    def put(self, y: str, to: float, others: Columns) -> tuple[Array, Array]:
        """Residual and Jacobian with a number for a column, and others in place."""
        columns = {**self.columns, **others}
        columns[y] = numpy.full(len(columns[y]), float(to))
        bound = self.compiled.bind(*columns.values())
        return bound.value(self.point), bound.jacobian(self.point)

    def curve(self, y: str, others: Columns = {}) -> tuple[Array, Array] | None:
        """Where the residual is 0 and the standard error of that, if it is linear in y."""
        try:
            parts = [self.put(y, to, others) for to in (0.0, 1.0, 2.0)]
        except (ArithmeticError, ValueError):  # 0 has no logarithm
            return None
        (zero, lines), (one, same), (two, _) = parts
        is_linear = alike(two - one, one - zero) and (one != zero).all()
        if not is_linear or not alike(lines, same):
            return None
        lines /= (one - zero)[:, None]
        covariance = numpy.nan_to_num(self.covariance)
        errors = numpy.sqrt(((lines @ covariance) * lines).sum(axis=1))
        return zero / (zero - one), errors


def _known(x: float) -> float | None:
    return x if isfinite(x) else None


def _shown(x: float | None, form: str) -> str:
    return f"{'' if x is None else format(x, form):>{form.partition('.')[0]}}"


def alike(one: Array, other: Array) -> bool:
    """Whether numbers agree, in whatever unit they are."""
    return numpy.allclose(one, other, atol=1e-9 * numpy.abs(one).max())


def draw(fit: Fit, axes: Any, wide: float) -> tuple[Array, str, Array]:
    """Draw data and curve; return what they stand along, its name, and residuals.

    The response is the last column that the residual is linear in. Over another one
    alone there is a curve, over several there are points.
    """
    columns = fit.columns
    residual = fit.compiled.bind(*columns.values()).value(fit.point)
    y = next((name for name in reversed(columns) if fit.curve(name)), "")
    plain = [name for name in columns if name != y and columns[name].ndim == 1]
    name = plain[0] if plain else "row"
    x = columns.get(name, numpy.arange(1.0, 1 + len(residual)))
    if not (found := fit.curve(y) if y else None):
        return x, name, residual
    axes.plot(x, columns[y], ".", color="0.3", label="data")
    sides = numpy.sign(columns[y] - found[0])
    line = numpy.linspace(x.min(), x.max(), FINE)
    kept = {k: numpy.repeat(c[:1], FINE, 0) for k, c in columns.items()}
    if {*columns} == {name, y} and (curve := fit.curve(y, {**kept, name: line})):
        middle, half = curve[0], wide * curve[1]
        axes.plot(line, middle, color="C0", label="fit")
        axes.fill_between(line, middle - half, middle + half, alpha=0.3, label="95 %")
    else:
        axes.errorbar(
            x, found[0], wide * found[1], fmt=".", color="C0", label="fit, 95 %"
        )
    axes.set(ylabel=y)
    axes.legend()
    return x, name, numpy.abs(residual) * sides
