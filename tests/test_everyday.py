"""Formulas as people type them, from many fields, without a domain.

They compile, their self-check passes, and the value is the same bits alone and beside
its derivatives, wherever both are numbers.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from tests.conftest import ROOT, compiled

FORMULAS = (ROOT / "tests" / "everyday.txt").read_text(encoding="utf-8").splitlines()
OFTEN = 18  # one of so many is tried in short runs
SPECIAL = (0.0, 1.0, -1.0, 1e-200, 1e200, 700.0, 1e-12, 1 + 1e-12)
NEAR = (0.0, 1e-9, 1e-5)

some = pytest.mark.parametrize(
    "text",
    [
        pytest.param(text, marks=[pytest.mark.long] if k % OFTEN else [])
        for k, text in enumerate(FORMULAS)
    ],
)


@some
def test_they_pass_their_check(text: str) -> None:
    report = compiled(text).check()
    assert not report.mistakes
    assert report.points


def points(random: Random, count: int) -> Iterator[list[float]]:
    """Points: of ordinary size, of any, with neighbours, with special numbers."""
    for k in range(60):
        found: list[float] = []
        for _ in range(count):
            x = random.uniform(0.1, 3.0)
            if k % 5:
                x = random.uniform(-1.0, 1.0) * 10.0 ** random.uniform(-5.0, 5.0)
            if k % 5 > 1 and found and random.random() < 0.4:
                x = found[-1] * (1.0 + random.choice(NEAR))
            if k % 5 > 2 and random.random() < 0.3:
                x = random.choice(SPECIAL)
            found.append(x if k % 5 == 4 else abs(x))
        yield found


def value_of(on: Callable[..., Any], point: list[float]) -> float | None:
    """A value, or the one beside a gradient; None if there is none."""
    try:
        found = on(*point)
    except (ValueError, ArithmeticError):
        return None
    return float(found[0] if isinstance(found, tuple) else found)


@some
def test_a_value_is_the_same_beside_its_gradient(text: str) -> None:
    f = compiled(text)
    module: dict[str, Any] = {}
    exec(f.source, module)
    told = 0
    for point in points(Random(text), len(f.inputs)):
        one = value_of(module["value"], point)
        other = value_of(module["value_and_grad"], point)
        assert None in (one, other) or repr(one) == repr(other), point
        told += None not in (one, other)
    assert told > 10


def written(text: str, *more: str) -> Iterator[ast.FunctionDef]:
    """The functions that a module computes its formula and derivatives with."""
    emit = ("value", *(more or ("gradient", "hessian")))
    for node in ast.parse(compiled(text, emit=emit).source).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("value"):
            yield node


def divisors(body: list[ast.stmt]) -> Iterator[str]:
    """What every path through some statements divides by."""
    found: list[ast.AST] = [*body]
    for node in found:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            yield ast.unparse(node.right)
        if isinstance(node, ast.If) and any(
            isinstance(inner, ast.Return) for inner in ast.walk(node)
        ):
            return
        if isinstance(node, ast.If | ast.IfExp):
            found.append(node.test)
        elif not isinstance(node, ast.BoolOp | ast.ExceptHandler):
            found += ast.iter_child_nodes(node)


def nothing_is_said_to_be_zero_where_a_divisor_is(text: str) -> None:
    for function in written(text):
        below = {*divisors(function.body)}
        for node in ast.walk(function):
            if isinstance(node, ast.IfExp) and ast.unparse(node.orelse) == "0.0":
                assert ast.unparse(node.test) not in {f"{x} != 0.0" for x in below}
            if isinstance(node, ast.If):
                zero = ast.unparse(node.body[0]).endswith(" = 0.0")
                asked = ast.unparse(node.test) in {f"{x} == 0.0" for x in below}
                assert not (zero and asked), ast.unparse(node.test)


def no_statement_only_copies_but_in_a_branch(text: str) -> None:
    for function in written(text):
        for node in function.body:
            if isinstance(node, ast.Assign):
                assert not isinstance(node.value, ast.Name), text


def branches_begin_and_end_with_different_statements(text: str) -> None:
    """What they share stands before or behind them."""
    for function in written(text, "gradient"):
        for node in ast.walk(function):
            if isinstance(node, ast.If) and node.orelse:
                for k in (0, -1):
                    one, other = map(ast.unparse, (node.body[k], node.orelse[k]))
                    assert one != other, one


def remarks_say_something(text: str) -> None:
    """What leaves something out is said once; no name says what its remark says."""
    functions = compiled(text).source.split("\n\n\n")
    for function in [f for f in functions if f.startswith("def value")]:
        found = [line.split("  # ") for line in function.split("\n") if "  # " in line]
        said = [remark for _, remark in found]
        short = [remark for remark in said if "..." in remark]
        assert len({*short}) == len(short)
        for code, remark in found:
            assert any(c.isalnum() for c in remark.removeprefix("in "))
            is_clipped = remark.rstrip(")").endswith("...")
            assert is_clipped or remark.count("(") == remark.count(")")
            name = code.split()[0]
            assert remark != f"in d({name.removeprefix('d_')})" or name[:2] != "d_"


@some
def test_their_modules_are_well_written(text: str) -> None:
    nothing_is_said_to_be_zero_where_a_divisor_is(text)
    no_statement_only_copies_but_in_a_branch(text)
    branches_begin_and_end_with_different_statements(text)
    remarks_say_something(text)


SOFT = "exp({})/(exp(a) + exp(b) + exp(c))"
SHARES = [SOFT.format(name) for name in "abc"]


@pytest.mark.parametrize(
    "text",
    [
        "-(" + " + ".join(f"{p}*log({p})" for p in SHARES) + ")",
        "-(" + " + ".join(f"y*log({p})" for p in SHARES) + ")",
        " + ".join(f"{p}*log({p})" for p in SHARES[:2]),
    ],
)
def test_nothing_is_multiplied_by_zero(text: str) -> None:
    for function in written(text, "gradient"):
        for node in ast.walk(function):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
                assert "0.0" not in map(ast.unparse, (node.left, node.right))
