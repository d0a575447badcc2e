"""Makes XLA on the CPU keep denormal numbers (below 1.2e-38 in float32), which it otherwise rounds to 0, so that their log is -inf.

XLA switches the processor to flushing denormals in two places: in the thread that starts a computation, during that computation, and
permanently in each thread of its pool. `on_cpu` undoes this in the pool; `token` adds a call to a computation that undoes it in its own
thread. Both calls use XLA's foreign function interface, whose structures are defined in the header shipped with jaxlib
(xla/ffi/api/c_api.h); C's `fesetenv` sets the floating-point environment.
"""

import ctypes
import functools
import os
import re
import sys
import threading
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

_METADATA = 1
"""XLA_FFI_Extension_Metadata: the call asks for the version of the interface."""
_SECONDS = 20
"""Time limit in seconds for the threads of the pool."""
_Address = ctypes.c_void_p


class _Extension(ctypes.Structure):
    """XLA_FFI_Metadata_Extension."""

    _fields_ = [("size", ctypes.c_size_t), ("type", ctypes.c_int), ("next", _Address), ("metadata", _Address)]


class _Version(ctypes.Structure):
    """XLA_FFI_Api_Version."""

    _fields_ = [("size", ctypes.c_size_t), ("extension", _Address), ("major", ctypes.c_int), ("minor", ctypes.c_int)]


class _Metadata(ctypes.Structure):
    """The start of XLA_FFI_Metadata."""

    _fields_ = [("size", ctypes.c_size_t), ("version", _Version)]


class _Frame(ctypes.Structure):
    """The start of XLA_FFI_CallFrame."""

    _fields_ = [("size", ctypes.c_size_t), ("extension", _Address), ("api", _Address), ("context", _Address)]


class _Task(ctypes.Structure):
    """XLA_FFI_ThreadPool_Schedule_Args."""

    _fields_ = [("size", ctypes.c_size_t), ("extension", _Address), ("context", _Address), ("task", _Address), ("data", _Address)]


class _Threads(ctypes.Structure):
    """XLA_FFI_ThreadPool_NumThreads_Args."""

    _fields_ = [("size", ctypes.c_size_t), ("extension", _Address), ("context", _Address), ("number", _Address)]


@functools.lru_cache(maxsize=None)
def _api() -> Any:
    """The structure XLA_FFI_Api, as the installed header declares it."""
    with open(os.path.join(jax.ffi.include_dir(), "xla", "ffi", "api", "c_api.h")) as header:
        body = header.read().partition("struct XLA_FFI_Api {")[2].partition("\n}")[0]
    names = re.findall(r"_XLA_FFI_API_STRUCT_FIELD\(XLA_FFI_(\w+)\)", body)
    first = [("size", ctypes.c_size_t), ("extension", _Address), ("version", _Version), ("internal", _Address)]
    return type("_Api", (ctypes.Structure,), {"_fields_": first + [(name, _Address) for name in names]})


@functools.lru_cache(maxsize=None)
def _c() -> tuple[Any, Any]:
    """(C's library, its default floating-point environment)."""
    library = ctypes.CDLL(None)
    default = ctypes.byref(ctypes.c_char.in_dll(library, "_FE_DFL_ENV")) if sys.platform == "darwin" else _Address(-1)
    return library, default


def _keep_here() -> None:
    """Makes the calling thread keep denormal numbers."""
    library, default = _c()
    library.fesetenv(default)


def _handler(act: Any) -> Any:
    """A foreign function whose only effect is `act(frame)`."""

    @ctypes.CFUNCTYPE(_Address, ctypes.POINTER(_Frame))
    def called(pointer: Any) -> None:
        frame = pointer.contents
        api = _api().from_address(frame.api)
        if frame.extension:
            extension = _Extension.from_address(frame.extension)
            if extension.type == _METADATA:
                version = _Metadata.from_address(extension.metadata).version
                version.major, version.minor = api.version.major, api.version.minor
                return
        act(frame, api)

    return called


class _Pool:
    """Makes each thread of XLA's pool keep denormal numbers, with as many tasks as threads, none of which ends before all have started."""

    def __init__(self) -> None:
        self.left = threading.Semaphore(0)
        self.threads = 0

    def start(self, frame: Any, api: Any) -> None:
        """Schedules the tasks in the pool."""
        number = ctypes.c_int64()
        request = _Threads(ctypes.sizeof(_Threads), None, frame.context, ctypes.addressof(number))
        function = ctypes.CFUNCTYPE(_Address, _Address)
        if function(api.ThreadPool_NumThreads)(ctypes.addressof(request)):
            return
        self.threads = number.value
        self.barrier = threading.Barrier(self.threads)
        self.task = ctypes.CFUNCTYPE(None, _Address)(self._run)
        for _ in range(self.threads):
            task = _Task(ctypes.sizeof(_Task), None, frame.context, ctypes.cast(self.task, _Address), None)
            function(api.ThreadPool_Schedule)(ctypes.addressof(task))

    def _run(self, data: Any) -> None:
        _keep_here()
        try:
            self.barrier.wait(_SECONDS)
        except threading.BrokenBarrierError:
            return
        self.left.release()

    def ready(self) -> bool:
        """Waits for the tasks. Returns whether they reached all threads."""
        return self.threads > 0 and all(self.left.acquire(timeout=_SECONDS) for _ in range(self.threads))


_pool = _Pool()
_HANDLERS = {"theanodiag_keep": _handler(lambda frame, api: _keep_here()), "theanodiag_pool": _handler(_pool.start)}


def _called(name: str) -> Any:
    """-0.0, computed by the foreign function `name`."""
    zero = jax.ShapeDtypeStruct((), jnp.float32)
    return jax.ffi.ffi_call(name, zero, input_output_aliases={0: 0})(np.float32(-0.0))


@functools.lru_cache(maxsize=None)
def on_cpu() -> bool:
    """Returns whether JAX computes on the CPU and XLA's threads keep denormal numbers from now on."""
    if jax.default_backend() != "cpu":
        return False
    try:
        _c(), _api()
        for name, handler in _HANDLERS.items():
            jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(handler), platform="cpu")
        jax.jit(lambda: _called("theanodiag_pool"))().block_until_ready()
        return _pool.ready()
    except Exception:  # another libc, another jaxlib: the caller tries out what is kept
        return False


def token() -> Any:
    """Returns the number -0.0 in a form whose value XLA does not know. On the CPU, computations that use it keep denormal numbers."""
    return _called("theanodiag_keep") if on_cpu() else jax.lax.optimization_barrier(jnp.float32(-0.0))
