"""Allocators: how requests become addresses, and when the driver is asked."""
