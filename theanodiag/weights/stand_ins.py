"""What is done instead of calling what a pickle names: arrays and dtypes are made, everything else becomes a record.

Sources: Theano 1.0.5 (gpuarray/type.py, `GpuArray_unpickler`) and 0.9 (sandbox/cuda/type.py, `CudaNdarray_unpickler`); numpy's
`ndarray.__reduce__`, `ndarray.__reduce_ex__` (protocol 5) and `dtype.__reduce__`; `copyreg.py`.
"""

from __future__ import annotations

from collections.abc import Callable

from .budget import Damaged
from .objects import Array, Dtype, Global, Record, Table, bytes_of, text_of

Args = tuple[object, ...]
_NUMPY = ("numpy", "numpy.core.multiarray", "numpy._core.multiarray", "numpy.core.numeric", "numpy._core.numeric", "numpy.ma.core")
_LATIN = ("latin1", "latin-1", "iso-8859-1")


def call(function: object, args: object, copied: Callable[[int], None]) -> object:
    """What stands for the result of calling what a pickle names; `copied` hears how many bytes that copies.

    Raises Damaged for arguments that are none.
    """
    if not isinstance(args, tuple):
        raise Damaged("a call without a tuple of arguments")
    if not isinstance(function, Global):
        return Record(Global("", "a call"), (function, args))
    stand_in = _named(function)
    if stand_in is None:
        return Record(function, args)
    copied(sum(len(a) for a in args[:3] if isinstance(a, (str, bytes, bytearray))))
    return stand_in(args)


def is_known(function: Global) -> bool:
    """Whether something is made here in its place."""
    return _named(function) is not None


def _named(function: Global) -> Callable[[Args], object] | None:
    if function.module in _NUMPY and function.name in _OF_NUMPY:
        return _OF_NUMPY[function.name]
    if function.name in ("CudaNdarray_unpickler", "GpuArray_unpickler"):
        return _first
    return _OTHERS.get((function.module, function.name))


def _array(_: Args) -> Array:
    return Array()


def _dtype(args: Args) -> Dtype:
    """`numpy.dtype("f4", False, True)`; a dtype of another package is named by a class, and is not known."""
    return Dtype(text_of(args[0]) if args else None)


def _scalar(args: Args) -> Array:
    made = Array()
    made.set(args[1] if len(args) > 1 else b"", args[0] if args else None, (), False)
    return made


def _of_buffer(args: Args) -> Array:
    """What protocol 5 writes: bytes, dtype, shape, order."""
    if len(args) < 3:
        raise Damaged("an array without dtype or shape")
    made = Array()
    made.set(args[0], args[1], args[2], len(args) > 3 and args[3] == "F" and isinstance(args[3], str))
    return made


def _first(args: Args) -> object:
    """What was on a GPU is pickled as an array of numpy."""
    return args[0] if args else None


def _bytes(args: Args) -> object:
    """What `bytes` makes of bytes or a text; of a list it stays a record, and a number, which would be a length, is refused."""
    if not args:
        return b""
    data = bytes_of(args[0])
    if data is None and not isinstance(args[0], list):
        raise Damaged(f"bytes of a {type(args[0]).__name__}")
    return data if data is not None else Record(Global("builtins", "bytes"), args)


def _encoded(args: Args) -> object:
    """`_codecs.encode(text, "latin1")`: how protocols 0 to 2 write bytes."""
    text, encoding = (*args, "latin1")[:2] if args else ("", "latin1")
    if not isinstance(text, str) or not isinstance(encoding, str):
        raise Damaged("an encoding of what is no text")
    return text.encode("latin1" if encoding.lower() in _LATIN else "utf-8")


def _text(args: Args) -> object:
    """`str(text)`; of anything else a record: how long its text would be, nobody knows."""
    return args[0] if args and isinstance(args[0], str) else Record(Global("builtins", "str"), args)


def _reconstructed(args: Args) -> object:
    """`copyreg._reconstructor(class, base, state)`: an object without its `__init__`; of a class of containers with what it contains."""
    if not args or not isinstance(args[0], Global):
        return Record(Global("copyreg", "_reconstructor"), args)
    made = Record(args[0])
    content = args[2] if len(args) > 2 else None
    if isinstance(content, Table):
        made.entries = content
    elif isinstance(content, (list, tuple)):
        made.args = (content,)
    return made


_OF_NUMPY: dict[str, Callable[[Args], object]] = {
    "ndarray": _array,
    "dtype": _dtype,
    "_reconstruct": _array,
    "_mareconstruct": _array,
    "scalar": _scalar,
    "_frombuffer": _of_buffer,
}
_OTHERS: dict[tuple[str, str], Callable[[Args], object]] = {
    ("copy_reg", "_reconstructor"): _reconstructed,
    ("copyreg", "_reconstructor"): _reconstructed,
    ("_codecs", "encode"): _encoded,
    **{(module, name): _bytes for module in ("builtins", "__builtin__") for name in ("bytes", "bytearray")},
    ("builtins", "str"): _text,
    ("__builtin__", "str"): _text,
    ("__builtin__", "unicode"): _text,
}
