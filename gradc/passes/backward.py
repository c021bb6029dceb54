"""Reverse mode through states: further ones, made from the last row to the first.

    h[i] = w + b*h[i - 1]            owed = 2*h[i] + c[i + 1]
    return sum(h^2)          -->     c[i] = b*owed
                                     sum(owed) by w, sum(owed*h[i - 1]) by b

What is owed to a state in a row is what the formula sends there, and what later steps
send back. The latter is handed on by further states, from those for more rows back to
that for one. What their loop sums are derivatives, and their ends go to the first rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial, reduce

from gradc.ir import Builder, Input, Program, Rows, State, below, first_row, index
from gradc.ir import shorter, states, tail, trimmed, view
from gradc.ops import AT
from gradc.passes.derive import Reverse

Place = tuple[str, int]  # a state, and how many rows back


def is_reversible(program: Program) -> bool:
    """Whether a formula is a number behind one system, whose rows are read near by.

    Each of its states is made of what stands in rows: numbers are owed once.
    """
    own = states(program)
    order, names = own[0].item.order, {state.item.name for state in own}
    read = [i for i in program.inputs if i.kind == "view" and i.of in names]
    lags = [trimmed(i.rows)[1] if i.rows else first_row(i) + 1 for i in read]
    is_number = program.count == 1 and not program.results[0].rows
    is_one = len({state.item.array for state in own}) == 1
    is_near = all(-order < lag <= order for lag in lags)
    is_in_rows = AT not in program.operations
    is_in_rows = is_in_rows and all(program.rows[state.next] for state in own)
    return is_number and is_one and is_near and is_in_rows


class Backward:
    """Grows a program by its gradient, and by the states that this takes.

    Attributes:
        program: the one that is given, with new inputs and without states.
        cells: the derivatives by their places.
        made: what all states start with and become.

    Arguments:
        program: one that is reversible, with partials.
    """

    def __init__(self, program: Program, wrt: Sequence[str]) -> None:
        own, item = states(program), states(program)[0].item
        self.order, self.length = item.order, shorter(item.rows, item.order)
        given = Input(self.length, "length"), *program.inputs
        self.inputs = {item.name: item for item in given}
        self.builder = Builder.upon(program)
        self.rows = Rows(self.builder.nodes, {**program.lengths})
        steps = [self._moved(state.next, 0, self.length) for state in own]
        inputs, outputs = tuple(self.inputs.values()), [*program.outputs, *steps]
        grown = self.builder.finish(inputs, outputs, program.source)
        every = [item for item in inputs if item.kind != "past"]
        read = [i for i in every if self.inputs.get(i.of, i).kind == "state"]
        reverse = Reverse(grown, (*wrt, *[item.name for item in read]))
        self.builder, self.rows = reverse.builder, reverse.rows
        self.none = self.builder.const(-0.0)  # which a sum leaves out
        self.read, self.number = read, reverse.number
        self.past, self.last = dict[Place, int](), dict[Place, int]()
        # The formula comes last: as for it, what rows send to numbers is summed.
        last = program.outputs[0], self.builder.const(1.0)
        self.owed = reverse.sweep([last])
        seeds = [seed for pair in zip(own, steps) for seed in self._seeds(*pair)]
        self.owed = reverse.sweep([*seeds, last])
        self.cells = {(0, k): x for k, x in self.owed.items() if k < len(wrt)}
        self.made = [*tail(program), *self._made()]
        inputs = tuple(self.inputs.values())
        self.program = replace(program, inputs=inputs, outputs=program.outputs[:1])

    def _moved(self, node: int, first: int, length: str) -> int:
        """What a node is in other rows, or one of no length, that begin with this one."""
        builder, rows = self.builder, self.rows
        new = {i: i for i in range(node + 1) if not rows[i]}
        for i in below(builder.nodes, node, new):
            op, *args = builder.nodes[i]
            builder.span = builder.spans[i]
            if i not in new and op == "input":
                new[i] = self._view(self.inputs[args[0]], first, length)
            elif i not in new:
                new[i] = builder.add(op, *[new[a] for a in args])
        return new[node]

    def _view(self, item: Input, first: int, length: str) -> int:
        """An input in other rows, or one; what a state was becomes a column as well."""
        if item.kind == "past":
            item, first = self.inputs[item.of], self.order - item.order
        if item.kind != "index":
            return self._add(view(item, first_row(item) + first, length))
        number = self.builder.const(first)
        own = replace(item, name=index(length), rows=length)
        return self.builder.add("add", self._add(own), number) if length else number

    def _add(self, item: Input) -> int:
        """Add an input, if it is new."""
        self.inputs.setdefault(item.name, item)
        self.rows.lengths[item.name] = item.rows
        return self.builder.input(item.name)

    def _owed(self, name: str) -> Iterator[tuple[int, int, int]]:
        """From which row on a state is read, lacking how many, of one row -1; its dues."""
        for item in self.read:
            if (item.of or item.name) == name:
                cut = trimmed(item.rows)[1] if item.rows else -1
                node = self.owed.get(self.number[item.name], self.none)
                yield first_row(item), cut, node

    def _sent(self, name: str, back: int) -> int:
        """What is sent to a state so many rows back, in each step and from later ones."""
        found = [self.past.get((name, back + 1), self.none)]
        for first, cut, node in self._owed(name):
            if cut >= 0 and cut - first == back:
                far = self.order - cut
                found.append(self._moved(node, far, self.length) if far else node)
        return self._sum(found)

    def _seeds(self, state: State, step: int) -> Iterator[tuple[int, int]]:
        """What a state becomes and what it starts with, each with what it is owed."""
        name, order, label = state.item.name, self.order, f"d/{state.item.name}"
        owed, made = [*self._owed(name)], f"-{state.item.array}"
        rows = shorter(state.item.rows, order - 1)
        for back in range(max([0, *[max(cut, 0) - first for first, cut, _ in owed]])):
            item = Input(label, "state", array=made, rows=rows, order=1)
            past = Input(f"{label}<1>", "past", rows=self.length, of=label, order=1)
            self._add(item)
            self.past[name, back + 1] = self._add(past)
            self.last[name, back + 1] = self._view(item, -1, "")
            label = f"d/{name}/{back + 2}"
        yield step, self._sent(name, 0)
        for j, start in enumerate(state.starts):
            sent = [self.last.get((name, order - j), self.none)]
            for first, cut, node in owed:
                if 0 <= j - first < (order - cut if cut >= 0 else 1):
                    sent.append(self._moved(node, j - first, ""))
            yield start, self._sum(sent)

    def _made(self) -> Iterator[int]:
        """What the new states start with, which one row may be owed, and become."""
        zero = self.builder.const(0.0)
        for name, back in self.past:
            ends = [x for row, cut, x in self._owed(name) if (row, cut) == (-back, -1)]
            yield from ends or [zero]
            yield self._sent(name, back)

    def _sum(self, nodes: Sequence[int]) -> int:
        return reduce(partial(self.builder.add, "add"), nodes)
