"""A script whose graphs are for the host, as it would be on a device: placed as Theano's GPU optimiser places them.

`lifting/` has the rules: what moves, what is copied for that, which op stands for which, and what is overwritten there.
The placement is a table, not the optimiser itself: the figures are bounds. docs/lifted-graphs.md says how far they were from those of
Theano's own graphs.
Source: Theano 1.0.5, gpuarray/opt.py, gpuarray/type.py (`gpuarray_shared_constructor`).
"""

from __future__ import annotations

from dataclasses import replace

from ..script import Call, Event, Script
from .build import Lifted, lifted, on_device
from .inplace import Choice
from .table import lives_there


def lift(script: Script, choice: Choice = Choice.FORWARD) -> Script:
    """`script` on a device."""
    if any(v.type.kind.on_device for v in script.shared.values()):
        return script
    shared = {i: replace(s, type=on_device(s.type)) if lives_there(s.type) else s for i, s in script.shared.items()}
    done = [lifted(f.graph, choice) for f in script.functions]
    functions = tuple(replace(f, graph=d.graph) for f, d in zip(script.functions, done))
    return replace(script, shared=shared, functions=functions, events=tuple(_event(e, done) for e in script.events))


def _event(event: Event, done: list[Lifted]) -> Event:
    return replace(event, shapes=done[event.function].table(event.shapes)) if isinstance(event, Call) else event
