"""TD334: what a script needs with class numbers instead of one-hot rows."""

from __future__ import annotations

from dataclasses import replace

from tests.rules.scripts import BY_CODE, only
from theanodiag.rules.examples import device, subject
from theanodiag.rules.subject import ScriptSubject

ROWS = 1000 * 20_000 * 4
"""Bytes of the targets, and of the scores beside them."""


def example(in_place_of: int) -> ScriptSubject:
    """The rule's example, whose product of targets (0) and softmax (1) is written over one of them."""
    script = BY_CODE["TD334"].fires().script
    graph = script.functions[0].graph
    applies = tuple(
        replace(n, op=replace(n.op, destroy_map={0: (in_place_of,)})) if n.op.name == "GpuElemwise" else n for n in graph.applies
    )
    function = replace(script.functions[0], graph=replace(graph, applies=applies))
    return subject(replace(script, functions=(function,)), device(80_000_000_000))


def test_the_rows_go() -> None:
    """All but a number for each, which take 4032 bytes, a multiple of 64."""
    s = example(1)
    found = only("TD334", s)
    assert found.after is not None
    assert s.process.live_peak_bytes - found.after.live_peak_bytes == ROWS - 4032


def test_what_was_written_over_them_stays() -> None:
    """The product of targets and softmax has to be somewhere: where it took their place, nothing is gained by it."""
    s = example(0)
    found = list(BY_CODE["TD334"].check(s))
    assert all(f.after is not None and f.after.live_peak_bytes >= 2 * ROWS for f in found)
