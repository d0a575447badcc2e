"""What a log says: the failure, its cause, the request that failed, and what was in memory then."""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass, field


class Cause(enum.Enum):
    """Why a job ended; the value is the name in JSON."""

    CAPACITY = "capacity"
    """More was asked for than was free on the device."""
    FRAGMENTATION = "fragmentation"
    """Enough was free, but in no piece that was large enough."""
    POOL = "pool-exhausted"
    """The pool that was reserved at the start was used up."""
    PREALLOCATION = "preallocation-too-large"
    """The reserve at the start was larger than what was free."""
    OTHER_PROCESS = "other-process"
    """Other processes held most of the device."""
    SIZE_OVERFLOW = "size-overflow"
    """An array has more elements than the back-end can count."""
    LIBRARY_MEMORY = "library-memory"
    """cuDNN, cuBLAS or cuSOLVER found no room for its handle or its workspace."""
    CUDNN_REFUSED = "cudnn-refused"
    """cuDNN does not take these sizes or parameters."""
    DEVICE_UNKNOWN_SIZE = "device-memory"
    """Device memory ran out; the log does not say of how much."""
    HOST_MEMORY = "host-memory"
    """The computer's own memory ran out, or an array is larger than it."""
    KILLED = "killed-by-kernel"
    """The kernel, or the batch system, ended the process since memory was short."""
    COMPILER = "compiler"
    """g++, clang, ld or nvcc failed, or is not there."""
    PYTHON_TOO_NEW = "python-too-new"
    """The library's C code does not compile for this CPython."""
    NUMPY_TOO_NEW = "numpy-too-new"
    """The library uses names that this NumPy no longer has."""
    BLAS = "blas-settings"
    """BLAS was not found, or its threading layer is refused."""
    COMPILE_LOCK = "compile-lock"
    """Another process holds the lock of the compilation cache, or left it behind."""
    GPU_NOT_STARTED = "gpu-not-started"
    """The GPU back-end did not start: libraries, versions, device names."""
    CUDNN_UNAVAILABLE = "cudnn-unavailable"
    """cuDNN was not found or does not compile; the GPU is used without it, unless it was forced."""
    OLD_GPU = "old-gpu-back-end"
    """The job needs the GPU back-end that Theano 1.0 removed."""
    GPU_FAULT = "gpu-fault"
    """A kernel failed on the device; memory need not be the reason."""
    STATIC_SHAPE = "static-shape"
    """JAX needs a length that is known when the function is compiled."""
    NO_IMPLEMENTATION = "no-implementation"
    """An Op has no form for the back-end that was chosen."""
    DTYPES = "dtypes"
    """Values of two dtypes meet where one is needed."""
    NOT_RECOGNISED = "not-recognised"
    """There is an error, of none of the forms that are known."""

    @property
    def is_memory(self) -> bool:
        """Whether memory ran out."""
        return self in _MEMORY


_MEMORY = frozenset({
    Cause.CAPACITY, Cause.FRAGMENTATION, Cause.POOL, Cause.PREALLOCATION, Cause.OTHER_PROCESS, Cause.SIZE_OVERFLOW, Cause.LIBRARY_MEMORY,
    Cause.DEVICE_UNKNOWN_SIZE, Cause.HOST_MEMORY, Cause.KILLED,
})  # fmt: skip


class Weight(enum.IntEnum):
    """How much a message counts where a log has several."""

    NOTE = 0
    """It accompanies jobs that go on."""
    STOP = 1
    """It may end a job."""
    MEMORY = 2
    """Memory ran out: what follows in the log is a consequence."""


@dataclass(frozen=True)
class Template:
    """A message of a library, or of the system."""

    anchor: str
    """A piece that every such message has: it is looked for before the pattern, so that long logs are read in linear time."""
    pattern: re.Pattern[str]
    """Matched on the line that has the anchor and what follows it. Groups that are understood: `bytes`, `amount` (with a unit), `mib`,
    `elements` (of 4 bytes), `shape`, `dtype`, and of the device `free`, `free_amount`, `free_mib`, `total`, `total_amount`; `what`."""
    cause: Cause
    source: str
    """Project, version, file."""
    advice: tuple[str, ...] = ()
    weight: Weight | None = None
    """None: MEMORY where the cause is memory, else STOP."""

    @property
    def rank(self) -> Weight:
        """How much it counts."""
        return self.weight if self.weight is not None else Weight.MEMORY if self.cause.is_memory else Weight.STOP


def template(anchor: str, pattern: str, cause: Cause, source: str, *advice: str, weight: Weight | None = None) -> Template:
    """A Template whose pattern is given as text."""
    return Template(anchor, re.compile(pattern), cause, source, advice, weight)


@dataclass(frozen=True)
class FailedRequest:
    """The allocation that failed, as far as the log tells."""

    bytes: int | None = None
    rounded: bool = False
    """Whether `bytes` was printed in a larger unit, with few digits."""
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    node: str | None = None
    """The Apply node, as printed."""
    input_shapes: tuple[tuple[int, ...] | None, ...] = ()
    """Shapes of that node's inputs; None for what has none."""
    site: tuple[str, int] | None = None
    """Path and line of the user's code that made the node, or that ran."""


@dataclass(frozen=True)
class Storage:
    """A line of the storage map that Theano, Aesara and PyTensor print with `exception_verbosity=high`."""

    name: str
    kind: str
    """`shared`, `input` or `intermediate`."""
    shape: tuple[int, ...]
    bytes: int


@dataclass(frozen=True)
class LoggedMemory:
    """What the log says of the memory that was asked."""

    free: int | None = None
    total: int | None = None
    device: str | None = None
    """Its name, where a line of the start has it."""


@dataclass(frozen=True)
class Diagnosis:
    """What a log says. Where nothing failed, `explain_log` gives None."""

    cause: Cause
    why: str
    """One sentence."""
    message: str
    """The line of the log that was taken for the failure."""
    line: int
    """Its number, from 1."""
    source: str
    """Which project prints it."""
    request: FailedRequest = FailedRequest()
    memory: LoggedMemory = LoggedMemory()
    live: tuple[Storage, ...] = ()
    """The log's own storage map, largest first."""
    parts: Mapping[str, int] = field(default_factory=dict)
    """What the compiler says its buffers take, in bytes (XLA's BufferAssignment)."""
    flags: Mapping[str, str] = field(default_factory=dict)
    """Flags that the log shows to be in force."""
    advice: tuple[str, ...] = ()
    command: str | None = None
    """The next command to run."""
