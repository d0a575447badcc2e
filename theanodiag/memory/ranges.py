"""Two simulations of one script that differ in what could not be known: the higher of the two."""

from __future__ import annotations

from dataclasses import replace

from .profile import MemoryProfile, Origin, ProcessProfile


def higher(first: ProcessProfile, second: ProcessProfile) -> ProcessProfile:
    """The higher figures of both, function by function; marked as bounds where they differ."""
    functions = {index: _higher_call(profile, second.functions[index]) for index, profile in first.functions.items()}
    worse = first if first.reserved_peak_bytes >= second.reserved_peak_bytes else second
    return replace(
        worse,
        functions=functions,
        live_peak_bytes=max(first.live_peak_bytes, second.live_peak_bytes),
        persistent_bytes=max(first.persistent_bytes, second.persistent_bytes),
        fits=second.fits if first.fits is True else first.fits,
        failure=first.failure or second.failure,
        failed_function=first.failed_function if first.failure else second.failed_function,
    )


def _higher_call(first: MemoryProfile, second: MemoryProfile) -> MemoryProfile:
    if first.figures == second.figures:
        return first
    worse = first if first.figures.live_peak_bytes >= second.figures.live_peak_bytes else second
    reserved = max(first.figures.reserved_bytes, second.figures.reserved_bytes)
    return replace(worse, figures=replace(worse.figures, reserved_bytes=reserved), origin=Origin.BOUNDED)
