"""Code of branches: what each path computes, how it reads, and how much longer it gets."""

import re
from collections.abc import Callable
from random import Random
from time import process_time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gradc
from gradc.analysis.guards import Guards, place
from gradc.analysis.implied import Implied
from gradc.ir import COMPARISONS, Builder, Program
from gradc.passes.copies import RETURN
from gradc.passes.decide import decide
from gradc.passes.parts import MOST, crowd
from gradc.passes.paths import ROOM, SHARE, paths
from gradc.source import Source
from gradc.targets import pages, python
from tests.benchmarks.count import count
from tests.strategies import formula

# Formulas of everyday, whose derivatives or removable singularities have branches.
EVERYDAY = [
    "p*log(p/q) + (1-p)*log((1-p)/(1-q))",
    "th^2/T^2*exp(th/T)/(exp(th/T)-1)^2",
    "vmax*s^n/(k^n+s^n)",
    "(x^(1-g)-1)/(1-g)",
    "P*r*(1+r)^n/((1+r)^n-1)",
    "x^a*y^(1-a)",
    "(th_s-th_r)/(1+(a*h)^n)^(1-1/n)+th_r",
    "(a*x^r+(1-a)*y^r)^(1/r)",
    "x/(exp(x)-1)",
    "a*log(1+b*x)/b",
    "abs(x) + max(x, y)",
    "where(x > 1, x*y, x + y)*where(x > 0, exp(y), y)",
]
GROWN = 4.5  # twice the branches may take so many times as long, on a busy machine


def functions(source: str) -> list[str]:
    """The texts of the functions of a module."""
    return re.findall(r"^def value.*?(?=\n\n\n|\Z)", source, re.S | re.M)


# A series that is asked for its error has a logarithm in common with what is behind it,
# and what a power is of, which is a power itself, is asked for by both of its slopes.
SHARING = {"(x^(1-g)-1)/(1-g)", "(th_s-th_r)/(1+(a*h)^n)^(1-1/n)+th_r"}


@pytest.mark.parametrize("text", [t for t in EVERYDAY if t not in SHARING])
def test_no_block_asks_several_conditions_whether_it_is_needed(text: str) -> None:
    for function in functions(gradc.compile(text).source):
        for line in function.splitlines():
            if re.match(r" +(el)?if ", line) and "isfinite" not in line:
                assert not re.search(r"\b(or|not \w+ (and|or))\b", line), function


@pytest.mark.parametrize(
    "text",
    [
        "(th_s-th_r)/(1+(a*h)^n)^(1-1/n)+th_r",
        "(u^th + v^th)^(1/th)",
        "(p^q + (1 - p)^q)^(1/(1 - q))",
        "Ks*Se^(1/2)*(1 - (1 - Se^(1/m))^m)^2",
        "(u^-th + v^-th - 1)^(-1/th)",
    ],
)
def test_cases_with_names_are_few_and_differ(text: str) -> None:
    for function in functions(gradc.compile(text).source):
        cases = re.findall(r"^ +case\d+ = (.*)", function, re.M)
        assert len(cases) == len({*cases}) <= 3, function


@pytest.mark.parametrize("text", EVERYDAY)
def test_the_value_is_the_same_beside_its_gradient(text: str) -> None:
    f = gradc.compile(text)
    module: dict[str, Callable[..., float]] = {}
    exec(f.source, module)
    random = Random(3)
    for _ in range(60):
        point = [
            random.choice((0.01, 0.3, 1.0, 3.0)) * random.random() for _ in f.inputs
        ]
        try:
            both = f.value_and_grad(*point)
        except ValueError:  # no real number
            continue
        alone = module["value"](*point)
        assert alone.hex() == both[0].hex() == f(*point).hex()


@pytest.mark.parametrize("text", EVERYDAY)
@pytest.mark.some(3)
def test_no_path_does_more_than_before(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    after = gradc.compile(text).source
    monkeypatch.setattr(python, "parted", lambda function: function)
    before = gradc.compile(text).source
    for name in ("value", "value_and_grad"):
        assert sum(count(after, name)) <= sum(count(before, name))


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.some(3)
def test_a_function_grows_by_no_more_than_its_room(seed: int) -> None:
    f = gradc.compile(formula(Random(seed), lines=4).text)
    for function in f.functions.values():
        program, outputs = pages.needed(function)
        found = paths(program, outputs, bool(function.finite))
        if found is not program:
            size = sum(found.alive)
            ends = sum(node[0] == RETURN for node in found.nodes)
            room = max(ROOM, int(SHARE * (len(program.nodes) + 2)))
            # A join of copies is a conditional, which is not counted.
            joins = sum(node[0] == "where" for node in found.nodes)
            assert size <= len(program.nodes) + room + joins + 2 * ends


def chain(branches: int) -> str:
    """A piecewise formula of so many pieces."""
    pieces = [f"({k + 1}*sin(x*y + {k}), x < {k})" for k in range(branches)]
    return f"piecewise({', '.join(pieces)}, x*y)"


def nest(branches: int) -> str:
    """A formula of so many conditions, and what all of their branches share."""
    text = "x*y"
    for k in range(branches):
        text = f"where(x > {k}, log(x)*{k + 2}, {text})"
    return text


@pytest.mark.parametrize(
    ("draw", "sizes"), [(chain, (50, 500, 1000)), (nest, (20, 200, 400))]
)
@pytest.mark.some(3)
def test_code_grows_as_the_branches_do(
    draw: Callable[[int], str], sizes: tuple[int, ...]
) -> None:
    lines, times = [], []
    for size in sizes:
        start = process_time()
        lines.append(len(gradc.compile(draw(size)).source.splitlines()))
        times.append(process_time() - start)
    assert lines[2] - lines[1] < 1.5 * (lines[1] - lines[0])
    assert times[2] < GROWN * max(times[1], 0.2)


@settings(
    max_examples=100,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([*COMPARISONS]), st.sampled_from([-1.0, 0.0, 0.5, 2.0])
        ),
        min_size=2,
        max_size=6,
    ),
    st.floats(),
)
def test_what_a_comparison_implies_holds(
    drawn: list[tuple[str, float]], x: float
) -> None:
    builder = Builder()
    position = builder.input("x")
    limits = {
        builder.add(op, position, builder.const(limit)): (op, limit)
        for op, limit in drawn
    }
    implied = Implied(builder.nodes)
    for i, (op, limit) in limits.items():
        holds = COMPARISONS[op](x, limit)
        for j, branch in implied.by((i, holds)):
            other, bound = limits[j]
            assert COMPARISONS[other](x, bound) == branch


def test_a_weaker_condition_guards_what_a_stronger_one_does() -> None:
    text = "where(x > 0, sin(x), y) * where(x > 1, exp(sin(x)), y)"
    program = gradc.compile(text).program
    guards = Guards(program)
    placed = place(program, guards, program.outputs[:1])
    sine = next(i for i, node in enumerate(program.nodes) if node[0] == "sin")
    assert len(guards.members[placed[sine]]) == 1


def branching(random: Random, count: int) -> Program:
    """A program of conditionals and sums of nodes not far before."""
    builder = Builder()
    nodes = [builder.input(name) for name in "uvwxyz"]
    for _ in range(count):
        x, y, z, w = (random.choice(nodes[-12:]) for _ in range(4))
        if random.random() < 0.4:
            nodes.append(builder.add("where", builder.add("lt", x, y), z, w))
        else:
            nodes.append(builder.add("mul", x, y))
    return builder.finish((), tuple(nodes[-2:]), Source(""))


@pytest.mark.parametrize("seed", range(100))
def test_a_guard_has_no_more_contexts_than_its_bound(seed: int) -> None:
    """By the bound large functions are called without that their guards are made."""
    random = Random(seed)
    program = branching(random, random.choice((10, 20, 30)))
    most = crowd(program, program.outputs)
    if most <= MOST:
        for plain in (False, True):
            members = decide(program, plain)[1].members
            assert max(map(len, members)) <= most
