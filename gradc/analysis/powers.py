"""Products as leaves with whole exponents, and what becomes of the roots in them.

product := (leaf, whole exponent)*
leaf    := a node that is no product, quotient or whole power
"""

from __future__ import annotations

from collections.abc import Sequence

from gradc.ir import Builder

Product = list[tuple[int, int, bool]]  # leaf, exponent, has it stood below?
Powers = dict[int, int]  # leaves and their exponents

HIGHEST = 8  # exponent that is a product


def has_pole(builder: Builder, leaf: int) -> bool:
    """Whether a leaf is the root of a quotient."""
    op, *args = builder.nodes[leaf]
    return op == "sqrt" and any(e < 0 for _, e, _ in product(builder, args[0]))


def rooted(builder: Builder, powers: Powers) -> Powers:
    """A product in which roots are multiplied: sqrt(u)^2 is u.

    And u/sqrt(u) is sqrt(u), sqrt(u*w)*sqrt(u/w) the size of u.
    """
    powers = _raised(builder, powers)
    whole: Powers = {}
    roots: Powers = {}
    halves: Powers = {}
    radicands: list[Product] = []
    for leaf, exponent in powers.items():
        op, *args = builder.nodes[leaf]
        squares = int(exponent / 2) if op == "sqrt" else 0
        rest = exponent - 2 * squares
        for part, power, _ in product(builder, args[0]) if op == "sqrt" else ():
            whole[part] = whole.get(part, 0) + power * squares
            halves[part] = halves.get(part, 0) + power * rest
        if rest and op == "sqrt":
            radicands.append(product(builder, args[0]))
        if rest:
            (roots if op == "sqrt" else whole)[leaf] = rest + whole.get(leaf, 0)
    odd = {part: power for part, power in halves.items() if power % 2}
    if len(roots) < 2 or len(odd) == len(halves):
        return {**whole, **roots}
    for part, power in halves.items():
        if part not in odd:
            size = _size(builder, part, radicands)
            whole[size] = whole.get(size, 0) + power // 2
    if odd:
        whole[builder.add("sqrt", power_product(builder, odd))] = 1
    return whole


def _raised(builder: Builder, powers: Powers) -> Powers:
    """A product in which no root divides a factor of its radicand: sqrt(u*w)/w."""
    found = {**powers}
    for leaf, exponent in powers.items():
        op, *args = builder.nodes[leaf]
        if op == "sqrt" and exponent < 0 and exponent % 2:
            parts = product(builder, args[0])
            if any(found.get(part, 0) >= power > 0 for part, power, _ in parts):
                for part, power, _ in parts:
                    found[part] = found.get(part, 0) - power
                found[leaf] += 2
    return {leaf: exponent for leaf, exponent in found.items() if exponent}


def _size(builder: Builder, i: int, radicands: Sequence[Product]) -> int:
    """The absolute value of a node, with the slope at 0 from where roots are defined.

    In a radicand that is not negative a factor has the sign of all others together. The
    slope is that from the right if none tells.
    """
    if (value := builder.value_of(i)) is not None:
        return builder.const(abs(value))
    zero = builder.const(0.0)
    negative = builder.add("lt", i, zero)
    for radicand in radicands:
        odd = {leaf: e for leaf, e in exponents(radicand).items() if e % 2}
        if odd.pop(i, 0) and odd:
            others = builder.add(
                "lt", power_product(builder, dict.fromkeys(odd, 1)), zero
            )
            negative = builder.add("or", negative, others)
            break
    return builder.add("where", negative, builder.add("neg", i), i)


def power_product(builder: Builder, powers: Powers) -> int:
    """The node of a product of powers, as a quotient if some are negative."""
    above, below = -1, -1
    for leaf, exponent in sorted(powers.items()):
        for _ in range(abs(exponent)):
            if exponent > 0:
                above = leaf if above == -1 else builder.add("mul", above, leaf)
            else:
                below = leaf if below == -1 else builder.add("mul", below, leaf)
    if above == -1:
        above = builder.const(1.0)
    return above if below == -1 else builder.add("div", above, below)


def product(builder: Builder, i: int) -> Product:
    """The factors of a node, their exponents, and which stand in a denominator."""
    found: Product = []
    stack = [(i, 1, False)]
    while stack:
        i, exponent, below = stack.pop()
        op, *args = builder.nodes[i]
        power = builder.value_of(args[1]) if op == "pow" else None
        if op in ("mul", "div"):
            stack.append((args[0], exponent, below))
            stack.append(
                (args[1], exponent if op == "mul" else -exponent, below or op == "div")
            )
        elif op == "neg":
            stack += [(args[0], exponent, below), (builder.const(-1.0), 1, False)]
        elif power is not None and power.is_integer() and abs(power) <= HIGHEST:
            stack.append((args[0], exponent * int(power), below or power < 0.0))
        elif power is not None and (2 * power).is_integer() and abs(power) <= HIGHEST:
            root = builder.add("sqrt", args[0])
            stack.append((root, exponent * int(2 * power), below or power < 0.0))
        elif op == "where" and (squared := _squared_root(builder, *args)) is not None:
            stack.append((squared, 2 * exponent, below))
        else:
            found.append((i, exponent, below))
    return found


def exponents(factors: Product) -> Powers:
    """The exponent of each leaf, which may be a factor more than once."""
    found: Powers = {}
    for leaf, exponent, _ in factors:
        found[leaf] = found.get(leaf, 0) + exponent
    return found


def _squared_root(builder: Builder, condition: int, yes: int, no: int) -> int | None:
    """The root whose square is a number that was not to be negative."""
    op, *args = builder.nodes[no]
    root = args[0] if op == "mul" and args[0] == args[1] else no
    written = builder.nodes[condition][:2] == ("ge", yes)
    return int(root) if written and builder.nodes[root] == ("sqrt", yes) else None
