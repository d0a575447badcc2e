"""Profiles of the functions that models/estimates.py compiled: by the live graph, and by a printed text."""

from __future__ import annotations

from typing import Any

from theanodiag.devices import HOST
from theanodiag.engines import settings_for
from theanodiag.ir import FunctionGraph, Role, ShapeTable
from theanodiag.ir.serial import table_from_json
from theanodiag.memory.profile import MemoryProfile
from theanodiag.memory.script import Call, CallInput, Compile, CompiledFunction, Create, Script, SharedVariable
from theanodiag.memory.simulate import simulate
from theanodiag.printed import DebugPrint, read_debugprint
from theanodiag.readers import graph_from_document
from theanodiag.workflows import printed_report


def live(row: Any) -> MemoryProfile:
    """The estimate from the live graph and the framework's own shapes."""
    graph, table = graph_from_document(row["graph"], "f"), table_from_json(row["table"], "f")
    script = _script(graph, table, "cvm" if row["depth_first"] else "numba" if row["numba"] else "py")
    return simulate(script, settings_for(script, HOST)).functions[0]


def _script(graph: FunctionGraph, table: ShapeTable, linker: str) -> Script:
    shared = {i.shared: graph.variables[i.variable] for i in graph.inputs if i.role is Role.SHARED and i.shared is not None}
    inputs = [graph.variables[i.variable] for i in graph.inputs if i.role is Role.ARGUMENT]
    call = Call(0, tuple(CallInput(v.id, v.name, v.type.dtype, table.shape(v.id)) for v in inputs), table, assumed=True)
    made = [Create(k, table.shape(v.id)) for k, v in shared.items()]
    variables = {k: SharedVariable(k, v.name, v.type) for k, v in shared.items()}
    return Script(variables, (CompiledFunction(0, "f", graph, linker),), (*made, Compile(0), call), {"device": "cpu", "allow_gc": True})


def printed(row: Any, form: str) -> MemoryProfile:
    """The estimate from the text, told the shapes and whole numbers that the inputs have."""
    return _outcome(row, read_debugprint(row["texts"][form])).process.functions[0]


def peaks(row: Any, text: DebugPrint) -> tuple[int, ...]:
    """The highest live bytes of each way in which a text may run."""
    return _outcome(row, text).peaks


def _outcome(row: Any, text: DebugPrint) -> printed_report.PrintedOutcome:
    graph = text.graph
    known = {graph.variables[i.variable].name for i in graph.inputs}
    shapes = {k: tuple(shape) for k, (shape, _) in row["named"].items() if k in known}
    values = {k: value for k, (_, value) in row["named"].items() if k in known and value is not None}
    return printed_report.outcome(text, shapes, HOST, values)
