"""What a module carries that has other functions than `value` and `value_and_grad`.

It stands at the place of the last two functions of `gradc.unbounded`, and goes by their
rules.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite, isnan, nan
from typing import Any, TypeVar

from gradc.unbounded import (
    IEEE,
    PARTS,
    Adjoint,
    Number,
    mapped,
    outside,
    part,
    run_again,
)

# ---- what modules carry

Result = TypeVar("Result")


def careful_values(value: Callable[..., Result], *args: Any) -> Result:
    """What `value` returns, wherever it is."""

    def finite(number: Number) -> float:
        found = float(number)
        if not (IEEE or isfinite(found)):
            raise outside(part(number), found, args)
        return found

    found: Result = mapped(finite, run_again(value, Number, args))
    return found


def defined(derivatives: Any, args: Any) -> Any:
    """Derivatives as floats, none of them without a value."""
    found = mapped(float, derivatives)
    slopes: list[float] = []
    mapped(slopes.append, found)
    if any(map(isnan, slopes)) and not IEEE:
        raise outside(f"{PARTS[0, '', 0]}: a derivative", nan, args)
    return found


def careful_derivatives(
    value: Callable[..., Any], what: Callable[..., Result], *args: Any
) -> Result:
    """What a function returns that begins with the value."""
    first = careful_values(value, *args)
    found: Any = (first, *defined(run_again(what, Adjoint, args)[1:], args))
    result: Result = found
    return result


def careful_product(
    value: Callable[..., Any], what: Callable[..., Result], *args: Any
) -> Result:
    """A product with the last argument, a vector."""
    careful_values(value, *args[:-1])
    found: Result = defined(run_again(what, Adjoint, args), args[:-1])
    return found
