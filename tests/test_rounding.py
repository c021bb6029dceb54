"""Laws of rounding: ordinary formulas lose no more digits than they do as written.

Single points may be a unit in the last place worse or better; over many formulas and
points the median of the errors may not be higher, nor the mean. Of round numbers sums
and products are exact, and the formula as written rounds only where it divides; there
the median may be higher by what a shared quotient costs.
"""

import math
from collections.abc import Iterator
from random import Random
from statistics import fmean, median

import pytest

from gradc import GradcError, compile
from gradc.checking.witness import Witness
from gradc.fields import replace
from gradc.ir import Program
from gradc.language.lower import read
from gradc.passes.derive import derive

mpmath = pytest.importorskip("mpmath")

SLACK = 0.25  # ulp that the gradient may be off more than as written, in the median
ROUND = 0.02  # ulp that the value may be off more where inputs are round, likewise
MOST = 16.0  # ulp that count in a mean, which one cancellation would decide
POINTS = 100

LAWS = """
exp(-(x/s)^2/2)/(sqrt(2*pi)*s)
exp(-((x - y)/s)^2/2)/(sqrt(2*pi)*s)
G*m*n/((a - b)^2 + (c - d)^2 + (e - f)^2)
p*q*r/(4*pi*k*r^3)
q/(4*pi*k*r)
q/(4*pi*k*r^2)*(V*k*d - q*d*y^3/(y^2 - 0.1*d^2)^2)
1/(4*pi*k)*p*cos(t)/r^2
3*p/(4*pi*k)*cos(t)*sin(t)/r^3
3/5*q^2/(4*pi*k*d)
q^2*a^2/(6*pi*k*c^3)
G*m*n*(1/a - 1/b)
m*(u^2 + v^2 + w^2)/2
1/2*m*(a^2 + b^2)*1/2*x^2
(u + v)/(1 + u*v/(9*c)^2)
m/sqrt(1 - v^2/(7*c)^2)
m*(7*c)^2/sqrt(1 - v^2/(7*c)^2)
m*v/sqrt(1 - v^2/(7*c)^2)
(x - u*t)/sqrt(1 - u^2/(7*c)^2)
(1 + v/(7*c))/sqrt(1 - v^2/(7*c)^2)*w
w/(1 - v/(7*c))
1/(1/a + n/b)
sqrt(a^2 + b^2 - 2*a*b*cos(s - t))
a*sin(n*t/2)^2/sin(t/2)^2
a + b + 2*sqrt(a*b)*cos(d)
h/(2*pi)*w
n*(h/(2*pi))
(h/(2*pi))^2/(2*m*d^2)
4*pi*k*(h/(2*pi))^2/(m*q^2)
g*m*B*J/(h/(2*pi))
2*m*B/(h/(2*pi))
1/(exp(h/(2*pi)*w/(k*T)) - 1)
h/(2*pi)*w^3/(pi^2*c^2*(exp(h/(2*pi)*w/(k*T)) - 1))
n*exp(-m*g*x/(k*T)/9)
n*k*T*log(9*b/a)
1/(7*g - 1)*p*V
sqrt(g*p/r)
d*(b - a)*A/x
n*p^2*e/(3*k*T)
1 + n*a/(99 - n*a/3)
s/k*1/(1 + c)
1/(4*pi*k*c^2)*2*I/r
n/(exp(m*B/(k*T)) + exp(-m*B/(k*T)))
n*m*tanh(m*B/(k*T))
m*H/(k*T) + m*a/(k*c^2*e*T)*M
g*q*B/(2*m)
-r*q*A/m
I*(exp(q*V/(k*T)/9) - 1)
-m*q^4/(2*(4*pi*k)^2*(h/(2*pi))^2)*(1/n^2)
2*pi*d^(3/2)/sqrt(G*(m + n))
sqrt(8*pi*G*r/3 + a*c^2/d^2)
3/(8*pi*G)*(c^2*k/r^2 + H^2)
w/(1 + w/(m*c^2)*(1 - cos(t)))
1/(2*m)*(p^2 + m^2*w^2*x^2*(1 + a*x/y))
100*(y - x^2)^2 + (1 - x)^2
(x + 2*y - 7)^2 + (2*x + y - 5)^2
(x^2 + y - 11)^2 + (x + y^2 - 7)^2
(1.5 - x + x*y)^2 + (2.25 - x + x*y^2)^2 + (2.625 - x + x*y^3)^2
x^2 + y^2 - 10*cos(2*pi*x) - 10*cos(2*pi*y) + 20
x^2/4000 + y^2/4000 - cos(x)*cos(y/sqrt(2)) + 1
sin(x + y) + (x - y)^2 - 1.5*x + 2.5*y + 1
-cos(x)*cos(y)*exp(-((x - pi)^2 + (y - pi)^2))
2*x^2 - 1.05*x^4 + x^6/6 + x*y + y^2
(x - 1)^2 + 2*(2*y^2 - x)^2
"""


def ulps(found: float, true: object) -> float:
    size = math.ulp(float(true))  # type: ignore[arg-type]
    return float(abs(mpmath.mpf(found) - true) / size)


def errors(text: str, step: float) -> Iterator[tuple[bool, float, float]]:
    """Of each output at each point: is it the value, the error, and that as written.

    The inputs are multiples of `step`, unless it is 0.
    """
    program = read(text)
    names = [item.name for item in program.inputs]
    truth = derive(program, names)
    witnesses = [Witness(only(truth, k)) for k in range(len(truth.outputs))]
    ours, written, draw = compile(text), compile(text, strict=True), Random(text)
    for _ in range(POINTS):
        point = {name: draw.uniform(1.0, 5.0) for name in names}
        if step:
            point = {name: round(x / step) * step for name, x in point.items()}
        try:
            both = [f.value_and_grad(**point) for f in (ours, written)]
        except GradcError:  # such as at a pole that round numbers meet
            continue
        (x, dx), (y, dy) = both
        for k, (found, other) in enumerate(zip((x, *dx), (y, *dy))):
            true = witnesses[k].value(point)
            if true:
                yield k == 0, ulps(found, true), ulps(other, true)


def only(program: Program, k: int) -> Program:
    """A program with one of its outputs."""
    return replace(program, outputs=(program.outputs[k],))


@pytest.mark.long
@pytest.mark.parametrize("step", [0.0, 0.125, 0.5])
def test_ordinary_formulas_round_as_little_as_they_are_written(step: float) -> None:
    found = [error for text in LAWS.split("\n")[1:-1] for error in errors(text, step)]
    for is_value, slack in ((True, ROUND if step else 0.0), (False, SLACK)):
        ours = [x for k, x, _ in found if k == is_value]
        written = [y for k, _, y in found if k == is_value]
        assert median(ours) <= median(written) + slack
        assert mean_of(ours) <= mean_of(written)


def mean_of(found: list[float]) -> float:
    return fmean(min(error, MOST) for error in found)
