"""Sums from which terms vanish: x/(x + y) - 1 is -y/(x + y).

Over a common denominator, or with a product of sums multiplied out, a term may meet its
opposite. What is left has no such terms, so in them it cannot cancel. A sum is written
in this way if terms vanish from it and no more are left than there were.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradc.forms import NUMBER, SUMS, Form, Forms, Powers, meet, multiplied, times

TERMS = 32  # of a sum at the most, also on the way
POWER = 3  # the highest power of a sum that is multiplied out


class Cancellation:
    """Rewrites sums of a growing program; `single` says which nodes have one reader."""

    def __init__(self, forms: Forms, single: Sequence[bool]) -> None:
        self.forms = forms
        self.builder = forms.builder
        self.shallow = Forms(forms.builder, single, shared=0)

    def applied(self, i: int) -> int:
        """A sum with the terms gone that meet their opposites."""
        if self.builder.nodes[i][0] not in SUMS:
            return i
        written = len(self.shallow.of(i))
        form = self.forms.of(i)
        if max(written, len(form)) > TERMS:
            return i
        found: list[tuple[int, Form, Powers]] = []
        plain = (form, i in self.forms.vanishing, NUMBER)
        for start, lost, around in (plain, self._over_common_denominator(form)):
            left, more = self._expanded(start)
            if (lost or more) and len(left) <= written:
                found.append((len(left), left, around))
        if not found:
            return i
        _, left, around = min(found, key=lambda one: one[0])
        if not left:
            return self.builder.const(0.0)
        common = _common(left)
        inner = {times(powers, common, -1): c for powers, c in left.items()}
        if len(inner) == 1:
            ((powers, c),) = inner.items()
            return self.forms.product(c, times(times(powers, common), around))
        numerator = self.forms.node(inner)
        outside = times(times(common, around), ((numerator, 1),))
        return self.forms.product(1.0, outside)

    def _over_common_denominator(self, form: Form) -> tuple[Form, bool, Powers]:
        """A sum as a numerator, whether terms have vanished, and what divides it."""
        lowest: dict[int, int] = {}
        for powers in form:
            for base, e in powers:
                if e < 0 and self._is_sum(base):
                    lowest[base] = min(lowest.get(base, 0), e)
        around = tuple(sorted(lowest.items()))
        cleared = {times(powers, around, -1): c for powers, c in form.items()}
        lost = False
        for base in lowest:
            cleared, more = self._multiplied_out(cleared, base)
            lost = lost or more
        return cleared, lost, around

    def _expanded(self, form: Form) -> tuple[Form, bool]:
        """Multiply sums out as long as terms vanish; whether any did."""
        best, lost = form, False
        while True:
            tried = [self._multiplied_out(best, base) for base in self._sums(best)]
            shorter = [f for f, more in tried if more and len(f) < len(best)]
            if not shorter:
                return best, lost
            best, lost = min(shorter, key=len), True

    def _sums(self, form: Form) -> Iterator[int]:
        bases = {base for powers in form for base, e in powers if e > 0}
        return (base for base in sorted(bases) if self._is_sum(base))

    def _multiplied_out(self, form: Form, base: int) -> tuple[Form, bool]:
        """A sum with the positive powers of a sum multiplied out; do terms vanish?"""
        inner = self.forms.of(base)
        total: Form = {}
        lost = False
        for powers, c in form.items():
            e = dict(powers).get(base, 0)
            product = {powers: c}
            if 0 < e <= POWER:
                product = {times(powers, ((base, e),), -1): c}
                for _ in range(e):
                    product = multiplied(product, inner)
                    if len(product) > TERMS:
                        return form, False
            for p, d in product.items():
                lost = meet(total, p, d) or lost
            if len(total) > TERMS:
                return form, False
        return total, lost

    def _is_sum(self, base: int) -> bool:
        return self.builder.nodes[base][0] in SUMS


def _common(form: Form) -> Powers:
    """The powers that all terms have in common."""
    first, *others = (dict(powers) for powers in form)
    common: dict[int, int] = {}
    for base, e in first.items():
        exponents = [e, *(other.get(base, 0) for other in others)]
        if all(k > 0 for k in exponents):
            common[base] = min(exponents)
        elif all(k < 0 for k in exponents):
            common[base] = max(exponents)
    return tuple(sorted(common.items()))
