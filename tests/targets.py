"""Formulas run in every target: one program a compiler, all numbers in hexadecimal.

A case is a formula with its points; a runner returns what the functions of all cases
return at all of their points, flat, in the order of the vectors.
"""

from __future__ import annotations

import re
import struct
import subprocess
from collections.abc import Callable, Sequence
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import gradc
from gradc.arrays import leaves, nest
from gradc.spelling import C, JS
from gradc.targets.bodies import copies
from gradc.targets.c import called
from gradc.targets.javascript import camel

FLAGS = "-O1 -ffp-contract=off -Wall -Wextra -Wpedantic -Wconversion -Werror"
NAMES = "value_grad_and_hessian", "value_and_grad", "value_and_jacobian", "value"
Numbers = list[list[list[float]]]  # by case, point and number


class Case(NamedTuple):
    """A compiled formula, and points with the flat numbers of its inputs."""

    compiled: Any
    points: Sequence[Sequence[float]]

    @property
    def name(self) -> str:
        """The function that is called."""
        return next(name for name in NAMES if name in self.compiled.functions)

    def arguments(self, point: Sequence[float]) -> list[Any]:
        """The arguments at a point."""
        found, flat = [], iter(point)
        for _, shape, _ in self.compiled.functions[self.name].arguments():
            own = [next(flat) for _ in range(prod(shape or ()))]
            found.append(nest(own, shape) if shape else own[0])
        return found


def in_python(cases: Sequence[Case], folder: Path) -> Numbers:
    """What the modules of Python return; what raises is NaN."""
    return [[numbers(case, point) for point in case.points] for case in cases]


def numbers(case: Case, point: Sequence[float]) -> list[float]:
    """What a function returns at a point."""
    call = case.compiled if case.name == "value" else getattr(case.compiled, case.name)
    return [*map(float, leaves(call(*case.arguments(point))))]


def in_c(tool: str, flags: str = "-std=c99") -> Callable[..., Numbers]:
    """A runner by a compiler of C, or of C++."""

    def runner(cases: Sequence[Case], folder: Path) -> Numbers:
        path = folder / f"cases_{tool.replace('+', 'p')}.c"
        path.write_text(_c(cases))
        built = [tool, *flags.split(), *FLAGS.split(), str(path), "-o", f"{path}.out"]
        subprocess.run([*built, "-lm"], check=True)
        return _read([f"{path}.out"], cases)

    return runner


def _c(cases: Sequence[Case]) -> str:
    """One file with the functions of all cases, and what they share once."""
    bodies, parts, calls = dict[str, None](), list[str](), list[str]()
    for k, case in enumerate(cases):
        text = case.compiled.text("c", f"f{k}")
        text = text[text.index("#include <math.h>") :].replace("#include <math.h>", "")
        for body in copies(called([*case.compiled.functions.values()], C), C):
            assert body in text
            bodies[body], text = None, text.replace(body, "", 1)
        parts.append(text)
        calls += [f"    case{k}();"]
        parts.append(_caller(k, case))
    head = "#include <math.h>\n#include <stdio.h>\n"
    show = "static void show(int n, const double *x) {\n"
    show += '    for (int k = 0; k < n; k += 1) {\n        printf("%a\\n", x[k]);\n    }\n}\n'
    main = "int main(void) {\n" + "\n".join(calls) + "\n    return 0;\n}\n"
    return "\n".join([head, *bodies, show, *parts, main])


def _caller(k: int, case: Case) -> str:
    """A function that prints what one returns at all points of a case."""
    function = case.compiled.functions[case.name]
    parts = function.layout if case.name.startswith("value_") else [function.layout]
    args, at = list[str](), 0
    for _, shape, _ in function.arguments():
        args.append(f"x + {at}" if shape else f"x[{at}]")
        at += prod(shape or ())
    rows = [", ".join(x.hex() for x in point) for point in case.points]
    lines = [
        f"static const double in{k}[][{at}] = {{",
        *[f"    {{{row}}}," for row in rows],
        "};",
        f"static void case{k}(void) {{",
        f"    for (int k = 0; k < {len(rows)}; k += 1) {{",
        f"        const double *x = in{k}[k];",
    ]
    shown = []
    for j, part in enumerate(parts):
        size = len([*leaves(part)])
        lines.append(f"        double r{j}[{max(size, 1)}];")
        shown.append(f"        show({size}, r{j});")
        if size and not (j == 0 and isinstance(part, int)):
            args.append(f"r{j}")
    result = "r0[0] = " if isinstance(parts[0], int) else ""
    lines.append(f"        {result}f{k}_{case.name}({', '.join(args)});")
    return "\n".join([*lines, *shown, "    }", "}"])


def in_node(cases: Sequence[Case], folder: Path) -> Numbers:
    """What the modules of JavaScript return in Node."""
    path = folder / "cases.mjs"
    path.write_text(script(cases))
    return _read(["node", str(path)], cases)


def script(cases: Sequence[Case], show: str = "console.log") -> str:
    """One module with those of all cases, each in a function, that shows all bytes."""
    parts = [
        "const out = [], view = new DataView(new ArrayBuffer(8));",
        "function show(x) {",
        "    if (typeof x !== 'number') { for (const y of x) { show(y); } return; }",
        "    view.setFloat64(0, x);",
        "    out.push(view.getBigUint64(0).toString(16).padStart(16, '0'));",
        "}",
    ]
    for case in cases:
        text = re.sub(r"^export ", "", case.compiled.text("js"), flags=re.MULTILINE)
        parts += ["{", text]
        calls = [", ".join(map(_literal, case.arguments(x))) for x in case.points]
        rows = ",\n".join(f"[{call}]" for call in calls)
        call = f"for (const x of points) {{ show({camel(case.name)}(...x)); }}"
        parts += [f"const points = [{rows}];", call, "}"]
    return "\n".join([*parts, f"{show}(out.join('\\n'));", ""])


def _literal(x: Any) -> str:
    """An argument, with arrays of one axis as those of JavaScript's floats."""
    if isinstance(x, float):
        return JS.literal(x)
    is_flat = all(isinstance(y, float) for y in x)
    text = f"[{', '.join(map(_literal, x))}]"
    return f"new Float64Array({text})" if is_flat else text


def _read(command: Sequence[str], cases: Sequence[Case]) -> Numbers:
    """The numbers that a program prints, as text of C or as bytes."""
    ran = subprocess.run(command, check=True, capture_output=True, text=True)
    return parsed(ran.stdout.split(), cases)


def parsed(words: Sequence[str], cases: Sequence[Case]) -> Numbers:
    """Numbers by case and point."""
    flat = iter(
        (
            float.fromhex(word)
            if "x" in word or "n" in word.lower() and len(word) < 6
            else struct.unpack(">d", bytes.fromhex(word))[0]
        )
        for word in words
    )
    found = []
    for case in cases:
        size = len([*leaves(case.compiled.functions[case.name].layout)])
        found.append([[next(flat) for _ in range(size)] for _ in case.points])
    assert next(flat, None) is None
    return found


RUNNERS: dict[str, tuple[str, str, Callable[..., Numbers]]] = {  # tool and target
    "python": ("python", "python", in_python),
    "gcc": ("gcc", "c", in_c("gcc")),
    "clang": ("clang", "c", in_c("clang")),
    "g++": ("g++", "c", in_c("g++", "-x c++ -std=c++17")),
    "tcc": ("tcc", "c", in_c("tcc")),
    "node": ("node", "js", in_node),
}


def in_numpy(
    compiled: Any, points: Sequence[Sequence[float]]
) -> list[list[float]] | None:
    """What the module for columns in NumPy returns at all points, None if it is none."""
    import numpy

    origin = compiled.origin
    if any(item.array for item in compiled.program.inputs):
        return None
    try:
        made = gradc.compile(origin.formula, columns="all", numpy=True, emit="jacobian")
        with numpy.errstate(all="ignore"):
            value, matrix = made.value_and_jacobian(*map(numpy.array, zip(*points)))
    except gradc.GradcError:
        return None
    if numpy.shape(value) != (len(points),):
        return None  # no column
    count = len(points)
    rows = numpy.concatenate(
        [value.reshape(count, 1), matrix.reshape(count, -1)], axis=1
    )
    found: list[list[float]] = rows.tolist()
    return found
