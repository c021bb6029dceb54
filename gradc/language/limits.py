"""How large a formula may become: what is built, and what is replayed in vain."""

from gradc.errors import Source, mistake
from gradc.ir import LAZY, Builder

MAX_TOKENS = 8_000_000  # what two million operations take, and some more
MAX_OPS = 10_000_000
MAX_NODES = 2_000_000  # what CPython compiles, with the gradient, in a few GiB
MAX_DERIVED = 6_000_000  # with the derivatives: a sine has two more
MAX_BRANCHES = 300_000  # conditionals of a program with derivatives: a few minutes
MAX_STEPS = 20_000_000  # rows that loops and functions of arrays may run: half a minute
MAX_ARGS = 100_000  # of one call: half a minute
MAX_AXES = 32  # of an array, as in NumPy
MAX_ORDER = 100  # of functions such as polygamma, whose floats soon end beyond


def check_entries(builder: Builder, entries: int, source: Source) -> None:
    """Refuse a matrix that grows to more derivatives than can go through the passes."""
    _refuse(entries, MAX_NODES, "entries", source)
    _refuse(len(builder), MAX_DERIVED, "operations", source)


def check_derivatives(builder: Builder, source: Source) -> None:
    """Refuse derivatives that are too many to go through the passes."""
    _refuse(len(builder), MAX_DERIVED, "operations", source)
    if len(builder) > MAX_BRANCHES:
        branches = sum(node[0] in LAZY for node in builder.nodes)
        _refuse(branches, MAX_BRANCHES, "conditionals", source)


def _refuse(count: int, limit: int, noun: str, source: Source) -> None:
    if count > limit:
        raise mistake("derivatives_too_large", source, (0, 0), limit=limit, noun=noun)
