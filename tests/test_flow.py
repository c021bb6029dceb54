"""Long formulas are read in parts: what comes of them, and what is said, is the same."""

from collections.abc import Sequence
from random import Random
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradc.errors import GradcError, LimitMistake
from gradc.ir import Program
from gradc.language import flow
from gradc.language.limits import MAX_OPS
from gradc.language.lower import lower
from gradc.language.parse import Parser, parse
from gradc.ops import OPS
from gradc.errors import Source
from tests.benchmarks.graphs import deep_nest, many_inputs, random_graph, wide_sum
from tests.strategies import Formula, formulas
from tests.test_parse import TOKENS, lines

ROWS = (1, 4, 30)


def whole(text: str, inputs: Sequence[str] | None = None) -> Program | str:
    """The program of a formula that is read as a whole, or what is wrong with it."""
    try:
        return lower(parse(text), inputs=inputs)
    except GradcError as error:
        return str(error)


def fields(program: Program) -> list[str]:
    return [repr(getattr(program, name)) for name in vars(program)]


def require_same(text: str, inputs: Sequence[str] | None = None) -> int:
    """How often a formula could be read in parts; its program is the same then."""
    expected, count = whole(text, inputs), 0
    for rows in ROWS:
        try:
            found = flow.in_parts(Source.read(text), OPS, inputs, rows=rows)
        except GradcError:
            continue
        if found is not None:
            assert isinstance(expected, Program), expected
            assert fields(found[1]) == fields(expected)
            count += 1
    return count


@settings(max_examples=40, deadline=None)
@given(formulas())
def test_programs_are_the_same(drawn: tuple[Formula, Random]) -> None:
    require_same(drawn[0].text)


@settings(max_examples=40, deadline=None)
@given(lines(st.sampled_from(TOKENS)))
def test_lines_of_any_kind_are_the_same(text: str) -> None:
    require_same(f"input x, y, r, f\n{text}")


@pytest.mark.parametrize(
    "text",
    [
        random_graph(300).formula(),
        wide_sum(50),
        deep_nest(50),
        many_inputs(40),
        "input x in [0, 2*pi], y\nr = x*y # note\nt = where(r > 1, r, 0.1)/3\nt + e",
        "input x\na = x*x\n\n# the last line binds\nb = a + 1/3;\n\n# done\n",
    ],
)
def test_what_can_be_read_in_parts_is(text: str) -> None:
    assert require_same(text) == len(ROWS)


@pytest.mark.parametrize(
    "text",
    [
        "input x\na = x\nb = c\nc = x\nb",
        "input x\na = x\nx = a\na",
        "input x\na = x\nb = a\na = b\na",
        "input x\na = x\nb = b + a\nb",
        "input x\na = x\ne = e + a\ne",
        "input x\na = x*pi\nb = a\npi = 3\nb*pi",
        "input x in [0, e]\na = x\nb = a\ne = 3\nb*e",
        "input x\na = x\nb = tau(a)\nb",
        "input x\na = x\ninput y\nb = a*y\nb",
        "a = x\ninput x\nb = a*x\nb",
        "input x\na = x\nf(u) = u*a\nb = f(x)\nb",
        "input x\na = x\nb = sum(k*a for k in [1, 2])\nb",
        "input x\na = x\na\na*a",
        "input x\na = x\nb = sin(a, x)\nb",
        "input x in [0, q]\na = x\na",
        "input x\na = x\nreturn a\na*x",
        "input x\na = x\nreturn a, x",
        "input x\na = x\nb = a +",
        "a = x\nb = a*y\nb",
        "input x\na = x\ninput y",
    ],
)
def test_what_has_to_be_seen_as_a_whole_is(text: str) -> None:
    require_same(text)
    require_same(text, ["x"])
    require_same(text, ["b", "x"])
    expected = whole(text)
    with patch.object(flow, "LONG", 0):
        try:
            found: Program | str = flow.read(Source.read(text))[1]
        except GradcError as error:
            found = str(error)
    assert str(found) == str(expected)


def test_long_formulas_need_no_room_for_their_rows() -> None:
    """What is read is gone before the next part."""
    text = random_graph(3000).formula()
    sizes = [len(part.rows) for part in Parser(Source(text)).parts(100)]
    assert max(sizes) < 110 and len(sizes) > 50


@pytest.mark.parametrize(
    ("text", "most"),
    [("input x\n" + "a = x\n" * 50 + "a", MAX_OPS), ("input x\nx+x*x+x", 2)],
)
def test_what_is_too_large_is_not_read_again(text: str, most: int) -> None:
    with (
        patch.object(flow, "LONG", 0),
        patch.object(flow, "parse", side_effect=AssertionError),
        patch("gradc.language.lexer.MAX_TOKENS", 100),
        pytest.raises(LimitMistake),
    ):
        flow.read(Source.read(text), max_ops=most)
