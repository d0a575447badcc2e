"""Flags that became environment variables: Aesara and PyTensor use GPUs through JAX, which is configured by variables.

JAX reads `XLA_CLIENT_MEM_FRACTION` (formerly `XLA_PYTHON_CLIENT_MEM_FRACTION`; both set is an error), `XLA_PYTHON_CLIENT_PREALLOCATE` and
`XLA_PYTHON_CLIENT_ALLOCATOR` (jax/_src/xla_bridge.py, docs/gpu_memory_allocation.rst).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from .model import Dialect, FlagTable
from .translations import PREALLOCATE_CEILING


@dataclass(frozen=True)
class EnvLine:
    """An environment variable to set; a remark only if `name` is empty."""

    name: str
    value: str
    comment: str
    """The reason in a few words."""


def environment(target: FlagTable, gone: Iterable[tuple[str, str]]) -> tuple[EnvLine, ...]:
    """The variables that replace the removed flags `gone`, pairs of (dotted name, text), for the library `target`."""
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
    first = EnvLine(target.dialect.flags_variable, "mode=JAX", f"device = {device}: the GPU is JAX's")
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
    return (EnvLine("XLA_CLIENT_MEM_FRACTION", str(min(share, PREALLOCATE_CEILING)), f"{setting} (a ceiling here, a start there)"),)


READ_BY_THE_LIBRARIES = ("CUDA_ROOT", "CUDA_PATH", "CUDA_HOME", "CUDA_LAUNCH_BLOCKING", "GPUARRAY_CACHE_PATH", "OMP_NUM_THREADS")
_CAPITALS = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+")


def is_variable(name: str) -> bool:
    """Whether a name looks like an environment variable: one that the libraries read, or all capitals with an underscore."""
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
        """Whether it configures the allocator of a compiler (JAX, PyTorch), whose memory the library's flags do not control."""
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
