"""README and manual: their examples run, and what they quote is what the project holds.

Blocks say what they are: `python` is a session or a quotation, `console` a command and
what it prints, `sh` a command of the README that `.ci/run` follows; one without a word is
a formula.
"""

import doctest
import io
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from pathlib import Path

import pytest

import gradc
from gradc.cli import main
from gradc.ops import OPS, Op
from gradc.functions import passes
from tests.conftest import read

ROOT = Path(__file__).parent.parent
PASSES = [*(name for name, _ in passes((), strict=False)), "schedule"]
CHANGES = ROOT / "CHANGELOG.md"
README = ROOT / "README.md"
MANUAL = ROOT / "gradc" / "manual"
PAGES = [README, *sorted(MANUAL.glob("*.md"))]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```\n", re.DOTALL | re.MULTILINE)

EACH = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def blocks(page: Path, kind: str) -> list[str]:
    text = page.read_text(encoding="utf-8")
    return [inner for word, inner in BLOCK.findall(text) if word == kind]


# ---- quotations


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
    rows = [listed(row) for row in OPS if row.result == "number"]
    head = ["| operation | partials | ulp | |", "| --- | --- | --- | --- |"]
    return "\n".join([*head, *rows])


def counts() -> str:
    """Operations and calls of the benchmark's cases, as they are golden."""
    golden = (ROOT / "tests" / "golden" / "counts.txt").read_text(encoding="utf-8")
    number = r"(\d+) operations, (\d+) calls"
    cases = re.findall(rf"^> (.*)\ngenerated +{number}\nexpert +{number}", golden, re.M)
    rows = [f"| {name} | {a} + {b} | {c} + {d} |" for name, a, b, c, d in cases]
    head = ["| case | operations + calls | by hand |", "| --- | --- | --- |"]
    return "\n".join([*head, *rows])


def gone() -> dict[str, str]:
    """The names that an earlier version had, and what to write for them."""
    text = (ROOT / "grammar" / "mistakes.txt").read_text(encoding="utf-8")
    start = text.index("sech2 ~")  # the names before it were never there
    rows = [line.split(" ~ ") for line in text[start:].split("\n\n")[0].split("\n")]
    found = {name: spelling for names, spelling in rows for name in names.split()}
    return {name: text for name, text in found.items() if not OPS.function(name)}


def left() -> str:
    rows = [f"| `{name}` | `{spelling}` |" for name, spelling in gone().items()]
    return "\n".join(["| name | write |", "| --- | --- |", *rows])


def described(name: str) -> str:
    """A pass with the first sentence of its module."""
    doc = import_module(f"gradc.passes.{name}").__doc__ or ""
    first = " ".join(doc.partition(".\n")[0].split())
    return f"| `{name}` | {first} |"


def quoted(kind: str, name: str) -> str:
    """What stands behind a mark such as `<!-- example: examples/rosenbrock.py -->`."""
    if kind == "operations":
        return operations()
    if kind == "passes":
        return "\n".join(["| pass | does |", "| --- | --- |", *map(described, PASSES)])
    if kind == "module":
        return f"```python\n{gradc.compile(name).source}```"
    if kind == "counts":
        return counts()
    if kind == "left":
        return left()
    path = ROOT / name
    word = "python" if path.suffix == ".py" else ""
    return f"```{word}\n{path.read_text(encoding='utf-8')}```"


def filled(text: str) -> str:
    """A page with everything that it quotes brought up to date."""

    def replaced(match: re.Match[str]) -> str:
        return f"{match[1]}\n\n{quoted(match[2], match[3] or '')}\n"

    return re.sub(
        r"(<!-- (operations|passes|counts|left|example|module)(?:: ([^\n]+?))? -->)\n\n"
        r"(?:```[^\n]*\n.*?^```\n|(?:\|[^\n]*\n)+)",
        replaced,
        text,
        flags=re.DOTALL | re.MULTILINE,
    )


@pytest.mark.parametrize("page", [*PAGES, CHANGES], ids=lambda page: page.stem)
def test_quotations_are_current(page: Path, bless: bool) -> None:
    text = page.read_text(encoding="utf-8")
    if bless:
        page.write_text(filled(text), encoding="utf-8")
        return
    assert text == filled(text), f"{page.name} quotes something old; run pytest --bless"


# ---- what runs


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A folder of its own, in which the README's first command has been run, and data."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("rosenbrock.py", "adsorption.csv"):
        shutil.copy(ROOT / "examples" / name, tmp_path)
    before = set(sys.modules)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield tmp_path
    for name in set(sys.modules) - before:
        if Path(getattr(sys.modules[name], "__file__", None) or "/").parent == tmp_path:
            del sys.modules[name]


@EACH
def test_sessions(page: Path, folder: Path) -> None:
    sessions = [text for text in blocks(page, "python") if text.startswith(">>>")]
    session = doctest.DocTestParser().get_doctest(
        "\n".join(sessions), {}, page.name, page.name, 0
    )
    said = io.StringIO()
    doctest.DocTestRunner().run(session, out=said.write)
    assert not said.getvalue(), said.getvalue()


@EACH
def test_commands(page: Path, folder: Path) -> None:
    for block in blocks(page, "console"):
        found = []
        for line in re.findall(r"^\$ (.*)\n", block, re.MULTILINE):
            out = io.StringIO()
            with redirect_stdout(out), redirect_stderr(out):
                main(shlex.split(line)[1:])
            found.append(f"$ {line}\n{out.getvalue()}")
        checker = doctest.OutputChecker()
        assert checker.check_output(block, "".join(found), doctest.ELLIPSIS), found


@EACH
def test_formulas(page: Path) -> None:
    for formula in blocks(page, ""):
        read(formula)


@pytest.mark.parametrize("name", gone())
def test_names_that_have_left_say_what_to_write(name: str) -> None:
    with pytest.raises(gradc.GradcError, match=re.escape(gone()[name])):
        gradc.compile(f"{name}(x)")
    gradc.compile(f"m = 1\nn = 1\n{gone()[name]}")


# ---- the frame


def test_the_readme_is_short_and_leads_on() -> None:
    text = README.read_text(encoding="utf-8")
    assert text.count("\n") <= 300
    links = re.findall(r"\[(\w+)\]\(gradc/manual/(\w+)\.md\)", text)
    assert all(name == file for name, file in links)
    assert {name for name, _ in links} == {page.stem for page in PAGES[1:]}


def test_the_readme_has_two_commands() -> None:
    first, second = blocks(README, "sh")
    assert first.count("\n") == second.count("\n") == 1
    assert "compile examples/rosenbrock.txt -o rosenbrock.py" in first


@EACH
def test_topics_that_are_named_exist(page: Path) -> None:
    text = " ".join(page.read_text(encoding="utf-8").split())
    names = {path.stem for path in PAGES[1:]} | {"TOPIC"}
    assert set(re.findall(r"gradc help (\w+)`", text)) <= names
