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
from collections.abc import Callable, Container, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from graphlib import TopologicalSorter
from itertools import compress
from math import inf, prod
from operator import itemgetter, length_hint

from gradc.analysis.guards import ALWAYS, NEVER, Guards, Literal, holds, place
from gradc.ir import CALL, CONDITIONS, Builder, Input, Node, Program, arguments, compact
from gradc.ir import UNPASSED, Result, Rows, State, first_row, live, shorter, states
from gradc.ir import trimmed, varying
from gradc.ops import AT, BOTTOM, BY, PRODUCT, REDUCTIONS, TOP, TOTAL
from gradc.passes.decide import decide
from gradc.passes.schedule import HARMLESS
from gradc.run import Point, Run, run

NEUTRAL = {TOTAL: 0.0, PRODUCT: 1.0, TOP: -inf, BOTTOM: inf, BY: 0.0}
# What a node is, where rows come in parts: the same in all or of one row, a sum that adds
# up over the parts, or something else; and of what operations make sums.
PLAIN, SUM, OTHER = "1+-"
ADDED = {TOTAL: "1+", "add": "++", "sub": "++", "neg": "+", "mul": "1+ +1"}
ADDED |= {"div": "+1", "where": "1++"}
Free = Callable[..., str]  # a name like one that nothing else has, or an own one
Needs = Callable[[int], Iterable[int]]  # what is computed for a node


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
        is_back: whether it begins with the last row, and keeps the last of these alone.
        program: its outputs are what is summed, and then the roots; its inputs are those
            `of` the whole, what is kept, and what earlier parts have computed.
    """

    length: str
    sums: list[int] = field(default_factory=list)
    roots: list[int] = field(default_factory=list)
    kept: dict[int, str] = field(default_factory=dict)
    data: Program | None = None
    states: list[State] = field(default_factory=list)
    is_back: bool = False
    program: Program = field(init=False)


def is_additive(program: Program) -> bool:
    """Whether results over parts of the rows are those over all: numbers add up.

    Each is a sum of sums over rows, and of these times what is the same in all rows. An
    entry of a column depends on its own row and on what is the same in all, as columns
    are of which a row reads any entry.
    """
    inputs, found = {item.name: item for item in program.inputs}, list[str]()
    whole = {program.rows[node[-1]] for node in program.nodes if node[0] == AT}
    for i, node in enumerate(program.nodes):
        op, kind, kinds = node[0], OTHER, "".join([found[a] for a in arguments(node)])
        if op == "input":
            item = inputs[node[1]]
            length = trimmed(item.name if item.kind == "length" else item.rows)[0]
            if length in whole or item.kind not in UNPASSED:
                kind = PLAIN  # the others know of other rows
            elif item.kind == "length" and "-" not in item.name:
                kind = SUM
        elif not program.rows[i] and kinds in ADDED.get(op, "").split():
            kind = SUM
        else:
            kind = OTHER if {*kinds} - {PLAIN} else PLAIN
        found.append(kind)
    standing = [r.rows for r in program.results for _ in range(prod(r.shape))]
    pairs = zip(program.outputs, standing)
    has_whole = any(trimmed(rows)[0] in whole for rows in standing)
    return not has_whole and all(found[i] == (PLAIN if r else SUM) for i, r in pairs)


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
        if op not in REDUCTIONS or op == BY:
            new[i] = builder.copy(program, i, new)
            continue
        (x, n), ways = args, list[Node]()  # what is done to the sum, the last first
        while op == TOTAL and rows[x]:
            way, *parts = program.nodes[x]
            if way == "mul" and not rows[parts[0]]:
                parts.reverse()
            if way != "neg" and (way not in ("mul", "div") or rows[parts[1]]):
                break
            ways.append((way, *[new[a] for a in parts[1:]]))
            x = parts[0]
        same = {TOTAL: ("mul", new[x], new[n]), PRODUCT: ("pow", new[x], new[n])}
        if rows[x]:
            new[i] = builder.add(op, new[x], new[n])
        else:
            new[i] = builder.add(*same[op]) if op in same else new[x]
        for way, *numbers in reversed(ways):
            new[i] = builder.add(way, new[i], *numbers)
    return compact(builder.follow(program, [new[i] for i in program.outputs]))


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
        keeps: whether what is computed of data alone may be kept.
        free: gives a name like one that nothing else has.
    """

    def __init__(
        self,
        program: Program,
        standing: Sequence[str],
        called: Mapping[str, str],
        free: Free,
        keeps: bool = False,
    ) -> None:
        self.program = program = outside(program)
        self.standing, self.free = standing, free
        self.rows, self.nodes = program.rows, program.nodes
        self.guards = Guards(program)
        self.placed = place(program, self.guards)
        self.inputs = {item.name: item for item in program.inputs}
        self.entries, self.whole = dict(called), dict[str, str]()
        self.systems: dict[str, list[State]] = {}  # states that one loop makes
        self.made: dict[str, list[int]] = {}  # what these loops compute
        self.behind: dict[str, list[int]] = {}  # the nodes of these, by what is read
        self._gather()
        self.ways = dict[int, list[list[Literal]]]()  # what has to hold for sums
        for i, (op, *_) in enumerate(self.nodes):
            if op in REDUCTIONS and self.placed[i] not in (ALWAYS, NEVER):
                self._guard(i)
        self.outside = self._outside()
        self.owner: dict[int, Part] = {}  # what computes a number
        self.names: dict[int, str] = {}
        self.parts: list[Part] = []
        self._plan()
        kinds, own = ("data", "index", "view"), self.inputs
        data = {i.name for i in own.values() if i.rows and i.kind in kinds}
        asked = varying(self.nodes, own.keys() - (data - self.behind.keys()))
        for part in self.parts:
            if part.length and keeps and not part.states:
                part.data = self._kept(part, asked)
            part.program = self._program(part)

    def _gather(self) -> None:
        """Name inputs, and find which states one loop makes and what is read behind it."""
        for state in states(self.program):
            self.systems.setdefault(state.item.array, []).append(state)
        past = [item for item in self.program.inputs if item.kind == "past"]
        labels = {i.name: self.inputs.get(i.of, i).array for i in past}
        self.within = Rows(self.nodes, labels)  # in the steps of which states nodes are
        for label, made in self.systems.items():
            self.made[label] = [i for state in made for i in state.nodes]
        for op, *args in self.nodes:
            if op in REDUCTIONS and (label := self.within[args[0]]):
                self.made[label].append(args[0])
        for item in self.program.inputs:
            own = item.name.replace("[:", "[0:").partition(":")[0]  # the first row
            own = re.sub(r"\W+", "_", own.replace("-", "last")).strip("_")
            own = "row" if item.kind == "index" else own
            if item.rows and item.kind != "past":
                self.entries[item.name] = self.free(f"{own}_")
                self.whole[item.name] = self.free(f"{own}_all")
            elif item.name not in self.entries:
                is_plain = item.name.isidentifier()
                name = item.name if is_plain else own
                self.entries[item.name] = self.free(name, is_plain)
            root = self.inputs.get(item.of, item)
            if root.kind == "state" and item.kind != "past":
                self.behind[item.name] = self.made[root.array]

    def _plan(self) -> None:
        """Find the parts and what they compute."""
        stages, loops = self._stages(), dict[tuple[int, str, str], Part]()

        def loop(stage: int, length: str, label: str = "") -> Part:
            return loops.setdefault((stage, length, label), Part(length))

        for i, (stage, node) in enumerate(zip(stages, self.nodes)):
            if self.placed[i] != NEVER and node[0] in REDUCTIONS:
                length, label = self.nodes[node[2]][1], self.within[node[1]]
                loop(stage - 1, length, label).sums.append(i)
        varies = self.program.varying
        standing = [*zip(self.program.outputs, self.standing)]
        last = {x: stages[i] for i, x in sorted(standing, key=lambda x: stages[x[0]])}
        for i, length in standing:
            if length:  # what is the same in all rows goes with the last of the others
                part = loop(stages[i] if varies[i] else last[length], length)
                part.roots += [] if i in part.roots else [i]
        for label, made in self.systems.items():
            item, stage = made[0].item, max(stages[i] for i in self.made[label])
            part = loop(stage, shorter(item.rows, item.order), label)
            part.states, part.is_back = made, label.startswith("-")
        for _, part in sorted(loops.items(), key=itemgetter(0)):
            read = self._walk(self._over(part), self.outside)
            starts = [i for state in part.states for i in state.starts]
            wanted = [*sorted(self.outside & read.keys()), *starts]
            self._claim(Part(""), wanted)
            for i in wanted:
                self._name(i)
            self.parts.append(part)
            self.names |= {i: self.free("s") for i in part.sums}
        numbers = [*dict.fromkeys([i for i, length in standing if not length])]
        self._claim(Part(""), numbers)
        self.parts[-1].roots += numbers

    def _guard(self, i: int) -> None:
        """Find what has to hold for a sum to be asked for: all of any of some ways.

        Where a condition would wait for the sum itself, the sum does not wait for it.
        """
        members = self.guards.members[self.placed[i]]
        ways = [self.guards.way(member, ALWAYS) for member in members]
        asked = {c for way in ways for c, _ in way}
        known = {c for c in asked if i not in self._walk([c], (), self._needs)}
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
        own = self.made.get(self.within[args[0]], []) if op in REDUCTIONS else []
        return [*arguments(self.nodes[i]), *self._asked(i), *own]

    def _args(self, i: int) -> Sequence[int]:
        """What is computed for a node: not the column of which it reads an entry."""
        return arguments(self.nodes[i])[: 1 if self.nodes[i][0] == AT else None]

    def _walk(
        self, nodes: Iterable[int], ends: Container[int], needs: Needs | None = None
    ) -> dict[int, None]:
        """Some nodes, and what is computed for them, but for those that end it."""
        found, stack = dict[int, None](), [*nodes]
        while stack:
            if (i := stack.pop()) not in found:
                found[i] = None
                stack += () if i in ends else (needs or self._args)(i)
        return found

    def _stages(self) -> list[int]:
        """How many loops have to be over before a node can be computed."""
        found = [0] * len(self.nodes)
        graph = {i: self._needs(i) for i in range(len(found))}
        for i in TopologicalSorter(graph).static_order():
            op, *args = self.nodes[i]
            is_behind = op in REDUCTIONS or op == "input" and args[0] in self.behind
            found[i] = max([found[a] for a in graph[i]], default=0) + is_behind
        return found

    def _outside(self) -> set[int]:
        """Which nodes are computed before the loops that read them.

        What conditions guard is so if it cannot raise, with all that it needs. Constants
        stand in each loop, but for what states start with.
        """
        found, sure = set[int](), list[bool]()  # whether it may be computed there
        varies, never = [*self.program.varying], {*CONDITIONS, "input", "const"}
        for state in states(self.program):
            for i in state.starts:
                varies[i] = True
        for i, (op, *_) in enumerate(self.nodes):
            may = self.placed[i] == ALWAYS or op in {*REDUCTIONS, "input", "const"}
            sure.append(may or op in HARMLESS and all(sure[a] for a in self._args(i)))
            is_number = varies[i] and not self.rows[i] and op not in never
            if op == BY or is_number and sure[i]:
                found.add(i)
        return found

    def _over(self, part: Part) -> list[int]:
        """The nodes that a part computes, and the conditions on numbers of its sums."""
        found = [self.nodes[i][1] for i in part.sums]
        found += [c for i in part.sums for c in self._asked(i)]
        return [*found, *part.roots, *self._behind(part)]

    def _behind(self, part: Part) -> list[int]:
        """The whole numbers by which a loop sums, and what states become."""
        keys = [k for i in part.sums for k in self.key(i)]
        return keys + [state.next for state in part.states]

    def key(self, i: int) -> Sequence[int]:
        """The place by which a node sums rows, if it does.

        Where a condition may guard it, it is a number, and of how many it is a place.
        """
        if self.nodes[i][0] != BY:
            return ()
        own = arguments(self.nodes[self.nodes[i][3]])
        return own if "where" in self.program.operations else (self.nodes[i][3],)

    def _claim(self, part: Part, wanted: Sequence[int]) -> None:
        """Have some numbers computed in a part, the next, if no earlier one does."""
        self.parts.append(part)
        for i in self._walk(wanted, self.owner.keys() | self.names.keys()):
            if i in self.outside and self.nodes[i][0] not in REDUCTIONS:
                if self.owner.setdefault(i, part) is not part:
                    self._name(i)

    def _name(self, i: int) -> None:
        """Give a number a name, which another part reads than the one that computes it."""
        if i in self.owner and i not in self.names:
            own = self.program.names.get(i, "")
            is_plain = own.isidentifier()
            self.names[i] = self.free(own if is_plain else "p", is_plain)
            self.owner[i].roots.append(i)

    def _known(self, part: Part) -> Set[int]:
        """The nodes that earlier parts have computed, or that are kept."""
        others = [i for i in self.names if self.owner.get(i) is not part]
        return part.kept.keys() | others

    def _kept(self, part: Part, asked: Sequence[int]) -> Program | None:
        """What a loop computes of data alone, if it is kept: nothing that is `asked`."""
        wanted = self._over(part)
        needed = self._walk(wanted, self._known(part))
        for i in needed:
            wanted += arguments(self.nodes[i]) if asked[i] or not self.rows[i] else ()
        own = sorted([i for i in {*wanted} & needed.keys() if not asked[i]])
        own = [i for i in own if self.rows[i] and self.nodes[i][0] != "input"]
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
        if part.is_back:  # so many rows are to come
            names = [f"{item.name}s" for item in part.program.inputs if item.rows]
            k = length_hint(found[[*names, "rows"][0]])
        at, told = k + trimmed(part.length)[1] * bool(part.states), dict[str, float]()
        for item in self.inputs.values():
            own, name = self.entries[item.name], item.name
            if own in found and item.rows and item.kind != "index" and "/" not in name:
                if item.kind == "past":
                    name = f"{item.of}[{at - item.order}]"
                elif item.of:
                    name = f"{item.of}[{k + first_row(item)}]"
                told[name] = found[own]
        ran = run(part.program, found)
        kinds = [self.nodes[i][0] for i in part.sums]
        outputs = enumerate(part.program.outputs)
        judged = [i for x, i in outputs if not {*kinds[x : x + 1]} & {TOP, BOTTOM}]
        ran.program = replace(part.program, outputs=(*judged,))
        return at, told, ran

    def _program(self, part: Part) -> Program:
        """The program of a part."""
        builder, new = Builder(self.program.ops), dict[int, int]()
        read, known = dict[str, Input](), self._known(part)
        for i in sorted(self._walk(self._over(part), known)):
            builder.span = self.program.spans[i]
            op, *args = self.nodes[i]
            if i in known:
                name = part.kept.get(i) or self.names[i]
                item = Input(name, rows=self.rows[i])
            elif op == AT:
                column = self.nodes[args[1]][1]
                item = Input(self.whole[column], "list", of=column)
            elif op == "input":
                item, own = self.inputs[args[0]], self.entries[args[0]]
                rows = "" if item.kind == "past" else item.rows
                item = replace(item, name=own, rows=rows, array="", of=args[0])
            else:
                new[i] = builder.copy(self.program, i, new)
                continue
            read[item.name], new[i] = item, builder.input(item.name)
            if item.kind == "list":
                new[i] = builder.add(AT, new[args[0]], new[i], new[i])
        outputs = [self._summed(builder, new, i) for i in part.sums]
        for i in part.roots:
            outputs.append(new[i])
            if i in self.names and not part.length:
                builder.names[new[i]] = self.names[i]
        outputs += [new[k] for k in self._behind(part)]
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
        return add("where", holds(add, known), new[x], other)
