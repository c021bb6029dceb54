"""Gather sums and products into n-ary forms, and write them out again with less work.

    %0 = input x                     %0 = input x
    %1 = input y                     %1 = input y
    %2 = mul %0 %1                   %2 = const 2.0
    %3 = const 2.0          -->      %3 = mul %0 %1
    %4 = mul %3 %0                   %4 = add %1 %2
    %5 = add %2 %4                   %5 = mul %0 %4
    out %5                           out %5

A node that is read once dissolves into the form of its reader: products become a
coefficient times powers of bases, sums a list of such terms. A node that is read more
often, or stands in another branch, stays a base, so nothing leaves its branch and no
sharing is lost. `factor` writes the forms out; `share` finds what products have in
common.

A coefficient may stay in a shared node or be left to its readers, where it meets
others. Both are tried, and the cheaper program is returned.

A bracket whose bases occur nowhere else in the sum around it stays, for a difference in
it may be small and exact. A base that divides twice divides one after the other, for
`x/h/h` and `x/(h*h)` differ where `h*h` overflows. The square of a root is what stands
below the root only where the value takes the root as well, for it must stay undefined
where the formula is.

These are identities of real arithmetic: the last bits may differ from the formula as
written, so `strict` compilation leaves the pass out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import compress

from gradc.costs import cost
from gradc.guards import NEVER, Guards, place
from gradc.ir import LAZY, Builder, Node, Program, compact, live
from gradc.passes.decide import decide
from gradc.passes.factor import Writer
from gradc.passes.terms import (
    ALL,
    NOTHING,
    Form,
    Product,
    Scaled,
    Sum,
    flipped,
    is_power_of_two,
    power,
    sound,
)
from gradc.passes.share import share

MOST = 5_000  # nodes above which every shared node keeps its coefficient
TRIALS = 2  # how often it is tried to leave coefficients to the readers
CONSTANT = -1  # stands for every constant among the parts of a sum
CHAIN = 8  # the largest power in the text that is written as a product


def gather(program: Program) -> Program:
    """Return a program of the same real function, with fewer operations.

    Sums are gathered once more with the products that `share` finds in the result, if
    they have other factors in common then. Factors that sums have in common are left in
    products that are there, or taken out all the same, whichever is cheaper.
    """
    small = len(program.nodes) <= MOST
    if small and any(node[0] in LAZY for node in program.nodes):
        program = compact(decide(program)[0])
    found, reused = _gathered(program, reuse=small)
    if reused:
        other, _ = _gathered(program, reuse=False)
        found = min(found, other, key=_cost)
    return found


def _cost(program: Program) -> float:
    return cost(share(program).nodes)


def _gathered(program: Program, reuse: bool) -> tuple[Program, bool]:
    """Gather, and once more with the products that are shared then.

    Returns:
        The cheaper of the two programs; whether products that were there were used in
        place of a factor in common.
    """
    found, reused = _collected(program, True, reuse)
    roots = _roots(program)
    squares = not roots or _roots(found) >= roots
    if not squares:
        found, reused = _collected(program, False, reuse)
    if len(program.nodes) > MOST:
        return found, reused
    again, more = _collected(share(found), squares, reuse)
    if again.nodes == found.nodes:
        return found, reused or more
    return min(found, again, key=_cost), reused or more


def _collected(program: Program, squares: bool, reuse: bool) -> tuple[Program, bool]:
    """Choose which shared nodes keep their coefficient.

    A coefficient that a node leaves to its readers meets others there, or is paid for.
    Nodes that are to blame for more than one payment keep theirs.
    """
    found: list[Program] = []
    keep: frozenset[int] | None = None
    reused = False
    for _ in range(1 + TRIALS if len(program.nodes) <= MOST else 1):
        gatherer = _Gatherer(program, squares, keep, reuse)
        gathered = gatherer.run()
        reused |= gatherer.writer.reused
        if all(gathered.nodes != other.nodes for other in found):
            found.append(gathered)
        blamed = {i for i, n in gatherer.writer.blame.items() if n > 1.0}
        if keep is not None and not blamed:
            break
        keep = frozenset() if keep is None else keep | blamed
    return found[0] if len(found) == 1 else min(found, key=_cost), reused


def _roots(program: Program) -> int:
    """How many roots the value takes; it is undefined where they are."""
    nodes = program.nodes
    values = program.outputs[: program.count]
    taken = live(replace(program, nodes=nodes[: program.last + 1], outputs=values))
    roots = 0
    for node in compress(nodes, taken):
        if node[0] == "pow":
            exponent = nodes[node[2]]
            roots += exponent[0] == "const" and exponent[1] % 1 != 0.0
        else:
            roots += node[0] == "sqrt"
    return roots


class _Gatherer:
    """Reads the nodes of a program into forms, and has them written out.

    With `squares` the square of a square root is what stands below the root. `keep` are
    the shared nodes that hold their coefficient, None for all of them.

    In a large program most sums and products have nothing to gather: what they add and
    multiply are different nodes, each there once. These are written as they are, in
    `plain`, with the nodes that they are made of; only if a reader has one of those as
    well is the form of a plain node made.
    """

    def __init__(
        self,
        program: Program,
        squares: bool,
        keep: frozenset[int] | None,
        reuse: bool,
    ) -> None:
        self.program = program
        self.squares = squares
        self.keep = keep
        self.sources: dict[int, tuple[int, ...]] = {}
        self.placed = place(program, Guards(program))
        self.uses = self._count()
        self.forms: dict[int, Form] = {}  # of old nodes not yet written out
        self.done: dict[int, Scaled] = {}  # old nodes written out
        self.plain: dict[int, tuple[int, set[int]]] = {}  # written out, may be opened
        self.writer = Writer(Builder(program.ops), reuse)
        self.builder = self.writer.builder

    def _count(self) -> list[int]:
        """How often each node is read."""
        uses = [0] * len(self.program.nodes)
        for node, guard in zip(self.program.nodes, self.placed):
            if guard != NEVER and node[0] != "const" and node[0] != "input":
                for a in node[1:]:
                    uses[a] += 1
        for i in self.program.outputs:
            uses[i] += 1
        return uses

    def run(self) -> Program:
        program, builder = self.program, self.builder
        large = len(program.nodes) > MOST
        complements = {} if large else self._complements()
        for i, span in enumerate(program.spans):
            if self.placed[i] != NEVER:
                builder.span = span
                if large and self._copied(i):
                    continue
                if not self._plain(i):
                    self._gather(i)
                if i in complements and self.done.get(i, (0.0, 0))[0] == 1.0:
                    position = self.done[i][1]
                    self.writer.complements[position] = complements[i]
        outputs = [self._position(i) for i in program.outputs]
        for i, o in zip(program.outputs, outputs):
            self._label(i, (1.0, o))
        return compact(builder.follow(program, outputs))

    def _gather(self, i: int) -> None:
        """Make the form of a node, and write it out if more than a sum reads it."""
        form = self._form(i)
        if form is None:
            self._opaque(i)
        else:
            self.forms[i] = form
            if self.uses[i] > 1 or i in self.program.names:
                self._label(i, self._write(i))

    def _copied(self, i: int) -> bool:
        """Write a node as it is, if its parts are different nodes and no constants."""
        node = self.program.nodes[i]
        op = node[0]
        if op != "add" and op != "sub" and op != "mul":
            return False
        _, a, b = node
        left, right = self._parts(i, a, op), self._parts(i, b, op)
        if left is None or right is None:
            return False
        (x, xs), (y, ys) = left, right
        if len(xs) < len(ys):
            xs, ys = ys, xs
        if not xs.isdisjoint(ys) and not self._is_square(op, x, y):
            return False
        self.plain.pop(a, None)
        self.plain.pop(b, None)
        new = self.builder.add(op, x, y)
        if self.uses[i] > 1 or i in self.program.names:
            self.done[i] = 1.0, new
            self._label(i, (1.0, new))
        else:
            xs |= ys
            self.plain[i] = new, xs
        return True

    def _parts(self, i: int, a: int, op: str) -> tuple[int, set[int]] | None:
        """An argument as written, and what it is made of; None if it has a form.

        Of constants only one may be added, for two would meet.
        """
        found = self.plain.get(a)
        if found is not None and self.placed[a] == self.placed[i]:
            return found
        if found is None and a not in self.done:
            return None
        size, position = self._scaled(a)
        if position in self.writer.known:
            value = self._constant_of(a)
            if value is None or value <= 0.0 or op == "mul":
                return None
            return position, {CONSTANT}
        return (position, {position}) if size == 1.0 else None

    def _is_square(self, op: str, x: int, y: int) -> bool:
        return op == "mul" and x == y and x not in self.writer.radicands

    def _reform(self, a: int) -> None:
        """Make the form of a node that was written as it is, for there is more to it."""
        del self.plain[a]
        inside = [a]
        for i in inside:
            inside += [b for b in self.program.nodes[i][1:] if b not in self.done]
        for i in sorted(inside):
            form = self._form(i)
            assert form is not None
            self.forms[i] = form

    def _complements(self) -> dict[int, str]:
        """The nodes `y` of which the program has `1 + y` or `1 - y`."""
        nodes = self.program.nodes
        found: dict[int, str] = {}
        for op, *args in nodes:
            if op in ("add", "sub") and nodes[args[0]] == ("const", 1.0):
                found[args[1]] = op
        return found

    def _plain(self, i: int) -> bool:
        """Write a shared node at once if both its arguments are shared as well."""
        op, *args = self.program.nodes[i]
        if self.uses[i] < 2 or op not in ("add", "sub", "mul"):
            return False
        left, right = self.done.get(args[0]), self.done.get(args[1])
        if left is None or right is None or left[1] == right[1]:
            return False
        if abs(left[0]) != 1.0 or abs(right[0]) != 1.0:
            return False
        (s, x), (t, y) = left, right
        known = self.writer.known
        if x in known or y in known:
            return False
        if op == "mul":
            found = s * t, self.builder.add("mul", x, y)
        else:
            found = self.writer.both(s, x, -t if op == "sub" else t, y)
        self.done[i] = found
        self._label(i, found)
        return True

    # ---- forms

    def _form(self, i: int) -> Form | None:
        """The form of a node, None for an operation that is no arithmetic."""
        op, *args = self.program.nodes[i]
        if op == "add" or op == "sub":
            return self._sum(i, args, 1.0 if op == "add" else -1.0)
        if op == "mul":
            return self._times(self._factor(i, args[0]), self._factor(i, args[1]))
        if op == "neg":
            form = self.forms.get(args[0])
            if isinstance(form, Sum) and self._open(i, args[0]):
                form.sign = -form.sign
                return form
            product = self._factor(i, args[0])
            product.coefficient = -product.coefficient
            return product
        if op == "div":
            return self._quotient(i, args[0], args[1])
        if op == "pow":
            return self._power(i, args[0], args[1])
        return None

    def _open(self, i: int, a: int) -> Form | None:
        """The form of an argument that dissolves into its reader."""
        if self.uses[a] > 1 or self.placed[a] != self.placed[i] or a in self.done:
            return None
        if a in self.plain:
            self._reform(a)
        return self.forms.pop(a, None)

    def _factor(self, i: int, a: int) -> Product:
        """An argument as a product, which the caller may change."""
        value = self._constant_of(a)
        if value is not None:
            return Product(value)
        form = self._open(i, a)
        if isinstance(form, Product):
            return form
        return self._base(self._scaled(a) if form is None else self.writer.sum(form))

    def _base(self, scaled: Scaled) -> Product:
        """What is written out as a product of its own."""
        size, position = scaled
        value = self.builder.value_of(position)
        if value is None:
            return Product(size, [(position, 1)])
        return Product(size * value)

    def _constant_of(self, a: int) -> float | None:
        node = self.program.nodes[a]
        return node[1] if node[0] == "const" else None

    def _times(self, x: Product, y: Product) -> Product:
        coefficient, divisor = x.coefficient * y.coefficient, x.divisor * y.divisor
        if not sound(coefficient) or not sound(divisor):
            for product in (x, y):
                self.writer.settle(product)
            coefficient = divisor = 1.0
        long, short = x, y
        if len(y.factors) > len(x.factors) + 8:
            long, short = y, x
        long.factors.extend(short.factors)
        long.coefficient, long.divisor = coefficient, divisor
        return long

    def _quotient(self, i: int, a: int, b: int) -> Product:
        """A quotient as a product with negative exponents."""
        top, bottom = self._factor(i, a), self._factor(i, b)
        sign = math.copysign(1.0, bottom.coefficient)
        size = abs(bottom.coefficient)
        if size == 0.0:
            bottom.factors.append((self.writer.const(0.0), 1))
            size = 1.0
        known = self.writer.known
        fixed = [factor for factor in bottom.factors if factor[0] in known]
        below = [factor for factor in bottom.factors if factor[0] not in known]
        above = {base for base, _ in top.factors}
        if len(below) > 1 and above.isdisjoint(base for base, _ in below):
            below = [(self.writer.divisor(below), 1)]
        inverse = Product(sign * bottom.divisor, flipped(below + fixed), size)
        if is_power_of_two(size):
            inverse.coefficient, inverse.divisor = inverse.coefficient / size, 1.0
        return self._times(top, inverse)

    def _power(self, i: int, a: int, b: int) -> Product | None:
        """A power with a small constant exponent, as factors."""
        exponent = self._constant_of(b)
        if exponent is None or abs(exponent) > CHAIN:
            return None
        if exponent == int(exponent):
            form = self.forms.get(a)
            if isinstance(form, Product) and self._squares(form, int(exponent)):
                if self._open(i, a):
                    size = power(form.coefficient, int(exponent))
                    factors = [(x, e * int(exponent)) for x, e in form.factors]
                    return Product(size, factors)
            size, base = self._scaled(a)
            size = power(size, int(exponent))
            if sound(size):
                return Product(size, [(base, int(exponent))])
        if 2.0 * exponent == int(2.0 * exponent) and abs(exponent) < CHAIN / 2:
            root = self._root(self._position(a))
            return Product(1.0, [(root, int(2.0 * exponent))])
        return None

    def _squares(self, form: Product, exponent: int) -> bool:
        """Whether a power of a product is one of constants and of square roots."""
        roots = self.writer.radicands
        if exponent % 2 or form.divisor != 1.0:
            return False
        is_sound = sound(power(form.coefficient, exponent))
        return is_sound and all(base in roots for base, _ in form.factors)

    def _root(self, x: int) -> int:
        """Write a square root, and note what its square is."""
        root = self.builder.add("sqrt", x)
        if self.squares and self.builder.nodes[root] == ("sqrt", x):
            self.writer.radicands[root] = x
        return root

    def _sum(self, i: int, args: Sequence[int], sign: float) -> Sum:
        """A sum; brackets stay that have nothing to do with what is outside.

        In `x + (1 - 1/y)` the difference may be small and exact.
        """
        left, right = self._addend(i, args[0]), self._addend(i, args[1])
        if len(right.terms) > 1 and not left.meets(right):
            right = Sum(1.0, [self._base(self.writer.sum(right, ALL))])
        right.sign *= sign
        long, short = left, right
        if len(right.terms) > len(left.terms) + 8:
            long, short = right, left
        long.extend(short)
        return long

    def _addend(self, i: int, a: int) -> Sum:
        value = self._constant_of(a)
        if value is not None:
            return Sum(1.0, [Product(value)])
        form = self._open(i, a)
        if isinstance(form, Sum):
            return form
        if form is not None:
            return Sum(1.0, [form])
        return Sum(1.0, [self._base(self._scaled(a))])

    # ---- what is written out

    def _opaque(self, i: int) -> None:
        """An operation that is no arithmetic: its arguments, then itself."""
        node = self.program.nodes[i]
        decided = self._decided(node)
        if decided is not None:
            self.done[i] = self._scaled(decided)
            return
        size = self._common_size(node)
        if node[0] == "input":
            new = self.builder.input(node[1])
        elif node[0] == "const":
            new = self.writer.const(node[1])
        else:
            args = [
                self._position(a) if size == 1.0 or k == 0 else self._scaled(a)[1]
                for k, a in enumerate(node[1:])
            ]
            self.builder.span = self.program.spans[i]
            if node[0] == "sqrt":
                new = self._root(*args)
            else:
                new = self.builder.add(node[0], *args)
            if self.writer.known.issuperset(args):
                self.writer.known.add(new)
        self.done[i] = (size, new)
        self._label(i, self.done[i])

    def _common_size(self, node: Node) -> float:
        """The coefficient that both sides of a conditional have."""
        if node[0] != "where":
            return 1.0
        yes, no = (self._scaled(a)[0] for a in node[2:])
        return yes if yes == no else 1.0

    def _decided(self, node: Node) -> int | None:
        """The side of a conditional to which the conditions around it always lead."""
        if node[0] in LAZY:
            first, *sides = node[1:]
            alive: list[int] = [a for a in sides if self.placed[a] != NEVER]
            if len(alive) < len(sides):
                return alive[0] if alive else int(first)
        return None

    def _label(self, i: int, scaled: Scaled) -> None:
        size, new = scaled
        self.builder.label(new, self.program.spans[i])
        if size == 1.0:
            if i in self.program.names:
                self.builder.name(new, self.program.names[i])
            if i in self.program.hints:
                self.builder.hints.setdefault(new, self.program.hints[i])

    def _scaled(self, a: int) -> Scaled:
        """An old node as a coefficient and a position in the new program."""
        if a in self.plain:
            self.done[a] = 1.0, self.plain.pop(a)[0]
        elif a not in self.done:
            self.done[a] = self._write(a)
        return self.done[a]

    def _position(self, a: int) -> int:
        size, position = self._scaled(a)
        if abs(size) == 1.0:
            return position if size > 0 else self.builder.add("neg", position)
        self.writer.charge(self.sources.pop(a, ()))
        return self.writer.join("mul", self.writer.const(size), position)

    def _write(self, a: int) -> Scaled:
        form = self.forms.pop(a)
        self.builder.span = None  # a part of the form stands nowhere
        keeps = self.keep is None or a in self.keep or a in self.program.names
        sources = () if keeps else self.writer.sources(form)
        left = NOTHING if keeps else ALL
        if isinstance(form, Sum):
            size, position = self.writer.sum(form, left)
        else:
            size, position = self.writer.product(form, left)
        if not keeps and abs(size) != 1.0:
            self.sources[a] = sources or (a,)
            self.writer.carried.setdefault(position, (size, self.sources[a]))
        self.writer.sums.pop(position, None)  # others may read it
        self.builder.label(position, self.program.spans[a])
        self.done[a] = size, position
        return size, position
