"""Advice for a failure: first from the log's content, then from the message's template, then for the cause."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

from ..units import format_bytes
from . import context, patterns
from .frames import frames, package, place, where
from .model import Cause, LoggedMemory
from .remedies_build import BLAS, COMPILERS
from .remedies_gpu import GPUS
from .remedies_installations import INSTALLATIONS
from .remedies_installers import INSTALLERS
from .remedies_model import MODELS
from .remedies_own import OWN
from .remedies_refused import REFUSALS
from .remedies_scripts import SCRIPTS
from .remedies_values import VALUES
from .remedy import NEAR, chosen, layer, remedy

MOST = 4
"""Maximum number of lines of advice."""
FROM_TABLE = 2
"""Maximum number of lines of advice from the tables: their rows go from specific to general."""

VERBOSE = "run again with exception_verbosity=high: the log then lists what was in memory"
"""Advice if Theano, Aesara or PyTensor ran and printed no storage map."""

_SMALLER = "use a smaller batch; theanodiag check shows the largest that fits"
_SPLIT = "split the array: no index may exceed 2147483647; the new back-end (device=cuda in Theano 1.0) supports larger ones"
_DEVICE = (Cause.CAPACITY, Cause.DEVICE_UNKNOWN_SIZE, Cause.FRAGMENTATION, Cause.POOL, Cause.OTHER_PROCESS, Cause.LIBRARY_MEMORY)

PROCESSES = (
    remedy(
        Cause.PROCESS_LOST,
        r"[Ii]llegal (?:hardware )?instruction|SIGILL|EXC_BAD_INSTRUCTION",
        "code was built for a newer processor: clear the cache of compiled modules (theano-cache purge) if machines share it, set "
        "gcc.cxxflags=-march=x86-64 (gcc__cxxflags), and reinstall the packages for this machine",
    ),
    remedy(
        Cause.PROCESS_LOST,
        r"[Cc]u?DNN version is more recent th[ae]n Theano[^\n]*to version (?P<wants>\d[\d.]*\d)",
        "this cuDNN is newer than this Theano supports, and may crash it: install cuDNN {wants}, or Theano 1.0.5 (cuDNN up to 7); "
        "dnn.enabled=False shows whether cuDNN is the cause",
    ),
    remedy(
        Cause.PROCESS_LOST,
        r"\b[Bb]us error|SIGBUS",
        "a bus error usually means that shared memory, or the disk under a mapped file, is full: start a container with docker run "
        "--shm-size=2g (or --ipc=host); df -h /dev/shm shows how much is left; sample(cores=1) needs none",
    ),
    remedy(
        Cause.PROCESS_LOST,
        r"\[ *\d+\] /[^\s(]{0,200}?/(?P<name>(?!libpthread|lib[cm]\b|libstdc|ld-|"
        r"[0-9a-f]{32})[\w+-]{3,40})(?:\.cpython[\w-]*)?\.so[\d.]*[( ]|"
        r"^#\d+ [^\n]{0,200} from /[^\s]{0,200}?/(?P<gdb>(?!libpthread|lib[cm]\b|libstdc|ld-)[\w+-]{3,40})\.so[\d.]*$",
        "the innermost C function that is printed belongs to {name}{gdb}: clear the cache (theano-cache purge), then install the release "
        "of {name}{gdb} that this Theano or PyTensor requires (the newest, if none is named)",
    ),
    remedy(
        Cause.PROCESS_LOST,
        r"[Ss]egmentation fault|SIGSEGV|SIGABRT|core dumped|being freed|Abort trap|[Aa]ccess violation|0xC0000005",
        "python -X faulthandler SCRIPT prints the line that crashed (for the C function: gdb --args python SCRIPT, then run and bt); if "
        "the crash is in compiled code of the cache, clear the cache (theano-cache purge), and try device=cpu, or cxx= (empty), which "
        "uses no C code",
    ),
    remedy(
        Cause.PROCESS_LOST,
        r"\A(?![\s\S]*(?:freeze_support|bootstrapping))[\s\S]*?\b(?:recv_draw|_recv_bytes)\b",
        "a sampling process ended, perhaps for lack of memory: run fewer chains at once, keep fewer variables, and watch its memory; "
        "sample(cores=1) shows the error itself",
    ),
    remedy(
        Cause.PROCESS_LOST,
        r"freeze_support|bootstrapping|BrokenPipe|Broken pipe|WinError (?:109|232)|spawn|context has already been set|"
        r"multiprocessing[\\/]|BrokenProcessPool|TerminatedWorker|process pool|SIGPIPE|[Ww]orkers? (?:is|are) dead",
        "on Windows and macOS, put the main part of the script under if __name__ == '__main__':; a run in one process (PyMC: "
        "sample(cores=1)) shows the error itself",
    ),
    remedy(
        Cause.STOPPED,
        r"Waiting for existing lock",
        "the job waited for the compilation lock of another process: set a different base_compiledir for each process",
    ),
    remedy(
        Cause.STOPPED,
        r"DUE TO TASK FAILURE",
        "one task failed, and Slurm ended the others: the first task that ended with a code says why (srun --label shows whose line is "
        "whose; sacct -j JOB --format JobID,State,ExitCode)",
    ),
    remedy(
        Cause.STOPPED,
        r"forrtl: error \(200\)",
        "control-C, or a console that was closed, ended it: Intel's Fortran, in MKL and SciPy, ends the process at once. With "
        "FOR_DISABLE_CONSOLE_CTRL_HANDLER=1 set before Python starts, control-C raises a KeyboardInterrupt instead",
    ),
)
"""Remedies for a process that ended without an exception of its own."""

MEMORY = (
    remedy(
        (*_DEVICE, Cause.HOST_MEMORY),
        r"numpyro|blackjax|post_warmup|sample_numpyro|jit\(scan\)|dynamic_update_slice|nuts_sampler|pm\.sample|[Ii]nference",
        "draws are kept on the device: compute fewer draws or chains at a time (chain_method='sequential', "
        "postprocessing_backend='cpu'), keep fewer variables, and compute generated quantities in parts or on the CPU",
        r"numpyro|jax|xla|Resource exhausted|RESOURCE_EXHAUSTED",
    ),
    remedy(
        Cause.NOT_RECOGNISED,
        r"\A[^\n]*\ballocat[^\n]{0,60}\b\d{1,4} bytes",
        "nvidia-smi lists which programs use the card; on the CPU, or if the card is free, install the newest release of the library",
    ),
    remedy(
        Cause.NOT_RECOGNISED,
        r"\A[^\n]*\b[Cc]hain \d+ failed",
        "the chain's own error is printed before this one in the complete output (for a notebook: in the server's terminal); "
        "sample(cores=1) shows it",
    ),
    remedy(
        (Cause.DEVICE_UNKNOWN_SIZE, Cause.LIBRARY_MEMORY),
        r"in-memory CUBIN|cuDevicePrimaryCtxRetain|(?:RESOURCE_EXHAUSTED|Resource exhausted)[^\n]{0,200}CUDA_ERROR_OUT_OF_MEMORY",
        "nothing was left for CUDA itself: nvidia-smi lists other programs on the card; XLA_PYTHON_CLIENT_PREALLOCATE=false turns off "
        "JAX's reservation of 75 %",
    ),
    remedy(
        (Cause.HOST_MEMORY, Cause.KILLED),
        r"pymc3?[/\\](?:backends|sampling|parallel_sampling)\b|^(?:Sampling \d+ chains? for|NUTS: \[)",
        "PyMC keeps the draws of all variables and chains in the host's memory: use fewer draws or chains, no Deterministic of a long "
        "array, or draws on disk (PyMC3: trace=pm.backends.Text('folder'))",
    ),
    remedy(
        _DEVICE,
        r"Resource exhausted|RESOURCE_EXHAUSTED",
        "compute in smaller parts (lax.map over batches instead of vmap), keep fewer samples at a time, or compute on the CPU "
        "(JAX_PLATFORMS=cpu); if the request was small, nvidia-smi lists which programs use the card: another one, or TensorFlow in the "
        "same process",
    ),
    remedy(
        Cause.HOST_MEMORY,
        r"Apply node that caused the error[^\n]*Corr\w*MM[\s\S]{0,3000}?\nInputs shapes: \[\(1, \d+, (?P<height>\d+), (?P<width>\d+)\)",
        "the image has {height} x {width} pixels at that layer: use a smaller image, or parts of it one at a time",
    ),
    remedy(
        Cause.HOST_MEMORY,
        r"Apply node that caused the error[\s\S]{0,3000}?\nInputs shapes: \[(?:\(\), )*\((?P<rows>\d{2,9})L?, \d",
        "an array of the node has {rows} rows: if they are the batch, use a smaller one (predict in parts); if they are those of a table "
        "(words, users), use fewer or shorter rows",
    ),
    remedy(
        Cause.HOST_MEMORY,
        r"\nInputs types: \[[^\n]*\(float64, (?!scalar|\(\)|shape=\(\))",
        "floatX=float32 (THEANO_FLAGS, .theanorc; data by astype(theano.config.floatX)) halves the size of float64 arrays",
    ),
    remedy(
        Cause.HOST_MEMORY,
        r"\A[^\n]*MemoryError",
        "a 32-bit Python can use at most 2 GiB: python -c \"import struct; print(8 * struct.calcsize('P'))\" must print 64",
        r"\b[A-Z]:[\\/](?![^\n]*(?:amd64|x86_64|64bit))",
        alone=True,
    ),
    remedy(
        (Cause.CAPACITY, Cause.GPU_FAULT),
        r"Driver report 0 bytes free and 0 bytes total",
        "0 of 0 bytes means that the driver could not tell how much was free: nvidia-smi shows that, and which programs use the card; the "
        "card is usable again only in a new process",
    ),
    remedy(
        (*_DEVICE, Cause.HOST_MEMORY),
        r"[Ss]can|n_steps|Alloc\(",
        "scan keeps each step for its gradient: use fewer steps at a time (truncate_gradient), parts of the batch, or smaller results in "
        "each step",
        r"[Ss]can|Alloc",
    ),
)
"""Remedies for a lack of memory; `check --log` says how much each change saves."""

TABLE = (*MEMORY, *INSTALLERS, *COMPILERS, *GPUS, *BLAS, *INSTALLATIONS, *MODELS, *OWN, *SCRIPTS, *VALUES, *PROCESSES)

BY_CAUSE: Mapping[Cause, tuple[str, ...]] = {
    Cause.CAPACITY: (_SMALLER,),
    Cause.FRAGMENTATION: (
        "reserve memory at the start, so that blocks are taken from one piece: gpuarray.preallocate (lib.cnmem before 1.0)",
        "keep other programs off the card",
    ),
    Cause.POOL: ("the pool cannot grow beyond what was reserved at the start if the rest of the card is in use", "use a smaller batch"),
    Cause.PREALLOCATION: ("theanodiag check recommends the share that the job needs",),
    Cause.OTHER_PROCESS: ("nvidia-smi lists which programs use the card",),
    Cause.SIZE_OVERFLOW: (_SPLIT,),
    Cause.DEVICE_UNKNOWN_SIZE: (VERBOSE, "use a smaller batch"),
    Cause.LIBRARY_MEMORY: (
        "reserve less (gpuarray.preallocate=0.8; JAX: XLA_PYTHON_CLIENT_PREALLOCATE=false), and end other programs on the card",
    ),
    Cause.HOST_MEMORY: ("keep the data as float32 in a memory map, and copy it to the device in parts",),
    Cause.KILLED: ("the kernel's log (dmesg) names the process and its size; in a batch system request more memory",),
    Cause.OLD_GPU: ("set device=cuda for Theano 1.0; without a GPU, theanodiag run SCRIPT runs the script on PyTensor",),
    Cause.COMPILE_LOCK: (
        "if no other job is compiling, delete the lock_dir that the log names; give jobs that start together a base_compiledir each",
    ),
    Cause.DISK_FULL: ("df shows which disk is full; base_compiledir and TMPDIR can name another",),
    Cause.STATIC_SHAPE: (
        "JAX compiles for fixed lengths: make the length a Python number or a constant of the graph (not a model's data), or use "
        "mode=FAST_RUN (C) or NUMBA for this function",
    ),
    Cause.PROCESS_LOST: (
        "read what the process printed before it ended; dmesg, or the log of the notebook's server, shows whether memory ran out, and top "
        "shows how the memory of a job grows",
    ),
    Cause.COMPILER: (
        "the compiler's own message (its first line with error:, in the log or printed by the command that the log shows) says what it "
        "rejected; after you have fixed that, clear the cache of compiled modules: theano-cache purge, or pytensor-cache purge",
    ),
    Cause.BLAS: ("set blas.ldflags (blas__ldflags) to an installed BLAS, or to nothing for NumPy's",),
    Cause.GPU_NOT_STARTED: (
        "the driver (nvidia-smi), CUDA and the library must be compatible releases, in folders that PATH and LD_LIBRARY_PATH name; "
        "theanodiag doctor on that machine shows what is missing",
    ),
    Cause.CUDNN_UNAVAILABLE: ("set dnn.include_path and dnn.library_path, or dnn.enabled=False to run without cuDNN",),
    Cause.CUDNN_REFUSED: (
        "use smaller arrays (batch, image, filter; cuDNN uses 32-bit sizes), positive strides and no negative padding; or use another "
        "algorithm (dnn.conv.algo_fwd=small, algo_bwd_filter, algo_bwd_data), no cuDNN (dnn.enabled=False), or Theano 1.0.5",
    ),
    Cause.GPU_FAULT: ("run once with CUDA_LAUNCH_BLOCKING=1: the node named then is the one that fails", "update the driver and CUDA"),
    Cause.LIBRARIES: ("install compatible releases in a new environment; each library's documentation names the versions that it accepts",),
    Cause.PYTHON_TOO_NEW: (
        "Theano 1.0.5 needs CPython up to 3.8 (and numpy<1.22) to compile; theanodiag run SCRIPT runs the script on PyTensor with a "
        "newer Python",
    ),
    Cause.NUMPY_TOO_NEW: (
        "install an older numpy: 'numpy<1.22' for Theano 1.0.5, 'numpy<1.24' for np.bool, np.int and np.float, 'numpy<2' for what NumPy 2 "
        "removed",
    ),
    Cause.DTYPES: ("cast one of them: x.astype(...); with Theano, set floatX=float32 and create arrays of that dtype",),
    Cause.SHAPES: (
        "compare the shapes of the named inputs; with Theano, Aesara and PyTensor, optimizer=fast_compile names the line that created "
        "the node",
    ),
    Cause.STOPPED: ("request more time, or save the state of the job regularly",),
    Cause.OLD_INTERFACE: (
        "theanodiag run SCRIPT runs code that imports theano or pymc3 unchanged, on the PyTensor or PyMC that is installed; code that "
        "imports pymc or pytensor itself must be changed",
    ),
    Cause.ENCODING: ("name the encoding: open(path, encoding=...), or read bytes: open(path, 'rb')",),
    Cause.NOT_CONVERGED: (
        "draw longer (tune=2000, draws=2000) in 4 chains, with target_accept=0.95; if that does not help, change the model: use "
        "non-centred and rescaled variables, and narrower priors",
    ),
    Cause.NOT_FINITE: (
        "find the first value that is not finite, by printing or NanGuardMode; lower the step size (learning rate); check the data",
    ),
}
"""Cause -> advice, used if the log's content gives no more specific advice."""
_ALWAYS = (
    Cause.CAPACITY, Cause.DEVICE_UNKNOWN_SIZE, Cause.FRAGMENTATION, Cause.POOL, Cause.SIZE_OVERFLOW, Cause.HOST_MEMORY, Cause.KILLED,
    Cause.OLD_INTERFACE, Cause.GPU_FAULT, Cause.PROCESS_LOST, Cause.COMPILE_LOCK, Cause.PREALLOCATION, Cause.OTHER_PROCESS,
    Cause.PYTHON_TOO_NEW,
)  # fmt: skip
"""Causes whose general advice is given beside the particular one."""
_OF_THEANO = (Cause.PYTHON_TOO_NEW, Cause.NUMPY_TOO_NEW, Cause.OLD_INTERFACE)
"""Causes whose general advice and command are for scripts of Theano, PyMC3 and their successors."""
_LAYERED = (Cause.REFUSED, Cause.NO_IMPLEMENTATION, Cause.SHAPES, Cause.DTYPES, Cause.SYMBOLIC)
"""Causes whose argument may come from a library that the script calls, and not from the script."""
_FAMILY = re.compile(r"(?i)theano|pymc|aesara|pytensor")
_OTHERS = re.compile(r"-packages[/\\]|[Kk]eras|[Tt]ensor[Ff]low|\bjax\b|\bpip\b|[Ff]ailed to (?:fetch|build|prepare)")


def advice(cause: Cause, text: str, at: int, own: tuple[str, ...], memory: LoggedMemory, has_live: bool) -> tuple[str, ...]:
    """Returns the advice for a failure at `at` that the reader of this log does not know yet.

    Args:
        own: What the form of the message says.
        memory: The device's memory: where much of it was free, memory is not what is short.
        has_live: Whether the log lists what was in memory.
    """
    remedies = (*chosen(TABLE, cause, text, at, FROM_TABLE), *own) or chosen(REFUSALS, cause, text, at, 1)
    if cause is Cause.NOT_RECOGNISED and not remedies and frames(text[max(0, at - NEAR) : at]):
        remedies = chosen(TABLE, Cause.OWN_CODE, text, at, FROM_TABLE)  # what holds of a line of the script, if it was that
    if not remedies or (cause in _ALWAYS and (cause not in _OF_THEANO or _may_be_of_family(text))):
        general = BY_CAUSE.get(cause, ())
        known = VERBOSE in general and (
            has_live or not any(name in text for name in ("theano", "Theano", "aesara", "pytensor", "Apply node"))
        )
        remedies = (*remedies, *(words for words in general if words is not VERBOSE or not known))
    layered = layer(text, at) if cause in _LAYERED else None
    if layered is not None:
        remedies = (*remedies, layered)
    if cause is Cause.GPU_NOT_STARTED and memory.free is not None and memory.total is not None:
        remedies = (f"memory had not run out: {format_bytes(memory.free)} of {format_bytes(memory.total)} were free", *remedies)
    library = _library(text) if remedies else ""
    return tuple(_in_words_of(library, line) for line in dict.fromkeys(remedies))[:MOST]


_THEANO_WORDS = re.compile(r"\bTHEANO_FLAGS\b|\.theanorc\b|\btheano\.(?=config\b|function\b|shared\b|scan\b)")


def _library(text: str) -> str:
    """The library of the log's script: `pytensor` or `aesara` if the log names its flags variable, or names it and never Theano."""
    old = any(name in text for name in ("theano", "Theano", "THEANO"))
    return next((name for name in ("pytensor", "aesara") if (f"{name.upper()}_FLAGS" if old else name) in text), "theano")


def _in_words_of(library: str, line: str) -> str:
    """A line of advice with the library's flags variable, rc file and module in place of Theano's, unless it names several libraries."""
    variable = f"{library.upper()}_FLAGS"
    words = {"THEANO_FLAGS": variable, ".theanorc": f".{library}rc", "theano.": f"{library}."}
    return line if variable in line else _THEANO_WORDS.sub(lambda match: words[match[0]], line)


def _may_be_of_family(text: str) -> bool:
    """Whether a log may be of a script of Theano, PyMC3 or a successor: it names one of them, or no library at all."""
    return _FAMILY.search(text) is not None or _OTHERS.search(text) is None


def raised_in(before: str, part: str) -> tuple[str, ...]:
    """Returns what is known about an exception of unknown cause: whose code raised it.

    `before` is the preceding part of the log; `part` is not empty if the exception is not in the log.
    """
    ran = frames(before)
    if part:  # what comes after it
        return ("pass the whole log: the last line of the traceback has the exception and its message",)
    if not ran:
        return ("pass the lines above it too: a traceback names the line that failed, and the file that it is in",)
    name = package(ran[-1])
    if name is None:
        ours = [number for number, frame in enumerate(ran) if not patterns.OTHER_PACKAGE.search(place(frame))]  # not Python's library
        own = ours[-1] if ours else len(ran) - 1
        between = next((name for frame in reversed(ran[own + 1 :]) if (name := package(frame))), None)
        here = own == len(ran) - 1 and (patterns.RAISES.search(ran[own]) or patterns.ASSERTS.search(ran[own]))
        raised = "was raised" if here else f"came from, by way of {between}" if between else "came from"
        return (f"look at your own code, where it {raised}: {where(ran[own])}; nothing points to memory, a compiler or the installation",)
    return (
        f"it was raised inside of {name}: a bug in that release, or arguments that it does not expect; try the newest release "
        f"of {name}, and check what your line passes to it",
    )


_FIRST = ("[id A]", "[@A]", "|[@B]")
"""The first variable of a printed graph."""
_OF_NODE = re.compile(r"Debugprint of the apply node:[^\n]*\n(?:[^\n]*\[(?:id |@)\w+\][^\n]*(?:\n|\Z))*")
"""The printed node that failed, with what computes its inputs: only a part of the function."""


def _prints_function(text: str) -> bool:
    """Whether a function is printed in a log, and not only the node that failed."""
    return any(first in text for first in _FIRST) and any(first in _OF_NODE.sub("", text) for first in _FIRST)


def command(cause: Cause, memory: LoggedMemory, text: str, flags: Mapping[str, str]) -> str | None:
    """Returns the next command to run, in which the last LOG stands for the log. If the log contains a printed function, it is the command
    that simulates the function.

    The script, its options, the interpreter and the `flags` that affect memory are those of the job, if the log contains them.
    """
    if cause.is_memory and _prints_function(text):
        return "theanodiag graph LOG"
    script = context.script(text)
    model = shlex.quote(script) if script else "MODEL.py"
    words = shlex.join(context.arguments(text, script)) if script else ""
    if cause.is_memory:
        check = f"{_setting(flags, text)}theanodiag check {model} --python {_interpreter(text)} --log LOG"
        own = f" -- {words}" if words else ""
        if cause is Cause.KILLED:
            return f"{check} --gpu none --host-memory SIZE{own}"
        if memory.total is not None or cause is Cause.HOST_MEMORY or (memory.device and _is_card(memory.device)):
            return f"{check}{own}"
        return f"{check} --gpu {'SIZE' if memory.device else 'CARD'}{own}"
    if cause is Cause.OLD_GPU or (cause in _OF_THEANO and _may_be_of_family(text)):
        return " ".join(filter(None, ("theanodiag run", model, words)))
    return "theanodiag config check" if cause is Cause.CONFIGURATION else None


def _is_card(name: str) -> bool:
    """Whether `--gpu` knows a device by this name."""
    from ..devices import card_of  # few logs name a card

    return card_of(name, None) is not None


_DECIDING = re.compile(r"floatX|allow_gc|linker|mode|optimizer\w*|gpuarray(\.|__)preallocate|lib\.cnmem|scan(\.|__)allow_gc")
"""Names of flags that decide what a function needs; the card is given by --gpu."""


def _setting(flags: Mapping[str, str], text: str) -> str:
    """The flags of the job that decide on memory, as the setting of a shell that stands before a command; empty without any.

    A value that a shell (`floatX=$FX`) or Python (`"floatX=" + fx`) puts in is not known here.
    """
    values = [f"{name}={value}" for name, value in flags.items() if _DECIDING.fullmatch(name) and value and "$" not in value]
    return f"{_library(text).upper()}_FLAGS={shlex.quote(','.join(values))} " if values else ""


_PACKAGES = re.compile(rf'"(?P<root>/[^"\n]{{1,200}}?)/lib/(?P<python>python[\d.]{{1,5}})/(?:site|dist)-packages/(?:{patterns.FAMILY})/')


def _interpreter(text: str) -> str:
    """The interpreter of the environment, or of the packages in a user's home, whose framework a traceback names; else INTERPRETER."""
    match = _PACKAGES.search(text)
    if match and match["root"].endswith("/.local"):  # packages of one user, whose interpreter is elsewhere
        return match["python"]
    return shlex.quote(f"{match['root']}/bin/python") if match and match["root"] not in ("/usr", "/usr/local") else "INTERPRETER"
