"""The key `sampling` of `report/v1`: calls of PyMC's samplers."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal, Optional

from ...memory.profile import Origin
from ...rules.sampling import SampledCall
from ...samplers.model import DrawArray, SamplingPlan, SamplingProfile, Stage
from .common import Bytes, Count, Part, Shape, from_attributes, optional, shape


class ArrayV1(Part):
    """An array of a model, with its shape in one draw."""

    name: str
    kind: str
    dtype: str
    shape: Shape

    @classmethod
    def of(cls, v: DrawArray) -> ArrayV1:
        """Returns the JSON object of an array."""
        return cls(name=v.name, kind=v.kind, dtype=v.dtype, shape=shape(v.shape))


class StatisticV1(Part):
    """A number that a step method records for each draw."""

    name: str
    dtype: str
    bytes: Bytes


class ProgramV1(Part):
    """XLA's memory figures for one program, in bytes."""

    argument: int
    output: int
    temporary: int
    alias: int


class AmountV1(Part):
    """One line of the memory of a process."""

    what: str
    bytes: Bytes
    origin: Origin


class StageAmountV1(AmountV1):
    """One line of the memory of a stage."""

    where: Literal["parent", "workers", "device"]


class StageV1(Part):
    """One phase of the run, at its highest memory use."""

    name: str
    bytes: Bytes
    worker_bytes: Bytes
    items: list[StageAmountV1]

    @classmethod
    def of(cls, stage: Stage) -> StageV1:
        """Returns the JSON object of a stage."""
        items = [from_attributes(StageAmountV1, a) for a in stage.amounts]
        return cls(name=stage.name, bytes=stage.bytes, worker_bytes=stage.worker_bytes, items=items)


class WholeV1(Part):
    """The memory of the whole process, and its parts."""

    bytes: Bytes
    parts: list[AmountV1]


class SamplingRunV1(Part):
    """A short real run of the call."""

    draws: Count
    tune: Count
    predicted_bytes: Bytes
    measured_bytes: Bytes


class SamplingTrialV1(Part):
    """Runs with few draws, and the memory extrapolated from them to all draws."""

    runs: list[SamplingRunV1]
    extrapolated_bytes: Optional[Bytes]
    """estimate for the full number of draws, by a line through the runs"""
    residual_bytes: Optional[Bytes]
    """largest deviation of a run from the straight line through all runs"""
    failure: Optional[str]


class SamplingPlanV1(Part):
    """A changed argument of the call, and its effect on memory."""

    change: str
    note: str
    peak_stage: str
    peak_bytes: Bytes
    kept_bytes: Bytes

    @classmethod
    def of(cls, plan: SamplingPlan) -> SamplingPlanV1:
        """Returns the JSON object of a plan."""
        return cls(change=plan.change, note=plan.note, **_peak(plan.after))


class SamplingV1(Part, kw_only=True):
    """A call of a sampler, intercepted before it sampled."""

    kind: str
    """`sample`, `fit`, `Approximation.sample`, `find_MAP`, `sample_prior_predictive`, ..."""
    function: str = ""
    """the function that the script called, such as `pymc.sample` or `nutpie.sample`"""
    uncounted: bool = False
    """whether only its result is simulated: the memory that it needs while it runs is not included"""
    sampler: str
    version: str
    site: Optional[str]
    draws: Count
    """draws of each chain; for `fit` the number of iterations"""
    tune: Count
    chains: Count
    cores: Count
    parallel: bool
    failed: Optional[str]
    """exception raised by PyMC's own preparation: the figures are then derived from the types alone"""
    start: Optional[str] = None
    """log-densities that are not finite at the model's initial point, for small models; null if all are finite or it was not checked"""
    variables: list[ArrayV1]
    """arrays kept for each draw"""
    log_likelihood: list[ArrayV1]
    made: list[ArrayV1]
    """arrays computed for each draw by calls that do not sample, such as predictions"""
    held: list[ArrayV1]
    """arrays that exist once, whatever the number of draws: fitted parameters and optimizer state"""
    statistics: list[StatisticV1]
    programs: list[ProgramV1] = []
    """XLA's figures for each program with which numpyro or blackjax samples, on one device; empty for other samplers"""
    devices: int = 1
    """number of devices on which such a program runs at once"""
    refused: Optional[str] = None
    """why XLA gave no programs"""
    stages: list[StageV1]
    unknown: list[str]
    """arrays whose size is not known"""
    peak_stage: str
    peak_bytes: Bytes
    kept_bytes: Bytes
    process: Optional[WholeV1]
    """memory of the whole process at the highest stage; null if the system does not report it"""
    trial: Optional[SamplingTrialV1]
    """results of short real runs (`--confirm pymc`)"""
    plans: list[SamplingPlanV1]
    """other argument values, the one that saves most first"""

    @classmethod
    def of(cls, c: SampledCall) -> SamplingV1:
        """Returns the JSON object of a call."""
        p, call = c.profile, c.profile.call
        return cls(
            kind=call.kind,
            function=call.name,
            uncounted=call.uncounted,
            sampler=call.sampler,
            version=call.version,
            site=str(call.site) if call.site else None,
            draws=call.draws,
            tune=call.tune,
            chains=call.chains,
            cores=call.cores,
            parallel=call.parallel,
            failed=call.failed,
            start=call.start,
            variables=list(map(ArrayV1.of, call.variables)),
            log_likelihood=list(map(ArrayV1.of, call.log_likelihood)),
            made=list(map(ArrayV1.of, call.made)),
            held=list(map(ArrayV1.of, call.held)),
            statistics=[from_attributes(StatisticV1, s) for s in call.statistics],
            programs=[from_attributes(ProgramV1, program) for program in call.programs],
            devices=call.devices,
            refused=call.refused,
            stages=list(map(StageV1.of, p.stages)),
            unknown=list(p.unknown),
            process=optional(partial(from_attributes, WholeV1), c.whole),
            trial=optional(partial(from_attributes, SamplingTrialV1), c.trial),
            plans=list(map(SamplingPlanV1.of, c.plans)),
            **_peak(p),
        )


def _peak(p: SamplingProfile) -> dict[str, Any]:
    return {"peak_stage": p.peak.name, "peak_bytes": p.peak.bytes, "kept_bytes": p.kept_bytes}
