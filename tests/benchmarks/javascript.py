"""JavaScript in Node: value and gradient against an expert's lines, in one process.

The expert's are those of Python, written in JavaScript; where gradc brings a function
along the expert calls the same, but lengths are square roots of sums.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from gradc.spelling import JS, SIGNS
from gradc.targets.bodies import copies, functions
from tests.benchmarks.cases import READ, Case

LIMIT = 1.5  # times the expert's
FLAG = "--max-inlined-bytecode-size=0"  # else one of two is inlined, by chance
CASES = (
    "Rosenbrock",
    "Black-Scholes",
    "bundle adjustment",
    "Poisson, 3 counts",
    "Lotka-Volterra, a step of RK4",
)
_HYPOT = re.compile(r"hypot\(([\w, ]+)\)")
_HARNESS = """
const points = POINTS, rounds = ROUNDS;
const timer = (f) => new Function("f", "points", `return (count) => {
    let sum = 0;
    const start = performance.now();
    for (let k = 0; k < count; k += 1) {
        for (let j = 0; j < points.length; j += 1) {
            const x = points[j], found = CALL;
            sum += found[0];
            for (let i = 0; i < found[1].length; i += 1) { sum += found[1][i]; }
        }
    }
    if (sum === 0.123) { console.log(sum); }
    return performance.now() - start;
}`)(f, points);
const timed = [timer(ours), timer(expert)];
const off = points.map((x) => {
    const a = ours(...x).flat(9), b = expert(...x).flat(9);
    return Math.max(...a.map((y, k) => Math.abs(y - b[k]))) / Math.max(...b.map(Math.abs));
});
let count = 1;
while (timed[0](count) + timed[1](count) < 4) { count *= 2; }
const pairs = [];
for (let k = 0; k < rounds; k += 1) {
    pairs.push(timed.map((time) => 1e6 * time(count)));
}
const middle = (xs) => xs.sort((a, b) => a - b)[xs.length >> 1];
const calls = count * points.length;
console.log(JSON.stringify({
    ours: middle(pairs.map((x) => x[0] / calls)),
    expert: middle(pairs.map((x) => x[1] / calls)),
    ratio: middle(pairs.map((x) => x[0] / x[1])),
    off: Math.max(...off),
}));
"""


def expert(case: Case) -> str:
    """The expert's lines in JavaScript, behind the functions that they call."""
    tree = ast.parse(_HYPOT.sub(_length, "\n".join(case.expert)))
    called = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    lines, known = list[str](), set[str]()
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                word = "" if name in known else "let "
                known.add(name)
                lines.append(f"    {word}{name} = {JS.written(value)};")
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                sign = SIGNS[type(op).__name__]
                lines.append(f"    {name} {sign}= {JS.written(value)};")
            case ast.Return(value=ast.Tuple() as value):
                lines.append(f"    return {_nested(value)};")
            case _:
                raise TypeError(ast.unparse(node))
    head = f"function expert({', '.join(case.compiled.inputs)}) {{"
    bodies = copies(called & functions().keys(), JS)
    return "\n".join(
        ["const expert = (() => {", *bodies, head, *lines, "}", "return expert; })();"]
    )


def _nested(node: ast.expr) -> str:
    if isinstance(node, ast.Tuple):
        return f"[{', '.join(map(_nested, node.elts))}]"
    return JS.written(node)


def _length(match: re.Match[str]) -> str:
    return f"sqrt({' + '.join(f'{x} * {x}' for x in match[1].split(', '))})"


def measured(case: Case, rounds: int) -> dict[str, Any]:
    """Nanoseconds a call of both, and the median of their ratios."""
    text = re.sub(r"^export ", "", case.compiled.text("js"), flags=re.MULTILINE)
    ours = f"const ours = (() => {{\n{text}\nreturn valueAndGrad; }})();"
    points = [[*point] for point in case.points(64)]
    call = f"f({', '.join(f'x[{k}]' for k in range(len(points[0])))})"
    harness = _HARNESS.replace("POINTS", json.dumps(points)).replace("CALL", call)
    harness = harness.replace("ROUNDS", str(rounds))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "race.mjs"
        path.write_text("\n".join([ours, expert(case), harness]))
        ran = subprocess.run(
            ["node", FLAG, str(path)], check=True, capture_output=True, text=True
        )
    found: dict[str, Any] = json.loads(ran.stdout)
    assert found["off"] < 1e-9, (case.name, found["off"])
    return found


def run(rounds: int = 61) -> None:
    """Print the figures."""
    print(f"{'JavaScript in Node, ns a call':34}  gradc  expert  ratio")
    for case in READ:
        if case.name in CASES:
            found = measured(case, rounds)
            mark = "" if found["ratio"] <= LIMIT else f"  above {LIMIT}"
            line = f"{found['ours']:7.1f} {found['expert']:7.1f} {found['ratio']:6.2f}"
            print(f"{case.name:34}{line}{mark}")
