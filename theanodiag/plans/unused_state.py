"""Finds what a script keeps but no longer uses (models of a search, unused shared variables), and removes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ..memory.script import Call, Compile, CompiledFunction, Create, Delete, Event, GetValue, Script, SetValue


@dataclass(frozen=True)
class CompiledModel:
    """Functions, and the shared variables that no other model of the search uses."""

    functions: tuple[int, ...]
    """Indices of the functions."""
    shared: tuple[int, ...]
    """Ids of the shared variables."""
    ended: int
    """Position of the last event that uses it."""


def searches(script: Script) -> Iterator[tuple[CompiledModel, ...]]:
    """Yields groups of models compiled by the same line, each unused once the next is created, and all kept."""
    seen: set[int] = set()
    for group in groups(script):
        models = models_of(script, group)
        fresh = [m for m in models if seen.isdisjoint(m.functions)]
        if len(fresh) > 1 and all(a.ended < _began(script, b) for a, b in zip(fresh, fresh[1:])):
            seen.update(i for m in fresh for i in m.functions)
            yield tuple(fresh)


def groups(script: Script) -> tuple[list[CompiledFunction], ...]:
    """Functions with shared variables, grouped by the line that compiled them and by their Ops."""
    functions: dict[object, list[CompiledFunction]] = {}
    for f in script.functions:
        if f.site is not None and users(f):
            functions.setdefault((f.site, tuple(a.op.text for a in f.graph.applies)), []).append(f)
    return tuple(functions.values())


def models_of(script: Script, group: list[CompiledFunction]) -> tuple[CompiledModel, ...]:
    """The models of a group that are kept."""
    return tuple(m for f in group if (m := _model(script, f, group)) is not None)


def users(f: CompiledFunction) -> frozenset[int]:
    """The shared variables that a function uses."""
    return frozenset(i.shared for i in f.graph.inputs if i.shared is not None)


def _model(script: Script, f: CompiledFunction, group: list[CompiledFunction]) -> CompiledModel | None:
    """The model to which `f` belongs; None if the script drops it, or if it has no shared variables of its own."""
    own = users(f).difference(*(users(g) for g in group if g is not f))
    functions = tuple(g.index for g in script.functions if not own.isdisjoint(users(g)))
    deletes = [e for e in script.events if isinstance(e, Delete) and not e.collected]
    gone = any(e.function in functions or e.shared in own for e in deletes)
    return None if gone or not own else CompiledModel(functions, tuple(sorted(own)), last_use(script, functions, own))


def _began(script: Script, m: CompiledModel) -> int:
    return next(i for i, e in enumerate(script.events) if isinstance(e, Compile) and e.function in m.functions)


def last_use(script: Script, functions: tuple[int, ...], shared: frozenset[int]) -> int:
    """Position of the last event that concerns any of these functions or shared variables; -1 for none."""
    return max((i for i, e in enumerate(script.events) if touches(e, functions, shared)), default=-1)


def touches(e: Event, functions: tuple[int, ...], shared: frozenset[int]) -> bool:
    """Whether an event uses one of these functions or shared variables."""
    if isinstance(e, (Call, Compile)):
        return e.function in functions
    if isinstance(e, Delete):
        return e.function is not None and e.function in functions
    return isinstance(e, (Create, SetValue, GetValue)) and e.shared in shared


def unused(script: Script) -> dict[int, int]:
    """Shared variables that no remaining function uses -> position of their last use."""
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
    """The script with Delete events inserted after these positions."""
    events = [e for i, event in enumerate(script.events) for e in (event, *ends.get(i, ()))]
    return replace(script, events=tuple(events))


def relieved(script: Script, idle: Mapping[int, int]) -> Script:
    """The script with idle shared variables dropped after their last use; those that no function ever uses are not created."""
    used = {v for f in script.functions for v in users(f)}
    ends: dict[int, tuple[Delete, ...]] = {}
    for number, position in idle.items():
        if number in used:
            ends[position] = (*ends.get(position, ()), Delete(shared=number))
    never = frozenset(idle).difference(used)
    script = without(script, ends)
    return replace(script, events=tuple(e for e in script.events if not touches(e, (), never)))


def dropping(models: tuple[CompiledModel, ...]) -> dict[int, tuple[Delete, ...]]:
    """Delete events that drop each model except the last after its last use, by position."""
    return {m.ended: (*(Delete(function=f) for f in m.functions), *(Delete(shared=v) for v in m.shared)) for m in models[:-1]}
