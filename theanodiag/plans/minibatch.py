"""A fitting step with a random part of the rows of the data (`pymc.Minibatch`) instead of all rows.

Every Variable of the step is simulated with that part: an axis as long as the data, or a multiple of it (rows and columns in one), is
shortened. The data themselves stay as they are: `Minibatch` takes rows out of them at each step, and these copies are counted too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..ir import Shape, ShapeTable, Unknown
from ..ir.shape import nbytes
from ..memory.script import Call, Event, Script
from ..memory.settings import MemorySettings
from ..memory.simulate import simulate_figures

LEAST_ROWS = 1000
"""Below this number of rows, an axis may have that length by coincidence."""
PART = 20
"""The trial keeps one row in this many."""


def step_bytes(script: Script, settings: MemorySettings, function: int, rows: int, batch: int) -> int:
    """Bytes that the step (function number `function`) needs with `batch` of `rows` rows, including the copies of these rows."""
    process = simulate_figures(with_rows(script, function, rows, batch), settings)
    profile = process.functions.get(function)
    own = 0 if profile is None else max(0, profile.figures.live_peak_bytes - profile.figures.live_before_bytes)
    return own + _taken(script, function, rows, batch)


def with_rows(script: Script, function: int, rows: int, batch: int) -> Script:
    """The script with `batch` in place of the length `rows` in the function."""

    def changed(event: Event) -> Event:
        return replace(event, shapes=_table(event.shapes, rows, batch)) if isinstance(event, Call) and event.function == function else event

    return replace(script, events=tuple(map(changed, script.events)))


def _table(table: ShapeTable, rows: int, batch: int) -> ShapeTable:
    inner: Mapping[int, ShapeTable] = {node: _table(own, rows, batch) for node, own in table.inner.items()}
    return replace(table, shapes={v: _shortened(s, rows, batch) for v, s in table.shapes.items()}, inner=inner)


def _shortened(shape: Shape | Unknown, rows: int, batch: int) -> Shape | Unknown:
    if isinstance(shape, Unknown):
        return shape
    return tuple(d // rows * batch if isinstance(d, int) and d and d % rows == 0 else d for d in shape)


def _taken(script: Script, function: int, rows: int, batch: int) -> int:
    """Bytes of the rows that are taken out of the data at each step: of all inputs and constants that have them."""
    event = next((e for e in script.events if isinstance(e, Call) and e.function == function), None)
    if event is None:
        return 0
    taken = 0
    for v in script.functions[function].graph.variables:
        shape = event.shapes.shape(v.id)
        if v.owner is None and not isinstance(shape, Unknown) and rows in shape and v.type.dtype is not None:
            size = nbytes(_part(shape, rows, batch), v.type.dtype)
            taken += size if isinstance(size, int) else 0
    return taken


def _part(shape: Shape, rows: int, batch: int) -> Shape:
    part = _shortened(shape, rows, batch)
    return () if isinstance(part, Unknown) else part
