"""Finds models of a search that are all kept for later use; one model could take over the values of each, or each could be rebuilt when
needed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..memory.script import Call, Compile, CompiledFunction, Create, Delete, Event, GetValue, Script, SetValue
from .unused_state import CompiledModel, groups, models_of

LEAST_MODELS = 3
"""Smallest number of models that counts; two alike may be meant to live together."""


def alike(script: Script) -> Iterator[tuple[CompiledModel, ...]]:
    """Yields groups of models with equal graphs and shapes that are all kept and used in turn, each for more than a call or two at a
    time."""
    return (models for models in _by_turns(script) if _are_alike(script, models))


def unlike(script: Script) -> Iterator[tuple[CompiledModel, ...]]:
    """Yields groups of models kept and used in turn that differ in their shapes."""
    return (models for models in _by_turns(script) if not _are_alike(script, models))


def _by_turns(script: Script) -> Iterator[tuple[CompiledModel, ...]]:
    seen: set[int] = set()
    for group in groups(script):
        models = models_of(script, group)
        mine = [i for m in models for i in m.functions]
        if len(models) < LEAST_MODELS or len(set(mine)) < len(mine) or not seen.isdisjoint(mine):
            continue
        if 0 < _turns(script, models) <= 2 * len(models):
            seen.update(mine)
            yield models


def _are_alike(script: Script, models: tuple[CompiledModel, ...]) -> bool:
    first = _form(script, models[0])
    return all(_form(script, m) == first for m in models)


def remade(script: Script, models: tuple[CompiledModel, ...]) -> Script:
    """The script in which each model is dropped when another one is used, and rebuilt when it is used again."""
    whose: dict[tuple[bool, int], int] = {}
    for k, m in enumerate(models):
        whose.update({(True, i): k for i in m.functions})
        whose.update({(False, i): k for i in m.shared})
    created: dict[int, list[Event]] = {k: [] for k in range(len(models))}
    events: list[Event] = []
    now: int | None = None
    for e in script.events:
        turn = whose.get(_what(e)) if not isinstance(e, Delete) else None
        if turn is not None and turn != now:
            events += [] if now is None else map(_gone, created[now])
            events += created[turn]
            now = turn
        if turn is not None and isinstance(e, (Create, Compile)):
            created[turn].append(e)
        events.append(e)
    return replace(script, events=tuple(events))


def _what(e: Event) -> tuple[bool, int]:
    """(True, index of the function of an event) or (False, id of its shared variable, -1 if it has none)."""
    if isinstance(e, (Call, Compile)):
        return True, e.function
    return False, e.shared if isinstance(e, (Create, SetValue, GetValue)) else -1


def _gone(e: Event) -> Delete:
    return Delete(shared=e.shared) if isinstance(e, Create) else Delete(function=_what(e)[1])


def merged(script: Script, models: tuple[CompiledModel, ...]) -> Script:
    """The script with only the first model, which takes over the values of each model in turn."""
    functions = {i: models[0].functions[k] for m in models[1:] for k, i in enumerate(m.functions)}
    shared = {i: models[0].shared[k] for m in models[1:] for k, i in enumerate(m.shared)}
    return replace(script, events=tuple(new for e in script.events if (new := _moved(e, functions, shared)) is not None))


def _moved(e: Event, functions: dict[int, int], shared: dict[int, int]) -> Event | None:
    """The event with the first model in place of another one; None if the event creates another model."""
    if isinstance(e, Call):
        return replace(e, function=functions.get(e.function, e.function))
    if isinstance(e, (Compile, Delete)):
        return None if e.function in functions else e
    if isinstance(e, Create):
        return None if e.shared in shared else e
    if isinstance(e, (SetValue, GetValue)):
        return replace(e, shared=shared.get(e.shared, e.shared))
    return e


def _form(script: Script, m: CompiledModel) -> tuple[object, ...]:
    """Graphs, with all Variable ids, and initial shapes of the shared variables of a model; equal for interchangeable models."""
    began = {e.shared: e.shape for e in script.events if isinstance(e, Create)}
    kinds = tuple((script.shared[v].type, began.get(v)) for v in m.shared)
    return kinds, tuple(_graph(script.functions[i], m.shared) for i in m.functions)


def _graph(f: CompiledFunction, own: tuple[int, ...]) -> tuple[object, ...]:
    inputs = tuple((i.variable, own.index(i.shared) if i.shared in own else i.shared) for i in f.graph.inputs)
    return f.site, inputs, f.graph.outputs, tuple((a.op.text, a.inputs, a.outputs) for a in f.graph.applies)


def _turns(script: Script, models: tuple[CompiledModel, ...]) -> int:
    """How often consecutive calls use different models."""
    whose = {i: k for k, m in enumerate(models) for i in m.functions}
    calls = [whose[e.function] for e in script.events if isinstance(e, Call) and e.function in whose]
    return sum(a != b for a, b in zip(calls, calls[1:]))
