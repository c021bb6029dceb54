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
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from multiprocessing import TimeoutError, get_context
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import gradc
from gradc.arrays import leaves
from gradc.checking.balls import BALLS, VALUES, Ball, Undecided, exactly
from gradc.checking.certified import Witness, exact, precision
from gradc.checking.samples import is_within
from gradc.checking.check import Textbook
from gradc.errors import GradcError
from gradc.functions import ZERO, Interface, Number, functions, numbers, passes
from gradc.ir import Program, arguments
from gradc.ops import OPS
from gradc.run import run
from tests.strategies import DYADIC, ODD, Point, formula, holds
from tests.test_book import RULES
from tests.test_book import formula as instance

VERDICTS = {
    "none": "there is no module: a constant has no value, an order is none, ...",
    "right": "a witness has the same thirteen digits",
    "raised": "none, and not all that the function returns is certain and promised",
    "refused": "none, though all that the function returns is certain",
    "undecided": "another than `Value` has, or one that it has not, and none is certain",
    "range": "numbers on the way are beyond 1e-140 or 1e140",
    "kink": "that of `Value`, where a kink is met or roundings decide a condition",
    "edge": "another slope than that of `Value` at a kink or an edge",
    "digits": "roundings change as many in the formula as written, or in `Value`",
    "listed": "off for a reason that stands in the manual's list, by the row at fault",
    "wrong": "none of these",
    "crash": "an error of another kind than the manual has",
}
TOLD = ("wrong", "crash", "edge", "refused")  # with the row at fault
LISTED = ("lbeta", "copysign", "atan2")  # next to a root, and where a 0 has a sign
SUMS = ("add", "sub")  # which are a rounding of their terms where they are 0
TURNS = ("sin", "cos")  # of a sum of angles that are FAR
FAR = 1e3
UNIT = 2.0**-53
SPECIAL = [0.0, 1.0, -1.0, 2.0, -2.0, 3.0, 7.0, 10.0, 0.5, -0.5, 1.5, 30.0]
SPECIAL += [-40.0, 750.0, 0.1, 1.0 + 1e-9, 1.0 - 1e-7]
SPECIAL += [math.e, *(k * math.pi / 2 for k in (-2, -1, 1, 2, 3, 4))]
FARTHER = [1e-3, -1e-6, 1e-9, 1e-20, -1e-100, 1e5, -1e8, 1e16, 1e100, 1e-300, -1e300]
# Of some rows flint may take minutes for a number, which nothing can interrupt.
ENDLESS = {"where", *VALUES} - {"polygamma"}
ROWS = [row for row in OPS if row.result == "number" and row.name not in ENDLESS]
IDIOMS = [*map(instance, RULES.values())]  # what the book has a rule for
CONSTANTS = tuple(text for text in (*DYADIC, *ODD) if text != "-0.0")
EXTREME = 1e-140  # and its inverse, beyond which nothing is promised
LONG = 400  # characters of a formula at the most
POINTS = 3  # of a formula
SECOND = 6  # of so many formulas one has second derivatives, if it has no conditions
BLOCK = 100  # formulas that are done and noted together
CLOSE = 1e-13  # relative, of numbers that are the same
ALIKE = 4  # errors of `Value` that are no larger than its own
WORK = 5_000_000  # that the witness may do for a formula
BITS = (2_000, 400)  # in which a row at fault is looked for; the fewer if it has to be
PATIENCE = 600  # seconds for a block
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

    def __init__(self, program: Program, point: Point) -> None:
        self.program, self.point = program, point
        for bits in BITS:
            with precision(bits, 4):
                given = {name: exactly(x) for name, x in point.items()}
                self.ran = run(program, given, BALLS)
                self.values = [*map(self._number, range(len(program.nodes)))]
            if not isinstance(self.ran.error, Undecided):
                break

    def _number(self, i: int) -> Any:
        x = self.ran.values[i] if self.ran.has(i) else None
        return exact(x[0]) if isinstance(x, Ball) else x

    def departure(self, i: int) -> int:
        """The node below one from which floats are off, on the way of what is most off."""
        floats = run(self.program, self.point)

        def off(i: int) -> float:
            x, y = floats.values[i], self.values[i]
            if not floats.has(i) or near(x, y):
                return 0.0
            is_number = y and isinstance(y, Fraction) and math.isfinite(x)
            return abs(float(Fraction(x) / y - 1)) if is_number else math.inf

        while below := [a for a in floats.reads(i) if off(a)]:
            i = max(below, key=off)
        return i


def described(program: Program, i: int | None) -> str:
    """A row with those of its arguments."""
    if i is None:
        return "unknown"
    op, args = program.nodes[i][0], arguments(program.nodes[i])
    return f"{op}({', '.join(program.nodes[a][0] for a in args)})"


@dataclass
class Place:
    """A module at a point, and what the witnesses say there."""

    text: str
    emit: str
    compiled: gradc.Compiled
    witness: Witness
    point: Point

    def __post_init__(self) -> None:
        self.written, self.wrt = self.compiled.written, self.compiled.wrt
        self.book = Textbook(self.written, self.wrt, self.point)

    @cached_property
    def is_promised(self) -> bool:
        """Whether rows are in their domains, and no number on the way is extreme."""
        path = self.book.path
        if path.failed is not None:
            node = self.written.nodes[path.failed]
            row, args = self.written.ops[node[0]], [path.values[a] for a in node[1:]]
            if row.domain and not holds(row, row.domain, args):
                return False
        return self.witness.at(self.point).is_promised()

    @cached_property
    def is_endless(self) -> bool:
        """Whether numbers on the way are beyond floats, or too large for balls."""
        there = Exact(self.written, self.point)
        is_far = any(isinstance(x, float) for x in there.values)
        return is_far or isinstance(there.ran.error, Undecided)

    def returned(self, name: str) -> dict[Number, float | None]:
        """What a function of the module returns, None where it raises."""
        compiled, given = self.compiled, [self.point[x] for x in self.compiled.inputs]
        function, found = compiled.functions[name], dict[int, float]()
        with suppress(ArithmeticError, ValueError):
            result = (compiled if name == "value" else getattr(compiled, name))(*given)
            found = {**dict(zip(leaves(function.layout), leaves(result))), ZERO: 0.0}
        every = numbers(function, self.written, self.wrt)
        return {number: found.get(number.place) for number in every}

    def truth(self, number: Number) -> Any:
        """A number as the second witness has it, None if it is not certain or finite."""
        found: Any = self.witness.at(self.point).truth(number.along)
        return None if found is None else found if math.isfinite(found) else None

    def verdict(self, number: Number, found: float) -> str:
        """The verdict on a number that was found."""
        truth, book = self.truth(number), self.book.number(number)
        if near(found, book if truth is None else truth):
            return "right"
        if truth is None:
            return "undecided"
        if not self.is_promised or truth and not EXTREME < abs(truth) < 1 / EXTREME:
            return "range"
        is_lost = self.explained(number, found, truth)
        is_smooth = self.witness.at(self.point).is_smooth
        if is_lost is None and (near(found, book) or is_smooth):
            return "kink"
        if number.along and not is_smooth:
            return "edge"
        off, usual = (abs(Fraction(x or 0.0) - truth) for x in (found, book))
        return "digits" if is_lost or off <= ALIKE * usual else "wrong"

    def explained(self, number: Number, found: float, truth: Any) -> bool | None:
        """What the second witness explains of the formula as written, and differentiated."""
        at, emit = Interface(self.written, self.wrt), self.emit or "gradient"
        textbook = functions(at, ("value", emit), strict=True)[-1]
        every = numbers(textbook, self.written, self.wrt)
        place = next(x.place for x in every if x.along == number.along)
        needed = replace(textbook.program, outputs=textbook.program.outputs[place:][:1])
        given = needed, self.point, 0, found, truth
        return place != ZERO and self.witness.at(self.point).explains(*given)

    def judged(self) -> Iterator[tuple[str, Found | None]]:
        """The verdicts on all numbers, and what is told of them."""
        for name in self.compiled.functions:
            returned, raised = self.returned(name), "raised"
            if None in returned.values() and None not in map(self.truth, returned):
                is_sure = self.is_promised and not self.is_endless
                raised = "refused" if is_sure else "raised"
            for number, found in returned.items():
                verdict = raised if found is None else self.verdict(number, found)
                told = None
                if verdict in TOLD:
                    truth = self.truth(number)
                    row = self.at_fault(number, found, truth)
                    if verdict == "wrong" and self.is_listed(row, found, truth):
                        verdict = "listed"
                    said = number.title, found, float(truth)
                    told = Found(verdict, row, self.text, self.emit, self.point, *said)
                yield verdict, told

    def is_listed(self, row: str, found: float | None, truth: Any) -> bool:
        """Whether the manual's list has what is wrong, by the row at fault.

        A sum is so where it is 0, and found as a rounding of numbers that are no larger
        than those on the way through the formula as written.
        """
        op, path = row.partition("(")[0], self.book.path
        known = [abs(x) for i, x in enumerate(path.values) if path.has(i)]
        largest = max((x for x in known if math.isfinite(x)), default=0.0)
        is_zero = not truth and abs(found or 0.0) <= ALIKE * UNIT * largest
        in_sum = op in SUMS and is_zero or op in TURNS and largest > FAR
        return op in LISTED or in_sum

    def at_fault(self, number: Number, found: float | None, truth: Any) -> str:
        """The row at fault, or the pass."""
        program = self.compiled.functions[number.function].program
        if found is None:
            return described(program, run(program, self.point).fault())
        there, i = Exact(program, self.point), program.outputs[number.place]
        if near(there.values[i], truth):
            return described(program, there.departure(i))
        if len(number.along) > 1:
            return "second derivative"
        program = self.compiled.formula
        for title, change in passes(self.wrt, False):
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
    except GradcError:
        yield "none", None
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        yield "crash", Found("crash", type(error).__name__, text, emit, point, said)


def drawn(seed: int, k: int) -> tuple[str, str, list[Point]]:
    """A formula, what is asked beside its gradient, and points."""
    random = Random(f"{seed} {k}")
    is_rich, lines = random.random() < 0.4, random.choice((0, 0, 1, 2))
    options: Any = {"branches": is_rich, "guarded": is_rich, "pairs": not is_rich}
    options["idioms"] = random.choice(((), IDIOMS))
    while (
        len((found := formula(random, ROWS, CONSTANTS, lines, **options)).text) > LONG
    ):
        pass
    points = [found.point(random, (*SPECIAL, *FARTHER)) for _ in range(POINTS)]
    return found.text, "" if k % SECOND or is_rich else "hessian", points


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
    for item in gradc.compile(found.text).formula.inputs if found.point else ():
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
            if met[found.key] <= SHOWN:
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
            if key not in VERDICTS:  # or formulas in blocks that were left
                yield f"{count:7}  {key}"
            for found in self.small.get(key, ()):
                text = found.text.replace("\n", "; ")
                yield f"{'':9}{text}  {found.emit} at {found.point}:"
                yield f"{'':9}{found.what} is {found.truth}, found {found.number}"


def blocks(seed: int, todo: list[range], jobs: int) -> Iterator[dict[str, Any]]:
    """The blocks in order; one that does not end is left."""
    while todo:
        with get_context("spawn").Pool(jobs) as pool:
            found = pool.imap(partial(block, seed), todo)
            for k, ks in enumerate(todo, 1):
                try:
                    yield found.next(PATIENCE)
                except TimeoutError:
                    counts = {"endless": len(ks)}
                    at = {"seed": seed, "start": ks[0], "size": len(ks)}
                    yield {**at, "counts": counts, "told": []}
                    break
        todo = todo[k:]


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
    for k, noted in enumerate(blocks(given.seed, todo, given.jobs), 1):
        tally.note(noted)
        rate = k * BLOCK / (time.monotonic() - start)
        left = (len(todo) - k) * BLOCK / rate / 60
        found = tally.counts["wrong"] + tally.counts["crash"]
        said = f"{tally.formulas} formulas, {rate:.0f} a second, {found} wrong"
        print(f"\r{said}, {left:.0f} min left", end=" ", file=sys.stderr, flush=True)
    print("", *tally.lines(), sep="\n")
    return int(tally.counts["wrong"] + tally.counts["crash"] > 0)


if __name__ == "__main__":
    sys.exit(main())
