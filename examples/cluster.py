"""Fits one formula to readings in many CSV files, over the processes of a Dask cluster.

    python examples/cluster.py decay.txt a=1,b=1 parts/*.csv

A worker reads one file after the other and returns sums of products of the residuals and
their slopes; what travels is a small matrix, and no machine holds all rows. The workers
need NumPy and Dask only: the module that gradc writes of the formula is sent to them.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from dask.distributed import Client, LocalCluster

import gradc
from gradc.levenberg import Found, Task, least


def part(path: str, parameters: Sequence[float]) -> tuple[int, np.ndarray]:
    """Return the number of rows in a file, and the sums of products over them."""
    import residual  # which `fit` has sent

    with open(path, encoding="utf-8") as file:
        names = file.readline().strip().split(",")
        columns = np.loadtxt(file, delimiter=",", ndmin=2, unpack=True)
    given = dict(zip(names, columns)) | dict(zip(residual.WRT, parameters))
    try:
        found = residual.gram(**{x: given[x] for x in residual.INPUTS})
    except ArithmeticError:  # a row has no value there
        found = np.full((len(parameters) + 1,) * 2, np.nan)
    return columns.shape[1], found


def fit(
    client: Client, formula: str, start: dict[str, float], paths: Sequence[str]
) -> tuple[tuple[str, ...], Found]:
    """Return the names of the parameters, and where the squares are least.

    `formula` returns the column of residuals.
    """
    f = gradc.compile(formula, numpy=True, emit="gram", wrt=[*start], check=True)
    if "\nADDITIVE = True" not in f.source:
        raise ValueError("the sums over parts of the rows are not those over all")
    with TemporaryDirectory() as folder:
        f.save(Path(folder) / "residual.py")
        client.upload_file(str(Path(folder) / "residual.py"))

    def sums(parameters: np.ndarray) -> tuple[int, np.ndarray]:
        tasks = client.map(part, paths, parameters=[*parameters], pure=False)
        counts, grams = zip(*client.gather(tasks))  # in the order of the files
        return sum(counts), sum(grams)

    first = np.array([start[name] for name in f.wrt])
    rows, _ = sums(first)
    return f.wrt, least(Task(lambda parameters: sums(parameters)[1], rows), first)


def main() -> None:
    parser = argparse.ArgumentParser(description="Fit a formula to many CSV files.")
    parser.add_argument("formula", help="a file whose result is a column of residuals")
    parser.add_argument("start", help="where to begin, as in a=1,b=0.5")
    parser.add_argument("files", nargs="+", help="CSV files with names in a first line")
    parser.add_argument("--scheduler", help="that of a cluster, tcp://host:8786")
    parser.add_argument("--workers", type=int, default=2, help="processes without one")
    parser.add_argument("--memory", default="auto", help="of each, as in 200MB")
    args = parser.parse_args()
    pairs = [pair.split("=") for pair in args.start.split(",")]
    start = {name: float(number) for name, number in pairs}
    formula = Path(args.formula).read_text(encoding="utf-8")
    cluster = args.scheduler or LocalCluster(
        n_workers=args.workers, threads_per_worker=1, memory_limit=args.memory
    )
    with Client(cluster) as client:
        names, found = fit(client, formula, start, args.files)
    for name, number in zip(names, found.b.tolist()):
        print(f"{name} {number!r}")
    print(found.reason or f"converged in {found.evaluations} evaluations")


if __name__ == "__main__":
    main()
