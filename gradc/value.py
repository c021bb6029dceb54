"""`Value`: reverse mode at run time, one node per operation, in the manner of micrograd.

Everything is read from the table. A node computes its row on numbers of any type; the
rule that hands its gradient to its arguments is the text of the row's partials, turned
into a Python function when it is first needed. Nothing is simplified or shared, so this
is the textbook that compiled code is checked against.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any

from gradc.calculus import EVERY, Template, is_repeated, partial_template
from gradc.errors import mistake
from gradc.ir import COMPARISONS
from gradc.ops import OPS, Op
from gradc.run import Arithmetic, arithmetic
from gradc.spelling import Compute, function

_ABSENT = 0  # the gradient of a node before anything arrives


class Step:
    """A row at work on one type of number: what it computes, and its partials.

    `active` says which of the arguments are `Value`s; the others are plain numbers,
    and no derivative by them is ever computed.
    """

    def __init__(self, op: Op, active: Sequence[bool], numbers: Arithmetic) -> None:
        self.op, self.active, self.numbers = op, active, numbers
        self.compute = numbers.compute(op)
        self.alike = is_repeated(op, op.leading, len(active))

    def __deepcopy__(self, memo: object) -> Step:
        return self

    @cached_property
    def partials(self) -> list[tuple[int, Compute]]:
        """The partials that are not zero, each with the place of its argument."""
        op, known, found = self.op, dict[Template, Compute](), []
        params = [*op.params[: op.leading], "x", EVERY] if self.alike else op.params
        for k, on in enumerate(self.active):
            text = partial_template(op, k, len(self.active)) if on else None
            if on and k in op.held:  # which is not known
                found.append((k, lambda *args: math.nan))
            if text is not None and not text.is_zero:
                if text not in known:
                    known[text] = self.numbers.function(text, params)
                found.append((k, known[text]))
        return found

    def rule(self, node: Value) -> None:
        """Add a node's gradient, times the partials, to those of its arguments."""
        args = [v.data if on else v for v, on in zip(node._args, self.active)]
        first = self.op.leading
        for k, compute in self.partials:
            given = (*args[:first], args[k], *args[first:]) if self.alike else args
            node._args[k].grad += compute(*given) * node.grad


_shared = lru_cache(maxsize=4096)(Step)


class Value:
    """A number that remembers what it was computed from, and its gradient.

    `data` may be of any type that has the arithmetic: float, Fraction, mpmath's mpf,
    or Value, which gives gradients of gradients. A Value of a lower level than another
    is a constant to it.
    """

    def __init__(
        self, data: Any, _parents: Any = (), _args: Any = (), _step: Step | None = None
    ) -> None:
        if _step is None and not hasattr(data, "__truediv__"):
            raise TypeError(f"a Value is made of a number, and {data!r} is none")
        self.data = data
        self.grad: Any = _ABSENT
        self._parents: tuple[Value, ...] = _parents  # the Values it was computed from
        self._args: tuple[Any, ...] = _args  # all that its step takes, numbers too
        self._step = _step

    if TYPE_CHECKING:  # the methods and operators that are made from the rows below

        def __getattr__(self, name: str) -> Callable[..., Any]: ...

        def _binary(self, other: Any) -> Value: ...

        __add__ = __sub__ = __mul__ = __truediv__ = __pow__ = __mod__ = _binary
        __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rpow__ = __rmod__ = _binary

    __hash__ = object.__hash__  # a node of a graph is itself, whatever its number

    @property
    def arithmetic(self) -> Arithmetic:
        """How rows are computed on this Value as a number: by nodes."""
        return _nodes(arithmetic(self.data))

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
        order = Value.below([self])
        for node in order:
            if node._parents:
                node.grad = _ABSENT
        self.grad = self.grad + _one(self.data)
        for node in reversed(order):
            if node._step is not None and node.grad is not _ABSENT:
                node._step.rule(node)

    def zero_grad(self) -> None:
        """Forget the gradients of this Value and of all it was computed from."""
        for node in Value.below([self]):
            node.grad = _ABSENT

    def __format__(self, spec: str) -> str:
        return format(self.data, spec) if spec else repr(self)

    def __repr__(self) -> str:
        return f"Value(data={self.data}, grad={self.grad})"

    def __pos__(self) -> Value:
        return self

    def __floordiv__(self, other: Any) -> Any:
        return ((self - self % other) / other).round()

    def __rfloordiv__(self, other: Any) -> Any:
        return ((other - other % self) / self).round()


def apply(op: Op, *args: Any) -> Any:
    """Compute a row on numbers or Values; a Value among them makes it a node.

    A row without partials is replaced by its meaning.
    """
    for x in args:
        if isinstance(x, Value) and x.__class__ is not Value:  # a recorded one
            return x.written(op, args)
    if op.result == "condition":
        args = tuple([x.data if isinstance(x, Value) else x for x in args])
    if op.result == "condition" or op.name == "where":
        return function(op)(*args)
    levels = [_level(x) for x in args]
    top = max(levels, default=0)
    if not top or op.means_only:
        return arithmetic(*args).compute(op)(*args)
    active = tuple([level == top for level in levels])
    numbers = [x.data if on else x for x, on in zip(args, active)]
    step = _shared(op, active, arithmetic(*numbers))
    parents = tuple([x for x, on in zip(args, active) if on])
    return Value(step.compute(*numbers), parents, args, step)


@cache
def _nodes(numbers: Arithmetic) -> Arithmetic:
    """The arithmetic of Values over numbers of a type."""

    def primitive(op: Op) -> Compute:
        if not op.params:
            return numbers.compute(op)
        return result.meaning(op) if op.means_only else partial(apply, op)

    result = Arithmetic(numbers.number, primitive, rank=3)
    return result


def _level(x: Any) -> int:
    """How many Values stand inside one another: 0 for a plain number."""
    return 1 + _level(x.data) if isinstance(x, Value) else 0


def _one(data: Any) -> Any:
    """The gradient of a Value by itself, at the level of its data."""
    return Value(_one(data.data)) if isinstance(data, Value) else 1


def _is_number(x: Any) -> bool:
    """Whether an operator may take it; an array goes through its elements by itself."""
    if isinstance(x, (int, float, Value)):
        return True
    return hasattr(x, "__float__") and not hasattr(x, "__len__")


def called(name: str) -> Callable[..., Any]:
    """A function of the language, which may be several rows, on numbers and Values."""
    rows = OPS.function(name)

    def made(*args: Any) -> Any:
        for row in rows:
            if row.accepts(len(args)):
                return apply(row, *args)
        wanted = " or ".join(row.arity_text for row in rows)
        raise TypeError(f"{name} takes {wanted}, got {len(args)}")

    made.__name__ = made.__qualname__ = name
    made.__doc__ = rows[0].doc
    return made


def _define(name: str, op: Op, reflected: bool = False) -> None:
    """Give Value an operator, as its row computes it."""

    def method(self: Value, *others: Any) -> Any:
        if not all(map(_is_number, others)):
            return NotImplemented
        if name == "round" and others:
            raise mistake("rounded_to_digits")
        return apply(op, *others, self) if reflected else apply(op, self, *others)

    method.__name__ = method.__qualname__ = f"__{name}__"
    method.__doc__ = op.doc
    setattr(Value, method.__name__, method)


for _name in OPS.callables():
    setattr(Value, _name, called(_name))
for _name in ("neg", "abs", "floor", "ceil", "trunc", "round", *COMPARISONS):
    _define(_name, OPS[_name])
for _name in ("add", "sub", "mul", "div", "pow", "mod"):
    _python = "truediv" if _name == "div" else _name
    _define(_python, OPS[_name])
    _define(f"r{_python}", OPS[_name], reflected=True)
