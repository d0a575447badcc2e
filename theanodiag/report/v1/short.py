"""Documents of few keys: errors, lists of rules, baselines, weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, Optional

from msgspec import Meta

from ...errors import TheanodiagError
from .parts import Count, DescribedV1, Document, Part, RuleCode, SeverityName

if TYPE_CHECKING:
    from ...weights.collect import Weight


class WhatWentWrongV1(Part):
    """An error."""

    exit_code: int
    kind: str
    code: str
    """what programs tell errors apart by: framework-missing, else as kind"""
    message: str
    path: Optional[str]
    line: Optional[int]
    column: Optional[int]
    help: Optional[str]


class ErrorV1(Document):
    """What went wrong, where --format json was asked for."""

    schema: Literal["theanodiag/error/v1"]
    error: WhatWentWrongV1

    @classmethod
    def of(cls, error: TheanodiagError) -> ErrorV1:
        """The document of an error."""
        code, span = error.exit_code, error.span
        path, line, column = (span.source, span.line, span.column) if span else (error.path, None, None)
        details = WhatWentWrongV1(int(code), code.name.lower(), error.code, error.message, path, line, column, error.help)
        return cls("theanodiag/error/v1", details)


class RuleV1(Part):
    """A rule."""

    code: RuleCode
    name: str
    title: str


class RulesV1(Document):
    """The rules."""

    schema: Literal["theanodiag/rules/v1"]
    rules: list[RuleV1]


class ShapeRulesV1(Document):
    """The Ops whose shapes are known without a framework."""

    schema: Literal["theanodiag/shape-rules/v1"]
    ops: list[str]


class KnownFindingV1(Part):
    """A finding that does not fail."""

    code: RuleCode
    path: str
    fingerprint: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class BaselineV1(Document):
    """Known findings."""

    schema: Literal["theanodiag/baseline/v1"]
    findings: list[KnownFindingV1]


class AdviceCodeV1(Part):
    """What to paste."""

    code: Optional[str]


class AdviceV1(Part):
    """What every document has of a finding that a flag may follow."""

    code: str
    severity: SeverityName
    fix: Optional[AdviceCodeV1]


class AdvisedV1(Part):
    """Any document with findings: those of `check`, `graph` and `config check`."""

    findings: list[AdviceV1]


class WeightV1(Part):
    """An array."""

    name: str
    """Unique: the name in the archive that holds it, else its path."""
    path: str
    """The shortest way to it from the object of the file: `layers[0].W`."""
    also: list[str]
    """Other paths to the same array."""
    variable: Optional[str]
    """The own name of the shared variable that held it."""
    origin: str
    """Class of the shared variable that held it, or `array`."""
    dtype: str
    shape: list[Count]
    note: Optional[str]
    written_as: Optional[str]
    """Its name in the file that was written."""

    @classmethod
    def of(cls, w: Weight, written_as: str | None) -> WeightV1:
        """The part for an array."""
        variable, note, array = w.variable or None, w.note or None, w.array
        return cls(w.name, w.path, list(w.also), variable, w.origin, str(array.dtype), list(array.shape), note, written_as)


class LeftOutV1(Part):
    """Objects that are no arrays of numbers, or that could not be read."""

    name: str
    reason: str


class WeightsV1(Document):
    """theanodiag weights --format json.

    The arrays in the file of an old model.
    """

    schema: Literal["theanodiag/weights/v1"]
    path: str
    written: Optional[str]
    """The file that was written."""
    weights: list[WeightV1]
    left_out: list[LeftOutV1]
    """Objects that are no arrays of numbers, or that could not be read."""
    findings: list[DescribedV1]
    """What a pickle in the file would run (TD104)."""
