"""Recordings: they compute what the Python function does, or say why they cannot."""

import functools
import math
import pickle
import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import black
import numpy as np
import pytest
from hypothesis import example, given, reject, settings
from hypothesis import strategies as st

import gradc
from gradc import GradcError, Value
from gradc.arrays import flatten, leaves, nest
from gradc.ops import OPS
from gradc.value import apply
from tests.strategies import FINE, law

NAMED = [  # functions that are defined everywhere
    op
    for op in FINE
    if op.name in OPS.callables() and op.domain is None and op.params[0] != "n"
]
INFIX: list[Callable[[Any, Any], Any]] = [
    lambda x, y: x + y,
    lambda x, y: x - y,
    lambda x, y: x * y,
    lambda x, y: x / (1.0 + y * y),
    lambda x, y: 2 - x * 0.5 + abs(y),
    lambda x, y: -x + (y * y + 1) ** 1.5,
    lambda x, y: gradc.where((x > y) & (x >= 0), x * y, y - x),
    lambda x, y: gradc.where((x != y) | (x == 0), x, y),
]


def drawn(seed: int) -> Callable[[list[Any]], Any]:
    """A random function of a list, the same one whenever it is called."""

    def function(xs: list[Any]) -> Any:
        draw = random.Random(seed)
        known = list(xs)
        for _ in range(draw.randint(2, 12)):
            if draw.random() < 0.5:
                known.append(draw.choice(INFIX)(draw.choice(known), draw.choice(known)))
            else:
                row = draw.choice(NAMED)
                count = len(row.params) + (row.variadic and draw.randint(0, 2))
                args = [draw.choice(known) for _ in range(count)]
                known.append(getattr(gradc.math, row.name)(*args))
        used = sum((gradc.math.tanh(x) for x in xs), known[-1])
        return used * 0.7 + draw.choice(known)

    return function


def by_value(function: Callable[..., Any], **inputs: Any) -> tuple[Any, list[Any]]:
    """The value of a function and its gradient, by a graph of Values."""
    named = {}
    for name, example in inputs.items():
        shape, flat = flatten(example)
        named[name] = nest([Value(float(x)) for x in flat], shape)
        if isinstance(example, np.ndarray):
            named[name] = np.array(named[name], dtype=object)
    found = function(**named)
    found.backward()
    return found.data, [x.grad for x in leaves(list(named.values()))]


@pytest.mark.long
@settings(law, max_examples=60)
@given(st.integers(0, 2**32))
def test_a_recording_computes_what_the_function_does(seed: int) -> None:
    compiled = gradc.trace(drawn(seed), xs=(3,))
    compiled.check(points=8).require()


@settings(law, max_examples=30)
@given(st.integers(0, 2**32))
def test_a_graph_compiles_to_what_it_computed(seed: int) -> None:
    draw = random.Random(seed)
    numbers = [draw.uniform(-2.0, 2.0) for _ in range(3)]
    xs = [Value(x) for x in numbers]
    result = drawn(seed)(xs)
    compiled = gradc.compile(result, inputs={"xs": xs})
    try:
        result.backward()
    except ZeroDivisionError:  # at a point where there is no derivative
        reject()
    value, (slopes,) = compiled.value_and_grad(numbers)
    size = 1e-9 * (1 + abs(result.data) + sum(abs(x.grad) for x in xs))
    assert value == pytest.approx(result.data, rel=1e-9, abs=size)
    assert list(slopes) == pytest.approx([x.grad for x in xs], rel=1e-9, abs=size)


# ---- what a function may be made of


def layer(A: Any, x: Any, b: Any) -> Any:
    h = np.exp(A @ x + b)
    return (h * h).sum() + np.sum(h) / np.float64(2.0) + h.mean() + np.dot(x, x)


def nested(w: Any, c: Any) -> Any:
    rows = [sum(a * a for a in row) for row in w]
    return rows[0] // 1 + rows[1] % 3 + c**2 - 2**c + round(c) + max(1, 2) * w[0][1]


class Model:
    """Something with a method, that can be called too."""

    def loss(self, w: Any) -> Any:
        return w[0] * w[1]

    __call__ = loss


CASES: list[tuple[Callable[..., Any], dict[str, Any]]] = [
    (
        layer,
        {"A": np.array([[1.0, -0.5], [0.3, 2.0]]), "x": np.ones(2), "b": [0.1, 0.2]},
    ),
    (nested, {"w": [[1.0, 2.0, 0.5], [0.1, -0.7, 1.0]], "c": 1.3}),
    (Model().loss, {"w": [2.0, 3.0]}),
    (Model(), {"w": [2.0, 3.0]}),
    (lambda x: x.sin().exp(), {"x": 0.5}),
    (functools.partial(nested, c=2.0), {"w": [[1.0, 2.0, 0.5], [0.1, -0.7, 1.0]]}),
]


@pytest.mark.parametrize("function, inputs", CASES)
def test_examples_give_shapes(function: Any, inputs: dict[str, Any]) -> None:
    compiled = gradc.trace(function, **inputs)
    value, slopes = compiled.value_and_grad(*inputs.values())
    wanted, gradient = by_value(function, **inputs)
    assert compiled.inputs == compiled.wrt == tuple(inputs)
    assert value == pytest.approx(wanted, rel=1e-14)
    assert list(leaves(slopes)) == pytest.approx(gradient, rel=1e-14)
    for own, example in zip(slopes, inputs.values()):
        assert flatten(own)[0] == flatten(example)[0]


def test_shapes_and_examples_give_the_same_code() -> None:
    example = [[1.0, 2.0, 0.5], [0.1, -0.7, 1.0]]
    first = gradc.trace(nested, w=(2, 3), c=())
    second = gradc.trace(nested, w=example, c=Value(2.0))
    assert first.source == second.source


@pytest.mark.long
@settings(law, max_examples=12)
@given(st.lists(st.lists(st.integers(1, 10), max_size=2), min_size=1, max_size=3))
@example([[9, 2, 4], [2, 2, 3], []])
def test_the_code_is_what_black_would_write(shapes: list[list[int]]) -> None:
    def total(**inputs: Any) -> Any:
        return sum(k * x * x for k, x in enumerate(leaves(list(inputs.values())), 1))

    named = {f"input_{k}" * 2: tuple(shape) for k, shape in enumerate(shapes)}
    for wrt in (None, [], list(named)[:1]):
        source = gradc.trace(total, {"wrt": wrt}, **named).source
        assert black.format_str(source, mode=black.Mode()) == source


def test_lines_come_from_python() -> None:
    def energy(w: Any, x: Any) -> Any:
        h = [[a * b for b in x] for a in w]
        two = h[0][0].sin() + h[1][1].sin()
        return two * two * w[0] + h[0][1].cos() * h[1][0] * x[1]

    line = energy.__code__.co_firstlineno
    source = gradc.trace(energy, w=(2,), x=(2,)).source
    quoted = f"# in line {line + 1}: h = [[a * b for b in x] for a in w]\n"
    assert f"    t1 = w_0 * x_0  {quoted}" in source
    assert f" = w_0 * x_1  # line {line + 1}\n" in source
    assert f"# line {line + 2}: two = h[0][0].sin() + h[1][1].sin()\n" in source
    assert f"# in d(line {line + 3})\n" in source
    assert "\ntest_lines" in source and ".energy of test_trace.py\n" in source


def test_lines_of_other_files_name_them(tmp_path: Path) -> None:
    file = tmp_path / "helper.py"
    file.write_text("def square(x):\n    cubed = x * x * x\n    return cubed * cubed\n")
    helper: dict[str, Any] = {}
    exec(compile(file.read_text(), str(file), "exec"), helper)
    source = gradc.trace(lambda x: helper["square"](x).sin() + 1, x=()).source
    assert "  # in helper.py:3: return cubed * cubed\n" in source
    assert "  # helper.py:3\n" in source


def test_a_module_stands_alone(tmp_path: Path) -> None:
    compiled = gradc.trace(layer, A=(2, 2), x=np.ones(2), b=np.ones(2))
    compiled.save(tmp_path / "layer.py")
    compiled.save(tmp_path / "layer.py")  # which gradc knows as its own
    found: dict[str, Any] = {}
    exec((tmp_path / "layer.py").read_text(), found)
    point = [[1.0, 2.0], [3.0, 4.0]], [0.1, 0.2], (0.3, 0.4)
    assert found["value_and_grad"](*point) == compiled.value_and_grad(*point)
    with pytest.raises(
        ValueError, match=r"A has shape \(2, 2\) but was given shape \(2,\)"
    ):
        found["value"]([1.0, 2.0], [0.1, 0.2], (0.3, 0.4))


# ---- options


def test_options() -> None:
    compiled = gradc.trace(nested, {"wrt": ["c"], "check": True}, w=(2, 3), c=())
    assert compiled.wrt == ("c",)
    assert len(compiled.grad([[1.0] * 3] * 2, 2.0)) == 1
    with pytest.raises(TypeError, match="unexpected keyword argument 'wtr'"):
        gradc.trace(nested, {"wtr": ["c"]}, w=(2, 3), c=())


def test_an_input_may_be_called_anything() -> None:
    compiled = gradc.trace(lambda **named: named["options"] * 2, options=())
    assert compiled(options=2.0) == 4.0
    with pytest.raises(ValueError, match="cannot be called 'a b'"):
        gradc.trace(lambda **named: named["a b"], **{"a b": ()})
    with pytest.raises(ValueError, match="the input 'w': it has no elements"):
        gradc.trace(lambda w: 1.0, w=(2, 0))
    with pytest.raises(ValueError, match="the input 'w': .* different lengths"):
        gradc.trace(lambda w: w[0][0], w=[[1.0], [2.0, 3.0]])


def test_pickles() -> None:
    compiled = gradc.trace(layer, A=(2, 2), x=np.ones(2), b=np.ones(2))
    copy = pickle.loads(pickle.dumps(compiled))
    point = [[1.0, 2.0], [3.0, 4.0]], [0.1, 0.2], (0.3, 0.4)
    assert copy.value_and_grad(*point) == compiled.value_and_grad(*point)
    report = copy.check()
    assert report.ok and "the recorded graph alone" in report.notes[0]


# ---- mistakes; each shows the line that is marked

OUTSIDE = Value(3.0)
KEPT: list[Any] = []


def in_a_library(x: Any) -> Any:
    return math.sin(x)  # here


def in_a_branch(x: Any, y: Any) -> Any:
    larger = x > y
    if larger:  # here
        return x
    return y


def in_max(x: Any) -> Any:
    return max(x, 0.0)  # here


def as_truth(x: Any) -> Any:
    return x and 1.0  # here


def as_float(x: Any) -> Any:
    y = x * 2
    return float(y) * x  # here


def as_index(x: Any) -> Any:
    return [1.0, 2.0][x]  # here


def by_data(x: Any) -> Any:
    return x.data * x  # here


def by_grad(x: Any) -> Any:
    return x.grad * x  # here


def by_backward(x: Any) -> Any:
    x.backward()  # here


def setting_data(x: Any) -> Any:
    x.data = 1.0  # here


def setting_grad(x: Any) -> Any:
    x.grad = 0.0  # here


def unused(x: Any, y: Any) -> Any:  # here
    return x * 2


def too_long(x: Any) -> Any:
    for _ in range(100):
        x = x * 1.5 + 1  # here
    return x


def nothing(x: Any) -> Any:  # here
    x * 2


def ragged(w: Any) -> Any:  # here
    return [w[0], [w[1]]]


def a_constant(x: Any) -> Any:  # here
    return 3.0


def a_comparison(x: Any) -> Any:  # here
    return x > 0


def from_outside(x: Any) -> Any:
    return x * 2 + OUTSIDE  # here


def from_before(x: Any) -> Any:
    return x + KEPT[0]  # here


def without_example(x: Any) -> Any:
    return gradc.data(x) * x  # here


MISTAKES: list[tuple[Callable[..., Any], str, str]] = [
    (in_a_library, "x", "is turned into a number\n.*gradc.math"),
    (in_a_branch, "x y", "decides a branch\n.*gradc.where"),
    (in_max, "x", "decides a branch\n.*gradc.math has min and max"),
    (as_truth, "x", "decides a branch"),
    (as_float, "x", "is turned into a number"),
    (as_index, "x", "is turned into a number"),
    (by_data, "x", "has no `.data`\n.*gradc.data"),
    (by_grad, "x", "has no `.grad`"),
    (by_backward, "x", "has no `backward`"),
    (setting_data, "x", "is changed in place"),
    (setting_grad, "x", "is changed in place"),
    (unused, "x y", "the input 'y' has no effect on the result"),
    (too_long, "x", "more operations than 20 are recorded\n.*max_ops"),
    (nothing, "x", "the function returns a NoneType"),
    (ragged, "w", "the function returns a list"),
    (a_constant, "x", "the function returns a float"),
    (a_comparison, "x", "the function returns a Condition"),
    (from_outside, "x", "a Value that is no input\n.*gradc.data"),
    (from_before, "x", "a value of another recording"),
    (without_example, "x", "is asked for its number\n.*by example"),
]
SHAPES: dict[str, Any] = {"x": (), "y": 1.5, "w": (2,), "m": (2, 2)}


@pytest.mark.parametrize("function, inputs, message", MISTAKES)
def test_mistakes_show_the_line(function: Any, inputs: str, message: str) -> None:
    gradc.trace(lambda x: KEPT.append(x) or x * 1, x=())
    KEPT[:-1] = []
    with pytest.raises(GradcError) as caught:
        shapes = {name: SHAPES[name] for name in inputs.split()}
        gradc.trace(function, {"max_ops": 20}, **shapes)
    error = caught.value
    words, _, hint = str(error).partition("\n")
    first, _, second = message.partition("\n.*")
    assert first in words and second in hint
    assert error.source is not None and error.line is not None
    assert error.source.text[slice(*error.source.line(error.line))].endswith("# here")
    assert "^^^" in hint


def test_a_comparison_is_no_number() -> None:
    for wrong in (lambda x: (x > 0) * x, lambda x: gradc.where(~(x > 0), x, 2)):
        with pytest.raises(TypeError, match="Condition"):
            gradc.trace(wrong, x=())


def test_a_list_is_left_as_it_is() -> None:
    def change(w: Any) -> Any:
        w[0] += 1
        return w[0] * w[1]

    with pytest.raises(TypeError, match="does not support item assignment"):
        gradc.trace(change, w=(2,))


def test_an_array_is_left_as_it_is() -> None:
    def change(w: Any) -> Any:
        w[0] += 1
        return w.sum()

    with pytest.raises(ValueError, match="read-only"):
        gradc.trace(change, w=np.ones(2))


def test_what_was_typed_in_has_a_line() -> None:
    typed: dict[str, Any] = {}
    exec(compile("def f(x):\n    return float(x)\n", "<stdin>", "exec"), typed)
    with pytest.raises(GradcError, match="^<stdin>:2: a recorded value is turned"):
        gradc.trace(typed["f"], x=())


def test_operands_that_are_no_numbers() -> None:
    for wrong in (None, object(), 1j):
        with pytest.raises(TypeError, match="unsupported operand"):
            gradc.trace(lambda x: x * wrong, x=())
    with pytest.raises(TypeError, match="sin takes"):
        gradc.trace(lambda x: gradc.math.sin(x, x), x=())


# ---- graphs


def test_graphs_by_their_inputs() -> None:
    x, y, rate = Value(1.5), Value(2.0), Value(0.1)
    compiled = gradc.compile((x * y).tanh() * rate + x, inputs={"p": [x, y]})
    value, ((dx, dy),) = compiled.value_and_grad([0.5, 0.25])
    assert value == pytest.approx(math.tanh(0.125) * 0.1 + 0.5)
    assert dx == pytest.approx(1 + 0.1 * 0.25 / math.cosh(0.125) ** 2)
    assert dy == pytest.approx(0.1 * 0.5 / math.cosh(0.125) ** 2)
    assert compiled.check().ok


def test_graphs_with_several_results() -> None:
    x, y = Value(1.5), Value(2.0)
    product = x * y
    rows = [[product, x], [y.exp(), product + 1.0]]
    array = gradc.compile(rows, inputs={"x": x, "y": y})
    assert array(3.0, 0.0) == ((0.0, 3.0), (1.0, 1.0))
    several = gradc.compile((product, [x, product.sin()]), inputs={"p": [x, y]})
    values, ((dx, dy), rest) = several.value_and_jacobian([3.0, 0.0])
    assert (values, dx, dy) == ((0.0, (3.0, 0.0)), 0.0, 3.0)
    assert rest == ((1.0, 0.0), (0.0, 3.0))
    assert array.check().ok and several.check().ok
    with pytest.raises(TypeError, match="inputs="):
        gradc.compile([x, 1.0], inputs={"x": x})


def test_second_derivatives_by_compiling_a_gradient() -> None:
    x = Value(0.7)
    outer = Value(x)
    (outer * outer.sin()).backward()
    compiled = gradc.compile(outer.grad, inputs={"x": x})
    value, (second,) = compiled.value_and_grad(1.1)
    assert value == pytest.approx(math.sin(1.1) + 1.1 * math.cos(1.1))
    assert second == pytest.approx(2 * math.cos(1.1) - 1.1 * math.sin(1.1))


def test_values_of_a_lower_level_are_constants() -> None:
    inner = Value(3.0)
    x = Value(Value(2.0))
    assert gradc.compile(x * inner, inputs={"x": x})(5.0) == 15.0
    assert gradc.compile((x * inner).data, inputs={"x": x.data})(5.0) == 15.0


def test_graphs_that_cannot_be_compiled() -> None:
    x, y = Value(1.5), Value(2.0)
    with pytest.raises(GradcError, match="'y' has no effect"):
        gradc.compile(x * 2, inputs={"x": x, "y": y})
    with pytest.raises(GradcError, match="'x' is no Value"):
        gradc.compile(x * 2, inputs={"x": 1.5})
    with pytest.raises(GradcError, match=r"'y\[1\]' is another input already"):
        gradc.compile(x * y, inputs={"x": x, "y": [y, x]})
    with pytest.raises(GradcError, match="more operations than 1 are recorded"):
        gradc.compile((x * y).sin(), inputs={"x": x, "y": y}, max_ops=1)
    with pytest.raises(GradcError, match="cannot compile: Fraction"):
        gradc.compile(x * Value(Fraction(1, 2)), inputs={"x": x})
    own = apply(OPS.define("own(x)", "Mine.", partials="1", python="{x}")["own"], x)
    with pytest.raises(GradcError, match="cannot compile: own"):
        gradc.compile(own, inputs={"x": x})
    with pytest.raises(TypeError, match="inputs="):
        gradc.compile(x * 2)
    for given in (None, 3, b"x", Path("x.txt"), []):
        with pytest.raises(TypeError, match="takes the text of a formula or Values, n"):
            gradc.compile(given)  # type: ignore[arg-type]


# ---- the check runs the Python function again


def frozen_branch(x: Any) -> Any:
    return x * x if gradc.data(x) > 0.5 else -x


def frozen_number(x: Any) -> Any:
    return x * gradc.data(x)


def frozen_count(w: Any) -> Any:
    total = w[0]
    for _ in range(int(gradc.data(w[1]))):
        total = total * 1.5
    return total + w[1]


def failing_elsewhere(x: Any) -> Any:
    if gradc.data(x) < 0:
        raise RuntimeError("negative")
    return x * 2


@pytest.mark.parametrize(
    "function, inputs",
    [
        (frozen_branch, {"x": 1.0}),
        (frozen_number, {"x": 1.0}),
        (frozen_count, {"w": [1.0, 3.0]}),
        (failing_elsewhere, {"x": 1.0}),
    ],
)
def test_control_flow_by_data_is_reported(function: Any, inputs: Any) -> None:
    compiled = gradc.trace(function, **inputs)
    assert "takes a number by gradc.data" in compiled.notes[0]
    (mistake,) = compiled.check().mistakes
    assert "where the Python function" in str(mistake)
    assert mistake.line == function.__code__.co_firstlineno
    with pytest.raises(GradcError, match="depends on data"):
        gradc.trace(function, {"check": True}, **inputs)


def test_a_number_that_changes_nothing_is_no_mistake() -> None:
    def shifted(w: Any) -> Any:
        largest = max(gradc.data(x) for x in w)
        return gradc.math.log(sum((x - largest).exp() for x in w)) + largest

    compiled = gradc.trace(shifted, w=[1.0, 2.0, 0.5])
    assert list(compiled.grad([1.0, 2.0, 0.5])[0]) == pytest.approx(
        [
            math.exp(x - math.log(sum(map(math.exp, (1.0, 2.0, 0.5)))))
            for x in (1, 2, 0.5)
        ]
    )


def test_the_check_finds_wrong_code() -> None:
    compiled = gradc.trace(nested, w=(2, 3), c=())
    compiled.source = compiled.source.replace("c * c", "c * c * c").replace("c**2", "c")
    assert not compiled.check().ok


def test_where_on_plain_values() -> None:
    assert gradc.where(True, 1.0, 2.0) == 1.0
    assert gradc.where(Value(1.0) > 2.0, 1.0, 2.0) == 2.0
    assert gradc.data(Value(Value(3.0))) == 3.0
    assert gradc.data(3.0) == 3.0


def test_doctests_of_the_modules() -> None:
    import doctest

    from gradc import compiler, nn
    from gradc import math as own

    for module in (compiler, own, nn):
        found = doctest.testmod(module)
        assert found.attempted and not found.failed


@pytest.mark.long
def test_a_long_chain_is_recorded() -> None:
    def chain(x: Any) -> Any:
        y = x
        for k in range(100_000):
            y = y + x * (1e-5 * k)
        return y

    compiled = gradc.trace(chain, x=())
    assert compiled.grad(1.0)[0] == pytest.approx(1 + 1e-5 * 99_999 * 100_000 / 2)


@pytest.mark.parametrize(
    "option", [{"emit": "hessian"}, {"wrt": "q"}, {"strict": True}]
)
def test_options_are_no_inputs(option: dict[str, Any]) -> None:
    """An option that stands among the inputs is told where it belongs."""
    with pytest.raises(GradcError, match="is an option, and no example of an input"):
        gradc.trace(lambda q: sum(x * x for x in q), q=(8,), **option)
    traced = gradc.trace(lambda q: sum(x * x for x in q), option, q=(8,))
    assert traced([1.0] * 8) == 8.0
    with pytest.raises(GradcError, match="stand options in a dict, and inputs by name"):
        gradc.trace(lambda q: q * q, 2.0)  # type: ignore[arg-type]


def test_what_is_no_number_is_not_written_as_one() -> None:
    with pytest.raises(GradcError, match="written as a number"):
        gradc.trace(lambda x: x * len(f"{x:.3f}"), x=2.0)
    assert gradc.trace(lambda x: x * len(f"{x}"), x=2.0)(0.0) == 0.0
    for x in (2.345, gradc.Value(2.345)):
        assert f"{x:.1f}" == "2.3"
    with pytest.raises(GradcError, match="is no operation of the table"):
        gradc.trace(lambda x: x * round(x, 2), x=2.0)
    with pytest.raises(GradcError, match="is no operation of the table"):
        round(gradc.Value(2.345), 2)
