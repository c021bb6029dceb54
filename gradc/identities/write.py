"""Writing the replacement of a rule into a program."""

from __future__ import annotations

from collections.abc import Sequence

from gradc.analysis.forms import Forms, added
from gradc.analysis.ranges import Ranges
from gradc.identities.book import Rule
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
        known: dict[str, Nodes] = {}
        if any(row.payload == SELF for row in rule.rows):
            known[SELF] = self._rows(rule.written, env, known)
        return self._rows(rule.rows, env, known)[0]

    def _rows(
        self, rows: Sequence[Row], env: Bindings, known: dict[str, Nodes]
    ) -> Nodes:
        values: list[Nodes] = []
        for row in rows:
            values.append(self._row(row, [values[a] for a in row.args], env, known))
        return values[-1]

    def _row(
        self, row: Row, args: list[Nodes], env: Bindings, known: dict[str, Nodes]
    ) -> Nodes:
        name = str(row.payload)
        if row.op == "number":
            return [self.builder.const(float(row.payload))]
        if row.op == "name":
            if name not in known:
                known[name] = self._variable(name, env)
            return known[name]
        if row.op == "where":
            decided = self.ranges.decided(args[0][0])
            if decided is not None:
                return args[1] if decided else args[2]
        if row.op == "call" and name == "each":
            return args[0]
        if row.op == "call" and name == "every":
            return [self._total(args[0])]
        op = row.op if row.op != "call" else self._operation(name, args)
        if op in self.builder.ops and self.builder.ops[op].variadic:
            return [self.builder.add(op, *[a for one in args for a in one])]
        count = max(map(len, args), default=1)
        spread = [one * count if len(one) == 1 else one for one in args]
        return [self._added(op, *each) for each in zip(*spread)]

    def _variable(self, name: str, env: Bindings) -> Nodes:
        if name not in env:
            return [self.builder.add(name)]  # pi
        bound = env[name]
        bounds = (bound,) if isinstance(bound, Bound) else bound
        return [self.forms.node(b.form) if b.node is None else b.node for b in bounds]

    def _operation(self, name: str, args: list[Nodes]) -> str:
        rows = self.builder.ops.function(name)
        return next((row.name for row in rows if row.accepts(len(args))), name)

    def _total(self, terms: Nodes) -> int:
        total = terms[0]
        for term in terms[1:]:
            total = self.builder.add("add", total, term)
        return total

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
