"""The code of TD501: what stays on the device is what each call gets, under the names of the script."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tests.rules.scripts import BY_CODE, only
from theanodiag.memory.script import BaseArray, Call
from theanodiag.rules.examples import device
from theanodiag.rules.subject import ScriptSubject


def passed(base: tuple[int, ...] | None) -> ScriptSubject:
    """The rule's example, whose calls get one part after the other of an array of shape `base`; None: the same array in each."""
    s = BY_CODE["TD501"].fires()
    whole = None if base is None else BaseArray("all", base, 4 * math.prod(base))

    def given(call: Call, k: str) -> Call:
        return replace(call, inputs=(replace(call.inputs[0], digest=f"whole:{k}", buffer=k, part_of=whole),))

    calls = [given(e, str(k if base else 0)) for k, e in enumerate(s.script.events[2:]) if isinstance(e, Call)]
    return replace(s, script=replace(s.script, events=(*s.script.events[:2], *calls)))


def code(s: ScriptSubject) -> str:
    """What the rule says to paste."""
    found = only("TD501", s)
    assert found.fix is not None
    return str(found.fix.code)


@pytest.mark.parametrize(
    ("base", "part"),
    [
        (None, ""),
        ((20_000, 1000), "[start:stop]"),
        ((10_000, 2000), "[:, start:stop]"),
        ((20_000, 2000), "[part]"),
        ((2, 20_000, 1000), "[part]"),
    ],
)
def test_it_is_cut_as_in_the_calls(base: tuple[int, ...] | None, part: str) -> None:
    """Along the axis on which the argument is shorter; what is the same in each call is not cut."""
    there = code(passed(base))
    assert f"givens={{x: x_there{part}}}" in there
    assert ("start, stop = theano.tensor.lscalars" in there) == ("function([start, stop]" in there) == ("start" in part)


@pytest.mark.parametrize(
    ("base", "call", "data"), [(None, "dot(X)", "X"), ((20_000, 1000), "dot(X[i:j])", "X"), ((20_000, 1000), "dot(b)", "x_data")]
)
def test_the_data_have_the_name_of_the_script(base: tuple[int, ...] | None, call: str, data: str) -> None:
    """That of the array of which parts are passed, where the call shows it; and the dtype of the argument, which givens must have."""
    s = passed(base)
    named = call.replace("dot", s.script.functions[0].name)
    assert f'numpy.asarray({data}, "float32")' in code(replace(s, source=named))


def test_chunks_are_loaded_in_a_loop_that_calls_the_function() -> None:
    """In as much memory as the rest leaves, with the same rows of what else is passed."""
    s = passed((200_000, 1000))
    small = replace(s, device=device(700_000_000), settings=replace(s.settings, free_bytes=700_000_000))
    name = s.script.functions[0].name
    lines = code(replace(small, source=f"{name}(X[i:j])")).splitlines()
    assert lines[0].startswith("data = theanodiag.ChunkedShared(X, budget=")
    assert 0 < int(lines[0].split("budget=")[1].split(",")[0]) < 700_000_000
    assert "batch=10000, library=theano" in lines[0]
    assert lines[2] == f"{name} = theano.function([start, stop], ..., givens={{x: data.variable[start:stop]}})  # ...: as now"
    assert lines[3].startswith("for batch in data.batches():")
    assert lines[4] == f"    {name}(batch.start, batch.stop)"
