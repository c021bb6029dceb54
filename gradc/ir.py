"""The program: a list of nodes in which every argument stands earlier.

A node is a plain tuple, an operation of the table followed by the positions of its
arguments; the two leaves are `("const", value)` and `("input", name)`. Because order
is proof, every pass is a loop, and nothing here knows what an operation computes but
for the identities that hold bit for bit.

    program := node*  outputs
    node    := ("const", float) | ("input", name) | (operation, position*)

Conditions are nodes too (`lt`, `and`, ...); they may stand only as the first argument
of `where` and below `and`, `or`, `not`. `where`, `and` and `or` are lazy: what only
one side needs is evaluated only when that side is taken.
"""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import accumulate, compress, groupby, islice
from math import fsum, prod
from operator import itemgetter
from typing import Any, NamedTuple

from gradc.errors import Source, Span
from gradc.ops import BY, OPS, REDUCTIONS, Table

Node = tuple[Any, ...]
ZERO: Node = ("const", 0.0)  # of either sign

LAZY = frozenset({"where", "and", "or"})
EXTREMES = frozenset({"max", "min"})
COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    name: getattr(operator, name) for name in "lt le gt ge eq ne".split()
}
ARITHMETIC: Mapping[str, Callable[[float, float], float]] = {
    **{name: getattr(operator, name) for name in ("add", "sub", "mul")},
    "div": operator.truediv,
}
CONDITIONS = frozenset({*COMPARISONS, "and", "or", "not"})


@dataclass(frozen=True)
class Input:
    """An argument of the compiled function, with the domain its author declared.

    `kind` is "input", or "data" for an argument that gets no gradient. No one passes
    the number of rows of columns, of kind "length", that of a row, "index", and a
    "view" `of` another input: other rows of its column, or one row. A "list" is all
    of one, of which a loop reads entries. A "state" is a column that a loop makes, whose
    first rows, as many as its `order`, are given; those with the same `array` are made in
    one loop, in which "past" is what stands so many rows back as is its `order`. If that
    begins with "-" the loop begins with the last row, and only the end is kept.
    `low` and `high` are the ends of the domain (None where the author gave none). An
    element of an array, such as `w[0][1]`, also has the array's name and shape. What
    stands in each row of a column has the name of the length in `rows`.
    """

    name: str
    kind: str = "input"
    low: float | None = None
    high: float | None = None
    low_open: bool = False
    high_open: bool = False
    array: str = ""
    shape: tuple[int, ...] = ()
    rows: str = ""
    of: str = ""
    order: int = 0


class Argument(NamedTuple):
    """What a caller passes: a number, or an array of the shape with its elements.

    It is a column of them if they have `rows`.
    """

    name: str
    shape: tuple[int, ...]
    elements: tuple[Input, ...]


def grouped(inputs: Sequence[Input]) -> tuple[Argument, ...]:
    """The arguments of the compiled function, in order."""
    passed = [item for item in inputs if item.kind not in UNPASSED]
    named = groupby(passed, lambda item: (item.array, item.array or item.name))
    several = [(name, tuple(group)) for (_, name), group in named]
    return tuple([Argument(name, own[0].shape, own) for name, own in several])


UNPASSED = frozenset({"length", "index", "view", "state", "past"})


def elements(program: Program, names: Sequence[str]) -> list[str]:
    """The inputs of some arguments, those of an array in their order."""
    named = {item.name: item.elements for item in grouped(program.inputs)}
    return [element.name for name in names for element in named[name]]


class Result(NamedTuple):
    """What a function returns: a number, an array of the shape, or a column of them."""

    name: str  # "" if the formula gives none
    shape: tuple[int, ...]
    rows: str = ""  # the name of the length of a column


@dataclass(frozen=True, repr=False)
class Program:
    """A list of nodes, each using only earlier ones, and the positions that count.

    `outputs` holds the elements of the `results` first, row-major and one result after
    the other, then one position per derivative, and at last what states start with and
    become in each step (`states`). `spans` and `names` are labels beside
    the list: the part of the source that a node belongs to, an `Adjoint` if it belongs
    to the derivative of that part, and what its author called it. `rules` says which
    rules of the identity book the last pass has applied, and to which part.
    """

    nodes: Sequence[Node]
    inputs: tuple[Input, ...]
    outputs: tuple[int, ...]
    spans: Sequence[Span | None]
    names: Mapping[int, str]
    source: Source
    notes: tuple[str, ...] = ()
    rules: tuple[tuple[str, Span | None], ...] = ()
    ops: Table = OPS
    results: tuple[Result, ...] = (Result("", ()),)

    @cached_property
    def lengths(self) -> dict[str, str]:
        """The lengths of the columns that inputs are entries of, by the inputs' names."""
        return {item.name: item.rows for item in self.inputs if item.rows}

    @cached_property
    def rows(self) -> Rows:
        """In the rows of which columns the nodes stand."""
        return Rows(self.nodes, self.lengths)

    @property
    def count(self) -> int:
        """How many of the outputs are values; the others are derivatives."""
        return sum(prod(result.shape) for result in self.results)

    @property
    def last(self) -> int:
        """The last node of the values, -1 if none is an output."""
        return max(self.outputs[: self.count], default=-1)

    @cached_property
    def readers(self) -> list[list[int]]:
        """The nodes that read each node, once for each time."""
        found: list[list[int]] = [[] for _ in self.nodes]
        for i, node in enumerate(self.nodes):
            for a in arguments(node):
                found[a].append(i)
        return found

    @cached_property
    def operations(self) -> frozenset[str]:
        """What the nodes compute: a pass has nothing to do where its kind is missing."""
        return frozenset(map(itemgetter(0), self.nodes))

    @cached_property
    def alive(self) -> bytearray:
        """Which nodes the outputs depend on, by either side of any condition."""
        return live(self.nodes, self.outputs)

    @cached_property
    def sure(self) -> bytearray:
        """Which nodes the outputs depend on whatever the conditions are."""
        return live(self.nodes, self.outputs, LAZY)

    @cached_property
    def varying(self) -> bytearray:
        """Which nodes depend on an input."""
        return varying(self.nodes)

    @cached_property
    def cost(self) -> float:
        """Nanoseconds that the nodes take, each computed once.

        What no input changes is computed when a module is imported, and what is the
        same in all rows of columns counts as one in MANY. The sum is exact, for what
        costs the same has to tie on every Python.
        """
        changing = compress(range(len(self.nodes)), self.varying)
        costs = [(i, NANOSECONDS.get(self.nodes[i][0], CALL)) for i in changing]
        beside, rows = bool(self.lengths), self.rows
        return fsum([x / MANY if beside and not rows[i] else x for i, x in costs])

    def __repr__(self) -> str:
        return listing(self)


class Rows:
    """The length of the column in whose rows a node stands, "" for a number.

    A program has one row of its columns. A node that depends on an entry of a column
    is computed in each row; what goes over all rows (`REDUCTIONS`) is a number again.

    Arguments:
        nodes: those of a program, which may grow.
        lengths: those of the inputs that stand in rows, by name, which may grow.
    """

    def __init__(self, nodes: Sequence[Node], lengths: dict[str, str]) -> None:
        self.nodes, self.lengths = nodes, lengths
        self._found: list[str] = []

    def __getitem__(self, node: int) -> str:
        found = self._found
        for new in self.nodes[len(found) : node + 1]:
            if new[0] == "input":
                found.append(self.lengths.get(new[1], ""))
            elif new[0] in REDUCTIONS:
                found.append(found[new[4]] if new[0] == BY else "")
            else:
                found.append(next((found[a] for a in arguments(new) if found[a]), ""))
        return found[node]


class State(NamedTuple):
    """A column that a loop makes: its input, its first entries, and the next one."""

    item: Input
    starts: tuple[int, ...]
    next: int

    @property
    def nodes(self) -> tuple[int, ...]:
        """All of these."""
        return (*self.starts, self.next)


def states(program: Program) -> list[State]:
    """The states of a program, whose nodes are its last outputs."""
    items = [item for item in program.inputs if item.kind == "state"]
    first = len(program.outputs) - sum(item.order + 1 for item in items)
    rest = iter(program.outputs[first:])
    return [State(i, tuple(islice(rest, i.order)), next(rest)) for i in items]


def tail(program: Program) -> list[int]:
    """The nodes of its states."""
    return [i for state in states(program) for i in state.nodes]


def view(item: Input, first: int, length: str) -> Input:
    """An input for other rows of the column of one, from the first on, or for that row."""
    end, of = first - trimmed(length)[1] or "", item.of or item.name
    text = f"{first or ''}:{end}" if length else f"{first}"
    found = replace(item, name=f"{of}[{text}]", kind="view", rows=length, of=of)
    return replace(found, array="", shape=())


def first_row(item: Input) -> int:
    """The first row of its column that an input reads."""
    text = item.name.removeprefix(item.of)[1:-1] if item.of else ""
    return int(text.partition(":")[0] or 0)


def index(length: str) -> str:
    """What the number of a row is called as an input, which is no name."""
    return f"{length}[]"


def shorter(length: str, rows: int) -> str:
    """The length of columns that lack some rows of those of another length: `n-1`."""
    base, cut = trimmed(length)
    return f"{base}-{cut + rows}" if cut + rows else base


def trimmed(length: str) -> tuple[str, int]:
    """The length of whole columns, and how many of their rows those of a length lack."""
    base, _, cut = length.partition("-")
    return base, int(cut or 0)


Pass = Callable[[Program], Program]


def arguments(node: Node) -> tuple[int, ...]:
    """The positions a node reads."""
    return () if node[0] in ("const", "input") else node[1:]


class Adjoint(tuple[int, int]):
    """The span of a node that reverse mode made: the adjoint of what stands there."""

    __slots__ = ()


class Quotient(float):
    """The float next to a quotient of two constants, which is `exact`."""

    exact: Fraction


class Builder:
    """Grows a program; equal nodes are one node, so sharing needs no pass.

    Constants are told apart by their bits, so that 0.0 and -0.0 stay two. Arguments
    of commuting operations find each other in either order. Identities that hold bit
    for bit, and correctly rounded arithmetic on constants, are applied on the way in.
    `span` labels the nodes that are added next.
    """

    def __init__(self, ops: Table = OPS) -> None:
        self.ops = ops
        self.nodes: list[Node] = []
        self.spans: list[Span | None] = []
        self.names: dict[int, str] = {}
        self.span: Span | None = None
        self._index: dict[Node, int] = {}
        self._commuting = ops.commuting
        self._telling: set[int] = set()  # the nodes that most identities look for

    @classmethod
    def upon(cls, program: Program) -> Builder:
        """A builder that goes on from a program, whose positions it keeps."""
        builder = cls(program.ops)
        builder.nodes = list(program.nodes)
        builder.spans = list(program.spans)
        builder.names = dict(program.names)
        builder._index = {builder._key(node): i for i, node in enumerate(builder.nodes)}
        builder._telling = {i for i, n in enumerate(builder.nodes) if n[0] in _TELLING}
        return builder

    def __len__(self) -> int:
        return len(self.nodes)

    def add(self, op: str, *args: int) -> int:
        """Return the position of the node `op(*args)`, which may be an older one."""
        if op in _IDENTITIES:
            if op not in _TOLD or not self._telling.isdisjoint(args):
                found = _IDENTITIES[op](self, *args)
                if found is not None:
                    return found
        key = node = op, *args
        if op in self._commuting and args[0] > args[1]:
            key = op, args[1], args[0]
        return self._intern(key, node)

    def const(self, value: float) -> int:
        """Return the position of a constant; any number becomes a binary64."""
        node = "const", float(value)
        return self._intern(self._key(node), node)

    def input(self, name: str) -> int:
        """Return the position of the input `name`."""
        node = "input", name
        return self._intern(node, node)

    def _key(self, node: Node) -> Node:
        """What equal nodes share."""
        op = node[0]
        if op == "const":
            return op, node[1].hex()
        if op in self.ops.commuting and node[1] > node[2]:
            return op, node[2], node[1]
        return node

    def _intern(self, key: Node, node: Node) -> int:
        """The position of a node, added if it is not there yet."""
        new = len(self.nodes)
        found = self._index.setdefault(key, new)
        if found == new:
            self.nodes.append(node)
            self.spans.append(self.span)
            if node[0] in _TELLING:
                self._telling.add(new)
        return found

    def copy(
        self,
        program: Program | Builder,
        position: int,
        new: Sequence[int] | Mapping[int, int],
    ) -> int:
        """Add a node of another program, `new` mapping its positions to ours."""
        node = program.nodes[position]
        self.span = program.spans[position]
        if own := arguments(node):
            i = self.add(node[0], *[new[a] for a in own])
        else:
            i = self._intern(self._key(node), node)
        if position in program.names:
            self.names.setdefault(i, program.names[position])
        return i

    def label(self, position: int, span: Span | None) -> None:
        """Say which part of the source a node belongs to, if that is not known.

        What has its place in an adjoint alone may be a part of the value as well.
        """
        known = self.spans[position]
        if known is None or (span and Adjoint is known.__class__ is not span.__class__):
            self.spans[position] = span

    def mark(self, position: int, program: Program, old: int) -> int:
        """Label and name a node as that of another program for which it stands."""
        self.label(position, program.spans[old])
        if old in program.names:
            self.name(position, program.names[old])
        return position

    def name(self, position: int, name: str) -> None:
        """Give a node its author's name, if it has none."""
        self.names.setdefault(position, name)

    def value_of(self, position: int) -> float | None:
        """The value of a constant node, None for any other."""
        node = self.nodes[position]
        return node[1] if node[0] == "const" else None

    def finish(
        self,
        inputs: tuple[Input, ...],
        outputs: Sequence[int],
        source: Source,
        notes: tuple[str, ...] = (),
        results: tuple[Result, ...] = (Result("", ()),),
    ) -> Program:
        """Freeze what has been built."""
        nodes, spans, names = tuple(self.nodes), tuple(self.spans), dict(self.names)
        frozen = nodes, inputs, tuple(outputs), spans, names, source, notes
        return Program(*frozen, ops=self.ops, results=results)

    def follow(self, program: Program, outputs: Sequence[int]) -> Program:
        """Freeze what a pass has built out of `program`."""
        inputs, results = program.inputs, program.results
        return self.finish(inputs, outputs, program.source, program.notes, results)


_TELLING = frozenset({"const", "neg"})
# Operations whose identities need one of these among the arguments.
_TOLD = frozenset({*ARITHMETIC, "pow", "neg"})
# The argument, by its place and its bits, that leaves the other one as it is: x - 0 = x.
_NEUTRAL = {
    **{("add", place): (-0.0).hex() for place in (0, 1)},
    **{("mul", place): (1.0).hex() for place in (0, 1)},
    **{("sub", 1): (0.0).hex(), ("div", 1): (1.0).hex(), ("pow", 1): (1.0).hex()},
}
_NEGATING = frozenset({("mul", 0), ("mul", 1), ("div", 1)})  # places of -1: x / -1 = -x
_SUMMING = frozenset({("add", 0), ("add", 1), ("sub", 1)})  # of -y: x + -y = x - y


def _under(builder: Builder, position: int, op: str) -> int | None:
    """The argument of a unary node, None if the node is not an `op`."""
    node = builder.nodes[position]
    return node[1] if node[0] == op else None


def _negative(builder: Builder, position: int) -> int | None:
    """What a node is the opposite of: x for -x, and 2 for -2."""
    value = builder.value_of(position)
    if value is not None:
        return builder.const(-value) if value < 0.0 else None
    return _under(builder, position, "neg")


def _fold(builder: Builder, op: str, x: int, y: int) -> int | None:
    """Correctly rounded arithmetic on two constants; None if floats end there."""
    a, b = builder.value_of(x), builder.value_of(y)
    if a is None or b is None or (op == "div" and b == 0.0):
        return None
    result = ARITHMETIC[op](a, b)
    is_small = abs(result) < sys.float_info.min and op in ("mul", "div") and a and b
    if is_small or not math.isfinite(result):
        return None
    if op == "div" and (exact := Fraction(a) / Fraction(b)) != result:
        found = Quotient(result)
        found.exact = exact
        return builder._intern(("const", exact), ("const", found))
    return builder.const(result)


def _reduced(op: str, builder: Builder, x: int, y: int) -> int | None:
    """What is left of an operation for a constant or a minus among its arguments."""
    if op in ARITHMETIC and (known := _fold(builder, op, x, y)) is not None:
        return known
    for place, one, other in ((1, y, x), (0, x, y)):
        value = builder.value_of(one)
        if value is not None and value.hex() == _NEUTRAL.get((op, place)):
            return other
        if value == -1.0 and (op, place) in _NEGATING:
            return builder.add("neg", other)
        if (op, place) in _SUMMING and (minus := _negative(builder, one)) is not None:
            return builder.add("sub" if op == "add" else "add", other, minus)
    if op == "pow" and builder.value_of(y) == 0.0:  # x ^ 0 = 1
        return builder.const(1.0)
    a, b = _under(builder, x, "neg"), _under(builder, y, "neg")
    if op == "mul" and a is not None and b is not None:  # -x * -y = x*y
        return builder.add("mul", a, b)
    return None


def _neg(builder: Builder, x: int) -> int | None:
    value = builder.value_of(x)
    return _under(builder, x, "neg") if value is None else builder.const(-value)


def _junction(op: str, builder: Builder, x: int, y: int) -> int | None:
    """One side of an `and` or `or` whose other side is known."""
    for c, other in ((x, y), (y, x)):
        if (known := decided(builder, c)) is not None:
            return other if known == (op == "and") else c
    return None


def _where(builder: Builder, c: int, x: int, y: int) -> int | None:
    """One side, or arithmetic with both, on what is chosen already."""
    if x == y:
        return x
    if (opposite := _under(builder, c, "not")) is not None:
        return builder.add("where", opposite, y, x)
    if (holds := decided(builder, c)) is not None:
        return x if holds else y
    (op, *args), (other, *others) = builder.nodes[x], builder.nodes[y]
    if op != other or op not in _TOLD:
        return None
    pairs, known = zip(args, others), builder._index.get
    found = [a if a == b else known(("where", c, a, b), -1) for a, b in pairs]
    return None if -1 in found else builder.add(op, *found)


def decided(builder: Builder, c: int) -> bool | None:
    """Whether a comparison of two constants holds, or fails; None of anything else."""
    denied = _under(builder, c, "not")
    op, *args = builder.nodes[c if denied is None else denied]
    a, b = map(builder.value_of, args) if op in COMPARISONS else (None, None)
    return None if a is None or b is None else COMPARISONS[op](a, b) == (denied is None)


_IDENTITIES: Mapping[str, Callable[..., int | None]] = {
    **{op: partial(_reduced, op) for op in (*ARITHMETIC, "pow")},
    "neg": _neg,
    "and": partial(_junction, "and"),
    "or": partial(_junction, "or"),
    "not": lambda builder, c: _under(builder, c, "not"),
    "where": _where,
    "min": lambda builder, x, *others: None if others else x,
    "max": lambda builder, x, *others: None if others else x,
    "hypot": lambda builder, x, *others: None if others else builder.add("abs", x),
}


def live(
    nodes: Sequence[Node], outputs: Sequence[int], lazy: Container[str] = ()
) -> bytearray:
    """Which nodes some of them depend on, by either side of any condition.

    Operations that are `lazy` depend on their first argument.
    """
    alive = bytearray(len(nodes))  # small, for it is read in any order
    for i in outputs:
        alive[i] = True
    for i in range(len(nodes) - 1, -1, -1):
        if alive[i] and (op := (node := nodes[i])[0]) != "const" and op != "input":
            for a in node[1:2] if op in lazy else node[1:]:
                alive[a] = True
    return alive


def below(
    nodes: Sequence[Node], i: int, ends: Container[int] = (), most: float = math.inf
) -> list[int]:
    """What a node needs, and it, in order, down to some; above `most` not all of it."""
    found, stack = {i}, [i]
    while stack and len(found) <= most:
        if (a := stack.pop()) not in ends:
            new = {*arguments(nodes[a])} - found
            found |= new
            stack += new
    return sorted(found)


def varying(nodes: Sequence[Node], inputs: Container[str] | None = None) -> bytearray:
    """Which nodes depend on an input, or on one of some inputs."""
    varies = bytearray()
    for node in nodes:
        if node[0] == "input":
            varies.append(inputs is None or node[1] in inputs)
        else:
            varies.append(node[0] != "const" and 1 in [varies[a] for a in node[1:]])
    return varies


def compact(program: Program) -> Program:
    """Drop the nodes that no output depends on."""
    alive, nodes = program.alive, program.nodes
    if False not in alive:
        return program
    new = list(accumulate(alive, initial=0))  # the positions of those that are alive
    same = alive.index(False)  # those before it stay as they are
    moved = [
        (node[0], *[new[a] for a in node[1:]]) if arguments(node) else node
        for node in compress(nodes[same:], alive[same:])
    ]
    return replace(
        program,
        nodes=(*nodes[:same], *moved),
        outputs=tuple(new[i] for i in program.outputs),
        spans=tuple(compress(program.spans, alive)),
        names={new[i]: name for i, name in program.names.items() if alive[i]},
    )


def interned(program: Program) -> Program:
    """Drop the nodes that no output depends on, and make equal ones one."""
    builder, new = Builder(program.ops), dict[int, int]()
    for i in compress(range(len(program.nodes)), program.alive):
        new[i] = builder.copy(program, i, new)
    return builder.follow(program, [new[i] for i in program.outputs])


def listing(program: Program) -> str:
    """The program as text, a line a node: the language of the tests."""
    lines = []
    for i, node in enumerate(program.nodes):
        words = [f"%{a}" for a in arguments(node)] or map(str, node[1:])
        lines.append(" ".join([f"%{i} = {node[0]}", *words]))
    lines.append("out " + " ".join(f"%{i}" for i in program.outputs))
    for rule, span in program.rules:
        start, end = span or (0, 0)
        lines.append(f"by {rule}: {' '.join(program.source.text[start:end].split())}")
    return "\n".join(line.rstrip() for line in lines)


# Nanoseconds of a straight-line statement over local names, medians on CPython 3.11;
# only their proportions matter: by them passes choose between forms.
NANOSECONDS = {
    **dict.fromkeys(("const", "input"), 0.0),
    **dict.fromkeys(("and", "or", "not"), 4.0),
    **dict.fromkeys((*COMPARISONS, "where"), 8.0),
    **dict.fromkeys(("add", "sub", "mul", "neg"), 9.5),
    **{"min": 10.0, "max": 10.0, "div": 12.5, "abs": 14.0, "sqrt": 15.6},
    **{"exp": 20.0, "sin": 20.5, "cos": 20.5, "log": 53.0},
}
CALL = 30.0  # of any other row
MANY = 100  # rows that columns are thought to have
