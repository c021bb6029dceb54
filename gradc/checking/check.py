"""The self-check: compiled code against the formula as written, at sampled points.

What is independent of what: the formula is run as the parser left it, by `Value`, with
nothing lowered, optimised, scheduled or printed. Of a recorded function it is the recording,
and the Python function itself is run again at each point. `Value` and `derive` read the same
partials, so their agreement proves the machinery and not the mathematics; that is
proved by the laws of the rows, and here by a witness that evaluates and differentiates
in high precision without any partials. The witness speaks where the two differ by more
than rounding explains, where the formula as written overflows, where a difference
quotient in floats looks otherwise than the gradient, at some points for rows that a
user has defined, and everywhere in the thorough form.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any, Protocol

from gradc.arrays import leaves, nest
from gradc.checking import blame
from gradc.checking.components import Compiled, components
from gradc.checking.points import Point, candidates
from gradc.checking.report import Errors, Report
from gradc.checking.textbook import (
    SAME,
    Rounding,
    Run,
    Textbook,
    is_finite,
    own_rounding,
)
from gradc.checking.unroll import unroll
from gradc.checking.witness import Witness, summon
from gradc.collector import collector_held
from gradc.engine.tracing import Recording
from gradc.errors import GradcError, mistake, note, point_text
from gradc.functions import values
from gradc.ir import Program, elements, grouped
from gradc.language.parse import parse
from gradc.language.syntax import Row, Span
from gradc.ops import OPS
from gradc.passes.derive import derive
from gradc.run import NOT_DEFINED
from gradc.run import Run as Trace

WORK = 15_000  # operations that are run at any rate, beside four times the formula
TRIES = 60_000  # operations spent on the search for a first point
DOUBTS = 6  # points at which a slope that looks wrong is followed up
CLOSE = 1e-9  # relative, up to which compiled code may be off by rounding of its own
COARSE = 1e-6  # the share of a gradient that such a slope can show to be wrong
REFUSED = 12  # points at which code fails where the formula as written does, too
FEW = 8  # points at which what is no value and no gradient is tried
ASKED = 8  # points at which the witness is asked at most, but in the thorough form
FOREIGN = 4  # points at which the witness is asked about rows a user defined
ATTEMPTS = 4_000_000  # operations at points that are tried, whether they are defined
WITNESSED = 2_000_000  # operations the witness may run, about as many microseconds

Results = list[float | None]  # value and derivatives; None for what is not finite


class Formula(Protocol):
    """A compiled formula, as far as the check is concerned."""

    @property
    def program(self) -> Program: ...

    @property
    def wrt(self) -> tuple[str, ...]: ...

    @property
    def recording(self) -> Recording | None: ...

    def __call__(self, *args: Any) -> Any: ...

    def value_and_grad(self, *args: Any) -> tuple[Any, tuple[Any, ...]]: ...


def everywhere(point: Point) -> bool:
    """What a formula is of which nothing else has to be defined."""
    return True


def check(
    compiled: Compiled, *, thorough: bool = False, points: int = 64, seed: int = 0
) -> Report:
    """Try compiled code at sampled points, the same ones for the same formula and seed.

    Arguments:
        thorough: use all points whatever the size of the formula and however long the
            runs in many digits take, ask the witness at each, and measure the errors.
        points: how many points at most.
    """
    with collector_held():
        rows, written = _as_written(compiled)
        first = _Check(compiled, rows, written, thorough, points, f"{seed}")
        is_one = isinstance(values(compiled.program), int)
        report = first.run() if is_one else Report(())
        if compiled.recording is not None and compiled.recording.function is None:
            report.notes.append(note("recording_only"))
        points = points if thorough else min(points, FEW)
        for part in components(compiled, written, every=thorough):
            program, defined = part.recording.program, part.is_defined
            also = _Check(part, (), program, thorough, points, f"{seed}", defined)
            also.report = Report(part.titles)
            report.add(also.run())
        return report


def _as_written(compiled: Compiled) -> tuple[Sequence[Row], Program]:
    """The syntax of a formula, none of a recording, and the program before any pass."""
    if compiled.recording is not None:
        return (), compiled.recording.program
    syntax = parse(compiled.program.source)
    return syntax.rows, unroll(syntax, compiled.formula)


@dataclass
class _Sample:
    """A point, what compiled code says there, and the run of the formula on floats."""

    point: Point
    found: Results
    path: Trace
    failure: str | None = None  # what compiled code did that is wrong at any point


class _Check:
    """One check: the formula as written, the points, and what came of them."""

    def __init__(
        self,
        compiled: Formula,
        rows: Sequence[Row],
        written: Program,
        thorough: bool,
        points: int,
        seed: str,
        defined: Callable[[Point], bool] = everywhere,
    ) -> None:
        self.compiled, self.thorough, self.seed = compiled, thorough, seed
        self.defined = defined
        program = compiled.program
        self.arguments = grouped(program.inputs)
        self.wrt = elements(program, compiled.wrt)
        self.recording = compiled.recording
        self.rows, self.written = rows, written
        self.textbook = Textbook(self.written, self.wrt)
        self.size = len(self.written.nodes)
        self.limit = points if thorough else min(points, 4 + WORK // self.size)
        self.report = Report(("value", *(f"d/d{name}" for name in self.wrt)))
        self.witness: Witness | None = None
        self.untold = 0
        self.doubts = self.asked = 0
        self.off: dict[str, list[tuple[float, Point]]] = {}

    def run(self) -> Report:
        samples, report = self.samples(), self.report
        report.points = len(samples)
        if not samples:
            report.mistakes.append(self.nowhere())
        asked = len(samples) if self.thorough else FOREIGN if self.is_foreign() else 0
        for k, sample in enumerate(samples):
            self.judge(sample, k < asked)
            self.rerun(sample)
            if report.mistakes and not self.thorough:
                break
        self.remark(len(samples))
        return report

    def is_foreign(self) -> bool:
        """Whether the formula uses rows that are not gradc's own."""
        ops = self.written.ops
        used = {node[0] for node in self.written.nodes if node[0] in ops}
        return any(name not in OPS or OPS[name] is not ops[name] for name in used)

    def remark(self, points: int) -> None:
        """Say what the user should know, and the errors that were measured."""
        if self.untold:
            every = self.untold == points
            some = "every point" if every else f"{self.untold} of {points} points"
            self.report.notes.append(note("untold", points=some))
        elif self.thorough and points and self.witness is None:
            self.report.notes.append(note("unmeasured"))
        elif self.thorough and self.is_spent():
            measured = len(self.off.get("value", ()))
            cut = note("cut", measured=measured, points=points)
            self.report.notes.append(cut)
        for name, off in self.off.items():
            worst, where = max(off, key=lambda pair: pair[0])
            sizes = sorted(error for error, _ in off)
            median = (sizes[(len(off) - 1) // 2] + sizes[len(off) // 2]) / 2
            self.report.errors[name] = Errors(median, worst, where)

    # ---- the points

    def samples(self) -> list[_Sample]:
        """The points to judge: those that reach new branches before the others."""
        novel: list[_Sample] = []
        plain: list[_Sample] = []
        rough: list[_Sample] = []  # where the formula as written has no value
        seen: set[tuple[int, int]] = set()
        self.failures: Counter[int] = Counter()
        self.refused: Counter[Span | None] = Counter()
        branches = 2 * sum(node[0] == "where" for node in self.written.nodes)
        most = min(10 * self.limit, max(10, ATTEMPTS // self.size))
        draw = candidates(
            self.written, Random(f"{self.seed} {self.written.source.text}")
        )
        for k, point in enumerate(islice(draw, max(most, TRIES // self.size))):
            full = len(novel) + len(plain) + len(rough) // 4 >= self.limit
            some = novel or plain or rough
            if full and (len(seen) >= branches or k >= 4 * self.limit):
                break
            if some and k >= most:
                break
            sample = self.sample(point, first=not some)
            if sample is None:
                continue
            reached = self.reached(sample.path)
            if sample.path.failed is not None:
                rough.append(sample)
            elif not reached <= seen:
                seen |= reached
                novel.append(sample)
            elif not full:
                plain.append(sample)
        smooth = [*novel, *plain]
        rough = rough[: max(self.limit // 4, self.limit - len(smooth))]
        return [*smooth[: max(self.limit - len(rough), 1)], *rough][: self.limit]

    def reached(self, path: Trace) -> set[tuple[int, int]]:
        """The sides of conditionals that a run took."""
        nodes = self.written.nodes
        return {(i, k) for i, k in path.taken.items() if nodes[i][0] == "where"}

    def sample(self, point: Point, first: bool = False) -> _Sample | None:
        """The sample at a point, None if the formula is not defined there.

        It is none either if it takes too much work, which may be more if it is the
        `first` one where the formula as written has a value; or if the formula as
        written fails in a part where generated code has been seen to fail as well,
        often enough.
        """
        path = self.textbook.path(point)
        if path.failed is not None:
            self.failures[path.failed] += 1
            part = self.written.spans[path.failed]
            if self.refused[part] >= REFUSED:
                return None
        found, failure = self.generated(point)
        if path.failed is not None:
            is_refused = failure is None and found[0] is None
            self.refused[part] += 1 if is_refused else -TRIES
        sample = _Sample(point, found, path, failure)
        if failure is None and None in found:
            if not self.defined(point):
                return None
            if not is_finite(self.textbook.value(path)):
                return None
            if self.textbook.run(point, path) is None:
                return None
        return sample

    def generated(self, point: Point) -> tuple[Results, str | None]:
        """What compiled code returns, and what it must never do."""
        args = self.packed(point)
        nothing: Results = [None] * len(self.report.outputs)
        try:
            alone = self.compiled(*args)
            nothing[0] = alone if is_finite(alone) else None
            value, slopes = self.compiled.value_and_grad(*args)
        except (ArithmeticError, ValueError):
            return nothing, None
        except Exception as error:  # a name that is not there, for instance
            if isinstance(error, TypeError) and "complex" in str(error):
                return nothing, None
            return nothing, f"{type(error).__name__}: {error}"
        found = [x if is_finite(x) else None for x in (value, *leaves(slopes))]
        if is_finite(alone) and alone != value:
            return found, f"{alone!r}, and {value!r} beside the gradient,"
        return found, None

    def packed(self, point: Point) -> list[Any]:
        """The arguments of the compiled function at a point."""
        return [
            nest([point[item.name] for item in argument.elements], argument.shape)
            for argument in self.arguments
        ]

    def nowhere(self) -> GradcError:
        """The error that there is no point; it shows the part that failed most often."""
        worst = self.failures.most_common(1)
        part = worst[0][0] if worst else self.textbook.output
        span = self.written.spans[part]
        return mistake("check_nowhere", self.written.source, span)

    # ---- the verdict

    def judge(self, sample: _Sample, ask: bool) -> None:
        """Compare the results at a point; `ask` the witness even if they agree."""
        run = self.textbook.run(sample.point, sample.path)
        if sample.failure is not None:
            right = "a number" if run is None else repr(run.results[0])
            self.wrong(sample, run, 0, sample.failure, right)
            return
        if run is None:
            rounding = self.own_rounding(sample)
        else:
            rounding = self.textbook.rounding(sample.point, sample.path, run)
        disputed = self.disputed(sample, run, rounding)
        doubted = False
        if run is not None and not disputed and not ask and self.doubts < DOUBTS:
            doubted = not self.textbook.is_slope(sample.point, sample.path, run)
            self.doubts += doubted
        self.asked += bool(disputed) or ask or doubted
        open_ = False
        for j in range(len(sample.found)):
            if ask or doubted or j in disputed:
                gross = COARSE * self.swing(sample) if doubted else 0.0
                verdict = self.verdict(sample, run, rounding, j, j in disputed, gross)
                open_ = open_ or (verdict is None and j in disputed)
        self.report.undecided += open_
        self.untold += open_ and self.witness is None

    def rerun(self, sample: _Sample) -> None:
        """Compare with the Python function that was recorded, run by `Value`.

        Its operations are those of the recording, in the same order, unless it decides
        by the data what to do.
        """
        recording = self.recording
        if recording is None or recording.function is None or self.report.mistakes:
            return
        written = self.textbook.run(sample.point, sample.path)
        try:
            again = recording.run(sample.point, self.wrt)
        except NOT_DEFINED:  # perhaps by a part that the recording does without
            return
        except Exception as error:
            found = "a number" if written is None else repr(written.results[0])
            self.otherwise(sample, 0, found, f"raises {type(error).__name__}: {error}")
            return
        if not all(map(is_finite, again)):
            return
        if written is None:
            self.otherwise(sample, 0, "nothing finite", f"gives {again[0]!r}")
            return
        rounding = self.textbook.rounding(sample.point, sample.path, written)
        for j, (x, y) in enumerate(zip(written.results, again)):
            if not rounding.explains(j, abs(x - y)) and not rounding.shaky:
                self.otherwise(sample, j, repr(sample.found[j]), f"gives {y!r}")
                return

    def otherwise(self, sample: _Sample, j: int, found: str, right: str) -> None:
        """Note that the Python function does something else than was recorded."""
        assert self.recording is not None
        what, point = self.report.outputs[j], sample.point
        self.report.mistakes.append(
            mistake(
                "recorded_otherwise",
                *self.recording.place,
                what=what,
                at=point_text(point),
                found=found,
                right=right,
            )
        )

    def own_rounding(self, sample: _Sample) -> Rounding:
        """What rounding explains of compiled code, all of its steps being rounded."""
        program = self.compiled.program
        if len(program.outputs) < len(sample.found):  # a part of a matrix
            program = derive(program, self.compiled.wrt)
        return own_rounding(program, sample.point)

    def disputed(
        self, sample: _Sample, run: Run | None, rounding: Rounding
    ) -> Sequence[int]:
        """The outputs that differ by more than rounding explains."""
        if run is None:
            return range(len(sample.found))
        return [
            j
            for j, (x, y) in enumerate(zip(sample.found, run.results))
            if x is None or not rounding.explains(j, abs(x - y))
        ]

    def verdict(
        self,
        sample: _Sample,
        run: Run | None,
        rounding: Rounding,
        j: int,
        disputed: bool,
        gross: float,
    ) -> bool | None:
        """Ask the witness about an output: is it right? None if that stays open.

        What changes the value by less than `gross`, as the input varies, may be wrong.
        """
        truth = self.truth(sample, j)
        found = sample.found[j]
        if truth is None:
            return None
        if math.isnan(truth):  # a kink, where only the convention can be right
            if run is None or not disputed:
                return None
            truth = run.results[j]
        if abs(truth) > sys.float_info.max:
            return True if found is None else None
        if found is not None:
            difference = abs(float(truth - found))
            right = j and difference * self.scale(sample, j) < gross
            if right or self.is_rounding(sample, run, rounding, j, difference, truth):
                self.measure(sample, j, found, truth, rounding)
                return True
        elif run is None:
            return None
        if rounding.shaky:
            return None
        if (found is None or not disputed) and not self.persists(sample, j, found):
            return None
        if found is not None:
            self.measure(sample, j, found, truth, rounding)
        if run is not None and self.textbook.strained(run):
            return None
        text = "nothing finite" if found is None else repr(found)
        self.wrong(sample, run, j, text, repr(float(truth)))
        return False

    def is_rounding(
        self,
        sample: _Sample,
        run: Run | None,
        rounding: Rounding,
        j: int,
        difference: float,
        truth: Any,
    ) -> bool:
        """Whether rounding explains how far an output is from the truth."""
        room = max(SAME * abs(truth), sys.float_info.min)  # below it digits are few
        if difference <= room or rounding.explains(j, difference):
            return True
        if difference <= CLOSE * abs(truth) and run is not None:
            return self.own_rounding(sample).explains(j, difference)
        return False

    def scale(self, sample: _Sample, j: int) -> float:
        """By how much the input of a derivative may vary: by itself, or by 1."""
        return abs(sample.point[self.wrt[j - 1]]) or 1.0

    def swing(self, sample: _Sample) -> float:
        """By how much the value varies with all its inputs, by its derivatives."""
        slopes = enumerate(sample.found[1:], start=1)
        return sum(abs(x) * self.scale(sample, j) for j, x in slopes if x is not None)

    def persists(self, sample: _Sample, j: int, found: float | None) -> bool:
        """Whether a mistake is there beside the point too, so that it is no kink."""
        draw = Random(f"{self.seed} {sample.point}")
        moved = {
            name: x + 1e-3 * draw.uniform(0.5, 1.0) * (x or 1.0)
            for name, x in sample.point.items()
        }
        other = self.sample(moved)
        run = self.textbook.run(moved, other.path) if other else None
        if other is None or run is None:
            return False
        beside = other.found[j]
        if found is None or beside is None:
            return found is None and beside is None
        truth = self.truth(other, j)
        if truth is None or not abs(truth) <= sys.float_info.max:
            return False
        rounding = self.textbook.rounding(moved, other.path, run)
        return not rounding.explains(j, abs(float(truth - beside)))

    def truth(self, sample: _Sample, j: int) -> Any:
        """What the witness says of an output; NaN at a kink, None if nothing."""
        if self.witness is None:
            self.witness = summon(self.written)
        if self.witness is None:
            return None
        if self.is_spent():
            return None
        if self.asked > ASKED and not self.thorough:
            return None
        if j == 0:
            return self.witness.value(sample.point)
        return self.witness.derivative(sample.point, self.wrt[j - 1])

    def is_spent(self) -> bool:
        """Whether the witness has worked as long as it may."""
        return self.witness is not None and self.witness.work > WITNESSED

    def measure(
        self, sample: _Sample, j: int, found: float, truth: Any, rounding: Rounding
    ) -> None:
        """Note an error in units in the last place of the truth.

        If that is 0, the unit is what rounding changes in the formula as written.
        """
        if self.thorough:
            unit = math.ulp(float(truth)) if truth else rounding.unit(j)
            error = float(abs(truth - found) / unit)
            name = self.report.outputs[j]
            self.off.setdefault(name, []).append((error, sample.point))

    def wrong(
        self, sample: _Sample, run: Run | None, j: int, found: str, right: str
    ) -> None:
        """Note a mistake, with the part of the formula it comes from."""
        compiled, point = self.compiled, sample.point
        args = self.packed(point)
        functions = [
            lambda: compiled(*args),
            lambda: compiled.value_and_grad(*args),
        ]
        wrt = self.wrt[j - 1] if j else None
        part = blame.part(self.rows, self.written, run, functions, wrt)
        self.report.mistakes.append(
            mistake(
                "check_wrong",
                self.written.source,
                part,
                what=self.report.outputs[j],
                at=point_text(point),
                found=found,
                right=right,
            )
        )
