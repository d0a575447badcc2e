"""The proof stand: the real libgpuarray, pygpu and Theano on a simulated CUDA device.

Four libraries, built from `src/` with the machine's C compiler, stand where libgpuarray looks for libcuda, libnvrtc and libcublas, and
before libgpuarray itself. Memory is real, kernels do nothing: numbers are garbage but for small arrays that are only copied (shapes are),
sizes and addresses are right. Every request of libgpuarray's clients and of libgpuarray to its driver is written to a trace. What the
real driver takes for itself (the context, modules, the handles of cuBLAS and cuDNN) is not simulated.
"""

from .build import CannotBuild, Libraries, build
from .device import VirtualDevice
from .trace import ClientAlloc, ClientFree, ClientRefused, DriverAlloc, DriverFree, DriverRefused, Mark, TraceEvent, read_trace

__all__ = [
    "CannotBuild", "ClientAlloc", "ClientFree", "ClientRefused", "DriverAlloc", "DriverFree", "DriverRefused", "Libraries", "Mark",
    "TraceEvent", "VirtualDevice", "build", "read_trace",
]  # fmt: skip
