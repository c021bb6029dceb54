"""The command `gradc`, and `python -m gradc`."""

import gc
import os
import sys

# Modules that have something to do or to say when the process ends.
WATCHING = frozenset("cProfile coverage pdb profile trace".split())


def run() -> int:
    """Run the command line in a process of its own, and return the exit code.

    The collector is off to the end: it would look through a hundred modules again and
    again, and once more when the process is over. Nor does the process take its objects
    apart then, which are millions for a long formula, unless somebody watches it.
    """
    gc.disable()
    from gradc.cli import main

    code = main()
    if WATCHING.isdisjoint(sys.modules):
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        os._exit(code)
    return code


if __name__ == "__main__":
    sys.exit(run())
