# CORE (the lead) is rewriting gather, dissolve, factor, terms and share as one pass
# right now: nobody else edits these five files.
"""Gather sums and products into n-ary forms, and write them out again with less work.

    %0 = input x                     %0 = input x
    %1 = input y                     %1 = input y
    %2 = mul %0 %1                   %2 = const 2.0
    %3 = const 2.0          -->      %3 = mul %0 %1
    %4 = mul %3 %0                   %4 = add %1 %2
    %5 = add %2 %4                   %5 = mul %0 %4
    out %5                           out %5

`decide` makes conditionals fewer, `dissolve` reads nodes into the forms of
their readers, `factor` writes the forms out, `share` finds what products have in common;
what is chosen here is what they do.

A coefficient may stay in a shared node or be left to its readers, where it meets
others. So may a factor or divisor that many products hold: where sums of such products
read them, it is multiplied by once. A node with a name may be opened like any other.
All are tried, and the cheapest program is returned.

The square of a root is what stands below the root only where the value takes the root
as well, for it must stay undefined where the formula is.

These are identities of real arithmetic: the last bits may differ from the formula as
written, so `strict` compilation leaves the pass out.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import compress
from typing import NamedTuple

from gradc.ir import LAZY, Node, Program, arguments, compact, cost, live
from gradc.passes.decide import decide
from gradc.passes.dissolve import NO_FACTOR, Choices, Factor, Gatherer
from gradc.passes.share import share

MOST = 5_000  # nodes above which every shared node keeps its coefficient
FEW = 1_000  # nodes up to which it is tried to leave factors to the readers as well
MANY = 3  # shared products that have to hold such a factor
LEFT = 12
TRIED = 1_000  # nodes that are gathered again for that
PROMISING = 1.1  # of its cost a way may cost at most before its products share
WIDE = 24  # factors up to which products and sums are looked into
TRIALS = 2  # how often it is tried to leave coefficients to the readers


class _Way:
    """A gathered program, which is judged by what it costs when its products share."""

    def __init__(self, program: Program) -> None:
        self.program = program

    @cached_property
    def shared(self) -> Program:
        """The program, its products sharing factors."""
        return share(self.program)

    @cached_property
    def cost(self) -> float:
        """What the shared program costs."""
        return cost(self.shared.nodes)


def gather(program: Program, search: bool = True) -> Program:
    """Return a program of the same real function, with fewer operations.

    Sums are gathered once more with the products that `share` finds in the result, if
    they have other factors in common then. Factors that sums have in common are left in
    products that are there, or taken out all the same, whichever is cheaper.

    Where coefficients are so large that they add up to none, nothing is done.

    Arguments:
        search: whether to try which factors products had better leave to their readers.
    """
    found = _found(program)
    if search and len(program.nodes) <= FEW:
        found = _relieved(found)
    result = _met(found).program if len(program.nodes) <= MOST else found.program
    is_lost = ("const", math.inf) in result.nodes and (
        "const",
        math.inf,
    ) not in program.nodes
    return program if is_lost else result


def _found(program: Program) -> _Way:
    """A program gathered without a search; small ones, which are tried, only once."""
    return _gathered_both(program)


def _gathered_both(program: Program) -> _Way:
    """Gather, with factors in common left in products that are there, and taken out."""
    small = len(program.nodes) <= MOST
    if small and not LAZY.isdisjoint(program.operations):
        program = compact(decide(program))
    plain = len(program.nodes) > MOST
    begun = _begun(program, Choices(squares=True, reuse=small, plain=plain))
    found, reused = _gathered(begun)
    if reused:
        other, _ = _gathered(_without_reuse(program, begun))
        found = _cheapest(found, other)
    return found


def _cheapest(*ways: _Way) -> _Way:
    return ways[0] if len(ways) == 1 else min(ways, key=lambda way: way.cost)


class _Begun(NamedTuple):
    """A program gathered once; `same` says that it would be so without reuse, too."""

    way: _Way
    reused: bool
    choices: Choices
    same: bool


def _begun(program: Program, choices: Choices) -> _Begun:
    """Gather, with squares of roots left as they are if the value would lose a root."""
    way, reused = _collected(program, choices)
    same = not reused
    roots = 0 if choices.plain else _roots(program)
    if roots and _roots(way.program) < roots:
        choices = choices._replace(squares=False)
        way, reused = _collected(program, choices)
        same = same and not reused
    return _Begun(way, reused, choices, same)


def _without_reuse(program: Program, begun: _Begun) -> _Begun:
    """The same with factors in common taken out."""
    if begun.same:
        return begun._replace(choices=begun.choices._replace(reuse=False))
    return _begun(program, begun.choices._replace(squares=True, reuse=False))


def _gathered(begun: _Begun) -> tuple[_Way, bool]:
    """Gather once more with the products that are shared then.

    Returns:
        The cheaper of the two ways; whether products that were there were used in place
        of a factor in common.
    """
    found, reused, choices, _ = begun
    if choices.plain:
        return found, reused
    again, more = _collected(found.shared, choices._replace(opens=True))
    if again.program.nodes == found.program.nodes:
        return found, reused or more
    return _cheapest(found, again), reused or more


def _collected(program: Program, choices: Choices) -> tuple[_Way, bool]:
    """Choose which shared nodes keep their coefficient.

    A coefficient that a node leaves to its readers meets others there, or is paid for.
    Nodes that are to blame for more than one payment keep theirs.
    """
    found: list[_Way] = []
    keep: frozenset[int] | None = None
    reused = False
    for _ in range(1 if choices.plain else 1 + TRIALS):
        gatherer = Gatherer(program, choices._replace(keep=keep))
        gathered = gatherer.run()
        reused |= gatherer.writer.reused
        if all(gathered.nodes != other.program.nodes for other in found):
            found.append(_Way(gathered))
        blamed = {i for i, n in gatherer.writer.blame.items() if n > 1.0}
        if not (gatherer.writer.holds if keep is None else blamed):
            break
        keep = frozenset() if keep is None else keep | blamed
    return _cheapest(*found), reused


def _relieved(way: _Way) -> _Way:
    """Let products leave what many of them hold to what reads them, while that saves.

    Where these are sums of such products, the factor is multiplied by once. The first
    factor that saves is taken, and the search begins again; it ends after TRIED nodes.
    """
    tried, searching = 0, True
    seen = {way.program.nodes}
    while searching:
        searching = False
        squares = _roots(way.shared) == 0
        for factor in _frequent(way.shared):
            tried += len(way.shared.nodes)
            if tried > TRIED:
                break
            choices = Choices(squares, reuse=True, opens=True, leave=factor)
            found = _Way(Gatherer(way.shared, choices).run())
            if found.program.nodes in seen:
                continue
            seen.add(found.program.nodes)
            if (
                cost(found.program.nodes) > PROMISING * way.cost
                or found.cost >= way.cost
            ):
                continue
            other = _collected(found.shared, choices._replace(leave=NO_FACTOR))[0]
            way, searching = _cheapest(found, other), True
            break
    return way


def _met(way: _Way) -> _Way:
    """Let products leave a coefficient that meets its inverse where they are read."""
    nodes = way.shared.nodes
    uses = _uses(way.shared)
    meeting = _meeting(nodes, uses)
    if not meeting:
        return way
    keep = frozenset(i for i, n in uses.items() if n > 1) - meeting
    squares = _roots(way.shared) == 0
    choices = Choices(squares, reuse=True, opens=True, keep=keep)
    return _cheapest(way, _Way(Gatherer(way.shared, choices).run()))


def _meeting(nodes: Sequence[Node], uses: Mapping[int, int]) -> set[int]:
    """The shared products c*x that stand in a sum which 1/c multiplies."""
    sizes = [1.0] * len(nodes)  # of constants, and the coefficients of products
    for i, (op, *args) in enumerate(nodes):
        if op == "const":
            sizes[i] = abs(args[0])
        elif op in ("mul", "div"):
            for a in args[: 2 if op == "mul" else 1]:
                if uses[a] == 1 or nodes[a][0] == "const":
                    sizes[i] *= sizes[a]
    found: set[int] = set()
    outside = [1.0] * len(nodes)  # the coefficient before a sum
    for i in range(len(nodes) - 1, -1, -1):
        op, *args = nodes[i]
        for a, b in zip(args, reversed(args)) if op in ("add", "sub", "mul") else ():
            if nodes[a][0] in ("add", "sub") and uses[a] == 1:
                outside[a] = sizes[b] if op == "mul" else outside[i]
            elif op != "mul" and uses[a] > 1 and sizes[a] * outside[i] == 1.0:
                if sizes[a] != 1.0 and nodes[a][0] != "const":
                    found.add(a)
    return found


def _uses(program: Program) -> Counter[int]:
    """How often each node is read."""
    uses = Counter(program.outputs)
    for node in program.nodes:
        uses.update(arguments(node))
    return uses


def _frequent(program: Program) -> list[Factor]:
    """The factors and divisors that products had better leave to their readers.

    At least MANY products that are read more than once hold them, or they meet what one
    of these holds where it is read.
    """
    nodes, uses = program.nodes, _uses(program)
    held: Counter[Factor] = Counter()
    for i, node in enumerate(nodes):
        if uses[i] > 1 and node[0] in ("mul", "div"):
            second = 1 if node[0] == "mul" else -1
            factors = (node[1], 1), (node[2], second)
            held.update(f for f in factors if nodes[f[0]][0] != "const")
    found = {f: n for f, n in held.items() if n >= MANY}
    for f, n in _meetings(nodes, uses).items():
        found[f] = max(n, found.get(f, 0))
    ranked = sorted(found, key=lambda factor: (-found[factor], factor))
    return ranked[:LEFT]


def _meetings(nodes: Sequence[Node], uses: Mapping[int, int]) -> Counter[Factor]:
    """What shared products hold, and how often it meets others where they are read.

    A factor meets itself in another term of a sum, its inverse in another factor of a
    product.
    """
    found: Counter[Factor] = Counter()
    products: dict[int, tuple[set[Factor], set[Factor]]] = {}  # all, and what is shared
    sums: dict[int, tuple[Counter[Factor], set[Factor]]] = {}  # that one sum reads
    for i, (op, *args) in enumerate(nodes):
        if op in ("mul", "div"):
            held, shared = set[Factor](), set[Factor]()
            for a, sign in zip(args, (1, 1 if op == "mul" else -1)):
                if nodes[a][0] != "const":
                    held.add((a, sign))
                if a in products:
                    more, others = products[a]
                    held.update((b, e * sign) for b, e in more)
                    shared.update((b, e * sign) for b, e in others)
            for f, e in shared:
                if (f, -e) in held:
                    found[f, e] += 1
                    found[f, -e] += 1
            if len(held) <= WIDE:
                products[i] = held, held if uses[i] > 1 else shared
        elif op in ("add", "sub"):
            terms, inside = Counter[Factor](), set[Factor]()
            for a in args:
                if a in sums:
                    counted, others = sums.pop(a)
                    terms += counted
                    inside |= others
                elif a in products:
                    held, shared = products[a]
                    terms.update(held)
                    inside |= shared
            found.update(f for f in inside if terms[f] > 1)
            if uses[i] == 1 and len(terms) <= WIDE:
                sums[i] = terms, inside
    return found


def _roots(program: Program) -> int:
    """How many roots the value takes; it is undefined where they are."""
    nodes = program.nodes
    values = program.outputs[: program.count]
    taken = live(nodes[: program.last + 1], values)
    roots = 0
    for node in compress(nodes, taken):
        if node[0] == "pow":
            exponent = nodes[node[2]]
            roots += exponent[0] == "const" and exponent[1] % 1 != 0.0
        else:
            roots += node[0] == "sqrt"
    return roots
