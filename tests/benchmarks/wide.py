"""Cases with many equal terms, written out by a short program as a user would.

Each has its formula and, under a name that ends in `by_hand`, the expert's version.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from tests.benchmarks.cases import Case, returned

Pairs = Sequence[tuple[int, int]]


def plus(terms: Iterable[str]) -> str:
    return " + ".join(terms)


def each(template: str, count: int) -> list[str]:
    """The template with `{k}` counted up."""
    return [template.replace("{k}", str(k)) for k in range(count)]


def balance(node: int, pairs: Pairs, letter: str) -> tuple[str, str]:
    """What a node gets from its pairs: a sign, and a sum that starts with no sign.

    The first of a pair gets the pair's quantity, the second gets it with a minus.
    """
    gets = [f"{letter}{k}" for k, pair in enumerate(pairs) if node == pair[0]]
    gives = [f"{letter}{k}" for k, pair in enumerate(pairs) if node == pair[1]]
    if not gets:
        return "-", plus(gives)
    return "", " - ".join([plus(gets), *gives])


# ---- Rosenbrock's valley in many dimensions: each variable bends the next


def rosenbrock(count: int) -> Case:
    x = each("x{k}", count)
    terms = [f"100*({b} - {a}^2)^2 + (1 - {a})^2" for a, b in zip(x, x[1:])]
    formula = f"input {', '.join(x)} in [-2, 2]\n{plus(terms)}"
    name = f"Rosenbrock, {count} variables"
    return Case(name, formula, _rosenbrock_by_hand(x))


def _rosenbrock_by_hand(x: list[str]) -> list[str]:
    last = len(x) - 1
    lines = []
    for k in range(last):
        lines += [f"a{k} = 1.0 - x{k}", f"b{k} = x{k + 1} - x{k}*x{k}"]
        lines.append(f"c{k} = 200.0*b{k}")
    bends, steps = plus(each("b{k}*b{k}", last)), plus(each("a{k}*a{k}", last))
    gradient = ["-2.0*(a0 + x0*c0)"]
    gradient += [f"c{k - 1} - 2.0*(a{k} + x{k}*c{k})" for k in range(1, last)]
    gradient.append(f"c{last - 1}")
    return [*lines, returned(f"100.0*({bends}) + {steps}", gradient)]


# ---- the energy of a cluster of noble-gas atoms, each near a site of a lattice


def lennard_jones(count: int) -> Case:
    formula = []
    for k in range(count):
        for axis, place in zip("xyz", (k % 2, k // 2 % 2, k // 4)):
            low, high = 1.2 * place - 0.1, 1.2 * place + 0.1
            formula.append(f"input {axis}{k} in [{low:.1f}, {high:.1f}]")
    pairs = list(combinations(range(count), 2))
    for k, (i, j) in enumerate(pairs):
        square = plus(f"({axis}{i} - {axis}{j})^2" for axis in "xyz")
        formula.append(f"s{k} = 1/({square})")
    formula.append(f"4*({plus(each('s{k}^6 - s{k}^3', len(pairs)))})")
    name = f"Lennard-Jones, {count} atoms"
    return Case(name, "\n".join(formula), _lennard_jones_by_hand(count, pairs))


def _lennard_jones_by_hand(count: int, pairs: Pairs) -> list[str]:
    lines = []
    for k, (i, j) in enumerate(pairs):
        lines += [f"{axis} = {axis}{i} - {axis}{j}" for axis in "xyz"]
        lines += ["s = 1.0/(x*x + y*y + z*z)", "q = s*s", f"c{k} = q*s"]
        lines.append(f"f = q*q*(0.5 - c{k})")
        lines += [f"f{axis}{k} = {axis}*f" for axis in "xyz"]
    gradient = []
    for k in range(count):
        for axis in "xyz":
            sign, total = balance(k, pairs, f"f{axis}")
            gradient.append(f"{sign}48.0*({total})")
    energies = plus(each("c{k}*(c{k} - 1.0)", len(pairs)))
    return [*lines, returned(f"4.0*({energies})", gradient)]


# ---- the elastic energy of a cantilever of square cells with both diagonals


def truss(cells: int) -> Case:
    """Nodes 0 and 1 are held; 2 and 3 close the first cell, and so on."""
    formula = []
    for k in range(2 * cells + 2):
        kind = "data" if k < 2 else "input"
        for axis, place in (("x", k // 2), ("y", k % 2)):
            low, high = place - 0.1, place + 0.1
            formula.append(f"{kind} {axis}{k} in [{low:.1f}, {high:.1f}]")
    formula.append("data stiff, load in [1, 2]")
    bars = _bars(cells)
    for k, (a, b) in enumerate(bars):
        length = f"sqrt((x{a} - x{b})^2 + (y{a} - y{b})^2)"
        formula.append(f"d{k} = {length} - {_rest(a, b)}")
    squares = plus(each("d{k}^2", len(bars)))
    formula.append(f"stiff/2*({squares}) + load*y{2 * cells + 1}")
    name = f"truss, {len(bars)} bars"
    note = "no square overflows and a bar may have no length: so for the expert"
    return Case(name, "\n".join(formula), _truss_by_hand(cells, bars), note=note)


def _bars(cells: int) -> Pairs:
    """The bars as (outer node, inner node); the last of each cell closes it."""
    bars: list[tuple[int, int]] = []
    for a in range(0, 2 * cells, 2):
        bars += [(a + 2, a), (a + 3, a + 1), (a + 3, a), (a + 2, a + 1), (a + 2, a + 3)]
    return bars


def _rest(a: int, b: int) -> str:
    """The length of a bar without load: diagonals are 1 or 3 nodes apart."""
    return "1.4142135623730951" if a - b in (1, 3) else "1.0"


def _truss_by_hand(cells: int, bars: Pairs) -> list[str]:
    lines = []
    for k, (a, b) in enumerate(bars):
        lines += [f"u = x{a} - x{b}", f"v = y{a} - y{b}", "r = hypot(u, v)"]
        lines += [f"d{k} = r - {_rest(a, b)}", f"f = d{k}/r if r else 0.0"]
        lines += [f"u{k} = f*u", f"v{k} = f*v"]
    tip = 2 * cells + 1
    gradient = []
    for k in range(2, tip + 1):
        for letter in "uv":
            sign, total = balance(k, bars, letter)
            gradient.append(f"{sign}stiff*({total})")
    gradient[-1] += " + load"
    energy = f"0.5*stiff*({plus(each('d{k}*d{k}', len(bars)))}) + load*y{tip}"
    return [*lines, returned(energy, gradient)]


# ---- the squared error of a damped oscillation fitted to some readings


def damped_oscillation(count: int) -> Case:
    wave = "amplitude*exp(-rate*t{k})*cos(2*pi*frequency*t{k} + phase)"
    formula = [
        "input amplitude in [1, 5], rate in [0, 2], frequency in [0.1, 2]",
        "input phase in [-3, 3]",
        f"data {', '.join(each('t{k}', count))} in [0, 2]",
        f"data {', '.join(each('y{k}', count))} in [-5, 5]",
        *each(f"r{{k}} = {wave} - y{{k}}", count),
        plus(each("r{k}^2", count)),
    ]
    name = f"damped oscillation, {count} readings"
    return Case(name, "\n".join(formula), _damped_by_hand(count))


def _damped_by_hand(count: int) -> list[str]:
    lines = ["w = 6.283185307179586*frequency", "m = -rate", "n = -2.0*amplitude"]
    for k in range(count):
        lines += [f"e = exp(m*t{k})", f"a = w*t{k} + phase", "c = e*cos(a)"]
        lines += [f"r{k} = amplitude*c - y{k}", f"g{k} = r{k}*c"]
        lines.append(f"h{k} = r{k}*e*sin(a)")
    gradient = [
        f"2.0*({plus(each('g{k}', count))})",
        f"n*({plus(each('g{k}*t{k}', count))})",
        f"6.283185307179586*n*({plus(each('h{k}*t{k}', count))})",
        f"n*({plus(each('h{k}', count))})",
    ]
    return [*lines, returned(plus(each("r{k}*r{k}", count)), gradient)]


# ---- the surprise of a logistic classifier at some labelled examples

SCORE = "w0*x{k} + w1*y{k} + w2*z{k} + bias"


def logistic_loss(count: int) -> Case:
    formula = ["input w0, w1, w2, bias in [-2, 2]"]
    formula += each("data x{k}, y{k}, z{k} in [-2, 2], label{k} in [0, 1]", count)
    formula += each(f"s{{k}} = {SCORE}", count)
    formula.append(plus(each("softplus(s{k}) - label{k}*s{k}", count)))
    note = "within the domains exp does not overflow; the expert shares it"
    name = f"logistic loss, {count} examples"
    return Case(name, "\n".join(formula), _logistic_by_hand(count), note=note)


def _logistic_by_hand(count: int) -> list[str]:
    example = f"""\
s = {SCORE}
e = exp(s)
g{{k}} = e/(1.0 + e) - label{{k}}
l{{k}} = log1p(e) - label{{k}}*s"""
    lines = "\n".join(each(example, count)).split("\n")
    gradient = [plus(each(f"g{{k}}*{x}{{k}}", count)) for x in "xyz"]
    gradient.append(plus(each("g{k}", count)))
    return [*lines, returned(plus(each("l{k}", count)), gradient)]


CASES = [
    rosenbrock(100),
    lennard_jones(6),
    damped_oscillation(5),
    logistic_loss(4),
    truss(2),
]
