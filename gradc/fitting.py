"""Fits: the parameters of a formula from columns of data, with what is known of them.

What the formula returns says what is done: the squares of `residual` are made least,
`loglik` is made largest, and anything else is a model of a column, the response.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate
from math import inf, isfinite, prod
from typing import Any

import numpy

from gradc.arrays import leaves
from gradc.compiler import Compiled, read, require_constants
from gradc.errors import listed, mistake
from gradc.files import MISSING, Sheet, numbers
from gradc.fitted import Columns, Fit, Search, Told
from gradc.ir import Argument, Builder, Input, Program, Result
from gradc.ir import compact, elements, grouped, states, tail
from gradc.levenberg import Array, Ends
from gradc.ops import OPS, TOTAL
from gradc.passes.split import of_interest
from gradc.targets.origin import Origin

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
    inputs = grouped(program.inputs)
    known = [item.name for item in inputs if item.elements[0].kind == "input"]
    wrt = tuple([name for name in known if name in given])
    require_known(given, known, "start_unknown")
    if not given:
        raise mistake("start_nothing", names=listed(known))
    if not any(item.rows for item in program.inputs):
        rows = "rows"
        while rows in (response, sigma, *[item.name for item in inputs]):
            rows += "_"
        columns = [
            item if (item.array or item.name) in given else replace(item, rows=rows)
            for item in program.inputs
        ]
        program = replace(program, inputs=tuple(columns), ops=program.ops.columnar)
    require_constants(program)
    program = target(program, response, sigma)
    emit: tuple[str, ...] = ("jacobian", "gram")
    if not program.results[0].rows:
        has_hessian = not states(program) and len(elements(program, wrt)) <= MATRIX
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
