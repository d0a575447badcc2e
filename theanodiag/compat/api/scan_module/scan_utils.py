"""Serves `theano.scan_module.scan_utils` from pytensor.scan.utils, and functions that PyTensor removed."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytensor.tensor as pt
from pytensor.compile.builders import OpFromGraph, infer_shape
from pytensor.compile.sharedvalue import SharedVariable
from pytensor.graph.basic import Constant, Variable, equal_computations
from pytensor.scan.basic import get_updates_and_outputs
from pytensor.scan.op import Scan
from pytensor.scan.utils import ScanArgs, safe_new, until

from ...adapters import clone
from ...pytensor_versions import graph_inputs

scan_args = ScanArgs


def hash_listsDictsTuples(x: Any) -> int:  # noqa: N802
    """Returns a hash of all elements in nested lists, tuples and dicts, independent of their order."""
    if isinstance(x, dict):
        x = [*x.keys(), *x.values()]
    if not isinstance(x, (list, tuple)):
        return hash(x)
    result = 0
    for element in x:
        result ^= hash_listsDictsTuples(element)
    return result


def isNaN_or_Inf_or_None(x: Any) -> bool:  # noqa: N802
    """Returns whether `x` is None, NaN or infinite, and so is not a number of steps."""
    if x is None:
        return True
    if isinstance(x, str):
        return False
    if isinstance(x, Variable):
        x = pt.get_underlying_scalar_constant_value(x, raise_not_constant=False)
    try:
        return not math.isfinite(x)
    except TypeError:
        return False


def map_variables(replacer: Any, graphs: Any, additional_inputs: Any = ()) -> list[Any]:
    """Copies `graphs` with each Variable `v` replaced by `replacer(v)`, also in the inner graphs of Scan and OpFromGraph.

    Raises NotImplementedError if a replacement adds shared variables with updates to an inner graph.
    """
    return _Replaced(replacer).of(list(graphs))


class _Replaced:
    """Copies graphs with `replacer` applied to each Variable; replacements themselves are not replaced again."""

    def __init__(self, replacer: Any) -> None:
        self.replacer = replacer
        self.copies: dict[Any, Any] = {}
        self.put_in: set[Any] = set()

    def of(self, graphs: list[Any]) -> list[Any]:
        """Copies `graphs`, with the replacements made."""
        return [self.copy(graph) for graph in graphs]

    def copy(self, variable: Any) -> Any:
        """Returns a copy of the graph of `variable`; `variable` itself if nothing changes."""
        pending = [variable]
        while pending:  # without recursion: legacy graphs are deep
            current = pending[-1]
            if current in self.copies:
                pending.pop()
                continue
            waiting = [x for x in (current.owner.inputs if current.owner else ()) if x not in self.copies]
            if waiting:
                pending.extend(waiting)
                continue
            pending.pop()
            self._finish(current)
        return self.copies[variable]

    def _finish(self, variable: Any) -> None:
        """Copies `variable`, whose node's inputs are copied already."""
        node = variable.owner
        if node is None:
            outputs, copied = [variable], [variable]
        else:
            outputs, copied = node.outputs, self._node(node)
        for old, new in zip(outputs, copied):
            for attribute in vars(old.tag):
                if not hasattr(new.tag, attribute):
                    setattr(new.tag, attribute, getattr(old.tag, attribute))
            replaced = new if old in self.put_in else self.replacer(new)
            if replaced is not new:
                self.put_in.add(replaced)
                replaced = self.copy(replaced)
            self.copies[old] = replaced

    def _node(self, node: Any) -> list[Any]:
        """Outputs of a copy of `node`, whose inputs are copied already."""
        inputs = [self.copies[x] for x in node.inputs]
        if isinstance(node.op, (Scan, OpFromGraph)):
            inside, outside = inner_graph(node.op)
            new_outputs, added = self._inner(inside, outside)
            if new_outputs is not None:
                return _with_inner_graph(node.op, inside, new_outputs, added, inputs)
        if all(a is b for a, b in zip(inputs, node.inputs)):
            return list(node.outputs)
        return list(node.clone_with_new_inputs(inputs).outputs)

    def _inner(self, inputs: list[Any], outputs: list[Any]) -> tuple[Any, list[Any]]:
        """(new outputs of an inner graph, or None if nothing changed; outer Variables that they need besides its inputs)."""
        inner = _Replaced(self.replacer)
        new_outputs = inner.of(outputs)
        if all(a is b for a, b in zip(outputs, new_outputs)):
            return None, []
        free = graph_inputs(new_outputs)
        foreign = list(dict.fromkeys(x for x in free if x not in inputs and not isinstance(x, Constant)))
        if any(hasattr(x, "update") or getattr(x, "default_update", None) is not None for x in foreign if isinstance(x, SharedVariable)):
            raise NotImplementedError("Replacement introduces shared variables into an inner graph, and they have updates.")
        return new_outputs, foreign


def traverse(out: Any, x: Any, x_copy: Any, d: dict[Any, Any], visited: set[Any] | None = None) -> dict[Any, Any]:
    """Returns `d` unchanged. Theano added to `d` the copies of an ancestor `x` of `out` that is on a GPU; here no Variable is on a GPU.

    `visited` gets the Variables that were searched. Raises RuntimeError if the search meets `x` itself (in Theano 1.0.5 an assertion fails
    there).
    """
    visited = set() if visited is None else visited
    waiting = [out]
    while waiting:
        variable = waiting.pop()
        if variable in visited:
            continue
        visited.add(variable)
        if variable is x:
            raise RuntimeError("x is a Variable of the graph and lies on no GPU")
        if variable.owner is not None:
            waiting.extend(variable.owner.inputs)
    return d


def inner_graph(op: Any) -> tuple[list[Any], list[Any]]:
    """Returns (inputs, outputs) of an Op's inner graph, in the form that the script wrote if that is known."""
    written = getattr(op, "legacy_inner_graph", None)
    return written if written is not None else (list(op.inner_inputs), list(op.inner_outputs))


def _with_inner_graph(op: Any, inside: list[Any], outputs: list[Any], added: list[Any], inputs: list[Any]) -> list[Any]:
    """Outputs of `op` on `inputs`, with new inner outputs that also need the outer variables `added`."""
    copies = [safe_new(x, "_copy") for x in added]
    inner: Any = clone(outputs, replace=dict(zip(added, copies))) if added else outputs
    if isinstance(op, OpFromGraph):
        results = type(op)([*inside, *copies], inner)(*inputs, *added)
    else:
        info = dataclasses.replace(op.info, n_non_seqs=op.info.n_non_seqs + len(added))
        settings = {name: getattr(op, name) for name in ("mode", "truncate_gradient", "name", "profile", "allow_gc", "strict")}
        results = Scan([*inside, *copies], inner, info, **settings)(*inputs, *added)
    return list(results) if isinstance(results, (list, tuple)) else [results]
