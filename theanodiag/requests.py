"""The requests that commands and the API make, as values that are validated once, on creation.

The command line, the configuration file, the API and `scan --run` all make the same request, and a job answers it (`jobs/`).
"""

from __future__ import annotations

import dataclasses
import math
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cached_property
from typing import Any, TypeVar

from . import engines
from .capture.model import ShapeRequest
from .confirmation import BEST, KINDS, SAMPLING
from .confirmation.calibration import named, stored
from .confirmation.host_memory import other_host
from .devices import DeviceProfile, by_name, option_of, overhead_bytes
from .errors import Span, UsageError
from .ir.shape import MAX_LENGTH, is_dtype
from .plans.batch_axes import parts
from .probe.cuda import find_gpu
from .settings import TIMEOUT
from .units import parse_bytes

T = TypeVar("T")
CALLS = ("dry", "real")
"""Allowed values of `calls`: "dry" computes nothing, "real" computes everything."""
CONFIRMATIONS = (BEST, *KINDS, SAMPLING)
"""Allowed values of `confirm`."""


@contextmanager
def about(option: str) -> Iterator[None]:
    """Adds the field name `option` to a `UsageError` raised in the block, unless the error already has one."""
    try:
        yield
    except UsageError as error:
        error.option = error.option or option
        raise


def _parsed(option: str, parse: Callable[[Any], T], value: object) -> T:
    with about(option):
        return parse(value)


_CUDNN_NUMBER = re.compile(r"\d{4,5}")
_CUDNN_DOTTED = re.compile(r"(\d)\.(\d)(?:\.(\d{1,2}))?")


def cudnn_version(given: str | int | None) -> int | None:
    """Converts the value of `--cudnn`, 7605 or 7.6.5, to the number that cudnnGetVersion returns (cuDNN 4 to 8: 1000 x major + 100 x minor
    + patch).

    Returns None for None; raises UsageError for anything else.
    """
    if given is None:
        return None
    text = str(given).strip()
    dotted = _CUDNN_DOTTED.fullmatch(text)
    if dotted:
        return int(dotted[1]) * 1000 + int(dotted[2]) * 100 + int(dotted[3] or 0)
    if _CUDNN_NUMBER.fullmatch(text):
        return int(text)
    raise UsageError(f"{text!r} is not a version of cuDNN", help="give it as 7605 or 7.6.5")


def _host_memory(text: str | int | None) -> int | None:
    """The size in bytes that `text` gives. Raises `UsageError` if it is not a size."""
    try:
        size = None if text is None else parse_bytes(text)
    except ValueError as error:
        raise UsageError(f"--host-memory: {error}", help="write a size such as 4GiB") from None
    if size is not None and size <= 0:
        raise UsageError(f"--host-memory: a host with {size} bytes of memory is not possible", help="write a size such as 4GiB")
    return size


@dataclass(frozen=True)
class CheckRequest:
    """The request for the memory of a script. Raises `UsageError`, with the name of the field, for invalid values or combinations."""

    path: str
    """Path of the script."""
    python: str | None = None
    """Path or name of the interpreter that has the framework; None: the current one."""
    args: tuple[str, ...] = ()
    """The script's own arguments."""
    device: str | DeviceProfile | None = None
    """A size ("4GiB"), a card ("k520"), "none" (the host) or a profile; None: the device that the script opens, else the GPU found by
    NVML, else the host."""
    device_overhead: int | None = None
    """Size of the CUDA context and its libraries in bytes (text such as "300 MiB" is parsed); None: the measured size, else 300 MiB."""
    cudnn: int | None = None
    """cuDNN version on the device, such as 7605 (text such as "7.6.5" is parsed); None: no cuDNN, unless the flags require it."""
    shapes: tuple[str, ...] = ()
    """Argument shapes for functions that the script does not call, such as "train:x=128,784"."""
    calls: str = "dry"
    """One of `CALLS`."""
    max_calls: int = 3
    """Minimum number of recorded calls of each function."""
    timeout: float | None = TIMEOUT
    """Time limit in seconds for the script and for each measured run; None: no limit."""
    engine: str | None = None
    """The engine that runs the functions, one of `engines.NAMES`; None: chosen by the framework, the functions' modes and the device."""
    batch_dim: tuple[str, ...] = ()
    """The batch axes, such as "x:0"; empty: they are detected."""
    confirm: str | None = None
    """The kind of device on which the script is also run for real, one of `CONFIRMATIONS`; None: it is not run."""
    repeat: int = 1
    """Number of measured runs, with `confirm`."""
    tight: bool = False
    """With `confirm`: also find the smallest device on which the script runs, by trial runs."""
    host_memory: int | None = None
    """Host memory available to the job, in bytes (text such as "4 GiB" is parsed); None: as much as a job can have on this machine."""

    def __post_init__(self) -> None:
        """Parses fields given as text. Raises UsageError for values or combinations that are not valid."""
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
        if self.engine is not None:
            _parsed("engine", lambda name: engines.engine_named(name, self.profile), self.engine)
        if self.cudnn and (self.calls != "dry" or self.profile is None or self.profile.is_host):
            help = "name a GPU with --gpu"
            raise UsageError("--cudnn needs a GPU, and calls that compute nothing (--calls dry)", help=help, option="cudnn")

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _require_amounts(self) -> None:
        _require_time(self.timeout)
        if self.max_calls < 1:
            help = "it is the number of calls of each function that are recorded"
            raise UsageError(f"max_calls is at least 1, not {self.max_calls}", help=help, option="max_calls")
        if self.calls not in CALLS:
            raise UsageError(f"calls is 'dry' or 'real', not {self.calls!r}", option="calls")

    def _require_confirmation(self) -> None:
        which = "tight" if self.tight else "repeat"
        if self.confirm is not None and self.confirm not in CONFIRMATIONS:
            message = f"there is no device to confirm on named {self.confirm!r}"
            raise UsageError(message, help=f"one of {', '.join(CONFIRMATIONS)}", option="confirm")
        if self.confirm is None and (self.tight or self.repeat != 1):
            raise UsageError("--repeat and --tight need a measured run", help="add --confirm", option=which)
        if self.repeat < 1:
            message = f"--repeat {self.repeat}: nothing would be measured"
            raise UsageError(message, help="give a number of runs, 1 or more", option="repeat")
        if self.confirm == SAMPLING and (self.tight or self.repeat != 1):
            message = "--repeat and --tight need a device, but --confirm pymc uses none"
            raise UsageError(message, help="leave them out", option=which)

    @cached_property
    def profile(self) -> DeviceProfile | None:
        """Returns the profile of the requested device, or of the GPU that NVML finds. None if there is neither: the report is then for the
        device that the script opens, or for the host.
        """
        device = self.device
        if isinstance(device, str):
            device = _parsed("device", lambda text: named(text, os.environ), device)
        if self.host_memory is None:
            return device or find_gpu(0, stored(os.environ))
        if device is not None and not device.is_host:
            message = f"--host-memory applies to the host, but --gpu {option_of(device)} is a device"
            raise UsageError(message, help="leave one of them out", option="host_memory")
        return other_host(self.host_memory)

    def as_arguments(self) -> tuple[str, ...]:
        """Returns the request as arguments of the command `theanodiag check`. A `timeout` of None has no option and is left out."""
        words = [self.path]
        for f in dataclasses.fields(self):
            value = getattr(self, f.name)
            if f.name in CHECK_OPTIONS and value != f.default:
                words += _option(CHECK_OPTIONS[f.name], value)
        return (*words, *(("--", *self.args) if self.args else ()))


@dataclass(frozen=True)
class GraphRequest:
    """The request for the memory of a printed graph. Raises `UsageError`, with the name of the field, for invalid values."""

    path: str
    """The file with the printed graph; `-`: standard input."""
    device: str | DeviceProfile | None = None
    """As for `CheckRequest`; None: a GPU of unknown size if the graph is for a GPU, else the host."""
    device_overhead: int | None = None
    """As for `CheckRequest`."""
    batch_dim: tuple[str, ...] = ()
    """The batch axes, such as "x:0"; empty: none."""
    shapes: tuple[str, ...] = ()
    """Shapes of inputs, such as "x=128,784"."""
    values: tuple[str, ...] = ()
    """Integer values on which sizes depend, such as "n=128"."""
    floatX: str | None = None
    """The dtype of inputs whose type is not printed; None: only printed types are used."""
    dtypes: tuple[str, ...] = ()
    """Dtypes of inputs that are not floatX, such as "y=int32"."""
    allow_gc: bool = True
    """Value of the flag `allow_gc` for the function."""
    preallocate: float = 0.0
    """Value of the flag `gpuarray.preallocate`."""

    def __post_init__(self) -> None:
        """Parses fields given as text. Raises UsageError for values or combinations that are not valid."""
        for name in ("shapes", "values", "dtypes", "batch_dim"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        object.__setattr__(self, "device_overhead", _parsed("device_overhead", overhead_bytes, self.device_overhead))
        for text in self.batch_dim:
            _parsed("batch_dim", parts, text)
        if not math.isfinite(self.preallocate):
            help = "write a share such as 0.8, or MB such as 500"
            raise UsageError(f"--preallocate {self.preallocate:g} is not a valid amount of memory", help=help, option="preallocate")
        _ = self.profile, self.shapes_by_name, self.values_by_name, self.dtypes_by_name

    @cached_property
    def profile(self) -> DeviceProfile | None:
        """The profile of the requested device; None if none was named."""
        return _parsed("device", lambda text: named(text, os.environ), self.device) if isinstance(self.device, str) else self.device

    @cached_property
    def shapes_by_name(self) -> Mapping[str, tuple[int, ...]]:
        """The shapes by input name; a repeated name refers to the next input of that name."""
        return _parsed("shapes", _shapes, self.shapes)

    @cached_property
    def values_by_name(self) -> Mapping[str, int]:
        """The integer values on which sizes depend, by input name."""
        return _parsed("values", _values, self.values)

    @cached_property
    def dtypes_by_name(self) -> Mapping[str, str]:
        """The dtypes of individual inputs, by input name."""
        return _parsed("dtypes", _dtypes, self.dtypes)


@dataclass(frozen=True)
class CompareRequest:
    """The request to compare two runs. Raises `UsageError`, with the name of the field, for invalid values."""

    path: str
    """Path of the script."""
    python: str
    """The interpreter of the first run."""
    against: str
    """The interpreter of the second run."""
    other: str | None = None
    """The script of the second run; None: the same one."""
    args: tuple[str, ...] = ()
    """The scripts' own arguments."""
    calls: int = 10
    """Number of calls of each function to compare, starting with the first."""
    rtol: float | None = None
    """Tolerance relative to the largest magnitude in an array; None: a default for each dtype."""
    atol: float = 0.0
    """Absolute tolerance of the comparison."""
    seed: int | None = 1234
    """32-bit seed for `random` and `numpy.random` in both runs; None: no seeding."""
    timeout: float | None = TIMEOUT
    """Time limit in seconds for each run; None: no limit."""
    find_node: bool = True
    """Whether to run both scripts again if a call differs, to find the first node whose value differs."""
    same_draws: bool = False
    """Whether the second run receives the random numbers that the first run drew."""
    stop_after: int | None = None
    """Total number of calls after which each run ends; None: when further calls bring nothing new."""

    def __post_init__(self) -> None:
        """Raises `UsageError`, with the name of the field, for invalid values."""
        for name in ("calls", "stop_after"):
            number = getattr(self, name)
            if number is not None and number < 1:
                message = f"--{name.replace('_', '-')} {number}: nothing would be compared"
                raise UsageError(message, help="give a number of calls, 1 or more", option=name)
        _require_tolerances(self.rtol, self.atol)
        _require_seed(self.seed)
        _require_time(self.timeout)


@dataclass(frozen=True)
class DensityRequest:
    """The request to compare the log-densities of the models of two scripts. Raises `UsageError`, with the name of the field, for
    invalid values."""

    path: str
    """Path of the script for PyMC3 or an older PyMC."""
    python: str
    """The interpreter of the first run."""
    against: str
    """The interpreter of the second run."""
    other: str | None = None
    """The script of the second run; None: the same one."""
    args: tuple[str, ...] = ()
    """The scripts' own arguments."""
    rtol: float | None = None
    """Tolerance of terms and gradients, relative to their magnitude if that is above 1; None: 1e-8."""
    atol: float = 0.0
    """Absolute tolerance of the comparison."""
    seed: int = 1234
    """32-bit seed for `random` and `numpy.random` in both runs, and for the points at which densities are compared."""
    timeout: float | None = TIMEOUT
    """Time limit in seconds for each run; None: no limit."""

    def __post_init__(self) -> None:
        """Raises `UsageError`, with the name of the field, for invalid values."""
        _require_tolerances(self.rtol, self.atol)
        _require_seed(self.seed)
        _require_time(self.timeout)


def _require_tolerances(rtol: float | None, atol: float) -> None:
    """Raises `UsageError` unless both are valid tolerances."""
    for name, size in (("rtol", rtol), ("atol", atol)):
        if size is not None and not (math.isfinite(size) and size >= 0):
            raise UsageError(f"--{name} {size:g} is not a valid tolerance", help="give a number such as 1e-6, or 0", option=name)


def _require_seed(seed: int | None) -> None:
    """Raises `UsageError` for a seed that numpy.random.seed does not take."""
    if seed is not None and not 0 <= seed < 2**32:
        raise UsageError(f"--seed {seed} is not a valid seed for numpy", help="give a whole number from 0 to 4294967295", option="seed")


def _require_time(timeout: float | None) -> None:
    """Raises `UsageError` for a limit that leaves no time."""
    if timeout is not None and not timeout > 0:  # nor nan
        message = f"a timeout of {timeout:g} s leaves the script no time"
        raise UsageError(message, help="give a number of seconds above 0", option="timeout")


def _shapes(texts: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """The shapes given by `--shape`, by name of the input; a repeated name means the next input with that name."""
    requests = [ShapeRequest.parse(t) for t in texts]
    count = Counter(r.variable for r in requests)
    seen: Counter[str] = Counter()
    shapes = {}
    for r in requests:
        seen[r.variable] += 1
        shapes[f"{r.variable}#{seen[r.variable]}" if count[r.variable] > 1 else r.variable] = r.shape
    return shapes


def _values(texts: Sequence[str]) -> dict[str, int]:
    """The numbers given by `--value`, by name of the input."""
    numbers = _named("--value", texts, _is_int64, "a value", "write NAME=N, such as batch_size=128")
    return {name: int(number) for name, number in numbers.items()}


def _is_int64(text: str) -> bool:
    return text.removeprefix("-").isdecimal() and len(text) < 20 and abs(int(text)) <= MAX_LENGTH


def _dtypes(texts: Sequence[str]) -> dict[str, str]:
    """The dtypes given by `--dtype`, by name of the input."""
    return _named("--dtype", texts, is_dtype, "a dtype of an input", "write NAME=DTYPE, such as y=int32")


def _named(option: str, texts: Sequence[str], suits: Callable[[str], bool], what: str, advice: str) -> dict[str, str]:
    """Parses texts such as `NAME=WORD` into a dictionary. Raises UsageError for any other text."""
    words = {}
    for text in texts:
        name, equals, word = text.partition("=")
        if not equals or not name or not suits(word.strip()):
            raise UsageError(f"this is not {what}", span=Span(option, text, 0, len(text)), help=advice)
        words[name] = word.strip()
    return words


FOUND = "found"
"""Value of a card that names none: the GPU found on this machine, the device that a script opens, or the host."""


@dataclass(frozen=True)
class RunRequest:
    """The request to run scripts, each in its own process: every script is checked in the same way on each card."""

    cards: tuple[str, ...] = ("none",)
    """Devices as in `CheckRequest.device`, or `FOUND`; each is a column of the result."""
    check: CheckRequest = CheckRequest("", timeout=120.0)
    """The check made of each script; its path, device and arguments are replaced for each script."""
    memory_bytes: int | None = 8 << 30
    """Limit of the address space of each process of a script, in bytes; None: no limit."""
    config: str | None = None
    """Configuration file for these checks; None: none, since a file beside a script belongs to its author and can name a program to
    start."""
    arguments: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    """Command-line arguments by path pattern (`train*.py`); the first matching pattern applies."""
    sandboxed: bool = True
    """Whether a script runs in an empty folder, without network and without seeing other processes, as far as the system allows."""
    named: bool = False
    """Whether the scripts were named individually: they are then run even if they seem to use no framework."""

    def __post_init__(self) -> None:
        """Raises `UsageError`, with the name of the field, for invalid values."""
        if self.check.timeout is None:
            raise UsageError("each script needs a limit of time", help="give a number of seconds", option="timeout")
        if not self.cards:
            raise UsageError("no card is named", help="such as --gpu k80,4GiB", option="device")
        for card in self.cards:
            if card != FOUND:
                _parsed("device", by_name, card)

    def of(self, path: str, card: str) -> CheckRequest:
        """Returns the request to check the script `path` on one card."""
        return dataclasses.replace(self.check, path=os.path.abspath(path), device=None if card == FOUND else card, args=self.args_of(path))

    def args_of(self, path: str) -> tuple[str, ...]:
        """Returns the command-line arguments of the script `path`: those given for all scripts, or those of the first matching pattern."""
        return self.check.args or command_line(self.arguments, path)

    def key(self, path: str) -> tuple[str, ...]:
        """Returns the strings that determine the result of the script `path` under this request, for the key of a stored result."""
        words = (word for card in self.cards for word in self.of(path, card).as_arguments())
        return (*words, str(self.memory_bytes), str(self.sandboxed))


def command_line(arguments: Mapping[str, tuple[str, ...]], path: str) -> tuple[str, ...]:
    """Returns the script arguments of the first pattern that matches `path`; empty if none matches."""
    return next((words for pattern, words in arguments.items() if _names(pattern, path)), ())


def unmatched(arguments: Mapping[str, tuple[str, ...]], paths: Collection[str]) -> list[str]:
    """Returns the patterns of script arguments that match none of the paths."""
    return [pattern for pattern in arguments if not any(_names(pattern, path) for path in paths)]


def _names(pattern: str, path: str) -> bool:
    """Whether a pattern matches a path (`./train.py` is `train.py`), or the name of its file."""
    pattern, path = os.path.normpath(pattern), os.path.normpath(path)
    return fnmatch(path, pattern) or fnmatch(os.path.basename(path), pattern)


CHECK_OPTIONS: Mapping[str, str] = {
    "python": "--python", "device": "--gpu", "device_overhead": "--device-overhead", "cudnn": "--cudnn", "shapes": "--shape",
    "calls": "--calls", "max_calls": "--max-calls", "timeout": "--timeout", "engine": "--engine", "batch_dim": "--batch-dim",
    "host_memory": "--host-memory", "confirm": "--confirm", "repeat": "--repeat", "tight": "--tight",
}  # fmt: skip
"""Field of a `CheckRequest` -> the option of `theanodiag check` that sets it."""


def _option(name: str, value: object) -> list[str]:
    """An option with its value, as arguments of a command line."""
    if value is None:
        return []
    if value is True:
        return [name]
    if name == "--batch-dim" and isinstance(value, tuple):
        return [f"{name}={','.join(value)}"]
    if isinstance(value, tuple):
        return [f"{name}={text}" for text in value]
    return [f"{name}={option_of(value) if isinstance(value, DeviceProfile) else value}"]
