"""Reads `.npy`, the format of `numpy.save`: a magic word, a header that is a dictionary in Python's notation, the elements.

Source: numpy's `lib/format.py`, which evaluates the header; here it is matched, since a header can be made that takes all memory.
"""

from __future__ import annotations

import math
import re

from .budget import Damaged
from .objects import Array, Dtype

MAGIC = b"\x93NUMPY"
LONGEST = 1 << 16
"""Bytes of a header; numpy itself reads no longer ones than 10 000."""
_SHAPE = re.compile(r"'shape'\s*:\s*\(([0-9L,\s]*)\)")
_ORDER = re.compile(r"'fortran_order'\s*:\s*(True|False|0|1)\b")
_DTYPE = re.compile(r"'descr'\s*:\s*u?'([^'\\]*)'")
_FIELDS = re.compile(r"'descr'\s*:\s*\[")
_NUMBER = re.compile(r"[<>|=](?:[biufcSaVUmM]\d{1,9}(?:\[[\w/]{1,20}\])?|O\d?)|\?")


def header(data: bytes, at: int) -> tuple[Array, int]:
    """The array whose file begins at byte `at`, without its elements, and where these begin. Raises Damaged."""
    version = data[at + 6 : at + 8]
    width = {b"\x01\x00": 2, b"\x02\x00": 4, b"\x03\x00": 4}.get(version)
    if width is None:
        raise Damaged("a version of npy that is not known, or the file is cut off")
    length = int.from_bytes(data[at + 8 : at + 8 + width], "little")
    start = at + 8 + width + length
    if length > LONGEST or start > len(data):
        raise Damaged(f"a header of {length} bytes" if length > LONGEST else "the file is cut off in its header")
    text = data[at + 8 + width : start].decode("utf-8" if version[0] == 3 else "latin1", "replace")
    shape, order, dtype = (form.findall(text) for form in (_SHAPE, _ORDER, _DTYPE))
    fields = _FIELDS.search(text) is not None
    if len(shape) != 1 or len(order) != 1 or len(dtype) + fields < 1 or not (fields or _NUMBER.fullmatch(dtype[0])):
        raise Damaged("a header that numpy does not write")
    made = Array()
    lengths = [part.strip().rstrip("L") for part in shape[0].split(",")]
    if any(len(n) > 19 for n in lengths) or "" in lengths[:-1]:
        raise Damaged("a shape that no array has")
    plain = Dtype("V") if fields else Dtype(dtype[0].lstrip("<>|="), dtype[0][0] if dtype[0][0] in "<>|=" else "=")
    made.set(b"", plain, tuple(int(n) for n in lengths if n), order[0] in ("True", "1"))
    return made, start


def elements(data: bytes, made: Array, start: int) -> int:
    """Gives an array its elements, which begin at byte `start`; where they end. Raises Damaged where they are cut off.

    Of records, whose size only numpy can tell, the end is the next array of the file, or its end.
    """
    size = made.dtype.itemsize
    if size is None or made.shape is None:
        following = data.find(MAGIC, start)
        return following if following >= 0 else len(data)
    count = math.prod(made.shape) * size
    if count > len(data) - start:
        raise Damaged(f"an array of {count} bytes with {len(data) - start}")
    made.data = memoryview(data)[start : start + count]
    return start + count
