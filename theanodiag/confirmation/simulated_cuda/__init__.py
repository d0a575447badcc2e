"""A simulated CUDA device, on which the real libgpuarray, pygpu and Theano run.

Four libraries, built from `src/` with the machine's C compiler: three replace libcuda, libnvrtc and libcublas, which libgpuarray loads by
name; the fourth is preloaded before libgpuarray and counts its clients' buffers. Memory is real, kernels do nothing: numbers are garbage
except in small arrays that are only copied (shapes are such arrays); sizes and addresses are right. Every request of libgpuarray's clients,
and of libgpuarray to its driver, is written to a trace. What the real driver takes for itself (context, modules, handles of cuBLAS and
cuDNN) is not simulated.
"""

from .build import (
    CannotBuild,
    ClientAlloc,
    ClientFree,
    ClientRefused,
    DriverAlloc,
    DriverFree,
    DriverRefused,
    Libraries,
    Mark,
    TraceEvent,
    VirtualDevice,
    build,
    read_trace,
)

__all__ = [
    "CannotBuild", "ClientAlloc", "ClientFree", "ClientRefused", "DriverAlloc", "DriverFree", "DriverRefused", "Libraries", "Mark",
    "TraceEvent", "VirtualDevice", "build", "read_trace",
]  # fmt: skip
