"""Models that are kept for later use: which are found, and what one in their place takes."""

from __future__ import annotations

from dataclasses import replace

from theanodiag.memory.script import Call, Create, Delete, Script
from theanodiag.plans.unused_state import alike, merged, remade, searches, unlike
from theanodiag.rules.examples import device, subject
from theanodiag.rules.memory.unused import search
from theanodiag.rules.registry import SCRIPT_RULES

CARD = device(1_000_000_000)


def used_again(models: int, times: int) -> Script:
    """A search after which every model is called again so many times, by turns."""
    script = search(models, 3000)
    calls = tuple(e for e in script.events if isinstance(e, Call))
    return replace(script, events=(*script.events, *calls * times))


def said(script: Script) -> list[str]:
    """What TD330 says."""
    (rule,) = (r for r in SCRIPT_RULES if r.code == "TD330")
    return [f.message for f in rule.check(subject(script, CARD))]


def test_models_kept_for_later() -> None:
    """Four models that are called once more at the end: one of them in their place is a search of one."""
    script = used_again(4, 1)
    assert list(searches(script)) == []
    ((first, *others),) = alike(script)
    assert len(others) == 3
    one = subject(search(1, 3000), CARD).process
    after = subject(merged(script, (first, *others)), CARD).process
    assert after.live_peak_bytes == one.live_peak_bytes
    assert after.reserved_peak_bytes == one.reserved_peak_bytes
    assert len(said(script)) == 1


def test_an_ensemble_is_left_alone() -> None:
    """Models that take turns again and again live together on purpose, and so may two."""
    assert said(used_again(4, 3)) == []
    assert said(used_again(2, 1)) == []


def test_other_shapes_are_another_model() -> None:
    """Layers of several sizes that one line compiles are no search."""
    script = used_again(4, 1)
    last = search(4, 2000)
    graphs = (*script.functions[:3], last.functions[3])
    events = tuple(e for e in script.events if getattr(e, "shared", None) != 3)
    made = next(e for e in last.events if getattr(e, "shared", None) == 3)
    mixed = replace(script, functions=graphs, shared={**script.shared, 3: last.shared[3]}, events=(made, *events))
    assert list(alike(mixed)) == []


def test_models_of_other_shapes_are_made_when_their_turn_comes() -> None:
    """Each is called once more at the end: with one of them there at a time the script takes what the largest alone does."""
    script, others = used_again(3, 1), [search(1, c) for c in (3000, 2800, 2500)]
    shapes = {k: (c, c) for k, c in enumerate((3000, 2800, 2500))}
    calls = {k: next(e for e in o.events if isinstance(e, Call)) for k, o in enumerate(others)}
    events = (
        replace(e, shape=shapes[e.shared]) if isinstance(e, Create)
        else replace(calls[e.function], function=e.function) if isinstance(e, Call) else e for e in script.events
    )  # fmt: skip
    mixed = replace(script, events=tuple(events))
    assert list(alike(mixed)) == []
    (models,) = unlike(mixed)
    after, alone = subject(remade(mixed, models), CARD).process, subject(others[0], CARD).process
    assert after.live_peak_bytes == alone.live_peak_bytes < subject(mixed, CARD).process.live_peak_bytes
    assert len(said(mixed)) == 1


def test_a_model_and_its_predictions() -> None:
    """Functions of the same line that share their variables are one model."""
    script = used_again(3, 1)
    functions = tuple(replace(f, graph=script.functions[0].graph) for f in script.functions)
    assert list(alike(replace(script, functions=functions))) == []


def test_models_that_only_the_end_of_a_function_drops() -> None:
    """`main()` returns after the last call: what it keeps until then is kept too long; what it drops before the next model is not."""
    script = search(4, 1000)
    ends = tuple(Delete(function=k) for k in range(4)) + tuple(Delete(shared=k) for k in range(4))
    (models,) = searches(replace(script, events=(*script.events, *ends)))
    assert [m.functions for m in models] == [(0,), (1,), (2,), (3,)]
    second = next(i for i, e in enumerate(script.events) if isinstance(e, Create) and e.shared == 1)
    early = (*script.events[:second], Delete(function=0), Delete(shared=0), *script.events[second:])
    (models,) = searches(replace(script, events=early))
    assert [m.functions for m in models] == [(1,), (2,), (3,)]


def test_nets_of_other_depths_at_one_line() -> None:
    """Layer-wise training: the Ops differ, the line that compiles does not."""
    script = search(3, 1000)
    (first, *others) = script.functions
    node = first.graph.applies[-1]
    deeper = replace(first.graph, applies=(*first.graph.applies[:-1], replace(node, op=replace(node.op, text="another"))))
    (models,) = searches(replace(script, functions=(replace(first, graph=deeper), *others)))
    assert [m.functions for m in models] == [(0,), (1,), (2,)]
