"""Writing the replacement of a rule into a program."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce

from gradc.analysis.forms import Forms, added
from gradc.analysis.ranges import Ranges
from gradc.identities.book import Rule, operations
from gradc.identities.match import Bindings, Bound
from gradc.language.syntax import Row

SELF = "self"  # the pattern as it was
SMALL = 32  # terms up to which a sum is written with equal terms met

Nodes = list[int]  # the value of a row: one node, or one for each term of a list


class Writer:
    """Writes replacements in which the variables of rules are bound."""

    def __init__(self, forms: Forms, ranges: Ranges) -> None:
        self.forms = forms
        self.builder = forms.builder
        self.ranges = ranges

    def write(self, rule: Rule, env: Bindings) -> int:
        """Add the nodes of a replacement."""
        has_self = any(row.payload == SELF for row in rule.rows)
        rows = (*(rule.written if has_self else ()), *rule.rows)
        names = [str(row.payload) for row in rows if row.op == "name"]
        known = {name: self._bound(env[name]) for name in names if name in env}
        if has_self:
            known[SELF] = self._rows(rule.written, known)
        return self._rows(rule.rows, known)[0]

    def _bound(self, bound: Bound | tuple[Bound, ...]) -> Nodes:
        bounds = (bound,) if isinstance(bound, Bound) else bound
        return [self.forms.node(b.form) if b.node is None else b.node for b in bounds]

    def _rows(self, rows: Sequence[Row], known: dict[str, Nodes]) -> Nodes:
        values: list[Nodes] = []
        for row in rows:
            values.append(self._row(row, [values[a] for a in row.args], known))
        return values[-1]

    def _row(self, row: Row, args: list[Nodes], known: dict[str, Nodes]) -> Nodes:
        name, add = str(row.payload), self.builder.add
        if row.op == "number":
            return [self.builder.const(float(row.payload))]
        if row.op == "name":
            return known.get(name) or [add(name)]  # pi
        if row.op == "where":
            decided = self.ranges.decided(args[0][0])
            if decided is not None:
                return args[1] if decided else args[2]
        if row.op == "call" and name == "each":
            return args[0]
        if row.op == "call" and name == "every":
            return [reduce(partial(add, "add"), args[0])]
        op = operations()[name] if row.op == "call" else row.op
        if op in self.builder.ops and self.builder.ops[op].variadic:
            return [add(op, *[a for one in args for a in one])]
        count = max(map(len, args))
        spread = [one * count if len(one) == 1 else one for one in args]
        return [self._added(op, *each) for each in zip(*spread)]

    def _added(self, op: str, *args: int) -> int:
        """An operation; a sum is written out anew if equal terms meet in it."""
        if op in ("add", "sub"):
            x, y = (self.forms.of(a) for a in args)
            total = added(x, y, 1 if op == "add" else -1)
            if len(total) < len(x) + len(y) <= SMALL:
                return self.forms.node(total)
        if op == "pow" and self.builder.value_of(args[1]) == 2.0:
            return self.builder.add("mul", args[0], args[0])
        return self.builder.add(op, *args)
