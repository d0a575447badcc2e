"""Determines the actual cause, its explanation and advice from the message's cause and the numbers in the log."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..units import format_bytes
from .model import Cause, FailedRequest, LoggedMemory

TOO_MANY = 1 << 31
"""The number of elements from which the old back-end and cuDNN, which count in 32 bits, overflow.

Source: Theano 0.9, sandbox/cuda/cuda_ndarray.cu; Theano issue 2743.
"""

LIBRARY_ROOM = 1 << 30
"""Number of free bytes from which lack of memory cannot explain why a CUDA library's handle failed; those of cuDNN and cuBLAS take some
100 MB."""

FULL = 10
"""A device with less than 1/10 of its memory unused by arrays was full, not fragmented: PyTorch allocates pieces of 20 MiB for smaller
requests."""


LITTLE = 4096
"""A request for fewer bytes, of which no driver says that the device is full, also fails where an allocator itself does."""


def judged(cause: Cause, match: re.Match[str], request: FailedRequest, memory: LoggedMemory) -> Cause:
    """Returns the cause that the message's template gives, made more precise by the numbers in the message."""
    groups = match.groupdict()
    if cause is Cause.LIBRARY_MEMORY and memory.free is not None and memory.free >= LIBRARY_ROOM:
        return Cause.GPU_NOT_STARTED
    if cause is Cause.HOST_MEMORY and groups.get("op_output") and (request.node or "").startswith("Gpu"):
        return Cause.DEVICE_UNKNOWN_SIZE
    if cause is not Cause.CAPACITY:
        return cause
    if "CNMEM" in (groups.get("what") or ""):
        return Cause.POOL
    if groups.get("elements"):
        return Cause.SIZE_OVERFLOW if int(groups["elements"]) >= TOO_MANY else cause
    if request.bytes is None or (memory.total is not None and request.bytes > memory.total):
        return cause
    if request.bytes < LITTLE and memory.free is None and memory.unused is None and not groups.get("what"):
        return Cause.NOT_RECOGNISED
    full = memory.total is not None and memory.held is not None and (memory.free or 0) + (memory.unused or 0) < memory.total // FULL
    if not full and request.bytes <= max(memory.free or 0, memory.unused or 0):
        return Cause.FRAGMENTATION
    others = elsewhere(memory)
    return Cause.OTHER_PROCESS if others is not None and memory.total is not None and 2 * others > memory.total else cause


def elsewhere(memory: LoggedMemory) -> int | None:
    """Returns the bytes of the device that were neither free nor held by this job; None if the log does not contain them."""
    if memory.total is None or memory.free is None or memory.held is None:
        return None
    return memory.total - memory.free - memory.held


def why(cause: Cause, request: FailedRequest, memory: LoggedMemory, detail: str | None, line: str) -> str:
    """Returns the cause as one sentence; `detail` is the group `what` of the message, `line` the line of the log that states it."""
    size = "the request" if request.bytes is None else f"{'about ' if request.rounded else ''}{format_bytes(request.bytes)}"
    requested = "memory was requested" if request.bytes is None else f"{size} were requested"
    free = None if memory.free is None else format_bytes(memory.free)
    whole = None if memory.total is None else format_bytes(memory.total)
    if cause is Cause.CAPACITY:
        if memory.total is not None and request.bytes is not None and request.bytes > memory.total:
            return f"{size} in one array is more than the whole device has ({whole})"
        return (
            f"{requested}, and only {free} of {whole or 'the device'} were free" if free else f"{requested}, and the device had less left"
        )
    if cause is Cause.NOT_RECOGNISED:
        return f"{requested}: so small a request fails only if other processes, or the allocator itself, hold the whole device"
    if cause is Cause.FRAGMENTATION:
        if memory.unused:
            scattered = format_bytes((memory.free or 0) + memory.unused)
            return f"{requested} and {scattered} held no array, but not in one piece: device memory was fragmented"
        return f"{requested} and {free} were free, but not in one piece: device memory was fragmented"
    if cause is Cause.OTHER_PROCESS:
        others = elsewhere(memory)
        held = f" ({format_bytes(others)} of {whole})" if others is not None else ""
        return f"{requested}, and other processes held most of the device{held}"
    if cause is Cause.POOL:
        return f"{requested}, and the pool reserved at the start had no free block of that size"
    if cause is Cause.PREALLOCATION:
        reserved = "the memory to be reserved at the start was" if request.bytes is None else f"{size} to be reserved at the start were"
        return f"{reserved} more than was free" + (f" ({free})" if free else "")
    if cause is Cause.SIZE_OVERFLOW:
        array = "an array" if request.bytes is None else f"{size} in one array: it"
        return f"{array} has more elements than the back-end can count (2147483647)"
    if cause is Cause.LIBRARY_MEMORY:
        return f"a CUDA library (cuDNN, cuBLAS, cuSOLVER) found no room for its own needs{f': {free} were free' if free else ''}"
    if cause is Cause.DEVICE_UNKNOWN_SIZE:
        return "device memory ran out" + (
            f" during a request for {size}" if request.bytes is not None else "; the message does not say how much was requested"
        )
    if cause is Cause.HOST_MEMORY:
        return f"the host's memory (not the GPU's) had no room for {size}"
    if cause is Cause.KILLED:
        held = f" when it held {format_bytes(memory.held)}" if memory.held else ""
        who = f"the process{f' {detail}' if detail else ''}"
        return f"the kernel or the batch system killed {who}{held}: the machine, container or job had no memory left"
    words = _in_detail(cause, line) or _OTHER[cause]
    return words + (f" ({detail.strip()})" if detail and detail.strip() not in words else "")


def _in_detail(cause: Cause, line: str) -> str | None:
    """What the line says of the cause more closely; None if it does not say."""
    for of, pattern, words in _CLOSER:
        if of is cause and (match := pattern.search(line)):
            return words.format(**match.groupdict())
    return None


def _closer(cause: Cause, pattern: str, words: str) -> tuple[Cause, re.Pattern[str], str]:
    return cause, re.compile(pattern), words


_CLOSER = (
    _closer(Cause.LIBRARIES, r"No module named '?(?P<name>\w[\w.]*)", "the Python that ran has no module {name}"),
    _closer(
        Cause.LIBRARIES,
        r"partially initialized|circular import",
        "a name was requested from a module before that module's import had ended",
    ),
    _closer(
        Cause.LIBRARIES,
        r"module '?(?P<module>theano|aesara|pytensor|pymc3?)'? has no attribute '?(?P<name>\w+)",
        "{module} has no {name}: its import stopped halfway, or its release does not match the code that uses the name",
    ),
    _closer(
        Cause.LIBRARIES,
        r"'(?P<type>(?!module')[\w.]+)' object has no attribute '(?P<name>\w+)'",
        "objects of {type} have no {name}: their class, and the code that uses it, are of different versions",
    ),
    _closer(
        Cause.LIBRARIES,
        r"(?:cannot import name|has no attribute) '?(?P<name>\w+)",
        "{name} is not where the code looks for it: the library's release does not match the code, or another module has the name",
    ),
    _closer(
        Cause.LIBRARIES,
        r"cannot open shared object|Error loading shared library|Library not loaded|DLL load failed|WinError (?:126|127|1114)\]|"
        r"image not found",
        "a shared library that a package needs was not found",
    ),
    _closer(
        Cause.LIBRARIES,
        r"undefined symbol|[Ss]ymbol not found|version `|[Bb]inary incompat|size changed|compiled against|incompatible architecture",
        "a compiled package is not compatible with the libraries, the Python or the machine that it runs on",
    ),
    _closer(
        Cause.LIBRARIES,
        r"unexpected keyword argument|positional argument|missing \d+ required",
        "a library was called with arguments that its release does not have",
    ),
    _closer(
        Cause.COMPILER,
        r"not detected|not available|MissingGXX|command not found|not recognized as an internal|"
        r"No such file or directory: '?(?:g\+\+|gcc|cl)",
        "no compiler was found",
    ),
    _closer(
        Cause.COMPILER,
        r"cannot find -l|library not found|undefined (?:reference|symbol)|\bld: |LNK\d|linker command|collect2|ymbol\(s\) not found",
        "the linker did not find a library or a symbol, or could not read one",
    ),
    _closer(
        Cause.COMPILER,
        r"fatal error: [^\n]{1,200}(?:No such file|not found)|[Cc]annot open include",
        "the compiler did not find a header",
    ),
    _closer(
        Cause.COMPILER,
        r"unsupported (?:argument|option)|unrecognized (?:command|option)|unknown argument",
        "the compiler does not know one of its options",
    ),
    _closer(
        Cause.COMPILE_LOCK, r"Errno 17\]|WinError 183\]", "another process made the same folder of the compilation cache at that moment"
    ),
    _closer(Cause.PICKLING, r"UnicodeDecodeError|UnicodeError", "Python 2 wrote the file, and Python 3 decodes its strings differently"),
    _closer(Cause.PICKLING, r"[Uu]npickl|STRING opcode|load key|truncated|Ran out of input", "a file of objects could not be read"),
    _closer(Cause.PICKLING, r"(?:cannot|can't|[Cc]ould not) pickle|serialize", "an object could not be sent to another process"),
    _closer(
        Cause.GPU_FAULT,
        r"(?i)illegal (?:memory|address)|ILLEGAL_ADDRESS|IllegalAddress|misaligned",
        "a kernel used an address outside of its arrays: an index beyond an array, or a bug in this kernel or an earlier one",
    ),
    _closer(Cause.GPU_FAULT, r"(?i)launch timed out|LAUNCH_TIMEOUT", "a kernel ran longer than the system allows"),
    _closer(
        Cause.GPU_FAULT,
        r"(?i)too many resources|OUT_OF_RESOURCES|invalid configuration argument",
        "a kernel requested more threads, registers or shared memory than this card has",
    ),
    _closer(Cause.GPU_FAULT, r"(?i)\bassert(?:ion)?\b", "a check inside a kernel failed, usually of an index against an array's length"),
    _closer(Cause.GPU_FAULT, r"\bECC\b", "the card's memory had an error that it could not correct"),
    _closer(
        Cause.GPU_FAULT,
        r"(?i)unspecified launch failure|LAUNCH_FAILED|failed to launch|launch failed",
        "a kernel crashed on the device, this one or one before it",
    ),
    _closer(Cause.GPU_FAULT, r"in the elemwise call", "an element-wise kernel failed on the device; the message gives no reason"),
    _closer(Cause.LIBRARY_FAULT, r"'NoneType' object", "a library got None where it expects an object"),
    _closer(Cause.LIBRARY_FAULT, r"\bKeyError\b", "a library looked for a name that is not there"),
    _closer(
        Cause.LIBRARY_FAULT,
        r"\bAttributeError: [^\n]*has no attribute '(?P<name>\w+)'",
        "a library used {name} of an object whose type or release does not have it",
    ),
    _closer(Cause.LIBRARY_FAULT, r"\bTypeError\b", "a library used objects of types that it does not expect"),
    _closer(Cause.LIBRARY_FAULT, r"\bIndexError\b", "a library indexed beyond the end of a list or an array"),
    _closer(Cause.LIBRARY_FAULT, r"\bAssertionError\b", "an assumption that a library makes is not true"),
    _closer(Cause.LIBRARY_FAULT, r"\bZeroDivisionError\b", "a library divided by zero, usually by the length of something empty"),
    _closer(Cause.REFUSED, r"Invalid requirement: ", "pip does not understand the name or version of a package in its arguments"),
    _closer(Cause.REFUSED, r"no matches found: ", "the shell read a word of the command as a pattern of file names"),
    _closer(Cause.REFUSED, r": error: (?:argument|unrecognized|the following)", "a script was started with options that it does not have"),
    _closer(Cause.REFUSED, r"\bKeyError\b", "a requested name is not in the model, the data or the results"),
    _closer(Cause.REFUSED, r"unexpected keyword argument '(?P<name>\w+)'", "a function was called with {name}, which it does not accept"),
    _closer(
        Cause.REFUSED, r"missing \d+ required|takes [^\n]{1,40}arguments?\b", "a function was called with too few or too many arguments"
    ),
    _closer(Cause.REFUSED, r"(?i)already (?:exists|in\b)|duplicate", "what was to be created exists already"),
    _closer(
        Cause.REFUSED,
        r"(?i)\b(?:must|should|has to|have to|needs? to) be\b|\bexpect(?:s|ed)\b|\bonly (?:accept|support|take)",
        "an argument violates the condition in the message",
    ),
    _closer(
        Cause.REFUSED,
        r"(?i)\bnot (?:supported|implemented|allowed|possible|available)\b|\bcan(?:not|'t)\b|unsupported",
        "a library was asked to do something that it does not support",
    ),
    _closer(Cause.SHAPES, r"IndexError|out of (?:bounds|range)|y_i value", "an index is out of range"),
    _closer(Cause.SHAPES, r"", "the shapes of two arrays, or the numbers of their dimensions, do not match"),
    _closer(Cause.NO_IMPLEMENTATION, r"(?i)\bgrad|gradient|pullback|L_op", "an Op has no gradient"),
    _closer(Cause.NO_IMPLEMENTATION, r"(?i)numba|TypingError|nopython", "numba cannot compile a part of this graph"),
    _closer(Cause.NO_IMPLEMENTATION, r"(?i)\bjax\b|xla|MLIR|legalize", "JAX cannot compile a part of this graph for this device"),
    _closer(
        Cause.FILE_ACCESS, r"(?i)permission denied|access is denied|WinError 5\]|Errno 13\]", "permission to a file or folder was denied"
    ),
    _closer(Cause.FILE_ACCESS, r"(?i)no such file|WinError [23]\]|Errno 2\]|cannot find the", "a file or folder does not exist"),
    _closer(Cause.FILE_ACCESS, r"command not found|is not recognized as", "a program was not found"),
    _closer(
        Cause.FILE_ACCESS,
        r"(?i)HTTP|URL|connection|resolve host|name resolution|unreachable|ssl certificate|timed? ?out|\bSSL|getaddrinfo|max retries",
        "a network address could not be reached",
    ),
    _closer(
        Cause.NOT_FINITE,
        r"(?i)positive[- ]definite|singular|cholesky|leading minor|LinAlgError|SVD",
        "a matrix cannot be decomposed: it is singular, or not positive definite",
    ),
    _closer(Cause.NOT_FINITE, r"(?i)\bnan\b|\binfs?\b|infinity|non-finite", "a value became NaN or infinite"),
)
"""Cause, a pattern of the line that states it, and the sentence that then says more than the cause's own."""


_OTHER: Mapping[Cause, str] = {
    Cause.CUDNN_REFUSED: "cuDNN does not support these sizes or parameters",
    Cause.COMPILER: "a compiler or linker failed, or is missing",
    Cause.PYTHON_TOO_NEW: "the library is too old for this version of Python",
    Cause.NUMPY_TOO_NEW: "the library uses names that this NumPy no longer has",
    Cause.BLAS: "BLAS is not set up correctly",
    Cause.COMPILE_LOCK: "another process holds the lock of the compilation cache, or ended without releasing it",
    Cause.GPU_NOT_STARTED: "the GPU back-end did not start; unless it was forced, the job continued on the CPU",
    Cause.CUDNN_UNAVAILABLE: "cuDNN was not found, or programs do not compile with it on this machine",
    Cause.OLD_GPU: "this needs the GPU back-end that Theano 1.0 removed",
    Cause.GPU_FAULT: "a kernel failed on the device; the reason may not be memory",
    Cause.STATIC_SHAPE: "JAX needs array lengths that are known at compile time",
    Cause.NO_IMPLEMENTATION: "a library does not implement what was requested: an Op on this back-end, a gradient, an option",
    Cause.LIBRARIES: "a library is missing, or its version does not match the others",
    Cause.PROCESS_LOST: "a process ended without saying why: it crashed, or was killed (for lack of memory, perhaps)",
    Cause.SHAPES: "the shapes of two arrays do not match, or an index is out of range",
    Cause.DISK_FULL: "the disk or the user's quota was full",
    Cause.STOPPED: "the user or a time limit stopped the job; this says nothing about memory",
    Cause.DTYPES: "two dtypes are mixed where one is required",
    Cause.START_VALUES: "the model's log-probability is not finite at the starting point",
    Cause.ZERO_GRADIENT: "the log-probability does not depend on some variable at the starting point",
    Cause.NOT_FINITE: "a value became NaN or infinite, or a matrix cannot be decomposed",
    Cause.NOT_CONVERGED: "the sampler ended, but its own checks say that the draws do not represent the posterior",
    Cause.MISSING_INPUT: "an output depends on a variable that is not among the function's inputs",
    Cause.UNUSED_INPUT: "an input of a function has no effect on its outputs",
    Cause.DISCONNECTED: "the cost does not depend on a variable whose gradient was requested",
    Cause.RECURSION: "the graph is deeper than Python's recursion limit",
    Cause.CONFIGURATION: "a flag, or a line of an rc file, has a value or syntax that the library rejects",
    Cause.SYMBOLIC: "Python code got a symbolic variable where it needs a value, or a graph got something that is not a variable",
    Cause.REFUSED: "the library checked its arguments and rejected one",
    Cause.OLD_INTERFACE: "the script uses names or arguments that this release of the library does not have",
    Cause.PICKLING: "an object could not be sent to another process, or read from a file",
    Cause.FILE_ACCESS: "a file or an address does not exist, or permission was denied",
    Cause.ENCODING: "bytes were decoded with the wrong encoding, or text was written in an encoding that lacks its characters",
    Cause.LIBRARY_FAULT: "a library failed in its own code: a bug in its release or in a library that it calls, or an unchecked argument",
    Cause.OWN_CODE: "the script's own code raised it, and none of the libraries that it calls",
    Cause.REWRITE_FAILED: "a rewrite of the graph failed; the function was compiled without it",
}
