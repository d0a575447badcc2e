"""Several changes together: only where one is not enough, each step simulated on top of those before it, and the last one fits."""

from __future__ import annotations

import re
from dataclasses import replace

from tests.rules.scripts import BY_CODE
from theanodiag.flags.flags_variable import FlagsVariable
from theanodiag.memory.script import BaseArray, Call, Compile, Script
from theanodiag.memory.settings import MemorySettings
from theanodiag.memory.simulate import simulate
from theanodiag.plans.advice import Advice, advise
from theanodiag.plans.batch import BatchPlan
from theanodiag.plans.chunking.plan import ChunkPlan
from theanodiag.plans.combined import CombinedStep, combine
from theanodiag.plans.resize import ArgumentAxis, WhatIf
from theanodiag.rules.examples import data_script, device, dot_script, subject, trained_script
from theanodiag.rules.memory.unused import search


def steps(script: Script, available: int) -> tuple[CombinedStep, ...]:
    """The combination for a card of that size."""
    settings = MemorySettings(free_bytes=available)
    return combine(WhatIf(script), settings, simulate(script, settings))


def in_float64(script: Script) -> Script:
    """The script with every array twice as wide."""
    kinds = {i: replace(v, type=replace(v.type, dtype="float64")) for i, v in script.shared.items()}
    functions = []
    for f in script.functions:
        wide = (replace(v, type=replace(v.type, dtype="float64")) if v.type.dtype == "float32" else v for v in f.graph.variables)
        functions.append(replace(f, graph=replace(f.graph, variables=tuple(wide))))
    return replace(script, shared=kinds, functions=tuple(functions))


def test_a_batch_and_chunks() -> None:
    """Neither a batch of one row nor a chunk of one batch fits; half the batch in chunks of it does."""
    found = steps(data_script(50_000, 40_000), 12_000_000)
    assert [type(k.plan) for k in found] == [BatchPlan, ChunkPlan]
    assert found[0].after.fits is False
    assert found[1].after.fits is True


def test_float32_and_a_batch() -> None:
    """The weights alone are too large in float64, the whole batch is too large in float32."""
    script = in_float64(trained_script(4000, 1000))
    found = steps(script, 12_000_000)
    assert [k.words for k in found[:-1]] == ["float32 instead of float64"]
    assert isinstance(found[-1].plan, BatchPlan)
    assert [k.after.fits for k in found] == [False, True]


def test_a_batch_among_the_changes_leaves_no_rows_out() -> None:
    """Where the script leaves out rows that remain: the largest batch that divides them; else the largest that fits."""
    whole = BaseArray("a", (12_000, 1000), 96_000_000)
    script = in_float64(trained_script(4000, 1000))
    events = [replace(e, inputs=tuple(replace(i, part_of=whole) for i in e.inputs)) if isinstance(e, Call) else e for e in script.events]
    script, settings = replace(script, events=tuple(events)), MemorySettings(free_bytes=12_000_000)
    sizes = []
    for loop in ("range(len(X) // batch_size)", "range(0, len(X), batch_size)"):
        found = combine(WhatIf(script), settings, simulate(script, settings), source=f"batch_size = 4000\n{loop}\n")
        plan = found[-1].plan
        assert isinstance(plan, BatchPlan)
        assert plan.after is found[-1].after
        assert found[-1].after.fits is True
        sizes.append(plan.largest or 0)
    dividing, largest = sizes
    assert 12_000 % dividing == 0
    assert 12_000 % largest
    assert largest // 2 <= dividing < largest


def test_letting_go_of_models_is_enough_alone() -> None:
    """Its own rule says so."""
    assert steps(search(4, 1000), 9_000_000) == ()


def test_where_one_change_is_enough_none_are_combined() -> None:
    """Chunks alone, a batch alone."""
    for script, available in ((data_script(50_000, 500), 8_000_000), (trained_script(8192, 200), 12_000_000)):
        settings = MemorySettings(free_bytes=available)
        found = advise(script, settings, simulate(script, settings))
        assert found.combined == ()
        assert isinstance(found.chunks, ChunkPlan) or isinstance(found.batch, BatchPlan)


def test_what_nothing_helps_stays_without_advice() -> None:
    """Weights that are trained, larger than the card."""
    assert steps(trained_script(10, 3000), 20_000_000) == ()


def test_the_batches_of_two_functions() -> None:
    """Neither fits: the first is made smaller until the second one fails, then that; one row more of the last does not fit."""
    script = dot_script(4000, 1000)
    (function,), call = script.functions, script.events[-1]
    assert isinstance(call, Call)
    larger = dot_script(9000, 1000).events[-1]
    assert isinstance(larger, Call)
    second = replace(function, index=1, name="valid")
    both = replace(script, functions=(function, second), events=(*script.events, Compile(1), replace(larger, function=1)))
    found = steps(both, 24_000_000)
    assert [type(k.plan) for k in found] == [BatchPlan, BatchPlan]
    plans = [k.plan for k in found if isinstance(k.plan, BatchPlan)]
    assert [(p.batch, p.axes[0]) for p in plans] == [(4000, ArgumentAxis(0, 0, 0)), (9000, ArgumentAxis(1, 0, 0))]
    assert [k.after.fits for k in found] == [False, True]
    lengths = {p.axes[0]: p.largest for p in plans if p.largest is not None}
    for more in lengths:
        changed = WhatIf(both).with_lengths({**lengths, more: lengths[more] + 1})
        assert isinstance(changed, Script)
        assert simulate(changed, MemorySettings(total_bytes=24_000_000, free_bytes=24_000_000)).fits is False


def test_flags_of_a_step_keep_those_before_it() -> None:
    """A shell has one value of the variable: the second line has the flag of the first, and those that were set."""
    s = subject(dot_script(1000, 1000), device(1_000_000_000))
    steps = tuple(CombinedStep(f, s.process, flags=f) for f in ("floatX=float32", "allow_gc=True"))
    s = replace(s, advice=Advice(combined=steps), flags_variable=FlagsVariable(text="openmp=True"))
    (found,) = BY_CODE["TD307"].check(s)
    first = "THEANO_FLAGS=openmp=True,floatX=float32"
    assert [step.code for step in found.steps] == [first, f"{first},allow_gc=True"]
    assert found.fix is not None
    assert found.fix.code == f"{first},allow_gc=True"


def test_a_second_batch_has_a_name_of_its_own() -> None:
    """Two lines with one name would set one number."""
    s = subject(dot_script(1000, 1000), device(1_000_000_000))
    plans = [BatchPlan((ArgumentAxis(0, 0, 0),), batch, 7, (), s.process, True) for batch in (10, 20)]
    s = replace(s, advice=Advice(combined=tuple(CombinedStep("", s.process, plan=p) for p in plans)))
    (found,) = BY_CODE["TD307"].check(s)
    name = s.script.functions[0].name
    assert [re.findall(r"^(\w+) = 7  # was", step.code) for step in found.steps] == [["batch_size"], [f"{name}_batch_size"]]
