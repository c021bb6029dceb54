"""The self-check: compiled code against the formula as written, at sampled points.

The formula is run by `Value` as the parser left it; of a recorded function it is the
recording, and the function itself is run again. The witness of balls speaks where
the two differ by more than rounding explains, where the formula as written overflows, at
some points for rows that a user has defined, and everywhere in the thorough form.
Branches are entered on purpose, on both sides, those that the compiler made too.
"""

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property
from itertools import islice, pairwise, product
from math import inf, isfinite, log10, nan, ulp
from random import Random
from sys import float_info, maxsize
from typing import TYPE_CHECKING, Any, NamedTuple

from gradc import __version__
from gradc.arrays import leaves
from gradc.checking.samples import Edges, Point, drawn, is_within
from gradc.errors import GradcError, Span, mistake, note, point_text, table
from gradc.files import read_text
from gradc.functions import ZERO, Function, Number, numbers
from gradc.ir import Builder, Program, elements, grouped
from gradc.language.lower import lower
from gradc.language.syntax import Syntax
from gradc.ops import OPS
from gradc.passes.slopes import slopes
from gradc.record import data
from gradc.run import NOT_DEFINED, arithmetic, run
from gradc.targets.origin import extract, fault
from gradc.value import Value

if TYPE_CHECKING:
    from gradc.checking.certified import Witness

# How many operations of the formula are run at drawn points: the larger it is, the fewer
# points. The witness does five times as many in few bits, and the search for branches
# forty times; in the thorough form all do twenty times as many.
EFFORT = 15_000
WITNESSED = 2_500
LARGEST = 200_000  # operations and inputs, beyond which nothing is compared
ENOUGH = 100  # points without a value from which on the formula is at fault
PLAIN = frozenset({"value", "value_and_grad"})  # functions without a matrix
FEW = 8  # points for matrices, twice as many of their entries; points for foreign rows
MOST = 5  # parts that are told to lose digits
NEAR = 1e-9  # relative, how far two inputs are apart that all but agree
CLOSE = 1e-11  # relative, up to which nobody minds what rounding costs
Compiled = Any  # that of `gradc.compiler`, which stands above


class Steps(Builder):
    """Grows a list of steps; the same step of the same arguments stands there once."""

    def add(self, op: str, *args: int) -> int:
        """Return the position of a step, to which no identity is applied."""
        return self._intern((op, *args), (op, *args))


def unroll(syntax: Syntax, program: Program, **rows: Any) -> Program:
    """The steps of a formula as written; `program` says what its inputs are.

    Of columns `rows` are the options of `lower`.
    """
    inputs, most = [item.name for item in grouped(program.inputs)], maxsize
    found = lower(syntax, program.ops, inputs=inputs, max_ops=most, kind=Steps, **rows)
    return slopes(found, Steps)


class Textbook:
    """The numbers of a formula and its derivatives by `wrt` at a point, by `Value`."""

    def __init__(self, program: Program, wrt: Sequence[str], point: Point) -> None:
        self.program, self.wrt, self.point = program, wrt, point
        self.path = run(program, point)
        self._slopes: dict[Any, Mapping[str, float]] = {}

    def number(self, number: Number) -> float | None:
        """A number; None if something raises on the way to it or is not finite."""
        output, *along = number.output, *number.along
        try:
            found = self.path.results()[output]
            if along:
                found = self._gradient(output, *along[:-1])[along[-1]]
        except NOT_DEFINED:
            return None
        return float(found) if isfinite(found) else None

    def _gradient(self, output: int, *along: str) -> Mapping[str, float]:
        """The derivatives of an output, or of its derivative by some inputs."""
        key = output, *along
        if key not in self._slopes:
            self._slopes[key] = dict.fromkeys(self.wrt, nan)  # if something raises
            given: dict[str, Any] = {**self.point}
            for _ in key:  # Values of Values for derivatives of derivatives
                given = {name: Value(x) for name, x in given.items()}
            numbers = arithmetic(*given.values())
            total = run(self.program, given, numbers).results()[output]
            for name in (*along, ""):
                if isinstance(total, Value):
                    total.backward()
                slopes = {x: given[x].grad for x in self.wrt}
                if name:
                    total, given = slopes[name], {k: x.data for k, x in given.items()}
            self._slopes[key] = {x: data(slope) for x, slope in slopes.items()}
        return self._slopes[key]


class Error(NamedTuple):
    """The largest error of one output in units in the last place, and where it is."""

    worst: float
    where: Point


@dataclass
class Report:
    """What the check found."""

    points: int = 0  # that were compared
    undecided: int = 0  # points at which nothing can be said of some output
    mistakes: list[GradcError] = field(default_factory=list)  # what is wrong
    notes: list[str] = field(default_factory=list)
    errors: dict[str, Error] = field(default_factory=dict)  # the largest, if thorough
    losses: list[tuple[float, GradcError]] = field(default_factory=list)  # worst first

    @property
    def ok(self) -> bool:
        """Whether no mistake was found."""
        return not self.mistakes

    def limit(self, most: float) -> None:
        """Count errors of more than so many units in the last place as mistakes."""
        self.mistakes += [lost for ulp, lost in self.losses if not ulp <= most]
        for what, (ulp, where) in self.errors.items():
            if not ulp <= most:
                said: Any = {"ulp": ulp, "limit": most, "place": point_text(where)}
                self.mistakes.append(mistake("check_inaccurate", what=what, **said))

    def require(self) -> None:
        """Raise the first mistake: code that is wrong, or no point to try it at."""
        if self.mistakes:
            raise self.mistakes[0]

    def lines(self) -> list[str]:
        """The report as text, with the errors if they were measured."""
        points = f"{self.points} point{'' if self.points == 1 else 's'}"
        undecided = f" ({self.undecided} undecided)" if self.undecided else ""
        found = "no mistake found" if self.ok else f"wrong\n{self.mistakes[0]}"
        rows = [
            (what, f"off by at most {ulp:.2f} ulp, at {point_text(where)}")
            for what, (ulp, where) in self.errors.items()
        ]
        told = [table(rows)] if rows else []  # without a witness there are none
        told += [str(lost) for _, lost in self.losses]
        return [f"{points}{undecided}: {found}", *told, *self.notes]

    def as_dict(self) -> dict[str, Any]:
        """The report for JSON."""
        found = {**vars(self), "mistakes": [*map(str, self.mistakes)]}
        found["losses"] = [str(lost) for _, lost in self.losses]
        errors: dict[str, Error] = found.pop("errors")
        return found | {"ulp": {what: e._asdict() for what, e in errors.items()}}


def check(compiled: Compiled, *, thorough: bool = False, points: int = 64) -> Report:
    """Try compiled code at sampled points, the same ones for the same formula.

    A formula over columns is compared with one of a few rows that are written out.

    Arguments:
        thorough: use more points if the formula is large, and all entries of matrices;
            ask the witness at each point, and measure the errors.
        points: how many at most, beside those at the edges of branches.
    """
    few = compiled._few() if compiled.is_columnar else {}
    is_large = max(few.values(), default=0) > LARGEST
    written_out = compiled.fixed(few) if few and not is_large else compiled
    if is_large or _size(written_out.formula) > LARGEST:
        said = "nothing was compared of so large a formula"
        return Report(notes=[note("cut", what=said)])
    _ = compiled._module  # what is checked is the text, however long it is
    return Check(written_out, thorough, points, compiled).run()


def _size(program: Program) -> int:
    """How much there is to run; a row of n arguments is differentiated n times."""
    return len(program.inputs) + sum(1 + len(n) ** 2 // 100 for n in program.nodes)


def close(found: float | None, other: Any) -> bool:
    """Whether a number that is found is another in nearly all of its digits."""
    if found is None or other is None:
        return False
    off = abs(Fraction(found) - other)
    return bool(off <= max(CLOSE * abs(other), float_info.min))


class Place:
    """What compiled code and the formula as written are at a point.

    Products are those with the unit vector of an `axis`.
    """

    def __init__(self, check: "Check", point: Point, axis: int) -> None:
        self.check, self.point, self.axis = check, point, axis
        self.book = Textbook(check.written, check.wrt, point)
        self.returned = cache(self._returned)

    def given(self, function: Function) -> Point:
        """The inputs of the program of a function."""
        names = [i.name for i in function.program.inputs if i.kind == "vector"]
        unit = {x: float(k == self.axis % len(names)) for k, x in enumerate(names)}
        return self.point | unit

    def _returned(self, name: str) -> Mapping[Number, float | None]:
        """What a function of the module returns, None for what is not finite."""
        compiled, function = self.check.compiled, self.check.functions[name]
        args = [x for *_, x in function.arguments(self.given(function).__getitem__)]
        found = {ZERO: 0.0}  # by the outputs of the program
        with suppress(Exception):  # of a complex number, of a name that is not there
            caller = self.check.caller
            call = caller if name == "value" else getattr(caller, name)
            pairs = zip(leaves(function.layout), leaves(call(*args)))
            found |= {k: x for k, x in pairs if isfinite(x)}
        every = numbers(function, compiled.program, self.check.wrt, self.axis)
        return {number: found.get(number.place) for number in every}

    def found(self, number: Number) -> float | None:
        """A number as compiled code returns it, None if it is not finite."""
        return self.returned(number.function)[number]

    def verdict(self, number: Number, ask: bool = False) -> tuple[bool | None, Any]:
        """Whether a number is right, None if that stays open, and what the witness says.

        It speaks where rounding does not explain what was found, or to `ask`.
        """
        found, right = self.found(number), self.book.number(number)
        agrees = close(found, right)
        witness = self.check.witness if ask or not agrees else None
        sure = witness and witness.at(self.point)
        truth: Any = sure and sure.truth(number.along, number.output)
        if sure is None or truth is None or found is None and right is None:
            return agrees or None, truth
        if abs(truth) > float_info.max:
            return found is None or None, None
        if close(found, truth) or number.place == ZERO:
            return close(found, truth), truth
        function = self.check.functions[number.function]
        given = function.program, self.given(function), number.place
        return sure.explains(*given, found, truth), truth


class Check:
    """One check: the formula as written, the points, and what came of them."""

    def __init__(
        self, compiled: Compiled, thorough: bool, points: int, caller: Compiled
    ) -> None:
        self.compiled, self.thorough, self.caller = compiled, thorough, caller
        self.functions: dict[str, Function] = compiled.functions
        self.recording, self.written = compiled.recording, compiled.written
        self.wrt = elements(compiled.program, compiled.wrt)
        self.random = Random(f"0 {self.written.source.text}")  # the same every time
        self.effort = EFFORT * (20 if thorough else 1)
        self.size = _size(self.written)
        self.limit = min(points, 1 + self.effort // self.size)
        self.report = Report()
        self.undecided = set[str]()  # points
        self.off = defaultdict[str, list[Error]](list)

    @cached_property
    def witness(self) -> "Witness | None":
        """The witness, None if python-flint is not installed."""
        try:
            from gradc.checking.certified import Witness
        except ImportError:
            return None
        return Witness(self.written, WITNESSED * self.effort)

    def run(self) -> Report:
        """Judge the points that are drawn, then those at the edges of branches."""
        report, places = self.report, list[Place]()
        ops, used = self.written.ops, self.written.operations
        foreign = any(ops[op] != OPS[op] if op in OPS else op in ops for op in used)
        asked = self.limit if self.thorough else FEW if foreign else 0
        for at in islice(self.places(), self.limit):
            places.append(at)
            for name in self.functions:
                if self.thorough or len(places) <= FEW or name in PLAIN:
                    self.judge(at, name, len(places) <= asked)
            self.rerun(at)
        report.points, report.undecided = len(places), len(self.undecided)
        if places:
            self.enter(places)
        if self.thorough and self.witness is not None:
            report.losses = [*islice(self.losses(places), MOST)]
        report.notes += self.notes()
        for name, off in self.off.items():
            report.errors[name] = max(off, key=lambda error: error.worst)
        return report

    def places(self) -> Iterator[Place]:
        """The points to judge: where the formula as written, or compiled, has a value."""
        written, failed, found, rough = self.written, self.written.outputs[0], 0, 0
        draws = 10 * self.limit + 5 * EFFORT // self.size
        for k, point in enumerate(islice(drawn(written, self.random), draws)):
            at = Place(self, point, k)
            failed = at.book.path.failed or failed
            values = at.returned("value")
            if None in map(at.book.number, values):
                if 4 * rough > found or None in values.values():
                    continue
                rough += 1
            found += 1
            yield at
        if not found and draws < ENOUGH:
            said = f"at none of {draws} points the formula has a value"
            self.report.notes.append(note("cut", what=f"nothing was compared: {said}"))
        elif not found:
            span = written.spans[failed]
            self.report.mistakes.append(mistake("check_nowhere", written.source, span))

    def judge(self, at: Place, name: str, ask: bool = False) -> None:
        """Compare what a function returns; `ask` the witness even if it agrees."""
        every = [*at.returned(name)]
        if None in map(at.found, every) and None in map(at.book.number, every):
            return  # it may raise, for something has no value or no slope
        if not self.thorough and name not in PLAIN and len(every) > 2 * FEW:
            every = self.random.sample(every, 2 * FEW)
        for number in every:
            is_right, truth = at.verdict(number, ask)
            if is_right is False:
                return self.blame(at, number, float(truth))
            found = at.found(number)
            if not is_right:
                self.undecided.add(point_text(at.point))
            elif self.thorough and found is not None and (truth or truth == found):
                unit = ulp(truth) or inf  # 0 where tiny numbers are flushed
                off = float(abs(Fraction(found) - truth)) / unit
                self.off[number.title].append(Error(off, at.point))

    def blame(self, at: Place, number: Number, right: float | str | None) -> None:
        """Note a mistake; `right` is what the function that was recorded does, if text."""
        is_own = not isinstance(right, str)
        found = at.found(number) if is_own else at.book.number(number)
        span = self.written.spans[self.written.outputs[number.output]]
        where = (self.written.source, span) if is_own else self.recording.place
        said: Any = {"what": number.title, "at": point_text(at.point)}
        said["found"] = "nothing finite" if found is None else repr(found)
        key = "check_wrong" if is_own else "recorded_otherwise"
        self.report.mistakes.append(mistake(key, *where, right=str(right), **said))

    def enter(self, places: Sequence[Place]) -> None:
        """Judge points on both sides of each branch of the functions."""
        missed = list[tuple[Span | None, bool]]()
        alone = {id(f.program): f for f in self.functions.values()}
        for function in alone.values():  # of functions with one program one
            edges = Edges(function.program, 40 * self.effort)
            starts = [at.given(function) for at in places if edges.sides]
            for k, point in enumerate(edges.points(starts)):
                at = Place(self, {x: point[x] for x in places[0].point}, k)
                for name in self.functions:
                    self.judge(at, name)
            missed += edges.missed()
        if missed:
            more = f" and {len(missed) - 1} more" if missed[1:] else ""
            span, side = missed[0]
            part = self.written.source.quote(*(span or (0, 0)))
            said: Any = {"part": part, "side": str(side).lower(), "more": more}
            self.report.notes.append(note("missed", **said))

    def losses(self, places: Sequence[Place]) -> Iterator[tuple[float, GradcError]]:
        """Where digits are lost: at the points, and where two inputs all but agree."""
        from gradc.checking.certified import loss

        program = self.compiled._program("value")
        points = [(at.point, "") for at in places]
        ways = product(places[:FEW], (NEAR, -NEAR), pairwise(program.inputs))
        for at, step, (one, two) in islice(ways, self.limit):
            x = at.point[one.name] * (1.0 + step)
            if is_within(two, x):
                points.append(({**at.point, two.name: x}, f"{one.name} = {two.name}"))
        found = defaultdict[tuple[Span, str], list[tuple[float, str]]](list)
        for point, near in points:
            i, much = loss(program, point)
            if much > 1.0 and (span := program.spans[i]):
                where = f"near {near}" if near else f"at {point_text(point)}"
                found[span, near].append((much, where))
        for (span, near), each in sorted(found.items(), key=lambda x: -max(x[1])[0]):
            much, where = max(each)
            if not near or len(each) > 2 and (span, "") not in found:  # no accident
                said: Any = {"part": program.source.quote(*span), "where": where}
                said["digits"] = int(log10(much))
                yield much, mistake("check_lost", program.source, span, **said)

    def rerun(self, at: Place) -> None:
        """Compare with the Python function that was recorded, run on `Value`s.

        Its operations are those of the recording unless it decides by the data.
        """
        if not self.recording or not self.recording.function or self.report.mistakes:
            return
        values = [*at.returned("value")]
        try:
            given = {name: Value(x) for name, x in at.point.items()}
            again = [float(data(x)) for x in leaves(self.recording.function(given))]
        except NOT_DEFINED:  # perhaps by a part that the recording does without
            return
        except Exception as error:
            return self.blame(at, values[0], f"raises {type(error).__name__}: {error}")
        for number, x in zip(values, again):
            ours = at.book.number(number), at.found(number)
            if isfinite(x) and x != ours[0] and not close(ours[1], x):
                return self.blame(at, number, f"gives {x!r}")

    def notes(self) -> Iterator[str]:
        """What the user should know."""
        points, undecided = self.report.points, self.report.undecided
        measured = max(map(len, self.off.values()), default=0)
        if undecided and self.witness is None:
            some = f"{undecided} of {points} points"
            yield note("untold", points=some if undecided < points else "every point")
        elif self.thorough and points and self.witness is None:
            yield note("unmeasured")
        elif self.thorough and measured < points:
            said = f"the errors were measured at {measured} of {points} points"
            yield note("cut", what=said)
        witness = vars(self).get("witness")  # if it was asked
        if witness is not None and witness.used:
            yield note("by_convention", what="; ".join(witness.used))
        if self.recording is not None and self.recording.function is None:
            yield note("recording_only")


def known(file: str) -> str:
    """The text of a module that this version of gradc wrote and nobody edited.

    Raises:
        GradcError: the file is none; the message says what it is.
    """
    text = read_text(file)
    if key := fault(text):
        raise mistake(key, file)
    wrote = text.partition("\n")[0].rpartition(" ")[2].rstrip(".")
    if wrote != __version__:
        raise mistake("module_of_version", file, version=wrote, ours=__version__)
    return text


def compare(file: str, expected: str) -> None:
    """Compare a file with the module that it should be; nothing of it is executed.

    Raises:
        GradcError: they differ; the message says how that came about.
    """
    if not os.path.lexists(file):
        raise mistake("module_missing", file)
    text, key = known(file), "module_differs"
    theirs, ours = extract(text), extract(expected)
    if theirs and ours and theirs != ours:
        is_same = theirs.formula == ours.formula
        key = "module_of_options" if is_same else "module_of_formula"
    if text != expected:
        raise mistake(key, file)
