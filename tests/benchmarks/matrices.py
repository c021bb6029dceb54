"""Hessians and a Jacobian, generated and written by an expert.

A case is a Python function of a list of numbers, whatever kind they are, which gradc
records. All take one sequence, which the expert asks for its shape with the same helper.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import gradc
from tests.benchmarks.cases import Function, Point, load

HESSIAN, JACOBIAN = "value_grad_and_hessian", "value_and_jacobian"
EMIT = {HESSIAN: "hessian", JACOBIAN: "jacobian"}
Model = Callable[[Any, Sequence[Any]], Any]  # of a module with `sin`, and numbers


@dataclass(frozen=True)
class Matrix:
    """A function and the hand-written Python of its derivatives.

    Attributes:
        function: which of the generated functions is meant.
        model: the function, over a module that has `sin` and so on.
        bounds: the domain of each input.
        source: the function by hand.
        note: what must be said beside the times.
    """

    name: str
    function: str
    model: Model
    bounds: Sequence[tuple[float, float]]
    source: str
    note: str = ""

    @cached_property
    def compiled(self) -> Any:
        """What gradc makes of the model."""

        def model(x: Any) -> Any:
            return self.model(gradc.math, x)

        return gradc.trace(model, {"emit": EMIT[self.function]}, x=(len(self.bounds),))

    @cached_property
    def generated(self) -> Function:
        """The function of the module."""
        found: Function = load(self.compiled.source)[self.function]
        return found

    @cached_property
    def written(self) -> Function:
        """The expert's function."""
        found: Function = load(self.source)[self.function]
        return found

    def points(self, count: int) -> list[Point]:
        """Points drawn evenly."""
        rng = Random(1)
        return [
            (tuple(rng.uniform(*pair) for pair in self.bounds),) for _ in range(count)
        ]


# ---- Rosenbrock


def rosenbrock(m: Any, x: Sequence[Any]) -> Any:
    return sum(100 * (b - a**2) ** 2 + (1 - a) ** 2 for a, b in zip(x, x[1:]))


def rosenbrock_case(count: int) -> Matrix:
    last = count - 1
    lines = []
    for k in range(last):
        lines += [f"a{k} = 1.0 - x{k}", f"s{k} = x{k}*x{k}", f"b{k} = x{k + 1} - s{k}"]
        lines += [f"c{k} = 200.0*b{k}", f"o{k} = -400.0*x{k}"]
    bends = " + ".join(f"b{k}*b{k}" for k in range(last))
    steps = " + ".join(f"a{k}*a{k}" for k in range(last))
    gradient = ["-2.0*(a0 + x0*c0)"]
    gradient += [f"c{k - 1} - 2.0*(a{k} + x{k}*c{k})" for k in range(1, last)]
    gradient.append(f"c{last - 1}")
    cells = {(last, last): "200.0", (0, 0): "800.0*s0 - 2.0*c0 + 2.0"}
    for k in range(1, last):
        cells[k, k] = f"800.0*s{k} - 2.0*c{k} + 202.0"
    for k in range(last):
        cells[k, k + 1] = cells[k + 1, k] = f"o{k}"
    expert = _hessian(count, lines, f"100.0*({bends}) + {steps}", gradient, cells)
    name = f"Rosenbrock, {count} variables, Hessian"
    return Matrix(name, HESSIAN, rosenbrock, [(-2.0, 2.0)] * count, expert)


# ---- a cluster of atoms


def lennard_jones(m: Any, x: Sequence[Any]) -> Any:
    energy = 0
    for i, j in combinations(range(len(x) // 3), 2):
        s = 1 / sum((x[3 * i + k] - x[3 * j + k]) ** 2 for k in range(3))
        energy = energy + (s**6 - s**3)
    return 4 * energy


def lennard_jones_case(count: int) -> Matrix:
    """Atoms near the corners of a lattice, so that none meets another."""
    places = [(i, j, k) for i in range(3) for j in range(3) for k in range(3)]
    bounds = [(1.2 * c - 0.2, 1.2 * c + 0.2) for place in places[:count] for c in place]
    name = f"Lennard-Jones, {count} atoms, Hessian"
    expert = _lennard_jones_by_hand(count)
    return Matrix(name, HESSIAN, lennard_jones, bounds, expert)


def _lennard_jones_by_hand(count: int) -> str:
    """Each pair has one block of six numbers, which its four places share."""
    lines: list[str] = []
    energies: list[str] = []
    forces: list[list[str]] = [[] for _ in range(3 * count)]
    diagonal: dict[tuple[int, int], list[str]] = {}
    cells: dict[tuple[int, int], str] = {}
    for p, (i, j) in enumerate(combinations(range(count), 2)):
        lines += [f"{u} = x{3 * i + k} - x{3 * j + k}" for k, u in enumerate("xyz")]
        lines += ["s = 1.0/(x*x + y*y + z*z)", "q = s*s", "c = q*s", "q2 = q*q"]
        lines += [f"e{p} = c*c - c", "g = q2*(24.0 - 48.0*c)"]
        lines.append("h = q2*s*(672.0*c - 192.0)")
        lines += [f"f{u}{p} = g*{u}" for u in "xyz"]
        lines += [f"h{u} = h*{u}" for u in "xyz"]
        energies.append(f"e{p}")
        for k, u in enumerate("xyz"):
            forces[3 * i + k].append(f"+ f{u}{p}")
            forces[3 * j + k].append(f"- f{u}{p}")
            for n, w in list(enumerate("xyz"))[k:]:
                block = f"{u}{w}{p}"
                lines.append(f"{block} = h{u}*{w}" + (" + g" if u == w else ""))
                lines.append(f"m{block} = -{block}")
                for atom in (i, j):
                    diagonal.setdefault((3 * atom + k, 3 * atom + n), []).append(block)
                for a, b in ((i, j), (j, i)):
                    cells[3 * a + k, 3 * b + n] = f"m{block}"
                    cells[3 * a + n, 3 * b + k] = f"m{block}"
    for (row, column), blocks in diagonal.items():
        lines.append(f"d{row}_{column} = {' + '.join(blocks)}")
        cells[row, column] = cells[column, row] = f"d{row}_{column}"
    gradient = [" ".join(terms).removeprefix("+ ") for terms in forces]
    value = f"4.0*({' + '.join(energies)})"
    return _hessian(3 * count, lines, value, gradient, cells)


# ---- bundle adjustment


def residual(m: Any, x: Sequence[Any]) -> Any:
    r1, r2, r3, C1, C2, C3, f, u0, v0, k1, k2, X1, X2, X3 = x
    p1, p2, p3 = X1 - C1, X2 - C2, X3 - C3
    theta = m.sqrt(r1**2 + r2**2 + r3**2)
    w1, w2, w3 = r1 / theta, r2 / theta, r3 / theta
    t = (w1 * p1 + w2 * p2 + w3 * p3) * (1 - m.cos(theta))
    q1 = p1 * m.cos(theta) + (w2 * p3 - w3 * p2) * m.sin(theta) + w1 * t
    q2 = p2 * m.cos(theta) + (w3 * p1 - w1 * p3) * m.sin(theta) + w2 * t
    q3 = p3 * m.cos(theta) + (w1 * p2 - w2 * p1) * m.sin(theta) + w3 * t
    a, b = q1 / q3, q2 / q3
    s = a**2 + b**2
    L = 1 + k1 * s + k2 * s**2
    return [f * a * L + u0, f * b * L + v0]


_BOUNDS = [(0.1, 0.5)] * 3 + [(-0.2, 0.2)] * 3 + [(0.8, 1.2)] + [(-0.1, 0.1)] * 3
_BOUNDS += [(-0.05, 0.05)] + [(-1.0, 1.0)] * 2 + [(4.0, 6.0)]

BUNDLE = Path(__file__).with_name("jacobian.txt").read_text(encoding="utf-8")


def _hessian(
    size: int,
    lines: Sequence[str],
    value: str,
    gradient: Sequence[str],
    cells: dict[tuple[int, int], str],
) -> str:
    """The source of an expert's function that a program wrote out for him."""
    names = ", ".join(f"x{k}" for k in range(size))
    body = "".join(
        f"    {line}\n" for line in (f'{names} = floats("x", x_, {size})', *lines)
    )
    numbered = range(size)
    rows = [[cells.get((i, j), "0.0") for j in numbered] for i in numbered]
    matrix = ", ".join(f"({', '.join(row)})" for row in rows)
    result = f"    return {value}, (({', '.join(gradient)}),), ({matrix})\n"
    return f"def {HESSIAN}(x_):\n{body}{result}"


CASES = [
    rosenbrock_case(10),
    lennard_jones_case(7),
    Matrix(
        "bundle adjustment, Jacobian",
        JACOBIAN,
        residual,
        _BOUNDS,
        BUNDLE,
        "no rotation is 0/0: the expert, too, takes series where theta < 0.25",
    ),
]
