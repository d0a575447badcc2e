"""Hand-written rules for how a flag changes in another library or version, each with its source.

Theano 0.8.2 and 0.9.0 (configdefaults.py, sandbox/cuda/__init__.py), 1.0.5 (configdefaults.py, gpuarray/__init__.py), libgpuarray 0.7.6
(src/gpuarray_buffer_cuda.c), Aesara 2.9.4 and PyTensor 3.3.7 (configdefaults.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from .model import Dialect, FlagTable
from .names import fold
from .values import accepts, unquoted

CNMEM_CEILING = 0.985
"""The largest fraction that CNMeM used (Theano 0.8.2, configdefaults.py, lib.cnmem)."""
PREALLOCATE_CEILING = 0.95
"""The largest fraction that Theano uses; values between it and 1 are reduced to it (1.0.5, gpuarray/__init__.py, init_dev)."""

_GPU = re.compile(r"gpu(\d*)", re.IGNORECASE)


@dataclass(frozen=True)
class Move:
    """What replaces one entry in a migration."""

    reason: str
    """Text of the comment above the old line."""
    writes: tuple[tuple[str, str], ...] = ()
    """(dotted name, text) of the flags to write; empty: the old line only becomes a comment."""
    safe: bool = True
    """Whether it is written without `--unsafe`; if not, the old line becomes a comment that proposes `writes`."""
    comment: str = ""
    """An inline comment of the old line, which gets a line of its own."""
    stays: bool = False
    """Whether the entry stays unchanged, instead of becoming a comment, where the move is not safe and `--unsafe` was not given."""


Handler = Callable[[str, FlagTable], "Move | None"]
"""Takes the text of a flag and the target's flags; returns None where nothing special applies."""


def special(flag_name: str, text: str, target: FlagTable) -> Move | None:
    """Returns the Move of the hand-written rule for a flag; None if there is no rule or it does not apply."""
    handler = _HANDLERS.get(fold(flag_name))
    return handler(text, target) if handler else None


def _device(name: str) -> Handler:
    """The rule for the flag `device` or a similar one called `name`."""

    def handle(text: str, target: FlagTable) -> Move | None:
        plain = unquoted(text.strip()).strip()
        if target.dialect is not Dialect.THEANO:
            return _no_device(name, plain, target)
        old = _GPU.fullmatch(plain)
        if old:
            return Move(f"the gpu* back-end was removed in Theano 1.0; {plain} is cuda{old[1]} now", ((name, f"cuda{old[1]}"),))
        if plain.lower() in ("cuda*", "gpu*", "cudax", "gpux"):
            return Move(f"{plain} is not a device name: cuda lets the driver choose, cuda0 is the first GPU", ((name, "cuda"),))
        return None

    return handle


def numbered_gpu(key: str, value: str | None, unknown: str, target: FlagTable) -> Move | None:
    """Returns the Move of the flag `device=gpu` whose number is `unknown`; None for other flags, values and libraries."""
    if target.dialect is not Dialect.THEANO or key.strip() != "device" or (value or "").strip() != f"gpu{unknown}":
        return None
    return Move("the gpu* back-end was removed in Theano 1.0; gpu is cuda now, with the same number", (("device", f"cuda{unknown}"),))


def _no_device(name: str, plain: str, target: FlagTable) -> Move | None:
    """The Move of a device flag in Aesara or PyTensor; None for `cpu`, if the target has the flag."""
    if target.dotted(name) and plain == "cpu":
        return None
    label = "Aesara" if target.dialect is Dialect.AESARA else "PyTensor"
    if plain in ("cpu", ""):
        return Move(f"{label} has no flag {name}: it computes on the CPU unless the mode says otherwise")
    return Move(f"{label} has no GPU back-end of its own: to use a GPU, set mode=JAX{'' if label == 'Aesara' else ', PYTORCH or MLX'}")


def _cnmem(text: str, target: FlagTable) -> Move | None:
    if not target.dotted("gpuarray.preallocate"):
        return None
    try:
        share = float(unquoted(text))
    except ValueError:
        return Move("lib.cnmem was removed in Theano 1.0, and this is not a number; see gpuarray.preallocate")
    if share < 0 or share != share:
        return Move("lib.cnmem was removed in Theano 1.0, and this was never valid; see gpuarray.preallocate")
    value, meaning = _preallocate(share, unquoted(text))
    return Move(f"lib.cnmem was removed in Theano 1.0; {meaning}", (("gpuarray.preallocate", value),))


def _preallocate(share: float, text: str) -> tuple[str, str]:
    """The text for gpuarray.preallocate that a lib.cnmem of `share` becomes, and an explanation."""
    if share == 0:
        return "-1", "no pool is gpuarray.preallocate = -1 (0 would keep a cache)"
    if share > 1:
        return text, "gpuarray.preallocate counts MB from 1 on too"
    if share > PREALLOCATE_CEILING:
        return str(PREALLOCATE_CEILING), f"gpuarray.preallocate stops at {PREALLOCATE_CEILING}, cnmem did at {CNMEM_CEILING}"
    return text, "gpuarray.preallocate is the same share of the GPU's memory"


def _nvcc_flags(text: str, target: FlagTable) -> Move | None:
    if not target.dotted("gpuarray.preallocate"):
        return None
    paths = " ".join(word for word in unquoted(text).split() if re.match(r"-[IL].", word))
    why = "nvcc is not used since Theano 1.0 (NVRTC compiles the kernels)"
    return Move(why, (("gcc.cxxflags", paths),)) if paths else Move(why)


def _gone(reason: str) -> Handler:
    """The rule for a flag that Theano removed: it has no successor, for this reason."""
    return lambda text, target: Move(reason) if target.dialect is Dialect.THEANO else None


def _renamed(new: str) -> Handler:
    """The rule for a flag now called `new`."""

    def handle(text: str, target: FlagTable) -> Move | None:
        flag = target.dotted(new)
        return Move(f"it is called {new} here", ((new, text),)) if flag and accepts(flag, text) else None

    return handle


def _algorithm(old: str, *new: str) -> Handler:
    """The rule for the flag `old`, replaced by those of `new` that accept its value."""

    def handle(text: str, target: FlagTable) -> Move | None:
        flags = [f for name in new if (f := target.dotted(name))]
        if not flags or not text:
            return None
        reason = f"{old} was removed: now {' and '.join(new)}"
        return Move(reason, tuple((f.dotted, text) for f in flags if accepts(f, text)))

    return handle


def _sync(text: str, target: FlagTable) -> Move | None:
    refused = Move("gpuarray.sync was removed; Theano refuses every value of it, even False")
    return refused if text and target.dotted("gpuarray.sync") else None


def _fusion(text: str, target: FlagTable) -> Move | None:
    """Aesara 2.9.4, tensor/rewriting/math.py imports a name that tensor/rewriting/elemwise.py defines only with fusion."""
    broken = target.dialect is Dialect.AESARA and text in ("False", "false", "0")
    return Move("Aesara cannot be imported without fusion (ImportError); optimizer_excluding = fusion does the same") if broken else None


def _mode(text: str, target: FlagTable) -> Move | None:
    if unquoted(text) not in ("ProfileMode", "PROFILE_MODE"):
        return None
    return Move("ProfileMode was removed: profile=True does its work", (("profile", "True"),))


_HANDLERS: dict[str, Handler] = {
    "device": _device("device"),
    "init_gpu_device": _device("init_gpu_device"),
    "lib.cnmem": _cnmem,
    "nvcc.flags": _nvcc_flags,
    "nvcc.fastmath": _gone("nvcc is not used since Theano 1.0; NVRTC compiles the kernels and takes no options"),
    "nvcc.compiler_bindir": _gone("nvcc is not used since Theano 1.0; cxx names the C++ compiler"),
    "nvcc.cudafe": _gone("nvcc is not used since Theano 1.0"),
    "dnn.conv.workmem": _algorithm("dnn.conv.workmem", "dnn.conv.algo_fwd"),
    "dnn.conv.workmem_bwd": _algorithm("dnn.conv.workmem_bwd", "dnn.conv.algo_bwd_data", "dnn.conv.algo_bwd_filter"),
    "dnn.conv.algo_bwd": _algorithm("dnn.conv.algo_bwd", "dnn.conv.algo_bwd_data", "dnn.conv.algo_bwd_filter"),
    "gpuarray.sync": _sync,
    "mode": _mode,
    "tensor.local_elemwise_fusion": _fusion,
    "lib.amdlibm": _renamed("lib.amblibm"),
    "lib.amblibm": _renamed("lib.amdlibm"),
}  # fmt: skip


# Flags that became environment variables: Aesara and PyTensor use GPUs through JAX, which is configured by variables.
#
# JAX reads `XLA_CLIENT_MEM_FRACTION` (formerly `XLA_PYTHON_CLIENT_MEM_FRACTION`; both set is an error), `XLA_PYTHON_CLIENT_PREALLOCATE` and
# `XLA_PYTHON_CLIENT_ALLOCATOR` (jax/_src/xla_bridge.py, docs/gpu_memory_allocation.rst).


@dataclass(frozen=True)
class EnvLine:
    """A line that sets an environment variable, or only a comment if `name` is empty."""

    name: str
    value: str
    comment: str
    """The reason in a few words."""


def environment(target: FlagTable, gone: Iterable[tuple[str, str]]) -> tuple[EnvLine, ...]:
    """Returns the environment variables that replace the removed flags `gone`, given as pairs (dotted name, text), for the library
    `target`.
    """
    old = dict(gone)
    own = tuple(EnvLine(name, text, "it was among the flags, where it has no effect") for name, text in old.items() if is_variable(name))
    return (*own, *_gpu(target, old))


def _gpu(target: FlagTable, old: dict[str, str]) -> tuple[EnvLine, ...]:
    """The variables by which JAX selects the GPU and its memory; none for Theano, and without a GPU in `old` (dotted name -> text)."""
    if target.dialect is Dialect.THEANO:
        return ()
    device = old.get("device", "").strip("'\"").lower()
    if not device.startswith(("gpu", "cuda")):
        return ()
    first = EnvLine(target.dialect.flags_variable, "mode=JAX", f"device = {device}: PyTensor and Aesara use a GPU through JAX")
    return (first, EnvLine("JAX_PLATFORMS", "cuda", "fail rather than fall back to the CPU"), *_which(device), *_memory(old))


def _which(device: str) -> tuple[EnvLine, ...]:
    """The variable that selects the GPU of a device name with a number."""
    number = re.fullmatch(r"(?:gpu|cuda)(\d+)", device)
    return (EnvLine("CUDA_VISIBLE_DEVICES", number[1], f"device = {device}"),) if number else ()


def _memory(old: dict[str, str]) -> tuple[EnvLine, ...]:
    """The variable that reserves the share of GPU memory set by `gpuarray.preallocate` or `lib.cnmem`."""
    name = "gpuarray.preallocate" if "gpuarray.preallocate" in old else "lib.cnmem"
    try:
        share = float(old.get(name, ""))
    except ValueError:
        return ()
    setting = f"{name} = {old[name]}"
    if share <= 0:
        return (EnvLine("XLA_PYTHON_CLIENT_PREALLOCATE", "false", f"{setting}: nothing reserved at the start"),)
    if share > 1:
        return (EnvLine("", "", f"{setting} MB: XLA takes a fraction of the memory, see XLA_CLIENT_MEM_FRACTION"),)
    return (
        EnvLine(
            "XLA_CLIENT_MEM_FRACTION", str(min(share, PREALLOCATE_CEILING)), f"{setting} (for JAX a maximum; in Theano the initial size)"
        ),
    )


READ_BY_THE_LIBRARIES = ("CUDA_ROOT", "CUDA_PATH", "CUDA_HOME", "CUDA_LAUNCH_BLOCKING", "GPUARRAY_CACHE_PATH", "OMP_NUM_THREADS")
_CAPITALS = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+")


def is_variable(name: str) -> bool:
    """Returns whether a name looks like an environment variable: one that the libraries read, or all capitals with an underscore."""
    return name in READ_BY_THE_LIBRARIES or bool(_CAPITALS.fullmatch(name))


THEANO, MODERN = (Dialect.THEANO,), (Dialect.AESARA, Dialect.PYTENSOR)
ALL = (*THEANO, *MODERN)


@dataclass(frozen=True)
class EnvVariable:
    """One environment variable."""

    name: str
    dialects: tuple[Dialect, ...]
    """The libraries for which it matters; Aesara and PyTensor read some of them through JAX or PyTorch."""
    meaning: str
    """What it changes, and who reads it."""

    @property
    def allocator(self) -> bool:
        """Whether the variable configures the allocator of a compiler (JAX, PyTorch), whose memory the library's flags do not control."""
        return self.name.startswith(("XLA_", "TF_GPU_", "PYTORCH_"))


VARIABLES = (
    EnvVariable("CUDA_ROOT", ALL, "the CUDA folder: the default of cuda.root (Theano 1.0.5, configdefaults.py, get_cuda_root)"),
    EnvVariable("CUDA_PATH", ALL, "the same, where CUDA_ROOT is not set"),
    EnvVariable("CUDA_LAUNCH_BLOCKING", ALL, "1: Theano waits for every kernel, so errors are reported where they occur (CUDA driver)"),
    EnvVariable("CUDA_VISIBLE_DEVICES", ALL, "which GPUs there are, and in which order: cuda0 is the first of them (CUDA driver)"),
    EnvVariable("GPUARRAY_CACHE_PATH", THEANO, "where libgpuarray keeps compiled kernels (libgpuarray 0.7.6, gpuarray_kernel.c)"),
    EnvVariable("OMP_NUM_THREADS", ALL, "threads of OpenMP; anything but a number makes Theano refuse to start (1.0.5, configdefaults.py)"),
    EnvVariable("XLA_CLIENT_MEM_FRACTION", MODERN, "the share of a GPU that XLA may take, 0.75 by default (jax/_src/xla_bridge.py)"),
    EnvVariable(
        "XLA_PYTHON_CLIENT_MEM_FRACTION",
        MODERN,
        "the old name of XLA_CLIENT_MEM_FRACTION; JAX raises an error if both are set",
    ),
    EnvVariable("XLA_PYTHON_CLIENT_PREALLOCATE", MODERN, "false: XLA takes GPU memory as it needs it, not its whole share at once (JAX)"),
    EnvVariable("XLA_PYTHON_CLIENT_ALLOCATOR", MODERN, "platform: every allocation goes to the driver (JAX)"),
    EnvVariable("XLA_FLAGS", MODERN, "switches of XLA's compiler, such as --xla_gpu_autotune_level=0; other code needs other temporaries"),
    EnvVariable("TF_GPU_ALLOCATOR", MODERN, "cuda_malloc_async: TensorFlow and older JAX take memory from the driver's own pool"),
    EnvVariable("PYTORCH_ALLOC_CONF", MODERN, "options of PyTorch's caching allocator (c10/core/AllocatorConfig.h)"),
    EnvVariable("PYTORCH_CUDA_ALLOC_CONF", MODERN, "the old name of PYTORCH_ALLOC_CONF"),
    EnvVariable("PYTORCH_NO_CUDA_MEMORY_CACHING", MODERN, "set: PyTorch asks the driver for every allocation (CUDACachingAllocator.cpp)"),
)
"""All known variables."""
