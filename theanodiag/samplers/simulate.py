"""The profiles of a script's calls, in their order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from . import fitting, forward, jax_chains, multitrace, nutpie, smc, zarr_store
from .model import Amount, SamplingCall, SamplingProfile, Stage
from .multitrace import GOES

EARLIER = "results of earlier calls"
Functions = Mapping[str, int]
"""What a compiled function is for -> bytes that it takes for itself while it runs."""


def profile(call: SamplingCall, functions: Functions | None = None, before: int = 0) -> SamplingProfile:
    """What `call` holds stage by stage, beside `before` bytes that earlier calls left."""
    earlier = (Amount(EARLIER, before),) if before else ()
    found = tuple(Stage(s.name, (*earlier, *s.amounts)) for s in _stages(call, functions or {}))
    unknown = tuple(v.name for v in (*call.variables, *call.log_likelihood, *call.made, *call.held) if not isinstance(v.bytes, int))
    return SamplingProfile(call, found, unknown, before)


def _stages(call: SamplingCall, functions: Functions) -> Iterator[Stage]:
    """By what runs."""
    if call.uncounted:
        return multitrace.result_alone(call)
    if call.kind in fitting.KINDS:
        return fitting.KINDS[call.kind](call, functions)
    if call.kind == "sample_smc":
        return smc.stages(call, functions)
    if call.kind != "sample":
        return forward.stages(call, functions)
    if call.sampler in ("numpyro", "blackjax"):
        return jax_chains.stages(call)
    if call.storage_chunk:
        return zarr_store.stages(call, functions)
    return nutpie.stages(call) if call.sampler == "nutpie" else multitrace.stages(call, functions)


def profiles(calls: Sequence[SamplingCall], functions: Sequence[Functions]) -> tuple[SamplingProfile, ...]:
    """The profiles of all calls of a script; `functions`: those of each call."""
    found: list[SamplingProfile] = []
    for position, (call, own) in enumerate(zip(calls, functions)):
        found.append(profile(call, own, sum(_left(p, position) for p in found)))
    return tuple(found)


def _left(earlier: SamplingProfile, position: int) -> int:
    """What is there of an earlier call when the one at `position` begins: without its result the libraries that it loaded."""
    dropped = earlier.call.dropped_before is not None and earlier.call.dropped_before <= position
    return sum(a.bytes for a in earlier.stages[-1].amounts if a.what != EARLIER and not (dropped and a.what.startswith(GOES)))
