"""How large a formula may become: what is built, and what is replayed in vain."""

from gradc.errors import Source, Span, mistake
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


class Size:
    """Counts the operations of a program that grows, and the rows that are run."""

    def __init__(self, builder: Builder, source: Source, max_ops: int) -> None:
        self.builder, self.source, self.max_ops = builder, source, max_ops
        self.steps = 0

    def check(self, span: Span) -> None:
        """Refuse more operations than allowed; nodes that are shared count once."""
        nodes = self.builder.nodes
        self.refuse("program_too_large", len(nodes), MAX_NODES, span)
        if len(nodes) > self.max_ops:
            count = sum(node[0] not in ("input", "const") for node in nodes)
            self.refuse("too_many_operations", count, self.max_ops, span)

    def run(self, rows: int, span: Span | None = None) -> None:
        """Count rows of a loop or a function of arrays that are about to be run."""
        span = span or self.builder.span or (0, 0)
        self.steps += rows
        self.refuse("too_many_steps", self.steps, MAX_STEPS, span)
        self.check(span)

    def refuse(self, key: str, count: int, limit: int, span: Span) -> None:
        """Refuse what passes a limit."""
        if count > limit:
            raise mistake(key, self.source, span, limit=limit)
