"""Simulated device arrays: class GpuArray of pygpu/gpuarray.pyx 0.7.6. Shapes, strides and memory sharing are exact; unwritten values are
0."""

import operator

import numpy
from numpy.lib.stride_tricks import as_strided

from .context import ensure
from .memory import Memory, copied, dtype_of, dtype_to_typecode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ... import Live
    from .context import GpuContext


class GpuArray(object):
    """A simulated device array. As in pygpu, instances come only from `empty`, `zeros` and `array`."""

    _memory = None  # type: Live  # Memory
    _ghost = None  # type: Live  # a numpy array of the same geometry over no memory: never read, never written
    offset = 0
    base = None  # type: GpuArray | None
    context = None  # type: Live  # GpuContext

    def __init__(self) -> None:
        if type(self) is GpuArray:
            raise RuntimeError("Called raw GpuArray.__init__")

    shape = property(lambda self: self._ghost.shape)
    strides = property(lambda self: self._ghost.strides)
    dtype = property(lambda self: self._ghost.dtype)
    ndim = property(lambda self: self._ghost.ndim)
    size = property(lambda self: int(self._ghost.size))
    itemsize = property(lambda self: self._ghost.itemsize)
    nbytes = property(lambda self: int(self._ghost.nbytes))
    flags = property(lambda self: self._ghost.flags)
    typecode = property(lambda self: dtype_to_typecode(self._ghost.dtype))
    T = property(lambda self: self.transpose())

    @property
    def gpudata(self) -> int:
        """An integer that identifies the buffer and the offset in it; not a pointer."""
        return int(self.base_data + self.offset)

    base_data = property(lambda self: int(self._memory.address))

    def _view(self, ghost: "Live", cls: "Live" = None) -> "GpuArray":
        """A view of the same memory with the shape, strides and dtype of `ghost`."""
        start = ghost.__array_interface__["data"][0] - self._ghost.__array_interface__["data"][0]
        return over(self._memory, ghost, self.offset + start, self.context, cls or type(self), self)

    def _host(self) -> "Live":
        """A numpy array that shares this memory."""
        return self._memory.view(self.shape, self.dtype, self.offset, self.strides)

    def _read(self) -> "Live":
        """A copy of the values as a C-ordered numpy array."""
        return numpy.zeros(self.shape, self.dtype) if self._memory.untouched else copied(self._host())

    def __array__(self, dtype: "Live" = None, copy: "Live" = None) -> "Live":
        """The values as a new numpy array."""
        values = self._read()
        return values if dtype is None else values.astype(dtype)

    def write(self, src: "Live") -> None:
        """Copies a numpy array into this array. Raises ValueError unless dtype and size in bytes agree and this array is contiguous."""
        if self.dtype != src.dtype:
            raise ValueError("GpuArray and Numpy array do not have matching data types")
        if self.nbytes != src.nbytes:
            raise ValueError("GpuArray and Numpy array do not have the same size in bytes")
        order = "C" if self.flags.c_contiguous else "F"  # type: Live
        if not self.flags[order + "_CONTIGUOUS"]:
            raise ValueError("Destination GpuArray is not contiguous")
        values = numpy.asarray(src, order=order)
        if self.nbytes == self._memory.nbytes:
            self._memory.replace(values)
        else:
            self._host()[...] = values.reshape(self.shape, order=order)

    def read(self, dst: "Live") -> None:
        """Copies the values into the numpy array `dst`."""
        dst[...] = self._read().reshape(dst.shape)

    def copy(self, order: str = "C") -> "GpuArray":
        """A copy in memory order `C` or `F`."""
        return array(self, order=order, cls=type(self))

    def __copy__(self) -> "GpuArray":
        return self.copy()

    def __deepcopy__(self, memo: "Live") -> "GpuArray":
        copy = memo.get(id(self))  # type: GpuArray | None
        return self.copy() if copy is None else copy

    def __reduce__(self) -> "Live":
        raise RuntimeError("Cannot pickle GpuArray object")

    def sync(self) -> None:
        """Does nothing: there is no pending work."""

    def transfer(self, new_ctx: "GpuContext") -> "GpuArray":
        """A copy in the context of another device."""
        return array(self._read(), context=new_ctx)

    def view(self, cls: "Live" = None) -> "GpuArray":
        """A view of the whole array as class `cls`."""
        return self._view(self._ghost, cls or GpuArray)

    def astype(self, dtype: "Live", order: str = "A", copy: bool = True) -> "GpuArray":
        """The array converted to `dtype`; the array itself if nothing changes and `copy` is False."""
        return array(self, dtype, copy, order, cls=type(self))

    def reshape(self, shape: "Live", order: str = "C") -> "GpuArray":
        """The array with another shape; a view if it is contiguous, else a copy."""
        if self.flags.c_contiguous if order == "C" else self.flags.f_contiguous:
            return self._view(self._ghost.reshape(shape, order=order))
        return array(self._read().reshape(shape, order=order), context=self.context, order=order)

    def transpose(self, *axes: int) -> "GpuArray":
        """A view with permuted axes."""
        return self._view(self._ghost.transpose(*axes))

    def __len__(self) -> int:
        return len(self._ghost)

    def __bool__(self) -> bool:
        return bool(self._read())

    __nonzero__ = __bool__
    __hash__ = None  # type: ignore[assignment]

    def __getitem__(self, key: "Live") -> "GpuArray":
        return self._view(self._ghost[basic(key)])

    def __setitem__(self, key: "Live", value: "Live") -> None:
        target = self[key]
        values = numpy.asarray(value, dtype=self.dtype)
        if target.nbytes == self._memory.nbytes and target.flags.c_contiguous and values.shape == target.shape:
            self._memory.replace(numpy.ascontiguousarray(values))
        else:
            target._host()[...] = values

    def take1(self, idx: "Live") -> "GpuArray":
        """The rows with the indices `idx`."""
        return array(self._read().take(numpy.asarray(idx), axis=0), context=self.context)

    def __str__(self) -> str:
        return str(self._read())

    def __repr__(self) -> str:
        return "gpuarray." + repr(self._read())


def basic(key: "Live") -> "tuple[Live, ...]":
    """Converts a basic index to a tuple with an Ellipsis, which makes numpy return a view even for a single element.

    Raises NotImplementedError for advanced indices.
    """
    parts = key if isinstance(key, tuple) else (key,)
    if any(not isinstance(k, (slice, type(None), type(Ellipsis))) and not hasattr(k, "__index__") for k in parts):
        raise NotImplementedError("fancy indexing not supported")
    parts = tuple(operator.index(k) if hasattr(k, "__index__") else k for k in parts)
    return parts if Ellipsis in parts else parts + (Ellipsis,)


def over(memory: Memory, ghost: "Live", offset: int, context: "GpuContext", cls: "Live", base: "GpuArray | None") -> GpuArray:
    """An array over `memory`, `offset` bytes from its start, with the shape, strides and dtype of `ghost`."""
    view = (cls or GpuArray).__new__(cls or GpuArray)  # type: GpuArray
    view._memory, view._ghost, view.offset, view.context, view.base = memory, ghost, offset, context, base
    return view


def geometry(shape: "Live", dtype: "Live", order: str) -> "Live":
    """A numpy array with this shape, dtype and memory order but no memory of its own: only shape and strides may be used."""
    sizes = tuple(int(n) for n in shape)
    strides, step = [], dtype.itemsize
    for n in sizes if order == "F" else sizes[::-1]:
        strides.append(step)
        step *= max(n, 1)
    return as_strided(numpy.empty((), dtype), sizes, strides if order == "F" else strides[::-1])


def empty(shape: "Live", dtype: "Live" = "float64", order: str = "C", context: "GpuContext | None" = None, cls: "Live" = None) -> GpuArray:
    """A new array of zeros (pygpu leaves the values undefined)."""
    sizes = shape if hasattr(shape, "__len__") else (shape,)
    ghost = geometry(sizes, dtype_of(dtype), "F" if order == "F" else "C")
    return over(Memory(int(ghost.nbytes)), ghost, 0, ensure(context), cls, None)


zeros = empty


def array(
    proto: "Live",
    dtype: "Live" = None,
    copy: bool = True,
    order: "str | None" = None,
    ndmin: int = 0,
    context: "GpuContext | None" = None,
    cls: "Live" = None,
) -> GpuArray:
    """A new array with the values of `proto`; `proto` itself if `copy` is False and it is a GpuArray of the right dtype and order.

    Raises ValueError if `context` is not that of `proto`.
    """
    if not isinstance(proto, GpuArray):
        return from_host(proto, dtype, order, ndmin, ensure(context), cls)
    if context is not None and context is not proto.context:
        raise ValueError("cannot copy an array to a different context")
    if not copy and (dtype is None or dtype_to_typecode(dtype) == proto.typecode) and in_order(proto, order):
        view = proto if proto.ndim >= ndmin else proto.reshape((1,) * (ndmin - proto.ndim) + proto.shape)
        return view if cls is None or type(view) is cls else view.view(cls)
    lies_so = proto.flags.f_contiguous and not proto.flags.c_contiguous
    kept = "F" if order == "F" or (order in (None, "A") and lies_so) else "C"  # type: Live
    shape = (1,) * (ndmin - proto.ndim) + proto.shape
    new_array = empty(shape, proto.dtype if dtype is None else dtype, kept, proto.context, cls or type(proto))
    if not proto._memory.untouched:
        new_array._memory.replace(numpy.array(proto._host(), new_array.dtype, order=kept))
    return new_array


def in_order(proto: GpuArray, order: "str | None") -> bool:
    """Whether an array is contiguous in memory order `C` or `F`; any array for None or `A`."""
    return order in (None, "A") or bool(proto.flags[str(order) + "_CONTIGUOUS"])


def from_host(proto: "Live", dtype: "Live", order: "str | None", ndmin: int, context: "GpuContext", cls: "Live") -> GpuArray:
    """A new array with the values of a numpy array."""
    kept = "F" if order == "F" else "C"  # type: Live
    values = numpy.asarray(proto, None if dtype is None else dtype_of(dtype), order=kept)
    values = values.reshape((1,) * (ndmin - values.ndim) + values.shape)
    new_array = empty(values.shape, values.dtype, kept, context, cls)
    new_array._memory.replace(values)
    return new_array


def asarray(a: "Live", dtype: "Live" = None, order: str = "A", context: "GpuContext | None" = None) -> GpuArray:
    """`a` as an array on the device, copied only if needed."""
    return array(a, dtype, False, order, context=context, cls=GpuArray)


def ascontiguousarray(a: "Live", dtype: "Live" = None, context: "GpuContext | None" = None) -> GpuArray:
    """`a` as a C-contiguous array on the device."""
    return array(a, dtype, False, "C", 1, context)


def asfortranarray(a: "Live", dtype: "Live" = None, context: "GpuContext | None" = None) -> GpuArray:
    """`a` as a Fortran-contiguous array on the device."""
    return array(a, dtype, False, "F", 1, context)


def may_share_memory(a: GpuArray, b: GpuArray) -> bool:
    """Whether two arrays use the same buffer, as libgpuarray's cuda_share: also true for views that do not overlap."""
    return a._memory is b._memory and bool(a._memory.nbytes)
