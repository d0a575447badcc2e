"""Ends a piece of work in this process after some seconds."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from ..errors import UnreadableError


class _TimeIsUpError(BaseException):
    """Not an Exception, so that no `except Exception` on the way keeps it."""


@contextmanager
def time_limit(seconds: float, path: str, help: str) -> Iterator[None]:
    """Raises UnreadableError about `path`, with the advice `help`, in what the `with` holds once `seconds` are over.

    There is no limit in other threads than the main one, nor on systems without interval timers (Windows).
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise _TimeIsUpError

    before = signal.signal(signal.SIGALRM, ring)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds)
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except _TimeIsUpError:
        raise UnreadableError(f"given up after {seconds:g} s", path=path, help=help) from None
    finally:
        signal.signal(signal.SIGALRM, before)
