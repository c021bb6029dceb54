"""Split a program over columns into loops over rows, and what stands between them.

    %0 = input a                        p1 = exp(a)
    %1 = input t                        for t_ in t:
    %2 = exp %0                 -->         s1 += t_
    %3 = mul %2 %1                      return log(p1 * s1)
    %4 = _total %3 n
    %5 = log %4

What depends on numbers alone is computed once, in a part before the loop that reads it;
what goes over rows is the result of a loop, and what reads it stands behind. A loop
computes again what it needs of an earlier one: rows are read twice, and never kept. What
a condition guards stays with it, inside the loop, if it may raise. What goes over rows
under a condition on numbers goes over nothing where that does not hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import compress
from math import inf, prod
from operator import itemgetter
from typing import Any

from gradc.analysis.guards import ALWAYS, NEVER, Guards, Literal, holds, place
from gradc.ir import CALL, CONDITIONS, Builder, Input, Program, arguments, compact
from gradc.ir import UNPASSED, Result, State, live, shorter, states, trimmed, varying
from gradc.ops import AT, BOTTOM, BY, ENTRY, PRODUCT, REDUCTIONS, TOP, TOTAL
from gradc.passes.decide import decide
from gradc.passes.schedule import HARMLESS
from gradc.run import Point, Run, run

NEUTRAL: Mapping[str, float] = {
    **{TOTAL: 0.0, PRODUCT: 1.0, TOP: -inf, BOTTOM: inf, BY: 0.0}
}
# What a node is, where rows come in parts: the same in all, or of one row, a sum that
# adds up over the parts, or something else; and of what operations make sums.
SAME, ROW, SUM, OTHER = "1r+-"
ADDED = {TOTAL: "1+ r+", "add": "++", "sub": "++", "neg": "+", "mul": "1+ +1"}
ADDED |= {"div": "+1", "where": "1++"}
Needs = Callable[[int], Iterable[int]]
Free = Callable[..., str]  # a name like one that nothing else has, or an own one


@dataclass(eq=False)
class Part:
    """A loop over the rows of columns, or what is computed once between loops.

    Attributes:
        length: that of the columns, "" between loops.
        sums: the nodes of the whole that a loop goes over rows for.
        roots: the nodes that it computes, in a loop row by row.
        kept: the nodes in rows that depend on data alone, if it may be kept.
        data: the program of these.
        states: the columns that a loop makes row by row.
        program: its outputs are what is summed, and then the roots; its inputs are those
            of the whole, what is kept, and what earlier parts have computed.
    """

    length: str
    sums: list[int] = field(default_factory=list)
    roots: list[int] = field(default_factory=list)
    kept: dict[int, str] = field(default_factory=dict)
    data: Program | None = None
    states: list[State] = field(default_factory=list)
    program: Program = field(init=False)


def is_additive(program: Program) -> bool:
    """Whether results over parts of the rows are those over all: numbers add up.

    Each is a sum of sums over rows, and of these times what is the same in all rows. An
    entry of a column depends on its own row and on what is the same in all.
    """
    inputs, found = {item.name: item for item in program.inputs}, list[str]()
    for node in program.nodes:
        op, kind, kinds = node[0], OTHER, "".join([found[a] for a in arguments(node)])
        if op == "input":
            item = inputs[node[1]]
            if item.kind == "length" and "-" not in item.name:
                kind = SUM
            elif item.kind not in UNPASSED:  # the others know of other rows
                kind = ROW if item.rows else SAME
        elif kinds in ADDED.get(op, "").split():
            kind = SUM
        elif op in (ENTRY, AT) or not op.startswith("_"):
            is_plain = not {*kinds} - {SAME, ROW}
            kind = (ROW if ROW in kinds else SAME) if is_plain else OTHER
        found.append(kind)
    standing = [r.rows for r in program.results for _ in range(prod(r.shape))]
    pairs = zip(program.outputs, standing)
    return all(found[i] in (SAME + ROW if rows else SUM) for i, rows in pairs)


def of_interest(program: Program, outputs: Sequence[int]) -> Program:
    """A program with some outputs, and the states on which they depend."""
    own, bases = states(program), {i.name: i.of or i.name for i in program.inputs}
    kept, made = set[str](), list[int]()
    while True:
        alive = compress(program.nodes, live(program.nodes, [*outputs, *made]))
        read = {bases[node[1]] for node in alive if node[0] == "input"}
        if read == kept:
            break
        kept = read
        made = [i for state in own if state.item.name in read for i in state.nodes]
    items = [i for i in program.inputs if i.kind != "state" or i.name in kept]
    return replace(program, inputs=tuple(items), outputs=(*outputs, *made))


def outside(program: Program) -> Program:
    """Take out of sums over rows what is the same in each row, a factor or all of it."""
    builder, new, rows = Builder(program.ops), dict[int, int](), program.rows
    for i in compress(range(len(program.nodes)), program.alive):
        op, *args = program.nodes[i]
        builder.span = program.spans[i]
        if op in REDUCTIONS and op != BY and not rows[args[0]]:
            x, n = new[args[0]], new[args[1]]
            same = {TOTAL: ("mul", x, n), PRODUCT: ("pow", x, n)}.get(op)
            new[i] = builder.add(*same) if same else x
        elif op == TOTAL:
            new[i] = _taken(builder, program, args, new)
        else:
            new[i] = builder.copy(program, i, new)
    return compact(builder.follow(program, [new[i] for i in program.outputs]))


def _taken(
    builder: Builder, program: Program, args: Sequence[int], new: Mapping[int, int]
) -> int:
    """A sum over rows, its factors that are the same in each row outside."""
    rows, (x, n) = program.rows, args
    ways = list[tuple[str, Sequence[int]]]()  # what is done to the sum, the last first
    while True:
        op, *parts = program.nodes[x]
        if op == "mul" and not rows[parts[0]]:
            parts = parts[::-1]
        if op != "neg" and (op not in ("mul", "div") or rows[parts[1]]):
            break
        ways.append((op, [new[a] for a in parts[1:]]))
        x = parts[0]
    found = builder.add(TOTAL, new[x], new[n])
    for op, numbers in reversed(ways):
        found = builder.add(op, found, *numbers)
    return found


class Split:
    """The parts of a program in their order, the last of which computes its numbers.

    Attributes:
        names: what the numbers are called that a part computes for later ones.
        entries: what inputs are called in parts, those of columns in loops.
        whole: what columns are called of which loops read any entry.

    Arguments:
        program: any program.
        standing: of each output the length of the column that it is, "" of a number.
        called: the names of arguments.
        data: the inputs of which what is computed may be kept.
        free: gives a name like one that nothing else has.
    """

    def __init__(
        self,
        program: Program,
        standing: Sequence[str],
        called: Mapping[str, str],
        free: Free,
        data: Set[str] = frozenset(),
    ) -> None:
        self.program = program = outside(program)
        self.standing, self.free = standing, free
        self.rows, self.nodes = program.rows, program.nodes
        self.guards = Guards(program)
        self.placed = place(program, self.guards)
        self.varies = varying(self.nodes)
        self.inputs = {item.name: item for item in program.inputs}
        self.systems: dict[str, list[State]] = {}  # states that one loop makes
        self.behind: dict[str, list[int]] = {}  # the nodes of these, by what is read
        self._gather()
        self.ways = dict[int, list[list[Literal]]]()  # what has to hold for sums
        for i, (op, *_) in enumerate(self.nodes):
            if op in REDUCTIONS and self.placed[i] not in (ALWAYS, NEVER):
                self._guard(i)
        self.outside = self._outside()
        self.owner: dict[int, int] = {}  # the part in which a number is computed
        self.names: dict[int, str] = {}
        self.entries, self.whole = dict(called), dict[str, str]()
        self._call(program.inputs)
        self.parts: list[Part] = []
        self._plan()
        kept = data & program.lengths.keys()
        self.asked = varying(self.nodes, self.inputs.keys() - kept)
        for part in self.parts:
            if part.length and data and not part.states:
                part.data = self._kept(part)
            part.program = self._program(part)

    def _gather(self) -> None:
        """Find which states one loop makes, and what is read behind it."""
        for state in states(self.program):
            self.systems.setdefault(state.item.array, []).append(state)
        for item in self.inputs.values():
            root = self.inputs.get(item.of, item)
            if root.kind == "state" and item.kind != "past":
                made = self.systems[root.array]
                self.behind[item.name] = [i for state in made for i in state.nodes]

    def _call(self, inputs: Iterable[Input]) -> None:
        """Give names to the inputs of parts."""
        for item in inputs:
            name = item.name.replace("[:", "[0:").partition(":")[0]  # the first row
            name = re.sub(r"\W+", "_", name.replace("-", "last")).strip("_")
            name = "row" if item.kind == "index" else name
            if item.kind == "past":
                self.entries[item.name] = self.free(name)
            elif item.rows:
                self.entries[item.name] = self.free(f"{name}_")
                self.whole[item.name] = self.free(f"{name}_all")
            elif not item.name.isidentifier():
                self.entries[item.name] = self.free(name)

    def _plan(self) -> None:
        """Find the parts and what they compute."""
        stages, loops = self._stages(), dict[tuple[int, str, str], Part]()
        for i, stage in enumerate(stages):
            if self.placed[i] != NEVER and self.nodes[i][0] in REDUCTIONS:
                length = self.nodes[self.nodes[i][2]][1]
                part = loops.setdefault((stage - 1, length, ""), Part(length))
                part.sums.append(i)
        standing = [*zip(self.program.outputs, self.standing)]
        last = {x: stages[i] for i, x in sorted(standing, key=lambda x: stages[x[0]])}
        for i, length in standing:
            if length:  # what is the same in all rows goes with the last of the others
                stage = stages[i] if self.varies[i] else last[length]
                part = loops.setdefault((stage, length, ""), Part(length))
                part.roots += [] if i in part.roots else [i]
        for label, made in self.systems.items():
            item, stage = made[0].item, max(stages[i] for x in made for i in x.nodes)
            length = shorter(item.rows, item.order)
            loops[stage, length, label] = Part(length, states=made)
        for _, part in sorted(loops.items(), key=itemgetter(0)):
            self.parts += [Part(""), part]
            starts = [i for state in part.states for i in state.starts]
            self._claim(len(self.parts) - 2, [*self._read(part), *starts])
            self.names |= {i: self.free("s") for i in part.sums}
        numbers = [*dict.fromkeys([i for i, length in standing if not length])]
        self.parts.append(Part(""))
        self._claim(len(self.parts) - 1, numbers)
        self.parts[-1].roots += numbers

    def _guard(self, i: int) -> None:
        """Find what has to hold for a sum to be asked for: all of any of some ways.

        Where a condition would wait for the sum itself, the sum does not wait for it.
        """
        members = self.guards.members[self.placed[i]]
        ways = [self.guards.way(member, ALWAYS) for member in members]
        asked = {c for way in ways for c, _ in way}
        known = {c for c in asked if i not in self._walk([c], self._needs)}
        ways = [[x for x in way if x[0] in known] for way in ways]
        self.ways[i] = ways if all(ways) else []

    def _asked(self, i: int) -> list[int]:
        """The conditions on numbers that a sum waits for."""
        return [c for way in self.ways.get(i, ()) for c, _ in way]

    def _needs(self, i: int) -> list[int]:
        """The nodes that are known before a node is computed."""
        op, *args = self.nodes[i]
        if op == "input":
            return self.behind.get(args[0], [])
        return [*arguments(self.nodes[i]), *self._asked(i)]

    def _walk(self, nodes: Iterable[int], needs: Needs) -> dict[int, None]:
        """Some nodes, and what they need."""
        found, stack = dict[int, None](), [*nodes]
        while stack:
            if (i := stack.pop()) not in found:
                found[i] = None
                stack += needs(i)
        return found

    def _until(self, ends: Callable[[int], bool]) -> Needs:
        """What is computed for nodes, but for those that end it."""
        return lambda i: () if ends(i) else self._args(i)

    def _stages(self) -> list[int]:
        """How many loops have to be over before a node can be computed."""
        found = [-1] * len(self.nodes)
        for stack in ([i] for i in range(len(found))):
            while stack:
                needs = self._needs(i := stack[-1])
                if missing := [a for a in needs if found[a] < 0]:
                    stack += missing
                    continue
                stage = max([found[a] for a in needs], default=0)
                op, *args = self.nodes[i]
                is_behind = op in REDUCTIONS or op == "input" and args[0] in self.behind
                found[stack.pop()] = stage + is_behind
        return found

    def _outside(self) -> list[bool]:
        """Which nodes are computed before the loops that read them.

        What conditions guard is so if it cannot raise, with all that it needs.
        """
        found, sure = list[bool](), list[bool]()  # whether it may be computed there
        for i, (op, *_) in enumerate(self.nodes):
            may = self.placed[i] == ALWAYS or op in {*REDUCTIONS, "input", "const"}
            sure.append(may or op in HARMLESS and all(sure[a] for a in self._args(i)))
            own = self.varies[i] and not self.rows[i]
            is_own = own and op not in CONDITIONS and op != "input"
            found.append(op == BY or bool(is_own and sure[i]))
        return found

    def _over(self, part: Part) -> list[int]:
        """The nodes that a part computes, and the conditions on numbers of its sums."""
        found = [self.nodes[i][1] for i in part.sums]
        found += [c for i in part.sums for c in self._asked(i)]
        return [*found, *part.roots, *self._by(part), *[s.next for s in part.states]]

    def _by(self, part: Part) -> list[int]:
        """The whole numbers by which a loop sums."""
        return [k for i in part.sums for k in self.key(i)]

    def key(self, i: int) -> Sequence[int]:
        """The place by which a node sums rows, if it does.

        Where a condition may guard it, it is a number, and of how many it is a place.
        """
        if self.nodes[i][0] != BY:
            return ()
        own = arguments(self.nodes[self.nodes[i][3]])
        return own if "where" in self.program.operations else (self.nodes[i][3],)

    def _args(self, i: int) -> Sequence[int]:
        """What is computed for a node: not the column of which it reads an entry."""
        return arguments(self.nodes[i])[: 1 if self.nodes[i][0] == AT else None]

    def _read(self, part: Part) -> list[int]:
        """The numbers that a loop reads."""
        found = self._walk(self._over(part), self._until(self.outside.__getitem__))
        return sorted([i for i in found if self.outside[i]])

    def _claim(self, k: int, wanted: Sequence[int]) -> None:
        """Have some numbers computed in a part, if no earlier one does."""
        known = self.owner.keys() | {i for part in self.parts for i in part.sums}
        for i in self._walk(wanted, self._until(known.__contains__)):
            if self.outside[i] and self.nodes[i][0] not in REDUCTIONS:
                if self.owner.setdefault(i, k) < k:
                    self._name(i, k)
        for i in wanted if k + 1 < len(self.parts) else ():
            self._name(i, k + 1)

    def _name(self, i: int, k: int) -> None:
        """Give a number a name, which a part reads and an earlier one computes."""
        if self.owner.get(i, k) < k and i not in self.names:
            own = self.program.names.get(i, "")
            is_plain = own.isidentifier()
            self.names[i] = self.free(own if is_plain else "p", is_plain)
            self.parts[self.owner[i]].roots.append(i)

    def _kept(self, part: Part) -> Program | None:
        """What a loop computes of data alone, and that it is kept."""
        needed, wanted = self._needed(part), {*self._over(part)}
        for i in needed:
            if self.asked[i] or not self.rows[i]:
                wanted |= {*arguments(self.nodes[i])}
        own = [i for i in needed if i in wanted and self.rows[i] and not self.asked[i]]
        own = [i for i in own if self.nodes[i][0] != "input"]
        if not own or any(self.placed[i] != ALWAYS for i in own):
            return None
        program = self._program(replace(part, sums=[], roots=own))
        if program.cost < CALL:
            return None
        part.kept = {i: self.free("kept") for i in own}
        return program

    def ran(self, part: Part, k: int, found: Point) -> tuple[int, Point, Run]:
        """The number of its k-th row, what it reads there, and a run of a part.

        Arguments:
            found: what the part reads by its own names.
        """
        at = k + trimmed(part.length)[1] * bool(part.states)
        reads = [i for i in part.program.inputs if i.rows or i.kind == "past"]
        row = {item.name: found[item.name] for item in reads}
        ran = run(part.program, found)
        kinds = [self.nodes[i][0] for i in part.sums]
        outputs = enumerate(part.program.outputs)
        judged = [i for x, i in outputs if not {*kinds[x : x + 1]} & {TOP, BOTTOM}]
        ran.program = replace(part.program, outputs=(*judged,))
        return at, self._told(row, k, at), ran

    def _told(self, row: Mapping[str, Any], k: int, at: int) -> dict[str, float]:
        """What is read in a row, by what the formula calls it."""
        found = dict[str, float]()
        for item in self.inputs.values():
            own = self.entries.get(item.name, item.name)
            if own not in row or item.kind == "index" or "/" in item.name:
                continue
            back, first = at - item.order, item.name.removeprefix(item.of)[1:]
            first = first.partition(":")[0] or "0"
            place = back if item.kind == "past" else k + int(first) if item.of else -1
            found[f"{item.of}[{place}]" if item.of else item.name] = row[own]
        return found

    def number(self, i: int) -> float | str:
        """A constant, or what a number is called behind the loops that it depends on."""
        op, own = self.nodes[i][:2]
        if op == "const":
            return float(own)
        return self.entries.get(own, str(own)) if op == "input" else self.names[i]

    def _needed(self, part: Part) -> list[int]:
        """The nodes that a part computes or reads."""
        ends = self._until(lambda i: self._is_read(i, part))
        return sorted(self._walk(self._over(part), ends))

    def _is_read(self, i: int, part: Part) -> bool:
        """Whether an earlier part has computed a node, or it is kept."""
        if i in part.kept:
            return True
        owner = self.owner.get(i)
        return i in self.names and (owner is None or self.parts[owner] is not part)

    def _program(self, part: Part) -> Program:
        """The program of a part."""
        builder, new = Builder(self.program.ops), dict[int, int]()
        read = dict[str, Input]()
        for i in self._needed(part):
            builder.span = self.program.spans[i]
            op, *args = self.nodes[i]
            if i in part.kept:
                item = Input(part.kept[i], rows=part.length)
            elif self._is_read(i, part):
                item = Input(self.names[i], rows=self.rows[i])
            elif op == AT:
                column = self.inputs[self.nodes[args[1]][1]]
                item = Input(self.whole[column.name], "list", of=column.name)
                read[item.name], whole = item, builder.input(item.name)
                new[i] = builder.add(AT, new[args[0]], whole, whole)
                continue
            elif op == "input":
                item = self.inputs[args[0]]
                own = self.entries.get(item.name, item.name)
                item = replace(item, name=own, array="", shape=())
                item = replace(item, rows="") if item.kind == "past" else item
            else:
                new[i] = builder.copy(self.program, i, new)
                continue
            read[item.name] = item
            new[i] = builder.input(item.name)
        outputs = [self._summed(builder, new, i) for i in part.sums]
        for i in part.roots:
            outputs.append(new[i])
            if i in self.names and not part.length:
                builder.names[new[i]] = self.names[i]
        outputs += [new[k] for k in self._by(part)]
        outputs += [new[state.next] for state in part.states]
        every = (Result("", (len(outputs),)),)  # all count as values
        source, inputs = self.program.source, (*read.values(),)
        return compact(decide(builder.finish(inputs, outputs, source, (), every)))

    def _summed(self, builder: Builder, new: Mapping[int, int], i: int) -> int:
        """What goes over rows for a node: nothing where that is not asked for."""
        op, x, *_ = self.nodes[i]
        if not (ways := self.ways.get(i)):
            return new[x]
        known = [[(new[c], on) for c, on in way] for way in ways]
        other, add = builder.const(NEUTRAL[op]), builder.add
        return add("where", holds(builder, known), new[x], other)
