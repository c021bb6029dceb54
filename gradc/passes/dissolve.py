# CORE (the lead) is rewriting gather, dissolve, factor, terms and share as one pass
# right now: nobody else edits these five files.
"""Read the nodes of a program into n-ary forms, and have them written out.

A node that is read once dissolves into the form of its reader: products become a
coefficient times powers of bases, sums a list of such terms. A node that is read more
often, or stands in another branch, stays a base, so nothing leaves its branch and no
sharing is lost.

A bracket whose bases occur nowhere else in the sum around it stays, for a difference in
it may be small and exact. A base that divides twice divides one after the other, for
`x/h/h` and `x/(h*h)` differ where `h*h` overflows.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

from gradc.analysis.guards import NEVER, Guards, place
from gradc.ir import LAZY, Builder, Node, Program, arguments, compact
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

CONSTANT = -1  # stands for every constant among the parts of a sum
Parts = set[int] | tuple[int, ...]  # what a plain node is made of, each once
NO_NODE = 0.0, -1  # for a node that is not written out
Factor = tuple[int, int]  # a node, and 1 where it is multiplied by, -1 where it divides
NO_FACTOR = -1, 1
ARITHMETIC = frozenset({"add", "sub", "mul", "div", "neg", "pow"})
CHAIN = 8  # the largest power in the text that is written as a product


class Choices(NamedTuple):
    """What a gatherer may do.

    Attributes:
        squares: the square of a square root is what stands below the root; not within
            the values if the program is `plain`, for they have to take their roots.
        reuse: a factor that terms share is left in products that are there.
        plain: what has nothing to gather is written as it is.
        keep: the shared nodes that hold their coefficient, None for all of them.
        opens: a node that is read once dissolves although it has a name.
        leave: a factor or divisor that products leave to their readers.
    """

    squares: bool
    reuse: bool
    plain: bool = False
    keep: frozenset[int] | None = None
    opens: bool = False
    leave: Factor = NO_FACTOR


class Gatherer:
    """Reads the nodes of a program into forms, and has them written out.

    In a large program most sums and products have nothing to gather: what they add and
    multiply are different nodes, each there once. These are written as they are, in
    `plain`, with the nodes that they are made of; only if a reader has one of those as
    well is the form of a plain node made.
    """

    def __init__(self, program: Program, choices: Choices) -> None:
        self.program = program
        self.choices = choices
        self.kept = set(program.outputs[: program.count] if choices.plain else ())
        self.named = {} if choices.opens else program.names
        self.without: set[int] = set()  # old nodes that have left a factor
        self.sources: dict[int, tuple[int, ...]] = {}
        self.placed = place(program, Guards(program))
        self.uses = self._count()
        self.forms: dict[int, Form] = {}  # of old nodes not yet written out
        # Where they are once they are written out. A list's integers are all over memory.
        self.at = array("i", [-1]) * len(program.nodes)
        self.sizes: dict[int, float] = {}  # what is before these, where that is not 1
        self.plain: dict[int, tuple[int, Parts]] = {}  # written out, may be opened
        self.writer = Writer(Builder(program.ops), choices.reuse)
        self.writer.circular = program.operations >= {"sin", "cos"}
        self.builder = self.writer.builder
        self.radicands: dict[int, int] = {}  # what roots are of that may be squared
        if not choices.plain:
            self.writer.radicands = self.radicands

    def _count(self) -> list[int]:
        """How often each node is read."""
        uses = [0] * len(self.program.nodes)
        for node, guard in zip(self.program.nodes, self.placed):
            if guard == NEVER:
                continue
            if len(node) == 3:  # most are: this one in half of the time
                uses[node[1]] += 1
                uses[node[2]] += 1
            else:
                for a in arguments(node):
                    uses[a] += 1
        for i in self.program.outputs:
            uses[i] += 1
        return uses

    def run(self) -> Program:
        program, builder = self.program, self.builder
        plain = self.choices.plain
        complements = {} if plain else self._complements()
        gradient = program.last + 1
        rows = zip(count(), program.nodes, program.spans, self.placed)
        for i, node, span, guard in rows:
            if i == gradient:  # the values have taken all their roots
                self.writer.radicands = self.radicands
            if guard != NEVER:
                builder.span = span
                if node[0] not in ARITHMETIC:
                    self._opaque(i)
                elif plain and self._copied(i, node):
                    continue
                elif not self._plain(i):
                    self._gather(i)
                if i in complements:
                    size, position = self._done(i) or NO_NODE
                    if size == 1.0:
                        self.writer.complements[position] = complements[i]
        outputs = [self._position(i) for i in program.outputs]
        for i, o in zip(program.outputs, outputs):
            self._label(i, (1.0, o))
        found = builder.follow(program, outputs)
        return found if plain else compact(found)  # of large ones little is left over

    def _gather(self, i: int) -> None:
        """Make the form of a node, and write it out if more than a sum reads it."""
        self.builder.span = self.program.spans[i]
        form = self._form(i)
        if form is None:
            self._opaque(i)
        else:
            self.forms[i] = form
            if self.uses[i] > 1 or i in self.named or i in self.kept:
                written = self._write(i)
                if i not in self.without:
                    self._label(i, written)

    def _copied(self, i: int, node: Node) -> bool:
        """Write a node as it is, if its parts are different nodes and no constants."""
        op = node[0]
        if op != "add" and op != "sub" and op != "mul":
            return False
        _, a, b = node
        at, sizes, known = self.at, self.sizes, self.writer.known
        x, y = at[a], at[b]
        parts: Parts = (x, y)
        bases = x >= 0 and y >= 0 and a not in sizes and b not in sizes
        if not bases or x == y or x in known or y in known:
            left, right = self._parts(i, a, op), self._parts(i, b, op)
            if left is None or right is None:
                return False
            (x, some), (y, others) = left, right
            if len(some) < len(others):
                some, others = others, some
            parts = some if isinstance(some, set) else {*some}
            if not parts.isdisjoint(others) and not self._is_square(op, x, y):
                return False
            parts.update(others)
            self.plain.pop(a, None)
            self.plain.pop(b, None)
        size = len(self.builder.nodes)
        new = self.builder.add(op, x, y)
        if self.uses[i] == 1 and i not in self.named and i not in self.kept:
            self.plain[i] = new, parts
        elif new < size:
            self._settle(i, (1.0, new))
        else:  # it has its span
            at[i] = new
            self._name(i, new)
        return True

    def _parts(self, i: int, a: int, op: str) -> tuple[int, Parts] | None:
        """An argument as written, and what it is made of; None if it has a form.

        Of constants only one may be added, for two would meet.
        """
        position = self.at[a]
        if position < 0:
            found = self.plain.get(a)
            if found is None or self.placed[a] == self.placed[i]:
                return found
            _, position = self._found(a)
        if position in self.writer.known:
            value = self._constant_of(a)
            if value is None or value <= 0.0 or op == "mul":
                return None
            return position, (CONSTANT,)
        return None if a in self.sizes else (position, (position,))

    def _is_square(self, op: str, x: int, y: int) -> bool:
        return op == "mul" and x == y and x not in self.writer.radicands

    def _reform(self, a: int) -> None:
        """Make the form of a node that was written as it is, for there is more to it."""
        del self.plain[a]
        inside = [a]
        for i in inside:
            inside += [b for b in self.program.nodes[i][1:] if self.at[b] < 0]
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
        left, right = self._done(args[0]), self._done(args[1])
        if left is None or right is None or left[1] == right[1]:
            return False
        if self.choices.leave[0] in args or not self.without.isdisjoint(args):
            return False
        if abs(left[0]) != 1.0 or abs(right[0]) != 1.0:
            return False
        (s, x), (t, y) = left, right
        known = self.writer.known
        if x in known or y in known:
            return False
        self.builder.span = self.program.spans[i]
        if op == "mul":
            found = s * t, self.builder.add("mul", x, y)
            self.writer.bodies.setdefault(found[1], (1.0, x, 1, y, 1))
        else:
            t = -t if op == "sub" else t
            found = self.writer.both(s, x, t, y)
            if not self.choices.plain:
                terms = [(s / found[0], x, 1), (t / found[0], y, 1)]
                self.writer.addends[found[1]] = 1.0, terms
        self._settle(i, found)
        return True

    # ---- forms

    def _form(self, i: int) -> Form | None:
        """The form of a node, None for a power that is no product, or a pole."""
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
            if self._constant_of(args[1]) == 0.0:  # which is no factor: 0/0 is not 1
                return None
            return self._quotient(i, args[0], args[1])
        return self._power(i, args[0], args[1])

    def _open(self, i: int, a: int) -> Form | None:
        """The form of an argument that dissolves into its reader."""
        if self.at[a] >= 0 or self.uses[a] > 1 or self.placed[a] != self.placed[i]:
            return None
        if a in self.plain:
            self._reform(a)
        return self.forms.pop(a, None)

    def _factor(self, i: int, a: int) -> Product:
        """An argument as a product, which the caller may change."""
        form = None
        if a not in self.program.names or isinstance(self.forms.get(a), Product):
            form = self._open(i, a)
        if isinstance(form, Product):
            return form
        return self._read(a) if form is None else self._base(self.writer.sum(form))

    def _read(self, a: int) -> Product:
        """A node that is written out, as a product with the factor that it left."""
        product = self._base(self._found(a))
        if a in self.without:
            product.factors.append((self._left(), self.choices.leave[1]))
        return product

    def _base(self, scaled: Scaled) -> Product:
        """What is written out as a product of its own."""
        size, position = scaled
        if position in self.writer.known:  # few are, and few of these are constants
            value = self.builder.value_of(position)
            if value is not None:
                return Product(size * value)
        return Product(size, [(position, 1)])

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
        if self.choices.squares and self.builder.nodes[root] == ("sqrt", x):
            self.radicands[root] = x
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
        form = self._open(i, a)
        if isinstance(form, Sum):
            return form
        if form is not None:
            return Sum(1.0, [form])
        return Sum(1.0, [self._read(a)])

    # ---- what is written out

    def _opaque(self, i: int) -> None:
        """An operation that has no form: its arguments, then itself."""
        node = self.program.nodes[i]
        decided = self._decided(node) if node[0] in LAZY else None
        if decided is not None:
            self._note(i, self._scaled(decided))
            return
        size = 1.0 if node[0] != "where" else self._common_size(node)
        if node[0] == "input":
            new = self.builder.input(node[1])
        elif node[0] == "const":
            new = self.writer.const(node[1])
        elif len(node) == 2 and node[0] != "sqrt":  # as below, for most are
            a = self._position(node[1])
            self.builder.span = self.program.spans[i]
            new = self.builder.add(node[0], a)
            if a in self.writer.known:
                self.writer.known.add(new)
        else:
            args = [self._position(a) for a in node[1 : 2 if size != 1.0 else None]]
            args += [self._scaled(a)[1] for a in node[1 + len(args) :]]
            span = self.program.spans[i]
            self.builder.span = span if size == 1.0 else None
            if node[0] == "sqrt":
                new = self._root(*args)
            else:
                new = self.builder.add(node[0], *args)
            if self.writer.known.issuperset(args):
                self.writer.known.add(new)
        self._settle(i, (size, new))

    def _common_size(self, node: Node) -> float:
        """The coefficient that both sides of a conditional have."""
        yes, no = (self._scaled(a)[0] for a in node[2:])
        return yes if yes == no else 1.0

    def _decided(self, node: Node) -> int | None:
        """The side of a conditional to which the conditions around it always lead."""
        first, *sides = node[1:]
        alive: list[int] = [a for a in sides if self.placed[a] != NEVER]
        if len(alive) < len(sides):
            return alive[0] if alive else int(first)
        return None

    def _done(self, i: int) -> Scaled | None:
        """An old node as it is written out, None for one that is not."""
        position = self.at[i]
        return None if position < 0 else (self.sizes.get(i, 1.0), position)

    def _note(self, i: int, scaled: Scaled) -> None:
        """Note where an old node is written out."""
        size, self.at[i] = scaled
        if size != 1.0:
            self.sizes[i] = size

    def _settle(self, i: int, scaled: Scaled) -> None:
        """Note where an old node is written out, and label it."""
        self._note(i, scaled)
        self._label(i, scaled)

    def _label(self, i: int, scaled: Scaled) -> None:
        size, new = scaled
        if size == 1.0:
            self.builder.label(new, self.program.spans[i])
            self._name(i, new)

    def _name(self, i: int, new: int) -> None:
        """Hand on the name of an old node, and the one that is proposed for it."""
        program, builder = self.program, self.builder
        if i in program.names:
            builder.names.setdefault(new, program.names[i])

    def _scaled(self, a: int) -> Scaled:
        """An old node as a coefficient and a position in the new program."""
        found = self._found(a)
        if a not in self.without:
            return found
        size, position = found
        op = "mul" if self.choices.leave[1] > 0 else "div"
        self.builder.span = self.program.spans[a]
        found = size, self.writer.join(op, position, self._left())
        self._label(a, found)
        return found

    def _found(self, a: int) -> Scaled:
        """An old node as it is written out, perhaps without a factor."""
        found = self._done(a)
        if found is None:
            if a in self.plain:
                found = 1.0, self.plain.pop(a)[0]
            else:
                found = self._write(a)
                if a in self.program.names:
                    self._label(a, found)
            self._note(a, found)
        return found

    def _left(self) -> int:
        """The factor that is left to readers in the new program, -1 for none so far."""
        node = self.choices.leave[0]
        return self.at[node] if node >= 0 else -1

    def _position(self, a: int) -> int:
        size, position = self._scaled(a)
        if size == 1.0:
            return position
        self.builder.span = self.program.spans[a]
        if size == -1.0:
            found = self.builder.add("neg", position)
        else:
            self.writer.charge(self.sources.pop(a, ()))
            found = self.writer.join("mul", self.writer.const(size), position)
        self.builder.label(found, self.program.spans[a])
        return found

    def _write(self, a: int) -> Scaled:
        form = self.forms.pop(a)
        self.builder.span = self.program.spans[a]
        keep = self.choices.keep
        has_name = a in self.program.names
        keeps = keep is None or a in keep or has_name
        sources = () if keeps else self.writer.sources(form)
        left = NOTHING if keeps else ALL
        if self._left() >= 0 and not has_name:
            form = self._relieved(a, form)
        held = self.writer.holds
        if isinstance(form, Sum):
            size, position = self.writer.sum(form, left)
        else:
            size, position = self.writer.product(form, left)
        if has_name:  # which keeps its coefficient in any case
            self.writer.holds = held
        if not keeps and abs(size) != 1.0:
            self.sources[a] = sources or (a,)
            self.writer.carried.setdefault(position, (size, self.sources[a]))
        self.writer.sums.pop(position, None)  # others may read it
        if size == 1.0 and a not in self.without:
            self.builder.label(position, self.program.spans[a])
        self._note(a, (size, position))
        return size, position

    def _relieved(self, a: int, form: Form) -> Product:
        """The form of a node without the factor that it leaves to its readers."""
        product = self.writer.reduced(form) if isinstance(form, Sum) else form
        powers = self.writer.powers(product.factors)
        exponent = self.choices.leave[1]
        factor = self._left()
        if powers.get(factor, 0) * exponent > 0 and len(powers) > 1:
            powers[factor] -= exponent
            product.factors = [(b, e) for b, e in powers.items() if e]
            self.without.add(a)
        return product
