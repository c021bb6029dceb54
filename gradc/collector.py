"""Python's cyclic garbage collector, held off while millions of objects come to be.

Nothing that the compiler makes refers to itself, so there is nothing to collect; the
collector would only look through all of it again and again.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_held() -> Iterator[None]:
    """Hold the collector off, and restore it after."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
