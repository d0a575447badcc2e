"""Runs compiled functions as the CVM does, at the level of memory: which cell holds which buffer when."""

from __future__ import annotations

from collections.abc import Callable
from typing import Optional

from ..ir import ShapeTable
from .activation import Frame
from .heap import Heap
from .op_effects.all_rules import rule_of
from .op_effects.base import Work
from .storage import Array

OnStep = Callable[[int, int], None]
"""Called after each node with the number of the step, counted from 1, and the Apply id."""
Results = tuple[Optional[Array], ...]
"""Values of the outputs of a call, None for those not watched; the caller holds them."""


def run(frame: Frame, table: ShapeTable, on_step: OnStep | None = None) -> Results:
    """Runs all nodes of one call, then the updates; returns the outputs as they were before the updates, held by the caller.

    The outputs also stay in their cells until `hand_over`.
    Source: Theano 1.0.5, gof/c_code/lazylinker_c.c, `CLazyLinker_call`.
    """
    frame.table = table
    frame.take_branches()
    if frame.has_run:
        frame.empty(frame.program.fresh)
    frame.has_run = True
    if on_step is not None:
        frame.store.mark()  # the peak starts with what is live when the first node runs
    program, allow_gc = frame.program, frame.allow_gc
    applies, drops, acts = program.graph.applies, program.drops, program.acts
    for step, apply_id in enumerate(program.order):
        if acts[apply_id]:
            node = applies[apply_id]
            rule_of(node.op.name)(Work(frame, node))
        if allow_gc and drops[step]:
            frame.empty(drops[step])
        if on_step is not None:
            on_step(step + 1, apply_id)
    results = _hold_outputs(frame)
    _update(frame, results)
    if frame.allow_gc:
        frame.empty(frame.program.last)
    return results


def _hold_outputs(frame: Frame) -> Results:
    results = tuple(frame.value(variable) for variable in frame.program.graph.outputs)
    for value in results:
        if value is not None:
            frame.store.hold(value.buffer)
    return results


def _update(frame: Frame, results: Results) -> None:
    """Puts the new values of updated inputs into their cells."""
    for argument in frame.program.graph.inputs:
        if argument.update is not None and frame.program.watches(argument.variable):
            frame.put(argument.variable, results[argument.update])


def let_go(store: Heap, results: Results) -> None:
    """Drops the caller's hold on the results."""
    for value in results:
        if value is not None:
            store.drop(value.buffer)


def run_inner(frame: Frame, table: ShapeTable) -> None:
    """Runs an inner function once; its results stay in its cells."""
    let_go(frame.store, run(frame, table))


def hand_over(frame: Frame) -> None:
    """Empties the output cells after a call, as the caller of a function does once it has the results; with `allow_gc` only.

    Source: Theano 1.0.5, compile/function_module.py, `Function.__call__`.
    """
    if frame.allow_gc:
        for variable in frame.program.graph.outputs:
            if frame.program.graph.variables[variable].owner is not None:
                frame.put(variable, None)
