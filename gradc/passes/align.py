"""Write products that differ by a constant alone as multiples of one node.

    %2 = neg %0                     %3 = mul %0 %1
    %3 = mul %2 %1                  %4 = neg %3
    %4 = exp %3              -->    %5 = exp %4
    %5 = mul %0 %1

So exp(-k*t)*(1 + k*t) is a function of k*t, in whose powers it has a series, and
cos(pi*b*t) vanishes where 2*b*t is 1. What stands below a line may be among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gradc.ir import Builder, Node, Program, arguments, compact, within

CONSTANTS = ("const", "pi", "e")
MOST = 16  # factors of a product at the most


class Multiple(NamedTuple):
    """A product: its constants, the sorted other factors, and whether it is negated.

    `divisors` are what it is divided by, in order.
    """

    constants: tuple[int, ...]
    factors: tuple[int, ...]
    negated: bool
    divisors: tuple[int, ...] = ()


def align(program: Program) -> Program:
    """Return a program of the same real function that shares more products."""
    multiples = _multiples(program)
    chosen = _differing(program, multiples)
    if not chosen:
        return program
    builder = Builder.upon(program)
    new = list(range(len(program.nodes)))
    for i, node in enumerate(program.nodes):
        builder.span = within(program.spans[i])
        args = arguments(node)
        if i in chosen:
            new[i] = _written(builder, multiples[i], new)
        elif any(new[a] != a for a in args):
            new[i] = builder.add(node[0], *[new[a] for a in args])
        builder.label(new[i], program.spans[i])
        if new[i] != i and i in program.names:
            builder.name(new[i], builder.names.pop(i))
    return compact(builder.follow(program, [new[i] for i in program.outputs]))


def _multiples(program: Program) -> list[Multiple]:
    """What every node is as a product, by itself if it is none."""
    found: list[Multiple] = []
    for i, node in enumerate(program.nodes):
        parts = [found[a] for a in arguments(node)]
        whole = Multiple((), (i,), False)
        if node[0] == "mul":
            x, y = parts
            factors = tuple(sorted(x.factors + y.factors))
            sign, below = x.negated != y.negated, x.divisors + y.divisors
            multiple = Multiple(x.constants + y.constants, factors, sign, below)
            is_short = len(multiple.constants) + len(factors) <= MOST
            found.append(multiple if is_short else whole)
        elif node[0] == "neg":
            found.append(parts[0]._replace(negated=not parts[0].negated))
        elif _is_opened(node, parts):
            below = *parts[0].divisors, node[2]
            found.append(parts[0]._replace(divisors=below))
        elif node[0] in CONSTANTS:
            found.append(Multiple((i,), (), False))
        else:
            found.append(whole)
    return found


def _is_opened(node: Node, parts: Sequence[Multiple]) -> bool:
    """Whether a node is a product over what is no constant."""
    return node[0] == "div" and bool(parts[0].factors and parts[1].factors)


def _differing(program: Program, multiples: list[Multiple]) -> set[int]:
    """The largest products whose factors others have with other constants."""
    nodes = program.nodes
    inner: set[int] = set()
    read: set[int] = set()
    for node in nodes:
        args = arguments(node)
        opened = _is_opened(node, [multiples[a] for a in args])
        count = 1 if opened else len(args) if node[0] in ("mul", "neg") else 0
        inner.update(args[:count])
        read.update(args[count:])
    alike: dict[tuple[tuple[int, ...], ...], list[int]] = {}
    for i, (_, factors, _, below) in enumerate(multiples):
        if len(factors + below) > 1 and (i in read or i not in inner):
            alike.setdefault((factors, below), []).append(i)
    cores = _cores(nodes, multiples)
    apart = (group for group in alike.values() if len({cores[i] for i in group}) > 1)
    return {i for group in apart for i in group}


def _cores(nodes: Sequence[Node], multiples: Sequence[Multiple]) -> list[int]:
    """Of what every node is a multiple as it is written."""
    found: list[int] = []
    for i, node in enumerate(nodes):
        free = [a for a in arguments(node) if multiples[a].factors]
        is_multiple = node[0] in ("mul", "neg") and len(free) == 1
        found.append(found[free[0]] if is_multiple else i)
    return found


def _written(builder: Builder, multiple: Multiple, new: list[int]) -> int:
    """A product with its constants in front."""
    first, *others = multiple.factors
    product = new[first]
    for factor in others:
        product = builder.add("mul", product, new[factor])
    for divisor in multiple.divisors:
        product = builder.add("div", product, new[divisor])
    for constant in multiple.constants:
        product = builder.add("mul", constant, product)
    return builder.add("neg", product) if multiple.negated else product
