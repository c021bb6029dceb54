"""What a formula differentiates by: which names, and how they stay apart.

A derivative by a binding treats it as independent of what it is computed from, and two
names that happen to have one value are two variables. So where a formula asks for
derivatives, what its names stand for is wrapped in an operation of its own, which is the
identity, until the pass `slopes` has replaced the derivatives.
"""

from __future__ import annotations

from bisect import bisect_left

from gradc.ir import Builder
from gradc.language.scopes import local_names
from gradc.language.syntax import DERIVATIVES, Declaration, Function, Row, Syntax
from gradc.ops import VARIABLE, Table


def is_variable(builder: Builder, node: int) -> bool:
    """Whether a node is something that one can differentiate by."""
    return builder.nodes[node][0] in ("input", VARIABLE)


class Variables:
    """The names by which a formula differentiates.

    Attributes:
        bindings: those that the statements bind.
    """

    def __init__(self, syntax: Syntax) -> None:
        self.bindings: set[str] = set()
        self._inner: list[tuple[int, str]] = []  # by row, those of functions and loops
        loops, own = local_names(syntax), dict[str, Function]()
        for statement in syntax.statements:
            if isinstance(statement, Declaration):
                continue
            params = dict(statement.params) if isinstance(statement, Function) else {}
            for i in range(statement.first, statement.value + 1):
                row = syntax.rows[i]
                if row.op == "call" and row.payload in DERIVATIVES:
                    named = [] if row.payload in own else _names(syntax, row.args[1])
                    for name in named:
                        if name.start in loops or name.payload in params:
                            self._inner.append((i, name.payload))
                        else:
                            self.bindings.add(name.payload)
            if isinstance(statement, Function):
                own[statement.name] = statement
        self.any = bool(self.bindings or self._inner)

    def table(self, ops: Table) -> Table:
        """The table that a program needs in which the names are told apart."""
        return ops.differentiable if self.any else ops

    def inner(self, first: int, last: int) -> set[str]:
        """The names that the rows from `first` to `last` differentiate by."""
        start = bisect_left(self._inner, (first, ""))
        stop = bisect_left(self._inner, (last + 1, ""))
        return {name for _, name in self._inner[start:stop]}


def _names(syntax: Syntax, i: int) -> list[Row]:
    """The names that an expression lists, or picks from."""
    found, stack = [], [i]
    while stack:
        row = syntax.rows[stack.pop()]
        if row.op == "name":
            found.append(row)
        elif row.op == "index":
            stack.append(row.args[0])
        elif row.op == "array":
            stack += row.args
    return found
