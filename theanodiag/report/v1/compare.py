"""`theanodiag/compare/v1` and `theanodiag/compare-density/v1`: two runs side by side."""

from __future__ import annotations

from typing import Annotated, Literal, Optional, Union

from msgspec import UNSET, Meta, UnsetType

from ...comparison.densities import DensityComparison, ModelPair, ModelsRun
from ...comparison.model import Comparison, FirstNode, FunctionPair, NodeShown
from ...findings import Location
from ...porting.model import Change, FileReport, Proof, Safety
from ..compared import Counts
from .common import Bytes, Count, Document, Line, Part, from_attributes, optional

# `theanodiag/port/v1`: the result for each source file.


class ChangeV1(Part):
    """A name that was changed, or has to be changed by hand."""

    cell: Optional[Count]
    """Number of the notebook's cell, counted from 1, in which the line is; null in a script."""
    line: Line
    column: Line
    name: str
    """The full dotted name."""
    safety: Safety
    code: Literal["TD101", "TD102", "TD103"]
    reason: str
    advice: str
    """The replacement that was written, or that you need to write by hand."""

    @classmethod
    def of(cls, c: Change) -> ChangeV1:
        """Returns the JSON object of a change."""
        return cls(Location.of(c.span).cell, c.span.line, c.span.column, c.name, c.safety, c.code, c.reason, c.advice)  # type: ignore[arg-type]


class ProofV1(Part):
    """Whether the port of a changed file was proved to compute the same values."""

    proved: bool
    """Whether every script that runs the file computes the same values."""
    scripts: list[str]
    """The scripts that run the file."""
    values: Count
    """Number of values compared."""
    reason: str
    """Why the file was not written; empty if it was."""
    lent: bool
    """Whether a script that runs it imports theanodiag, which the new interpreter lacks: theanodiag added its own copy for the run."""


class PortedFileV1(Part):
    """A source file, and what `port` changes in it."""

    path: str
    changed: bool
    """Whether there is anything to write."""
    failure: Optional[str]
    """Why the file could not be processed."""
    skipped: Optional[str]
    """Why it was skipped: a symbolic link that leads outside the given paths."""
    needs_theanodiag: bool
    """Whether it imports theanodiag.legacy, so that theanodiag must be installed where it runs."""
    changes: list[ChangeV1]
    proof: Union[ProofV1, UnsetType] = UNSET
    """Whether the changed file was written, with --prove."""

    @classmethod
    def of(cls, report: FileReport, proof: Proof | None = None) -> PortedFileV1:
        """Returns the JSON object of a source file, with the result of its proof if there was one."""
        failure = None if report.failure is None else str(report.failure)
        return cls(
            report.path, report.changed, failure, report.skipped, report.needs_theanodiag, list(map(ChangeV1.of, report.changes)),
            UNSET if proof is None else from_attributes(ProofV1, proof),
        )  # fmt: skip


class PortCountsV1(Part):
    """Totals over the files."""

    files: Count
    changed: Count
    failed: Count
    skipped: Count
    safe: Count
    unsafe: Count
    by_hand: Count


class PortV1(Document):
    """Output of theanodiag port --format json.

    What became of each source, and what is left to do by hand.
    """

    schema: Literal["theanodiag/port/v1"]
    to: Literal["pytensor", "aesara", "pymc", "theano"]
    style: Literal["native", "compat"]
    files: list[PortedFileV1]
    counts: PortCountsV1

    @classmethod
    def of(cls, files: list[PortedFileV1], to: str, style: str, sums: Counts) -> PortV1:
        """Returns the JSON document of all files."""
        changes = (sums.by_safety[kind] for kind in (Safety.SAFE, Safety.UNSAFE, Safety.BY_HAND))
        counts = PortCountsV1(sums.files, sums.changed, sums.failed, sums.skipped, *changes)
        return cls("theanodiag/port/v1", to, style, files, counts)  # type: ignore[arg-type]


Size = Annotated[float, Meta(ge=0)]
Generator = Literal["Generator", "MRG31k3p", "RandomState"]


class SideV1(Part):
    """One of the two runs: its script, its interpreter, and how it ended."""

    path: str
    interpreter: str
    framework: str
    """Name and version of the framework."""
    functions: Count
    """Number of compiled functions."""
    ended: Optional[str]
    """How the script ended, if it did not finish normally."""
    lent: bool
    """Whether it imports theanodiag, which its interpreter lacks: theanodiag added its own copy for this run."""


class DrawsV1(Part):
    """How the second run used the random draws of the first."""

    fed: Count
    """Draws of the second run that were taken from the first."""
    own: Count
    """Draws for which the first run had none of that shape."""


class NodeV1(Part):
    """A node or input of the graph as the user wrote it."""

    text: str
    """The node or input, as printed by its framework."""
    path: Optional[str]
    """The user's source file that created it."""
    line: Optional[Line]
    code: Optional[str]
    dtype: Optional[str]
    shape: Optional[list[Count]]

    @classmethod
    def of(cls, node: NodeShown) -> NodeV1:
        """Returns the JSON object of a node."""
        path, line, code = (None, None, None) if node.site is None else (node.site.path, node.site.line, node.site.code)
        return cls(node.text, path, line, code, node.dtype, None if node.shape is None else list(node.shape))


class FirstNodeV1(Part):
    """The first node of the graph as the user wrote it whose value differs although its inputs agree."""

    function: Count
    """Index of the function in `functions`."""
    call: Count
    value: str
    """The output or update from which the search went backwards."""
    steps: list[Count]
    """Step numbers of the loops that contain it."""
    absolute: Optional[float]
    relative: Optional[float]
    old: Optional[NodeV1]
    """The node in the first run; null if that run has no such node."""
    new: Optional[NodeV1]
    """The node in the second run; null if that run has no such node."""

    @classmethod
    def of(cls, n: FirstNode) -> FirstNodeV1:
        """Returns the JSON object of the first differing node."""
        sides = optional(NodeV1.of, n.old), optional(NodeV1.of, n.new)
        return cls(n.function, n.call, n.value, list(n.steps), n.absolute, n.relative, *sides)


class DifferenceV1(Part):
    """The first value of a function that differs."""

    call: Count
    value: str
    why: str
    absolute: Optional[float]
    relative: Optional[float]
    """Difference relative to the largest magnitude of the first run's array."""
    at: Optional[list[Count]]


class FunctionPairV1(Part):
    """A function that both runs compiled."""

    index: Count
    names: tuple[str, str]
    nodes: tuple[Count, Count]
    calls: tuple[Count, Count]
    seconds: tuple[Size, Size]
    peak_bytes: tuple[Optional[Bytes], Optional[Bytes]]
    """Peak of live bytes that `check` predicts, in each run; null if it was not called."""
    draws: tuple[list[Generator], list[Generator]]
    """Kinds of random number generators in each run."""
    values: Count
    """Number of values compared."""
    largest_absolute: Size
    largest_relative: Size
    rounding: list[str]
    """Values whose difference is explained by rounding in what they are computed from."""
    by_shape_alone: list[str]
    """Values of which only dtype and shape were compared: sparse matrices, and arrays above 256 MiB."""
    first_difference: Optional[DifferenceV1]

    @classmethod
    def of(cls, f: FunctionPair) -> FunctionPairV1:
        """Returns the JSON object of a function."""
        first = None
        if (d := f.first) is not None:
            first = DifferenceV1(d.call, d.value, d.why, d.absolute, d.relative, None if d.at is None else list(d.at))
        return cls(
            index=f.index,
            names=f.names,
            nodes=f.nodes,
            calls=f.calls,
            seconds=f.seconds,
            peak_bytes=f.peaks,
            draws=(list(f.draws[0]), list(f.draws[1])),  # type: ignore[arg-type]
            values=f.values,
            largest_absolute=f.absolute,
            largest_relative=f.relative,
            rounding=list(f.rounding),
            by_shape_alone=list(f.unread),
            first_difference=first,
        )


class CompareV1(Document):
    """Output of theanodiag compare --format json.

    Two runs side by side; in each pair the old run's figure comes first.
    """

    schema: Literal["theanodiag/compare/v1"]
    equal: bool
    old: SideV1
    new: SideV1
    functions: list[FunctionPairV1]
    same_draws: Optional[DrawsV1]
    """Use of the same draws, with --same-draws."""
    first_node: Optional[FirstNodeV1]
    first_node_unknown: Optional[str]
    """Why the first differing node was not found; null if it was found or no call differs."""

    @classmethod
    def of(cls, c: Comparison) -> CompareV1:
        """Returns the JSON document of a comparison."""
        old, new = (SideV1(s.path, s.interpreter, s.framework, s.functions, s.ended or None, s.lent) for s in (c.old, c.new))
        return cls(
            schema="theanodiag/compare/v1",
            equal=c.equal,
            old=old,
            new=new,
            functions=list(map(FunctionPairV1.of, c.functions)),
            same_draws=None if c.same_draws is None else DrawsV1(*c.same_draws),
            first_node=optional(FirstNodeV1.of, c.node),
            first_node_unknown=c.node_unknown or None,
        )


class ModelsRunV1(Part):
    """One of the two runs: its script, the models that it created, and how it ended."""

    path: str
    interpreter: str
    library: Optional[str]
    """Name and version of PyMC3 or PyMC; null if the script imports neither."""
    models: Count
    """Number of models created."""
    ended: Optional[str]
    """How the script ended, if it did not finish normally."""
    failed: list[str]
    """Statements that raised an exception, each with its place and exception; the run continued after them."""
    unpaired: list[str]
    """Models without a counterpart in the other run, each with its place, name and variables."""
    lent: bool
    """Whether it imports theanodiag, which its interpreter lacks: theanodiag added its own copy for this run."""

    @classmethod
    def of(cls, side: ModelsRun) -> ModelsRunV1:
        """Returns the JSON object of a run."""
        ended = side.ended or None
        return cls(side.path, side.interpreter, side.library or None, side.models, ended, list(side.failed), list(side.unpaired), side.lent)


class DensityFindingV1(Part):
    """A difference between the two versions of a model."""

    name: Optional[str]
    """The variable or term; null for the model as a whole."""
    text: str
    reason: Optional[str]
    """The reason, if it is a known difference between PyMC3 and PyMC."""
    harmless: bool
    """Whether the difference is a known constant, which does not change the posterior."""


class ModelPairV1(Part):
    """A model that both runs created."""

    index: Count
    name: Optional[str]
    """The model's name, else the variable of the script that holds it."""
    equal: bool
    """Whether the posterior is the same."""
    variables: Count
    terms: Count
    points: Count
    """Number of points at which both densities are defined, including the start."""
    values_alone: Count
    """Number of values to which individual variables were set."""
    largest_relative: float
    """Largest relative difference among the terms that count as equal."""
    gradient_largest_relative: Optional[float]
    """Largest relative difference of gradients; null if gradients were not compared."""
    findings: list[DensityFindingV1]
    notes: list[str]

    @classmethod
    def of(cls, m: ModelPair) -> ModelPairV1:
        """Returns the JSON object of a model."""
        findings = [DensityFindingV1(f.name or None, f.text, f.reason or None, f.harmless) for f in m.findings]
        figures = m.variables, m.terms, m.points, m.alone, m.largest, m.gradient
        return cls(m.index, m.name or None, m.equal, *figures, findings, list(m.notes))


class CompareDensityV1(Document):
    """Output of theanodiag compare --density --format json.

    The models of two runs, paired by the names of their variables.
    """

    schema: Literal["theanodiag/compare-density/v1"]
    equal: bool
    """Whether both runs created the same number of models, each with the same posterior, and read the same draws."""
    old: ModelsRunV1
    new: ModelsRunV1
    models: list[ModelPairV1]
    draws: list[str]
    """Ranges of draws that only one of the scripts reads, or at more lines: one sentence for each."""
    notes: list[str]
    """Remarks on the draws that are no differences, such as another number of them."""

    @classmethod
    def of(cls, c: DensityComparison) -> CompareDensityV1:
        """Returns the JSON document of a comparison."""
        models = list(map(ModelPairV1.of, c.models))
        old, new = ModelsRunV1.of(c.old), ModelsRunV1.of(c.new)
        return cls("theanodiag/compare-density/v1", c.equal, old, new, models, list(c.draws), list(c.notes))
