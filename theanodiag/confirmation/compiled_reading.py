"""Parses the events of the instruments for JAX and torch (`inside/jax_calls.py`, `inside/torch_calls.py`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from ..ir import Unknown
from ..ir.cursor import Cursor
from .model import PEAK, RESERVED, Bytes, CallMeasurement, CompiledWhole, Measured
from .reading import PLACE, out_of_memory

ARGUMENTS, OUTPUTS, TEMPORARIES = "arguments_bytes", "outputs_bytes", "temporaries_bytes"
"""Names of figures: bytes of arguments, results and temporaries of one call."""
XLA_ARGUMENTS, XLA_OUTPUTS = "xla_arguments_bytes", "xla_outputs_bytes"
"""Figures of XLA's own analysis before the run, which our predictions are compared with."""
RISEN = "resident_risen_bytes"
"""By how much the process's resident memory rose during the call, at its most: what libraries take for themselves is in it."""
UNTOLD = Unknown("this system does not tell a process its peak anew")
UNCOUNTED = Unknown("not measured on the CPU")
IN_PEAK = Unknown("the allocator counts one peak for all that is live")
EARLIER = Unknown("an earlier peak of the process was higher")
NO_ANALYSIS = Unknown("this version of JAX gives no analysis on this device")
ROUNDING = 256
"""XLA's allocator on a GPU rounds each buffer up to a multiple of this many bytes (tsl/framework/bfc_allocator.h, kMinAllocationSize)."""


def read_jax(events: Sequence[Mapping[str, object]]) -> Measured:
    """Bytes of arguments, results and temporaries and the peak of each call, and the process's peak and pool limit."""
    return _read(events, _jax_call, {"peak_bytes_in_use": "live_peak_bytes", "bytes_limit": "pool_limit_bytes"})


def read_torch(events: Sequence[Mapping[str, object]]) -> Measured:
    """Bytes of arguments and results of each call, and on CUDA the peaks that the caching allocator counted."""
    return _read(events, _torch_call, {"peak": "live_peak_bytes", "reserved": "reserved_peak_bytes"})


def _read(events: Sequence[Mapping[str, object]], call: Callable[[Cursor, int], CallMeasurement], process: Mapping[str, str]) -> Measured:
    rows = [Cursor(dict(e), step=PLACE) for e in events]
    calls = tuple(call(r, i) for r in rows if r.maybe_text("what") == "piece" and (i := r.maybe_integer("function")) is not None)
    last = next((s for r in reversed(rows) if r.maybe_text("what") == "end" and (s := r.maybe("after")) is not None), None)
    told = {} if last is None else {name: last.key(key).integer() for key, name in process.items() if key in last.table()}
    out = next((out_of_memory(r) for r in rows if r.maybe_text("what") == "oom"), None)
    return Measured(calls, told, out, tuple(_notes(rows)))


def _jax_call(at: Cursor, function: int) -> CallMeasurement:
    analysis, before, after = (_numbers(at, name) for name in ("analysis", "before", "after"))
    if not (analysis or {}).get("argument") and at.key("arguments").integer():
        analysis = None  # versions that count nothing on the CPU say 0
    figures: dict[str, Bytes] = {ARGUMENTS: at.key("arguments").integer(), OUTPUTS: at.key("outputs").integer()}
    figures[XLA_ARGUMENTS] = NO_ANALYSIS if analysis is None else analysis["argument"]
    figures[XLA_OUTPUTS] = NO_ANALYSIS if analysis is None else analysis["output"]
    figures[TEMPORARIES] = UNCOUNTED if after is None else IN_PEAK
    figures[PEAK] = _risen(before, after, "peak_bytes_in_use")
    if after is None:
        figures[RISEN] = _grown(at)
    estimated = {} if analysis is None else {TEMPORARIES: analysis["temp"], PEAK: _peak(at, analysis, before)}
    whole = CompiledWhole(at.integers("constants"), _texts(at, "argument_types"), _texts(at, "result_types"))
    return CallMeasurement(function, at.key("call").integer(), figures, (), _seconds(at), estimated, whole)


def _peak(at: Cursor, analysis: Mapping[str, int], before: Mapping[str, int] | None) -> int:
    """XLA's predicted peak: bytes used before, arguments moved to the device, results and temporaries, with `ROUNDING` for each buffer."""
    live = analysis["argument"] if before is None else before["bytes_in_use"] + at.key("moved").integer()
    made = analysis["output"] + analysis["temp"] - analysis["alias"]
    return live + made + (0 if before is None else ROUNDING * (1 + at.key("pieces").integer()))


def _torch_call(at: Cursor, function: int) -> CallMeasurement:
    after = _numbers(at, "after")
    figures: dict[str, Bytes] = {ARGUMENTS: at.key("arguments").integer(), OUTPUTS: at.key("outputs").integer()}
    figures[PEAK] = UNCOUNTED if after is None else after["peak"]
    figures[RESERVED] = UNCOUNTED if after is None else after["reserved"]
    if after is None:
        figures[RISEN] = _grown(at)
    return CallMeasurement(function, at.key("call").integer(), figures, (), _seconds(at))


def _risen(before: Mapping[str, int] | None, after: Mapping[str, int] | None, name: str) -> Bytes:
    """The value after the call of a counter that only rises; Unknown where this call did not raise it."""
    if before is None or after is None or name not in after:
        return UNCOUNTED
    return after[name] if after[name] > before.get(name, 0) else EARLIER


def _grown(at: Cursor) -> Bytes:
    risen = at.maybe_integer("risen")
    return UNTOLD if risen is None else risen


def _numbers(at: Cursor, name: str) -> Mapping[str, int] | None:
    found = at.maybe(name)
    return None if found is None else {k: found.key(k).integer() for k in found.table()}


def _texts(at: Cursor, name: str) -> tuple[str | None, ...]:
    return tuple(None if row.value is None else row.text() for row in at.rows(name))


def _seconds(at: Cursor) -> float | Unknown:
    found = at.key("seconds").number()
    return Unknown("it was not timed") if found is None else found


def _notes(rows: Sequence[Cursor]) -> Iterator[str]:
    yield from (text for row in rows if (text := row.maybe_text("note")) is not None)
    segments = [s["segments"] for row in rows if row.maybe_text("what") == "end" and (s := _numbers(row, "after")) and "segments" in s]
    yield from (f"torch holds {n} segments at the end" for n in segments)
