"""`Value`: reverse mode at run time, one node per operation, in the manner of micrograd.

Everything is read from the table. A node computes its row on numbers of any type; the
rule that hands its gradient to its arguments is the text of the row's partials, turned
into a Python function when it is first needed. Nothing is simplified or shared, so this
is the textbook that compiled code is checked against.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from gradc.arithmetic import (
    FLOATS,
    PLAIN,
    Arithmetic,
    Compute,
    Names,
    arithmetic,
    write,
)
from gradc.calculus import EVERY, partial_template
from gradc.ir import COMPARISONS
from gradc.ops import OPS, Op, Table
from gradc.spelling import SYMBOLS, function

_ABSENT = 0  # the gradient of a node before anything arrives
_LABELS = {**SYMBOLS, "pow": "**", "relu": "ReLU"}  # as micrograd writes them


class Step:
    """A row at work: its function on one type of number, and its rule.

    `active` says which of the arguments are `Value`s; the others are plain numbers,
    and no derivative by them is ever computed.
    """

    def __init__(
        self, op: Op, active: Sequence[bool], numbers: Arithmetic, ops: Table = OPS
    ) -> None:
        self.op = op
        self.active = active
        self.numbers = numbers
        self.ops = ops

    def __deepcopy__(self, memo: object) -> Step:
        return self

    def label(self, args: Sequence[Any]) -> str:
        """The operation as micrograd writes it: `+`, `**2`, `ReLU`."""
        name = _LABELS.get(self.op.name, self.op.name)
        return f"**{args[1]}" if name == "**" and not self.active[1] else name

    @cached_property
    def compute(self) -> Compute:
        """What computes the row."""
        return self.numbers.compute(self.op, self.ops)

    @cached_property
    def rule(self) -> Callable[[Any], None]:
        """Adds a node's gradient, times the partials, to those of its arguments.

        Its text has a line for each argument, `v0.grad += (c0 / a0)*g` for log.
        """
        names: Names = {}
        own = self.op.each is None or len(self.op.partials or ()) == len(self.active)
        lines = self._apart(names) if own else self._together(names)
        return self.numbers.compile("node", ["g = node.grad", *lines], names, self.ops)

    def _apart(self, names: Names) -> Iterator[str]:
        """The lines of a row with a partial for each of its arguments."""
        holes = {name: f"a{k}" for k, name in enumerate(self.op.params)}
        yield f"{', '.join(f'v{k}' for k in range(len(holes)))}, = node._args"
        for k, on in enumerate(self.active):
            yield f"a{k} = v{k}.data" if on else f"a{k} = v{k}"
        for k, on in enumerate(self.active):
            before, lines, term = self._term(k, holes, names)
            if on and term:
                yield from (*before, *lines, f"v{k}.grad += {term}")

    def _together(self, names: Names) -> Iterator[str]:
        """The lines of a row of any number of arguments, most with the same partial."""
        first = self.op.leading
        holes = {name: f"args[{k}]" for k, name in enumerate(self.op.params[:first])}
        holes |= {"x": "x", EVERY: f"*{EVERY}"}
        yield f"active = {self.active}"
        yield "args = [v.data if on else v for v, on in zip(node._args, active)]"
        yield f"{EVERY} = args[{first}:]"
        for k in range(first):
            before, lines, term = self._term(k, holes, names)
            if self.active[k] and term:
                yield from (*before, *lines, f"node._args[{k}].grad += {term}")
        before, lines, term = self._term(first, holes, names)
        if term:
            yield from before
            yield f"for v, on, x in zip(node._args[{first}:], active[{first}:], {EVERY}):"
            yield "    if on:"
            yield from (f"        {line}" for line in (*lines, f"v.grad += {term}"))

    def _term(
        self, k: int, holes: Mapping[str, str], names: Names
    ) -> tuple[list[str], list[str], str]:
        """A partial times the gradient g, as `write` does; no text where it is zero."""
        template = partial_template(self.op, k, len(self.active), self.ops)
        if template is None or template.is_zero:
            return [], [], ""
        if template.items == (("const", 1.0),):
            return [], [], "g"
        before, lines, text = write(template, holes, names, self.ops, EVERY in holes)
        return before, lines, f"{text}*g"


_shared = lru_cache(maxsize=4096)(Step)


class Value:
    """A number that remembers what it was computed from, and its gradient.

    `data` may be of any type that has the arithmetic: float, Fraction, mpmath's mpf,
    or Value, which gives gradients of gradients. A Value of a lower level than another
    is a constant to it.
    """

    __slots__ = (
        "data",
        "grad",
        "_parents",  # the Values it was computed from
        "_label",  # what its maker called it, if that was no step
        "_args",  # all the arguments of its step, plain numbers too
        "_step",
        "__dict__",
        "__weakref__",
    )

    def __init__(
        self,
        data: Any,
        _children: Iterable[Value] = (),
        _op: str = "",
        _args: tuple[Any, ...] = (),
        _step: Any = None,
    ) -> None:
        if _step is None and not hasattr(data, "__truediv__"):
            raise TypeError(f"a Value is made of a number, and {data!r} is none")
        self.data = data
        self.grad: Any = _ABSENT
        self._parents = _children
        self._label = _op
        self._args = _args
        self._step = _step

    if TYPE_CHECKING:  # the methods and operators that are made from the rows below

        def __getattr__(self, name: str) -> Callable[..., Value]: ...

        def _binary(self, other: Any) -> Value: ...

        def _unary(self) -> Value: ...

        __add__ = __sub__ = __mul__ = __truediv__ = __pow__ = __mod__ = _binary
        __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rpow__ = __rmod__ = _binary
        __neg__ = __abs__ = __floor__ = __ceil__ = __trunc__ = __round__ = _unary

        def __eq__(self, other: object) -> bool: ...

        def __ne__(self, other: object) -> bool: ...

        def _compare(self, other: Any) -> bool: ...

        __lt__ = __le__ = __gt__ = __ge__ = _compare

    __hash__ = object.__hash__  # a node of a graph is itself, whatever its number

    @property
    def _prev(self) -> set[Value]:
        return set(self._parents)

    @property
    def _op(self) -> str:
        return self._step.label(self._args) if self._args else self._label

    @property
    def _backward(self) -> Callable[[], None]:
        return partial(self._step.rule, self) if self._step else lambda: None

    @_backward.setter
    def _backward(self, function: Callable[[], None]) -> None:
        self._label, self._args = self._op, ()
        self._step = SimpleNamespace(op=None, rule=lambda node: function())

    @property
    def row(self) -> Op | None:
        """The row of the table that computed it; None for what was given."""
        return self._step.op if self._step else None

    @property
    def arithmetic(self) -> Arithmetic:
        """How rows are computed on this Value as a number: by nodes."""
        inner = self.data
        while isinstance(inner, Value):
            inner = inner.data
        return _nodes(arithmetic(inner))

    def nodes(self) -> list[Value]:
        """This Value and all it was computed from, arguments first."""
        return Value.below([self])

    @staticmethod
    def below(values: Iterable[Value]) -> list[Value]:
        """Some Values and all they were computed from, arguments first."""
        order: list[Value] = []
        seen: set[Value] = set()
        stack: list[Value | None] = [*values]
        while stack:
            node = stack.pop()
            if node is None:  # stands above a node whose arguments are done
                order.append(stack.pop())  # type: ignore[arg-type]
            elif node not in seen:
                seen.add(node)
                stack += (node, None, *node._parents)
        return order

    def backward(self) -> None:
        """Add the derivatives of this Value to `grad` of all it was computed from.

        What was given accumulates over calls; what was computed starts afresh.
        """
        order = self.nodes()
        for node in order:
            if node._parents:
                node.grad = _ABSENT
        self.grad = self.grad + _one(self.data)
        for node in reversed(order):
            if node._step is not None and node.grad is not _ABSENT:
                node._step.rule(node)

    def zero_grad(self) -> None:
        """Forget the gradients of this Value and of all it was computed from."""
        for node in self.nodes():
            node.grad = _ABSENT

    def _written(self, op: Op, args: Sequence[Any]) -> Any:
        """What a row makes of this and of other arguments."""
        return apply(op, *args)

    def __repr__(self) -> str:
        return f"Value(data={self.data}, grad={self.grad})"

    def __pos__(self) -> Value:
        return self

    def __floordiv__(self, other: Any) -> Value:
        quotient: Value = (self - self % other) / other
        return quotient.round()

    def __rfloordiv__(self, other: Any) -> Value:
        quotient: Value = (other - other % self) / self
        return quotient.round()


def apply(op: Op, *args: Any, ops: Table = OPS) -> Any:
    """Compute a row on numbers or Values; a Value among them makes it a node.

    A row without partials is replaced by its meaning. `ops` is the table in which the
    texts of the row are read.

    Raises:
        ArithmeticError, ValueError: what the row raises outside its domain.
    """
    for x in args:
        if x.__class__ is not Value and hasattr(x, "_tape"):  # a recorded one
            return x._written(op, args)
    if op.result == "condition" or op.name == "where":
        return function(op)(*args)
    levels = [_level(x) for x in args]
    top = max(levels, default=0)
    if not top or _means_only(op):
        return arithmetic(*args).compute(op, ops)(*args)
    active = tuple([level == top for level in levels])
    numbers = [x.data if on else x for x, on in zip(args, active)]
    step = _shared(op, active, arithmetic(*numbers), ops)
    parents = tuple([x for x, on in zip(args, active) if on])
    return Value(step.compute(*numbers), parents, "", args, step)


_INFIX: Mapping[str, Compute] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
}


@lru_cache(maxsize=None)
def _nodes(numbers: Arithmetic) -> Arithmetic:
    """The arithmetic of Values over numbers of a type."""

    def primitive(op: Op, ops: Table) -> Compute:
        if not op.params:
            return numbers.compute(op, ops)
        if op.name in _INFIX:
            return _INFIX[op.name]
        if _means_only(op):
            return result.meaning(op, ops)
        return partial(apply, op, ops=ops)

    result = Arithmetic(numbers.number, primitive, rank=3)
    return result


def _means_only(op: Op) -> bool:
    return op.partials is None and op.each is None and op.means is not None


def _level(x: Any) -> int:
    """How many Values stand inside one another: 0 for a plain number."""
    level = 0
    while isinstance(x, Value):
        x, level = x.data, level + 1
    return level


def _one(data: Any) -> Any:
    """The gradient of a Value by itself, at the level of its data."""
    one: Any = 1
    for _ in range(_level(data)):
        one = Value(one)
    return one


# ---- methods from the rows; each has a short way for what computes as floats do


def _unary(op: Op) -> Callable[[Value], Any]:
    step = Step(op, (True,), FLOATS)

    def method(self: Value) -> Any:
        if self.__class__ is Value and self.data.__class__ in PLAIN:
            args = (self,)
            return Value(step.compute(self.data), args, "", args, step)
        return self._written(op, (self,))

    return method


def _binary(op: Op, reflected: bool = False) -> Callable[[Value, Any], Any]:
    both = Step(op, (True, True), FLOATS)
    one = Step(op, (not reflected, reflected), FLOATS)

    def method(self: Value, other: Any) -> Any:
        if self.__class__ is Value and (x := self.data).__class__ in PLAIN:
            if other.__class__ is Value:
                y = other.data
                if y.__class__ in PLAIN:
                    args = (self, other)
                    return Value(both.compute(x, y), args, "", args, both)
            elif other.__class__ in PLAIN:
                if reflected:
                    return Value(one.compute(other, x), (self,), "", (other, self), one)
                return Value(one.compute(x, other), (self,), "", (self, other), one)
        if not _is_number(other):
            return NotImplemented
        return self._written(op, (other, self) if reflected else (self, other))

    return method


def _comparison(name: str) -> Callable[[Value, Any], Any]:
    compare: Callable[[Any, Any], bool] = getattr(operator, name)

    def method(self: Value, other: Any) -> Any:
        if self.__class__ is Value:
            return compare(self.data, other.data if isinstance(other, Value) else other)
        return self._written(OPS[name], (self, other))

    return method


def _is_number(x: Any) -> bool:
    """Whether an operator may take it; an array goes through its elements by itself."""
    if isinstance(x, (int, float, Value)):
        return True
    return hasattr(x, "__float__") and not hasattr(x, "__len__")


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


def _called(name: str) -> Callable[..., Any]:
    """The method for a function of the language, which may be several rows."""
    rows = OPS.function(name)
    if len(rows) == 1 and rows[0].accepts(1) and not rows[0].variadic:
        return _unary(rows[0])
    return lambda *args: apply(choose(name, len(args)), *args)


def _methods() -> Iterator[tuple[str, str, Callable[..., Any]]]:
    """The methods of Value, each with the sentence that describes it."""
    for name in OPS.callables():
        yield name, OPS.function(name)[0].doc, _called(name)
    for name in ("neg", "abs", "floor", "ceil", "trunc", "round"):
        yield f"__{name}__", OPS[name].doc, _unary(OPS[name])
    for name in ("add", "sub", "mul", "div", "pow", "mod"):
        python = "truediv" if name == "div" else name
        yield f"__{python}__", OPS[name].doc, _binary(OPS[name])
        yield f"__r{python}__", OPS[name].doc, _binary(OPS[name], reflected=True)
    for name in COMPARISONS:
        yield f"__{name}__", OPS[name].doc, _comparison(name)


for _name, _doc, _method in _methods():
    _method.__name__, _method.__qualname__ = _name, f"Value.{_name}"
    _method.__doc__ = _doc
    setattr(Value, _name, _method)
