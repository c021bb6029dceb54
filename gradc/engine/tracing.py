"""From Python to a program: by recording what a function does, or from a graph.

A function runs once, with recorded values (see `gradc.engine.record`). Python's own
control flow is frozen at the path that it took, so everything that could depend on a
number is refused. Of a graph of `Value`s everything but its inputs is constant.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import CodeType
from typing import Any

from gradc.arrays import Shape, flatten, names, nest
from gradc.calculus import meaning_template
from gradc.engine.record import Given, Recorded, Tape, data, operations
from gradc.engine.value import Value
from gradc.errors import Source, mistake
from gradc.ir import Argument, Builder, Input, Program, Result, compact
from gradc.language.limits import counted_text
from gradc.language.syntax import Span
from gradc.ops import OPS

_GRAPH = Source("", "<graph>")


@dataclass(frozen=True)
class Recording:
    """What a compiled function was recorded from; a pickle leaves the function behind.

    Attributes:
        program: what was recorded, before anything is derived.
        place: where the function begins.
        function: runs the Python function on the inputs, by their elements' names;
            None for a graph that had been built before.
        title: what it was, in words.
    """

    program: Program
    place: tuple[Source, Span | None]
    function: Callable[[Mapping[str, Any]], Any] | None = None
    title: str = "a graph of Values"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "function": None}


def record(
    function: Callable[..., Any], inputs: Mapping[str, Any], max_ops: int
) -> tuple[Program, Recording]:
    """The program of a Python function, and its recording as the check needs it.

    Arguments:
        inputs: each given by its shape or by an example, by name.

    Raises:
        GradcError: something in the function could freeze a value silently, an input
            has no effect, or the recording is too large. The message shows the line.
        ValueError: an input is neither a shape nor an example.
    """
    tape = Tape(_code(function), max_ops)
    arguments = [_argument(name, example) for name, example in inputs.items()]
    leaves: dict[str, Recorded] = {}
    for argument in arguments:
        numbers = _numbers(inputs[argument.name])
        for k, item in enumerate(argument.elements):
            leaves[item.name] = tape.input(item, numbers[k] if numbers else None)
    arrays = {name: x for name, x in inputs.items() if hasattr(x, "astype")}
    result = _call(function, arguments, arrays, Given, leaves)
    results, numbers = _results(result)
    place = tape.places.function()
    if not any(isinstance(x, Recorded) for x in numbers):
        kind = type(result).__name__.lower()
        article = "an" if kind[:1] in "aeiou" else "a"
        raise mistake("recorded_result", *place, kind=f"{article} {kind}")
    recorded = replace(tape.finish(numbers), results=results)
    program = _interned(recorded)
    used = {node[1] for node in program.nodes if node[0] == "input"}
    for name, _, elements in arguments:
        own = {item.name for item in elements}
        if used.isdisjoint(own):
            taken = not own.isdisjoint(tape.taken())
            key = "recorded_as_data" if taken else "recorded_unused"
            raise mistake(key, *place, name=name)
    title = f"{getattr(function, '__qualname__', 'a function')} of {tape.places.name}"
    again = partial(_call, function, arguments, arrays, list)
    return program, Recording(recorded, place, again, title)


def graph(found: Any, inputs: Any, max_ops: int) -> tuple[Program, Recording]:
    """The program of a graph of `Value`s that has already been built.

    Arguments:
        found: a Value, nested lists or an array of Values, or a tuple of such results.
        inputs: the Values that are its arguments, in nested sequences, by name. All
            other Values that were given are constants; so is every number that the
            program took out of a `Value` by `.data` while it built the graph, and every
            branch that it chose by one, which nothing in the graph shows.

    Raises:
        GradcError: an input has no effect, is no Value or stands twice; or a node is
            none of the table.
        TypeError: the inputs have no names, or a result is no Value.
    """
    results, values = _results(found)
    if not any(isinstance(x, Value) for x in values):
        what = (
            f"compile takes the text of a formula or Values, not {type(found).__name__}"
        )
        raise TypeError(f"{what}; compile_file reads a file")
    if not all(isinstance(x, Value) for x in values) or not isinstance(inputs, Mapping):
        raise TypeError('a graph is compiled by compile(value, inputs={"w": w, ...})')
    builder = Builder(OPS)
    at: dict[Value, int] = {}
    items = [
        item for name, x in inputs.items() for item in _leaves(builder, name, x, at)
    ]
    order = Value.below(values)
    reached = set(order)
    for name, nested in inputs.items():
        if reached.isdisjoint(flatten(nested)[1]):
            raise mistake("recorded_unused", _GRAPH, name=name)
    for node in order:
        if node not in at:
            at[node] = _node(builder, node, at)
    outputs = tuple(at[x] for x in values)
    finished = builder.finish(tuple(items), outputs, _GRAPH)
    program = compact(replace(finished, results=results))
    if operations(program.nodes) > max_ops:
        raise mistake("too_many_recorded", _GRAPH, counted=counted_text(max_ops))
    return program, Recording(program, (_GRAPH, None))


def _leaves(
    builder: Builder, name: str, nested: Any, at: dict[Value, int]
) -> Sequence[Input]:
    """The inputs of an argument of a graph, whose positions are noted."""
    items = _argument(name, nested).elements
    for item, leaf in zip(items, flatten(nested)[1]):
        if not isinstance(leaf, Value):
            raise mistake("graph_leaf", _GRAPH, name=item.name)
        if leaf in at:
            raise mistake("graph_twice", _GRAPH, name=item.name)
        at[leaf] = builder.input(item.name)
    return items


def _node(builder: Builder, node: Value, at: Mapping[Value, int]) -> int:
    """The position of a node of the graph, whose arguments have theirs."""
    if not node._args:
        if node._parents or not isinstance(node.data, (int, float)):
            kind = node._op or type(node.data).__name__
            raise mistake("graph_node", _GRAPH, kind=kind)
        return builder.const(node.data)
    row = node.row
    if row is None or row.name not in OPS or OPS[row.name] is not row:
        raise mistake("graph_node", _GRAPH, kind=node._op)
    args = []
    for x in node._args:  # a Value that is no argument is of a lower level, a constant
        known = isinstance(x, Value) and x in at
        args.append(at[x] if known else builder.const(data(x)))
    return builder.add(row.name, *args)


def _interned(program: Program) -> Program:
    """What the output needs, equal nodes joined, defined rows replaced by meanings."""
    builder = Builder(OPS)
    new = [-1] * len(program.nodes)
    alive = program.alive
    for i, node in enumerate(program.nodes):
        if not alive[i]:
            continue
        row = OPS[node[0]] if node[0] in OPS else None
        if row is not None and row.partials is None and row.means is not None:
            builder.span = program.spans[i]
            holes = dict(zip(row.params, [new[a] for a in node[1:]]))
            new[i] = meaning_template(row, OPS).build(builder, holes)
        else:
            new[i] = builder.copy(program, i, new)
    return builder.follow(program, [new[i] for i in program.outputs])


def _results(found: Any) -> tuple[tuple[Result, ...], list[Any]]:
    """The results of a function and their elements; none if they are no arrays."""
    several = found if isinstance(found, tuple) else (found,)
    names = getattr(found, "_fields", [""] * len(several))
    results: list[Result] = []
    numbers: list[Any] = []
    for name, one in zip(names, several):
        try:
            shape, elements = flatten(one)
        except ValueError:
            return (), []
        results.append(Result(name, shape))
        numbers += elements
    return tuple(results), numbers


# ---- the inputs


def _call(
    function: Callable[..., Any],
    arguments: Sequence[Argument],
    arrays: Mapping[str, Any],
    kind: type[list[Any]],
    leaves: Mapping[str, Any],
) -> Any:
    """Call a function on inputs of any kind, in lists or in arrays like its examples."""
    given = {}
    for name, shape, elements in arguments:
        flat = [leaves[item.name] for item in elements]
        given[name] = nest(flat, shape, kind)
        if name in arrays and shape:
            array = given[name] = arrays[name].astype(object)
            array[...] = nest(flat, shape)
            array.flags.writeable = False
    return function(**given)


def _argument(name: str, example: Any) -> Argument:
    if not name.isidentifier():
        raise ValueError(f"an input cannot be called {name!r}")
    if _is_shape(example) and not all(n > 0 for n in example):
        raise ValueError(f"the input '{name}' has no elements: its shape is {example}")
    shape = example if _is_shape(example) else _shape(name, example)
    array = name if shape else ""
    elements = [Input(e, array=array, shape=shape) for e in names(name, shape)]
    return Argument(name, shape, tuple(elements))


def _numbers(example: Any) -> Sequence[float]:
    """The numbers of an example, none of a shape."""
    return [] if _is_shape(example) else [float(data(x)) for x in flatten(example)[1]]


def _is_shape(example: Any) -> bool:
    return isinstance(example, tuple) and all(type(n) is int for n in example)


def _shape(name: str, example: Any) -> Shape:
    try:
        return flatten(example)[0]
    except ValueError as error:
        raise ValueError(f"the input '{name}': {error}") from None


def _code(function: Any) -> CodeType | None:
    """The code of a function, a method, or an object that can be called."""
    while isinstance(function, partial):
        function = function.func
    for found in (function, getattr(function, "__call__", None)):
        code = getattr(found, "__code__", None)
        if isinstance(code, CodeType):
            return code
    return None
