"""Reading rows: from arrays, from files, and from what gives slices alone; and what is said where that fails."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from theanodiag.chunked.sources import BLOCK_BYTES, open_source
from theanodiag.errors import UnreadableError, UsageError


class Slices:
    """Rows that are given by slices alone, as many a reader does; it notes how many were asked for at once."""

    def __init__(self, data: numpy.ndarray[Any, Any], fails_at: int | None = None) -> None:
        self.data, self.shape, self.dtype, self.fails_at = data, data.shape, data.dtype, fails_at
        self.asked: list[slice] = []

    def __getitem__(self, key: slice) -> numpy.ndarray[Any, Any]:
        assert isinstance(key, slice)
        self.asked.append(key)
        if self.fails_at is not None and key.start <= self.fails_at < key.stop:
            raise EOFError("the other end is gone")
        return self.data[key]


def table(rows: int, columns: int = 3) -> numpy.ndarray[Any, Any]:
    """Numbers of which no two are the same."""
    return numpy.arange(rows * columns, dtype="float32").reshape(rows, columns)


@given(st.data(), st.integers(1, 60), st.booleans())
def test_rows_come_in_the_wanted_order(data: st.DataObject, rows: int, slices: bool) -> None:
    """Any rows in any order, from both kinds of sources."""
    wanted = numpy.array(data.draw(st.lists(st.integers(0, rows - 1), unique=True)), dtype=int)
    into = numpy.zeros((len(wanted), 3), "float32")
    open_source(Slices(table(rows)) if slices else table(rows)).read(wanted, into)
    assert (into == table(rows)[wanted]).all()


def test_files_are_mapped_not_read(tmp_path: Path) -> None:
    """A `.npy` file, by its path."""
    numpy.save(tmp_path / "x.npy", table(100))
    source = open_source(tmp_path / "x.npy")
    assert isinstance(source.data, numpy.memmap)
    into = numpy.zeros((2, 3), "float32")
    source.read(numpy.array([99, 0]), into)
    assert (into == table(100)[[99, 0]]).all()


def test_neighbours_are_asked_for_at_once_and_never_the_whole() -> None:
    """Runs of rows are one slice, and no slice is above the block."""
    wide = Slices(numpy.zeros((40, BLOCK_BYTES // 8), "float32"))
    source = open_source(wide)
    rows = numpy.r_[0:5, 7, 30:34]
    source.read(rows, numpy.zeros((len(rows), *wide.shape[1:]), "float32"))
    assert [(s.start, s.stop) for s in wide.asked] == [(0, 2), (2, 4), (4, 5), (7, 8), (30, 32), (32, 34)]


def test_failing_reader_names_rows_and_source() -> None:
    """With what the reader itself said."""
    source = open_source(Slices(table(100), fails_at=42))
    with pytest.raises(UnreadableError, match=r"rows 40 to 59 of Slices \(100, 3\) could not be read: EOFError: the other end is gone"):
        source.read(numpy.arange(40, 60), numpy.zeros((20, 3), "float32"))


def test_file_that_shrinks_is_noticed(tmp_path: Path) -> None:
    """Before the mapping is touched: that would end the process."""
    path = tmp_path / "x.npy"
    numpy.save(path, table(100_000))
    source = open_source(str(path))
    with path.open("r+b") as file:
        file.truncate(4096)
    with pytest.raises(UnreadableError, match=r"rows 0 to 9 of .*x\.npy could not be read: OSError: the file had 1200128 bytes"):
        source.read(numpy.arange(10), numpy.zeros((10, 3), "float32"))


def test_short_answer_is_refused() -> None:
    """A source that promises more rows than it gives."""
    short = Slices(table(5))
    short.shape = (10, 3)
    with pytest.raises(UnreadableError, match=r"rows 0 to 9 of .*: the source gave \(5, 3\) instead of \(10, 3\)"):
        open_source(short).read(numpy.arange(10), numpy.zeros((10, 3), "float32"))


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (3, "builtins.int gives no rows"),
        (numpy.float32(3), "gives no rows"),
        ("data.h5", "data.h5 is not a .npy file"),
        (numpy.array(["a"]), "which no tensor has"),
    ],
)
def test_what_has_no_rows_is_refused(source: object, words: str) -> None:
    """At once, not at the first batch."""
    with pytest.raises(UsageError, match=words):
        open_source(source)


@pytest.mark.parametrize("content", [None, b"", b"no numpy file", b"\x93NUMPY\x01\x00v\x00"], ids=["none", "empty", "other", "cut off"])
def test_file_that_cannot_be_opened(tmp_path: Path, content: bytes | None) -> None:
    """The path is named."""
    path = tmp_path / "x.npy"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UnreadableError, match=r"x\.npy: it cannot be mapped into memory"):
        open_source(path)


def test_half_a_file_is_refused(tmp_path: Path) -> None:
    """The header promises more than there is."""
    path = tmp_path / "x.npy"
    numpy.save(path, table(100))
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(UnreadableError, match="cannot be mapped"):
        open_source(path)


def test_h5py_datasets_are_read_by_slices(tmp_path: Path) -> None:
    """Stripes are whole pieces of the file; the name says which Dataset of which file."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "d.h5", "w") as file:
        data = file.create_dataset("train/x", data=table(1000), chunks=(70, 3))
        source = open_source(data)
        assert source.stripe % 70 == 0
        assert source.name.endswith("d.h5:/train/x")
        rows = numpy.random.default_rng(0).permutation(1000)[:300]
        into = numpy.zeros((300, 3), "float32")
        source.read(rows, into)
        assert (into == table(1000)[rows]).all()
