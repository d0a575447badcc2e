"""TD3: models, shared variables and functions that are no longer used."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ...findings import Confidence, Cost, Finding, Fix, Severity, identifier
from ...ir import Site
from ...memory.profile import ProcessProfile
from ...memory.script import Call, Compile, Create, Script, SharedVariable
from ...memory.simulate import simulate_figures
from ...plans.script_names import called_as, freeing, holders, keeper_of_values, keepers, maker_of, outside
from ...plans.source_changes import owner
from ...plans.unused_state import (
    CompiledModel,
    alike,
    dropping,
    finished,
    merged,
    relieved,
    remade,
    searches,
    unlike,
    unused,
    without,
)
from ..base import rule
from ..examples import device, dot_script, subject
from ..impact import change, confidence, figures, is_significant, saving, severity
from ..subject import ScriptSubject

FIX = Fix(
    "keep the parameters on the host, and free the functions before the next model",
    code="results = []  # before the first model\nresults.append([p.get_value() for p in params])\n"
    "del train, params\ngc.collect()  # functions are in reference cycles",
)
NAMED = 8
"""Parameters that are listed by name, at most."""

ONE = Fix(
    "create one model, keep the parameters of each on the host, and set them in turn",
    code="results = []  # before the first model\nresults.append([p.get_value() for p in params])  # where a model is kept\n"
    "for p, value in zip(params, results[0]):  # where the first of them is used again\n    p.set_value(value)",
)

AGAIN = Fix(
    "keep the parameters on the host, free the functions, and create the best model again at the end",
    code="results = []  # before the first model\nresults.append([p.get_value() for p in params])\ndel train, params\n"
    "gc.collect()  # functions are in reference cycles\n"
    "# at the end, where the first is the best: make it again, then\nfor p, value in zip(params, results[0]):\n    p.set_value(value)",
)


@rule(
    "TD330",
    "kept-models",
    fires=lambda: subject(search(4, 3000), device(1_000_000_000)),
    silent=lambda: subject(_ensemble(), device(1_000_000_000)),
)
def kept_models(s: ScriptSubject) -> Iterator[Finding]:
    """TD330: a search keeps the functions and shared variables of every model

    What it finds
        Finds a line that compiles a function several times, each time with new shared variables (a new model), in a script that no longer
        uses a model once the next one exists, but frees none of them. The rule also finds three or more models that are kept for later and
        used one after the other: a script that creates all models before it trains the first, or that predicts with the best one at the
        end.

    Why it matters
        A compiled function keeps its shared variables and constants on the device as long as it exists, and with `allow_gc=False` also its
        intermediates. A grid search that keeps its models in a list runs out of memory after some of them, although each model fits alone.

    Example
        The finding names `5 models that search.py:21 compiles`. The script needs 3.9 GiB if it keeps all five, and 1.1 GiB if it
        frees each model.

    What to do
        Keep the parameters, not the functions: `results.append([p.get_value() for p in params])` copies the parameters to the host. Then
        drop the function, the shared variables and the graph before you create the next model: `del train, params`, and then
        `gc.collect()`, because functions are in reference cycles. If a function refers to itself (`f.itself = f`, `eval()`), Python frees
        the memory of its graph only at the second garbage collection. You can also create only one model, and set the values of its shared
        variables for each run of the search.

    Limits
        Models are recognised by the line that compiles them and by equal graphs. The rule reports only savings of at least a tenth of the
        peak; if the script fits, they must also be at least 16 MiB. Models that are used in turn more than twice each, such as an ensemble
        that is trained together, are not reported.

        If you use only one model, what differs between the models (such as a learning rate) must become an input, and setting the values
        costs a copy. Models of different shapes, as in a search for the best width, cannot share one model: create each when you need it,
        and create the best one again at the end.
    """
    reported: set[int] = set()
    for models in searches(s.script):
        reported.update(m.functions[0] for m in models)
        after = simulate_figures(without(s.script, dropping(models)), s.settings)
        yield from _finding(s, models, after, "are kept, although each is used only before the next is created", FIX)
    for models in alike(s.script):
        if reported.isdisjoint(m.functions[0] for m in models):
            after = simulate_figures(merged(s.script, models), s.settings)
            yield from _finding(
                s, models, after, "are kept for later, although they are equal and one could take over the values of each", ONE
            )
    for models in unlike(s.script):
        if reported.isdisjoint(m.functions[0] for m in models):
            after = simulate_figures(remade(s.script, models), s.settings)
            yield from _finding(s, models, after, "are kept for later, although only one at a time is used", AGAIN)


def _finding(s: ScriptSubject, models: tuple[CompiledModel, ...], after: ProcessProfile, why: str, fix: Fix) -> Iterator[Finding]:
    """Yields the finding about models of a search, if the change saves enough to be reported."""
    if is_significant(s, after):
        first = s.script.functions[models[0].functions[0]]
        message = f"{len(models)} models that {first.site} compiles {why}: {change(s, after)}"
        place, fix = s.place(first.site, first.name), _by_name(s, models[0], fix)
        cost = Cost(work="parameters are copied to the host and back" + "; the best model is compiled again" * (fix.title == AGAIN.title))
        yield Finding("TD330", severity(s), confidence(s), message, place, fix, figures(after), saving(s, after), cost=cost)


def _by_name(s: ScriptSubject, model: CompiledModel, fix: Fix) -> Fix:
    """The fix with the script's own names of a model's functions and parameters; with a remark on what is meant, where it has none."""
    functions = [s.script.functions[i] for i in model.functions]
    updated = {i.shared for f in functions for i in f.graph.inputs if i.update is not None}
    names = [s.script.shared[i].expression for i in model.shared if i in updated]
    known = list(dict.fromkeys(name for name in names if name))
    code = fix.code or ""
    if re.search(r"\bresults\b", s.source):
        code = re.sub(r"\bresults\b", "values_of_models", code)
    if not known or len(known) < len(names) or len(known) > NAMED or "del train" not in code:
        meant = "# train, params: the functions and the shared variables of a model"
        return replace(fix, code=f"{meant}\n{code}" if "del train" in code else code)
    named = [outside(s.source, name) for name in known]
    objects = [name.rpartition(".")[0] for name in named if re.fullmatch(r"(?!self\.)\w+\.\w+", name)]
    called = [called_as(s.source, identifier(f.name, "train")) for f in functions]
    gone = list(dict.fromkeys((*(f for f in called if not f.startswith(tuple(f"{o}." for o in objects))), *map(owner, objects or named))))
    others = [outside(s.source, e) for i in model.shared if i not in updated and (e := s.script.shared[i].expression)]
    gone += [n for n in dict.fromkeys(map(owner, others)) if n.isidentifier() and n not in gone]
    code = code.replace("for p in params]", f"for p in [{', '.join(named)}]]").replace("zip(params,", f"zip([{', '.join(named)}],")
    kept = keeper_of_values(s.source, gone, named, called)
    held = [] if kept is None else holders(s.source, int(kept.rpartition(" ")[2]), gone, called)
    code = code.replace("del train, params", f"del {', '.join((*gone, *held))}")
    if kept is not None:
        first, *rest = [row for row in code.splitlines() if not re.match(r"\w+ = \[\]|\w+\.append\(", row)]
        line = kept.rpartition(" ")[2]
        code = "\n".join((kept, f"{first}  # after line {line}", *rest))
        code = re.sub(r"\b(?:results|values_of_models)\[0\]", "values", code).replace("where the first is the best", "of its values")
    remarks = _remarks(s.source, named, gone, kept is not None)
    return replace(fix, code="\n".join((*remarks, code)))


def _remarks(source: str, named: list[str], gone: list[str], kept: bool) -> Iterator[str]:
    """Yields remarks on what else has to change: a function that alone has the parameters, statements that keep the model."""
    makers = {maker for name in named if not kept and (maker := maker_of(source, name)) is not None}
    for maker in sorted(makers):
        yield f"# {maker} has to return {', '.join(n for n in named if maker_of(source, n) == maker)} too"
    for statement in dict.fromkeys(k for name in gone for k in keepers(source, name) if not kept):
        yield f"# without what is deleted here: {statement}"


def search(models: int, columns: int) -> Script:
    """Makes a script that compiles and calls `dot_script`'s function `models` times at one line, each time with its own W."""
    first = dot_script(10, columns)
    script = replace(first, shared={}, functions=(), events=())
    for k in range(models):
        graph = first.functions[0].graph
        inputs = tuple(replace(i, shared=k) if i.shared is not None else i for i in graph.inputs)
        function = replace(first.functions[0], index=k, graph=replace(graph, inputs=inputs), site=Site("model.py", 7))
        calls = tuple(replace(e, function=k) for e in first.events if isinstance(e, Call))
        script = replace(
            script,
            shared={**script.shared, k: replace(first.shared[0], id=k)},
            functions=(*script.functions, function),
            events=(*script.events, Create(k, (columns, columns)), Compile(k), *calls),
        )
    return script


def _ensemble() -> Script:
    """Two models that are both used at the end."""
    script = search(2, 3000)
    again = next(e for e in script.events if isinstance(e, Call))
    return replace(script, events=(*script.events, again))


@rule(
    "TD331",
    "unused-shared",
    fires=lambda: subject(_beside(4000), device(1_000_000_000)),
    silent=lambda: subject(_beside(100), device(1_000_000_000)),
)
def unused_shared(s: ScriptSubject) -> Iterator[Finding]:
    """TD331: unused shared variables stay on the device

    What it finds
        Finds shared variables that the script still refers to, although no function uses them any longer and the script no longer sets or
        reads them. Also finds the shared variables of an object, such as a model, whose functions are not called again, while the script
        continues with other objects.

    Why it matters
        An unused shared variable occupies device memory until the last reference to it is gone.

    Example
        For a variable `raw` of 50000 x 784 elements, which takes 150 MB, the finding says `raw: no function uses it any longer, but it
        stays on the device`.

    What to do
        Delete the variable, and expressions that use it, after its last use (`del raw`). If no function needs the data, you can also leave
        it in a numpy array and create no shared variable.

    Limits
        The rule applies only to scripts that ran to their end. The rule reports only savings of at least a tenth of the peak; in a script
        that fits, the saving must also be at least 16 MiB.
    """
    if not s.finished:
        return
    yield from _finished(s)
    idle = unused(s.script)
    after = simulate_figures(relieved(s.script, idle), s.settings) if idle else s.process
    if not is_significant(s, after):
        return
    first = s.script.shared[min(idle)]
    freed = [s.script.shared[i] for i in sorted(idle)]
    names = ", ".join(v.label for v in freed[:5]) + f" and {len(freed) - 5} more" * (len(freed) > 5)
    message = f"{names}: no function uses it any longer, but it stays on the device: {change(s, after)}"
    place = s.place(first.site, first.name)
    fix = Fix("free it after its last use", code=freeing(freed, s.source))
    yield Finding("TD331", severity(s), confidence(s), message, place, fix, figures(after), saving(s, after), cost=Cost())


def _finished(s: ScriptSubject) -> Iterator[Finding]:
    """Yields findings on objects that the script is done with before it compiles or calls other functions."""
    searched = {f for find in (searches, alike, unlike) for models in find(s.script) for m in models for f in m.functions}
    for model, script in finished(s.script):
        name = _object(s, model) if searched.isdisjoint(model.functions) else None
        after = simulate_figures(script, s.settings) if name is not None else s.process
        if name is None or not is_significant(s, after):
            continue
        first = s.script.shared[model.shared[0]]
        labels = ", ".join(s.script.shared[i].label for i in model.shared[:5])
        message = f"{labels} stay on the device with {name}, which is used no longer: {change(s, after)}"
        kept = [f"# without {name}: {statement}" for statement in keepers(s.source, name)]
        code = "\n".join((*kept, f"del {name}", "gc.collect()  # functions are in reference cycles"))
        fix = Fix(f"free {name} after its last use", code=code)
        place = s.place(first.site, first.name)
        yield Finding("TD331", severity(s), confidence(s), message, place, fix, figures(after), saving(s, after), cost=Cost())


def _object(s: ScriptSubject, model: CompiledModel) -> str | None:
    """The name of the object that alone has a model's functions and shared variables; None if there is none, or if it has others."""

    def names(functions: Iterable[int], shared: Iterable[int]) -> set[str]:
        called = {called_as(s.source, s.script.functions[i].name) for i in functions}
        return called | {outside(s.source, s.script.shared[i].expression or "") for i in shared}

    owners = {name.rpartition(".")[0] for name in names(model.functions, model.shared)}
    name = owners.pop() if len(owners) == 1 else ""
    if not name.isidentifier() or name == "self" or maker_of(s.source, name) is not None:
        return None
    others = names(
        (f.index for f in s.script.functions if f.index not in model.functions), (i for i in s.script.shared if i not in model.shared)
    )
    return None if any(other.startswith(f"{name}.") for other in others) else name


def _beside(columns: int) -> Script:
    """`dot_script` with a further shared variable of `columns` x `columns` that no function uses."""
    script = dot_script(10, 1000)
    other = SharedVariable(9, "raw", script.shared[0].type)
    return replace(script, shared={**script.shared, 9: other}, events=(Create(9, (columns, columns)), *script.events))


@rule(
    "TD332",
    "never-called",
    fires=lambda: subject(_second_not_called(), device(100_000_000)),
    silent=lambda: subject(dot_script(10, 100, called=False), device(100_000_000)),
)
def never_called(s: ScriptSubject) -> Iterator[Finding]:
    """TD332: functions are compiled but never called

    What it finds
        Finds functions that were never called, in a script that ran to its end and called at least one function.

    Why it matters
        Compiling takes seconds to minutes, and a function keeps its constants and its shared variables alive.

    Example
        `predict: compiled and never called`.

    What to do
        Compile the function where you need it. If the script calls the function only in cases that this run did not reach, give the shapes
        of its inputs: `--shape predict:x=128,784`.

    Limits
        A run with other arguments may call the function. The rule reports nothing if `check` stopped the script, because the script might
        have called the function later.
    """
    called = {e.function for e in s.script.events if isinstance(e, Call) and not e.assumed}
    idle = [f for f in s.script.functions if f.index not in called]
    assumed = {e.function for e in s.script.events if isinstance(e, Call) and e.assumed}
    idle = [f for f in idle if f.index not in assumed]
    if not s.finished or not called or not idle:
        return
    message = f"{counted([f.name for f in idle])}: compiled and never called"
    place = s.place(idle[0].site, idle[0].name)
    yield Finding("TD332", Severity.INFO, Confidence.DERIVED, message, place, Fix("compile it where it is needed"))


def counted(names: Sequence[str]) -> str:
    """Returns the distinct names with their counts, at most five of them: `build (5 times), predict`."""
    times = Counter(names)
    rows = [f"{name} ({n} times)" if n > 1 else name for name, n in times.items()]
    return ", ".join(rows[:5]) + (f" and {len(rows) - 5} more" if len(rows) > 5 else "")


def _second_not_called() -> Script:
    script = search(2, 100)
    events = tuple(e for e in script.events if not (isinstance(e, Call) and e.function == 1))
    return replace(script, events=events)
