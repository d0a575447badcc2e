"""Sources that are chunked together, such as images and their labels, each in its own shared variable; and one source alone."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any, Optional

from ..errors import UnreadableError, UsageError
from ..result_display import Shown
from ..units import format_bytes, parse_bytes
from .sources import Source, open_source

if TYPE_CHECKING:
    from numpy.typing import NDArray


# The framework that the user's process has imported, and how a value gets into one of its shared variables.

NAMES = ("theano", "aesara", "pytensor")


def find_library(given: Any = None) -> Any:
    """Returns the framework as a module, given a module, a name, or None for the imported framework.

    Raises UsageError if no framework or several are imported.
    """
    if isinstance(given, ModuleType) or hasattr(given, "shared"):
        return given
    names = NAMES if given is None else (str(given),)
    modules = [sys.modules[name] for name in names if hasattr(sys.modules.get(name), "shared")]
    if not modules:
        wanted = " or ".join(names)
        raise UsageError(f"no framework is imported for making a shared variable: {wanted} is not imported", help="import it first")
    # Who says `import theano` means that name, even where the compat layer serves it from PyTensor.
    if len({id(m.shared) for m in modules}) > 1 and modules[0].__name__ != "theano":
        both = " and ".join(m.__name__ for m in modules)
        raise UsageError(f"{both} are both imported", help=f"say which one: library={modules[0].__name__!r}")
    return modules[0]


def keeps_on_device(lib: Any) -> bool:
    """Returns whether the framework creates shared variables in device memory, as Theano's GPU back-ends do by their own constructors."""
    constructors = getattr(lib.shared, "constructors", ())
    return any(".gpuarray" in c.__module__ or ".cuda" in c.__module__ for c in constructors)


def arrays_live(lib: Any) -> int:
    """Returns how many copies of a chunk exist in the memory of the variable: 1 on a device; 2 on the host, the one in use and the one
    being read.
    """
    return 1 if keeps_on_device(lib) else 2


def value_of(variable: Any) -> Any:
    """Returns the array in a shared variable's storage, a numpy or device array, without copying it."""
    return variable.container.storage[0]


def assign(variable: Any, staged: NDArray[Any]) -> NDArray[Any]:
    """Makes `staged` the value of the shared variable; returns an array in which the next value can be staged.

    A device array of the same shape is overwritten in place, so `staged` is free again. (Source: Theano 1.0.5, gpuarray/type.py,
    `GpuArrayType.filter_inplace`.) On the host `borrow=True` puts `staged` itself into the variable without a copy, and the variable's old
    array is free. (Source: compile/sharedvalue.py of Theano 1.0.5, Aesara 2.9.4 and PyTensor: `set_value` deep-copies otherwise.)
    """
    import numpy

    before = value_of(variable)
    variable.set_value(staged, borrow=True)
    if value_of(variable) is not staged:
        return staged
    usable = isinstance(before, numpy.ndarray) and before.flags.writeable and before.flags.c_contiguous
    return before if usable and before.shape == staged.shape and before.dtype == staged.dtype else numpy.zeros_like(staged)


ROUND_BYTES = 64
"""libgpuarray rounds each array up to a multiple of this many bytes. Source: libgpuarray 0.7.6, src/private_cuda.h, `FRAG_SIZE`."""


@dataclass(frozen=True)
class Cut:
    """The division of a source into chunks of equal size."""

    rows: int
    """Number of rows of the source."""
    chunk: int
    """Rows per chunk; a multiple of `batch`."""
    batch: int
    """Rows per batch."""

    @property
    def chunks(self) -> int:
        """Number of chunks in an epoch; the last one may end in padding rows."""
        return -(-self.rows // self.chunk)


def chunk_bytes(rows: int, row_bytes: Sequence[int], arrays: int = 1) -> int:
    """Returns the bytes of `arrays` copies of a chunk of `rows` rows of each source, each rounded up as the allocator does; `row_bytes`:
    bytes per row.

    >>> chunk_bytes(10, [4, 400])
    4096
    """
    return arrays * sum(max(ROUND_BYTES, -(-rows * size // ROUND_BYTES) * ROUND_BYTES) for size in row_bytes)


def cut(rows: int, row_bytes: Sequence[int], budget: int, batch: int | None = None, arrays: int = 1) -> Cut:
    """Divides sources of `rows` rows, of `row_bytes` bytes each, into chunks of which `arrays` copies fit into `budget` bytes.

    Without `batch` each chunk is one batch. Raises `UsageError` if not even one batch fits.

    >>> cut(1000, [400], 100_000, batch=32)
    Cut(rows=1000, chunk=224, batch=32)
    """
    if rows < 1:
        raise UsageError("the source has no rows")
    if batch is not None and batch < 1:
        raise UsageError(f"a batch of {batch} rows is not possible", help="give a number of rows above 0, or None for whole chunks")
    step = batch or 1
    most = step * _most(-(-rows // step), lambda n: chunk_bytes(n * step, row_bytes, arrays) <= budget)
    if not most:
        what = f"a batch of {batch} rows" if batch else "one row"
        need = chunk_bytes(step, row_bytes, arrays)
        twice = " (on the host twice: the chunk in use and the next one)" if arrays > 1 else ""
        raise UsageError(
            f"{what} takes {format_bytes(need)} ({need} bytes){twice}, the budget is {format_bytes(budget)}",
            help="give a larger budget or a smaller batch",
        )
    return Cut(rows, most, batch or most)


def _most(high: int, fits: Callable[[int], bool]) -> int:
    """The largest n up to `high` for which `fits(n)`, by bisection; 0 where not even 1 fits."""
    low = 0
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


@dataclass(frozen=True)
class EpochOrder:
    """The order of the rows in one epoch; the same for equal seed and epoch."""

    cut: Cut
    epoch: int
    seed: int | None = None
    """None: the rows keep the order of the source."""
    stripe: int = 1
    """Neighbouring rows that are read at once when rows are shuffled."""

    def rows(self, chunk: int) -> NDArray[Any]:
        """Returns the indices of the source's rows in a chunk, in their order in the variable."""
        import numpy

        first, last = chunk * self.cut.chunk, min((chunk + 1) * self.cut.chunk, self.cut.rows)
        if self.seed is None:
            return numpy.arange(first, last)
        indices: NDArray[Any] = self._generator(1 + chunk).permutation(self._drawn(first, last))
        return indices

    def _drawn(self, first: int, last: int) -> NDArray[Any]:
        """The rows at positions `first` to `last` in the shuffled order of stripes."""
        import numpy

        starts, ends = self._stripes
        a, b = int(numpy.searchsorted(ends, first, "right")), int(numpy.searchsorted(ends, last, "left")) + 1
        length = numpy.diff(ends[a:b], prepend=ends[a - 1] if a else 0)
        rows = numpy.repeat(starts[a:b], length) + numpy.arange(length.sum()) - numpy.repeat(numpy.cumsum(length) - length, length)
        skipped = first - (int(ends[a - 1]) if a else 0)
        selected: NDArray[Any] = rows[skipped : skipped + last - first]
        return selected

    @cached_property
    def _stripes(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """First row of each stripe in shuffled order, and the position at which each stripe ends."""
        import numpy

        starts = self._generator(0).permutation(numpy.arange(0, self.cut.rows, self.stripe))
        return starts, numpy.cumsum(numpy.minimum(self.stripe, self.cut.rows - starts))

    def _generator(self, what: int) -> Any:
        import numpy

        return numpy.random.default_rng([self.seed or 0, self.epoch, what])


@dataclass(frozen=True, eq=False)
class Batch:
    """The rows `start` to `stop` (exclusive) of the shared variable; unpacks as `start, stop`.

    A graph that takes batches of a fixed size by number, `data[i * size:(i + 1) * size]`, gets `index` and multiplies by `mask`: behind the
    last batch of a chunk there may be padding rows of zeros.
    """

    start: int
    stop: int
    batch: int
    """Number of rows of a full batch."""
    chunk: int
    """Number of its chunk within the epoch, from 0."""
    epoch: int
    """Number of the epoch, from 0."""
    rows: NDArray[Any] = field(repr=False)
    """The indices of its rows in the source, in their order in the variable."""

    @property
    def size(self) -> int:
        """Returns the number of rows of the batch, which is less than the field `batch` only in the last batch of the data."""
        return self.stop - self.start

    @property
    def slice(self) -> slice:
        """The batch as a slice of the shared variable, `slice(start, stop)`."""
        return slice(self.start, self.stop)

    @property
    def index(self) -> int:
        """Number of the batch within its chunk, from 0: `start` is `index * batch`."""
        return self.start // self.batch

    @property
    def mask(self) -> NDArray[Any]:
        """Returns an array of bool over the window `start` to `start + batch`: True for rows of this batch, False for padding."""
        import numpy

        return numpy.arange(self.batch) < self.size

    def __iter__(self) -> Iterator[int]:
        return iter((self.start, self.stop))


Key = tuple[int, Optional[int]]
"""Key of a chunk: (chunk, epoch); the epoch is None if all epochs have the same order."""


class ChunkedGroup(Shown):
    """Sources with the same number of rows, cut into chunks of the same rows.

    Args:
        sources: Name -> source, each as `ChunkedShared` takes it.
        budget: Maximum memory for the chunks of all sources together: bytes, or a text such as "1 GiB".
        batch: Rows per batch. None: each chunk is one batch.
        dtype: Dtype of all variables, or name -> dtype. "floatX": that of the framework. None: that of the source.
        shuffle_seed: Shuffle the rows of each epoch; the same seed and epoch give the same order. None: the order of the source.
        library: The framework's module or name. None: the imported framework.

    Raises:
        UsageError: The budget is too small for one batch, sources differ in rows, or a dtype cannot hold a source's values.
        UnreadableError: A source cannot be read.

    >>> import numpy, sys
    >>> lib = next(m for n in ("theano", "aesara", "pytensor") if (m := sys.modules.get(n)))
    >>> group = ChunkedGroup({"x": numpy.zeros((1000, 20), "float32"), "y": numpy.zeros(1000, "int32")}, budget="64 KiB", batch=50)
    >>> group.cut.batch, sorted(group.variables), sum(batch.size for batch in group.batches())
    (50, ['x', 'y'], 1000)
    """

    def __init__(
        self,
        sources: Mapping[str, Any],
        *,
        budget: int | str,
        batch: int | None = None,
        dtype: Any = None,
        shuffle_seed: int | None = None,
        library: Any = None,
    ) -> None:
        import numpy

        if not sources:
            raise UsageError("a group needs at least one source")
        self._lib = find_library(library)
        self._sources: dict[str, Source] = {name: open_source(source) for name, source in sources.items()}
        rows = _rows(self._sources)
        wanted = dict.fromkeys(sources, dtype) if not isinstance(dtype, Mapping) else dtype
        dtypes = {name: self._dtype(wanted.get(name), source) for name, source in self._sources.items()}
        sizes = [s.row_bytes // s.dtype.itemsize * dtypes[name].itemsize for name, s in self._sources.items()]
        for name, source in self._sources.items():
            if not numpy.can_cast(source.dtype, dtypes[name], "same_kind"):
                what = f"{name} is of dtype {source.dtype}, which cannot be converted to {dtypes[name]} without loss"
                raise UsageError(what, help="leave dtype out, or convert the source yourself")
        arrays = arrays_live(self._lib)
        self.budget: int = _budget(budget)
        """The most bytes that the chunks may take."""
        self.cut: Cut = cut(rows, sizes, self.budget, None if batch is None else _whole("batch", batch, 1), arrays)
        self.nbytes: int = chunk_bytes(self.cut.chunk, sizes, arrays)
        """Bytes of the budget that the chunks take."""
        shapes = {name: (self.cut.chunk, *source.shape[1:]) for name, source in self._sources.items()}
        self.variables: dict[str, Any] = {
            name: self._lib.shared(numpy.zeros(shapes[name], dtypes[name]), name=name, borrow=True) for name in self._sources
        }
        """Name of the source -> its shared variable, which holds zeros until the first batch."""
        self._dtypes = {name: str(dtype) for name, dtype in dtypes.items()}
        self._staged: dict[str, NDArray[Any]] = {name: numpy.zeros(shapes[name], dtypes[name]) for name in self._sources}
        self._seed = None if shuffle_seed is None else _whole("shuffle_seed", shuffle_seed, 0)
        self._stripe = min(max(s.stripe for s in self._sources.values()), max(1, self.cut.chunk // 16))
        self._key: Key | None = None
        self._values: dict[str, Any] = {}
        self._epoch = 0
        self._closed = False

    def _dtype(self, wanted: Any, source: Source) -> Any:
        """The dtype of a variable: `wanted` ("floatX" is the framework's), else the source's in native byte order."""
        import numpy

        return source.dtype.newbyteorder("=") if wanted is None else numpy.dtype(self._lib.config.floatX if wanted == "floatX" else wanted)

    def __repr__(self) -> str:
        sizes = f"{self.cut.rows} rows, {self.cut.chunks} chunks of {self.cut.chunk}, batches of {self.cut.batch}"
        return f"<{type(self).__name__} {', '.join(self.variables)}: {sizes}, {format_bytes(self.nbytes)}>"

    def __str__(self) -> str:
        sizes = f"{format_bytes(self.nbytes)} for a chunk, of a budget of {format_bytes(self.budget)}"
        rows = f"{self.cut.rows} rows in {self.cut.chunks} chunks of {self.cut.chunk} rows, batches of {self.cut.batch}"
        order = "rows in the order of the source" if self._seed is None else f"rows shuffled with seed {self._seed}"
        variables = ", ".join(f"{name} ({dtype})" for name, dtype in self._dtypes.items())
        return f"{variables}: {rows}\n{sizes}; {order}\n"

    def to_dict(self) -> dict[str, object]:
        """Returns how the sources are cut; sizes in bytes."""
        return {
            "variables": [{"name": name, "dtype": dtype} for name, dtype in self._dtypes.items()],
            "rows": self.cut.rows,
            "chunks": self.cut.chunks,
            "chunk_rows": self.cut.chunk,
            "batch_rows": self.cut.batch,
            "chunk_bytes": self.nbytes,
            "budget_bytes": self.budget,
            "shuffle_seed": self._seed,
            "closed": self._closed,
        }

    def batches(self, epoch: int | None = None) -> Iterator[Batch]:
        """Yields the batches of an epoch, each row once; chunks are loaded into the variables on the way.

        Args:
            epoch: Number of the epoch, from 0; None: the one after the last.

        Returns:
            An iterator. A batch is valid until the next one is requested.

        Raises:
            UsageError: It was closed, or another iteration began meanwhile.
            UnreadableError: Rows cannot be read; the variables then keep their values.
        """
        self._ready()
        number = self._epoch if epoch is None else _whole("epoch", epoch, 0)
        self._epoch = number + 1
        return self._batches(EpochOrder(self.cut, number, self._seed, self._stripe))

    def _batches(self, order: EpochOrder) -> Iterator[Batch]:
        for chunk in range(self.cut.chunks):
            rows = order.rows(chunk)
            key = (chunk, order.epoch if self._seed is not None else None)
            self._load(key, rows)
            for start in range(0, len(rows), self.cut.batch):
                if self._key != key:
                    raise UsageError("the shared variable holds other rows now", help="finish one iteration before the next one begins")
                part = rows[start : start + self.cut.batch]
                yield Batch(start, start + len(part), self.cut.batch, chunk, order.epoch, part)

    def _load(self, key: Key, rows: NDArray[Any]) -> None:
        """Loads a chunk into the variables, unless they hold it already."""
        self._ready()
        if self._key == key and all(value_of(v) is self._values[name] for name, v in self.variables.items()):
            self._unchanged()
            return
        self._stage(key[0], rows)
        self._key = None
        for name, variable in self.variables.items():
            self._staged[name] = assign(variable, self._staged[name])
        self._values = {name: value_of(v) for name, v in self.variables.items()}
        self._key = key

    def _unchanged(self) -> None:
        """Raises UnreadableError if a source changed since its rows were loaded."""
        for name, source in self._sources.items():
            try:
                source.check()
            except OSError as reason:
                raise UnreadableError(f"{source.name} can no longer be read: {reason}", help=f"open {name} anew") from reason

    def _stage(self, chunk: int, rows: NDArray[Any]) -> None:
        """Reads a chunk's rows of all sources into host arrays and fills up the last chunk with zeros."""
        for name, source in self._sources.items():
            staged = self._staged[name]
            try:
                source.read(rows, staged[: len(rows)])
            except UnreadableError as reason:
                help = f"{name} still holds the data from before chunk {chunk}; restart the iteration"
                raise UnreadableError(reason.message, help=help) from reason.__cause__
            staged[len(rows) :] = 0

    def _ready(self) -> None:
        if self._closed:
            raise UsageError("it was closed: its sources are no longer read")

    def close(self) -> None:
        """Releases the sources and the staging memory on the host. The shared variables and their values stay."""
        self._closed = True
        self._sources, self._staged, self._values, self._key = {}, {}, {}, None

    def __enter__(self) -> ChunkedGroup:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def __len__(self) -> int:
        """Number of rows of each source."""
        return self.cut.rows


def _budget(budget: int | str) -> int:
    if isinstance(budget, float) and float(budget).is_integer():  # 2e9
        budget = int(budget)
    if not isinstance(budget, str):
        return _whole("budget", budget, 1)
    try:
        return parse_bytes(budget)
    except (ValueError, OverflowError) as reason:
        raise UsageError(f"the budget is {reason}") from None


def _whole(name: str, value: object, least: int) -> int:
    """`value` as an int of at least `least`; raises UsageError, in which it is called `name`."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None or isinstance(value, bool) or number < least:
        units = " of bytes, or a text such as '1 GiB'" if name == "budget" else ""
        raise UsageError(f"{name}={value!r}", help=f"give a whole number{units}, {least} or more")
    return number


def _rows(sources: Mapping[str, Source]) -> int:
    rows = {name: source.shape[0] for name, source in sources.items()}
    if len(set(rows.values())) > 1:
        raise UsageError(f"the sources have different numbers of rows: {', '.join(f'{k} {v}' for k, v in rows.items())}")
    return next(iter(rows.values()))


class ChunkedShared(ChunkedGroup):
    """A shared variable that holds one chunk of a data set which is too large for the device.

    All chunks have the same shape, so that each is written in place. The last chunk is padded with rows of zeros; no batch contains these.

    Args:
        source: An array, the path of a `.npy` file (mapped into memory, read chunk by chunk), an h5py Dataset (read by slices), or any
            object with `shape`, `dtype` and slices of rows.
        budget: Maximum memory for the chunk: bytes, or a text such as "1 GiB". A chunk is first read into an array on the host. If the
            variable is on the host too (Aesara, PyTensor, Theano with device=cpu), the budget includes this array, so the chunk is half
            as large; on a device it does not.
        batch: Rows per batch. The rows of a chunk are the largest multiple of this that fits. None: each chunk is one batch.
        dtype: Dtype of the variable. "floatX": that of the framework. None: that of the source.
        name: Name of the variable. None: "data".
        shuffle_seed: Shuffle the rows of each epoch over all chunks; the same seed and epoch give the same order. Rows of files are moved
            in runs of about 64 KiB, and then shuffled within their chunk. None: the order of the source.
        library: The framework's module or name. None: the imported framework.

    Raises:
        UsageError: The budget is too small for one batch, or the dtype cannot hold the source's values.
        UnreadableError: The source cannot be read.

    >>> import numpy, sys
    >>> lib = next(m for n in ("theano", "aesara", "pytensor") if (m := sys.modules.get(n)))
    >>> data = ChunkedShared(numpy.arange(1000, dtype="float32"), budget=4096, batch=100)
    >>> start, stop = lib.tensor.lscalars("start", "stop")
    >>> total = lib.function([start, stop], data.variable[start:stop].sum())
    >>> sum(float(total(*batch)) for batch in data.batches()) == sum(range(1000))
    True
    """

    def __init__(
        self,
        source: Any,
        *,
        budget: int | str,
        batch: int | None = None,
        dtype: Any = None,
        name: str | None = None,
        shuffle_seed: int | None = None,
        library: Any = None,
    ) -> None:
        self._name = name or "data"
        sources = {self._name: source}
        super().__init__(sources, budget=budget, batch=batch, dtype=dtype, shuffle_seed=shuffle_seed, library=library)

    @property
    def variable(self) -> Any:
        """The shared variable; it holds zeros until the first batch."""
        return self.variables[self._name]

    @staticmethod
    def group(sources: Mapping[str, Any], **options: Any) -> ChunkedGroup:
        """Chunks several sources together, each in a shared variable of its own.

        Args:
            sources: Name -> source, such as `{"x": images, "y": labels}`.
            **options: Those of `ChunkedGroup`.

        Returns:
            The ChunkedGroup.
        """
        return ChunkedGroup(sources, **options)
