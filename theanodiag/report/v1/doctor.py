"""What `theanodiag doctor` writes: what is installed on a machine, and the packages that a repository needs."""

from __future__ import annotations

from typing import Literal, Optional

from ...confirmation.available import abilities
from ...doctor import advise
from ...probe.model import ProbeResult
from .common import Count, Document, Part, from_attributes

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
