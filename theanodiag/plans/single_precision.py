"""Simulates a script with float32 in place of float64, and complex64 in place of complex128."""

from __future__ import annotations

import dataclasses

from ..ir import FunctionGraph, Op, Type
from ..memory.profile import ProcessProfile
from ..memory.script import Script
from ..memory.settings import MemorySettings
from ..memory.simulate import simulate_figures

_HALF = {"float64": "float32", "complex128": "complex64"}


def halve_floats(script: Script, settings: MemorySettings) -> ProcessProfile:
    """The simulation of the script with all float64 and complex128 values in single precision."""
    return simulate_figures(narrowed(script), settings)


def narrowed(script: Script) -> Script:
    """The script with all float64 and complex128 values in single precision."""
    functions = tuple(dataclasses.replace(f, graph=_graph(f.graph)) for f in script.functions)
    shared = {i: dataclasses.replace(v, type=_type(v.type)) for i, v in script.shared.items()}
    return dataclasses.replace(script, functions=functions, shared=shared)


def _type(t: Type) -> Type:
    return dataclasses.replace(t, dtype=_HALF.get(t.dtype or "", t.dtype))


def _op(op: Op) -> Op:
    return op if op.inner is None else dataclasses.replace(op, inner=_graph(op.inner))


def _graph(g: FunctionGraph) -> FunctionGraph:
    variables = tuple(dataclasses.replace(v, type=_type(v.type)) for v in g.variables)
    applies = tuple(dataclasses.replace(a, op=_op(a.op)) for a in g.applies)
    return dataclasses.replace(g, variables=variables, applies=applies)
