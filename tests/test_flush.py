"""In a process in which a library flushes small numbers to zero, gradc compiles the same.

Libraries that are built with -ffast-math set this for the whole process. A number below
2^-1022 is then 0, also when its text is read.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.corpus import cases

SET = """
#include <xmmintrin.h>
void flush(void) { _mm_setcsr(_mm_getcsr() | 0x8040); }
"""
COMPILE = """
import ctypes, json, sys
library, formulas = json.load(sys.stdin)
if library:
    ctypes.CDLL(library).flush()
import gradc
def told(text, options):
    try:
        return gradc.compile(text, **options).source
    except gradc.GradcError as error:
        return str(error)
print(json.dumps([5e-324 * 1.0 == 0.0, [told(*pair) for pair in formulas]]))
"""
SMALL = ["x*5e-324", "x/1e-310", "input x in [1e-320, 1]; log(x)", "max(x, 1e-310)"]


def sources(library: str, formulas: object) -> tuple[bool, list[str]]:
    """Whether small numbers are flushed, and what formulas are compiled to."""
    given = json.dumps([library, formulas])
    command = [sys.executable, "-c", COMPILE]
    ran = subprocess.run(command, input=given, capture_output=True, text=True, cwd=ROOT)
    assert not ran.returncode, ran.stderr
    flushed, found = json.loads(ran.stdout)
    return flushed, found


@pytest.mark.long
def test_a_process_that_flushes_to_zero_compiles_the_same(tmp_path: Path) -> None:
    compiler = shutil.which("cc") or pytest.skip("no C compiler")
    (tmp_path / "flush.c").write_text(SET)
    library = str(tmp_path / "flush.so")
    command = [compiler, "-shared", "-fPIC", "-o", library, str(tmp_path / "flush.c")]
    if subprocess.run(command, capture_output=True).returncode:
        pytest.skip("no such processor")
    texts = [
        case.formula for name in ("fpbench", "engineering") for case in cases(name)
    ]
    texts += [
        line for line in (ROOT / "tests/everyday.txt").read_text().split("\n") if line
    ]
    formulas = [(text, {}) for text in texts[::3]]
    formulas += [(text, {"check": True, "emit": "hessian"}) for text in texts[::40]]
    plain, flushed = sources("", formulas), sources(library, formulas)
    assert (plain[0], flushed[0]) == (False, True)
    assert flushed[1] == plain[1]
    for told in sources(library, [(text, {}) for text in SMALL])[1]:
        assert "is smaller than any binary64 number but 0" in told
