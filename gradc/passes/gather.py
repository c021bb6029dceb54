"""Gather sums and products into n-ary forms, and write them out again with less work.

    %0 = input x                     %0 = input x
    %1 = input y                     %1 = input y
    %2 = mul %0 %1                   %2 = const 2.0
    %3 = const 2.0          -->      %3 = add %1 %2
    %4 = mul %3 %0                   %4 = mul %0 %3
    %5 = add %2 %4                   out %4
    out %5

A node that is read once dissolves into the form of its reader (`factor` has what a form
is, and writes them out). A node that is read more often, has a name or stands in another
branch stays a base, so nothing leaves its branch and no sharing is lost. A bracket whose
bases occur nowhere else in the sum around it stays, for a difference in it may be small
and exact.

A shared product opens in its readers, or stays: both are tried, products share their
factors (`share`), and the cheaper program is returned.
These are identities of real arithmetic: the last bits may differ from the formula as
written, so `strict` compilation leaves the pass out.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import compress

from gradc.analysis.forms import NUMBER, SUMS, Form, Term, exact, is_ordinary
from gradc.analysis.forms import meet, raised, times
from gradc.analysis.guards import Guards, place
from gradc.ir import Builder, Program, arguments, compact
from gradc.passes.factor import Writer, weight
from gradc.passes.share import share

MOST = 30_000  # nodes above which a program is left as it is
FEW = 5_000  # nodes up to which choices are tried
SMALL = 30  # nodes up to which they are tried once
WIDE = 8  # factors of a shared product up to which its readers open it
CHAIN = 8  # the largest power that is written as a product
ARITHMETIC = frozenset({"add", "sub", "mul", "div", "neg", "pow"})


def gather(program: Program) -> Program:
    """Return a program of the same real function, with fewer operations.

    Where coefficients meet in one that is no float, products share alone.
    """
    if len(program.nodes) > MOST:
        return program
    try:
        return _gathered(program)
    except OverflowError:
        return share(program)


def _gathered(program: Program) -> Program:
    first = _Gatherer(program, opens=True)
    opened = share(first.run())
    size = len(program.nodes)
    if not first.opened or size > FEW:
        return opened
    ways = (opened, True), (share(_Gatherer(program, opens=False).run()), False)
    found, opens = min(ways, key=lambda way: way[0].cost)
    # Again while that is cheaper: the products that are shared now have more in common.
    failed = 0 if size > SMALL else 2
    while failed < 2:
        again = _Gatherer(found, opens).run()
        again = again if again.nodes == found.nodes else share(again)
        if again.cost < found.cost:
            found, failed = again, 0
        else:
            opens, failed = not opens, failed + 1
    return found


class _Gatherer:
    """Reads the nodes of a program into forms, and has them written out."""

    def __init__(self, program: Program, opens: bool) -> None:
        self.program, self.opens = program, opens
        self.opened = False  # whether that made a difference
        self.placed = place(program, Guards(program))
        alive = compress(program.nodes, program.alive)
        reads = [a for node in alive for a in arguments(node)]
        self.uses = Counter([*program.outputs, *reads])
        self.builder = Builder(program.ops)
        self.writer = Writer(self.builder)
        self.forms: dict[int, Form] = {}  # of nodes that are not written out
        self.written: dict[int, int] = {}

    def run(self) -> Program:
        program = self.program
        for i in compress(range(len(program.nodes)), program.alive):
            node = program.nodes[i]
            self.builder.span = program.spans[i]
            form = self._form(i) if node[0] in ARITHMETIC else None
            if form is None:
                new = {a: self._position(a) for a in arguments(node)}
                self.written[i] = self.builder.copy(program, i, new)
            elif self._stays(i, form):
                self._write(i, form)
            else:
                self.forms[i] = form
        outputs = [self._position(i) for i in program.outputs]
        return compact(self.builder.follow(program, outputs))

    def _stays(self, i: int, form: Form) -> bool:
        """Whether a node is a base, written out at once."""
        if i in self.program.names:
            return True
        if self.uses[i] == 1:
            return False
        if not self.opens or len(form) != 1 or len(next(iter(form))) > WIDE:
            return True
        self.opened = True
        for powers in form:  # no reader dissolves a sum that others read
            for base, _ in powers:
                self.writer.placed(base)
        return False

    def _write(self, i: int, form: Form) -> None:
        self.builder.span = self.program.spans[i]
        self.written[i] = self.builder.mark(self.writer.write(form), self.program, i)

    def _position(self, a: int) -> int:
        """Where an old node is, written out if it is not yet."""
        if a not in self.written:
            around = self.builder.span
            self._write(a, self.forms[a])
            self.builder.span = around
        return self.written[a]

    def _form(self, i: int) -> Form | None:
        """The form of an arithmetic node, None for a power that is no product."""
        op, *args = self.program.nodes[i]
        if op in SUMS:
            return self._sum(i, args, -1 if op == "sub" else 1)
        if op == "neg":
            return {powers: -c for powers, c in self._open(i, args[0]).items()}
        if op == "pow":
            return self._power(i, *args)
        x, y = (self._term(i, a) for a in args)
        if op == "div" and not y[0]:
            return None
        return self._product(x, y, 1 if op == "mul" else -1)

    def _product(self, x: Term, y: Term, e: int) -> Form | None:
        """A product with a power, None if its coefficient is beyond what floats keep."""
        c = x[0] * raised(y[0], e)
        if not is_ordinary(c):
            return None
        return {times(x[1], y[1], e): c} if c else {}

    def _open(self, i: int, a: int) -> Form:
        """The form of an argument, itself a base if it does not dissolve."""
        if a in self.forms and self.placed[a] == self.placed[i]:
            return self.forms[a]
        c, position = 1, self._position(a)
        op, *args = self.builder.nodes[position]
        if op == "const" and is_ordinary(args[0]):
            return {NUMBER: exact(args[0])} if args[0] else {}
        if op == "neg":
            c, (position,) = -1, args
        return {((position, 1),): c}

    def _term(self, i: int, a: int) -> Term:
        """An argument as a product."""
        form = self._open(i, a)
        if len(form) == 1:
            ((powers, c),) = form.items()
            return c, powers
        return self.writer.factored(form)

    def _sum(self, i: int, args: Sequence[int], sign: int) -> Form:
        """A sum; brackets stay that have nothing to do with what is outside."""
        left, right = self._open(i, args[0]), self._open(i, args[1])
        if self.forms.get(args[0]) is not left or self.uses[args[0]] > 1:
            left = {**left}
        if len(right) > 1:
            bases = {base for powers in left for base, _ in powers}
            if not any(base in bases for powers in right for base, _ in powers):
                c, powers = self.writer.factored(right)
                right = {powers: c}
        for powers, c in right.items():
            meet(left, powers, sign * c)
        return left

    def _power(self, i: int, a: int, b: int) -> Form | None:
        """A power with a small constant exponent, as factors."""
        node = self.program.nodes[b]
        twice = 2.0 * node[1] if node[0] == "const" else math.nan
        if not abs(twice) <= 2 * CHAIN or twice != int(twice):
            return None
        exponent = int(twice / 2)
        if twice % 2:
            if abs(twice) >= CHAIN:
                return None
            below = self._position(a)
            root = self.builder.add("sqrt", below)
            rest = int(twice) - 2 * exponent
            return {times(((root, rest),), ((below, exponent),)): 1}
        form = self._open(i, a) if self.opens else {}
        if len(form) == 1:
            ((powers, c),) = form.items()
            if weight(powers) * abs(exponent) <= WIDE:
                self.opened = True
                return self._product((1, NUMBER), (c, powers), exponent)
        found = self._position(a)
        return self._product((1, NUMBER), (1, ((found, 1),)), exponent)
