"""The command `gradc`, and `python -m gradc`."""

import gc
import sys


def run() -> int:
    """Run the command line in a process of its own, and return the exit code.

    The collector is off to the end: it would look through a hundred modules again and
    again, and once more when the process is over.
    """
    gc.disable()
    from gradc.cli import main

    return main()


if __name__ == "__main__":
    sys.exit(run())
