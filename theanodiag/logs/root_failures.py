"""Which failures of a log explain which others: an explained failure is a consequence, an unexplained one is a root."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .command_messages import NETWORK
from .matching import Event
from .model import Cause, Weight
from .request import says_bytes


@dataclass(frozen=True)
class Explanation:
    """A failure that explains another failure near it."""

    root: Callable[[Event], object]
    """Whether an event is such a root."""
    consequence: Callable[[Event], object]
    """Whether an event is a consequence of it."""
    within: int = 1 << 60
    """Maximum number of characters of the log between the two."""
    after: bool = True
    """Whether the consequence may follow the root."""
    before: bool = False
    """Whether the consequence may precede the root."""


def _of(*causes: Cause, said: str = "") -> Callable[[Event], bool]:
    """Whether an event has one of these causes, and these words in its line."""
    pattern = re.compile(said) if said else None
    return lambda event: event.cause in causes and (pattern is None or pattern.search(event.match.string.partition("\n")[0]) is not None)


def _is_memory(event: Event) -> bool:
    return event.weight is Weight.MEMORY


def _sized(event: Event) -> bool:
    """Whether a message about memory says how much, or how much a killed process held."""
    return _is_memory(event) and (says_bytes(event.match) is not None or event.match.groupdict().get("own_kib") is not None)


def _specific(event: Event) -> bool:
    """Whether a compiler's message names the error, and not only that there was one."""
    return event.cause is Cause.COMPILER and event.form.anchor not in _GENERIC and bool(event.form.advice or event.match.groupdict())


def _vague(event: Event) -> bool:
    return event.cause is Cause.COMPILER and not _specific(event)


_GENERIC = (
    "ld returned 1 exit status", "linker command failed with exit code", "Compilation failed (return status=", "CompileError",
    "Problem occurred during compilation with the command line", "You can find the C code in this temporary file",
    "The following error happened while compiling the node", "nvcc return status",
)  # fmt: skip
"""Messages of compilers, and of what calls them, that only say that something failed."""
_HALF_IMPORTED = r"(?:[Mm]odule '?(?:theano|aesara|pytensor|pymc3?)(?:\.\w+)*'? has no attribute|partially initialized|cannot import name)"
BLOCK = 20_000
"""Maximum number of characters of a compiler's output, its command and its source lines."""
PROBE = 2_000
"""Maximum number of characters after a message that cuDNN cannot be used, within which compiler messages only explain it."""
_STOP_COMPILERS = (Cause.PYTHON_TOO_NEW, Cause.NUMPY_TOO_NEW, Cause.BLAS, Cause.KILLED, Cause.DISK_FULL, Cause.COMPILE_LOCK)
"""Causes for which a compiler fails; a warning that NumPy's BLAS is used is none."""
_NO_COMPILER = ("g++ not detected", "g++ not available")

TABLE = (
    # the kernel ends a process since memory is short, whatever the process itself says
    Explanation(_of(Cause.KILLED), lambda e: _is_memory(e) and e.cause is not Cause.KILLED, after=False, before=True),
    Explanation(_is_memory, lambda e: not _is_memory(e)),
    Explanation(_sized, lambda e: _is_memory(e) and not _sized(e) and e.cause is not Cause.KILLED, before=True),
    Explanation(lambda e: _sized(e) and e.cause is Cause.KILLED, lambda e: e.cause is Cause.KILLED and not _sized(e), before=True),
    # a back-end that could not reserve its memory has none for what it tries after
    Explanation(_of(Cause.PREALLOCATION), _of(Cause.DEVICE_UNKNOWN_SIZE, Cause.LIBRARY_MEMORY), within=BLOCK),
    # who was stopped while it waited for a lock, was stopped
    Explanation(_of(Cause.STOPPED), _of(Cause.COMPILE_LOCK), before=True),
    # without a driver no library of the GPU starts
    Explanation(_of(Cause.GPU_NOT_STARTED, said="(?i)driver|no_?device|no CUDA-capable"), _of(Cause.CUDNN_UNAVAILABLE)),
    Explanation(
        _of(Cause.GPU_NOT_STARTED, said="insufficient driver"), _of(Cause.LIBRARY_MEMORY, said="cudnn handle"), within=PROBE, before=True
    ),
    # an installer that reaches no index finds nothing in it
    Explanation(
        lambda e: e.form in NETWORK, _of(Cause.LIBRARIES, said="matching distribution|satisfies the requirement|No solution found")
    ),
    # a device that failed gives no memory any more
    Explanation(
        _of(Cause.GPU_FAULT, said=r"launch failure|illegal|misaligned|assert|timed out|ECC|LAUNCH_FAILED|ILLEGAL"),
        _of(Cause.DEVICE_UNKNOWN_SIZE, Cause.LIBRARY_MEMORY),
    ),
    # the trial whether programs compile with cuDNN; what Theano says of cuDNN beside the GPU's name is no error
    Explanation(
        lambda e: e.cause is Cause.CUDNN_UNAVAILABLE and not e.match.string.startswith("Using gpu device"),
        _of(Cause.COMPILER, Cause.BLAS),
        within=PROBE,
    ),
    Explanation(
        lambda e: e.weight is not Weight.NOTE and e.cause in _STOP_COMPILERS,
        lambda e: e.cause is Cause.COMPILER and e.form.anchor not in _NO_COMPILER and e.weight is not Weight.NOTE,
        within=BLOCK,
        before=True,
    ),
    Explanation(_specific, _vague, within=BLOCK, before=True),
    Explanation(lambda e: e.form.anchor in _NO_COMPILER, _of(Cause.BLAS)),
    Explanation(_of(Cause.COMPILER), _of(Cause.LIBRARIES, said=_HALF_IMPORTED), within=BLOCK),
    Explanation(
        lambda e: e.cause is Cause.COMPILER and e.weight is not Weight.NOTE,
        _of(Cause.GPU_NOT_STARTED, said="(?i)cuda unava?ila?ble|initiali[sz]e pygpu|forced|is installed, but|disabled"),
        within=BLOCK,
        before=True,
    ),
    # the report of a rewrite that failed quotes what it raised
    Explanation(_of(Cause.REWRITE_FAILED, said="BUG IN FGRAPH"), lambda e: e.cause is not Cause.REWRITE_FAILED, within=0),
    # what was not started lacks its names
    Explanation(_of(Cause.GPU_NOT_STARTED), _of(Cause.LIBRARIES, Cause.NOT_RECOGNISED, said=r"'module' object has no attribute")),
    Explanation(
        lambda e: e.cause is Cause.GPU_NOT_STARTED and bool(e.form.advice or e.match.groupdict().get("what")),
        lambda e: e.cause is Cause.GPU_NOT_STARTED and not (e.form.advice or e.match.groupdict().get("what")),
        within=BLOCK,
        before=True,
    ),
    # the library that was not found, of what then fails
    Explanation(
        _of(Cause.GPU_NOT_STARTED, said=r"dynamic library 'lib(?:cusolver|cublas|cusparse|cufft|cudnn|curand)"),
        _of(Cause.LIBRARY_MEMORY, Cause.GPU_FAULT, Cause.CUDNN_UNAVAILABLE),
    ),
    # a child's exception, for its parent
    Explanation(lambda e: e.cause is not Cause.PROCESS_LOST and e.weight is not Weight.NOTE, _of(Cause.PROCESS_LOST)),
)
"""Pairs of root and consequence. Anything that is not in this table is not a consequence: the last failure of a log ended the job."""


def roots(events: Sequence[Event]) -> list[Event]:
    """Returns the events that no other event explains, in the order of the log."""
    explained: set[int] = set()
    for row in TABLE:
        places = sorted(event.at for event in events if row.root(event))
        for index, event in enumerate(events):
            if places and row.consequence(event) and _has_root(row, places, event.at):
                explained.add(index)
    return [event for index, event in enumerate(events) if index not in explained] or list(events)


def _has_root(row: Explanation, places: Sequence[int], at: int) -> bool:
    """Whether one of these places is near enough, and on the right side; a line may have both."""
    earlier, later = bisect_right(places, at), bisect_left(places, at)
    return (row.after and earlier > 0 and places[earlier - 1] >= at - row.within) or (
        row.before and later < len(places) and places[later] <= at + row.within
    )
