"""Shape rules of Ops with inner graphs: IfElse, OpFromGraph, Pad and Scan, whose inner graph is inferred for one step."""

from __future__ import annotations

from ..agent.shapes.dimensions import Bound, NoShape, larger, lift, total
from ..ir import FunctionGraph
from ..ir.shape import Dim, Shape, Unknown
from .registry import Rule, Shapes
from .scan_roles import roles_of
from .state import KnownArray, Node, State


def if_else(node: Node) -> Shapes:
    """IfElse: the shapes of the branch taken, if the condition is known; else the larger of both, dimension by dimension."""
    n, condition = node.n_outputs, node.array(0)
    if condition is not None and condition.items and not node.doubtful(0):
        first = 1 if condition.items[0] else 1 + n
        return [node.maybe(first + k) for k in range(n)]
    return [larger_shape(node.maybe(1 + k), node.maybe(1 + n + k)) for k in range(n)]


def larger_shape(a: Shape | Unknown, b: Shape | Unknown) -> Shape | Unknown:
    """The shape of a value that may have either; Unknown if the numbers of dimensions differ."""
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return a if isinstance(a, Unknown) else b
    if len(a) != len(b):
        return Unknown("IfElse between branches with different numbers of dimensions")
    return tuple(larger(x, y) for x, y in zip(a, b))


def lazy_if_else(node: Node) -> Shapes:
    """LazyIfElse, whose inner graph computes both branches from the same inputs. Source: PyTensor 3.3.7 conditional/op.py."""
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
    """Position of an inner input among the outer ones: by its name `i2`, since texts show only inputs that are used; else as it stands."""
    name = graph.variables[graph.inputs[position].variable].name or ""
    return int(name[1:]) if name[:1] == "i" and name[1:].isascii() and name[1:].isdigit() and len(name) < 7 else position


def from_graph(node: Node) -> Shapes:
    """OpFromGraph: the shapes of the inner outputs; also follows small values through the inner graph."""
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
    """Inner input Variable id -> position among the `n_inputs` of the Op."""
    if len(graph.inputs) < n_inputs:  # a text shows only used inputs, which PyTensor numbers
        return {i.variable: numbered(graph, k) for k, i in enumerate(graph.inputs)}
    return {i.variable: k for k, i in enumerate(graph.inputs)}


def padded(node: Node) -> Shapes:
    """Pad of (array, widths, ...): each dimension grows by its widths, in any mode; else inferred from the inner graph.

    The widths are one number, a pair for all dimensions, or a pair for each.
    Source: PyTensor 3.0.7 and 3.3.7 tensor/pad.py.
    """
    shape, widths = node.shape(0), node.params.get("static_pad_width")
    pairs = [p for p in widths if isinstance(p, list) and all(isinstance(n, int) for n in p)] if isinstance(widths, list) else []
    if isinstance(widths, list) and len(widths) == len(pairs) == len(shape):
        return [tuple(lift(int.__add__, d, sum(pair)) for d, pair in zip(shape, pairs))]
    found, known = node.numbers(1), node.maybe(1)
    if found is None or isinstance(known, Unknown):
        return from_graph(node)
    rows = [d for d in found for _ in range(1 if known and known[-1] == 2 else 2)]
    rows = rows if len(rows) == 2 * len(shape) else rows[:2] * len(shape)
    return [tuple(total((d, *rows[2 * k : 2 * k + 2])) for k, d in enumerate(shape))]


def run_inner(node: Node, graph: FunctionGraph, shapes: dict[int, Shape | Unknown], positions: dict[int, int]) -> State:
    """Infers the inner graph of a node; `positions` maps its inputs to the outer inputs whose values they have."""
    values: dict[int, KnownArray] = {}
    for variable, position in positions.items():
        found = node.array(position)
        if found is not None and not node.doubtful(position):
            values[variable] = found
    state, table = node.state.run(graph, {v: s for v, s in shapes.items() if not isinstance(s, Unknown)}, values)
    node.state.inner[node.apply.id] = table
    return state


def scan(node: Node) -> Shapes:
    """Scan: infers one step; recurrent outputs have the shape of their buffers, others (steps kept, *shape of one step)."""
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
    found = [node.maybe(places[k]) if k in places else reason for k in range(node.n_outputs)]
    return [_bounded(s) if node.params.get("as_while") is True else s for s in found]


def _alike(node: Node, position: int, out: int) -> bool:
    """Whether output `out` can be its buffer, by their types."""
    buffer, made = node.type(position), node.out_type(out)
    return (buffer.ndim, buffer.dtype, buffer.kind) == (made.ndim, made.dtype, made.kind)


def _one_step(shape: Shape | Unknown) -> Shape | Unknown:
    return shape if isinstance(shape, Unknown) else shape[1:]


def _stacked(length: Dim, step: Shape | Unknown) -> Shape | Unknown:
    return step if isinstance(step, Unknown) else (length, *step)


def _bounded(shape: Shape | Unknown | None) -> Shape | Unknown | None:
    """The shape with its first dimension as a Bound, since a stopping condition may end the loop earlier."""
    if shape is None or isinstance(shape, Unknown) or not shape or isinstance(shape[0], Unknown):
        return shape
    return (Bound(shape[0]), *shape[1:])


RULES: dict[str, Rule] = {"IfElse": if_else, "LazyIfElse": lazy_if_else, "Pad": padded, "OpFromGraph": from_graph, "Scan": scan}
"""Shape rule by class name of the Op, without `Gpu`."""
