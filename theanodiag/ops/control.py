"""Loops, branches, Ops with inner graphs, and padding. A Scan's inner graph is inferred for one step.

Sources: Theano 1.0.5 ifelse.py, scan_module/scan_op.py, gpuarray/opt.py; PyTensor 3.3.7 ifelse.py, tensor/pad.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..agent.shapes.dimensions import (
    Bound,
    NoShape,
    larger,
    lift,
    total,
)
from ..ir import FunctionGraph, Shape, Unknown
from ..ir.scan import ScanInfo, scan_info
from ..ir.shape import Dim
from .dtypes import Dtypes, TypeQuery, as_input
from .memory_effects import Work
from .node import KnownArray, Node, Shapes, State, needed, only
from .parameters import Groups, Params, generic
from .spec import GpuLowering, OpSpec


@dataclass(frozen=True)
class Roles:
    """The role of each outer input of a Scan, by position."""

    inner: Mapping[int, tuple[int, bool]]
    """Inner input Variable -> (position of the outer input, whether it is one step of that)."""
    buffers: tuple[int, ...]
    """Outer inputs into which recurrences are written, in the order of the outputs."""
    stacked: tuple[tuple[int, int], ...]
    """For each output without a recurrence: position of the outer input with its length, and position of the inner output."""
    shared: tuple[int, ...]
    """Outer inputs that are shared variables."""
    constant: frozenset[int]
    """Outer inputs that are the same in each step."""
    as_while: bool
    """Whether a stopping condition may end the loop earlier."""


def roles_of(node: Node) -> Roles | None:
    """Returns the roles of a Scan's outer inputs; None if the graph has neither counts nor labels of them."""
    graph = node.op.inner
    if graph is None:
        return None
    info = scan_info(graph.info)
    return _from_counts(node, graph, info) if info is not None else _from_links(node, graph)


def _from_counts(node: Node, graph: FunctionGraph, info: ScanInfo) -> Roles:
    """Roles from the counts that a live graph's `info` has."""
    first = info.first_nit_sot()
    return Roles(
        {i.variable: row for i, row in zip(graph.inputs, info.inner_inputs(node.n_inputs))},
        tuple(info.recurrences),
        tuple((info.lengths_at + k, first + k) for k in range(info.n_nit_sot) if first + k < len(graph.outputs)),
        tuple(info.shared),
        frozenset(range(info.others_at, node.n_inputs)),
        info.as_while,
    )


def _from_links(node: Node, graph: FunctionGraph) -> Roles | None:
    """Roles from labels such as `inner_in_seqs-0`, which `print_op_info` prints; None if they are missing."""
    labels = graph.info.get("labels")
    if not isinstance(labels, list) or not labels:
        return None
    matches = [_LABEL.match(v) if isinstance(v, str) else None for v in labels]
    kinds = [(m[1], int(m[2])) for m in matches if m is not None]
    return _from_kinds(node, graph, kinds) if len(kinds) == len(labels) else None


_LABEL = re.compile(r"inner_in_(seqs|mit_mot|mit_sot|sit_sot|shared|non_seqs)-(\d{1,6})(?:-\d{1,6})?$")
_MAPPED = ("seqs", "mit_mot", "mit_sot", "sit_sot")


def _from_kinds(node: Node, graph: FunctionGraph, kinds: Sequence[tuple[str, int]]) -> Roles | None:
    """Roles from (kind, number) of each inner input; None if they do not add up, since only inputs that are used are printed."""
    counts = {name: max((k + 1 for n, k in kinds if n == name), default=0) for name in (*_MAPPED, "shared", "non_seqs")}
    starts, at = {}, 1
    for name in (*_MAPPED, "shared"):
        starts[name], at = at, at + counts[name]
    n_nit = node.n_outputs - (starts["shared"] - starts["mit_mot"]) - counts["shared"]
    rest = starts["non_seqs"] = at + n_nit
    as_while = node.params.get("as_while") is True
    last = len(graph.outputs) - as_while - counts["shared"] - n_nit
    if n_nit < 0 or last < 0 or rest + counts["non_seqs"] != node.n_inputs or not all(_is_length(node, p) for p in range(at, rest)):
        return None
    return Roles(
        {i.variable: (starts[n] + k, n in _MAPPED) for i, (n, k) in zip(graph.inputs, kinds)},
        tuple(range(starts["mit_mot"], starts["shared"])),
        tuple((at + k, last + k) for k in range(n_nit)),
        tuple(range(starts["shared"], at)),
        frozenset(range(rest, node.n_inputs)),
        as_while,
    )


def _is_length(node: Node, position: int) -> bool:
    kind = node.type(position)
    return kind.ndim == 0 and (kind.dtype or "").startswith(("int", "uint"))


def if_else(node: Node) -> Shapes:
    """Returns the output shapes of IfElse: those of the branch taken, if the condition is known; else the larger of both branches,
    dimension by dimension.
    """
    n, condition = node.n_outputs, node.array(0)
    if condition is not None and condition.items and not node.doubtful(0):
        first = 1 if condition.items[0] else 1 + n
        return [node.maybe(first + k) for k in range(n)]
    return [larger_shape(node.maybe(1 + k), node.maybe(1 + n + k)) for k in range(n)]


def larger_shape(a: Shape | Unknown, b: Shape | Unknown) -> Shape | Unknown:
    """Returns the shape of a value that may have either of two shapes: the larger length in each dimension; Unknown if the numbers of
    dimensions differ.
    """
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return a if isinstance(a, Unknown) else b
    if len(a) != len(b):
        return Unknown("IfElse between branches with different numbers of dimensions")
    return tuple(larger(x, y) for x, y in zip(a, b))


def lazy_if_else(node: Node) -> Shapes:
    """Returns the output shapes of LazyIfElse, whose inner graph computes both branches from the same inputs. Source: PyTensor 3.3.7
    conditional/op.py.
    """
    graph, n, condition = node.op.inner, node.n_outputs, node.array(0)
    if graph is None or len(graph.outputs) != 2 * n:
        raise NoShape(f"the branches of {node.op.name} are not printed")
    places = {i.variable: 1 + numbered(graph, k) for k, i in enumerate(graph.inputs)}
    state = run_inner(node, graph, {v: node.maybe(p) for v, p in places.items()}, places)
    yes, no = (graph.outputs[:n], graph.outputs[n:])
    if condition is not None and condition.items and not node.doubtful(0):
        return [state.shapes[v] for v in (yes if condition.items[0] else no)]
    return [larger_shape(state.shapes[a], state.shapes[b]) for a, b in zip(yes, no)]


def numbered(graph: FunctionGraph, position: int) -> int:
    """Returns the position among the outer inputs of an inner input: the number in its name (`i2`), because texts show only inputs that are
    used; `position` if it has no such name.
    """
    name = graph.variables[graph.inputs[position].variable].name or ""
    return int(name[1:]) if name[:1] == "i" and name[1:].isascii() and name[1:].isdigit() and len(name) < 7 else position


def from_graph(node: Node) -> Shapes:
    """Returns the output shapes of OpFromGraph: those of the inner outputs. Small values are followed through the inner graph too."""
    graph = node.op.inner
    if graph is None or len(graph.inputs) > node.n_inputs:
        raise NoShape(f"the inner graph of {node.op.name} is not known")
    places = places_of(graph, node.n_inputs)
    state = run_inner(node, graph, {v: node.maybe(k) for v, k in places.items()}, places)
    for outer, inner in zip(node.apply.outputs, graph.outputs):
        if inner in state.values and inner not in state.tainted:
            node.state.values[outer] = state.values[inner]
    return [state.shapes[v] for v in graph.outputs[: node.n_outputs]]


def places_of(graph: FunctionGraph, n_inputs: int) -> dict[int, int]:
    """Returns a mapping: Variable id of each inner input -> its position among the `n_inputs` inputs of the Op."""
    if len(graph.inputs) < n_inputs:  # a text shows only used inputs, which PyTensor numbers
        return {i.variable: numbered(graph, k) for k, i in enumerate(graph.inputs)}
    return {i.variable: k for k, i in enumerate(graph.inputs)}


def padded(node: Node) -> Shapes:
    """Returns the output shape of Pad of (array, widths, ...): each dimension grows by its widths, in any mode; else inferred from the
    inner graph.

    The widths are one number, a pair for all dimensions, or a pair for each.
    Source: PyTensor 3.0.7 and 3.3.7 tensor/pad.py.
    """
    shape, widths = node.shape(0), node.params.get("static_pad_width")
    pairs = [p for p in widths if isinstance(p, list) and all(isinstance(n, int) for n in p)] if isinstance(widths, list) else []
    if isinstance(widths, list) and len(widths) == len(pairs) == len(shape):
        return [tuple(lift(int.__add__, d, sum(pair)) for d, pair in zip(shape, pairs))]
    numbers, known = node.numbers(1), node.maybe(1)
    if numbers is None or isinstance(known, Unknown):
        return from_graph(node)
    rows = [d for d in numbers for _ in range(1 if known and known[-1] == 2 else 2)]
    rows = rows if len(rows) == 2 * len(shape) else rows[:2] * len(shape)
    return [tuple(total((d, *rows[2 * k : 2 * k + 2])) for k, d in enumerate(shape))]


def run_inner(node: Node, graph: FunctionGraph, shapes: dict[int, Shape | Unknown], positions: dict[int, int]) -> State:
    """Infers the shapes of a node's inner graph; `positions` maps inner inputs to the outer inputs whose values they have."""
    values: dict[int, KnownArray] = {}
    for variable, position in positions.items():
        array = node.array(position)
        if array is not None and not node.doubtful(position):
            values[variable] = array
    state, table = node.state.run(graph, {v: s for v, s in shapes.items() if not isinstance(s, Unknown)}, values)
    node.state.inner[node.apply.id] = table
    return state


def scan(node: Node) -> Shapes:
    """Returns the output shapes of Scan, inferred from one step: recurrent outputs have the shape of their buffers, others (steps kept,
    *shape of one step).
    """
    graph = node.op.inner
    roles = roles_of(node)
    if roles is None or graph is None:
        return _without_graph(node)
    step = {variable: _one_step(node.maybe(p)) if mapped else node.maybe(p) for variable, (p, mapped) in roles.inner.items()}
    state = run_inner(node, graph, step, {v: p for v, (p, mapped) in roles.inner.items() if not mapped and p in roles.constant})
    rows: list[Shape | Unknown | None] = [node.maybe(p) for p in roles.buffers]
    rows += [_stacked(node.number(p), state.shapes[graph.outputs[k]]) for p, k in roles.stacked]
    rows += [node.maybe(p) if node.type(p).has_shape else None for p in roles.shared]
    return [_bounded(s) if roles.as_while else s for s in rows]


def _without_graph(node: Node) -> Shapes:
    """Scan without a known layout: outputs have the shapes of the buffers that they overwrite; others are Unknown."""
    reason = Unknown(f"how {node.op.name} uses its inner graph is not printed")
    places = {out: rows[0] for out, rows in node.op.destroy_map.items() if rows and _alike(node, rows[0], out)}
    shapes = [node.maybe(places[k]) if k in places else reason for k in range(node.n_outputs)]
    return [_bounded(s) if node.params.get("as_while") is True else s for s in shapes]


def _alike(node: Node, position: int, out: int) -> bool:
    """Whether the types allow output `out` to be written into the buffer at input `position`."""
    buffer, output = node.type(position), node.out_type(out)
    return (buffer.ndim, buffer.dtype, buffer.kind) == (output.ndim, output.dtype, output.kind)


def _one_step(shape: Shape | Unknown) -> Shape | Unknown:
    return shape if isinstance(shape, Unknown) else shape[1:]


def _stacked(length: Dim, step: Shape | Unknown) -> Shape | Unknown:
    return step if isinstance(step, Unknown) else (length, *step)


def _bounded(shape: Shape | Unknown | None) -> Shape | Unknown | None:
    """`shape` with its first dimension as a Bound, since a stopping condition may end the loop earlier."""
    if shape is None or isinstance(shape, Unknown) or not shape or isinstance(shape[0], Unknown):
        return shape
    return (Bound(shape[0]), *shape[1:])


def if_else_memory(work: Work) -> None:
    """Memory of IfElse: each output is a view of the branch taken, if that is the first one and the Op works in place, else a copy of it.

    Source: Theano 1.0.5, ifelse.py, `IfElse.make_thunk`.
    """
    half = len(work.node.outputs)
    taken = work.frame.takes_first[work.node.id]
    for output in range(half):
        if work.watches(output):
            value = work.input(1 + output + (0 if taken else half))
            if value is None or (taken and work.node.op.view_map):
                work.share(output, value)
            else:
                work.replace(output, value.shape)


def _branches_dtype(query: TypeQuery) -> Dtypes:
    return [query.at(1 + k) for k in range(query.n_outputs)]


def _scan_parameters(groups: Groups) -> Params:
    """`Scan{f, while_loop=False, inplace=all}`."""
    params = generic(groups)
    names = params.pop("args", [])
    return {"name": names[0] if isinstance(names, list) and names else None, "as_while": params.get("while_loop", False),
            "inplace_outputs": params.get("inplace", "none")}  # fmt: skip


def _if_else_value(node: Node) -> list[KnownArray]:
    """IfElse: the values of the branch taken."""
    n = node.n_outputs
    taken = 1 if only(needed(node, 0)[0]) else 1 + n
    return needed(node, *range(taken, taken + n))


OPS = (
    OpSpec("IfElse", integer_input=0, overwrites={}, printed_as={"if": {}}, shape=if_else, value=_if_else_value, dtype=_branches_dtype,
        memory=if_else_memory, gpu=GpuLowering(under_same_rules=True, host_inputs=(0,))),
    OpSpec("Scan", integer_input=0, overwrites={}, shape=scan, printed_parameters=_scan_parameters,
        gpu=GpuLowering(under_same_rules=True, host_inputs=(0,))),
    OpSpec("LazyIfElse", integer_input=0, shape=lazy_if_else, dtype=_branches_dtype),
    OpSpec("Pad", integers_from=1, shape=padded, dtype=as_input(0)),
    OpSpec("OpFromGraph", shape=from_graph),
)  # fmt: skip
"""The catalogue entries of this family of Ops."""
