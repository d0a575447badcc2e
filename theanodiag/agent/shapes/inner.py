"""Shapes through Scan, OpFromGraph and IfElse in a live graph: infers the inner graph for one step, then the outer outputs."""

from .dimensions import Bound, NoShape, larger
from .state import LiveState, has_shape, is_a

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live
    from .infer import LiveShapes
    from .rules import Shapes


def through(node: "Live", state: "LiveState", live: "LiveShapes") -> "Shapes | None":
    """Shapes of the outputs of an Op with an inner graph, or of IfElse; None for every other Op."""
    if is_a(node.op, ("IfElse",)):
        return if_else(node, state)
    inside = live.inner(node)
    if inside is None:
        return None
    if is_a(node.op, ("Scan",)):
        return scan(node, state, inside)
    inner = inside.run(dict((i, state.shape(v)) for i, v in enumerate(node.inputs)), known_values(node.inputs, state))
    state.inner[live.walk.positions[node]] = inside.as_table(inner)
    for made, v in zip(node.outputs, inside.walk.fgraph.outputs):
        if inner.value(v) is not None and v not in inner.tainted:
            state.values[made] = inner.value(v)
    return [inner.shape(v) if has_shape(v.type) else None for v in inside.walk.fgraph.outputs[: len(node.outputs)]]


def known_values(variables: "list[Live]", state: "LiveState") -> "dict[int, Live]":
    """Exactly known values of `variables`, by position."""
    return dict((i, state.value(v)) for i, v in enumerate(variables) if state.value(v) is not None and v not in state.tainted)


def scan(node: "Live", state: "LiveState", inside: "LiveShapes") -> "Shapes":
    """Scan: infers one step; recurrent outputs have the shape of their buffers, others (steps kept, *shape of one step)."""
    info = inside.info
    shapes, values = step_inputs(node, state, info)
    inner = inside.run(shapes, values)
    state.inner[inside.position] = inside.as_table(inner)
    return [while_bound(s, info) for s in outer_outputs(node, state, info, inner, without_written(inside))]


def without_written(inside: "LiveShapes") -> "list[Live]":
    """Outputs of a Scan's inner graph, without the first ones that mit-mot recurrences write in place.

    Where the graph has updates, outputs written in place are updates of their inputs and stand last; only a graph that Numba runs has none.
    """
    outputs = inside.walk.returned_first()  # type: list[Live]
    if any(spec.update is not None for spec in inside.walk.specs):
        return outputs
    return outputs[n_written(inside.info) :]


def n_written(info: "dict[str, Live]") -> int:
    """Number of outputs of a Scan's inner graph that mit-mot recurrences write in place."""
    return sum(bool(p) for p in info["mitmots_preallocated"] or ())


def step_inputs(node: "Live", state: "LiveState", info: "dict[str, Live]") -> "tuple[dict[int, Live], dict[int, Live]]":
    """Shapes and values of the inner inputs: one step of each sequence and of each tap of a recurrence; other inputs as they are."""
    outer = iter(node.inputs[1:])
    rows = [state.shape(next(outer))[1:] for _ in range(info["n_seqs"])]
    for taps in info["mit_mot_in_slices"] + info["mit_sot_in_slices"] + info["sit_sot_in_slices"]:
        rows.extend([state.shape(next(outer))[1:]] * len(taps))
    rows.extend(state.shape(next(outer)) for _ in range(info["n_shared_outs"]))
    for _ in range(info["n_nit_sot"]):
        next(outer)
    first, rest = len(rows), list(outer)
    rows.extend(state.shape(v) for v in rest)
    return dict(enumerate(rows)), dict((first + i, v) for i, v in known_values(rest, state).items())


def outer_outputs(node: "Live", state: "LiveState", info: "dict[str, Live]", inner: "LiveState", made: "list[Live]") -> "Shapes":
    """Shapes of the Scan's outputs: recurrences, outputs without recurrence, updates of shared variables."""
    n_buffers = info["n_mit_mot"] + info["n_mit_sot"] + info["n_sit_sot"]
    first = 1 + info["n_seqs"]
    shared = first + n_buffers
    shapes = [state.shape(v) for v in node.inputs[first:shared]]  # type: Shapes
    lengths = node.inputs[shared + info["n_shared_outs"] :]
    position = info["n_mit_mot_outs"] - n_written(info) + info["n_mit_sot"] + info["n_sit_sot"]
    for k in range(info["n_nit_sot"]):
        shapes.append((state.dim(lengths[k]),) + inner.shape(made[position + k]))
    for k in range(info["n_shared_outs"]):
        variable = node.inputs[shared + k]
        shapes.append(state.shape(variable) if has_shape(variable.type) else None)
    return shapes


def while_bound(shape: "Live", info: "dict[str, Live]") -> "Live":
    """The shape with its first dimension as a Bound if a stopping condition may end the loop earlier."""
    if not info["as_while"] or not shape or shape[0] is None:
        return shape
    return (Bound(shape[0]),) + shape[1:]


def if_else(node: "Live", state: "LiveState") -> "Shapes":
    """IfElse: the shapes of the branch taken, if the condition is known; else the larger of both, dimension by dimension."""
    n, condition = len(node.outputs), state.dim(node.inputs[0])
    then, other = node.inputs[1 : n + 1], node.inputs[n + 1 :]
    if condition is not None and not isinstance(condition, Bound):
        return [state.shape(v) if has_shape(v.type) else None for v in (then if condition else other)]
    return [larger_shape(state.shape(a), state.shape(b)) if has_shape(a.type) else None for a, b in zip(then, other)]


def larger_shape(a: "tuple[Live, ...]", b: "tuple[Live, ...]") -> "tuple[Live, ...]":
    """The shape of a value that may have either; raises NoShape if the numbers of dimensions differ."""
    if len(a) != len(b):
        raise NoShape("IfElse between branches with different numbers of dimensions")
    return tuple(larger(x, y) for x, y in zip(a, b))
