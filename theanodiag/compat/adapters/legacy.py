"""Adapters for theano.clone, theano.gof.graph.inputs, theano.compat and other small parts of Theano."""

import functools
from collections import OrderedDict
from typing import List, Mapping, Optional

from ..framework import current

__all__ = ["OrderedDict", "OrderedUpdates", "_asarray", "clone", "graph_inputs", "ifilter", "imap", "inputs", "izip", "reduce"]

izip = zip
imap = map
ifilter = filter
reduce = functools.reduce


class OrderedUpdates(OrderedDict):  # type: ignore[type-arg]
    """Ordered mapping from shared variables to their new values; `+` joins two, the second wins."""

    def __add__(self, other: Mapping[object, object]) -> "OrderedUpdates":
        joined = OrderedUpdates(self)
        joined.update(other)
        return joined


def clone(output: object, replace: object = None, strict: bool = True, share_inputs: bool = True, copy_inputs: object = None) -> object:
    """`theano.clone`: a copy of the graph of `output` with Variables replaced by `replace`."""
    root = current.module()
    function = getattr(root, "clone_replace", None) or current.module("graph.replace").clone_replace
    return function(output, replace, rebuild_strict=strict, copy_inputs_over=share_inputs if copy_inputs is None else copy_inputs)


def graph_inputs(variable_list: object, blockers: object = None) -> List[object]:
    """Variables without an owner that `variable_list` depends on, constants included."""
    find = getattr(current.find("graph.traversal"), "graph_inputs", None) or current.module("graph.basic").graph_inputs
    return list(find(variable_list, blockers))


inputs = graph_inputs


def _asarray(a: object, dtype: str, order: Optional[str] = None) -> object:
    """`numpy.asarray` with the given dtype; "floatX" stands for the flag's value."""
    import numpy

    name = current.module().config.floatX if str(dtype) == "floatX" else dtype
    return getattr(numpy, "asarray")(a, dtype=name, order=order)
