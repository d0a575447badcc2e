"""The range over address policies."""

from __future__ import annotations

from hypothesis import given
from hypothesis import settings as hypothesis

from theanodiag.memory.settings import AddressPolicy, MemorySettings
from theanodiag.memory.simulate import reserved_range, simulate

from .graphs import PLAIN, Sketch, random_sketches


def test_one_block_has_no_range() -> None:
    """Where all fits into one block its address does not matter."""
    s = Sketch()
    (y,) = s.apply(PLAIN, [s.shared((10, 4))], (10, 4))
    script, settings = s.script([y]), MemorySettings()
    assert reserved_range(script, settings, simulate(script, settings)) == (4 << 20, 4 << 20)


@hypothesis(deadline=None, max_examples=30)
@given(random_sketches())
def test_the_range_holds_every_policy(made: tuple[Sketch, list[int]]) -> None:
    """On random graphs, a thousand times as large so that there are several blocks."""
    sketch, outputs = made
    sketch.shapes = {v: (rows * 10_000, *rest) for v, (rows, *rest) in sketch.shapes.items()}
    script = sketch.script(outputs, calls=2)
    low, high = reserved_range(script, MemorySettings(), simulate(script, MemorySettings()))
    for policy in AddressPolicy:
        assert low <= simulate(script, MemorySettings(address_policy=policy)).reserved_peak_bytes <= high
