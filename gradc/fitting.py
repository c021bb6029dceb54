"""Fits: the parameters of a formula from columns of data, with what is known of them.

What the formula returns says what is done: the squares of `residual` are made least,
`loglik` is made largest, and anything else is a model of a column, the response.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from itertools import accumulate
from math import inf, isfinite, log, pi, prod
from typing import Any

import numpy

from gradc.arrays import leaves
from gradc.compiler import Compiled, read, require_constants, select
from gradc.errors import DomainError, GradcError, listed, mistake
from gradc.files import MISSING, Sheet, numbers
from gradc.functions import free
from gradc.ir import Argument, Builder, Input, Program, Result
from gradc.ir import compact, elements, grouped, states, tail, trimmed
from gradc.levenberg import FIRST, Array, Ends, Found, Task, least
from gradc.ops import OPS, TOTAL
from gradc.passes.split import of_interest
from gradc.targets.origin import Origin

Columns = dict[str, Array]
Told = Callable[[int], object]  # gets the number of passes over the rows
NOWHERE = numpy.float64("nan")  # what there is where there is no value
ASKED = ("gram", "value_grad_and_hessian", "value_and_grad")  # the first that there is
FINE = 400  # points of a curve
MATRIX = 20  # parameters whose second derivatives are compiled


def fit(
    model: str | Compiled,
    data: Any,
    start: Mapping[str, Any],
    *,
    response: str | None = None,
    sigma: str | float | None = None,
    relative_sigma: bool = False,
    bounds: Mapping[str, Any] | None = None,
    rename: Mapping[str, str] | None = None,
    missing: str = "raise",
    native: bool = False,
    progress: Told = lambda count: None,
    filename: str = "<formula>",
) -> Fit:
    """Fit the parameters of a formula to columns of data.

    Arguments:
        model: the text of a formula, a compiled one, or a traced function.
        data: the path of a CSV file, or anything with columns by name.
        start: a number for each parameter, for an array a sequence. Other inputs of a
            formula that declares no columns are columns of the data.
        progress: called with the number of evaluations.

    `gradc help fit` tells what the model returns, and of the other options.

    Raises:
        GradcError: the formula, the data or the start are at fault.
    """
    bounds, rename = bounds or {}, rename or {}
    with suppress(TypeError, ValueError):
        sigma = float(str(sigma))
    require(model, (response, sigma), (start, bounds, rename))
    if missing not in MISSING:
        raise mistake("missing_unknown", name=missing, names=listed(MISSING))
    how = tuple(start), response, sigma, native
    compiled, arguments = prepared(model, filename, *how)
    if missing == "drop" and is_linked(compiled.formula):
        raise mistake("rows_linked")
    parameters = [item for item in arguments if item.name in start]
    point = {item.name: begun(item, start[item.name]) for item in parameters}
    columns = columns_of(data, arguments, start, rename, missing)
    at = numpy.array([*leaves([*point.values()])])
    search = Search(compiled, columns, progress)
    if len(at) > search.rows:
        raise mistake("rows_few", rows=search.rows, count=len(at))
    spread = logarithms(columns, sigma, search.rows)
    try:
        found = search.best(at, ends(parameters, bounds, at) if bounds else None)
    except ArithmeticError:
        raise search.fault(point) from None
    names = [element.name for item in parameters for element in item.elements]
    is_scaled = not search.is_likely and (sigma is None or relative_sigma)
    return Fit(search, names, found, spread, is_scaled)


def is_linked(program: Program) -> bool:
    """Whether rows know of others, or of their number."""
    read = {node[1] for node in program.nodes if node[0] == "input"}
    kinds = {item.kind for item in program.inputs if item.name in read}
    return not kinds.isdisjoint({"view", "state", "index"})


def require(model: Any, columns: Sequence[Any], named: Sequence[Any]) -> None:
    """Refuse arguments of `fit` that are not of their kind."""
    if not isinstance(model, (str, Compiled)):
        raise mistake("model_kind")
    if not all(isinstance(x, (str, float, type(None))) for x in columns):
        raise mistake("column_kind")
    if not all(isinstance(x, Mapping) for x in named):
        raise mistake("named_kind")


@lru_cache(maxsize=16)
def prepared(
    model: str | Compiled,
    filename: str,
    given: tuple[str, ...],
    response: str | None,
    sigma: str | float | None,
    native: bool,
) -> tuple[Compiled, tuple[Argument, ...]]:
    """The residual or the log-likelihood of a formula over columns, and its arguments.

    These are the parameters, which are given a start, and columns, of which the response
    and sigma may be new.

    Raises:
        GradcError: the formula is at fault, or returns neither.
    """
    if isinstance(model, str):
        program, _, text = read(model, None, filename, OPS)
    else:
        program, text = model.formula, model.origin.formula
    known = select(program, None)
    wrt = tuple([name for name in known if name in given])
    require_known(given, known, "start_unknown")
    if not given:
        raise mistake("start_nothing", names=listed(known))
    if not any(item.rows for item in program.inputs):
        others = [Input(str(name)) for name in (response, sigma)]
        rows = free("rows", [*program.inputs, *others])
        columns = [
            item if (item.array or item.name) in given else replace(item, rows=rows)
            for item in program.inputs
        ]
        program = replace(program, inputs=tuple(columns), ops=program.ops.columnar)
    require_constants(program)
    program = target(program, response, sigma)
    emit: tuple[str, ...] = ("jacobian", "gram")
    if not program.results[0].rows:
        is_open = any(i.rows for i in program.inputs if (i.array or i.name) in given)
        has_hessian = not is_open and not states(program)
        has_hessian = has_hessian and len(elements(program, wrt)) <= MATRIX
        emit = ("hessian",) if has_hessian else ("gradient",)
    origin = Origin(text, wrt, emit=emit, numpy=True, half_angle=not native)
    compiled = Compiled(program, replace(origin, native=native))
    return compiled, grouped(compiled.formula.inputs)


def target(
    program: Program, response: str | None, sigma: str | float | None
) -> Program:
    """The program of a formula with one result, a residual or a log-likelihood."""
    starts = accumulate((prod(r.shape) for r in program.results), initial=0)
    pairs = [(program.outputs[k], r) for k, r in zip(starts, program.results)]
    names = [r.name or program.names.get(node, "") for node, r in pairs]
    kind = next((name for name in ("residual", "loglik") if name in names), "")
    if not kind and (len(names) > 1 or response is None):
        raise mistake("response_missing", program.source)
    node, result = pairs[names.index(kind) if kind else 0]
    program = of_interest(program, [node])  # with the states that it reads
    rows, inputs = program.rows[node], {x.name: x for x in program.inputs}
    has_columns = rows or (kind == "loglik" and any(x.rows for x in program.inputs))
    if result.shape or not has_columns:
        raise mistake("fit_shape", program.source)
    if kind == "loglik" and sigma is not None:
        raise mistake("sigma_likelihood")
    builder = Builder.upon(program)

    def column(name: str) -> int:
        if name not in inputs and not name.isidentifier():
            raise mistake("column_name", name=name)
        if name in inputs and not inputs[name].rows:
            raise mistake("column_number", name=name)
        inputs.setdefault(name, Input(name, "data", rows=rows))
        return builder.input(name)

    if not kind and response is not None:
        node = builder.add("sub", node, column(response))
    if sigma is not None:
        by = column(sigma) if isinstance(sigma, str) else builder.const(sigma)
        node = builder.add("div", node, by)
    if rows and kind == "loglik":  # what each row adds
        inputs.setdefault(rows, Input(rows, "length"))
        node, rows = builder.add(TOTAL, node, builder.input(rows)), ""
    results = (Result(kind or "residual", (), rows),)
    made = builder.follow(program, [node, *tail(program)])
    return compact(replace(made, inputs=tuple(inputs.values()), results=results))


def columns_of(
    data: Any,
    arguments: Sequence[Argument],
    start: Collection[str],
    rename: Mapping[str, str],
    missing: str,
) -> Columns:
    """The columns that a formula has, from a file or whatever has columns by name."""
    place = os.fspath(data) if isinstance(data, (str, os.PathLike)) else None
    data = data if place is None else Sheet(place, missing)
    is_array = isinstance(data, numpy.ndarray)
    names = data.dtype.names if is_array else getattr(data, "columns", data)
    if not isinstance(names, Iterable):
        raise mistake("data_kind")
    known, columns = [*map(str, names)], Columns()
    own = [item for item in arguments if item.name not in start]
    require_known(rename, [item.name for item in own], "rename_unknown")
    for name, shape, (first, *_) in own:
        called = rename.get(name, name)
        if called not in known or (first.kind == "input" and not first.rows):
            key = "start_missing" if first.kind == "input" else "column_missing"
            key = "column_wide" if shape and place is not None else key
            raise mistake(key, place, near=known, name=called, names=listed(known))
        column = data[called]
        if numpy.ma.is_masked(column):
            column = column.astype(float).filled(numpy.nan)
        columns[name] = numpy.asarray(column)
    if missing == "drop":
        with suppress(TypeError, ValueError):  # of what binding tells
            tables = [column.reshape(len(column), -1) for column in columns.values()]
            full = ~numpy.isnan(numpy.hstack(tables)).any(axis=1)
            columns = {name: column[full] for name, column in columns.items()}
    return columns


def require_known(names: Iterable[str], known: Sequence[str], key: str) -> None:
    """Refuse names that are not among those that are known."""
    for name in names:
        if name not in known:
            raise mistake(key, near=known, name=name, names=listed(known))


def begun(parameter: Argument, given: Any) -> Any:
    """What is given for a parameter, nested as it is."""
    found = numbers(parameter, given)
    if parameter.elements[0].rows:
        raise mistake("start_length", name=parameter.name, length=len(found))
    if not all(map(isfinite, leaves([found]))):
        raise mistake("point_value", name=parameter.name, text=str(given))
    return found


def ends(parameters: Sequence[Argument], bounds: Mapping[str, Any], at: Array) -> Ends:
    """The least and the most of each parameter, between which a point is.

    They are given as in `0:1`, or in a pair, in which None is no end.
    """
    require_known(bounds, [item.name for item in parameters], "start_unknown")
    found = list[tuple[float, float]]()
    for item in parameters:
        given = bounds.get(item.name, ":")
        try:
            pair = given.split(":") if isinstance(given, str) else given
            low, high = ["" if x is None else str(x) for x in pair]
            found += [(float(low or -inf), float(high or inf))] * len(item.elements)
        except (TypeError, ValueError):
            raise mistake("ends", name=item.name, text=str(given)) from None
    least, most = numpy.array(found).T
    if not ((least <= at) & (at <= most)).all():
        raise mistake("start_outside")
    return least, most


def logarithms(columns: Columns, sigma: str | float | None, rows: int) -> float:
    """The sum of the logarithms of sigma, which has to be positive."""
    if sigma is None:
        return 0.0
    found = numpy.full(rows, columns.get(str(sigma), sigma))
    if not (found > 0).all():
        row = int(numpy.argmin(found > 0))
        raise mistake("sigma_negative", value=float(found[row]), row=row)
    return float(numpy.log(found).sum())


class Search:
    """Passes over columns, which are counted, for what is to be made least.

    That is the sum of squares of a residual, or minus twice a log-likelihood, half of
    whose Hessian stands for J'J.
    """

    steps = numpy.zeros(0)  # over which gradients of a likelihood are compared

    def __init__(self, compiled: Compiled, columns: Columns, progress: Told) -> None:
        try:
            self.bound = compiled.bind(*columns.values())
        except ValueError as error:
            raise mistake("columns_refused", reason=str(error)) from None
        self.compiled, self.columns = compiled, columns
        self.progress, self.evaluations = progress, 0
        self.name = next(name for name in ASKED if name in compiled.functions)
        self.is_likely = self.name != "gram"
        names = {i.array or i.name: i.rows for i in compiled.formula.inputs if i.rows}
        sizes = {names[x]: len(column) for x, column in columns.items() if x in names}
        length, cut = trimmed(compiled.formula.results[0].rows)
        self.rows = sizes.get(length, max(sizes.values())) - cut

    def best(self, at: Array, ends: Ends | None) -> Found:
        """Where it is least within bounds; a second try has shorter first steps.

        Raises:
            ArithmeticError: there is no value at the start.
        """
        how: Any = {"unit": 1.0} if self.is_likely else {"jacobian": self.jacobian}
        task = Task(self.gram, self.rows, ends, **how)
        found = least(task, at)
        if found.reason:
            tries = found, least(task, at, 0.1 * FIRST)
            return min(tries, key=lambda x: (x.reason != "", x.squares))
        return found

    def ask(self, name: str, b: Array) -> Any:
        """What a function over the columns returns, nan where it has no value."""
        self.evaluations += 1
        self.progress(self.evaluations)
        try:
            return getattr(self.bound, name)(b)
        except (ArithmeticError, ValueError):
            return NOWHERE

    def fault(self, point: Mapping[str, Any]) -> GradcError:
        """What is wrong with a point at which nothing can begin."""
        given, reason = {**self.columns, **point}, "the squares are too large"
        name = self.name if self.is_likely else "value_and_jacobian"
        try:
            getattr(self.compiled, name)(*[given[x] for x in self.compiled.inputs])
        except DomainError as error:
            return error
        except (ArithmeticError, ValueError) as error:
            reason = str(error)
        return mistake("start_valueless", reason=reason)

    def jacobian(self, b: Array) -> tuple[Array, Array]:
        """The residual with its Jacobian, where sums do not say enough."""
        return self.ask("value", b), self.ask("jacobian", b)

    def gram(self, b: Array) -> Any:
        """Sums of products, or what stands for them."""
        found = self.ask(self.name, b)
        if not self.is_likely or found is NOWHERE:
            return found
        value, slope, *second = found
        table = second[0] if second else self.differences(b)
        return -numpy.block([[2 * value, slope], [slope[:, None], table]])

    def differences(self, b: Array) -> Array:
        """Second derivatives, from gradients a ten-thousandth of standard errors apart.

        What these are tells the last table, so that it may have to be made again.
        """
        if not len(self.steps):
            self.sizes = numpy.where(b == 0, 1.0, numpy.abs(b))
            self.steps = 1e-5 * self.sizes
        most = 1e-3 * numpy.maximum(self.sizes, numpy.abs(b))
        for _ in range(8):
            moves, before = numpy.diag(self.steps), self.steps
            rises = [self.ask("grad", b + m) - self.ask("grad", b - m) for m in moves]
            table = numpy.array([rise + 0 * b for rise in rises]) / before[:, None] / 2
            wanted = numpy.fmin(1e-4 / numpy.sqrt(numpy.abs(table.diagonal())), most)
            has_value = numpy.isfinite(table).all(axis=1)
            self.steps = numpy.where(has_value, wanted, before / 100)
            if numpy.abs(numpy.log(self.steps / before)).max() < 1:
                break
        found: Array = (table + table.T) / 2
        return found


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
        converged, reason: whether and why the search ended well.
        compiled, columns: what was fitted, and to what.
    """

    @numpy.errstate(all="ignore")
    def __init__(
        self,
        search: Search,
        names: Sequence[str],
        found: Found,
        spread: float,
        is_scaled: bool,
    ) -> None:
        """`spread` is the sum of the logarithms of sigma, 1 if the size `is_scaled`."""
        rows, count, squares, bowl = search.rows, len(names), found.squares, found.bowl
        self.compiled, self.columns = search.compiled, search.columns
        self.estimates: dict[str, float] = dict(zip(names, found.b.tolist()))
        self.point = found.b
        self.evaluations, self.dof = search.evaluations, rows - count
        size = numpy.float64(squares / rows if is_scaled else 1.0)  # most likely so
        normal = rows * numpy.log(2 * pi * size) + (rows if is_scaled else squares)
        self.ssr = None if search.is_likely else squares
        self.loglik = -squares / 2 if search.is_likely else float(-normal / 2) - spread
        self.aic = 2 * (count + is_scaled) - 2 * self.loglik
        self.bic = log(rows) * (count + is_scaled) - 2 * self.loglik
        covariance = bowl.inverse() * (size * rows / self.dof if is_scaled else 1.0)
        known = bowl.free & (not bowl.weak) & numpy.isfinite(covariance.diagonal())
        self.covariance = numpy.where(known[:, None] & known, covariance, numpy.nan)
        errors = numpy.sqrt(self.covariance.diagonal())
        self.errors = dict(zip(names, map(_known, errors.tolist())))
        self.freedom = self.dof if is_scaled else inf  # of the errors
        reason, what = found.reason, "likelihood" if search.is_likely else "residual"
        if bowl.weak:
            open_ = listed([names[k] for k in bowl.weak])
            reason = f"the {what} is flat here, the data do not determine {open_}"
        done = "converged: a further step would change nothing"
        self.converged = not reason
        self.reason = f"not converged: {reason}" if reason else done

    @property
    @numpy.errstate(all="ignore")
    def correlations(self) -> dict[str, dict[str, float | None]]:
        """The correlation of each two estimates; None where the data tell none."""
        errors, names = numpy.sqrt(self.covariance.diagonal()), [*self.estimates]
        rows = (self.covariance / numpy.outer(errors, errors)).tolist()
        return {x: dict(zip(names, map(_known, row))) for x, row in zip(names, rows)}

    def as_dict(self) -> dict[str, Any]:
        """What is told in JSON."""
        words = "correlations ssr loglik dof aic bic converged evaluations".split()
        pairs = zip(self.estimates.items(), self.errors.values())
        both = {name: {"value": x, "se": error} for (name, x), error in pairs}
        return {"estimates": both, **{word: getattr(self, word) for word in words}}

    def __repr__(self) -> str:
        wide, table = max(map(len, self.estimates)), [*self.correlations.values()]
        lines = [f"{'':{wide}}  {'estimate':>16}  {'standard error':>14}  correlations"]
        for k, (name, x) in enumerate(self.estimates.items()):
            cells = [f"{name:{wide}}  {x:16.9g}", _shown(self.errors[name], "14.5g")]
            cells += [_shown(r, "7.4f") for r in [*table[k].values()][:k]]
            lines.append("  ".join(cells).rstrip())
        squares = "" if self.ssr is None else f"sum of squares {self.ssr:.9g}, "
        lines.append(f"{squares}log-likelihood {self.loglik:.9g}")
        lines.append(f"{self.dof} degrees of freedom, {self.evaluations} evaluations")
        lines += [f"AIC {self.aic:.9g}, BIC {self.bic:.9g}", self.reason]
        return "\n".join(lines)

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
        with numpy.errstate(all="ignore"):
            name, x, residual = self.draw(above, quantile(self.freedom, 0.975))
        below.plot(x, residual, ".", color="0.3")
        below.axhline(0.0, color="0.7")
        below.set(xlabel=name, ylabel="residual")
        try:
            figure.savefig(path, dpi=150)
        except (OSError, ValueError) as error:
            raise mistake("unwritable", path, reason=str(error)) from None

    def draw(self, axes: Any, wide: float) -> tuple[str, Array, Array]:
        """Draw data and curve; return what they stand along, and the residuals.

        The response is the last column that the residual is linear in. Over another one
        alone there is a curve, over several there are points.
        """
        residual = self.compiled.bind(*self.columns.values()).value(self.point)
        data = {k: x for k, x in self.columns.items() if x.shape == residual.shape}
        y = next((name for name in reversed(data) if self.curve(name)), "")
        name = next((name for name in data if name != y), "row")
        x = data.get(name, numpy.arange(1.0, 1 + len(residual)))
        if not (found := self.curve(y) if y else None):
            return name, x, residual
        middle, half = found[0], wide * found[1]
        axes.plot(x, data[y], ".", color="0.3", label="data")
        line = numpy.linspace(x.min(), x.max(), FINE)
        if {*self.columns} == {name, y} and (curve := self.curve(y, {name: line})):
            low, high = curve[0] - wide * curve[1], curve[0] + wide * curve[1]
            axes.plot(line, curve[0], color="C0", label="fit")
            axes.fill_between(line, low, high, alpha=0.3, label="95 %")
        else:
            axes.errorbar(x, middle, half, fmt=".", color="C0", label="fit, 95 %")
        axes.set(ylabel=y)
        axes.legend()
        return name, x, data[y] - middle

    def curve(self, y: str, others: Columns = {}) -> tuple[Array, Array] | None:
        """Where the residual is 0 and the standard error of that, if it is linear in y."""
        rows = len(next(iter(others.values()), self.columns[y]))

        def put(column: Array) -> Any:
            columns = {**self.columns, **others, y: column}
            return self.compiled.bind(*columns.values())

        try:
            zero, one = (put(numpy.full(rows, x)).value(self.point) for x in (0.0, 1.0))
            bound = put(middle := zero / (zero - one))
            left, lines = bound.value(self.point), bound.jacobian(self.point)
        except (ArithmeticError, ValueError):  # 0 has no logarithm
            return None
        if not (numpy.abs(left) <= 1e-9 * numpy.abs(zero).max()).all():
            return None
        lines /= (one - zero)[:, None]
        products = (lines @ numpy.nan_to_num(self.covariance)) * lines
        return middle, numpy.sqrt(products.sum(axis=1))


def _known(x: float) -> float | None:
    return x if isfinite(x) else None


def _shown(x: float | None, form: str) -> str:
    return f"{'' if x is None else format(x, form):>{form.partition('.')[0]}}"
