"""The command line: what it prints where, its exit codes, and what it writes."""

import io
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import gradc
from gradc import cli, errors, files
from gradc.checking import check as checking
from gradc.checking.check import Report
from gradc.ops import ARRAYS
from gradc.show import dot, stages
from gradc.targets.origin import digest
from tests.conftest import ROOT, Case, read

FORMULA = "r = hypot(x, y)\nr*where(x > 1, log(x), x^3)\n"


@dataclass
class Run:
    """What a command line did."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """It as the golden file shows it."""
        lines = [f"| {line}".rstrip() for line in self.out.split("\n")[:-1]]
        lines += [f"! {line}".rstrip() for line in self.err.split("\n")[:-1]]
        return [*lines, *([f"= {self.code}"] if self.code else [])]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Run]:
    """Run command lines in a folder of their own, without another process."""
    monkeypatch.chdir(tmp_path)

    def command(*words: str, given: bytes = b"") -> Run:
        streams = [io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in "io"]
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
            patch.setattr(sys, "stdout", streams[0])
            patch.setattr(sys, "stderr", streams[1])
            code = cli.main(words)
        for stream in streams:
            stream.flush()
        out, err = (stream.buffer.getvalue().decode("utf-8") for stream in streams)
        return Run(code, out, err)

    return command


def process(*words: str, **options: str) -> "subprocess.CompletedProcess[bytes]":
    """Run `python -m gradc` as a process, `options` being environment variables."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **options}
    line = [sys.executable, "-m", "gradc", *words]
    return subprocess.run(line, capture_output=True, env=environment, timeout=60)


# ---- what it prints


GOLDEN = ROOT / "tests" / "golden" / "cli.txt"


def test_golden(
    run: Callable[..., Run],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    bless: bool,
) -> None:
    expected = GOLDEN.read_text(encoding="utf-8")
    found: list[str] = []
    for line in expected.split("\n"):
        if line.startswith("#"):
            folder = tmp_path / str(len(found))
            folder.mkdir()
            monkeypatch.chdir(folder)
        if line[:1] not in ("|", "!", "="):
            found.append(line)
        if line.startswith("$ "):
            found += said(run, line[2:])
    if bless:
        GOLDEN.write_text("\n".join(found), encoding="utf-8")
    else:
        assert "\n".join(found) == expected


def said(run: Callable[..., Run], line: str) -> list[str]:
    """Do what a line of the golden file says; a command says something back."""
    before, command, after = line.partition("gradc ")
    if not command:
        name, _, text = unescaped(line).partition(": ")
        Path(name).write_text(text, encoding="utf-8")
        return []
    words = [unescaped(word) for word in shlex.split(after)]
    return run(*words, given=before.removesuffix(" | ").encode()).lines


def unescaped(text: str) -> str:
    return Case(0, written=[text]).source


def test_module_on_standard_output(run: Callable[..., Run]) -> None:
    text = "# \u00e9\ninput \u03c6\nsin(\u03c6)"
    expected = gradc.compile(text).source
    assert run("compile", "-e", text, "--no-check").out == expected
    assert run("compile", "-", "--no-check", given=text.encode()).out == expected
    assert run("compile", "-e", text, "-o", "-").out == expected
    assert run("show", "python", "-e", text).out == expected


def test_show_all(run: Callable[..., Run]) -> None:
    shown = run("show", "all", "-e", FORMULA)
    titles = re.findall(r"^(\w+)\n-+$", shown.out, flags=re.MULTILINE)
    assert titles == [title for title, _ in stages(FORMULA)] and shown.code == 0


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_help(run: Callable[..., Run], command: str) -> None:
    shown = run(command, "--help")
    assert (shown.code, shown.err) == (0, "")
    assert f"example:\n  gradc {command}" in shown.out
    assert command in run("--help").out


def test_examples_in_help_run(run: Callable[..., Run]) -> None:
    Path("spring.txt").write_text("k*x^2/2")
    Path("decay.txt").write_text("input a, b; data t, y; residual = a*exp(-b*t) - y")
    Path("readings.csv").write_text("t,y\n0,2\n1,1.1\n2,0.6\n")
    for text in [cli.ABOUT, *(row[0].__doc__ or "" for row in cli.COMMANDS.values())]:
        lines = text.partition("\n\n")[2].strip().split("\n")
        for line in lines:
            words = shlex.split(line.partition(" | ")[0])
            assert words.pop(0) == "gradc"
            assert run(*words).code == 0, line


def test_ops_lists_every_row(run: Callable[..., Run]) -> None:
    lines = run("ops").out.split("\n")
    assert len(lines) == len([*gradc.OPS]) + len(ARRAYS) + 1
    for row in gradc.OPS:
        assert row.doc in run("ops", row.name).out


def test_version(run: Callable[..., Run]) -> None:
    assert run("--version").out == f"gradc {gradc.__version__}\n"


def test_pages_of_the_manual(run: Callable[..., Run]) -> None:
    pages = [path.stem for path in (ROOT / "gradc" / "manual").glob("*.md")]
    listed = run("help").out
    for page in pages:
        shown = run("help", page)
        assert shown.code == 0 and shown.out.startswith("# ")
        assert re.search(rf"^{page} +\S", listed, flags=re.MULTILINE)


# ---- words


@pytest.mark.parametrize(
    "words",
    [
        ["f.txt", "x=2", "--json", "y=3"],
        ["--json", "f.txt", "--wrt", "x,y", "y=3", "x=2"],
        ["--expression", "x*y", "x=2", "y=3", "--json"],
    ],
)
def test_order_of_words(run: Callable[..., Run], words: list[str]) -> None:
    Path("f.txt").write_text("x*y")
    found = json.loads(run("eval", *words).out)
    assert found == {"value": 6.0, "gradient": {"x": 3.0, "y": 2.0}}


@pytest.mark.parametrize("text", ["-x", "--x", "-x + 2*-x", "-1e3*x", "-\nx"])
def test_formula_that_begins_with_a_minus(run: Callable[..., Run], text: str) -> None:
    text = text.replace("\n", "")
    value = gradc.compile(text)(2.0)
    assert json.loads(run("eval", "-e", text, "x=2", "--json").out)["value"] == value


def test_names_are_composed(run: Callable[..., Run]) -> None:
    assert run("eval", "-e", "\u00e9*2", "e\u0301=1").code == 0


def test_what_an_option_takes(run: Callable[..., Run]) -> None:
    for words in (["--outside", "zero"], ["--max-ops", "none"]):
        shown = run("eval", "-e", "x", "x=1", *words)
        assert shown.code == 2 and shown.err.startswith("gradc eval: argument --")
        assert shown.err.endswith("\n  `gradc eval --help` shows how\n")


def test_json_has_no_infinities(run: Callable[..., Run]) -> None:
    shown = run("eval", "-e", "log(x)", "x=0", "--json", "--outside", "inf")
    found = json.loads(shown.out, parse_constant=pytest.fail)
    assert found == {"value": "inf", "gradient": {"x": "nan"}}


# ---- what it writes


def listing() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path().iterdir()}


def test_writes_the_module(run: Callable[..., Run]) -> None:
    Path("f.txt").write_bytes(FORMULA.replace("\n", "\r\n").encode())
    assert run("compile", "f.txt", "-o", "f.py") == Run(0, "", "")
    assert Path("f.py").read_bytes() == gradc.compile(FORMULA).source.encode()
    shown = run("check", "f.py")
    assert (shown.code, shown.err) == (0, "") and "no mistake found" in shown.out
    assert json.loads(run("check", "f.py", "--json").out)["mistakes"] == []


def test_check_measures_errors(run: Callable[..., Run]) -> None:
    assert run("compile", "-e", "sin(x)*x", "-o", "f.py").code == 0
    assert run("check", "f.py", "--max-ulp", "4").code == 0
    found = json.loads(run("check", "f.py", "--json").out)["ulp"]
    assert found.keys() == {"value", "d/dx"}
    worst = found["value"]["worst"]
    assert 0.0 <= worst <= 4.0
    assert run("check", "f.py", "--max-ulp", str(worst / 2)).code == 1
    shown = run("check", "f.py", "--json", "--max-ulp", "0")
    assert shown.code == 1 and "ulp at x = " in shown.err
    assert len(json.loads(shown.out)["mistakes"]) == 2
    assert run("check", "f.py", "--max-ulp", "none").code == 2


def test_name_of_the_output_is_not_in_it(run: Callable[..., Run]) -> None:
    strange = 'a\n"""\\\'b.py'
    for name in ("f.py", strange):
        assert run("compile", "-e", "x", "--no-check", "-o", name).code == 0
    assert Path(strange).read_bytes() == Path("f.py").read_bytes()
    Path(strange).write_text("1")
    shown = run("compile", "-e", "x", "--no-check", "-o", strange)
    assert shown.code == 1 and shown.err.startswith('a\\n"""\\\'b.py: was not ')


@pytest.mark.parametrize("found", [None, b"", b"print()\n"])
def test_wrong_module_is_not_written(
    run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch, found: bytes | None
) -> None:
    wrong = Report(mistakes=[errors.GradcError("the sign is wrong")])
    monkeypatch.setattr(checking, "check", lambda *_, **__: wrong)
    if found is not None:
        Path("f.py").write_bytes(found)
    before = listing()
    shown = run("compile", "-e", "x", "-o", "f.py", "--force")
    assert shown == Run(1, "", "the sign is wrong\n")
    assert run("compile", "-e", "x") == shown
    assert listing() == before


@pytest.mark.parametrize("problem", [OSError(28, "No space left"), KeyboardInterrupt()])
def test_nothing_is_half_written(
    run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch, problem: BaseException
) -> None:
    run("compile", "-e", "x", "--no-check", "-o", "f.py")
    before = listing()

    def fails(*_: object) -> None:
        raise problem

    monkeypatch.setattr(os, "replace", fails)
    shown = run("compile", "-e", "x + 1", "--no-check", "-o", "f.py")
    assert listing() == before
    assert shown.code == (130 if isinstance(problem, KeyboardInterrupt) else 1)


def test_edited_file(run: Callable[..., Run]) -> None:
    run("compile", "-e", "x", "--no-check", "-o", "f.py")
    text = Path("f.py").read_text().replace("return x\n", "return x + 1\n")
    Path("f.py").write_text(text)
    edited = "f.py: was edited since gradc wrote it"
    for words in (["compile", "--verify", "-e", "x", "-o"], ["check"]):
        shown = run(*words, "f.py")
        assert shown.code == 1 and shown.err.startswith(f"{edited}\n")
    shown = run("compile", "-e", "x", "--no-check", "-o", "f.py")
    assert shown.code == 1 and shown.err.startswith(f"{edited}\n  only --force")
    assert Path("f.py").read_text() == text


def test_a_module_without_a_formula(run: Callable[..., Run]) -> None:
    gradc.trace(lambda x: x * x, x=()).save("traced.py")
    shown = run("check", "traced.py")
    assert shown.code == 1 and "holds no formula" in shown.err


def test_a_module_that_needs_what_is_missing(
    run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    shown = run("compile", "--numpy", "-e", "x*y", "-o", "f.py")
    assert shown.code == 1 and "the module needs numpy" in shown.err
    assert not Path("f.py").exists()


def signed(text: str) -> str:
    return re.sub(r"(?m)^# digest: .*$", f"# digest: {digest(text)}", text)


def test_file_of_another_version(run: Callable[..., Run]) -> None:
    text = gradc.compile("x*y").source
    line = f"gradc {gradc.__version__}."
    Path("f.py").write_text(signed(text.replace(line, "gradc 0.0.1.")))
    expected = f"f.py: was written by gradc 0.0.1, this is gradc {gradc.__version__}\n"
    for words in (["compile", "--verify", "-e", "x*y", "-o"], ["check"]):
        shown = run(*words, "f.py")
        assert shown.code == 1 and shown.err.startswith(expected)
    assert run("compile", "-e", "x*y", "--no-check", "-o", "f.py").code == 0
    assert Path("f.py").read_text() == text


OLD = '''\
"""A formula and its gradient, compiled by gradc 0.1.0.

Formula:

    input x, y in [-2, 2]; x*y

Arguments:
    x: in [-2, 2]
    y: in [-2, 2]
"""

# Do not edit: change the formula and compile it again.
# digest: e4d074ad3370eca98d925b84eaea061e

INPUTS = ("x", "y")
WRT = ("x", "y")


def value(x: float, y: float) -> float:
    """Return the value of the formula."""
    return x * y


def value_and_grad(x: float, y: float) -> tuple[float, tuple[float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    return x * y, (y, x)
'''


def test_file_of_the_first_version(run: Callable[..., Run]) -> None:
    Path("f.txt").write_text("input x, y in [-2, 2]; x*y")
    Path("f.py").write_text(OLD)
    expected = f"f.py: was written by gradc 0.1.0, this is gradc {gradc.__version__}\n"
    for words in (["check", "f.py"], ["compile", "--verify", "f.txt", "-o", "f.py"]):
        shown = run(*words)
        assert shown == Run(1, "", f"{expected}  compile its formula again\n")
    Path("f.py").write_text(OLD.replace("x * y", "x + y"))
    assert run("compile", "f.txt", "-o", "f.py").err.startswith("f.py: was edited")
    Path("f.py").write_text(OLD)
    assert run("compile", "f.txt", "-o", "f.py") == Run(0, "", "")
    assert run("check", "f.py").code == 0


def test_check_executes_nothing_of_the_file(run: Callable[..., Run]) -> None:
    code = "import os\nos.mkdir('executed')\n"
    text = gradc.compile("x").source
    Path("f.py").write_text(signed(text.replace("\nINPUTS", f"\n{code}\nINPUTS")))
    for words in (["compile", "--verify", "-e", "x", "-o"], ["check"]):
        shown = run(*words, "f.py")
        assert shown.code == 1 and "digest is in order" in shown.err
    assert not Path("executed").exists()


@pytest.mark.parametrize(
    "options",
    ['{"wrt": 1}', '{"wrt": [{}]}', '{"wrt": "x"}', "[1]", "[" * 5000, "{", "null"],
)
def test_check_of_strange_options(run: Callable[..., Run], options: str) -> None:
    text = gradc.compile("x").source
    line = f"# options: {options}\n# digest"
    Path("f.py").write_text(signed(text.replace("# digest", line)))
    assert run("check", "f.py").code == 1


@pytest.mark.parametrize("text", ["", "\0", "(" * 10_000, '"""', "x = '\\ud800'"])
def test_check_of_strange_files(run: Callable[..., Run], text: str) -> None:
    Path("f.py").write_text(text)
    assert run("check", "f.py").code == 1


# ---- how it ends


def test_input_without_end(run: Callable[..., Run]) -> None:
    expected = "holds more than 64 MB, the most that is read"
    for words in (["compile"], ["check"], ["eval"]):
        if os.path.exists("/dev/zero"):
            shown = run(*words, "/dev/zero")
            assert shown.code == 1 and shown.err.startswith(f"/dev/zero: {expected}")
    shown = run("compile", "-", given=b"x" * (files.LIMIT + 1))
    assert shown.code == 1 and shown.err.startswith(f"<stdin>: {expected}")


def test_bytes_that_are_no_text(run: Callable[..., Run]) -> None:
    shown = run("compile", "-e", "x # \udcff", "--no-check")
    assert shown.code == 1 and "the text was not UTF-8" in shown.err
    assert run("compile", "-", given=b"x # \xff").code == 1


@pytest.mark.parametrize("error", [RuntimeError("a\nb"), RecursionError()])
def test_bug(
    run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(cli, "compile", fails)
    shown = run("compile", "-e", "x")
    assert (shown.code, shown.out, shown.err.count("\n")) == (3, "", 1)
    assert shown.err.startswith(f"this is a bug in gradc: {type(error).__name__}")
    monkeypatch.setenv("GRADC_TRACEBACK", "1")
    with pytest.raises(type(error)):
        run("compile", "-e", "x")


def test_accidents(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    def ending(error: BaseException) -> Run:
        def fails(*_: object, **__: object) -> None:
            raise error

        monkeypatch.setattr(cli, "compile", fails)
        return run("compile", "-e", "x")

    assert ending(MemoryError()).code == 1
    assert ending(KeyboardInterrupt()) == Run(130, "", "")
    assert ending(BrokenPipeError()) == Run(141, "", "")
    internal = ending(RuntimeError("node %1\n%0 = input x"))
    assert internal.code == 3 and internal.err.count("\n") == 1


def test_process() -> None:
    done = process("eval", "-e", "x*x", "x=3")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.split() == [b"value", b"9.0", b"d/dx", b"6.0"]
    assert process("compile", "-e", "x +").returncode == 1
    assert process("compile").returncode == 2


def test_a_profiler_has_the_last_word() -> None:
    """The process ends at once, unless something is to be done at its end."""
    line = [sys.executable, "-m", "cProfile", "-m", "gradc", "eval", "-e", "x*x", "x=3"]
    done = subprocess.run(line, capture_output=True, cwd=ROOT, check=True)
    assert b"9.0" in done.stdout and b"function calls" in done.stdout


def test_terminal_without_unicode() -> None:
    text = "sin(\u03c6) + tahn(\u03c6)"
    done = process("compile", "-e", text, PYTHONIOENCODING="ascii")
    assert done.returncode == 1 and b"sin(\\u03c6)" in done.stderr
    done = process("eval", "-e", "\u03c6", "\u03c6=1", PYTHONIOENCODING="ascii")
    assert done.returncode == 0 and b"d/d\\u03c6" in done.stdout
    done = process("compile", "-e", "\u03c6", "--no-check", PYTHONIOENCODING="ascii")
    assert done.stdout == gradc.compile("\u03c6").source.encode()


@pytest.mark.skipif(os.name != "posix", reason="pipes of another kind")
@pytest.mark.parametrize("words", ["ops", "--help", "compile -e x --no-check"])
def test_closed_pipe(words: str) -> None:
    line = f"{shlex.quote(sys.executable)} -m gradc {words}"
    script = f"exec 3> >(exec true); wait $!; {line} >&3"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": ""}
    done = subprocess.run(["bash", "-c", script], capture_output=True, env=environment)
    assert (done.returncode, done.stderr) == (141, b"")


def test_full_disk() -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("no such device")
    line = [sys.executable, "-m", "gradc", "ops"]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, cwd=ROOT)
    assert done.returncode == 1
    assert done.stderr.startswith(b"<stdout>: cannot be written: ")
    assert done.stderr.count(b"\n") == 1


def test_compiling_imports_little() -> None:
    script = (
        "import sys; from gradc.cli import main; "
        "main(['compile', '-e', 'x*tanh(y)', '--no-check']); "
        "print(*sorted(sys.modules), file=sys.stderr)"
    )
    line = [sys.executable, "-c", script]
    done = subprocess.run(line, capture_output=True, cwd=ROOT, text=True)
    loaded = set(done.stderr.split())
    late = {"checking.check", "record", "show", "value"}
    assert not loaded & {f"gradc.{name}" for name in late}
    assert not loaded & {"lark", "mpmath", "numpy", "sympy", "black"}


# ---- the graph


def test_graph_of_a_constant_branch() -> None:
    text = dot(read("where(x > 0, 1, x)"), point={"x": 1.0})
    assert text.startswith("digraph {") and 'label="where\\n1.0"' in text


@pytest.mark.parametrize(
    "words", [["--header"], ["--header", "-o", "f.py"], ["--no-build", "-o", "f.py"]]
)
def test_options_that_do_nothing_alone_are_told(
    words: list[str], run: Callable[..., Run]
) -> None:
    ran = run("compile", "-e", "x*y", *words)
    assert ran.code == 2 and f"{words[0]} does nothing here" in ran.err
    assert not os.path.exists("f.py") and not ran.out
