"""Families of formulas that lose digits as written, in the shapes that people write.

Nothing here is a line of the identity book: terms are commuted, stand in bindings, have
other names, signs and factors. Value and gradient are held to high precision at points
where floats overflow, underflow or cancel.
"""

from __future__ import annotations

import pytest

import gradc
from gradc.checking.witness import Witness
from gradc.language.lower import read

pytest.importorskip("mpmath")

CLOSE = 2e-13  # relative; an exponent of 1000 alone is rounded by 1e-13
SMALLEST, LARGEST = 1e-300, 1e300

Point = tuple[float, ...]

FAMILIES: dict[str, dict[str, list[Point]]] = {
    "roots of exponentials": {
        "input x\nsqrt(1+exp(x)^2)-exp(x)": [(20.0,), (300.0,), (400.0,), (-800.0,)],
        "input x, a\nexp(-x)-sqrt(exp(-2*x)+a)": [(-20.0, 3.0), (-400.0, 1e-5)],
    },
    "densities of many counts": {
        "input x, a, b\nexp((a-1)*log(x)-x/b)/(gamma(a)*b^a)": [
            (200.0, 200.0, 1.0),
            (1e3, 1e3, 1.0),
            (1.0, 2.0, 3.0),
        ],
        "input x\nlog(0.5)+log(erfc(x))": [(6.0,), (-5.0,), (40.0,)],
    },
    "tiny numbers added": {
        "input u\nt=tanh(u)\n-log(1-t^2+1e-6)": [(1e-5,), (20.0,), (-300.0,)],
        "input x, y\np=1/(1+exp(-x))\n-y*log(p+1e-12)-(1-y)*log(1-p+1e-12)": [
            (30.0, 0.0),
            (-30.0, 1.0),
            (800.0, 1.0),
            (800.0, 0.0),
        ],
        "input x\nlog(1-sigmoid(x)+1e-8)": [(-20.0,), (20.0,), (800.0,)],
    },
    "sigmoids in logarithms": {
        "input x\np=1/(1+exp(-x))\nlog(p)-log(1-p)": [(800.0,), (-40.0,), (-800.0,)],
        "input x\na=1/(1+exp(-x))\nlog(a/(1-a))": [(800.0,), (40.0,), (-800.0,)],
        "input t\nt-log(exp(t)+1)": [(40.0,), (800.0,), (-800.0,)],
        "input a, b\nlog(1/(1+exp(-a))-1/(1+exp(-b)))": [
            (40.0, 39.0),
            (-800.0, -801.0),
            (50.0, -50.0),
        ],
    },
    "growth in counts": {
        "input r, m\nr*(log(r)-log(m+r))": [(1e12, 2.0), (3.0, 1e-18), (2.0, 5.0)],
        "input r, m\n(r/(m+r))^r": [(1e12, 2.0), (3.0, 1e-18), (2.0, 5.0)],
        "input w, p, n\nw*log2(1+p/(n*w))": [(1e20, 1.0, 1.0), (1.0, 1e20, 3.0)],
        "input x, y\n(x+y)*log(x+y)-y*log(y)-x*log(x)": [(1e20, 1.0), (1e-300, 1.0)],
    },
    "two outcomes": {
        "input p\n1-(-p*log2(p)-(1-p)*log2(1-p))": [(0.50001,), (0.4999999,), (0.25,)],
        "input p\np*log(p)+log(2)+(1-p)*log(1-p)": [(0.50001,), (0.4999999,), (0.25,)],
        "input p, q\n1-sqrt(p*q)-sqrt((1-p)*(1-q))": [(0.3, 0.3000001), (0.3, 0.9)],
        "input p, q\n-log(sqrt((1-p)*(1-q))+sqrt(p*q))": [(0.3, 0.3000001), (0.3, 0.9)],
    },
    "entropies of a logistic function": {
        text: [(390.0,), (-390.0,), (30.0,), (-30.0,), (1e-9,), (0.0,), (700.0,)]
        for text in (
            "input x\nf=1/(exp(x)+1)\n-f*log(f)-(1-f)*log(1-f)",
            "input x\np=1/(1+exp(-x))\nq=1-p\n3-(p*log(p)+q*log(q))*2",
            "input x\np=exp(x)/(1+exp(x))\nq=1/(1+exp(x))\np*log(p)+q*log(q)",
            "input x\np=sigmoid(x)\n-p*log2(p)-(1-p)*log2(1-p)",
            "input x\np=sigmoid(-x/2)\n(1-p)*log10(1-p)+p*log10(p)",
            "input x\nx/(exp(x)+1)+log(1+exp(-x))",
            "input x\nlog(1+exp(x))-x*exp(x)/(1+exp(x))",
        )
    },
    "logistic functions of two numbers": {
        text: [(3.0, 3.0), (2.0, 2.000001), (400.0, 401.0), (-700.0, 1.0), (-9.0, 9.0)]
        for text in (
            "input x, y\np=sigmoid(x)\nq=sigmoid(y)\n-p*log(q)-(1-p)*log(1-q)",
            "input x, y\np=sigmoid(x)\nq=sigmoid(y)\n-p*log2(q)-(1-p)*log2(1-q)",
            "input x, y\np=1/(1+exp(-x))\nq=1/(1+exp(-y))\n"
            "p*log(p/q)+(1-p)*log((1-p)/(1-q))",
        )
    },
    "logarithms to other bases": {
        "input x\nlog2(1-exp(-x))": [(1e-9,), (40.0,)],
        "input x, b\nlog(1+x, b)*3": [(1e-20, 2.0), (1e-9, 10.0), (5.0, 0.5)],
        "input x, y\nlog(hypot(1+x, y))": [(1e-20, 1e-30), (1e-9, 0.0), (3.0, 4.0)],
        "input x, y\nlog(sqrt(y^2+(x+1)^2))/2": [(1e-20, 1e-30), (-1e-9, 1e-9)],
        "input x\nlog10(cosh(x))": [(1e-6,), (800.0,)],
        "input x\nlog2(1/(1+exp(-x)))": [(40.0,), (-800.0,)],
        "input x, y\nlog10(exp(x)+exp(y))": [(900.0, 901.0), (-900.0, -905.0)],
        "input x, y\n20*log10(x/y)": [(3.0, 3.000001), (1.0, 1e9)],
        "input x, y\nlog2(x^y)": [(3.0, 1000.0), (1e-3, 200.0)],
        "input x\nlog10(1-erf(x))": [(30.0,), (-1.0,)],
    },
    "annuities": {
        text: [(0.484, 51.5), (0.001, 1e5), (3.0, 40.0), (1e-9, 30.0), (-0.5, 20.0)]
        for text in (
            "input y, n\n((1+y)^n-1)/(y*(1+y)^n)",
            "input r, n\nq=(1+r)^n\nr*q/(q-1)",
            "input r, n\n(1-(1+r)^(-n))/r",
            "input r, n\nr/(1-(1+r)^(-n))",
        )
    },
    "functions of their inverses": {
        "input x\natanh(tanh(x))": [(18.0,), (-700.0,), (1e-9,)],
        "input x\nacosh(cosh(x))+asinh(sinh(x))": [(1e-9,), (800.0,)],
        "input x\ncosh(asinh(x))*tanh(asinh(x))": [(1e200,), (1e-9,)],
        "input c, m\ncos(acos(c)+m)": [(1.0 - 1e-12, 1e-6), (0.3, -2.0), (1.0, 0.3)],
        "input c, m\n3*sin(m-asin(c))": [(1e-12 - 1.0, 1e-6), (0.3, -2.0)],
        "input x, y\natan(x)-atan(y)": [
            (1e160, 2e160),
            (-1e200, -1.0000001e200),
            (1e308, 1e-5),
        ],
    },
    "gamma functions at poles and far out": {
        "input x\nx*digamma(x)": [(1e-9,), (1e-300,), (1e10,)],
        "input x\n1/x+digamma(x)": [(1e-9,), (1e-200,), (3.0,)],
        "input x\nlog(x)-digamma(x)": [(1e12,), (21.0,), (19.0,), (1e-3,)],
        "input x\ndigamma(x+1)-log(x)": [(1e12,), (21.0,), (19.0,), (1e-3,)],
        "input x, n\ndigamma(x+n)-digamma(x)": [(1e10, 3.0), (2.0, 1e-9), (1e6, 1e-3)],
        "input x, a\ngamma(a+x)/gamma(x)": [(1e10, 1.0), (2.0, 1e-12), (1e5, 0.3)],
    },
    "great circles to the antipode": {
        text: [(0.3, -0.3 + d, 3.141592653589793 - d / 3) for d in (1e-2, 1e-4, 1e-6)]
        + [(0.3, 0.3 + 1e-9, 2e-9), (0.3, 1.0, -2.0)]
        for text in (
            "input p, q, l\na=sin((q-p)/2)^2+cos(p)*cos(q)*sin(l/2)^2\n"
            "2*atan2(sqrt(a), sqrt(1-a))",
            "input p, q, l\na=cos(q)*cos(p)*sin(0.5*l)^2+sin(p/2-q/2)^2\n"
            "7*atan(sqrt(a/(1-a)))",
        )
    },
    "angles in degrees": {
        text: [(50.0, 50.0 + 2.0**-40, 8.0), (50.0, 50.0, 1e-9), (-30.0, 40.0, 100.0)]
        for text in (
            "input a, b, l\np=radians(a)\nq=radians(b)\nr=sin((q-p)/2)^2\n"
            "asin(sqrt(r+cos(p)*cos(q)*sin(radians(l)/2)^2))",
            "input a, b, l\ndegrees(a)-degrees(b)+3*sin(l)*(radians(a)-radians(b))",
        )
    },
    "tails of powers": {
        "input k, x, a\n(1-exp(-k*x))^a": [(1.0, 50.0, 3.0), (1.0, 1e-15, 2.0)],
        "input x, l, a\n1-(1-exp(-x/l))^a": [(100.0, 3.0, 2.0), (30.0, 1.0, 1000.0)],
    },
    "log-cosh": {
        "input a\nlog((exp(a)+exp(-a))/2)": [
            (0.0,),
            (1e-09,),
            (-900.0,),
            (20.0,),
            (0.001,),
        ],
        "input t\nu=exp(2*t)\nlog(1+u)-t-log(2)": [
            (1e-05,),
            (500.0,),
            (-500.0,),
            (0.0,),
            (-800.0,),
        ],
        "input t\nlog(2*cosh(3*t))": [(300.0,), (-400.0,), (0.1,)],
        "input x, y, w\nlog(cosh(x-y))*w": [
            (1000.0, -5.0, 2.0),
            (1.0, 1.0, 2.0),
            (1.00000001, 1.0, 2.0),
        ],
        "input x\nabs(x)+log((1+exp(-2*abs(x)))/2)": [(1e-06,), (1000.0,), (-0.0001,)],
    },
    "norms": {
        "input x, y, z\nsqrt(x*x+y*y+z*z)": [
            (1e200, 1e200, -1e200),
            (1e-200, 1e-200, 3e-200),
            (3.0, 4.0, 12.0),
        ],
        "input x, y\n1/sqrt(x^2+y^2)": [(1e-170, 1e-170), (1e170, 1e160)],
        "input x, y\n(x^2+y^2)^0.5": [(1e200, 1e200), (1e-200, 2e-200)],
        "input x, y\n(x^2+y^2)^(3/2)": [(1e90, 1e-90), (1e-80, 2e-80)],
        "input x, y\nx/sqrt(y^2+x^2)": [(1e200, 1e200), (1e-200, 2e-200)],
        "input x, y\nlog(x^2+y^2)/2": [(1e200, 1e200), (1e-200, 2e-200)],
        "input x, y\nlog(sqrt(x^2+y^2))": [(1e-200, 2e-200)],
        "input x, y\nsqrt(2*x^2+3*y^2)": [(1e200, 1e200)],
        "input x, y, a, b, r\nsqrt((x-a)^2+(y-b)^2)-r": [
            (1e200, 0.0, 0.0, 1e200, 1.0),
            (1.0, 2.0, 1.0, 1.0, 0.5),
        ],
    },
    "Gaussian densities": {
        "input x, m, s\n-0.5*((x-m)/s)^2-log(s)-0.5*log(2*pi)": [
            (1.0, 2.0, 0.001),
            (50.0, 0.0, 0.5),
        ],
        "input x, m, s\nlog(exp(-(x-m)^2/(2*s^2))/(s*sqrt(2*pi)))": [
            (100.0, 0.0, 1.0),
            (1.0, 2.0, 0.001),
            (100000.0, 0.0, 3.0),
        ],
        "input x, m, s2\nlog(1/sqrt(2*pi*s2)*exp(-(x-m)^2/(2*s2)))": [
            (100.0, 0.0, 1.0),
            (1.0, 2.0, 1e-06),
        ],
        "input x, w, a, s, b, r\nlog(w/(s*sqrt(2*pi))*exp(-((x-a)/s)^2/2)+(1-w)/(r*sqrt(2*pi))*exp(-((x-b)/r)^2/2))": [
            (100.0, 0.3, 0.0, 1.0, 1.0, 2.0),
            (-80.0, 0.3, 0.0, 1.0, 1.0, 0.5),
        ],
        "input x\np=exp(-x^2/2)\nq=exp(-(x-1)^2/2)\np/(p+q)": [
            (60.0,),
            (-60.0,),
            (0.5,),
        ],
        "input x, p, a, b\nlog(p*exp(-a*x)+(1-p)*exp(-b*x))": [
            (1000.0, 0.2, 1.0, 2.0),
            (-1000.0, 0.2, 1.0, 2.0),
        ],
        "input a, b, c, d\nw=0.25\nlog(w*exp(a)+w*exp(b)+w*exp(c)+w*exp(d))": [
            (800.0, 1.0, 2.0, 3.0),
            (-900.0, -901.0, -902.0, -999.0),
        ],
    },
    "quadratic formula": {
        "input a, b, c\n(-b-sqrt(b*b-4*a*c))/(2*a)": [
            (1.0, 1000000000.0, 1.0),
            (1.0, -1000000000.0, 1.0),
            (1e-10, 5.0, 2.0),
            (1e-30, -5.0, 2.0),
        ],
        "input a, b, c\n(sqrt(b^2-4*a*c)-b)/(2*a)": [
            (1.0, 1000000000.0, 1.0),
            (1.0, -1000000000.0, 1.0),
            (1e-20, 5.0, 2.0),
        ],
        "input a, b, c\nd=b^2-4*a*c\nr=sqrt(d)\n(-b+r)/(2*a)": [
            (1.0, 1000000000.0, 1.0),
            (3.0, 200000000.0, -1.0),
            (1e-20, 5.0, 2.0),
        ],
        "input a, b, c\n2*c/(-b-sqrt(b^2-4*a*c))": [
            (1.0, 1000000000.0, 1.0),
            (1.0, -1000000000.0, 1.0),
            (0.0, 5.0, 2.0),
        ],
        "input a, b, c\nh=b/2\n(-h+sqrt(h^2-a*c))/a": [
            (1.0, 1000000000.0, 1.0),
            (1e-18, 3.0, 1.0),
        ],
        "input p, q\n-p/2+sqrt((p/2)^2-q)": [(1000000000.0, 1.0), (-1000000000.0, 1.0)],
        "input p, q\n-p/2-sqrt(p^2/4-q)": [(1000000000.0, 1.0), (-1000000000.0, 1.0)],
    },
    "inverse hyperbolic functions": {
        "input t\nlog(t+sqrt(1+t^2))": [(1e-10,), (-100000000.0,), (1e200,), (-5.0,)],
        "input t\nlog(sqrt(t*t+1)+t)": [(1e-10,), (-100000000.0,), (1e200,)],
        "input x, a\nlog(x+sqrt(x^2+a^2))-log(a)": [(-100000000.0, 2.0), (3.0, 2.0)],
        "input x, a\nlog(x/a+sqrt((x/a)^2+1))": [(1e-10, 2.0), (-100000000.0, 2.0)],
        "input x\nlog(x+sqrt(x^2-1))": [(1.0000000001,), (1e200,)],
        "input x\nlog(x+sqrt(x-1)*sqrt(x+1))": [(1.0000000001,), (1e200,)],
        "input v\n0.5*log((1+v)/(1-v))": [(1e-10,), (0.999999999999,), (-1e-05,)],
        "input v\n(log(1+v)-log(1-v))/2": [(1e-10,), (0.999999999999,), (-1e-05,)],
        "input v\n0.5*(log1p(v)-log1p(-v))": [(1e-10,), (-1e-05,)],
        "input v\nlog((sqrt(1+v)+sqrt(1-v))/(sqrt(1+v)-sqrt(1-v)))": [(1e-08,), (0.5,)],
        "input a, x\n0.5*log((a+x)/(a-x))": [(2.0, 1e-10), (5.0, 4.9999)],
        "input x\n0.5*log((x+1)/(x-1))": [(10000000000.0,), (1.0001,)],
        "input x\nlog(1/x+sqrt(1/x^2-1))": [(0.9999999,), (1e-05,)],
        "input x\nlog(1/x+sqrt(1/x^2+1))": [(10000000000.0,), (1e-05,)],
    },
    "error functions": {
        "input x\nexp(x^2)*(1-erf(x))": [(30.0,), (5.0,), (-2.0,)],
        "input t\nexp(t*t)*erfc(t)": [(30.0,), (100000.0,)],
        "input a\nexp(a^2/2)*erfc(a/sqrt(2))": [(50.0,), (2.0,)],
        "input x\nlog(1-erf(x))": [(30.0,), (8.0,)],
        "input x\nlog(0.5*erfc(-x/sqrt(2)))": [(-40.0,), (10.0,), (-8.0,)],
        "input x\nlog(0.5*(1+erf(x/sqrt(2))))": [(-40.0,), (10.0,)],
        "input x\nexp(-x^2/2)/erfc(x/sqrt(2))": [(40.0,), (-3.0,)],
        "input x, h\nerf(x+h)-erf(x)": [(1.0, 1e-10), (5.0, 1.0)],
        "input a, b\n(erf(b/sqrt(2))-erf(a/sqrt(2)))/2": [(8.0, 9.0), (-9.0, -8.0)],
        "input a, b\nnormcdf(b)-normcdf(a)": [(8.0, 9.0), (1.0, 1.0000001)],
        "input a, b\nlog(normcdf(b)-normcdf(a))": [
            (8.0, 9.0),
            (30.0, 31.0),
            (-40.0, -39.0),
            (30.0, 30.0000001),
            (-1.0, 2.0),
        ],
        "input x, m, g\n0.5+atan((x-m)/g)/pi": [(-1e10, 0.0, 1.0), (2.0, 1.0, 3.0)],
    },
    "logarithms of differences": {
        "input t\nlog(1-exp(-t))": [(1e-12,), (50.0,), (800.0,)],
        "input a, b\nlog(1-exp(-a*b))": [(1e-12, 2.0), (50.0, 20.0)],
        "input t\n-log(1-exp(-t))": [(1e-12,), (50.0,)],
        "input t\nlog(1-2^(-t))": [(1e-12,), (80.0,)],
        "input a, b\na+log(1-exp(b-a))": [(1.0, 0.999999999999), (1000.0, 900.0)],
        "input a, b\nlog(exp(a)-exp(b))": [
            (1000.0, 999.0),
            (1.0, 0.999999999999),
            (-1000.0, -1000.5),
        ],
        "input a, b, c\nlog(exp(a)-exp(b)-exp(c))": [
            (1000.0, 999.0, 998.0),
            (-1000.0, -1001.0, -1005.0),
        ],
        "input a, b\nlog((exp(a)-exp(b))/(a-b))": [(1.0, 1.000000001), (1000.0, 999.0)],
        "input x\nlog(exp(x)-1)": [(1e-10,), (800.0,)],
        "input x\nlog(expm1(x)/x)": [(800.0,)],
        "input x, y\nlog(1-exp(-x))-log(1-exp(-y))": [(1e-05, 2e-05), (40.0, 50.0)],
    },
    "ratios of gamma functions": {
        "input n\ngamma(n+0.5)/gamma(n)": [(1000000.0,), (2.0,)],
        "input n, k\ngamma(n+1)/(gamma(k+1)*gamma(n-k+1))": [
            (300.0, 7.0),
            (1000.0, 500.0),
        ],
        "input n, k\nexp(lgamma(n+1)-lgamma(k+1)-lgamma(n-k+1))": [
            (300.0, 7.0),
            (1000.0, 500.0),
        ],
        "input x\nlgamma(x+1)-lgamma(x)": [(10000000000.0,), (3.0,)],
        "input a, b\nlgamma(a)+lgamma(b)-lgamma(a+b)": [
            (10000000000.0, 2.0),
            (1e-10, 1e-10),
        ],
        "input x\nlog(gamma(x))": [(500.0,), (1.0000000001,), (2.0,)],
        "input x, y\ngamma(x)*gamma(y)/gamma(x+y)": [(200.0, 200.0), (100000.0, 1.0)],
        "input a\ngamma(a+2)/gamma(a)": [(200.0,), (10000000000.0,)],
        "input x, n\ngamma(x+n)/(gamma(x)*x^n)": [(100000.0, 0.5)],
    },
    "differences of roots and logarithms": {
        "input x\nsqrt(x+1)-sqrt(x)": [(1000000000000000.0,), (1e300,), (0.0,)],
        "input a, b\nsqrt(a+b)-sqrt(a-b)": [(10000000000.0, 1e-05), (2.0, 1.0)],
        "input x\nsqrt(1+x)-1": [(1e-15,), (1e-300,)],
        "input x\n1-sqrt(1-x^2)": [(1e-10,), (0.999,)],
        "input x\n1/sqrt(x)-1/sqrt(x+1)": [(1000000000000.0,), (1e-05,)],
        "input x\n1/(sqrt(x+1)-sqrt(x))": [(1000000000000000.0,)],
        "input x\ncbrt(x+1)-cbrt(x)": [(1000000000000000.0,)],
        "input x\n(x+1)^(1/3)-x^(1/3)": [(1000000000000000.0,), (2.0,)],
        "input x, h\n1/x-1/(x+h)": [(10000000000.0, 1.0), (1.0, 1e-12)],
        "input x, h\nlog(x+h)-log(x)": [(10000000000.0, 1.0), (1.0, 1e-15)],
        "input x, h\nlog((x+h)/x)": [(10000000000.0, 1.0), (1.0, 1e-15)],
        "input x\nx*log(1+1/x)": [(1e200,), (1e-05,)],
        "input n\n(1+1/n)^n": [(5.0,), (1e15,)],
        "input r, n, t\n(1+r/n)^(n*t)": [(0.05, 12.0, 3.0), (0.05, 1e12, 3.0)],
        "input r, n\n(1+r/n)^n-1": [(0.05, 1e10), (1e-12, 4.0)],
        "input n, x\nn*log(1+x/n)": [(1e15, 3.0), (3.0, 1e9), (-3.0, 1e-9)],
        "input n, x\nn*log(1+x/n)-x": [(1000000.0, 0.001)],
        "input x\n(x+1)*log(x+1)-x*log(x)": [(10000000000.0,), (1.0,)],
        "input x, y\nlog(1+x)-log(1+y)": [(0.5, 0.500000001), (1e-12, 2e-12)],
        "input x, y, p\n(x^(1-p)-y^(1-p))/(1-p)": [
            (3.0, 3.0000001, 2.0),
            (2.0, 1.0, 1.000000001),
            (5.0, 2.0, 0.5),
        ],
        "input x, y\nlog(x)-log(y)": [(1.0, 1.000000000001), (1e300, 1e-300)],
    },
    "differences from one": {
        "input x\nexp(x)-1-x": [(1e-08,), (0.001,)],
        "input a, x\n(exp(a*x)-1)/a": [(1e-12, 3.0), (0.0, 3.0), (1e-300, 2.0)],
        "input a, b\nexp(a)-exp(b)": [(1.0, 1.000000000001)],
        "input k, t\n1-exp(-k*t)": [(1e-10, 1e-05), (5.0, 2.0)],
        "input x\nexp(x)/(exp(x)-1)-1/x": [(1e-08,), (1000.0,), (0.001,)],
        "input w, t\n1-cos(w*t)": [(1e-08, 0.001)],
        "input x, y\ncos(x)-cos(y)": [(1.0, 1.000000000001)],
        "input x, h\nsin(x+h)-sin(x)": [(1.0, 1e-12)],
        "input x, h\ntan(x+h)-tan(x)": [(1.0, 1e-12)],
        "input x\n1-cosh(x)": [(1e-08,)],
        "input x\ncosh(x)-sinh(x)": [(40.0,), (700.0,)],
        "input x\n1-tanh(x)": [(30.0,), (400.0,)],
        "input x\n1-tanh(x)^2": [(30.0,), (300.0,)],
        "input x\n1/(1+exp(-x))-0.5": [(1e-10,), (1000.0,)],
        "input a, x, b\n1/(1+exp(a*(x-b)))": [(10.0, 100.0, 1.0), (10.0, -100.0, 1.0)],
        "input x, p\n(1+x)^p-1": [(1e-12, 2.5), (1e-300, 0.5)],
        "input x, p\nx^p-1": [(1.000000000001, 2.5)],
        "input x, l\n(x^l-1)/l": [
            (2.0, 1e-12),
            (2.0, 0.0),
            (2.0, 0.0001),
            (5.0, -1e-09),
        ],
        "input p, n\n1-(1-p)^n": [(1e-12, 5.0), (1e-17, 1000000.0)],
        "input p, n\nlog(1-(1-p)^n)": [(1e-12, 5.0)],
    },
    "relativity and angles": {
        "input m, v, c\ng=1/sqrt(1-v^2/c^2)\nm*c^2*(g-1)": [
            (1.0, 1.0, 3e8),
            (2.0, 1e-5, 3e8),
            (2.0, 0.5, 1.0),
        ],
        "input b\n(1-b*b)^(-0.5)-1": [(1e-9,), (0.0,), (0.6,)],
        "input a, b, c\nacos((a*a+b*b-c*c)/(2*a*b))": [
            (1.0, 1.0, 1e-9),
            (3.0, 4.0, 5.0),
            (1.0, 1.00001, 1e-4),
        ],
        "input z\nacosh(z+1)": [(1e-17,), (1e-9,), (3.0,)],
        "input a, b, c\nsqrt(a^2+b^2-2*a*b*cos(c))": [
            (1.0, 1.0, 1e-9),
            (1.0, -1.0000001, 3.14159265),
            (3.0, 4.0, 1.0),
        ],
        "input a, b, d\nacos(sin(a)*sin(b)+cos(a)*cos(b)*cos(d))": [
            (0.5, 0.5, 1e-6),
            (0.5, 0.500001, 1e-3),
            (0.5, -0.6, 2.0),
        ],
        "input w, r\n2*atan2(r,w)/r": [(0.5, 1e-9), (0.5, 0.2), (-0.5, 0.2)],
        "input x, y\ncos(y)-cos(x)": [(2e-9, 1e-9), (1e-3, 3e-4), (2.0, 1.0)],
    },
    "divergences": {
        "input p, q\np*log(p/q)+(1-p)*log((1-p)/(1-q))": [
            (0.3, 0.3000001),
            (0.9, 0.1),
            (1e-300, 0.5),
        ],
        "input y, m\ny*log(y/m)-(y-m)": [(1000.0, 1001.0), (3.0, 3.00001), (5.0, 1.0)],
        "input y, m\n(y-m)/m-log(y/m)": [(1000.0, 1001.0), (5.0, 1.0)],
        "input a, b, s, t\nlog(t/s)+(s^2+(a-b)^2)/(2*t^2)-0.5": [
            (1.0, 1.000001, 2.0, 2.000001),
            (0.0, 1e-9, 1.0, 1.00000001),
            (0.0, 1.0, 2.0, 7.0),
        ],
    },
    "counts and powers": {
        "input n, r\nexp(-r)*r^n/gamma(n+1)": [
            (200.0, 190.0),
            (1000.0, 1001.0),
            (3.0, 2.0),
        ],
        "input x\ngamma(x+0.5)/gamma(x)": [(1e10,), (200.0,), (3.0,), (1e300,)],
        "input x\ngamma(x)/(2*gamma(x+1.5))": [(1e10,), (200.0,), (3.0,)],
        "input x, p\n(x^p-1)/p": [(2.0, 0.0), (1.0, 0.0), (3.0, 1e-9), (3.0, 2.0)],
        "input x\nlog(expm1(x)/x)": [(1e-9,), (1e-3,), (800.0,)],
        "input x\n(1-exp(-x))/x-exp(-x)": [(1e-9,), (1e-4,), (2.0,)],
    },
    "near values": {
        "input p, q\n(sqrt(p)-sqrt(q))^2": [(0.3, 0.3000000001), (1e-300, 1.0)],
        "input p, q\n(p-q)*log(p/q)": [(0.3, 0.30000001), (2.0, 1e-9)],
        "input z, a, b\nz*log(b/a)": [(2.0, 5.0, 5.0000001), (2.0, 1e-300, 1.0)],
        "input k, a, b\nk*(1/a-1/b)": [(5e4, 300.0, 300.0000001), (2.0, 1e9, 1e-9)],
        "input a, b\ncbrt(b)-cbrt(a)": [(-2.0, -2.0000001), (8.0, 1e-9)],
        "input a, b\n3*(tanh(a)-tanh(b))": [(20.0, 21.0), (-30.0, -20.0), (1.0, 1.1)],
        "input a, b\n1/(1+exp(-a))-1/(1+exp(-b))": [(40.0, 41.0), (-3.0, -3.0000001)],
        "input x\natan(2*x)-atan(x)": [(1e5,), (-1e9,), (0.1,)],
        "input x\natan2(1,x)-atan2(1,x+1)": [(3e5,), (-2e7,), (0.5,)],
        "input x\nlog2(1+x)-log2(x)": [(3e9,), (0.1,)],
        "input x\nlog10(x+1)-log10(x-1)": [(5e7,), (1.5,)],
        "input x, n\n(x+1)^(1/n)-x^(1/n)": [(1e-5, 4e9), (1e10, 3.0)],
        "input x, n\nx^(n+1)-x^n": [(1.0000001, 1e-3), (3.0, 1e-9)],
        "input x, h\n(sin(x+h)-sin(x-h))/(2*h)": [(2.4e-8, 4e7), (1.0, 1e-9)],
        "input a, b, f, g\nsqrt(2*(cosh(a-b)-cos(f-g)))": [
            (0.5, 0.5000001, 1.0, 1.0000001),
            (0.5, 0.5, 0.2, 0.2000001),
        ],
        "input x\nlog(tan(x/2))*3": [(1.5707963,), (1e-9,)],
        "input x\nlog2(1+x)": [(1e-12,), (3.0,)],
    },
    "shares and lengths": {
        "input x\n1-x/sqrt(1+x^2)": [(1e5,), (1e10,), (-3.0,)],
        "input x\nsqrt(x^2+1)-abs(x)": [(-1e10,), (1e200,), (0.5,)],
        "input x, y\n0.5*log((1+x)^2+y^2)": [(1e-9, 1e-5), (-2.0, 1e-5), (1.0, 1.0)],
        "input a, b\nlog(b*b+a*a)": [(0.6, 0.8), (1e-9, 1.0), (3.0, 4.0)],
        "input a, b\nlog(sqrt(a^2+b^2))*2": [(0.6, 0.8), (1e-9, 1.0), (1e200, 1.0)],
        "input x, y\n0.25*log((x^2+(1+y)^2)/(x^2+(1-y)^2))": [(1e-9, 1e-9), (1e9, 1.0)],
        "input a, b, k\n(a+b+k-sqrt((a+b+k)^2-4*a*b))/2": [
            (1e-9, 1.0, 1.0),
            (1.0, 1e-9, 1.0),
        ],
        "input x\nacos((1-x*x)/(1+x*x))": [(1e-5,), (1e-80,), (4e7,)],
        "input a, b, c, d\nacos((b*d+a*c)/(sqrt(a^2+b^2)*sqrt(c^2+d^2)))": [
            (1.0, 2.0, 1.00000001, 2.0),
            (1.0, 2.0, -1.0, -2.000001),
            (1e200, 1.0, 2.0, 3.0),
        ],
        "input a, b, c, d\n1-(a*c+b*d)/(hypot(a,b)*hypot(c,d))": [
            (1.0, 2.0, 1.0000001, 2.0),
            (3.0, 1.0, -3.0, 1.0),
        ],
        "input a, b, c, u, v, w\nt=a*u+b*v+c*w\n1-t/(sqrt(a^2+b^2+c^2)*sqrt(u^2+v^2+w^2))": [
            (1.0, 2.0, 3.0, 1.0000001, 2.0, 3.0),
            (1.0, 2.0, 3.0, 3.0, -2.0, 1.0),
        ],
    },
    "logistic and divergences": {
        "input z, y\ny*z-log(1+exp(z))": [(40.0, 1.0), (-40.0, 0.0), (800.0, 1.0)],
        "input z\n-z-2*log(1+exp(-z))": [(1e-9,), (40.0,), (-800.0,)],
        "input z\nexp(-z)/(1+exp(-z))^2": [(1e-9,), (300.0,), (-3.0,)],
        "input h, t\nh/(exp(h/t)-1)+h/2": [(1e-9, 1.0), (3.0, 0.5)],
        "input x\nlog(0.5*exp(x)+0.5*exp(-x))": [(1e-9,), (800.0,)],
        "input a, b\n(exp(a)-exp(b))/(exp(b)+exp(a))": [(-800.0, -801.0), (5.0, 5.0)],
        "input x, w\nw*exp(-x^2/2)/((1-w)*exp(-(x-1)^2/2)+w*exp(-x^2/2))": [
            (-100.0, 0.7),
            (100.0, 0.3),
        ],
        "input p, q\np*log(p/q)+(1-p)*log((1-p)/(1-q))": [
            (1e-12, 2e-12),
            (0.3, 0.3000000001),
        ],
        "input k, m, r\nk*log(k/m)-(k+r)*log((k+r)/(m+r))": [
            (3.0, 2.0, 5.0),
            (10.0, 10.01, 5.0),
        ],
        "input x\nnormpdf(x)/(1-normcdf(x))": [(40.0,), (-3.0,)],
    },
    "entropies and sigmoids": {
        "input y, z\n-(y*log(1/(1+exp(-z)))+(1-y)*log(1-1/(1+exp(-z))))": [
            (1.0, 1000.0),
            (0.0, 1000.0),
            (0.3, -800.0),
        ],
        "input a, b, c\n-log(exp(b)/(exp(a)+exp(b)+exp(c)))": [
            (1000.0, 1.0, 3.0),
            (-1000.0, -999.0, -2000.0),
        ],
        "input a, b, c\nexp(a)/(exp(a)+exp(b)+exp(c))": [
            (50.0, 0.0, 0.0),
            (1.0, 1.0, 1.0),
            (0.0, 60.0, 1.0),
        ],
        "input a, b, c, d\nlog(exp(a)+exp(b)+exp(c))-a+d": [
            (50.0, 0.0, 0.0, 0.0),
            (1.0, 900.0, 3.0, 2.0),
        ],
        "input p, l\nlog(p+(1-p)*exp(-l))": [(0.5, 1e-12), (0.2, 800.0), (1e-9, 1e-5)],
        "input p, t\nlog(1-p+p*exp(t))": [(0.3, 1e-12), (0.3, 800.0), (0.3, -30.0)],
        "input x\nf=1/(exp(x)+1)\nf*(1-f)": [(-40.0,), (400.0,), (0.3,)],
        "input g, z\n(1-1/(1+exp(-z)))^g": [(2.0, -50.0), (2.0, 5.0)],
        "input a, b\nm=max(a,b)\nm+log(exp(a-m)+exp(b-m))": [
            (1000.0, 1000.0),
            (2.0, 2.0),
            (-1000.0, 3.0),
        ],
        "input a, b, T\nexp(a/T)/(exp(a/T)+exp(b/T))": [
            (1.0, 2.0, 0.0001),
            (5.0, 5.0, 1.0),
        ],
        "input a, b\nlog(1+exp(a)+exp(b))": [
            (1000.0, 999.0),
            (-1000.0, -999.0),
            (-40.0, -50.0),
        ],
        "input x\nlog(1+2*exp(x)+exp(2*x))": [(800.0,), (-50.0,)],
        "input x\n(exp(x)-exp(-x))/(exp(x)+exp(-x))": [(1000.0,), (1e-10,), (-1000.0,)],
        "input x\n(1-exp(-2*x))/(1+exp(-2*x))": [(1000.0,), (1e-10,), (-1000.0,)],
        "input x\n(exp(2*x)-1)/(exp(2*x)+1)": [(1000.0,), (1e-10,), (-1000.0,)],
        "input x\n4/(exp(x)+exp(-x))^2": [(1000.0,), (30.0,)],
        "input x\nexp(-x)/(1+exp(-x))^2": [(1000.0,), (-1000.0,), (30.0,)],
        "input x\nexp(x)/(1+exp(x))^2": [(1000.0,), (-700.0,)],
        "input x\nx/(1+exp(-x))": [(-800.0,), (800.0,)],
        "input a, b, c\nexp(a)*exp(b)/exp(c)": [(500.0, 500.0, 990.0)],
        "input x\nexp(-x)*x^10": [(1000.0,), (1e40,)],
        "input a, b, c, d\n(exp(a)+exp(b))/(exp(c)+exp(d))": [
            (1000.0, 999.0, 998.0, 1001.0),
            (-1000.0, -999.0, -998.0, -1001.0),
        ],
        "input a, b, c, d\nlog(exp(a)+exp(b))-log(exp(c)+exp(d))": [
            (1000.0, 999.0, 998.0, 1001.0)
        ],
        "input x, y, z\nlog(x*y*z)": [
            (1e200, 1e200, 1e-50),
            (1e-200, 1e-200, 10000000000.0),
        ],
        "input x, n, m\nlog(x^n*(1-x)^m)": [(0.3, 5000.0, 800.0), (1e-05, 300.0, 2.0)],
        "input n, m, p\nn*log(p)+m*log(1-p)": [(3.0, 5.0, 1e-17), (0.0, 5.0, 0.001)],
        "input x\nsqrt(x^2+1)/x": [(1e200,)],
        "input x, y\nx^2/(x^2+y^2)": [(1e200, 1e200), (1e-200, 1e-200)],
        "input x, y\nx*y/(x^2+y^2)": [(1e-200, 1e-200)],
        "input x, y\n(x^2-y^2)/(x^2+y^2)": [(1e200, 2e200), (1e-200, 3e-200)],
        "input a, b\n(a^3+b^3)^(1/3)": [(1e150, 1e150)],
        "input x, y\nlog(log(x*y))": [(1e200, 1e200)],
    },
}


@pytest.mark.long
@pytest.mark.parametrize("family", FAMILIES)
def test_digits_are_kept(family: str) -> None:
    for text, points in FAMILIES[family].items():
        compiled, witness = gradc.compile(text), Witness(read(text))
        for args in points:
            point = dict(zip(compiled.inputs, args))
            value, slopes = compiled.value_and_grad(*args)
            truths = [witness.value(point)]
            truths += [witness.derivative(point, name) for name in compiled.wrt]
            for truth, found in zip(truths, (value, *slopes)):
                if truth is None or not SMALLEST < abs(truth) < LARGEST:
                    continue
                assert abs(found - truth) <= CLOSE * abs(truth), (text, args)
