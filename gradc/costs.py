"""What operations cost in CPython: the one table by which passes choose between forms.

Nanoseconds of a straight-line statement over local names, medians on CPython 3.11; only
their proportions matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from math import fsum

from gradc.ir import Node, varying

NANOSECONDS = {
    "const": 0.0,
    "input": 0.0,
    "add": 9.5,
    "sub": 9.5,
    "mul": 9.5,
    "div": 12.5,
    "neg": 9.1,
    "where": 8.0,
    "lt": 8.0,
    "le": 8.0,
    "gt": 8.0,
    "ge": 8.0,
    "eq": 8.0,
    "ne": 8.0,
    "and": 4.0,
    "or": 4.0,
    "not": 4.0,
    "abs": 14.0,
    "min": 10.0,
    "max": 10.0,
    "sqrt": 15.6,
    "exp": 20.0,
    "sin": 20.5,
    "cos": 20.5,
    "log": 53.0,
}
CALL = 30.0  # of any other row


def cost(nodes: Sequence[Node]) -> float:
    """Nanoseconds that the nodes of a program take, each computed once.

    What no input changes is computed when a module is imported. The sum is exact, for
    what costs the same has to tie on every Python.
    """
    changing = compress(nodes, varying(nodes))
    return fsum([NANOSECONDS.get(node[0], CALL) for node in changing])
