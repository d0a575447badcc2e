"""The diagnosis of a log: the failure, its cause, the failed request, and what was in memory."""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ..escaping import visible


class Cause(enum.Enum):
    """Why a job ended; the value is the cause's name in JSON."""

    CAPACITY = "capacity"
    """More memory was requested than was free on the device."""
    FRAGMENTATION = "fragmentation"
    """Enough memory was free, but no contiguous block was large enough."""
    POOL = "pool-exhausted"
    """The pool preallocated at the start was full."""
    PREALLOCATION = "preallocation-too-large"
    """The pool to preallocate was larger than the free memory."""
    OTHER_PROCESS = "other-process"
    """Other processes held most of the device's memory."""
    SIZE_OVERFLOW = "size-overflow"
    """An array has more elements than the back-end can count."""
    LIBRARY_MEMORY = "library-memory"
    """cuDNN, cuBLAS or cuSOLVER had no memory for its handle or workspace."""
    CUDNN_REFUSED = "cudnn-refused"
    """cuDNN does not support these sizes or parameters."""
    DEVICE_UNKNOWN_SIZE = "device-memory"
    """Device memory ran out; the log does not say how much was requested."""
    HOST_MEMORY = "host-memory"
    """Host memory ran out, or an array is larger than it."""
    KILLED = "killed-by-kernel"
    """The kernel or the batch system killed the process because memory was short."""
    COMPILER = "compiler"
    """g++, clang, ld or nvcc failed or is missing."""
    PYTHON_TOO_NEW = "python-too-new"
    """The library does not work with, or its C code does not compile for, this version of CPython."""
    NUMPY_TOO_NEW = "numpy-too-new"
    """The library uses names that this version of NumPy no longer has."""
    BLAS = "blas-settings"
    """BLAS was not found, or its threading layer was rejected."""
    COMPILE_LOCK = "compile-lock"
    """Another process holds the lock of the compilation cache, or left it behind."""
    GPU_NOT_STARTED = "gpu-not-started"
    """The GPU back-end did not start: libraries, versions or device names are wrong."""
    CUDNN_UNAVAILABLE = "cudnn-unavailable"
    """cuDNN was not found or does not compile; the GPU is used without it, unless it was required."""
    OLD_GPU = "old-gpu-back-end"
    """The job needs the GPU back-end that Theano 1.0 removed."""
    GPU_FAULT = "gpu-fault"
    """A kernel failed on the device, not necessarily because of a lack of memory."""
    STATIC_SHAPE = "static-shape"
    """JAX needs a length that is known when the function is compiled."""
    NO_IMPLEMENTATION = "no-implementation"
    """An Op has no implementation for the chosen back-end, or no gradient."""
    DTYPES = "dtypes"
    """Two values have different dtypes where the same one is required."""
    LIBRARIES = "library-versions"
    """A library is missing, or its version is incompatible with the others."""
    SHAPES = "shapes"
    """The shapes of two arrays are incompatible."""
    DISK_FULL = "disk-full"
    """A disk was full, or a user's quota was reached."""
    STOPPED = "stopped"
    """The job was stopped by the user or by a time limit."""
    PROCESS_LOST = "process-lost"
    """A process ended without an exception: it crashed, or was killed; memory is one possible reason."""
    START_VALUES = "start-values"
    """A model has no finite log-probability at the start point of a sampler."""
    ZERO_GRADIENT = "zero-gradient"
    """The log-probability of a model does not depend on a variable, so that its scale cannot be estimated."""
    NOT_FINITE = "not-finite"
    """A value became NaN or infinite, or a matrix cannot be decomposed."""
    NOT_CONVERGED = "not-converged"
    """A sampler ended, and says that its draws do not represent the posterior."""
    MISSING_INPUT = "missing-input"
    """A function's output depends on a variable that is not among its inputs."""
    UNUSED_INPUT = "unused-input"
    """A function's input has no effect on its outputs."""
    DISCONNECTED = "disconnected-gradient"
    """A gradient with respect to a variable on which the cost does not depend."""
    RECURSION = "recursion-limit"
    """The graph is deeper than Python's recursion limit."""
    CONFIGURATION = "configuration"
    """A flag, or a line of an rc file, has an invalid value or form."""
    SYMBOLIC = "symbolic-value"
    """Python or NumPy code received a symbolic variable where it needs a value, or a graph received something that is not a variable."""
    REFUSED = "refused-argument"
    """A library rejected an argument from the script, for none of the other reasons."""
    OLD_INTERFACE = "old-interface"
    """A script uses names or arguments that this release of a library does not have."""
    PICKLING = "not-picklable"
    """An object could not be sent to another process, or read from a file of another release."""
    FILE_ACCESS = "file-access"
    """A file or address does not exist, or cannot be read or written."""
    ENCODING = "text-encoding"
    """Bytes are no text in the encoding in which they were read, or characters cannot be written in the one that was chosen."""
    REWRITE_FAILED = "rewrite-failed"
    """A graph rewrite failed; the function is compiled without it."""
    LIBRARY_FAULT = "library-fault"
    """A library failed in its own code, through a condition that it does not check."""
    OWN_CODE = "own-code"
    """The script's own code raised the error."""
    NOT_RECOGNISED = "not-recognised"
    """The log contains an unknown error."""

    @property
    def is_memory(self) -> bool:
        """Whether the cause is lack of memory."""
        return self in _MEMORY


_MEMORY = frozenset({
    Cause.CAPACITY, Cause.FRAGMENTATION, Cause.POOL, Cause.PREALLOCATION, Cause.OTHER_PROCESS, Cause.SIZE_OVERFLOW, Cause.LIBRARY_MEMORY,
    Cause.DEVICE_UNKNOWN_SIZE, Cause.HOST_MEMORY, Cause.KILLED,
})  # fmt: skip


class Weight(enum.IntEnum):
    """How much a message counts if a log has several."""

    NOTE = 0
    """The job may continue after it."""
    STOP = 1
    """It may end the job."""
    MEMORY = 2
    """Memory ran out: later messages in the log are consequences."""


@dataclass(frozen=True)
class Template:
    """A known message of a library or of the system, and the cause that it means."""

    anchor: str
    """A substring of every such message; it is searched before the pattern, so that long logs are read in linear time."""
    expression: str
    """Searched from the beginning of the anchor's line; it must begin to match in that line.

    Groups: `bytes`, `amount` (with a unit), `mib`, `kib`, `elements` (of 4 bytes), `shape`, `dtype` of the request; `free`, `total` of the
    device, `allocated`, `reserved`, `unused` of this job's allocator, `own` of its process, each also with the suffix
    `_kib`, `_mib`, `_amount` or `_new` (with a unit); `what` (for the sentence); `op_output` (set where an Op's output failed);
    `workspace` (set if the requested memory was not for an array of the graph).
    """
    cause: Cause
    source: str
    """Project, version and source file that print it."""
    advice: tuple[str, ...] = ()
    """What the user can do, in addition to the advice for the cause."""
    weight: Weight | None = None
    """None: MEMORY if the cause is lack of memory, else STOP."""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Returns the compiled `expression`. It is compiled at the first search, because a log has the anchors of only a few messages."""
        return re.compile(self.expression, re.MULTILINE)

    @property
    def rank(self) -> Weight:
        """`weight`, or its default for the cause."""
        return self.weight if self.weight is not None else Weight.MEMORY if self.cause.is_memory else Weight.STOP


def template(anchor: str, pattern: str, cause: Cause, source: str, *advice: str, weight: Weight | None = None) -> Template:
    """Makes a Template with any number of pieces of advice."""
    return Template(anchor, pattern, cause, source, advice, weight)


@dataclass(frozen=True)
class FailedRequest:
    """The allocation that failed, as far as the log describes it."""

    bytes: int | None = None
    """Size of the request; None where the log does not say it."""
    rounded: bool = False
    """Whether `bytes` was printed rounded, in a larger unit."""
    shape: tuple[int, ...] | None = None
    """Shape of the array that was to be allocated; None where unknown."""
    dtype: str | None = None
    node: str | None = None
    """The Apply node as printed."""
    input_shapes: tuple[tuple[int, ...] | None, ...] = ()
    """Shapes of the node's inputs; None for an input without a shape."""
    site: tuple[str, int] | None = None
    """(path, line) of the user's code that created the node, or that was running."""


@dataclass(frozen=True)
class Storage:
    """An entry of the storage map that Theano, Aesara and PyTensor print with `exception_verbosity=high`."""

    name: str
    """The Variable as printed."""
    kind: str
    """`shared`, `input` or `intermediate`."""
    shape: tuple[int, ...]
    bytes: int


@dataclass(frozen=True)
class LoggedMemory:
    """The device's memory as reported in the log, in bytes; for a killed process the host memory that it held."""

    free: int | None = None
    """Free bytes when the request failed; None where the log does not say it."""
    total: int | None = None
    """Total bytes of the device; None where the log does not say it."""
    device: str | None = None
    """The device's name from a start message."""
    held: int | None = None
    """Bytes that this job's allocator held, used or not, or that a killed process held; None if the log does not say."""
    unused: int | None = None
    """Bytes held by the allocator but not used by any array; None if the log does not say."""


@dataclass(frozen=True)
class Consequence:
    """A message that another failure in the log explains."""

    line: int
    """Its line number, from 1."""
    message: str
    """The line of the log."""


@dataclass(frozen=True, repr=False)
class Diagnosis:
    """What failed in a job, and why."""

    cause: Cause
    """The kind of failure."""
    why: str
    """The cause in one sentence."""
    message: str
    """The line of the log that states the failure."""
    line: int
    """Its line number, from 1."""
    source: str
    """Project, version and source file that print the message; empty if unknown."""
    request: FailedRequest = FailedRequest()
    """The allocation that failed."""
    memory: LoggedMemory = LoggedMemory()
    """The device's memory when it failed."""
    live: tuple[Storage, ...] = ()
    """The entries of the log's storage map, largest first."""
    parts: Mapping[str, int] = field(default_factory=dict)
    """Part -> bytes of XLA's BufferAssignment."""
    flags: Mapping[str, str] = field(default_factory=dict)
    """Flags and environment variables that the log shows."""
    advice: tuple[str, ...] = ()
    """What the user can do."""
    command: str | None = None
    """The next command to run."""
    consequences: tuple[Consequence, ...] = ()
    """Later messages in the log that this failure explains, in order."""
    only_end: bool = False
    """Whether only the end of the log was read, as it is longer than what is read of a file."""

    def __repr__(self) -> str:
        return visible(f"<Diagnosis of line {self.line}: {self.cause.value}: {self.why}>")
