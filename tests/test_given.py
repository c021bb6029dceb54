"""Arguments of every shape but the one that was declared, and of every kind of array."""

from __future__ import annotations

import re
from array import array
from collections import deque
from collections.abc import Callable
from fractions import Fraction
from math import prod
from random import Random
from typing import Any

import numpy as np
import pytest

import gradc
from gradc.arrays import Shape, nest

EMITS = "value,gradient,hessian,hvp,jvp,vjp"
SHAPES: list[Shape] = [(), (1,), (2,), (3,), (1, 1), (2, 1), (1, 2), (2, 3), (2, 2, 2)]
# The first only adds and multiplies, which arrays can do as well.
BODIES = ["x{0} + y{1}*y{1}", "exp(x{0}/8)*y{1}", "log(x{0})/y{1}"]
NUMBERS: list[Callable[[float], Any]] = [float, int, Fraction, np.float64]
ROWS: list[Callable[[list[Any]], Any]] = [
    list,
    tuple,
    deque,
    np.array,
    lambda rows: np.array(rows, dtype="float32"),
    lambda rows: np.array(rows, dtype="int64"),
]


def formula(random: Random, shapes: list[Shape]) -> str:
    """A formula that need not read all elements of its two arguments."""
    sizes = [f"[{', '.join(map(str, shape))}]" if shape else "" for shape in shapes]
    places = ["".join(f"[{random.randrange(n)}]" for n in shape) for shape in shapes]
    body = random.choice(BODIES).format(*places)
    return f"input x{sizes[0]}\ndata y{sizes[1]}\n{body}"


def functions(text: str, **options: Any) -> list[Callable[..., Any]]:
    """All functions of a formula, those of its module and those of the library."""
    compiled = gradc.compile(text, emit=EMITS, **options)
    module: dict[str, Any] = {}
    exec(compiled.source, module)
    methods = [
        getattr(compiled, name) for name in compiled.functions if name != "value"
    ]
    return [*map(module.get, compiled.functions), compiled, *methods]


def filled(shape: Shape, random: Random) -> Any:
    return nest([float(random.randint(1, 9)) for _ in range(prod(shape))], shape)


def is_checked(run: Callable[..., Any], shape: Shape) -> bool:
    """Whether a function refuses another shape: in a module numbers are not tested."""
    return shape != () or not hasattr(run, "__code__")


def shapes_of(run: Callable[..., Any], shapes: list[Shape]) -> list[Shape]:
    """The shapes of all arguments of a function, also of the vector of a product."""
    name = getattr(run, "__name__", "value")
    own: dict[str, Shape] = {"hvp": (1, *shapes[0]), "jvp": (1, *shapes[0]), "vjp": ()}
    return [*shapes, own[name]] if name in own else shapes


def misshapen(given: Any, random: Random) -> Any:
    """An argument of another shape."""
    if isinstance(given, list) and random.random() < 0.6:
        k = random.randrange(len(given))
        return [*given[:k], misshapen(given[k], random), *given[k + 1 :]]
    others = [{0.0: 1.0, 1.0: 2.0}, {1.0, 2.0}, [given], [[given]], []]
    others += [np.array([given]), np.array([given, given]), ([given], given)]
    if isinstance(given, list):
        others += [given[:-1], [*given, given[0]], 1.0, np.float64(1.0)]
    return random.choice(others)


@pytest.mark.parametrize("seed", range(40))
def test_every_wrong_shape_is_one_error(seed: int) -> None:
    random = Random(seed)
    declared = [random.choice(SHAPES[1:]), random.choice(SHAPES)]
    for run in functions(formula(random, declared)):
        shapes = shapes_of(run, declared)
        for _ in range(8):
            args = [filled(shape, random) for shape in shapes]
            k = random.randrange(len(args))
            args[k] = misshapen(args[k], random)
            if not is_checked(run, shapes[k]):
                continue
            begin = re.escape(f"{'xyv'[k]} has shape {shapes[k]} but was given shape (")
            with pytest.raises(ValueError, match=f"^{begin}"):
                run(*args)


@pytest.mark.parametrize("seed", range(40))
def test_every_kind_of_array_is_the_same(seed: int) -> None:
    random = Random(seed)
    declared = [random.choice(SHAPES[1:]), random.choice(SHAPES)]
    for run in functions(formula(random, declared)):
        args = [filled(shape, random) for shape in shapes_of(run, declared)]
        other = [changed(given, random) for given in args]
        assert run(*other) == run(*args), other


def changed(given: Any, random: Random) -> Any:
    """The same numbers in sequences of other kinds."""
    if not isinstance(given, list):
        return random.choice(NUMBERS)(given)
    if random.random() < 0.1 and type(given[0]) is float:
        return array("d", given)
    return random.choice(ROWS)([changed(item, random) for item in given])


@pytest.mark.parametrize("wrong", [None, 1j, object(), iter([1.0, 2.0]), "ab"])
def test_what_is_no_number_is_an_error(wrong: Any) -> None:
    for run in functions("input x[2]\ndata y\nx[0]*y"):
        shapes = shapes_of(run, [(2,), ()])
        for args in ([[1.0, wrong], 1.0], [wrong, 1.0]):
            with pytest.raises((TypeError, ValueError)):
                run(*args, *(nest([1.0, 1.0], shape) for shape in shapes[2:]))


def test_a_vector_of_several_arguments_has_a_shape_for_each() -> None:
    runs = functions("input x[2], y\nx[0]*y^2")
    for run in [run for run in runs if shapes_of(run, [(2,)])[-1] == (1, 2)]:
        right = [1.0, 2.0], 3.0, ((1.0, 0.0), 1.0)
        assert run(*right) == run([1.0, 2.0], 3.0, [np.array([1, 0]), np.float64(1)])
        for wrong in (1.0, [1.0, 0.0, 1.0], [[1.0]], ((1.0, 0.0, 1.0), 1.0)):
            with pytest.raises((TypeError, ValueError)):
                run([1.0, 2.0], 3.0, wrong)


@pytest.mark.parametrize("option", ["flat", "numpy"])
def test_flat_and_numpy_check_as_well(option: str) -> None:
    vectors: dict[str, Any] = {
        "hvp": ([1.0, 1.0],),
        "jvp": ([1.0, 1.0],),
        "vjp": (1.0,),
    }
    for run in functions("input x[2]\nx[0]*x[1]", **{option: True}):
        for wrong in ({1.0}, [[1.0], 2.0], [[1.0, 2.0]], np.ones((2, 1)), 1.0):
            with pytest.raises(ValueError, match=r"^x has shape \(2,\) but was given"):
                run(wrong, *vectors.get(getattr(run, "__name__", ""), ()))


@pytest.mark.parametrize("body", ["x + y", "exp(x)*y", "1/x + y", "return x, y"])
def test_the_library_takes_no_array_for_a_number(body: str) -> None:
    compiled = gradc.compile(body)
    gradient = "value_and_jacobian" if "return" in body else "value_and_grad"
    for run in (compiled, getattr(compiled, gradient)):
        assert run(Fraction(2), np.float64(1.0)) == run(2.0, 1.0) == run(2, True)
        for wrong in ([1.0], (1.0,), np.ones(1), np.ones(2), {1.0: 2.0}):
            with pytest.raises(ValueError, match=r"^x has shape \(\) but was given"):
                run(wrong, 1.0)
        with pytest.raises((TypeError, ValueError)):
            run("1", 1.0)


@pytest.mark.parametrize(
    ("args", "named"),
    [
        ((1.0, 2.0, 3.0), {}),
        ((1.0,), {}),
        ((1.0,), {"x": 2.0}),
        ((1.0,), {"z": 2.0}),
        ((1.0, 2.0), {"y": 2.0}),
    ],
)
def test_each_argument_is_given_once(
    args: tuple[float, ...], named: dict[str, float]
) -> None:
    compiled = gradc.compile("x + y")
    assert compiled(1.0, y=2.0) == compiled(y=2.0, x=1.0) == 3.0
    for run in (compiled, compiled.value_and_grad):
        with pytest.raises(TypeError, match="^the inputs are x, y, but"):
            run(*args, **named)


def test_the_library_makes_floats_of_all_numbers() -> None:
    f = gradc.compile("input a[3]; a[0]*a[1] + 0*a[2]")
    assert f([2**60 + 1, 1, 1.0]) == f([2**60 + 1, 1, 1]) == float(2**60 + 1)
    assert type(f([1, 2, 3.0])) is float
    g = gradc.compile("a*b", flat=True)
    assert [*map(type, g.value_and_grad([3, 4.0])[1])] == [float, float]
