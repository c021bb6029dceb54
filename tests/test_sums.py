"""The laws of sums: terms that make up a derivative are found, if they are as good."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradc import ir
from gradc.analysis.steady import is_as_accurate
from gradc.costs import cost
from gradc.evaluate import evaluate
from gradc.ir import Builder
from gradc.language.lower import read
from gradc.passes.recognise import recognise
from gradc.passes.sums import MULTIPLES, ONE, Multiple, Sum, Sums, Term
from tests.strategies import law
from tests.test_merge import compare, gradient_of

NODES = 6
POINTS = 5


def terms() -> st.SearchStrategy[Term]:
    node = st.sampled_from([ONE, *range(NODES)])
    return st.builds(Term, st.sampled_from(["mul", "div"]), node, node)


def sums() -> st.SearchStrategy[Sum]:
    signs = st.sampled_from(["add", "sub"])
    return st.builds(Sum, signs, terms(), terms(), st.sampled_from([1.0, 2.0, 0.5]))


def multiples() -> st.SearchStrategy[Multiple]:
    node = st.sampled_from(range(NODES))
    term = st.builds(Term, st.sampled_from(["mul", "div"]), node, node)
    ops = st.sampled_from(["mul", "div"])
    return st.builds(Multiple, ops, term, node, st.sampled_from(MULTIPLES))


def at(found: Sum | Multiple, point: list[float]) -> float:
    """What a form is where the nodes are these numbers."""
    known = [*point, 1.0]  # by position, of which -1 is the last one
    if isinstance(found, Multiple):
        x = found.term.at(known[found.term.x], known[found.term.y])
        by = known[found.by]
        return found.factor * (x * by if found.op == "mul" else x / by)
    x, y = (t.at(known[t.x], known[t.y]) for t in (found.first, found.second))
    return found.factor * (x + y if found.op == "add" else x - y)


@law
@given(sums() | multiples(), st.integers(0, 999))
def test_what_terms_make_up_is_found(wanted: Sum | Multiple, seed: int) -> None:
    random = Random(seed)
    points = [[random.uniform(0.5, 2.0) for _ in range(NODES)] for _ in range(POINTS)]
    wholes = [at(wanted, point) for point in points]
    if abs(wholes[0]) < 1e-3:
        return  # the terms are alike
    floats = [[point[a] for point in points] for a in range(NODES)]
    search = Sums([*floats, wholes], 0, range(NODES), lambda a: True)
    for found in [*search.of(NODES, frozenset())][:1]:
        point = [random.uniform(0.5, 2.0) for _ in range(NODES)]
        assert at(found, point) == pytest.approx(at(wanted, point), abs=1e-8)
        return
    pytest.fail(f"{wanted} is not found")


@law
@given(sums() | multiples(), st.integers(0, 999))
def test_a_form_is_built_as_it_is_written(drawn: Sum | Multiple, seed: int) -> None:
    random = Random(seed)
    builder = Builder()
    nodes = [builder.input(f"x{k}") for k in range(NODES)]
    one = builder.const(1.0)
    before = cost(builder.nodes)
    top = drawn.build(builder, lambda a: one if a == ONE else nodes[a])
    assert cost(builder.nodes) - before <= drawn.cost + 1e-9
    inputs = tuple(ir.Input(f"x{k}") for k in range(NODES))
    program = builder.finish(inputs, (top,), read("x").source)
    point = [random.uniform(0.5, 2.0) for _ in range(NODES)]
    names = {f"x{k}": x for k, x in enumerate(point)}
    assert evaluate(program, names)[0] == pytest.approx(at(drawn, point), abs=1e-12)


BOTH = "input x, y, z in [0.5, 2]\n"


def judged(new: str, old: str, domains: str = BOTH) -> bool:
    """Whether one formula may stand for another."""
    program = read(f"{domains}return {new}, {old}")
    return is_as_accurate(program, *program.outputs)


@pytest.mark.parametrize(
    "new, old",
    [
        ("x*x - y*y", "(x - y)*(x + y)"),
        ("x*x*z - y*y*z", "(x - y)*(x + y)*z"),
        ("x*x + y*y - 2*x*y", "(x - y)^2"),
        ("x*y - z*y", "(x - z)*y"),
        ("1 - cos(x - y)", "2*sin((x - y)/2)^2"),
        ("exp(x) - exp(y)", "exp(y)*expm1(x - y)"),
        ("log(x) - log(y)", "log1p((x - y)/y)"),
        ("x/y - z/y", "(x - z)/y"),
        ("sqrt(x - 1)*sqrt(x - 1)", "x - 1"),
    ],
)
def test_a_sum_that_cancels_is_refused(new: str, old: str) -> None:
    assert not judged(new, old)
    assert judged(old, old)


@pytest.mark.parametrize(
    "new, old",
    [
        ("x*z - y", "x*z - y"),
        ("x*x - y*z", "(x*x*x - x*y*z)/x"),
        ("(x - y)*(x + y)", "x*x - y*y"),
        ("x*y + z", "(x*y*z + z*z)/z"),
        ("x*x + y*y", "(x - y)^2 + 2*x*y"),
    ],
)
def test_a_sum_that_is_as_good_is_accepted(new: str, old: str) -> None:
    assert judged(new, old)


NORMAL = """\
input a, b in [2, 3], c in [-0.5, 0.5], x, y in [-1, 1]
A = [[a, c], [c, b]]
0.5*([x, y] @ inv(A) @ [x, y] + log(det(A)))
"""
TURNED = """\
input a, b in [-3, 3]
data x, y, u, v in [-1, 1]
(u - (x*cos(a) - y*sin(a))*b)^2 + (v - (x*sin(a) + y*cos(a))*b)^2
"""


MIRROR = """\
input m in [1, 1.2], n in [1.4, 1.8], a in [0.1, 1.2]
p = m*cos(a)
q = n*sqrt(1 - (m/n*sin(a))^2)
((p - q)/(p + q))^2
"""


@pytest.mark.parametrize("text", [NORMAL, TURNED, MIRROR])
def test_a_derivative_is_a_sum_of_what_is_there(text: str) -> None:
    before = gradient_of(text)
    after = ir.verify(recognise(before))
    assert cost(after.nodes) < cost(before.nodes) - 25.0
    random = Random(3)
    for _ in range(10):
        inside = {
            item.name: random.uniform(item.low or 0.0, item.high or 0.0)
            for item in before.inputs
        }
        compare(before, after, inside)


@law
@given(sums(), sums(), st.integers(0, 99))
def test_recognising_sums_keeps_the_function(one: Sum, other: Sum, seed: int) -> None:
    """Derivatives that are sums of what the value computes, written otherwise."""
    names = ["x", "y", "z", "x*y", "exp(-z)", "(x + z)", "1"]

    def written(drawn: Sum) -> str:
        terms = [
            f"{names[t.x]}{'*' if t.op == 'mul' else '/'}{names[t.y]}"
            for t in (drawn.first, drawn.second)
        ]
        return (" + " if drawn.op == "add" else " - ").join(terms)

    text = f"{BOTH}a = {written(one)}\nb = {written(other)}\nsqrt(2 + a^2)*exp(a*b) + a/(9 + b^2)"
    before = gradient_of(text)
    after = ir.verify(recognise(before))
    random = Random(seed)
    for _ in range(4):
        point = {item.name: random.uniform(0.5, 2.0) for item in before.inputs}
        compare(before, after, point)
