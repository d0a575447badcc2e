"""Runs a single node outside of the back-end that compiled the rest of the graph: by the user's C code, else by its Python code."""

import pickle
import threading
from typing import Any

from . import c_code


class Thunk:
    """Callable that runs one node on numpy arrays. C code of the user's is compiled when it is made, so that an error in it comes early."""

    def __init__(self, op: Any, node: Any) -> None:
        self.op, self.node = op, node
        self._storage: dict[Any, list[Any]] = {variable: [None] for variable in [*node.inputs, *node.outputs]}
        self._lock = threading.Lock()
        self._run: Any = None
        self.destroyed = {place for inputs in getattr(op, "destroy_map", {}).values() for place in inputs}
        """Positions of the inputs that the node may overwrite."""
        if c_code.has_c(op):
            self._compile()

    def _compile(self) -> None:
        done = {variable: [True] for variable in self._storage}
        self._run = self.op.make_thunk(self.node, self._storage, done, [], None if c_code.has_c(self.op) else "py")

    def __reduce__(self) -> Any:
        raise pickle.PicklingError("a compiled node cannot be pickled")  # numba then keeps a reference instead of a copy

    def __call__(self, values: Any) -> list[Any]:
        """The outputs for `values`, one for each input."""
        with self._lock:  # JAX may call from several threads
            if self._run is None:
                self._compile()
            for variable, value in zip(self.node.inputs, values):
                self._storage[variable][0] = value
            self._run()
            results = [self._storage[variable][0] for variable in self.node.outputs]
            for cell in self._storage.values():
                cell[0] = None
            return results
