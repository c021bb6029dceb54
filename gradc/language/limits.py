"""How large a formula may become: what is built, and what is replayed in vain."""

from typing import Any

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


def check_derivatives(builder: Builder, source: Source, entries: int = 0) -> None:
    """Refuse derivatives, or entries of a matrix, that are too many for the passes."""
    made = len(builder)
    counts = [(entries, MAX_NODES, "entries"), (made, MAX_DERIVED, "operations")]
    if made > MAX_BRANCHES and not entries:
        branches = sum(node[0] in LAZY for node in builder.nodes)
        counts.append((branches, MAX_BRANCHES, "conditionals"))
    for count, limit, noun in counts:
        if count > limit:
            names: Any = {"limit": limit, "noun": noun}
            raise mistake("derivatives_too_large", source, (0, 0), **names)
