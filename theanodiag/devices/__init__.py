"""Devices: profiles of known cards, and what `--gpu` accepts as a device."""

from .profile import CARDS, HOST, UNSIZED, Context, DeviceProfile, by_name, option_of, overhead_bytes, with_overhead

__all__ = ["CARDS", "HOST", "UNSIZED", "Context", "DeviceProfile", "by_name", "option_of", "overhead_bytes", "with_overhead"]
