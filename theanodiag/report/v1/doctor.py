"""`theanodiag/doctor/v1`: what is installed and seen on this machine."""

from __future__ import annotations

from typing import Literal, Optional

from ...doctor.recipe import abilities, advise
from ...probe.model import ProbeResult
from .parts import Document, Part, from_attributes


class SeenDeviceV1(Part):
    """A device as a framework reports it."""

    backend: str
    name: str
    """as flags write it, such as cuda0"""
    title: Optional[str]
    """what the driver calls it"""
    total_bytes: Optional[int]
    free_bytes: Optional[int]
    arch: Optional[str]
    error: Optional[str]
    """why it does not open"""


class FrameworkSeenV1(Part):
    """A framework in an interpreter."""

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
    """the CUDA version that it belongs to; of a driver the newest that it serves"""
    archs: list[int]
    """compute capabilities, such as 90"""
    compiles: Optional[bool]
    error: Optional[str]
    """why it does not open"""


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
    """Whether `--confirm` can use one kind of device here."""

    kind: str
    ready: bool
    line: str
    interpreter: Optional[str]
    command: Optional[str]


class LegacyV1(Part):
    """The libraries that libgpuarray loads by name, and the commands that make them found."""

    rows: list[tuple[str, str]]
    commands: list[str]
    complete: bool


class DoctorV1(Document):
    """What is installed and seen on this machine."""

    schema: Literal["theanodiag/doctor/v1"]
    interpreters: list[InterpreterV1]
    libraries: list[LibraryV1]
    driver: Optional[DriverV1]
    no_driver: Optional[str]
    """why nothing is known of a driver"""
    gpus: list[GpuV1]
    compiler: Optional[str]
    abilities: list[AbilityV1]
    legacy: LegacyV1

    @classmethod
    def of(cls, machine: ProbeResult) -> DoctorV1:
        """The document of what was found."""
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
