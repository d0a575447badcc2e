"""What the rules about samplers look at: the calls that were caught, what they hold, and what other arguments would hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..samplers.model import SamplingPlan, SamplingProfile
from ..samplers.trial import SamplingTrial
from ..samplers.whole import Whole


@dataclass(frozen=True)
class SampledCall:
    """One call with its plans."""

    name: str
    """The variable to which the script assigns the result, else the function that was called."""
    profile: SamplingProfile
    plans: tuple[SamplingPlan, ...] = ()
    """What lowers the peak, the most first."""
    functions: Mapping[str, int] = field(default_factory=dict)
    """What each of its functions takes for itself while it runs, in bytes."""
    whole: Whole | None = None
    """The process at the highest stage; None where the system does not tell what it holds."""
    trial: SamplingTrial | None = None
    """What short real runs said (`--confirm pymc`)."""

    @property
    def beside_bytes(self) -> int:
        """What the process holds beside the stages of the call; 0 where that is not known."""
        return 0 if self.whole is None else self.whole.beside_bytes


@dataclass(frozen=True)
class SamplingSubject:
    """A script that samples."""

    model: str
    """Path of the script."""
    calls: tuple[SampledCall, ...]
    available_bytes: int | None = None
    """Host memory that there is; None where nobody said."""
    card_bytes: int | None = None
    """What the card on which JAX runs has for arrays; None where JAX runs on the host, or nobody said."""
