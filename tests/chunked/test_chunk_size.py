"""How many rows a chunk has, beside a search from end to end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theanodiag.chunked.group import chunk_bytes, cut
from theanodiag.errors import UsageError

SIZES = st.lists(st.integers(0, 300), min_size=1, max_size=3)


@given(st.integers(1, 200), SIZES, st.integers(0, 20_000), st.none() | st.integers(1, 40), st.sampled_from([1, 2]))
def test_chunk_is_the_largest_that_fits(rows: int, sizes: list[int], budget: int, batch: int | None, arrays: int) -> None:
    """No multiple of the batch beyond it fits, unless the data ends; where none fits that is said."""
    step = batch or 1
    whole = -(-rows // step) * step
    fitting = [n for n in range(step, whole + 1, step) if chunk_bytes(n, sizes, arrays) <= budget]
    if not fitting:
        with pytest.raises(UsageError, match="the budget is"):
            cut(rows, sizes, budget, batch, arrays)
        return
    found = cut(rows, sizes, budget, batch, arrays)
    assert (found.chunk, found.batch) == (max(fitting), batch or max(fitting))
    assert (found.chunks - 1) * found.chunk < rows <= found.chunks * found.chunk


@pytest.mark.parametrize(("nbytes", "counted"), [(0, 64), (1, 64), (64, 64), (65, 128)])
def test_sizes_are_rounded_as_the_allocator_does(nbytes: int, counted: int) -> None:
    """To 64 bytes, and at least these."""
    assert chunk_bytes(1, [nbytes]) == counted


def test_last_byte_decides() -> None:
    """A batch of 128 rows of 784 floats."""
    need = 128 * 784 * 4
    assert cut(1000, [784 * 4], need, 128).chunk == 128
    with pytest.raises(UsageError, match=r"a batch of 128 rows takes 392\.0 KiB \(401408 bytes\), the budget is 392\.0 KiB"):
        cut(1000, [784 * 4], need - 1, 128)


@pytest.mark.parametrize(("rows", "batch", "words"), [(0, 1, "no rows"), (1, 0, "a batch of 0 rows"), (1, -1, "a batch of -1 rows")])
def test_nonsense_is_refused(rows: int, batch: int, words: str) -> None:
    """With what is wrong."""
    with pytest.raises(UsageError, match=words):
        cut(rows, [4], 1000, batch)
