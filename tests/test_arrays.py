"""Arrays: the same as written out by hand, and what NumPy makes of them."""

import re
from random import Random
from typing import Any

import numpy as np
import pytest

import gradc
from gradc.checking.check import unroll
from gradc.errors import GradcError
from gradc.ir import Builder, Program, arguments, listing
from gradc.language import limits
from gradc.language.parse import parse
from gradc.run import evaluate
from tests.conftest import read
from tests.strategies import verify

Shape = tuple[int, ...]


def canonical(program: Program) -> str:
    """A program in the order in which its outputs need the nodes."""
    builder = Builder(program.ops)
    new: dict[int, int] = {}
    stack = list(reversed(program.outputs))
    while stack:
        missing = [a for a in arguments(program.nodes[stack[-1]]) if a not in new]
        if missing:
            stack += missing[::-1]
        else:
            i = stack.pop()
            new[i] = builder.copy(program, i, new)
    return listing(builder.follow(program, [new[i] for i in program.outputs]))


def by_hand(text: str) -> str:
    """The canonical program of a formula with x0, A10 for x[0], A[1, 0]."""
    found = canonical(read("input x0, x1, x2, y0, y1, y2, A00, A01, A10, A11\n" + text))
    return re.sub(
        r"input (\w)(\d+)", lambda m: f"input {m[1]}[{']['.join(m[2])}]", found
    )


SAME = {
    "x[0] + x[-1]*A[1, 0] - A[0][-1]": "x0 + x2*A10 - A01",
    "sum(x)": "x0 + x1 + x2",
    "sum(x*y)": "x0*y0 + x1*y1 + x2*y2",
    "sum(x[i]*y[i] for i in range(3))": "x0*y0 + x1*y1 + x2*y2",
    "sum(u for u in sin(x))": "sin(x0) + sin(x1) + sin(x2)",
    "sum(x[1:])": "x1 + x2",
    "sum(x[::-1])": "x2 + x1 + x0",
    "sum(A[1])*sum(A[:, 0])": "(A10 + A11)*(A00 + A10)",
    "sum(A)": "A00 + A01 + A10 + A11",
    "sum(2*x + 1)": "(2*x0 + 1) + (2*x1 + 1) + (2*x2 + 1)",
    "sum([x[0], 3, y[1]])": "x0 + 3 + y1",
    "sum([x, y][1]^2)": "y0^2 + y1^2 + y2^2",
    "prod(x)": "x0*x1*x2",
    "prod(y for y in A[0])": "A00*A01",
    "mean(x)": "(x0 + x1 + x2)/3",
    "max(x) - min(x, y)[1]": "max(x0, x1, x2) - min(x1, y1)",
    "logsumexp(x) + hypot(y)": "logsumexp(x0, x1, x2) + hypot(y0, y1, y2)",
    "norm(x - y)": "hypot(x0 - y0, x1 - y1, x2 - y2)",
    "sum(cumsum(x))": "x0 + (x0 + x1) + (x0 + x1 + x2)",
    "sum(where(x > y, x, 0))": "where(x0 > y0, x0, 0) + where(x1 > y1, x1, 0)"
    " + where(x2 > y2, x2, 0)",
    "sum(x[i] for i in range(3) if i != 1)": "x0 + x2",
    "sum(A[i, j] for i in range(2) for j in range(i + 1))": "A00 + A10 + A11",
    "sum(A[i, j] for i in range(2) if i > 0 for j in range(2) if i == j)": "A11",
    "sum(sum(x[i]*v for v in A[i]) for i in range(2))": "(x0*A00 + x0*A01)"
    " + (x1*A10 + x1*A11)",
    "sum(len(x)*x[i] for i in range(2, 0, -1))": "3*x2 + 3*x1",
    "n = 2; sum(x[n - i]/i for i in range(1, n + 1))": "x1/1 + x0/2",
    "n = 2; x[n] + n": "x2 + 2",
    "sum(x[i + 1] - x[i] if i + 1 < len(x) else y[0] for i in range(3))": "(x1 - x0)"
    " + (x2 - x1) + y0",
    "sum(x) if len(x) == 3 else x[7]": "x0 + x1 + x2",
    "sum(norm(A[i + 1] - A[i]) if i < 1 else 0 for i in range(2))": "hypot(A10 - A00,"
    " A11 - A01) + 0",
    "sum(1 if i < 2 and x[i + 1] > x[i] else 0 for i in range(3))*x[0]": "(where(x1 > x0,"
    " 1, 0) + where(x2 > x1, 1, 0) + 0)*x0",
    "sum(x[i + 1] if x[i] > 0 and i < 2 else 0 for i in range(3))": "where(x0 > 0, x1, 0)"
    " + where(x1 > 0, x2, 0) + 0",
    "f(u, v) = u*v; sum(f(x, y)) + f(x[0], 2)": "x0*y0 + x1*y1 + x2*y2 + x0*2",
    "f(u) = [u[1], u[0]]; f(x)[0] - f(f(y))[1]": "x1 - y1",
    "f(v, i) = v[i]; f(x, 1)": "x1",
    "sum(p[0]*x[p[1]] for p in [[2, 0], [3, 1]])": "2*x0 + 3*x1",
    "sum([i for i in range(4)][1:])*x[0]": "6*x0",
    "x[0] + sum(x[0]*i for i in range(0)) + prod(x[3:])": "x0 + 0 + 1",
    "where(len(x) > 2, x[2], y[0])": "x2",
    "sum(x[0] if i > 0 and not i == 2 else x[1] for i in range(3))": "x1 + x0 + x1",
    "sum(i for i in x) + sum(i*i for i in [x[0]])": "x0 + x1 + x2 + x0*x0",
    "x[2^(3 - 2)] + x[mod(-1, 3)] + x[floor(2/2)]": "x2 + x2 + x1",
    "return x[0], x[1:]*y[0]": "[x0, x1*y0, x2*y0]",
    "return e = x[0]*y[0], 2*e": "[x0*y0, 2*(x0*y0)]",
    "return e = sum(x), f = -x[:2], x[0]": "[x0 + x1 + x2, -x0, -x1, x0]",
}


@pytest.mark.parametrize("text", SAME)
def test_arrays_are_the_same_as_written_out(text: str) -> None:
    program = verify(read("input x[3], y[3], A[2,2]\n" + text))
    assert canonical(program) == by_hand(SAME[text])


# Against NumPy

UNARY = {"sin": np.sin, "exp": np.exp, "tanh": np.tanh, "abs": np.abs}
BINARY = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}
CALLED = {"max": np.maximum, "hypot": np.hypot, "atan2": np.arctan2}
REDUCED = {"sum": np.sum, "prod": np.prod, "mean": np.mean, "max": np.max}


class Draw:
    """Random expressions of arrays, each with what NumPy computes for it."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.shapes: list[Shape] = [(3,), (2, 3), ()]
        rng = np.random.default_rng(random.randint(0, 10**6))
        self.arrays = {
            name: rng.uniform(0.5, 2.0, shape)
            for name, shape in (("x", (3,)), ("y", (3,)), ("A", (2, 3)), ("B", (2, 3)))
        }

    def expression(self, shape: Shape, depth: int) -> tuple[str, Any]:
        random = self.random
        if depth == 0 or random.random() < 0.2:
            return self.leaf(shape)
        kind = random.randrange(5)
        if kind == 0:
            name = random.choice([*UNARY])
            text, value = self.expression(shape, depth - 1)
            return f"{name}({text})", UNARY[name](value)
        if kind == 1 and not shape:
            name = random.choice([*REDUCED])
            text, value = self.expression(random.choice(self.shapes[:2]), depth - 1)
            return f"{name}({text})", REDUCED[name](value)
        if kind == 2:
            (a, x), (b, y) = self.both(shape, depth - 1)
            name = random.choice([*CALLED])
            return f"{name}({a}, {b})", CALLED[name](x, y)
        if kind == 3:
            (a, x), (b, y) = self.both(shape, depth - 1)
            (c, z), (d, w) = self.both(shape, depth - 1)
            return f"where({a} < {b}, {c}, {d})", np.where(x < y, z, w)
        (a, x), (b, y) = self.both(shape, depth - 1)
        sign = random.choice([*BINARY])
        return f"({a} {sign} {b})", BINARY[sign](x, y)

    def both(self, shape: Shape, depth: int) -> list[tuple[str, Any]]:
        """Two operands whose result has the shape: one of them may be a number."""
        shapes = [shape, self.random.choice([shape, ()])]
        self.random.shuffle(shapes)
        return [self.expression(one, depth) for one in shapes]

    def leaf(self, shape: Shape) -> tuple[str, Any]:
        random, arrays = self.random, self.arrays
        if shape == ():
            i, j = random.randrange(-2, 2), random.randrange(-3, 3)
            return random.choice(
                [(f"A[{i}, {j}]", arrays["A"][i, j]), (f"x[{j}]", arrays["x"][j])]
            )
        if shape == (3,):
            i = random.randrange(2)
            return random.choice(
                [
                    ("x", arrays["x"]),
                    ("y[::-1]", arrays["y"][::-1]),
                    (f"A[{i}]", arrays["A"][i]),
                    (f"B[{i}, -3:]", arrays["B"][i, -3:]),
                ]
            )
        return random.choice(
            [
                ("A", arrays["A"]),
                ("B[::-1, :]", arrays["B"][::-1, :]),
                ("[x, y]", np.array([arrays["x"], arrays["y"]])),
                ("A[:, [0][0]:3:1]", arrays["A"]),
            ]
        )


@pytest.mark.parametrize("seed", range(60))
def test_arrays_are_those_of_numpy(seed: int) -> None:
    random = Random(seed)
    draw = Draw(random)
    shape = random.choice(draw.shapes)
    text, expected = draw.expression(shape, 4)
    compare(
        "input x[3], y[3], A[2,3], B[2,3]\nreturn r = " + text, draw.arrays, expected
    )


def compare(text: str, arrays: dict[str, Any], expected: Any) -> None:
    """Compare the result of a formula, and of the steps as written, with an array."""
    program = read(text)
    (result,) = program.results
    assert result.shape == np.shape(expected)
    point = {
        name + "".join(f"[{k}]" for k in place): float(x)
        for name, array in arrays.items()
        for place, x in np.ndenumerate(array)
    }
    for found in (program, unroll(parse(text), program)):
        np.testing.assert_allclose(
            evaluate(verify(found), point), np.ravel(expected), rtol=1e-13, atol=1e-15
        )


def test_softmax() -> None:
    x = np.array([1.0, -2.0, 0.5])
    expected = np.exp(x) / np.exp(x).sum()
    compare("input x[3]\nsoftmax(x)", {"x": x}, expected)
    large = gradc.compile("input x[2]\nsoftmax(x)[0]", strict=True)
    assert large.value_and_grad([800.0, 0.0]) == (1.0, ((0.0, 0.0),))


# Linear algebra


@pytest.mark.parametrize(
    ("text", "compute"),
    [
        ("A @ x", lambda A, B, x: A @ x),
        ("x @ B", lambda A, B, x: x @ B),
        ("A @ B", lambda A, B, x: A @ B),
        ("dot(x, x)*(x @ A @ x)", lambda A, B, x: np.dot(x, x) * (x @ A @ x)),
        ("dot(A, x) - 2*x", lambda A, B, x: np.dot(A, x) - 2 * x),
        ("transpose(B) @ A", lambda A, B, x: B.T @ A),
        ("cross(x, A[1])", lambda A, B, x: np.cross(x, A[1])),
        ("norm(A) + norm(x)", lambda A, B, x: np.linalg.norm(A) + np.linalg.norm(x)),
        (
            "inv(A) @ B - det(A)",
            lambda A, B, x: np.linalg.solve(A, B) - np.linalg.det(A),
        ),
    ],
)
def test_products_are_those_of_numpy(text: str, compute: Any) -> None:
    draw = np.random.default_rng(1)
    arrays = {"A": draw.uniform(-1, 1, (3, 3)), "B": draw.uniform(-1, 1, (3, 2))}
    arrays["x"] = draw.uniform(-1, 1, 3)
    expected = compute(**arrays)
    compare(f"input A[3,3], B[3,2], x[3]\n{text}", arrays, expected)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_determinant_and_inverse(n: int) -> None:
    A = np.random.default_rng(n).uniform(-1, 1, (n, n))
    compare(f"input A[{n},{n}]\n[det(A)]", {"A": A}, [np.linalg.det(A)])
    compare(f"input A[{n},{n}]\ninv(A)", {"A": A}, np.linalg.inv(A))


@pytest.mark.parametrize("n", [2, 3, 4])
def test_derivative_of_the_determinant(n: int) -> None:
    A = np.random.default_rng(n).uniform(-1, 1, (n, n))
    f = gradc.compile(f"input A[{n},{n}]\ndet(A)", check=True)
    cofactors = np.linalg.det(A) * np.linalg.inv(A).T
    (found,) = f.grad(A.tolist())
    np.testing.assert_allclose(found, cofactors, rtol=1e-12)


# Gradients, and the check


def test_products_have_gradients_at_zeros() -> None:
    f = gradc.compile("input x[4]\nprod(x)")
    assert f.value_and_grad([0.0, 2.0, 3.0, 4.0]) == (0.0, ((24.0, 0.0, 0.0, 0.0),))
    assert f.value_and_grad([0.0, 2.0, 0.0, 4.0]) == (0.0, ((0.0,) * 4,))


@pytest.mark.parametrize(
    "text",
    [
        "input w[3], b\ndata x[2,3], y[2]\n"
        "p = [sigmoid(sum(w*r) + b) for r in x]\n"
        "-sum(y*log(p) + (1 - y)*log(1 - p))",
        "input r[3,2]\nsum(1/norm(r[i] - r[j]) for i in range(3) for j in range(i))",
        "input x[4] in [1, 2]\nlogsumexp(log(x)) + max(x)*softmax(x)[1]",
    ],
)
def test_compiled_arrays_pass_their_check(text: str) -> None:
    gradc.compile(text, check=True)


# Size


def test_a_long_sum() -> None:
    program = read("input x[20000]\nsum(x[i]^2 for i in range(len(x)))")
    assert len(program.nodes) < 60_010


@pytest.mark.parametrize(
    "text",
    [
        "sum(x[0] for i in range(10^12))",
        "sum(x[0]*i*j for j in range(10^3) for i in range(10^5))",
        "sum([[x[0]*i for i in range(10^5)] for j in range(10^3)])",
    ],
)
def test_large_loops_are_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_STEPS", 10**6)
    with pytest.raises(GradcError) as caught:
        read(f"input x[3]\n{text}")
    assert caught.value.kind == "LimitMistake"
    place = text.index("i in ") + len("i in ")
    assert (caught.value.line, caught.value.column) == (2, place + 1)


def test_a_large_array_is_refused() -> None:
    with pytest.raises(GradcError, match="more than 2000000 operations"):
        read("input x[10^6, 10^6]\nx[0, 0]")


@pytest.mark.parametrize("text", ["y = x[3]; x[0]", "sum(x[i + 1] for i in range(3))"])
def test_an_entry_outside_is_refused_where_it_is_needed(text: str) -> None:
    with pytest.raises(GradcError, match="the index 3 is outside the array"):
        read(f"input x[3]\n{text}")


def test_names_of_loops_are_local() -> None:
    assert read("sum([a*i for i in range(3)])").inputs[0].name == "a"
    assert [i.name for i in read("i*sum([i*j for i in range(3)])").inputs] == ["i", "j"]
    with pytest.raises(GradcError, match="'i' is not declared"):
        read("input x\nsum([x for j in [i] for i in range(2)])")
