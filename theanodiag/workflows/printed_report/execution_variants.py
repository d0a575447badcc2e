"""Simulates one call of a printed function in every way in which it may run, and gives the range of the figures.

Types that the text does not print are assumed, from dtypes that the user gives, until nothing new can be inferred.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from ...devices import DeviceProfile
from ...engines import settings_for
from ...errors import UsageError
from ...ir import Constant, FunctionGraph, Role, TypeKind, Unknown
from ...ir.graph import graphs
from ...ir.shape import Value, is_dtype
from ...memory.execution_plan import LAZY_OPS, execution_order
from ...memory.profile import ESTIMATED, MemoryProfile, Origin, ProcessProfile, UnknownSize
from ...memory.script import Call, CallInput, Compile, CompiledFunction, Create, Script, SharedVariable, created_for
from ...memory.simulate import simulate
from ...printed import DebugPrint
from ...printed.reader import read_again
from ...shapes.assumed import Types, assumed
from ...shapes.untyped import with_unprinted
from ...units import format_bytes
from .shaping import ASSUMED, HIDDEN, Shaped, inputs_named, likewise, shaped, tabled


def script_of(shaped: Shaped, flags: Mapping[str, object], name: str = "", linker: str = "cvm", framework: str = "") -> Script:
    """Returns the Script for a printed function: it creates the shared variables and calls the function once."""
    graph, table = shaped.graph, shaped.table
    title = name or graph.name or "graph"
    variables, creations = created_for(graph, table)
    for number, (kind, shape) in enumerate(shaped.unread, 1 + max((i.variable for i in graph.inputs), default=-1)):
        variables[number] = SharedVariable(number, "shared variable that is only set", kind)
        creations.append(Create(number, shape))
    arguments = [graph.variables[i.variable] for i in graph.inputs if i.role is Role.ARGUMENT]
    inputs = tuple(CallInput(v.id, v.name, v.type.dtype, table.shape(v.id)) for v in arguments)
    events = (*creations, Compile(0), Call(0, inputs, table, assumed=True))
    return Script(variables, (CompiledFunction(0, title, graph, linker),), events, flags, framework)


def flags_of(graph: FunctionGraph, allow_gc: bool = True, preallocate: float = 0.0) -> dict[str, object]:
    """Returns the framework's flags under which the graph was compiled, as far as the graph shows them, with the two given flags added."""
    return {"device": "gpu" if TypeKind.CUDANDARRAY in graph.kinds else "cuda", "allow_gc": allow_gc, "gpuarray.preallocate": preallocate}


ROUNDS = 6
"""Maximum number of rereadings: types of a Scan's outputs follow one round after its inputs, and Scans can be nested."""
FLOATS = ("float16", "float32", "float64")
"""The possible values of floatX."""


@dataclass(frozen=True)
class Dtypes:
    """Dtypes that the user gives for a text without types. Raises UsageError for an unknown dtype."""

    floatX: str
    """The flag floatX of the function: the dtype of all its inputs that are not used as integers."""
    named: Mapping[str, str] = field(default_factory=dict)
    """Input name -> dtype, for inputs with another dtype than floatX."""

    def __post_init__(self) -> None:
        if self.floatX not in FLOATS:
            raise UsageError(f"floatX cannot be {self.floatX!r}", help=f"it is one of {', '.join(FLOATS)}")
        for name, dtype in self.named.items():
            if not is_dtype(dtype):
                raise UsageError(f"{name} cannot have the dtype {dtype!r}: there is none", help="write one such as int64 or float64")

    @property
    def options(self) -> str:
        """The command-line options that give the same dtypes."""
        return " ".join([f"--floatX {self.floatX}", *(f"--dtype {shlex.quote(f'{n}={d}')}" for n, d in self.named.items())])


def printed_floats(graph: FunctionGraph) -> tuple[str, ...]:
    """Returns the float dtypes that occur in parameters of Ops, such as `AllocEmpty{dtype='float64'}`. One of them is probably floatX."""
    dtypes = {node.op.params.get("dtype") for inside, _ in graphs(graph) for node in inside.applies}
    return tuple(name for name in FLOATS if name in dtypes)


def dtypes_of(floatX: str | None, named: Mapping[str, str] | None = None) -> Dtypes | None:
    """Makes the Dtypes of an input; None if nothing is given. Raises UsageError for `named` without floatX."""
    if floatX is None and named:
        raise UsageError("dtypes of inputs require floatX, the dtype of all other inputs", help="give floatX (--floatX float32)")
    return None if floatX is None else Dtypes(floatX, dict(named or {}))


def with_types(
    text: DebugPrint, dtypes: Dtypes, shapes: Mapping[str, Sequence[int]], values: Mapping[str, Value] | None
) -> tuple[DebugPrint, int]:
    """Assigns the types that follow from `dtypes` to untyped Variables. Returns the text with these types, and how many Variables of its
    main graph got one.

    Raises UsageError for a name that no input has, and for a dtype that contradicts the printed one.
    """
    for name, dtype in dtypes.named.items():
        printed = {v.type.dtype for v in inputs_named(text.graph, name) if v.id not in text.main.untyped}
        if printed and dtype not in printed and len(printed) == len(inputs_named(text.graph, name)):
            raise UsageError(f"{name} is no {dtype}: its type is printed, with {' and '.join(map(str, printed))}", help="leave out --dtype")
    if not text.main.untyped:
        return text, 0
    types: Types = {}
    typed = read_again(text, types)
    for _ in range(ROUNDS):
        graph = with_unprinted(typed.graph)
        table, _ = tabled(graph, shapes, typed.main.shapes, typed.main.static, values, text.dialect == "aesara")
        more = assumed(graph, table, dtypes.floatX, dtypes.named, lengths=text.dialect == "pytensor")
        new = {k: {**types.get(k, {}), **rows} for k, rows in more.items() if rows.keys() - types.get(k, {}).keys()}
        if not new:
            break
        types.update(new)
        typed = read_again(text, types)
    return typed, len(types.get(0, {}))


@dataclass(frozen=True)
class PrintedOutcome:
    """The simulation of a printed function on a device."""

    text: DebugPrint
    """The text as read, with assumed types."""
    shaped: Shaped
    """The graph with its shapes."""
    script: Script
    """The script of the likeliest variant."""
    process: ProcessProfile
    """The simulation of the likeliest variant, with a verdict that holds for all variants."""
    peaks: tuple[int, ...]
    """Peak of live bytes of each variant; the likeliest first."""
    runs: tuple[ProcessProfile, ...]
    """The simulation of each variant; of all but the first only the figures."""
    open: tuple[str, ...]
    """Questions that the text leaves open and that affect the peak, in words."""

    @cached_property
    def unsure(self) -> tuple[UnknownSize, ...]:
        """Reasons, in addition to unknown sizes, why the figures are lower bounds."""
        rows = [UnknownSize(text, text, HIDDEN) for text in self.shaped.hidden]
        rows += [UnknownSize("state of a random generator", None, ASSUMED)] * bool(self.shaped.states)
        graph = self.shaped.graph
        if TypeKind.GPUARRAY in graph.kinds and "GpuElemwise" in graph.op_names:
            rows.append(UnknownSize("constants that are no longer in the graph", None, KEPT))
        if any(isinstance(graph.variables[v], Constant) for v in graph.outputs):
            rows.append(UnknownSize("shared variables that are set to a constant", None, NOT_READ))
        if any(_is_copy(graph, v) for v in graph.outputs):
            rows.append(UnknownSize("shared variables that are set to another", None, COPIED))
        if self.peaks[0] < max(self.peaks):
            rows += [UnknownSize(self.script.functions[0].name, None, f"{what}: {self.range}") for what in self.open]
        return tuple(rows)

    @property
    def bounded(self) -> bool:
        """Whether the figures are upper bounds, because they are the highest of several variants."""
        return min(self.peaks) < self.peaks[0] == max(self.peaks)

    @property
    def range(self) -> str:
        """The range of the live peak over all variants, as text for a message."""
        ends = dict.fromkeys(map(format_bytes, (min(self.peaks), max(self.peaks))))  # one text where both are printed as the same
        return f"{' to '.join(ends)} live at the peak"

    def marked(self, profile: MemoryProfile) -> MemoryProfile:
        """Returns a copy of `profile` in which the open questions are listed as unknown sizes, and in which the figures have
        their origin.
        """
        origin = Origin.ASSUMED if self.shaped.assumed else Origin.BOUNDED if self.bounded else profile.origin
        return replace(profile, unknown=(*profile.unknown, *self.unsure), origin=origin)


KEPT = "rewrites removed them from the graph, but the function keeps them on the device, 64 bytes each"
"""Why a GPU graph with fused nodes may need a little more than its text says.

Source: Theano 1.0.5, tensor/opt.py: `local_elemwise_fusion_op` puts constants into the Composite, `ShapeFeature` refers to the old ones.
"""
COPIED = (
    "the text prints only a copy of an input; if it is the new value of another variable, that variable is not printed and needs memory"
)
"""Why a function that sets a shared variable to another one needs more memory than its text shows."""
NOT_READ = "the text prints only the constant; the variable that is set to it is not printed, and needs additional memory"
"""Why a function that sets a shared variable to a constant needs more memory than its text shows."""
SLACK = 1 << 20
"""Bytes sufficient for the constants that rewrites may have removed from a graph."""
_IN_PLACE = "whether nodes work in place is only printed with print_destroy_map=True"
_MACHINE = "the text does not show whether numba or the C machine runs the function, and in which order"


def outcome(
    text: DebugPrint,
    shapes: Mapping[str, Sequence[int]],
    device: DeviceProfile,
    values: Mapping[str, Value] | None = None,
    name: str = "",
    dtypes: Dtypes | None = None,
    allow_gc: bool = True,
    preallocate: float = 0.0,
) -> PrintedOutcome:
    """Simulates the largest graph of `text` on `device`, for inputs of these shapes and values; `dtypes`: types to assume for untyped
    Variables.

    Raises the UsageErrors of `shaped` and `with_types`.
    """
    text, assumed = (text, 0) if dtypes is None else with_types(text, dtypes, shapes, values)
    main = text.main
    printed = shaped(main.graph, shapes, main.shapes, main.static, text.shared, values, text.dialect == "aesara", assumed, main.lost)
    flags = flags_of(printed.graph, allow_gc, preallocate)
    linkers = _that_differ(printed.graph, main.linkers)
    ways = [(printed, linker) for linker in linkers]
    ways += [(likewise(printed, g, text.shared), linkers[0]) for g in main.variants]
    scripts = [script_of(f, flags, name, linker, text.dialect) for f, linker in ways]
    runs = [simulate(s, replace(settings_for(s, device), detailed=not k)) for k, s in enumerate(scripts)]
    peaks = tuple(run.functions[0].figures.live_peak_bytes for run in runs)
    n = len(linkers)
    open_ = [_MACHINE] * (len(set(peaks[:n])) > 1) + [_IN_PLACE] * (len({peaks[0], *peaks[n:]}) > 1)
    result = PrintedOutcome(text, printed, scripts[0], runs[0], peaks, tuple(runs), tuple(open_))
    return replace(result, process=_process(result, settings_for(scripts[0], device).free_bytes))


def _is_copy(graph: FunctionGraph, variable: int) -> bool:
    """Whether a Variable is a copy (DeepCopyOp) of an input."""
    owner = graph.variables[variable].owner
    node = None if owner is None else graph.applies[owner]
    return node is not None and node.op.name == "DeepCopyOp" and any(graph.variables[v].owner is None for v in node.inputs)


def _that_differ(graph: FunctionGraph, linkers: Sequence[str]) -> list[str]:
    """One linker for each distinct order of evaluation; all of them if the graph has inner graphs."""
    if len(linkers) < 2 or not LAZY_OPS.isdisjoint(graph.op_names) or any(node.op.inner is not None for node in graph.applies):
        return list(linkers)
    first: dict[tuple[int, ...], str] = {}
    for linker in linkers:
        first.setdefault(execution_order(graph, linker), linker)
    return list(first.values())


def _process(result: PrintedOutcome, free: int | None) -> ProcessProfile:
    """The simulation of the likeliest variant, with a verdict that holds for all of them."""
    first = result.runs[0]
    fits = next((run.fits for run in result.runs if run.fits != first.fits), None)
    verdict = first.judged(free).fits if fits is None else Unknown(f"{'; '.join(result.open) or 'the text leaves it open'}")
    slack = free is None or free - first.reserved_peak_bytes >= SLACK
    unsure = [row for row in result.unsure if not (slack and row.reason == KEPT)]
    if unsure and verdict is True:
        verdict = Unknown(unsure[0].reason)
    if result.shaped.assumed and verdict is True:
        verdict = Unknown(f"the types of {result.shaped.assumed} Variables are not printed, but assumed")
    if verdict is True and first.estimated:
        verdict = Unknown(ESTIMATED)
    return replace(first, functions={k: result.marked(p) for k, p in first.functions.items()}, fits=verdict)
