"""Other rows of columns: `t[1:] - t[:-1]`, `t[i - 1]`, `t[0]`, `t[-1]`.

A program has one row of its columns. What stands in other rows is made of further
inputs, which no one passes: those of `t[1:]` and `t[:-1]` are columns of a length of
their own, `n-1`, and that of `t[0]` is a number. Of what is computed the nodes are
copied, with such inputs for theirs.

`a[g]` is an entry of another column at the whole number that stands in a row, a node; of
an array of fixed shape it is chosen by conditions.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isnan
from typing import Any, NamedTuple

from gradc import arrays
from gradc.errors import Span, mistake
from gradc.ir import Input, first_row, index, shorter, trimmed, view
from gradc.language.vectors import Array, Operand, Picks, Scalars, entries_of
from gradc.language.vectors import length_of, shape_of, shaped
from gradc.ops import AT, ENTRY

# Kinds of inputs that no one passes.
LENGTH, INDEX, STATE, PAST = "length", "index", "state", "past"


class Place(NamedTuple):
    """Other rows: those of a length from the `first` one on, or one, -1 for the last.

    Or they are those that stand `at` whole numbers, the node of which is in the rows.
    """

    length: str
    first: int
    at: int = -1


class Affine(NamedTuple):
    """A whole number that is added to a length, or to the number of a row.

    `kind` and `of` say to which, and are "" of a number alone.
    """

    kind: str
    of: str
    number: int


class Views(Scalars):
    """Adds what stands in other rows; `further` has the inputs that no one passes."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.standing: dict[str, Input] = {}  # those that are passed
        self.copies: dict[Place, dict[int, int]] = {}
        self.now: dict[str, int | None] = {}  # the next entries of states, while made
        self.states: list[int] = []  # what states start with, and their next entries

    def index_of(self, length: str) -> int:
        """The number of the row that the program has of columns."""
        return self.add(Input(index(length), INDEX, 0.0, rows=length))

    def add(self, item: Input) -> int:
        """Add an input that no one passes."""
        self.further[item.name] = item
        self.within.lengths[item.name] = item.rows
        return self.builder.input(item.name)

    def numbered(self, length: str, first: int) -> int:
        """The number of that row if those of the length begin with the `first` one."""
        return self.do("add", self.index_of(length), self.builder.const(first))

    def affine(self, operand: Operand) -> Affine | None:
        """What it is, if that is a whole number, or one added to a length or a row's."""
        if isinstance(operand, Array):
            return None
        nodes, node, total = self.builder.nodes, operand, 0.0
        while (op := nodes[node][0]) in ("add", "sub"):
            x, y = nodes[node][1:]
            if op == "add" and not isnan(left := self.whole(x)):
                node, total = y, total + left
            elif isnan(right := self.whole(y)):
                return None
            else:
                node, total = x, total + (right if op == "add" else -right)
        if op == "const":
            total += self.whole(node)
            return None if isnan(total) else Affine("", "", int(total))
        item = self.further.get(nodes[node][1]) if op == "input" else None
        if item is None or item.kind not in (INDEX, LENGTH):
            return None
        if item.kind == INDEX:
            return Affine(INDEX, item.rows, int(total))
        base, cut = trimmed(item.name)
        return Affine(LENGTH, base, int(total) - cut)

    def sliced(self, parts: Sequence[Operand | None], length: str, span: Span) -> Place:
        """The rows of a column that a slice leaves, which are left out at its ends."""
        base, cut = trimmed(length)
        start, stop, step = (
            Affine("", "", other) if part is None else self.affine(part)
            for part, other in zip(parts, (0, 0, 1))
        )
        if parts[1] is None or stop and not stop.kind and stop.number < 0:
            stop = stop and Affine(LENGTH, base, stop.number - cut)
        if start and stop and (start.kind, step) == ("", ("", "", 1)):
            first, last = start.number, stop.number + cut
            if stop[:2] == (LENGTH, base) and first >= 0 >= last:
                return Place(shorter(length, first - last), first)
        raise mistake("rows_sliced", self.source, span, length=length)

    def pointed(self, part: Operand, length: str, span: Span) -> Place:
        """The row of a column at an index."""
        found, (base, cut) = self.affine(part), trimmed(length)
        kind, own, number = found or ("", "", 0)
        of, left = trimmed(own)
        if found is None:
            key = "rows_index"
        elif not kind:
            return Place("", number)
        elif of != base:
            key = "rows_of_another"
        elif kind == INDEX and 0 <= number <= left - cut:
            return Place(own, number)
        elif kind == LENGTH and number + cut < 0:
            return Place("", number + cut)
        else:
            key = "state_behind" if self.now and number < 0 else "rows_outside"
        raise mistake(key, self.source, span, length=base, other=of)

    def elsewhere(self, picked: Operand, place: Place | None) -> Operand:
        """What stands in other rows, if they are those of a column."""
        if place is None:
            return picked
        found = [self.moved(entry, place) for entry in entries_of(picked)]
        shape = shape_of(picked)
        return shaped((place.length, *shape[1:]) if length_of(shape) else shape, found)

    def read(
        self, array: Array, axes: Picks, axis: int, where: Operand, place: Place | None
    ) -> Operand:
        """What stands along an axis of an array at whole numbers, perhaps of a column."""
        found, length = list[int](), array.shape[axis]
        places = range(1 if isinstance(length, str) else length)
        options = [array.picked(axes)]  # what stands at each, also if none is read
        for node in entries_of(where):
            if isinstance(length, str):
                at = self.builder.add(ENTRY, node, self.length(length))
                place = Place(self.within[node], 0, at)
            picked = [[*axes[:axis], k, *axes[axis + 1 :]] for k in places]
            options = [self.elsewhere(array.picked(x), place) for x in picked]
            for column in zip(*map(entries_of, options)):
                is_one = isinstance(length, str)
                found.append(column[0] if is_one else self.chosen(node, column))
            self.count(len(found) * len(options))
        return shaped((*shape_of(where), *shape_of(options[0])), found)

    def chosen(self, node: int, options: Sequence[int]) -> int:
        """Which of some nodes stands at a whole number, found by halves."""
        do, const = self.do, self.builder.const
        least, most = do("ge", node, const(0)), do("lt", node, const(len(options)))
        is_whole = do("eq", node, do("floor", node))
        is_there = do("and", do("and", least, most), is_whole)
        square = do("mul", node, node)
        nowhere = do("log", do("sub", const(-1.0), square))  # raises in every row
        found = [*enumerate(options)]
        while len(found) > 1:
            pairs = zip(found[::2], found[1::2])
            halves = [
                (k, do("where", do("lt", node, const(j)), one, other))
                for (k, one), (j, other) in pairs
            ]
            found = halves + found[2 * len(halves) :]
        return do("where", is_there, found[0][1], nowhere)

    def moved(self, node: int, place: Place) -> int:
        """What stands for a node in other rows, where no derivative has to follow."""
        if self.within[node] == place.length and place.at < 0:
            return node
        nodes, new = self.builder.nodes, self.copies.setdefault(place, {})
        stack, known = [node], len(new)
        while stack:
            i = stack[-1]
            op, *args = nodes[i]
            moved = args[:1] if op == AT else args  # not the column that is read
            if i in new or not self.within[i]:
                stack.pop()
            elif op == "input":
                new[i] = self._input(args[0], place)
            elif waiting := [a for a in moved if self.within[a] and a not in new]:
                stack += waiting
            else:
                found = [new[a] if a in new else a for a in moved]
                if op == AT and not self.within[found[0]]:
                    own = str(nodes[args[1]][1])
                    raise mistake("rows_at", self.source, self.builder.span, name=own)
                new[i] = self.builder.add(op, *found, *args[len(moved) :])
        self.count(len(new) - known)
        return new.get(node, node)

    def _input(self, name: str, place: Place) -> int:
        """The input for one of a column in other rows."""
        length, first, at = place
        item = self.standing.get(name) or self.further[name]
        base, cut = trimmed(item.rows)
        if item.kind == INDEX:
            if at >= 0:
                return at
            if length:
                return self.numbered(length, first)
            number = self.builder.const(first)
            rows = self.length(item.rows)
            return number if first >= 0 else self.do("add", rows, number)
        if name in self.now:
            return self._past(item, place)
        if at >= 0:
            own, number = self.builder.input(name), self.index_of(item.rows)
            return self.builder.add(AT, at, own, number)
        if item.kind == "input":
            span = self.builder.span
            raise mistake("column_moved", self.source, span, name=name, length=base)
        start = first_row(item) + first
        if not length:
            start -= cut if first < 0 else 0
            self.require(base, cut + (first + 1 if first >= 0 else -first))
        return self.add(view(item, start, length))

    def require(self, length: str, rows: int) -> None:
        """Have columns of a length so many rows at least."""
        known = self.further[length]
        self.further[length] = replace(known, low=max(known.low or 0.0, float(rows)))

    def _past(self, item: Input, place: Place) -> int:
        """What stands for a state while it is made: what it was, or is if it is known."""
        back, length = item.order - place.first, shorter(item.rows, item.order)
        known = self.now[item.name]
        is_step = place.length == length and place.at < 0
        if is_step and back == 0 and known is not None:
            return known
        if not is_step or back <= 0:
            raise mistake("state_ahead", self.source, self.builder.span, name=item.name)
        name, own = f"{item.name}<{back}>", item.name
        return self.add(Input(name, PAST, rows=length, of=own, order=back))

    def stated(
        self, starts: Mapping[str, Sequence[Operand]], length: str
    ) -> Iterator[tuple[str, Array]]:
        """The columns of states by name, from what they start with."""
        for name, entries in starts.items():
            shape, order = shape_of(entries[0]), len(entries)
            for text in arrays.names(name, shape):
                label = str(len(self.states))  # of those that are made in one loop
                item = Input(text, STATE, array=label, rows=length, order=order)
                self.add(item)
                self.now[text] = None
            nodes = map(self.builder.input, arrays.names(name, shape))
            yield name, Array((length, *shape), tuple(nodes))
        self.require(length, order)
