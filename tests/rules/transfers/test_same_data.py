"""The code of TD501: what stays on the device is what each call gets, under the names of the script."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tests.rules.scripts import BY_CODE, only
from theanodiag.ir import GraphInput, Role, Site, Variable
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


SCRIPT = """import numpy as np
class Net:
    def __init__(self):
        self.fit = theano.function([self.x, self.y], cost, updates=ups)
    def epoch(self, images, labels):
        for k in range(0, len(images), 500):
            self.fit(images[k:k + 500], labels[k:k + 500])
net = Net()
net.epoch(pictures, classes)
"""


def of_script(text: str, base: tuple[int, ...] | None = (20_000, 1000)) -> ScriptSubject:
    """The example as a function of two arguments that line 4 of a text compiles and line 7 calls."""
    s = passed(base)
    (function,) = s.script.functions
    more = GraphInput(len(function.graph.variables), Role.ARGUMENT)
    graph = function.graph
    variables = (*graph.variables, Variable(more.variable, graph.variables[0].type, "y"))
    graph = replace(graph, inputs=(*graph.inputs, more), variables=variables)
    functions = (replace(function, name="fit", site=Site("m.py", 4), graph=graph),)
    events = tuple(replace(e, site=Site("m.py", 7)) if isinstance(e, Call) else e for e in s.script.events)
    return replace(s, script=replace(s.script, functions=functions, events=events), source=text)


def test_the_statements_of_the_script_compile_and_call_it() -> None:
    """Without the data; with the bounds of the rows, under names that the script does not have."""
    assert code(of_script(SCRIPT)).splitlines() == [
        'x_there = theano.shared(numpy.asarray(pictures, "float32"), borrow=True)  # all of it, once, before the function',
        'start, stop = theano.tensor.lscalars("start", "stop")  # of the rows of a call',
        "self.fit = theano.function([self.y, start, stop], cost, updates=ups, givens={self.x: x_there[start:stop]})  # line 4",
        "self.fit(labels[k:k + 500], k, k + 500)  # line 7",
    ]
    other = SCRIPT.replace("labels", "start")
    assert "givens={self.x: x_there[row_start:row_stop]}" in code(of_script(other))
    whole = SCRIPT.replace("images[k:k + 500]", "images")
    assert code(of_script(whole, None)).splitlines()[-1] == "self.fit(labels[k:k + 500])  # line 7"


def test_calls_that_do_not_show_the_rows_are_left_to_the_reader() -> None:
    """A batch that is made before, or rows by a name that may be anything."""
    for shown in ("batch", "images[rows]"):
        text = SCRIPT.replace("images[k:k + 500]", shown)
        assert code(of_script(text)).splitlines()[-1] == "# then call it without x, with the bounds of its rows"
    by_slice = SCRIPT.replace("images[k:k + 500]", "images[rows]").replace("import numpy as np", "rows = slice(0, 500)")
    assert code(of_script(by_slice)).splitlines()[-1] == "self.fit(labels[k:k + 500], rows.start, rows.stop)  # line 7"


def test_data_that_does_not_fit_is_not_pinned() -> None:
    """In chunks it would be copied as often."""
    s = passed((200_000, 1000))
    small = replace(s, device=device(700_000_000), settings=replace(s.settings, free_bytes=700_000_000))
    assert not [f for f in BY_CODE["TD501"].check(small) if f.code == "TD501"]
