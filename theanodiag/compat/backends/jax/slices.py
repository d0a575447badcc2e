"""Indices in JAX: an index out of range raises IndexError, and the slices of minibatches are compiled once.

JAX itself reads the last element for an index out of range, and drops a write to it; numpy raises IndexError.

`x[i * b:(i + 1) * b]` is compiled once for all i: a slice of constant length whose bounds are computed from integer inputs becomes a
dynamic slice. JAX shifts a dynamic slice that reaches outside the array, while numpy shortens it. So the bounds are checked before each
call; if one is outside (the short last batch, an index past the end, a negative one), the function is compiled for these integers, with
numpy's slice.
"""

import random
from typing import Any, Optional

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from pytensor.graph.basic import Constant, Variable
from pytensor.graph.traversal import ancestors
from pytensor.link.jax.dispatch import jax_funcify
from pytensor.link.jax.linker import JAXLinker
from pytensor.tensor import subtensor, switch, zeros_like
from pytensor.tensor.basic import ScalarFromTensor, TensorFromScalar
from pytensor.tensor.elemwise import DimShuffle
from pytensor.tensor.math import Sum
from pytensor.tensor.rewriting import jax as mask_rewrites
from pytensor.tensor.shape import Shape_i
from pytensor.tensor.subtensor import IncSubtensor, Subtensor, indices_from_subtensor

from .. import compiling
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


def _mask(node: Any, x: Any, indices: Any) -> Any:
    """The mask by which `node` indexes `x`, with the rank of `x` and each dimension at its axis; None if it does not index by a mask only.

    PyTensor's own rewrites leave the mask as it is, and numpy aligns the last axes: a mask of rows then selects columns.
    """
    entries = node.op.idx_list
    if len(indices) != 1 or indices[0].type.dtype != "bool" or entries[-1] != 0 or any(e != slice(None) for e in entries[:-1]):
        return None
    before, rank = len(entries) - 1, indices[0].type.ndim
    return indices[0].dimshuffle(*["x"] * before, *range(rank), *["x"] * (x.type.ndim - before - rank))


def _written_by_mask(fgraph: Any, node: Any) -> Any:
    """`set_subtensor(x[mask], y)` or `inc_subtensor` for one number `y`, as a switch."""
    x, y, *indices = node.inputs
    mask = _mask(node, x, indices) if y.type.ndim == 0 else None
    if mask is None:
        return None
    return [switch(mask, (y if node.op.set_instead_of_inc else x + y).astype(x.type.dtype), x)]


def _sum_by_mask(fgraph: Any, node: Any) -> Any:
    """`x[mask].sum()` as the sum of a switch."""
    part = node.inputs[0].owner
    if node.outputs[0].type.ndim or part is None or not isinstance(part.op, subtensor.AdvancedSubtensor):
        return None
    x, *indices = part.inputs
    mask = _mask(part, x, indices)
    return None if mask is None else [Sum(dtype=node.op.dtype, acc_dtype=node.op.acc_dtype)(switch(mask, x, zeros_like(x)))]


mask_rewrites.boolean_indexing_set_or_inc.fn = _written_by_mask
mask_rewrites.boolean_indexing_sum.fn = _sum_by_mask


SAMPLES = 6
"""Number of sets of integers used to test that a length is constant; enough, because bounds are polynomials of low degree."""
_POLYNOMIAL = ("Add", "Sub", "Mul", "Neg", "Cast", "Composite", "Identity")


class _NotAPolynomial(Exception):
    """Raised for a bound that is not a polynomial of integers."""


def _value(variable: Any, given: Any) -> int:
    """The integer value of `variable` for the input values in `given`. Raises _NotAPolynomial for other computations."""
    if variable in given:
        return int(given[variable])
    if isinstance(variable, Constant):
        return int(np.asarray(variable.data).item())
    node = variable.owner
    if node is not None and isinstance(node.op, (ScalarFromTensor, TensorFromScalar)):
        return _value(node.inputs[0], given)
    if node is not None and isinstance(node.op, DimShuffle) and variable.type.ndim == 0:
        return _value(node.inputs[0], given)
    scalar: Any = getattr(node.op, "scalar_op", node.op) if node is not None else None
    if type(scalar).__name__ not in _POLYNOMIAL:
        raise _NotAPolynomial(variable)
    result = scalar.impl(*(_value(v, given) for v in node.inputs))
    return int(result[node.outputs.index(variable)] if len(node.outputs) > 1 else result)


def _leaves(variable: Any) -> list[Any]:
    """The inputs from which `variable` is computed, without constants."""
    return [v for v in ancestors([variable]) if v.owner is None and not isinstance(v, Constant)]


def _length(start: Any, stop: Any) -> Any:
    """stop - start if that is constant, else None."""
    leaves = list(dict.fromkeys(_leaves(start) + _leaves(stop)))
    lengths = set()
    drawn = random.Random(0)  # each integer by itself: the length of x[i:j] is constant where they go together
    for _ in range(SAMPLES):
        given = {leaf: drawn.randrange(1009) for leaf in leaves}
        try:
            lengths.add(_value(stop, given) - _value(start, given))
        except _NotAPolynomial:
            return None
    return lengths.pop() if len(lengths) == 1 and min(lengths) >= 0 else None


def _keeping_lengths(plain: Any) -> Any:
    """Wraps Subtensor.infer_shape: in a function for JAX, the length of a dynamic slice is that of the result, which JAX knows.

    PyTensor would compute it from the bounds; a function with dropout of a minibatch would then be compiled for each index.
    """

    def infer_shape(self: Any, *given: Any) -> Any:
        node, _ = given[-2:]  # PyTensor 3.0 passes the graph first
        (lengths,) = plain(self, *given)
        if compiling and compiling[-1] == "jax":
            slices = [entry for entry in indices_from_subtensor(node.inputs[1:], self.idx_list) if isinstance(entry, slice)]
            dynamic = [axis for axis, entry in enumerate(slices) if _of_constant_length(entry)]
            lengths = [Shape_i(axis)(node.outputs[0]) if axis in dynamic else length for axis, length in enumerate(lengths)]
        return [lengths]

    return infer_shape


def _of_constant_length(entry: slice) -> bool:
    """Whether the slice of Variables becomes a dynamic slice: its bounds are not known, the length between them is."""
    bounds = (entry.start, entry.stop)
    if entry.step is not None or any(not isinstance(v, Variable) for v in bounds) or all(isinstance(v, Constant) for v in bounds):
        return False
    return _length(*bounds) is not None


Subtensor.infer_shape = _keeping_lengths(Subtensor.infer_shape)


class TooLong(IndexError):
    """Raised while JAX traces a function if a dynamic slice is longer than the array."""


class Guarded:
    """A function made from `fgraph`, which records the bounds of its dynamic slices while JAX traces it."""

    tracing: Optional["Guarded"] = None
    """The function that is being traced."""

    def __init__(self, fgraph: Any, function: Any) -> None:
        self.inputs, self.function = list(fgraph.inputs), function
        self.slices: list[Any] = []
        """(the Variable of its start, its length, the array's length) of each dynamic slice."""

    def __call__(self, *values: Any) -> Any:
        """Calls the function. Raises NotImplementedError or TooLong if a slice cannot be dynamic."""
        outside, Guarded.tracing = Guarded.tracing, self
        try:
            return self.function(*values)
        finally:
            Guarded.tracing = outside

    def record(self, variable: Any, length: int, size: int) -> None:
        """Adds a slice. Raises NotImplementedError if its start is not computed from the function's inputs, TooLong if the slice is
        longer than the array."""
        if not set(self.inputs).issuperset(_leaves(variable)):
            raise NotImplementedError(_IN_A_LOOP)
        self.slices.append((variable, length, size))
        if length > size:
            raise TooLong("a slice of length {} is longer than the array, whose length is {}".format(length, size))

    def is_inside(self, values: Any) -> bool:
        """Returns whether all dynamic slices are inside their arrays for these values of the inputs."""
        given = dict(zip(self.inputs, values))
        return all(0 <= _value(start, given) <= size - length for start, length, size in self.slices)

    def require_inside(self, values: Any) -> None:
        """Raises IndexError unless `is_inside`."""
        if not self.is_inside(values):
            raise IndexError("a slice reaches outside its array")


_IN_A_LOOP = "JAX cannot slice from an index that it does not know inside a loop; use mode='FAST_RUN' or mode='NUMBA'"


def _plan(node: Any, variables: Any, values: Any) -> Any:
    """([(axis, start, length, start Variable)] of the dynamic slices, the index with those axes unsliced); None if there is none."""
    symbols = indices_from_subtensor(variables, node.op.idx_list)
    indices = list(indices_from_subtensor(values, node.op.idx_list))
    dynamic = []
    for axis, (symbol, index) in enumerate(zip(symbols, indices)):
        if not isinstance(index, slice) or all(part is None or known(part) for part in (index.start, index.stop, index.step)):
            continue
        if any(not isinstance(part, Variable) for part in (symbol.start, symbol.stop)):
            return None
        if index.step is not None and not (known(index.step) and int(index.step) == 1):
            return None
        length = _length(symbol.start, symbol.stop)
        if length is None or any(not isinstance(i, slice) for i in indices[:axis]):
            return None
        dynamic.append((axis, index.start, length, symbol.start))
        indices[axis] = slice(None)
    return (dynamic, tuple(indices)) if dynamic else None


def _record(x: Any, dynamic: Any) -> None:
    if Guarded.tracing is None:
        raise NotImplementedError(_IN_A_LOOP)
    for axis, _, length, variable in dynamic:
        Guarded.tracing.record(variable, length, x.shape[axis])


def _numbers(values: Any) -> list[Any]:
    """`values` with known scalar indices as Python ints, which JAX requires for bounds."""
    return [int(v) if known(v) and np.ndim(v) == 0 else v for v in values]


_plain_subtensor = jax_funcify.dispatch(Subtensor)
_plain_inc_subtensor = jax_funcify.dispatch(IncSubtensor)


@jax_funcify.register(Subtensor)
def _subtensor(op: Any, node: Any = None, **kwargs: Any) -> Any:
    plain = _plain_subtensor(op, node=node, **kwargs)

    def subtensor(x: Any, *values: Any) -> Any:
        values = tuple(_numbers(values))
        plan = None if known(values) else _plan(node, node.inputs[1:], values)
        if plan is None:
            check(x, indices_from_subtensor(values, op.idx_list))
            return plain(x, *values)
        dynamic, rest = plan
        check(x, rest)
        _record(x, dynamic)
        for axis, start, length, _ in dynamic:
            x = lax.dynamic_slice_in_dim(x, start, length, axis)
        return x[rest]

    return subtensor


def _directions(x: Any, indices: Any) -> Any:
    """The step (1 or -1) of each slice if all slices together cover the whole array, else None."""
    if not known(indices) or not all(isinstance(i, slice) for i in indices):
        return None
    bounds = [tuple(None if part is None else int(part) for part in (i.start, i.stop, i.step)) for i in indices]
    ranges = [range(*slice(*bound).indices(length)) for bound, length in zip(bounds, x.shape)]
    return [r.step for r in ranges] if all(len(r) == length for r, length in zip(ranges, x.shape)) else None


@jax_funcify.register(IncSubtensor)
def _inc_subtensor(op: Any, node: Any = None, **kwargs: Any) -> Any:
    plain = _plain_inc_subtensor(op, node=node, **kwargs)

    def inc_subtensor(x: Any, y: Any, *values: Any) -> Any:
        x, values = jnp.asarray(x), tuple(_numbers(values))
        directions = _directions(x, indices_from_subtensor(values, op.idx_list)) if known(values) else None
        if directions is not None:  # no scatter: XLA crashes where it simplifies two scatters over a whole array
            all_of_it = jnp.broadcast_to(y, x.shape)[tuple(slice(None, None, 1 if step > 0 else -1) for step in directions)]
            return (all_of_it if getattr(op, "set_instead_of_inc", False) else x + all_of_it).astype(x.dtype)
        plan = None if known(values) else _plan(node, node.inputs[2:], values)
        if plan is None:
            check(x, indices_from_subtensor(values, op.idx_list))
            return plain(x, y, *values)
        dynamic, rest = plan
        check(x, rest)
        _record(x, dynamic)
        starts = [0] * x.ndim
        lengths = list(x.shape)
        for axis, start, length, _ in dynamic:
            starts[axis], lengths[axis] = start, length
        part = lax.dynamic_slice(x, starts, lengths)
        part = part.at[rest].set(y) if getattr(op, "set_instead_of_inc", False) else part.at[rest].add(y)
        return lax.dynamic_update_slice(x, part, starts)

    return inc_subtensor


class _Minibatches:
    """A function that slices by some of its integer inputs; it selects a compilation for each call."""

    def __init__(self, fgraph: Any, function: Any, compiled: Any, places: Any) -> None:
        self.fgraph, self.function, self.compiled, self.places = fgraph, function, compiled, places
        self.guarded: dict[Any, Any] = {}
        self.exact: dict[Any, Any] = {}

    def __call__(self, *values: Any) -> Any:
        kind = tuple((np.shape(v), getattr(v, "dtype", type(v))) for v in values)
        if kind not in self.guarded:
            guarded = Guarded(self.fgraph, self.compiled)
            try:
                result = guarded(*values)
            except TooLong:
                self.guarded[kind] = None
                return self._for_these(values)
            self.guarded[kind] = guarded
            if guarded.is_inside(values):
                return result
        elif self.guarded[kind] is not None and self.guarded[kind].is_inside(values):
            return self.compiled(*values)
        return self._for_these(values)

    def _for_these(self, values: Any) -> Any:
        """Calls the function compiled for these values of the slicing integers."""
        integers = tuple(int(values[place]) for place in self.places)
        if integers not in self.exact:
            fixed = dict(zip(self.places, integers))

            def function(*others: Any) -> Any:
                rest = iter(others)
                return self.function(*(fixed[i] if i in fixed else next(rest) for i in range(len(values))))

            self.exact[integers] = jax.jit(function)
        return self.exact[integers](*(v for i, v in enumerate(values) if i not in self.places))


def _slicing(fgraph: Any) -> tuple[int, ...]:
    """Positions of the integer inputs from which bounds of slices are computed."""
    used = set()
    for node in fgraph.apply_nodes:
        if isinstance(node.op, (Subtensor, IncSubtensor)):
            for variable in node.inputs[1 + isinstance(node.op, IncSubtensor) :]:
                used.update(_leaves(variable))
    scalars = [v for v in fgraph.inputs if v in used and v.type.ndim == 0 and v.type.dtype[:3] in ("int", "uin")]
    return tuple(fgraph.inputs.index(v) for v in scalars)


_plain_jit_compile = JAXLinker.jit_compile


def _jit_compile(self: Any, fn: Any) -> Any:
    compiled = _plain_jit_compile(self, fn)
    places = () if self.scalar_shape_inputs else _slicing(self.fgraph)
    return _Minibatches(self.fgraph, fn, compiled, places) if places else compiled


def _guarded(self: Any, function: Any) -> Any:
    """Returns `function`, made from the linker's graph, as `jit_compile` traces it. The measurement of compiled functions uses it
    (agent/measure), which traces functions itself."""
    return Guarded(self.fgraph, function)


JAXLinker.jit_compile = _jit_compile
JAXLinker.guarded = _guarded
