"""The command `gradc`, and `python -m gradc`."""

import gc
import sys


def run() -> int:
    """Run the command line in a process of its own, and return the exit code.

    Nothing that the compiler makes refers to itself, so the collector has nothing to
    find: it would look through all of a long formula again and again.
    """
    gc.disable()
    from gradc.cli import main

    return main()


if __name__ == "__main__":
    sys.exit(run())
