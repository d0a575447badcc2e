"""Random numbers in numba: MRG31k3p compiled, and RandomState through calls to Python."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import numba
import numpy
from numba.core import cgutils, types
from numba.core.extending import NativeValue, box, intrinsic, models, overload, register_model, typeof_impl, unbox
from pytensor.link.numba.dispatch.basic import register_funcify_and_cache_key
from pytensor.link.numba.dispatch.compile_ops import numba_deepcopy

from ...random.generator import M1, M2
from ...random.mrg import mrg_uniform
from ...random.raw import RandomFunction, copy_state
from ...random.scaled import ScaledUniform


def cache_key(*parts: Any) -> str:
    """Returns the key of compiled code in PyTensor's cache, made of `parts`."""
    return sha256(str(parts).encode()).hexdigest()


@numba.njit(fastmath=False)
def _reduced(y: Any, modulus: Any) -> Any:
    """The low 32 bits of `y`, reduced modulo `modulus` once."""
    y = y & 0xFFFFFFFF
    return y - modulus if y >= modulus else y


@numba.njit(fastmath=False)
def _fill(states: Any, drawn: Any) -> None:
    """Fills `drawn` with integers from the streams in turn; `states` advance in place."""
    streams = states.shape[0]
    for i in range(drawn.shape[0]):
        state = states[i % streams]
        x11, x12, x13 = numpy.int64(state[0]), numpy.int64(state[1]), numpy.int64(state[2])
        x21, x22, x23 = numpy.int64(state[3]), numpy.int64(state[4]), numpy.int64(state[5])
        y = _reduced(((x12 & 511) << 22) + (x12 >> 9) + ((x13 & 16777215) << 7) + (x13 >> 24), M1)
        first = _reduced(y + x13, M1)
        y = _reduced(((x21 & 65535) << 15) + 21069 * (x21 >> 16), M2)
        z = _reduced(((x23 & 65535) << 15) + 21069 * (x23 >> 16), M2)
        second = _reduced(_reduced(z + x23, M2) + y, M2)
        first, second = numpy.int64(numpy.int32(first)), numpy.int64(numpy.int32(second))
        state[0], state[1], state[2], state[3], state[4], state[5] = first, x11, x12, second, x21, x22
        drawn[i] = first - second + (M1 if first <= second else 0)


@register_funcify_and_cache_key(mrg_uniform)
def _mrg_uniform(op: Any, node: Any, **kwargs: Any) -> Any:
    ndim, dtype = op.output_type.ndim, op.output_type.dtype
    number = numpy.dtype(dtype).type
    norm = {"float16": numpy.float64(numpy.float16(3.0458e-05)), "float32": numpy.float32(4.6566126e-10)}.get(
        dtype, numpy.float64(4.656612873077392578125e-10)
    )
    half = dtype == "float16"
    tuple_of = numba.np.unsafe.ndarray.to_fixed_tuple

    @numba.njit(fastmath=False)
    def mrg_uniform(states: Any, size: Any) -> Any:
        if size.shape[0] != ndim:
            raise ValueError("size must have as many entries as the draw has dimensions")
        if states.shape[1] != 6:
            raise ValueError("rstate must have 6 columns")
        count = 1
        for i in range(ndim):
            count *= size[i]
        if count > M1:
            raise ValueError("rng_mrg does not support more than (2**31 -1) samples")
        after = states.copy()
        drawn: Any = numpy.empty(count, dtype=numpy.int32)
        _fill(after, drawn)
        numbers = numpy.empty(count, dtype=number)
        for i in range(count):
            numbers[i] = ((drawn[i] & 0x7FFF) + 1) * norm if half else number(drawn[i]) * norm
        return after, numbers.reshape(tuple_of(size.astype(numpy.int64), ndim))

    if ndim == 0:

        @numba.njit(fastmath=False)
        def mrg_scalar(states: Any, size: Any) -> Any:
            after = states.copy()
            drawn: Any = numpy.empty(1, dtype=numpy.int32)
            _fill(after, drawn)
            result = numpy.empty((), dtype=number)
            result[()] = ((drawn[0] & 0x7FFF) + 1) * norm if half else number(drawn[0]) * norm
            return after, result

        return mrg_scalar, cache_key("mrg_scalar", dtype, 1)
    return mrg_uniform, cache_key("mrg_uniform", ndim, dtype, 1)


@intrinsic
def _fused(typing: Any, u: Any, scale: Any, low: Any) -> Any:
    """Numba intrinsic for LLVM's fused multiply-add."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    return u(u, u, u), generate


@register_funcify_and_cache_key(ScaledUniform)
def _scaled_uniform(op: Any, node: Any, **kwargs: Any) -> Any:
    dtype = node.outputs[0].type.dtype
    number = numpy.dtype(dtype).type
    if dtype in ("float32", "float64"):

        @numba.njit(fastmath=False)
        def scaled_uniform(u: Any, scale: Any, low: Any) -> Any:
            return _fused(number(u), number(scale), number(low))
    else:

        @numba.njit(fastmath=False)
        def scaled_uniform(u: Any, scale: Any, low: Any) -> Any:
            return number(u * scale + low)

    return scaled_uniform, cache_key("scaled_uniform", dtype, 1)


class RandomStateNumbaType(types.Type):
    """Numba type of a RandomState: an opaque, reference-counted Python object."""

    def __init__(self) -> None:
        super().__init__(name="RandomState")


RANDOM_STATE = RandomStateNumbaType()
"""The one instance of RandomStateNumbaType."""


@typeof_impl.register(numpy.random.RandomState)
def _typeof(value: Any, context: Any) -> Any:
    return RANDOM_STATE


@register_model(RandomStateNumbaType)
class _RandomStateModel(models.StructModel):
    """Memory layout of RandomStateNumbaType: the object and its reference counter."""

    def __init__(self, manager: Any, front_end_type: Any) -> None:
        members = [("meminfo", types.MemInfoPointer(types.voidptr)), ("parent", types.pyobject)]
        super().__init__(manager, front_end_type, members)


@unbox(RandomStateNumbaType)
def _unbox(typ: Any, obj: Any, c: Any) -> Any:
    struct = cgutils.create_struct_proxy(typ)(c.context, c.builder)
    struct.parent = obj
    struct.meminfo = c.pyapi.nrt_meminfo_new_from_pyobject(cgutils.voidptr_t(None), obj)
    return NativeValue(struct._getvalue())


@box(RandomStateNumbaType)
def _box(typ: Any, value: Any, c: Any) -> Any:
    obj = c.context.make_helper(c.builder, typ, value).parent
    c.pyapi.incref(obj)
    c.context.nrt.decref(c.builder, typ, value)
    return obj


@overload(numba_deepcopy)
def _deepcopy(x: Any) -> Any:
    if not isinstance(x, RandomStateNumbaType):
        return None

    def state_deepcopy(x: Any) -> Any:
        with numba.objmode(copied=RANDOM_STATE):
            copied = copy_state(x)
        return copied

    return state_deepcopy


@register_funcify_and_cache_key(RandomFunction)
def _random_function(op: Any, node: Any, **kwargs: Any) -> Any:
    dtype, inplace = node.outputs[1].type.dtype, bool(op.inplace)
    result = types.Tuple([RANDOM_STATE, types.Array(numba.from_dtype(numpy.dtype(dtype)), op.outtype.ndim, "A")])

    def by_python(inputs: Any) -> Any:
        state, shape, *arguments = inputs
        state = state if inplace else copy_state(state)
        return state, op.draw(state, shape, [numpy.asarray(x) for x in arguments], dtype)

    @numba.njit
    def random_function(*inputs: Any) -> Any:
        with numba.objmode(drawn=result):
            drawn = by_python(inputs)
        return drawn

    return random_function, None  # no cache key: code that calls back to Python is not cached
