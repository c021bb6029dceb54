"""The README: its examples run, and what it quotes is what the project holds."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

import gradc
from gradc.language.lower import read
from gradc.ops import OPS, Op

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"


def listed(row: Op) -> str:
    """A row of the table of operations."""
    if row.each is not None:
        first = [f"`{text}`" for text in (row.partials or ())[: row.leading]]
        partials = ", ".join([*first, f"`{row.each}`"])
        if row.partials and len(row.partials) == 2:
            partials = "1 to the chosen one, shared at a tie"
    elif row.partials is None:
        partials = f"from `{row.means}`" if row.means else ""
    else:
        partials = ", ".join("none" if p is None else f"`{p}`" for p in row.partials)
    also = f" Also {', '.join(row.also)}." if row.also else ""
    domain = f" Where `{row.domain}`." if row.domain else ""
    ulp = "{:g}, {:g}".format(*row.ulp) if row.ulp else ""
    return f"| `{row.signature}` | {partials} | {ulp} | {row.doc}{also}{domain} |"


def operations() -> str:
    rows = [row for row in OPS if row.result == "number"]
    return "\n".join(
        [
            "| operation | partials | ulp | |",
            "| --- | --- | --- | --- |",
            *map(listed, rows),
        ]
    )


def filled(text: str) -> str:
    """The README with everything that it quotes brought up to date."""
    parts = re.split(r"(<!-- (?:operations|example: \S+) -->\n)", text)
    found = [parts[0]]
    for mark, rest in zip(parts[1::2], parts[2::2]):
        if "operations" in mark:
            quoted = operations()
            rest = re.sub(r"\A\n(?:\|[^\n]*\n)*", "", rest)
        else:
            path = ROOT / mark.split()[2]
            kind = "python" if path.suffix == ".py" else ""
            quoted = f"```{kind}\n{path.read_text(encoding='utf-8')}```"
            rest = re.sub(r"\A\n```[^\n]*\n.*?\n```\n", "", rest, flags=re.DOTALL)
        found += [mark, "\n", quoted, "\n\n", rest.lstrip("\n")]
    return "".join(found)


def test_quotations_are_current(bless: bool) -> None:
    text = README.read_text(encoding="utf-8")
    if bless:
        README.write_text(filled(text), encoding="utf-8")
        return
    assert text == filled(text), "the README quotes something old; run pytest --bless"


def test_examples_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    module = gradc.compile_file(ROOT / "examples" / "rosenbrock.txt")
    module.save(tmp_path / "rosenbrock.py")
    monkeypatch.syspath_prepend(str(tmp_path))
    text = README.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(>>>.*?)^```", text, re.DOTALL | re.MULTILINE)
    session = doctest.DocTestParser().get_doctest(
        "\n".join(blocks), {}, "README.md", "README.md", 0
    )
    assert len(session.examples) >= 15
    result = doctest.DocTestRunner().run(session)
    assert result.failed == 0, capsys.readouterr().out


def test_the_language_is_read() -> None:
    text = README.read_text(encoding="utf-8")
    section = text[text.index("## The language") : text.index("## Operations")]
    formulas = re.findall(r"^```\n(.*?)^```", section, re.DOTALL | re.MULTILINE)
    assert len(formulas) == 2
    for formula in formulas:
        read(formula)


def test_the_message_is_the_one_shown() -> None:
    text = README.read_text(encoding="utf-8")
    match = re.search(
        r"^```\n\$ gradc (.*?)\n(.*?)^```", text, re.DOTALL | re.MULTILINE
    )
    assert match is not None
    words = ["compile", "-e", "x + 3*tahn(y)"]
    assert match[1] == "compile -e 'x + 3*tahn(y)'"
    run = subprocess.run(
        [sys.executable, "-m", "gradc", *words], capture_output=True, text=True
    )
    assert (run.returncode, run.stdout, run.stderr) == (1, "", match[2])


def counted(text: str) -> tuple[int, ...]:
    """Operations and calls: of `28 + 6`, or of `28 operations, 6 calls`."""
    first, *rest = map(int, re.findall(r"\d+", text))
    return first, *(rest or [0])


def test_counts_are_those_that_are_golden() -> None:
    golden = (ROOT / "tests" / "golden" / "counts.txt").read_text(encoding="utf-8")
    cases = re.findall(r"^> (.*)\ngenerated (.*)\nexpert (.*)$", golden, re.MULTILINE)
    known = {name: (counted(ours), counted(theirs)) for name, ours, theirs in cases}
    text = README.read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| (.+) \| \d\.\d\d \| (\d.*) \| (\d.*) \|$", text, re.MULTILINE
    )
    assert len(rows) > 20
    for name, *counts in rows:
        case = max(filter(name.startswith, known), key=len)
        assert known[case] == tuple(map(counted, counts)), name
