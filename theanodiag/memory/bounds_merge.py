"""Merges two simulations of one script that differ in what could not be known: keeps the higher figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, replace

from ..findings import Figures
from .profile import MemoryProfile, Origin, ProcessProfile


def higher(first: ProcessProfile, second: ProcessProfile) -> ProcessProfile:
    """The higher figures of both simulations, function by function; profiles that differ are marked `Origin.BOUNDED`."""
    functions = {index: _higher_call(profile, second.functions[index]) for index, profile in first.functions.items()}
    worse = first if first.reserved_peak_bytes >= second.reserved_peak_bytes else second
    return replace(
        worse,
        functions=functions,
        calls={index: _higher_rows(rows, second.calls.get(index, ())) for index, rows in first.calls.items()},
        live_peak_bytes=max(first.live_peak_bytes, second.live_peak_bytes),
        persistent_bytes=max(first.persistent_bytes, second.persistent_bytes),
        fits=second.fits if first.fits is True else first.fits,
        failure=first.failure or second.failure,
        failed_function=first.failed_function if first.failure else second.failed_function,
        failed_event=first.failed_event if first.failure else second.failed_event,
    )


def higher_figures(first: Figures, second: Figures) -> Figures:
    """The maximum of each figure of two simulations of one call."""
    return Figures(*map(max, astuple(first), astuple(second)))


def _higher_rows(first: Sequence[Figures], second: Sequence[Figures]) -> tuple[Figures, ...]:
    return tuple(map(higher_figures, first, second))


def _higher_call(first: MemoryProfile, second: MemoryProfile) -> MemoryProfile:
    if first.figures == second.figures:
        return first
    worse = first if first.figures.live_peak_bytes >= second.figures.live_peak_bytes else second
    reserved = max(first.figures.reserved_bytes, second.figures.reserved_bytes)
    origin = worse.origin if worse.origin is Origin.ESTIMATE else Origin.BOUNDED
    return replace(worse, figures=replace(worse.figures, reserved_bytes=reserved), origin=origin)
