"""What garbage collection of intermediates costs or saves: the same script with `allow_gc` (and that of Scan) the other way round."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..memory.profile import ProcessProfile
from ..memory.script import Script
from ..memory.settings import MemorySettings
from ..memory.simulate import simulate


@dataclass(frozen=True)
class CollectionPlan:
    """Flags to set, and what the script needs then."""

    flags: str
    """`allow_gc=True`, as in THEANO_FLAGS."""
    after: ProcessProfile


def is_off(script: Script, settings: MemorySettings) -> bool:
    """Whether any function keeps its intermediates between calls."""
    return any((settings.allow_gc if f.allow_gc is None else f.allow_gc) is False for f in script.functions)


def with_collection(script: Script, settings: MemorySettings, on: bool, scan: bool | None = None) -> ProcessProfile:
    """The simulation with allow_gc on or off in all functions; `scan`: that of the loops (None: as it is)."""
    functions = tuple(replace(f, allow_gc=None) for f in script.functions)
    loops = settings.scan_allow_gc if scan is None else scan
    return simulate(replace(script, functions=functions), replace(settings, allow_gc=on, scan_allow_gc=loops))


def plan(script: Script, settings: MemorySettings) -> CollectionPlan | None:
    """The first of the flags that makes a script fit: allow_gc, then that of Scan with it."""
    if any(f.in_one_piece for f in script.functions):
        return None  # JAX and PyTorch do not ask these flags
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
