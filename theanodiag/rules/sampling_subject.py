"""What the rules about samplers look at: the calls that were caught, what they hold, and what other arguments would hold."""

from __future__ import annotations

from dataclasses import dataclass

from ..samplers.model import SamplingPlan, SamplingProfile


@dataclass(frozen=True)
class SampledCall:
    """One call with its plans."""

    name: str
    """The variable to which the script assigns the result, else the function that was called."""
    profile: SamplingProfile
    plans: tuple[SamplingPlan, ...] = ()
    """What lowers the peak, the most first."""


@dataclass(frozen=True)
class SamplingSubject:
    """A script that samples."""

    model: str
    """Path of the script."""
    calls: tuple[SampledCall, ...]
    available_bytes: int | None = None
    """Host memory that there is; None where nobody said."""
