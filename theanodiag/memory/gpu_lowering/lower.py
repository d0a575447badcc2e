"""Turns a script whose graphs are for the host into one for the device: nodes placed as Theano's GPU optimiser would place them.

`placement` chooses the nodes that move, `build` makes the device graph with its transfers, `inplace` what is overwritten there; the GPU
counterpart of each Op is in its `OpInfo.gpu`. This is a model of the optimiser, so the figures are bounds: docs/accuracy compares
them with those of Theano's own graphs.
Source: Theano 1.0.5, gpuarray/opt.py, gpuarray/type.py (`gpuarray_shared_constructor`).
"""

from __future__ import annotations

from dataclasses import replace

from ..script import Call, Event, Script
from .build import Lifted, lifted, on_device
from .inplace import Choice
from .placement import lives_there


def lift(script: Script, choice: Choice = Choice.FORWARD) -> Script:
    """`script` with all graphs, shared variables and call shapes moved to the device; unchanged if it is there already."""
    if any(v.type.kind.on_device for v in script.shared.values()):
        return script
    shared = {i: replace(s, type=on_device(s.type)) if lives_there(s.type) else s for i, s in script.shared.items()}
    done = [lifted(f.graph, choice) for f in script.functions]
    functions = tuple(replace(f, graph=d.graph) for f, d in zip(script.functions, done))
    return replace(script, shared=shared, functions=functions, events=tuple(_event(e, done) for e in script.events))


def _event(event: Event, done: list[Lifted]) -> Event:
    return replace(event, shapes=done[event.function].table(event.shapes)) if isinstance(event, Call) else event
