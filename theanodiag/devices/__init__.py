"""Devices: profiles of known cards, and what `--gpu` accepts as a device."""

from .cards import CARDS, by_name, card_of, option_of
from .profile import HOST, UNSIZED, Context, DeviceProfile, overhead_bytes, with_overhead

__all__ = ["CARDS", "HOST", "UNSIZED", "Context", "DeviceProfile", "by_name", "card_of", "option_of", "overhead_bytes", "with_overhead"]
