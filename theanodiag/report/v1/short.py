"""Small documents: errors, lists of rules, baselines, weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, Optional

from msgspec import Meta

from ...confirmation.available import abilities
from ...doctor import advise
from ...errors import TheanodiagError
from ...probe.model import ProbeResult
from .common import Count, DescribedV1, Document, Part, RuleCode, SeverityName, from_attributes

if TYPE_CHECKING:
    from ...weights.collect import Weight


# `theanodiag/doctor/v1`: what is installed and found on this machine.


class SeenDeviceV1(Part):
    """A device as a framework reports it."""

    backend: str
    name: str
    """name as written in flags, such as cuda0"""
    title: Optional[str]
    """name that the driver reports"""
    total_bytes: Optional[int]
    free_bytes: Optional[int]
    arch: Optional[str]
    error: Optional[str]
    """why it cannot be opened"""


class FrameworkSeenV1(Part):
    """A framework installed in an interpreter."""

    name: str
    version: Optional[str]
    path: Optional[str]
    devices: list[SeenDeviceV1]
    error: Optional[str]
    """why it cannot be imported"""


class InterpreterV1(Part):
    """A Python interpreter and the frameworks in it."""

    path: str
    version: str
    prefix: str
    site: list[str]
    frameworks: list[FrameworkSeenV1]
    error: Optional[str]
    """why it does not run"""


class LibraryV1(Part):
    """A shared library that libgpuarray may need."""

    path: str
    cuda: Optional[tuple[int, int]]
    """its CUDA version; for a driver the newest CUDA version that it supports"""
    archs: list[int]
    """compute capabilities, such as 90"""
    compiles: Optional[bool]
    error: Optional[str]
    """why it cannot be loaded"""


class DriverV1(Part):
    """The installed NVIDIA driver."""

    version: str
    cuda: tuple[int, int]


class GpuV1(Part):
    """A GPU as NVML describes it."""

    name: str
    total_bytes: int
    free_bytes: int
    capability: Optional[tuple[int, int]]


class AbilityV1(Part):
    """Whether `--confirm` can use one kind of device on this machine."""

    kind: str
    ready: bool
    line: str
    interpreter: Optional[str]
    command: Optional[str]


class LegacyV1(Part):
    """The libraries that libgpuarray loads by name, and the commands that make them loadable."""

    rows: list[tuple[str, str]]
    commands: list[str]
    complete: bool


class DoctorV1(Document):
    """Output of theanodiag doctor: what is installed and was found on this machine."""

    schema: Literal["theanodiag/doctor/v1"]
    interpreters: list[InterpreterV1]
    libraries: list[LibraryV1]
    driver: Optional[DriverV1]
    no_driver: Optional[str]
    """why nothing is known about a driver"""
    gpus: list[GpuV1]
    compiler: Optional[str]
    abilities: list[AbilityV1]
    legacy: LegacyV1

    @classmethod
    def of(cls, machine: ProbeResult) -> DoctorV1:
        """Returns the JSON document of the findings."""
        return cls(
            schema="theanodiag/doctor/v1",
            interpreters=[from_attributes(InterpreterV1, one) for one in machine.interpreters],
            libraries=[from_attributes(LibraryV1, one) for one in machine.libraries],
            driver=None if machine.driver is None else from_attributes(DriverV1, machine.driver),
            no_driver=machine.no_driver,
            gpus=[from_attributes(GpuV1, one) for one in machine.gpus],
            compiler=machine.compiler,
            abilities=[from_attributes(AbilityV1, one) for one in abilities(machine)],
            legacy=from_attributes(LegacyV1, advise(machine)),
        )


# `theanodiag/doctor-repository/v1`: an environment for the scripts of a repository.


class PackageV1(Part):
    """A line of the requirements file."""

    requirement: str
    """what pip takes"""
    place: str
    """the first place that needs it: path:line:column"""
    reason: str
    """why this package or this release; empty if the sources name the package"""


class UnavailableModuleV1(Part):
    """A module that the sources import, and no package is known to provide."""

    name: str
    place: str
    advice: str


class DroppedRequirementV1(Part):
    """A declared requirement whose version condition is not taken over."""

    requirement: str
    place: str


class DoctorRepositoryV1(Document):
    """Output of theanodiag doctor REPO: the packages that the scripts of a repository need under theanodiag run."""

    schema: Literal["theanodiag/doctor-repository/v1"]
    python: str
    """release of CPython"""
    sources: Count
    """number of sources read"""
    python2: list[str]
    """sources that only Python 2 can parse"""
    unread: list[tuple[str, str]]
    """source and reason, for sources that cannot be read"""
    packages: list[PackageV1]
    unavailable: list[UnavailableModuleV1]
    dropped: list[DroppedRequirementV1]


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
