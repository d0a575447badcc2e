"""A simulated CUDA device, on which the real libgpuarray, pygpu and Theano run.

Five libraries, built from `src/` with the machine's C compiler: three replace libcuda, libnvrtc and libcublas, which libgpuarray loads by
name; the fourth is preloaded before libgpuarray and counts its clients' buffers; the fifth stands before the driver of a real GPU and
counts what libgpuarray asks it for. Memory is real, kernels do nothing: numbers are garbage except in small arrays that are only copied
(shapes are such arrays); sizes and addresses are right. Every request of libgpuarray's clients, and of libgpuarray to its driver, is
written to a trace. A real driver's own memory (context, modules, handles of cuBLAS and cuDNN) is not simulated, nor its pages of
2 MiB, up to which it rounds a request of more than 1 MiB (an H100, driver 580.159.04); smaller ones share a page.
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
    TraceEvent,
    TraceMark,
    VirtualDevice,
    build,
    read_trace,
)

__all__ = [
    "CannotBuild", "ClientAlloc", "ClientFree", "ClientRefused", "DriverAlloc", "DriverFree", "DriverRefused", "Libraries",
    "TraceEvent", "TraceMark", "VirtualDevice", "build", "read_trace",
]  # fmt: skip
