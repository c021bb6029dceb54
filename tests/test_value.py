"""Value: what it computes is the table's, and it behaves as an engine should."""

import copy
import math
import pickle
import random
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from gradc.errors import Source
from gradc.ir import Builder, Input
from gradc.ops import OPS, Op
from gradc.passes.derive import derive
from gradc.run import FLOATS, arithmetic, evaluate
from gradc.value import Value, apply
from tests.conftest import FUNCTIONS
from tests.strategies import holds

ROWS = [op for op in OPS if op.name not in FUNCTIONS]
NUMBERS = [op for op in ROWS if op.result == "number" and op.params]
ROWS = [op for op in NUMBERS if op.name != "where"]
UNARY = [op for op in ROWS if op.accepts(1) and not op.variadic]
SMOOTH = [op for op in UNARY if op.partials != ("0",)]
V: Any = Value  # its methods are made from the rows, unseen by a type checker
SAMPLES = (0.3, 0.7, -0.4, 1.3, -1.6, 2.7, 5.2, -12.5)


@pytest.mark.parametrize("wrong", [None, "x", b"1", [1.0], {1.0}])
def test_what_is_no_number_is_no_value(wrong: object) -> None:
    with pytest.raises(TypeError, match="a Value is made of a number, and .* is none"):
        Value(wrong)


def points(op: Op) -> Iterator[tuple[float, ...]]:
    """A few points where the row is defined and has a derivative."""
    count = 3 if op.variadic else len(op.params)
    axes: list[tuple[float, ...]] = [SAMPLES] * count
    if op.partials is not None and op.partials[0] is None:
        axes[0] = (0.0, 1.0, 3.0)  # the order of a derivative
    listed = [point for point in product(*axes) if len(set(point)) == count]
    random.Random(op.name).shuffle(listed)
    left = 3
    for point in listed:
        inside = op.domain is None or holds(op, op.domain, point)
        if left and inside and not holds(op, op.kinks, point):
            left -= 1
            yield point


def cases(rows: list[Op]) -> list[Any]:
    return [
        pytest.param(op, point, id=f"{op.name}-{k}")
        for op in rows
        for k, point in enumerate(points(op))
    ]


def gradient(op: Op, point: tuple[Any, ...]) -> tuple[Any, list[Any]]:
    """The value of a row at a point and its derivatives, by Value."""
    args = [Value(x) for x in point]
    result = apply(op, *args)
    result.backward()
    return result.data, [x.grad for x in args]


def close(found: Any, wanted: Any, tolerance: float = 1e-12) -> bool:
    return bool(abs(found - wanted) <= tolerance * max(1, abs(wanted)))


# ---- the table's


@pytest.mark.parametrize("op, point", cases(ROWS))
def test_rows_as_compiled(op: Op, point: tuple[float, ...]) -> None:
    builder = Builder()
    names = [f"x{k}" for k in range(len(point))]
    if op.partials is not None and op.partials[0] is None:
        names = names[1:]
        args = [builder.const(point[0]), *map(builder.input, names)]
    else:
        args = [builder.input(name) for name in names]
    root = builder.add(op.name, *args)
    inputs = tuple(Input(name) for name in names)
    program = builder.finish(inputs, [root], Source("", "<row>"))
    at = {f"x{k}": x for k, x in enumerate(point)}
    value, *wanted = evaluate(derive(program, names), at)
    data, found = gradient(op, point)
    assert data == value
    assert all(map(close, found[-len(wanted) :], wanted)), (found, wanted)


@pytest.mark.parametrize("op, point", cases(ROWS))
def test_rows_against_numeric_derivatives(op: Op, point: tuple[float, ...]) -> None:
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(40):
        exact = tuple(mpmath.mpf(x) for x in point)
        compute = arithmetic(*exact).compute(op)
        data, found = gradient(op, exact)
        rough, _ = gradient(op, point)
        assert data == compute(*exact) and close(rough, data)
        for k, grad in enumerate(found):
            if op.partials is not None and len(op.partials) == len(point):
                if op.partials[k] is None:
                    continue
            around = lambda x: compute(*exact[:k], x, *exact[k + 1 :])  # noqa: E731
            assert close(grad, mpmath.diff(around, exact[k]), 1e-20), k


@pytest.mark.parametrize("op, point", cases(SMOOTH))
def test_second_derivatives(op: Op, point: tuple[float, ...]) -> None:
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(40):
        x = Value(mpmath.mpf(point[0]))
        z = Value(x)
        apply(op, z).backward()
        if isinstance(z.grad, Value):
            z.grad.backward()
        compute = arithmetic(x.data).compute(op)
        assert close(x.grad, mpmath.diff(compute, x.data, 2), 1e-20)


def test_third_derivative() -> None:
    x = Value(0.7)
    y = Value(x)
    z = Value(y)
    z.sin().backward()
    z.grad.backward()
    y.grad.backward()
    assert close(x.grad, -math.cos(0.7))


def test_levels_do_not_mix() -> None:
    x = Value(3.0)
    z = Value(x)
    (z * z * x).backward()  # to z, x is a constant: 2*z*x
    z.grad.backward()
    assert z.grad.data == 18.0
    assert x.grad == 2 * 3 + 2 * 3


def test_rational_rows_are_exact() -> None:
    half, third = Value(Fraction(1, 2)), Value(Fraction(1, 3))
    y = (half**3 / third - 2 * half).max(third).abs() + third.copysign(-1) % half
    y += half * third + 1 + V.clip(third, 0, half).relu() + half.floor()
    y += V.min(half, Fraction(1, 2)) + half.fdim(third)
    y.backward()
    assert y.data == Fraction(8, 3)
    assert half.grad == 1 + Fraction(1, 3) + Fraction(1, 2) + 1
    assert third.grad == 1 - 1 + Fraction(1, 2) + 1 - 1
    assert {type(v.data) for v in Value.below([y])} == {Fraction}


def test_defined_rows() -> None:
    ops = OPS.define("swish(x)", "Self-gated.", means="x*sigmoid(x)")
    ops = ops.define("dist(x, y)", "Not math.dist.", means="swish(x - y)/3")
    data, (dx, dy) = gradient(ops["dist"], (2.0, 1.5))
    silu, (slope,) = gradient(OPS["silu"], (0.5,))
    assert close(data, silu / 3) and close(dx, slope / 3) and close(dy, -slope / 3)
    ops = ops.define("gate(x)", "With a partial.", means="x*x", partials="7")
    assert gradient(ops["gate"], (3.0,)) == (9.0, [7.0])
    ops = ops.define("ratio(a, b)", "No x.", means="a/b", partials=("1/b", "-(a/b/b)"))
    assert gradient(ops["ratio"], (3.0, 2.0)) == (1.5, [0.5, -0.75])
    ops = ops.define("cut(x)", "Spelled.", partials="1/3", python="max({x}, 1.0)")
    assert gradient(ops["cut"], (Fraction(2),)) == (2, [Fraction(1, 3)])


def test_long_meaning() -> None:
    nested = "x"
    for _ in range(90):
        nested = f"(x*{nested} + 1)"
    ops = OPS.define("poly(x)", "A long Horner scheme.", means=nested)
    assert apply(ops["poly"], 0.5) == 2.0
    assert close(gradient(ops["poly"], (0.5,))[1][0], 4.0)
    nested = "log(x)"
    for _ in range(60):
        nested = f"({nested} + 1)"
    ops = OPS.define("part(x)", "Defined in part.", means=f"where(x > 0, {nested}, x)")
    assert apply(ops["part"], -1.0) == -1.0


def test_partials_are_lazy() -> None:
    x = Value(0.0)
    apply(OPS["pow"], x, 0.0).backward()
    assert x.grad == 0
    V.hypot(x, Value(0.0)).backward()
    assert x.grad == 0
    with pytest.raises(ZeroDivisionError):
        x.sqrt().backward()


def test_what_sends_nothing_asks_for_nothing() -> None:
    x = Value(0.0)
    x.sqrt().floor().backward()
    assert x.grad == 0


def test_one_of_many_arguments() -> None:
    for name in ("min", "max", "hypot", "logsumexp"):
        assert gradient(OPS[name], (3.0,)) == (3.0, [1.0])
        assert gradient(OPS[name], (Fraction(3),)) == (3, [1])


def test_many_arguments() -> None:
    xs = [Value(0.5)] * 2 + [Value(k / 500) for k in range(500)]
    total = V.logsumexp(*xs) + V.max(*xs, 7) + V.min(*xs)
    total.backward()
    assert close(xs[0].grad + sum(x.grad for x in xs[2:]), 2.0)


def test_conditions_and_choices() -> None:
    x, y = Value(1.0), Value(2.0)
    assert x < y and x <= 1 and 2.5 > y and y >= 2 and x == 1.0 and x != y
    assert apply(OPS["lt"], x, 3) is True and apply(OPS["not"], x < y) is False
    assert apply(OPS["where"], x < y, x, y) is x
    assert len({x, Value(1.0), y}) == 3


# ---- the engine's


def test_every_path_counts() -> None:
    x, w = Value(2.0), Value(2.0)
    y = w * x
    z = y + x**2
    z.backward()
    assert (z.data, x.grad, w.grad) == (8.0, 6.0, 2.0)
    for _ in range(50):  # 2**50 paths
        z = z + z
    z.zero_grad()
    z.backward()
    assert x.grad == 6.0 * 2**50


def test_repeated_backward() -> None:
    x = Value(3.0)
    y = x * x
    z = y * 2
    z.backward()
    z.backward()
    assert (x.grad, y.grad, z.grad) == (24.0, 2.0, 1)
    (x * 5).backward()
    assert x.grad == 29.0
    x.backward()
    assert x.grad == 30.0
    z.zero_grad()
    assert (x.grad, y.grad, z.grad) == (0, 0, 0)
    x.data, x.grad = 1.0, 7.0
    (x * x).backward()
    assert x.grad == 9.0


def test_numbers_on_either_side() -> None:
    x = Value(3.0)
    made = [2 + x, x + 2, 2 - x, x - 2, 2 * x, x * 2, 6 / x, x / 2, 2**x, x**2]
    assert [v.data for v in made] == [5, 5, -1, 1, 6, 6, 2, 1.5, 8, 9]
    slopes = []
    for value in (*made, -x, +x, abs(-x), 7 % x, x % 2, x // 2, 7 // x, x**x):
        x.grad = 0
        value.backward()
        slopes.append(x.grad)
    wanted = [1, 1, -1, 1, 2, 2, -2 / 3, 0.5, 8 * math.log(2), 6]
    wanted += [-1, 1, 1, -2, 1, 0, 0, 27 * (1 + math.log(3))]
    assert all(map(close, slopes, wanted)), slopes
    assert (x // 2).data == 1.0 and (7 // x).data == 2.0 and (7 % x).data == 1.0
    x += 1
    assert x.data == 4.0 and sum([x, x], Value(0)).data == 8.0
    with pytest.raises(TypeError):
        x * "a"
    with pytest.raises(TypeError):
        math.sin(V(x.data))  # would lose the gradient


def test_numpy_on_either_side() -> None:
    numpy = pytest.importorskip("numpy")
    x = Value(3.0)
    two = numpy.float64(2)
    for value in (two * x, x * two, two**x, two - x, numpy.int64(6) / x):
        assert isinstance(value, Value)
    assert (two < x) and type(x + two) is Value
    array = numpy.array([1.0, 2.0])
    for row in (array * x, x * array, x - array, numpy.array([x, x]) * x):
        assert row.shape == (2,) and all(isinstance(v, Value) for v in row)
    y = Value(two).tanh() * numpy.float64(3)
    y.backward()
    assert close(y.data, 3 * math.tanh(2))


def test_methods() -> None:
    for op in UNARY:
        name = "__neg__" if op.infix else op.called
        assert getattr(Value, name).__doc__ == op.doc
    y, x = Value(1.0), Value(2.0)
    assert V.atan2(y, x).data == y.atan2(2.0).data == math.atan2(1, 2)
    assert V.atan2(1.0, x).data == math.atan2(1, 2)
    assert x.log().data == x.ln().data and x.log(2).data == 1.0
    assert x.clip(0, 1).data == 1 and V.where(x > 1, y, x) is y
    assert math.floor(x).data == 2.0 and round(x).data == 2.0
    with pytest.raises(TypeError, match="atan2 takes 2 arguments"):
        x.atan2()


def test_pickle_and_copy() -> None:
    x = Value(2.0)
    x.grad = 3.0
    for other in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x)):
        assert (other.data, other.grad) == (2.0, 3.0) and other is not x
    y = copy.deepcopy(x * x)
    y.backward()
    assert x.grad == 3.0 and y._parents[0].grad == 7.0


DEEP = """
import sys
from gradc.value import Value
sys.setrecursionlimit(200)
x = Value(Value(1.0))
y = x
for _ in range(20_000):
    y = y * 1.0 + y * 0.0
y.backward()
x.grad.backward()
del y, x
x = y = Value(1.0)
for _ in range(100_000):
    y = y * 0.5 + 0.5
y.backward()
y.zero_grad()
assert len(Value.below([y])) == 200_001
del y
print("freed")
"""


def test_deep_graph() -> None:
    done = subprocess.run([sys.executable, "-c", DEEP], capture_output=True, text=True)
    assert done.stdout == "freed\n", done.stderr


def test_function_of_every_row_is_what_value_computes() -> None:
    for op in ROWS:
        for point in points(op):
            assert apply(op, *point) == FLOATS.compute(op)(*point)
