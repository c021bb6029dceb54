"""Errors: every sentence is in the golden file, and points where it says."""

import copy
import pickle
import re
from importlib import import_module
from typing import Any

import pytest

import gradc
from gradc import errors
from gradc.errors import GradcError, Source
from gradc.language.parse import parse
from gradc.language.mistakes import stuck_rows
from gradc.language.syntax import DERIVATIVES, FUNCTIONS
from gradc.ops import OPS
from gradc.passes import schedule
from tests.conftest import ROOT, load

CODE = sorted((ROOT / "gradc").rglob("*.py"))

# Sentences that no golden file can show, and the tests that say them.
SAID_BY = {
    **dict.fromkeys(
        "cell cells column_twice no_rows".split(), "test_fit.test_mistakes_in_a_file"
    ),
    "column_wide": "test_fit.test_a_file_has_no_rows_of_several",
    "not_csv": "test_fit.test_a_file_that_is_no_csv",
    **dict.fromkeys(
        "column_missing column_name column_number columns_refused model_kind data_kind named_kind column_kind fit_shape rows_linked start_length missing_unknown rename_unknown response_missing rows_few sigma_likelihood sigma_negative start_missing start_nothing start_outside start_unknown start_valueless".split(),
        "test_fit.test_mistakes",
    ),
    **dict.fromkeys("ends fit_words pair".split(), "test_fit.test_command_at_fault"),
    "fit_needs": "test_fit.test_without_libraries_the_message_says_how_to_get_them",
    "fit_unsolved": "test_fit.test_command_that_does_not_converge",
    "plot_likelihood": "test_fit.test_a_likelihood_has_no_picture",
    "bug": "test_cli.test_bug",
    "columns_twice": "test_columns.test_columns_of_what_there_is_not",
    "columns_unknown": "test_columns.test_columns_of_what_there_is_not",
    "columns_never": "test_columns.test_what_columns_cannot_have_is_told",
    "column_function": "test_columns.test_a_row_of_the_table_that_goes_over_no_column",
    "certified_missing": (
        "test_certified.test_without_flint_the_message_says_how_to_get_it"
    ),
    "check_inaccurate": "test_cli.test_check_measures_errors",
    **dict.fromkeys(
        ["compiler_missing", "compiler_refuses"],
        "test_native.test_where_there_is_no_compiler_python_runs",
    ),
    "option_alone": "test_cli.test_options_that_do_nothing_alone_are_told",
    "native_columns": ("test_kernels.test_over_columns_an_extension_goes_with_numpy"),
    "half_angle_alone": "test_blocks.test_half_angles_are_for_columns_in_numpy",
    "bare_needs_one": "test_outputs.test_a_bare_derivative_is_by_one_number",
    "check_lost": "test_losses.test_a_limit_fails_on_it",
    "pair_twice": "test_fit.test_command_at_fault",
    "bind_nothing": "test_blocks.test_several_numbers_are_bound_and_nothing_is_where_there_is_no_column",
    "check_wrong": "test_check.test_a_changed_line_is_caught",
    "conditions_entangled": "test_errors.test_conditions_entangled",
    "derivatives_too_large": "test_hostile.test_limits_of_the_compiler",
    "digits_without": "test_certified.test_the_command",
    "graph_leaf": "test_trace.test_graphs_that_cannot_be_compiled",
    "graph_node": "test_trace.test_graphs_that_cannot_be_compiled",
    "graph_twice": "test_trace.test_graphs_that_cannot_be_compiled",
    "row_name": "test_functions.test_a_row_that_cannot_be_spelled_is_told",
    "rounded_to_digits": "test_trace.test_what_is_no_number_is_not_written_as_one",
    "trace_kind": "test_trace.test_options_are_no_inputs",
    "trace_option": "test_trace.test_options_are_no_inputs",
    "memory_exhausted": "test_cli.test_accidents",
    "module_differs": "test_cli.test_check_executes_nothing_of_the_file",
    "module_edited": "test_cli.test_edited_file",
    "module_needs": "test_cli.test_a_module_that_needs_what_is_missing",
    "module_recorded": "test_cli.test_a_module_without_a_formula",
    "module_of_version": "test_cli.test_file_of_another_version",
    "not_utf8": "test_cli.test_bytes_that_are_no_text",
    "oversized": "test_cli.test_input_without_end",
    "program_too_large": "test_hostile.test_limits_of_the_compiler",
    "recorded_elsewhere": "test_trace.test_mistakes_show_the_line",
    "recorded_frozen": "test_trace.test_mistakes_show_the_line",
    "recorded_otherwise": "test_trace.test_control_flow_by_data_is_reported",
    "recorded_result": "test_trace.test_mistakes_show_the_line",
    "recorded_unused": "test_trace.test_mistakes_show_the_line",
    "recorded_with_value": "test_trace.test_mistakes_show_the_line",
    "rows_missing": "test_columns.test_rows_to_write_out_are_at_least_one",
    "target_unknown": "test_javascript.test_other_targets_are_refused",
    "text_too_long": "test_hostile.test_limits_of_the_compiler",
    "too_many_arguments": "test_hostile.test_limits_of_the_compiler",
    "too_many_recorded": "test_trace.test_mistakes_show_the_line",
}


def sentences() -> dict[str, str]:
    """The rows that are mistakes, by their names."""
    found = {}
    for section, rows in errors.sections().items():
        if section.endswith("Mistake"):
            assert not found.keys() & rows.keys()
            found |= rows
    return found


def pattern(row: str) -> re.Pattern[str]:
    """What the sentence of a row looks like when it is filled in."""
    sentence = re.split(" ~~? ", row)[0]
    return re.compile(".*".join(map(re.escape, re.split(r"{.*?}", sentence))))


def test_golden_files_show_every_sentence() -> None:
    shown = [case.expected for name in ("errors", "cli") for case in load(name)]
    text = "\n".join(shown)
    silent = {key for key, row in sentences().items() if not pattern(row).search(text)}
    assert silent <= {*SAID_BY}


def test_every_sentence_is_said_somewhere() -> None:
    texts = [path.read_text(encoding="utf-8") for path in CODE]
    asked = {name for text in texts for name in re.findall(r"\"(\w+)\"", text)}
    asked |= {row.key for row in stuck_rows()}
    assert {*sentences(), *errors.sections()["Note"]} <= asked


def test_a_row_is_one_sentence() -> None:
    for key, row in sentences().items():
        sentence, *remedies = row.partition(" ~~ ")[0].split(" ~ ")
        assert key.islower() and len(remedies) <= 1
        assert sentence[-1] not in ".!" and sentence == sentence.strip()


@pytest.mark.parametrize("name", sorted({*SAID_BY.values()}))
def test_the_tests_that_are_named_exist(name: str) -> None:
    module, function = name.split(".")
    assert callable(getattr(import_module(f"tests.{module}"), function))


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"signature": "f"}, "row 'f': a row needs at least one argument"),
        ({"signature": "f(x"}, "'f(x' is no signature such as 'f(x, y)'"),
        ({"signature": "f(x,, y)"}, "'f(x,, y)' is no signature"),
        ({"signature": "f(x y)"}, "'f(x y)' is no signature"),
        ({"signature": "f(x)(y)"}, "'f(x)(y)' is no signature"),
        ({"signature": "f(..., x)"}, "'f(..., x)' is no signature"),
        ({"signature": "f(x, ...)"}, "row 'f(x, ...)': a new row is a call such as"),
        ({"signature": "f(x, x)"}, "row 'f(x, x)': the parameter 'x' stands twice"),
        ({"signature": "f(1)"}, "row 'f(1)': '1' is no name"),
        ({"signature": "2f(x)"}, "row '2f(x)': '2f' is no name"),
        ({"signature": "f(x²)"}, "row 'f(x²)': 'x²' is no name"),
        ({"signature": "if(x)"}, "row 'if(x)': 'if' is no name"),
        ({"signature": "f(for)"}, "row 'f(for)': 'for' is no name"),
        ({"signature": "sin(x)"}, "row 'sin(x)': the table already has 'sin'"),
        ({"means": None}, "row 'f(x)': give 'means', or both 'partials' and 'python'"),
        ({"means": "x*y"}, "row 'f(x)', column 'means': 'y' is no parameter"),
        ({"means": "g(x)"}, "row 'f(x)', column 'means': 'g' is no function"),
        ({"means": "x +"}, "<row 'f(x)', column 'means'>:1:4: expected an operand"),
        ({"partials": ("1", "1")}, "row 'f(x)': column 'partials' has 2 entries"),
    ],
)
def test_what_the_table_refuses(columns: dict[str, Any], said: str) -> None:
    row = {"signature": "f(x)", "means": "x", "doc": "A row.", **columns}
    with pytest.raises(GradcError) as caught:
        gradc.compile("f(x)", ops=gradc.OPS.define(**row))
    assert str(caught.value).startswith(said)


def test_conditions_entangled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule._Order, "stuck", lambda order: {0})
    with pytest.raises(GradcError) as caught:
        _ = gradc.compile("where(x > 0, log(y), 1)").source
    assert caught.value.line is not None and "wait for each other" in str(caught.value)


def mistake(text: str) -> GradcError:
    with pytest.raises(GradcError) as caught:
        parse(text, "expr.txt")
    return caught.value


def test_parts() -> None:
    error = mistake("x = 1\ny = x + * 2")
    assert (error.line, error.column) == (2, 9)
    assert error.source is not None and error.source.name == "expr.txt"
    assert error.span == (14, 15)
    assert error.hint is not None and error.hint in str(error)
    assert isinstance(error, ValueError)


def test_pickle_and_copy() -> None:
    error = mistake("f(a, a) = 1")
    for twin in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error)):
        assert type(twin) is type(error)
        assert str(twin) == str(error) and twin.line == error.line


def test_caret_stands_under_the_place() -> None:
    lines = str(mistake("\tx + \u4e2d * e\u0301 * 3 %")).split("\n")
    # A tab is shown as one blank; a wide character takes two columns, a mark none.
    assert lines[2] == " " * (4 + 16) + "^"


def test_long_line_is_clipped_around_the_place() -> None:
    text = "x + " * 5000 + "%" + " + x" * 5000
    lines = str(mistake(text)).split("\n")
    assert all(len(line) < 120 for line in lines)
    assert lines[1][lines[2].index("^")] == "%"


def test_what_does_not_print_is_escaped() -> None:
    shown = str(GradcError("m", Source("a\x1b[31m\u202eb", "n\nm"), (0, 1)))
    assert shown == "n\\nm:1:1: m\n    a\\x1b[31m\\u202eb\n    ^"


@pytest.mark.parametrize("name", sorted({*FUNCTIONS} - {*DERIVATIVES, "range"}))
def test_hints_for_arrays_are_no_mistakes(name: str) -> None:
    with pytest.raises(GradcError, match="takes an array, and this is a n") as caught:
        gradc.compile(f"{name}({', '.join(['x'] * len(FUNCTIONS[name][0].params))})")
    declared, _, call = str(caught.value.hint).partition(", or write ")
    if call:
        gradc.compile(f"input x, y; return {call}")
    if declared.startswith("declare "):
        args = "x, y" if "y" in declared else "x"
        gradc.compile(f"{declared[8:]}; return sum(x), {name}({args})")


def test_closest() -> None:
    names = ["tan", "tanh", "sin", "sinh", "asin", "hypot"]
    assert errors.closest("tahn", names) == "tanh"
    assert errors.closest("Sin", names) == "sin"
    assert errors.closest("hipot", names) == "hypot"
    assert errors.closest("frobnicate", names) is None
    assert errors.closest("x", ["y", "e", "xy", "X"]) == "X"
    assert errors.closest("xy", ["x", "y"]) is None


# A remedy: a formula, and perhaps words behind it.
FORMULA = re.compile(r"(.+?)(?:, (?:which|between|with|of|or) .*| and .*)?")
ELSEWHERE = sorted(errors.sections()["SPELLINGS"].keys() - {*OPS.callables()})


@pytest.mark.parametrize("word", ELSEWHERE)
def test_what_is_written_instead_compiles(word: str) -> None:
    remedy = errors.sections()["SPELLINGS"][word]
    told = FORMULA.fullmatch(remedy)
    assert told is not None
    text = told[1].replace("...", "x").replace("(n,", "(2,")
    inputs = sorted({*re.findall(r"\b[a-z]\w*\b(?! ?\()", text)} - {"e"})
    gradc.compile(text, inputs=inputs, wrt=[x for x in inputs if x in "xyzwctp"])
    with pytest.raises(GradcError) as caught:
        gradc.compile(f"{word}(x)")
    assert caught.value.hint == f"write {remedy}"
