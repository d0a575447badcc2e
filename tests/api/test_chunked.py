"""ChunkedShared on the framework in this interpreter: each row once an epoch, within the budget, whole also where a reader fails."""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import theanodiag
from theanodiag.chunked import Batch, ChunkedGroup, ChunkedShared

NAME = next((n for n in ("theano", "aesara", "pytensor") if importlib.util.find_spec(n)), None)
if NAME is None:
    pytest.skip("needs theano, aesara or pytensor beside theanodiag", allow_module_level=True)

import numpy  # noqa: E402
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def lib() -> ModuleType:
    """The framework, imported."""
    assert NAME is not None
    return importlib.import_module(NAME)


@pytest.fixture(scope="module")
def rows_of(lib: Any) -> Any:
    """Compiles what returns rows `start` to `stop` of a variable."""

    def compiled(variable: Any) -> Any:
        start, stop = lib.tensor.lscalar("start"), lib.tensor.lscalar("stop")
        return lib.function([start, stop], variable[start:stop])

    return compiled


class Slices:
    """Rows by slices alone; asked for row `fails_at` it raises what it is told to."""

    def __init__(self, data: Any, fails_at: int | None = None, with_: type[BaseException] = OSError) -> None:
        self.data, self.shape, self.dtype = data, data.shape, data.dtype
        self.fails_at, self.failure = fails_at, with_

    def __getitem__(self, key: slice) -> Any:
        if self.fails_at is not None and key.start <= self.fails_at < key.stop:
            raise self.failure("the disk is gone")
        return self.data[key]


def table(rows: int, columns: int = 2) -> Any:
    """Numbers of which no two are the same."""
    return numpy.arange(rows * columns, dtype="float32").reshape(rows, columns)


def given_rows(data: ChunkedShared, epoch: int | None = None) -> Iterator[tuple[Batch, Any]]:
    """The batches, and what the variable holds there."""
    for batch in data.batches(epoch):
        yield batch, data.variable.get_value(borrow=True)[batch.slice].copy()


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 400), st.integers(1, 33), st.integers(1, 5), st.none() | st.integers(0, 9), st.booleans())
def test_each_row_comes_once_an_epoch(rows: int, batch: int, batches: int, seed: int | None, slices: bool) -> None:
    """Whatever the number of rows, the batch, the budget and the order, for two epochs; and it is the row that it says it is."""
    source = Slices(table(rows)) if slices else table(rows)
    budget = 2 * (batches * batch * 8 + 63)
    with ChunkedShared(source, budget=budget, batch=batch, shuffle_seed=seed) as data:
        for epoch in range(2):
            found = list(given_rows(data, epoch))
            assert sorted(numpy.concatenate([b.rows for b, _ in found]).tolist()) == list(range(rows))
            for b, values in found:
                assert (values == table(rows)[b.rows]).all()
                assert (b.start, b.stop, b.size) == (b.index * batch, b.start + len(values), int(b.mask.sum()))
        assert data.variable.get_value(borrow=True).shape == (data.cut.chunk, 2)
        assert data.nbytes <= budget


@pytest.mark.parametrize("kind", ["array", "npy", "h5py"])
@pytest.mark.parametrize("seed", [None, 3])
def test_functions_see_the_rows(rows_of: Any, tmp_path: Path, kind: str, seed: int | None) -> None:
    """A compiled function that slices the variable, over three chunks of each kind of source."""
    whole = table(1000)
    source: Any = whole
    if kind == "npy":
        numpy.save(tmp_path / "x.npy", whole)
        source = tmp_path / "x.npy"
    elif kind == "h5py":
        h5py = pytest.importorskip("h5py")
        source = h5py.File(tmp_path / "x.h5", "w").create_dataset("x", data=whole, chunks=(64, 2))
    data = ChunkedShared(source, budget=2 * 400 * 8, batch=50, shuffle_seed=seed)
    rows = rows_of(data.variable)
    seen = [(b.rows, numpy.array(rows(b.start, b.stop))) for b in data.batches()]
    assert all((values == whole[wanted]).all() for wanted, values in seen)
    assert sum(len(values) for _, values in seen) == 1000


def test_same_seed_gives_the_same_epoch_and_others_differ() -> None:
    """An epoch can be repeated by its number."""
    data = ChunkedShared(table(100), budget=2 * 320, batch=10, shuffle_seed=1)
    orders = [numpy.concatenate([b.rows for b in data.batches(epoch)]).tolist() for epoch in (0, 1, 0)]
    assert orders[0] == orders[2] != orders[1]
    assert [b.epoch for b in data.batches()][:1] == [1]


@pytest.mark.parametrize("failure", [OSError, EOFError, KeyboardInterrupt])
@pytest.mark.parametrize("seed", [None, 5])
def test_failing_reader_leaves_the_variable_as_it_was(failure: type[BaseException], seed: int | None) -> None:
    """Rows and source are named; after the cause is gone an epoch runs from its beginning."""
    reader = Slices(table(100), None, failure)
    data = ChunkedShared(reader, budget=2 * 320, batch=10, name="x", shuffle_seed=seed)
    batches = data.batches(0)
    next(batches)
    before = data.variable.get_value()
    reader.fails_at = next(r for r in range(100) if not (before == table(100)[r]).all(axis=1).any())
    expected = failure if failure is KeyboardInterrupt else theanodiag.UnreadableError
    seen = [before]
    with pytest.raises(expected, match="the disk is gone") as caught:
        seen.extend(data.variable.get_value() for _ in batches)
    assert (data.variable.get_value() == seen[-1]).all()
    if isinstance(caught.value, theanodiag.UnreadableError):
        assert "could not be read" in str(caught.value)
        assert "x still holds the data from before chunk" in str(caught.value)
    reader.fails_at = None
    assert sum(b.size for b in data.batches()) == 100


def test_group_cuts_all_alike(lib: Any) -> None:
    """Images and labels of the same rows, within one budget; each has its own dtype."""
    x, y = table(90, 5), numpy.arange(90, dtype="int32")
    group = ChunkedShared.group({"x": x, "y": y}, budget=2 * 40 * 24 + 256, batch=8, shuffle_seed=2)
    assert isinstance(group, ChunkedGroup)
    assert (group.cut.chunk, len(group)) == (40, 90)
    for b in group.batches():
        assert (group.variables["x"].get_value(borrow=True)[b.slice] == x[b.rows]).all()
        assert (group.variables["y"].get_value(borrow=True)[b.slice] == y[b.rows]).all()
    assert group.variables["y"].type.dtype == "int32"


def test_last_chunk_is_filled_with_zeros() -> None:
    """What no batch covers has no rows of anybody, and a fixed window is masked."""
    data = ChunkedShared(table(10) + 1, budget=2 * 64, batch=4)
    last = list(data.batches())[-1]
    assert (last.start, last.stop, last.mask.tolist()) == (0, 2, [True, True, False, False])
    assert (data.variable.get_value()[2:] == 0).all()


def test_what_is_there_is_not_read_again() -> None:
    """Data that fits as a whole is read once, unless somebody put something else into the variable."""
    reader = Slices(table(20))
    data = ChunkedShared(reader, budget=2 * 192, batch=5)
    list(data.batches())
    reader.fails_at = 0
    assert sum(b.size for b in data.batches()) == 20
    data.variable.set_value(numpy.zeros((20, 2), "float32"))
    with pytest.raises(theanodiag.UnreadableError):
        list(data.batches())


def test_dtype_may_be_another(lib: Any) -> None:
    """float64 on disk, floatX in the variable: the budget counts the latter."""
    data = ChunkedShared(table(100).astype(">f8"), budget="1 KiB", dtype="floatX")
    assert data.variable.type.dtype == lib.config.floatX
    assert data.cut.chunk == 512 // (2 * numpy.dtype(lib.config.floatX).itemsize)
    native = ChunkedShared(table(100).astype(">f8"), budget="1 KiB")
    assert native.variable.type.dtype == "float64"
    assert (numpy.concatenate([v for _, v in given_rows(native)]) == table(100)).all()


def test_budget_too_small_for_a_batch() -> None:
    """What a batch takes is said; on the host twice."""
    with pytest.raises(theanodiag.UsageError, match=r"a batch of 100 rows takes 1\.6 KiB \(1664 bytes\) \(on the host twice"):
        ChunkedShared(table(1000), budget=1663, batch=100)


def test_two_iterations_do_not_mix() -> None:
    """The first one says so instead of giving rows of the second."""
    data = ChunkedShared(table(100), budget=2 * 320, batch=10)
    first = data.batches(0)
    next(first)
    list(data.batches(0))
    with pytest.raises(theanodiag.UsageError, match="holds other rows now"):
        next(first)


def test_closed_is_closed() -> None:
    """The variable stays, the sources go."""
    with ChunkedShared(table(100), budget=2 * 320, batch=10) as data:
        next(data.batches())
    with pytest.raises(theanodiag.UsageError, match="was closed"):
        data.batches()
    assert data.variable.get_value().shape == (40, 2)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"budget": "much"}, "the budget is not a size in bytes"),
        ({"budget": "1 MiB", "batch": 0}, "batch=0"),
        ({"budget": "1 MiB", "library": "caffe"}, "caffe is not imported"),
    ],
)
def test_nonsense_is_refused(options: dict[str, Any], words: str) -> None:
    """With what is wrong."""
    with pytest.raises(theanodiag.UsageError, match=words):
        ChunkedShared(table(10), **options)


def test_sources_of_different_lengths() -> None:
    """Each is named with its rows."""
    with pytest.raises(theanodiag.UsageError, match="different numbers of rows: x 10, y 9"):
        ChunkedGroup({"x": table(10), "y": table(9)}, budget="1 MiB")


def test_simulated_peak_keeps_the_budget(lib: Any, tmp_path: Path) -> None:
    """The script's own simulation: one chunk on a device, however many are loaded. Only Theano has its variables there itself."""
    script = tmp_path / "model.py"
    script.write_text(SCRIPT.format(name=NAME))
    report = theanodiag.check(script, device="4 GiB", device_overhead=0, stdout=os.open(os.devnull, os.O_WRONLY))
    (function,) = report.functions
    shared = [v for v in function.profile.at_peak if v.kind.value == "shared"]
    assert [v.shape for v in shared] == [(2560 if NAME == "theano" else 1280, 100)]
    assert sum(v.nbytes for v in shared) <= 1 << 20


SCRIPT = """
import numpy, {name} as lib, theanodiag
data = theanodiag.ChunkedShared(numpy.zeros((10000, 100), "float32"), budget="1 MiB", batch=128, library=lib)
start, stop = lib.tensor.lscalar("start"), lib.tensor.lscalar("stop")
f = lib.function([start, stop], (data.variable[start:stop] ** 2).sum())
for batch in data.batches():
    f(batch.start, batch.stop)
"""
