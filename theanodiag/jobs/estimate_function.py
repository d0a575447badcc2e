"""Predicts the memory of a call of a function compiled in this interpreter, or of a printed graph; confirms it by a real run."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, SupportsIndex, cast

from ..agent.hook.flags import describe, linker_name
from ..agent.shapes.infer import LiveShapes
from ..agent.walk.graph import Walk
from ..capture.model import ScriptEnd
from ..confirmation import BEST
from ..confirmation.calibration import named
from ..devices import HOST, UNSIZED, DeviceProfile
from ..engines import settings_for
from ..errors import UnreadableError, UsageError
from ..files import STDIN
from ..ir import FunctionGraph, Role, ShapeTable, Unknown
from ..ir.serial import table_from_json
from ..ir.shape import Value, admits, static_text
from ..memory.profile import ESTIMATED, Item, LiveVariable, MemoryProfile, Origin, ProcessProfile, Step, UnknownSize
from ..memory.script import Call, CallInput, Compile, CompiledFunction, Script, created_for
from ..memory.simulate import simulate
from ..printed import DebugPrint, read_debugprint
from ..processes.group import temporary
from ..readers import read_graph, source_of
from ..report.model import FunctionReport, Report, Target
from ..requests import CheckRequest, GraphRequest
from ..result_display import Shown
from ..settings import TIMEOUT
from ..units import format_bytes
from ..workflows import printed_report
from .check import check

# Predicts the memory of a function from its printed graph alone.


def graph(request: GraphRequest, text: str) -> Report:
    """Reports on the largest graph printed in `text`, which was read from `request.path`.

    Raises `UnreadableError` if there is none, `UsageError` if the request does not match the graph.
    """
    source = STDIN if request.path == "-" else request.path
    printed = read_debugprint(text, source)
    device = request.profile or (UNSIZED if printed.graph.on_device else HOST)
    dtypes = printed_report.dtypes_of(request.floatX, request.dtypes_by_name)
    return printed_report.report(
        printed, source, request.shapes_by_name, device, request.device_overhead, values=request.values_by_name,
        batch_dim=request.batch_dim, dtypes=dtypes, allow_gc=request.allow_gc, preallocate=request.preallocate,
    )  # fmt: skip


# `theanodiag.confirm(fn, inputs)`: runs a live function for real in a separate process and compares it with its prediction.

CALLS = 3
"""Number of calls of the function; the memory that remains is measured after each."""
PROGRAM = """\
import importlib, os, pickle, sys
sys.setrecursionlimit(100000)
folder = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(folder, "function"), "rb") as file:
    root, name, specs, outputs, inputs = pickle.load(file)
lib = importlib.import_module(root)
state = [(v, lib.shared(value, name=v.name)) for v, update, value, known in specs if known]
updates = [(shared, update) for (v, update, value, known), (_, shared) in zip([s for s in specs if s[3]], state) if update is not None]
arguments = [v if value is None else lib.In(v, value=value) for v, update, value, known in specs if not known]
# Aesara and PyTensor keep the graph as it was rewritten, with operations in place.
fn = lib.function(arguments, outputs, updates=updates, givens=state, name=name, on_unused_input="ignore", accept_inplace=True)
for _ in range({calls}):
    fn(**inputs)
"""
"""The script that compiles the same expressions again and calls the function.

A compiled function that is pickled loses the information that its state was in shared variables.
"""
DEEP = 100000
"""Recursion limit for pickling graphs, which is recursive."""


def confirm(
    fn: object,
    inputs: Mapping[str, object] | None = None,
    device: str = BEST,
    *,
    gpu: str | DeviceProfile | None = None,
    repeat: int = 1,
    tight: bool = False,
    timeout: float | None = TIMEOUT,
) -> Report:
    """Run a compiled function three times in a separate process, and compare the measurement with the prediction.

    Args:
        fn: A compiled function of this interpreter.
        inputs: Name of an argument -> an array, or a shape, for which an array of zeros is used.
        device: `cuda`, `virtual`, `opencl`, `jax`, `torch`, `cpu`, or `best`: the best available one for the function's framework.
        gpu: The card ("k520"), memory ("4 GiB") or profile that the device `virtual` simulates.
        repeat: Number of measured runs.
        tight: Also find, by trial runs, the smallest device on which the function runs.
        timeout: Time limit for each run in seconds. None: no limit.

    Returns:
        The report; its field `confirmation` contains the comparison. Sizes in bytes.

    Raises:
        UnreadableError: The function cannot be pickled.
        UsageError: `inputs` names an argument that the function does not have.
    """
    with temporary() as folder:
        script = _written(folder, fn, arguments(fn, inputs or {}))
        return check(CheckRequest(str(script), sys.executable, device=gpu, timeout=timeout, confirm=device, repeat=repeat, tight=tight))


def arguments(fn: object, inputs: Mapping[str, object]) -> dict[str, object]:
    """Returns the values of a function's arguments, by name; an argument given by its shape becomes zeros of the input's dtype. Raises
    UsageError for an unknown name.
    """
    import numpy

    variables = {spec.variable.name: spec.variable for spec in getattr(getattr(fn, "maker", None), "inputs", ())}
    values: dict[str, object] = {}
    for name, value in inputs.items():
        if name not in variables:
            known = ", ".join(sorted(str(n) for n in variables if n))
            raise UsageError(f"the function has no argument {name!r}", help=f"it has {known or 'none with a name'}")
        shape = isinstance(value, (tuple, list)) and all(isinstance(n, int) for n in value)
        values[name] = numpy.zeros(value, variables[name].type.dtype) if shape else value
    return values


def expressions(fn: Any) -> tuple[str, str | None, list[tuple[object, object, object, bool]], list[object]]:
    """Returns the parts from which a compiled function was made: framework, name, inputs as (variable, update, value, whether it is state),
    and outputs. Raises UnreadableError if `fn` is no compiled function.
    """
    maker = getattr(fn, "maker", None)
    if maker is None:
        raise UnreadableError("this is not a compiled function of Theano, Aesara or PyTensor")
    specs = [(s.variable, s.update, _value(s), s.value is not None and bool(s.implicit)) for s in maker.inputs]
    outputs = [getattr(o, "variable", o) for o in (maker.outputs if isinstance(maker.outputs, (list, tuple)) else [maker.outputs])]
    return type(maker.fgraph).__module__.split(".")[0], getattr(fn, "name", None), specs, outputs


def _value(spec: Any) -> object:
    """The value of an input: a host array, or a random generator."""
    import numpy

    value = spec.value.storage[0] if hasattr(spec.value, "storage") else spec.value
    return numpy.asarray(value) if hasattr(type(value), "gpudata") else value


def _written(folder: Path, fn: object, given: Mapping[str, object]) -> Path:
    """Writes the script that compiles the function again and calls it; returns its path."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEEP))
    try:
        content = pickle.dumps((*expressions(fn), dict(given)), protocol=2)
    except (pickle.PicklingError, AttributeError, TypeError, RecursionError) as error:
        raise UnreadableError(f"the function cannot be pickled: {error}", help="confirm the script that makes it instead") from None
    finally:
        sys.setrecursionlimit(before)
    (folder / "function").write_bytes(content)
    script = folder / "function.py"
    script.write_text(PROGRAM.format(calls=CALLS), encoding="utf-8")
    return script


Size = Sequence[int]
"""Type of a shape: the lengths of its dimensions."""


@dataclass(frozen=True, repr=False)
class Estimate(Shown):
    """Predicted memory of one call of a function on a device; all sizes in bytes."""

    graph: FunctionGraph
    """The function's graph."""
    profile: MemoryProfile
    """Memory profile of the estimated call."""
    process: ProcessProfile
    """The whole simulation, including shared variables."""
    device: DeviceProfile
    """The device for which the estimate is made."""

    @property
    def peak_bytes(self) -> int:
        """Peak of live bytes during the call, including shared variables."""
        return self.profile.figures.live_peak_bytes

    @property
    def reserved_bytes(self) -> int:
        """Bytes taken from the driver by the end of the call."""
        return self.profile.figures.reserved_bytes

    @property
    def items(self) -> tuple[Item, ...]:
        """Bytes at the peak by kind of memory."""
        return self.profile.items

    @property
    def at_peak(self) -> tuple[LiveVariable, ...]:
        """The buffers live at the peak, largest first."""
        return self.profile.at_peak

    @property
    def timeline(self) -> tuple[Step, ...]:
        """Live and reserved bytes after each step."""
        return self.profile.timeline

    @property
    def unknown(self) -> tuple[UnknownSize, ...]:
        """Variables of unknown size; if there are any, the figures are lower bounds."""
        return self.profile.unknown

    @property
    def fits(self) -> bool | None:
        """Whether the call fits on the device; None if sizes (or the device's size) are unknown, or the figures are estimates."""
        fits = self._judged.fits
        return None if self.device.available_bytes is None or isinstance(fits, Unknown) else fits

    @property
    def _judged(self) -> ProcessProfile:
        judged = self.process.judged(self.device.available_bytes)
        is_estimate = judged.fits is True and self.profile.origin is Origin.ESTIMATE
        return replace(judged, fits=Unknown(ESTIMATED)) if is_estimate else judged

    @property
    def report(self) -> Report:
        """The estimate as a Report, for the formats that show one."""
        row = FunctionReport(0, self.graph.name or "the function", self.graph, (), self.profile, self.fits)
        target = Target(self.graph.name or "function", "", None, self.device)
        return Report(target, (row,), self._judged, (), (), ScriptEnd("finished", 0))

    def _repr_html_(self) -> str:
        """The estimate's report as an HTML page in a frame, for notebooks."""
        return self.report._repr_html_()

    def __repr__(self) -> str:
        mark = "at least " if self.unknown else ""
        sizes = f"{mark}{format_bytes(self.peak_bytes)} live at the peak, {format_bytes(self.reserved_bytes)} reserved"
        return f"<Estimate of {self.graph.name or 'a function'}: {sizes}>"

    def __str__(self) -> str:
        return str(self.report)

    def to_dict(self) -> dict[str, object]:
        """Returns the report as the document of `--format json`; sizes in bytes."""
        return self.report.to_dict()


def estimate_function(
    fn_or_graph: object,
    shapes: Mapping[str, Size],
    device: str | DeviceProfile | None,
    *,
    values: Mapping[str, Value],
    floatX: str | None,
    dtypes: Mapping[str, str] | None,
    name: str,
) -> Estimate:
    """Predicts the memory of one call of a compiled function, a FunctionGraph or a printed graph; `theanodiag.estimate` documents the
    arguments.

    Raises:
        UnreadableError: `fn_or_graph` is no compiled function.
        UsageError: A shape or dtype that its argument cannot have, or an argument that does not exist.
    """
    for argument, shape in shapes.items():
        if not all(isinstance(n, SupportsIndex) and n.__index__() >= 0 for n in shape):
            raise UsageError(f"{argument} cannot have the shape {tuple(shape)}: a length is a whole number, 0 or more")
    profile = named(device, os.environ) if isinstance(device, str) else device or HOST
    if isinstance(fn_or_graph, DebugPrint):
        assumed_types = printed_report.dtypes_of(floatX, dtypes)
        result = printed_report.outcome(fn_or_graph, dict(shapes), profile, values, name=name, dtypes=assumed_types)
        return Estimate(result.shaped.graph, result.process.functions[0], result.process, profile)
    graph = fn_or_graph if isinstance(fn_or_graph, FunctionGraph) else read_graph(fn_or_graph, name=name)
    walk = source_of(graph)
    if walk is None:
        shaped = printed_report.shaped(graph, dict(shapes), values=values)
        return _estimated(shaped.graph, printed_report.script_of(shaped, printed_report.flags_of(shaped.graph), name), profile)
    return _estimated(graph, _script(graph, walk, dict(shapes), dict(values)), profile)


def _estimated(graph: FunctionGraph, script: Script, profile: DeviceProfile) -> Estimate:
    process = simulate(script, settings_for(script, profile))
    return Estimate(graph, process.functions[0], process, profile)


def _script(graph: FunctionGraph, walk: Walk, shapes: dict[str, Size], values: dict[str, Value]) -> Script:
    """The script that creates the function's shared variables as they are now, and calls the function once."""
    given = _arguments(graph, {**dict.fromkeys(values, ()), **shapes})
    numbers = {k: values[n] for k, i in enumerate(graph.inputs) if (n := graph.variables[i.variable].name) in values and n is not None}
    kept = {i: shape for i, spec in enumerate(walk.specs) if i not in given and (shape := _stored_shape(spec)) is not None}
    table = table_from_json(LiveShapes(walk).table({**kept, **given}, numbers), graph.name)
    variables, creations = created_for(graph, table)
    call = Call(0, _call_inputs(graph, table), table, assumed=True)
    linker = walk.maker.linker
    function = CompiledFunction(0, graph.name, graph, linker_name(linker), getattr(linker, "allow_gc", None))
    root = sys.modules[type(walk.fgraph).__module__.split(".")[0]]
    framework = describe(root, None, {})
    flags = cast("Mapping[str, object]", framework["flags"])
    return Script(variables, (function,), (*creations, Compile(0), call), flags, str(framework["name"]))


def _arguments(graph: FunctionGraph, shapes: dict[str, Size]) -> dict[int, tuple[int, ...]]:
    """The given shapes by position of the input. Raises UsageError for an unknown name or an impossible shape."""
    positions = {graph.variables[i.variable].name: k for k, i in enumerate(graph.inputs) if i.role is not Role.SHARED}
    for name, shape in shapes.items():
        if name not in positions:
            known = ", ".join(sorted(n for n in positions if n))
            raise UsageError(f"{graph.name or 'the function'} has no argument {name!r}", help=f"its named arguments are: {known or 'none'}")
        static = graph.variables[graph.inputs[positions[name]].variable].type.shape
        if not admits(static, shape):
            raise UsageError(f"{name} of {graph.name} cannot have the shape {tuple(shape)}: its type has {static_text(static)}")
    return {positions[name]: tuple(map(int, shape)) for name, shape in shapes.items()}


def _stored_shape(spec: object) -> tuple[int, ...] | None:
    """The shape of the value stored for an input (a shared variable's or a default); None if there is none."""
    value = getattr(spec, "value", None)
    storage = getattr(value, "storage", None)
    shape = getattr(storage[0] if storage else value, "shape", None)
    return tuple(shape) if isinstance(shape, tuple) else None


def _call_inputs(graph: FunctionGraph, table: ShapeTable) -> tuple[CallInput, ...]:
    variables = [graph.variables[i.variable] for i in graph.inputs if i.role is Role.ARGUMENT]
    return tuple(CallInput(v.id, v.name, v.type.dtype, table.shape(v.id)) for v in variables)
