"""Whether results for parts of the rows can be joined, for functions that the real Theano compiled."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path

import pytest

from tests.interpreters import find
from theanodiag.capture.model import visible_gpu
from theanodiag.capture.runner import run_script
from theanodiag.devices import by_name
from theanodiag.memory.script import Script
from theanodiag.plans.graphs.joined_results import MEAN, SUM, are_joined, of_cost
from theanodiag.plans.graphs.joined_results import MIXED as MIXED_COST
from theanodiag.plans.resize import ArgumentAxis, Axis, WhatIf

SCRIPT = Path(__file__).parents[1] / "scripts" / "joined.py"
NAMES = re.findall(r'^JOINED|^MIXED|^UNKNOWN|"(\w+)": \(\[', SCRIPT.read_text(encoding="utf-8"), re.MULTILINE)
JOINED, MIXED, UNKNOWN = (part.split() for part in " ".join(n or "|" for n in NAMES).split("|")[1:])
VERDICTS = {**dict.fromkeys(JOINED, True), **dict.fromkeys(MIXED, False), **dict.fromkeys(UNKNOWN)}
ROWS = 12


@cache
def script(gpu: bool) -> Script:
    """The script as Theano compiles it."""
    wanted = visible_gpu(by_name("6 GiB")) if gpu else None
    return run_script(SCRIPT, find("theano"), gpu=wanted, stdout=os.open(os.devnull, os.O_WRONLY)).script


def axes(of: Script, function: int) -> list[Axis]:
    """The axes of the function's arguments that hold the rows."""
    (call,) = of.calls(function)
    shapes = {i.variable: call.shapes.shape(i.variable) for i in of.functions[function].graph.inputs if i.shared is None}
    return [
        ArgumentAxis(function, v, k) for v, shape in shapes.items() if isinstance(shape, tuple) for k, n in enumerate(shape) if n == ROWS
    ]


@pytest.mark.parametrize("gpu", [False, True], ids=["host", "device"])
def test_results_that_can_be_joined_are_known(gpu: bool) -> None:
    """Concatenated, added or averaged; not what compares rows, or what is computed from a sum or a mean of them."""
    whole = script(gpu)
    found = {}
    for f in whole.functions:
        fewer = WhatIf(whole).with_lengths(dict.fromkeys(axes(whole, f.index), 8))
        assert isinstance(fewer, Script), f.name
        found[f.name] = are_joined(whole, fewer, f.index)
    assert found == VERDICTS


COSTS = Path(__file__).parents[1] / "scripts" / "costs.py"
DEPENDENCES = {
    **dict.fromkeys(("mean", "decayed", "dropout", "loglik"), MEAN),
    "total": SUM,
    **dict.fromkeys(("total_decayed", "normalised", "masked", "all_pairs", "root"), MIXED_COST),
}
LEFT_OPEN = [f"{cost} {rule} silent" for cost in ("total", "total_decayed") for rule in ("descent", "adam")]


@pytest.mark.parametrize("gpu", [False, True], ids=["host", "device"])
def test_how_a_cost_depends_on_the_rows(gpu: bool) -> None:
    """Told by the number that the function returns, else by its updates, which do not tell a sum from a sum with a penalty."""
    wanted = visible_gpu(by_name("6 GiB")) if gpu else None
    whole = run_script(COSTS, find("theano"), gpu=wanted, stdout=os.open(os.devnull, os.O_WRONLY)).script
    what_if = WhatIf(whole)
    found = {f.name: of_cost(what_if, axes(whole, f.index), f.index) for f in whole.functions}
    assert found == {name: None if name in LEFT_OPEN else DEPENDENCES[name.split()[0]] for name in found}
    assert len(found) == 4 * len(DEPENDENCES)
