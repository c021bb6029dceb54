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
import sys
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import accumulate, compress, groupby
from math import prod
from operator import itemgetter
from typing import Any, NamedTuple

from gradc.errors import InternalError, Source, Span
from gradc.ops import OPS, Table

Node = tuple[Any, ...]

LAZY = frozenset({"where", "and", "or"})
EXTREMES = frozenset({"max", "min"})
COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y,
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
}
ARITHMETIC: Mapping[str, Callable[[float, float], float]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
}
CONDITIONS = frozenset({*COMPARISONS, "and", "or", "not"})


@dataclass(frozen=True)
class Input:
    """An argument of the compiled function, with the domain its author declared.

    `kind` is "input", or "data" for an argument that gets no gradient. `low` and
    `high` are the ends of the domain (None where the author gave none). An element of
    an array, such as `w[0][1]`, also has the array's name and shape.
    """

    name: str
    kind: str = "input"
    low: float | None = None
    high: float | None = None
    low_open: bool = False
    high_open: bool = False
    array: str = ""
    shape: tuple[int, ...] = ()

    @property
    def domain(self) -> str:
        """The domain as the language writes it, or the empty string."""
        if self.low is None or self.high is None:
            return ""
        left = "(" if self.low_open else "["
        right = ")" if self.high_open else "]"
        return f"{left}{_short(self.low)}, {_short(self.high)}{right}"


class Argument(NamedTuple):
    """What a caller passes: a number, or an array of the shape with its elements."""

    name: str
    shape: tuple[int, ...]
    elements: tuple[Input, ...]


def grouped(inputs: Sequence[Input]) -> tuple[Argument, ...]:
    """The arguments of the compiled function, in order."""
    found = []
    for _, group in groupby(inputs, lambda i: (i.array, i.array or i.name)):
        elements = tuple(group)
        first = elements[0]
        found.append(Argument(first.array or first.name, first.shape, elements))
    return tuple(found)


def elements(program: Program, names: Sequence[str]) -> list[str]:
    """The inputs of some arguments, those of an array in their order."""
    named = {item.name: item.elements for item in grouped(program.inputs)}
    return [element.name for name in names for element in named[name]]


def axes(program: Program, names: Sequence[str]) -> list[int]:
    """The places of the inputs of some arguments among all inputs."""
    places = {item.name: place for place, item in enumerate(program.inputs)}
    return [places[name] for name in elements(program, names)]


class Result(NamedTuple):
    """What a function returns: a number, or an array of the shape."""

    name: str  # "" if the formula gives none
    shape: tuple[int, ...]


def _short(value: float) -> str:
    """A number as one would write it, if that is the same number."""
    return f"{value:g}" if float(f"{value:g}") == value else repr(value)


@dataclass(frozen=True, repr=False)
class Program:
    """A list of nodes, each using only earlier ones, and the positions that count.

    `outputs` holds the elements of the `results` first, row-major and one result after
    the other, then one position per derivative. `spans` and `names` are labels beside
    the list: the part of the source that a node computes, or whose `Adjoint` it is, or
    and what its author called it.
    `rules` says which rules of the identity book the last pass has applied, and to which
    part of the source.
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

    @property
    def count(self) -> int:
        """How many of the outputs are values; the others are derivatives."""
        return sum(prod(result.shape) for result in self.results)

    @property
    def last(self) -> int:
        """The last node of the values, -1 if none is an output."""
        return max(self.outputs[: self.count], default=-1)

    @cached_property
    def operations(self) -> frozenset[str]:
        """What the nodes compute: a pass has nothing to do where its kind is missing."""
        return frozenset(map(itemgetter(0), self.nodes))

    @cached_property
    def alive(self) -> Sequence[bool]:
        """Which nodes the outputs depend on, by either side of any condition."""
        return live(self.nodes, self.outputs)

    def __repr__(self) -> str:
        return listing(self)


Pass = Callable[[Program], Program]


def unchanged(program: Program) -> Program:
    """The pass that does nothing."""
    return program


def arguments(node: Node) -> tuple[int, ...]:
    """The positions a node reads."""
    return () if node[0] in ("const", "input") else node[1:]


class Adjoint(NamedTuple):
    """The span of a node that reverse mode made: the adjoint of what stands there."""

    start: int
    end: int


class Builder:
    """Grows a program; equal nodes are one node, so sharing needs no pass.

    Constants are told apart by their bits, so that 0.0 and -0.0 stay two. Arguments
    of commuting operations find each other in either order. Identities that hold bit
    for bit, and correctly rounded arithmetic on constants, are applied on the way in.
    `span` labels the nodes that are added next.

    A node of two arguments has integers of its own for them. Those that the positions
    were first known by are anywhere in memory, and each pass would fetch them: without
    their copies a program of millions of nodes takes a tenth more time.
    """

    @classmethod
    def upon(cls, program: Program) -> Builder:
        """A builder that goes on from a program, whose positions it keeps."""
        builder = cls(program.ops)
        builder.nodes = list(program.nodes)
        builder.spans = list(program.spans)
        builder.names = dict(program.names)
        index, commuting = builder._index, builder._commuting
        for i, node in enumerate(program.nodes):
            op = node[0]
            if op in commuting:
                if node[1] > node[2]:
                    node = op, node[2], node[1]
            elif op in _TELLING:
                builder._telling.add(i)
                if op == "const":
                    node = op, node[1].hex()
            index[node] = i
        return builder

    def __init__(self, ops: Table = OPS) -> None:
        self.ops = ops
        self.nodes: list[Node] = []
        self.spans: list[Span | None] = []
        self.names: dict[int, str] = {}
        self.span: Span | None = None
        self._index: dict[Any, int] = {}
        self._telling: set[int] = set()
        self._commuting = ops.commuting

    def __len__(self) -> int:
        return len(self.nodes)

    def add(self, op: str, *args: int) -> int:
        """Return the position of the node `op(*args)`, which may be an older one."""
        key = node = (op,) + args
        if op in self._commuting and args[0] > args[1]:
            key = (op, args[1], args[0])
        found = self._index.get(key)
        if found is not None:
            return found
        if op in _EXACT and not (op in _TOLD and self._telling.isdisjoint(args)):
            known = _EXACT[op](self, *args)
            if known is not None:
                return known
        nodes = self.nodes  # as in `_append`, a call less for each node
        new = self._index[key] = len(nodes)
        nodes.append(node)
        self.spans.append(self.span)
        if op in _TELLING:
            self._telling.add(new)
        return new

    def pair(self, op: str, x: int, y: int) -> int:
        """`add` of two arguments, which most nodes have: in four fifths of the time."""
        telling = self._telling
        if x in telling or y in telling or op not in _BINARY:
            return self.add(op, x, y)
        key = node = op, x + 0, y + 0  # new ones, beside it in memory (see the class)
        if x > y and op in self._commuting:
            key = op, node[2], node[1]
        new = len(self.nodes)
        position = self._index.setdefault(key, new)
        if position == new:
            self.nodes.append(node)
            self.spans.append(self.span)
        return position

    def forget(self) -> None:
        """Let what is added next be a node of its own, even if there is one like it."""
        self._index.clear()

    def find(self, op: str, *args: int) -> int | None:
        """The position of the node `op(*args)` if there is one."""
        if op in self._commuting and args[0] > args[1]:
            args = args[::-1]
        return self._index.get((op, *args))

    def const(self, value: float) -> int:
        """Return the position of a constant; any number becomes a binary64."""
        value = float(value)
        return self._intern(("const", value.hex()), ("const", value))

    def input(self, name: str) -> int:
        """Return the position of the input `name`."""
        node = ("input", name)
        return self._intern(node, node)

    def label(self, position: int, span: Span | None) -> None:
        """Say where a node comes from, if that is not known."""
        if self.spans[position] is None:
            self.spans[position] = span

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
        return Program(
            nodes=tuple(self.nodes),
            inputs=inputs,
            outputs=tuple(outputs),
            spans=tuple(self.spans),
            names=dict(self.names),
            source=source,
            notes=notes,
            ops=self.ops,
            results=results,
        )

    def follow(self, program: Program, outputs: Sequence[int]) -> Program:
        """Freeze what a pass has built out of `program`."""
        inputs, results = program.inputs, program.results
        return self.finish(inputs, outputs, program.source, program.notes, results)

    def copy(
        self, program: Program, position: int, new: Sequence[int] | Mapping[int, int]
    ) -> int:
        """Add a node of another program, `new` mapping its positions to ours."""
        node = program.nodes[position]
        self.span = program.spans[position]
        if len(node) == 3:  # most are: this one in half of the time
            i = self.pair(node[0], new[node[1]], new[node[2]])
        elif node[0] == "const":
            i = self.const(node[1])
        elif node[0] == "input":
            i = self.input(node[1])
        else:
            i = self.add(node[0], *[new[a] for a in node[1:]])
        if position in program.names:
            self.names.setdefault(i, program.names[position])
        return i

    def _intern(self, key: Any, node: Node) -> int:
        found = self._index.get(key)
        return self._append(key, node) if found is None else found

    def _append(self, key: Any, node: Node) -> int:
        """Add a node that is not there yet."""
        new = self._index[key] = len(self.nodes)
        self.nodes.append(node)
        self.spans.append(self.span)
        if node[0] in _TELLING:
            self._telling.add(new)
        return new

    def _is(self, position: int, value: float) -> bool:
        node = self.nodes[position]
        if node[0] != "const" or node[1] != value:
            return False
        return math.copysign(1.0, node[1]) == math.copysign(1.0, value)

    def _negative(self, position: int) -> int | None:
        """The opposite of a constant below zero, None for any other node."""
        value = self.value_of(position)
        return self.const(-value) if value is not None and value < 0.0 else None

    def _under(self, position: int, op: str) -> int | None:
        """The argument of a unary node, None if the node is not an `op`."""
        node = self.nodes[position]
        return node[1] if node[0] == op else None


# ---- what holds bit for bit: infinities, NaN and signed zeros included


# Operations whose identities need a constant or a negation among the arguments.
_BINARY = frozenset({*ARITHMETIC, "pow"})
_TOLD = _BINARY | {"neg"}
_TELLING = frozenset({"const", "neg"})


def has_ended(x: float) -> bool:
    """Whether a float is infinite, or so small that it has lost digits, or all."""
    return not sys.float_info.min <= abs(x) < math.inf


def _fold(builder: Builder, op: str, x: int, y: int) -> int | None:
    """Correctly rounded arithmetic on two constants; None if floats end there."""
    a, b = builder.value_of(x), builder.value_of(y)
    if a is None or b is None or (op == "div" and b == 0.0):
        return None
    result = ARITHMETIC[op](a, b)
    if has_ended(result) and ((a and b) or not math.isfinite(result)):
        return None
    return builder.const(result)


def _add(builder: Builder, x: int, y: int) -> int | None:
    if builder._is(y, -0.0):  # x + -0 = x
        return x
    if builder._is(x, -0.0):
        return y
    if (minus := builder._under(y, "neg")) is not None:  # x + -y = x - y
        return builder.add("sub", x, minus)
    if (minus := builder._under(x, "neg")) is not None:
        return builder.add("sub", y, minus)
    known = _fold(builder, "add", x, y)
    for one, other in ((y, x), (x, y)):
        if known is None and (minus := builder._negative(one)) is not None:
            known = builder.add("sub", other, minus)
    return known


def _sub(builder: Builder, x: int, y: int) -> int | None:
    if builder._is(y, 0.0):  # x - 0 = x
        return x
    if (minus := builder._under(y, "neg")) is not None:  # x - -y = x + y
        return builder.add("add", x, minus)
    known = _fold(builder, "sub", x, y)
    if known is None and (minus := builder._negative(y)) is not None:
        known = builder.add("add", x, minus)
    return known


def _mul(builder: Builder, x: int, y: int) -> int | None:
    for one, other in ((x, y), (y, x)):
        if builder._is(one, 1.0):  # x * 1 = x
            return other
        if builder._is(one, -1.0):  # x * -1 = -x
            return builder.add("neg", other)
    a, b = builder._under(x, "neg"), builder._under(y, "neg")
    if a is not None and b is not None:  # -x * -y = x*y
        return builder.add("mul", a, b)
    return _fold(builder, "mul", x, y)


def _div(builder: Builder, x: int, y: int) -> int | None:
    if builder._is(y, 1.0):  # x / 1 = x
        return x
    if builder._is(y, -1.0):  # x / -1 = -x
        return builder.add("neg", x)
    return _fold(builder, "div", x, y)


def _neg(builder: Builder, x: int) -> int | None:
    if (inner := builder._under(x, "neg")) is not None:  # -(-x) = x
        return inner
    value = builder.value_of(x)
    return None if value is None else builder.const(-value)


def _pow(builder: Builder, x: int, y: int) -> int | None:
    if builder._is(y, 1.0):  # x ^ 1 = x
        return x
    if builder.value_of(y) == 0.0:  # x ^ 0 = 1
        return builder.const(1.0)
    return None


def _sqrt(builder: Builder, x: int) -> int | None:
    """The root of a perfect square; sqrt(2) stays, for its square is 2 and no float."""
    value = builder.value_of(x)
    if value is None or not 0.0 <= value < math.inf:
        return None
    root = math.sqrt(value)
    (a, b), (c, d) = root.as_integer_ratio(), value.as_integer_ratio()
    return builder.const(root) if a * a * d == c * b * b else None


def _abs(builder: Builder, x: int) -> int | None:
    """The size of an opposite: abs(-x) = abs(x), as that of a size."""
    inner = builder._under(x, "neg")
    if inner is not None:
        return builder.add("abs", inner)
    return x if builder.nodes[x][0] == "abs" else None


def _not(builder: Builder, x: int) -> int | None:
    return builder._under(x, "not")  # not not c = c


def _and(builder: Builder, x: int, y: int) -> int | None:
    for c, other in ((x, y), (y, x)):
        if (known := _decided(builder, c)) is not None:
            return other if known else c
    return None


def _or(builder: Builder, x: int, y: int) -> int | None:
    for c, other in ((x, y), (y, x)):
        if (known := _decided(builder, c)) is not None:
            return c if known else other
    return None


def _where(builder: Builder, c: int, x: int, y: int) -> int | None:
    if x == y:
        return x
    if (opposite := builder._under(c, "not")) is not None:
        return builder.add("where", opposite, y, x)
    known = _decided(builder, c)
    return None if known is None else x if known else y


def _decided(builder: Builder, c: int) -> bool | None:
    """Whether a comparison of two constants holds, None for any other condition."""
    op, *args = builder.nodes[c]
    if op in COMPARISONS:
        a, b = builder.value_of(args[0]), builder.value_of(args[1])
        if a is not None and b is not None:
            return bool(COMPARISONS[op](a, b))
    return None


def _compared(op: str, builder: Builder, x: int, y: int) -> int | None:
    """A number compared with what is held on one side of another: as that without it.

    So max(x, 0) < 1 is x < 1. NaN is less than none and more than none, held or not.
    """
    args = [x, y]
    for k, bound in enumerate((builder.value_of(y), builder.value_of(x))):
        while bound is not None and len(node := builder.nodes[args[k]]) == 3:
            held = builder.value_of(node[2]) if node[0] in EXTREMES else None
            if held is None or not (held < bound if node[0] == "max" else held > bound):
                break
            args[k] = node[1]
    return None if args == [x, y] else builder.add(op, *args)


def _only(builder: Builder, x: int, *others: int) -> int | None:
    return None if others else x  # max(x) = x


def _hypot(builder: Builder, *args: int) -> int | None:
    """The length of a vector along an axis: hypot(x, 0) = abs(x)."""
    long = [x for x in args if builder.value_of(x) != 0.0] or [*args[:1]]
    return builder.add("abs", *long) if len(long) == 1 else None


def _copysign(builder: Builder, x: int, y: int) -> int | None:
    return x if x == y else None  # copysign(x, x) = x


_EXACT: Mapping[str, Callable[..., int | None]] = {
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "div": _div,
    "neg": _neg,
    "pow": _pow,
    "sqrt": _sqrt,
    "abs": _abs,
    "not": _not,
    "and": _and,
    "or": _or,
    "where": _where,
    **{op: partial(_compared, op) for op in COMPARISONS},
    "min": _only,
    "max": _only,
    "hypot": _hypot,
    "copysign": _copysign,
}


def live(nodes: Sequence[Node], outputs: Sequence[int]) -> list[bool]:
    """Which nodes some of them depend on, by either side of any condition."""
    alive = [False] * len(nodes)
    for i in outputs:
        alive[i] = True
    i = len(nodes)
    for node in reversed(nodes):
        i -= 1
        if alive[i]:
            if len(node) == 3:  # most are: this one in half of the time
                _, a, b = node
                alive[a] = alive[b] = True
            else:
                for a in arguments(node):
                    alive[a] = True
    return alive


def interned(program: Program) -> Program:
    """Make one node of equal ones, and drop what no output needs."""
    builder = Builder(program.ops)
    new: list[int] = []
    for i in range(len(program.nodes)):
        new.append(builder.copy(program, i, new))
    return compact(builder.follow(program, [new[i] for i in program.outputs]))


def varying(nodes: Sequence[Node], inputs: Container[str] | None = None) -> list[bool]:
    """Which nodes depend on an input, or on one of some inputs."""
    varies: list[bool] = []
    for node in nodes:
        if len(node) == 3:  # most are: this one in half of the time
            varies.append(varies[node[1]] or varies[node[2]])
        elif node[0] == "input":
            varies.append(inputs is None or node[1] in inputs)
        else:
            varies.append(node[0] != "const" and any([varies[a] for a in node[1:]]))
    return varies


def compact(program: Program) -> Program:
    """Drop the nodes that no output depends on."""
    alive = program.alive
    if False not in alive:
        return program
    new = list(accumulate(alive, initial=0))  # the positions of those that are alive
    nodes: list[Node] = list(program.nodes[: alive.index(False)])
    for node in compress(program.nodes[len(nodes) :], alive[len(nodes) :]):
        if len(node) == 3:  # most are: this one in half of the time
            op, a, b = node
            node = op, new[a], new[b]
        elif node[0] != "const" and node[0] != "input":
            node = (node[0], *[new[a] for a in node[1:]])
        nodes.append(node)
    found = replace(
        program,
        nodes=tuple(nodes),
        outputs=tuple(new[i] for i in program.outputs),
        spans=tuple(compress(program.spans, alive)),
        names={new[i]: name for i, name in program.names.items() if alive[i]},
    )
    found.__dict__["alive"] = [True] * len(nodes)  # which need not be found out again
    return found


def listing(program: Program) -> str:
    """The program as text, a line a node: the language of the tests."""
    lines = []
    for i, node in enumerate(program.nodes):
        if node[0] in ("const", "input"):
            lines.append(f"%{i} = {node[0]} {node[1]}")
        else:
            lines.append(f"%{i} = {node[0]} " + " ".join(f"%{a}" for a in node[1:]))
    lines.append("out " + " ".join(f"%{i}" for i in program.outputs))
    for rule, span in program.rules:
        start, end = span or (0, 0)
        lines.append(f"by {rule}: {' '.join(program.source.text[start:end].split())}")
    return "\n".join(line.rstrip() for line in lines)


def verify(program: Program) -> Program:
    """Return the program if it is legal.

    Raises:
        InternalError: an argument that does not stand earlier, an unknown operation, a
            wrong number of arguments, a node that stands twice, an input that is not
            declared, a condition used as a number or the reverse, an output outside.
    """
    declared = {item.name for item in program.inputs}
    seen: set[Any] = set()
    for i, node in enumerate(program.nodes):
        problem = _problem(program, i, node, declared)
        key = ("const", node[1].hex()) if node[0] == "const" else node
        if key in seen:
            problem = "stands twice"
        seen.add(key)
        if problem:
            raise InternalError(f"node %{i} = {node}: {problem}", listing(program))
    for i in program.outputs:
        if not 0 <= i < len(program.nodes) or program.nodes[i][0] in CONDITIONS:
            raise InternalError(f"output %{i} is no number", listing(program))
    return program


def _problem(program: Program, i: int, node: Node, declared: set[str]) -> str:
    op, args = node[0], node[1:]
    if op == "const":
        return "" if isinstance(node[1], float) else "is no float"
    if op == "input":
        return "" if node[1] in declared else "is not declared"
    if op not in program.ops:
        return "is no operation of the table"
    if not program.ops[op].accepts(len(args)):
        return f"takes {program.ops[op].arity_text}"
    if not all(0 <= a < i for a in args):
        return "uses a node that does not stand earlier"
    for k, a in enumerate(args):
        wants = op in ("and", "or", "not") or (op == "where" and k == 0)
        if wants != (program.nodes[a][0] in CONDITIONS):
            return f"argument {k + 1} is a {'number' if wants else 'condition'}"
    return ""
