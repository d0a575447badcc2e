"""Devices: profiles of known cards, and what `--gpu` accepts as a device."""

from .cards import CARDS
from .naming import by_name
from .profile import HOST, Context, DeviceProfile, overhead_bytes, with_overhead

__all__ = ["CARDS", "HOST", "Context", "DeviceProfile", "by_name", "overhead_bytes", "with_overhead"]
