"""Small documents: errors, lists of rules, baselines, weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, Optional

from msgspec import Meta

from ...errors import TheanodiagError
from .common import Count, DescribedV1, Document, Part, RuleCode, SeverityName

if TYPE_CHECKING:
    from ...weights.collect import Weight


class WhatWentWrongV1(Part):
    """The error with which a command ended."""

    exit_code: int
    kind: str
    code: str
    """error code for programs: framework-missing, else the same as kind"""
    message: str
    path: Optional[str]
    line: Optional[int]
    column: Optional[int]
    help: Optional[str]


class ErrorV1(Document):
    """Output of a command that ended with an error, with --format json."""

    schema: Literal["theanodiag/error/v1"]
    error: WhatWentWrongV1

    @classmethod
    def of(cls, error: TheanodiagError) -> ErrorV1:
        """Returns the JSON document of an error."""
        code, span = error.exit_code, error.span
        path, line, column = (span.source, span.line, span.column) if span else (error.path, None, None)
        details = WhatWentWrongV1(int(code), code.name.lower(), error.code, error.message, path, line, column, error.help)
        return cls("theanodiag/error/v1", details)


class RuleV1(Part):
    """A rule of the catalogue of findings."""

    code: RuleCode
    name: str
    title: str


class RulesV1(Document):
    """Output of theanodiag rules: the rules."""

    schema: Literal["theanodiag/rules/v1"]
    rules: list[RuleV1]


class ShapeRulesV1(Document):
    """The Ops whose shapes theanodiag can infer without a framework."""

    schema: Literal["theanodiag/shape-rules/v1"]
    ops: list[str]


class KnownFindingV1(Part):
    """A known finding, which does not cause a failure."""

    code: RuleCode
    path: str
    fingerprint: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class BaselineV1(Document):
    """A baseline: known findings, which do not cause a failure."""

    schema: Literal["theanodiag/baseline/v1"]
    findings: list[KnownFindingV1]


class AdviceCodeV1(Part):
    """The code that a fix says to paste."""

    code: Optional[str]


class AdviceV1(Part):
    """The part of a finding that contains code to paste."""

    code: str
    severity: SeverityName
    fix: Optional[AdviceCodeV1]


class FlagsSetV1(Part):
    """The flags of the framework's environment variable when a report was made."""

    flags_text: Optional[str] = None


class AdvisedTargetV1(Part):
    """The framework with which a report was made."""

    framework: Optional[FlagsSetV1] = None


class AdvisedV1(Part):
    """The parts of a finding from which flags can be derived."""

    findings: list[AdviceV1]
    target: Optional[AdvisedTargetV1] = None


class WeightV1(Part):
    """An array of a weights file."""

    name: str
    """Unique name: the name in the archive that holds it, else its path."""
    path: str
    """The shortest path to it from the root object of the file: `layers[0].W`."""
    also: list[str]
    """Other paths to the same array."""
    variable: Optional[str]
    """Name of the shared variable that held it."""
    origin: str
    """Class of the shared variable that held it, or `array`."""
    dtype: str
    shape: list[Count]
    note: Optional[str]
    written_as: Optional[str]
    """Its name in the output file."""

    @classmethod
    def of(cls, w: Weight, written_as: str | None) -> WeightV1:
        """Returns the JSON object of an array."""
        variable, note, array = w.variable or None, w.note or None, w.array
        return cls(w.name, w.path, list(w.also), variable, w.origin, str(array.dtype), list(array.shape), note, written_as)


class LeftOutV1(Part):
    """Objects that are not numeric arrays, or that could not be read."""

    name: str
    reason: str


class WeightsV1(Document):
    """Output of theanodiag weights --format json.

    The arrays in the file of an old model.
    """

    schema: Literal["theanodiag/weights/v1"]
    path: str
    written: Optional[str]
    """The output file."""
    weights: list[WeightV1]
    left_out: list[LeftOutV1]
    """Objects that are not numeric arrays, or that could not be read."""
    findings: list[DescribedV1]
    """Code that a pickle in the file would run when loaded (TD104)."""
