"""A small machine that runs functions as the CVM does, at the level of memory: cells, buffers and who holds them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ..ir import ShapeTable
from .frame import Frame
from .profile import Step
from .workspace.base import Work
from .workspace.table import rule_of

OnStep = Callable[[int, int], None]
"""Called after each node with its step and id."""


def run(frame: Frame, table: ShapeTable, on_step: OnStep | None = None) -> None:
    """All nodes of one call, then the updates; outputs stay in their cells.

    Source: Theano 1.0.5, gof/c_code/lazylinker_c.c, `CLazyLinker_call`.
    """
    frame.table = table
    for variable in frame.program.fresh:
        frame.put(variable, None)
    applies, drops = frame.program.graph.applies, frame.program.drops
    for step, apply_id in enumerate(frame.program.order):
        node = applies[apply_id]
        rule_of(node.op.name)(Work(frame, node))
        if frame.allow_gc:
            for variable in drops[step]:
                frame.put(variable, None)
        if on_step is not None:
            on_step(step, apply_id)
    _update(frame)
    if frame.allow_gc:
        for variable in frame.program.last:
            frame.put(variable, None)


def _update(frame: Frame) -> None:
    """Updates reach their inputs; all new values are held before the first old one goes."""
    graph = frame.program.graph
    new = [(i.variable, frame.value(graph.outputs[i.update])) for i in graph.inputs if i.update is not None]
    for _, value in new:
        if value is not None:
            frame.store.hold(value.buffer)
    for variable, value in new:
        if frame.program.watches(variable):
            frame.put(variable, value)
    for _, value in new:
        if value is not None:
            frame.store.drop(value.buffer)


def hand_over(frame: Frame) -> None:
    """What the caller of a function does once it has the results: outputs leave their cells.

    Source: Theano 1.0.5, compile/function_module.py, `Function.__call__`.
    """
    if frame.allow_gc:
        for variable in frame.program.graph.outputs:
            if frame.program.graph.variables[variable].owner is not None:
                frame.put(variable, None)


@dataclass
class Recorder:
    """The timeline of one call."""

    frame: Frame
    steps: list[Step] = field(default_factory=list)

    def after(self, step: int, node: int | None) -> None:
        """A step ended."""
        store = self.frame.store
        self.steps.append(Step(step, node, store.mark(), store.allocator.reserved))
