"""Depth costs nothing but time: nothing recurses on what the user wrote.

Python's recursion limit is set low in a process of its own, and formulas of a depth
far beyond it go all the way: through the passes, the printer, the check, `Value`,
copying, showing, and being thrown away.
"""

import subprocess
import sys

import pytest

import gradc
from gradc.passes.derive import derive
from tests.conftest import ROOT, read

DEPTH, QUICK = 1_500, 1_000
LIMIT = 150  # frames; the deepest call in a flat formula takes about half of them

SCRIPT = """
import copy, pickle, sys
import gradc
from gradc import show

def around(left, inner, right=""):
    return left * n + inner + right * n

n, limit = int(sys.argv[2]), int(sys.argv[3])
deep = {
    "brackets": around("(", "x", ")"),
    "signs": around("-", "x"),
    "sum": around("x + ", "y"),
    "sum to the right": around("x + (", "y", ")"),
    "product": around("x*", "y"),
    "quotient": around("1/(y + ", "x", ")"),
    "calls": around("sin(", "x", ")"),
    "powers": around("x^", "x"),
    "two arguments": around("atan2(x, ", "y", ")"),
    "conditions": around("where(x > 0, ", "y", ", 1)"),
    "otherwise": around("where(x > 0, 1, ", "y", ")"),
    "different conditions": "".join(f"where(x > {k}, 1, " for k in range(n))
    + "y" + ")" * n,
    "expressions": around("x if x > 0 else ", "y"),
    "nots": "where(" + around("not ", "x > 0") + ", x, y)",
    "ands": "where(" + around("x > 0 and ", "y > 1") + ", x, y)",
    "comparisons": "where(" + around("x < ", "y") + ", x, 1)",
    "statements": "v0 = x\\n"
    + "".join(f"v{k} = sin(v{k - 1})\\n" for k in range(1, n)) + f"v{n - 1}",
    "functions": "f0(a) = a*a\\n"
    + "".join(f"f{k}(a) = f{k - 1}(a)\\n" for k in range(1, n)) + f"f{n - 1}(x)",
    "loops": around("sum(", "x", " for v in [1])"),
    "indices": around("[", "x", "][0]"),
}
text = deep[sys.argv[1]]
gradc.compile("x*y", check=True)  # what is read once is read now
gradc.compile("where(x > 0 and not y > 1, sin(x), atan2(x, y)/y)", check=True)
sys.setrecursionlimit(limit)
compiled = gradc.compile(text)
point = dict.fromkeys(compiled.inputs, 0.5)
value, gradient = compiled.value_and_grad(**point)
report = compiled.check()
report.require()
assert report.points > 0
twin = pickle.loads(pickle.dumps(compiled))
assert copy.deepcopy(twin).value_and_grad(**point) == (value, gradient)
for title, stage in show.stages(text, "deep"):
    show.shown(stage)
for title, stage in show.stages(text, "deep", strict=True):
    pass
show.dot(compiled.program, compiled.inputs, point)
del compiled, twin, stage, report
"""
SHAPES = [
    *("brackets", "signs", "sum", "sum to the right", "product", "quotient", "calls"),
    *("conditions", "otherwise"),
    *("expressions", "nots", "ands", "comparisons", "statements", "functions"),
    *("loops", "indices"),
]
PLAIN = [(name, QUICK) for name in ("calls", "conditions")]
SLOW = [pytest.param(name, DEPTH, marks=pytest.mark.long) for name in SHAPES]
# gradients with several conditions for each operation, or checks that take as long
LESS = [("powers", 200), ("two arguments", 500), ("different conditions", 500)]
SLOW += [pytest.param(*less, marks=pytest.mark.long) for less in LESS]


@pytest.mark.parametrize(("shape", "depth"), [*PLAIN, *SLOW])
def test_nothing_recurses(shape: str, depth: int) -> None:
    line = [sys.executable, "-c", SCRIPT, shape, str(depth), str(LIMIT)]
    done = subprocess.run(line, capture_output=True, text=True, cwd=ROOT, timeout=300)
    assert done.returncode == 0, done.stderr


ENGINE = """
import sys
from gradc import Value

x = Value(0.5)
y = x * x
y.backward()  # what reads the table of the language
sys.setrecursionlimit(60)
for k in range(100_000):
    y = y + x if k % 2 else (y * 0.5).sin()
y.backward()
assert x.grad > 0.0
y.zero_grad()
nested = Value(Value(0.5))
z = nested * nested
for k in range(1000):
    z = z + nested
z.backward()
del x, y, z, nested
"""


def test_a_deep_graph_of_values() -> None:
    line = [sys.executable, "-c", ENGINE]
    done = subprocess.run(line, capture_output=True, text=True, cwd=ROOT, timeout=300)
    assert done.returncode == 0, done.stderr


def test_a_deep_value_is_what_the_compiled_formula_gives() -> None:
    compiled = gradc.compile("sin(x + " * 500 + "y" + ")" * 500)
    y: gradc.Value = gradc.Value(0.75)
    x = gradc.Value(0.25)
    z = y
    for _ in range(500):
        z = (x + z).sin()
    z.backward()
    value, gradient = compiled.value_and_grad(0.25, 0.75)
    assert value == z.data
    assert gradient == pytest.approx((x.grad, y.grad), rel=1e-12)


@pytest.mark.parametrize("size", [1000, 4000])
def test_programs_grow_with_their_formulas(size: int) -> None:
    """A gradient costs a few operations for each operation of the formula."""
    names = [f"x{k}" for k in range(size // 10)]
    terms = [f"sin({names[k % len(names)]}*{k + 2})" for k in range(size)]
    program = read(" + ".join(terms))
    gradient = derive(program, [item.name for item in program.inputs])
    assert len(gradient.nodes) <= 3 * len(program.nodes)


COLLECTED = """
import gc
import gradc

for text in ["x*sin(y)", "where(x > 0, log(x), y) + softplus(x*y)*erf(y)"]:
    gradc.compile(text)  # reads what is needed only once
    gc.collect()
    gc.disable()
    gradc.compile(text)
    print(gc.collect())
"""


def test_nothing_refers_to_itself() -> None:
    """So there is nothing to collect while the collector is held off.

    In a process of its own, where nothing has run before that could be in a cycle.
    """
    line = [sys.executable, "-c", COLLECTED]
    done = subprocess.run(line, capture_output=True, text=True, cwd=ROOT, timeout=300)
    assert (done.stdout.split(), done.stderr) == (["0", "0"], "")


GROWN = """
import gc
import gradc

def grown():
    for k in range(60):
        gradc.compile(f"sin(x - {k})/(x - {k})")
    return len(gc.get_objects())

first = grown()
print(max(grown() - first for _ in range(3)))
"""


def test_formula_after_formula_takes_no_more_memory() -> None:
    """Series refer to themselves, and are collected soon."""
    line = [sys.executable, "-c", GROWN]
    done = subprocess.run(line, capture_output=True, text=True, cwd=ROOT, timeout=300)
    assert int(done.stdout) < 10_000, done.stderr
