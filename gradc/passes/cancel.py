"""Cancel in the sums of the gradient what cancels in real arithmetic.

    %5 = div %4 %2                %8 = const 2.0
    %6 = mul %5 %3     -->        %9 = pow %2 %8
    %8 = sub %5 %6                %10 = div %1 %9

The derivative of x/(x + y) by x is 1/(x + y) - x/(x + y)^2, whose terms agree in their
first digits where x is much larger than y, and lose them. Over the common denominator
the numerator is (x + y) - x, in which x meets its opposite, and nothing cancels in what
is left. A sum is written in this way if terms vanish from it, also when a product of
sums is multiplied out, and no more are left than there were. The square of a root is the
sum below it: 1/r - x^2/r^3 with r = sqrt(x^2 + 1) is 1/r^3. The sums of the value have
been through `stabilise`.
"""

from __future__ import annotations

from collections.abc import Sequence

from gradc.analysis.forms import NUMBER, SUMS, Form, Forms, Powers, is_ordinary, meet
from gradc.analysis.forms import multiplied, times
from gradc.ir import Builder, Program, arguments, compact, interned
from gradc.passes.decide import decide
from gradc.passes.factor import Writer
from gradc.passes.stabilise import roots

MOST = 10_000  # nodes above which a program is left as it is
TERMS = 32  # of a sum at the most, also on the way
POWER = 3  # the highest power of a sum that is multiplied out


def cancel(program: Program) -> Program:
    """Return a program of the same real function, with sums that keep more digits."""
    if len(program.nodes) > MOST:
        return program
    program = interned(decide(program))
    builder = Builder.upon(program)
    taken, single = roots(program)
    sums = _Sums(builder, single)
    new = list(range(len(program.nodes)))
    for i in range(program.last + 1, len(new)):
        node = program.nodes[i]
        builder.span = program.spans[i]
        if any(new[a] != a for a in arguments(node)):
            new[i] = builder.add(node[0], *[new[a] for a in arguments(node)])
        if node[0] in SUMS and taken[i]:
            new[i] = sums.applied(new[i])
        builder.label(new[i], program.spans[i])
    if all(i == j for i, j in enumerate(new)):
        return program
    return compact(builder.follow(program, [new[i] for i in program.outputs]))


class _Sums:
    """Rewrites sums of a growing program; `single` says which nodes have one reader."""

    def __init__(self, builder: Builder, single: Sequence[bool]) -> None:
        self.builder = builder
        self.forms = Forms(builder, single)
        self.shallow = Forms(builder, single, shared=0)

    def applied(self, i: int) -> int:
        """A sum with the terms gone that meet their opposites."""
        before, form = len(self.shallow.of(i)), self.forms.of(i)
        if max(before, len(form)) > TERMS:
            return i
        plain = form, i in self.forms.vanishing, NUMBER
        tried = [plain, self._over_common_denominator(form)]
        ways = [(*self._expanded(start, lost), around) for start, lost, around in tried]
        found = [
            (way, around)
            for way, lost, around in ways
            if lost and len(way) <= before and all(map(is_ordinary, way.values()))
        ]
        if not found:
            return i
        left, around = min(found, key=lambda way: len(way[0]))
        return Writer(self.builder).write(left, around)

    def _over_common_denominator(self, form: Form) -> tuple[Form, bool, Powers]:
        """A sum as a numerator, whether terms have vanished, and what divides it."""
        lowest: dict[int, int] = {}
        for base, e in (factor for powers in form for factor in powers):
            if -e >= self._degree(base) > 0:
                lowest[base] = min(lowest.get(base, 0), e)
        around, lost = tuple(sorted(lowest.items())), False
        cleared = {times(powers, around, -1): c for powers, c in form.items()}
        for base in lowest:
            cleared, more = self._multiplied_out(cleared, base)
            lost = lost or more
        return cleared, lost, around

    def _expanded(self, best: Form, lost: bool) -> tuple[Form, bool]:
        """Multiply sums out as long as terms vanish; whether any did."""
        while True:
            above = {base for powers in best for base, e in powers if e > 0}
            sums = [base for base in sorted(above) if self._degree(base) == 1]
            tried = [self._multiplied_out(best, base) for base in sums]
            shorter = [f for f, more in tried if more and len(f) < len(best)]
            if not shorter:
                return best, lost
            best, lost = min(shorter, key=len), True

    def _multiplied_out(self, form: Form, base: int) -> tuple[Form, bool]:
        """A sum with the positive powers of a sum multiplied out; do terms vanish?"""
        degree, inner = self._degree(base), self._power(base)
        total: Form = {}
        lost = False
        for powers, c in form.items():
            product, e = {powers: c}, dict(powers).get(base, 0) // degree
            if 0 < e <= POWER:
                product = {times(powers, ((base, e * degree),), -1): c}
                for _ in range(e):
                    product = multiplied(product, inner)
                    if len(product) > TERMS:
                        return form, False
            for p, d in product.items():
                lost = meet(total, p, d) or lost
            if len(total) > TERMS:
                return form, False
        return total, lost

    def _degree(self, base: int) -> int:
        """Which power of a base is a sum: 1 of a sum, 2 of the root of one, 0 if none."""
        node = self.builder.nodes[base]
        if node[0] == "sqrt":
            return 2 if self.builder.nodes[node[1]][0] in SUMS else 0
        return 1 if node[0] in SUMS else 2 if node[0] == "hypot" else 0

    def _power(self, base: int) -> Form:
        """The power of a base that is a sum."""
        op, *args = self.builder.nodes[base]
        if op != "hypot":
            return self.forms.of(args[0] if op == "sqrt" else base)
        form: Form = {}
        for c, powers in map(self.forms.factors, args):
            meet(form, times(powers, powers), c * c)
        return form
