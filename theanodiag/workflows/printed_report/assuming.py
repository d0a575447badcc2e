"""Assumes what a text does not print: types, from dtypes that the user gives, until nothing new can be inferred; and one call."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...errors import UsageError
from ...ir import FunctionGraph, Role, TypeKind
from ...ir.dtype import is_dtype
from ...ir.shape import Value
from ...ir.traverse import graphs
from ...memory.script import Call, CallInput, Compile, CompiledFunction, Create, Event, Script, SharedVariable
from ...printed import DebugPrint
from ...printed.reader import read_again
from ...shapes.assumed import Types, assumed
from ...shapes.untyped import with_unprinted
from .shaping import Shaped, called, tabled


def script_of(shaped: Shaped, flags: Mapping[str, object], name: str = "", linker: str = "cvm", framework: str = "") -> Script:
    """The script that creates the shared variables and calls the function once."""
    graph, table = shaped.graph, shaped.table
    title = name or graph.name or "graph"
    entries = [i for i in graph.inputs if i.role is Role.SHARED and i.shared is not None]
    variables = {
        i.shared: SharedVariable(i.shared, graph.variables[i.variable].name, graph.variables[i.variable].type)
        for i in entries
        if i.shared is not None
    }
    creations: list[Event] = [Create(i.shared, table.shape(i.variable)) for i in entries if i.shared is not None]
    for number, (kind, shape) in enumerate(shaped.unread, 1 + max((i.variable for i in graph.inputs), default=-1)):
        variables[number] = SharedVariable(number, "shared variable that is only set", kind)
        creations.append(Create(number, shape))
    arguments = [graph.variables[i.variable] for i in graph.inputs if i.role is Role.ARGUMENT]
    inputs = tuple(CallInput(v.id, v.name, v.type.dtype, table.shape(v.id)) for v in arguments)
    events = (*creations, Compile(0), Call(0, inputs, table, assumed=True))
    return Script(variables, (CompiledFunction(0, title, graph, linker),), events, flags, framework)


def flags_of(graph: FunctionGraph, allow_gc: bool = True, preallocate: float = 0.0) -> dict[str, object]:
    """The flags with which such a graph was compiled, as far as it shows them."""
    return {"device": "gpu" if TypeKind.CUDANDARRAY in graph.kinds else "cuda", "allow_gc": allow_gc, "gpuarray.preallocate": preallocate}


ROUNDS = 6
"""Maximum number of rereadings: types of a Scan's outputs follow one round after its inputs, and Scans can be nested."""
FLOATS = ("float16", "float32", "float64")
"""Values of floatX."""


@dataclass(frozen=True)
class Dtypes:
    """Dtypes that the user gives for a text without types; raises UsageError for an unknown dtype."""

    floatX: str
    """The flag floatX of the function: the dtype of all inputs that are not used as integers."""
    named: Mapping[str, str] = field(default_factory=dict)
    """Dtypes of inputs that differ, by name."""

    def __post_init__(self) -> None:
        if self.floatX not in FLOATS:
            raise UsageError(f"floatX cannot be {self.floatX!r}", help=f"it is one of {', '.join(FLOATS)}")
        for name, dtype in self.named.items():
            if not is_dtype(dtype):
                raise UsageError(f"{name} cannot have the dtype {dtype!r}: there is none", help="write one such as int64 or float64")

    @property
    def options(self) -> str:
        """The equivalent command-line options."""
        return " ".join([f"--floatX {self.floatX}", *(f"--dtype {shlex.quote(f'{n}={d}')}" for n, d in self.named.items())])


def printed_floats(graph: FunctionGraph) -> tuple[str, ...]:
    """The float dtypes that parameters of Ops name, such as `AllocEmpty{dtype='float64'}`; floatX is likely one of them."""
    dtypes = {node.op.params.get("dtype") for inside, _ in graphs(graph) for node in inside.applies}
    return tuple(name for name in FLOATS if name in dtypes)


def dtypes_of(floatX: str | None, named: Mapping[str, str] | None = None) -> Dtypes | None:
    """The Dtypes; None where nothing is given. Raises UsageError for `named` without floatX."""
    if floatX is None and named:
        raise UsageError("dtypes of inputs require floatX, the dtype of all other inputs", help="give floatX (--floatX float32)")
    return None if floatX is None else Dtypes(floatX, dict(named or {}))


def with_types(
    text: DebugPrint, dtypes: Dtypes, shapes: Mapping[str, Sequence[int]], values: Mapping[str, Value] | None
) -> tuple[DebugPrint, int]:
    """The text with assumed types, and how many Variables of its main graph have one.

    Raises UsageError for a name that no input has, and for a dtype that contradicts the printed one.
    """
    for name, dtype in dtypes.named.items():
        printed = {v.type.dtype for v in called(text.graph, name) if v.id not in text.main.untyped}
        if printed and dtype not in printed and len(printed) == len(called(text.graph, name)):
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
