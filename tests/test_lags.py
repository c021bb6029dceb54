"""Columns whose rows read other rows, against the same formula written out."""

import importlib.util
import math
import random
from typing import Any

import pytest

import gradc
from gradc.arrays import leaves
from gradc.errors import DomainError, GradcError
from gradc.passes import matrices

DATA = "data t[n], y[n], x[n, 2]\ninput a, b\nr = a*exp(-b*t) - y*x[:, 1]\nreturn "
LAGS = (
    "sum((y[1:] - a*y[:-1])^2)",
    "sum(r[2:]*r[:-2]) + sum(r[1:-1])",
    "sum((r[i] - b*r[i - 1])^2*i for i in range(1, n))",
    "sum(r[i]*r[i + 1]/(i + a^2 + 1) for i in range(n - 1))",
    "sum(r[i - 2]*t[i + 1] for i in range(2, len(t) - 1))",
    "sum(r[1:n - 1]) + sum(r[1:][1:]) + sum(r[:-1][1:])",
    "a*t[0] + b*y[-1] + r[0]*r[n - 1] + x[-1, 0]*r[1:][0]",
    "mean(r[1:] - mean(r)) + max(x[1:, 1]) + len(y[2:])*a",
    "sum(exp(x[:-1, 0] - x[1:, 1]))*a/(n - 1 + b)",
    "sum(cos(s*b) for s in t[1:])",
    "sum(where(y[1:] > y[:-1], log(1 + a^2*t[1:]), b*t[:-1]))",
    "a*r[0] + sum(r[i]*(t[i] - t[0]) for i in range(n))",
    "norm(r[1:] - r[:-1])",
    "r[0], r[-1]*a",
    "r[1:] - r[:-1]",
    "[a*r[i] + r[i - 1] for i in range(1, n)], sum(r)",
    "x[1:] - x[:-1], a*b, r/r[0]",
)


def columns(n: int, seed: int) -> list[list[Any]]:
    """Return columns of n readings."""
    r = random.Random(seed)
    t = [k + r.random() for k in range(n)]
    x = [[r.uniform(0.5, 2.0), r.uniform(0.5, 2.0)] for _ in range(n)]
    return [t, [r.uniform(0.5, 2.0) for _ in range(n)], x]


def same(formula: gradc.Compiled, n: int, *args: Any) -> None:
    """Check all numbers against those of the formula with n rows written out."""
    try:
        fixed = formula.fixed(n)
    except GradcError:  # there is no such row
        with pytest.raises((ValueError, ZeroDivisionError)):
            assert not all(map(math.isfinite, leaves(formula(*args))))
            raise ZeroDivisionError
        return
    name = [*formula.functions][-1]
    wanted = getattr(fixed, name)(*args)
    close(getattr(formula, name)(*args), wanted)
    if importlib.util.find_spec("numpy") and n == 3:
        arrays = gradc.compile(formula.origin.formula, numpy=True)
        close(getattr(arrays, name)(*args), wanted)


def close(found: Any, wanted: Any) -> None:
    """Check that numbers are the same but for roundings."""
    found, wanted = [*leaves(found)], [*leaves(wanted)]
    assert len(found) == len(wanted)
    size = max(map(abs, wanted))
    assert found == pytest.approx(wanted, rel=1e-12, abs=1e-13 * size)


SIZES = pytest.mark.parametrize(
    "n", [3, *(pytest.param(n, marks=pytest.mark.long) for n in (1, 2, 5, 6))]
)


@SIZES
@pytest.mark.parametrize("text", LAGS)
def test_other_rows_are_those_of_the_formula_written_out(text: str, n: int) -> None:
    formula = gradc.compile(DATA + text)
    if n > 1 or not any(result.rows for result in formula.program.results):
        same(formula, n, *columns(n, n), 1.5, 0.4)


GROUPED = "data t[n], y[n], g[n], x[n, 2]\ninput a[m], b, c[4], s[m, 2]\nreturn "
GROUPS = (
    "sum((a[g]*exp(-b*t) - y)^2)",
    "sum((a[g[i]] - b*t[i])^2*a[g[i]] for i in range(n)) + sum(a^2) + mean(a)",
    "sum(c[g]*t^2 - c[0]*y*c[g]) + prod(c)",
    "sum(c[i]*y[i]*b for i in range(n))",
    "sum((s[g, 0]*t - exp(s[g, 1]*b))^2) + b*sum(s)",
    "sum(norm(s[g[i]] - x[i])^2 for i in range(n))",
    "sum(y*b*(y[g] - y*g[0]))",
    "sum(a[g[i]] - a[g[i - 1]]*y[i]*b for i in range(1, n))",
    "sum(log(1 + a^2)[g]*where(y > 1, a[g], b)) + max(a[g])*b",
    "sum(x[i, 1 if g[i] > 1 else 0]*b for i in range(n))",
    "log(sum(exp(a[g]*t)))*sum((y - a[g]*mean(y))^2) + logsumexp(c[g])",
    "sum(a[g]^2*t) if b > 0 else sum(a)",
    "sum(a[g]^2*t) if b < 0 else sum(a)",
    "sum(sin(b*t[1:][0*g[i]])*t[i] for i in range(n))",
    "sum((y - b*a[g])[1:]*(y - t*a[g])[:-1])",
    "sum((y - b*a[g])[g]*y) + sum((c[g]*t - a[g])[i - 1]*b for i in range(1, n))",
)


def grouped(n: int, seed: int) -> list[Any]:
    """Return columns of n readings, in groups."""
    r = random.Random(seed)
    t, y, x = columns(n, seed)
    g = [float(r.randrange(min(n, 4))) for _ in range(n)]
    entries = [r.uniform(0.5, 2.0) for _ in range(n + 4)]
    s = [[r.uniform(0.5, 2.0), r.uniform(0.5, 2.0)] for _ in range(n)]
    return [t, y, g, x, entries[4:], 0.4, entries[:4], s]


@SIZES
@pytest.mark.parametrize("text", GROUPS)
def test_entries_at_a_column_are_those_written_out(text: str, n: int) -> None:
    same(gradc.compile(GROUPED + text), n, *grouped(n, n))


def test_a_row_has_derivatives_by_the_entries_that_it_reads() -> None:
    formula = gradc.compile(
        GROUPED.replace("return", "r = a[g]*exp(-s[g, 1]*t) - y*c[g]\nreturn")
        + "r, b*r^2"
    )
    for n in (3,):
        args = grouped(n, n)
        value, matrices = formula.value_and_jacobian(*args)
        fixed, wanted = formula.fixed(n).value_and_jacobian(*args)
        close(value, fixed)
        count = len(formula.jacobian(*args)[0][0])
        for matrix, wide in zip(matrices, wanted):
            for row, k, parts in zip(matrix, args[2], wide):
                a, b, c, s = parts
                close(row, [a[int(k)], b, *c, *s[int(k)]])
                assert len(row) == count


def test_an_entry_that_there_is_not_is_told_with_its_row() -> None:
    for text in ("sum(a[g]*y)", "sum(c[g]*y)"):
        formula = gradc.compile(GROUPED + text)
        args = grouped(5, 5)
        for wrong in (5.0, -1.0, 0.5):
            args[2][3] = wrong
            for call in (formula, formula.grad):
                with pytest.raises(ValueError, match=f"in row 3, .*g = {wrong}"):
                    call(*args)


@pytest.mark.parametrize(
    "text", ("a[g] - a[g]*a[n - 1 - g]", "y*a[g] - sum(a)", "a[g[i], g[i]]", "a[b]*y")
)
def test_what_groups_cannot_be_is_a_mistake(text: str) -> None:
    with pytest.raises(GradcError):
        gradc.compile(GROUPED + text)


STATES = {
    "GARCH(1,1)": """
        data y[n]
        input w, a, b
        h[0] = w/(1 - a - b)
        h[i] = w + a*y[i - 1]^2 + b*h[i - 1]
        return sum(log(h) + y^2/h)
    """,
    "AR(2), the residuals as a column": """
        data y[n]
        input w, a, b
        h[0] = y[0]
        h[1] = y[1]
        h[i] = w + a*h[i - 1] - b*h[i - 2] + a*b*y[i - 2]
        return y - h, h[-1]
    """,
    "a Kalman filter of two states": """
        data y[n]
        input w, a, b
        F = [[1, 1], [0, a]]
        Q = [[w, 0], [0, b]]
        gain(P) = [P[0, 0], P[1, 0]]/(P[0, 0] + 1)
        next(P) = F @ P @ transpose(F) + Q
        x[0] = [0.3, w]
        P[0] = [[1, 0], [0, 2]]
        v[0] = y[0]
        s[0] = 1
        v[i] = y[i] - (F @ x[i - 1])[0]
        s[i] = next(P[i - 1])[0, 0] + 1
        x[i] = F @ x[i - 1] + gain(next(P[i - 1]))*v[i]
        P[i] = next(P[i - 1]) - [[k*p for p in next(P[i - 1])[0]] for k in gain(next(P[i - 1]))]
        return sum(log(s[1:]) + v[1:]^2/s[1:]), x[-1]
    """,
    "Runge and Kutta on predator and prey": """
        data y[n]
        input w, a, b
        f(s) = [s[0]*(a - b*s[1]), s[1]*(w*s[0] - 1)]
        mid(s, h) = f(s + h/2*f(s))
        third(s, h) = f(s + h/2*mid(s, h))
        last(s, h) = f(s + h*third(s, h))
        rk(s, h) = s + h/6*(f(s) + 2*mid(s, h) + 2*third(s, h) + last(s, h))
        s[0] = [1 + a, 0.5]
        s[k] = rk(s[k - 1], 0.1*abs(y[k] - y[k - 1]))
        return sum((y - s[:, 0])^2), norm(s[:, 1] - mean(s[:, 1]))
    """,
    "a system behind another one": """
        data y[n]
        input w, a, b
        p[0] = a
        p[i] = tanh(p[i - 1] + w*y[i])
        m = mean(p)
        q[0] = p[n - 1]
        q[i] = q[i - 1]*m + p[i] - p[0]
        return sum([q[i]*p[i - 1] for i in range(1, n)])*b + max(q), a*b
    """,
    "steps in rows, and means": """
        data y[n]
        input w, a, b
        m = mean(y)
        h[0] = b + m
        q[0] = a*h[0]
        h[i] = a*q[i - 1] + m*y[i] + i
        q[i] = h[i]*a - y[i - 1]*sin(q[i - 1])
        return [h[i]*y[i - 1] for i in range(1, n)], w*sum(h[i]*i for i in range(n))
    """,
    "a condition in a step, a state at a group, and a start that is a number": """
        data y[n]
        input w, a, b
        h[0] = 1
        h[i] = sqrt(h[i - 1])*a + w if y[i] > y[i - 1] else b/h[i - 1] + i
        return sum(h[abs(round(y - y))]*y*h) if w > 0 else b
    """,
}


@SIZES
@pytest.mark.parametrize("name", STATES)
def test_states_are_those_of_the_formula_written_out(name: str, n: int) -> None:
    formula = gradc.compile(STATES[name])
    if n > 1 or "h[1]" not in STATES[name] and "rows" not in name:
        same(formula, n, columns(n, n)[0], 0.1, 0.2, 0.7)


@pytest.mark.long
@pytest.mark.parametrize("name", STATES)
def test_states_are_those_that_are_certain(name: str) -> None:
    pytest.importorskip("flint")
    formula, y = gradc.compile(STATES[name]), columns(5, 7)[0]
    found = getattr(formula, [*formula.functions][-1])(y, 0.1, 0.2, 0.7)
    sure = formula.certified(y, 0.1, 0.2, 0.7)
    close(found, [sure.value, sure.gradient])


HEAD = "data y[n]\ninput w, a, b\n"
NUMBERS = {  # formulas of one number behind states
    "GARCH(1,1)": STATES["GARCH(1,1)"],
    "AR(2) with a second start, and its ends": HEAD
    + """h[0] = y[0] + a
        h[1] = h[0]*b
        h[i] = w + a*h[i - 1] - b*h[i - 2] + a*b*y[i - 2]
        return sum((y - h)^2) + h[-1]*a + h[-2] - h[0]*h[1]*b
    """,
    "a Kalman filter of two states": STATES["a Kalman filter of two states"].replace(
        ", x[-1]", " + sum(x[-1])"
    ),
    "Runge and Kutta on predator and prey": STATES[
        "Runge and Kutta on predator and prey"
    ].replace(", norm", " + norm"),
    "lags of a state": HEAD
    + """h[0] = w*b
        h[i] = tanh(w + a*h[i - 1] - b*y[i])
        return sum((y[1:] - b*h[:-1])^2) + sum(h[1:]*h[:-1])/mean(h) + max(h)*a + h[-1]
    """,
    "lags of two rows": HEAD
    + """h[0] = y[0] + a
        h[1] = w
        h[i] = w + a*sin(h[i - 1]) - b*cos(h[i - 2])*y[i]
        return sum(h[2:]*h[1:-1]*exp(-h[:-2]^2)) + sum(h[i]*i*h[i - 1] for i in range(1, n))
    """,
    "conditions in steps": HEAD
    + """h[0] = 1
        q[0] = a
        h[i] = sqrt(h[i - 1])*a + w*q[i - 1] if y[i] > y[i - 1] else b/h[i - 1] + i
        q[i] = q[i - 1]*sin(h[i]) + (b if q[i - 1] > h[i - 1] else w*i)
        return sum(h*y) + sum(where(q > 1, log(q), q*a)) if b > 0 else sum(q)
    """,
    "means in steps, and a state that is not asked for": HEAD
    + """m = mean(exp(-a*y))
        q[0] = w
        h[0] = m*b
        q[i] = q[i - 1]*b + h[i - 1]
        h[i] = sqrt(h[i - 1])*m*y[i] + w*softplus(a)
        return norm(h - mean(h)) + m
    """,
    "the end alone": HEAD
    + """h[0] = 0.5
        h[i] = h[i - 1]*a*(1 - h[i - 1]) + w
        return h[-1]
    """,
}
TERMS = "w|a*y[i]|b*p[i - 1]|p[i - 1]*q[i - K]|sin(q[i - K])|i/9|where(y[i] > 1, p[i - 1], a)"
READS = "sum(p*y)|sum(p[1:]*q[:-1])|q[-1]*a|p[0]*q[-1]|sum((p - mean(p))^2)|max(p + b)"
READS += "|sum(p[i]*i*b for i in range(n))|log(1 + sum(q^2))|sum(p[K:]*q[:-K])|p[K - 1]"


def drawn(seed: int) -> str:
    """A formula of one number behind a small system that is drawn at random."""
    r, order = random.Random(seed), 1 + seed % 2
    lines = [
        f"{x}[{k}] = {r.choice(('1', 'a', 'w*y[0]'))}"
        for k in range(order)
        for x in "pq"
    ]
    terms, reads = TERMS.split("|"), READS.split("|")
    for x, above in (("p", []), ("q", ["p[i]*b"])):
        one, two, three = r.sample(terms + above, 3)
        lines.append(f"{x}[i] = tanh({one} - {two}*{three})")
    lines.append(f"return {' + '.join(r.sample(reads, 3))}")
    swap = str.maketrans("pq", "qp") if r.random() < 0.5 and seed % 3 else {}
    return HEAD + "\n".join(lines).replace("K", str(order)).translate(swap)


def either_way(
    monkeypatch: pytest.MonkeyPatch, text: str, n: int, **options: Any
) -> None:
    """Compare reverse and forward accumulation with the formula written out."""
    if n == 1 and "[1] = " in text:
        return
    args = columns(n, n)[0], 0.1, 0.2, 0.7
    wanted = gradc.compile(text).fixed(n).value_and_grad(*args)
    monkeypatch.setattr(matrices, "FEW", -1)
    back = gradc.compile(text, **options)
    assert "reversed(" in back.source
    close(back.value_and_grad(*args), wanted)
    monkeypatch.setattr(matrices, "is_reversible", lambda _: False)
    along = gradc.compile(text, **options)
    assert "reversed(" not in along.source
    close(along.value_and_grad(*args), wanted)


MANY = pytest.mark.parametrize(
    "n", [3, *(pytest.param(n, marks=pytest.mark.long) for n in (1, 2, 5, 17))]
)


@MANY
@pytest.mark.parametrize("name", NUMBERS)
def test_reverse_is_forward_through_states(
    monkeypatch: pytest.MonkeyPatch, name: str, n: int
) -> None:
    either_way(monkeypatch, NUMBERS[name], n)


@MANY
@pytest.mark.parametrize("numpy", [False, True])
def test_reverse_goes_through_random_systems(
    monkeypatch: pytest.MonkeyPatch, numpy: bool, n: int
) -> None:
    if numpy:
        pytest.importorskip("numpy")
    for seed in range(4 if n == 3 else 24):
        with monkeypatch.context() as patch:
            either_way(patch, drawn(seed), n, numpy=numpy, strict=seed % 4 == 3)


@pytest.mark.long
@pytest.mark.parametrize("name", NUMBERS)
def test_reverse_through_states_is_certain(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    pytest.importorskip("flint")
    monkeypatch.setattr(matrices, "FEW", -1)
    for numpy in (False, True):
        formula, y = gradc.compile(NUMBERS[name], numpy=numpy), columns(5, 7)[0]
        sure = formula.certified(y, 0.1, 0.2, 0.7)
        close(formula.value_and_grad(y, 0.1, 0.2, 0.7), [sure.value, sure.gradient])


GARCHX = """data y[n], x[n, M]
input w, b, a[M]
h[0] = w/(1 - b)
h[i] = w + x[i - 1] @ a + b*h[i - 1]
return sum(log(h) + y^2/h)"""


@pytest.mark.parametrize("numpy", [False, True])
def test_with_many_inputs_reverse_is_chosen_and_keeps_the_states(numpy: bool) -> None:
    if numpy:
        pytest.importorskip("numpy")
    formula = gradc.compile(GARCHX.replace("M", "20"), numpy=numpy)
    assert "reversed(" in formula.source and formula.source.count("_all.append(") == 2
    r, n = random.Random(1), 2000
    x = [[r.random() for _ in range(20)] for _ in range(n)]
    args: Any = [[r.random() for _ in range(n)], x, 0.1, 0.5, [0.1] * 20]
    found = formula.value_and_grad(*args)
    few = formula.value_and_grad(args[0][:17], x[:17], *args[2:])
    close(few, formula.fixed(17).value_and_grad(args[0][:17], x[:17], *args[2:]))
    step = 1e-6
    above, below = (formula(*args[:3], 0.5 + d, args[4]) for d in (step, -step))
    assert found[1][1] == pytest.approx((above - below) / (2 * step), rel=1e-6)


def test_for_one_input_forward_is_chosen() -> None:
    text = "data y[n]; input b; h[0] = 1; h[i] = (1 - b)*y[i - 1]^2 + b*h[i - 1]; "
    text += "sum(log(h) + y^2/h)"
    assert "reversed(" not in gradc.compile(text).source


ROOT = HEAD + "h[0] = 1\nh[i] = y[i]*h[i - 1]*a + b*w\nreturn sum(sqrt(h))"


def test_a_derivative_without_a_value_is_told_with_its_row_backwards() -> None:
    given = [1.0, 1.0, 0.0, 3.0, 1.0], 0.0, 1.0, 1.0
    formula, silent = gradc.compile(ROOT), gradc.compile(ROOT, outside="nan")
    assert "reversed(" in formula.source
    assert formula(*given) == 2.0
    with pytest.raises(
        DomainError, match=r"the derivative of .* in row 4, .*h\[4\] = 0"
    ):
        formula.value_and_grad(*given)
    with pytest.raises(ZeroDivisionError, match="in row 4"):
        formula._module["value_and_grad"](*given)
    value, slopes = silent.value_and_grad(*given)
    assert value == 2.0 and all(map(math.isnan, slopes))


@pytest.mark.parametrize("numpy", [False, True])
def test_what_is_read_nowhere_need_not_be_a_group(numpy: bool) -> None:
    if numpy:
        pytest.importorskip("numpy")
    text = "data y[n], G[n]; input a[m], b; sum(where(y > 1, a[G]*b, b^2*y))"
    formula = gradc.compile(text, numpy=numpy, check=True)
    found = formula.value_and_grad([0.5, 2.0], [7.0, 0.0], [1.0], 2.0)
    assert [*leaves(found)] == [4.0, 2.0, 3.0]
    with pytest.raises(DomainError, match=r"a\[G\] is not a real number in row 1"):
        formula.value_and_grad([0.5, 2.0], [0.0, 1.0], [1.0], 2.0)


@pytest.mark.parametrize("kind", ["data", "input"])
def test_one_row_is_not_that_of_an_entry_at_a_column(kind: str) -> None:
    text = f"data y[n], g[n]; {kind} a[m]; input b; r = y - b*a[g]; sum(r) + r[0]"
    with pytest.raises(GradcError, match="'a' is read at a whole number of one row"):
        gradc.compile(text)


def test_the_name_of_a_state_is_bound_once() -> None:
    for text in (
        "h[0] = w; h[i] = h[i - 1] + y[i]; h = 2*h",
        "h = w; h[0] = w; h[i] = w",
    ):
        with pytest.raises(GradcError, match="'h' is bound twice"):
            gradc.compile(f"data y[n]; input w; {text}; sum(h)")


NUMBERS_AS_STATES = [
    "h[0] = w; h[i] = exp(k); sum(h)",
    "h[0] = w; h[i] = k/n; sum(h[1:])",
    "h[0] = w; h[i] = k; sum((y - h)^2)",
    "h[0] = w; h[i] = k; max(h)",
    "h[0] = w; h[i] = k; h[-1]",
    "h[0] = w; h[i] = where(k > 0, mean(y)*k, w); sum(h*y)",
    "x[0] = [w, 1]; x[i] = [x[i - 1][0] + x[i - 1][1], k]; sum(x)",
    "u[0] = w; v[0] = 1; v[i] = k; u[i] = u[i - 1]*v[i - 1] + y[i]; sum(u)",
    "h[0] = log(2); h[i] = k*h[i - 1]*w; sum(y*h)",
    "h[0] = sqrt(3); h[i] = k*h[i - 1]*w; y - h",
    "h[0] = 0; g[0] = exp(h[0]); h[i] = k + h[i - 1]; g[i] = g[i - 1]*w; sum(h*g)",
]


@pytest.mark.parametrize("text", NUMBERS_AS_STATES)
def test_states_of_numbers_alone_are_those_written_out(text: str) -> None:
    """Steps that read nothing of a row are owed once in each; starts may be constant."""
    y = [0.3, 0.7, 1.1, 0.2, 0.9]
    for options in ({}, {"outside": "nan"}, {"numpy": True}):
        f = gradc.compile(f"data y[n]; input w, k; {text}", **options)
        name = [*f.functions][-1]
        for n in (1, 2, 3, 5):
            found, right = (getattr(x, name)(y[:n], 0.5, 0.7) for x in (f, f.fixed(n)))
            assert [*leaves(found)] == pytest.approx([*leaves(right)], rel=1e-12)


SHORT = ["a*t[2:]", "a*t[:n - 2]", "a*t[1:-1]", "a*t[0:n - 5]", "sum(c[t[3:]])"]
SHORT += ["[a*t[i]*t[i - 2] for i in range(2, n)]", "c[t[1:]]", "sum(c[t[2:]]*t[2:])"]


@pytest.mark.parametrize("text", SHORT)
def test_enough_rows_are_written_out_for_the_check(text: str) -> None:
    formula = gradc.compile(
        f"data t[n]; input {'c[m]' if 'c' in text else 'a'}; {text}"
    )
    report = formula.check()
    assert report.ok and report.points


@pytest.mark.parametrize("text", ["sum(a*t[999999:])", "a*t[9999999999999]"])
def test_where_too_many_rows_are_read_nothing_is_compared(text: str) -> None:
    formula = gradc.compile(f"data t[n]; input a; {text}", check=True)
    assert "nothing was compared" in formula.notes[-1]


def test_of_no_rows_no_entry_is_read() -> None:
    formula = gradc.compile("data t[n]; input a[m]; sum(a[t[1:]])").fixed(
        {"n": 1, "m": 2}
    )
    assert formula([1.0], [3.0, 4.0]) == 0.0


@pytest.mark.parametrize("numpy", [False, True])
def test_what_is_summed_by_groups_is_summed_once_where_all_rows_overflow(
    numpy: bool,
) -> None:
    compiled = gradc.compile("data g[n]; input c[m]; sum(c[g]*1e308)", numpy=numpy)
    value, found = compiled._module["value_and_grad"]([0.0, 0.0, 1.0], [1.0, 1.0])
    assert (value, [*leaves(found)]) == (math.inf, [math.inf, 1e308])
