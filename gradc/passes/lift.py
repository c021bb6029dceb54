"""Take what both branches of a condition do out of them.

    where(c, a*x, b*x)                        -->    where(c, a, b)*x
    where(c, f(a), f(b)), with where(c, a, b) -->    f(where(c, a, b))

What is left may be a conditional that is there, and what comes out may cancel or have
factors in common with what is outside. A factor may stand anywhere in the products of
both branches, a term is one of two. Where a branch reads one side of a conditional and
the other branch does the same with its other side, both read the conditional.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from gradc.analysis.guards import ALWAYS, NEVER, Guards, place
from gradc.ir import (
    CONDITIONS,
    LAZY,
    Builder,
    Node,
    Program,
    arguments,
    compact,
    within,
)

SUMS = ("add", "sub")
PRODUCTS = ("mul", "div", "neg")
MOST = 10_000  # nodes above which a program is left as it is
ROUNDS = 3  # conditionals below one another
MOST = 10_000  # nodes above which a program is left as it is
WIDE = 8  # factors of a product that are looked at
SIGN = -1  # stands for the number -1 among factors

Factor = tuple[int, int]  # a node, and 1 where it multiplies, -1 where it divides
Bag = list[Factor]
Chosen = dict[tuple[int, int, int], int]  # by condition, branch (0 if it holds), side


def lift(program: Program) -> Program:
    """Return a program in which the branches of conditionals have less in common."""
    if "where" not in program.operations or len(program.nodes) > MOST:
        return program
    program = _Joiner(program).run()
    for _ in range(ROUNDS):
        before, program = program, _once(program)
        if program is before:
            break
    return program


class _Joiner:
    """Finds what both branches of a condition do with the sides of conditionals by it.

    Attributes:
        known: what a node is in a branch, outside of that: a conditional, or the number
            of an operation.
        numbers: of operations on what is known, all of them negative.
        doing: the nodes that do an operation, by their branch.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.guards = Guards(program)
        self.placed = place(program, self.guards)
        self.known: dict[tuple[int, int], int] = {}
        self.numbers: dict[tuple[int, int, Node], int] = {}
        self.operations: dict[int, Node] = {}
        self.doing: dict[int, dict[int, int]] = {}

    def run(self) -> Program:
        for i, node in enumerate(self.program.nodes):
            if node[0] == "where":
                self._choose(i)
            elif node[0] not in LAZY and self.placed[i] > ALWAYS:
                self._read(i)
        both = {n for n, nodes in self.doing.items() if len(nodes) == 2}
        for n in sorted(both, reverse=True):  # those that others read come first
            args = arguments(self.operations[n])
            if any(a <= NEVER and a not in both for a in args):
                both.discard(n)
        return self._written(both) if both else self.program

    def _choose(self, i: int) -> None:
        """Note that a conditional is one of its sides in each branch."""
        _, condition, *sides = self.program.nodes[i]
        for side, branch in zip(sides, (True, False)):
            inner = self.guards.child(self.placed[i], condition, branch)
            if self.placed[i] != NEVER and self.placed[side] == inner:
                self.known.setdefault((inner, side), i)

    def _read(self, i: int) -> None:
        """Number what a node of a branch does, if it could be done outside."""
        node, guard = self.program.nodes[i], self.placed[i]
        args = [self.known.get((guard, a), a) for a in arguments(node)]
        if args == [*arguments(node)] or len(self.guards.members[guard]) > 1:
            return
        if any(a >= 0 and self.placed[a] == guard for a in args):
            return
        operation = (node[0], *args)
        condition, _ = self.guards.literal[guard]
        key = self.guards.enclosing[guard], condition, operation
        n = self.numbers.setdefault(key, NEVER - 1 - len(self.numbers))
        self.operations[n] = operation
        self.known.setdefault((guard, i), n)
        self.doing.setdefault(n, {}).setdefault(guard, i)

    def _written(self, both: Iterable[int]) -> Program:
        """The program in which operations are done before the condition."""
        program, builder = self.program, Builder(self.program.ops)
        number = {i: n for n in both for i in self.doing[n].values()}
        new: dict[int, int] = {}
        for i in range(len(program.nodes)):
            if i in number:
                op, *args = self.operations[number[i]]
                builder.span = program.spans[i]
                new[i] = builder.add(op, *[new[a] for a in args])
                new[number[i]] = new[i]
                if i in program.hints:
                    builder.hints.setdefault(new[i], program.hints[i])
            else:
                new[i] = builder.copy(program, i, new)
        return compact(builder.follow(program, [new[i] for i in program.outputs]))


def _once(program: Program) -> Program:
    """Take factors and terms out of all conditionals."""
    nodes = program.nodes
    uses = Counter(program.outputs)
    for node in nodes:
        uses.update(arguments(node))
    builder = Builder(program.ops)
    new: list[int] = []
    chosen: Chosen = {}
    lifted = False
    for i, node in enumerate(nodes):
        found = None
        if node[0] == "where" and nodes[node[2]][0] not in CONDITIONS:
            builder.span = within(program.spans[i])
            found = _lifted(builder, program, i, uses, new, chosen)
            for branch, side in enumerate(node[2:]):
                chosen.setdefault((node[1], branch, side), i)
        if found is None:
            new.append(builder.copy(program, i, new))
            continue
        new.append(found)
        lifted = True
        builder.label(found, program.spans[i])
        if i in program.names:
            builder.name(found, program.names[i])
        if i in program.hints:
            builder.hints.setdefault(found, program.hints[i])
    if not lifted:
        return program
    return compact(builder.follow(program, [new[i] for i in program.outputs]))


def _lifted(
    builder: Builder,
    program: Program,
    i: int,
    uses: Mapping[int, int],
    new: list[int],
    chosen: Chosen,
) -> int | None:
    """A conditional without what its branches share; None if that is nothing.

    Branches that something else reads as well keep their work, so the conditional that
    is left has to be there.

    Arguments:
        chosen: the conditionals before this one.
    """
    _, asked, *sides = program.nodes[i]
    condition = new[asked]
    alone = all(uses[a] == 1 for a in sides)
    (op, *left), (other, *right) = (program.nodes[a] for a in sides)
    if op in SUMS and op == other:
        for k in (0, 1):
            if left[k] == right[k]:
                inner = new[left[1 - k]], new[right[1 - k]]
                rest = _choice(builder, condition, *inner, alone)
                if rest is not None:
                    both = (new[left[k]], rest) if k == 0 else (rest, new[left[k]])
                    return builder.add(op, *both)
    if op not in PRODUCTS or other not in PRODUCTS:
        return None
    for opens in (False, True):
        bags = [
            [
                (chosen.get((asked, branch, f), f), e)
                for f, e in _bag(program, a, uses, opens)
            ]
            for branch, a in enumerate(sides)
        ]
        common = Counter(bags[0]) & Counter(bags[1])
        rests = [[*(Counter(bag) - common).elements()] for bag in bags]
        if not any(rests):
            return _product(builder, bags[0], new)
        if _is_shared(common, rests, alone):
            break
    else:
        return None
    yes, no = (_product(builder, rest, new) for rest in rests)
    found = _choice(builder, condition, yes, no, alone)
    if found is not None:
        for f, e in sorted(common.elements(), key=lambda factor: -factor[1]):
            if f == SIGN:
                found = builder.add("neg", found)
            else:
                found = builder.add("mul" if e > 0 else "div", found, new[f])
    return found


def _is_shared(common: Iterable[Factor], rests: list[Bag], alone: bool) -> bool:
    """Whether two products share a factor, and each has another one."""
    bags = [common, *rests]
    if not all(any(f != SIGN for f, _ in bag) for bag in bags):
        return False
    return alone or all(len(rest) == 1 for rest in rests)


def _choice(
    builder: Builder, condition: int, yes: int, no: int, alone: bool
) -> int | None:
    """A conditional between two sides; None if it is not there and may not be new."""
    nodes = builder.nodes
    if nodes[yes][:2] == ("where", condition):
        yes = nodes[yes][2]
    if nodes[no][:2] == ("where", condition):
        no = nodes[no][3]
    if alone or builder.find("where", condition, yes, no) is not None:
        return builder.add("where", condition, yes, no)
    return None


def _bag(program: Program, i: int, uses: Mapping[int, int], opens: bool) -> Bag:
    """The factors of a product, and of the products that only it reads.

    With `opens` those of its own factors, too, whoever reads these.
    """
    bag: Bag = []
    todo = [(i, 1)]
    minus = False
    for a, e in todo:
        op, *args = program.nodes[a]
        inner = opens and a in arguments(program.nodes[i])
        if a != i and ((uses[a] > 1 and not inner) or len(todo) > WIDE):
            op = ""
        if op == "neg":
            minus = not minus
            todo.append((args[0], e))
        elif op in PRODUCTS:
            todo += [(args[0], e), (args[1], e if op == "mul" else -e)]
        else:
            bag.append((a, e))
    return [*bag, (SIGN, 1)] if minus else bag


def _product(builder: Builder, bag: Bag, new: list[int]) -> int:
    """Write a product, first what multiplies."""
    above = [new[f] for f, e in bag if e > 0 and f != SIGN]
    found = above[0] if above else builder.const(1.0)
    for f in above[1:]:
        found = builder.add("mul", found, f)
    for f, e in bag:
        if e < 0:
            found = builder.add("div", found, new[f])
    return builder.add("neg", found) if (SIGN, 1) in bag else found
