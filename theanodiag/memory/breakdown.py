"""From what was live at the peak to the lines of the account, which add up to it exactly."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter

from .heap import Buffer
from .profile import Item, ItemKind, LiveVariable, MemoryProfile, Origin


def items(buffers: Sequence[Buffer], reserved: int, origin: Origin) -> tuple[Item, ...]:
    """One line a kind with the bytes asked for, one for rounding, and (beside the sum) what is reserved but not live."""
    asked: dict[ItemKind, int] = defaultdict(int)
    for buffer in buffers:
        asked[buffer.tag.kind] += buffer.asked
    held = sum(b.held for b in buffers)
    lines = [Item(kind, asked[kind], origin) for kind in ItemKind if kind in asked]
    lines.append(Item(ItemKind.ROUNDING, held - sum(asked.values()), Origin.DERIVED))
    lines.append(Item(ItemKind.FRAGMENTATION, reserved - held, origin))
    return tuple(line for line in lines if line.bytes)


def with_reserved(profile: MemoryProfile, reserved: int) -> MemoryProfile:
    """The same call where a later one took more from the driver: what is reserved is never given back, so the function needs it."""
    more = Item(ItemKind.FRAGMENTATION, reserved - profile.figures.live_peak_bytes, profile.origin)
    lines = (*(line for line in profile.items if line.kind is not ItemKind.FRAGMENTATION), more)
    return replace(profile, figures=replace(profile.figures, reserved_bytes=reserved), items=lines)


def live_variables(buffers: Sequence[Buffer]) -> tuple[LiveVariable, ...]:
    """The buffers, in the order in which they were taken, as lines for people: largest first."""
    rows = [(b.held, b.tag) for b in sorted(buffers, key=attrgetter("held"), reverse=True)]  # of equal ones the first stays the first
    # tuple.__new__ takes half the time of LiveVariable(...)
    return tuple([tuple.__new__(LiveVariable, (t.variable, t.op, t.dtype, t.shape, held, t.kind, t.site)) for held, t in rows])
