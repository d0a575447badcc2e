"""The simulated card: set once, before the first context is opened."""


class Device(object):
    """The properties of the card that Theano reads: name, sizes in bytes, and the compute capability, which decides about cuDNN."""

    def __init__(self, name: str, total_bytes: int, free_bytes: int, capability: "tuple[int, int]") -> None:
        self.name = name
        self.total_bytes = total_bytes
        self.free_bytes = free_bytes
        self.capability = capability

    @property
    def bin_id(self) -> bytes:
        """The architecture's name: `compute_` and the digits of the capability (libgpuarray src/gpuarray_buffer_cuda.c 0.7.6)."""
        return ("compute_%d%d" % self.capability).encode("ascii")


GIB = 1 << 30
chosen = [Device("stand-in", 4 * GIB, 4 * GIB, (6, 1))]
"""Its only element is the card in use."""
