"""Finds the arrays in what a pickle holds, and what each is called."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from .unpickler import Array, Record, load, needed

_FLIP = "if nnet.conv{}d used it (filter_flip=True): flip {} for a library that does not flip, {}"
_LAST_TWO = _FLIP.format(2, "the last two axes", "w[:, :, ::-1, ::-1]") + "; of Keras's dim_ordering='tf' the first two, w[::-1, ::-1]"
_LAST_THREE = _FLIP.format(3, "the last three axes", "w[:, :, ::-1, ::-1, ::-1]")
_FIRST = "Keras 1 writes it as (length, 1, inputs, outputs): if Theano convolved with it, flip the first axis elsewhere, w[::-1]"


def kernel_note(name: str, array: Any) -> str:
    """What to look out for in an array that may hold kernels; empty for others."""
    if array.ndim == 4 and array.shape[1] == 1 and "convolution1d" in name:
        return _FIRST
    return {4: _LAST_TWO, 5: _LAST_THREE}.get(array.ndim, "")


@dataclass(frozen=True)
class Weight:
    """One array."""

    name: str
    """Unique in the file: the shared variable's own name, else the path to it (`0.params.1`)."""
    path: str
    """Where in the pickle it was found."""
    origin: str
    """Class of the shared variable that held it, or `array`."""
    array: Any
    """Of numpy."""
    note: str = ""
    """What to look out for."""


def collect(objects: Iterable[object]) -> tuple[Weight, ...]:
    """The arrays of numbers, each once, in the order of the pickle. Single numbers count where a shared variable holds them."""
    taken: dict[str, int] = {}
    found: list[Weight] = []
    for path, name, origin, array in _arrays(list(objects)):
        plain = name or path or "array"
        taken[plain] = taken.get(plain, 0) + 1
        unique = plain if taken[plain] == 1 else f"{plain}.{taken[plain]}"
        found.append(Weight(unique, path, origin, array, kernel_note(path, array)))
    return tuple(found)


def _arrays(objects: list[object]) -> Iterator[tuple[str, str, str, Any]]:
    """Path, the shared variable's name, its class, and the array."""
    seen: set[int] = set()
    todo: list[tuple[str, object]] = [(str(n) if len(objects) > 1 else "", thing) for n, thing in enumerate(objects)]
    todo.reverse()
    while todo:
        path, thing = todo.pop()
        if id(thing) in seen or isinstance(thing, (str, bytes, int, float, complex, type(None))):
            continue
        seen.add(id(thing))
        value = thing if isinstance(thing, Array) else _held(thing)
        if isinstance(value, Array) and isinstance(value.data, list):
            todo += reversed([(_join(path, n), item) for n, item in enumerate(value.data)])
        elif isinstance(value, Array):
            seen.add(id(value))
            array = _made(value)
            if array is not None and isinstance(thing, Record):
                yield path, str(thing.get("name") or ""), thing.kind[1], array
            elif array is not None and array.shape:
                yield path, "", "array", array
        else:
            todo += reversed(list(_inside(path, thing)))


def _made(held: Array) -> Any:
    """The array of numpy; None for one of strings or records. Raises ValueError where its bytes are too few or too many."""
    numpy = needed("numpy")
    plain = held.dtype.plain
    if plain is None or not isinstance(held.data, (bytes, bytearray)):
        return None
    dtype = numpy.dtype(plain)
    if math.prod(held.shape) * dtype.itemsize != len(held.data):
        raise ValueError(f"an array of {math.prod(held.shape)} numbers with {len(held.data)} bytes")
    array = numpy.frombuffer(bytes(held.data), dtype).reshape(held.shape, order="F" if held.fortran else "C")
    return array.astype(dtype.newbyteorder("="))


def _held(thing: object) -> object:
    """The value of a shared variable: the first cell of its container."""
    if not isinstance(thing, Record) or not thing.kind[1].endswith("SharedVariable"):
        return None
    container = thing.get("container")
    storage = container.get("storage") if isinstance(container, Record) else None
    return storage[0] if isinstance(storage, list) and storage else None


def _inside(path: str, thing: object) -> Iterator[tuple[str, object]]:
    """The parts of a container or a record, with their paths."""
    if isinstance(thing, dict):
        thing = _unpickled(thing, path)
        yield from ((_join(path, key if isinstance(key, (str, int)) else n), v) for n, (key, v) in enumerate(thing.items()))
    elif isinstance(thing, (list, tuple, set, frozenset)):
        yield from ((_join(path, n), v) for n, v in enumerate(thing))
    elif isinstance(thing, Record):
        states = thing.state if isinstance(thing.state, tuple) else (thing.state,)
        for state in states:
            yield from _inside(path, state) if isinstance(state, dict) else ((_join(path, "state"), state),)
        yield from ((_join(path, n), v) for n, v in enumerate((*thing.args, *thing.items)))


def _unpickled(group: dict[object, object], path: str) -> dict[object, object]:
    """A group of a pickled Keras model, whose weights are pickles once more."""
    names = group.get("weight_names")
    wanted = (
        {n.decode("latin1") if isinstance(n, bytes) else n for n in names if isinstance(n, (bytes, str))} if isinstance(names, list) else ()
    )
    return {key: load(v, path)[0] if key in wanted and isinstance(v, bytes) and v else v for key, v in group.items()}


def _join(path: str, part: object) -> str:
    return f"{path}.{part}" if path else str(part)
