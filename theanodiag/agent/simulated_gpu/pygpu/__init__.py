"""A simulated pygpu without a device: enough for Theano's gpuarray back-end to optimize graphs and hold shared variables.

Imported under the name `pygpu` in the user's interpreter. Names and behaviour are those of pygpu 0.7.6 (libgpuarray pygpu/*.pyx, *.py), and
of 0.6 for Theano 0.9. Arrays live in host memory that is allocated at the first write.
"""

from . import basic, blas, elemwise, gpuarray, operations, reduction, tools, version
from .gpuarray import array, asarray, ascontiguousarray, asfortranarray, empty, init, zeros
from .operations import concatenate, dstack, hstack, vstack
from .version import fullversion as __version__

__all__ = [
    "__version__", "array", "asarray", "ascontiguousarray", "asfortranarray", "basic", "blas", "concatenate", "dstack",
    "elemwise", "empty", "get_include", "gpuarray", "hstack", "init", "operations", "reduction", "tools", "version", "vstack", "zeros",
]  # fmt: skip


def get_include() -> str:
    """The folder of pygpu's C headers: empty, since nothing is compiled."""
    return ""
