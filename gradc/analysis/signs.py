"""Signs: which nodes are known to be positive, whatever the inputs are."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

from gradc.analysis.forms import Form, Forms, Powers
from gradc.ir import Input

ANY, NOT_NEGATIVE, POSITIVE = range(3)
DEPTH = 4  # sums, products and calls above one another that are looked into

_ALWAYS: Mapping[str, int] = {
    "exp": POSITIVE,
    "exp2": POSITIVE,
    "cosh": POSITIVE,
    "sigmoid": POSITIVE,
    "softplus": POSITIVE,
    "normpdf": POSITIVE,
    "normcdf": POSITIVE,
    "erfc": POSITIVE,
    "erfcx": POSITIVE,
    "sech2": POSITIVE,
    "beta": POSITIVE,
    "pi": POSITIVE,
    "e": POSITIVE,
    "sqrt": NOT_NEGATIVE,
    "abs": NOT_NEGATIVE,
    "hypot": NOT_NEGATIVE,
    "relu": NOT_NEGATIVE,
}


class Signs:
    """What is known of the signs of forms, from the operations and the domains."""

    def __init__(self, forms: Forms, inputs: tuple[Input, ...]) -> None:
        self.forms = forms
        self.inputs = {item.name: item for item in inputs}

    def of(self, form: Form, depth: int = DEPTH) -> int:
        """The sign of a sum: that of its terms, if they agree."""
        if not form or depth == 0:
            return ANY if form else NOT_NEGATIVE
        found = [self._term(c, powers, depth) for powers, c in form.items()]
        return ANY if ANY in found else max(found)

    def _term(self, c: float, powers: Powers, depth: int) -> int:
        if not c > 0.0 or not isfinite(c):
            return ANY
        found = POSITIVE
        for base, e in powers:
            sign = self._base(base, depth - 1)
            if sign == ANY and e % 2 == 0:
                sign = NOT_NEGATIVE
            if sign == NOT_NEGATIVE and e < 0:
                sign = POSITIVE  # or it divides by zero
            found = min(found, sign)
        return found

    def _base(self, i: int, depth: int) -> int:
        op, *args = self.forms.builder.nodes[i]
        if op in _ALWAYS:
            return _ALWAYS[op]
        if op == "input":
            return self._input(self.inputs.get(str(args[0])))
        if depth > 0 and op in ("add", "sub", "neg"):
            return self.of(self.forms.of(i), depth)
        if depth > 0 and op == "pow":
            return self.of(self.forms.of(args[0]), depth)
        return ANY

    def _input(self, item: Input | None) -> int:
        """The sign of an input; of what `diff` differentiates by, no domain is known."""
        if item is None or item.low is None or item.low < 0.0:
            return ANY
        return POSITIVE if item.low > 0.0 or item.low_open else NOT_NEGATIVE
