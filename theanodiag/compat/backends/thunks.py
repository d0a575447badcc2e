"""Runs a single node by its Python code, outside of the back-end that compiled the rest of the graph."""

from typing import Any


class Thunk:
    """Callable that runs one node by its own Python code on numpy arrays."""

    def __init__(self, op: Any, node: Any) -> None:
        self.op, self.node = op, node
        self._storage: dict[Any, list[Any]] = {variable: [None] for variable in [*node.inputs, *node.outputs]}
        self._run: Any = None
        self.destroyed = {place for inputs in getattr(op, "destroy_map", {}).values() for place in inputs}
        """Positions of the inputs that the node may overwrite."""

    def __call__(self, values: Any) -> list[Any]:
        """The outputs for `values`, one for each input."""
        if self._run is None:
            done = {variable: [True] for variable in self._storage}
            self._run = self.op.make_thunk(self.node, self._storage, done, [], "py")
        for variable, value in zip(self.node.inputs, values):
            self._storage[variable][0] = value
        self._run()
        results = [self._storage[variable][0] for variable in self.node.outputs]
        for cell in self._storage.values():
            cell[0] = None
        return results
