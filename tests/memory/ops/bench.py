"""One op on its own: what it takes beside its inputs, and what it leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from theanodiag.findings import Figures
from theanodiag.ir import Constant, Op, Type, TypeKind
from theanodiag.memory.profile import MemoryProfile
from theanodiag.memory.script import Script
from theanodiag.memory.settings import MemorySettings
from theanodiag.memory.simulate import simulate

from ..graphs import EXACT, Sketch

KEPT = MemorySettings(preallocate=-1.0, allow_gc=False)
INTEGER = Type(TypeKind.TENSOR, "int64", ())
INTEGERS = Type(TypeKind.TENSOR, "int64", (None,))
TURN = Op("GpuDimShuffle", "turn", params={"new_order": [1, 0]}, view_map={0: (0,)})
EVERY_SECOND = Op("GpuSubtensor", "{::2}", params={"idx_list": [{"slice": [None, None, 2]}]}, view_map={0: (0,)})
BACKWARD = Op("GpuSubtensor", "{::-1}", params={"idx_list": [{"slice": [None, None, -1]}]}, view_map={0: (0,)})


def elements(sketch: Sketch, output: int) -> int:
    """Elements of four bytes that a call takes at its peak beside what was there before."""
    figures = profile_of(sketch, output).figures
    return (figures.live_peak_bytes - figures.live_before_bytes) // 4


def profile_of(sketch: Sketch, *outputs: int, settings: MemorySettings = EXACT) -> MemoryProfile:
    """The profile of one call."""
    return simulate(sketch.script(outputs), settings).functions[0]


def taken(op: Op, shapes: Sequence[tuple[int, ...]], result: tuple[int, ...]) -> int:
    """Elements that one op takes on fresh shared variables."""
    s = Sketch()
    (out,) = s.apply(op, [s.shared(shape) for shape in shapes], result)
    return elements(s, out)


def seen_as(view: Op, shape: tuple[int, ...], op: Op, result: tuple[int, ...], whole: tuple[int, ...]) -> int:
    """Elements that `op` takes on a view of `shape` of a shared variable of the shape `whole`."""
    s = Sketch()
    (seen,) = s.apply(view, [s.shared(whole)], shape)
    (out,) = s.apply(op, [seen], result)
    return elements(s, out)


def number(sketch: Sketch, value: int) -> int:
    """A constant number on the host."""
    new = len(sketch.variables)
    sketch.variables.append(Constant(new, INTEGER, value=value))
    sketch.shapes[new] = ()
    return new


def second_call(op: Op, first: tuple[int, ...], then: tuple[int, ...], source: tuple[int, ...] = (1, 1)) -> int:
    """Elements that an op takes at the peak of its second call, where nothing is collected.

    Its first result has the shape `first`, the second one `then`. An op behind it returns something empty (one byte),
    so that its own cell is kept.
    """
    s = Sketch()
    (out,) = s.apply(op, [s.shared(source)], first)
    (last,) = s.apply(Op("Plain", "Plain"), [out], (0, 1))
    script = s.script([last])
    figures = figures_of(again(script, out, then))
    return (figures[1].live_peak_bytes - figures[0].live_before_bytes) // 4


def again(script: Script, variable: int, shape: tuple[int, ...]) -> Script:
    """The script with a second call in which a Variable has another shape."""
    call = script.events[-1]
    table = call.shapes  # type: ignore[union-attr]
    other = replace(call, shapes=replace(table, shapes={**table.shapes, variable: shape}))  # type: ignore[call-arg, type-var]
    return replace(script, events=(*script.events, other))


def figures_of(script: Script) -> tuple[Figures, ...]:
    """Figures of every call, where nothing is collected."""
    return simulate(script, KEPT).calls[0]
