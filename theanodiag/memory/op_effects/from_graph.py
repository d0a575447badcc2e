"""OpFromGraph: a function of its own, which runs where the outer one does; all nodes of one Op object share it.

Source: Theano 1.0.5, compile/builders.py, `OpFromGraph.prepare_node`, `perform`; compile/function_module.py, `Function.__call__`.
Aesara 2.9.4 and PyTensor 3.0.7 hand the results over as they are, where Theano copies them.
"""

from __future__ import annotations

from ...ir import ShapeTable
from .base import Work, by_maps

KIND = "opfromgraph"
"""What `info` of such an inner graph says."""


def op_from_graph(work: Work) -> None:
    """Runs the inner function; one whose graph is not known gets its outputs only."""
    inner = work.frame.frames.get(work.node.id)
    if inner is None or inner.program.graph.info.get("kind") != KIND:
        by_maps(work)
        return
    graph = inner.program.graph
    arguments = [i.variable for i in graph.inputs]
    for position, variable in enumerate(arguments):
        if inner.program.watches(variable):
            inner.put(variable, work.input(position))
    inner.runner(inner, work.frame.table.inner.get(work.node.id, ShapeTable({})))
    for output, variable in enumerate(graph.outputs[: len(work.node.outputs)]):
        result = inner.value(variable)
        if work.watches(output) and (graph.info.get("copies") or result is None):
            work.assign(output, work.fresh(output))
        elif work.watches(output):
            work.share(output, result)
    inner.empty((*arguments, *(graph.outputs if inner.allow_gc else ())))


RULES = {"OpFromGraph": op_from_graph}
