"""Memory effects of Ops that run, or choose between, other computations: IfElse and OpFromGraph."""

from __future__ import annotations

from ...ir import ShapeTable
from .base import Work, by_maps

KIND = "opfromgraph"
"""The `kind` in the `info` of the inner graph of an OpFromGraph."""


def if_else(work: Work) -> None:
    """IfElse: each output is a view of the branch taken, where that is the first one and the op is in place, else a copy of it.

    Source: Theano 1.0.5, ifelse.py, `IfElse.make_thunk`.
    """
    half = len(work.node.outputs)
    taken = work.frame.takes_first[work.node.id]
    for output in range(half):
        if work.watches(output):
            value = work.input(1 + output + (0 if taken else half))
            if value is None or (taken and work.node.op.view_map):
                work.share(output, value)
            else:
                work.replace(output, value.shape)


def op_from_graph(work: Work) -> None:
    """Runs the inner function of an OpFromGraph; where its graph is unknown, only allocates the outputs.

    All nodes of one Op object share the inner function. Source: Theano 1.0.5, compile/builders.py, `OpFromGraph.prepare_node`, `perform`;
    compile/function_module.py, `Function.__call__`. Aesara 2.9.4 and PyTensor 3.0.7 return the inner results as they are, where Theano
    copies them (`info["copies"]`).
    """
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


RULES = {"IfElse": if_else, "OpFromGraph": op_from_graph}
"""Memory rule by class name of the Op."""
