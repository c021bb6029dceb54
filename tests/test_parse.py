"""The parser: its table is Lark's, its rows are Lark's tree, and no text breaks it."""

import json
import random
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lark import Lark, Token
from lark.exceptions import UnexpectedInput
from lark.lexer import Lexer

from gradc.errors import RESERVED, GradcError, Source, grammar_text
from gradc.language import grammar
from gradc.language.parse import COMPARISONS, parse
from gradc.language.syntax import Result, Syntax
from tests.conftest import read


def built_table(text: str) -> list[Any]:
    """Ask Lark for the table of a grammar, in which signs stand for themselves."""
    lark: Any = Lark(text, parser="lalr", start="source")
    found = lark.parser.parser._parse_table
    signs = {t.name: t.pattern.value for t in lark.terminals}
    numbers = {rule: ~k for k, rule in enumerate(lark.rules)}
    moves = [
        (state, {signs.get(s, s): numbers.get(to, to) for s, (_, to) in row.items()})
        for state, row in found.states.items()
    ]
    rules = [_rule(rule) for rule in lark.rules]
    return [text, found.start_states["source"], moves, rules, sorted(signs.values())]


def _rule(rule: Any) -> grammar.Rule:
    size, every = len(rule.expansion), rule.options.keep_all_tokens
    counts = [
        i - size
        for i, part in enumerate(rule.expansion)
        if every or not (getattr(part, "filter_out", False) or part.name[0] == "_")
    ]
    return grammar.Rule(str(rule.origin.name), rule.alias, size, counts)


def test_the_shipped_table_is_that_of_the_grammar(bless: bool) -> None:
    text, path = grammar_text("expression.lark"), Path(grammar.SHIPPED)
    shipped, built = json.loads(path.read_bytes()), built_table(text)
    if bless and shipped[0] != text:
        path.write_text(json.dumps(built, separators=(",", ":")) + "\n")
        shipped = json.loads(path.read_bytes())
    assert shipped[0] == text and shipped[4] == built[4]
    # States are numbered as Lark likes; each asks for the same symbols.
    assert sorted(sorted(row) for _, row in shipped[2]) == sorted(
        sorted(row) for _, row in built[2]
    )
    assert sorted(map(str, shipped[3])) == sorted(str([*rule]) for rule in built[3])


# Lark as a witness: the same tokens, its own driver, a tree instead of rows

BETWEEN = re.compile(r"(?:[ \t\f\n]|\\[ \t\f]*\n|#[^\n]*)*")
# Mistakes that the grammar leaves to us, so that Lark does not see them.
LATE = "result|left side|never reached|last statement"

PIECES = [*"()[],;=+-*/^<>!%&|?:.@'\"\\#\n\t $~{}`", "x", "sin", "2", ".5", "1e", "0x1"]
PIECES += [
    *RESERVED,
    "input",
    "data",
    "==",
    "**",
    "//",
    "·",
    "²",
    "−",
    "é",
    "\0",
    "｛",
    "％",
]
TOKENS = [*"x y input data 2 3.5 ( ) + - * / ^ ** , < <= == != if else".split()]
TOKENS += [*"[ ] @ : for".split(), "for x in", "[x", "x["]
TOKENS += [*"and or not = return \n ; where( sin( f(".split(" "), "x in [0, 1]", "y"]


class OurTokens(Lexer):
    """Hands Lark the tokens of our own, under Lark's names."""

    def __init__(self, conf: Any) -> None:
        self.names = {
            t.pattern.value: t.name
            for t in conf.terminals
            if type(t.pattern).__name__ == "PatternStr"
        }

    def lex(self, data: str) -> Any:
        for kind, text, *_ in grammar.tokens(data, []):
            yield Token(self.names.get(kind, kind), text)


@cache
def witness() -> Lark:
    text = grammar_text("expression.lark")
    return Lark(text, parser="lalr", start="source", lexer=OurTokens)


def from_tree(tree: Any) -> str:
    """Write an expression of Lark's tree with all its brackets."""
    if isinstance(tree, Token):
        return str(tree)
    parts = [from_tree(child) for child in tree.children]
    name = str(tree.data)
    if name in ("variable", "order", "first", "more"):
        return " ".join(parts)
    if name == "number":
        return repr(float(parts[0]))
    if name == "call":
        return f"(call {' '.join(parts)})"
    names = {"comparison": "compare"}
    if name == "conditional":
        parts, name = [parts[1], parts[0], parts[2]], "where"
    return f"({names.get(name, name)} {' '.join(parts)})"


def from_rows(syntax: Syntax, last: int) -> str:
    """Write the same from the rows."""
    texts: list[str] = []
    for row in syntax.rows[: last + 1]:
        parts = [texts[i] for i in row.args]
        if row.op in ("number", "name"):
            texts.append(str(row.payload))
        elif row.op == "call":
            texts.append(f"(call {' '.join([str(row.payload), *parts])})")
        elif row.op in COMPARISONS.values():
            sign = next(s for s, op in COMPARISONS.items() if op == row.op)
            texts.append(f"(compare {parts[0]} {sign} {parts[1]})")
        else:
            texts.append(f"({row.op} {' '.join(parts)})")
    return texts[last]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(TOKENS), min_size=1, max_size=12).map(" ".join))
def test_driver_accepts_what_lark_accepts(text: str) -> None:
    try:
        witness().parse(text)
        accepted = True
    except UnexpectedInput:
        accepted = False
    try:
        parse(text)
    except GradcError as error:
        if accepted and error.kind == "SyntaxMistake":
            assert re.search(LATE, error.message), error
    else:
        assert accepted


@st.composite
def expressions(draw: st.DrawFn, depth: int = 4) -> str:
    """The text of a number, with brackets only where chance puts them."""
    if depth == 0:
        return draw(st.sampled_from(["x", "y", "2", "0.5", "input", "data"]))
    deeper = expressions(depth - 1)
    kind = draw(st.integers(0, 9))
    a, b = draw(deeper), draw(deeper)
    if kind < 4:
        return f"{a} {draw(st.sampled_from(['+', '-', '*', '/', '^', '**']))} {b}"
    if kind == 4:
        return f"{draw(st.sampled_from('+-'))}{a}"
    if kind == 5:
        return f"({a})"
    if kind == 6:
        return f"hypot({a}, {b})"
    if kind == 9:
        return f"[{a}, [{b}]][{draw(st.sampled_from(['0', 'x', '1, -1']))}]"
    sign, word = draw(st.sampled_from(["<", ">=", "=="])), draw(
        st.sampled_from(["and", "or"])
    )
    return f"({a} if {b} {sign} 1 {word} not {a} < {b} else {b})"


@settings(max_examples=100, deadline=None)
@given(expressions())
def test_rows_are_lark_tree(text: str) -> None:
    syntax = parse(text)
    result = syntax.statements[-1]
    assert isinstance(result, Result)
    tree = witness().parse(text)
    found = next(tree.find_data("binding")).children[0]
    assert from_rows(syntax, result.value) == from_tree(found)


def printed(syntax: Syntax, last: int) -> str:
    """Print an expression with brackets around every operator."""
    signs = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "^"}
    signs |= {op: sign for sign, op in COMPARISONS.items()} | {"and": "and", "or": "or"}
    texts: list[str] = []
    for row in syntax.rows[: last + 1]:
        parts = [texts[i] for i in row.args]
        if row.op in ("number", "name"):
            texts.append(str(row.payload))
        elif row.op == "call":
            texts.append(f"{row.payload}({', '.join(parts)})")
        elif row.op == "array":
            texts.append(f"[{', '.join(parts)}]")
        elif row.op == "index":
            texts.append(f"{parts[0]}[{', '.join(parts[1:])}]")
        elif row.op == "where":
            texts.append(f"({parts[1]} if {parts[0]} else {parts[2]})")
        elif row.op in signs:
            texts.append(f"({parts[0]} {signs[row.op]} {parts[1]})")
        else:
            sign = {"neg": "-", "pos": "+", "not": "not "}[row.op]
            texts.append(f"({sign}{parts[0]})")
    return texts[last]


@settings(max_examples=100, deadline=None)
@given(expressions())
def test_round_trip(text: str) -> None:
    syntax = parse(text)
    again = parse(printed(syntax, len(syntax.rows) - 1))
    assert [row[:3] for row in again.rows] == [row[:3] for row in syntax.rows]


@settings(max_examples=300, deadline=None)
@example("\\\n\\\n# x")
@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join))
def test_tokens_stand_in_the_order_of_the_text(text: str) -> None:
    """What is between them is blank, a comment, or ends a line inside brackets."""
    at = 0
    for _, found, start, stop in grammar.tokens(text, []):
        assert start == stop == len(text) or start < stop
        assert BETWEEN.fullmatch(text, at, start)
        assert found in ("", text[start:stop], normalize("NFC", text[start:stop]))
        at = stop
    assert at == len(text)


# Places


@given(expressions())
def test_spans_enclose_the_spans_of_the_arguments(text: str) -> None:
    syntax = parse(text)
    for row in syntax.rows:
        assert 0 <= row.start < row.end <= len(text)
        for arg in row.args:
            inner = syntax.rows[arg]
            assert row.start <= inner.start and inner.end <= row.end


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_do_not_matter(end: str) -> None:
    lines = ["# the sum", "s = (x +", "  y)", "", "s \\", " * 2"]
    one, other = parse("\n".join(lines)), parse("\ufeff" + end.join(lines))
    assert one == other


def test_lines_end_at_newlines_only() -> None:
    with pytest.raises(GradcError) as caught:
        parse("# a\u2028b\x0cc\x85d\nx + %")
    assert (caught.value.line, caught.value.column) == (2, 5)


# Size: nothing recurses, everything is linear

N = 100_000


def deep(n: int) -> dict[str, str]:
    """Formulas of about `n` levels, by what they nest."""
    return {
        "brackets": "(" * n + "x" + ")" * n,
        "minus": "-" * n + "x",
        "not": "where(" + "not " * n + "x > 0, x, 1)",
        "sum": "+".join("x" * n),
        "powers": "^".join("x" * n),
        "calls": "sin(" * n + "x" + ")" * n,
        "conditionals": "x if x > 0 else " * n + "x",
        "chain": "where(" + "<".join("x" * n) + ", x, 1)",
        "pieces": "piecewise(" + "(x, x > 0), " * n + "0)",
        "loops": "sum(" * n
        + "x"
        + " for v in [1, y])" * 3
        + " for v in [1])" * (n - 3),
        "indices": "[" * n + "x" + "][0]" * n,
        "slices": "[x]" + "[:]" * n + "[0]",
    }


@pytest.mark.parametrize("name", deep(0))
@pytest.mark.parametrize("n", [N // 10, pytest.param(N, marks=pytest.mark.long)])
def test_depth(name: str, n: int) -> None:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(200)
    try:
        read(deep(n)[name])
    finally:
        sys.setrecursionlimit(limit)


@pytest.mark.parametrize(
    "text",
    ["(" * N, "x + " * N, "[" * N, "x if " * N, "9" * 10**6 + "*x", "1_" * 10**6]
    + ["x" * 10**7, " " * 10**7 + "%", "-" * N + "%", "(" * N + "x" + ")" * (N + 1)],
    ids=range(10),
)
@pytest.mark.some(2)
def test_large_mistakes_have_short_messages(text: str) -> None:
    with pytest.raises(GradcError) as caught:
        parse(text)
    assert len(str(caught.value)) < 1000


def test_functions_that_call_the_one_before_twice() -> None:
    lines = ["f0(x) = x*x"]
    lines += [f"f{i}(x) = f{i-1}(x) + f{i-1}(x)" for i in range(1, 60)]
    assert len(read("\n".join([*lines, "f59(x)"])).nodes) == 61
    nested = [
        line.replace(f"(x) + f{i-1}(x)", f"(f{i-1}(x) + 1)")
        for i, line in enumerate(lines)
    ]
    with pytest.raises(GradcError, match="more operations than 1000"):
        read("\n".join([*nested, "f59(x)"]), max_ops=1000)


# Rubbish


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=10), st.sampled_from(["", " "]))
def test_every_failure_is_a_sentence_with_a_place(pieces: list[str], glue: str) -> None:
    text = glue.join(pieces)
    try:
        read(text)
    except GradcError as error:
        message = str(error)
        for raw in ("_SEP", "$END", "LPAR", "NAME", "NUMBER", "__", "STRANGE", "None"):
            assert raw not in message.split("\n")[0].replace("__0", "")
        if error.message != "the formula is empty":
            assert error.line is not None and error.column is not None
            assert error.line <= text.count("\n") + 1


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read(text)
    except GradcError as error:
        assert str(error).replace("\n", "").isprintable()


def test_mutations_of_a_formula_are_read_or_refused() -> None:
    formula = (
        "input x in [0, 1], y[2]\nf(a) = a^2 if a > 0 else -a\nr = f(x)*y[::-1] # c\n"
        "return s = r[0] + 1, [v*i for v in y for i in range(2) if i > 0] @ y\n"
    )
    draw = random.Random(1)
    for _ in range(400):
        i, j = sorted(draw.sample(range(len(formula)), 2))
        with_piece = (
            formula[:i] + draw.choice(PIECES) + formula[j if j - i < 6 else i :]
        )
        try:
            read(with_piece)
        except GradcError as error:
            assert error.span is not None
