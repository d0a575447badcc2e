"""Finds what a script keeps but no longer uses (models of a search, unused shared variables), and removes it; and models of a search that
are all kept for later use, of which one could take over the values of each, or each could be rebuilt when needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ..memory.script import Call, Compile, CompiledFunction, Create, Delete, Event, GetValue, Script, SetValue


@dataclass(frozen=True)
class CompiledModel:
    """The functions of one model, and the shared variables that no other model of the search uses."""

    functions: tuple[int, ...]
    """Indices of the functions."""
    shared: tuple[int, ...]
    """Ids of the shared variables."""
    ended: int
    """Position of the last event that uses it."""


def searches(script: Script) -> Iterator[tuple[CompiledModel, ...]]:
    """Yields groups of models that the same line compiled, if each is unused once the next is created, and all are kept."""
    seen: set[int] = set()
    for group in (*groups(script, alike=False), *groups(script)):
        models = models_of(script, group)
        fresh = [m for m in models if seen.isdisjoint(m.functions)]
        if len(fresh) > 1 and all(a.ended < _began(script, b) for a, b in zip(fresh, fresh[1:])):
            seen.update(i for m in fresh for i in m.functions)
            yield tuple(fresh)


def groups(script: Script, alike: bool = True) -> tuple[list[CompiledFunction], ...]:
    """Returns the functions with shared variables, grouped by the line that compiled them and, if `alike`, also by their Ops (nets of
    different depths have different Ops).
    """
    functions: dict[object, list[CompiledFunction]] = {}
    for f in script.functions:
        if f.site is not None and users(f):
            functions.setdefault((f.site, alike and tuple(a.op.text for a in f.graph.applies)), []).append(f)
    return tuple(functions.values())


def models_of(script: Script, group: list[CompiledFunction]) -> tuple[CompiledModel, ...]:
    """Returns the models of a group that are kept."""
    return tuple(m for f in group if (m := _model(script, f, group)) is not None)


def users(f: CompiledFunction) -> frozenset[int]:
    """Returns the shared variables that a function uses."""
    return frozenset(i.shared for i in f.graph.inputs if i.shared is not None)


def _model(script: Script, f: CompiledFunction, group: list[CompiledFunction]) -> CompiledModel | None:
    """The model to which `f` belongs; None if the script drops it, or if it has no shared variables of its own."""
    own = users(f).difference(*(users(g) for g in group if g is not f))
    functions = tuple(g.index for g in script.functions if not own.isdisjoint(users(g)))
    gone = any(e.function in functions or e.shared in own for e in _dropped(script))
    used = replace(script, events=script.events[: _end(script)])
    return None if gone or not own else CompiledModel(functions, tuple(sorted(own)), last_use(used, functions, own))


def _end(script: Script) -> int:
    """Position after the last event that needs memory. What is dropped after it is dropped at the end, when the function of Python that
    does all the work returns."""
    return max((i for i, e in enumerate(script.events, 1) if isinstance(e, (Call, Compile, Create))), default=0)


def _dropped(script: Script) -> list[Delete]:
    """What the script itself drops before its end."""
    return [e for e in script.events[: _end(script)] if isinstance(e, Delete) and not e.collected]


def _began(script: Script, m: CompiledModel) -> int:
    return next(i for i, e in enumerate(script.events) if isinstance(e, Compile) and e.function in m.functions)


def last_use(script: Script, functions: tuple[int, ...], shared: frozenset[int]) -> int:
    """Returns the position of the last event that concerns any of these functions or shared variables; -1 for none."""
    return max((i for i, e in enumerate(script.events) if touches(e, functions, shared)), default=-1)


def touches(e: Event, functions: tuple[int, ...], shared: frozenset[int]) -> bool:
    """Returns whether an event uses one of these functions or shared variables."""
    if isinstance(e, (Call, Compile)):
        return e.function in functions
    if isinstance(e, Delete):
        return e.function is not None and e.function in functions
    return isinstance(e, (Create, SetValue, GetValue)) and e.shared in shared


def unused(script: Script) -> dict[int, int]:
    """Returns a mapping: shared variables that no remaining function uses -> position of their last use."""
    gone = {e.function for e in script.events if isinstance(e, Delete)}
    deleted = {e.shared for e in script.events if isinstance(e, Delete)}
    idle = {}
    functions: dict[int, list[int]] = {}
    for f in script.functions:
        for number in users(f):
            functions.setdefault(number, []).append(f.index)
    for number in script.shared:
        having = tuple(functions.get(number, ()))
        if number not in deleted and gone.issuperset(having):
            idle[number] = last_use(script, having, frozenset({number}))
    return idle


def without(script: Script, ends: Mapping[int, tuple[Delete, ...]]) -> Script:
    """Returns the script with Delete events inserted after these positions."""
    events = [e for i, event in enumerate(script.events) for e in (event, *ends.get(i, ()))]
    return replace(script, events=tuple(events))


def relieved(script: Script, idle: Mapping[int, int]) -> Script:
    """Returns the script with idle shared variables dropped after their last use. Variables that no function ever uses are not created."""
    used = {v for f in script.functions for v in users(f)}
    ends: dict[int, tuple[Delete, ...]] = {}
    for number, position in idle.items():
        if number in used:
            ends[position] = (*ends.get(position, ()), Delete(shared=number))
    never = frozenset(idle).difference(used)
    script = without(script, ends)
    return replace(script, events=tuple(e for e in script.events if not touches(e, (), never)))


def dropping(models: tuple[CompiledModel, ...]) -> dict[int, tuple[Delete, ...]]:
    """Returns, by position, Delete events that drop each model except the last one after its last use."""
    return {position: deletes for m in models[:-1] for position, deletes in freed(m).items()}


def finished(script: Script) -> Iterator[tuple[CompiledModel, Script]]:
    """Yields the models that are kept until the end although other functions are compiled or called after their last use, each with the
    script that drops it there.

    A model has all functions that use any of its shared variables. A call that follows a call of another function is always recorded
    (agent/hook/call_limits.py), so the last use is known. Functions that the script does not call are dropped with the others.
    """
    left = {f.index: users(f) for f in script.functions if users(f)}
    gone = _dropped(script)
    while left:
        index, own = left.popitem()
        functions = {index}
        while more := {i for i, shared in left.items() if not own.isdisjoint(shared)}:
            functions |= more
            own = own.union(*(left.pop(i) for i in more))
        made = replace(script, events=tuple(e for e in script.events if not _is_assumed(e, functions) and not _drops(e, functions, own)))
        ended = last_use(made, tuple(functions), own)
        later = any(isinstance(e, (Call, Compile)) for e in made.events[ended + 1 :])
        if later and not any(e.function in functions or e.shared in own for e in gone):
            model = CompiledModel(tuple(sorted(functions)), tuple(sorted(own)), ended)
            yield model, without(made, freed(model))


def _drops(e: Event, functions: set[int], shared: frozenset[int]) -> bool:
    """Whether an event drops one of these functions or shared variables."""
    return isinstance(e, Delete) and (e.function in functions or e.shared in shared)


def _is_assumed(e: Event, functions: set[int]) -> bool:
    """Whether an event is a call of one of these functions that the script did not make."""
    return isinstance(e, Call) and e.assumed and e.function in functions


def freed(model: CompiledModel) -> dict[int, tuple[Delete, ...]]:
    """Returns the Delete events that drop a model after its last use, by position."""
    return {model.ended: (*(Delete(function=f) for f in model.functions), *(Delete(shared=v) for v in model.shared))}


LEAST_MODELS = 3
"""Smallest number of models that counts; two alike may be meant to live together."""


def alike(script: Script) -> Iterator[tuple[CompiledModel, ...]]:
    """Yields groups of models with equal graphs and shapes that are all kept and used in turn, each for more than a call or two before the
    next one.
    """
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
    """Returns the script in which each model is dropped when another one is used, and rebuilt when it is used again."""
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
    """Returns the script with only the first model, which gets the values of each model in turn."""
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
