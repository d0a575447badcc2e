"""Replacements for the objects of a pickle: arrays are kept as bytes, everything else as a record of its description.

Sources: numpy's `ndarray.__reduce__` and `dtype.__reduce__`, `numpy.ma.MaskedArray.__getstate__`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

# Resource limits for one file: unpacked bytes, bytes of arrays, and opcodes of pickles.

MOST = 8 << 30
"""Maximum number of bytes of a file, of its unpacked content, and of its arrays, whatever the size of the file."""
FLOOR = 128 << 20
"""Bytes that may be unpacked from any file, however small."""
RATIO = 100
"""Additional bytes that may be unpacked for each byte of a file: network weights hardly compress."""
STEPS = 5_000_000
"""Maximum number of opcodes for any file; `STEPS_A_BYTE` is added for each byte of the file."""
STEPS_A_BYTE = 50


class Damaged(Exception):
    """The file is not valid, or exceeds a limit; the message says what is wrong, and `help` what to do."""

    def __init__(self, message: str, help: str = "download it again, or name a file that a library wrote") -> None:
        super().__init__(message)
        self.help = help


class Budget:
    """How much of the limits is left for reading one file."""

    def __init__(self, size: int) -> None:
        self.most = min(MOST, max(FLOOR, RATIO * size))
        self.size = size
        self.unpacked = self.arrays = self.most
        self.steps = STEPS + STEPS_A_BYTE * size

    def unpack(self, count: int) -> None:
        """Counts `count` unpacked bytes. Raises Damaged if the limit is exceeded."""
        self.unpacked -= count
        if self.unpacked < 0:
            raise Damaged(f"it unpacks to more than {self._allowed()}", "unpack it yourself, and pass the result")

    def hold(self, count: int) -> None:
        """Counts `count` bytes of an array. Raises Damaged if the limit is exceeded."""
        self.arrays -= count
        if self.arrays < 0:
            raise Damaged(f"its arrays have more than {self._allowed()}", "convert it on the machine where it was created")

    def step(self, count: int) -> None:
        """Counts `count` opcodes of a pickle. Raises Damaged if the limit is exceeded."""
        self.steps -= count
        if self.steps < 0:
            raise Damaged("its pickle has more opcodes than a model of its size needs")

    def _allowed(self) -> str:
        return f"{self.most >> 20} MiB, for a file of {self.size} bytes"


SMALL = 1 << 60
"""Integers from this size on are not hashed; smaller ones hash without collisions."""
DIMENSIONS = 64
"""Maximum number of dimensions of an array, as in NumPy."""
TEXT = 1 << 16
"""Maximum size in bytes of a Python 2 str that is treated as text; longer ones are data."""


@dataclass(frozen=True)
class Global:
    """A class or function that a pickle names; it is never imported."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


class Dtype:
    """A NumPy dtype, as written in pickles."""

    __slots__ = ("order", "text")

    def __init__(self, text: object = None, order: str = "=") -> None:
        self.text = text if isinstance(text, str) and len(text) < TEXT else None
        self.order = order

    def set_state(self, state: object) -> None:
        """Sets the dtype's byte order, which is part of the pickled state."""
        if isinstance(state, tuple) and len(state) > 1 and state[1] in ("<", ">", "|", "=") and isinstance(state[1], str):
            self.order = state[1]

    @property
    def plain(self) -> str | None:
        """The dtype in NumPy's notation, such as `<f4`; None if it is neither numeric nor boolean."""
        match = re.fullmatch(r"([<>|=]?)([biufc]\d{1,2}|\?)", self.text or "")
        return f"{match[1] or self.order}{match[2]}" if match else None

    @property
    def itemsize(self) -> int | None:
        """Bytes of an element, including strings, dates and records; None if unknown."""
        match = re.fullmatch(r"[<>|=]?(?:([biufcSaVUmM])(\d{1,9})(?:\[[\w/]{1,20}\])?|(\?))", self.text or "")
        if match is None:
            return None
        return 1 if match[3] else int(match[2]) * (4 if match[1] == "U" else 1)

    @property
    def objects(self) -> bool:
        """Whether the elements of an array with this dtype are Python objects."""
        return self.text in ("O", "O4", "O8", "|O", "|O4", "|O8")

    def __str__(self) -> str:
        return self.text[:40] if self.text else "of a dtype that is not known"


class StoredArray:
    """A NumPy array: its bytes, dtype, shape and order."""

    __slots__ = ("data", "dtype", "fortran", "member", "ready", "remark", "shape")

    def __init__(self) -> None:
        self.shape: tuple[int, ...] | None = None
        """None where nothing has been said yet."""
        self.dtype = Dtype()
        self.fortran = False
        self.data: object = b""
        """Bytes of the elements; a list where these are objects."""
        self.member = ""
        """Name in the archive that holds it."""
        self.ready: Any = None
        """The array of numpy, where another library has made it."""
        self.remark = ""
        """What of it is not kept, such as a mask."""

    def set(self, data: object, dtype: object, shape: object, fortran: object) -> None:
        """Sets all parts of the array. Raises Damaged for an invalid shape or dtype."""
        if (
            not isinstance(shape, tuple)
            or len(shape) > DIMENSIONS
            or not all(type(n) is int and 0 <= n < 1 << 63 for n in shape)
            or not isinstance(dtype, Dtype)
        ):
            raise Damaged("an array without shape or dtype")
        self.shape, self.dtype, self.fortran = shape, dtype, fortran is True or fortran == 1
        self.data = data.encode("latin1") if isinstance(data, str) else data

    def set_state(self, state: object) -> None:
        """Sets the pickled state of the array, like `ndarray.__setstate__`; of a masked array the mask is dropped."""
        if not isinstance(state, tuple) or len(state) not in (4, 5, 7):
            raise Damaged("an array in a form that numpy does not write")
        shape, dtype, fortran, data = state if len(state) == 4 else state[1:5]
        self.set(data, dtype, shape, fortran)
        if len(state) == 7:
            self.remark = "its mask"


class Table:
    """A dictionary from a pickle. Only strings, bytes and small integers are hashed: hashing other keys could take unlimited time."""

    __slots__ = ("_entries",)

    def __init__(self) -> None:
        self._entries: dict[object, tuple[object, object]] = {}

    def put(self, key: object, value: object) -> None:
        """Sets an item; replaces an item with an equal key."""
        kind = type(key)
        plain = kind in (str, bytes, bool, type(None)) or (type(key) is int and -SMALL < key < SMALL)
        self._entries[(kind, key if plain else id(key))] = (key, value)

    def __iter__(self) -> Iterator[tuple[object, object]]:
        """Yields (key, value) pairs."""
        return iter(self._entries.values())

    def get(self, key: str) -> object:
        """Returns the value for a string key, even if Python 2 stored the key as bytes; None if there is none."""
        entry = self._entries.get((str, key)) or self._entries.get((bytes, key.encode()))
        return entry[1] if entry else None


class Record:
    """An object whose class is not imported: class name, constructor arguments, state and items."""

    __slots__ = ("args", "entries", "items", "kind", "state")

    def __init__(self, kind: Global, args: tuple[object, ...] = ()) -> None:
        self.kind = kind
        self.args = args
        self.state: object = None
        self.items: list[object] = []
        self.entries = Table()

    @property
    def states(self) -> tuple[object, ...]:
        """The parts of the object's state: classes with `__slots__` have two."""
        return self.state if isinstance(self.state, tuple) else (self.state,)

    def get(self, key: str) -> object:
        """Returns the attribute `key` in the object's state; None if there is none."""
        for state in self.states:
            if isinstance(state, Table) and (value := state.get(key)) is not None:
                return value
        return None


def text_of(value: object) -> str | None:
    """Returns a string from a pickle, even if Python 2 stored it as bytes; None for anything else, and for long data."""
    if isinstance(value, str):
        return value
    return bytes(value).decode("latin1") if isinstance(value, (bytes, bytearray, memoryview)) and len(value) < TEXT else None


def bytes_of(value: object) -> bytes | memoryview | None:
    """Returns the bytes from a pickle, even if they were stored as a string; None for anything else."""
    if isinstance(value, str):
        return value.encode("latin1", "replace")
    return bytes(value) if isinstance(value, bytearray) else value if isinstance(value, (bytes, memoryview)) else None
