"""What a script keeps that it no longer uses: models of a search, shared variables without a function; and the script without them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ..memory.script import Call, Compile, CompiledFunction, Create, Delete, Event, GetValue, Script, SetValue


@dataclass(frozen=True)
class Model:
    """Functions with shared variables that no other model of the search has."""

    functions: tuple[int, ...]
    shared: tuple[int, ...]
    ended: int
    """Position of the last event in which it is used."""


def searches(script: Script) -> Iterator[tuple[Model, ...]]:
    """Models that the same line compiled one after the other, each no longer used when the next one is made, and all kept."""
    seen: set[int] = set()
    for group in groups(script):
        models = models_of(script, group)
        fresh = [m for m in models if seen.isdisjoint(m.functions)]
        if len(fresh) > 1 and all(a.ended < _began(script, b) for a, b in zip(fresh, fresh[1:])):
            seen.update(i for m in fresh for i in m.functions)
            yield tuple(fresh)


def groups(script: Script) -> tuple[list[CompiledFunction], ...]:
    """Functions with shared variables, by the line that compiled them and what is computed."""
    found: dict[object, list[CompiledFunction]] = {}
    for f in script.functions:
        if f.site is not None and users(f):
            found.setdefault((f.site, tuple(a.op.text for a in f.graph.applies)), []).append(f)
    return tuple(found.values())


def models_of(script: Script, group: list[CompiledFunction]) -> tuple[Model, ...]:
    """Those of a group that are kept."""
    return tuple(m for f in group if (m := _model(script, f, group)) is not None)


def users(f: CompiledFunction) -> frozenset[int]:
    """The shared variables of a function."""
    return frozenset(i.shared for i in f.graph.inputs if i.shared is not None)


def _model(script: Script, f: CompiledFunction, group: list[CompiledFunction]) -> Model | None:
    """None where it is given back, or has nothing of its own."""
    own = users(f).difference(*(users(g) for g in group if g is not f))
    functions = tuple(g.index for g in script.functions if not own.isdisjoint(users(g)))
    deletes = [e for e in script.events if isinstance(e, Delete) and not e.collected]
    gone = any(e.function in functions or e.shared in own for e in deletes)
    return None if gone or not own else Model(functions, tuple(sorted(own)), last_use(script, functions, own))


def _began(script: Script, m: Model) -> int:
    return next(i for i, e in enumerate(script.events) if isinstance(e, Compile) and e.function in m.functions)


def last_use(script: Script, functions: tuple[int, ...], shared: frozenset[int]) -> int:
    """Position of the last event about any of them."""
    return max((i for i, e in enumerate(script.events) if touches(e, functions, shared)), default=-1)


def touches(e: Event, functions: tuple[int, ...], shared: frozenset[int]) -> bool:
    """Whether an event uses one of these functions or shared variables."""
    if isinstance(e, (Call, Compile)):
        return e.function in functions
    if isinstance(e, Delete):
        return e.function is not None and e.function in functions
    return isinstance(e, (Create, SetValue, GetValue)) and e.shared in shared


def unused(script: Script) -> dict[int, int]:
    """Shared variables that no living function has -> the position of their last use."""
    gone = {e.function for e in script.events if isinstance(e, Delete)}
    deleted = {e.shared for e in script.events if isinstance(e, Delete)}
    found = {}
    functions: dict[int, list[int]] = {}
    for f in script.functions:
        for number in users(f):
            functions.setdefault(number, []).append(f.index)
    for number in script.shared:
        having = tuple(functions.get(number, ()))
        if number not in deleted and gone.issuperset(having):
            found[number] = last_use(script, having, frozenset({number}))
    return found


def without(script: Script, ends: Mapping[int, tuple[Delete, ...]]) -> Script:
    """The script with things given back behind these positions."""
    events = [e for i, event in enumerate(script.events) for e in (event, *ends.get(i, ()))]
    return replace(script, events=tuple(events))


def relieved(script: Script, idle: Mapping[int, int]) -> Script:
    """The script in which idle shared variables go after their last use; those that no function ever had are not made at all."""
    used = {v for f in script.functions for v in users(f)}
    ends: dict[int, tuple[Delete, ...]] = {}
    for number, position in idle.items():
        if number in used:
            ends[position] = (*ends.get(position, ()), Delete(shared=number))
    never = frozenset(idle).difference(used)
    script = without(script, ends)
    return replace(script, events=tuple(e for e in script.events if not touches(e, (), never)))


def dropping(models: tuple[Model, ...]) -> dict[int, tuple[Delete, ...]]:
    """Each model but the last is given back after its last use."""
    return {m.ended: (*(Delete(function=f) for f in m.functions), *(Delete(shared=v) for v in m.shared)) for m in models[:-1]}
