"""Parses the events of the instrument `agent/measure/calls.py`."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence

from ..ir import Unknown
from ..ir.serial import Cursor
from .model import AFTER, BEFORE, HOST_TO_DEVICE, PEAK, RESERVED, Bytes, CallMeasurement, Measured, NodeMeasurement, OutOfMemory

KEPT = "the call handed out device arrays, which the script may keep"
WHOLE = "its linker runs all nodes as one function, so memory between nodes is not measured (linker=cvm runs them one by one)"
NOT_TOLD = "the driver does not report it"
PLACE = "what the instrument told"
"""Name of the instrument's events in error messages."""


class Reserved(enum.Enum):
    """Where the figure of reserved bytes (taken from the driver) comes from."""

    TOLD = "told"
    """The driver, or the simulated driver, reports it."""
    LIVE = "live"
    """It equals the live bytes: every buffer is allocated from the driver itself."""
    HOST = "host"
    """There is no such figure: memory is the host's."""


def read(events: Sequence[Mapping[str, object]], reserved: Reserved) -> Measured:
    """Builds the Measured of one run from the instrument's events."""
    rows = [Cursor(dict(e), step=PLACE) for e in events]
    calls = tuple(c for row in rows if row.maybe_text("what") == "call" and (c := _call(row, reserved)) is not None)
    last = next((row for row in reversed(rows) if row.maybe_text("what") == "process"), None)
    out = next((out_of_memory(row) for row in rows if row.maybe_text("what") == "oom"), None)
    process = {} if last is None else dict(_process(last, reserved, calls))
    return Measured(calls, process, out or _outside(last), tuple(text for row in rows if (text := row.maybe_text("note")) is not None))


def _call(at: Cursor, reserved: Reserved) -> CallMeasurement | None:
    function, seconds = at.maybe_integer("function"), at.key("seconds").number()
    if function is None:
        return None
    peak = _known(at, "peak", WHOLE)
    figures: dict[str, Bytes] = {BEFORE: at.key("before").integer(), PEAK: peak, AFTER: _known(at, "after", KEPT)}
    if reserved is not Reserved.HOST:
        figures[RESERVED] = _known(at, "reserved", NOT_TOLD) if reserved is Reserved.TOLD else peak
        figures[HOST_TO_DEVICE] = _known(at, "copied", "nobody counts")
    nodes = () if at.maybe("nodes") is None else tuple(_node(row) for row in at.rows("nodes"))
    timed = Unknown("it was not timed") if seconds is None else seconds
    return CallMeasurement(function, at.key("call").integer(), figures, nodes, timed)


def _known(at: Cursor, name: str, reason: str) -> Bytes:
    value = at.maybe_integer(name)
    return Unknown(reason) if value is None else value


def _node(at: Cursor) -> NodeMeasurement:
    position, op, live, reserved = at.rows()
    return NodeMeasurement(position.integer(), op.text(), live.integer(), None if reserved.value is None else reserved.integer())


def _process(at: Cursor, reserved: Reserved, calls: Sequence[CallMeasurement]) -> Iterator[tuple[str, Bytes]]:
    """The figures of the whole process that are known."""
    unseen = any(isinstance(call.figures[PEAK], Unknown) for call in calls)
    rows = {
        "live_peak_bytes": None if unseen else at.maybe_integer("peak"),
        "reserved_peak_bytes": {
            Reserved.TOLD: at.maybe_integer("reserved_peak"), Reserved.LIVE: at.maybe_integer("peak"), Reserved.HOST: None,
        }[reserved],
        "resident_peak_bytes": at.maybe_integer("resident"),
        "context_bytes": at.maybe_integer("context"),
        "driver_bytes": at.maybe_integer("beside"),
        "process_bytes": at.maybe_integer("process"),
    }  # fmt: skip
    yield from ((name, value) for name, value in rows.items() if value is not None)


def out_of_memory(at: Cursor) -> OutOfMemory:
    """Parses the event `oom`."""
    tensors = tuple((name.text(), size.integer()) for name, size in (row.rows() for row in at.rows("tensors")))
    return OutOfMemory(
        at.maybe_integer("function"), at.maybe_integer("call"), at.maybe_integer("node"), at.maybe_text("op"), at.maybe_integer("asked"),
        at.key("live").integer(), tensors, at.maybe_text("message") or "",
    )  # fmt: skip


def _outside(last: Cursor | None) -> OutOfMemory | None:
    """A failed allocation outside of any call, for a shared variable or a constant, or one that was retried; None where there was none."""
    if last is None or not last.maybe_integer("refused"):
        return None
    return OutOfMemory(None, None, None, None, last.maybe_integer("asked"), last.key("live").integer())
