"""Random formulas over the whole table: modules against both witnesses of the check.

    python -m tests.fuzz --count 5000 --seed 1 --jobs 2 --resume fuzz.jsonl

`Value` on the formula as written is the first witness, the certified numbers are the
second. Every number that a module returns, or does not, has one of these `VERDICTS`.
What is wrong is sorted by the row at fault: the innermost node of the module's program
that is not what the same program is there in many digits, with the rows of its
arguments; or by the pass behind which the program is another function. A formula is
named by a seed and a number.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import gradc
from gradc.arrays import leaves
from gradc.checking.balls import BALLS, ONE, Ball, Undecided, exactly, here
from gradc.checking.certified import PROMISED, Witness, exact, precision
from gradc.checking.samples import is_within
from gradc.checking.witness import Number, Textbook, numbers
from gradc.errors import GradcError
from gradc.functions import ZERO, Function, passes
from gradc.ir import ARITHMETIC, COMPARISONS, Program, arguments
from gradc.ops import Op
from gradc.run import RATIONAL, Arithmetic, run
from gradc.spelling import Compute
from tests.strategies import DYADIC, ODD, Point, formula, holds

ROUNDOFF = 2.0**-52
RUNS = 6  # in which the steps are off by their roundings
EXACT = {*RATIONAL, "abs", "clip", "neg", "sign"} - {"pow"}  # rows that choose or cut
VERDICTS = {
    "right": "a witness has the same ten digits",
    "raised": "none, and not all that the function returns is certain and promised",
    "refused": "none, though all that the function returns is certain",
    "undecided": "another than `Value` has, or one that it has not, and none is certain",
    "range": "numbers on the way are beyond 1e-140 or 1e140",
    "kink": "that of `Value`, at a kink or a step of the formula as written",
    "digits": "roundings change as many in the formula as written",
    "wrong": "none of these",
    "crash": "an error of another kind than the manual has",
}
TOLD = ("wrong", "crash", "refused")  # with the row at fault
SPECIAL = [0.0, 1.0, -1.0, 2.0, -2.0, 3.0, 7.0, 10.0, 0.5, -0.5, 1.5, 30.0]
SPECIAL += [-40.0, 750.0, 0.1, 1.0 + 1e-9, 1.0 - 1e-7]
SPECIAL += [math.e, *(k * math.pi / 2 for k in (-2, -1, 1, 2, 3, 4))]
EXTREME = [1e-3, -1e-6, 1e-9, 1e-20, -1e-100, 1e5, -1e8, 1e16, 1e100, 1e-300, -1e300]
CONSTANTS = tuple(text for text in (*DYADIC, *ODD) if text != "-0.0")
POINTS = 3  # of a formula
SECOND = 10  # of so many formulas one has second derivatives
BLOCK = 100  # formulas that are done and noted together
CLOSE = 1e-10  # relative, of numbers that are the same
WORK = 30_000_000  # that the witness may do for a formula
BITS = 2_000  # in which a row at fault is looked for
SHOWN = 2  # formulas that are made small for each row at fault
TRIES = 400  # at it
MARKS = re.compile(r"[()]|\b(if|else|and|or)\b|[,+*/^<>=!-]+")  # between parts


class Found(NamedTuple):
    """What is told of a number of a formula at a point."""

    verdict: str
    row: str
    text: str
    emit: str
    point: Point
    what: str = ""
    number: float | None = None
    truth: float | None = None

    @property
    def key(self) -> str:
        return f"{self.verdict} {self.row}"


def near(x: Any, y: Any) -> bool:
    """Whether two numbers, or their absences, are the same."""
    if x is None or y is None or not math.isfinite(x) or not math.isfinite(y):
        return bool(x == y)
    return bool(abs(Fraction(x) - Fraction(y)) <= CLOSE * abs(Fraction(y)))


class Exact:
    """What the nodes of a program are at a point in many digits, None if unknown."""

    def __init__(
        self, program: Program, point: Point, numbers: Arithmetic = BALLS
    ) -> None:
        here.side, here.settles = 0, True
        self.program, self.point = program, point
        with precision(BITS, 4):
            given = {name: exactly(x) for name, x in point.items()}
            self.ran = run(program, given, numbers)
            self.values = [*map(self._number, range(len(program.nodes)))]

    def _number(self, i: int) -> Any:
        x = self.ran.values[i] if self.ran.has(i) else None
        return exact(x[0]) if isinstance(x, Ball) else x

    def departure(self) -> int | None:
        """The first node that floats do not have from arguments that they have."""
        floats, good = run(self.program, self.point), set[int]()
        for i, node in enumerate(self.program.nodes):
            if floats.has(i):
                if near(floats.values[i], self.values[i]):
                    good.add(i)
                elif good.issuperset(floats.reads(i) if arguments(node) else ()):
                    return i
        return None


def rounded(random: Random) -> Arithmetic:
    """Balls that are off by the roundings of floats, those of a function by four."""

    def primitive(op: Op) -> Compute:
        compute = BALLS.compute(op)
        size = (1.0 if op.name in ARITHMETIC else 4.0) * ROUNDOFF

        def result(*args: Any) -> Any:
            return compute(*args) * (ONE + exactly(size * random.uniform(-1.0, 1.0)))

        return compute if op.name in EXACT else result

    return Arithmetic(exactly, primitive, rank=3)


def described(program: Program, i: int | None) -> str:
    """A row with those of its arguments."""
    if i is None:
        return "unknown"
    op, args = program.nodes[i][0], arguments(program.nodes[i])
    return f"{op}({', '.join(program.nodes[a][0] for a in args)})"


@lru_cache(maxsize=1)
def strict(text: str, emit: str) -> Function:
    """A formula as it is written, with the derivatives that its module has."""
    compiled = gradc.compile(text, strict=True, emit=emit or None)
    return [*compiled.functions.values()][-1]


@dataclass
class Place:
    """A module at a point, and what the witnesses say there."""

    text: str
    emit: str
    compiled: gradc.Compiled
    witness: Witness
    point: Point

    def __post_init__(self) -> None:
        self.written = self.compiled.written
        self.book = Textbook(self.written, self.compiled.wrt, self.point)

    @cached_property
    def exact(self) -> Exact:
        """What the formula as written, and all its derivatives, are in many digits."""
        return Exact(strict(self.text, self.emit).program, self.point)

    @cached_property
    def rooms(self) -> Mapping[tuple[str, ...], float]:
        """By how much roundings move the value and the derivatives, as squares add up."""
        textbook, random = strict(self.text, self.emit), Random(0)
        program = textbook.program
        runs = [Exact(program, self.point, rounded(random)) for _ in range(RUNS)]
        most, rooms = 4.0 + math.sqrt(len(program.nodes)), {}
        for number in numbers(textbook, self.written, self.compiled.wrt):
            i = program.outputs[number.place]
            ends = [x.values[i] for x in (self.exact, *runs)]
            is_known = number.place != ZERO and None not in ends
            moved = max(abs(x - ends[0]) for x in ends) if is_known else math.inf
            rooms[number.along] = most * moved
        return rooms

    @cached_property
    def is_promised(self) -> bool:
        """Whether the point is in the domains, and no number on the way is extreme."""
        there, failed = self.exact, self.book.path.failed
        if failed is not None and not self.asks("domain", failed, True):
            return False
        sizes = [abs(x) for x in there.values if x]
        is_moderate = all(2.0**-PROMISED < x < 2.0**PROMISED for x in sizes)
        return is_moderate and not isinstance(there.ran.error, Undecided)

    def asks(self, column: str, i: int, default: bool = False) -> bool:
        """Whether a condition that the row of a node has, domain or kinks, holds."""
        (op, *args), values = self.written.nodes[i], self.book.path.values
        text = getattr(self.written.ops[op], column)
        given = [values[a] for a in args]
        return holds(self.written.ops[op], text, given) if text else default

    @cached_property
    def is_kink(self) -> bool:
        """Whether a row on the way has its kink, or what is compared is equal."""
        path = self.book.path
        for i, (op, *args) in enumerate(self.written.nodes):
            if path.has(i) and op in self.written.ops:
                if self.asks("kinks", i):
                    return True
                if op in COMPARISONS and len({path.values[a] for a in args}) == 1:
                    return True
        return False

    def returned(self, name: str) -> dict[Number, float | None]:
        """What a function of the module returns, None where it raises."""
        compiled, given = self.compiled, [self.point[x] for x in self.compiled.inputs]
        function, found = compiled.functions[name], dict[int, float]()
        with suppress(ArithmeticError, ValueError):
            result = (compiled if name == "value" else getattr(compiled, name))(*given)
            found = {**dict(zip(leaves(function.layout), leaves(result))), ZERO: 0.0}
        every = numbers(function, self.written, compiled.wrt)
        return {number: found.get(number.place) for number in every}

    def truth(self, number: Number) -> Any:
        """A number as the second witness has it, None if it is not certain or finite."""
        found: Any = self.witness.truth(self.point, number.along)
        return None if found is None else found if math.isfinite(found) else None

    def verdict(self, number: Number, found: float) -> str:
        """The verdict on a number that was found."""
        truth, book = self.truth(number), self.book.number(number)
        if near(found, book if truth is None else truth):
            return "right"
        if truth is None:
            return "undecided"
        if not self.is_promised:
            return "range"
        if near(found, book) and self.is_kink:
            return "kink"
        is_lost = abs(Fraction(found) - truth) <= self.rooms[number.along]
        return "digits" if is_lost else "wrong"

    def judged(self) -> Iterator[tuple[str, Found | None]]:
        """The verdicts on all numbers, and what is told of them."""
        at = self.text, self.emit, self.point
        for name in self.compiled.functions:
            returned = self.returned(name)
            is_raised = None in returned.values()
            has_all = None not in map(self.truth, returned if is_raised else ())
            raised = (
                "refused" if is_raised and has_all and self.is_promised else "raised"
            )
            for number, found in returned.items():
                verdict = raised if found is None else self.verdict(number, found)
                if verdict not in TOLD:
                    yield verdict, None
                    continue
                truth = self.truth(number)
                row = self.at_fault(number, found, truth)
                told = row, *at, number.title, found, float(truth)
                yield verdict, Found(verdict, *told)

    def at_fault(self, number: Number, found: float | None, truth: Any) -> str:
        """The row at fault, or the pass."""
        program = self.compiled.functions[number.function].program
        if found is None:
            return described(program, run(program, self.point).fault())
        there = Exact(program, self.point)
        if near(there.values[program.outputs[number.place]], truth):
            return described(program, there.departure())
        if len(number.along) > 1:
            return "second derivative"
        program = self.compiled.formula
        for title, change in passes(self.compiled.wrt, False):
            program = change(program)
            place = program.outputs[number.place :][:1]
            there = Exact(program, self.point)
            if place and not near(there.values[place[0]], truth):
                return f"pass {title}"
        return "unknown"


def judged(
    text: str, emit: str, points: Iterable[Point]
) -> Iterator[tuple[str, Found | None]]:
    """The verdicts on a formula at points."""
    point: Point = {}
    try:
        compiled = gradc.compile(text, emit=emit or None)
        witness = Witness(compiled.written, WORK)
        for point in points:
            yield from Place(text, emit, compiled, witness, point).judged()
    except GradcError:  # a constant of the formula has no value
        pass
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        yield "crash", Found("crash", type(error).__name__, text, emit, point, said)


def drawn(seed: int, k: int) -> tuple[str, str, list[Point]]:
    """A formula, what is asked beside its gradient, and points."""
    random = Random(f"{seed} {k}")
    is_rich, lines = random.random() < 0.4, random.choice((0, 0, 1, 2))
    options: Any = {"branches": is_rich, "guarded": is_rich, "pairs": not is_rich}
    found = formula(random, constants=CONSTANTS, lines=lines, **options)
    points = [found.point(random, (*SPECIAL, *EXTREME)) for _ in range(POINTS)]
    return found.text, "" if k % SECOND else "hessian", points


def block(seed: int, ks: range) -> dict[str, Any]:
    """What is found of some formulas, as it is noted: counts, and what is told."""
    counts, told = Counter[str](), list[Found]()
    for k in ks:
        for verdict, found in judged(*drawn(seed, k)):
            counts[verdict] += 1
            if found is not None:
                counts[found.key] += 1
                if verdict != "refused" or counts[found.key] <= SHOWN:
                    told.append(found)
    return {
        "seed": seed,
        "start": ks[0],
        "size": len(ks),
        "counts": counts,
        "told": told,
    }


# ---- smaller formulas with the same row at fault


def smaller(text: str) -> Iterator[str]:
    """A formula without a line, or with a part in place of what it is a part of."""
    head, *lines = text.split("\n")
    for k in range(len(lines) - 1):
        yield "\n".join([head, *lines[:k], *lines[k + 1 :]])
    for opened in re.finditer(r"\w*\(", text):
        depth, cuts = int(opened.start() > len(head)), [opened.end()]
        for mark in MARKS.finditer(text, opened.end()) if depth else ():
            depth += (mark[0] == "(") - (mark[0] == ")")
            if not depth or depth == 1 and mark[0] != ")":
                cuts += mark.span()
            if not depth:
                break
        parts = [text[a:b].strip() for a, b in zip(cuts[::2], cuts[1::2])]
        for part in {"1", "x", *parts}:
            yield f"{text[: opened.start()]}{part}{text[cuts[-1] :]}"


def simpler(found: Found) -> Iterator[Point]:
    """The point with a simpler number in place of one."""
    for item in gradc.compile(found.text).formula.inputs:
        x = found.point[item.name]
        tries = [0.0, 1.0, -1.0, 2.0, 0.5, float(round(x)), float(f"{x:.2g}")]
        for y in tries[: tries.index(x)] if x in tries else tries:
            if is_within(item, y):
                yield {**found.point, item.name: y}


def shrunk(found: Found) -> Found:
    """The same row at fault in a formula and at a point that are as small as may be."""
    left = TRIES
    while left > 0:
        texts = {text for text in smaller(found.text) if len(text) < len(found.text)}
        order = sorted(texts, key=lambda text: (len(text), text))
        points = [(found.text, point) for point in simpler(found)]
        for text, point in [*((text, found.point) for text in order), *points]:
            left -= 1
            told = [x for _, x in judged(text, found.emit, [point]) if x]
            if same := [x for x in told if x.key == found.key]:
                found = same[0]
                break
        else:
            break
    return found


# ---- the command


class Tally:
    """What was found so far, and small formulas for each row at fault."""

    def __init__(self, log: Path | None = None) -> None:
        self.log, self.counts, self.formulas = log, Counter[str](), 0
        self.done, self.small = set[tuple[int, int]](), dict[str, list[Found]]()
        if log is not None and log.exists():
            for line in log.read_text(encoding="utf-8").splitlines():
                self.add(json.loads(line))

    def add(self, noted: Mapping[str, Any]) -> None:
        """Count a block."""
        self.done.add((noted["seed"], noted["start"]))
        self.counts.update(noted["counts"])
        self.formulas += noted["size"]
        for found in map(Found._make, noted["told"]):
            self.small[found.key] = [*self.small.get(found.key, ()), found][:SHOWN]

    def note(self, noted: dict[str, Any]) -> None:
        """Count a block, with the first formulas for a row made small, and log it."""
        met = Counter({key: len(found) for key, found in self.small.items()})
        for k, found in enumerate(noted["told"]):
            met[found.key] += 1
            if met[found.key] <= SHOWN and found.verdict != "crash":
                noted["told"][k] = shrunk(found)
        self.add(noted)
        if self.log is not None:
            with self.log.open("a", encoding="utf-8") as file:
                print(json.dumps(noted), file=file)

    def lines(self) -> Iterator[str]:
        """The counts, and the rows at fault with small formulas, most frequent first."""
        total = sum(self.counts[verdict] for verdict in VERDICTS) or 1
        for verdict, means in VERDICTS.items():
            count = self.counts[verdict]
            yield f"{verdict:10}{count:9} {count / total:9.4%}  {means}"
        for key, count in self.counts.most_common():
            if key not in VERDICTS:
                yield f"{count:7}  {key}"
            for found in self.small.get(key, ()):
                text = found.text.replace("\n", "; ")
                yield f"{'':9}{text}  {found.emit} at {found.point}:"
                yield f"{'':9}{found.what} is {found.truth}, found {found.number}"


def main() -> int:
    """Run so many formulas, and tell what was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--count", type=int, default=1000, help="of formulas")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--resume", type=Path, help="a log to write, and to go on from")
    given = parser.parse_args()
    tally, start = Tally(given.resume), time.monotonic()
    starts = range(0, given.count, BLOCK)
    todo = [range(k, k + BLOCK) for k in starts if (given.seed, k) not in tally.done]
    with get_context("spawn").Pool(given.jobs) as pool:
        for k, noted in enumerate(pool.imap(partial(block, given.seed), todo), 1):
            tally.note(noted)
            rate = k * BLOCK / (time.monotonic() - start)
            left = (len(todo) - k) * BLOCK / rate / 60
            found = tally.counts["wrong"] + tally.counts["crash"]
            said = f"{tally.formulas} formulas, {rate:.0f} a second, {found} wrong"
            print(
                f"\r{said}, {left:.0f} min left", end=" ", file=sys.stderr, flush=True
            )
    print("", *tally.lines(), sep="\n")
    return int(tally.counts["wrong"] + tally.counts["crash"] > 0)


if __name__ == "__main__":
    sys.exit(main())
