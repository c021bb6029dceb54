"""A process that compiles and times formulas with the gradc of one folder.

`python worker.py FOLDER`: reads a line of JSON for each task and answers with one, so
that two folders can take turns. Nothing else of this project is imported. Times are
processor seconds.
"""

from __future__ import annotations

import gc
import json
import sys
from itertools import repeat
from time import perf_counter, process_time
from typing import Any

LEAST = 3e-4  # seconds that a function is called for at a point


class Worker:
    """The tasks, by name."""

    def __init__(self, folder: str) -> None:
        sys.path.insert(0, folder)
        import gradc

        assert gradc.__file__.startswith(folder), gradc.__file__
        self.gradc: Any = gradc
        self.function: Any = None
        self.calls = 1

    def compile(self, formula: str, inputs: list[str]) -> float:
        """Compile a formula as far as the text of its module."""
        gc.collect()
        start = process_time()
        source = self.gradc.compile(formula, inputs=inputs).source
        taken = process_time() - start
        assert source
        return taken

    def load(self, formula: str, inputs: list[str], point: list[float]) -> bool:
        """Make the function of a module ready to be timed; False if it raises."""
        module: dict[str, Any] = {"__name__": "loaded"}
        exec(self.gradc.compile(formula, inputs=inputs).source, module)
        self.function = module["value_and_grad"]
        self.calls = 10
        try:
            taken = max(self.call(point), 1e-8)
        except (ValueError, ArithmeticError):
            return False
        self.calls = max(1, int(LEAST / taken))
        return True

    def call(self, point: list[float]) -> float:
        """Seconds of a call at a point."""
        function = self.function
        start = perf_counter()
        for _ in repeat(None, self.calls):
            function(*point)
        return (perf_counter() - start) / self.calls


def main(folder: str) -> None:
    worker = Worker(folder)
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        print(json.dumps(getattr(worker, name)(*arguments)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
