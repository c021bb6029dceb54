"""The self-check: compiled code against the formula as written, at sampled points.

What is independent of what: the formula is run as the parser left it, by `Value`, with
nothing lowered, optimised, scheduled or printed. Of a recorded function it is the
recording, and the Python function itself is run again at each point. `Value` and
`derive` read the same partials, so their agreement proves the machinery and not the
mathematics; that is proved by the laws of the rows, and here by a witness that
evaluates and differentiates in high precision without any partials. The witness speaks
where the two differ by more than rounding explains, where the formula as written
overflows, where a difference quotient in floats looks otherwise than the gradient, at
some points for rows that a user has defined, and everywhere in the thorough form.

Branches that the compiler made are entered on purpose, on both sides of their edges.
"""

from __future__ import annotations

import math
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from random import Random
from typing import Any, Protocol

from gradc import __version__
from gradc.arithmetic import FLOATS
from gradc.arrays import leaves, nest
from gradc.checking.samples import (
    VECTOR,
    Edges,
    Number,
    Point,
    drawn,
    elements_of_vector,
    guards,
    numbers,
    words,
)
from gradc.checking.textbook import (
    SAME,
    Answers,
    Rounded,
    Textbook,
    derivatives,
    unroll,
)
from gradc.checking.witness import Witness
from gradc.engine.record import data
from gradc.engine.tracing import Recording
from gradc.engine.value import Value
from gradc.errors import GradcError, mistake, note, point_text
from gradc.files import read_text
from gradc.functions import ZERO, Function, filled
from gradc.functions import numbers as order
from gradc.ir import Program, elements, grouped
from gradc.language.parse import parse
from gradc.language.syntax import Row, Span
from gradc.ops import OPS
from gradc.run import NOT_DEFINED, run
from gradc.targets.module import carries_digest, extract, is_ours, version

# How much a check runs, in operations of the formula: so many at points, ten times as
# many on the way to them, for branches and by the witness, which in the thorough form
# has a hundred times as many.
OPERATIONS = 15_000
PLAIN = frozenset({"value", "value_and_grad"})  # functions without a matrix
FEW = 8  # points for matrices, and twice as many of their entries
FOREIGN = 4  # points at which the witness is asked about rows a user defined
RUNS = 3  # in which the steps are off by their roundings
CLOSE = 1e-9  # relative, up to which compiled code may be off by rounding of its own
PROMISED = 465  # the binary exponents of 1e-140 and 1e140


class Compiled(Protocol):
    """A compiled formula, as far as the check is concerned."""

    program: Program
    functions: dict[str, Function]
    wrt: tuple[str, ...]
    recording: Recording | None

    @property
    def formula(self) -> Program: ...

    def __call__(self, *args: Any) -> Any: ...


# ---- the report


@dataclass(frozen=True)
class Errors:
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
                place = point_text(e.where)
                self.mistakes.append(
                    mistake(
                        "check_inaccurate",
                        what=name,
                        ulp=e.worst,
                        place=place,
                        limit=ulp,
                    )
                )

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
        found = "no mistake found"
        if self.mistakes:
            found = f"wrong\n{self.mistakes[0]}"
        return [f"{points}{undecided}: {found}", *self._table(), *self.notes]

    def _table(self) -> list[str]:
        if not self.errors:
            return []
        rows = [("error in ulp", "median", "worst", "at")]
        for name, e in self.errors.items():
            numbers = (f"{e.median:.2f}", f"{e.worst:.2f}")
            rows.append((name, *numbers, point_text(e.where)))
        widths = [max(len(row[k]) for row in rows) for k in range(3)]
        return [
            f"{name:<{widths[0]}}  {median:>{widths[1]}}  {worst:>{widths[2]}}  {where}"
            for name, median, worst, where in rows
        ]

    def as_dict(self) -> dict[str, Any]:
        """The report for JSON."""
        return {
            "points": self.points,
            "undecided": self.undecided,
            "mistakes": [str(mistake) for mistake in self.mistakes],
            "notes": list(self.notes),
            "ulp": {
                name: {"median": e.median, "worst": e.worst, "where": dict(e.where)}
                for name, e in self.errors.items()
            },
        }


# ---- the check


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


class _Place:
    """A point: what compiled code returns there, and the formula as written."""

    def __init__(self, compiled: Compiled, book: Textbook, point: Point) -> None:
        self.compiled, self.book, self.point = compiled, book, point
        self.path = book.path(point)
        self.right = Answers(book, point, self.path)
        self._returned: dict[str, tuple[list[float | None], str]] = {}

    def returned(self, name: str) -> tuple[list[float | None], str]:
        """The numbers that a function returns, and what it must never do.

        What is not finite is None, all if it raises.
        """
        if name not in self._returned:
            self._returned[name] = self._call(name)
        return self._returned[name]

    def _call(self, name: str) -> tuple[list[float | None], str]:
        function, point = self.compiled.functions[name], self.point
        args = [
            nest([point[item.name] for item in argument.elements], argument.shape)
            for argument in grouped(self.compiled.program.inputs)
        ]
        if function.vector is not None:
            args.append(filled(function.vector, lambda k: point[f"{VECTOR}{k}"]))
        call = self.compiled if name == "value" else getattr(self.compiled, name)
        try:
            return [x if is_finite(x) else None for x in leaves(call(*args))], ""
        except (ArithmeticError, ValueError):
            return [], ""
        except Exception as error:  # a name that is not there, for instance
            is_complex = isinstance(error, TypeError) and "complex" in str(error)
            return [], "" if is_complex else f"{type(error).__name__}: {error}"

    def found(self, name: str, number: Number) -> float | None:
        """A number that a function returns."""
        if number.place < 0:
            return 0.0
        found = self.returned(name)[0]
        return found[number.place] if found else None

    def failure(self, name: str, first: Number) -> str:
        """What a function does that is wrong at any point."""
        failure = self.returned(name)[1]
        if not failure and not first.along:
            one, other = self.found("value", first), self.found(name, first)
            if one is not None and other is not None and one != other:
                return f"{one!r}, and {other!r} beside the gradient,"
        return failure

    def has_value(self) -> bool:
        """Whether the formula as written has all its values."""
        return self.path.failed is None and all(map(is_finite, self.path.results()))

    def has(self, numbers: Sequence[Number]) -> bool:
        """Whether the formula as written has all these numbers."""
        return all(self.right.number(number) is not None for number in numbers)

    def is_disputed(self, name: str, number: Number) -> bool:
        """Whether a number differs by more than rounding explains."""
        found, right = self.found(name, number), self.right.number(number)
        if found is None or right is None:
            return True
        off = abs(found - right)
        return off > SAME * abs(right) and off > self.allowed(number)

    def allowed(self, number: Number) -> float:
        """By how much rounding of the formula as written may change a number."""
        right = self.right.number(number)
        slack = 4.0 + math.sqrt(len(self.book.program.nodes))
        return (
            math.inf
            if right is None
            else SAME * abs(right) + slack * self.spread(number)
        )

    def spread(self, number: Number) -> float:
        """How far rounding moves a number of the formula as written."""
        right, moved = self.right.number(number), [n.number(number) for n in self.noisy]
        if right is None or None in moved:
            return math.inf
        return max(abs(x - right) for x in moved if x is not None)

    @cached_property
    def noisy(self) -> list[Answers]:
        """The formula as written, each of its steps off by its rounding."""
        random = Random(str(self.point))
        return [Answers(self.book, self.point, self.path, random) for _ in range(RUNS)]

    def is_shaky(self) -> bool:
        """Whether rounding decides a condition."""
        return self.path.failed is None and any(x.shaky for x in self.noisy)

    def own(self, name: str, number: Number) -> float:
        """By how much the rounding of compiled code may change a number."""
        function = self.compiled.functions[name]
        program, given = function.program, inputs_of(function, self.point)
        path, random = run(program, given, FLOATS), Random(str(self.point))
        noisy = [Rounded(FLOATS, random)] * (RUNS if path.failed is None else 0)
        runs = [run(program, given, numbers, along=path) for numbers in noisy]
        if any(x.failed is not None for x in (path, *runs)):
            return math.inf
        outputs = [*order(function.layout), ZERO]
        place = outputs[number.place]
        one, *others = [float([*x.results(), 0.0][place]) for x in (path, *runs)]
        slack = 4.0 + math.sqrt(len(program.nodes))
        return SAME * abs(one) + slack * max(abs(x - one) for x in others)


class Check:
    """One check: the formula as written, the points, and what came of them."""

    def __init__(
        self, compiled: Compiled, thorough: bool, points: int, seed: int
    ) -> None:
        self.compiled, self.thorough = compiled, thorough
        self.functions = compiled.functions
        self.rows, self.written = _as_written(compiled)
        self.wrt = elements(compiled.program, compiled.wrt)
        self.book = Textbook(self.written, self.wrt)
        self.random = Random(f"{seed} {self.written.source.text}")
        self.size = len(self.written.nodes)
        self.limit = points if thorough else min(points, 4 + OPERATIONS // self.size)
        self.numbers = {
            name: numbers(function, compiled.program, self.wrt)
            for name, function in self.functions.items()
        }
        titles = [number.title for found in self.numbers.values() for number in found]
        self.report = Report(tuple(dict.fromkeys(titles)))
        self.off: dict[str, list[tuple[float, Point]]] = {}
        self.open: set[_Place] = set()  # places of which nothing can be said
        self.outside: set[_Place] = set()  # where numbers are beyond what is promised
        self.failures: Counter[int] = Counter()

    def run(self) -> Report:
        """Judge the points that are drawn, then those at the edges of branches."""
        report, places = self.report, self.places()
        report.points = len(places)
        if not places:
            report.mistakes.append(self.nowhere())
        asked = len(places) if self.thorough else FOREIGN if self.is_foreign() else 0
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

    def is_foreign(self) -> bool:
        """Whether the formula uses rows that are not gradc's own."""
        ops = self.written.ops
        used = self.written.operations - {"const", "input"}
        return any(name not in OPS or OPS[name] is not ops[name] for name in used)

    def remark(self, points: int) -> None:
        """Say what the user should know, and the errors that were measured."""
        report, notes = self.report, self.report.notes
        if report.undecided and self.witness is None:
            every = f"{report.undecided} of {points} points"
            every = "every point" if report.undecided == points else every
            notes.append(note("untold", points=every))
        elif self.thorough and points and self.witness is None:
            notes.append(note("unmeasured"))
        elif self.thorough and self.is_spent():
            measured = len(self.off.get("value", ()))
            notes.append(note("cut", measured=measured, points=points))
        if self.outside:
            notes.append(note("outside", places=len(self.outside)))
        recording = self.compiled.recording
        if recording is not None and recording.function is None:
            notes.append(note("recording_only"))
        for name, off in self.off.items():
            worst, where = max(off, key=lambda pair: pair[0])
            sizes = sorted(error for error, _ in off)
            median = (sizes[(len(off) - 1) // 2] + sizes[len(off) // 2]) / 2
            report.errors[name] = Errors(median, worst, where)

    # ---- the points

    def places(self) -> list[_Place]:
        """The points to judge: those that reach new branches before the others."""
        novel: list[_Place] = []
        plain: list[_Place] = []
        rough: list[_Place] = []  # where the formula as written has no value
        seen: set[tuple[int, int]] = set()
        branches = 2 * sum(node[0] == "where" for node in self.written.nodes)
        first = max(10 * self.limit, 10 * OPERATIONS // self.size)
        for k, point in enumerate(islice(self.draw(), first)):
            full = len(novel) + len(plain) + len(rough) // 4 >= self.limit
            most = (4 if len(seen) < branches else 0) if full else 10
            if k >= most * self.limit and (novel or plain or rough):
                break
            at = self.at(point)
            returns = None not in (at.returned("value")[0] or [None])
            if not at.has_value():
                self.failures[at.path.failed or self.written.outputs[0]] += 1
                rough += [at] if returns else []
            elif not at.path.taken.items() <= seen:
                seen |= at.path.taken.items()
                novel.append(at)
            elif not full:
                plain.append(at)
        smooth = [*novel, *plain]
        rough = rough[: max(self.limit // 4, 1)]  # each has to be asked for
        return [*smooth[: max(self.limit - len(rough), 1)], *rough][: self.limit]

    def draw(self) -> Iterator[Point]:
        """Points without end, with the elements of `v` if a function takes it."""
        several = any(f.vector is not None for f in self.functions.values())
        count = max(len(self.wrt), self.written.count) if several else 0
        inputs = [*self.written.inputs, *elements_of_vector(count)]
        return drawn(inputs, self.written, self.random)

    def at(self, point: Point) -> _Place:
        return _Place(self.compiled, self.book, point)

    def nowhere(self) -> GradcError:
        """The error that there is no point; it shows the part that failed most often."""
        worst = self.failures.most_common(1)
        part = worst[0][0] if worst else self.written.outputs[0]
        return mistake("check_nowhere", self.written.source, self.written.spans[part])

    # ---- the verdict

    def judge(self, at: _Place, name: str, ask: bool = False) -> None:
        """Compare what a function returns; `ask` the witness even if it agrees."""
        every = self.numbers[name]
        chosen = [n for n in every if n.along or name == "value"]
        if failure := at.failure(name, every[0]):
            self.wrong(at, name, every[0], failure)
            return
        if None in (at.returned(name)[0] or [None]) and not at.has(every):
            return  # it may raise, for something has no value or no slope
        if not self.thorough and name not in PLAIN and len(chosen) > 2 * FEW:
            chosen = self.random.sample(chosen, 2 * FEW)
        said = set()
        for number in chosen:
            disputed = at.is_disputed(name, number)
            if disputed or ask:
                verdict = self.verdict(at, name, number)
                if verdict == "wrong" and not self.persists(at, name, number):
                    verdict = "open"
                if verdict == "wrong":
                    self.wrong(at, name, number)
                    return
                said |= {verdict} if disputed else set()
        self.open |= {at} if "open" in said else set()
        self.outside |= {at} if "outside" in said else set()

    def verdict(self, at: _Place, name: str, number: Number) -> str:
        """Ask the witness about a number: it is right, wrong, outside or open."""
        right, found = at.right.number(number), at.found(name, number)
        truth = self.truth(at, name, number)
        if truth is None:
            return "open"
        if abs(truth) > sys.float_info.max:
            return "right" if found is None else "open"
        if found is not None and self.is_close(at, name, number, found - truth, truth):
            self.measure(at, number, found - truth, truth)
            return "right"
        if found is None and right is None or at.is_shaky():
            return "open"
        return "wrong" if self.is_promised(at) else "outside"

    def truth(self, at: _Place, name: str, number: Number) -> Any:
        """What the witness says of a number, None if nothing.

        At a kink only the convention can be right, which is that of `Value`.
        """
        if self.witness is None or self.is_spent():
            return None
        weights = self.book.weights(number.output, at.point)
        slopes = [self.book.direction(name, at.point) for name in number.along]
        along = [dict(zip(self.wrt, slope)) for slope in slopes]
        truth = self.witness.truth(weights, at.point, along)
        if truth is not None and math.isnan(truth):
            return at.right.number(number) if at.is_disputed(name, number) else None
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

    def is_close(
        self, at: _Place, name: str, number: Number, off: Any, truth: Any
    ) -> bool:
        """Whether a number is as near to the truth as rounding lets it be."""
        off, size = abs(float(off)), abs(float(truth))
        if off <= max(SAME * size, sys.float_info.min):
            return True
        right = at.right.number(number)
        if right is not None and off <= at.allowed(number):
            return True
        if off <= CLOSE * size and not at.is_disputed(name, number):
            return True  # as near to a root of lgamma
        if right is None or off <= CLOSE * size:
            return bool(off <= at.own(name, number))
        return False

    def is_promised(self, at: _Place) -> bool:
        """Whether all numbers on the way are of magnitudes that are promised to work."""
        assert self.witness is not None
        least, most = self.witness.exponents(at.point)
        low, high = 2.0**-PROMISED, 2.0**PROMISED
        within = all(low < x < high for x in at.right.sizes() if x)
        return within and least > -PROMISED and most < PROMISED

    def persists(self, at: _Place, name: str, number: Number) -> bool:
        """Whether a mistake is there beside the point too, so that it is no kink."""
        share = 1e-5 * self.random.uniform(0.5, 1.0)
        moved = [
            {n: x + step * (x or 1.0) for n, x in at.point.items()}
            for step in (share, -share)
        ]
        beside = map(self.at, moved)
        return any(self.verdict(at, name, number) == "wrong" for at in beside)

    def measure(self, at: _Place, number: Number, off: Any, truth: Any) -> None:
        """Note an error in units in the last place of the truth.

        If that is 0, the unit is what rounding changes in the formula as written.
        """
        if self.thorough:
            unit = math.ulp(float(truth)) if truth else at.spread(number) or 5e-324
            error = float(abs(off) / unit)
            self.off.setdefault(number.title, []).append((error, at.point))

    def wrong(self, at: _Place, name: str, number: Number, failure: str = "") -> None:
        """Note a mistake, with the part of the formula it comes from."""
        found, right = at.found(name, number), at.right.number(number)
        if not failure:
            right = float(self.truth(at, name, number))
        text = failure or ("nothing finite" if found is None else repr(found))
        source, part = self.written.source, self.part(at, name, number)
        self.report.mistakes.append(
            mistake(
                "check_wrong",
                source,
                part,
                what=number.title,
                at=point_text(at.point),
                found=text,
                right="a number" if right is None else repr(right),
            )
        )

    def part(self, at: _Place, name: str, number: Number) -> Span | None:
        """The place to show: the first name whose value differs, else what varies."""
        function = self.functions[name]
        found = run(function.program, inputs_of(function, at.point), FLOATS)
        theirs = {name: i for i, name in function.program.names.items()}
        for i, called in sorted(self.written.names.items()):
            k = theirs.get(called)
            if k is not None and found.has(k) and at.path.has(i):
                x, y = found.values[k], at.path.values[i]
                if not abs(x - y) <= 1e-6 * abs(y):
                    return self.written.spans[i]
        for row in self.rows:
            if row.op == "name" and row.payload in number.along:
                return row.span
        return self.written.spans[self.written.outputs[number.output or 0]]

    # ---- the branches that the compiler made

    def enter(self, places: Sequence[_Place]) -> None:
        """Judge points on both sides of each branch that the formula does not have."""
        missed: list[str] = []
        programs = {id(f.program): f for f in self.functions.values()}
        for function in programs.values():
            shared = [
                n for n, f in self.functions.items() if f.program is function.program
            ]
            for point in self.edges(function, places, missed):
                at = self.at(point)
                for name in shared:
                    self.judge(at, name)
                if self.report.mistakes and not self.thorough:
                    return
        if missed:
            more = f" and {len(missed) - 1} more" if len(missed) > 1 else ""
            self.report.notes.append(note("missed", side=missed[0], more=more))

    def edges(
        self, function: Function, places: Sequence[_Place], missed: list[str]
    ) -> Iterator[Point]:
        """Points on both sides of the edges of a function's branches.

        `missed` takes the sides that none of all points has entered, in words.
        """
        program = function.program
        own = guards(program, self.written)
        if not own or not places:
            return
        starts = [inputs_of(function, at.point) for at in places]
        runs = [run(program, start, FLOATS) for start in starts]
        sides = {(g, bool(r.values[g])) for g in own for r in runs if r.has(g)}
        search = Edges(program, self.written.inputs, 10 * OPERATIONS)
        for guard in sorted(own, key=lambda g: {(g, True), (g, False)} <= sides):
            near: set[bool] = set()
            reached = [s for s, r in zip(starts, runs) if r.has(guard)]
            reached.sort(key=is_whole, reverse=True)  # an equation may hold exactly
            for point in search.near(guard, reached[:4]):
                there = run(program, point, FLOATS)
                if there.has(guard):
                    near.add(bool(there.values[guard]))
                    starts.append(point)
                    runs.append(there)
                    yield {name: point[name] for name in places[0].point}
                if near == {True, False} or near and program.nodes[guard][0] == "eq":
                    break
            sides |= {(guard, side) for side in near}
            left = [side for side in (True, False) if (guard, side) not in sides]
            missed += [f"{words(program, guard)} is {str(x).lower()}" for x in left]

    # ---- recordings of Python functions

    def rerun(self, at: _Place) -> None:
        """Compare with the Python function that was recorded, run by `Value`.

        Its operations are those of the recording, in the same order, unless it decides
        by the data what to do.
        """
        recording = self.compiled.recording
        if recording is None or recording.function is None or self.report.mistakes:
            return
        given = {name: Value(at.point[name]) for name in self.book.inputs}
        called = self.numbers["value"]
        try:
            results = list(leaves(recording.function(given)))
        except NOT_DEFINED:  # perhaps by a part that the recording does without
            return
        except Exception as error:
            self.otherwise(at, called[0], f"raises {type(error).__name__}: {error}")
            return
        for number, result in zip(called, results):
            for leaf in given.values():
                leaf.grad = 0
            found = [result, *derivatives(result, [given[name] for name in self.wrt])]
            by = [(f"d/d{name}", (name,)) for name in self.wrt]
            for (title, along), x in zip([(number.title, ()), *by], found):
                if self.differs(at, Number(title, 0, number.output, along), x):
                    return

    def differs(self, at: _Place, number: Number, again: Any) -> bool:
        """Whether the Python function gives another number than was recorded."""
        right, other = at.right.number(number), float(data(again))
        if not math.isfinite(other) or at.is_shaky():
            return False
        if right is not None and abs(other - right) <= at.allowed(number):
            return False
        self.otherwise(at, number, f"gives {other!r}")
        return True

    def otherwise(self, at: _Place, number: Number, right: str) -> None:
        """Note that the Python function does something else than was recorded."""
        recording, found = self.compiled.recording, at.right.number(number)
        assert recording is not None
        self.report.mistakes.append(
            mistake(
                "recorded_otherwise",
                *recording.place,
                what=number.title,
                at=point_text(at.point),
                found="nothing finite" if found is None else repr(found),
                right=right,
            )
        )


def inputs_of(function: Function, point: Point) -> Point:
    """A point as the program of a function has it, whose `v` may have another name."""
    vector = [item.name for item in function.program.inputs if item.kind == "vector"]
    return point | {name: point[f"{VECTOR}{k}"] for k, name in enumerate(vector)}


def is_whole(point: Point) -> bool:
    """Whether a point is of whole numbers."""
    return all(map(float.is_integer, point.values()))


def is_finite(x: Any) -> bool:
    """Whether a number is one: neither infinite nor NaN, nor complex."""
    return isinstance(x, (int, float)) and math.isfinite(x)


def _as_written(compiled: Compiled) -> tuple[Sequence[Row], Program]:
    """The syntax of a formula, none of a recording, and the program before any pass."""
    if compiled.recording is not None:
        return (), compiled.recording.program
    syntax = parse(compiled.program.source)
    return syntax.rows, unroll(syntax, compiled.formula)


# ---- a module on disk


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
