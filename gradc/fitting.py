"""Fits: the parameters of a formula from columns of data, with what is known of them.

What the formula returns says what is done: the squares of `residual` are made least,
`loglik` is made largest, and anything else is a model of a column, the response.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from math import inf, log, pi, prod
from typing import Any

import numpy

from gradc.compiler import Compiled, require_constants
from gradc.errors import GradcError, Source, listed, mistake
from gradc.files import Sheet
from gradc.fitted import Fit
from gradc.ir import Argument, Builder, Input, Program, Result, compact, grouped
from gradc.language.lower import lower
from gradc.language.parse import parse
from gradc.levenberg import OPEN, Array, Ends, Found
from gradc.ops import TOTAL
from gradc.passes.slopes import slopes
from gradc.search import Likelihood, Squares, Told
from gradc.targets.origin import Origin

Bounds = Mapping[str, tuple[float | None, float | None]]


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
        progress: called with the number of evaluations and the least sum of squares.

    Raises:
        GradcError: the formula, the data or the start are at fault.
    """
    sigma = sigma if sigma is None or isinstance(sigma, str) else float(sigma)
    compiled = prepared(model, filename, tuple(start), response, sigma)
    arguments = grouped(compiled.formula.inputs)
    parameters = [item for item in arguments if item.name in start]
    at = numpy.concatenate([numbers(item, start[item.name]) for item in parameters])
    columns = read(data, arguments, start, rename or {}, missing)
    within = ends(parameters, bounds, at) if bounds else OPEN
    kind = Squares if compiled.formula.results[0].rows else Likelihood
    try:
        search = kind(compiled, columns, at, progress)
    except ValueError as error:
        raise mistake("columns_refused", reason=str(error)) from None
    if len(at) > search.rows:
        raise mistake("rows_few", rows=search.rows, count=len(at))
    sigmas = deviations(columns, sigma, search.rows)
    is_scaled = kind is Squares and (sigma is None or relative_sigma)
    names = [element.name for item in parameters for element in item.elements]
    with numpy.errstate(all="ignore"):
        try:
            found = search.best(at, within)
        except ArithmeticError:
            raise valueless(search, at) from None
        return told(search, names, found, sigmas, is_scaled)


def told(
    search: Squares,
    names: Sequence[str],
    found: Found,
    sigmas: Array,
    is_scaled: bool,
) -> Fit:
    """What is known where a search ended, for residuals over sigma in each row."""
    rows, count, squares = search.rows, len(names), float(found.gram[0, 0])
    if isinstance(search, Likelihood):
        loglik = -search.lost(found.b)[0]
    else:  # normally distributed, of the most likely size if that is open
        variance = squares / rows if is_scaled else 1.0
        half = log(2 * pi * variance) + squares / variance / rows if variance else -inf
        loglik = -0.5 * rows * half - float(numpy.log(sigmas).sum())
    covariance = numpy.full((count, count), numpy.nan)
    if found.newton.inverse is not None and (rows > count or not is_scaled):
        scale = squares / (rows - count) if is_scaled else 1.0
        covariance[numpy.ix_(found.free, found.free)] = found.newton.inverse * scale
    reason = "converged: a further step would change nothing"
    if found.reason:
        weak = [names[k] for k in numpy.flatnonzero(found.free)[found.newton.weak]]
        what = "the likelihood" if isinstance(search, Likelihood) else "the residual"
        open_ = f"{what} is flat here, the data do not determine {listed(weak)}"
        reason = f"not converged: {open_ if weak else found.reason}"
    return Fit(
        estimates=dict(zip(names, found.b.tolist())),
        covariance=covariance,
        ssr=None if isinstance(search, Likelihood) else squares,
        loglik=loglik,
        dof=rows - count,
        aic=2 * (count + is_scaled) - 2 * loglik,
        bic=log(rows) * (count + is_scaled) - 2 * loglik,
        converged=not found.reason,
        reason=reason,
        evaluations=search.evaluations,
        is_scaled=is_scaled,
        compiled=search.compiled,
        columns=search.columns,
    )


@lru_cache(maxsize=16)
def prepared(
    model: str | Compiled,
    filename: str,
    given: tuple[str, ...],
    response: str | None,
    sigma: str | float | None,
) -> Compiled:
    """The residual or the log-likelihood of a formula, compiled over columns.

    Its arguments are the parameters, which are given a start, and columns, of which the
    response and sigma may be new.

    Raises:
        GradcError: the formula is at fault, or returns neither.
    """
    text = model if isinstance(model, str) else model.origin.formula
    if isinstance(model, str) or text:
        syntax = parse(Source.read(text, filename))
        last, program = syntax.statements[-1], slopes(lower(syntax))
        titles = [x.name for x in getattr(last, "answers", [last])]
    else:
        program, titles = model.formula, [x.name for x in model.formula.results]
    known = [x.name for x in grouped(program.inputs) if x.elements[0].kind == "input"]
    for name in given:
        if name not in known:
            raise mistake("start_unknown", near=known, name=name, names=listed(known))
    if not given:
        raise mistake("start_nothing", names=listed(known))
    if not any(item.rows for item in program.inputs):
        inputs = [
            item if (item.array or item.name) in given else replace(item, rows="rows")
            for item in program.inputs
        ]
        program = replace(program, inputs=tuple(inputs), ops=program.ops.columnar)
    require_constants(program)
    program = target(program, titles, response, sigma)
    wrt = tuple(name for name in known if name in given)
    emit = ("jacobian", "gram") if program.results[0].rows else ("gradient",)
    return Compiled(program, Origin(text, wrt, emit=emit, numpy=True))


def target(
    program: Program,
    titles: Sequence[str],
    response: str | None,
    sigma: str | float | None,
) -> Program:
    """The program of a formula with one result, a residual or a log-likelihood."""
    kind = next((name for name in ("residual", "loglik") if name in titles), "")
    if not kind and (len(titles) > 1 or response is None):
        raise mistake("response_missing", program.source)
    at = titles.index(kind or titles[0])
    node = program.outputs[sum(prod(r.shape) for r in program.results[:at])]
    rows = program.rows[node]
    has_columns = rows or (kind == "loglik" and any(x.rows for x in program.inputs))
    if program.results[at].shape or not has_columns:
        raise mistake("fit_shape", program.source, name=titles[at])
    if kind == "loglik" and sigma is not None:
        raise mistake("sigma_likelihood")
    builder, inputs = Builder.upon(program), {x.name: x for x in program.inputs}

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
    ordered = tuple(inputs.values())
    made = builder.finish(ordered, [node], program.source, program.notes, results)
    return compact(made)


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
    known = [*map(str, fields or getattr(data, "columns", data))]
    columns = {}
    for name, _, (first, *_) in [item for item in arguments if item.name not in start]:
        called = rename.get(name, name)
        if called not in known or (first.kind == "input" and not first.rows):
            key = "start_missing" if first.kind == "input" else "column_missing"
            raise mistake(key, place, near=known, name=called, names=listed(known))
        columns[name] = numpy.asarray(data[called])
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
        raise mistake("point_value", name=name, text=str(given)) from None
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
        low, high = bounds.get(item.name, (None, None))
        pair = -inf if low is None else low, inf if high is None else high
        found += [pair] * len(item.elements)
    low, high = numpy.array(found, float).T
    if not ((low <= at) & (at <= high)).all():
        raise mistake("start_outside")
    return low, high


def deviations(
    columns: Mapping[str, Array], sigma: str | float | None, rows: int
) -> Array:
    """The standard deviation in each row, 1 if none is given."""
    if isinstance(sigma, str):
        found = columns[sigma]
    else:
        found = numpy.full(rows, 1.0 if sigma is None else sigma)
    if not (found > 0).all():
        row = int(numpy.argmin(found > 0))
        raise mistake("sigma_negative", value=float(found[row]), row=row)
    return found


def valueless(search: Squares, at: Array) -> GradcError:
    """Why there is no value at the start: of the first row that has none."""
    is_likely, reason = isinstance(search, Likelihood), "its squares are too large"
    try:
        (search.bound.value_and_grad if is_likely else search.bound.jacobian)(at)
    except (ArithmeticError, ValueError) as error:
        reason = str(error)
    return mistake("start_valueless", reason=reason)
