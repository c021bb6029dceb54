"""Python's cyclic garbage collector, held off while millions of objects come to be.

Nothing that the compiler makes refers to itself, so there is nothing to collect; the
collector would only look through all of it again and again.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_held() -> Iterator[None]:
    """Hold the collector off, and restore it after.

    What came to be meanwhile then counts as old: to freeze all objects and to unfreeze
    them moves them there without looking at any, unless the caller keeps some frozen.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            if not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()
            gc.enable()
