"""How long the short runs are that confirm a call of `pymc.sample`, and what a line through them says of the whole. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..units import MIB
from .model import SamplingCall
from .multitrace import FEWEST_CHECKED
from .plans import shorter
from .simulate import profile

WORTH = 64 * MIB
"""Bytes that the longest run should hold more than one of no draws: below that the rise drowns in what allocators keep."""
MOST = 2000
"""Draws of each chain that the longest run has at most."""
PARTS = (4, 2, 1)
"""The runs have the longest one's draws, half and a quarter of them."""


@dataclass(frozen=True)
class SamplingRun:
    """One real run."""

    draws: int
    tune: int
    predicted_bytes: int
    """The highest stage of this run, predicted."""
    measured_bytes: int


@dataclass(frozen=True)
class SamplingTrial:
    """The result of the short runs of a call."""

    runs: tuple[SamplingRun, ...]
    extrapolated_bytes: int | None
    """At the call's own draws, by a line through the measured runs; None where fewer than two came to their end."""
    residual_bytes: int | None
    """How far the run that is furthest from the line is from it."""
    failure: str | None = None
    """Why runs are missing."""


def lengths(call: SamplingCall, functions: Mapping[str, int]) -> tuple[tuple[int, int], ...]:
    """(draws, tune) of each short run, in proportion to the call's, the shortest first."""
    few, many = shortened(call, 1), shortened(call, 1001)
    each = max(1, (profile(many, functions).call_peak.bytes - profile(few, functions).call_peak.bytes) // 1000)
    longest = min(call.draws, MOST, max(PARTS[0] * FEWEST_CHECKED, WORTH // each))
    rows = [shortened(call, max(1, longest // part)) for part in PARTS]
    return tuple(dict.fromkeys((c.draws, c.tune) for c in rows))


def shortened(call: SamplingCall, draws: int) -> SamplingCall:
    """The call with `draws` draws, and tuning in the same proportion."""
    return replace(shorter(call, draws), tune=-(-call.tune * draws // max(1, call.draws)))


def trial(call: SamplingCall, functions: Mapping[str, int], measured: Sequence[tuple[int, int]], failure: str | None) -> SamplingTrial:
    """The result of the runs. `measured`: (draws, bytes) of each run that finished."""
    rows = []
    for draws, rise in measured:
        short = shortened(call, draws)
        rows.append(SamplingRun(draws, short.tune, profile(short, functions).call_peak.bytes, rise))
    line = _line(measured)
    if line is None:
        return SamplingTrial(tuple(rows), None, None, failure)
    offset, slope = line
    residual = max(abs(rise - offset - slope * draws) for draws, rise in measured)
    return SamplingTrial(tuple(rows), max(0, round(offset + slope * call.draws)), round(residual), failure)


def _line(points: Sequence[tuple[int, int]]) -> tuple[float, float] | None:
    """(value at 0, slope) by least squares; None for fewer than two different draws."""
    count = len(points)
    if len({x for x, _ in points}) < 2:
        return None
    middle, height = sum(x for x, _ in points) / count, sum(y for _, y in points) / count
    slope = sum((x - middle) * (y - height) for x, y in points) / sum((x - middle) ** 2 for x, _ in points)
    return height - slope * middle, slope
