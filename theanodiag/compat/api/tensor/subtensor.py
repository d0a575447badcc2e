"""Serves `theano.tensor.subtensor`: Theano's separate Ops for boolean and integer indexing, implemented with PyTensor's single Op."""

from typing import Any

import numpy as np
import pytensor.scalar as ps
import pytensor.tensor as pt
from pytensor.graph.basic import Variable
from pytensor.tensor.subtensor import AdvancedIncSubtensor, AdvancedSubtensor
from pytensor.tensor.type import discrete_dtypes
from pytensor.tensor.type_other import NoneConst, NoneTypeT, SliceType, make_slice

from ...pytensor_versions import vector_index_ops

AdvancedSubtensor1, AdvancedIncSubtensor1 = vector_index_ops()
AdvancedBooleanSubtensor = BaseAdvancedSubtensor = AdvancedSubtensor
AdvancedBooleanIncSubtensor = BaseAdvancedIncSubtensor = AdvancedIncSubtensor


class AdvancedIndexingError(TypeError):
    """Raised if an index cannot be expressed by a Subtensor."""


class AdvancedBooleanIndexingError(TypeError):
    """Raised if an index is a boolean mask."""


def advanced_subtensor(x: Any, *args: Any) -> Any:
    """`x[args]`."""
    return pt.as_tensor_variable(x)[args]


def advanced_inc_subtensor(x: Any, y: Any, *args: Any) -> Any:
    """Returns `x` with `y` added to `x[args]`."""
    return pt.inc_subtensor(pt.as_tensor_variable(x)[args], y)


def advanced_set_subtensor(x: Any, y: Any, *args: Any) -> Any:
    """Returns `x` with `x[args]` set to `y`."""
    return pt.set_subtensor(pt.as_tensor_variable(x)[args], y)


advanced_boolean_subtensor = advanced_subtensor
advanced_boolean_inc_subtensor = advanced_inc_subtensor
advanced_boolean_set_subtensor = advanced_set_subtensor
advanced_inc_subtensor1 = AdvancedIncSubtensor1()
advanced_set_subtensor1 = AdvancedIncSubtensor1(set_instead_of_inc=True)
advanced_subtensor1 = AdvancedSubtensor1()


def make_constant(args: Any) -> Any:
    """Returns the entries of an index with integers, also those in slices, as int64 scalar constants."""

    def constant(entry: Any) -> Any:
        if isinstance(entry, slice):
            return slice(constant(entry.start), constant(entry.stop), constant(entry.step))
        return ps.ScalarConstant(ps.int64, int(entry)) if isinstance(entry, (int, np.integer)) else entry

    return tuple(constant(entry) for entry in args)


def as_index_variable(idx: Any) -> Any:
    """Returns one entry of an index (None, slice, integer or mask) as a Variable. Raises TypeError for another dtype."""
    if idx is None:
        return NoneConst.clone()
    if isinstance(idx, slice):
        return make_slice(idx)
    if isinstance(idx, Variable) and isinstance(idx.type, (SliceType, NoneTypeT)):
        return idx
    idx = pt.as_tensor_variable(idx)
    if idx.type.dtype not in discrete_dtypes:
        raise TypeError("index must be integers or a boolean mask")
    return idx


def adv_index_broadcastable_pattern(a: Any, idx: Any) -> Any:
    """Returns the broadcast pattern of `a[idx]`."""
    return pt.as_tensor_variable(a)[tuple(idx)].type.broadcastable


def check_and_reject_bool(args_el: Any) -> None:
    """Raises TypeError if an index entry, or one nested in it, is a Python bool or a mask."""
    if isinstance(args_el, (np.bool_, bool)) or getattr(args_el, "dtype", None) == "bool":
        raise TypeError("TensorType does not support Python bools for indexing, such as tensor[[True, False]].")
    if isinstance(args_el, (list, tuple)):
        for entry in args_el:
            check_and_reject_bool(entry)
