"""What never changes between the calls of one function: its order, what is dropped when, which Variables are watched."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ..ir import Apply, FunctionGraph, TypeKind
from .aliasing import may_share_memory
from .liveness import dropped_after, dropped_at_end
from .order import LAZY_OPS, Choose, execution_order

DEVICE = frozenset({TypeKind.GPUARRAY, TypeKind.CUDANDARRAY})
HOST = frozenset({TypeKind.TENSOR})
ALWAYS = frozenset({"HostFromGpu"})
"""Ops that may take device memory although no output of theirs is on the device."""


@dataclass(frozen=True)
class ExecutionPlan:
    """A FunctionGraph prepared for running."""

    graph: FunctionGraph
    order: tuple[int, ...]
    watched: frozenset[TypeKind]
    """Kinds of values whose memory is followed: those of the device, or those of the host."""
    linker: str = "cvm"
    allow_gc: bool = True
    borrowed: frozenset[int] = frozenset()
    """Positions of the outputs that are borrowed: what they hold may be overwritten by the next call."""

    @cached_property
    def drops(self) -> tuple[tuple[int, ...], ...]:
        """Per step the watched Variables whose cells are emptied after it."""
        followed = self.followed
        return self._dropped if self._all else tuple([tuple([v for v in row if followed[v]]) if row else row for row in self._dropped])

    @cached_property
    def _dropped(self) -> tuple[tuple[int, ...], ...]:
        return dropped_after(self.graph, self.order)

    @cached_property
    def last(self) -> tuple[int, ...]:
        """The watched Variables whose cells are emptied at the end of the call."""
        followed = self.followed
        return tuple([v for v in dropped_at_end(self.graph, self.order, self._dropped) if followed[v]])

    @cached_property
    def fresh(self) -> tuple[int, ...]:
        """The watched Variables whose cells are emptied when a call begins: they may share memory with outputs."""
        shared = may_share_memory(self.graph, [v for k, v in enumerate(self.graph.outputs) if k not in self.borrowed])
        return tuple(v for v in sorted(shared) if self.graph.variables[v].owner is not None and self.watches(v))

    @cached_property
    def outputs(self) -> frozenset[int]:
        """Ids of the graph's outputs."""
        return frozenset(self.graph.outputs)

    @cached_property
    def lazy(self) -> tuple[Apply, ...]:
        """The Apply nodes that want only some of their inputs."""
        graph = self.graph
        return () if LAZY_OPS.isdisjoint(graph.op_names) else tuple(n for n in graph.applies if n.op.name in LAZY_OPS)

    def taking(self, choices: tuple[bool, ...]) -> ExecutionPlan:
        """The same function where its lazy nodes take their first branch or not, as `choices` says."""
        first = {node.id: choice for node, choice in zip(self.lazy, choices)}
        return prepare(self.graph, self.linker, self.watched, lambda node: first[node.id], self.allow_gc, self.borrowed)

    @cached_property
    def acts(self) -> tuple[bool, ...]:
        """Per Apply, whether it may do anything to the memory that is followed."""
        if self._all:
            return (True,) * len(self.graph.applies)
        followed = self.followed
        rows = [(n.op, n.outputs) for n in self.graph.applies]
        return tuple([op.inner is not None or op.name in ALWAYS or any(map(followed.__getitem__, outputs)) for op, outputs in rows])

    @cached_property
    def followed(self) -> tuple[bool, ...]:
        """Per Variable, whether its memory is followed."""
        if self._all:
            return (True,) * len(self.graph.variables)
        return tuple([v.type.kind in self.watched for v in self.graph.variables])

    @cached_property
    def _all(self) -> bool:
        """Whether the memory of all Variables is followed."""
        return self.graph.kinds <= self.watched

    def watches(self, variable: int) -> bool:
        """Whether the memory of this Variable is followed."""
        return self.followed[variable]


def prepare(
    graph: FunctionGraph,
    linker: str,
    watched: frozenset[TypeKind],
    choose: Choose = lambda node: True,
    allow_gc: bool = True,
    borrowed: frozenset[int] = frozenset(),
) -> ExecutionPlan:
    """`graph` as `linker` would run it."""
    return ExecutionPlan(graph, execution_order(graph, linker, choose, allow_gc), watched, linker, allow_gc, borrowed)
