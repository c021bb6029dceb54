"""Who is called what, and what a function does step by step.

Arguments keep their names, then what the author has called something, and everything
else steps aside.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import accumulate, count, groupby
from operator import itemgetter
from typing import Any, NamedTuple

from gradc.arrays import leaves
from gradc.functions import ZERO, Function
from gradc.ir import CONDITIONS, LAZY, Program, grouped
from gradc.passes.schedule import Assign, Schedule, Statement, schedule
from gradc.run import FLOATS
from gradc.spelling import PYTHON, Language

RESERVED, literal = PYTHON.reserved, PYTHON.literal
MANY = 60  # variables of a function from which on names are used again
CONSTANT = 24  # columns of a constant's name
LONG = 1000  # steps of a function beyond which it is cut
PIECE = 150  # steps of a piece
NOTHING = -1  # what a condition assigns
_BRACKETS = re.compile(r"\[(\d+)\]")
TRUTHS = CONDITIONS | {"flag"}
DECIDING = CONDITIONS | LAZY


class Names:
    """What the functions of one program share: their names, and the texts of its leaves.

    `reserved` are the words that a function cannot use for its own; a name that is one
    of them gets an underscore.
    """

    def __init__(
        self, program: Program, reserved: frozenset[str], language: Language = PYTHON
    ) -> None:
        self.language = language
        spelled = {item.array or item.name for item in program.inputs}
        self.taken = set(reserved | spelled)
        self.parameters = {
            n: self._claim(n) if n in reserved else n for n in sorted(spelled)
        }
        self.elements = {
            i.name: self._claim(i.name) if i.array else self.parameters[i.name]
            for i in program.inputs
            if not (i.array and language.entry)
        }
        for array, _, own in grouped(program.inputs) if language.entry else ():
            for k, item in enumerate(own):
                at = f"[{k}]" if len(item.shape) == 1 else item.name[len(array) :]
                told = {"name": self.parameters[array], "at": at}
                self.elements.setdefault(item.name, language.entry.format(k=k, **told))
        self.bound = {
            i: self._claim(name)
            for i, name in sorted(program.names.items())
            if program.nodes[i][0] not in ("const", "input")
        }
        self.fixed, _, values = fixed(program)
        text: dict[str, Callable[[Any], str]] = {"const": language.literal}
        text["input"] = self.elements.__getitem__
        self.leaves = [text[n[0]](n[1]) if n[0] in text else "" for n in program.nodes]
        if language is not PYTHON:  # which writes their names
            for i, value in values.items():
                self.leaves[i] = language.literal(value)

    def free(self, name: str) -> str:
        """A name that nothing else has."""
        while name in self.taken:
            name += "_"
        return name

    def _claim(self, name: str) -> str:
        """The name of what its author calls so: of `w[0][1]` it is `w_0_1`."""
        name = self.free(_BRACKETS.sub(r"_\1", name) if name[-1] == "]" else name)
        self.taken.add(name)
        return name

    def widths(self) -> list[int]:
        """How many columns each node takes at the most where it is read."""
        widest = len(str(len(self.leaves) // 4)) + 1
        own = {i: len(name) for i, name in self.bound.items()}
        return [
            len(leaf) if leaf else CONSTANT // 2 if fixed else own.get(i, widest)
            for i, (leaf, fixed) in enumerate(zip(self.leaves, self.fixed))
        ]

    def assign(self, page: Schedule, steps: Sequence[Step]) -> dict[int, str]:
        """Name the variables of a schedule in the order in which they appear.

        In a function of Python of more than MANY, numbers that are no longer read, a line
        or more below, lend their names: those that are kept miss CPython's free list.
        """
        last = {i: k for k, step in enumerate(steps) for i in step.reads}
        has_many = len({step.target for step in steps}) > MANY
        has_many &= self.language is PYTHON
        names: dict[int, str] = {}
        numbers, unused = count(1), list[str]()
        dying: dict[int, list[str]] = {}  # names by the step that reads them last
        for k, (target, *_) in enumerate(steps):
            unused += dying.pop(k - 1, ())
            if target == NOTHING or target in names:
                continue
            op, own = page.nodes[target][0], self.bound.get(target)
            word = "case" if op == "flag" else "t"
            fresh = (x for n in numbers if (x := f"{word}{n}") not in self.taken)
            lends = has_many and op not in TRUTHS and not own
            names[target] = own or (unused.pop() if lends and unused else next(fresh))
            if lends:
                dying.setdefault(max(last.get(target, k), k), []).append(names[target])
        return names


def fixed(program: Program) -> tuple[list[bool], list[int], dict[int, float]]:
    """Which nodes are computed at import, and which constants have no finite value.

    The values are those of both kinds.
    """
    found, broken = [False] * len(program.nodes), []
    values: dict[int, float] = {}
    for i, (op, *args) in enumerate(program.nodes):
        if op == "const":
            values[i] = args[0]
        elif op not in DECIDING and values.keys() >= {*args}:
            value = math.nan
            with suppress(ArithmeticError, ValueError):
                compute = FLOATS.compute(program.ops[op])
                value = float(compute(*[values[a] for a in args]))
            if math.isfinite(value):
                found[i], values[i] = True, value
            else:
                broken.append(i)
    return found, broken, values


class Page(NamedTuple):
    """A function as it is written: its statements, their steps, and its variables."""

    names: Names
    function: Function
    schedule: Schedule
    steps: list[Step]
    assigned: dict[int, str]


def pages(
    functions: Sequence[Function],
    own: Iterable[str] = (),
    language: Language = PYTHON,
) -> Iterator[Page]:
    """The functions of a module, whose `own` names nothing else may have."""
    known: dict[int, Names] = {}
    for function in functions:
        program = function.program
        reserved = language.reserved.union(own)
        names = known.get(id(program)) or Names(program, reserved, language)
        known[id(program)] = names
        shown = [program.outputs[k] for k in leaves(function.layout) if k != ZERO]
        widths = names.widths()
        found = schedule(program, tuple(shown), names.fixed, widths, language)
        last = Step(NOTHING, mentioned(found, found.outputs), ())
        order = [*steps(found, found.body), last]
        yield Page(names, function, found, order, names.assign(found, order))


Block = tuple[int, ...]  # conditions by their places, or their opposites for `else`


class Step(NamedTuple):
    """A statement, a condition, or at the end what is returned.

    `target` is the variable that it assigns; `reads` are those that it mentions, with
    leaves among them.
    """

    target: int
    reads: list[int]
    block: Block


def steps(page: Schedule, body: list[Statement], block: Block = ()) -> Iterator[Step]:
    """The steps of a block in the order of the text; `schedule` nests only a few."""
    for k, part in enumerate(body, 1):
        if isinstance(part, Assign):
            i, target = part.value, part.target
            reads = mentioned(page, page.nodes[i][1:] if i == target else [i])
            yield Step(page.target[target], reads, block)
        else:
            yield Step(NOTHING, mentioned(page, [part.condition]), block)
            yield from steps(page, part.yes, (*block, k))
            yield from steps(page, part.no, (*block, -k))


def mentioned(page: Schedule, roots: Iterable[int]) -> list[int]:
    """The variables that some expressions mention."""
    found: list[int] = []
    stack = [*roots]
    for i in stack:
        if page.inline[i]:
            stack += page.nodes[i][1:]
        else:
            found.append(page.target[i])
    return found


def undecided(steps: Sequence[Step]) -> set[int]:
    """The variables that are read where not every path has assigned them."""
    found: set[int] = set()
    sure = set[tuple[int, Block]]()  # variables, by the blocks that do
    for target, reads, block in steps:
        around = [block[:depth] for depth in range(len(block) + 1)]
        found.update(i for i in reads if not any((i, b) in sure for b in around))
        sure.add((target, block))
        while block and (target, (*block[:-1], -block[-1])) in sure:
            block = block[:-1]
            sure.add((target, block))
    return found


def outer(steps: Sequence[Step]) -> set[int]:
    """The variables that cannot be declared where they are assigned.

    They are assigned twice, or read outside of that block.
    """
    homes: dict[int, Block] = {}
    found = {t for t, n in Counter(step.target for step in steps).items() if n > 1}
    for target, reads, block in steps:
        homes.setdefault(target, block)
        for i in reads:
            if block[: len(homes.get(i, ()))] != homes.get(i, ()):
                found.add(i)
    return found - {NOTHING}


class Result(NamedTuple):
    """A statement that returns a node, or fills an entry with it; None is zero."""

    head: str
    node: int | None


Part = Statement | Result


def cut(page: Page, results: Sequence[Result]) -> tuple[list[list[Part]], list[str]]:
    """The parts of a function in pieces, for a compiler takes long to see it whole.

    Variables that are read behind their piece become entries of arrays, whose
    declarations are returned, too.
    """
    parts: list[Part] = [*page.schedule.body, *results]
    uses = [[*_uses(page, part)] for part in parts]
    sizes, is_long = accumulate(map(len, uses)), sum(map(len, uses)) > LONG
    home = [size // PIECE if is_long else 0 for size in sizes]
    homes = defaultdict[int, set[int]](set)  # the pieces that mention a variable
    for k, own in zip(home, uses):
        for i in (i for step in own for i in (step.target, *step.reads)):
            homes[i].add(k)
    kept = [i for i in homes if i in page.assigned and len(homes[i]) > 1]
    arrays = list[str]()
    for kind, word in (("double", "kept"), ("int", "held")):
        some = [
            i for i in kept if (page.schedule.nodes[i][0] in TRUTHS) == (kind == "int")
        ]
        name = page.names.free(word)
        page.assigned.update((i, f"{name}[{k}]") for k, i in enumerate(some))
        arrays += [f"{kind} {name}[{len(some)}]"] if some else []
    numbered = groupby(zip(home, parts), itemgetter(0))
    pieces = [[part for _, part in own] for _, own in numbered]
    return pieces, arrays


def _uses(page: Page, part: Part) -> Iterator[Step]:
    """The steps of a part."""
    if not isinstance(part, Result):
        yield from steps(page.schedule, [part])
    elif part.node is not None:
        yield Step(NOTHING, mentioned(page.schedule, [part.node]), ())
