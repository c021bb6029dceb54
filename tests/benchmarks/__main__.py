"""Measures the compiler and what it writes, prints the figures, and marks the bad ones.

Everything runs interleaved with what it is held against, so that other work of the
machine meets both sides; figures are medians of ratios.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tests.benchmarks import (
    against,
    certain,
    generated,
    javascript,
    native,
    rows,
    scale,
    steady,
)

PARTS = (
    "generated",
    "steady",
    "scale",
    "certified",
    "rows",
    "javascript",
    "native",
    "compiling",
    "calling",
    "starting",
)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks", description=__doc__
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument(
        "--against",
        type=Path,
        metavar="DIR",
        help="an older checkout, for compiling, calling and starting",
    )
    parser.add_argument("--quick", action="store_true", help="fewer and smaller runs")
    parser.add_argument(
        "--full", action="store_true", help="a million operations as well"
    )
    options = parser.parse_args()
    unknown = {*options.parts} - {*PARTS}
    if unknown:
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {PARTS}")
    parts = options.parts or PARTS
    quick, older = options.quick, options.against
    if "generated" in parts:
        generated.run(20 if quick else 200)
    if "steady" in parts:
        steady.run(5 if quick else 15)
    if "scale" in parts:
        scale.run(10_000 if quick else 100_000, 1 if quick else 3, options.full)
    if "certified" in parts:
        print(certain.figures(8 if quick else 1))
    if "rows" in parts:
        rows.run(5 if quick else 31)
    if "javascript" in parts:
        javascript.run(21 if quick else 201)
    if "native" in parts:
        native.run(20 if quick else 200)
    if older is None:
        return
    if "compiling" in parts:
        against.compiling(older, 1 if quick else 3, 8 if quick else 1)
    if "calling" in parts:
        against.calling(older, 2 if quick else 15)
    if "starting" in parts:
        against.starting(older, 7 if quick else 25)


if __name__ == "__main__":
    main()
