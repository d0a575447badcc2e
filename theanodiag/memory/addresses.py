"""How much it matters where the driver puts its blocks: no documentation fixes that, so it is an input of the simulation."""

from __future__ import annotations

from dataclasses import replace

from .script import Script
from .settings import AddressPolicy, MemorySettings
from .simulate import simulate


def reserved_range(script: Script, settings: MemorySettings) -> tuple[int, int]:
    """The lowest and the highest reserved peak over all address policies, in bytes.

    They differ only where two free pieces of one size lie in different blocks: best fit then takes the lower address.
    """
    ways = [replace(settings, address_policy=policy, detailed=False) for policy in AddressPolicy]
    peaks = [simulate(script, way).reserved_peak_bytes for way in ways]
    return min(peaks), max(peaks)
