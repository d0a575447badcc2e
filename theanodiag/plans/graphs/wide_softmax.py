"""Finds softmaxes over many classes (a vocabulary), and simulates one over the words of the batch and a sample of the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ...ir import FunctionGraph, GraphInput, Shape, ShapeTable
from ...ir.shape import nbytes
from ...memory.profile import ProcessProfile
from ...memory.script import Script
from ...memory.settings import MemorySettings
from ...memory.simulate import simulate
from .edit import with_shapes

LEAST_CLASSES = 5000
"""Softmaxes over fewer classes are not examined."""
SAMPLE = 1000
"""Words that are drawn beside those of the batch."""


@dataclass(frozen=True)
class WideSoftmax:
    """A softmax of a function, of (rows, classes)."""

    function: int
    """Index of the function."""
    variable: int
    """Id of its output."""
    rows: int
    """Rows of the softmax."""
    classes: int
    """Classes in each row."""

    @property
    def scored(self) -> int:
        """Classes that are scored with a sample: those of the rows, and `SAMPLE` others."""
        return self.rows + SAMPLE


def find_softmaxes(script: Script, function: int, table: ShapeTable) -> Iterator[WideSoftmax]:
    """Yields the softmaxes over at least `LEAST_CLASSES` classes of which a sample would score less than a quarter."""
    graph = script.functions[function].graph
    seen: set[int] = set()
    for node in graph.applies:
        shape = table.shape(node.outputs[-1 if "Argmax" not in node.op.name else 1]) if "Softmax" in node.op.name else None
        if isinstance(shape, tuple) and len(shape) == 2 and isinstance(shape[0], int) and isinstance(shape[1], int):
            found = WideSoftmax(function, node.outputs[-1 if "Argmax" not in node.op.name else 1], shape[0], shape[1])
            if shape[1] >= LEAST_CLASSES and 4 * found.scored < shape[1] and shape[1] not in seen:
                seen.add(shape[1])
                yield found


def sampled(script: Script, softmax: WideSoftmax) -> Script:
    """The script in which arrays of (rows, classes) have columns for the scored classes only; weights and their gradients stay whole."""
    graph = script.functions[softmax.function].graph
    shared = [i.variable for i in graph.inputs if i.shared is not None]

    def reshape(table: ShapeTable) -> Mapping[int, Shape]:
        whole = {table.shape(v) for v in shared} | {tuple(reversed(s)) for v in shared if isinstance(s := table.shape(v), tuple)}
        rows = {v: s for v, s in table.shapes.items() if isinstance(s, tuple) and softmax.classes in s and s not in whole and len(s) > 1}
        return {v: tuple(softmax.scored if n == softmax.classes else n for n in s) for v, s in rows.items() if s[0] != 1}

    return with_shapes(script, softmax.function, reshape)


def upper_bound(script: Script, softmax: WideSoftmax, settings: MemorySettings) -> ProcessProfile:
    """The simulation of `sampled`, with what it leaves out added to the peaks.

    That is the columns that are read, their gradients, and a gradient of each whole weight, which Theano makes where columns are read and
    need not make where the gradient is a product.
    """
    after = simulate(sampled(script, softmax), settings)
    graph, table = script.functions[softmax.function].graph, script.calls(softmax.function)[0].shapes
    extra = 0
    for entry in graph.inputs:
        shape, dtype = table.shape(entry.variable), graph.variables[entry.variable].type.dtype or "int8"
        size = nbytes(shape, dtype)
        if entry.shared is not None and isinstance(shape, tuple) and softmax.classes in shape and isinstance(size, int):
            extra += size * _adds_product(graph, entry) + 2 * (size // softmax.classes) * softmax.scored
    live, reserved = after.live_peak_bytes + extra, after.reserved_peak_bytes + extra
    fits = after.fits if settings.free_bytes is None or reserved <= settings.free_bytes else False
    return replace(after, live_peak_bytes=live, reserved_peak_bytes=reserved, fits=fits)


def _adds_product(graph: FunctionGraph, entry: GraphInput) -> bool:
    """Whether the update of an input adds a product to it, so that no gradient of its size is made."""
    owner = None if entry.update is None else graph.variables[graph.outputs[entry.update]].owner
    return owner is not None and graph.applies[owner].op.name.removeprefix("Gpu") in ("Gemm", "Gemv", "Ger")
