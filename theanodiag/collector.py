"""Work that makes many objects and no garbage, without the garbage collector: it would walk the growing heap again and again."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collections() -> Iterator[None]:
    """Keeps the collector off, so that time grows with what is made, not faster."""
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
