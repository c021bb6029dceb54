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
from itertools import accumulate
from math import inf, isfinite, log, pi, prod
from numbers import Real
from typing import Any

import numpy

from gradc.compiler import Compiled, require_constants
from gradc.errors import Source, listed, mistake
from gradc.files import Sheet
from gradc.fitted import Fit
from gradc.ir import Argument, Builder, Input, Program, Result
from gradc.ir import compact, elements, grouped, states, tail
from gradc.language.lower import lower
from gradc.language.parse import parse
from gradc.levenberg import Array, Ends, Found, Newton, Task, by_jacobian, least
from gradc.ops import TOTAL
from gradc.passes.slopes import slopes
from gradc.passes.split import of_interest
from gradc.targets.origin import Origin

Bounds = Mapping[str, tuple[float | None, float | None]]
Columns = dict[str, Array]
Told = Callable[[int], None]  # gets the number of passes over the rows
# What arguments may be, and how that is told.
TAKES: Mapping[str, tuple[Any, str]] = {
    "model": ((str, Compiled), "a text, a compiled formula, or what gradc.trace makes"),
    "data": ((), "the path of a CSV file, or columns by name, as in {'t': t, 'y': y}"),
    "start": (Mapping, "numbers by name, as in {'a': 1, 'w': [0, 0]}"),
    "response": ((str, type(None)), "the name of a column of the data"),
    "sigma": ((str, Real, type(None)), "the name of a column of the data, or a number"),
    "bounds": (Mapping, "pairs by name, as in {'a': (0, None)}"),
    "missing": (str, "'raise' or 'drop'"),
    "rename": (Mapping, "names by name, as in {'t': 'time'}"),
}
MISSING = ("raise", "drop")
MATRIX = 20  # parameters whose second derivatives are compiled


def fit(
    model: str | Compiled,
    data: Any,
    start: Mapping[str, Any],
    *,
    response: str | None = None,
    sigma: str | float | None = None,
    relative_sigma: bool = False,
    bounds: Bounds | None = None,
    rename: Mapping[str, str] | None = None,
    missing: str = "raise",
    progress: Told | None = None,
    filename: str = "<formula>",
) -> Fit:
    """Fit the parameters of a formula to columns of data.

    Arguments:
        model: the text of a formula, a compiled one, or a traced function. It returns a
            `residual` whose squares are made least, a `loglik` that is made largest, or
            the model of a column, the `response`.
        data: the path of a CSV file, or anything with columns by name.
        start: a number for each parameter, for an array a sequence. Other inputs of a
            formula that declares no columns are columns of the data.
        sigma: the standard deviation of the residual, a column or a number, of which
            only the ratios count if it is `relative_sigma`.
        bounds: the least and the largest of some parameters, None for none.
        rename: what names of the formula are called in the data.
        missing: "drop" leaves out rows with a nan.
        progress: called with the number of evaluations.

    Raises:
        GradcError: the formula, the data or the start are at fault.
    """
    named = {"bounds": bounds or {}, "rename": rename or {}, "missing": missing}
    require(model=model, start=start, response=response, sigma=sigma, **named)
    sigma = sigma if sigma is None or isinstance(sigma, str) else float(sigma)
    compiled, arguments = prepared(model, filename, tuple(start), response, sigma)
    parameters = [item for item in arguments if item.name in start]
    at = numpy.concatenate([numbers(item, start[item.name]) for item in parameters])
    columns = read(data, arguments, start, rename or {}, missing)
    within = ends(parameters, bounds or {}, at)
    kind = Squares if compiled.formula.results[0].rows else Likelihood
    try:
        search = kind(compiled, columns, at, progress)
    except ValueError as error:
        raise mistake("columns_refused", reason=str(error)) from None
    if len(at) > search.rows:
        raise mistake("rows_few", rows=search.rows, count=len(at))
    spread = logarithms(columns, sigma, search.rows)
    is_scaled = kind is Squares and (sigma is None or relative_sigma)
    names = [element.name for item in parameters for element in item.elements]
    with numpy.errstate(all="ignore"):
        try:
            found = search.best(at, within)
        except ArithmeticError as error:
            raise mistake("start_valueless", reason=str(error)) from None
        return told(search, names, found, spread, is_scaled)


def require(**given: Any) -> None:
    """Refuse arguments that are not of their kind."""
    for name, x in given.items():
        kinds, what = TAKES[name]
        if not isinstance(x, kinds):
            raise mistake("fit_argument", name=name, what=what)
    if given["missing"] not in MISSING:
        raise mistake("missing_unknown", name=given["missing"], names=listed(MISSING))


def told(
    search: Squares, names: Sequence[str], found: Found, spread: float, is_scaled: bool
) -> Fit:
    """What is known where a search ended; `spread` is the sum of the logs of sigma."""
    rows, count, squares = search.rows, len(names), found.squares
    is_likely, (_, inverse, weak) = isinstance(search, Likelihood), found.newton
    variance = squares / rows if is_scaled else 1.0  # the most likely one if it is open
    half = log(2 * pi * variance) + squares / variance / rows if variance else -inf
    loglik = -squares / 2 if is_likely else -0.5 * rows * half - spread
    covariance = numpy.full((count, count), numpy.nan)
    if inverse is not None and (rows > count or not is_scaled):
        covariance = inverse * (squares / (rows - count) if is_scaled else 1.0)
    reason, what = found.reason, "likelihood" if is_likely else "residual"
    if weak:
        open_ = listed([names[k] for k in weak])
        reason = f"the {what} is flat here, the data do not determine {open_}"
    done = "converged: a further step would change nothing"
    return Fit(
        estimates=dict(zip(names, found.b.tolist())),
        covariance=covariance,
        ssr=None if is_likely else squares,
        loglik=loglik,
        dof=rows - count,
        aic=2 * (count + is_scaled) - 2 * loglik,
        bic=log(rows) * (count + is_scaled) - 2 * loglik,
        converged=not reason,
        reason=f"not converged: {reason}" if reason else done,
        evaluations=search.evaluations,
        is_scaled=is_scaled,
        compiled=search.compiled,
        columns=search.columns,
    )


class Squares:
    """The sum of squares of a formula's residual, whose passes over columns are counted."""

    def __init__(
        self, compiled: Any, columns: Columns, at: Array, progress: Told | None
    ) -> None:
        self.compiled, self.columns, self.progress = compiled, columns, progress
        self.bound, self.evaluations = compiled.bind(*columns.values()), 0
        names = {x.array or x.name: x.rows for x in compiled.formula.inputs if x.rows}
        lengths = {names[x]: len(column) for x, column in columns.items() if x in names}
        standing = compiled.formula.results[0].rows
        self.rows = lengths.get(standing, 0 if standing else max(lengths.values()))
        self.rows = self.rows or len(self.ask("value", at, 0))  # those of lags

    def ask(self, name: str, b: Array, *shape: int) -> Any:
        """What a function over the columns returns, nan where it has no value.

        Raises:
            ArithmeticError: that is so in the first pass.
        """
        self.evaluations += 1
        if self.progress is not None:
            self.progress(self.evaluations)
        try:
            return getattr(self.bound, name)(b)
        except (ArithmeticError, ValueError) as error:
            if self.evaluations == 1:
                raise ArithmeticError(*error.args) from None
            return numpy.full(shape, numpy.nan)

    def gram(self, b: Array) -> Array:
        """What `least` asks for."""
        found: Array = self.ask("gram", b, 1 + len(b), 1 + len(b))
        return found

    def best(self, at: Array, ends: Ends) -> Found:
        """Where it is least within bounds.

        Raises:
            ArithmeticError: there is no value at the start.
        """
        found = least(Task(self.gram, self.rows, ends), at)
        if found.newton.inverse is not None:
            return found
        task = Task(self.gram, self.rows, ends, newton=self.newton)
        return least(task, found.b)

    def newton(self, b: Array, is_free: Any) -> Newton:
        """The undamped step from the Jacobian, where sums do not say enough."""
        residual = self.ask("value", b, self.rows)
        jacobian = self.ask("jacobian", b, self.rows, len(b))
        return by_jacobian(residual, jacobian[:, is_free])


class Likelihood(Squares):
    """Minus twice a log-likelihood, half of whose Hessian stands for J'J."""

    steps: Array  # over which gradients are compared

    def gram(self, b: Array) -> Array:
        table = numpy.zeros((1 + len(b), 1 + len(b)))
        if "value_grad_and_hessian" in self.compiled.functions:
            value, slope, second = self.ask("value_grad_and_hessian", b, 3)
        else:
            value, slope = self.ask("value_and_grad", b, 2)
            second = self.differences(b) if isfinite(value) else numpy.nan
        table[0, 0], table[0, 1:], table[1:, 1:] = -2 * value, -slope, -second
        return table

    def differences(self, b: Array) -> Array:
        """Second derivatives, from gradients a ten-thousandth of standard errors apart.

        What these are tells the last table, so that it may have to be made again.
        """
        most = 1e-3 * numpy.maximum(self.sizes, numpy.abs(b))
        for _ in range(8):
            ends = [(b + move, b - move) for move in numpy.diag(self.steps)]
            rises = [
                self.ask("grad", x, b.size) - self.ask("grad", y, b.size)
                for x, y in ends
            ]
            table, before = numpy.array(rises) / (2 * self.steps[:, None]), self.steps
            wanted = numpy.fmin(1e-4 / numpy.sqrt(numpy.abs(table.diagonal())), most)
            has_value = numpy.isfinite(table).all(axis=1)
            self.steps = numpy.where(has_value, wanted, before / 100)
            if numpy.abs(numpy.log(self.steps / before)).max() < 1:
                break
        found: Array = (table + table.T) / 2
        return found

    def best(self, at: Array, ends: Ends) -> Found:
        self.sizes = numpy.where(at == 0, 1.0, numpy.abs(at))
        self.steps = 1e-5 * self.sizes
        return least(Task(self.gram, self.rows, ends, 1.0), at)


@lru_cache(maxsize=16)
def prepared(
    model: str | Compiled,
    filename: str,
    given: tuple[str, ...],
    response: str | None,
    sigma: str | float | None,
) -> tuple[Compiled, tuple[Argument, ...]]:
    """The residual or the log-likelihood of a formula over columns, and its arguments.

    These are the parameters, which are given a start, and columns, of which the response
    and sigma may be new.

    Raises:
        GradcError: the formula is at fault, or returns neither.
    """
    text = model if isinstance(model, str) else model.origin.formula
    if isinstance(model, str):
        program = slopes(lower(parse(Source.read(model, filename))))
    else:
        program = model.formula
    known = [x.name for x in grouped(program.inputs) if x.elements[0].kind == "input"]
    for name in given:
        if name not in known:
            raise mistake("start_unknown", near=known, name=name, names=listed(known))
    if not given:
        raise mistake("start_nothing", names=listed(known))
    if not any(item.rows for item in program.inputs):
        rows = "rows"
        while rows in (response, sigma, *[item.name for item in program.inputs]):
            rows += "_"
        inputs = [
            item if (item.array or item.name) in given else replace(item, rows=rows)
            for item in program.inputs
        ]
        program = replace(program, inputs=tuple(inputs), ops=program.ops.columnar)
    require_constants(program)
    program = target(program, response, sigma)
    wrt = tuple(name for name in known if name in given)
    emit: tuple[str, ...] = ("jacobian", "gram")
    if not program.results[0].rows:
        has_hessian = not states(program) and len(elements(program, wrt)) <= MATRIX
        emit = ("hessian",) if has_hessian else ("gradient",)
    compiled = Compiled(
        program, Origin(text, wrt, emit=emit, numpy=True, half_angle=True)
    )
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
        raise mistake("fit_shape", program.source, name=kind or names[0])
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
    results, ordered = (Result(kind or "residual", (), rows),), tuple(inputs.values())
    source, notes = program.source, program.notes
    outputs = [node, *tail(program)]
    return compact(builder.finish(ordered, outputs, source, notes, results))


def read(
    data: Any,
    arguments: Sequence[Argument],
    start: Collection[str],
    rename: Mapping[str, str],
    missing: str,
) -> dict[str, Array]:
    """The columns that a formula has, from a file or whatever has columns by name."""
    place = os.fspath(data) if isinstance(data, (str, os.PathLike)) else None
    data = data if place is None else Sheet(place, missing)
    fields = data.dtype.names if isinstance(data, numpy.ndarray) else None
    names = fields or getattr(data, "columns", data)
    if (
        not fields
        and isinstance(data, numpy.ndarray)
        or not isinstance(names, Iterable)
    ):
        raise mistake("fit_argument", name="data", what=TAKES["data"][1])
    known = [*map(str, names)]
    own, columns = [item for item in arguments if item.name not in start], {}
    for name in rename:
        if name not in (every := [item.name for item in own]):
            raise mistake("rename_unknown", near=every, name=name, names=listed(every))
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


def numbers(parameter: Argument, given: Any) -> Array:
    """What is given for a parameter, a number for each of its elements."""
    name, wanted = parameter.name, len(parameter.elements)
    try:
        parts = given.strip("[]").split(",") if isinstance(given, str) else given
        found = numpy.array(parts, float).ravel()
    except (TypeError, ValueError):
        found = numpy.array([numpy.nan])
    if not numpy.isfinite(found).all():
        raise mistake("point_value", name=name, text=str(given))
    if parameter.elements[0].rows:
        raise mistake("start_length", name=name, length=len(found))
    if len(found) != wanted:
        raise mistake("point_count", name=name, found=len(found), wanted=wanted)
    return found


def ends(parameters: Sequence[Argument], bounds: Bounds, at: Array) -> Ends:
    """The least and the largest of each parameter, between which a point is."""
    known = [item.name for item in parameters]
    for name in bounds:
        if name not in known:
            raise mistake("start_unknown", near=known, name=name, names=listed(known))
    found: list[tuple[float, float]] = []
    for item in parameters:
        given = bounds.get(item.name, (None, None))
        try:
            low, high = given
            pair = -inf if low is None else float(low), (
                inf if high is None else float(high)
            )
        except (TypeError, ValueError):
            raise mistake("ends", name=item.name, text=str(given)) from None
        found += [pair] * len(item.elements)
    low, high = numpy.array(found, float).T
    if not ((low <= at) & (at <= high)).all():
        raise mistake("start_outside")
    return low, high


def logarithms(columns: Columns, sigma: str | float | None, rows: int) -> float:
    """The sum of the logarithms of sigma, which has to be positive."""
    if sigma is None:
        return 0.0
    found = numpy.full(rows, columns[sigma] if isinstance(sigma, str) else sigma)
    if not (found > 0).all():
        row = int(numpy.argmin(found > 0))
        raise mistake("sigma_negative", value=float(found[row]), row=row)
    return float(numpy.log(found).sum())
