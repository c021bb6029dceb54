"""No function computes again, in its text, what it has in a variable."""

import ast
from collections.abc import Iterator, Sequence

import pytest

from tests.benchmarks.cases import READ, Case

DENSITY = Case(
    "Beta density",
    "gamma(a + b)/(gamma(a)*gamma(b))*x^(a - 1)*(1 - x)^(b - 1)",
    expert=[],
)
Known = dict[str, tuple[str, frozenset[str]]]  # by an expression, who has it, of whom


def certain(expression: ast.expr) -> Iterator[ast.expr]:
    """What is computed of an expression whatever is taken in it."""
    stack = [expression]
    while stack:
        part = stack.pop()
        yield part
        if isinstance(part, ast.IfExp):
            stack.append(part.test)
        elif isinstance(part, ast.BoolOp):
            stack.append(part.values[0])
        else:
            stack += [c for c in ast.iter_child_nodes(part) if isinstance(c, ast.expr)]


def names(expression: ast.expr) -> frozenset[str]:
    return frozenset(n.id for n in ast.walk(expression) if isinstance(n, ast.Name))


def repeats(source: str, function: str = "value_and_grad") -> list[str]:
    """The expressions in a function that a variable holds where they stand."""
    (body,) = [
        part.body
        for part in ast.parse(source).body
        if isinstance(part, ast.FunctionDef) and part.name == function
    ]
    found: list[str] = []
    walk(body, {}, found)
    return found


def walk(body: Sequence[ast.stmt], known: Known, found: list[str]) -> Known:
    """Add what is repeated in some statements, and return what is known behind them."""
    for statement in body:
        if isinstance(statement, ast.Try):
            known = walk(statement.body, known, found)
        elif isinstance(statement, ast.If):
            found += asked(statement.test, known)
            yes = walk(statement.body, known, found)
            no = walk(statement.orelse, known, found)
            known = {k: who for k, who in yes.items() if no.get(k) == who}
        elif isinstance(statement, (ast.Assign, ast.Return)):
            assert statement.value is not None
            found += asked(statement.value, known)
            if isinstance(statement, ast.Assign):
                known = after(statement, known)
    return known


def asked(expression: ast.expr, known: Known) -> list[str]:
    parts = (p for p in certain(expression) if isinstance(p, (ast.BinOp, ast.Call)))
    return [ast.unparse(part) for part in parts if ast.dump(part) in known]


def after(statement: ast.Assign, known: Known) -> Known:
    """What is known behind an assignment."""
    (target,) = names(statement.targets[0])
    kept = {k: v for k, v in known.items() if target != v[0] and target not in v[1]}
    value = statement.value
    if isinstance(value, (ast.BinOp, ast.Call)) and target not in names(value):
        kept[ast.dump(value)] = (target, names(value))
    return kept


def test_repeats_are_found() -> None:
    source = """
def value_and_grad(x, y):
    t1 = x*y
    if x > 0:
        t2 = exp(x*y)
    else:
        t1 = x + y
        t2 = x*y
    t3 = x*y
    return t3, sin(y + x*y)
"""
    assert repeats(source) == ["x * y", "x * y"]


@pytest.mark.some(5)
@pytest.mark.parametrize("case", [DENSITY, *READ], ids=lambda case: case.name)
def test_no_function_computes_again_what_it_has(case: Case) -> None:
    assert not repeats(case.compiled.source, case.function)
