"""Turns a filled `PrintScope` into a FunctionGraph: Ops with parameters and view/destroy maps, nodes in their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from operator import ne
from typing import NamedTuple

from ..ir import Apply, Constant, FunctionGraph, GraphInput, Op, TypeKind, Variable
from ..ir.graph import graphs
from ..ops import FIRST, IndexMap, is_buffer, op_info
from ..ops.elementwise import printed_order
from ..ops.parameters import Params
from ..ops.scalars import PRINTED
from .constants import index_map
from .op_names import Parsed, parse_op
from .overwrite_variants import fused_apart, last_states, last_taps, overwriting, without_fusing
from .overwritten import OverwritePlan, fits, loops_of, readers_before, schedule
from .rewriting import renumbered, rewrite, update_hypotheses
from .scan_layout import Outer, ScanLayout, recover_layout
from .scope import PrintScope, PrintStyle


class Maps(NamedTuple):
    """The view_map and destroy_map of a node: which inputs each output is a view of, and which it overwrites."""

    view: IndexMap
    """view_map: output -> inputs that it is a view of."""
    destroy: IndexMap
    """destroy_map: output -> inputs that it overwrites."""


def printed_maps(texts: tuple[str, str]) -> Maps:
    """Parses the maps that `print_destroy_map` and `print_view_map` print; `texts` are (destroy_map, view_map)."""
    return Maps(index_map(texts[1]), index_map(texts[0]))


def derive_maps(name: str, params: Params, n_inputs: int, n_outputs: int) -> Maps:
    """Returns the view_map and destroy_map that follow from an Op's class name and parameters, limited to the node's numbers of inputs and
    outputs.
    """
    view, destroy = _view(name, params, n_outputs), _destroy(name, params)
    return Maps(_within(view, n_inputs, n_outputs), _within(destroy, n_inputs, n_outputs))


def scan_maps(params: Params, makers: Sequence[str | None], scalars: Sequence[bool], n_outputs: int) -> Maps:
    """Returns the view_map and destroy_map of a Scan: outputs that its text lists under `inplace_outputs` overwrite their buffers.

    `makers` are the class names of the Ops that make its inputs, `scalars` says which inputs are scalars. The text does not say where
    sequences end and buffers begin. The buffers are taken to be the first run of inputs that such Ops as allocate buffers make; without
    any, the inputs before the lengths of outputs without a recurrence (one scalar each).
    """
    which = params.get("inplace_outputs")
    first = next((i for i, name in enumerate(makers) if i and name and op_info(name).fills_scan_buffer), len(makers))
    end = next((i for i in range(first, len(makers)) if not op_info(makers[i] or "").fills_scan_buffer), len(makers))
    if first == len(makers):
        end = next((i for i in range(1, len(makers)) if scalars[i]), 0)
        lengths = next((i for i in range(end, len(makers)) if not scalars[i]), len(makers)) - end
        first = max(end - max(n_outputs - lengths, 0), 1)
    destroy = {out: (first + out,) for out in range(min(end - first, n_outputs))}
    if which == "all":
        return Maps({}, destroy)
    return Maps({}, {out: ins for out, ins in destroy.items() if out in which} if isinstance(which, list) else {})


def _within(table: IndexMap, n_inputs: int, n_outputs: int) -> IndexMap:
    return {out: ins for out, ins in table.items() if out < n_outputs and all(i < n_inputs for i in ins)}


def _view(name: str, params: Params, n_outputs: int) -> IndexMap:
    if op_info(name).views_input:
        return FIRST
    if name == "DimShuffle":
        return FIRST if params.get("inplace") else {}
    if name == "GpuSplit" or (name == "Split" and params.get("views") is True):
        return dict.fromkeys(range(n_outputs), (0,))
    if name == "ExtractDiag":
        return FIRST if params.get("view") is True else {}
    if name == "IfElse":
        args = params.get("args")
        inplace = params.get("inplace") or (isinstance(args, list) and "inplace" in args)
        return {i: (i + 1,) for i in range(n_outputs)} if inplace else {}
    if name in ("Join", "GpuJoin"):
        at = params.get("view")
        return {0: (1 + at,)} if isinstance(at, int) and at >= 0 else {}
    return {}


def _destroy(name: str, params: Params) -> IndexMap:
    pattern = params.get("inplace_pattern")
    if isinstance(pattern, dict):
        return {int(out): (at,) for out, at in pattern.items() if isinstance(at, int)}
    if params.get("inplace") is True and not op_info(name).views_input and (overwritten := op_info(name).overwrites):
        return overwritten
    if params.get("destructive") is True:
        return FIRST
    return _overwritten(str(params.get("core_name", name)), params)


def _overwritten(name: str, params: Params) -> IndexMap:
    """The destroy_map of a linear-algebra Op. Theano's Solve prints `overwrite_A` but declares nothing (tensor/slinalg.py)."""
    if "overwrite_A" in params:
        return {}
    if name == "LU" and params.get("permute_l") is True:  # the permutation is then no output, and positions differ
        name = ""
    return {out: (at,) for key, (out, at) in op_info(name).overwrite_flags.items() if params.get(key) is True}


_OF_C = frozenset({"Dot22", "Dot22Scalar", "Gemm", "Gemv", "Ger", "CGemv", "CGer", "GpuDot22", "GpuGemm", "GpuGemv"})
_OF_NUMBA = frozenset({"BlockwiseWithCoreShape", "RandomVariableWithCoreShape", "FusedElemwise", "IndexedElemwise", "ScalarizedElemwise"})
_NEW = frozenset({"FusedElemwise", "ScalarizedElemwise", "ScalarizedJoin", "ScalarSubtensor", "LazyIfElse"})
_OLD = frozenset({"IndexedElemwise", "AdvancedSubtensor1", "AdvancedIncSubtensor1"})


def is_new(graph: FunctionGraph) -> bool | None:
    """Returns whether PyTensor 3.3 or later printed the graph; None if the text does not show it. Source: the classes in both releases, and
    `Join.__props__`.
    """
    has_axis = None
    for inside, _ in graphs(graph):
        for node in inside.applies:
            name = node.op.name
            if name in _NEW or name in _OLD:
                return name in _NEW
            if name in ("Join", "Split"):
                has_axis = "axis" in node.op.params
    return has_axis


def linkers_of(graph: FunctionGraph, style: PrintStyle) -> tuple[str, ...]:
    """Returns the linkers that may run `graph`, the most likely first."""
    if not style.capitals:
        return ("cvm",)
    names = graph.op_names
    if names & _OF_C:
        return ("cvm",)
    if names & _OF_NUMBA or any(node.op.name == "Dot" and _is_float(graph, node.outputs[0]) for node in graph.applies):
        return ("numba",)
    return ("numba", "cvm")


def _is_float(graph: FunctionGraph, variable: int) -> bool:
    """Whether a Variable is float or complex, so that the C linker would give its product to BLAS."""
    return (graph.variables[variable].type.dtype or "").startswith(("float", "complex"))


Described = list[tuple[Parsed, Maps]]
"""The parsed Op and the maps of each node."""


def describe(scope: PrintScope, style: PrintStyle) -> Described:
    """Returns the parsed Op and the maps of each node of `scope`; nodes with equal `_looks` share the same objects."""
    rows: dict[object, tuple[Parsed, Maps]] = {}
    described = []
    for i in range(len(scope.applies)):
        key = _looks(scope, i)
        row = rows.get(key)
        if row is None:
            row = _of_node(scope, i, style)
            if row[0].name != "Scan":
                rows[key] = row
        described.append(row)
    return described


def _looks(scope: PrintScope, i: int) -> object:
    """A key that is equal for nodes with the same description, unless they are Scans."""
    node, inputs, outputs, variables = scope.applies[i], scope.inputs[i], scope.outputs[i], scope.variables
    first = id(variables[inputs[0]].type) if inputs else 0
    kinds = variables[outputs[0]].type.kind if len(outputs) == 1 else tuple(variables[v].type.kind for v in outputs)
    return node.base, node.maps, node.order is None, len(inputs), first, kinds


def _of_node(scope: PrintScope, node: int, style: PrintStyle) -> tuple[Parsed, Maps]:
    """The class, the parameters and the maps of a node."""
    at = scope.applies[node]
    parsed = _scalar(scope, node, parse_op(at.base), style)
    if style.capitals:
        parsed = _of_pytensor(scope, node, parsed)
    n_inputs, n_outputs = len(scope.inputs[node]), len(scope.outputs[node])
    if at.maps is not None or style.maps:
        maps = printed_maps(at.maps or ("", ""))
        return parsed, Maps(*({o: i for o, i in m.items() if o < n_outputs and max(i) < n_inputs} for m in maps))
    if parsed.name == "Scan":
        kinds = [scope.variables[v].type for v in scope.inputs[node]]
        return parsed, scan_maps(parsed.params, _makers(scope, node), [bool(k.text) and k.ndim == 0 for k in kinds], n_outputs)
    if at.order is not None and (parsed.name == "RandomFunction" or (parsed.name.endswith("RV") and "inplace" not in parsed.params)):
        return parsed, Maps({}, {0: (0,)} if n_inputs else {})  # a compiled function always advances the state in place
    return parsed, derive_maps(parsed.name, parsed.params, n_inputs, n_outputs)


def _of_pytensor(scope: PrintScope, node: int, parsed: Parsed) -> Parsed:
    """`parsed` with parameters that PyTensor does not print: the results of a Split and shuffled dimensions are views; `new_order` follows
    from the input.
    """
    if parsed.name == "Split":
        return Parsed("Split", {**parsed.params, "views": True})
    if parsed.name != "DimShuffle" or not scope.inputs[node]:
        return parsed
    kind = scope.variables[scope.inputs[node][0]].type
    order = None if not kind.text else printed_order(scope.applies[node].base, parsed.params, kind.ndim)
    return Parsed("DimShuffle", {**parsed.params, "inplace": True, **({} if order is None else {"new_order": order})})


def _makers(scope: PrintScope, node: int) -> list[str | None]:
    """Class names of the Ops that make the inputs of a node."""
    owners = [scope.variables[v].owner for v in scope.inputs[node]]
    return [None if o is None else parse_op(scope.applies[o].base).name for o in owners]


def _scalar(scope: PrintScope, node: int, parsed: Parsed, style: PrintStyle) -> Parsed:
    """`parsed`, replaced by a scalar Op if the text shows that no arrays are meant, or by an Elemwise that is printed by its scalar Op's
    name.
    """
    kinds = {scope.variables[v].type.kind for v in scope.outputs[node]}
    if parsed.name != "Elemwise":
        arrays = {TypeKind.TENSOR, TypeKind.GPUARRAY, TypeKind.CUDANDARRAY}
        word = scope.applies[node].base
        open_ = style.arrays and not style.capitals and not any(map(_is_scalar, (scope.variables[v] for v in scope.inputs[node])))
        if PRINTED.get(word) != parsed.name or not (kinds <= arrays or (open_ and kinds <= {TypeKind.OTHER})):
            return parsed
        pattern = {"0": 0} if word.endswith("_inplace") else {}
        return Parsed("Elemwise", {"scalar_op": parsed.name, "scalar_text": word, "inplace_pattern": pattern})
    if "inplace_pattern" in parsed.params:
        return parsed
    return Parsed(str(parsed.params["scalar_op"]), {}) if kinds == {TypeKind.SCALAR} or not style.capitals else parsed


def _is_scalar(variable: Variable) -> bool:
    return variable.type.kind is TypeKind.SCALAR and not isinstance(variable, Constant)


class AssembledGraph(NamedTuple):
    """A graph built from printed text, and what the text does not determine about it."""

    graph: FunctionGraph
    order: list[int]
    """For each Apply, the index of its node in the scope."""
    unsure: frozenset[int]
    """Ids of Apply nodes that may overwrite an input without the text saying so."""
    variants: tuple[FunctionGraph, ...]
    """The graph under other interpretations of the text."""


def _scans(scope: PrintScope, inner: Mapping[int, FunctionGraph]) -> dict[int, ScanLayout]:
    """The Scans of `scope` whose layout is clear, by node; outputs that the text does not show are added to `scope`."""
    scans = {}
    for i, node in enumerate(scope.applies):
        graph = inner.get(id(node.inner)) if node.inner and node.children else None
        parsed = parse_op(node.base) if graph is not None else None
        if graph is None or parsed is None or not parsed.name.endswith("Scan"):
            continue
        layout = recover_layout(_outer(scope, i, parsed), graph, parsed.params)
        if layout is not None and len(layout.outputs) >= len(scope.outputs[i]):
            scans[i] = layout
            _complete(scope, i, layout)
    return scans


def _outer(scope: PrintScope, i: int, parsed: Parsed) -> Outer:
    """The facts about a Scan that its line and the lines of its inputs show."""
    node = scope.applies[i]
    ids = tuple(ref.node.id for ref in node.children or ())
    types = tuple(scope.variables[v].type for v in scope.inputs[i])
    out_types = tuple(scope.variables[v].type for v in scope.outputs[i])
    buffers = tuple(_is_buffer(scope, v) for v in scope.inputs[i])
    params = parsed.params
    return Outer(ids, types, buffers, out_types, params.get("as_while") is True, str(params.get("name")).startswith("grad_of"))


def _is_buffer(scope: PrintScope, variable: int) -> bool:
    """Whether a Variable, or the one that it is a part of, was created as a buffer to write into."""

    def maker(v: int) -> tuple[str, Sequence[int]] | None:
        owner = scope.variables[v].owner
        return None if owner is None else (parse_op(scope.applies[owner].base).name, scope.inputs[owner])

    return is_buffer(variable, maker)


def _complete(scope: PrintScope, i: int, layout: ScanLayout) -> None:
    """Adds the outputs of a Scan that the text does not print, with their types."""
    shows_types = any(v not in scope.untyped for v in scope.outputs[i])
    for k, kind in enumerate(layout.outputs):
        if k == len(scope.outputs[i]):
            scope.outputs[i].append(len(scope.variables))
            scope.variables.append(Variable(len(scope.variables), kind, None, i))
        elif shows_types and scope.outputs[i][k] in scope.untyped:
            number = scope.outputs[i][k]
            scope.untyped.discard(number)
            scope.variables[number] = replace(scope.variables[number], type=kind)


def _plan(
    scope: PrintScope, described: Described, results: list[int], order: Sequence[int], inner: Mapping[int, FunctionGraph]
) -> OverwritePlan:
    views, destroys = [m.view for _, m in described], [m.destroy for _, m in described]
    names, scalars = [p.name for p, _ in described], [p.params.get("scalar_op") for p, _ in described]
    loops = {i: loop for i, loop in loops_of(names, inner).items() if loop.is_complete_for(len(scope.inputs[i]), len(scope.outputs[i]))}
    return OverwritePlan(order, names, scope.inputs, scope.outputs, views, destroys, scope.variables, results, loops, scalars, inner)


def _update_hypotheses(
    scope: PrintScope, described: Described, results: list[int], style: PrintStyle, inner: Mapping[int, FunctionGraph]
) -> tuple[list[Described], frozenset[int]]:
    """(descriptions, one for each hypothesis about which nodes work in place, likeliest first; nodes in which these differ)."""
    if not scope.numbered or not style.capitals or style.maps:
        return [described], frozenset()
    hypotheses = update_hypotheses(_plan(scope, described, results, range(len(described)), inner))
    untyped = scope.untyped
    doubtful = enumerate(described if untyped else ())
    hidden = {i for i, (p, _) in doubtful if p.name == "Elemwise" and not untyped.isdisjoint(scope.outputs[i])}
    unsure = hidden.union(*({i for i in row if row[i] != hypotheses[0].get(i)} for row in hypotheses[1:]))
    return [_with(described, row) for row in hypotheses], frozenset(unsure)


def _with(described: Described, destroy: Mapping[int, IndexMap]) -> Described:
    """`described` with these destroy maps."""
    rows = list(described)
    for i, overwritten in destroy.items():
        parsed, maps = described[i]
        if overwritten != maps.destroy:
            rows[i] = parsed, Maps(maps.view, overwritten)
    return rows


def finish_inside(
    scope: PrintScope, results: list[int], listed: list[int], style: PrintStyle, inner: dict[int, FunctionGraph]
) -> FunctionGraph:
    """Returns the inner graph of a Scan from its filled `scope`, with the inner rewrites that compiling applies and the print does not
    show.

    `results`: its outputs; `listed`: inputs that are printed on their own; `inner`: graphs nested in it, by the id() of their text.
    """
    described, graphs = _described(scope, style, inner)
    plan = _plan(scope, described, results, range(len(described)), graphs) if style.capitals else None
    rewritten = None if plan is None or style.maps else rewrite(plan)
    if rewritten is None:
        order = None if plan is None or not style.maps else renumbered(plan)
        return _graph(scope, described, results, listed, graphs, order)[0]
    return _graph(scope, _with(described, rewritten[0]), results, listed, graphs, rewritten[1])[0]


def _described(scope: PrintScope, style: PrintStyle, inner: dict[int, FunctionGraph]) -> tuple[Described, dict[int, FunctionGraph]]:
    """The description of each node of `scope`, and the inner graphs by node."""
    scans = _scans(scope, inner)
    described = describe(scope, style)
    if not style.maps:
        for i, layout in scans.items():
            described[i] = described[i][0], Maps(layout.view if style.capitals else {}, layout.destroy)
    graphs = {i: g for i, node in enumerate(scope.applies) if node.inner and (g := inner.get(id(node.inner))) is not None}
    graphs.update((i, layout.inner) for i, layout in scans.items())
    return described, graphs


def finish(scope: PrintScope, results: list[int], listed: list[int], style: PrintStyle, inner: dict[int, FunctionGraph]) -> AssembledGraph:
    """Builds the graph of a filled `scope`, and its variants if the text leaves open what is overwritten."""
    described, graphs = _described(scope, style, inner)
    rows, unsure = _update_hypotheses(scope, described, results, style, graphs)
    graph, order = _graph(scope, rows[0], results, listed, graphs)
    others = tuple(_graph(scope, row, results, listed, graphs, order, (rows[0], graph))[0] for row in rows[1:])
    if graphs and style.capitals and not style.maps:
        graph, others = _with_inner(graph, others, linkers_of(graph, style), style)
    place = {old: new for new, old in enumerate(order)}
    return AssembledGraph(graph, order, frozenset(place[n] for n in unsure), others)


Graphs = tuple[FunctionGraph, ...]
"""Variants of one graph."""


def _with_inner(graph: FunctionGraph, others: Graphs, linkers: Sequence[str], style: PrintStyle) -> tuple[FunctionGraph, Graphs]:
    """(the graph, its variants) with what Scans and fused loops overwrite in them; the likeliest is the graph."""
    if linkers[0] != "numba":
        return graph, (*others, *[g for g in (overwriting(graph), fused_apart(graph)) if g is not None])
    new = style.grouped or is_new(graph)
    way, other = (last_taps, None) if new else (last_states, last_taps if new is None else None)
    first, second = way(graph), other(graph) if other is not None else None
    plain = [graph] if len(linkers) > 1 and first is not None else []
    apart, left = fused_apart(first or graph), without_fusing(first or graph)
    others = (*(way(g) or g for g in others), *plain, *[g for g in (second, apart) if g is not None])
    if left is not None and new:
        return left, tuple(without_fusing(g) or g for g in others)
    return first or graph, others if left is None else (*others, left)


def _graph(
    scope: PrintScope,
    described: Described,
    results: list[int],
    listed: list[int],
    inner: Mapping[int, FunctionGraph],
    order: Sequence[int] | None = None,
    other: tuple[Described, FunctionGraph] | None = None,
) -> tuple[FunctionGraph, list[int]]:
    """(the graph for one description, the order of its nodes).

    `other` is a graph built earlier in the same order; nodes that are equal in both are reused.
    """
    before = readers_before(scope.inputs, scope.outputs, [m.view for _, m in described], [m.destroy for _, m in described])
    order = list(order) if order is not None else _order(scope, before)
    as_met = not any(map(ne, order, count()))
    place = range(len(order)) if as_met else {old: new for new, old in enumerate(order)}
    ops = _Ops()
    applies = []
    for new, old in enumerate(order):
        first = before[old]
        after = tuple(sorted([place[b] for b in first if place[b] < new])) if first else first
        if other is not None and described[old] is other[0][old] and after == other[1].applies[new].after:
            applies.append(other[1].applies[new])
            continue
        op = ops.of(scope.applies[old].base, described[old], inner.get(old))
        applies.append(Apply(new, op, tuple(scope.inputs[old]), tuple(scope.outputs[old]), after))
    if other is not None:
        return replace(other[1], applies=tuple(applies)), order
    variables = scope.variables if as_met else [_numbered(v, place) for v in scope.variables]
    entries = dict.fromkeys([*listed, *scope.free])
    inputs = tuple(GraphInput(i) for i in entries if not isinstance(scope.variables[i], Constant))
    return FunctionGraph("", inputs, tuple(results), tuple(variables), tuple(applies)), order


def _numbered(variable: Variable, place: Mapping[int, int] | Sequence[int]) -> Variable:
    """`variable` with the new id of its owner."""
    owner = variable.owner
    if owner is None or place[owner] == owner:
        return variable
    return Variable(variable.id, variable.type, variable.name, place[owner])


class _Ops:
    """Creates each distinct Op once, however many nodes have it."""

    def __init__(self) -> None:
        self._by_identity: dict[tuple[str, int, int, int, int], Op] = {}
        self._by_value: dict[object, Op] = {}

    def of(self, base: str, described: tuple[Parsed, Maps], inner: FunctionGraph | None) -> Op:
        """Returns the Op of a node with the printed text `base`; the same object for equal Ops."""
        parsed, maps = described
        near = (base, id(parsed), id(maps.view), id(maps.destroy), id(inner))
        op = self._by_identity.get(near)
        if op is None:
            order = str(parsed.params.get("new_order"))
            key = (base, parsed.name, order, tuple(maps.view.items()), tuple(maps.destroy.items()), id(inner))
            op = self._by_value.get(key) or Op(parsed.name, base, "", parsed.params, maps.view, maps.destroy, inner)
            self._by_identity[near] = self._by_value[key] = op
        return op


def _order(scope: PrintScope, before: list[tuple[int, ...]]) -> list[int]:
    """The printed order, else any topological order that respects in-place constraints where possible."""
    if scope.numbered:
        return list(range(len(scope.applies)))
    owners = scope.owners()
    order = schedule(owners, before)
    return order if fits(order, owners) else schedule(owners, [()] * len(owners))  # in-place constraints form a cycle: ignore them
