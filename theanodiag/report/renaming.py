"""Replaces the path of a temporary file in a whole report by the name that its user knows."""

from __future__ import annotations

import io
import pickle
from typing import TypeVar

T = TypeVar("T")


def renamed(value: T, path: str, name: str) -> T:
    """A copy of `value`, which can be pickled, with `name` for `path` in each of its texts."""
    stream = io.BytesIO()
    _Pickler(stream, path, name).dump(value)
    stream.seek(0)
    copy: T = _Unpickler(stream).load()
    return copy


class _Pickler(pickle.Pickler):
    """Hands texts with the path to `_Unpickler.persistent_load`, changed."""

    def __init__(self, stream: io.BytesIO, path: str, name: str) -> None:
        super().__init__(stream, pickle.HIGHEST_PROTOCOL)
        self.path, self.name = path, name

    def persistent_id(self, obj: object) -> str | None:
        """The changed text; None for anything else."""
        return obj.replace(self.path, self.name) if type(obj) is str and self.path in obj else None


class _Unpickler(pickle.Unpickler):
    def persistent_load(self, pid: str) -> str:
        """The changed text."""
        return pid
