"""Environment variables other than flags that change what a library does."""

from __future__ import annotations

from dataclasses import dataclass

from .model import Dialect

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
    deprecated_by: str | None = None
    """The name that replaces it; None where it is current."""

    @property
    def allocator(self) -> bool:
        """Whether it configures the allocator of a compiler (JAX, PyTorch), whose memory the library's flags do not control."""
        return self.name.startswith(("XLA_", "TF_GPU_", "PYTORCH_"))


VARIABLES = (
    EnvVariable("CUDA_ROOT", ALL, "where CUDA lies: the default of cuda.root (Theano 1.0.5, configdefaults.py, get_cuda_root)"),
    EnvVariable("CUDA_PATH", ALL, "the same, where CUDA_ROOT is not set"),
    EnvVariable("CUDA_LAUNCH_BLOCKING", ALL, "1: Theano waits for every kernel, so errors show where they arise (CUDA driver)"),
    EnvVariable("CUDA_VISIBLE_DEVICES", ALL, "which GPUs there are, and in which order: cuda0 is the first of them (CUDA driver)"),
    EnvVariable("GPUARRAY_CACHE_PATH", THEANO, "where libgpuarray keeps compiled kernels (libgpuarray 0.7.6, gpuarray_kernel.c)"),
    EnvVariable("OMP_NUM_THREADS", ALL, "threads of OpenMP; anything but a number makes Theano refuse to start (1.0.5, configdefaults.py)"),
    EnvVariable("XLA_CLIENT_MEM_FRACTION", MODERN, "the share of a GPU that XLA may take, 0.75 by default (jax/_src/xla_bridge.py)"),
    EnvVariable(
        "XLA_PYTHON_CLIENT_MEM_FRACTION",
        MODERN,
        "the old name of XLA_CLIENT_MEM_FRACTION; JAX raises an error where both are set",
        "XLA_CLIENT_MEM_FRACTION",
    ),
    EnvVariable("XLA_PYTHON_CLIENT_PREALLOCATE", MODERN, "false: XLA takes GPU memory as it needs it, not its whole share at once (JAX)"),
    EnvVariable("XLA_PYTHON_CLIENT_ALLOCATOR", MODERN, "platform: every allocation goes to the driver (JAX)"),
    EnvVariable("XLA_FLAGS", MODERN, "switches of XLA's compiler, such as --xla_gpu_autotune_level=0; other code needs other temporaries"),
    EnvVariable("TF_GPU_ALLOCATOR", MODERN, "cuda_malloc_async: TensorFlow and older JAX take memory from the driver's own pool"),
    EnvVariable("PYTORCH_ALLOC_CONF", MODERN, "options of PyTorch's caching allocator (c10/core/AllocatorConfig.h)"),
    EnvVariable("PYTORCH_CUDA_ALLOC_CONF", MODERN, "the old name of PYTORCH_ALLOC_CONF", "PYTORCH_ALLOC_CONF"),
    EnvVariable("PYTORCH_NO_CUDA_MEMORY_CACHING", MODERN, "set: PyTorch asks the driver for every allocation (CUDACachingAllocator.cpp)"),
)
"""All known variables."""
