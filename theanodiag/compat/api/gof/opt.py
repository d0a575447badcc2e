"""Serves `theano.gof.opt` and `theano.gof.toolbox`: rewrites and features that PyTensor removed."""

from functools import partial
from typing import Any, Dict, List

from pytensor.graph import features as toolbox
from pytensor.graph.destroyhandler import DestroyHandler
from pytensor.graph.features import (
    AlreadyThere,
    BadOptimization,
    Bookkeeper,
    Feature,
    History,
    PreserveVariableAttributes,
    ReplaceValidate,
    Validator,
)
from pytensor.graph.features import NoOutputFromInplace as _NoOutputFromInplace
from pytensor.graph.features import ReplacementDidNotRemoveError as ReplacementDidntRemovedError
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


class NoOutputFromInplace(_NoOutputFromInplace):
    """A feature that prevents in-place computation of the outputs from `first_output_idx` to `last_output_idx` (exclusive)."""

    def __init__(self, first_output_idx: int = 0, last_output_idx: Any = None) -> None:
        super().__init__(())
        self.first_idx, self.last_idx = first_output_idx, last_output_idx

    def on_attach(self, fgraph: Any) -> None:
        """Protects the outputs of `fgraph` at these positions."""
        self.protected_out_ids = tuple(range(len(fgraph.outputs))[self.first_idx : self.last_idx])
        super().on_attach(fgraph)

    def clone(self) -> Any:
        """Returns a new feature that protects the same positions."""
        return type(self)(self.first_idx, self.last_idx)


class NodeFinder(Bookkeeper):
    """Feature that gives a FunctionGraph the method `get_nodes(op)`."""

    def __init__(self) -> None:
        self.fgraph: Any = None
        self.d: Dict[Any, List[Any]] = {}

    def on_attach(self, fgraph: Any) -> None:
        """Adds `get_nodes`. Raises AlreadyThere if `fgraph` has it."""
        if self.fgraph is not None:
            raise Exception("A NodeFinder instance can only serve one FunctionGraph.")
        if hasattr(fgraph, "get_nodes"):
            raise AlreadyThere("NodeFinder is already present or in conflict with another plugin.")
        self.fgraph = fgraph
        fgraph.get_nodes = partial(self.query, fgraph)
        Bookkeeper.on_attach(self, fgraph)

    def on_detach(self, fgraph: Any) -> None:
        """Removes `get_nodes`."""
        if self.fgraph is not fgraph:
            raise Exception("This NodeFinder instance was not attached to the provided fgraph.")
        self.fgraph = None
        del fgraph.get_nodes
        Bookkeeper.on_detach(self, fgraph)

    def on_import(self, fgraph: Any, node: Any, reason: Any) -> None:
        """Records a node that was added to the graph."""
        try:
            self.d.setdefault(node.op, []).append(node)
        except TypeError:  # an Op that cannot be hashed is not found
            pass

    def on_prune(self, fgraph: Any, node: Any, reason: Any) -> None:
        """Removes a node that was removed from the graph."""
        try:
            nodes = self.d[node.op]
        except TypeError:
            return
        nodes.remove(node)
        if not nodes:
            del self.d[node.op]

    def query(self, fgraph: Any, op: Any) -> List[Any]:
        """Returns the nodes of the graph whose Op equals `op`. Raises TypeError for an Op without a hash."""
        try:
            return list(self.d.get(op, []))
        except TypeError:
            raise TypeError("%s in unhashable and cannot be queried by the optimizer" % op) from None


class PrintListener(Feature):
    """Feature that prints each change of the graph to stdout, while `active`."""

    def __init__(self, active: bool = True) -> None:
        self.active = active

    def _say(self, *words: Any) -> None:
        import sys

        if self.active:
            sys.stdout.write(" ".join(str(word) for word in words) + "\n")

    def on_attach(self, fgraph: Any) -> None:
        """Prints that the feature was attached."""
        self._say("-- attaching to:", fgraph)

    def on_detach(self, fgraph: Any) -> None:
        """Prints that the feature was detached."""
        self._say("-- detaching from:", fgraph)

    def on_import(self, fgraph: Any, node: Any, reason: Any) -> None:
        """Prints a node that was added."""
        self._say("-- importing: %s, reason: %s" % (node, reason))

    def on_prune(self, fgraph: Any, node: Any, reason: Any) -> None:
        """Prints a node that was removed."""
        self._say("-- pruning: %s, reason: %s" % (node, reason))

    def on_change_input(self, fgraph: Any, node: Any, i: Any, r: Any, new_r: Any, reason: Any = None) -> None:
        """Prints a replaced input."""
        self._say("-- changing (%s.inputs[%s]) from %s to %s" % (node, i, r, new_r))


class PreserveNames(Feature):
    """A feature that copies the name of a replaced Variable to its replacement, if that has none."""

    def on_change_input(self, fgraph: Any, node: Any, i: Any, r: Any, new_r: Any, reason: Any = None) -> None:
        """Copies the name of `r` to `new_r`."""
        if r.name is not None and new_r.name is None:
            new_r.name = r.name


class OpRemove(NodeRewriter):
    """A rewrite that removes the nodes of one Op by replacing their outputs with their inputs."""

    reentrant = False
    """Whether the rewrite may apply again to its own result."""
    retains_inputs = True
    """Whether the replacement keeps the node's inputs in the graph."""

    def __init__(self, op: Any) -> None:
        self.op = op

    def op_key(self) -> Any:
        """Returns the Op whose nodes this rewrite removes."""
        return self.op

    def tracks(self) -> List[Any]:
        """Returns the Ops to whose nodes this rewrite is applied."""
        return [self.op]

    def transform(self, fgraph: Any, node: Any) -> Any:
        """Returns the inputs of `node`, as replacements of its outputs; False if `node` has another Op."""
        if node.op != self.op:
            return False
        assert len(node.inputs) == len(node.outputs)
        return node.inputs

    def __str__(self) -> str:
        return "%s(x) -> x" % self.op


class OpKeyOptimizer(NodeProcessingGraphRewriter):
    """A graph rewrite that applies a node rewrite to each node of the Op or Ops returned by its `op_key()`."""

    def __init__(self, local_opt: Any, ignore_newtrees: bool = False, failure_callback: Any = None) -> None:
        if not hasattr(local_opt, "op_key"):
            raise TypeError("LocalOptimizer for OpKeyOptimizer must have an 'op_key' method.")
        super().__init__(local_opt, ignore_newtrees, failure_callback)

    def apply(self, fgraph: Any) -> None:
        """Applies the rewrite to all such nodes of `fgraph`, including those that it adds."""
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
    """Returns a decorator for a rewrite of the whole graph that may work in place: it attaches a DestroyHandler."""
    rewriter = graph_rewriter(f)
    add = rewriter.add_requirements

    def add_requirements(fgraph: Any) -> None:
        add(fgraph)
        fgraph.attach_feature(DestroyHandler())

    rewriter.add_requirements = add_requirements
    return rewriter
