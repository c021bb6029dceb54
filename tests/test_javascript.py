"""Modules of JavaScript: their types, what they refuse, and that they run in browsers.

`test_vectors` runs them in Node, and `test_bodies` compares their special functions.
"""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import gradc
from gradc.ops import OPS
from gradc.spelling import JS
from tests.strategies import NUMBERS, written
from tests.targets import Case, numbers, parsed, script
from tests.test_targets import LAZY_CASES, SHAPES, named, order_first

TSC = "--checkJs --allowJs --strict --noEmit --target es2022 --module nodenext"
OPTIONS: list[dict[str, Any]] = [
    {},
    {"emit": "hessian,hvp"},
    {"flat": True, "emit": "hessian", "sparse": True},
    {"bare": True},
]
BROWSERS = "chromium", "chromium-browser", "google-chrome"


def modules() -> list[gradc.Compiled]:
    """Formulas of every kind, every row that has a spelling, and all options."""
    texts = [*LAZY_CASES, *(named(text, size) for text in SHAPES for size in (1, 12))]
    rows = [row for row in NUMBERS if "scipy" not in (row.python or "")]
    texts += [f"{written(row, order_first(row))}*x" for row in rows]
    texts += ["input A[2, 3], let, w[3]; return A @ w*let, sum(w)", "x", "2.5*x"]
    texts += ["data d[2]; d[0]*d[1]"] + ["2*x"] * len(OPTIONS)  # with empty facts
    found = []
    for k, text in enumerate(texts):
        for options in (OPTIONS[k % len(OPTIONS)], {}):
            try:
                found.append(gradc.compile(text, **options))
                found[-1].text("js")
                break
            except gradc.GradcError:
                continue
    return found


def ran(text: str, folder: Path) -> str:
    """What a module prints in Node."""
    if shutil.which("node") is None:
        pytest.skip("node is missing")
    (folder / "run.mjs").write_text(text)
    command = ["node", str(folder / "run.mjs")]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.mark.long
def test_types_are_strict(tmp_path: Path) -> None:
    if shutil.which("tsc") is None:
        pytest.skip("tsc is missing")
    files = []
    for k, compiled in enumerate(modules()):
        files.append(tmp_path / f"m{k}.mjs")
        files[-1].write_text(compiled.text("js"))
    assert len(files) > 100
    found = subprocess.run(
        ["tsc", *TSC.split(), *map(str, files)], capture_output=True, text=True
    )
    assert found.returncode == 0, found.stdout[:3000]


@pytest.mark.long
def test_arrays_of_another_shape_are_refused(tmp_path: Path) -> None:
    text = gradc.compile("input A[2, 3], w[3]; sum(A @ w)").text("js")
    calls = """
const w = new Float64Array([1, 2, 3]);
console.log(JSON.stringify(valueAndGrad([w, w], w)));
for (const given of [[w], [w, [1, 2]], [[], []], undefined, [w, 1], [w, [1, 2, "3"]], [[w, w, w], w]]) {
    try {
        value(given, w);
        console.log("accepted");
    } catch (error) {
        console.log(error.message);
    }
}
"""
    found = ran(text + calls, tmp_path).split("\n")
    assert json.loads(found[0]) == [28, [[[1, 2, 3], [1, 2, 3]], [2, 4, 6]]]
    assert found[1:-1] == [
        "A has length 2 but was given length 1",
        "A[1] has length 3 but was given length 2",
        "A[0] has length 3 but was given length 0",
        "A has length 2 but was given no array",
        "A[1] has length 3 but was given no array",
        "A[1][2] is no number",
        "A[0][0] is no number",
    ]


@pytest.mark.long
def test_what_has_no_value_is_nan_or_infinite(tmp_path: Path) -> None:
    text = gradc.compile("log(x)/y").text("js")
    calls = "console.log(value(-1, 1), value(2, 0), valueAndGrad(0, 1)[0]);"
    assert ran(text + calls, tmp_path).split() == ["NaN", "Infinity", "-Infinity"]


@pytest.mark.long
def test_a_page_in_chromium_computes_what_node_does(tmp_path: Path) -> None:
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        pytest.skip("chromium is missing")
    cases = [
        Case(gradc.compile(text), [(0.75, 1.5), (2.0, 0.125)])
        for text in ("x*tanh(y)", "erfc(x)*cbrt(y)", "hypot(x, y)^x", "lgamma(x)*y")
    ]
    shown = script(cases, "document.body.textContent = ")
    page = f'<html><body></body><script type="module">\n{shown}</script></html>'
    (tmp_path / "page.html").write_text(page)
    words = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    words += [f"--user-data-dir={tmp_path}/profile", "--virtual-time-budget=5000"]
    found = subprocess.run(
        [*words, f"file://{tmp_path}/page.html"], capture_output=True, text=True
    )
    body = found.stdout.partition("<body>")[2].partition("<")[0].split()
    for case, rows in zip(cases, parsed(body, cases), strict=True):
        for point, row in zip(case.points, rows, strict=True):
            assert row == pytest.approx(numbers(case, point), rel=1e-13)


@pytest.mark.long
def test_any_name_can_be_an_input(tmp_path: Path) -> None:
    words = [*JS.reserved, "value", "valueAndGrad", "INPUTS", "shaped", "Number"]
    words += ["erf", "gamma", "lanczos", "t1", "Math", "σ", "undefined"]
    parts, count = list[str](), 0
    for word in sorted({*words}):
        try:
            compiled = gradc.compile(f"input {word}, y; erf({word})*gamma(y) + {word}")
        except gradc.GradcError:  # a word of the formula language
            continue
        count += 1
        text = re.sub(r"^export ", "", compiled.text("js"), flags=re.MULTILINE)
        call = f"console.log(valueAndGrad(0.5, 1.5)[0] - ({compiled(0.5, 1.5)!r}));"
        parts.append(f"{{\n{text}\n{call}\n}}")
    found = ran("\n".join(parts), tmp_path).split()
    assert count > 50 and len(found) == count
    assert max(abs(float(x)) for x in found) < 1e-14


@pytest.mark.parametrize(
    "text, options, line",
    [
        ("return x*y, a=x, x+y, b=y", {}, 'RESULTS = ["", "a", "", "b"]'),
        ("data x[2]; x[0]*x[1]", {}, "/** @type {string[]} */ export const WRT = []"),
        (
            "2*x",
            {"emit": "hessian", "sparse": True},
            "number[]} */ export const ROWS = []",
        ),
        ("x^2*y", {"emit": "hessian", "sparse": True}, "COLUMNS = [0, 1, 0]"),
    ],
)
def test_facts_are_exported(text: str, options: dict[str, Any], line: str) -> None:
    assert f"{line};\n" in gradc.compile(text, **options).text("js")


def test_other_targets_are_refused(tmp_path: Path) -> None:
    compiled = gradc.compile("x*y")
    with pytest.raises(gradc.GradcError, match="no target 'rust'"):
        compiled.text("rust")
    for name in ("f.cjs", "f.ts", "f.cpp"):
        with pytest.raises(gradc.GradcError, match="python would be written"):
            compiled.save(tmp_path / name)
    for name in ("f.mjs", "f.JS"):
        compiled.save(tmp_path / name)
        assert (tmp_path / name).read_text() == compiled.text("js")


def test_every_row_but_those_of_scipy_has_a_spelling() -> None:
    for row in OPS:
        if row in NUMBERS and "scipy" not in (row.python or ""):
            gradc.compile(f"{written(row, order_first(row))}*x").text("js")
