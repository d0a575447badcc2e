"""A script with other lengths is what the frameworks themselves make of it: every shape, and the simulated memory."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

from tests.capture.running import FLAGS
from tests.interpreters import THOROUGH, find
from theanodiag.capture.model import GpuRequest
from theanodiag.capture.runner import run_script
from theanodiag.ir import ShapeTable, Unknown
from theanodiag.memory.script import Call, Script
from theanodiag.memory.settings import AllocatorKind, MemorySettings
from theanodiag.memory.simulate import simulate
from theanodiag.plans import shape_replay
from theanodiag.plans.resize import ArgumentAxis, Axis, SharedAxis, WhatIf, label, length
from theanodiag.rules.examples import dot_script
from theanodiag.units import GIB

MODELS = Path(__file__).parent / "scripts" / "models.py"
NAMES = ("theano", pytest.param("aesara", marks=THOROUGH), "pytensor", pytest.param("pytensor_new", marks=THOROUGH))
BEFORE, AFTER = 8, 5


@functools.cache
def captured(name: str, batch: int) -> Script:
    """What the models do with arguments of `batch` rows."""
    gpu = GpuRequest(4 * GIB) if name == "theano" else None
    capture = run_script(MODELS, find(name), [str(batch)], env=FLAGS, stdout=2, gpu=gpu)
    assert not capture.end.failed, capture.end.traceback
    return capture.script


def calls(script: Script, name: str) -> list[Call]:
    """The calls of a function."""
    return [e for e in script.events if isinstance(e, Call) and script.functions[e.function].name == name]


def batch_axes(script: Script) -> dict[Axis, int]:
    """All axes of BEFORE rows: the batch of every model, but for the images' height and width, which are as long."""
    found: dict[Axis, int] = {}
    for f in script.functions:
        for entry in calls(script, f.name)[0].inputs:
            shape = entry.shape
            assert not isinstance(shape, Unknown)
            found.update({ArgumentAxis(f.index, entry.variable, k): AFTER for k, n in enumerate(shape) if n == BEFORE and k < 2})
    found.update({SharedAxis(s.id, 0): AFTER for s in script.shared.values() if s.name == "chain"})
    return found


def shapes(table: ShapeTable) -> dict[int, object]:
    """The shapes of a table and of those inside, by Variable id and Apply id."""
    return {**dict(table.shapes), **{-1 - k: shapes(t) for k, t in table.inner.items()}}


@pytest.mark.parametrize("name", NAMES)
def test_every_shape_is_the_one_of_a_script_that_really_has_that_length(name: str) -> None:
    """Perceptron, reshapes, loops with gradients, embeddings, a state of batch size, convolutions: no Variable differs."""
    script, other = captured(name, BEFORE), captured(name, AFTER)
    changed = WhatIf(script).with_lengths(batch_axes(script))
    assert not isinstance(changed, Unknown), changed.reason
    functions = [f.name for f in script.functions]
    assert len(functions) == (7 if name == "theano" else 6)
    for function in functions:
        mine, real = calls(changed, function), calls(other, function)
        assert [shapes(c.shapes) for c in mine] == [shapes(c.shapes) for c in real]
        assert [[i.shape for i in c.inputs] for c in mine] == [[i.shape for i in c.inputs] for c in real]


@pytest.mark.parametrize("name", NAMES)
def test_the_simulated_memory_is_that_of_the_real_script(name: str) -> None:
    """Live and reserved bytes of every call."""
    script, other = captured(name, BEFORE), captured(name, AFTER)
    settings = MemorySettings(AllocatorKind.GPUARRAY if name == "theano" else AllocatorKind.DIRECT)
    changed = WhatIf(script).with_lengths(batch_axes(script))
    assert not isinstance(changed, Unknown)
    mine, real = simulate(changed, settings), simulate(other, settings)
    assert mine.calls == real.calls
    assert mine.live_peak_bytes == real.live_peak_bytes < simulate(script, settings).live_peak_bytes


@pytest.mark.parametrize("name", NAMES)
def test_lengths_that_do_not_fit_together_are_refused(name: str) -> None:
    """x with 5 rows beside y with 8."""
    script = captured(name, BEFORE)
    mlp = calls(script, "mlp")[0]
    answer = WhatIf(script).with_lengths({ArgumentAxis(mlp.function, mlp.inputs[0].variable, 1): AFTER})
    assert isinstance(answer, Unknown)
    assert "incompatible" in answer.reason


def test_without_a_change_nothing_changes() -> None:
    """The same lengths, no lengths."""
    script = dot_script(100, 20)
    axis = ArgumentAxis(0, 0, 0)
    assert WhatIf(script).with_lengths({}) == script
    assert WhatIf(script).with_lengths({axis: 100}) == script
    assert (length(script, axis), label(script, axis)) == (100, "x:0")


def test_a_shorter_call_is_cut_and_not_made_longer() -> None:
    """The rest of an epoch: 30 rows after 100 rows stay 30 rows where batches become longer."""
    script, rest = dot_script(100, 20), dot_script(30, 20)
    both = Script(script.shared, script.functions, (*script.events, rest.events[-1]))
    lengths = []
    for new in (200, 50, 10):
        changed = WhatIf(both).with_lengths({ArgumentAxis(0, 0, 0): new})
        assert not isinstance(changed, Unknown)
        lengths.append([c.shapes.shape(4) for c in calls(changed, "predict")])
    assert lengths == [[(200, 20), (30, 20)], [(50, 20), (30, 20)], [(10, 20), (10, 20)]]


def test_a_table_that_our_rules_do_not_give_is_not_guessed_at() -> None:
    """A captured shape of the product that is not the product's."""
    script = dot_script(100, 20)
    *before, call = script.events
    assert isinstance(call, Call)
    strange = ShapeTable({**call.shapes.shapes, 3: (7, 20), 4: (7, 20)})
    with_strange = Script(script.shared, script.functions, (*before, Call(0, call.inputs, strange)))
    answer = WhatIf(with_strange).with_lengths({ArgumentAxis(0, 0, 0): 50})
    assert isinstance(answer, Unknown)
    assert "GpuDot22" in answer.reason


def test_a_call_that_a_search_does_not_change_is_inferred_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search for the batch of one of thirty functions asks of all the others, again and again."""
    asked = WhatIf(dot_script(30, 20))
    assert asked.conflicts({}) == 0

    def infer(*_: object) -> object:
        raise AssertionError("inferred again")

    monkeypatch.setattr(shape_replay, "infer", infer)
    assert asked.conflicts({}) == 0
