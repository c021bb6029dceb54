"""Writing the replacement of a rule into a program, and asking its condition."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from gradc.analysis.forms import NUMBER, Form, Forms, added, multiplied
from gradc.analysis.ranges import NOT_NEGATIVE, POSITIVE, Ranges
from gradc.identities.book import Text
from gradc.identities.match import Bindings, Bound
from gradc.identities.pattern import EVERY
from gradc.ir import COMPARISONS, Builder
from gradc.language.syntax import Row

SELF, SAME = "self", "same"  # the pattern; where only digits tell, the same


SHORT = 4  # terms up to which the square of a sum is written out
SMALL = 32  # terms up to which a difference is written with equal terms met


class _Undefined(Exception):
    """A replacement that is defined nowhere, or better nowhere than the pattern."""


class Instance:
    """A rule with its variables bound."""

    def __init__(
        self,
        builder: Builder,
        forms: Forms,
        ranges: Ranges,
        bindings: Bindings,
    ) -> None:
        self.builder = builder
        self.forms = forms
        self.ranges = ranges
        self.bindings = bindings
        self._nodes: dict[str, int] = {}

    # ---- replacements

    def build(self, text: Text, pattern: Text) -> int | None:
        """Add the nodes of a text, in which `self` and `same` stand for the pattern.

        None where it has no value, or where its condition is known not to hold.
        """
        values: list[list[int]] = []
        for row in text.rows:
            try:
                values.append(self._row(text, row, values, pattern))
            except _Undefined:
                return None
        return values[-1][0]

    def _row(
        self, text: Text, row: Row, values: list[list[int]], pattern: Text
    ) -> list[int]:
        if row.op == "number":
            return [self.builder.const(float(row.payload or 0.0))]
        name = str(row.payload)
        if row.op == "name":
            if name in (SELF, SAME):
                found = self.build(pattern, pattern)
                assert found is not None
                return [found]
            return self._variable(name)
        args = [values[a] for a in row.args]
        other = text.rows[row.args[2]].payload if row.op == "where" else None
        if other in (SELF, SAME):
            if self._fails(args[0][0]):
                if row is text.rows[-1]:
                    raise _Undefined
                return args[2]
            if other == SAME and self.ranges.decided(args[0][0]):
                return args[1]
        if row.op == "call" and name in ("each", EVERY):
            return args[0] if name == "each" else [self._sum(args[0])]
        if row.op == "call" and name == "all":
            return args[0]
        if row.op == "call" and name == "near":
            number = self.builder.value_of(args[0][0])
            assert number is not None
            return [self.builder.const(number)]
        if row.op == "gt" and text.rows[row.args[0]].payload == "all":
            return [self._positive(args[0])]
        op = row.op if row.op != "call" else _operation(self.builder, name, args)
        if op in self.builder.ops and self.builder.ops[op].variadic:
            return [self.builder.add(op, *[a for one in args for a in one])]
        count = max(map(len, args), default=1)
        spread = [one * count if len(one) == 1 else one for one in args]
        return [self._added(op, *each) for each in zip(*spread)]

    def _variable(self, name: str) -> list[int]:
        if name not in self.bindings:
            return [self.builder.add(name)]
        bound = self.bindings[name]
        if isinstance(bound, tuple):
            return [self._node(one) for one in bound]
        if name not in self._nodes:
            self._nodes[name] = self._node(bound)
        return [self._nodes[name]]

    def _node(self, bound: Bound) -> int:
        return self.forms.node(bound.form) if bound.node is None else bound.node

    def _sum(self, terms: list[int]) -> int:
        total = terms[0]
        for term in terms[1:]:
            total = self.builder.add("add", total, term)
        return total

    def _added(self, op: str, *args: int) -> int:
        """An operation; a sum is written out anew if equal terms meet in it."""
        if op == "log" and self.builder.value_of(args[0]) == 1.0:
            return self.builder.const(0.0)
        if op in ("add", "sub"):
            x, y = (self.forms.of(a) for a in args)
            if not y or (not x and op == "add"):
                return args[0] if not y else args[1]
            factor = 1.0 if op == "add" else -1.0
            opened = self._opened(x), self._opened(y)
            total = _met(x, y, factor)
            if total is None:
                total = _met(*opened, factor)
            if total is None:
                total = _left(x, y, factor)
            if total is not None:
                return self._with_squares(total)
        if op == "pow" and self.builder.value_of(args[1]) == 2.0:
            return self.builder.add("mul", args[0], args[0])
        return self.builder.add(op, *args)

    def _with_squares(self, form: Form) -> int:
        """A sum in which x^2 - 2*x*y + y^2 is written as (x - y)^2."""
        left = dict(form)
        squares = []
        for powers, c in form.items():
            if [e for _, e in powers] != [1, 1]:
                continue
            p, q = (((base, 2),) for base, _ in powers)
            if left.get(p) == left.get(q) == abs(c) / 2.0:
                root = self.forms.node(
                    {powers[:1]: 1.0, powers[1:]: math.copysign(1.0, c)}
                )
                squares.append(self.forms.product(abs(c) / 2.0, ((root, 2),)))
                for done in (p, q, powers):
                    del left[done]
        if not squares:
            return self.forms.node(form)
        terms = [self.forms.node(left)] if left else []
        return self._sum([*squares, *terms])

    def _opened(self, form: Form) -> Form:
        """A sum in which the squares of short sums are written out."""
        found: Form = {}
        for powers, c in form.items():
            square: Form = {powers: 1.0}
            if len(powers) == 1 and powers[0][1] == 2:
                root = self.forms.of(powers[0][0])
                if 1 < len(root) <= SHORT:
                    square = multiplied(root, root)
            found = added(found, square, c)
        return found

    def _fails(self, condition: int) -> bool:
        """Whether a condition is known never to hold."""
        if self.ranges.decided(condition) is False:
            return True
        op, *args = self.builder.nodes[condition]
        if op == "and":
            return any(map(self._fails, args))
        if op not in ("lt", "gt"):
            return False
        low, high = map(self.forms.of, args if op == "lt" else args[::-1])
        return self.ranges.sign_of(added(low, high, -1.0)) >= NOT_NEGATIVE

    def _positive(self, nodes: list[int]) -> int:
        """The condition that some nodes are positive, as far as it is not known."""
        zero = self.builder.const(0.0)
        one = self.builder.const(1.0)
        values = [self.builder.value_of(i) for i in nodes]
        if any(value is not None and value <= 0.0 for value in values):
            raise _Undefined
        open_ = [i for i in nodes if self.ranges.sign_of(self.forms.of(i)) != POSITIVE]
        total = self.builder.add("gt", one, zero)
        for k, i in enumerate(dict.fromkeys(open_)):
            condition = self.builder.add("gt", i, zero)
            total = condition if k == 0 else self.builder.add("and", total, condition)
        return total

    # ---- conditions on what is known

    def known(self, given: Text) -> bool:
        """Whether a condition holds for sure."""
        values: list[Form | bool] = []
        for row in given.rows:
            values.append(self._ask(row, [values[a] for a in row.args]))
        return values[-1] is True

    def _ask(self, row: Row, args: list[Form | bool]) -> Form | bool:
        if row.op == "number":
            value = float(row.payload or 0.0)
            return {NUMBER: value} if value else {}
        if row.op == "name":
            bound = self.bindings[str(row.payload)]
            if not isinstance(bound, Bound):
                return _number_of(bound)
            return self._opened(bound.form)
        if row.op == "and":
            return args[0] is True and args[1] is True
        x, *others = (a for a in args if isinstance(a, dict))
        if row.op in ("add", "sub"):
            return added(x, others[0], 1.0 if row.op == "add" else -1.0)
        if row.op == "mul" or row.op == "pow":
            return self._product(row.op, x, others[0])
        if row.op == "call" and row.payload in _HELD:
            return {NUMBER: 1.0} if _HELD[row.payload](self, x) else {}
        if row.op == "call":
            return _ASKED[str(row.payload)](x, *others)
        difference = added(x, others[0], -1.0)
        if not difference.keys() - {NUMBER}:
            return COMPARISONS[row.op](difference.get(NUMBER, 0.0), 0.0)
        least = {"gt": POSITIVE, "ge": NOT_NEGATIVE}.get(row.op)
        return least is not None and self.ranges.sign_of(difference) >= least

    def _is_plain(self, x: Form) -> bool:
        """Whether a form is one product of powers of inputs."""
        bases = [base for powers in x for base, _ in powers]
        return len(x) == 1 and all(self.builder.nodes[b][0] == "input" for b in bases)

    def _is_positive(self, x: Form) -> bool:
        """Whether a form is positive, outside the domains as well."""
        return self.ranges.everywhere.sign_of(x) == POSITIVE

    def _is_negative(self, x: Form) -> bool:
        """Whether a form is never above 0."""
        return self.ranges.sign_of(added({}, x, -1.0)) >= NOT_NEGATIVE

    def _is_length(self, x: Form) -> bool:
        """Whether a form is a length, as of the other parts of a longer vector."""
        bases = [base for powers in x for base, _ in powers]
        return len(bases) == 1 and self.builder.nodes[bases[0]][0] == "hypot"

    def _has_level(self, x: Form) -> bool:
        """Whether a term of a sum is held constant."""
        nodes = self.builder.nodes
        return any(nodes[base][0] == "detach" for powers in x for base, _ in powers)

    def _product(self, op: str, x: Form, y: Form) -> Form:
        if len(x) * len(y) > SMALL or (op == "pow" and len(x) > SHORT):
            return {}
        return multiplied(x, x if op == "pow" else y)


def _met(x: Form, y: Form, factor: float) -> Form | None:
    """`x + factor*y` if equal terms meet in it so that it is shorter."""
    if len(x) + len(y) > SMALL:
        return None
    total = added(x, y, factor)
    alike = x.keys() <= y.keys() or y.keys() <= x.keys()
    shorter = len(total) < max(len(x), len(y)) + alike
    if shorter or (len(total) < len(x) + len(y) and not x.keys() - {NUMBER}):
        return total
    return None


def _left(x: Form, y: Form, factor: float) -> Form | None:
    """`x + factor*y` if equal terms vanish from it."""
    if len(x) + len(y) > SMALL:
        return None
    total = added(x, y, factor)
    return total if len(total) < len(x.keys() | y.keys()) else None


def _number_of(bounds: tuple[Bound, ...]) -> Form:
    """The number that all of some variables are, 0 if they are no one number."""
    numbers = {bound.number for bound in bounds}
    number = numbers.pop() if len(numbers) == 1 else None
    return {NUMBER: number} if number else {}


def _number(x: Form) -> Form:
    """1 for a constant, 0 for anything else."""
    return {} if x.keys() - {NUMBER} else {NUMBER: 1.0}


def _terms(x: Form) -> Form:
    """How many terms a sum has."""
    return {NUMBER: float(len(x))} if x else {}


def _shared(x: Form, y: Form) -> Form:
    """How many terms two sums have in common, if they differ at all."""
    if x == y:
        return {}
    count = sum(y.get(powers) == c for powers, c in x.items())
    return {NUMBER: float(count)} if count else {}


_HELD: Mapping[str, Callable[[Instance, Form], bool]] = {
    "plain": Instance._is_plain,
    "positive": Instance._is_positive,
    "negative": Instance._is_negative,
    "length": Instance._is_length,
    "level": Instance._has_level,
}
_ASKED: Mapping[str, Callable[..., Form]] = {
    "shared": _shared,
    "number": _number,
    "terms": _terms,
}


def _operation(builder: Builder, name: str, args: list[list[int]]) -> str:
    rows = builder.ops.function(name)
    return next((row.name for row in rows if row.accepts(len(args))), name)
