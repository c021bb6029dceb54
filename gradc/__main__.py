"""The command `python -m gradc`."""

import sys

from gradc.cli import main

if __name__ == "__main__":
    sys.exit(main())
