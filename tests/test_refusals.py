"""What a formula may say: it compiles or is refused in a sentence, and nothing else."""

from collections.abc import Iterator
from itertools import product
from random import Random

import pytest

import gradc
from gradc.errors import GradcError
from gradc.language.syntax import FUNCTIONS
from gradc.ops import OPS
from tests.conftest import load

CALLS = (*OPS.callables(), *FUNCTIONS, "where", "piecewise")
CONSTANTS = ("0", "-0.0", "1", "-1", "0.5", "1e308", "5e-324", "2", "3", "pi", "e")
VARIABLES = ("x", "y", "(1 - x)", "(x*y)", "x^2", "v[0]", "n")
OTHERS = ("v", "[x, y]", "[1, 0]", "[[x, 1], [0, y]]", "(x > 0)", "[]", "x.y", "sin")
OPERATORS = ("+", "-", "*", "/", "^", "@", "<", "==", "and")
FRAMES = (
    "{}",
    "{} + x",
    "x*{}",
    "{}/x",
    "-{}",
    "x^({})",
    "2^({})",
    "x@({})",
    "({})@v",
    "v[{}]",
    "where(x > 0, {}, x)",
    "where({} > 0, x, y)",
    "{0} if x > 0 else {0}",
    "sum({})",
    "sqrt({}) + x",
    "diff({}, x)",
    "hessian({}, x)",
    "jacobian({}, v)",
    "f(u) = u@{}; f(x)",
    "z = {}; z*z + x",
    "a = [{} for i in range(2)]; sum(a) + x",
    "return {}, x",
    "return p = {}, q = x",
)
DECLARED = "n = 2; input x, y, v[n]; "


def expression(random: Random, depth: int = 0) -> str:
    """A call or an operation on what is constant, on variables and on other things."""
    if depth == 3 or (depth and random.random() < 0.7):
        return random.choice(random.choice((CONSTANTS, VARIABLES, OTHERS)))
    if random.random() < 0.25:
        left, right = (expression(random, depth + 1) for _ in range(2))
        return f"({left} {random.choice(OPERATORS)} {right})"
    name = random.choice(CALLS)
    rows = [op for op in OPS.function(name) if not op.variadic] or [None]
    row = random.choice(rows)
    count = random.randint(1, 4) if row is None else len(row.params)
    args = ", ".join(expression(random, depth + 1) for _ in range(count))
    return f"{name}({args})"


def drawn(random: Random) -> str:
    """A formula, and maybe the declarations of its names."""
    text = random.choice(FRAMES).format(expression(random))
    return DECLARED + text if random.random() < 0.8 else text


def attempt(text: str, **options: bool | str) -> bool:
    """Compile a formula, or have it refused; whether it compiles."""
    try:
        gradc.compile(text, **options)  # type: ignore[arg-type]
    except GradcError as error:
        assert str(error)
        return False
    return True


def called(leaves: tuple[str, ...], most: int) -> Iterator[str]:
    """All calls of up to so many arguments."""
    for name in CALLS:
        for count in range(1, most + 1):
            for args in product(leaves, repeat=count):
                yield f"{name}({', '.join(args)})"


def test_what_is_no_formula_is_refused() -> None:
    found = [attempt(drawn(random)) for random in [Random(1)] for _ in range(400)]
    assert 50 < sum(found) < 350


@pytest.mark.parametrize("strict", [False, True])
def test_calls_on_constants(strict: bool) -> None:
    for text in called(("0", "1", "-1"), 2):
        attempt(f"{text} + x", strict=strict)


@pytest.mark.long
def test_all_that_is_no_formula_is_refused() -> None:
    random = Random(2)
    for k in range(2_000):
        outside = "raise" if k % 5 else "nan"
        attempt(drawn(random), strict=k % 7 == 0, outside=outside)


@pytest.mark.long
def test_all_calls() -> None:
    for text in called(("x", *CONSTANTS[:4]), 3):
        attempt(f"where(x > 0, {text}, x)" if len(text) % 2 else text)


@pytest.mark.long
def test_what_is_nearly_a_formula_is_refused() -> None:
    """The mistakes of the golden file, with a character more or less."""
    random = Random(3)
    for case in load("errors"):
        for _ in range(5 if case.written else 0):
            text, at = case.source, random.randrange(len(case.source) + 1)
            attempt(text[:at] + text[at + 1 :])
            attempt(text[:at] + random.choice("@()[],;=.:'\"!x1 \n") + text[at:])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("log(x, 1)", "log(x, 1) is infinite at x = 1.5"),
        ("log(x, -1)", "log(x, -1) is not a real number at x = 1.5"),
        ("x/0", "x/0 is infinite at x = 1.5"),
        ("sqrt(-1)", "sqrt(-1) is not a real number at x = 1.5"),
    ],
)
def test_what_has_no_value_in_a_branch(call: str, said: str) -> None:
    compiled = gradc.compile(f"where(x > 0, {call}, x)")
    assert compiled.value_and_grad(-1.5) == (-1.5, (1.0,))
    with pytest.raises(gradc.DomainError) as caught:
        compiled(1.5)
    assert caught.value.message == said
