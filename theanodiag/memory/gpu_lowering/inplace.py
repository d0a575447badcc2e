"""Chooses again which inputs elementwise nodes overwrite on the device, where device copies of arguments may be overwritten too.

In topological order, each elementwise node overwrites the first input that has the type of its output, that no other node overwrites, that
is neither a constant, nor an output, nor an input to be kept, and whose other readers can all run before.
Source: Theano 1.0.5, tensor/opt.py, `InplaceElemwiseOptimizer.apply`; gof/destroyhandler.py.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field, replace

from ...ir import Apply, Constant, FunctionGraph
from ...ir.traverse import reaches


class Choice(enum.Enum):
    """The order in which nodes choose the inputs that they overwrite: if two nodes could overwrite one array, the first one does.

    The topological order of the device graph may differ from that of the host graph, so both directions are tried.
    """

    FORWARD = "forward"
    """In topological order."""
    BACKWARD = "backward"
    """In reverse topological order."""
    AS_FOUND = "as found"
    """Nodes overwrite what they overwrite in the host graph."""


def in_place_again(graph: FunctionGraph, choice: Choice) -> FunctionGraph:
    """`graph` with the overwritten inputs of its elementwise nodes chosen in the order `choice`."""
    return graph if choice is Choice.AS_FOUND else _Choosing(graph, choice).run()


def _is_elementwise(node: Apply) -> bool:
    return node.op.name == "GpuElemwise"


@dataclass
class _Choosing:
    """Chooses which inputs the elementwise nodes of one graph overwrite."""

    graph: FunctionGraph
    order: Choice
    after: list[list[int]] = field(default_factory=list)
    """For each node, the nodes that must run before it in addition to those that compute its inputs."""
    later: list[set[int]] = field(default_factory=list)
    """For each node, the nodes that wait for it by `after`."""
    destroyers: dict[int, int] = field(default_factory=dict)
    """Base Variable -> the node that overwrites it."""
    bases: list[int] = field(default_factory=list)
    """For each Variable, the Variable that owns its memory."""
    family: dict[int, list[int]] = field(default_factory=dict)
    """Base Variable -> all Variables that view it, itself included."""
    kept: frozenset[int] = frozenset()

    def run(self) -> FunctionGraph:
        """Lets all elementwise nodes choose, in order."""
        self._prepare()
        applies = list(self.graph.applies)
        for node in self.graph.applies if self.order is Choice.FORWARD else reversed(self.graph.applies):
            if _is_elementwise(node):
                destroyed = self._choose(node)
                applies[node.id] = replace(node, op=replace(node.op, destroy_map=destroyed))
        final = tuple(replace(n, after=tuple(self.after[n.id])) for n in applies)
        return replace(self.graph, applies=final)

    def _prepare(self) -> None:
        graph = self.graph
        self.after = [[] if _is_elementwise(n) else list(n.after) for n in graph.applies]
        self.later = [set() for _ in graph.applies]
        for node, rows in enumerate(self.after):
            for other in rows:
                self.later[other].add(node)
        self.bases = list(range(len(graph.variables)))
        for n in graph.applies:
            for output, sources in n.op.view_map.items():
                if output < len(n.outputs) and sources:
                    self.bases[n.outputs[output]] = self.bases[n.inputs[sources[0]]]
            for _, sources in n.op.destroy_map.items() if not _is_elementwise(n) else ():
                self.destroyers.update((self.bases[n.inputs[s]], n.id) for s in sources)
        for variable, base in enumerate(self.bases):
            self.family.setdefault(base, []).append(variable)
        overwritable = {i.variable for i in graph.inputs if i.update is not None or i.mutable}
        self.kept = frozenset(graph.outputs) | {i.variable for i in graph.inputs if i.variable not in overwritable}

    def _choose(self, node: Apply) -> dict[int, tuple[int, ...]]:
        chosen: dict[int, tuple[int, ...]] = {}
        for output, variable in enumerate(node.outputs):
            for position in self._candidates(node, variable):
                if (position,) not in chosen.values() and self._overwrite(node, node.inputs[position]):
                    chosen[output] = (position,)
                    break
        return chosen

    def _candidates(self, node: Apply, output: int) -> list[int]:
        """Positions of the inputs that `output` may overwrite, in the order tried: first the shared variable that it updates."""
        kind = self.graph.variables[output].type
        positions = [k for k, v in enumerate(node.inputs) if self._may_be(v, kind.dtype, kind.ndim, output)]
        updated = {i.variable for i in self.graph.inputs if i.update is not None and self.graph.outputs[i.update] == output}
        return sorted(positions, key=lambda k: (node.inputs[k] not in updated, self.bases[node.inputs[k]] not in updated))

    def _may_be(self, variable: int, dtype: str | None, ndim: int, output: int) -> bool:
        v, out = self.graph.variables[variable], self.graph.variables[output]
        if isinstance(v, Constant) or variable in self.kept or not v.type.kind.on_device:
            return False
        if v.type.dtype != dtype or v.type.ndim != ndim:
            return False
        return all((a == 1) == (b == 1) for a, b in zip(v.type.shape, out.type.shape))

    def _overwrite(self, node: Apply, variable: int) -> bool:
        """Lets `node` overwrite `variable` if nothing forbids it; returns whether it does."""
        base = self.bases[variable]
        root = self.graph.variables[base]
        if base in self.destroyers or isinstance(root, Constant) or (base in self.kept and root.owner is None):
            return False
        if any(v in self.family[base] for v in node.inputs if v != variable) or node.inputs.count(variable) > 1:
            return False
        readers = {c for v in self.family[base] for c, _ in self.graph.clients[v]} - {node.id}
        if any(v in self.graph.outputs for v in self.family[base]) or reaches(node.id, readers, self._followers):
            return False
        self.destroyers[base] = node.id
        self.after[node.id] += sorted(readers)
        for reader in readers:
            self.later[reader].add(node.id)
        return True

    def _followers(self, node: int) -> set[int]:
        """Nodes that can only run after `node`."""
        return {c for v in self.graph.applies[node].outputs for c, _ in self.graph.clients[v]} | self.later[node]
