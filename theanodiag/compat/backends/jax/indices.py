"""Makes an index out of range raise IndexError in JAX, as in numpy: JAX itself reads the last element and drops the write."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from pytensor.link.jax.dispatch import jax_funcify
from pytensor.tensor import subtensor

from .base import known
from .conditions import require, required


def _out_of_range(lowest: Any, highest: Any, axis: Any, length: Any) -> IndexError:
    wrong = highest if int(highest) >= int(length) else lowest
    return IndexError(f"index {int(wrong)} is out of bounds for axis {int(axis)} with size {int(length)}")


def _no_class(lowest: Any, highest: Any, length: Any) -> ValueError:
    return ValueError("y_i value out of bounds: classes from {} to {} of {}".format(int(lowest), int(highest), int(length)))


def _ends(index: Any) -> Any:
    """(lowest, highest) of the integers in the non-empty array `index`."""
    if known(index):
        values = np.asarray(index)  # methods of a JAX array would be traced
        return int(values.min()), int(values.max())
    wide = index.astype("int64")
    return wide.min(), wide.max()


def check(x: Any, indices: Any) -> None:
    """Requires that each integer in `indices` is a valid index; each entry belongs to an axis of `x`, or is None for a new axis."""
    axis = 0
    for index in indices if required() else ():
        if index is None:
            continue
        if str(getattr(index, "dtype", "")) == "bool":  # a mask, of which each axis belongs to one of `x`
            axis += np.ndim(index)
            continue
        if not isinstance(index, slice) and np.size(index):
            length = x.shape[axis]
            lowest, highest = _ends(index)
            require((lowest >= -length) & (highest < length), _out_of_range, lowest, highest, axis, length)
        axis += 1


def check_classes(classes: Any, columns: int) -> None:
    """Requires that each of `classes` is between 0 and `columns` - 1."""
    if required() and np.size(classes):
        lowest, highest = _ends(classes)
        require((lowest >= 0) & (highest < columns), _no_class, lowest, highest, columns)


def _checked(kind: Any, written: bool) -> None:
    """Wraps the conversion of the Op class `kind`, which reads elements, or writes them if `written`."""
    plain = jax_funcify.dispatch(kind)

    def converted(op: Any, node: Any = None, **kwargs: Any) -> Any:
        function = plain(op, node=node, **kwargs)

        def run(x: Any, *values: Any) -> Any:
            check(jnp.asarray(x), subtensor.indices_from_subtensor(values[written:], op.idx_list))
            return function(x if known(values) else jnp.asarray(x), *values)  # numpy's own arrays take no traced index

        return run

    jax_funcify.register(kind, converted)


for _name in ("AdvancedSubtensor", "AdvancedSubtensor1", "AdvancedIncSubtensor", "AdvancedIncSubtensor1"):
    _kind = getattr(subtensor, _name, None)
    if _kind is not None:  # PyTensor 3.3 has one class for both
        _checked(_kind, "Inc" in _name)
