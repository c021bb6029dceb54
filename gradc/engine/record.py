"""Recorded values: they write down what is done with them, for `gradc.trace`.

A recorded value has no number. Its operators and methods are those of `Value`; each
adds a node to the tape's program, labelled with the line of Python that asked for it.
Whatever would turn it into a number, and so freeze a decision that the compiled code
could not take again, is an error that shows that line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from typing import Any, NoReturn, Protocol

from gradc.arrays import leaves
from gradc.engine.places import Places
from gradc.engine.value import Value
from gradc.errors import mistake
from gradc.ir import COMPARISONS
from gradc.ops import OPS, Op


class Recorder(Protocol):
    """What recorded values need of their tape."""

    places: Places

    def write(self, *node: Any) -> Recorded: ...

    def call(self, name: str, args: Sequence[Any]) -> Recorded: ...

    def position(self, x: Any) -> int: ...

    def number(self, x: Recorded) -> float: ...

    def refuse(self, act: str, hint: str) -> NoReturn: ...


class Recorded(Value):
    """A value of which only the operations are known, not the number."""

    __slots__ = ("_tape", "_node")

    def __init__(self, tape: Recorder, node: int) -> None:
        self._tape = tape
        self._node = node

    __hash__ = object.__hash__

    def __float__(self) -> float:
        self._tape.refuse("is turned into a number", "use the functions of gradc.math")

    __int__ = __index__ = __complex__ = __float__

    def __bool__(self) -> bool:
        self._tape.refuse("decides a branch", _BRANCH)

    @property
    def data(self) -> Any:
        """A recorded value has none.

        Raises:
            GradcError: always.
        """
        self._tape.refuse("has no `.data`", "gradc.data(x) marks a constant")

    @data.setter
    def data(self, number: Any) -> None:
        self._tape.refuse("is changed in place", _CHANGE)

    @property
    def grad(self) -> Any:
        """A recorded value has none.

        Raises:
            GradcError: always.
        """
        self._tape.refuse("has no `.grad`", _GRADIENT)

    @grad.setter
    def grad(self, number: Any) -> None:
        self._tape.refuse("is changed in place", _CHANGE)

    def backward(self) -> None:
        """Not for recorded values.

        Raises:
            GradcError: always.
        """
        self._tape.refuse("has no `backward`", _GRADIENT)

    def nodes(self) -> list[Value]:
        """Not for recorded values.

        Raises:
            GradcError: always.
        """
        self._tape.refuse("has no graph", _GRADIENT)

    zero_grad = backward

    def __deepcopy__(self, memo: object) -> Recorded:
        return self

    def __copy__(self) -> Recorded:
        return self

    def __repr__(self) -> str:
        return f"<recorded value {self._node}>"


_BRANCH = "gradc.where(condition, a, b) keeps both sides; gradc.math has min and max"
_INVERTED = "turn the comparison round: x <= 0 for ~(x > 0)"
_CHANGE = "bind the new value to a name"
_GRADIENT = "the compiled function has the gradient"


class Condition:
    """A comparison of recorded values: for `gradc.where`, and for `&` and `|`."""

    __slots__ = ("_tape", "_node")

    def __init__(self, tape: Recorder, node: int) -> None:
        self._tape = tape
        self._node = node

    def __and__(self, other: Condition) -> Condition:
        return self._join("and", other)

    def __or__(self, other: Condition) -> Condition:
        return self._join("or", other)

    def __invert__(self) -> NoReturn:
        self._tape.refuse("is inverted", _INVERTED)  # Python has ~True == -2

    def _join(self, op: str, other: Condition) -> Condition:
        if not isinstance(other, Condition):
            return NotImplemented
        made = self._tape.write(op, self._node, other._node)
        return Condition(self._tape, made._node)

    def __bool__(self) -> bool:
        self._tape.refuse("decides a branch", _BRANCH)

    def refuse(self, *args: Any) -> NoReturn:
        """Say that a comparison is no number.

        Raises:
            GradcError: always.
        """
        hint = "gradc.where(condition, 1, 0) is a number"
        self._tape.refuse("is compared, and the answer is used as a number", hint)

    __add__ = __sub__ = __mul__ = __truediv__ = __pow__ = __neg__ = __float__ = refuse
    __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rpow__ = __index__ = refuse


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


# ---- methods from the rows


def _is_number(x: Any) -> bool:
    """Whether an operator may take it; an array goes through its elements by itself."""
    if isinstance(x, (int, float, Value, Condition)):
        return True
    return hasattr(x, "__float__") and not hasattr(x, "__len__")


def _unary(name: str) -> Callable[..., Any]:
    def method(self: Recorded) -> Recorded:
        return self._tape.write(name, self._node)

    return method


def _binary(name: str) -> Callable[..., Any]:
    def method(self: Recorded, other: Any) -> Any:
        tape = self._tape
        if other.__class__ is Recorded and other._tape is tape:
            return tape.write(name, self._node, other._node)
        if not _is_number(other):
            return NotImplemented
        return tape.write(name, self._node, tape.position(other))

    return method


def _reflected(name: str) -> Callable[..., Any]:
    def method(self: Recorded, other: Any) -> Any:
        if not _is_number(other):
            return NotImplemented
        tape = self._tape
        return tape.write(name, tape.position(other), self._node)

    return method


def _comparison(name: str) -> Callable[..., Any]:
    def method(self: Recorded, other: Any) -> Any:
        if not _is_number(other):
            return NotImplemented
        tape = self._tape
        return Condition(tape, tape.write(name, self._node, tape.position(other))._node)

    return method


def _called(name: str) -> Callable[..., Any]:
    plain = next((row.name for row in OPS.function(name) if row.accepts(1)), None)

    def method(*args: Any) -> Any:
        if len(args) == 1 and plain:
            return args[0]._tape.write(plain, args[0]._node)
        tape = next(x for x in args if isinstance(x, Recorded))._tape
        return tape.call(name, args)

    return method


def choose(name: str, count: int) -> Op:
    """The row of a function of the language with so many arguments.

    Raises:
        TypeError: it takes another number of them.
    """
    rows = OPS.function(name)
    for row in rows:
        if row.accepts(count):
            return row
    wanted = " or ".join(row.arity_text for row in rows)
    raise TypeError(f"{name} takes {wanted}, got {count}")


def _methods() -> Iterator[tuple[str, Callable[..., Any]]]:
    """The methods that `Value` has from the rows."""
    for name in OPS.callables():
        yield name, _called(name)
    for name in ("neg", "abs", "floor", "ceil", "trunc", "round"):
        yield f"__{name}__", _unary(name)
    for name in ("add", "sub", "mul", "div", "pow", "mod"):
        python = "truediv" if name == "div" else name
        yield f"__{python}__", _binary(name)
        yield f"__r{python}__", _reflected(name)
    for name in COMPARISONS:
        yield f"__{name}__", _comparison(name)


for _name, _made in _methods():
    _made.__name__, _made.__qualname__ = _name, f"Recorded.{_name}"
    _made.__doc__ = getattr(Value, _name).__doc__
    setattr(Recorded, _name, _made)
