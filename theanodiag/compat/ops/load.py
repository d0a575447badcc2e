"""The Op that reads an array from a .npy file, for `theano.tensor.io.load`."""

from typing import Any

import numpy as np
from pytensor.graph.basic import Apply, Constant
from pytensor.graph.op import Op
from pytensor.link.c.type import generic
from pytensor.tensor.type import TensorType


class LoadFromDisk(Op):
    """Reads the array in a .npy file when the function runs; its dtype and broadcast pattern are fixed when the graph is built."""

    __props__ = ("dtype", "broadcastable", "mmap_mode")

    def __init__(self, dtype: Any, broadcastable: Any, mmap_mode: Any = None) -> None:
        self.dtype = np.dtype(dtype)
        self.broadcastable = tuple(broadcastable)
        if mmap_mode not in (None, "c"):
            raise ValueError(f"The only supported values for mmap_mode are None and 'c', got {mmap_mode}")
        self.mmap_mode = mmap_mode

    def __str__(self) -> str:
        return f"Load{{dtype: {self.dtype}, broadcastable: {self.broadcastable}, mmep: {self.mmap_mode}}}"

    def make_node(self, path: Any) -> Apply:
        """Makes the Apply node with one input, `path`: a string or a Variable that holds one."""
        if isinstance(path, str):
            path = Constant(generic, path)
        return Apply(self, [path], [TensorType(self.dtype, self.broadcastable)()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Loads the file with numpy. Raises ValueError for a .npz file and TypeError if the file has another dtype."""
        if inputs[0].rpartition(".")[2] == "npz":
            raise ValueError(f"Expected a .npy file, got {inputs[0]} instead")
        array = np.load(inputs[0], mmap_mode=self.mmap_mode)
        if array.dtype != self.dtype:
            raise TypeError(f"Expected an array of type {self.dtype}, got {array.dtype} instead")
        output_storage[0][0] = array

    def do_constant_folding(self, fgraph: Any, node: Apply) -> bool:
        """Always False: the file may change between calls."""
        return False


def load(path: Any, dtype: Any, broadcastable: Any, mmap_mode: Any = None) -> Any:
    """Returns a Variable for the array in the .npy file `path`, a string or a generic Variable; see LoadFromDisk."""
    return LoadFromDisk(dtype, broadcastable, mmap_mode)(path)
