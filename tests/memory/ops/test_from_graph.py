"""OpFromGraph: an inner function that takes memory of its own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from theanodiag.ir import FunctionGraph, Op, ShapeTable
from theanodiag.memory.script import Call, Script
from theanodiag.memory.settings import MemorySettings
from theanodiag.memory.simulate import simulate

from ..graphs import DEVICE, EXACT, PLAIN, Sketch

UNIT = 16
"""Bytes of a row of four float32."""


def inner(rows: int, **info: object) -> tuple[FunctionGraph, ShapeTable]:
    """A constant of a row, so many rows in between, and a row as the result."""
    s = Sketch()
    x = s.argument((1, 4), DEVICE)
    (large,) = s.apply(PLAIN, [x, s.constant((1, 4))], (rows, 4))
    (out,) = s.apply(PLAIN, [large], (1, 4))
    return replace(s.graph([out]), info={"kind": "opfromgraph", **info}), s.table()


def script(*inside: tuple[FunctionGraph, ShapeTable], calls: int = 1) -> Script:
    """A function that is one OpFromGraph after the other, on a shared variable."""
    s = Sketch()
    last, tables = s.shared((1, 4)), {}
    for graph, table in inside:
        tables[len(s.applies)] = table
        (last,) = s.apply(Op("OpFromGraph", "OpFromGraph{inline=False}", inner=graph), [last], (1, 4))
    done = s.script([last], calls=calls)
    events = [replace(e, shapes=replace(e.shapes, inner=tables)) if isinstance(e, Call) else e for e in done.events]
    return replace(done, events=tuple(events))


def rows(made: Script, settings: MemorySettings = EXACT) -> list[tuple[int, int, int]]:
    """Before, peak and after of each call, in rows."""
    return [(f.live_before_bytes // UNIT, f.live_peak_bytes // UNIT, f.live_after_bytes // UNIT) for f in simulate(made, settings).calls[0]]


def test_what_the_inner_function_takes_is_counted() -> None:
    """Its constant is there from the beginning; the result comes beside ten rows, which then go."""
    assert rows(script(inner(10))) == [(2, 2 + 10 + 1, 2)]


@pytest.mark.parametrize(("copies", "peak"), [(True, 2 + 2), (False, 2 + 1 + 1)])
def test_theano_copies_the_results(copies: bool, peak: int) -> None:
    """A copy beside the inner result; elsewhere that is handed over, and the peak is inside: one row in between and the result."""
    assert rows(script(inner(1, copies=copies))) == [(2, peak, 2)]
    assert rows(script(inner(0, copies=copies)))[0][1] == 2 + 1 + copies


def test_without_allow_gc_it_keeps_what_it_computed() -> None:
    """Ten rows and its result, beside the copy that the outer function has."""
    kept = MemorySettings(preallocate=-1.0, allow_gc=False)
    first, second = rows(script(inner(10, copies=True), calls=2), kept)
    assert first == (2, 2 + 10 + 1 + 1, 2 + 10 + 1 + 1)
    assert second[2] == first[2]


def test_nodes_of_one_op_share_its_function() -> None:
    """One constant, and without `allow_gc` one set of intermediates; two Ops have two."""
    kept = MemorySettings(preallocate=-1.0, allow_gc=False)
    same, other = inner(10, number=0), inner(10, number=1)
    assert rows(script(same, same))[0][0] == 1 + 1
    assert rows(script(same, other))[0][0] == 1 + 2
    assert rows(script(same, other), kept)[0][2] > rows(script(same, same), kept)[0][2] + 10


def test_one_that_is_not_known_gets_its_outputs() -> None:
    """A printed graph does not say what runs."""
    graph, table = inner(10)
    assert rows(script((replace(graph, info={}), table))) == [(2, 3, 2)]
