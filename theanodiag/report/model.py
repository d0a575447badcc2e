"""The frozen Report: everything that `check` found, in the form shared by all formats, and its verdict in one line."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from ..capture.model import FrameworkInfo, ScriptEnd
from ..devices import DeviceProfile
from ..errors import ExitCode, UsageError
from ..escaping import visible
from ..files import STDIN
from ..findings import Finding, Severity, Skipped
from ..ir import FunctionGraph, Unknown
from ..memory.profile import MemoryProfile, Origin, ProcessProfile
from ..memory.script import Call, XlaFigures, XlaTemporaries
from ..result_display import Shown
from ..rules.sampling import SampledCall
from ..units import format_bytes
from . import formats
from .confirmed import Confirmation


@dataclass(frozen=True)
class Target:
    """The script, the interpreter that ran it, and the requested device."""

    model: str
    interpreter: str
    framework: FrameworkInfo | None
    """The imported framework; None if the script imported none."""
    device: DeviceProfile

    @property
    def argument(self) -> str:
        """The script's path, quoted for a shell command of `theanodiag`."""
        return argument(self.model)


def argument(path: str) -> str:
    """Quotes `path` for a shell; returns `-` for standard input."""
    return "-" if path == STDIN else shlex.quote(path)


@dataclass(frozen=True, repr=False)
class FunctionReport:
    """One compiled function of the script."""

    index: int
    name: str
    graph: FunctionGraph
    calls: tuple[Call, ...]
    profile: MemoryProfile | None
    """The predicted memory; None if it was never called and no shapes are known."""
    fits: bool | None
    """Whether the function alone fits on the device; None if that is unknown."""
    engine: str = "host"
    """The engine that runs it: `gpuarray`, `xla`, `torch` or `host`."""
    compile_seconds: tuple[float, ...] = ()
    """Seconds that XLA took on this machine to compile each distinct call signature; empty if XLA was not asked."""

    def __repr__(self) -> str:
        fits = {True: "fits", False: "does not fit", None: "may fit"}[self.fits]
        peak = "peak unknown" if self.profile is None else f"peak {format_bytes(self.profile.figures.live_peak_bytes)}"
        return visible(f"<FunctionReport of {self.name}: {fits}, {peak}, nodes {len(self.graph.applies)}, calls {len(self.calls)}>")

    @property
    def xla(self) -> XlaFigures | None:
        """Returns XLA's own figures for the call with the highest sum; None if XLA did not compile the function."""
        return max((c.xla for c in self.calls if c.xla is not None), key=lambda x: x.sum_bytes, default=None)

    @property
    def temporaries(self) -> XlaTemporaries | None:
        """The contents of XLA's block of temporaries at its fullest; None if the figures do not come from XLA for this device."""
        own = self.profile is not None and self.profile.origin is Origin.DERIVED
        return self.xla.temporaries if own and self.xla is not None else None


@dataclass(frozen=True)
class EngineNamed:
    """The engine (framework back-end) that runs the script's functions, with its settings."""

    name: str
    line: str
    """One sentence: which allocator serves the functions, and what the figures mean."""
    pool_bytes: int | None = None
    """Bytes that a compiler's own pool takes on the device; None if there is no pool."""
    settings: tuple[EngineSetting, ...] = ()
    notes: tuple[str, ...] = ()
    """What the figures leave out, in sentences."""


@dataclass(frozen=True)
class EngineSetting:
    """An environment variable that the engine's allocator or compiler reads, and what it does."""

    name: str
    value: str
    origin: str
    """Where it was set: `environment` or `script`."""
    effect: str


@dataclass(frozen=True)
class Preallocation:
    """The smallest `gpuarray.preallocate` with which the whole script makes only one request to the driver."""

    value: float
    """Value of the flag: MB if above 1, else a fraction of the device."""
    bytes: int
    reserved_without: int
    reserved_with: int


@dataclass(frozen=True, repr=False)
class Report(Shown):
    """The result of one `check` of a script: prediction, findings, and how the script ended."""

    target: Target
    """The script (or printed graph), its framework and interpreter, and the device."""
    functions: tuple[FunctionReport, ...]
    """The functions that the script compiled, with their memory profiles."""
    process: ProcessProfile
    """The memory of the whole script: all functions and shared variables together."""
    findings: tuple[Finding, ...]
    """The findings of the rules for the script."""
    skipped: tuple[Skipped, ...]
    """What could not be examined, each with the reason."""
    script: ScriptEnd
    """How the run of the script ended."""
    preallocation: Preallocation | None = None
    """The recommended `gpuarray.preallocate`; None if there is none."""
    reserved_range: tuple[int, int] | None = None
    """Lowest and highest reserved bytes, if these depend on the addresses at which the driver places blocks."""
    confirmation: Confirmation | None = None
    """The comparison with a measured run; None without `confirm`."""
    engine: EngineNamed | None = None
    """The engine; None if nothing runs, as for a printed graph."""
    ignored: tuple[tuple[Finding, str], ...] = ()
    """Findings that are ignored, each with the option or source comment that ignores it."""
    sampling: tuple[SampledCall, ...] = ()
    """Calls of PyMC's samplers, with the host memory that they need."""

    @property
    def incomplete(self) -> bool:
        """Whether the figures are incomplete: unknown sizes, functions without shapes, or parts that were not run or read."""
        unsized = any(f.profile is None or f.profile.unknown for f in self.functions)
        return unsized or self.script.failed or self.script.status == "timeout" or any(s.lost for s in self.skipped)

    def __repr__(self) -> str:
        fits = {True: "fits", False: "does not fit", None: "may fit"}[self.fits]
        counted = f"functions {len(self.functions)}, findings {len(self.findings)}"
        failed = f"; the script failed: {self.script.message or self.script.status}" if self.script.failed else ""
        return visible(f"<Report of {self.target.model}: {fits} {self.target.device.place}, {counted}{failed}>")

    def __str__(self) -> str:
        return str(self.to("text"))

    @property
    def fits(self) -> bool | None:
        """Whether the whole script fits on the device; None if that is unknown (unknown sizes, or a host whose memory is unknown)."""
        fits = self.process.fits
        return None if isinstance(fits, Unknown) or self.target.device.available_bytes is None else fits

    def to_dict(self) -> dict[str, object]:
        """Returns the document of `--format json`; sizes in bytes, times in seconds."""
        document: dict[str, object] = formats.load("v1.report").document(self)
        return document

    def to(self, format: str) -> str | bytes:
        """Render the report in one of the formats of `--format`.

        Args:
            format: A name that `--format` takes, such as `html` or `json`.

        Returns:
            The document; bytes where the format is binary.

        Raises:
            UsageError: The format is unknown.
        """
        if format not in formats.ALL:
            raise UsageError(f"there is no format {format!r}", help=f"one of {', '.join(formats.ALL)}")
        return formats.render(self, format, formats.View())

    def _repr_html_(self) -> str:
        """The page of `to("html")` in a frame, for notebooks."""
        return str(formats.load("html.report_page").framed(self))

    def exit_code(self, fail_on: Severity = Severity.ERROR) -> ExitCode:
        """Returns the exit code of `theanodiag check` for this report.

        Args:
            fail_on: Lowest severity of a finding that counts as a failure.

        Returns:
            53 if the script does not fit on the requested device, as predicted or in a measured run; otherwise 3 if the script failed, was
            stopped or compiled no function, or a measured run failed; otherwise 1 if a finding has the severity `fail_on` or a higher one;
            otherwise 0.
        """
        ran = self.confirmation
        if self.process.fits is False or (ran is not None and ran.on_target and ran.out_of_memory is not None):
            return ExitCode.OUT_OF_MEMORY
        if self.script.failed or self.script.status == "timeout" or not self.functions or (ran is not None and ran.failure is not None):
            return ExitCode.UNREADABLE
        return ExitCode.FINDINGS if any(f.severity >= fail_on for f in self.findings) else ExitCode.CLEAN
