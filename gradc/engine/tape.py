"""The tape: the program that a Python function writes while it runs.

    h = a * b          %2 = mul %0 %1     line 7
    return h.tanh()    %3 = tanh %2       line 8

Nothing is joined or simplified, so the tape is what the self-check takes for the
function as written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import Any, NoReturn

from gradc.engine.places import Places
from gradc.engine.record import Condition, Recorded, choose, data
from gradc.engine.value import Value
from gradc.errors import Source, mistake, note
from gradc.ir import Input, Node, Program, live
from gradc.language.limits import counted_text
from gradc.language.syntax import Span
from gradc.run import run as run_program

NAMED = 3  # levels of lists in a variable whose elements get names


class Tape:
    """The program that a Python function writes while it runs.

    Arguments:
        code: the function's own code, if it is written in Python.
        max_ops: how many operations it may write.
    """

    def __init__(self, code: CodeType | None, max_ops: int) -> None:
        self.places = Places(code)
        self.max_ops = max_ops
        self.nodes: list[Node] = []
        self.spans: list[Span | None] = []
        self.inputs: list[Input] = []
        self._room = max_ops  # how many nodes may be there before they are counted
        self._examples: dict[str, float] = {}
        self._numbers: list[Any] = []  # of the nodes, as far as they were asked for
        self._taken: list[int] = []  # these nodes
        self._frozen: dict[Span, None] = {}  # the lines that asked

    def input(self, item: Input, example: float | None) -> Recorded:
        """A new input of the program, with its number if an example was given."""
        self.inputs.append(item)
        if example is not None:
            self._examples[item.name] = example
        self.nodes.append(("input", item.name))
        self.spans.append(None)
        return Recorded(self, len(self.nodes) - 1)

    def call(self, name: str, args: Sequence[Any]) -> Recorded:
        """Write down a function of the language on recorded values and numbers."""
        row = choose(name, len(args))
        return self.write(row.name, *[self.position(x) for x in args])

    def write(self, *node: Any) -> Recorded:
        """Write down a node."""
        nodes = self.nodes
        at = len(nodes)
        if at > self._room:
            self._count()
        nodes.append(node)
        self.spans.append(self.places.here(3))
        return Recorded(self, at)

    def _count(self) -> None:
        """Refuse more operations than allowed; constants and inputs are none."""
        count = operations(self.nodes)
        if count > self.max_ops:
            counted = counted_text(self.max_ops)
            raise mistake("too_many_recorded", *self.places.now(), counted=counted)
        self._room = len(self.nodes) + self.max_ops - count

    def position(self, x: Any) -> int:
        """The node of an argument."""
        if isinstance(x, Recorded):
            if x._tape is not self:
                raise mistake("recorded_elsewhere", *self.places.now())
            return x._node
        if isinstance(x, Value):
            raise mistake("recorded_with_value", *self.places.now())
        if isinstance(x, Condition):
            x.refuse()
        return self.write("const", float(x))._node

    def refuse(self, act: str, hint: str) -> NoReturn:
        """Say that a recorded value has no number."""
        raise mistake("recorded_frozen", *self.places.now(), act=act, instead=hint)

    def number(self, x: Recorded) -> float:
        """The number of a recorded value at the examples; see `gradc.data`."""
        if place := self.places.here():
            self._frozen.setdefault(place, None)
        self._taken.append(x._node)
        try:
            program = self._program([x._node], {})
            found = run_program(program, self._examples, known=self._numbers)
            return float(found.results()[0])
        except KeyError:
            self.refuse("is asked for its number", "give the inputs by example")

    def taken(self) -> set[str]:
        """The inputs of which some number was asked for."""
        alive = live(self.nodes, self._taken)
        return {x[1] for x, on in zip(self.nodes, alive) if on and x[0] == "input"}

    def finish(self, results: Sequence[Any]) -> Program:
        """What was recorded, the nodes called what the function's variables call them."""
        called: dict[int, str] = {}
        for name, x in self.places.variables():
            for words, value in _elements(name, x, NAMED):
                op = self.nodes[value._node][0]
                if value._tape is self and op not in ("const", "input"):
                    called.setdefault(value._node, words)
        return self._program([self.position(x) for x in results], called)

    def _program(self, outputs: Sequence[int], called: Mapping[int, str]) -> Program:
        source = self.places.source()
        lines = [source.quote(*place, again=True) for place in self._frozen]
        return Program(
            nodes=self.nodes,
            inputs=tuple(self.inputs),
            outputs=tuple(outputs),
            spans=self.spans,
            names=called,
            source=source,
            notes=tuple(note("recorded_constant", line=line) for line in lines),
        )


@dataclass(frozen=True)
class Recording:
    """What a compiled function was recorded from; a pickle leaves the function behind.

    Attributes:
        program: what was recorded, before anything is derived.
        place: where the function begins.
        function: runs the Python function on the inputs, by their elements' names;
            None for a graph that had been built before.
    """

    program: Program
    place: tuple[Source, Span | None]
    function: Callable[[Mapping[str, Any]], Any] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "function": None}


def run(
    function: Callable[[Mapping[str, Any]], Any],
    point: Mapping[str, float],
    wrt: Sequence[str],
) -> list[Any]:
    """The value of a recorded function and its derivatives, by `Value`."""
    given = {name: Value(x) for name, x in point.items()}
    result = function(given)
    if isinstance(result, Value):
        result.backward()
    return [data(result), *(given[name].grad for name in wrt)]


def operations(nodes: Sequence[tuple[Any, ...]]) -> int:
    """How many of the nodes are neither constants nor inputs."""
    return sum(node[0] != "const" and node[0] != "input" for node in nodes)


def _elements(name: str, x: Any, depth: int) -> Iterator[tuple[str, Recorded]]:
    """The recorded values in a variable, each as Python writes it: `h[0][1]`."""
    if isinstance(x, Recorded):
        yield name, x
    elif isinstance(x, (list, tuple)) and depth:
        for k, inner in enumerate(x):
            yield from _elements(f"{name}[{k}]", inner, depth - 1)
    elif hasattr(x, "dtype") and x.dtype == object:
        yield from _elements(name, x.tolist(), depth)
