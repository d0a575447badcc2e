"""Serves `theano.gof.opt` from pytensor.graph.rewriting, with rewrites that PyTensor lost."""

from typing import Any, Dict, List

from pytensor.graph import features as toolbox
from pytensor.graph.destroyhandler import DestroyHandler
from pytensor.graph.rewriting.basic import (
    GraphRewriter,
    NodeProcessingGraphRewriter,
    NodeRewriter,
    copy_stack_trace,
    graph_rewriter,
    in2out,
    out2in,
)

from ...behaviour.rewrites import LocalOptimizer, local_optimizer
from .toolbox import NodeFinder


class OpRemove(NodeRewriter):
    """Rewrite that removes the nodes of one Op: their outputs are replaced by their inputs."""

    reentrant = False
    """Whether the rewrite may apply again to its own result."""
    retains_inputs = True
    """Whether the replacement keeps the node's inputs in the graph."""

    def __init__(self, op: Any) -> None:
        self.op = op

    def op_key(self) -> Any:
        """The Op whose nodes this rewrite removes."""
        return self.op

    def tracks(self) -> List[Any]:
        """The Ops whose nodes this rewrite is tried on."""
        return [self.op]

    def transform(self, fgraph: Any, node: Any) -> Any:
        """Inputs of `node`, to replace its outputs; False where `node` has another Op."""
        if node.op != self.op:
            return False
        assert len(node.inputs) == len(node.outputs)
        return node.inputs

    def __str__(self) -> str:
        return "%s(x) -> x" % self.op


class OpKeyOptimizer(NodeProcessingGraphRewriter):
    """Graph rewrite that applies a node rewrite to each node of the Op (or Ops) that its `op_key()` names."""

    def __init__(self, local_opt: Any, ignore_newtrees: bool = False, failure_callback: Any = None) -> None:
        if not hasattr(local_opt, "op_key"):
            raise TypeError("LocalOptimizer for OpKeyOptimizer must have an 'op_key' method.")
        super().__init__(local_opt, ignore_newtrees, failure_callback)

    def apply(self, fgraph: Any) -> None:
        """Applies the rewrite to all such nodes of `fgraph`, also to those that it adds."""
        op = self.node_rewriter.op_key()
        ops = op if isinstance(op, (list, tuple)) else [op]
        todo = [node for o in ops for node in fgraph.get_nodes(o)]

        def importer(node: Any) -> None:
            if node is not None and node.op in ops:
                todo.append(node)

        u = self.attach_updater(fgraph, importer, None)
        try:
            while todo:
                node = todo.pop()
                if node in fgraph.apply_nodes:
                    self.process_node(fgraph, node)
        finally:
            self.detach_updater(fgraph, u)

    def add_requirements(self, fgraph: Any) -> None:
        """Attaches a NodeFinder to `fgraph`, unless it has one."""
        super().add_requirements(fgraph)
        if not hasattr(fgraph, "get_nodes"):
            fgraph.attach_feature(NodeFinder())


def inplace_optimizer(f: Any) -> Any:
    """Decorator: a rewrite of the whole graph that may work in place; it attaches a DestroyHandler."""
    rewriter = graph_rewriter(f)
    add = rewriter.add_requirements

    def add_requirements(fgraph: Any) -> None:
        add(fgraph)
        fgraph.attach_feature(DestroyHandler())

    rewriter.add_requirements = add_requirements
    return rewriter
