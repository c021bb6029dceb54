"""`python -m tests.benchmarks`: measure, print tables, and write them down if asked."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.benchmarks import building, generated, matrices, peers, picture, training
from tests.benchmarks.report import Table, machine

PARTS = ("generated", "matrices", "compiler", "peers", "training")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks", description=__doc__
    )
    parser.add_argument(
        "--only",
        choices=PARTS,
        action="append",
        help="measure this part, not all",
    )
    parser.add_argument("--quick", action="store_true", help="fewer and smaller runs")
    parser.add_argument(
        "--full", action="store_true", help="compile a million operations as well"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers")
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="draw them, if matplotlib is there"
    )
    return parser.parse_args()


def main() -> None:
    options = arguments()
    parts = options.only or PARTS
    found: dict[str, Any] = {"machine": machine()}
    print(", ".join(f"{key}: {word}" for key, word in machine().items()))
    if "generated" in parts:
        found["generated"] = generated.measured(options.quick)
        show(generated.table(found["generated"]))
    if "matrices" in parts:
        found["matrices"] = matrices.measured(options.quick)
        show(matrices.table(found["matrices"]))
    if "compiler" in parts:
        found["builds"] = building.measured(options.quick, options.full)
        show(building.table(found["builds"]))
        found["felt"] = building.felt(options.quick)
        show(building.felt_table(found["felt"]))
    if "peers" in parts:
        found["peers"] = peers.measured(options.quick)
        show(peers.table(found["peers"]))
    if "training" in parts:
        found["training"] = training.measured(options.quick)
        found["recording"] = training.recording(options.quick)
        show(training.table(found["training"], found["recording"]))
    if options.json:
        options.json.write_text(json.dumps(plain(found), indent=1) + "\n")
    if options.plot:
        draw(found, options.plot)


def show(table: Table) -> None:
    print(f"\n{table}", flush=True)


def plain(found: dict[str, Any]) -> dict[str, Any]:
    """The numbers as JSON can hold them."""
    return {
        part: [asdict(row) for row in rows] if isinstance(rows, list) else rows
        for part, rows in found.items()
    }


def draw(found: dict[str, Any], path: Path) -> None:
    if find_spec("matplotlib"):
        picture.draw(found, path)
    else:
        print("\nno picture: matplotlib is not installed")


if __name__ == "__main__":
    main()
