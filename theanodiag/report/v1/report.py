"""`theanodiag/report/v1`: the results of `check` and `graph`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, Optional, Union

from msgspec import UNSET, Meta, UnsetType, field

from ...findings import Cost, Finding, PlanStep
from ...ir import Unknown
from ...memory.profile import LiveVariable, MemoryProfile, Origin
from ...memory.profile import Step as Moment
from ...memory.script import Call, XlaTemporaries, XlaTemporary
from ...ops.arrays import ItemKind
from .. import model
from ..formats import View
from ..next_step import FitPlan, plan_of
from ..verdict import conclusion
from . import common
from .common import Bytes, Count, DescribedV1, Document, Part, RuleCode, Shape, described, from_attributes, optional, shape
from .confirmation import ConfirmationV1
from .explain_log import LogV1
from .sampling import SamplingV1

if TYPE_CHECKING:
    from typing_extensions import Self

EngineName = Literal["gpuarray", "xla", "torch", "host"]


def show(report: model.Report, view: View) -> str:
    """Returns the report as JSON text; `view` has no effect."""
    return common.text(ReportV1.of(report))


def document(report: model.Report) -> dict[str, object]:
    """Returns the report in the form of its JSON document, as dicts and lists."""
    return common.builtins(ReportV1.of(report))


class StandInV1(Part):
    """Assumptions made when Theano's GPU back-end was started on a stand-in for the device."""

    replaced_flags: dict[str, Optional[str]]
    cudnn: Optional[int]


class FrameworkV1(Part):
    """The framework that the script imported."""

    name: str
    version: str
    alias_of: Optional[str]
    stand_in: Optional[StandInV1]
    flags_text: Optional[str] = None
    """text of the framework's environment variable for flags when it was imported, empty if not set; null if unknown"""


class ContextV1(Part):
    """Device memory that the driver uses for its context."""

    bytes: Bytes
    origin: str


class DeviceV1(Part):
    """The device that the report is about."""

    name: str
    total_bytes: Optional[Bytes]
    """memory of the device; null for the host"""
    free_bytes: Optional[Bytes]
    context: ContextV1


class TargetV1(Part):
    """The script, the interpreter that ran it, and the requested device."""

    model: str
    interpreter: str
    framework: Optional[FrameworkV1]
    device: DeviceV1


class EnvironmentSettingV1(Part):
    """An environment variable that the engine's allocator or compiler reads."""

    name: str
    value: str
    origin: Literal["environment", "script"]
    effect: str


class EngineV1(Part):
    """The engine (a framework's back-end) that runs the script's functions."""

    name: EngineName
    line: str
    pool_bytes: Optional[Bytes]
    """bytes that a compiler's own pool takes on the device; null if there is no pool"""
    settings: list[EnvironmentSettingV1]
    """environment variables that the engine's allocator or compiler reads"""
    notes: list[str]
    """what the figures leave out, in sentences"""


class ScriptV1(Part):
    """How the script ended, and why."""

    status: str
    outcome: Literal["ran", "failed", "out-of-memory", "timeout"]
    """result in one word; out-of-memory: the host ran out of memory"""
    exit_code: Optional[int]
    message: Optional[str]
    reason: Optional[str]
    traceback: Optional[str]
    unverified: Optional[str]
    """why the end of the report may not have been written by theanodiag's hook"""


class FiguresV1(Part):
    """Bytes of a call: live before it, at its peak and after it, and reserved by the allocator."""

    live_before_bytes: Bytes
    live_peak_bytes: Bytes
    live_after_bytes: Bytes
    reserved_bytes: Bytes


class CallInputV1(Part):
    """An argument of a call."""

    name: Optional[str]
    dtype: Optional[str]
    shape: Shape


class CallV1(Part):
    """A call of a function."""

    inputs: list[CallInputV1]
    assumed: bool
    """whether the script did not make this call: its shapes are static or were given by the user"""
    site: Optional[str]

    @classmethod
    def of(cls, call: Call) -> CallV1:
        """Returns the JSON object of a call."""
        inputs = [CallInputV1(name=i.name, dtype=i.dtype, shape=shape(i.shape)) for i in call.inputs]
        return cls(inputs=inputs, assumed=call.assumed, site=str(call.site) if call.site else None)


class XlaV1(Part):
    """XLA's own figures for one call."""

    argument_bytes: Bytes
    output_bytes: Bytes
    temporary_bytes: Bytes
    backend: Literal["cuda", "cpu", "bound"]
    """compilation target: a GPU or this host's CPU; bound if the compiler was not asked"""
    card: Optional[str]
    """the GPU for which XLA compiled"""


class TemporaryV1(Part):
    """A value in XLA's block of temporaries."""

    bytes: Bytes
    variable: Optional[str]
    """name of the Variable"""
    op: Optional[str]
    """the Op that computes it; null for arguments"""
    site: Optional[str]
    """source line that created it; if the framework records none, that of a nearby Variable"""
    kind: Optional[Literal["value", "copy", "workspace", "from", "for"]]
    """relation to the Variable: its value, a copy of it (padded or reordered), a library's workspace for it, a value computed from it,
    or one computed for it; null if no Variable is known"""
    dtype: str
    """XLA's name of the dtype"""
    shape: list[Count]
    """the shape in XLA's layout, possibly padded or partial"""
    hlo: str
    """name of the instruction in XLA's optimised program"""
    opcode: str
    fused: list[str]
    """other Ops that the same instruction computes"""

    @classmethod
    def of(cls, row: XlaTemporary) -> TemporaryV1:
        """Returns the JSON object of a value."""
        return cls(
            bytes=row.bytes, variable=row.name, op=row.op, site=str(row.site) if row.site else None, kind=row.kind,  # type: ignore[arg-type]
            dtype=row.dtype, shape=list(row.shape), hlo=row.hlo, opcode=row.opcode, fused=list(row.fused),  # type: ignore[arg-type]
        )  # fmt: skip


class TemporariesV1(Part):
    """XLA's block of temporaries at its fullest."""

    step: Optional[str]
    """name of the instruction at which it is fullest"""
    items: list[TemporaryV1]
    """values in the block, which do not overlap, largest first"""
    rest_bytes: Bytes
    """bytes for gaps, rounding and address tables"""

    @classmethod
    def of(cls, t: XlaTemporaries) -> TemporariesV1:
        """Returns the JSON object of a block."""
        return cls(step=t.step, items=list(map(TemporaryV1.of, t.rows)), rest_bytes=t.rest)


class ItemV1(Part):
    """Bytes of one kind of memory at the peak."""

    kind: ItemKind
    bytes: Bytes
    origin: Origin


class LiveV1(Part):
    """A buffer that is live at the peak."""

    variable: str
    op: Optional[str]
    dtype: Optional[str]
    shape: Shape
    nbytes: Bytes
    kind: ItemKind
    site: Optional[str]

    @classmethod
    def of(cls, v: LiveVariable) -> LiveV1:
        """Returns the JSON object of a buffer."""
        return cls(
            variable=v.variable, op=v.op, dtype=v.dtype, shape=shape(v.shape), nbytes=v.nbytes, kind=v.kind,
            site=str(v.site) if v.site else None,
        )  # fmt: skip


class MomentV1(Part):
    """The memory after one node of a call."""

    step: int
    node: Optional[int]
    op: Optional[str]
    live_bytes: Bytes
    reserved_bytes: Bytes
    free_bytes: Bytes
    largest_free_bytes: Bytes
    fragmentation: Annotated[float, Meta(ge=0, le=1)]

    @classmethod
    def of(cls, s: Moment, f: model.FunctionReport) -> MomentV1:
        """Returns the JSON object of a step of a call."""
        applies = f.graph.applies
        return cls(
            step=s.step, node=s.node, op=None if s.node is None or s.node >= len(applies) else applies[s.node].op.text,
            live_bytes=s.live_bytes, reserved_bytes=s.reserved_bytes, free_bytes=s.free_bytes, largest_free_bytes=s.largest_free_bytes,
            fragmentation=round(s.fragmentation, 6),
        )  # fmt: skip


class UnknownSizeV1(Part):
    """A Variable whose size is not known."""

    variable: str
    op: Optional[str]
    reason: str


class ProfileV1(Part, kw_only=True):
    """The memory that a function needs."""

    xla_temporaries: Union[TemporariesV1, UnsetType] = UNSET
    """contents of XLA's block of temporaries at its fullest; items plus rest_bytes equal temporary_bytes; missing if XLA was not asked
    or its output does not say"""
    xla_compile_seconds: Union[list[Annotated[float, Meta(ge=0)]], UnsetType] = UNSET
    """seconds that XLA took on this machine to compile each distinct call signature (shapes and dtypes); the first call of each takes as
    long"""
    live_before_bytes: Bytes
    live_peak_bytes: Bytes
    live_after_bytes: Bytes
    reserved_bytes: Bytes
    origin: Origin
    engine: EngineName
    """the engine that runs the function and whose allocator serves it"""
    xla: Optional[XlaV1]
    """XLA's own figures for the call with the highest sum; null if XLA was not asked"""
    items: list[ItemV1]
    at_peak: list[LiveV1]
    timeline: list[MomentV1]
    unknown: list[UnknownSizeV1]
    """Variables of unknown size; if there are any, the figures are lower bounds"""

    @classmethod
    def of(cls, p: MemoryProfile, f: model.FunctionReport) -> ProfileV1:
        """Returns the JSON object of the profile of a function."""
        xla = f.xla
        return cls(
            xla_temporaries=UNSET if xla is None or xla.temporaries is None else TemporariesV1.of(xla.temporaries),
            xla_compile_seconds=[round(s, 3) for s in f.compile_seconds] or UNSET,
            live_before_bytes=p.figures.live_before_bytes,
            live_peak_bytes=p.figures.live_peak_bytes,
            live_after_bytes=p.figures.live_after_bytes,
            reserved_bytes=p.figures.reserved_bytes,
            origin=p.origin,
            engine=f.engine,  # type: ignore[arg-type]
            xla=optional(partial(from_attributes, XlaV1), xla),
            items=[from_attributes(ItemV1, i) for i in p.items],
            at_peak=list(map(LiveV1.of, p.at_peak)),
            timeline=[MomentV1.of(s, f) for s in p.timeline],
            unknown=[from_attributes(UnknownSizeV1, u) for u in p.unknown],
        )


class FunctionV1(Part):
    """A compiled function of the script."""

    name: str
    index: Count
    nodes: Count
    order: list[int]
    """Apply ids in execution order"""
    calls: list[CallV1]
    profile: Optional[ProfileV1]
    """the predicted memory; null if it was never called and no shapes are known"""
    fits: Optional[bool]
    """whether it fits; null if that is unknown"""

    @classmethod
    def of(cls, f: model.FunctionReport) -> FunctionV1:
        """Returns the JSON object of a function."""
        return cls(
            name=f.name, index=f.index, nodes=len(f.graph.applies), order=list(f.profile.order) if f.profile else [],
            calls=list(map(CallV1.of, f.calls)), profile=None if f.profile is None else ProfileV1.of(f.profile, f), fits=f.fits,
        )  # fmt: skip


class ProcessV1(Part):
    """The memory of the whole script, and whether it fits."""

    reserved_peak_bytes: Bytes
    reserved_range_bytes: Optional[tuple[Bytes, Bytes]]
    """lowest and highest reserved bytes, if they depend on the addresses of blocks"""
    live_peak_bytes: Bytes
    persistent_bytes: Bytes
    fits: Optional[bool]
    """whether the script fits; null if that is unknown"""
    verdict: str
    """the verdict in one line, for people"""
    open: Optional[str]
    """why fits is null"""
    failure: Optional[str]
    """the first request that the device could not serve"""

    @classmethod
    def of(cls, report: model.Report) -> ProcessV1:
        """Returns the JSON object of a report."""
        process = report.process
        return cls(
            reserved_peak_bytes=process.reserved_peak_bytes,
            reserved_range_bytes=report.reserved_range,
            live_peak_bytes=process.live_peak_bytes,
            persistent_bytes=process.persistent_bytes,
            fits=report.fits,
            verdict=conclusion(report)[0],
            open=process.fits.reason if isinstance(process.fits, Unknown) else None,
            failure=process.failure,
        )


class CostV1(Part):
    """The cost of a piece of advice: time, work, and effect on the results."""

    seconds: Annotated[float, Meta(ge=0)]
    """seconds that copies to the device take in each epoch; 0 if nothing is copied or the bandwidth is unknown"""
    work: str
    """extra or repeated work; empty if there is none"""
    results: Literal["same", "rounded", "same_for_means", "less_precise", "fewer_rows", "trained_otherwise", "approximate"]
    """effect on the numbers that the script computes"""

    @classmethod
    def of(cls, cost: Cost) -> CostV1:
        """Returns the JSON object of a cost."""
        return cls(seconds=cost.seconds, work=cost.work, results=cost.results.name.lower())  # type: ignore[arg-type]


class SavingV1(Part):
    """The memory and time that a piece of advice saves."""

    bytes: int
    """reduction of the peak that decides whether it fits"""
    seconds: float
    """seconds saved in each call"""


class FindingV1(DescribedV1):
    """A finding."""

    after: Optional[FiguresV1]
    """predicted figures with the advice applied"""
    saves: Optional[SavingV1]
    notes: list[str]
    cost: Optional[CostV1]
    """cost of the advice; null if no change was simulated"""

    @classmethod
    def of(cls, f: Finding, **more: Any) -> Self:
        """Returns the JSON object of a finding."""
        return cls(
            **described(f),
            after=optional(partial(from_attributes, FiguresV1), f.after),
            saves=None if f.saves is None else SavingV1(f.saves.bytes, f.saves.seconds),
            notes=list(f.notes),
            cost=optional(CostV1.of, f.cost),
            **more,
        )


class IgnoredV1(FindingV1):
    """A finding that is ignored."""

    ignored_by: str
    """the option or source comment that ignores it"""


class StepV1(Part):
    """One change of a plan."""

    change: str
    code: str
    """flags or lines of Python to paste"""
    after_bytes: Bytes
    """the peak that decides whether it fits, after this change and all earlier ones"""
    cost: CostV1

    @classmethod
    def of(cls, s: PlanStep) -> StepV1:
        """Returns the JSON object of a change."""
        return cls(change=s.description, code=s.code, after_bytes=s.after_bytes, cost=CostV1.of(s.cost))


class PlanV1(Part):
    """The changes that together make the script fit."""

    code: RuleCode
    """the rule that gives the advice"""
    bounded: bool
    """whether the bytes are upper bounds"""
    available_bytes: Bytes
    """bytes that the device has available for arrays"""
    steps: Annotated[list[StepV1], Meta(min_length=1)]

    @classmethod
    def of(cls, plan: FitPlan) -> PlanV1:
        """Returns the JSON object of a plan."""
        steps = list(map(StepV1.of, plan.steps))
        return cls(code=plan.code, bounded=plan.bounded, available_bytes=plan.available_bytes, steps=steps)


class RecommendationV1(Part):
    """The smallest preallocation with which the script makes only one request to the driver; all fields are null if there is none."""

    preallocate: Optional[Union[int, float]] = field(name="gpuarray.preallocate")
    preallocate_bytes: Optional[Bytes] = field(name="gpuarray.preallocate_bytes")
    reserved_bytes_without: Optional[Bytes]
    reserved_bytes_with: Optional[Bytes]

    @classmethod
    def of(cls, plan: model.Preallocation | None) -> RecommendationV1:
        """Returns the JSON object of a preallocation."""
        return cls(*(None,) * 4) if plan is None else cls(plan.value, plan.bytes, plan.reserved_without, plan.reserved_with)


class SkippedV1(Part):
    """Something that could not be examined, with the reason."""

    what: str
    reason: str


class ReportV1(Document):
    """Output of theanodiag check and theanodiag graph.

    Sizes are integers in bytes. Keys may be added, but existing keys never change.
    """

    schema: Literal["theanodiag/report/v1"]
    target: TargetV1
    engine: Optional[EngineV1]
    """the engine that runs the script's functions; null if nothing runs"""
    script: ScriptV1
    functions: list[FunctionV1]
    process: ProcessV1
    sampling: list[SamplingV1]
    """calls of PyMC's samplers, intercepted before they sampled; bytes of host memory in addition to the compiled model"""
    findings: list[FindingV1]
    plan: Optional[PlanV1]
    """the changes that make the script fit, best first, simulated together; null if it already fits or no advice makes it fit"""
    ignored: list[IgnoredV1]
    recommendation: RecommendationV1
    confirmation: Optional[ConfirmationV1]
    skipped: list[SkippedV1]
    log: Union[LogV1, UnsetType] = UNSET
    """With --log: the keys of explain-log/v1, and the arrays of the script with the same size as the failed request"""

    @classmethod
    def of(cls, report: model.Report, log: LogV1 | UnsetType = UNSET) -> ReportV1:
        """Returns the JSON document of a report."""
        return cls(
            schema="theanodiag/report/v1",
            target=from_attributes(TargetV1, report.target),
            engine=optional(partial(from_attributes, EngineV1), report.engine),
            script=from_attributes(ScriptV1, report.script),
            functions=list(map(FunctionV1.of, report.functions)),
            process=ProcessV1.of(report),
            sampling=list(map(SamplingV1.of, report.sampling)),
            findings=list(map(FindingV1.of, report.findings)),
            plan=optional(PlanV1.of, plan_of(report)),
            ignored=[IgnoredV1.of(f, ignored_by=why) for f, why in report.ignored],
            recommendation=RecommendationV1.of(report.preallocation),
            confirmation=optional(ConfirmationV1.of, report.confirmation),
            skipped=[from_attributes(SkippedV1, s) for s in report.skipped],
            log=log,
        )
