"""Give each path through a function its own code, where that is short.

What exclusive branches share is written in each of them (`divide`), what stands between
and behind the blocks of a condition in its branches (`unite`), if the function becomes
easier to read and not much longer by it. A path does nothing that it did not before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from gradc.errors import GradcError
from gradc.ir import LAZY, Program, arguments
from gradc.passes.copies import RETURN, Copier
from gradc.passes.decide import decide
from gradc.passes.divide import divide
from gradc.passes.parts import is_tangled
from gradc.passes.schedule import If, Schedule, schedule
from gradc.passes.speculate import speculate
from gradc.passes.unite import Uniter

MOST = 400  # paths of decisions above which it is left, too
LARGEST = 2_000  # nodes above which a program is left as it is
ROOM = 60  # nodes by which a function may grow
SHARE = 0.5  # or by this share of it
WORK = 4_000  # nodes that are put in order to find the best form
TRIES = 60.0  # forms that are tried
CONTEXTS = 4  # paths of decisions that take as long as a node
LOOK = 0.3  # of a try, for a condition that is looked at
AHEAD = 2  # forms that are no better and tried further
DETOUR = 12  # lines that these may be worse
MANY = 8  # conditions that are looked at because blocks ask for them often
FEW = 3  # conditions that are looked at because they are asked for last
GAIN = 12  # nodes by which a program may grow for each block that asks for a condition
NAME = 4  # columns of a variable
TEST = 5  # lines that a test is as bad as
FLAG = 4  # lines that a test of several conditions adds to that
END = 2  # lines at the end of a path


def paths(program: Program, outputs: Sequence[int], tested: bool) -> Program:
    """A program whose one output is a `return`, or conditionals between such.

    What stands last in a `return` is not returned but tested, if it is no constant.

    Arguments:
        outputs: what a function returns.
        tested: whether the last of them is tested.
    """
    if len(program.nodes) > LARGEST or LAZY.isdisjoint(program.operations):
        return program
    last, given = len(program.nodes), program
    ending = (RETURN, *outputs) if tested else (RETURN, *outputs, last)
    program = replace(
        program,
        nodes=(*program.nodes, ("const", 0.0), ending),
        spans=(*program.spans, None, program.spans[outputs[0]] if outputs else None),
        outputs=(last + 1,),
    )
    room = max(ROOM, int(SHARE * len(program.nodes)))
    decided, guards, placed = decide(program)
    if len(guards.enclosing) > MOST:
        return given
    written = Copier(decided, guards, placed, {}).written()
    effort = max(len(written.nodes), len(guards.enclosing) // CONTEXTS)
    return _Search(written, room, WORK / effort).best() or given


class _Form(NamedTuple):
    """A program, how hard it is to read, and by how much it may still grow."""

    score: int
    program: Program
    page: Schedule
    room: int


class _Search:
    """Looks for the form of a program that is easiest to read."""

    def __init__(self, program: Program, room: int, tries: float) -> None:
        self.tries = min(TRIES, tries)
        self.first = self._form(program, room)

    def best(self) -> Program | None:
        """The best form that has been found, each step from one to a better one.

        None if the program cannot be put in order, or has conditions that wait for what
        they guard.
        """
        best = self.first
        while best is not None and self.tries > 0.0:
            others = sorted(self._others(best), key=lambda form: form.score)
            if _is_hard(best.page):
                limit = best.score + DETOUR
                worse = [form for form in others if best.score < form.score < limit]
                for form in worse[:AHEAD]:
                    others += self._others(form)
            if not others:
                break
            other = min(others, key=lambda form: form.score)
            if other.score >= best.score:
                break
            best = other
        if best is None:
            return None
        decided, guards, placed = decide(best.program)
        if is_tangled(decided, guards, speculate(decided, guards, placed)):
            return None
        return best.program

    def _others(self, form: _Form) -> Iterator[_Form]:
        """Forms that are a step away."""
        program, guards, placed = decide(form.program)
        uniter = Uniter(program, guards, placed)
        for condition, count in _asked(form.page).items():
            self.tries -= LOOK
            most = min(form.room, GAIN * count)
            for united, added in uniter.united(condition, most):
                if self.tries <= 0.0:
                    return
                other = self._form(united, form.room - added)
                if other is not None:
                    yield other

    def _form(self, program: Program, room: int) -> _Form | None:
        self.tries -= 1.0
        divided, added = _divided(program, room)
        page = _ordered(divided)
        if page is None:
            return None
        return _Form(_score(page), divided, page, room - added)


def _divided(program: Program, room: int) -> tuple[Program, int]:
    """A program that has been divided until nothing is left, and how much it grew."""
    total, added = 0, -1
    while added and room > total:
        program, added = divide(program, room - total)
        total += added
    return program, total


def _ordered(program: Program) -> Schedule | None:
    """The statements of a program, with names of moderate length."""
    widths = [
        len(str(node[1])) if node[0] in ("const", "input") else NAME
        for node in program.nodes
    ]
    fixed = [False] * len(program.nodes)
    try:
        return schedule(program, program.outputs, fixed, widths)
    except GradcError:
        return None


def _asked(page: Schedule) -> dict[int, int]:
    """The conditions that are worth a look, and how often blocks ask for each.

    Those for which several blocks ask or a flag, most often first, and those of the last
    blocks of the function.
    """
    counts: Counter[int] = Counter()
    bodies = [page.body]
    own: list[int] = []
    for body in bodies:
        for statement in body:
            if isinstance(statement, If):
                bodies += [statement.yes, statement.no]
                own.append(statement.condition)
    known = len(page.program.nodes)
    uses = Counter(own)
    counts.update(i for i in own if i < known)
    for i in range(len(page.nodes) - 1, known - 1, -1):
        for a in arguments(page.nodes[i]) if uses[i] else ():
            uses[a] += uses[i]
            counts[a] += 2 * uses[i] * (a < known)
    often = sorted((-count, i) for i, count in counts.items() if count > 1)
    last = [s.condition for s in page.body if isinstance(s, If)][-FEW:]
    chosen = [i for _, i in often[:MANY]] + [i for i in last if i < known]
    return {i: counts[i] for i in chosen}


def _is_hard(page: Schedule) -> bool:
    """Whether a condition is asked for again, or a test asks several conditions."""
    asked: set[int] = set()
    bodies = [page.body]
    for body in bodies:
        for statement in body:
            if isinstance(statement, If):
                condition = statement.condition
                if condition in asked or condition >= len(page.program.nodes):
                    return True
                asked.add(condition)
                bodies += [statement.yes, statement.no]
    return False


def _score(page: Schedule) -> int:
    """How hard the statements are to read: about as hard as so many lines."""
    total = 0
    bodies = [page.body]
    for body in bodies:
        for statement in body:
            if isinstance(statement, If):
                total += TEST + bool(statement.yes and statement.no)
                if statement.condition >= len(page.program.nodes):
                    total += FLAG
                bodies += [statement.yes, statement.no]
            else:
                total += END if page.nodes[statement.value][0] == RETURN else 1
    return total
