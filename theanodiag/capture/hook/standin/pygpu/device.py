"""The device that contexts describe: set once, before the first of them is made."""


class Device(object):
    """What Theano reads of a card: its name and size, and from its compute capability whether cuDNN supports it."""

    def __init__(self, name: str, total_bytes: int, free_bytes: int, capability: "tuple[int, int]") -> None:
        self.name = name
        self.total_bytes = total_bytes
        self.free_bytes = free_bytes
        self.capability = capability

    @property
    def bin_id(self) -> bytes:
        """libgpuarray src/gpuarray_buffer_cuda.c 0.7.6: `compute_` and the capability's digits."""
        return ("compute_%d%d" % self.capability).encode("ascii")


GIB = 1 << 30
chosen = [Device("stand-in", 4 * GIB, 4 * GIB, (6, 1))]
"""Its only element is the device in use."""
