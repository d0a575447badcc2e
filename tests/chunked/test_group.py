"""What a chunked shared variable is given: plain errors at once, and no value that changes on its way."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from theanodiag.chunked import ChunkedShared
from theanodiag.errors import UnreadableError, UsageError


class Cell:
    """A shared variable as the frameworks have it: a cell that holds the value."""

    def __init__(self, value: object, name: str, borrow: bool) -> None:
        self.container, self.name = SimpleNamespace(storage=[value]), name

    def set_value(self, value: object, borrow: bool) -> None:
        """Puts it there."""
        assert borrow
        self.container.storage[0] = value


LIBRARY = SimpleNamespace(shared=Cell, config=SimpleNamespace(floatX="float32"))


def chunked(source: object = None, **options: Any) -> ChunkedShared:
    """One of 40 rows in chunks of 10."""
    given = numpy.arange(40, dtype="float32") if source is None else source
    return ChunkedShared(given, **{"budget": 128, "batch": 10, "library": LIBRARY, **options})


@pytest.mark.parametrize("budget", [None, [1], True, -1, 0, 1.5, math.nan, math.inf, "many", "", b"1 GiB", numpy.float32(2.5)])
def test_a_budget_that_is_none(budget: object) -> None:
    """What is wrong with it, not a traceback of ours."""
    with pytest.raises(UsageError, match="budget"):
        chunked(budget=budget)


@pytest.mark.parametrize("budget", [128, 128.0, "128", "0.125 KiB", numpy.int64(128)])
def test_a_budget_as_people_write_it(budget: object) -> None:
    """2e9 is a float, and len() of something may be numpy's."""
    assert chunked(budget=budget).cut.chunk == 10


@pytest.mark.parametrize("batch", [0, -3, 1.5, "10", True, [10], math.nan])
def test_a_batch_that_is_none(batch: object) -> None:
    """As for the budget."""
    with pytest.raises(UsageError, match="batch="):
        chunked(batch=batch)


@pytest.mark.parametrize("seed", [-1, 1.5, "7", True, [1, 2], math.inf])
def test_a_seed_that_is_none(seed: object) -> None:
    """At once, not in the first epoch."""
    with pytest.raises(UsageError, match="shuffle_seed="):
        chunked(shuffle_seed=seed)


def test_an_epoch_that_is_none() -> None:
    """It is part of the seed."""
    with pytest.raises(UsageError, match="epoch=-1"):
        chunked(shuffle_seed=3).batches(-1)


class Liar:
    """Says float32 and gives something else."""

    shape, dtype = (40,), numpy.dtype("float32")

    def __getitem__(self, key: slice) -> object:
        return numpy.arange(40, dtype="float64")[key]


def test_rows_of_another_dtype_are_refused() -> None:
    """They would have been cast without a word."""
    with pytest.raises(UnreadableError, match="the source gave float64 instead of float32, which it said it has"):
        list(chunked(Liar()).batches())


def test_another_order_of_bytes_is_no_other_dtype() -> None:
    """The values are the same."""
    data = chunked(numpy.arange(40, dtype=">f4"))
    assert [float(data.variable.container.storage[0][b.start]) for b in data.batches()] == [0.0, 10.0, 20.0, 30.0]


@pytest.mark.parametrize(("source", "dtype"), [("float32", "int32"), ("complex64", "float32"), ("int64", "uint8"), ("float32", "bool")])
def test_a_dtype_that_loses_is_refused(source: str, dtype: str) -> None:
    """Unless it is only shorter."""
    with pytest.raises(UsageError, match=f"of dtype {source}, which cannot be converted to {dtype} without loss"):
        chunked(numpy.zeros(40, source), dtype=dtype)


def test_whole_numbers_stay_what_they_are() -> None:
    """130 is -126 in int8."""
    with pytest.raises(UnreadableError, match="130 does not fit into int8"):
        list(chunked(numpy.arange(0, 400, 10, dtype="int64"), dtype="int8").batches())
    assert sum(b.size for b in chunked(numpy.arange(40), dtype="int8").batches()) == 40


def replaced(path: Path) -> None:
    """By another file of the same size."""
    numpy.save(path.with_name("y.npy"), numpy.zeros(40, "float32"))
    os.replace(path.with_name("y.npy"), path)


def overwritten(path: Path) -> None:
    """In place."""
    with path.open("r+b") as file:
        file.seek(-4, os.SEEK_END)
        file.write(b"\0\0\0\0")
    os.utime(path, ns=(1, 1))


@pytest.mark.parametrize(("budget", "epochs"), [(128, 0), (1 << 20, 1)], ids=["chunk after chunk", "one chunk, which is there already"])
@pytest.mark.parametrize(("change", "words"), [(replaced, "it was replaced by another file"), (overwritten, "the file was written to")])
def test_a_file_that_changes_is_noticed(tmp_path: Path, change: Any, words: str, budget: int, epochs: int) -> None:
    """A mapping would go on with the old file, or with half of the new one."""
    path = tmp_path / "x.npy"
    numpy.save(path, numpy.arange(40, dtype="float32"))
    data = chunked(path, budget=budget)
    for _ in range(epochs):
        assert sum(b.size for b in data.batches()) == 40
    change(path)
    with pytest.raises(UnreadableError, match=words):
        list(data.batches())


def test_it_says_how_its_source_is_cut() -> None:
    """As text, as plain values and as JSON; the sizes are those of the cut."""
    data = chunked(shuffle_seed=3)
    assert data.to_dict() == {
        "variables": [{"name": "data", "dtype": "float32"}],
        "rows": 40,
        "chunks": 4,
        "chunk_rows": 10,
        "batch_rows": 10,
        "chunk_bytes": data.nbytes,
        "budget_bytes": 128,
        "shuffle_seed": 3,
        "closed": False,
    }
    assert json.loads(data.to_json()) == data.to_dict()
    assert repr(data) == "<ChunkedShared data: 40 rows, 4 chunks of 10, batches of 10, 128 B>"
    assert "40 rows in 4 chunks of 10 rows, batches of 10" in str(data)
    assert "shuffled with seed 3" in str(data)
    data.close()
    assert data.to_dict()["closed"] is True
