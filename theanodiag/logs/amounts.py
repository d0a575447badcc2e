"""Parses amounts of memory, shapes and dtypes as messages print them."""

from __future__ import annotations

import re
from math import prod

from ..units import parse_bytes

_AMOUNT = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)\d*\.?\s*([kKMGT]?i?)[bB]?(?:ytes?)?")
_INTEGER = re.compile(r"\d{1,18}")
_DTYPES = {
    "f16": "float16",
    "bf16": "float16",
    "f32": "float32",
    "f64": "float64",
    "pred": "bool",
    "c64": "complex64",
    "c128": "complex128",
}
"""XLA's names of dtypes; bf16 has the width of float16. Integers are `s32`, `u8` ..."""
_CODES = {"f": "float", "i": "int", "u": "uint", "c": "complex"}
"""NumPy's codes of kinds of dtypes, before the number of bytes."""


def amount(text: str) -> int:
    """Converts a text such as `2.25GiB`, `48.01 GiB` or `285212672` to bytes. A bare K, M, G or T is binary, as in the programs that print
    it.

    Raises ValueError if the text is not an amount.
    """
    match = _AMOUNT.match(text.strip())
    if match is None:
        raise ValueError(f"no amount of memory: {text!r}")
    prefix = match[2].rstrip("i").upper()
    return parse_bytes(f"{match[1]}{prefix}iB" if prefix else match[1].partition(".")[0])


def shape(text: str) -> tuple[int, ...]:
    """Returns all integers in `text`, as a shape."""
    return tuple(int(n) for n in _INTEGER.findall(text))


def dtype(text: str) -> str | None:
    """Returns NumPy's name of a dtype that NumPy, Theano or XLA printed; None for anything else."""
    from ..ir.shape import is_dtype  # few logs name a dtype

    name = _DTYPES.get(text, text)
    coded = re.fullmatch(r"[<>=|]([fiucb])(\d{1,2})", name)
    if coded:
        name = f"{_CODES[coded[1]]}{8 * int(coded[2])}" if coded[1] != "b" else "bool"
    if re.fullmatch(r"[su](8|16|32|64)", name):
        name = f"{'int' if name[0] == 's' else 'uint'}{name[1:]}"
    return name if is_dtype(name) else None


def nbytes(dims: tuple[int, ...], kind: str) -> int:
    """Returns the bytes of an array with the dimensions `dims` and the dtype `kind`."""
    from ..ir.shape import itemsize

    return prod(dims) * itemsize(kind)
