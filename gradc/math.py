"""The functions of the table on numbers, `Value`s and recorded values alike.

>>> from gradc import Value, math
>>> math.exp(0.0), math.exp(Value(0.0))
(1.0, Value(data=1.0, grad=0))

Every function that the language has is here by its name, with `pi` and `e`.
"""

from math import e, pi
from typing import Any

from gradc.ops import OPS
from gradc.value import called

__all__ = ["e", "pi", *OPS.callables()]


def __getattr__(name: str) -> Any:
    """A function, made when it is first asked for."""
    if name not in __all__:
        raise AttributeError(f"module 'gradc.math' has no attribute '{name}'")
    found = globals()[name] = called(name)
    return found
