"""Finds the arrays in the objects of a file, and the best path to each, which becomes its name."""

from __future__ import annotations

import heapq
import itertools
import math
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from .hdf5 import needed
from .objects import Budget, Damaged, Record, StoredArray, Table, text_of
from .pickle_interpreter import PickledCall

if TYPE_CHECKING:
    from typing_extensions import TypeGuard

ALSO = 3
"""Maximum number of paths kept for an array in addition to the best one."""
FAR = 20
"""Cost of an uninformative step of a path: into a graph, the arguments of a call, or the keys of a dictionary. Other steps cost 1."""
UNNAMED = 6
"""Additional cost of a path that ends with a list index: `layers[0].W` says more than `params[0]`."""
LONGEST = 400
"""Maximum length of a path in characters; longer ones are shortened in the middle."""
_FLIP = "if nnet.conv{}d used it (filter_flip=True): flip {} for a library that does not flip, {}"
_LAST_TWO = _FLIP.format(2, "the last two axes", "w[:, :, ::-1, ::-1]") + "; of Keras's dim_ordering='tf' the first two, w[::-1, ::-1]"
_LAST_THREE = _FLIP.format(3, "the last three axes", "w[:, :, ::-1, ::-1, ::-1]")
_FIRST = "Keras 1 writes it as (length, 1, inputs, outputs): if Theano convolved with it, flip the first axis elsewhere, w[::-1]"
_SEQUENCES = ("set", "frozenset", "list", "tuple", "deque", "OrderedDict", "bytearray", "Counter")
_GRAPH = ("owner", "inputs", "outputs", "clients", "tag", "fgraph", "maker", "input_storage", "output_storage", "container")
_LEAVES = (str, bytes, bytearray, memoryview, int, float, complex, type(None))


def kernel_note(name: str, array: Any) -> str:
    """Returns a caution for an array `name` that may hold convolution kernels; empty for other arrays."""
    if array.ndim == 4 and array.shape[1] == 1 and "convolution1d" in name:
        return _FIRST
    return {4: _LAST_TWO, 5: _LAST_THREE}.get(array.ndim, "")


@dataclass(frozen=True)
class Root:
    """A root object of a file."""

    path: str
    """Name of the object in an archive; empty for a file with a single object."""
    thing: object
    member: bool = False
    """Whether it is an array of an archive, which has a name of its own."""


@dataclass(frozen=True)
class Weight:
    """One array found in a weights file."""

    name: str
    """Unique name in the file: the name in the archive that holds it, else its path."""
    path: str
    """The best path to it from the root object of the file, short and made of names: `layers[0].W`."""
    variable: str
    """Name of the shared variable; empty if it has none."""
    origin: str
    """Class of the shared variable that held it, or `array`."""
    array: Any
    """The array as a numpy array."""
    note: str = ""
    """A caution for the user; may be empty."""
    also: tuple[str, ...] = ()
    """Other paths to it, at most `ALSO`."""


@dataclass(frozen=True)
class LeftOut:
    """An object of a weights file that is not a numeric array, or could not be read."""

    name: str
    """Its path, or its name in the archive."""
    reason: str
    """Why it is not listed among the arrays."""


@dataclass(frozen=True)
class Contents:
    """The arrays and calls found in a file."""

    weights: tuple[Weight, ...]
    """The arrays, in the order of the file."""
    left_out: tuple[LeftOut, ...]
    calls: tuple[PickledCall, ...]
    """The calls that a pickle in it would make when loaded."""


class FileReading(Protocol):
    """The state of reading one file that `collect` uses."""

    budget: Budget
    arrays: list[StoredArray]
    left_out: list[LeftOut]
    calls: dict[tuple[str, str], PickledCall]

    def inner_pickle(self, data: bytes, name: str) -> object:
        """Returns the object in a pickle that is stored as bytes inside another pickle."""


@dataclass(frozen=True)
class _Entry:
    path: str
    array: StoredArray
    holder: Record | None
    also: tuple[str, ...] = ()


def collect(roots: Sequence[Root], reading: FileReading) -> Contents:
    """Finds the numeric arrays in the objects of a file, each once and in the order of the file. Single numbers count only if a shared
    variable holds them.
    """
    walk = _ObjectWalk(reading)
    plain = [root for root in roots if not root.member]
    walk.go([(root.path, root.thing) for root in plain])
    walk.go([(root.path, root.thing) for root in roots if root.member])
    order = {id(array): n for n, array in enumerate(reading.arrays)}
    weights: list[Weight] = []
    names: dict[str, int] = {}
    for one in sorted(walk.entries, key=lambda f: order.get(id(f.array), len(order))):
        weight = _weight(one, names, reading)
        if weight is not None:
            weights.append(weight)
    lost = sum(1 for array in reading.arrays if id(array) not in walk.seen and array.shape)
    if lost:
        reading.left_out.append(LeftOut(f"{lost} arrays", "the pickle creates them but does not keep them"))
    return Contents(tuple(weights), tuple(reading.left_out), tuple(reading.calls.values()))


def _weight(entry: _Entry, names: dict[str, int], reading: FileReading) -> Weight | None:
    """The Weight of an array, with a name of its own; None for an array that is left out, which is noted in `reading.left_out`."""
    held, path = entry.array, entry.path or "array"
    if entry.holder is None and not held.shape and not held.member:
        return None
    array = _numpy_array(held, reading.budget)
    if isinstance(array, str):
        reading.left_out.append(LeftOut(path, array))
        return None
    if held.remark:
        reading.left_out.append(LeftOut(path, held.remark))
    own = (text_of(entry.holder.get("name")) or "") if entry.holder is not None else ""
    name = held.member if held.member and not held.member.startswith("array_") else path
    base = name
    while name in names:
        names[base] += 1
        name = f"{base}~{names[base]}"
    names[name] = 1
    origin = entry.holder.kind.name if entry.holder is not None else "array"
    return Weight(name, path, own[:LONGEST], origin[:LONGEST], array, kernel_note(f"{name} {path}", array), entry.also)


def _numpy_array(held: StoredArray, budget: Budget) -> Any:
    """The stored array as a numpy array, or the reason why it holds no numbers. Raises Damaged where its bytes are too few or too many."""
    if held.ready is not None:
        budget.hold(held.ready.nbytes)
        return held.ready
    if held.shape is None:
        return "an array that was never filled"
    if held.dtype.plain is None or not isinstance(held.data, (bytes, bytearray, memoryview)):
        return f"an array of {held.dtype}, not of numbers"
    numpy = needed("numpy")
    try:
        dtype = numpy.dtype(held.dtype.plain)
    except TypeError:
        return f"an array of {held.dtype.plain}, which numpy does not have here"
    count = math.prod(held.shape)
    if count * dtype.itemsize != len(held.data):
        raise Damaged(f"an array of {count} numbers with {len(held.data)} bytes")
    budget.hold(len(held.data))
    array = numpy.frombuffer(held.data, dtype).reshape(held.shape, order="F" if held.fortran else "C")
    return array if dtype.isnative else array.astype(dtype.newbyteorder("="))


class _ObjectWalk:
    """Goes through objects by the cost of the path to them, so that each is met on its best path first."""

    def __init__(self, reading: FileReading) -> None:
        self.reading = reading
        self.seen: set[int] = set()
        self.entries: list[_Entry] = []
        self.kept: list[object] = []
        """What is made on the way, so that no other object gets its `id`."""
        self.waiting: list[tuple[str, StoredArray]] = []
        self.twice: list[tuple[str, StoredArray]] = []
        self.also: dict[int, list[str]] = {}

    def go(self, start: Sequence[tuple[str, object]]) -> None:
        """Visits these (path, object) pairs and everything reachable from them."""
        count = itertools.count()  # so that two objects are never compared
        todo = [(0, path, next(count), thing) for path, thing in start]
        heapq.heapify(todo)
        tops = {id(thing) for _, thing in start}
        holders: list[tuple[str, Record]] = []
        while todo:
            cost, path, _, thing = heapq.heappop(todo)
            if id(thing) in self.seen:
                self._again(path, thing)
                continue
            self.seen.add(id(thing))
            if id(thing) in tops and not isinstance(thing, StoredArray):
                self._top(path, thing)
            if isinstance(thing, StoredArray) and not isinstance(thing.data, list):
                self.waiting.append((path, thing))
            if _is_holder(thing):
                holders.append((path, thing))
            for step in _inside(thing, path, self):
                if not isinstance(step.thing, _LEAVES):
                    extra = UNNAMED if not step.named and (isinstance(step.thing, StoredArray) or _is_holder(step.thing)) else 0
                    heapq.heappush(todo, (cost + step.cost + extra, step.path, next(count), step.thing))
        self._settle(holders)

    def _again(self, path: str, thing: object) -> None:
        """Records another path to an array, or to a shared variable."""
        if isinstance(thing, StoredArray) or _is_holder(thing):
            paths = self.also.setdefault(id(thing), [])
            if len(paths) < ALSO and len(self.also) < 100_000:
                paths.append(path)

    def _top(self, path: str, thing: object) -> None:
        """Records the arrays that the file's own dictionary or list has under two names: they are listed under both."""
        known = set[int]()
        for step in _inside(thing, path, self):
            value = step.thing
            if isinstance(value, StoredArray) and not isinstance(value.data, list):
                if id(value) in known:
                    self.twice.append((step.path, value))
                known.add(id(value))

    def _settle(self, holders: list[tuple[str, Record]]) -> None:
        """Creates the entries: an array that a shared variable holds has that variable's path, all others have their own."""
        known = {id(array): path for path, array in self.waiting}
        done: set[int] = set()
        for path, holder in holders:
            value = _held(holder)
            if isinstance(value, StoredArray) and id(value) in known and id(value) not in done:
                done.add(id(value))
                self.entries.append(_Entry(path, value, holder, tuple(self.also.get(id(holder), ()))))
        listed = {path for path, _ in self.twice}
        for path, array in self.waiting:
            if id(array) not in done:
                also = tuple(p for p in self.also.get(id(array), ()) if p not in listed)
                self.entries.append(_Entry(path, array, None, also))
        self.entries += [_Entry(path, array, None) for path, array in self.twice]
        self.waiting, self.twice = [], []


def _held(holder: Record) -> object:
    """The value of a pickled shared variable: the first cell of its container; None if it has none."""
    container = holder.get("container")
    storage = container.get("storage") if isinstance(container, Record) else None
    return storage[0] if isinstance(storage, list) and storage else None


@dataclass(frozen=True)
class _PathStep:
    """One step of a path: from an object to a part of it."""

    path: str
    thing: object
    named: bool = False
    """Whether a name leads there, not a place in a list."""
    cost: int = 1


def _is_holder(thing: object) -> TypeGuard[Record]:
    """Whether an unpickled object is a shared variable."""
    return isinstance(thing, Record) and thing.kind.name.endswith("SharedVariable")


def _inside(thing: object, path: str, walk: _ObjectWalk) -> Iterator[_PathStep]:
    """Yields the parts of a container or of a record."""
    if isinstance(thing, Table):
        yield from _of_table(_opened(thing, path, walk), path)
    elif isinstance(thing, (list, tuple)):
        yield from _of_list(thing, path)
    elif isinstance(thing, StoredArray) and isinstance(thing.data, list):
        yield from _of_list(thing.data, path)
    elif isinstance(thing, Record):
        yield from _of_record(thing, path)


def _of_list(things: Iterable[object], path: str) -> Iterator[_PathStep]:
    yield from (_PathStep(join(path, n), value) for n, value in enumerate(things))


def _of_record(thing: Record, path: str) -> Iterator[_PathStep]:
    """Yields the parts of a record: attributes under their names, items by their index or key, and its constructor's arguments as
    `args`.
    """
    attributes = [state for state in thing.states if state is not None]
    if all(isinstance(state, Table) for state in attributes):
        for state in attributes:
            yield from _of_table(state, path) if isinstance(state, Table) else ()
    else:
        yield _PathStep(join(path, "state"), thing.state)
    yield from _of_table(thing.entries, path)
    yield from _of_list(thing.items, path)
    listed = thing.args[0] if thing.args and thing.kind.name in _SEQUENCES else None
    if isinstance(listed, (list, tuple)) and thing.kind.name == "OrderedDict":
        pairs = [tuple(value) if isinstance(value, (list, tuple)) and len(value) == 2 else (n, value) for n, value in enumerate(listed)]
        yield from _of_table(pairs, path)
    elif isinstance(listed, (list, tuple)):
        yield from _of_list(listed, path)
    elif isinstance(listed, Table):
        yield from _of_table(listed, path)
    else:
        yield from (_PathStep(f"{path}.args[{n}]" if path else f"args[{n}]", value, cost=FAR) for n, value in enumerate(thing.args))


def _of_table(table: Iterable[tuple[object, object]], path: str) -> Iterator[_PathStep]:
    for n, (key, value) in enumerate(table):
        part = _key(key, n)
        yield _PathStep(join(path, part), value, isinstance(part, str), FAR if part in _GRAPH else 1)
        if not isinstance(key, _LEAVES):
            yield _PathStep(f"{path}.keys[{n}]" if path else f"keys[{n}]", key, cost=FAR)


def _key(key: object, n: int) -> str | int:
    """A key as part of a path: a text or an integer unchanged, for other keys their position `n`."""
    text = text_of(key)
    return text if text is not None else key if type(key) is int and -(10**18) < key < 10**18 else n


def _opened(group: Table, path: str, walk: _ObjectWalk) -> Iterable[tuple[object, object]]:
    """The items of a group of a pickled Keras model. The group's weights, which are pickles within the pickle, are unpickled."""
    names = group.get("weight_names")
    if not isinstance(names, list):
        return group
    wanted = {text_of(name) for name in names} - {None}
    opened: list[tuple[object, object]] = []
    for key, value in group:
        if text_of(key) in wanted and isinstance(value, (bytes, memoryview)) and len(value):
            inner = walk.reading.inner_pickle(bytes(value), path)
            walk.kept.append(inner)
            opened.append((key, inner))
        else:
            opened.append((key, value))
    return opened


def join(path: str, part: str | int) -> str:
    """Extends a path by one part: an index in brackets, or a name after a dot, quoted if it contains dots or brackets.

    >>> join("", "conv1.W"), join("layers", 0), join("layers[0]", "W"), join("m", "a.b")
    ('conv1.W', 'layers[0]', 'layers[0].W', "m['a.b']")
    """
    if isinstance(part, int):
        whole = f"{path}[{part}]"
    else:
        part = _shortened(part)
        plain = part and not any(c in part for c in ".[]'\"")
        whole = (part or "['']") if not path else f"{path}.{part}" if plain else f"{path}[{part!r}]"
    return _shortened(whole)


def _shortened(text: str) -> str:
    """`text`, at most `LONGEST` characters long: the middle of a longer one is replaced by a checksum."""
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2 - 10
    rest = zlib.crc32(f"{len(text)} {text[half : half + 1000]} {text[-1000:]}".encode("utf-8", "surrogatepass"))
    return f"{text[:half]}~{rest:08x}~{text[-half:]}"
