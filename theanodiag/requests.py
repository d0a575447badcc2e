"""The questions that can be asked, as values: each is validated once, when it is made.

The command line, the configuration file, the API and `scan --run` all make the same request, and a job answers it (`jobs/`).
"""

from __future__ import annotations

import dataclasses
import math
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cached_property
from typing import Any, TypeVar

from . import engines
from .capture.assumed_calls import ShapeRequest
from .capture.cudnn import cudnn_version
from .confirmation.calibration import named, stored
from .confirmation.kinds import BEST, KINDS, SAMPLING
from .confirmation.memory import other_host
from .devices import DeviceProfile, by_name, option_of, overhead_bytes
from .errors import Span, UsageError
from .ir.dtype import is_dtype
from .ir.shape import MAX_LENGTH
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


def _host_memory(text: str | int | None) -> int | None:
    """Bytes; raises `UsageError` where it is no size."""
    try:
        size = None if text is None else parse_bytes(text)
    except ValueError as error:
        raise UsageError(f"--host-memory: {error}", help="write a size such as 4GiB") from None
    if size is not None and size <= 0:
        raise UsageError(f"--host-memory: a host of {size} bytes holds nothing", help="write a size such as 4GiB")
    return size


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
        if self.engine is not None:
            _parsed("engine", lambda name: engines.ask(name, self.profile), self.engine)
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
            message = "--repeat and --tight are about a device, and --confirm pymc uses none"
            raise UsageError(message, help="leave them out", option=which)

    @cached_property
    def profile(self) -> DeviceProfile | None:
        """The device asked about: the one named, else the GPU that NVML finds; None where there is none: the script's own, or the host."""
        device = self.device
        if isinstance(device, str):
            device = _parsed("device", lambda text: named(text, os.environ), device)
        if self.host_memory is None:
            return device or find_gpu(0, stored(os.environ))
        if device is not None and not device.is_host:
            message = f"--host-memory is about the host, and --gpu {option_of(device)} is not"
            raise UsageError(message, help="leave one of them out", option="host_memory")
        return other_host(self.host_memory)

    def words(self) -> tuple[str, ...]:
        """The command line of `theanodiag check` that asks the same. A `timeout` of None has none: it is left out."""
        words = [self.path]
        for f in dataclasses.fields(self):
            value = getattr(self, f.name)
            if f.name in CHECK_OPTIONS and value != f.default:
                words += _option(CHECK_OPTIONS[f.name], value)
        return (*words, *(("--", *self.args) if self.args else ()))


@dataclass(frozen=True)
class GraphRequest:
    """What a printed graph needs. Raises `UsageError`, with the name of the field, for what makes no sense."""

    path: str
    """The file with the text; `-`: standard input."""
    device: str | DeviceProfile | None = None
    """As for `CheckRequest`; None: the GPU, of unknown size, where the graph is one of a GPU, else the host."""
    device_overhead: int | None = None
    """As for `CheckRequest`."""
    batch_dim: tuple[str, ...] = ()
    """The axes of the batch, such as "x:0"; empty: none."""
    shapes: tuple[str, ...] = ()
    """Shapes of inputs, such as "x=128,784"."""
    values: tuple[str, ...] = ()
    """Whole numbers on which sizes depend, such as "n=128"."""
    floatX: str | None = None
    """The dtype of inputs whose type is not printed; None: only printed types count."""
    dtypes: tuple[str, ...] = ()
    """Dtypes of inputs that are not floatX, such as "y=int32"."""
    allow_gc: bool = True
    """The flag allow_gc of the function."""
    preallocate: float = 0.0
    """The flag gpuarray.preallocate."""

    def __post_init__(self) -> None:
        """Parses what may be given as text, and refuses what makes no sense."""
        for name in ("shapes", "values", "dtypes", "batch_dim"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        object.__setattr__(self, "device_overhead", _parsed("device_overhead", overhead_bytes, self.device_overhead))
        for text in self.batch_dim:
            _parsed("batch_dim", parts, text)
        if not math.isfinite(self.preallocate):
            help = "write a share such as 0.8, or MB such as 500"
            raise UsageError(f"--preallocate {self.preallocate:g} is no amount of memory", help=help, option="preallocate")
        _ = self.profile, self.shapes_by_name, self.values_by_name, self.dtypes_by_name

    @cached_property
    def profile(self) -> DeviceProfile | None:
        """The device asked about; None where none was named."""
        return _parsed("device", lambda text: named(text, os.environ), self.device) if isinstance(self.device, str) else self.device

    @cached_property
    def shapes_by_name(self) -> Mapping[str, tuple[int, ...]]:
        """The shapes; a name that is given again means the next input that is called so."""
        return _parsed("shapes", _shapes, self.shapes)

    @cached_property
    def values_by_name(self) -> Mapping[str, int]:
        """The numbers."""
        return _parsed("values", _values, self.values)

    @cached_property
    def dtypes_by_name(self) -> Mapping[str, str]:
        """The dtypes of single inputs."""
        return _parsed("dtypes", _dtypes, self.dtypes)


@dataclass(frozen=True)
class CompareRequest:
    """Whether two runs compute the same. Raises `UsageError`, with the name of the field, for what makes no sense."""

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
    """Calls of each function that are compared, from the first one."""
    rtol: float | None = None
    """Tolerance relative to the largest magnitude of an array; None: by dtype."""
    atol: float = 0.0
    """Absolute tolerance."""
    seed: int | None = 1234
    """The seed of `random` and `numpy.random` in both runs, of 32 bits; None: they are not seeded."""
    timeout: float | None = 600.0
    """Seconds for each run; None: no limit."""
    find_node: bool = True
    """Whether both run once more where a call differs, to find the first node that differs."""
    same_draws: bool = False
    """Whether the second run gets the numbers that the first drew from its random streams."""
    stop_after: int | None = None
    """Calls of all functions after which each run is ended; None: once calls bring nothing new."""

    def __post_init__(self) -> None:
        """Refuses what makes no sense."""
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
    """Whether the models of two scripts have the same log-density. Raises `UsageError`, with the name of the field, for what makes no
    sense.
    """

    path: str
    """Path of the script of PyMC3, or of an older PyMC."""
    python: str
    """The interpreter of the first run."""
    against: str
    """The interpreter of the second run."""
    other: str | None = None
    """The script of the second run; None: the same one."""
    args: tuple[str, ...] = ()
    """The scripts' own arguments."""
    rtol: float | None = None
    """Tolerance of terms and gradients, relative to their size where that is above 1; None: 1e-8."""
    atol: float = 0.0
    """Absolute tolerance."""
    seed: int = 1234
    """The seed of `random` and `numpy.random` in both runs, and of the points, of 32 bits."""
    timeout: float | None = 600.0
    """Seconds for each run; None: no limit."""

    def __post_init__(self) -> None:
        """Refuses what makes no sense."""
        _require_tolerances(self.rtol, self.atol)
        _require_seed(self.seed)
        _require_time(self.timeout)


def _require_tolerances(rtol: float | None, atol: float) -> None:
    """Raises `UsageError` for what is no tolerance."""
    for name, size in (("rtol", rtol), ("atol", atol)):
        if size is not None and not (math.isfinite(size) and size >= 0):
            raise UsageError(f"--{name} {size:g} is no tolerance", help="give a number such as 1e-6, or 0", option=name)


def _require_seed(seed: int | None) -> None:
    """Raises `UsageError` for a seed that numpy.random.seed does not take."""
    if seed is not None and not 0 <= seed < 2**32:
        raise UsageError(f"--seed {seed} is no seed of numpy's", help="give a whole number from 0 to 4294967295", option="seed")


def _require_time(timeout: float | None) -> None:
    """Raises `UsageError` for a limit that leaves no time."""
    if timeout is not None and not timeout > 0:  # nor nan
        message = f"a timeout of {timeout:g} s leaves the script no time"
        raise UsageError(message, help="give a number of seconds above 0", option="timeout")


def _shapes(texts: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """The shapes of `--shape`, by name; a name that is given again means the next input that is called so."""
    requests = [ShapeRequest.parse(t) for t in texts]
    count = Counter(r.variable for r in requests)
    seen: Counter[str] = Counter()
    shapes = {}
    for r in requests:
        seen[r.variable] += 1
        shapes[f"{r.variable}#{seen[r.variable]}" if count[r.variable] > 1 else r.variable] = r.shape
    return shapes


def _values(texts: Sequence[str]) -> dict[str, int]:
    """The numbers of `--value`, by name."""
    numbers = _named("--value", texts, _is_int64, "a value", "write NAME=N, such as batch_size=128")
    return {name: int(number) for name, number in numbers.items()}


def _is_int64(text: str) -> bool:
    return text.removeprefix("-").isdecimal() and len(text) < 20 and abs(int(text)) <= MAX_LENGTH


def _dtypes(texts: Sequence[str]) -> dict[str, str]:
    """The dtypes of `--dtype`, by name."""
    return _named("--dtype", texts, is_dtype, "a dtype of an input", "write NAME=DTYPE, such as y=int32")


def _named(option: str, texts: Sequence[str], suits: Callable[[str], bool], what: str, advice: str) -> dict[str, str]:
    """What texts such as `NAME=WORD` say, by name."""
    words = {}
    for text in texts:
        name, equals, word = text.partition("=")
        if not equals or not name or not suits(word.strip()):
            raise UsageError(f"this is not {what}", span=Span(option, text, 0, len(text)), help=advice)
        words[name] = word.strip()
    return words


FOUND = "found"
"""The card of scripts for which none is named: the GPU found, the one that a script opens, or the host."""


@dataclass(frozen=True)
class RunRequest:
    """How scripts are tried, each in a process of its own: the same question about all of them, on each card."""

    cards: tuple[str, ...] = ("none",)
    """Devices as `CheckRequest.device` takes them, or `FOUND`, one column each."""
    check: CheckRequest = CheckRequest("", timeout=120.0)
    """What is asked of each script; its path, device and arguments are each script's own."""
    memory_bytes: int | None = 8 << 30
    """Address space that a script's processes may have, each; None: no limit."""
    config: str | None = None
    """The configuration for these checks; None: none, since one beside a script is its author's, and can name a program to start."""
    arguments: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    """Command lines by pattern of the path (`train*.py`); the first pattern that matches counts."""
    sandboxed: bool = True
    """Whether a script has an empty folder to work in, no network, and sees no other process, as far as the system lets us."""
    named: bool = False
    """Whether the scripts were named one by one: then they are run although no framework is seen in them."""

    def __post_init__(self) -> None:
        """Raises `UsageError`, with the name of the field, for what makes no sense."""
        if self.check.timeout is None:
            raise UsageError("each script needs a limit of time", help="give a number of seconds", option="timeout")
        if not self.cards:
            raise UsageError("no card is named", help="such as --gpu k80,4GiB", option="device")
        for card in self.cards:
            if card != FOUND:
                _parsed("device", by_name, card)

    def of(self, path: str, card: str) -> CheckRequest:
        """The question about one script on one card."""
        return dataclasses.replace(self.check, path=os.path.abspath(path), device=None if card == FOUND else card, args=self.args_of(path))

    def args_of(self, path: str) -> tuple[str, ...]:
        """The command line of a script: the one that is asked for all, else by pattern."""
        return self.check.args or command_line(self.arguments, path)

    def key(self, path: str) -> tuple[str, ...]:
        """All that the request says about one script, as words."""
        words = (word for card in self.cards for word in self.of(path, card).words())
        return (*words, str(self.memory_bytes), str(self.sandboxed))


def command_line(arguments: Mapping[str, tuple[str, ...]], path: str) -> tuple[str, ...]:
    """The words of the first pattern that the script's path matches; none where no pattern does."""
    return next((words for pattern, words in arguments.items() if fnmatch(path, pattern)), ())


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
