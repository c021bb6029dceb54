"""Drop the conditionals whose condition is known where they stand.

    where(x > 0, where(x > 0, a, b), c)    -->    where(x > 0, a, c)

The inner one stands in a branch that its own condition leads to, so what it chooses is
certain and the other side is needed nowhere. The same for `and` and `or`. A node in
such a branch that reads a conditional from outside reads the side that it is there; one
that computes what all paths have by such a conditional is that.

    u*where(x > 0, a, b) + where(x > 0, f(u*a), c), with r = u*where(x > 0, a, b)
        -->    r + where(x > 0, f(r), c)

    where(r == 0, 0, a*x/r), with r = hypot(x, y)    -->    a*x/r

The derivative of a length asks whether that is 0, which it need not where the length is
divided by on every path, or what is 0 with it: Python raises then, and a derivative
that is computed again in numbers without bounds has 0/0 as 0. Nor need anything that
the formula does not ask itself be 0 where a number is by which every path divides.

    where(n == 0, 0, n*x^(n - 1)) + 1/n    -->    n*x^(n - 1) + 1/n
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gradc.analysis.guards import ALWAYS, NEVER, Guards, place
from gradc.ir import LAZY, Adjoint, Node, Program, arguments

_NONE = type(None)  # the span of what is tested before a function returns
_EQUAL = frozenset({"eq", "ne"})
ARITHMETIC = frozenset({"add", "sub", "mul", "div", "neg"})
FEW = 8  # lengths that are followed through one node
# What is 0 where its arguments are.
VANISHING = frozenset({"add", "sub", "mul", "div", "neg", "sqrt", "pow", "hypot"})


def decide(program: Program, plain: bool = False) -> tuple[Program, Guards, list[int]]:
    """Let what reads a conditional that is decided read the side it takes.

    Positions stay; nodes that nothing reads any more are left in place.

    Arguments:
        program: any program.
        plain: whether the guards know nothing about what decisions imply.

    Returns:
        The program, its guards, and the guard of each of its nodes.
    """
    while True:
        guards = Guards(program, plain)
        placed = place(program, guards)
        decided = _once(program, guards, placed)
        if decided is program:
            return program, guards, placed
        program = decided


def _once(program: Program, guards: Guards, placed: Sequence[int]) -> Program:
    taken: dict[int, int] = {}  # what a decided node comes to
    if not guards.lazy:
        return program
    lengths = _divided(program, placed)
    divisors = _divisors(program, placed) if _EQUAL & program.operations else set()
    for i in guards.lazy:
        node = program.nodes[i]
        side = _side(i, node, guards, placed[i])
        if lengths and _asks(program, i, lengths):
            side = node[3]
        if side == i and divisors and program.spans[i].__class__ in (Adjoint, _NONE):
            side = _nonzero(program, i, divisors)
        if side != i:
            taken[i] = taken.get(side, side)
    shared = _shared(program, placed)
    for i, guard in enumerate(placed) if shared else ():
        for r, a, side in (
            shared.get(_key(program.nodes[i]), ()) if guard > ALWAYS else ()
        ):
            if r < i and _side(a, program.nodes[a], guards, guard) == side:
                taken[i] = r
    nodes = [*program.nodes]
    if taken:
        nodes = [_taking(node, taken) for node in nodes]
    for i, guard in enumerate(placed):
        if guard > ALWAYS and nodes[i][0] not in LAZY:
            nodes[i] = _read(program, nodes[i], guards, guard)
    outputs = tuple(taken.get(i, i) for i in program.outputs)
    if outputs == program.outputs and nodes == [*program.nodes]:
        return program
    return replace(program, nodes=nodes, outputs=outputs)


def _taking(node: Node, taken: Mapping[int, int]) -> Node:
    """A node that reads what decided nodes come to."""
    if taken.keys().isdisjoint(arguments(node)):
        return node
    return (node[0], *(taken.get(a, a) for a in node[1:]))


def _read(program: Program, node: Node, guards: Guards, guard: int) -> Node:
    """A node in a branch, the conditionals it reads replaced by what they are to it."""
    op, *args = node
    for k, a in enumerate(arguments(node)):
        if program.nodes[a][0] == "where":
            args[k] = _side(a, program.nodes[a], guards, guard)
    return (op, *args)


def _shared(
    program: Program, placed: Sequence[int]
) -> dict[Node, list[tuple[int, int, int]]]:
    """What all paths compute by a conditional, as it would be written on each side.

    By the form on one side: the node, the conditional, and that side.
    """
    found: dict[Node, list[tuple[int, int, int]]] = {}
    for i, (node, guard) in enumerate(zip(program.nodes, placed)):
        if guard != ALWAYS or node[0] not in ARITHMETIC:
            continue
        for a in {*node[1:]}:
            if program.nodes[a][0] == "where":
                for side in program.nodes[a][2:]:
                    form = (node[0], *(side if b == a else b for b in node[1:]))
                    found.setdefault(_key(form), []).append((i, a, side))
    return found


def _key(node: Node) -> Node:
    """A node, its arguments in one order where they have none."""
    return (node[0], *sorted(node[1:])) if node[0] in ("add", "mul") else node


def _side(i: int, node: Node, guards: Guards, guard: int) -> int:
    """The argument that a lazy node under a guard comes to; itself if not certain."""
    op, condition = node[:2]
    holds = guards.child(guard, condition, False) == NEVER
    if not holds and guards.child(guard, condition, True) != NEVER:
        return i
    if op == "where":
        return int(node[2] if holds else node[3])
    return int(node[2] if holds == (op == "and") else condition)


def _divided(program: Program, placed: Sequence[int]) -> set[int]:
    """Lengths that are not 0 where Python does not raise.

    A divisor on every path is 0 where they are.
    """
    nodes = program.nodes
    if "hypot" not in program.operations:
        return set()
    lengths = [i for i, node in enumerate(nodes) if node[0] == "hypot"]
    zeros = _zeros(nodes, lengths)
    divisors = (
        node[2]
        for node, guard in zip(nodes, placed)
        if node[0] == "div" and guard == ALWAYS
    )
    return {length for i in divisors for length in zeros.get(i, ())}


def _divisors(program: Program, placed: Sequence[int]) -> set[int]:
    """What every path divides by, and the factors of that; and reciprocals."""
    nodes = program.nodes
    found = set()
    for i, (node, guard) in enumerate(zip(nodes, placed)):
        if node[0] == "div":
            if guard == ALWAYS:
                found.add(node[2])
            op, *size = nodes[node[1]]
            if op == "const" and abs(size[0]) >= 1.0:
                found.add(i)
    stack = [*found]
    while stack:
        op, *args = nodes[stack.pop()]
        if op in ("mul", "neg", "abs", "sqrt"):
            new = set(args) - found
            found |= new
            stack += new
    return found


def _nonzero(program: Program, i: int, divisors: set[int]) -> int:
    """The side of a conditional that is 0 if one of some numbers is, where none is."""
    nodes = program.nodes
    op, condition, *sides = nodes[i]
    asked, *args = nodes[condition]
    if op != "where" or asked not in _EQUAL or args[0] not in divisors:
        return i
    zero, other = sides if asked == "eq" else reversed(sides)
    return int(other) if nodes[zero] == nodes[args[1]] == ("const", 0.0) else i


def _zeros(nodes: Sequence[Node], lengths: Sequence[int]) -> dict[int, set[int]]:
    """For a node the lengths, of a few, where it is 0 because these are."""
    found: dict[int, set[int]] = {}
    for i in lengths:
        for a in (i, *nodes[i][1:]):
            found.setdefault(a, set()).add(i)
    for i, node in enumerate(nodes):
        if node[0] in VANISHING and not found.keys().isdisjoint(arguments(node)):
            zero = _zero(node, nodes, [found.get(a, set()) for a in node[1:]])
            if len(zero) <= FEW:
                found.setdefault(i, set()).update(zero)
    return found


def _zero(node: Node, nodes: Sequence[Node], of: Sequence[set[int]]) -> set[int]:
    """The lengths where a node is 0, from those where its arguments are."""
    if node[0] == "mul":
        return of[0] | of[1]
    if node[0] == "div":
        return of[0]
    if node[0] == "pow":
        exponent = nodes[node[2]]
        return of[0] if exponent[0] == "const" and exponent[1] > 0.0 else set()
    return of[0].intersection(*of[1:])


def _asks(program: Program, i: int, lengths: set[int]) -> bool:
    """Whether a node is the derivative of one of some lengths, 0 where that is 0."""
    nodes = program.nodes
    if nodes[i][0] != "where" or not isinstance(program.spans[i], Adjoint):
        return False
    _, condition, zero, side = nodes[i]
    op, numerator, length = nodes[side] if nodes[side][0] == "div" else ("", -1, -1)
    if length not in lengths or nodes[zero] != ("const", 0.0):
        return False
    if nodes[condition] not in (("eq", length, zero), ("eq", zero, length)):
        return False
    factors = nodes[numerator][1:] if nodes[numerator][0] == "mul" else (numerator,)
    return not set(factors).isdisjoint(nodes[length][1:])
