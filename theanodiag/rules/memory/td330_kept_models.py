"""TD330: a search keeps the functions and shared variables of every model

What it finds
    Functions that the same line compiled several times, each with shared variables of its own, where each model is no longer used once the
    next one is made, and none is given back. Or at least three models that are kept for later use (the best one predicts at the end; all
    are made before the first is trained): with equal graphs, shared variables of equal shapes, and used one after the other.

Why it matters
    A compiled function keeps its shared variables, constants and (with allow_gc=False) intermediates on the device as long as it lives. A
    grid search that keeps its models in a list runs out of memory after some of them, though each fits alone.

Example
    `5 models from search.py:21 are kept: 1.1 GiB instead of 3.9 GiB without them`.

What to do
    Keep the parameters, not the functions: `results.append([p.get_value() for p in params])` (they then lie on the host), and let function,
    shared variables and graph go (`del train, params`, then `gc.collect()`, since functions are in reference cycles) before the next model
    is made. Where a function refers to itself (`f.itself = f`, `eval()`) what its graph holds goes with the second search. Or make
    one model and give it other values.

Limits
    Models are known by the line that compiles them and by equal graphs. Only where at least a tenth of the peak, and 16 MiB, would be
    saved. Models that take turns more than twice each, as an ensemble does that is trained together, are left alone. Where one model takes
    the values of each, what differs between their graphs (a learning rate) has to become an input; and it costs a copy at each turn. Models
    of other shapes (a search for a width) cannot share one: each is made when its turn comes, and the best one a second time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...findings import Cost, Finding, Fix
from ...ir import Site
from ...memory.profile import ProcessProfile
from ...memory.script import Call, Compile, Create, Script
from ...memory.simulate import simulate
from ...plans.duplicate_models import alike, merged, remade, unlike
from ...plans.unused_state import Model, dropping, searches, without
from ..base import Rule
from ..examples import device, dot_script, subject
from ..impact import change, confidence, figures, is_significant, saving, severity
from ..subject import ScriptSubject

FIX = Fix(
    "keep the parameters on the host, and let the functions go before the next model",
    code="results.append([p.get_value() for p in params])\ndel train, params\ngc.collect()  # functions are in reference cycles",
)


ONE = Fix(
    "make one model, keep the parameters of each on the host, and give them back to it in turn",
    code="values = kept[k]  # from [p.get_value() for p in params]\nfor p, value in zip(params, values):\n    p.set_value(value)",
)

AGAIN = Fix(
    "keep the parameters on the host, let the functions go, and make the best model again at the end",
    code="results.append([p.get_value() for p in params])\ndel train, params\n"
    "gc.collect()  # functions are in reference cycles\n"
    "# at the end: make the best model again, then\nfor p, value in zip(params, best):\n    p.set_value(value)",
)


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding for each group of models kept."""
    found: set[int] = set()
    for models in searches(s.script):
        found.update(m.functions[0] for m in models)
        after = simulate(without(s.script, dropping(models)), s.settings)
        yield from _finding(s, models, after, "are kept, though each is used before the next only", FIX)
    for models in alike(s.script):
        if found.isdisjoint(m.functions[0] for m in models):
            after = simulate(merged(s.script, models), s.settings)
            yield from _finding(s, models, after, "are kept for later, though they are alike and one could take the values of each", ONE)
    for models in unlike(s.script):
        if found.isdisjoint(m.functions[0] for m in models):
            after = simulate(remade(s.script, models), s.settings)
            yield from _finding(s, models, after, "are kept for later, though one at a time is used", AGAIN)


def _finding(s: ScriptSubject, models: tuple[Model, ...], after: ProcessProfile, why: str, fix: Fix) -> Iterator[Finding]:
    """A finding, where the change saves enough."""
    if is_significant(s, after):
        first = s.script.functions[models[0].functions[0]]
        message = f"{len(models)} models that {first.site} compiles {why}: {change(s, after)}"
        place = s.place(first.site, first.name)
        cost = Cost(work="parameters are copied to the host and back" + "; the best model is compiled again" * (fix is AGAIN))
        yield Finding("TD330", severity(s), confidence(s), message, place, fix, figures(after), saving(s, after), cost=cost)


def search(models: int, columns: int, line: int = 7, called: bool = True) -> Script:
    """A script that compiles and calls `dot_script`'s function `models` times at one line, each time with its own W."""
    first = dot_script(10, columns)
    script = replace(first, shared={}, functions=(), events=())
    for k in range(models):
        graph = first.functions[0].graph
        inputs = tuple(replace(i, shared=k) if i.shared is not None else i for i in graph.inputs)
        made = replace(first.functions[0], index=k, graph=replace(graph, inputs=inputs), site=Site("model.py", line))
        calls = tuple(replace(e, function=k) for e in first.events if isinstance(e, Call) and called)
        script = replace(
            script,
            shared={**script.shared, k: replace(first.shared[0], id=k)},
            functions=(*script.functions, made),
            events=(*script.events, Create(k, (columns, columns)), Compile(k), *calls),
        )
    return script


def _ensemble() -> Script:
    """Two models that are both used at the end."""
    script = search(2, 3000)
    again = next(e for e in script.events if isinstance(e, Call))
    return replace(script, events=(*script.events, again))


RULE = Rule(
    "TD330",
    "kept-models",
    check,
    __doc__,
    fires=lambda: subject(search(4, 3000), device(1_000_000_000)),
    silent=lambda: subject(_ensemble(), device(1_000_000_000)),
)
