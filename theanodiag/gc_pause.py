"""Switches the garbage collector off while many objects are made: it would scan the growing heap again and again."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collections() -> Iterator[None]:
    """Context manager that disables the cyclic garbage collector. Without it, the time to make many objects would grow faster than their
    number.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            if not gc.get_freeze_count():  # what was made becomes old at once, instead of being walked
                gc.freeze()
                gc.unfreeze()
            gc.enable()
