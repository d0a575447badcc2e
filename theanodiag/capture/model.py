"""What a watched run of a script gave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..findings import Skipped
from ..memory.script import Script


@dataclass(frozen=True)
class DeviceSeen:
    """The device whose context the script opened."""

    name: str
    total_bytes: int
    free_bytes: int


@dataclass(frozen=True)
class GpuAsked:
    """A device that need not exist, for which Theano shall rewrite graphs."""

    total_bytes: int
    free_bytes: int | None = None
    """None: all of it. Theano refuses a preallocation above it and then runs on the CPU."""
    name: str | None = None
    capability: tuple[int, int] | None = None
    """CUDA compute capability; cuDNN is not used below 3.0."""
    cudnn: int | None = None
    """Version of cuDNN, such as 7605; None: none is there (unless the script's flags say `dnn.enabled=True`)."""


@dataclass(frozen=True)
class InstrumentAsked:
    """What measures while functions really run; it is loaded in the script's interpreter by its path."""

    path: Path
    options: Mapping[str, object] = field(default_factory=dict)
    """A JSON object."""


@dataclass(frozen=True)
class StandIn:
    """What stood for a device that the interpreter does not have."""

    replaced_flags: Mapping[str, str | None]
    """Flags that were set for it, with what the user had set; None where nothing."""
    cudnn: int | None
    """The version of cuDNN that was assumed."""


@dataclass(frozen=True)
class FrameworkInfo:
    """The framework that the script imported."""

    name: str
    """`theano`, `theano-pymc`, `aesara` or `pytensor`."""
    version: str
    path: str
    """Where it lies in the interpreter."""
    alias_of: str | None = None
    """The legacy name by which the script reached it, if that is another."""
    default_linker: str | None = None
    flags: Mapping[str, object] = field(default_factory=dict)
    """Flags in force, by their dotted names."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables that the allocators of JAX and torch read, as they were when the framework was first used."""
    set_by_script: tuple[str, ...] = ()
    """Those of them that the script itself set."""
    device: DeviceSeen | None = None
    stand_in: StandIn | None = None
    """Set where graphs were rewritten for a device that is not there; `device` and `flags` then show it."""


@dataclass(frozen=True)
class ScriptEnd:
    """How the script ended."""

    status: str
    """`finished`, `exited`, `raised`, `stopped` (enough was seen), `timeout` or `killed`."""
    exit_code: int | None = None
    exception: str | None = None
    """The exception's last line, such as `ValueError: no data`."""
    traceback: str | None = None
    """As Python prints it, without frames of ours."""
    reason: str | None = None
    """Why it was stopped or what killed it."""
    unverified: str | None = None
    """Why what was recorded cannot be vouched for: the end was not told by our own recorder, or something else wrote to it."""

    @property
    def failed(self) -> bool:
        """Whether it ended otherwise than its author meant (a script that was stopped since enough was seen did not fail)."""
        return self.status in ("raised", "killed") or (self.status == "exited" and bool(self.exit_code))

    @property
    def message(self) -> str | None:
        """The exception's last line, or why it was stopped."""
        return self.exception or self.reason


@dataclass(frozen=True)
class Capture:
    """One run of a script."""

    path: str
    """The script, as it was named."""
    interpreter: str
    python: str
    """The interpreter's version."""
    script: Script
    end: ScriptEnd
    framework: FrameworkInfo | None = None
    """None where the script imported none."""
    skipped: tuple[Skipped, ...] = ()
    seconds: float = 0.0
    """Wall time of the run."""
    measured: tuple[Mapping[str, object], ...] = ()
    """What the instrument told, event by event (only where one was given)."""
