"""The self-check: compiled code against the formula as written, at sampled points.

The formula is run as the parser left it, by `Value`, with nothing lowered, optimised or
printed; of a recorded function it is the recording, and the function itself is run
again. `Value` and `derive` read the same partials, so a witness that evaluates and
differentiates in many digits without any speaks where the two differ by more than
rounding explains, where the formula as written overflows, at some points for rows that a
user has defined, and everywhere in the thorough form. Branches are entered on purpose,
on both sides of their edges, those that the compiler made too.
"""

from __future__ import annotations

import math
import os
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from random import Random
from typing import Any, NamedTuple

from gradc import __version__
from gradc.arithmetic import FLOATS
from gradc.arrays import leaves, nest
from gradc.checking.samples import (
    Edges,
    Number,
    Point,
    component,
    drawn,
    returned,
)
from gradc.checking.textbook import ROUNDOFF, Answers, Rounded, Textbook, unroll
from gradc.checking.witness import Witness
from gradc.errors import GradcError, Span, mistake, note, point_text
from gradc.files import read_text
from gradc.functions import Function, filled
from gradc.ir import Program, elements, grouped
from gradc.language.parse import parse
from gradc.ops import OPS
from gradc.record import data
from gradc.run import NOT_DEFINED, run
from gradc.targets.origin import carries_digest, extract, is_ours, version
from gradc.value import Value

# How much a check runs, in operations of the formula: so many at points, ten times as
# many on the way to them, for branches and by the witness, which in the thorough form
# has two hundred times as many.
OPERATIONS = 15_000
PLAIN = frozenset({"value", "value_and_grad"})  # functions without a matrix
FEW = 8  # points for matrices, and twice as many of their entries
FOREIGN = 4  # points at which the witness is asked about rows that a user defined
RUNS = 3  # in which the steps are off by their roundings
SAME = 8.0 * ROUNDOFF  # what a chain of a few operations may always be off by
CLOSE = 1e-9  # relative, up to which compiled code may be off by rounding of its own
PROMISED = 465  # the binary exponents of 1e-140 and 1e140
Compiled = Any  # that of `gradc.compiler`, which stands above


class Errors(NamedTuple):
    """The errors of one output in units in the last place, and where the worst is."""

    median: float
    worst: float
    where: Point


@dataclass
class Report:
    """What the check found.

    Attributes:
        outputs: the names of what was checked: value, then d/dx for each derivative.
        points: at how many points.
        undecided: at how many of them nothing can be said of some output.
        mistakes: an error for each result that is wrong, the first first.
        notes: what else the user should know.
        errors: for each output its errors, measured in the thorough form only.
    """

    outputs: tuple[str, ...]
    points: int = 0
    undecided: int = 0
    mistakes: list[GradcError] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    errors: dict[str, Errors] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether no mistake was found."""
        return not self.mistakes

    def limit(self, ulp: float) -> None:
        """Count errors of more than so many units in the last place as mistakes."""
        for name, e in self.errors.items():
            if not e.worst <= ulp:
                wrong: Any = {"what": name, "ulp": e.worst, "limit": ulp}
                place = point_text(e.where)
                self.mistakes.append(mistake("check_inaccurate", place=place, **wrong))

    def require(self) -> None:
        """Raise the first mistake.

        Raises:
            GradcError: the compiled code is wrong, or there is no point to try it at.
        """
        if self.mistakes:
            raise self.mistakes[0]

    def lines(self) -> list[str]:
        """The report as text, with a table of the errors if they were measured."""
        points = f"{self.points} point{'' if self.points == 1 else 's'}"
        undecided = f" ({self.undecided} undecided)" if self.undecided else ""
        found = "no mistake found" if self.ok else f"wrong\n{self.mistakes[0]}"
        rows = [("error in ulp", "median", "worst", "at")] if self.errors else []
        for name, (median, worst, where) in self.errors.items():
            rows.append((name, f"{median:.2f}", f"{worst:.2f}", point_text(where)))
        a, b, c = (max([len(row[k]) for row in rows], default=0) for k in range(3))
        table = [f"{x:<{a}}  {y:>{b}}  {z:>{c}}  {where}" for x, y, z, where in rows]
        return [f"{points}{undecided}: {found}", *table, *self.notes]

    def as_dict(self) -> dict[str, Any]:
        """The report for JSON."""
        return {
            "points": self.points,
            "undecided": self.undecided,
            "mistakes": [str(mistake) for mistake in self.mistakes],
            "notes": list(self.notes),
            "ulp": {name: e._asdict() for name, e in self.errors.items()},
        }


class Place:
    """A point: what compiled code returns there, beside the formula as written."""

    def __init__(self, compiled: Compiled, book: Textbook, point: Point) -> None:
        self.compiled, self.book, self.point = compiled, book, point
        self.path = book.path(point)
        self.answers = Answers(book, point, self.path)
        self._returned: dict[str, list[float | None]] = {}

    def returned(self, name: str) -> list[float | None]:
        """The numbers that a function returns, None for those that are not finite."""
        if name not in self._returned:
            self._returned[name] = self._call(name)
        return self._returned[name]

    def _call(self, name: str) -> list[float | None]:
        function = self.compiled.functions[name]
        args = [
            nest([self.point[item.name] for item in argument.elements], argument.shape)
            for argument in grouped(self.compiled.program.inputs)
        ]
        if function.vector is not None:
            args.append(filled(function.vector, component))
        call = self.compiled if name == "value" else getattr(self.compiled, name)
        try:
            return [x if _is_finite(x) else None for x in leaves(call(*args))]
        except Exception:  # also of a name that is not there, for instance
            return [None] * len([*leaves(function.layout)])

    def found(self, number: Number) -> float | None:
        """A number as compiled code returns it."""
        there = self.returned(number.function)
        return there[number.place] if number.place >= 0 else 0.0

    def right(self, number: Number) -> float | None:
        """A number of the formula as written."""
        return self.answers.number(number)

    def has_value(self) -> bool:
        """Whether the formula as written has all its values."""
        return self.path.failed is None and all(map(_is_finite, self.path.results()))

    def is_disputed(self, number: Number) -> bool:
        """Whether a number differs by more than rounding explains."""
        found, right = self.found(number), self.right(number)
        if found is None or right is None:
            return True
        off = abs(found - right)
        return off > SAME * abs(right) and off > self.room(number)

    def room(self, number: Number) -> float:
        """By how much rounding of the formula as written may change a number."""
        size = abs(self.right(number) or 0.0)
        return _room(size, self.spread(number), self.book.program)

    def spread(self, number: Number) -> float:
        """How far a number is moved by the roundings of the formula as written."""
        return _spread([self.right(number), *[x.number(number) for x in self.noisy]])

    def own(self, number: Number) -> float:
        """By how much rounding of compiled code may change a number."""
        function = self.compiled.functions[number.function]
        program, place = function.program, [*leaves(function.layout)][number.place]
        given, noise = inputs_of(function, self.point), Rounded(FLOATS, Random(0))
        path = run(program, given, FLOATS)
        runs = [path, *[run(program, given, noise, along=path) for _ in range(RUNS)]]
        if any(x.failed is not None for x in runs):
            return math.inf
        found = [float(x.results()[place]) for x in runs]
        return _room(abs(found[0]), _spread(found), program)

    @cached_property
    def noisy(self) -> list[Answers]:
        """The formula as written, each of its steps off by its rounding."""
        random = Random(str(self.point))
        return [Answers(self.book, self.point, self.path, random) for _ in range(RUNS)]

    def is_shaky(self) -> bool:
        """Whether rounding decides a condition."""
        return self.path.failed is None and any(x.shaky for x in self.noisy)


def _spread(found: Sequence[float | None]) -> float:
    """How far the others are off the first, which is without noise."""
    known = [x for x in found if x is not None]
    return max(abs(x - known[0]) for x in known) if known == found else math.inf


def _room(size: float, spread: float, program: Program) -> float:
    """What roundings may come to: they add up as squares, and n of one sign to n."""
    return SAME * size + (4.0 + math.sqrt(len(program.nodes))) * spread


def inputs_of(function: Function, point: Point) -> Point:
    """A point as the program of a function has it, with the elements of `v`."""
    names = [item.name for item in function.program.inputs if item.kind == "vector"]
    return point | {name: component(k) for k, name in enumerate(names)}


def _is_finite(x: Any) -> bool:
    """Whether a number is one: neither infinite nor NaN, nor complex."""
    return isinstance(x, (int, float)) and math.isfinite(x)


def check(
    compiled: Compiled, *, thorough: bool = False, points: int = 64, seed: int = 0
) -> Report:
    """Try compiled code at sampled points, the same ones for the same formula and seed.

    Arguments:
        thorough: use all points whatever the size of the formula, all entries of
            matrices, ask the witness at each point, and measure the errors.
        points: how many points at most, beside those at the edges of branches.
    """
    return Check(compiled, thorough, points, seed).run()


class Check:
    """One check: the formula as written, the points, and what came of them."""

    def __init__(
        self, compiled: Compiled, thorough: bool, points: int, seed: int
    ) -> None:
        self.compiled, self.thorough = compiled, thorough
        self.functions: dict[str, Function] = compiled.functions
        self.recording, self.syntax = compiled.recording, None
        if self.recording is not None:
            self.written: Program = self.recording.program
        else:
            self.syntax = parse(compiled.program.source)
            self.written = unroll(self.syntax, compiled.formula)
        self.wrt = elements(compiled.program, compiled.wrt)
        self.book = Textbook(self.written, self.wrt)
        self.random = Random(f"{seed} {self.written.source.text}")
        self.size = len(self.written.nodes)
        self.limit = points if thorough else min(points, 4 + OPERATIONS // self.size)
        self.numbers = {
            name: returned(function, compiled.program, self.wrt)
            for name, function in self.functions.items()
        }
        titles = [number.title for found in self.numbers.values() for number in found]
        self.report = Report(tuple(dict.fromkeys(titles)))
        self.off: dict[str, list[tuple[float, Point]]] = {}
        self.open: set[Place] = set()  # of which nothing can be said
        self.outside: set[Place] = set()  # where numbers are beyond what is promised
        self.losses: dict[str, Point] = {}  # where digits are lost, by title
        self.missed: list[str] = []  # sides of branches that no point enters
        self.failed = self.written.outputs[0]  # what has no value, where there is none

    def run(self) -> Report:
        """Judge the points that are drawn, then those at the edges of branches."""
        report, places = self.report, self.places()
        report.points = len(places)
        if not places:
            span = self.written.spans[self.failed]
            report.mistakes.append(mistake("check_nowhere", self.written.source, span))
        ops, used = self.written.ops, self.written.operations
        foreign = any(
            op in ops and (op not in OPS or OPS[op] != ops[op]) for op in used
        )
        asked = len(places) if self.thorough else FOREIGN if foreign else 0
        for k, at in enumerate(places):
            for name in self.functions:
                if self.thorough or k < FEW or name in PLAIN:
                    self.judge(at, name, k < asked)
            self.rerun(at)
            if report.mistakes and not self.thorough:
                return report
        report.undecided = len(self.open)
        self.enter(places)
        self.remark(len(places))
        return report

    def remark(self, points: int) -> None:
        """Say what the user should know, and the errors that were measured."""
        report, recording = self.report, self.recording
        if report.undecided and self.witness is None:
            every = f"{report.undecided} of {points} points"
            every = "every point" if report.undecided == points else every
            report.notes.append(note("untold", points=every))
        elif self.thorough and points and self.witness is None:
            report.notes.append(note("unmeasured"))
        elif self.thorough and self.is_spent():
            measured = len(self.off.get("value", ()))
            report.notes.append(note("cut", measured=measured, points=points))
        if self.outside:
            report.notes.append(note("outside", places=len(self.outside)))
        for what, at in [*self.losses.items()][:1]:
            report.notes.append(note("loses", what=what, at=point_text(at)))
        if self.missed:
            more = f" and {len(self.missed) - 1} more" if self.missed[1:] else ""
            report.notes.append(note("missed", side=self.missed[0], more=more))
        if recording is not None and recording.function is None:
            report.notes.append(note("recording_only"))
        for name, off in self.off.items():
            worst, where = max(off, key=lambda pair: pair[0])
            median = statistics.median(error for error, _ in off)
            report.errors[name] = Errors(median, worst, where)

    def places(self) -> list[Place]:
        """The points to judge: those at which the formula as written has a value.

        A few others are behind them, at which only compiled code has one.
        """
        smooth: list[Place] = []
        rough: list[Place] = []
        draw = drawn(self.written.inputs, self.written, self.random)
        first = max(10 * self.limit, 10 * OPERATIONS // self.size)
        for k, point in enumerate(islice(draw, first)):
            full = len(smooth) + len(rough) // 4 >= self.limit
            if full or (k >= 10 * self.limit and (smooth or rough)):
                break
            at = self.at(point)
            if at.has_value():
                smooth.append(at)
            else:
                self.failed = at.path.failed or self.failed
                rough += [] if None in at.returned("value") else [at]
        rough = rough[: max(self.limit // 4, 1)]  # for each the witness is asked
        return [*smooth[: max(self.limit - len(rough), 1)], *rough]

    def at(self, point: Point) -> Place:
        """What is known of a point."""
        return Place(self.compiled, self.book, point)

    def judge(self, at: Place, name: str, ask: bool = False) -> None:
        """Compare what a function returns; `ask` the witness even if it agrees."""
        every, there = self.numbers[name], at.returned(name)
        if None in there and None in map(at.right, every):
            return  # it may raise, for something has no value or no slope
        for number, alone in zip(every, map(at.found, self.numbers["value"])):
            if not number.along and None not in there and alone is not None:
                if at.found(number) != alone:  # bit for bit
                    return self.wrong(at, number, alone)
        chosen = [n for n in every if n.along or name == "value"]
        if not self.thorough and name not in PLAIN and len(chosen) > 2 * FEW:
            chosen = self.random.sample(chosen, 2 * FEW)
        for number in chosen:
            disputed = at.is_disputed(number)
            verdict = self.verdict(at, number) if disputed or ask else "right"
            if verdict == "wrong" and self.persists(at, number):
                return self.wrong(at, number, float(self.truth(at, number)))
            if disputed and verdict in ("open", "wrong"):
                self.open.add(at)
            elif verdict == "outside":
                self.outside.add(at)
            elif verdict == "loses":
                self.losses.setdefault(number.title, at.point)

    def verdict(self, at: Place, number: Number) -> str:
        """Ask the witness about a number: is it right?

        Else it `loses` digits to rounding, is wrong, `outside` of what is promised, or
        that stays `open`.
        """
        found, right, truth = at.found(number), at.right(number), self.truth(at, number)
        if truth is None:
            return "open"
        if abs(truth) > sys.float_info.max:
            return "right" if found is None else "open"
        if found is not None:
            off = float(abs(found - truth))
            if says := self.explained(at, number, off, float(abs(truth))):
                self.measure(at, number, off, truth)
                return says
        if found is None and right is None or at.is_shaky():
            return "open"
        return "wrong" if self.is_promised(at) else "outside"

    def explained(self, at: Place, number: Number, off: float, size: float) -> str:
        """What is to be said of a number that rounding explains; "" if it does not."""
        if off <= max(SAME * size, sys.float_info.min):
            return "right"
        is_close, right = off <= CLOSE * size, at.right(number)
        if right is not None and off <= at.room(number):
            return "right"
        if is_close and not at.is_disputed(number):  # as near to a root of lgamma
            return "right"
        if off <= at.own(number):
            return "right" if is_close or right is None else "loses"
        return ""

    def truth(self, at: Place, number: Number) -> Any:
        """What the witness says of a number, None if nothing.

        At a kink only the convention can be right, which is that of `Value`.
        """
        if self.witness is None or self.is_spent():
            return None
        weights = self.book.weights(number.output)
        along = [*map(self.book.direction, number.along)]
        truth = self.witness.truth(weights, at.point, along)
        if truth is not None and math.isnan(truth):
            return at.right(number) if at.is_disputed(number) else None
        return truth

    @cached_property
    def witness(self) -> Witness | None:
        """The witness, None if mpmath is not installed."""
        try:
            return Witness(self.written)
        except ImportError:
            return None

    def is_spent(self) -> bool:
        """Whether the witness has worked as long as it may."""
        most = OPERATIONS * (200 if self.thorough else 10)
        return self.witness is not None and self.witness.work > most

    def is_promised(self, at: Place) -> bool:
        """Whether all numbers on the way are of magnitudes that are promised to work."""
        assert self.witness is not None
        least, most = self.witness.exponents(at.point)
        return least > -PROMISED and most < PROMISED

    def persists(self, at: Place, number: Number) -> bool:
        """Whether a mistake is there beside the point too, so that it is no kink."""
        share = 1e-5 * self.random.uniform(0.5, 1.0)
        for step in (share, -share):
            moved = {name: x + step * (x or 1.0) for name, x in at.point.items()}
            if self.verdict(self.at(moved), number) == "wrong":
                return True
        return False

    def measure(self, at: Place, number: Number, off: float, truth: Any) -> None:
        """Note an error in units in the last place of the truth.

        If that is 0, the unit is what rounding changes in the formula as written.
        """
        if not self.thorough:
            return
        unit = math.ulp(float(truth)) if truth else at.spread(number) or math.ulp(0.0)
        self.off.setdefault(number.title, []).append((off / unit, at.point))

    def wrong(self, at: Place, number: Number, right: float) -> None:
        """Note a mistake, with the part of the formula it comes from."""
        found, span = at.found(number), self.part(number)
        said: Any = {
            "what": number.title,
            "at": point_text(at.point),
            "right": repr(right),
        }
        said["found"] = "nothing finite" if found is None else repr(found)
        self.report.mistakes.append(
            mistake("check_wrong", self.written.source, span, **said)
        )

    def part(self, number: Number) -> Span | None:
        """The place to show: where an input of a derivative is first, else the output."""
        for row in self.syntax.rows if self.syntax else ():
            if row.op == "name" and row.payload in number.along:
                return row.span
        return self.written.spans[self.written.outputs[number.output or 0]]

    def enter(self, places: Sequence[Place]) -> None:
        """Judge points on both sides of each branch of the functions."""
        shared: dict[int, list[str]] = {}
        for name, function in self.functions.items():
            shared.setdefault(id(function.program), []).append(name)
        for names in shared.values():
            function = self.functions[names[-1]]
            edges = Edges(function.program, self.written.inputs, 10 * OPERATIONS)
            starts = [inputs_of(function, at.point) for at in places if edges.guards]
            for point in edges.points(starts):
                at = self.at({name: point[name] for name in places[0].point})
                for name in names:
                    self.judge(at, name)
                if self.report.mistakes and not self.thorough:
                    return
            self.missed += edges.missed

    def rerun(self, at: Place) -> None:
        """Compare with the Python function that was recorded, run on `Value`s.

        Its operations are those of the recording, in the same order, unless it decides
        by the data what to do.
        """
        if not self.recording or not self.recording.function or self.report.mistakes:
            return
        given = {name: Value(at.point[name]) for name in self.book.inputs}
        try:
            again = [float(data(x)) for x in leaves(self.recording.function(given))]
        except NOT_DEFINED:  # perhaps by a part that the recording does without
            return
        except Exception as error:
            first = self.numbers["value"][0]
            return self.differs(at, first, f"raises {type(error).__name__}: {error}")
        for number, x in zip(self.numbers["value"], again):
            right = at.right(number)
            off = math.inf if right is None else abs(x - right)
            if math.isfinite(x) and off > at.room(number) and not at.is_shaky():
                return self.differs(at, number, f"gives {x!r}")

    def differs(self, at: Place, number: Number, again: str) -> None:
        """Note that the Python function does something else than was recorded."""
        right, place = at.right(number), self.recording.place
        said: Any = {"what": number.title, "at": point_text(at.point), "right": again}
        said["found"] = "nothing finite" if right is None else repr(right)
        self.report.mistakes.append(mistake("recorded_otherwise", *place, **said))


def known(file: str) -> str:
    """The text of a module that this version of gradc wrote and nobody edited.

    Raises:
        GradcError: the file is none; the message says what it is.
    """
    text = read_text(file)
    if not carries_digest(text):
        raise mistake("module_foreign", file)
    if not is_ours(text):
        raise mistake("module_edited", file)
    if version(text) != __version__:
        wrote = version(text)
        raise mistake("module_of_version", file, version=wrote, ours=__version__)
    return text


def compare(file: str, expected: str) -> None:
    """Compare a file with the module that it should be; nothing of it is executed.

    Raises:
        GradcError: they differ; the message says how that came about.
    """
    if not os.path.lexists(file):
        raise mistake("module_missing", file)
    text = known(file)
    if text == expected:
        return
    theirs, ours = extract(text), extract(expected)
    if theirs is None or ours is None or theirs == ours:
        raise mistake("module_differs", file)
    if theirs.formula != ours.formula:
        raise mistake("module_of_formula", file)
    raise mistake("module_of_options", file)
