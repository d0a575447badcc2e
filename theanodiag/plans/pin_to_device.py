"""Keeps data on the device instead of copying it at each call: changes the script for the simulation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..ir import FunctionGraph, GraphInput, Op, Role, Shape, TypeKind, Unknown, itemsize, numel
from ..memory.script import BaseArray, CallInput, Create, Script, SharedVariable
from .graphs.edit import Rewrite, with_graph

CUT = Op("GpuSubtensor", "GpuSubtensor{int64:int64:}", view_map={0: (0,)})
"""The Op that slices the rows of a call from the data on the device."""


@dataclass(frozen=True)
class Repeated:
    """An argument that copies the same data to the device in several calls of a function."""

    function: int
    """Index of the function."""
    variable: int
    """Id of the argument in the function's graph."""
    name: str
    """Name of the argument."""
    dtype: str
    shape: Shape
    """Shape of the argument in the last of the calls."""
    nbytes: int
    """Bytes copied in one call."""
    whole: BaseArray | None = None
    """The array of which the arguments are slices; None if each call passes the same data."""
    calls: int = 2
    """Number of recorded calls."""

    @property
    def pinned_bytes(self) -> int:
        """Bytes that the data takes permanently if it stays on the device."""
        return self.nbytes if self.whole is None else self.whole.nbytes


def repeated(script: Script, function: int, least: int) -> Iterator[Repeated]:
    """Yields the arguments of a function that have at least `least` bytes and whose data was also passed in an earlier call."""
    rows: dict[int, list[CallInput]] = {}
    for call in script.calls(function):
        for given in call.inputs if not call.assumed else ():
            rows.setdefault(given.variable, []).append(given)
    for variable, passed in rows.items():
        size, last = nbytes(passed[-1].shape, passed[-1].dtype), passed[-1]
        if size is None or size < least or last.on_device or isinstance(last.shape, Unknown) or last.dtype is None:
            continue
        name = last.name or f"argument {variable}"
        again = sum(same(a, b) for a, b in zip(passed, passed[1:]))
        parts = {g.buffer for g in passed if g.part_of and last.part_of and g.part_of == last.part_of}
        if again and again == len(passed) - 1:
            yield Repeated(function, variable, name, last.dtype, last.shape, size, None, len(passed))
        elif len(parts) > 1:
            yield Repeated(function, variable, name, last.dtype, last.shape, size, last.part_of, len(passed))


def same(a: CallInput, b: CallInput) -> bool:
    """Returns whether two arguments had the same data, by digest, or by memory address if there is no digest."""
    if (a.shape, a.dtype, a.digest) != (b.shape, b.dtype, b.digest):
        return False
    return a.digest not in (None, "zero") or (a.buffer is not None and a.buffer == b.buffer)


def nbytes(shape: Shape | Unknown, dtype: str | None) -> int | None:
    """Returns the bytes of an array; None if its shape or dtype is unknown."""
    elements = numel(shape)
    return None if isinstance(elements, Unknown) or dtype is None else elements * itemsize(dtype)


def pinned(script: Script, repeated: Sequence[Repeated]) -> Script:
    """Returns the script with this data in shared variables, created at its start."""
    for r in repeated:
        script = _pin(script, r)
    return script


def _pin(script: Script, r: Repeated) -> Script:
    graph = script.functions[r.function].graph
    rewrite, new = Rewrite(graph), max(script.shared, default=-1) + 1
    copies = [a for a in graph.applies if a.op.name == "GpuFromHost" and a.inputs == (r.variable,)]
    there = graph.variables[copies[0].outputs[0] if copies else r.variable].type
    value = rewrite.variable(there, f"{r.name} on the device")
    for copy in copies:
        rewrite.put(copy.id, CUT, (value,), copy.outputs[0])
    moved = _input(rewrite.build(), r, value, bool(copies))
    shape = r.shape if r.whole is None or isinstance(r.whole.shape, Unknown) else r.whole.shape
    changed = with_graph(script, r.function, moved, lambda table: {value: shape})
    shared = {**script.shared, new: SharedVariable(new, f"{r.name} on the device", there)}
    inputs = tuple(replace(i, shared=new) if i.variable == value else i for i in moved.inputs)
    changed = with_graph(changed, r.function, replace(moved, inputs=inputs))
    return replace(changed, shared=shared, events=(Create(new, shape), *changed.events))


def _input(graph: FunctionGraph, r: Repeated, value: int, copied: bool) -> FunctionGraph:
    """The graph with `value` added to its inputs. In a host graph (without copies) the argument becomes a view of `value`."""
    inputs = tuple(i for i in graph.inputs if i.variable != r.variable) if not copied else graph.inputs
    graph = replace(graph, inputs=(*inputs, GraphInput(value, Role.SHARED, shared=-1)))
    if copied:
        return graph
    variables = tuple(replace(v, owner=0) if v.id == r.variable else replace(v, owner=_next(v.owner)) for v in graph.variables)
    moved = tuple(replace(a, id=a.id + 1, after=tuple(n + 1 for n in a.after)) for a in graph.applies)
    view = Op("Subtensor", "Subtensor{int64:int64:}", view_map={0: (0,)})
    node = replace(moved[0], id=0, op=view, inputs=(value,), outputs=(r.variable,), after=())
    return replace(graph, variables=variables, applies=(node, *moved))


def _next(owner: int | None) -> int | None:
    return None if owner is None else owner + 1


def travels(graph: FunctionGraph, variable: int, lift: bool) -> bool:
    """Returns whether an argument is copied to the device at each call."""
    if lift:
        return graph.variables[variable].type.kind is TypeKind.TENSOR
    return any(a.op.name == "GpuFromHost" and a.inputs == (variable,) for a in graph.applies)
