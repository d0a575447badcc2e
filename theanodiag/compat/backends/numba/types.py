"""Types that a script defines have no counterpart in numba: a function with one is refused, with the line and what to do."""

from typing import Any

from pytensor.graph.op import HasInnerGraph
from pytensor.link.numba.linker import NumbaLinker

from ...behaviour.user_ops import foreign
from ...errors import node_prefix

_plain_convert = NumbaLinker.fgraph_convert


def _refuse(fgraph: Any) -> None:
    """Raises NotImplementedError if the graph, or that of a loop in it, has a variable of a Type that the script defines."""
    for node in fgraph.toposort():
        kind = next((type(v.type).__name__ for v in (*node.inputs, *node.outputs) if foreign(v.type)), None)
        if kind is not None:
            where = "run this function with mode='FAST_RUN' (C) or mode='JAX'"
            raise NotImplementedError("{}numba has no Type {}; {}".format(node_prefix(node), kind, where))
        if isinstance(node.op, HasInnerGraph):
            _refuse(node.op.fgraph)


def _fgraph_convert(self: Any, fgraph: Any, *args: Any, **kwargs: Any) -> Any:
    _refuse(fgraph)
    return _plain_convert(self, fgraph, *args, **kwargs)


NumbaLinker.fgraph_convert = _fgraph_convert
