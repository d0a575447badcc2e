"""The simulation: allocator events a second, and how its time grows with the graph."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

from tests.memory.graphs import PLAIN, Sketch
from theanodiag.memory.allocators import Driver, GpuArrayAllocator
from theanodiag.memory.settings import MemorySettings
from theanodiag.memory.simulate import simulate

from ._timing import processor


def events(count: int) -> Callable[[], None]:
    """`count` requests and releases of random sizes on libgpuarray's cache."""

    def run() -> None:
        rng, allocator = random.Random(1), GpuArrayAllocator(Driver())
        held: list[int] = []
        for _ in range(count):
            if held and rng.random() < 0.5:
                k = rng.randrange(len(held))
                held[k], held[-1] = held[-1], held[k]
                allocator.release(held.pop())
            else:
                grant = allocator.allocate(rng.randrange(1, 200_000))
                held += [grant.address] if grant else []

    return run


def chain(nodes: int) -> Callable[[], None]:
    """One call of a graph of `nodes` nodes, each of which reads the two before it."""
    sketch = Sketch()
    first = second = sketch.shared((10, 4))
    for k in range(nodes):
        (made,) = sketch.apply(PLAIN, [first, second], (1 + k % 97, 4))
        first, second = second, made
    script = sketch.script([second])
    return lambda: void(simulate(script, MemorySettings()))


def void(value: object) -> None:
    """A result that nobody needs."""


def main() -> None:
    """Prints a line for each measure."""
    small, large = processor(events(100_000), 3), processor(events(1_000_000), 1)
    print(f"1 000 000 allocator events: {large:.2f} s (aim 10 s); growth exponent {math.log10(large / small):.2f} (aim 1.2)")
    rows = {n: processor(chain(n), 3) for n in (1_000, 10_000, 100_000)}
    for n, t in rows.items():
        print(f"graph of {n} nodes: {t:.3f} s, {t / n * 1e6:.0f} microseconds a node")
    print(f"growth exponent {math.log10(rows[100_000] / rows[1_000]) / 2:.2f} (aim 1.2)")
