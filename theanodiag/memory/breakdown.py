"""Breaks a peak down into lines by kind of memory, which add up to it exactly."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Sequence
from dataclasses import replace
from operator import attrgetter

from .heap import Buffer
from .profile import Item, ItemKind, LiveVariable, MemoryProfile, Origin


def items(buffers: Sequence[Buffer], reserved: int, origin: Origin, exact: Container[ItemKind] = ()) -> tuple[Item, ...]:
    """Bytes by kind of memory, one line for the allocator's rounding, and, outside of the sum, one for reserved bytes that are not live.

    Kinds in `exact` are DERIVED whatever the `origin` of the others.
    """
    asked: dict[ItemKind, int] = defaultdict(int)
    for buffer in buffers:
        asked[buffer.tag.kind] += buffer.asked
    held = sum(b.held for b in buffers)
    lines = [Item(kind, asked[kind], Origin.DERIVED if kind in exact else origin) for kind in ItemKind if kind in asked]
    lines.append(Item(ItemKind.ROUNDING, held - sum(asked.values()), Origin.DERIVED))
    lines.append(Item(ItemKind.FRAGMENTATION, reserved - held, origin))
    return tuple(line for line in lines if line.bytes)


def with_reserved(profile: MemoryProfile, reserved: int) -> MemoryProfile:
    """The profile with `reserved` bytes reserved, since a later call took more from the driver, which gets nothing back."""
    more = Item(ItemKind.FRAGMENTATION, reserved - profile.figures.live_peak_bytes, profile.origin)
    lines = (*(line for line in profile.items if line.kind is not ItemKind.FRAGMENTATION), more)
    return replace(profile, figures=replace(profile.figures, reserved_bytes=reserved), items=lines)


def live_variables(buffers: Sequence[Buffer]) -> tuple[LiveVariable, ...]:
    """The buffers as rows for a report, largest first; of equal size, the one taken first."""
    rows = [(b.held, b.tag) for b in sorted(buffers, key=attrgetter("held"), reverse=True)]  # stable: of equal sizes, the one taken first
    # tuple.__new__ takes half the time of LiveVariable(...)
    return tuple([tuple.__new__(LiveVariable, (t.variable, t.op, t.dtype, t.shape, held, t.kind, t.site, t.shared)) for held, t in rows])
