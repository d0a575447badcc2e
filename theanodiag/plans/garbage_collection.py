"""The effect of garbage-collecting intermediates: simulates the script with `allow_gc` (and `scan.allow_gc`) changed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..memory.profile import ProcessProfile
from ..memory.script import Script
from ..memory.settings import MemorySettings
from ..memory.simulate import simulate_figures


@dataclass(frozen=True)
class CollectionPlan:
    """Flags that make the script fit, and the simulation with them."""

    flags: str
    """The flags as in THEANO_FLAGS, such as `allow_gc=True`."""
    after: ProcessProfile
    """The simulation with these flags."""


def is_off(script: Script, settings: MemorySettings) -> bool:
    """Whether any function keeps its intermediates between calls."""
    return any((settings.allow_gc if f.allow_gc is None else f.allow_gc) is False for f in script.functions)


def with_collection(script: Script, settings: MemorySettings, on: bool, scan: bool | None = None) -> ProcessProfile:
    """The simulation with `allow_gc` set to `on` in all functions, and `scan.allow_gc` to `scan` (None: unchanged)."""
    functions = tuple(replace(f, allow_gc=None) for f in script.functions)
    loops = settings.scan_allow_gc if scan is None else scan
    return simulate_figures(replace(script, functions=functions), replace(settings, allow_gc=on, scan_allow_gc=loops))


def plan(script: Script, settings: MemorySettings) -> CollectionPlan | None:
    """The first of `allow_gc`, then `scan.allow_gc` with it, that makes the script fit; None where neither does."""
    if any(f.in_one_piece for f in script.functions):
        return None  # JAX and PyTorch ignore these flags
    tries: list[tuple[str, bool | None]] = []
    if is_off(script, settings):
        tries.append(("allow_gc=True", None))
    if not settings.scan_allow_gc and any(n.op.name.endswith("Scan") for f in script.functions for n in f.graph.applies):
        tries.append(("allow_gc=True,scan.allow_gc=True" if tries else "scan.allow_gc=True", True))
    for flags, scan in tries:
        after = with_collection(script, settings, True, scan)
        if after.fits is True:
            return CollectionPlan(flags, after)
    return None
