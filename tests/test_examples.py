"""The examples: their modules are what gradc writes today, and their numbers are right.

The figures come from the formulas as a textbook has them, written once more here over
mpmath and differentiated numerically in 50 digits; nothing of gradc takes part.
"""

import importlib
import subprocess
import sys
from collections.abc import Callable
from itertools import accumulate
from math import prod
from pathlib import Path
from types import ModuleType
from typing import Any

import mpmath
import pytest
from mpmath import mpf

import gradc
from gradc.arrays import flatten, leaves, nest
from gradc.cli import main

EXAMPLES = Path(__file__).parent.parent / "examples"
FORMULAS = sorted(EXAMPLES.glob("*.txt"))


@pytest.fixture(autouse=True)
def examples_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))


def black_scholes(S: Any, K: Any, r: Any, sigma: Any, T: Any) -> Any:
    up = (mpmath.log(S / K) + (r + sigma**2 / 2) * T) / (sigma * mpmath.sqrt(T))
    down = (mpmath.log(S / K) + (r - sigma**2 / 2) * T) / (sigma * mpmath.sqrt(T))
    return S * mpmath.ncdf(up) - K * mpmath.exp(-r * T) * mpmath.ncdf(down)


def rosenbrock(x: Any, y: Any) -> Any:
    return (1 - x) ** 2 + 100 * (y - x * x) ** 2


def damped_oscillator(a: Any, rate: Any, f: Any, phase: Any, t: Any, seen: Any) -> Any:
    swing = mpmath.expj(2 * mpmath.pi * f * t + phase).real
    return (a * mpmath.exp(-rate * t) * swing - seen) ** 2


def logistic_loss(w1: Any, w2: Any, bias: Any, x1: Any, x2: Any, label: Any) -> Any:
    p = 1 / (1 + mpmath.exp(-(w1 * x1 + w2 * x2 + bias)))
    return -label * mpmath.log(p) - (1 - label) * mpmath.log(1 - p)


def lennard_jones(x1: Any, y1: Any, x2: Any, y2: Any, x3: Any, y3: Any) -> Any:
    atoms = (x1, y1), (x2, y2), (x3, y3)
    pairs = (0, 1), (1, 2), (2, 0)
    far = [mpmath.hypot(*(p - q for p, q in zip(atoms[i], atoms[j]))) for i, j in pairs]
    return sum(4 * (1 / r**12 - 1 / r**6) for r in far)


def michaelis_menten(vmax: Any, km: Any, ki: Any, ks: Any, s: Any, i: Any) -> Any:
    return vmax / (km / s * (1 + i / ki) + 1 + s / ks)


def van_der_waals(V: Any, T: Any) -> Any:
    R, a, b = mpf(8.314462618), mpf(0.1370), mpf(3.87e-5)
    return -R * T * (mpmath.log(V - b) + mpf(3) / 2 * mpmath.log(T) + 1) - a / V


def reprojection(*args: Any) -> Any:
    rx, ry, rz, tx, ty, tz, focal, k1, k2, X, Y, Z, u, v = args
    # the exponential of the skew matrix, in place of Rodrigues' formula
    skew = mpmath.matrix([[0, -rz, ry], [rz, 0, -rx], [-ry, rx, 0]])
    turned = mpmath.expm(skew) * mpmath.matrix([X, Y, Z])
    x, y, z = (turned[i] + t for i, t in enumerate((tx, ty, tz)))
    square = (x * x + y * y) / z**2
    zoom = focal * (1 + k1 * square + k2 * square**2)
    return (zoom * x / z - u) ** 2 + (zoom * y / z - v) ** 2


def gaussian_mixture(w: Any, m1: Any, m2: Any, sd1: Any, sd2: Any, x: Any) -> Any:
    density = w * mpmath.npdf(x, m1, sd1) + (1 - w) * mpmath.npdf(x, m2, sd2)
    return -mpmath.log(density)


def kepler(E: Any, e: Any, M: Any) -> Any:
    return E - e * mpmath.sin(E) - M


def beam(F: Any, a: Any, E: Any, I: Any, x: Any) -> Any:
    # Macaulay's bracket, in place of the two sides
    b = 4 - a
    bracket = max(x - a, 0) ** 3
    return F * (b * x * (16 - b**2 - x**2) + 4 * bracket) / (24 * E * I)


def sphere_drag(speed: Any, diameter: Any, density: Any, viscosity: Any) -> Any:
    reynolds = density * speed * diameter / viscosity
    if reynolds < 0.1:
        return 3 * mpmath.pi * viscosity * diameter * speed  # Stokes
    slow = 1 + mpf(0.15) * reynolds ** mpf(0.687)
    if reynolds < 1000:
        return 3 * mpmath.pi * viscosity * diameter * speed * slow
    return mpf(0.44) * density * speed**2 * mpmath.pi * diameter**2 / 8


def double_pendulum(p: Any, q: Any, dp: Any, dq: Any) -> Any:
    # from the places and velocities of the two bobs
    vx = dp * mpmath.cos(p) + dq * mpmath.cos(q)
    vy = dp * mpmath.sin(p) + dq * mpmath.sin(q)
    height = -mpmath.cos(p) - (mpmath.cos(p) + mpmath.cos(q))
    return (dp**2 + vx**2 + vy**2) / 2 + mpf(9.80665) * height


def decay_fit(height: Any, rate: Any, background: Any, t: Any, seen: Any) -> Any:
    curve = (height * mpmath.exp(-rate * u) + background for u in t)
    return sum((c - s) ** 2 for c, s in zip(curve, seen))


def poisson_regression(beta: Any, X: Any, count: Any) -> Any:
    means = [mpmath.exp(mpmath.fdot(row, beta)) for row in X]
    terms = (mpmath.exp(-m) * m**k / mpmath.gamma(k + 1) for m, k in zip(means, count))
    return -mpmath.log(mpmath.fprod(terms))


def local_energy(x: Any, zeta: Any, b: Any) -> Any:
    def distance(p: Any, q: Any) -> Any:
        return mpmath.norm([u - v for u, v in zip(p, q)])

    def psi(*places: Any) -> Any:
        one, other = places[:3], places[3:]
        far = distance(one, [0] * 3) + distance(other, [0] * 3)
        apart = distance(one, other)
        return mpmath.exp(-zeta * far + apart / (2 * (1 + b * apart)))

    flat = (*x[0], *x[1])
    twice = [[2 * (i == k) for i in range(6)] for k in range(6)]
    laplacian = sum(mpmath.diff(psi, flat, order) for order in twice)
    charges = sum(2 / distance(p, [0] * 3) for p in x)
    return -laplacian / psi(*flat) / 2 - charges + 1 / distance(*x)


Nested = float | tuple["Nested", ...]

TEXTBOOK: list[tuple[Callable[..., Any], tuple[Nested, ...]]] = [
    (black_scholes, (100.0, 100.0, 0.05, 0.2, 1.0)),
    (black_scholes, (90.0, 120.0, 0.01, 0.6, 0.1)),
    (rosenbrock, (-1.2, 1.0)),
    (damped_oscillator, (2.0, 0.35, 0.6, 0.4, 1.25, 0.5)),
    (logistic_loss, (0.5, -1.5, 0.25, 2.0, 3.0, 1.0)),
    (logistic_loss, (0.5, -1.5, 0.25, 2.0, 3.0, 0.0)),
    (lennard_jones, (0.0, 0.0, 1.1, 0.1, 0.4, 1.3)),
    (michaelis_menten, (10.0, 0.5, 2.0, 30.0, 4.0, 1.0)),
    (van_der_waals, (0.001, 300.0)),
    (reprojection, (0.3, -0.2, 0.5, 0.1, -0.4, 5.0)
        + (500.0, -0.05, 0.01, 0.7, -0.6, 0.2, 80.0, -90.0)),
    (reprojection, (0.0, 0.0, 0.0, 0.1, -0.4, 5.0)
        + (500.0, -0.05, 0.01, 0.7, -0.6, 0.2, 80.0, -90.0)),
    (gaussian_mixture, (0.3, -1.0, 2.0, 0.5, 1.5, 0.7)),
    (kepler, (1.5, 0.6, 0.9)),
    (beam, (2000.0, 1.5, 2.1e11, 8e-6, 1.0)),
    (beam, (2000.0, 1.5, 2.1e11, 8e-6, 3.25)),
    (sphere_drag, (0.001, 0.001, 1000.0, 0.1)),
    (sphere_drag, (0.5, 0.01, 1000.0, 0.01)),
    (sphere_drag, (5.0, 0.05, 1000.0, 0.001)),
    (double_pendulum, (1.0, -0.5, 0.3, 2.0)),
    (decay_fit, (2.0, 0.7, 0.1, (0.0, 0.5, 1.0, 2.0, 4.0, 8.0),
        (2.2, 1.5, 1.1, 0.5, 0.3, 0.1))),
    (poisson_regression, ((0.3, -0.5, 0.1), tuple((1.0, k / 4, k % 3 - 1.0)
        for k in range(8)), (1.0, 0.0, 3.0, 2.0, 1.0, 0.0, 4.0, 2.0))),
    (local_energy, (((0.5, -0.2, 0.3), (-0.4, 0.6, 0.1)), 1.7, 0.3)),
]  # fmt: skip


def load(name: str) -> ModuleType:
    return importlib.import_module(name)


EACH = pytest.mark.parametrize("path", FORMULAS, ids=lambda path: path.stem)


@EACH
def test_module_is_what_the_formula_gives(path: Path, bless: bool) -> None:
    compiled = gradc.compile_file(path)
    module = path.with_suffix(".py")
    if bless:
        compiled.save(module, force=True)
    assert module.read_text(encoding="utf-8") == compiled.source


@EACH
def test_hook_accepts(path: Path) -> None:
    """What `.pre-commit-hooks.yaml` runs."""
    module = path.with_suffix(".py")
    assert main(["compile", "--verify", str(path), "-o", str(module)]) == 0


@EACH
@pytest.mark.long
def test_thorough_check(path: Path) -> None:
    assert main(["check", str(path.with_suffix(".py"))]) == 0


@pytest.mark.long
def test_modules_are_typed() -> None:
    modules = [path.with_suffix(".py") for path in FORMULAS]
    subprocess.run([sys.executable, "-m", "mypy", "--strict", *modules], check=True)


@pytest.mark.parametrize("textbook, point", TEXTBOOK)
def test_figures(textbook: Callable[..., Any], point: tuple[Nested, ...]) -> None:
    module = load(textbook.__name__)
    value, grad = module.value_and_grad(*point)
    assert value == module.value(*point)
    assert value == pytest.approx(figure(textbook, point), rel=1e-12)
    starts = list(accumulate((len([*leaves(part)]) for part in point), initial=0))
    for name, slopes in zip(module.WRT, grad, strict=True):
        start = starts[module.INPUTS.index(name)]
        for k, slope in enumerate(leaves(slopes), start):
            expected = figure(textbook, point, k)
            assert slope == pytest.approx(expected, rel=1e-11, abs=1e-12), name


def figure(
    textbook: Callable[..., Any], point: tuple[Nested, ...], k: int | None = None
) -> float:
    """Return the textbook's value, or its derivative by a number, from 50 digits."""
    shapes = [flatten(part)[0] for part in point]
    with mpmath.workdps(50):
        exact = [mpf(number) for number in leaves(point)]

        def along(number: Any) -> Any:
            numbers = iter([number if i == k else x for i, x in enumerate(exact)])
            parts = [[next(numbers) for _ in range(prod(shape))] for shape in shapes]
            return textbook(*map(nest, parts, shapes))

        return float(along(None) if k is None else mpmath.diff(along, exact[k]))


def test_every_formula_has_figures() -> None:
    assert {textbook.__name__ for textbook, _ in TEXTBOOK} == {p.stem for p in FORMULAS}


def test_known_option() -> None:
    """The example of many a finance course: 10.4506, with delta 0.6368."""
    price, greeks = load("black_scholes").value_and_grad(100, 100, 0.05, 0.2, 1)
    assert f"{price:.4f} {greeks[0]:.4f} {greeks[3]:.4f}" == "10.4506 0.6368 37.5240"


def test_known_molecule() -> None:
    """In an equilateral triangle of side 2^(1/6) the forces vanish at energy -3."""
    side = 2 ** (1 / 6)
    apex = side * 3**0.5 / 2
    value, grad = load("lennard_jones").value_and_grad(0, 0, side, 0, side / 2, apex)
    assert value == pytest.approx(-3, abs=1e-14)
    assert grad == pytest.approx([0] * 6, abs=1e-13)


def test_known_valley() -> None:
    assert load("rosenbrock").value_and_grad(1, 1) == (0, (0, 0))


PRINTED = {
    "gradient_descent": "bias  -11.7195",
    "curve_fit": "sum of squares 0.02698",
    "newton": "   37       3    35.0752  179.79",
    "enzyme": "sum of squares 1195.449",
}


@pytest.mark.parametrize("name", PRINTED)
def test_program(name: str) -> None:
    program = EXAMPLES / f"{name}.py"
    run = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, check=True
    )
    assert run.stdout.splitlines()[-1] == PRINTED[name]
    assert not run.stderr
