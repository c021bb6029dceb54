"""The functions of the table on numbers, `Value`s and recorded values alike.

>>> from gradc import Value, math
>>> math.exp(0.0), math.exp(Value(0.0))
(1.0, Value(data=1.0, grad=0))

Every function that the language has is here by its name, with `pi` and `e`.
"""

from __future__ import annotations

import math as _math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gradc.ops import OPS
from gradc.value import called

pi = _math.pi
e = _math.e

if TYPE_CHECKING:

    def __getattr__(name: str) -> Callable[..., Any]: ...


__all__ = ["pi", "e", *OPS.callables()]
for _name in OPS.callables():
    globals()[_name] = called(_name)
