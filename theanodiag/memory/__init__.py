"""Simulates what a script's functions need, byte by byte: order of evaluation, lifetimes, allocators. Pure: no process, file or device."""
