"""The questions that can be asked, as values: each is validated once, when it is made.

The command line, the configuration file, the API and `scan --run` all make the same request, and a job answers it (`jobs/`).
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from . import engines
from .capture.assumed_calls import ShapeRequest
from .capture.cudnn import cudnn_version
from .confirmation.calibration import named, stored
from .confirmation.kinds import BEST, KINDS, SAMPLING
from .confirmation.memory import other_host
from .devices import DeviceProfile, overhead_bytes
from .devices.naming import option_of
from .errors import UsageError
from .plans.batch_axes import parts
from .probe.nvml import find_gpu
from .units import parse_bytes

T = TypeVar("T")
CALLS = ("dry", "real")
"""What `calls` can be: nothing is computed, or all is."""
CONFIRMATIONS = (BEST, *KINDS, SAMPLING)
"""What `confirm` can be."""


@contextmanager
def about(option: str) -> Iterator[None]:
    """Lets a `UsageError` from within say which field of the request it is about, unless it does already."""
    try:
        yield
    except UsageError as error:
        error.option = error.option or option
        raise


def _parsed(option: str, parse: Callable[[Any], T], value: object) -> T:
    with about(option):
        return parse(value)


@dataclass(frozen=True)
class CheckRequest:
    """What a script needs. Raises `UsageError`, with the name of the field, for what makes no sense, alone or together."""

    path: str
    """Path of the script."""
    python: str | None = None
    """Path or name of the interpreter that has the framework; None: this one."""
    args: tuple[str, ...] = ()
    """The script's own arguments."""
    device: str | DeviceProfile | None = None
    """A size ("4GiB"), a card ("k520"), "none" (the host), or a profile; None: the device that the script opens, else the GPU that NVML
    finds, else the host."""
    device_overhead: int | None = None
    """Bytes of the CUDA context and its libraries (a text such as "300 MiB" is parsed); None: as measured, else 300 MiB."""
    cudnn: int | None = None
    """The cuDNN of the device, such as 7605 (a text such as "7.6.5" is parsed); None: none, unless the flags insist."""
    shapes: tuple[str, ...] = ()
    """Shapes of arguments of functions that are not called, such as "train:x=128,784"."""
    calls: str = "dry"
    """One of `CALLS`."""
    max_calls: int = 3
    """Calls of each function that are recorded, at least."""
    timeout: float | None = 600.0
    """Seconds for the script, and for each measured run; None: no limit."""
    engine: str | None = None
    """What runs the functions, one of `engines.NAMES`; None: what framework, modes and device say."""
    batch_dim: tuple[str, ...] = ()
    """The axes of the batch, such as "x:0"; empty: they are found."""
    confirm: str | None = None
    """The kind of device on which the script also runs for real, one of `CONFIRMATIONS`; None: it does not."""
    repeat: int = 1
    """Measured runs, with `confirm`."""
    tight: bool = False
    """With `confirm`: also find by trial the least device on which the script runs."""
    host_memory: int | None = None
    """Bytes that a job can have on the host asked about (a text such as "4 GiB" is parsed); None: as much as one can have here."""

    def __post_init__(self) -> None:
        """Parses what may be given as text, and refuses what makes no sense."""
        self._set("path", os.fspath(self.path))
        for name in ("args", "shapes", "batch_dim"):
            self._set(name, tuple(getattr(self, name)))
        self._set("device_overhead", _parsed("device_overhead", overhead_bytes, self.device_overhead))
        self._set("host_memory", _parsed("host_memory", _host_memory, self.host_memory))
        self._set("cudnn", _parsed("cudnn", cudnn_version, self.cudnn))
        for text in self.shapes:
            _parsed("shapes", ShapeRequest.parse, text)
        for text in self.batch_dim:
            _parsed("batch_dim", parts, text)
        self._require_amounts()
        self._require_confirmation()
        if self.device is not None:
            _ = self.profile
        with about("engine"):
            engines.ask(self.engine, None if self.engine is None else self.profile)
        if self.cudnn and (self.calls != "dry" or self.profile is None or self.profile.is_host):
            help = "name a GPU with --gpu"
            raise UsageError("--cudnn needs a GPU, and calls that compute nothing (--calls dry)", help=help, option="cudnn")

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _require_amounts(self) -> None:
        if self.timeout is not None and not self.timeout > 0:  # nor nan
            said = f"a timeout of {self.timeout:g} s leaves the script no time"
            raise UsageError(said, help="give a number of seconds above 0", option="timeout")
        if self.max_calls < 1:
            help = "it is the number of calls of each function that are recorded"
            raise UsageError(f"max_calls is at least 1, not {self.max_calls}", help=help, option="max_calls")
        if self.calls not in CALLS:
            raise UsageError(f"calls is 'dry' or 'real', not {self.calls!r}", option="calls")

    def _require_confirmation(self) -> None:
        which = "tight" if self.tight else "repeat"
        if self.confirm is not None and self.confirm not in CONFIRMATIONS:
            said = f"there is no device to confirm on named {self.confirm!r}"
            raise UsageError(said, help=f"one of {', '.join(CONFIRMATIONS)}", option="confirm")
        if self.confirm is None and (self.tight or self.repeat != 1):
            raise UsageError("--repeat and --tight need a measured run", help="add --confirm", option=which)
        if self.repeat < 1:
            said = f"--repeat {self.repeat}: nothing would be measured"
            raise UsageError(said, help="give a number of runs, 1 or more", option="repeat")
        if self.confirm == SAMPLING and (self.tight or self.repeat != 1):
            said = "--repeat and --tight are about a device, and --confirm pymc uses none"
            raise UsageError(said, help="leave them out", option=which)

    @cached_property
    def profile(self) -> DeviceProfile | None:
        """The device asked about: the one named, else the GPU that NVML finds; None where there is none: the script's own, or the host."""
        found = self.device
        if isinstance(found, str):
            found = _parsed("device", lambda text: named(text, os.environ), found)
        if self.host_memory is None:
            return found or find_gpu(0, stored(os.environ))
        if found is not None and not found.is_host:
            said = f"--host-memory is about the host, and --gpu {option_of(found)} is not"
            raise UsageError(said, help="leave one of them out", option="host_memory")
        return other_host(self.host_memory)

    def words(self) -> tuple[str, ...]:
        """The command line of `theanodiag check` that asks the same. A `timeout` of None has none: it is left out."""
        found = [self.path]
        for f in dataclasses.fields(self):
            value = getattr(self, f.name)
            if f.name in CHECK_OPTIONS and value != f.default:
                found += _option(CHECK_OPTIONS[f.name], value)
        return (*found, *(("--", *self.args) if self.args else ()))


def _host_memory(text: str | int | None) -> int | None:
    """Bytes; raises `UsageError` where it is no size."""
    try:
        size = None if text is None else parse_bytes(text)
    except ValueError as error:
        raise UsageError(f"--host-memory: {error}", help="write a size such as 4GiB") from None
    if size is not None and size <= 0:
        raise UsageError(f"--host-memory: a host of {size} bytes holds nothing", help="write a size such as 4GiB")
    return size


CHECK_OPTIONS: Mapping[str, str] = {
    "python": "--python", "device": "--gpu", "device_overhead": "--device-overhead", "cudnn": "--cudnn", "shapes": "--shape",
    "calls": "--calls", "max_calls": "--max-calls", "timeout": "--timeout", "engine": "--engine", "batch_dim": "--batch-dim",
    "host_memory": "--host-memory", "confirm": "--confirm", "repeat": "--repeat", "tight": "--tight",
}  # fmt: skip
"""Field of a `CheckRequest` -> the option of `theanodiag check` that sets it."""


def _option(name: str, value: object) -> list[str]:
    """An option with a value, as words of a command line."""
    if value is None:
        return []
    if value is True:
        return [name]
    if name == "--batch-dim" and isinstance(value, tuple):
        return [f"{name}={','.join(value)}"]
    if isinstance(value, tuple):
        return [f"{name}={text}" for text in value]
    return [f"{name}={option_of(value) if isinstance(value, DeviceProfile) else value}"]
