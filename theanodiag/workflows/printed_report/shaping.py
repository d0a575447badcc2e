"""Shapes of a printed graph, from the user, the text and its types; and which inputs are shared variables, random states among them."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Optional

from ...errors import UsageError
from ...ir import Constant, FunctionGraph, GraphInput, Role, Shape, ShapeTable, Type, TypeKind, Unknown, Variable
from ...ir.graph import graphs
from ...ir.scan import has_scan_layout
from ...ir.shape import Static, Value, admits, is_exact, static_text
from ...ops.arrays import exact
from ...shapes import infer
from ...shapes.consistency import contradictions
from ...shapes.unification import completed
from ...shapes.untyped import generators, with_unprinted

USUAL = 60 * 256
"""Usual number of streams of a multi-stream random generator (MRG), assumed if the size of a sample depends on other sizes; also the most
that the framework chooses by itself.
"""
ASSUMED = "the number of its streams is not printed: the usual one is assumed"
"""Why the size of the state of such a generator is not certain."""
_NUMBERS, _FEW = 6, 6


def streams(graph: FunctionGraph) -> dict[int, Shape]:
    """Returns for each input of `graph` that is the state of a multi-stream generator its usual shape."""
    states = list(_nameless(graph))
    if not states or not any(draws(n.op.name) for inside, _ in graphs(graph) for n in inside.applies):
        return {}
    return {v: (_number(graph, v), _NUMBERS) for v in states}


def _nameless(graph: FunctionGraph) -> Iterator[int]:
    for entry in graph.inputs:
        variable = graph.variables[entry.variable]
        unnamed = not variable.name or variable.name.startswith("id ")
        if unnamed and variable.type.dtype == "int32" and variable.type.shape == (None, None):
            yield variable.id


def draws(name: str) -> bool:
    """Returns whether Ops of this class draw from a multi-stream generator, and return its next state as the first output."""
    return name.endswith(("mrg_uniform", "mrg_uniform_base"))


def _number(graph: FunctionGraph, state: int) -> int:
    """Number of streams that the framework chooses from the size of the first sample."""
    for node in graph.applies:
        size = graph.variables[node.inputs[1]] if draws(node.op.name) and node.inputs[:1] == (state,) and len(node.inputs) > 1 else None
        if isinstance(size, Constant) and isinstance(size.value, tuple):
            n = 1
            for length in size.value:
                n *= length if isinstance(length, int) else USUAL
            return min(n // _FEW if n > _FEW else n, USUAL)
    return USUAL


Unread = tuple[Type, tuple[int, ...]]
"""Type and shape of a shared variable that is set but not printed."""
Group = tuple[TypeKind, Optional[str], tuple[int, ...]]
"""Kind, dtype and shape of a value."""


def unread(graph: FunctionGraph, table: ShapeTable) -> tuple[Unread, ...]:
    """Returns the shared variables that `graph` sets but does not read, so that they are not among its inputs. Variables of unknown shape
    are left out.
    """
    wanted: dict[Group, list[Unread]] = {}
    for v in _set(graph):
        kind, shape = graph.variables[v].type, exact(table.shape(v))
        if kind.kind is not TypeKind.RANDOM and not isinstance(shape, Unknown) and v not in table.bounded:
            wanted.setdefault((kind.kind, kind.dtype, shape), []).append((kind, shape))
    left = {group: len(rows) for group, rows in wanted.items()}
    for variable in (graph.variables[i.variable] for i in graph.inputs) if wanted else ():
        for group in left:
            left[group] -= _may_be(variable.type, exact(table.shape(variable.id)), group)
    return tuple(row for group, rows in wanted.items() for row in rows[: max(0, left[group])])


def _may_be(kind: Type, shape: tuple[int, ...] | Unknown, group: Group) -> bool:
    """Whether an input with this type and shape can have a value of this group."""
    if kind.kind is TypeKind.OTHER:  # not printed
        return True
    fits = admits(kind.shape, group[2]) if isinstance(shape, Unknown) else shape == group[2]
    return (kind.kind, kind.dtype) == group[:2] and fits


def _set(graph: FunctionGraph) -> Iterator[int]:
    """Yields the outputs that are certainly new values of shared variables: those behind the first state of a random generator."""
    sure = False
    for v in graph.outputs:
        if sure and not isinstance(graph.variables[v], Constant):
            yield v
        sure = sure or _is_state(graph, v)


def _is_state(graph: FunctionGraph, v: int) -> bool:
    variable = graph.variables[v]
    node = None if variable.owner is None else graph.applies[variable.owner]
    return variable.type.kind is TypeKind.RANDOM or (node is not None and draws(node.op.name) and node.outputs[0] == v)


NO_TYPE = Unknown("its type is not printed (debugprint with print_type=True prints it; --floatX has it assumed)")
"""Why an untyped Variable has no size."""
HIDDEN = "the text does not say how it uses its inner graph, which needs memory too"
"""Why the memory inside a Scan is unknown."""


@dataclass(frozen=True)
class Shaped:
    """A graph with the shapes of its Variables that are known."""

    graph: FunctionGraph
    """The graph with shared variables marked, and a tensor type for untyped Variables."""
    table: ShapeTable
    """Shapes and small values of all Variables."""
    needed: tuple[str, ...]
    """Names of the inputs and shortened constants whose shapes are not known."""
    values: tuple[str, ...] = ()
    """Names of the integer inputs whose values are not known, where a size depends on one."""
    hidden: tuple[str, ...] = ()
    """Texts of the Ops with inner graphs whose use the text does not show."""
    untyped: bool = False
    """Whether there are Variables whose types are neither printed nor assumed."""
    assumed: int = 0
    """Number of Variables with an assumed type."""
    states: int = 0
    """Number of states of random generators that are assumed to have the usual shape."""
    unread: tuple[Unread, ...] = ()
    """Shared variables that are set but not printed, since no node reads them."""


def shaped(
    graph: FunctionGraph,
    shapes: Mapping[str, Sequence[int]],
    facts: Mapping[int, Shape] | None = None,
    static: Mapping[int, Static] | None = None,
    shared: frozenset[str] = frozenset(),
    values: Mapping[str, Value] | None = None,
    broadcasts: bool = False,
    assumed: int = 0,
    lost: frozenset[int] = frozenset(),
) -> Shaped:
    """Infers the shapes of all Variables of `graph`, from the shapes of named inputs, from small values of inputs, and from the text.

    `facts` are shapes that the text contains in addition to the graph, and `static` fixed lengths in it, by Variable id. `broadcasts`:
    whether the framework broadcasts every length of 1 at run time. `assumed`: number of Variables with an assumed type, which may lack the
    information that a length is always 1. `lost`: Variables that stand for parts that could not be read. Raises UsageError for a name that
    no input has, and for shapes that contradict the types or each other.
    """
    graph = with_states(with_unprinted(graph))
    table, states = tabled(graph, shapes, facts, static, values, broadcasts)
    untyped = {v.id for v in graph.variables if not v.type.is_printed}
    unsized = dict.fromkeys(_without_size(untyped & table.shapes.keys(), table, assumed), NO_TYPE)
    exact = dataclasses.replace(table, shapes={**table.shapes, **unsized}) if unsized else table
    input_names = shape_names(graph)
    needed = [input_names[v.id] for v in _sized_by_name(graph) if v.id in table.open and v.id not in lost]
    wanted = (
        [call_name(v) for v in inputs_of(graph) if v.id not in table.values and _counts(v) and v.id not in lost] if _depends(table) else []
    )
    names = tuple(dict.fromkeys(needed)), tuple(dict.fromkeys(wanted))
    hidden = tuple(_hidden(graph))
    result = Shaped(_finished(graph, shared), exact, *names, hidden, bool(untyped), assumed, states, unread(graph, exact))
    wrong = next(contradictions(result.graph, result.table, broadcasts or assumed > 0), None)
    if wrong and shapes:
        raise UsageError(f"the given shapes are incompatible: {wrong}", help="correct --shape")
    return result


def tabled(
    graph: FunctionGraph,
    shapes: Mapping[str, Sequence[int]],
    facts: Mapping[int, Shape] | None,
    static: Mapping[int, Static] | None,
    values: Mapping[str, Value] | None,
    broadcasts: bool,
) -> tuple[ShapeTable, int]:
    """Returns the shapes of all Variables that can be inferred, and the number of generator states that are assumed to have the usual
    shape.
    """
    given = _by_id(graph, shapes)
    known = {v.id: value for name, value in (values or {}).items() for v in _that_fit(inputs_named(graph, name), ())}
    in_text = {v: s for v, s in (facts or {}).items() if graph.variables[v].owner is None or not shapes}
    states = {v: s for v, s in streams(graph).items() if v not in in_text and v not in given}
    for v, shape in given.items():
        if static and v in static and not admits(static[v], [d for d in shape if isinstance(d, int)]):
            raise _other_type(graph.variables[v], shape, static[v])
    fixed = {v: tuple(d for d in dims if d is not None) for v, dims in (static or {}).items()}
    whole: dict[int, Shape] = {v: dims for v, dims in fixed.items() if static and len(dims) == len(static[v])}
    known_shapes: dict[int, Shape] = {**dict.fromkeys(known, ()), **states, **in_text, **given, **whole}
    return infer(graph, known_shapes, known) if broadcasts else completed(graph, known_shapes, known), len(states)


def _without_size(untyped: set[int], table: ShapeTable, assumed: int) -> set[int]:
    """Untyped Variables without a size; where other types were assumed, only those that have a shape."""
    return {v for v in untyped if not isinstance(table.shape(v), Unknown)} if assumed else untyped


def likewise(shaped: Shaped, graph: FunctionGraph, shared: frozenset[str]) -> Shaped:
    """Returns a copy of `shaped` with `graph` in place of its graph. The shapes stay, because the graphs differ only in what nodes
    overwrite.
    """
    return dataclasses.replace(shaped, graph=_finished(with_states(with_unprinted(graph)), shared))


def with_states(graph: FunctionGraph) -> FunctionGraph:
    """Returns a copy of `graph` in which untyped states of random generators have a type. The states are recognised by the Ops that draw
    from them.
    """
    states = {v for v in generators(graph) if not graph.variables[v].type.is_printed}
    rows = tuple(dataclasses.replace(v, type=_STATE) if v.id in states else v for v in graph.variables) if states else graph.variables
    return dataclasses.replace(graph, variables=rows) if states else graph


_STATE = Type(TypeKind.RANDOM, None, (), "RandomType")


def _finished(graph: FunctionGraph, shared: frozenset[str]) -> FunctionGraph:
    graph = _with_roles(graph, shared)
    untyped = TypeKind.OTHER in graph.kinds and not all(v.type.is_printed for v in graph.variables)
    return dataclasses.replace(graph, variables=tuple(map(_typed, graph.variables))) if untyped else graph


def _depends(table: ShapeTable) -> bool:
    """Whether a size is unknown because the value of an input is unknown."""
    for shape in map(table.shape, table.open):
        for d in shape if isinstance(shape, tuple) else (shape,):
            if isinstance(d, Unknown) and "the value of" in d.reason:
                return True
    return False


def _counts(variable: Variable) -> bool:
    """Whether a Variable is an integer scalar, which may be a length."""
    return variable.type.ndim == 0 and (variable.type.dtype or "").startswith(("int", "uint"))


_OF_GRAPHS = ("OpFromGraph", "Pad", "SolveSylvester", "SolveBilinearDiscreteLyapunov", "SolveDiscreteARE")
"""OpFromGraph, and Ops derived from it that run as functions of their own. Source: PyTensor 3.0.7 and 3.3.7 tensor."""


def _hidden(graph: FunctionGraph) -> Iterator[str]:
    """Yields the texts of Ops whose inner memory is not counted: OpFromGraphs, and Scans without a known step graph.

    The figures are lower bounds where there are any. Ops in the step graphs of Scans are searched too.
    """
    for node in graph.applies:
        counted = node.op.inner is not None and has_scan_layout(node.op.inner.info)
        if node.op.name in _OF_GRAPHS:
            yield node.op.text
        elif node.op.name.endswith("Scan") and not node.op.module:
            on_device = any(graph.variables[v].type.kind.on_device for v in node.inputs)  # what it holds there is not known
            if on_device or not counted:
                yield node.op.text
        if counted and node.op.inner is not None:
            yield from _hidden(node.op.inner)


def inputs_of(graph: FunctionGraph) -> Iterator[Variable]:
    """Yields the Variables that are inputs of the graph."""
    yield from (graph.variables[i.variable] for i in graph.inputs)


def _sized_by_name(graph: FunctionGraph) -> Iterator[Variable]:
    """The inputs, and constants that are printed shortened, which are named by their ids."""
    yield from inputs_of(graph)
    yield from (v for v in graph.variables if v.owner is None and isinstance(v, Constant) and not is_exact(v.shape) and _has_id(v))


def _has_id(constant: Constant) -> bool:
    return constant.name is not None and constant.name.startswith("id ")


def call_name(variable: Variable) -> str:
    """Returns the name by which the user refers to an input: its own name, or else its id in the text (`id BC`) or `inputN`."""
    return variable.name or f"input{variable.id}"


def _typed(variable: Variable) -> Variable:
    return variable if variable.type.is_printed else dataclasses.replace(variable, type=Type(TypeKind.TENSOR, None, (), "?"))


def shape_names(graph: FunctionGraph) -> dict[int, str]:
    """Returns the name under which the user gives the shape of each input, by Variable id; inputs with equal names are `W#1`, `W#2`, in
    order.
    """
    sized = list(_sized_by_name(graph))
    names = [call_name(v) for v in sized]
    count, by_id = Counter(names), dict[int, str]()
    seen: Counter[str] = Counter()
    for v, name in zip(sized, names):
        seen[name] += 1
        by_id[v.id] = f"{name}#{seen[name]}" if count[name] > 1 else name
    return by_id


def inputs_named(graph: FunctionGraph, name: str) -> list[Variable]:
    """Returns the inputs called `name`. Raises UsageError if there is none."""
    inputs = [v for v in inputs_of(graph) if name in (call_name(v), f"input{v.id}")]
    if not inputs:
        raise _no_input(graph, name)
    return inputs


def _no_input(graph: FunctionGraph, name: str) -> UsageError:
    known = ", ".join(sorted(map(call_name, inputs_of(graph)))) or "none"
    return UsageError(f"the graph has no input {name!r}", help=f"its inputs are: {known}")


def _by_id(graph: FunctionGraph, shapes: Mapping[str, Sequence[int]]) -> dict[int, Shape]:
    """The given shapes by Variable id. Raises UsageError for unknown names."""
    rows: dict[str, list[Variable]] = {}
    input_names = shape_names(graph)
    for variable in _sized_by_name(graph):
        for name in {call_name(variable), input_names[variable.id], f"input{variable.id}"}:
            rows.setdefault(name, []).append(variable)
    for name in shapes:
        if name not in rows:
            raise _no_input(graph, name)
    ordered = sorted(shapes.items(), key=lambda row: row[0] in input_names.values())  # shapes for `W#1` override those for `W`
    return {v.id: tuple(shape) for name, shape in ordered for v in _that_fit(rows[name], tuple(shape))}


def _that_fit(variables: Sequence[Variable], shape: tuple[int, ...]) -> list[Variable]:
    """Those of several inputs with one name whose types admit the shape. Raises UsageError where none does."""
    matches = [v for v in variables if not v.type.is_printed or v.type.kind is TypeKind.RANDOM or admits(v.type.shape, shape)]
    if not matches:
        raise _other_type(variables[0], shape, variables[0].type.shape)
    return matches


def _other_type(variable: Variable, shape: Shape, static: Static) -> UsageError:
    return UsageError(f"{variable.name} cannot have the shape {shape}: its type has {static_text(static)}")


def _with_roles(graph: FunctionGraph, shared: frozenset[str]) -> FunctionGraph:
    """`graph` with its shared variables marked: those that the text names, that are on the device, or that a node overwrites."""
    on_device = {kind for kind in graph.kinds if kind.on_device}
    overwritten = {node.inputs[i] for node in graph.applies for row in node.op.destroy_map.values() for i in row}
    rows = []
    for entry in graph.inputs:
        variable = graph.variables[entry.variable]
        is_shared = variable.name in shared or variable.type.kind in on_device or variable.id in overwritten
        keep = entry.role is not Role.ARGUMENT or not is_shared
        rows.append(entry if keep else GraphInput(entry.variable, Role.SHARED, entry.variable, entry.update, entry.borrow, entry.mutable))
    return dataclasses.replace(graph, inputs=tuple(rows))
