"""The lines of the account: they add up to what is reserved, whatever the buffers are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st

from theanodiag.memory.process_simulation import items, live_variables
from theanodiag.memory.profile import Item, Origin
from theanodiag.ops.arrays import Buffer, ItemKind, Tag

BESIDE = (ItemKind.ROUNDING, ItemKind.FRAGMENTATION)


def buffer(asked: int, held: int, kind: ItemKind = ItemKind.INTERMEDIATE, born: int = 0, name: str = "x") -> Buffer:
    """A buffer that somebody holds."""
    return Buffer(0, asked, held, Tag(kind, name), born, 1)


def as_table(lines: tuple[Item, ...]) -> dict[str, int]:
    """Bytes by kind."""
    return {line.kind.value: line.bytes for line in lines}


def test_one_line_a_kind() -> None:
    """Two intermediates of 100 and 28 bytes are one line of 128."""
    lines = items([buffer(100, 100), buffer(28, 28), buffer(7, 7, ItemKind.SHARED)], 135, Origin.DERIVED)
    assert as_table(lines) == {"shared": 7, "intermediate": 128}


def test_rounding_is_what_the_allocator_added() -> None:
    """Two requests of one byte hold 64 each: 126 bytes of rounding."""
    lines = items([buffer(1, 64), buffer(1, 64)], 128, Origin.DERIVED)
    assert as_table(lines) == {"intermediate": 2, "rounding": 126}


def test_fragmentation_is_reserved_and_not_live() -> None:
    """A block of 4096 bytes of which 64 are held."""
    assert as_table(items([buffer(64, 64)], 4096, Origin.DERIVED)) == {"intermediate": 64, "fragmentation": 4032}


def test_no_line_for_nothing() -> None:
    """Kinds without bytes are left out, and an empty device has no lines at all."""
    assert items([], 0, Origin.DERIVED) == ()
    assert as_table(items([buffer(0, 64)], 64, Origin.DERIVED)) == {"rounding": 64}


def test_the_lines_stand_in_the_order_of_the_kinds() -> None:
    """Shared variables first, then constants, and so on, whatever came first."""
    kinds = [ItemKind.WORKSPACE, ItemKind.OUTPUT, ItemKind.SHARED]
    lines = items([buffer(8, 8, kind) for kind in kinds], 24, Origin.DERIVED)
    assert [line.kind for line in lines] == [ItemKind.SHARED, ItemKind.OUTPUT, ItemKind.WORKSPACE]


def test_rounding_is_derived_even_where_sizes_are_bounds() -> None:
    """The allocator's rule is known; the sizes, and so the fragmentation, are not."""
    origins = {line.kind: line.origin for line in items([buffer(1, 64)], 128, Origin.BOUNDED)}
    assert origins[ItemKind.ROUNDING] is Origin.DERIVED
    assert {o for k, o in origins.items() if k is not ItemKind.ROUNDING} == {Origin.BOUNDED}


ROWS = st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 63), st.sampled_from([k for k in ItemKind if k not in BESIDE])))


@hypothesis(deadline=None)
@given(ROWS, st.integers(0, 1 << 22))
def test_the_lines_add_up_to_what_is_reserved(rows: list[tuple[int, int, ItemKind]], free: int) -> None:
    """For any buffers: all lines make the reserved bytes, all but fragmentation the live ones."""
    buffers = [buffer(asked, asked + more, kind) for asked, more, kind in rows]
    live = sum(b.held for b in buffers)
    table = as_table(items(buffers, live + free, Origin.DERIVED))
    assert sum(table.values()) == live + free
    assert sum(n for kind, n in table.items() if kind != "fragmentation") == live


def test_the_largest_buffer_comes_first() -> None:
    """What takes most is read first; of equal ones the older."""
    rows = [buffer(1, 64, born=1, name="a"), buffer(1, 128, born=2, name="b"), buffer(1, 64, born=3, name="c")]
    assert [v.variable for v in live_variables(rows)] == ["b", "a", "c"]


def test_a_live_variable_repeats_what_its_buffer_was_taken_for() -> None:
    """Name, op, dtype, shape and kind come from the tag, the size from the allocator."""
    tag = Tag(ItemKind.OUTPUT, "y", "GpuDot22", "float32", (3, 5))
    (row,) = live_variables([Buffer(0, 60, 64, tag, 0, 1)])
    assert (row.variable, row.op, row.dtype, row.shape, row.kind) == ("y", "GpuDot22", "float32", (3, 5), ItemKind.OUTPUT)
    assert row.nbytes == 64
