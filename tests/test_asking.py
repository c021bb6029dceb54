"""Functions that ask for certified numbers where Python raises: `outside="certified"`."""

from __future__ import annotations

import sys
from math import isfinite
from time import process_time
from typing import Any

import pytest

import gradc
from gradc.arrays import leaves
from gradc.functions import EMITTED
from tests.test_certified import HARD
from tests.test_outputs import HOSTILE, OUTSIDE, sizes

ASKING: dict[str, Any] = {"outside": "certified"}
FUNCTIONS = ("value", "value_and_grad", "value_grad_and_hessian")


def module(f: gradc.Compiled) -> dict[str, Any]:
    """What stands in the module of a formula, by name."""
    space: dict[str, Any] = {"__name__": "asking"}
    exec(f.source, space)
    return space


def said(call: Any, point: Any) -> Any:
    """The text of what a function returns, or the class of what it raises."""
    try:
        return repr(call(*point))
    except (ArithmeticError, ValueError) as error:
        return type(error)


def called(f: gradc.Compiled, name: str) -> Any:
    return f if name == "value" else getattr(f, name)


@pytest.mark.parametrize(("text", "point", "value", "gradient"), HARD)
@pytest.mark.some(4)
def test_where_python_raises_the_certain_numbers_are_returned(
    text: str, point: Any, value: Any, gradient: Any
) -> None:
    emit = "gradient,hessian"
    f, plain = (gradc.compile(text, emit=emit, **more) for more in (ASKING, {}))
    asking, raising = module(f), module(plain)
    every = [("value", [value]), ("value_and_grad", [value, *gradient])]
    for name, right in every:
        found = said(raising[name], point)
        if isinstance(found, type) and None not in right and all(map(isfinite, right)):
            found = value if name == "value" else (value, gradient)
            assert [*leaves(asking[name](*point))] == pytest.approx([*leaves(found)])
            assert called(f, name)(*point) == asking[name](*point)
        else:
            assert said(asking[name], point) == found
            assert said(called(f, name), point) == said(called(plain, name), point)


@pytest.mark.parametrize(("text", "at"), OUTSIDE)
def test_arrays_and_several_results(text: str, at: Any) -> None:
    emit = "jacobian" if "[" in text else "gradient,hessian"
    f, plain = (gradc.compile(text, emit=emit, **more) for more in (ASKING, {}))
    asking, raising = module(f), module(plain)
    for name in f.functions:
        assert said(asking[name], at) == said(raising[name], at)
    nested = gradc.compile("input w[2], b; w[0]*log(w[0]) + [b, w[1]]/1", **ASKING)
    assert module(nested)["value"]([0.0, 2.0], 3) == nested([0.0, 2.0], 3) == (3.0, 2.0)
    for options in ({"flat": True}, {"flat": True, "wrt": ["w"]}):
        g = gradc.compile("input w[2], b; w[0]*log(w[0]) + b", **options, **ASKING)
        given = [[0.0, 2.0, 3.0]] if len(options) == 1 else [[0.0, 2.0], 3.0]
        assert module(g)["value"](*given) == g(*given) == 3.0


def test_hessians_and_jacobians() -> None:
    g = gradc.compile("(exp(x*y) - 1)/x", emit="hessian", strict=True, **ASKING)
    found = module(g)["value_grad_and_hessian"](0.0, 3.0)
    assert [*leaves(found)] == pytest.approx([3.0, 4.5, 1.0, 9.0, 3.0, 3.0, 0.0])
    text = "input x, y; [sin(x)/x, y]"
    h = gradc.compile(text, strict=True, sparse=True, **ASKING)
    assert module(h)["value_and_jacobian"](0.0, 3.0) == ((1.0, 3.0), (0.0, 1.0))


@pytest.mark.parametrize("missing", ["flint", "gradc.compiler"])
def test_without_gradc_the_first_exception_goes_through(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    value = module(gradc.compile("x*log(x)", **ASKING))["value"]
    assert value(0.0) == 0.0
    for name in ("balls", "certified"):
        monkeypatch.delitem(sys.modules, f"gradc.checking.{name}", raising=False)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ValueError, match="math domain error") as caught:
        value(0.0)
    assert caught.value.__cause__ is None and caught.value.__suppress_context__


def test_a_module_without_its_docstring_raises() -> None:
    space = module(gradc.compile("x*log(x)", **ASKING)) | {"__doc__": None}
    exec("", space)
    code = gradc.compile("x*log(x)", **ASKING).source.partition('"""\n\n')[2]
    exec(code, space)
    with pytest.raises(ValueError, match="math domain error"):
        space["value"](0.0)


def test_rows_of_ones_own_are_known_in_the_library() -> None:
    ops = gradc.OPS.define("own(x)", "x*log(x).", means="x*log(x)")
    f = gradc.compile("own(x)", ops=ops, **ASKING)
    assert f(0.0) == 0.0
    with pytest.raises(ValueError, match="math domain error"):
        module(f)["value"](0.0)


def test_it_takes_a_millisecond() -> None:
    value = module(gradc.compile("x*log(x) + sin(x)/x", **ASKING))["value"]
    value(0.0)
    start = process_time()
    for _ in range(50):
        value(0.0)
    assert process_time() - start < 50 * 0.01


@pytest.mark.parametrize("names", ["xy", "abcdefgh"])
def test_it_takes_six_lines_a_function(names: str) -> None:
    text, emit = f"log({'*'.join(names)})", "gradient,hessian"
    plain, asking = (gradc.compile(text, emit=emit, **m) for m in ({}, ASKING))
    before, after = sizes(plain.source), sizes(asking.source)
    assert all(after[name] <= before[name] + 6 for name in before)


@pytest.mark.parametrize("name", [*HOSTILE, "T", "error", "OPTIONS", "Callable"])
@pytest.mark.some(3)
def test_no_name_disturbs_it(name: str) -> None:
    f = gradc.compile(f"{name}*log({name})", emit="gradient,hessian", **ASKING)
    space = module(f)
    assert space["value"](0.0) == 0.0
    for function in FUNCTIONS:
        with pytest.raises(ValueError, match="math domain error"):
            space[function](-1.0)


def test_what_has_no_certain_numbers_refuses() -> None:
    for emit in ("hvp", "jvp", "vjp", "error"):
        with pytest.raises(gradc.GradcError, match="outside='certified' is for"):
            gradc.compile("x*y", emit=emit, **ASKING)
    with pytest.raises(gradc.GradcError, match="outside='certified' is for"):
        gradc.compile("x*y", numpy=True, **ASKING)
    with pytest.raises(gradc.GradcError, match="outside='certified' is for"):
        gradc.trace(lambda x: x * x, ASKING, x=())
    f = gradc.compile("x*log(y)", **ASKING)
    for name in {*EMITTED.values()} - {
        *FUNCTIONS,
        "value_and_jacobian",
        "gram",
        "bind",
    }:
        along = [1.0 if name == "vjp" else (1.0, 1.0)] * (name in ("hvp", "jvp", "vjp"))
        with pytest.raises(gradc.DomainError):
            getattr(f, name)(0.0, 0.0, *along)


def test_it_is_checked_as_without() -> None:
    f = gradc.compile("input x in [0, 5], y in [0, 1]; x*log(x)/(y - 1)", **ASKING)
    assert f.check().ok and f.check(thorough=True).lines()
