"""Rules: how a node hands its gradient on to its arguments, read from the table.

A step is one row at work on one type of number. Its rule is the text of the row's
partials as a Python function of the node, made when it is first asked for; nothing is
simplified in it, and what the row says again of itself is computed again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from typing import Any

from gradc.calculus import EVERY, partial_template
from gradc.engine.arithmetic import Arithmetic, Compute, Names, Writer
from gradc.ops import Op, Table
from gradc.spelling import SYMBOLS

Rule = Callable[[Any], None]

_LABELS = {**SYMBOLS, "pow": "**", "relu": "ReLU"}


class Step:
    """A row at work: its function on one type of number, and its rule.

    `active` says which of the arguments are `Value`s; the others are plain numbers,
    and no derivative by them is ever computed.
    """

    def __init__(
        self, op: Op, active: tuple[bool, ...], numbers: Arithmetic, ops: Table
    ) -> None:
        self.op = op
        self.active = active
        self.numbers = numbers
        self.ops = ops

    def label(self, args: tuple[Any, ...]) -> str:
        """The operation as micrograd writes it: `+`, `**2`, `ReLU`."""
        name = _LABELS.get(self.op.name, self.op.name)
        return f"**{args[1]}" if name == "**" and not self.active[1] else name

    @cached_property
    def compute(self) -> Compute:
        """What computes the row."""
        return self.numbers.compute(self.op, self.ops)

    @cached_property
    def rule(self) -> Rule:
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
            writer = Writer(holes, names, self.ops)
            if on and (term := self._term(k, writer)):
                yield from writer.lines
                yield f"v{k}.grad += {term}"

    def _together(self, names: Names) -> Iterator[str]:
        """The lines of a row of any number of arguments, most with the same partial."""
        first = self.op.leading
        holes = {name: f"args[{k}]" for k, name in enumerate(self.op.params[:first])}
        holes |= {"x": "x", EVERY: f"*{EVERY}"}
        yield f"active = {self.active}"
        yield "args = [v.data if on else v for v, on in zip(node._args, active)]"
        yield f"{EVERY} = args[{first}:]"
        for k in range(first):
            writer = Writer(holes, names, self.ops)
            if self.active[k] and (term := self._term(k, writer)):
                yield from writer.still
                yield f"node._args[{k}].grad += {term}"
        writer = Writer(holes, names, self.ops)
        if term := self._term(first, writer):
            yield from writer.still
            yield f"for v, on, x in zip(node._args[{first}:], active[{first}:], {EVERY}):"
            yield f"    if on: v.grad += {term}"

    def _term(self, k: int, writer: Writer) -> str:
        """The text of a partial times the gradient g, empty where it is zero."""
        template = partial_template(self.op, k, len(self.active), self.ops)
        if template is None or template.is_zero:
            return ""
        if template.items == (("const", 1.0),):
            return "g"
        return f"{writer.write(template)}*g"

    def __deepcopy__(self, memo: object) -> Step:
        return self


shared = lru_cache(maxsize=4096)(Step)
