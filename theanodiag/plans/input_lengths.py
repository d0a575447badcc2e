"""Finds the largest pictures and the longest sequences that fit, for a script that does not fit with any batch.

A net that has no product after its convolutions (style transfer, super-resolution, segmentation) takes pictures of any size, and a Scan
makes any number of steps. Where one picture or one sequence is too large for the device there is no batch to make smaller.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..ir import Unknown
from ..memory.profile import ProcessProfile
from ..memory.script import Script
from ..memory.settings import MemorySettings
from . import batch
from .axes import ArgumentAxis, Axis, SharedAxis, length
from .batch import BatchPlan
from .batch_axes import is_picture, time_axes
from .resize import WhatIf

SHORTEST = 32
"""Shorter axes of four-dimensional arrays are assumed to be those of kernels."""


@dataclass(frozen=True)
class ShorterPlan:
    """The maximum length of one kind of axes that fits."""

    kind: str
    """`pictures` or `sequences`."""
    plan: BatchPlan
    """The axes, their present length (as `batch`), the largest one that fits, and the figures of lengths around it."""


def plan(what_if: WhatIf, settings: MemorySettings, process: ProcessProfile) -> ShorterPlan | None:
    """The plan for the function that fails: for its pictures, else for its sequences; None if neither makes it fit."""
    for kind, axes in _kinds(what_if, process):
        shorter = batch.plan(what_if, settings, process, axes)
        if isinstance(shorter, BatchPlan) and shorter.largest is not None and shorter.largest < shorter.batch:
            return ShorterPlan(kind, shorter)
    return None


def _kinds(what_if: WhatIf, process: ProcessProfile) -> Iterator[tuple[str, tuple[Axis, ...]]]:
    function = process.failed_function
    if function is None:
        return
    pictures = _sides(what_if, function)
    if pictures:
        yield "pictures", pictures
    steps = time_axes(what_if, function)
    if steps:
        yield "sequences", steps


def _sides(what_if: WhatIf, function: int) -> tuple[Axis, ...]:
    """The height and width of all square pictures of one size that the function gets; empty where they cannot change."""
    sides = _after_channels(what_if.script, function)
    n = max((m for a in sides if (m := length(what_if.script, a)) is not None), default=0)
    group = tuple(a for a in sides if length(what_if.script, a) == n)
    if n < SHORTEST or not any(isinstance(a, ArgumentAxis) for a in group):
        return ()
    changed = what_if.with_lengths(dict.fromkeys(group, n - 1))
    return () if isinstance(changed, Unknown) or not is_picture(what_if, group) else group


def _after_channels(script: Script, function: int) -> list[Axis]:
    """The third and later axes of the function's arguments and shared variables."""
    graph = script.functions[function].graph
    axes: list[Axis] = []
    for entry in graph.inputs:
        for k in range(2, graph.variables[entry.variable].type.ndim if graph.variables[entry.variable].type.ndim >= 4 else 0):
            axes.append(ArgumentAxis(function, entry.variable, k) if entry.shared is None else SharedAxis(entry.shared, k))
    return axes
