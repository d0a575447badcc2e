"""Simulates a script once more with every event recorded, for what draws its memory over time."""

from __future__ import annotations

from dataclasses import replace

from .profile import ProcessProfile
from .recording import Recording
from .settings import AllocatorKind
from .simulate import lives, node_by_node, placements
from .timeline import Simulated, Timeline
from .xla.process import simulate as xla


def timeline(simulated: Simulated) -> Timeline:
    """The timeline of the script; where it may have several lives (branches, placements), of the one that needs most."""
    script, settings = simulated.script, simulated.settings
    recording = Recording()
    if settings.allocator is AllocatorKind.XLA and not node_by_node(script, settings):
        xla(script, settings, recording)
        return recording.timeline(script, settings.allocator)
    if settings.allocator is AllocatorKind.XLA:
        by_nodes = replace(settings, allocator=AllocatorKind.DIRECT)
        plain = timeline(Simulated(script, by_nodes))
        xla(script, settings, recording)
        return max(plain, recording.timeline(script, settings.allocator), key=lambda t: t.live_peak_bytes)
    brief = replace(settings, detailed=False)
    found = [row for placed in placements(script, settings) for row in lives(placed, brief)]
    life, _ = max(found, key=lambda row: _need(row[1]))
    replace(life, settings=settings).run(recording)
    return recording.timeline(life.script, settings.allocator)


def _need(process: ProcessProfile) -> tuple[int, int]:
    return process.reserved_peak_bytes, process.live_peak_bytes
