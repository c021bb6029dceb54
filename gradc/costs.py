"""What operations cost in CPython: the one table by which passes choose between forms.

Nanoseconds of a straight-line statement over local names, medians on CPython 3.11; only
their proportions matter.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum

from gradc.ir import Node

NANOSECONDS = {
    "const": 0.0,
    "input": 0.0,
    "add": 9.5,
    "sub": 9.5,
    "mul": 9.5,
    "div": 12.5,
    "neg": 9.1,
    "where": 8.0,
    "sqrt": 15.6,
    "exp": 20.0,
    "sin": 20.5,
    "cos": 20.5,
    "log": 53.0,
}
CALL = 30.0  # of any other row


def cost(nodes: Iterable[Node]) -> float:
    """Nanoseconds that nodes take, each computed once.

    Their sum is exact, for what costs the same has to tie on every Python.
    """
    return fsum([NANOSECONDS.get(node[0], CALL) for node in nodes])
