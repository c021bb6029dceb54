"""How large a formula may become: what is built, and what is replayed in vain."""

from collections.abc import Sequence
from operator import itemgetter
from weakref import WeakKeyDictionary

from gradc.errors import GradcError, Source, Span, mistake
from gradc.ir import LAZY, Builder, Program, arguments

MAX_OPS = 10_000_000
MAX_NODES = 2_000_000  # what CPython compiles, with the gradient, in a few GiB
MAX_DERIVED = 6_000_000  # with the derivatives: a sine has two more
MAX_BRANCHES = 300_000  # conditionals of a program with derivatives: a few minutes
MAX_BITS = 2_000_000_000  # of what is counted before a matrix is made
MAX_STEPS = 20_000_000  # rows that loops and functions of arrays may run: half a minute
MAX_ARGS = 100_000  # of one call: half a minute
MAX_ORDER = 100  # of functions such as polygamma, whose floats soon end beyond


_counted: WeakKeyDictionary[Builder, tuple[int, int]] = WeakKeyDictionary()


def check_derivatives(builder: Builder, source: Source) -> None:
    """Refuse derivatives that are too many to go through the passes."""
    if len(builder) > MAX_DERIVED:
        raise _derivatives(source, MAX_DERIVED, "operations")
    if len(builder) > MAX_BRANCHES:
        known, branches = _counted.get(builder, (0, 0))
        operations = map(itemgetter(0), builder.nodes[known:])
        branches += sum(map(LAZY.__contains__, operations))
        _counted[builder] = len(builder), branches
        if branches > MAX_BRANCHES:
            raise _derivatives(source, MAX_BRANCHES, "conditionals")


def _derivatives(source: Source, limit: int, noun: str) -> GradcError:
    return mistake("derivatives_too_large", source, (0, 0), limit=limit, noun=noun)


def check_matrix(program: Program, wrt: Sequence[str]) -> None:
    """Refuse a matrix of more derivatives by `wrt`, before any of them is taken.

    It is counted by sets of bits on which inputs each node depends.
    """
    size = len(program.outputs) * len(wrt)
    if size <= MAX_NODES or len(program.nodes) * len(wrt) > MAX_BITS:
        return
    bits = {name: 1 << k for k, name in enumerate(wrt)}
    depends: list[int] = []
    for node in program.nodes:
        own = bits.get(node[1], 0) if node[0] == "input" else 0
        for a in arguments(node):
            own |= depends[a]
        depends.append(own)
    entries = sum(depends[i].bit_count() for i in program.outputs)
    check_entries(entries, program.source)


def check_entries(count: int, source: Source) -> None:
    """Refuse a matrix of more derivatives than any program has nodes."""
    if count > MAX_NODES:
        raise _derivatives(source, MAX_NODES, "entries")


class Size:
    """Counts the operations of a program that grows.

    Attributes:
        leaves: nodes that are no operations.
        steps: rows of loops and functions that have been run.
    """

    def __init__(self, builder: Builder, source: Source, max_ops: int) -> None:
        self.builder, self.source, self.max_ops = builder, source, max_ops
        self.most = min(max_ops, MAX_NODES)
        self.leaves = 0
        self.steps = 0

    def const(self, value: float) -> int:
        """Return the node of a number, which is no operation."""
        size = len(self.builder)
        node = self.builder.const(value)
        self.leaves += len(self.builder) - size
        return node

    def check(self, span: Span) -> None:
        """Refuse more operations than allowed; nodes that are shared count once."""
        size = len(self.builder.nodes)
        if size - self.leaves > self.max_ops:
            raise self.too_many(span)
        if size > MAX_NODES:
            raise mistake("program_too_large", self.source, span, limit=MAX_NODES)

    def run(self, rows: int, span: Span) -> None:
        """Count rows of a loop or a function of arrays that are about to be run."""
        self.steps += rows
        if self.steps > MAX_STEPS:
            raise mistake("too_many_steps", self.source, span, limit=MAX_STEPS)
        if len(self.builder.nodes) > self.most:
            self.check(span)

    def join(self, count: int, span: Span) -> None:
        """Refuse a call of very many arguments."""
        if count > MAX_ARGS:
            raise mistake("too_many_arguments", self.source, span, limit=MAX_ARGS)

    def hold(self, entries: int, span: Span) -> None:
        """Refuse an array of more entries than any program has nodes."""
        if entries > 2 * self.max_ops:
            raise self.too_many(span)
        if entries > MAX_NODES:
            raise mistake("program_too_large", self.source, span, limit=MAX_NODES)

    def too_many(self, span: Span) -> GradcError:
        """The mistake that there are more operations than the user allows."""
        counted = counted_text(self.max_ops)
        return mistake("too_many_operations", self.source, span, counted=counted)


def counted_text(limit: int) -> str:
    """How many operations, in words."""
    return f"{limit} operation{'' if limit == 1 else 's'}"
