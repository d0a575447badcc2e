"""The lengths of the short runs that confirm a call of `pymc.sample`, and the extrapolation from them. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..units import MIB
from .model import SamplingCall
from .plans import shorter
from .pymc_chains import FEWEST_CHECKED
from .simulate import profile

WORTH = 64 * MIB
"""Minimum difference in bytes between the longest run and one without draws; smaller differences disappear in what allocators keep."""
MOST = 2000
"""Maximum number of draws of each chain in the longest run."""
PARTS = (4, 2, 1)
"""Divisors for the draws of the runs: a quarter, a half, and all of the longest run's draws."""


@dataclass(frozen=True)
class SamplingRun:
    """One real run of a sampler call with fewer draws."""

    draws: int
    tune: int
    predicted_bytes: int
    """Predicted bytes at the highest stage of this run."""
    measured_bytes: int


@dataclass(frozen=True)
class SamplingTrial:
    """The results of the short runs of a call."""

    runs: tuple[SamplingRun, ...]
    extrapolated_bytes: int | None
    """Estimate for the call's own number of draws, along the line through the measured runs; None if fewer than two finished."""
    residual_bytes: int | None
    """Largest distance of a measured run from the line."""
    failure: str | None = None
    """Why the trial has no measured runs."""


def lengths(call: SamplingCall, functions: Mapping[str, int]) -> tuple[tuple[int, int], ...]:
    """Returns (draws, tune) of each short run, in proportion to the call, the shortest run first."""
    few, many = shortened(call, 1), shortened(call, 1001)
    each = max(1, (profile(many, functions).call_peak.bytes - profile(few, functions).call_peak.bytes) // 1000)
    longest = min(call.draws, MOST, max(PARTS[0] * FEWEST_CHECKED, WORTH // each))
    rows = [shortened(call, max(1, longest // part)) for part in PARTS]
    return tuple(dict.fromkeys((c.draws, c.tune) for c in rows))


def shortened(call: SamplingCall, draws: int) -> SamplingCall:
    """Returns a copy of the call with `draws` draws, and with tuning steps in the same proportion."""
    return replace(shorter(call, draws), tune=-(-call.tune * draws // max(1, call.draws)))


def trial(call: SamplingCall, functions: Mapping[str, int], measured: Sequence[tuple[int, int]], failure: str | None) -> SamplingTrial:
    """Extrapolates short runs to all draws of `call`, by a line. `measured`: (draws, bytes) of each run that finished."""
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
