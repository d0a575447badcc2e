"""Limits the time of a block of code in this process."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import signal
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from ..errors import UnreadableError

_LONG = 0.5
"""Seconds of a block after which the garbage that it left is collected at its end: that takes seconds for a large syntax tree, which the
next block should not pay for.
"""
AGAIN = 1.0
"""Seconds after which the exception is raised again, since Python discards exceptions raised inside a garbage-collection or import
callback.
"""


_OURS = (__file__, contextlib.__file__)
"""Files whose frames set the alarm and switch it off; the exception is not raised within them."""


class _TimeIsUpError(BaseException):
    """Raised when the time is up. It does not derive from Exception, so that no `except Exception` swallows it."""


@contextmanager
def time_limit(seconds: float, path: str, help: str) -> Iterator[None]:
    """Raises UnreadableError about `path`, with the advice `help`, inside the `with` block once `seconds` have passed.

    In the main thread a signal also interrupts blocking system calls. In other threads, and on systems without interval timers (Windows),
    the work ends at the next bytecode of Python: a call into C that does not return is not ended.
    """
    here = threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer")
    start = time.monotonic()
    try:
        with _alarm(seconds) if here else _timer(seconds):
            yield
    except _TimeIsUpError as error:
        traceback.clear_frames(error.__traceback__)  # what they hold is garbage now
        raise UnreadableError(f"given up after {seconds:g} s", path=path, help=help) from None
    finally:
        if time.monotonic() - start > _LONG:
            gc.collect()


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    def ring(number: int, frame: FrameType | None) -> None:
        # Raised inside the `finally` below it would leave the timer running, and the default action of its next signal ends the process.
        if frame is None or frame.f_code.co_filename not in _OURS:
            raise _TimeIsUpError

    before = signal.signal(signal.SIGALRM, ring)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _timer(seconds: float) -> Iterator[None]:
    worker = ctypes.c_ulong(threading.get_ident())
    changing = threading.Lock()
    over = rang = False

    def ring() -> None:
        nonlocal rang
        with changing:
            if not over:
                rang = True
                ctypes.pythonapi.PyThreadState_SetAsyncExc(worker, ctypes.py_object(_TimeIsUpError))

    timer = threading.Timer(seconds, ring)
    timer.daemon = True
    timer.start()
    try:
        yield
    except _TimeIsUpError:
        rang = False  # seen
        raise
    finally:
        timer.cancel()
        with changing:
            over = True
        # An alarm at the last moment is delivered now, not in the code that follows. It cannot be revoked: CPython up to 3.12 then keeps
        # looking for it at each bytecode (`PyThreadState_SetAsyncExc(id, NULL)` leaves the flag up), and two threads come to a standstill.
        if rang:
            with suppress(_TimeIsUpError):
                for _ in range(1000):
                    pass
