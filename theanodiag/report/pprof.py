"""What is live at the peak as a profile for `pprof`, as JAX's `save_device_memory_profile` writes one; its bytes add up to the live peak.

Source of field numbers: github.com/google/pprof, proto/profile.proto; of the two values a sample has: JAX, jax/_src/profiler.py and
openxla/xla, xla/python/pprof_profile_builder.cc (`space` in bytes, `allocations` by count).
"""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterable

from .collapsed import StackFrame, stack
from .event_timeline import timeline_of
from .formats import View
from .model import Report

SAMPLE_TYPE, SAMPLE, LOCATION, FUNCTION, STRING_TABLE = 1, 2, 4, 5, 6
"""Field numbers of the protobuf message Profile."""
SAMPLE_LOCATIONS, SAMPLE_VALUES = 1, 2
LOCATION_ID, LOCATION_LINE, LINE_FUNCTION, LINE_NUMBER = 1, 4, 1, 2
FUNCTION_ID, FUNCTION_NAME, FUNCTION_FILE = 1, 2, 4
TYPE, UNIT = 1, 2
"""Field numbers of the protobuf message ValueType."""


def show(report: Report, view: View) -> bytes:
    """Returns the profile as a gzipped protobuf message; `view` has no effect."""
    timeline = timeline_of(report)
    counts: Counter[tuple[StackFrame, ...]] = Counter()
    held: Counter[tuple[StackFrame, ...]] = Counter()
    for a in timeline.at(timeline.peak_clock):
        frames = stack(report, timeline, a)
        counts[frames] += 1
        held[frames] += a.held
    return gzip.compress(_profile(held, counts), mtime=0)


def _profile(held: Counter[tuple[StackFrame, ...]], counts: Counter[tuple[StackFrame, ...]]) -> bytes:
    """The Profile message: strings, functions and locations get numbers, and each sample lists its locations from the innermost on."""
    strings: dict[str, int] = {"": 0}
    places: dict[StackFrame, int] = {}
    out = []
    for kind, unit in ("allocations", "count"), ("space", "bytes"):
        out.append(_inner(SAMPLE_TYPE, _number(TYPE, _index(strings, kind)) + _number(UNIT, _index(strings, unit))))
    for frames, size in held.most_common():
        at = [places.setdefault(frame, len(places) + 1) for frame in reversed(frames)]
        out.append(_inner(SAMPLE, _packed(SAMPLE_LOCATIONS, at) + _packed(SAMPLE_VALUES, (counts[frames], size))))
    for (name, path, line), number in places.items():
        where = _number(LINE_FUNCTION, number) + _number(LINE_NUMBER, line)
        out.append(_inner(LOCATION, _number(LOCATION_ID, number) + _inner(LOCATION_LINE, where)))
        named = _number(FUNCTION_NAME, _index(strings, name)) + _number(FUNCTION_FILE, _index(strings, path))
        out.append(_inner(FUNCTION, _number(FUNCTION_ID, number) + named))
    return b"".join([*out, *(_inner(STRING_TABLE, text.encode("utf-8")) for text in strings)])


def _index(strings: dict[str, int], text: str) -> int:
    """The index of a string in the string table, to which it is added if missing."""
    return strings.setdefault(text, len(strings))


def _varint(n: int) -> bytes:
    """A number encoded as a varint: base 128, low digits first (protobuf.dev, "Encoding")."""
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes([*out, n])


def _number(field: int, n: int) -> bytes:
    """Encodes a protobuf field that is a number."""
    return _varint(field << 3) + _varint(n)


def _inner(field: int, body: bytes) -> bytes:
    """Encodes a protobuf field that is a message or a text."""
    return _varint(field << 3 | 2) + _varint(len(body)) + body


def _packed(field: int, numbers: Iterable[int]) -> bytes:
    """Encodes a protobuf field of several numbers."""
    return _inner(field, b"".join(map(_varint, numbers)))
