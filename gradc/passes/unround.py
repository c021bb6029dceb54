"""Leave the sum below a logarithm of gamma unrounded: lgamma(1 + x).

    %1 = const 1.0                    %1 = const 1.0
    %2 = add %1 %0          -->       %3 = lgamma_sum %1 %0
    %3 = lgamma %2                    out %3
    out %3

It is 0 at x = 0, where the rounding of 1 + x is most of what is left of x. So it is next
to 2, and near the poles. A sum with a number, or of two terms, is taken over by the
function, unless the domains keep it above where that matters; so are the sides of a
conditional.
"""

from __future__ import annotations

from math import frexp

from gradc.analysis.forms import NUMBER, Forms
from gradc.analysis.intervals import Intervals
from gradc.ir import Builder, Program, arguments, compact
from gradc.passes.stabilise import roots

BEYOND = 2.5  # what is above it is next to no root and no pole


def unround(program: Program) -> Program:
    """Return a program that rounds no sum with a number of which it takes lgamma."""
    nodes = program.nodes
    if "lgamma" not in program.operations or "lgamma_sum" not in program.ops:
        return program
    builder = Builder.upon(program)
    intervals = Intervals(Builder.upon(program), program.inputs)
    forms = Forms(builder, roots(program)[1], shared=0)
    new = list(range(len(nodes)))
    for i, node in enumerate(nodes):
        builder.span = program.spans[i]
        args = [new[a] for a in arguments(node)]
        if node[0] == "lgamma" and not intervals.of(node[1])[0] > BEYOND:
            new[i] = _unrounded(forms, args[0])
        elif args != list(arguments(node)):
            new[i] = builder.add(node[0], *args)
        if new[i] != i:
            builder.label(new[i], program.spans[i])
    if all(i == j for i, j in enumerate(new)):
        return program
    return compact(builder.follow(program, [new[i] for i in program.outputs]))


def _unrounded(forms: Forms, i: int) -> int:
    """The lgamma of a node, of a sum as it is before it is rounded."""
    builder = forms.builder
    op, *args = builder.nodes[i]
    if op == "where" and any(_terms(forms, a) for a in args[1:]):
        sides = [_of_sum(forms, a) for a in args[1:]]
        return builder.add("where", args[0], *sides)
    return _of_sum(forms, i)


def _of_sum(forms: Forms, i: int) -> int:
    """The same of a node that is no conditional."""
    terms = _terms(forms, i)
    if terms:
        return forms.builder.add("lgamma_sum", *terms)
    return forms.builder.add("lgamma", i)


def _terms(forms: Forms, i: int) -> tuple[int, ...]:
    """A number and the rest of a sum, or both terms; nothing if it is rounded anyway."""
    form = dict(forms.of(i))
    number = form.pop(NUMBER, 0.0)
    if not form or any(frexp(abs(c))[0] != 0.5 for c in form.values()):
        return ()
    if number:
        return forms.builder.const(number), forms.node(form)
    if len(form) != 2:
        return ()
    return tuple(forms.node({powers: c}) for powers, c in form.items())
