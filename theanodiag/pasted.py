"""Printed graphs instead of live ones: a graph without a framework -> shapes -> the Script of one assumed call -> Report."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from . import pipeline
from .capture.fitting import contradictions
from .capture.model import Capture, FrameworkInfo, ScriptEnd
from .devices import DeviceProfile
from .errors import UsageError
from .findings import Skipped
from .ir import Constant, FunctionGraph, Role, Shape, ShapeTable, Type, TypeKind, Unknown, Variable
from .memory.profile import MemoryProfile, UnknownSize
from .memory.script import Call, CallInput, Compile, CompiledFunction, Create, Event, Script, SharedVariable
from .readers.debugprint import DebugPrint
from .report.model import Report
from .shapes import infer
from .shapes.unprinted import with_unprinted

_NO_TYPE = Unknown("its type is not printed (debugprint with print_type=True prints it)")

_HIDDEN = Unknown("the text does not say how it uses the graph inside of it, which takes memory of its own")


@dataclass(frozen=True)
class Shaped:
    """A graph whose Variables have been given sizes, as far as they can be told."""

    graph: FunctionGraph
    """With shared variables marked as such, and a tensor type for what is printed without one."""
    table: ShapeTable
    needed: tuple[str, ...]
    """Names of the inputs whose shapes are not known."""
    untyped: bool = False
    """Whether there are Variables whose types are not printed."""


def shaped(
    graph: FunctionGraph,
    shapes: Mapping[str, Sequence[int]],
    facts: Mapping[int, Shape] | None = None,
    shared: frozenset[str] = frozenset(),
) -> Shaped:
    """Infers all shapes from those of the named inputs, and from what a text says beside the graph (`facts`, by Variable id).

    Raises UsageError for a name that no input has and for shapes that do not fit the types or each other.
    """
    graph = with_unprinted(graph)
    given = _by_id(graph, shapes)
    said = {v: s for v, s in (facts or {}).items() if graph.variables[v].owner is None or not shapes}
    known = infer(graph, {**said, **given})
    made = _with_roles(graph, shared)
    untyped = {v.id for v in graph.variables if _is_untyped(v)}
    hidden = set(_hidden(graph))
    reasons = {**dict.fromkeys(hidden, _HIDDEN), **dict.fromkeys(untyped, _NO_TYPE)}
    table = dataclasses.replace(known, shapes={v: reasons.get(v, s) for v, s in known.shapes.items()})
    named = tuple(dict.fromkeys(_call_name(v) for v in inputs_of(graph) if not _is_exact(known.shape(v.id)) and v.id in known.shapes))
    result = Shaped(dataclasses.replace(made, variables=tuple(map(_typed, made.variables))), table, named, bool(untyped))
    wrong = next(contradictions(result.graph, result.table), None)
    if wrong and shapes:
        raise UsageError(f"the shapes given do not fit together: {wrong}", help="correct --shape")
    return result


def _hidden(graph: FunctionGraph) -> Iterator[int]:
    """One output of each Scan of a text: what a step holds cannot be counted, so that the figures are lower bounds."""
    for node in graph.applies:
        counted = node.op.inner is not None and "n_seqs" in node.op.inner.info
        if node.op.name.endswith("Scan") and not counted and not node.op.module:
            yield node.outputs[0]


def inputs_of(graph: FunctionGraph) -> Iterator[Variable]:
    """The Variables that the caller or a shared variable gives."""
    yield from (graph.variables[i.variable] for i in graph.inputs)


def _call_name(variable: Variable) -> str:
    return variable.name or f"input{variable.id}"


def _is_exact(shape: Shape | Unknown) -> bool:
    return not isinstance(shape, Unknown) and not any(isinstance(d, Unknown) for d in shape)


def _is_untyped(variable: Variable) -> bool:
    return variable.type.kind is TypeKind.OTHER and not variable.type.text


def _typed(variable: Variable) -> Variable:
    return dataclasses.replace(variable, type=Type(TypeKind.TENSOR, None, (), "?")) if _is_untyped(variable) else variable


def _by_id(graph: FunctionGraph, shapes: Mapping[str, Sequence[int]]) -> dict[int, Shape]:
    """The given shapes by Variable id."""
    rows: dict[str, list[Variable]] = {}
    for variable in inputs_of(graph):
        rows.setdefault(_call_name(variable), []).append(variable)
    for name, shape in shapes.items():
        if name not in rows:
            known = ", ".join(sorted(rows)) or "none"
            raise UsageError(f"the graph has no input {name!r}", help=f"its inputs are: {known}")
        for variable in rows[name]:
            _fits(variable, tuple(shape))
    return {v.id: tuple(shape) for name, shape in shapes.items() for v in rows[name]}


def _fits(variable: Variable, shape: tuple[int, ...]) -> None:
    static = variable.type.shape
    if _is_untyped(variable) or (len(static) == len(shape) and all(a is None or a == b for a, b in zip(static, shape))):
        return
    dims = ", ".join("?" if d is None else str(d) for d in static)
    raise UsageError(f"{variable.name} cannot have the shape {shape}: its type has ({dims})")


def _with_roles(graph: FunctionGraph, shared: frozenset[str]) -> FunctionGraph:
    """`graph` with its shared variables marked: those that the text names, that lie on the device, or that a node overwrites."""
    overwritten = {node.inputs[i] for node in graph.applies for row in node.op.destroy_map.values() for i in row}
    rows = []
    for entry in graph.inputs:
        variable = graph.variables[entry.variable]
        is_shared = variable.name in shared or variable.type.kind.on_device or variable.id in overwritten
        keep = entry.role is not Role.ARGUMENT or not is_shared
        rows.append(entry if keep else dataclasses.replace(entry, role=Role.SHARED, shared=entry.variable))
    return dataclasses.replace(graph, inputs=tuple(rows))


def script_of(found: Shaped, flags: Mapping[str, object], name: str = "") -> Script:
    """The script that makes the shared variables and calls the function once."""
    graph, table = found.graph, found.table
    title = name or graph.name or "graph"
    entries = [i for i in graph.inputs if i.role is Role.SHARED and i.shared is not None]
    variables = {
        i.shared: SharedVariable(i.shared, graph.variables[i.variable].name, graph.variables[i.variable].type)
        for i in entries
        if i.shared is not None
    }
    made: list[Event] = [Create(i.shared, table.shape(i.variable)) for i in entries if i.shared is not None]
    arguments = [graph.variables[i.variable] for i in graph.inputs if i.role is Role.ARGUMENT]
    inputs = tuple(CallInput(v.id, v.name, v.type.dtype, table.shape(v.id)) for v in arguments)
    return Script(variables, (CompiledFunction(0, title, graph),), (*made, Compile(0), Call(0, inputs, table, assumed=True)), flags)


def flags_of(graph: FunctionGraph, allow_gc: bool = True, preallocate: float = 0.0) -> dict[str, object]:
    """The flags that such a graph was compiled with, as far as it shows them."""
    old = any(v.type.kind is TypeKind.CUDANDARRAY for v in graph.variables)
    return {"device": "gpu" if old else "cuda", "allow_gc": allow_gc, "gpuarray.preallocate": preallocate}


def report(
    text: DebugPrint,
    source: str,
    shapes: Mapping[str, Sequence[int]],
    device: DeviceProfile | None = None,
    overhead: int | None = None,
    *,
    allow_gc: bool = True,
    preallocate: float = 0.0,
) -> Report:
    """The Report on the largest printed graph of a text."""
    main = text.main
    found = shaped(main.graph, shapes, main.shapes, text.shared)
    script = script_of(found, flags_of(main.graph, allow_gc, preallocate))
    skipped = (*text.skipped, *_left_out(text), *(_need(n) for n in found.needed))
    framework = FrameworkInfo(text.dialect, "?", "")
    made = pipeline.report(Capture(source, "", "", script, ScriptEnd("finished", 0), framework, skipped), device, overhead)
    return _as_bounds(made, found.graph) if found.untyped else made


def _as_bounds(made: Report, graph: FunctionGraph) -> Report:
    """The same report where Variables have no printed type: nobody knows what of them lies on the device, so nothing is said to fit."""
    untyped = tuple(UnknownSize(v.name or f"variable {v.id}", None, _NO_TYPE.reason) for v in graph.variables if v.type.text == "?")
    functions = tuple(dataclasses.replace(f, fits=f.fits and None, profile=_lower_bound(f.profile, untyped)) for f in made.functions)
    unknown = Unknown(f"{len(untyped)} Variables have no type in the text")
    process = dataclasses.replace(made.process, fits=made.process.fits and unknown)
    return dataclasses.replace(made, functions=functions, process=process)


def _lower_bound(profile: MemoryProfile | None, untyped: tuple[UnknownSize, ...]) -> MemoryProfile | None:
    return profile and dataclasses.replace(profile, unknown=profile.unknown or untyped)


def _need(name: str) -> Skipped:
    return Skipped(f"the shape of {name}", f"it is not in the text; give --shape {name}=N,N")


def _left_out(text: DebugPrint) -> Iterator[Skipped]:
    """What the text itself leaves open."""
    main, graph = text.main, text.graph
    if len(text.prints) > 1:
        yield Skipped(f"{len(text.prints) - 1} other printed graphs", "the report is on the largest one")
    if main.cut:
        yield Skipped(f"{len(main.cut)} nodes", "their inputs are not printed (a depth limit or a cut text)")
    if main.unsure:
        yield Skipped(f"{len(main.unsure)} nodes", "they may work in place, which is only printed with print_destroy_map=True")
    cut = [v for v in graph.variables if isinstance(v, Constant) and not _is_exact(v.shape)]
    if cut:
        yield Skipped(f"{len(cut)} constants", "their values are printed shortened, so their shapes are unknown")
