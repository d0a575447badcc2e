"""Measures what a script takes of a device and of memory, while it runs for real."""
