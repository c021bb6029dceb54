"""Recorded values: they write down what is done with them, for `gradc.trace`.

    h = a * b          %2 = mul %0 %1     line 7
    return h.tanh()    %3 = tanh %2       line 8

A recorded value has no number. Its operators and methods are those of `Value`; each
adds a node to the tape, labelled with the line of Python that asked for it. Whatever
would turn it into a number, and so freeze a decision that the compiled code could not
take again, is an error that shows that line. Nothing is joined or simplified, so the
tape is what the self-check takes for the function as written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from types import CodeType
from typing import Any, NoReturn

from gradc.arrays import leaves
from gradc.engine.places import Places
from gradc.engine.value import Value
from gradc.errors import mistake, note
from gradc.ir import Input, Node, Program, live
from gradc.language.limits import counted_text
from gradc.language.syntax import Span
from gradc.ops import Op
from gradc.run import run

NAMED = 3  # levels of lists in a variable whose elements get names

_BRANCH = "gradc.where(condition, a, b) keeps both sides; gradc.math has min and max"
_CHANGE = "bind the new value to a name"
_GRADIENT = "the compiled function has the gradient"


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

    def write(self, *node: Any) -> Recorded:
        """Write down a node."""
        at = len(self.nodes)
        if at > self._room:
            self._count()
        self.nodes.append(node)
        self.spans.append(self.places.here())
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
        if x.__class__ is Recorded:
            if x._tape is not self:
                raise mistake("recorded_elsewhere", *self.places.now())
            node: int = x._node
            return node
        if isinstance(x, Value):
            raise mistake("recorded_with_value", *self.places.now())
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
            found = run(program, self._examples, known=self._numbers)
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
        frozen = [source.quote(*place, again=True) for place in self._frozen]
        return Program(
            nodes=self.nodes,
            inputs=tuple(self.inputs),
            outputs=tuple(outputs),
            spans=self.spans,
            names=called,
            source=source,
            notes=tuple(note("recorded_constant", line=line) for line in frozen),
        )


def operations(nodes: Sequence[Node]) -> int:
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


class Recorded(Value):
    """A value of which only the operations are known, not the number."""

    __slots__ = ("_tape", "_node")

    def __init__(self, tape: Tape, node: int) -> None:
        self._tape = tape
        self._node = node

    def written(self, op: Op, args: Sequence[Any]) -> Any:
        tape = self._tape
        at: list[Any] = [op.name]
        for x in args:
            own = x.__class__ is Recorded and x._tape is tape
            at.append(x._node if own else tape.position(x))
        made = tape.write(*at)
        return Condition(tape, made._node) if op.result == "condition" else made

    def __deepcopy__(self, memo: object) -> Recorded:
        return self

    def __copy__(self) -> Recorded:
        return self

    def __repr__(self) -> str:
        return f"<recorded value {self._node}>"


class Condition:
    """A comparison of recorded values: for `gradc.where`, and for `&` and `|`."""

    __slots__ = ("_tape", "_node")

    def __init__(self, tape: Tape, node: int) -> None:
        self._tape = tape
        self._node = node

    def __and__(self, other: Condition) -> Condition:
        return self._join("and", other)

    def __or__(self, other: Condition) -> Condition:
        return self._join("or", other)

    def _join(self, op: str, other: Condition) -> Condition:
        if not isinstance(other, Condition):
            return NotImplemented
        made = self._tape.write(op, self._node, other._node)
        return Condition(self._tape, made._node)


class Given(list[Any]):
    """The list of an input, which the function must leave as it is."""

    def refuse(self, *args: Any, **named: Any) -> NoReturn:
        """Say that an input is changed.

        Raises:
            GradcError: always.
        """
        tape = next(x for x in leaves(self) if isinstance(x, Recorded))._tape
        raise mistake("recorded_changed", *tape.places.now())

    __setitem__ = __delitem__ = __iadd__ = __imul__ = refuse
    append = extend = insert = pop = remove = clear = refuse
    sort = reverse = refuse

    def __copy__(self) -> list[Any]:
        return list(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> list[Any]:
        return [deepcopy(x, memo) for x in self]


def where(condition: Any, x: Any, y: Any) -> Any:
    """`x` where the condition holds, else `y`.

    On a comparison of recorded values both sides are kept, and the compiled function
    evaluates the one that it needs; on a plain truth value it is Python's conditional.
    """
    if not isinstance(condition, Condition):
        return x if condition else y
    tape = condition._tape
    return tape.write("where", condition._node, tape.position(x), tape.position(y))


def data(x: Any) -> Any:
    """The number of a value, deliberately taken as a constant.

    In a recording it is the number at the example that `gradc.trace` was given.
    """
    if isinstance(x, Recorded):
        return x._tape.number(x)
    return data(x.data) if isinstance(x, Value) else x


# ---- what cannot be done with what has no number


def _refusal(act: str, hint: str) -> Callable[..., NoReturn]:
    def refuse(self: Recorded | Condition, *args: Any) -> NoReturn:
        self._tape.refuse(act, hint)

    return refuse


def _refuse(cls: type, names: str, act: str, hint: str) -> None:
    for name in names.split():
        setattr(cls, name, _refusal(act.format(name), hint))


_USES = "add sub mul truediv pow radd rsub rmul rtruediv rpow neg float index"
_refuse(
    Recorded,
    "__float__ __int__ __index__ __complex__",
    "is turned into a number",
    "use the functions of gradc.math",
)
_refuse(Recorded, "__bool__", "decides a branch", _BRANCH)
_refuse(Recorded, "backward zero_grad nodes", "has no `{}`", _GRADIENT)
_refuse(Condition, "__bool__", "decides a branch", _BRANCH)
_refuse(
    Condition,
    "__invert__",  # Python has ~True == -2
    "is inverted",
    "turn the comparison round: x <= 0 for ~(x > 0)",
)
_refuse(
    Condition,
    " ".join(f"__{name}__" for name in _USES.split()) + " written",
    "is compared, and the answer is used as a number",
    "gradc.where(condition, 1, 0) is a number",
)
for _name, _hint in {
    "data": "gradc.data(x) marks a constant",
    "grad": _GRADIENT,
}.items():
    _get = _refusal(f"has no `.{_name}`", _hint)
    setattr(Recorded, _name, property(_get, _refusal("is changed in place", _CHANGE)))
