"""Levels: where a product of inputs has the value that a number is subtracted for.

The difference 1 - (4*b*t)^2 vanishes where b*t is 1/4, though neither input is special
there, and the sum 1 + x*y where x*y is -1. So may a number and several inputs add up
to nothing, and a difference of two products, as b^2 - 4*a*c; at an edge of the domain,
which a root has where what it is of vanishes, any sum of few products.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

TERMS = 3  # inputs in a sum that vanishes, at the most
ORDINARY = 1.5  # what an input is if there are more than two
CONSTANTS = {"pi": math.pi, "e": math.e}
LONGEST = 6  # products in a sum of them
HIGHEST = 4  # the power of a sum that is multiplied out
_SUMS = frozenset({"add", "sub"})
_EDGED = frozenset({"sqrt", "log", "cbrt"})  # which are steep at 0
_THROUGH = frozenset("mul div neg abs sqrt pow where min max".split())

Exponents = tuple[tuple[str, float], ...]
Products = Mapping[Exponents, float]  # the factors of products of powers of inputs


class Power(NamedTuple):
    """A number times powers of inputs."""

    factor: float
    exponents: Mapping[str, float]

    def times(self, other: Power, sign: float) -> Power:
        found = dict(self.exponents)
        for name, exponent in other.exponents.items():
            found[name] = found.get(name, 0.0) + sign * exponent
        return Power(self.factor * other.factor**sign, _without_zeros(found))

    def raised(self, exponent: float) -> Power:
        found = {name: e * exponent for name, e in self.exponents.items()}
        factor = abs(self.factor) ** exponent
        if _is_odd(exponent):
            factor = math.copysign(factor, self.factor)
        return Power(factor, _without_zeros(found))


class Total(NamedTuple):
    """A number and the sum of inputs, each with its sign."""

    start: float
    signs: Mapping[str, float]

    def plus(self, other: Total, sign: float) -> Total:
        signs = {name: sign * other.signs[name] for name in other.signs}
        return Total(self.start + sign * other.start, {**self.signs, **signs})


def totals(nodes: Sequence[Any]) -> list[Total]:
    """Sums of a number and several inputs."""
    found: dict[int, Total] = {}
    special: dict[tuple[Any, ...], Total] = {}
    for i, (op, *args) in enumerate(nodes):
        if op == "const":
            found[i] = Total(args[0], {})
        elif op == "input":
            found[i] = Total(0.0, {args[0]: 1.0})
        elif op in ("add", "sub", "neg") and all(a in found for a in args):
            one, other = (Total(0.0, {}), *(found[a] for a in args))[-2:]
            names = [*one.signs, *other.signs]
            if len(names) <= TERMS and len({*names}) == len(names):
                found[i] = total = one.plus(other, 1.0 if op == "add" else -1.0)
                if total.start and len(names) > 1:
                    key = total.start, *sorted(total.signs.items())
                    special[key] = total
    return [*special.values()]


def vanishing(
    total: Total,
) -> Iterator[tuple[str, str, Callable[[float, float], float]]]:
    """Two of the inputs in either order, and what the first is next to by the second.

    All others are `ORDINARY`.
    """
    names = [*total.signs][:2]
    for name, other in (names, names[::-1]):
        yield name, other, partial(_left, total, name, other)


def _left(total: Total, name: str, other: str, y: float, small: float) -> float:
    """An input next to where a sum vanishes."""
    found = total.start + total.signs[other] * y
    others = (total.signs[n] for n in total.signs if n not in (name, other))
    return (found + ORDINARY * sum(others)) / -total.signs[name] + small


def levels(nodes: Sequence[Any]) -> list[Power]:
    """Products of several inputs that are 1 where a difference may vanish."""
    found: dict[int, Power] = {}
    special: dict[tuple[Any, ...], Power] = {}
    for i, (op, *args) in enumerate(nodes):
        if op == "const" and 0.0 < abs(args[0]) < math.inf:
            found[i] = Power(args[0], {})
        elif op in CONSTANTS:
            found[i] = Power(CONSTANTS[op], {})
        elif op == "input":
            found[i] = Power(1.0, {args[0]: 1.0})
        elif args and all(a in found for a in args):
            powers = [found[a] for a in args]
            if op in ("add", "sub"):
                for one, other in (powers, powers[::-1]):
                    if not one.exponents and len(other.exponents) > 1:
                        level = _power("div", (other, one))
                        if level is not None and op == "add":
                            level = level._replace(factor=-level.factor)
                        if level is not None and _is_reached(level):
                            key = level.factor < 0.0, *sorted(level.exponents.items())
                            special[key] = level
            elif (power := _power(op, powers)) is not None:
                found[i] = power
    return [*special.values()]


def _power(op: str, powers: Sequence[Power]) -> Power | None:
    """What an operation makes of numbers times powers of inputs, if it is one, too."""
    try:
        if op in ("mul", "div"):
            return powers[0].times(powers[1], 1.0 if op == "mul" else -1.0)
        if op == "neg":
            return powers[0]._replace(factor=-powers[0].factor)
        if op == "sqrt":
            return powers[0].raised(0.5)
        if op == "pow" and not powers[1].exponents:
            return powers[0].raised(powers[1].factor)
    except ArithmeticError:
        pass
    return None


def meeting(level: Power) -> Iterator[tuple[str, str, Callable[[float, float], float]]]:
    """Inputs, another of each, and what they are next to by that and a small number.

    All others are `ORDINARY`.
    """
    names = [*level.exponents]
    for name in names:
        other = next(n for n in names if n != name)
        yield name, other, partial(_beside, level, name, other)


def _beside(level: Power, name: str, other: str, y: float, small: float) -> float:
    """An input next to where the level is 1, or any if no float is there."""
    size = abs(level.factor)
    try:
        for n, exponent in level.exponents.items():
            if n != name:
                size *= (abs(y) if n == other else ORDINARY) ** exponent
        found: float = size ** (-1.0 / level.exponents[name]) * (1.0 + small)
    except ArithmeticError:
        return y
    is_negative = (level.factor < 0.0) != (y < 0.0 and _is_odd(level.exponents[other]))
    return -found if is_negative and _is_odd(level.exponents[name]) else found


def _is_reached(level: Power) -> bool:
    """Whether inputs of some signs make a product positive."""
    return level.factor > 0.0 or any(map(_is_odd, level.exponents.values()))


def _is_odd(exponent: float) -> bool:
    return exponent % 2.0 == 1.0


def _without_zeros(exponents: Mapping[str, float]) -> dict[str, float]:
    return {name: exponent for name, exponent in exponents.items() if exponent}


def edges(nodes: Sequence[Any], poles: bool = True) -> set[int]:
    """The nodes at whose zeros something is not defined, or has an infinite slope.

    Arguments:
        poles: also those at whose zeros something is infinite.
    """
    found: set[int] = set()
    for i in range(len(nodes) - 1, -1, -1):
        op, *args = nodes[i]
        if op in _EDGED:
            found.add(args[0])
        elif op == "div" and poles:
            found.add(args[1])
        elif op == "pow" and not _is_natural(nodes[args[1]]):
            found.add(args[0])
        if i in found and op in _THROUGH:
            found.update(args[1:] if op == "where" else args)
    return found


def _is_natural(node: Any) -> bool:
    return node[0] == "const" and node[1] >= 0.0 and bool(node[1] % 1.0 == 0.0)


def balances(nodes: Sequence[Any]) -> list[Products]:
    """Differences of two products of inputs, and at edges other sums of a few.

    At a pole the terms are of both signs, or it is far from where most inputs are.
    """
    edged, sharp = edges(nodes), edges(nodes, poles=False)
    found: dict[int, Products] = {}
    inner = {a for op, *args in nodes if op in _SUMS for a in args}
    special: dict[tuple[Any, ...], Products] = {}
    for i, (op, *args) in enumerate(nodes):
        products = _products(op, args, found)
        if products is None or len(products) > LONGEST:
            continue
        found[i] = products
        if op in _SUMS and (i in edged or i not in inner):
            are_mixed = len({factor > 0.0 for factor in products.values()}) == 2
            plain = len(products) == 2 and are_mixed and () not in products
            has_edge = len(products) > 1 and (i in sharp or (i in edged and are_mixed))
            names = {name for key in products for name, _ in key}
            if (plain or has_edge) and len(names) > 1:
                special[tuple(sorted(products.items()))] = products
    return [*special.values()]


def _products(
    op: str, args: Sequence[Any], found: Mapping[int, Products]
) -> Products | None:
    """What an operation makes of sums of products, if it is one, too."""
    if op == "const":
        return {(): args[0]} if math.isfinite(args[0]) else None
    if op == "input":
        return {((args[0], 1.0),): 1.0}
    if not args or any(a not in found for a in args):
        return None
    x, *others = (found[a] for a in args)
    if op in ("add", "sub", "neg"):
        total = dict(x if others else {})
        for key, factor in (others or [x])[0].items():
            factor = factor if op == "add" else -factor
            total[key] = total.get(key, 0.0) + factor
        return {key: factor for key, factor in total.items() if factor}
    if op == "mul":
        return _multiplied(x, others[0])
    if op == "div" and len(others[0]) == 1:
        ((key, c),) = others[0].items()
        inverse = _power("div", (Power(1.0, {}), Power(c, dict(key))))
        return None if inverse is None else _multiplied(x, _product(inverse))
    power = others[0].get((), 0.0) if op == "pow" and len(others[0]) == 1 else 0.0
    if len(x) > 1 and power in range(2, HIGHEST):
        product = x
        for _ in range(int(power) - 1):
            product = _multiplied(product, x)
        return product
    if len(x) != 1 or any(len(other) != 1 for other in others):
        return None
    alone = [Power(c, dict(key)) for one in (x, *others) for key, c in one.items()]
    result = _power(op, alone)
    return None if result is None else _product(result)


def _product(power: Power) -> Products:
    """A sum of one product."""
    return {tuple(sorted(power.exponents.items())): power.factor}


def _multiplied(x: Products, y: Products) -> Products:
    total: dict[Exponents, float] = {}
    for p, c in x.items():
        for q, d in y.items():
            exponents = Power(c, dict(p)).times(Power(d, dict(q)), 1.0).exponents
            key = tuple(sorted(exponents.items()))
            total[key] = total.get(key, 0.0) + c * d
    return {key: factor for key, factor in total.items() if factor}


def balance(
    products: Products, by: str = "", rest: float = ORDINARY
) -> Iterator[tuple[str, str, Callable[[float, float], float]]]:
    """Inputs that one product has, another of each, and what they are next to by that.

    Arguments:
        by: the other one of each, if not any.
        rest: what all others are.
    """
    names = [*dict.fromkeys(name for key in products for name, _ in key)]
    for name in names:
        other = by or next(n for n in names if n != name)
        if name != other and sum(name in dict(key) for key in products) == 1:
            yield name, other, partial(_balance, products, rest, name, other)


def _balance(
    products: Products, rest: float, name: str, other: str, y: float, small: float
) -> float:
    """An input next to where a sum vanishes, or any if no float is there."""
    own, total, exponent = 1.0, 0.0, 1.0
    try:
        for key, factor in products.items():
            for n, e in key:
                if n != name:
                    factor *= math.pow(y if n == other else rest, e)
            if name in dict(key):
                own, exponent = factor, dict(key)[name]
            else:
                total += factor
        ratio = -total / own
        size = math.pow(abs(ratio), 1.0 / exponent) * (1.0 + small)
    except (ArithmeticError, ValueError):
        return y
    if ratio < 0.0 and not _is_odd(exponent):
        return y
    return math.copysign(size, ratio)
