"""Take out of a difference what its terms have in common, if what is left is exact.

    t = exp(-x)                    t = exp(-x)
    u = x*t               -->      u = x*t
    return u, t - u                return u, t*(1 - x)

    3 - 0.75*x            -->      0.75*(4 - x)

Next to x = 1 the terms of t - u cancel, and it keeps the rounding errors of both. The
difference of two inputs, or of one and a number, is rounded once and loses nothing, so
that it need not be tested (`tested`), which is more work than one multiplication. Left
are differences that cannot be 0 in the domains of the inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import starmap
from math import frexp

from gradc.analysis.forms import NUMBER, SUMS, Form, Forms, Powers, added, times
from gradc.analysis.intervals import Intervals
from gradc.ir import Builder, Program, arguments, compact
from gradc.passes.stabilise import roots

MOST = 2_000  # nodes above which differences of derivatives are not tested
SIMPLE = 2.0**20  # times which a number of few digits is an integer
MORE = 4  # nodes for which there is less to test


def exact(program: Program) -> Program:
    """Return a program of which more differences are those of inputs."""
    if len(program.nodes) > MOST or SUMS.isdisjoint(program.operations):
        return program
    builder = Builder.upon(program)
    taken = _Taken(builder, program)
    new = list(range(len(program.nodes)))
    for i, node in enumerate(program.nodes):
        builder.span = program.spans[i]
        args = [new[a] for a in arguments(node)]
        if args != list(arguments(node)):
            new[i] = builder.add(node[0], *args)
        if node[0] in SUMS:
            new[i] = taken.out_of(new[i])
        if new[i] != i:
            builder.label(new[i], program.spans[i])
            if i in program.hints:
                builder.hints.setdefault(new[i], program.hints[i])
    if all(i == j for i, j in enumerate(new)):
        return program
    return compact(builder.follow(program, [new[i] for i in program.outputs]))


class _Taken:
    def __init__(self, builder: Builder, program: Program) -> None:
        self.builder = builder
        self.forms = Forms(builder, roots(program)[1])
        self.intervals = Intervals(builder, program.inputs)

    def out_of(self, i: int) -> int:
        """A difference as a product with an exact one; itself if there is none."""
        builder = self.builder
        op, *args = builder.nodes[i]
        (c, first), (d, second) = map(self.forms.factors, args)
        common = _lowest(first, second)
        if not c or not d:
            return i
        left = times(first, common, -1), times(second, common, -1)
        d = d if op == "add" else -d
        scales = (abs(c), 1.0, abs(d)) if common else (1.0, abs(c), abs(d))
        scale, form = self._exact(*left, c, d, scales)
        if not form or (not common and scale == 1.0):
            return i
        count = len(builder.nodes)
        difference = self.forms.node(form)
        low, high = self.intervals.of(difference)
        found = self._product(args, left, scale, common, difference)
        more = sum(node[0] != "const" for node in builder.nodes[count:])
        return found if low <= 0.0 <= high and more <= MORE else i

    def _exact(
        self,
        first: Powers,
        second: Powers,
        c: float,
        d: float,
        scales: Sequence[float],
    ) -> tuple[float, Form]:
        """`c*first + d*second` as a number times the difference of two inputs.

        One of them may be a number, and either be multiplied by a power of two. The
        first of some scales is taken by which it is.
        """
        forms = [self._inside(powers) for powers in (first, second)]
        if not all(forms) or first == second:
            return 1.0, {}
        for scale in scales:
            found = added(
                {p: k * c / scale for p, k in forms[0].items()}, forms[1], d / scale
            )
            if len(found) == 2 and all(starmap(self._is_exact, found.items())):
                return scale, found
        return 1.0, {}

    def _inside(self, powers: Powers) -> Form:
        """A product of nothing or a single factor as a sum; no terms of any other."""
        if len(powers) > 1 or (powers and powers[0][1] != 1):
            return {}
        return self.forms.of(powers[0][0]) if powers else {NUMBER: 1.0}

    def _is_exact(self, powers: Powers, coefficient: float) -> bool:
        """Whether a term is a simple number, or an input times a power of two."""
        if powers == NUMBER:
            return (coefficient * SIMPLE).is_integer()
        (base, e), *others = powers
        is_input = e == 1 and self.builder.nodes[base][0] == "input"
        return is_input and not others and frexp(abs(coefficient))[0] == 0.5

    def _product(
        self,
        args: Sequence[int],
        left: Sequence[Powers],
        c: float,
        common: Powers,
        difference: int,
    ) -> int:
        """A difference times what its terms have in common, which may be one of them."""
        for a, rest in zip(args, left):
            is_term = self.builder.nodes[a][0] != "div" or len(common) > 1
            if rest == NUMBER and is_term and self.forms.factors(a)[0] == c:
                return self.builder.add("mul", a, difference)
        return self.forms.product(c, times(common, ((difference, 1),)))


def _lowest(first: Powers, second: Powers) -> Powers:
    """The product by which two are multiplied out, of inputs and numbers at the best."""
    one, other = dict(first), dict(second)
    bases = sorted({**one, **other})
    found = ((b, min(one.get(b, 0), other.get(b, 0))) for b in bases)
    return tuple((b, e) for b, e in found if e)
