"""A run of a script under the hook: the requests that shape it, and its result (what ran, how it ended, the recorded Script)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from pathlib import Path

from ..devices import DeviceProfile, with_overhead
from ..errors import Span, UsageError
from ..findings import Skipped
from ..flags.flags_variable import FlagsVariable
from ..ir.shape import MAX_LENGTH
from ..memory.script import Script
from ..samplers.model import SamplingCall

_FORM = re.compile(r"(?:(?P<function>[^:=]+):)?(?P<variable>[^:=]+)=(?P<shape>.*)", re.DOTALL)
_DIGITS = len(str(MAX_LENGTH)) - 1
_HELP = "write FUNCTION:VARIABLE=N,N,... or VARIABLE=N,N,... (nothing after = for a scalar), such as train:x=128,784"


@dataclass(frozen=True)
class ShapeRequest:
    """The shape of an argument that the user gave with `--shape`."""

    function: str | None
    """Name or number of the function; None: every never-called function that has an argument of this name."""
    variable: str
    """Name of the argument."""
    shape: tuple[int, ...]

    @staticmethod
    def parse(text: str, source: str = "--shape") -> ShapeRequest:
        """Parses `FUNCTION:VARIABLE=N,N,...` or `VARIABLE=N,N,...`; raises UsageError. `source` is named in the error.

        >>> ShapeRequest.parse("train:x=128,784")
        ShapeRequest(function='train', variable='x', shape=(128, 784))
        """
        match = _FORM.fullmatch(text)
        if match is None:
            raise UsageError("this is not a shape", span=Span(source, text, 0, len(text)), help=_HELP)
        start = match.start("shape")
        return ShapeRequest(match["function"], match["variable"], tuple(_dimensions(source, text, start)))

    def __str__(self) -> str:
        where = f"{self.function}:" if self.function else ""
        return f"{where}{self.variable}={','.join(map(str, self.shape))}"


def _dimensions(source: str, text: str, start: int) -> list[int]:
    body = text[start:].strip("()[] ")
    if not body:
        return []
    dims, at = [], text.index(body, start)
    for part in body.rstrip(",").split(","):
        if not part.strip().isdecimal():
            span = Span(source, text, at, at + max(1, len(part)))
            raise UsageError(f"a dimension is a whole number, not {part.strip()!r}", span=span, help=_HELP)
        if len(part.strip()) > _DIGITS:
            raise UsageError("no dimension is so long", span=Span(source, text, at, at + len(part)), help=_HELP)
        dims.append(int(part))
        at += len(part) + 1
    if prod(dims) > MAX_LENGTH:
        raise UsageError("no array can have so many elements", span=Span(source, text, start, len(text)), help=_HELP)
    return dims


@dataclass(frozen=True)
class DeviceSeen:
    """The device on which the script's framework opened a context, with its memory in bytes."""

    name: str
    total_bytes: int
    free_bytes: int


@dataclass(frozen=True)
class GpuRequest:
    """The GPU for which Theano rewrites graphs, whether or not the machine has it; sizes in bytes."""

    total_bytes: int
    """Bytes of memory of the requested device."""
    free_bytes: int | None = None
    """Bytes free on the device; None: all of them. Theano refuses a larger preallocation and then runs on the CPU."""
    name: str | None = None
    """The device's name as its driver would report it; None: a made-up one."""
    capability: tuple[int, int] | None = None
    """CUDA compute capability; Theano does not use cuDNN below 3.0. None: 6.1."""
    cudnn: int | None = None
    """Version of cuDNN, such as 7605; None: the device has none, unless the script's flags say `dnn.enabled=True`."""


def visible_gpu(device: DeviceProfile | None, overhead: int | None = None, cudnn: int | None = None) -> GpuRequest | None:
    """Returns the GPU that the framework should see while it rewrites graphs; None for the host, and for a device of unknown size.
    `overhead` replaces the size of the device's context, in bytes; `cudnn` is a version.
    """
    if device is None or device.is_host:
        return None
    known = device if overhead is None else with_overhead(device, overhead)
    if known.total_bytes is None:
        return None
    return GpuRequest(known.total_bytes, known.available_bytes, known.name, known.compute_capability, cudnn)


@dataclass(frozen=True)
class StopByCount:
    """Requests that a script is stopped after a number of calls and never by time, so that two runs stop at the same call."""

    most: int | None = None
    """Total number of calls after which the script is stopped; None: it is stopped only when further calls bring nothing new."""


@dataclass(frozen=True)
class InstrumentRequest:
    """A measuring module that the hook loads by its path in the script's interpreter, with its options."""

    path: Path
    """A file that is valid in that interpreter and defines `Instrument(emit, options, shared)`; its folder becomes a package there."""
    options: Mapping[str, object] = field(default_factory=dict)
    """Handed to the instrument as a JSON object."""


@dataclass(frozen=True)
class StandIn:
    """What is assumed about the device if Theano's GPU back-end was started without it."""

    replaced_flags: Mapping[str, str | None]
    """Flag set for the stand-in -> the user's own value; None where the user had set none."""
    cudnn: int | None
    """The assumed version of cuDNN, such as 7605; None: no cuDNN."""


@dataclass(frozen=True)
class FrameworkInfo:
    """The framework that the script imported, with its flags and device."""

    name: str
    """`theano`, `theano-pymc`, `aesara` or `pytensor`."""
    version: str
    path: str
    """Path of the package's `__init__.py` in the interpreter."""
    python: tuple[int, int] | None = None
    """The interpreter's version; None where unknown."""
    numpy: str | None = None
    """The version of numpy in that interpreter; None where unknown."""
    alias_of: str | None = None
    """The legacy name that the script imported, such as `theano`, if PyTensor is installed under that name; None if it imported the
    framework by its own name."""
    flags: Mapping[str, object] = field(default_factory=dict)
    """Dotted name -> value in force, for the flags on which graphs, memory or advice depend."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Environment variables that configure the allocators of JAX and torch, as they were when the framework was first used."""
    set_by_script: tuple[str, ...] = ()
    """The names of those variables that the script itself set or changed."""
    flags_text: str | None = None
    """The text of the framework's environment variable for flags (THEANO_FLAGS) when it was imported, empty if not set; None if unknown."""
    flags_by_script: bool = False
    """Whether the script itself set or changed that variable."""
    device: DeviceSeen | None = None
    """The device with an open context; None if no context is open. With a stand-in: the requested device."""
    stand_in: StandIn | None = None
    """What was assumed where graphs were rewritten for a GPU that is not there; None where no stand-in was used."""

    @property
    def library(self) -> str:
        """The name under which the script imported the framework, such as `theano` or `pytensor`."""
        return self.alias_of or self.name.partition("-")[0]

    @property
    def flags_variable(self) -> FlagsVariable:
        """Returns the environment variable from which the framework read its flags, with its text."""
        return FlagsVariable(f"{self.library.upper()}_FLAGS", self.flags_text, self.flags_by_script)


@dataclass(frozen=True)
class ScriptEnd:
    """How a run of the script ended: exit code, exception, and reason."""

    status: str
    """`finished`, `exited` (sys.exit), `raised`, `stopped` (by us, since enough calls were recorded), `timeout` or `killed`."""
    exit_code: int | None = None
    """Exit code of the process; None where it was killed or stopped."""
    exception: str | None = None
    """The exception's last line, such as `ValueError: no data`."""
    traceback: str | None = None
    """The traceback as Python prints it, without frames of our files."""
    reason: str | None = None
    """Why we stopped it, which signal killed it, or what explains the exception."""
    on_stand_ins: bool = False
    """Whether the exception came from the script's use of draws, which the dry run replaced by placeholders: such an error is not a
    fault of the script."""
    name_gone: bool = False
    """Whether `reason` names the replacement of a name that the framework removed."""
    unverified: str | None = None
    """Why the recorded events cannot be trusted: the hook never reported the end, or something else wrote into its stream.

    None where they can.
    """

    @property
    def failed(self) -> bool:
        """Whether the script ended with an exception, a signal or a nonzero exit code. It did not fail if we stopped it, or if only the
        placeholders for its draws may have caused the error.
        """
        return (
            (self.status == "raised" and not self.on_stand_ins)
            or self.status == "killed"
            or (self.status == "exited" and bool(self.exit_code))
        )

    @property
    def outcome(self) -> str:
        """The result in one word: `ran`, `failed`, `out-of-memory` if host memory ran out (the exception's class is MemoryError or
        derived), or `timeout`.
        """
        if self.status == "timeout":
            return "timeout"
        if not self.failed:
            return "ran"
        return "out-of-memory" if (self.exception or "").partition(":")[0].endswith("MemoryError") else "failed"

    @property
    def message(self) -> str | None:
        """Returns the last line of the exception, or else `reason`, or else the exit code of a script that failed; None if the script ended
        normally.
        """
        status = f"exit code {self.exit_code}" if self.status == "exited" and self.exit_code else None
        return self.exception or self.reason or status


@dataclass(frozen=True)
class Capture:
    """One run of a script under the hook."""

    path: str
    """The script's path as the user gave it."""
    interpreter: str
    """Path of the interpreter that ran it."""
    python: str
    """The interpreter's version, such as `3.8.18`."""
    script: Script
    """The recorded functions, shared variables and calls."""
    end: ScriptEnd
    framework: FrameworkInfo | None = None
    """The framework that the script imported; None where it imported none."""
    skipped: tuple[Skipped, ...] = ()
    """What could not be recorded or used, each with the reason."""
    seconds: float = 0.0
    """Wall time of the script's run."""
    measured: tuple[Mapping[str, object], ...] = ()
    """The events that the instrument emitted, in order; empty where there was no instrument."""
    sampling: tuple[SamplingCall, ...] = ()
    """Calls of PyMC's samplers, intercepted before they sampled."""
