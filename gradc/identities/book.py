"""The identity book: each rule a line of text in gradc's own language.

    name: pattern -> replacement [given condition]

A rule holds for all real numbers for which its pattern is defined, and its replacement
is defined for the same ones; what holds only for some of them stands in a `where`, in
which `self` is the pattern as it was. It is `same` where the condition tells only which
of the two has the digits; domains that decide it leave no condition. In a pattern

    c, k, m, n, p   stand for constants, every other name for any expression;
    every(t)        is a sum of any number of terms `t`, each with its own variables,
                    or all the arguments of a call but the one before it;

and in a replacement `each(t)` is the list of `t` for every one of these terms, and
`all(t) > 0` says that each of them is positive. What replaces a pattern is equal to it,
or has the digits of floats while something is below `near(c)`. Behind `given` stands
what has to be known when the formula is compiled: signs, constants, and `shared(x, y)`,
the number of terms that two sums have in common, which their difference loses;
`number(x)` is 1 for a constant and else 0; `plain(x)` is 1 for inputs, their products
and powers; `negative(x)` is 1 for what is never above 0, and `positive(x)` for what is
above 0 outside the domains as well; `terms(x)` is how many terms a sum has; `level(x)`
is 1 if one of them is held constant; `length(x)` is 1 for a hypot; `alone` is 1 where
the pattern is no part of a larger sum, in which its last digits would be lost again. A
variable of `every(t)` is there the number that it is in all terms, or 0 if it is none.
Sums and products match in any order, with common factors and with more terms around
them. The first rule that matches is applied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from gradc.errors import Source
from gradc.identities.pattern import EVERY, FOLDED, Call, Pattern, Variable, pattern
from gradc.language.parse import parse
from gradc.language.syntax import Result, Row
from gradc.ops import OPS

_LINE = re.compile(r"([\w ,-]+): (.+?) -> (.+?)(?: given (.+))?\Z")
_CALLED = re.compile(r"\w+(?=\()")

Head = tuple[str, str]

BOOK = r"""
# ---- exponentials in sums
cosh less one:          exp(x) + exp(-x) - 2 -> 4*sinh(x/2)^2
difference to sinh:     exp(x) - exp(-x) -> 2*sinh(x)
sum to cosh:            exp(x) + exp(-x) -> 2*cosh(x)
expm1:                  exp(x) - 1 -> expm1(x)
exponential by sinh:    cosh(x) + sinh(x) -> exp(x)
exponential by cosh:    cosh(x) - sinh(x) -> exp(-x)
exponentials:           exp(x) - exp(y) -> where(abs(x - y) < 1, exp(y)*expm1(x - y), self)
near hyperbolic ones:   cosh(x) - 1 -> 2*sinh(x/2)^2
cosh less cosine:       cosh(x) - cos(y) -> 2*sinh(x/2)^2 + 2*sin(y/2)^2
cosh and cosine:        cosh(x) + cos(y) -> 2*sinh(x/2)^2 + 2*cos(y/2)^2
hyperbolic cosines:     cosh(x) - cosh(y) -> where(2*abs(abs(x) - abs(y)) < abs(x), 2*sinh((x + y)/2)*sinh((x - y)/2), self)
hyperbolic squares:     cosh(x)^2 - sinh(x)^2 -> 1
hyperbolic square:      cosh(x)^2 - 1 -> sinh(x)^2
sech:                   1 - tanh(x)^2 -> sech2(x)
csch:                   1/tanh(x)^2 - 1 -> 1/sinh(x)^2
one less tanh:          1 - tanh(x) -> 2*sigmoid(-2*x)
one and tanh:           1 + tanh(x) -> 2*sigmoid(2*x)
one less sigmoid:       1 - sigmoid(x) -> sigmoid(-x)
centred sigmoid:        sigmoid(x) - 1/2 -> tanh(x/2)/2
sigmoids:               sigmoid(x) - sigmoid(y) -> where(8*abs(x - y) < 1, sinh((x - y)/2)/(2*cosh(x/2)*cosh(y/2)), where(x*y < 1, self, where(x > y, -(sigmoid(x)*sigmoid(-y)*expm1(y - x)), sigmoid(y)*sigmoid(-x)*expm1(x - y))))
hyperbolic tangents:    tanh(x) - tanh(y) -> where(8*abs(x - y) < 1, sinh(x - y)/(cosh(x)*cosh(y)), where(x*y < 1, self, where(x > y, -2*sigmoid(2*x)*sigmoid(-2*y)*expm1(2*(y - x)), 2*sigmoid(2*y)*sigmoid(-2*x)*expm1(2*(x - y)))))
exp2 less one:          exp2(x) - 1 -> expm1(x*log(2))
mixture with one:       x + (1 - x)*exp(y) -> where(abs(y) < 1, 1 + (1 - x)*expm1(y), self)

# ---- exponentials compared
larger exponential:     where(exp(x) > exp(y), z, w) -> where(x > y, z, w)
no less exponential:    where(exp(x) >= exp(y), z, w) -> where(x >= y, z, w)
smaller exponential:    where(exp(x) < exp(y), z, w) -> where(x < y, z, w)
no more exponential:    where(exp(x) <= exp(y), z, w) -> where(x <= y, z, w)

# ---- exponentials in products
sigmoid:                1/(1 + exp(-x)) -> sigmoid(x)
sigmoid by exp:         exp(x)*sigmoid(-x) -> sigmoid(x)
odds of sigmoid:        sigmoid(x)/sigmoid(-x) -> exp(x)
sigmoid of difference:  exp(x)/(exp(x) + exp(y)) -> sigmoid(x - y)
share of a weight:      w*exp(x)/(w*exp(x) + v*exp(y)) -> where(x > y, w/(w + v*exp(y - x)), w*exp(x - y)/(w*exp(x - y) + v)) given negative(v) < 1
share by weight:        w*exp(x)/(w*exp(x) + k*exp(y)) -> where(x > y, w/(w + k*exp(y - x)), w*exp(x - y)/(w*exp(x - y) + k)) given k > 0
share beside a weight:  exp(x)/(c*exp(x) + v*exp(y)) -> where(x > y, 1/(c + v*exp(y - x)), exp(x - y)/(c*exp(x - y) + v)) given c > 0 and negative(v) < 1
share by numbers:       exp(x)/(c*exp(x) + k*exp(y)) -> where(x > y, 1/(c + k*exp(y - x)), exp(x - y)/(c*exp(x - y) + k)) given c > 0 and k > 0
weight and number:      w*exp(x)/(w*exp(x) + k) -> where(x > 0, w/(w + k*exp(-x)), self) given k > 0
weight and rest:        w*exp(x)/(w*exp(x) + v) -> where(x > 0, w/(w + v*exp(-x)), self) given terms(v) < 2 and negative(v) < 1
share of two numbers:   exp(x)/(c*exp(x) + k) -> where(x > 0, 1/(c + k*exp(-x)), self) given c > 0 and k > 0
share beside a rest:    exp(x)/(c*exp(x) + v) -> where(x > 0, 1/(c + v*exp(-x)), self) given c > 0 and terms(v) < 2 and negative(v) < 1
logistic density:       sigmoid(x)*sigmoid(-x) -> sech2(x/2)/4
coth by expm1:          1/expm1(x) + 1/2 -> 1/(2*tanh(x/2))
tanh of difference:     (exp(x) - exp(y))/(exp(x) + exp(y)) -> tanh((x - y)/2)
softmax:                exp(x)/every(w*exp(y)) -> where(all(w) > 0, exp(x - detach(max(each(y))))/every(w*exp(y - detach(max(each(y))))), self) given level(x) < 1
tanh:                   sinh(x)/cosh(x) -> tanh(x)
coth:                   cosh(x)/sinh(x) -> 1/tanh(x)
tanh by exp:            expm1(x)*sigmoid(-x) -> tanh(x/2)
sech squared:           1/cosh(x)^2 -> sech2(x)
exp over expm1:         exp(x)/expm1(x) -> -(1/expm1(-x))
square of exponential:  exp(x)^2 -> exp(2*x)
ratio of exponentials:  exp(x)/exp(y) -> exp(x - y)
inverse exponential:    1/exp(x) -> exp(-x)
exponentials far apart: exp(x)*exp(y) -> where(abs(x) < 300 and abs(y) < 300, self, exp(x + y))
exp and sigmoid apart:  exp(x)*sigmoid(y) -> where(abs(x) < 300 and abs(y) < 300, self, exp(x - softplus(-y)))
ratio of cosh:          cosh(x)/cosh(y) -> where(abs(x) < 300 and abs(y) < 300, self, exp(abs(x) - abs(y))*(1 + exp(-2*abs(x)))/(1 + exp(-2*abs(y))))

# ---- logarithms
log of a mixture of 1:  log(x + (1 - x)*exp(y)) -> where(2*x + 2*(1 - x)*exp(y) > 1 and y < 1, log1p((1 - x)*expm1(y)), self)
log of a mean of exp:   log(1 - x + x*exp(y)) -> where(2*x*expm1(y) > -1, log1p(x*expm1(y)), self)
log of two exp:         log(exp(x)/2 + exp(y)/2) -> where(abs(x - y) < 1, (x + y)/2 + log1p(2*sinh((x - y)/4)^2), self)
log of a level share:   log(exp(x)/(exp(x) + y)) -> where(exp(x) > y, -log1p(y/exp(x)), x - log(exp(x) + y)) given y > 0 and level(x) > 0
log of softmax:         log(exp(x)/(exp(x) + y)) -> x - log(exp(x) + y) given y > 0 and terms(y) > 1
log of a part:          log(exp(x)/(exp(x) + y)) -> -softplus(log(y) - x) given y > 0 and terms(y) < 2
log-sum-exp, multiple:  log(every(k*exp(x))) -> logsumexp(each(x)) + log(k) given k > 0 and (k - 1)^2 > 0
log-sum-exp:            log(every(w*exp(x))) -> where(all(w) > 0, logsumexp(each(x + log(w))), self)
softplus:               logsumexp(0, x) -> softplus(x)
softplus with a weight: logsumexp(y, y + x) -> softplus(x) + y
softplus by log1p:      log1p(exp(x)) -> softplus(x) given negative(x) < 1
softplus of a power:    log1p(c^x) -> where(x*log(c) < 30, self, softplus(x*log(c))) given c > 0
softplus of a multiple: logsumexp(x, c*x) -> softplus((c - 1)*x) + x
softplus of multiples:  logsumexp(c*x, k*x) -> softplus((k - c)*x) + c*x
softplus by relu:       relu(x) + log1p(exp(-abs(x))) -> softplus(x)
softplus by size:       relu(x) + softplus(-abs(x)) -> softplus(x)
softplus by max, size:  max(x, 0) + softplus(-abs(x)) -> softplus(x)
softplus by max:        max(x, 0) + log1p(exp(-abs(x))) -> softplus(x)
softplus of a pair:     logaddexp(0, x) -> softplus(x)
softplus less itself:   softplus(x) - x -> softplus(-x)
opposite softplus:      softplus(x) - softplus(-x) -> x
entropy of a logit:     softplus(x) - x*sigmoid(x) -> where(x >= 0, softplus(-x) + x*sigmoid(-x), self)
softplus at a scale:    x*softplus(y/x) -> where(y/x >= 0, y + x*softplus(-(y/x)), self)
softplus less share:    softplus(x) - y*x -> where(x > 0, (1 - y)*x + softplus(-x), self) given number(y) == 0 and alone > 0
log of a share of many: logsumexp(x, every(y)) - x -> neg_log_softmax(x, each(y))
log of a share:         logsumexp(x, y) - x -> softplus(y - x)
log1m of power:         log(1 - c^x) -> where(abs(x*log(c)) < 1, log(-expm1(x*log(c))), log1p(-(c^x))) given c > 0
log1mexp:               log(1 - exp(x)) -> where(x < -1, log1p(-exp(x)), log(-expm1(x)))
log1mexp by expm1:      log(-expm1(x)) -> where(x < -1, log1p(-exp(x)), self)
logexpm1:               log(exp(x) - 1) -> where(x > 1, x + log1p(-exp(-x)), log(expm1(x)))
logdiffexp:             log(exp(x) - exp(y)) -> x + where(y - x < -1, log1p(-exp(y - x)), log(-expm1(y - x)))
log of less exp:        log(exp(x) - exp(y) - exp(z)) -> where(2*exp(y - x) + 2*exp(z - x) < 1, x + log1p(-(exp(y - x) + exp(z - x))), self)
log of sigmoids:        log(sigmoid(x) - sigmoid(y)) -> where(x > y, where(y - x < -1, log1p(-exp(y - x)), log(-expm1(y - x))) - softplus(-x) - softplus(y), self)
log of expm1:           log1p(w*expm1(x)) -> where(x < 500, self, log(w) + x)
log-sigmoid:            log(sigmoid(x)) -> -softplus(-x)
log of sech:            log(sech2(x)) -> -2*log(cosh(x))
log of tanh square:     log1p(-(tanh(x)^2)) -> -2*log(cosh(x))
log of tanh squared:    log(1 - tanh(x)^2) -> -2*log(cosh(x))
log of sech and more:   log(sech2(x) + y) -> where(tanh(x)^2 + abs(y) < 1/2, log1p(y - tanh(x)^2), self)
log of near sigmoid:    log(sigmoid(x) + y) -> where(sigmoid(-x) + abs(y) < 1/2, log1p(y - sigmoid(-x)), self)
root of sech square:    sqrt(sech2(x)) -> 1/cosh(x)
log-cosh by softplus:   abs(x) + softplus(-2*abs(x)) - log(2) -> log(cosh(x))
log-cosh by half:       abs(x) + softplus(-2*abs(x)) + log(1/2) -> log(cosh(x))
logistic log-density:   x + 2*softplus(-x) -> 2*log(cosh(x/2)) + 2*log(2)
log-cosh:               log(cosh(x)) -> where(abs(x) < 1, log1p(2*sinh(x/2)^2), abs(x) + log1p(exp(-2*abs(x))) - log(2))
log-sinh:               log(sinh(x)) -> where(x < 20, self, x + log1p(-exp(-2*x)) - log(2))
log of abs sinh:        log(abs(sinh(x))) -> where(abs(x) < 20, self, abs(x) + log1p(-exp(-2*abs(x))) - log(2))
log of half erfc:       log(erfc(x)/2) -> where(x < -1, log1p(-erfc(-x)/2), where(x > 5, log(erfcx(x)/2) - x^2, self))
log of erfc:            log(c*erfc(x)) -> where(x > 5, log(c*erfcx(x)) - x^2, self)
log of erfc by half:    log(erfc(x)) + log(1/2) -> where(x < -1, log1p(-erfc(-x)/2), where(x > 5, log(erfcx(x)/2) - x^2, self))
log of exp:             log(exp(x)) -> x
log of product:         log(x*exp(y)) -> log(x) + y
log of multiple:        log(c*exp(x)) -> x + log(c) given c > 0
log of positive square: log(x^2) -> 2*log(x) given positive(x) > 0
log of positive cube:   log(x^3) -> 3*log(x) given positive(x) > 0
log of positive power:  log(x^y) -> y*log(x) given positive(x) > 0
log of two terms:       log((1 + exp(x))*(1 + exp(y))) -> softplus(x) + softplus(y)
log of two sigmoids:    log(sigmoid(x)*sigmoid(y)) -> -(softplus(-x) + softplus(-y))
log of two cosh:        log(cosh(x)*cosh(y)) -> log(cosh(x)) + log(cosh(y))
log of cosh by cosh:    log(cosh(x)/cosh(y)) -> where(abs(x) > 20 and abs(y) > 20, abs(x) - abs(y) + (log1p(exp(-2*abs(x))) - log1p(exp(-2*abs(y)))), self)
log of sinh by sinh:    log(sinh(x)/sinh(y)) -> where(abs(x) > 20 and abs(y) > 20 and x*y > 0, abs(x) - abs(y) + (log1p(-exp(-2*abs(x))) - log1p(-exp(-2*abs(y)))), self)
log of sinh by cosh:    log(sinh(x)/cosh(y)) -> where(x > 2 and abs(y) > 2, x - abs(y) + (log1p(-exp(-2*x)) - log1p(exp(-2*abs(y)))), self)
log of cosh by sinh:    log(cosh(x)/sinh(y)) -> where(y > 2 and abs(x) > 2, abs(x) - y + (log1p(exp(-2*abs(x))) - log1p(-exp(-2*y))), self)
log of squared sinh:    log(sinh(x)^2) -> where(abs(x) < 20, self, 2*(abs(x) + log1p(-exp(-2*abs(x))) - log(2)))
log of squared gamma:   log(gamma(x)^2) -> where(x > 100, 2*lgamma(x), self)
log of large term:      log(x*(1 + exp(y))) -> where(y < 300, self, log(x) + y)
log of faint sigmoid:   log(x*sigmoid(y)) -> where(y > -300, self, log(x) + y)
log of part of sigmoid: log(c*sigmoid(x)) -> where(x > -300, self, x + log(c)) given c > 0
log of large cosh:      log(x*cosh(y)) -> where(abs(y) < 300, self, log(x) + abs(y) - log(2))
log of part of cosh:    log(c*cosh(x)) -> where(abs(x) < 300, self, abs(x) + log(c/2)) given c > 0
log of large sinh:      log(x*sinh(y)) -> where(abs(y) < 300, self, log(x*sign(y)) + abs(y) - log(2))
log of large gamma:     log(x*gamma(y)) -> where(y < 100, self, log(x) + lgamma(y))
log of faint sech:      log(x*sech2(y)) -> where(abs(y) < 150, self, log(x) - 2*abs(y) + 2*log(2))
log of part of sech:    log(c*sech2(x)) -> where(abs(x) < 150, self, log(4*c) - 2*abs(x)) given c > 0
log of faint erfc:      log(x*erfc(y)) -> where(y < 15, self, log(x) + log(erfcx(y)) - y^2)
asinh:                  log(sqrt(x^2 + 1) + x) -> asinh(x)
asinh of opposite:      log(sqrt(x^2 + 1) - x) -> -asinh(x)
asinh of abs:           log(sqrt(x^2 + 1) + abs(x)) -> asinh(abs(x))
acosh:                  log(sqrt(x^2 - 1) + x) -> acosh(x)
acosh by factors:       log(sqrt(x - 1)*sqrt(x + 1) + x) -> acosh(x)
acosh near one:         acosh(1 + x) -> 2*asinh(sqrt(x/2))
acosh of inverse:       acosh(1/x) -> where(x > 0, asinh(sqrt((1 - x)*(1 + x))/x), self)
atanh:                  log((1 + x)/(1 - x)) -> 2*atanh(x)
atanh by logs:          log1p(x) - log1p(-x) -> 2*atanh(x)
atanh of quotient:      log((x + y)/(x - y)) -> where(2*abs(y) < abs(x), 2*atanh(y/x), self)
inverse Gudermannian:   log(tan(x + pi/4)) -> 2*atanh(tan(x))
pseudorapidity:         log(tan(atan2(y, x)/2)) -> where(y > 0, -asinh(x/y), self)
power of shifted tan:   tan(x + pi/4)^y -> where(tan(x + pi/4) > 0, exp(2*y*atanh(tan(x))), self)
log of near quotient:   log(x/y) -> where(x/y > 1/2, log1p((x - y)/y), self) given shared(x, y) > 0
log1p:                  log(1 + x) -> log1p(x)
log to a base near one: log(1 + x, y) -> log1p(x)/log(y)
log2 near one:          log2(1 + x) -> log1p(x)/log(2)
log10 near one:         log10(1 + x) -> log1p(x)/log(10)
log of quotient:        log(x/y) -> where(x/y > 1/2 and x/y < 2, log1p((x - y)/y), self) given alone > 0
log of tan:             log(tan(x)) -> where(tan(x) > 1/2 and tan(x) < 2, -atanh(cos(2*x)), self)
log of inverse:         log(1/x) -> -log(x)
log of tanh:            log(tanh(x)) -> where(x > 1/2, log1p(-2*sigmoid(-2*x)), self)
log of gamma:           log(gamma(x)) -> where(x > 0, lgamma(x), self)
log of beta:            log(beta(x, y)) -> lbeta(x, y)
log of root:            log(sqrt(x)) -> log(x)/2
log of square:          log(x^2) -> 2*log(abs(x))
log of near length:     log(x^2 + y^2) -> where(abs((x - 1)*(x + 1) + y^2) < 1/2, log1p(fma2(x - 1, x + 1, y, y, 0)), self) given shared(x, 1) > 0
log of near hypot:      log(hypot(x, y)) -> where(abs((x - 1)*(x + 1) + y^2) < 1/2, log1p(fma2(x - 1, x + 1, y, y, 0))/2, self) given shared(x, 1) > 0
log of square length:   log(x^2 + y^2) -> where(abs(x^2 + y^2 - 1) < 1/2, log1p(fma2(x, x, y, y, -1)), self) given alone > 0
log of length:          log(hypot(x, y)) -> where(abs(x^2 + y^2 - 1) < 1/2, log1p(fma2(x, x, y, y, -1))/2, self) given length(x) < 1 and length(y) < 1 and alone > 0
log of power:           log(x^y) -> where(x > 0, y*log(x), self)
near logs and one:      log(x) - log(y) - x/y + 1 -> where(y > 0 and 2*abs(x - y) < y, log1pmx((x - y)/y), self)
near logs:              log(x) - log(y) -> where(y > 0 and 2*x > y, log1p((x - y)/y), self) given shared(x, y) > 0
near shifted logs:      log1p(x) - log1p(y) -> where(y > -1 and 2*x + 1 > y, log1p((x - y)/(1 + y)), self) given shared(x, y) > 0
near mixed logs:        log1p(x) - log(y) -> where(y > 0 and 2*x + 2 > y, log1p((1 + x - y)/y), self) given shared(1 + x, y) > 0
near weighted logs:     v*log1p(x) - w*log(y) -> where(y > 0 and 2*x + 2 > y, (v - w)*log1p(x) + w*log1p((1 + x - y)/y), self) given shared(v, w) > 0 and shared(1 + x, y) > 0
logs:                   log(x) - log(y) -> where(x/y > 1/2 and x/y < 2, log1p((x - y)/y), log(x/y)) given x > 0 and y > 0
logs of any sign:       log(x) - log(y) -> where(y > 0, where(x/y > 1/2 and x/y < 2, log1p((x - y)/y), log(x/y)), self)
near binary logs:      log2(x) - log2(y) -> where(y > 0 and 2*x > y, log1p((x - y)/y)/log(2), self) given shared(x, y) > 0
near decimal logs:     log10(x) - log10(y) -> where(y > 0 and 2*x > y, log1p((x - y)/y)/log(10), self) given shared(x, y) > 0
shifted logs:           log1p(x) - log1p(y) -> where(y > -1 and 8*abs(x - y) < 1 + y, log1p((x - y)/(1 + y)), self)

log1pmx:                log1p(x) - x -> log1pmx(x)
growth:                 y*log1p(x/y) -> loggrowth(x, y)
growth less its limit:  loggrowth(x, y) - x -> where(abs(x) < abs(y), y*log1pmx(x/y), self)
growth of a number:     y*log1p(c/y) -> loggrowth(c, y)
shrinkage:              y*log(y/x) -> where(x/y > 1/2, -loggrowth(x - y, y), self) given shared(x, y) > 0
growth by a quotient:   y*log(x/y) -> where(x/y > 1/2, loggrowth(x - y, y), self) given shared(x, y) > 0
growth by logs:         y*(log(x) - log(y)) -> where(y > 0 and 2*x > y, loggrowth(x - y, y), self) given shared(x, y) > 0
power of shrinkage:     (y/x)^y -> where(x/y > 1/2, exp(-loggrowth(x - y, y)), self) given shared(x, y) > 0
entropy of a share:     z*log(z) - x*log(x) - y*log(y) -> where(x > 0 and y > 0, loggrowth(y, x) + loggrowth(x, y), self) given z == x + y
entropy of a sigmoid:   sigmoid(x)*softplus(-x) + sigmoid(-x)*softplus(x) -> where(x >= 0, softplus(-x) + x*sigmoid(-x), softplus(x) - x*sigmoid(x))
capacity:               1 + x*log2(x) + z*log2(z) -> where(4*abs(x - z) < 1, -(x*log1pmx((1/2 - x)/x) + z*log1pmx((1/2 - z)/z))/log(2), self) given x + z == 1
entropy of two less:    log(2) + x*log(x) + z*log(z) -> where(4*abs(x - z) < 1, -(x*log1pmx((1/2 - x)/x) + z*log1pmx((1/2 - z)/z)), self) given x + z == 1
entropy near a half:    x*log(x) + y*log(y) -> where(2*abs(x - y) < 1, (x - y)*atanh(x - y) + log(x*y)/2, self) given x + y == 1
divergence:             x*log(x/y) + z*log(z/w) -> where(x > 0 and z > 0, where(2*abs(x - y) < x, -(x*log1pmx((y - x)/x)), x*log(x/y) - (x - y)) + where(2*abs(z - w) < z, -(z*log1pmx((w - z)/z)), z*log(z/w) - (z - w)), self) given x + z == y + w
divergence of counts:   x*log(x/y) - z*log(z/w) -> where(x > 0 and 2*abs(x - y) < z, where(2*abs(x - y) < x, -(x*log1pmx((y - x)/x)), x*log(x/y) - (x - y)) + z*log1pmx((w - z)/z), self) given x - z == y - w
deviance:               x*log(x/y) - x + y -> where(2*abs(x - y) < x, -(x*log1pmx((y - x)/x)), self)
divergence of normals:  log(y/x) + (x^2 + z)/(2*y^2) - 1/2 -> where(2*abs(x - y) < abs(y), z/(2*y^2) - log1pmx((x - y)*(x + y)/y^2)/2, self)
near log and one:       log(x/y) - x/y + 1 -> where(2*abs(x - y) < abs(y), log1pmx((x - y)/y), self)

# ---- odd functions written with abs
sign:                   x/abs(x) -> sign(x)
larger of opposites:    max(x, -x) -> abs(x)
smaller of opposites:   min(x, -x) -> -abs(x)
odd asinh:              asinh(abs(x))*where(x < 0, -1, 1) -> asinh(x)
odd asinh by sign:      asinh(abs(x))*sign(x) -> asinh(x)
odd asinh by copysign:  copysign(asinh(abs(x)), x) -> asinh(x)

# ---- roots and powers
half power:             x^0.5 -> sqrt(x)
near roots:             sqrt(x) - sqrt(y) -> (x - y)/(sqrt(x) + sqrt(y)) given shared(x, y) > 0
roots:                  sqrt(x) - sqrt(y) -> where(y/2 < x and x < 2*y, (x - y)/(sqrt(x) + sqrt(y)), self) given alone > 0
affinity:               1 - sqrt(x*y) - sqrt(z*w) -> where(x > 0 and y > 0 and z > 0 and w > 0, (x - y)^2/2*(1/(sqrt(x) + sqrt(y))^2 + 1/(sqrt(z) + sqrt(w))^2), self) given x + z == 1 and y + w == 1
log of affinity:        log(sqrt(x*y) + sqrt(z*w)) -> where(x > 0 and y > 0 and z > 0 and w > 0, log1p(-((x - y)^2/2*(1/(sqrt(x) + sqrt(y))^2 + 1/(sqrt(z) + sqrt(w))^2))), self) given x + z == 1 and y + w == 1
root of near square:    sqrt(x^2 + c*w*x) - x -> where(x > 0 and c*w < x, c*w/(1 + sqrt(1 + c*w/x)), self)
conjugate:              sqrt(y) - x -> where(x > 0, (y - x^2)/(sqrt(y) + x), same) given shared(y, x^2) > 0
conjugate of exp:       sqrt(exp(2*x) + y) - exp(x) -> y/(sqrt(exp(2*x) + y) + exp(x))
conjugate of abs:       sqrt(y) - abs(x) -> where(y > 0, (y - x^2)/(sqrt(y) + abs(x)), self) given shared(y, x^2) > 0
share of root:          1 - x/sqrt(y) -> where(x > 0 and y < 2*x^2, (y - x^2)/(sqrt(y)*(sqrt(y) + x)), same) given shared(y, x^2) > 0
near cube roots:        cbrt(x) - cbrt(y) -> (x - y)/(cbrt(x)^2 + cbrt(x)*cbrt(y) + cbrt(y)^2) given shared(x, y) > 0
cube roots:             cbrt(x) - cbrt(y) -> where(2*abs(x - y) < abs(x), (x - y)/(cbrt(x)^2 + cbrt(x)*cbrt(y) + cbrt(y)^2), self) given alone > 0
one less tail power:    1 - (-expm1(x))^y -> where(x < -1, -expm1(y*log1p(-exp(x))), self) given number(y) == 0
power less one over it: (x^y - 1)/x^y -> where(x > 0 and y*log(x) > -1, -expm1(-(y*log(x))), self) given number(y) == 0
power over it less one: x^y/(x^y - 1) -> where(x > 0 and y*log(x) > -1, -(1/expm1(-(y*log(x)))), self) given number(y) == 0
power less one:         x^y - 1 -> where(x > 0, expm1(y*log1p(x - 1)), self) given shared(x, 1) > 0
power and one:          x^y - 1 -> where(x > 0 and (y*log(x))^2 < 1, expm1(y*log(x)), self)
near powers:            x^p - y^p -> where(x < 2*y and y < 2*x, y^p*expm1(p*log1p((x - y)/y)), self) given shared(x, y) > 0
powers:                 x^z - y^z -> where(x > 0 and y > 0 and 8*abs(x - y) < y, y^z*expm1(z*log1p((x - y)/y)), where(x > 0 and y > 0 and (z*(log(x) - log(y)))^2 < 1, y^z*expm1(z*(log(x) - log(y))), self)) given number(z) == 0
powers of one base:     x^y - x^z -> where(x > 0 and ((y - z)*log(x))^2 < 1, x^z*expm1((y - z)*log(x)), self) given number(y) == 0
power of exp tail:      (-expm1(x))^y -> where(x < -1, exp(y*log1p(-exp(x))), self) given number(y) == 0
power of near one:      x^y -> where(x > 1/2 and x < 2, exp(y*log1p(x - 1)), self) given shared(x, 1) > 0 and number(y) == 0
power of sigmoid:       sigmoid(x)^y -> exp(-(y*softplus(-x))) given number(y) == 0
discriminant:           x^2 - 4*y*z -> where(y*z > 0, (y - z)^2 + (x - y - z)*(x + y + z), self) given shared(x, y) > 0 and shared(x, z) > 0
near squares:           x^2 - y^2 -> (x - y)*(x + y) given shared(x, y) > 0
near square and one:    x^2 - 1 -> (x - 1)*(x + 1) given shared(x, 1) > 0
near cubes:             x^3 - y^3 -> where(abs(x - y) < abs(x)/2, (x - y)*(x^2 + x*y + y^2), self) given shared(x, y) > 0
near cube and one:      x^3 - 1 -> (x - 1)*(x^2 + x + 1) given shared(x, 1) > 0
near inverse roots:     1/sqrt(x) - 1/sqrt(y) -> where(x < 4*y and y < 4*x, (y - x)/(sqrt(x)*sqrt(y)*(sqrt(x) + sqrt(y))), self) given shared(x, y) > 0
near inverse root:      1/sqrt(x) - 1 -> (1 - x)/(sqrt(x)*(1 + sqrt(x))) given shared(x, 1) > 0
root of exponential:    sqrt(exp(x)) -> exp(x/2)
power of exponential:   exp(x)^y -> exp(x*y)
power of e:             e^x -> exp(x)
near inverses:          1/x - 1/y -> (y - x)/(x*y) given shared(x, y) > 0
inverses:               1/x - 1/y -> where(2*abs(x - y) < abs(x), (y - x)/(x*y), self) given plain(x) > 0 and plain(y) > 0 and alone > 0
inverse of inverses:    1/(1/x + 1/y) -> where(abs(x) < abs(y), x*(y/(x + y)), y*(x/(x + y)))
signed cube root:       sign(x)*cbrt(abs(x)) -> cbrt(x)
signed root:            sign(x)*sqrt(abs(x)) -> x/sqrt(abs(x))
signed power:           sign(x)*abs(x)^c -> where(abs(x) > 0, self, x*abs(x)^(c - 1)) given c > 0 and 1 - c > 0
square of root:         sqrt(x)^2 -> x given x >= 0
square of any root:     sqrt(x)^2 -> where(x >= 0, x, self)
root of square:         sqrt(x^2) -> abs(x)
norm:                   sqrt(every(x^2)) -> hypot(each(x))
norm less abs:          hypot(x, y) - abs(x) -> where(x == 0, self, y*(y/(hypot(x, y) + abs(x))))
norm less leg:          hypot(x, y) - x -> where(x > 0, y*(y/(hypot(x, y) + x)), same)
norm and leg:           hypot(x, y) + x -> where(x < 0, y*(y/(hypot(x, y) - x)), same)
share of leg:           1 - x/hypot(x, y) -> where(x > abs(y), y/hypot(x, y)*(y/(hypot(x, y) + x)), same)
less cosine of vectors: 1 - (x*u + y*v)/(hypot(x, y)*hypot(u, v)) -> where(x*u + y*v > 0, 2*sin(turn(x, y, u, v)/2)^2, self)
less cosine in space:   1 - (x*u + y*v + z*w)/(hypot(x, y, z)*hypot(u, v, w)) -> where(x*u + y*v + z*w > 0.999999*hypot(x, y, z)*hypot(u, v, w), hypot(fma2(x, v, -y, u, 0), fma2(y, w, -z, v, 0), fma2(z, u, -x, w, 0))/(hypot(x, y, z)*hypot(u, v, w))*(hypot(fma2(x, v, -y, u, 0), fma2(y, w, -z, v, 0), fma2(z, u, -x, w, 0))/(hypot(x, y, z)*hypot(u, v, w) + x*u + y*v + z*w)), self)
one and share of leg:   1 + x/hypot(x, y) -> where(x < -abs(y), y/hypot(x, y)*(y/(hypot(x, y) - x)), same)
near norms:             hypot(x, y) - hypot(x, z) -> where(abs(y) < 2*abs(z) and abs(z) < 2*abs(y), (y - z)*((y + z)/(hypot(x, y) + hypot(x, z))), where(x == 0, self, y*(y/(hypot(x, y) + hypot(x, z))) - z*(z/(hypot(x, y) + hypot(x, z)))))

# ---- trigonometric
versine:                1 - cos(x) -> 2*sin(x/2)^2
one and cosine:         1 + cos(x) -> 2*cos(x/2)^2
one less sine:          1 - sin(x) -> where(sin(x) > 1/2, cos(x)^2/(1 + abs(sin(x))), self)
one and sine:           1 + sin(x) -> where(sin(x) < -1/2, cos(x)^2/(1 + abs(sin(x))), self)
difference in radians:  radians(x) - radians(y) -> radians(x - y)
difference in degrees:  degrees(x) - degrees(y) -> degrees(x - y)
haversine to antipode:  1 - cos(x)*cos(y)*sin(z)^2 - sin(x/2 - y/2)^2 -> cos(x)*cos(y)*cos(z)^2 + sin((x + y)/2)^2
sine square:            1 - cos(x)^2 -> sin(x)^2
cosine square:          1 - sin(x)^2 -> cos(x)^2
symmetric sines:        sin(x) - sin(y) -> 2*cos((x + y)/2)*sin((x - y)/2) given shared(x, y) > 0 and shared(x, 0 - y) > 0
symmetric cosines:      cos(x) - cos(y) -> -2*sin((x + y)/2)*sin((x - y)/2) given shared(x, y) > 0 and shared(x, 0 - y) > 0
sum of sines:           sin(x) + sin(y) -> 2*sin((x + y)/2)*cos((x - y)/2) given shared(x, y) > 0 and shared(x, 0 - y) > 0
sum of cosines:         cos(x) + cos(y) -> 2*cos((x + y)/2)*cos((x - y)/2) given shared(x, y) > 0 and shared(x, 0 - y) > 0
near sines:             sin(x) - sin(y) -> where(abs(x - y) < 1, cos(y)*sin(x - y) - 2*sin(y)*sin((x - y)/2)^2, self) given shared(x, y) > 0
near cosines:           cos(x) - cos(y) -> where(abs(x - y) < 1, -(sin(y)*sin(x - y)) - 2*cos(y)*sin((x - y)/2)^2, self) given shared(x, y) > 0
sines:                  sin(x) - sin(y) -> where(8*abs(x - y) < min(abs(x), 1), cos(y)*sin(x - y) - 2*sin(y)*sin((x - y)/2)^2, self)
cosines:                cos(x) - cos(y) -> where(8*abs(x - y) < min(abs(x), 1), -(sin(y)*sin(x - y)) - 2*cos(y)*sin((x - y)/2)^2, where(8*abs(x + y) < min(abs(x), 1), sin(y)*sin(x + y) - 2*cos(y)*sin((x + y)/2)^2, where(x^2 + y^2 < 1, 2*sin(y/2)^2 - 2*sin(x/2)^2, self)))
near tangents:          tan(x) - tan(y) -> where(abs(x - y) < 1, sin(x - y)/(cos(x)*cos(y)), self) given shared(x, y) > 0
near arctangents:       atan(x) - atan(y) -> where(x*y > -1 and 2*abs(x - y) < 1 + abs(x), atan((x - y)/(1 + x*y)), self) given shared(x, y) > 0
arctangents:            atan(x) - atan(y) -> where(x*y > 0, where(x*y < 1e300, atan((x - y)/(1 + x*y)), atan((x - y)/x/y)), self) given alone > 0
near angles:            atan2(y, x) - atan2(v, u) -> where(y > 0 and v > 0, atan2(y*u - v*x, x*u + y*v), self) given shared(y*u, v*x) > 0
cosine of arccosine:    cos(acos(x)) -> where(abs(x) <= 1, x, self)
shifted arccosine:      cos(acos(x) + y) -> x*cos(y) - sqrt((1 - x)*(1 + x))*sin(y)
shifted arcsine:        sin(asin(x) + y) -> x*cos(y) + sqrt((1 - x)*(1 + x))*sin(y)
sine of acos and more:  sin(acos(x) + y) -> sqrt((1 - x)*(1 + x))*cos(y) + x*sin(y)
cosine of asin and more: cos(asin(x) + y) -> sqrt((1 - x)*(1 + x))*cos(y) - x*sin(y)
less arccosine:         cos(y - acos(x)) -> x*cos(y) + sqrt((1 - x)*(1 + x))*sin(y)
less arcsine:           sin(y - asin(x)) -> sqrt((1 - x)*(1 + x))*sin(y) - x*cos(y)
sine less acos:         sin(y - acos(x)) -> x*sin(y) - sqrt((1 - x)*(1 + x))*cos(y)
cosine less asin:       cos(y - asin(x)) -> sqrt((1 - x)*(1 + x))*cos(y) + x*sin(y)
sine of arcsine:        sin(asin(x)) -> where(abs(x) <= 1, x, self)
tangent of arctangent:  tan(atan(x)) -> x
tangent of arcsine:     tan(asin(x)) -> x/sqrt((1 - x)*(1 + x))
tangent of arccosine:   tan(acos(x)) -> sqrt((1 - x)*(1 + x))/x
cosine of arctangent:   cos(atan(x)) -> 1/hypot(1, x)
sine of arctangent:     sin(atan(x)) -> x/hypot(1, x)
sine a quarter on:      sin(x + pi/2) -> cos(x)
sine a quarter back:    sin(x - pi/2) -> -cos(x)
sine a half on:         sin(x + pi) -> -sin(x)
cosine a quarter on:    cos(x + pi/2) -> -sin(x)
cosine a quarter back:  cos(x - pi/2) -> sin(x)
cosine a half on:       cos(x + pi) -> -cos(x)
tangent a quarter on:   tan(x + pi/2) -> -(1/tan(x))
tangent a quarter back: tan(x - pi/2) -> -(1/tan(x))
tangent a half on:      tan(x + pi) -> tan(x)
arccosine:              pi/2 - asin(x) -> acos(x)
arcsine:                pi/2 - acos(x) -> asin(x)
arcsine by half:        pi/2 - 2*asin(sqrt(x)) -> asin(1 - 2*x) given shared(2*x, 1) > 0
arccotangent:           pi/2 - atan(x) -> atan2(1, x)
Cauchy:                 1/2 + atan(x)/pi -> atan2(1, -x)/pi
angle over leg:         atan2(y, x)/y -> where(x > abs(y), atan(y/x)/y, self)
arccosine near one:     acos(1 - x) -> 2*asin(sqrt(x/2))
angle of vectors:       acos((x*u + y*v)/(hypot(x, y)*hypot(u, v))) -> abs(turn(x, y, u, v))
turn of vectors:        atan2(x*v - y*u, x*u + y*v) -> where(hypot(x, y) > 0 and hypot(u, v) > 0, turn(x, y, u, v), self)
arccosine of quotient:  acos(x/y) -> where(y > 0 and 2*abs(x) > y, 2*atan2(sqrt(y - x), sqrt(y + x)), self) given shared(x, y) > 0
arcsine of quotient:    asin(x/y) -> where(y > 0 and 2*abs(x) > y, atan2(x, sqrt((y - x)*(y + x))), self) given shared(x, y) > 0
law of cosines:         acos((x^2 + y^2 - z^2)/(2*x*y)) -> where(x*y > 0, 2*asin(sqrt((z - (x - y))*(z + (x - y))/(4*x*y))), self)
angle of the elbow:     acos((x^2 + y^2 - z^2 - w^2)/(2*z*w)) -> where(z*w > 0, 2*atan2(sqrt((z + w - hypot(x, y))*(z + w + hypot(x, y))), sqrt((hypot(x, y) - (z - w))*(hypot(x, y) + (z - w)))), self)
third side:             x^2 + y^2 - 2*x*y*cos(z) -> where(x*y > 0, (x - y)^2 + 4*x*y*sin(z/2)^2, (x + y)^2 - 4*x*y*cos(z/2)^2)
third side of one:      1 + x^2 - 2*x*cos(y) -> where(x > 0, (x - 1)^2 + 4*x*sin(y/2)^2, (x + 1)^2 - 4*x*cos(y/2)^2)
spherical cosines:      acos(sin(x)*sin(y) + cos(x)*cos(y)*cos(z)) -> where(sin(x)*sin(y) + cos(x)*cos(y)*cos(z) > 1/2, 2*asin(sqrt(sin((x - y)/2)^2 + cos(x)*cos(y)*sin(z/2)^2)), where(sin(x)*sin(y) + cos(x)*cos(y)*cos(z) < -1/2, pi - 2*asin(sqrt(sin((x + y)/2)^2 + cos(x)*cos(y)*cos(z/2)^2)), self))
polar cosines:          acos(cos(x)*cos(y) + sin(x)*sin(y)*cos(z)) -> where(cos(x)*cos(y) + sin(x)*sin(y)*cos(z) > 1/2, 2*asin(sqrt(sin((x - y)/2)^2 + sin(x)*sin(y)*sin(z/2)^2)), where(cos(x)*cos(y) + sin(x)*sin(y)*cos(z) < -1/2, pi - 2*asin(sqrt(cos((x + y)/2)^2 + sin(x)*sin(y)*cos(z/2)^2)), self))

# ---- inverse hyperbolic
inverse of tanh:        atanh(tanh(x)) -> x
inverse of sinh:        asinh(sinh(x)) -> x
inverse of cosh:        acosh(cosh(x)) -> abs(x)
sinh of inverse:        sinh(asinh(x)) -> x
cosh of inverse sinh:   cosh(asinh(x)) -> hypot(1, x)
tanh of inverse sinh:   tanh(asinh(x)) -> x/hypot(1, x)
tanh of inverse:        tanh(atanh(x)) -> where(abs(x) < 1, x, self)

# ---- error functions and densities
erfc:                   1 - erf(x) -> erfc(x)
erfc of opposite:       1 + erf(x) -> erfc(-x)
two less erfc:          2 - erfc(x) -> erfc(-x)
one less erfc:          1 - erfc(x) -> erf(x)
abs less erf:           x*erf(x) - abs(x) -> -(abs(x)*erfc(abs(x)))
near erfs:              erf(x) - erf(y) -> where(abs(x - y)*(1 + abs(x)) < near(1e-4), 2/sqrt(pi)*(x - y)*gauss((x + y)/2)*(1 + (x - y)^2*((x + y)^2 - 2)/24), where(x > 0.5 and y > 0.5, erfc(y) - erfc(x), where(x < -0.5 and y < -0.5, erfc(-x) - erfc(-y), self)))
erfcx:                  erfc(x)*exp(x^2) -> erfcx(x)
inverse erfcx:          1/erfc(x)*exp(-(x^2)) -> where(x > 0, 1/erfcx(x), self)
log of normcdf:         log(normcdf(x)) -> where(x > 1, log1p(-normcdf(-x)), where(x < -5, log(erfcx(-x/sqrt(2))/2) - x^2/2, self))
log of faint normcdf:   log(x*normcdf(y)) -> where(y > -20, self, log(x) + log(erfcx(-y/sqrt(2))/2) - y^2/2)
log of part of normcdf: log(c*normcdf(x)) -> where(x > -20, self, log(c*erfcx(-x/sqrt(2))/2) - x^2/2) given c > 0
inverse Mills ratio:    normpdf(x)/normcdf(x) -> where(x < -5, sqrt(2/pi)/erfcx(-x/sqrt(2)), self)
Mills ratio above:      normpdf(x)/normcdf(-x) -> where(x > 5, sqrt(2/pi)/erfcx(x/sqrt(2)), self)
near normcdfs:          normcdf(x) - normcdf(y) -> where(abs(x - y)*(1 + abs(x)) < near(1e-4), (x - y)*normpdf((x + y)/2)*(1 + (x - y)^2*((x + y)^2 - 4)/96), where(x > 0 and y > 0, normcdf(-y) - normcdf(-x), self))
log of normcdfs:        log(normcdf(x) - normcdf(y)) -> where(abs(x - y)*(1 + abs(x)) < near(1e-4), log((x - y)*(1 + (x - y)^2*((x + y)^2 - 4)/96)/sqrt(2*pi)) - (x + y)^2/8, where(y > 5, log((erfcx(y/sqrt(2)) - erfcx(x/sqrt(2))*exp((y - x)*(y + x)/2))/2) - y^2/2, where(x < -5, log((erfcx(-x/sqrt(2)) - erfcx(-y/sqrt(2))*exp((x - y)*(x + y)/2))/2) - x^2/2, log(where(x > 0 and y > 0, normcdf(-y) - normcdf(-x), normcdf(x) - normcdf(y))))))
one less normcdf:       1 - normcdf(x) -> normcdf(-x)
log-density:            log(normpdf(x)) -> -(x^2/2) - log(2*pi)/2

# ---- gamma functions
beta:                   gamma(x)*gamma(y)/gamma(z) -> where(x > 0 and y > 0, beta(x, y), self) given z == x + y
inverse beta:           gamma(z)/(gamma(x)*gamma(y)) -> where(x > 0 and y > 0, 1/beta(x, y), self) given z == x + y
binomial by gammas:     gamma(z)/(gamma(x)*gamma(y)) -> where(x > 0 and y > 0 and z > 0, 1/(z*beta(x, y)), self) given z + 1 == x + y
power over gamma:       exp(x)*y^w/gamma(z) -> where(y > 0 and z > 100, exp(x + w*log(y) - lgamma(z)), self)
gamma density:          exp(x)/(y^w*gamma(z)) -> where(y > 0 and z > 100, exp(x - w*log(y) - lgamma(z)), self)
next gamma:             gamma(x)/gamma(y) -> y given x == y + 1
previous gamma:         gamma(x)/gamma(y) -> 1/x given y == x + 1
near ratio of gammas:   gamma(x)/gamma(y) -> where(y > 20, gamma(x - y)/beta(y, x - y), self) given x - y > 0
ratio of near gammas:   gamma(x)/gamma(y) -> where(x > 20, beta(x, y - x)/gamma(y - x), self) given y - x > 0
ratio of close gammas:  gamma(x)/gamma(y) -> where(y > 0 and x >= y and x < 1.1*y, exp(-lgamma_gap(y, x - y)), where(x > 0 and y > x and y < 1.1*x, exp(lgamma_gap(x, y - x)), where(x > 0 and y > 0 and max(x, y) > 100, exp(lgamma(x) - lgamma(y)), self))) given shared(x, y) > 0
ratio of gammas:        gamma(x)/gamma(y) -> where(x > 0 and y > 0 and max(x, y) > 100, exp(lgamma(x) - lgamma(y)), self)
lbeta with one:         lbeta(x, 1) -> -log(x)
lbeta:                  lgamma(x) + lgamma(y) - lgamma(z) -> where(x > 0 and y > 0, lbeta(x, y), self) given z == x + y
binomial:               lgamma(x) + lgamma(y) - lgamma(z) -> where(x > 0 and y > 0 and z > 0, lbeta(x, y) + log(z), self) given z + 1 == x + y
next lgamma:            lgamma(x) - lgamma(y) -> where(y > 0, log(y), self) given x == y + 1
later lgamma:           lgamma(x) - lgamma(y) -> where(y > 0, lgamma(x - y) - lbeta(y, x - y), self) given x - y > 0.1
near lgammas:           lgamma(x) - lgamma(y) -> where(y > 0 and x >= y and x < 1.1*y, -lgamma_gap(y, x - y), where(x > 0 and y > x and y < 1.1*x, lgamma_gap(x, y - x), self)) given shared(x, y) > 0
lgamma at its pole:     lgamma(x) + log(x) -> where(x > 0, lgamma(1 + x), self)
digamma less log:       digamma(x) - log(x) -> where(x > 0 and 1/x < near(0.05), -(1/2/x) - (1 - (1 - 10*(1 - 21*(1 - 20*(1 - 7601*(1 - 2730/691/x^2)/2730/x^2)/11/x^2)/20/x^2)/21/x^2)/10/x^2)/12/x^2, self)
next digamma less log:  digamma(1 + x) - log(x) -> where(x > 0 and 1/x < near(0.05), 1/2/x - (1 - (1 - 10*(1 - 21*(1 - 20*(1 - 7601*(1 - 2730/691/x^2)/2730/x^2)/11/x^2)/20/x^2)/21/x^2)/10/x^2)/12/x^2, self)
digamma at its pole:    digamma(x) + 1/x -> digamma(1 + x)
digamma and its pole:   x*digamma(x) -> where(abs(x) < 1/2, x*digamma(1 + x) - 1, self)
near digammas:          digamma(x) - digamma(y) -> where(y > 0 and x >= y, -polygamma_gap(0, y, x - y), where(x > 0 and y > x, polygamma_gap(0, x, y - x), self)) given shared(x, y) > 0
"""


@dataclass(frozen=True)
class Text:
    """An expression of the language, or a condition; it is read when it is needed."""

    source: str
    is_condition: bool = False

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """What it says row by row, the last one its root."""
        # The language has conditions only as a part of `where`.
        text = f"where({self.source}, 1, 0)" if self.is_condition else self.source
        syntax = parse(Source(text, "<identity book>"))
        (statement,) = syntax.statements
        assert isinstance(statement, Result)
        end = statement.value + (-2 if self.is_condition else 1)
        return tuple(syntax.rows[:end])


@dataclass(frozen=True)
class Rule:
    """A line of the book, read."""

    name: str
    place: int  # in the book
    pattern: Text
    replacement: Text
    given: Text | None
    wanted: Pattern  # the pattern as the matcher reads it

    @cached_property
    def branches(self) -> bool:
        """Whether the replacement decides between forms."""
        return any(row.op == "where" for row in self.replacement.rows)

    @cached_property
    def asks_as_written(self) -> bool:
        """Whether it describes sums as they were written.

        That is with an equation, or with logarithms that have rules of their own.
        """
        if self.given and any(row.op == "eq" for row in self.given.rows):
            return True
        rows, head = self.pattern.rows, self.head[0]
        return head == "sum" and any(
            row.payload in ("log2", "log10")
            or (row.payload == "log" and rows[row.args[0]].op == "div")
            for row in rows
        )

    @cached_property
    def takes_anything(self) -> bool:
        """Whether the pattern is a call that no other call stands in."""
        base = self.wanted.only
        return isinstance(base, Call) and not any(arg.calls for arg in base.args)

    @property
    def head(self) -> Head:
        """Where to look for the rule: sum, product or call, and a base that it needs."""
        base = self.wanted.only
        if isinstance(base, Call):
            return "call", base.op
        kind = "product" if len(self.wanted.parts) == 1 else "sum"
        first = self.wanted.parts[0].factors[0]
        if isinstance(first.base, Call):
            return kind, first.base.op
        inverse = isinstance(first.base, Variable) and first.exponent < 0
        return kind, "inverse" if inverse else "sum"


def rules(book: str = BOOK) -> Iterator[Rule]:
    """Read a book, line by line."""
    for place, line in _lines(book):
        yield _rule(place, line)


def _lines(book: str) -> Iterator[tuple[int, str]]:
    for place, line in enumerate(book.strip().splitlines()):
        if line and not line.startswith("#"):
            yield place, line


def _rule(place: int, line: str) -> Rule:
    match = _LINE.match(line)
    assert match, f"no rule: {line!r}"
    name, written, replacement, given = match.groups()
    text = Text(written.strip())
    condition = Text(given, is_condition=True) if given else None
    wanted = pattern(text.rows, _names())
    return Rule(name, place, text, Text(replacement), condition, wanted)


@lru_cache(maxsize=None)
def _names() -> Mapping[str, str]:
    """The operation that each name of the language calls."""
    names = {name: row.name for row in OPS for name in (row.called, *row.also)}
    several = {
        f"{row.called}/{len(row.params)}": row.name
        for row in OPS
        if row.called != row.name
    }
    return {**names, **several, **{row.name: row.name for row in OPS}}


class Index(dict[Head, tuple[Rule, ...]]):
    """The rules by their heads, in the order of the book.

    A rule is read when all operations that its pattern calls have been met, for it
    matches nothing before; until then it waits for one of them. One with a call that
    matching takes apart only waits for that, so that all leave the same nodes behind.
    """

    def __init__(self, book: str = BOOK) -> None:
        super().__init__()
        self.met: set[str] = set()  # operations, and their names in the language
        self.waiting: dict[str, list[tuple[int, str]]] = {}
        for place, line in _lines(book):
            self._read(place, line)

    def meet(self, op: str) -> None:
        """Read what waits for an operation."""
        if op in self.met:
            return
        names = {op, OPS[op].called, *OPS[op].also} if op in OPS else {op}
        self.met |= names
        for name in names & self.waiting.keys():
            for place, line in self.waiting.pop(name):
                self._read(place, line)

    def _read(self, place: int, line: str) -> None:
        """Read a rule, unless it has to wait."""
        called = _CALLED.findall(line.partition(" -> ")[0])
        for name in FOLDED.intersection(called) or called:
            if name not in self.met and name != EVERY:
                self.waiting.setdefault(name, []).append((place, line))
                return
        rule = _rule(place, line)
        known = (*self.get(rule.head, ()), rule)
        self[rule.head] = tuple(sorted(known, key=lambda rule: rule.place))


@lru_cache(maxsize=None)
def index() -> Index:
    """The index of the book, which has read what programs have asked for so far."""
    return Index()
