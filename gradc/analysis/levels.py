"""Levels: where a product of inputs has the value that a number is subtracted for.

The difference 1 - (4*b*t)^2 vanishes where b*t is 1/4, though neither input is special
there, and the sum 1 + x*y where x*y is -1. So may a number and several inputs add up
to nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from gradc.fields import NamedTuple

TERMS = 3  # inputs in a sum that vanishes, at the most
ORDINARY = 1.5  # what an input is if there are more than two
CONSTANTS = {"pi": math.pi, "e": math.e}


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
