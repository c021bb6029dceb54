"""Write a difference of squares as a product: x^2 - y^2 is (x - y)*(x + y).

    %2 = pow %0 %1                  %2 = sub %0 %3
    %4 = sub %2 %3          -->     %4 = add %0 %3
                                    %5 = mul %2 %4

Where x is near y, the rounding of the squares is most of their difference; that of x - y
and x + y is not. This holds of inputs and of constants with an exact root, which carry
no rounding of their own; 1 - v^2/c^2 is (c - v)/c*((c + v)/c). Where the domains keep the
squares so far apart that they lose no more than the product, they stay. The pass runs
behind `derive`, since 2*x is the better partial.
"""

from __future__ import annotations

import math

from gradc.analysis.forms import NUMBER, PRODUCTS, SUMS, Form, Forms, Powers, times
from gradc.analysis.ranges import Ranges
from gradc.ir import Builder, Node, Program, arguments, compact
from gradc.passes.stabilise import roots

# The product has three roundings. So have squares if one is at most this share of the
# other, which is exact or has a rounding of its own.
OF_EXACT = 2.0 / 3.0
OF_ROUNDED = 1.0 / 3.0
MOST = 100_000  # nodes above which a program is left as it is


def squares(program: Program) -> Program:
    """Return a program of the same real function that keeps more digits."""
    candidates = _candidates(program) if len(program.nodes) <= MOST else set()
    if not candidates:
        return program
    builder = Builder.upon(program)
    outermost, single = roots(program)
    forms = Forms(builder, single, shared=0)
    ranges = Ranges(builder, program.inputs)
    new = list(range(len(program.nodes)))
    for i, node in enumerate(program.nodes):
        args = arguments(node)
        builder.span = program.spans[i]
        found = None
        if i in candidates and outermost[i] and not _apart(ranges, node):
            found = _factored(forms, i)
        if found is not None:
            new[i] = found
        elif any(new[a] != a for a in args):
            new[i] = builder.add(node[0], *[new[a] for a in args])
        builder.label(new[i], program.spans[i])
        if new[i] != i and i in program.names:
            builder.name(new[i], builder.names.pop(i))
    if all(i == j for i, j in enumerate(new)):
        return program
    return compact(builder.follow(program, [new[i] for i in program.outputs]))


def _candidates(program: Program) -> set[int]:
    """The sums in which a square of an input, times something, is a term."""
    nodes = program.nodes
    terms: set[int] = set()
    found: set[int] = set()
    for i, node in enumerate(nodes):
        op = node[0]
        if op in SUMS:
            if terms:  # large programs have none for long
                _, a, b = node
                if a in terms or b in terms or a in found or b in found:
                    found.add(i)
        elif op == "pow" or (op == "mul" and node[1] == node[2]):
            if nodes[node[1]][0] == "input":
                terms.add(i)
        elif terms and op in PRODUCTS and not terms.isdisjoint(node[1:]):
            terms.add(i)
    return found


def _apart(ranges: Ranges, node: Node) -> bool:
    """Whether one term of a sum is always so small that the squares may stay."""
    _, *args = node
    for small, large in (args, args[::-1]):
        low, high = ranges.of(large)
        is_exact = ranges.nodes[large][0] == "const"
        least = max(low, -high, 0.0) * (OF_EXACT if is_exact else OF_ROUNDED)
        if least and max(map(abs, ranges.of(small))) <= least:
            return True
    return False


def _factored(forms: Forms, i: int) -> int | None:
    """A difference of two squares as a product, None if the sum is no such.

    With what both terms have in common outside: x^2/2 - y^2/2 is (x - y)*(x + y)/2.
    """
    form = forms.of(i)
    if len(form) != 2 or not max(form.values()) > 0.0 > min(form.values()):
        return None
    below = {pair for powers in form for pair in powers if pair[1] < 0}
    if any(e != -2 or not _is_input(forms, base) for base, e in below):
        return None
    around = tuple(sorted(below))
    first, second = form
    common = tuple(pair for pair in first if pair in second and pair not in below)
    outside = times(around, common)
    scales = (1.0, abs(form[first if first != common else second]))
    for scale in scales:
        sides = _sides(forms, form, outside, scale)
        if sides is not None:
            break
    else:
        return None
    x, y = sides
    add = forms.builder.add
    less, more = add("sub", x, y), add("add", x, y)
    if around:  # in quotients, whose product overflows no sooner than the squares
        whole = forms.product(1.0, tuple((base, 1) for base, _ in around))
        less, more = add("div", less, whole), add("div", more, whole)
    whole = add("mul", less, more)
    if scale == 1.0 and not common:
        return whole
    return add("mul", forms.product(scale, common), whole)


def _sides(
    forms: Forms, form: Form, around: Powers, scale: float
) -> tuple[int, int] | None:
    """The roots of the two terms without what is around them, the positive one first."""
    sides: dict[bool, int] = {}
    for powers, c in form.items():
        side = _root(forms, abs(c) / scale, times(powers, around, -1))
        if side is None:
            return None
        sides[c > 0.0] = side
    return sides[True], sides[False]


def _root(forms: Forms, c: float, powers: Powers) -> int | None:
    """The root of a term as a node, None unless it is exact."""
    root = math.sqrt(c)
    if powers == NUMBER:
        return forms.builder.const(root) if root * root == c else None
    if math.frexp(c)[0] != 0.5 or math.frexp(root)[0] != 0.5 or len(powers) != 1:
        return None
    ((base, e),) = powers
    if e != 2 or not _is_input(forms, base):
        return None
    return forms.product(root, ((base, 1),))


def _is_input(forms: Forms, base: int) -> bool:
    return bool(forms.builder.nodes[base][0] == "input")
