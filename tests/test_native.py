"""Extensions of CPython: they mean what the modules of Python do, and nothing leaks."""

from __future__ import annotations

import gc
import os
import pickle
import re
import shutil
import subprocess
import sys
from fractions import Fraction
from itertools import product
from math import inf, nan
from pathlib import Path
from random import Random
from typing import Any

import pytest

import gradc
from gradc import cli
from gradc.errors import RESERVED, GradcError
from gradc.spelling import C
from gradc.targets import names
from gradc.targets.native import SUFFIX, cache, compiler
from tests.conftest import ROOT
from tests.fuzz import drawn
from tests.test_kernels import LOOPS

needs_compiler = pytest.mark.skipif(not compiler(), reason="there is no C compiler")
pytestmark = pytest.mark.usefixtures("own_cache")
LONG = [
    pytest.mark.long,
    needs_compiler,
]
FORMULAS = (
    "x*sin(y) + exp(-x^2/2)",
    "x + y",
    "exp(-1/x^2)*y",
    "log(x)/sqrt(y)",
    "where(x > 0, x*log(x), 0)/y",
    "max(x, y)^1.5",
    "mod(x, y)",
    "digamma(x) + lgamma(y)",
)
ODD = 0.0, -0.0, 1.0, -1.5, 2.0, 1e200, 1e-200, 5e-324, inf, -inf, nan, 3, True, 10**400


def outcome(call: Any, *args: Any, **named: Any) -> Any:
    """What a call returns, bit for bit, or the kind of its error."""
    try:
        return repr(call(*args, **named))
    except Exception as error:
        return type(error)


def told(text: str, target: str) -> str:
    """The file of a formula for a target, with the wrapper of an extension."""
    found = gradc.compile(text)
    found.origin = found.origin.__class__(**{**vars(found.origin), "native": True})
    return found.text(target, "f")


def test_a_module_takes_the_functions_of_its_own_extension() -> None:
    text, other = told("x*y", "python"), told("x*y + 1", "python")
    assert text.count("_use_native()") == 2
    digests = {t.split('"DIGEST", "") == "')[1][:16] for t in (text, other)}
    assert len(digests) == 2
    assert all(digest in told("x*y", "c") for digest in digests if digest in text)


def test_what_has_no_extension_is_refused() -> None:
    for text, options in {
        "data t[n]; input a; sum(exp(a*t))": {},
        "x*y": {"numpy": True},
        "j0(x)": {},
    }.items():
        with pytest.raises(GradcError):
            gradc.compile(text, native=True, **options)


def test_where_there_is_no_compiler_python_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Any
) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    f = gradc.compile("x*y", native=True)
    assert f.value_and_grad(2.0, 3.0) == (6.0, (3.0, 2.0))
    assert "no C compiler is found" in f.notes[-1]
    for words in ("  ", '"gcc'):
        monkeypatch.setenv("CC", words)
        assert "no C compiler is found" in gradc.compile("x*y", native=True).notes[-1]
    for words, flags in (("false", ""), ("true", ""), ("true", '"')):
        monkeypatch.setenv("CC", words)
        monkeypatch.setenv("CFLAGS", flags)
        assert "compiler refuses" in gradc.compile("x*y", native=True).notes[-1]
    target = tmp_path / "f.py"
    assert cli.main(["compile", "--native", "-e", "x*y", "-o", str(target)]) == 0
    assert "works alone" in capsys.readouterr().err
    assert target.with_suffix(".c").exists()


def test_where_there_is_no_home_the_cache_is_what_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def homeless() -> Path:
        raise RuntimeError("no home")

    monkeypatch.setattr(Path, "home", homeless)
    assert cache() == Path(os.environ["GRADC_CACHE"])
    monkeypatch.delenv("GRADC_CACHE")
    assert "no home" in gradc.compile("x*y", native=True).notes[-1]


class TestBuilt:
    pytestmark = LONG

    @pytest.mark.parametrize("text", FORMULAS)
    def test_it_means_what_python_does(self, text: str) -> None:
        plain, native = gradc.compile(text), gradc.compile(text, native=True)
        assert not native.notes, native.notes
        for name in plain.functions:
            own = native._native.functions(plain._module)[name]
            for args in product(ODD, repeat=2):
                right = [outcome(plain._module[name], *args)]
                if 10**400 not in args:  # whole numbers may become floats
                    right.append(outcome(plain._module[name], *map(float, args)))
                assert outcome(own, *args) in right, (name, args)

    @pytest.mark.parametrize("outside", ["nan", "inf"])
    def test_outside_is_as_in_python(self, outside: str) -> None:
        plain = gradc.compile("log(x)/y", outside=outside)
        native = gradc.compile("log(x)/y", outside=outside, native=True)
        for args in product(ODD[:11], repeat=2):
            want = outcome(plain.value_and_grad, *args)
            assert outcome(native.value_and_grad, *args) == want
            assert outcome(native, *args) == outcome(plain, *args)

    def test_products_ask_for_the_value_as_in_python(self) -> None:
        how: Any = {"outside": "nan", "emit": "jvp,vjp"}
        text = "return logit(z), z"
        plain, native = (gradc.compile(text, native=n, **how) for n in (False, True))
        for z in (-0.5, 0.25):
            for name, v in (("jvp", [1.0]), ("vjp", [1.0, 2.0])):
                want = outcome(getattr(plain, name), z, v)
                assert outcome(getattr(native, name), z, v) == want

    def test_clang_finds_no_conversion_in_pieces(self, tmp_path: Path) -> None:
        if not shutil.which("clang"):
            pytest.skip("there is no clang")
        lines = ["input x, y", "u0 = x"]
        for k in range(700):
            lines.append(f"u{k + 1} = u{k}*y + where(x > y, sin(u{k}), x)")
        f = gradc.compile("\n".join([*lines, "u700"]))
        f.save(tmp_path / "f.c")
        flags = "-std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror -fsyntax-only"
        run = ["clang", *flags.split(), str(tmp_path / "f.c")]
        subprocess.run(run, check=True)

    def test_arrays_and_odd_arguments(self) -> None:
        text = "input w[2, 3], v[2], x; y = w @ [x, 1, 2]; y @ v"
        plain, native = gradc.compile(text), gradc.compile(text, native=True)
        own = native._native.functions(plain._module)["value_and_grad"]
        call = plain._module["value_and_grad"]
        w, v = ((1.0, 2.0, 3.0), (4.0, 5.0, 6.0)), (0.5, 2.0)
        for args in (
            (w, v, 2.0),
            ([*map(list, w)], [*v], 2),
            ([[1, 2, 3], [4, 5, 6]], v, 2.0),
        ):
            assert own(*args) == call(*args)
        assert own(x=2.0, w=w, v=v) == call(w, v, 2.0)
        numpy = pytest.importorskip("numpy")
        arrays = numpy.array(w), numpy.array(v)
        strided = numpy.array([*w, *w])[::2], numpy.array(w, numpy.float32)
        assert own(*arrays, numpy.float64(2.0)) == call(w, v, 2.0)
        assert own(strided[0], arrays[1], 2.0) == call(strided[0], v, 2.0)
        assert own(strided[1], arrays[1], 2.0) == call(w, v, 2.0)
        wrong = [(), (w,), (w, v, 2.0, 3.0), ("w", v, 2.0), (w, v, "2"), (w, v, None)]
        wrong += [(w, None, 2.0), (w, (1.0, "a"), 2.0), (w, (1.0,), 2.0), (v, w, 2.0)]
        wrong += [(w, v, [1.0]), (object(), v, 2.0), ([[1.0, 2.0, [3.0]]] * 2, v, 2.0)]
        for args in wrong:
            kinds = TypeError, ValueError
            with pytest.raises(kinds):
                own(*args)
        with pytest.raises(TypeError):
            own(w, v, y=2.0)
        assert own(w, v, Fraction(2)) == call(w, v, 2.0)

    @pytest.mark.parametrize(
        ("text", "emit"),
        [
            ("input x[3], a; return x*a, sin(a)", "jacobian,jvp,vjp"),
            ("input x[2], a; a*exp(x[0]*x[1])", "gradient,hessian,hvp"),
            ("x^2*y", "gradient,error"),
            ("input x, y; return x*y, x", "value"),
        ],
    )
    def test_results_are_nested_as_in_python(self, text: str, emit: str) -> None:
        plain, native = (gradc.compile(text, emit=emit, native=n) for n in (0, 1))
        assert not native.notes
        for name, function in plain.functions.items():
            own = native._native.functions(plain._module)[name]
            args = [filled(names) for *_, names in function.arguments()]
            assert own(*args) == plain._module[name](*args), name

    def test_a_function_in_pieces_is_the_same(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        texts = [text for text, _, _ in map(drawn, [3] * 60, range(60))]
        texts.append("input x[4]; y = x@x; where(y > 1, log(y)*x[0], y*exp(x[1]))")
        whole = [f for text in texts if (f := compiled(text, native=True))]
        for name, size in {"LONG": 4, "PIECE": 4}.items():
            monkeypatch.setattr(names, name, size)
        pieces = 0
        for f in whole:
            other = gradc.compile(f.origin.formula, native=True)
            pieces += other.text("c").count("GRADC_APART formula")
            for name, function in f.functions.items():
                args = [filled(inner) for *_, inner in function.arguments()]
                one, two = (x._native.functions(f._module)[name] for x in (f, other))
                assert outcome(one, *args) == outcome(two, *args)
        assert pieces > 50

    @pytest.mark.parametrize("tool", ["gcc -std=c99", "g++ -x c++ -std=c++17"])
    def test_headers_stand_alone(self, tool: str, tmp_path: Path) -> None:
        words = tool.split()
        if not shutil.which(words[0]):
            pytest.skip(f"there is no {words[0]}")
        path = tmp_path / "f.h"
        f = gradc.compile("input x[3], I; x[0]*x[2]*I", emit="hessian", sparse=True)
        f.save(path)
        (tmp_path / "f.c").write_text('#include "f.h"\n#include "f.h"\n')
        flags = "-Wall -Wextra -Wpedantic -Wconversion -Werror -fsyntax-only".split()
        subprocess.run([*words, *flags, str(tmp_path / "f.c")], check=True)

    @pytest.mark.parametrize("tool", ["gcc", "gcc -D_GNU_SOURCE", "g++ -x c++"])
    def test_macros_of_headers_step_aside(self, tool: str, tmp_path: Path) -> None:
        words = tool.split()
        if not shutil.which(words[0]):
            pytest.skip(f"there is no {words[0]}")
        path = tmp_path / "f.c"
        path.write_text("#include <math.h>\n#include <stddef.h>\n")
        run = subprocess.run(
            [*words, "-dM", "-E", str(path)], capture_output=True, text=True
        )
        macros = re.findall(r"^#define ([A-Za-z]\w*) ", run.stdout, re.MULTILINE)
        macros += [
            *C.reserved,
            "y1",
            "gamma",
            "isnan",
            "fmin",
            "__FILE__",
            "_X",
            "\u03b1",
            "\u0414",
            "GRADC_SIMD",
        ]
        macros = sorted(x for x in {*macros} if x not in RESERVED and compiled(x))
        assert len(macros) > 100
        f = gradc.compile(f"input {', '.join(macros)}; {'*'.join(macros)}")
        path.write_text(f.text("c"))
        flags = "-Wall -Wextra -Wpedantic -Werror -fsyntax-only".split()
        subprocess.run([*words, *flags, str(path)], check=True)

    def test_references_hold(self) -> None:
        f = gradc.compile("input w[2], x; w[0]*x + w[1]/x", native=True)
        call, w, x = f.value_and_grad, [1.5, 2.5], 3.25
        before = sys.getrefcount(w), sys.getrefcount(x), sys.getallocatedblocks()
        for _ in range(1_000_000):
            call(w, x)
        for _ in range(500):
            for args in ((w, 0.0), (w,), (w, "x"), (x, w)):
                outcome(call, *args)
        del args
        gc.collect()  # of tracebacks
        after = sys.getrefcount(w), sys.getrefcount(x), sys.getallocatedblocks()
        assert after[:2] == before[:2] and after[2] - before[2] < 200

    def test_pickles_and_other_builds(self, monkeypatch: pytest.MonkeyPatch) -> None:
        f = gradc.compile("x*y^2", native=True)
        again = pickle.loads(pickle.dumps(f))
        assert again.value_and_grad(2.0, 3.0) == f.value_and_grad(2.0, 3.0)
        assert type(again.value_and_grad) is type(len)
        cache = Path(os.environ["GRADC_CACHE"])
        assert len([*cache.iterdir()]) == 1
        monkeypatch.setenv("CFLAGS", "-O1")
        gradc.compile("x*y^2", native=True)
        assert len([*cache.iterdir()]) == 2
        with pytest.raises(GradcError, match="log"):
            gradc.compile("log(x)", native=True).value_and_grad(-1.0)

    def test_builds_at_once_agree(self) -> None:
        code = "import gradc; f = gradc.compile('x*sin(y)', native=True)\n"
        code += "assert not f.notes, f.notes; print(f.value_and_grad(1.0, 2.0))"
        runs = [
            subprocess.Popen([sys.executable, "-c", code], stdout=-1, cwd=ROOT)
            for _ in range(6)
        ]
        outs = {run.communicate()[0] for run in runs}
        assert len(outs) == 1 and all(run.returncode == 0 for run in runs)
        assert len([*Path(os.environ["GRADC_CACHE"]).iterdir()]) == 1

    def test_the_command_builds_beside_the_module(self, tmp_path: Path) -> None:
        target = str(tmp_path / "f.py")
        words = ["compile", "--native", "-e", "x*sin(y)", "-o", target]
        assert cli.main(words) == 0 and cli.main([*words, "--verify"]) == 0
        code = "import f; print(type(f.value).__name__, f.value(1.0, 2.0))"
        run = [sys.executable, "-c", code]
        out = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True).stdout
        assert out == "builtin_function_or_method 0.9092974268256817\n"
        words[3] = "x*cos(y)"  # the old extension is no longer that of the formula
        assert cli.main([*words, "--no-build"]) == 0
        out = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True).stdout
        assert out == "function -0.4161468365471424\n"

    def test_subinterpreters_have_their_own(self, tmp_path: Path) -> None:
        interpreters = pytest.importorskip("_xxsubinterpreters")
        target = tmp_path / "f.py"
        assert (
            cli.main(["compile", "--native", "-e", "x*sin(y)", "-o", str(target)]) == 0
        )
        code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import f\n"
        code += "assert type(f.value) is type(len) and f.value(1.0, 0.0) == 0.0"
        for _ in range(3):
            own = interpreters.create()
            interpreters.run_string(own, code)
            interpreters.destroy(own)

    def test_sanitizers_are_silent(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Of drawn formulas at odd points, as extensions of a sanitized process."""
        library = subprocess.run(
            ["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True
        ).stdout.strip()
        if not os.path.isabs(library):
            pytest.skip("there is no address sanitizer")
        flags = "-g -fsanitize=address,undefined,float-cast-overflow"
        monkeypatch.setenv("CFLAGS", f"{flags} -fno-sanitize-recover=all")
        monkeypatch.setenv("CC", "gcc")
        texts = [(text, points) for text, _, points in map(drawn, [7] * 80, range(80))]
        monkeypatch.setenv("LD_PRELOAD", library)
        monkeypatch.setenv("ASAN_OPTIONS", "detect_leaks=0")
        code = SANITIZED.format(texts=texts, columns=LOOPS)
        run = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True
        )
        assert run.returncode == 0, run.stderr[-2000:]
        assert int(run.stdout) > 55

    @pytest.mark.parametrize(
        "text", ["sqrt(1 + x^2)*y", "x^3*y/(1 + x)", "(x - y)^2/sqrt(x + 2*y) - x/y"]
    )
    def test_arithmetic_has_the_bits_of_python(self, text: str) -> None:
        pair, draw = (gradc.compile(text, native=n) for n in (False, True)), Random(1)
        plain, native = pair
        for _ in range(1000):
            at = [10 ** draw.uniform(-3, 3) for _ in "xy"]
            assert native.value_and_grad(*at) == plain.value_and_grad(*at)


SANITIZED = """
from math import inf, nan
from random import Random
import gradc
from tests.test_columns import drawn
from gradc.errors import RESERVED, GradcError
from gradc.spelling import C
built = 0
for text, points in {texts!r}:
    try:
        f = gradc.compile(text, native=True)
    except GradcError:
        continue
    if f.notes:
        assert "spelling" in f.notes[-1] or "C compiler" not in f.notes[-1], f.notes
    built += f._native is not None
    for point in [*points, dict.fromkeys(points[0], inf), dict.fromkeys(points[0], nan)]:
        for call in (f, f.value_and_grad):
            try:
                call(**point)
            except (GradcError, ArithmeticError, ValueError):
                pass
for text in {columns!r}:
    f = gradc.compile(text, native=True, numpy=True)
    assert f._native is not None, f.notes
    built += 1
    for n in (0, 1, 2, 40):
        given = drawn(Random(n), n, n)
        given |= {{"g": [float(k % 3) for k in range(n)], "w": [0.5, 2.0], "c": [1.0, -1.0, 3.0]}}
        for name in f.functions:
            for shift in (0.0, inf, nan):
                args = [given[x] for x in f.inputs]
                args[0] = [shift + x if isinstance(x, float) else x for x in args[0]]
                try:
                    (f if name == "value" else getattr(f, name))(*args)
                except (GradcError, ArithmeticError, ValueError):
                    pass
print(built)
"""


def compiled(text: str, **options: Any) -> Any:
    """A drawn formula, None if it has no value or is not for C."""
    try:
        found = gradc.compile(text, **options)
        found.text("c")
        return found
    except GradcError:
        return None


def filled(names: Any) -> Any:
    """Numbers nested like names."""
    if isinstance(names, str):
        return 0.3 + len(names) / 7
    return [filled(inner) for inner in names]


def test_the_manual_shows_the_c_of_today() -> None:
    manual = (ROOT / "gradc/manual/native.md").read_text(encoding="utf-8")
    shown = manual.split("```c\n")[1].split("```")[0]
    assert shown in gradc.compile("x*sin(y) + exp(-x^2/2)").text("c", "expr")


SWALLOWED = {  # what has no value on the way, and is lost behind it
    "exp(-gamma(x))": (709.9,),
    "1/(1 + gamma(x))": (1e5,),
    "x/gamma(x + 1)": (200.0,),
    "2^x/gamma(x + 1)": (700.0,),
    "where(digamma(x) == digamma(x), x, 1)": (0.0,),
    "where(beta(x, y) == beta(x, y), x, 1)": (0.0, 0.0),
    "where(erfcinv(x) > 0, x, 1)": (3.0,),
    "1/(1 + abs(x^2/y^3))": (inf, 0.0),
}


@needs_compiler
@pytest.mark.long
@pytest.mark.parametrize("text", SWALLOWED)
def test_an_extension_raises_what_is_lost_on_the_way(text: str) -> None:
    pair = gradc.compile(text), gradc.compile(text, native=True)
    for name in ("__call__", "value_and_grad"):
        said = list[str]()
        for compiled in pair:
            with pytest.raises(gradc.DomainError) as caught:
                getattr(compiled, name)(*SWALLOWED[text])
            said.append(str(caught.value))
        assert said[0] == said[1]


@needs_compiler
@pytest.mark.long
def test_masked_numbers_are_left_to_python() -> None:
    masked = pytest.importorskip("numpy").ma.array([1.0, 2.0], mask=[0, 1])
    native = gradc.compile("input v[2]; sum(v)^2", native=True)
    with pytest.raises(ValueError):
        native.value_and_grad(masked)


@needs_compiler
@pytest.mark.long
def test_what_is_damaged_in_the_cache_is_built_again(tmp_path: Path) -> None:
    first = gradc.compile("x*sin(y)", native=True)
    for path in tmp_path.rglob(f"*{SUFFIX}"):
        path.unlink()  # the process has its own still
        path.write_bytes(b"damaged")
    again = gradc.compile("x*sin(y) ", native=True)
    assert not first.notes + again.notes
    again = gradc.compile("x*sin(y)", native=True)
    assert not again.notes


@needs_compiler
@pytest.mark.long
@pytest.mark.parametrize("stem", ["thread", "käse", "wrapped", "value", "rows"])
def test_any_stem_is_that_of_an_extension_or_of_none(stem: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "gradc", "compile", "--native", "-e", "x*sin(y)"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    path = tmp_path / f"{stem}.py"
    subprocess.run([*command, "-o", path], check=True, env=environment)
    run = f"import {stem}; print(type({stem}.value).__name__, {stem}.value(2.0, 0.0))"
    ran = subprocess.run(
        [sys.executable, "-c", run], cwd=tmp_path, capture_output=True, text=True
    )
    kind = "function" if stem == "thread" else "builtin_function_or_method"
    assert ran.stdout == f"{kind} 0.0\n", ran.stderr
