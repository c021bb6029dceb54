"""From Python to a program: by recording what a function does, or from a graph.

    h = a * b          %2 = mul %0 %1     line 7
    return h.tanh()    %3 = tanh %2       line 8

A function runs once, with recorded values. They have no number: their operators and
methods, which are those of `Value`, write nodes on a tape, each with the line of Python
that asked for it. Whatever would turn one into a number, and so freeze a decision that
the compiled code could not take again, is an error that shows that line. Nothing is
joined or simplified, so the tape is what the self-check takes for the function as
written. Of a graph of `Value`s everything but its inputs is constant.
"""

from __future__ import annotations

import linecache
import os
import sys
import sysconfig
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import repeat
from types import CodeType, FrameType
from typing import Any, NoReturn

from gradc.arrays import flatten, names, nest
from gradc.calculus import meaning_template
from gradc.errors import Source, Span, mistake, note
from gradc.ir import Argument, Builder, Input, Node, Program, Result, interned
from gradc.ops import OPS, Op
from gradc.run import run
from gradc.value import Value, apply

Line = tuple[str, int]  # a file, and the number
Place = tuple[Source, "Span | None"]
Results = tuple[tuple[Result, ...], list[Any]]  # and their elements
_OWN = os.path.dirname(os.path.abspath(__file__))


class Places:
    """The lines of Python that a recording runs through, one below the other.

    Each stands behind its place, `line 12: h = w*x`, or `model.py:12: h = w*x` if it is
    in another file than the function, whose `code` is None if it is not in Python.
    That text is the source of the program.
    """

    def __init__(self, code: CodeType | None) -> None:
        self.code = code
        self.file = code.co_filename if code else ""
        self.name = os.path.basename(self.file) or "<graph>"
        self._text = ""
        self._spans: dict[Line, Span] = {}

    def here(self) -> Span | None:
        """Where the innermost line that the user wrote stands in the source."""
        if (line := self._innermost()) and line not in self._spans:
            file, number = line
            own = file == self.file
            place = f"line {number}" if own else f"{os.path.basename(file)}:{number}"
            words = linecache.getline(file, number).strip()
            start = len(self._text)
            self._text += f"{place}: {words}\n" if words else f"{place}\n"
            self._spans[line] = start, len(self._text) - 1
        return self._spans[line] if line else None

    def _innermost(self) -> Line | None:
        frame: FrameType | None = sys._getframe(2) if self.code else None
        while frame is not None:
            file = frame.f_code.co_filename
            if file == self.file or not _is_installed(file):
                return file, frame.f_lineno
            frame = frame.f_back
        return None

    def source(self) -> Source:
        """The lines that have been met, as the source of a program."""
        name = f"<recording of {self.name}>"
        return Source(self._text.rstrip("\n"), name, recorded=True)

    def now(self) -> Place:
        """The file and the line that are running, for an error."""
        line = self._innermost()
        return _shown(*line) if line else self.function()

    def function(self) -> Place:
        """The file of the function and the line where it begins."""
        if self.code is None:
            return Source("", self.name), None
        return _shown(self.file, self.code.co_firstlineno)


@cache
def _is_installed(file: str) -> bool:
    """Whether a file belongs to gradc, to Python or to an installed library."""
    libraries = [sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")]
    folders = tuple([os.path.join(path, "") for path in (_OWN, *libraries)])
    return os.path.abspath(file).startswith(folders) or file.startswith("<frozen")


def _shown(file: str, line: int) -> Place:
    """A file of which only a line is known, with the place of the words in it."""
    name, words = os.path.basename(file), linecache.getline(file, line).rstrip()
    if not words:  # nothing is left of what was typed in
        return Source("", f"{name}:{line}"), None
    source = Source("\n" * (line - 1) + words, name)
    return source, (len(source.text) - len(words.lstrip()), len(source.text))


class Tape(Builder):
    """The program that a Python function writes while it runs; nothing is joined."""

    def __init__(self, code: CodeType | None, max_ops: int) -> None:
        super().__init__()
        self.places = Places(code)
        self.inputs: list[Input] = []
        self._max_ops = self._left = max_ops
        self._examples: dict[str, float] = {}
        self._frozen: dict[Span, None] = {}  # the lines that asked for a number

    def declare(self, item: Input, example: float | None) -> Recorded:
        """A new input of the program, with its number if an example was given."""
        self.inputs.append(item)
        if example is not None:
            self._examples[item.name] = example
        return Recorded(self, self.input(item.name))

    def add(self, op: str, *args: int) -> int:
        """Write down a node."""
        if not self._left:
            raise mistake("too_many_recorded", *self.places.now(), limit=self._max_ops)
        self._left -= 1
        return self._intern((), (op, *args))

    def _intern(self, key: Node, node: Node) -> int:
        """Write down a node with the line that asks for it."""
        self.nodes.append(node)
        self.spans.append(None if node[0] == "input" else self.places.here())
        return len(self.nodes) - 1

    def position(self, x: Any) -> int:
        """The node of an argument."""
        if isinstance(x, Recorded):
            if x._tape is not self:
                raise mistake("recorded_elsewhere", *self.places.now())
            return x._node
        if isinstance(x, Value):
            raise mistake("recorded_with_value", *self.places.now())
        return self.const(x)

    def number(self, x: Recorded) -> float:
        """The number of a recorded value at the examples; see `gradc.data`."""
        if place := self.places.here():
            self._frozen.setdefault(place, None)
        try:
            written = self.finish((), [x._node], self.places.source())
            return float(run(written, self._examples).results()[0])
        except KeyError:
            x.refuse("is asked for its number", "give the inputs by example")

    def recording(
        self, arguments: Sequence[Argument], results: Results, *more: Any
    ) -> Recording:
        """What was recorded, in which no input may have no effect."""
        (told, found), source = results, self.places.source()
        frozen = [source.quote(*place, again=True) for place in self._frozen]
        notes = tuple(note("recorded_constant", line=line) for line in frozen)
        outputs = [self.position(x) for x in found]
        written = self.finish(tuple(self.inputs), outputs, source, notes, told)
        program, place = interned(written), self.places.function()
        used = {node[1] for node in program.nodes if node[0] == "input"}
        for name, _, elements in arguments:
            if used.isdisjoint(item.name for item in elements):
                raise mistake("recorded_unused", *place, name=name)
        return Recording(written, program, place, *more)


class Taped:
    """A node on a tape, which has no number."""

    def __init__(self, tape: Tape, node: int) -> None:
        self._tape, self._node = tape, node

    def refuse(self, act: str, hint: str) -> NoReturn:
        """Say that a recorded value has no number."""
        now = self._tape.places.now()
        raise mistake("recorded_frozen", *now, act=act, instead=hint)


class Recorded(Taped, Value):
    """A value of which only the operations are known, not the number."""

    def written(self, op: Op, args: Sequence[Any]) -> Any:
        """What a row makes of this and of other arguments."""
        tape = self._tape
        at = [tape.position(x) for x in args]
        if op.means_only:
            return Recorded(tape, meaning_template(op).build(tape, at))
        kind = Condition if op.result == "condition" else Recorded
        return kind(tape, tape.add(op.name, *at))

    def __deepcopy__(self, *_: object) -> Recorded:
        return self

    def __repr__(self) -> str:
        return f"<recorded value {self._node}>"


class Condition(Taped):
    """A comparison of recorded values: for `gradc.where`, and for `&` and `|`."""

    def __and__(self, other: Condition) -> Condition:
        return Condition(self._tape, self._tape.add("and", self._node, other._node))

    def __or__(self, other: Condition) -> Condition:
        return Condition(self._tape, self._tape.add("or", self._node, other._node))


def where(condition: Any, x: Any, y: Any) -> Any:
    """`x` where the condition holds, else `y`.

    On a comparison of recorded values both sides are kept, and the compiled function
    evaluates the one that it needs; on a plain truth value it is Python's conditional.
    """
    if not isinstance(condition, Condition):
        return x if condition else y
    tape = condition._tape
    args = condition._node, tape.position(x), tape.position(y)
    return Recorded(tape, tape.add("where", *args))


def data(x: Any) -> Any:
    """The number of a value, deliberately taken as a constant.

    In a recording it is the number at the example that `gradc.trace` was given.
    """
    if isinstance(x, Recorded):
        return x._tape.number(x)
    return data(x.data) if isinstance(x, Value) else x


def _refusal(act: str, hint: str) -> Callable[..., NoReturn]:
    return lambda self, *args: self.refuse(act, hint)


_BRANCH = "gradc.where(condition, a, b) keeps both sides; gradc.math has min and max"
_format = _refusal("is written as a number", "leave the format out: there is no number")
_CHANGE = _refusal("is changed in place", "bind the new value to a name")
_GRADIENT = "the compiled function has the gradient"
setattr(Taped, "__bool__", _refusal("decides a branch", _BRANCH))
for _name in ("__float__", "__int__", "__index__", "__complex__"):
    _hint = "use the functions of gradc.math"
    setattr(Recorded, _name, _refusal("is turned into a number", _hint))
for _name in ("backward", "zero_grad"):
    setattr(Recorded, _name, _refusal(f"has no `{_name}`", _GRADIENT))
setattr(Recorded, "__format__", lambda x, spec: _format(x) if spec else repr(x))
for _name, _hint in (("data", "gradc.data(x) marks a constant"), ("grad", _GRADIENT)):
    setattr(Recorded, _name, property(_refusal(f"has no `.{_name}`", _hint), _CHANGE))


@dataclass(frozen=True)
class Recording:
    """What a compiled function was recorded from; a pickle leaves the function behind.

    `function` takes the inputs by their elements' names; it is None for a graph.
    """

    program: Program  # before anything is derived
    joined: Program  # the same where equal nodes are one, which is compiled
    place: Place  # where the function begins
    function: Callable[[Mapping[str, Any]], Any] | None = None
    title: str = "a graph of Values"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "function": None}


def record(
    function: Callable[..., Any], inputs: Mapping[str, Any], max_ops: int
) -> Recording:
    """Run a Python function for `gradc.trace`, and write its program down."""
    tape = Tape(_code(function), max_ops)
    arguments = [_argument(name, example) for name, example in inputs.items()]
    leaves: dict[str, Recorded] = {}
    for argument in arguments:
        example, elements = inputs[argument.name], argument.elements
        given = repeat(None) if _is_shape(example) else flatten(example)[1]
        for item, x in zip(elements, given):
            leaves[item.name] = tape.declare(item, x if x is None else float(data(x)))

    def again(leaves: Mapping[str, Any]) -> Any:
        """Call it on inputs of any kind, in tuples or in arrays like its examples."""
        given = {}
        for name, shape, elements in arguments:
            given[name] = nest([leaves[item.name] for item in elements], shape, tuple)
            if shape and hasattr(inputs[name], "astype"):
                array = inputs[name].astype(object)
                array[...] = given[name]
                array.flags.writeable = False
                given[name] = array
        return function(**given)

    result = again(leaves)
    results = _results(result)
    if not any(isinstance(x, Recorded) for x in results[1]):
        kind, place = f"a {type(result).__name__}", tape.places.function()
        raise mistake("recorded_result", *place, kind=kind)
    title = f"{getattr(function, '__qualname__', 'a function')} of {tape.places.name}"
    return tape.recording(arguments, results, again, title)


def graph(found: Any, inputs: Any, max_ops: int) -> Recording:
    """Read the program of a graph of `Value`s for `gradc.compile`."""
    results, values = _results(found)
    if not any(isinstance(x, Value) for x in values):
        kind = type(found).__name__
        what = f"compile takes the text of a formula or Values, not {kind}"
        raise TypeError(f"{what}; compile_file reads a file")
    if not all(isinstance(x, Value) for x in values) or not isinstance(inputs, Mapping):
        raise TypeError('a graph is compiled by compile(value, inputs={"w": w, ...})')
    tape, at = Tape(None, max_ops), dict[Value, Any]()
    arguments = [_argument(name, nested) for name, nested in inputs.items()]
    for name, _, elements in arguments:
        for item, leaf in zip(elements, flatten(inputs[name])[1]):
            if not isinstance(leaf, Value):
                raise mistake("graph_leaf", *tape.places.function(), name=item.name)
            if leaf in at:
                raise mistake("graph_twice", *tape.places.function(), name=item.name)
            at[leaf] = tape.declare(item, None)
    for node in Value.below(values):
        if node not in at:
            at[node] = _again(node, at, tape)
    return tape.recording(arguments, (results, [at[x] for x in values]))


def _again(node: Value, at: Mapping[Value, Any], tape: Tape) -> Any:
    """A node of a graph computed again, of arguments that are recorded."""
    row = node._step.op if node._step else None
    if row is None and isinstance(node.data, (int, float)):
        return node.data
    if row is None or row.table is not OPS:
        kind = row.name if row else type(node.data).__name__
        raise mistake("graph_node", *tape.places.function(), kind=kind)
    # A Value that is no argument is of a lower level, a constant.
    return apply(row, *[at[x] if x in at else data(x) for x in node._args])


def _results(found: Any) -> Results:
    """The results of a function and their elements; none if they are no arrays."""
    several = found if isinstance(found, tuple) else (found,)
    names = getattr(found, "_fields", [""] * len(several))
    try:
        flat = [flatten(one) for one in several]
    except ValueError:
        return (), []
    results = tuple([Result(name, shape) for name, (shape, _) in zip(names, flat)])
    return results, [x for _, elements in flat for x in elements]


def _argument(name: str, example: Any) -> Argument:
    if isinstance(example, (str, bool)):
        raise mistake("trace_option", name=name)
    if not name.isidentifier():
        raise ValueError(f"an input cannot be called {name!r}")
    try:
        shape = example if _is_shape(example) else flatten(example)[0]
        if min(shape, default=1) < 1:
            raise ValueError(f"it has no elements, its shape is {shape}")
    except ValueError as error:
        raise ValueError(f"the input '{name}': {error}") from None
    array = name if shape else ""
    elements = [Input(e, array=array, shape=shape) for e in names(name, shape)]
    return Argument(name, shape, tuple(elements))


def _is_shape(example: Any) -> bool:
    return isinstance(example, tuple) and all(type(n) is int for n in example)


def _code(function: Any) -> CodeType | None:
    """The code of a function, a method, or an object that can be called."""
    while isinstance(function, partial):
        function = function.func
    call = function if hasattr(function, "__code__") else function.__call__
    code = getattr(call, "__code__", None)
    return code if isinstance(code, CodeType) else None
