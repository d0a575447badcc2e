"""Printed graphs of Theano's functions for the GPU, made by the real pygpu on a simulated device, beside the live graphs."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from tests.interpreters import THOROUGH
from tests.memory.stand.predict import captured
from tests.memory.stand.run import MODELS, on_device
from theanodiag.devices import by_name
from theanodiag.engines import settings_for
from theanodiag.ir import FunctionGraph
from theanodiag.memory.profile import MemoryProfile, Origin
from theanodiag.memory.script import Call, Script
from theanodiag.memory.simulate import simulate
from theanodiag.printed import read_debugprint
from theanodiag.workflows import printed_report
from theanodiag.workflows.printed_report.execution_variants import KEPT, script_of

SCRIPT = Path(__file__).parent / "models" / "gpu_texts.py"
MANY = ("conv", "embed", "embed_dense", "norm_conv")
NAMES = [pytest.param(name, marks=THOROUGH) for name in ("mlp", *MANY)]
CARD = by_name("k80")


def texts(name: str, folder: Path) -> list[str]:
    """The printed graphs of a model."""
    done = on_device(SCRIPT, str(MODELS / f"{name}.py"), str(folder / "texts"))
    assert done.returncode == 0, done.stderr[-2000:]
    found: list[str] = json.loads((folder / "texts").read_text(encoding="utf-8"))
    return found


def without_kept(graph: FunctionGraph) -> FunctionGraph:
    """The graph without what it does not have any more: constants that rewrites took out, and the function keeps on the device."""
    ops = {id(n.op): n.op for n in graph.applies if n.op.inner is not None}
    made = {i: dataclasses.replace(op, inner=without_kept(op.inner)) for i, op in ops.items() if op.inner is not None}
    applies = tuple(dataclasses.replace(n, op=made.get(id(n.op), n.op)) for n in graph.applies)
    return dataclasses.replace(graph, applies=applies, info={k: v for k, v in graph.info.items() if k != "kept_constants"})


def live(script: Script, call: Call) -> MemoryProfile:
    """A call of the live function, with nothing beside it."""
    graph = without_kept(script.functions[call.function].graph)
    found = printed_report.shaped(graph, {})
    alone = script_of(dataclasses.replace(found, graph=graph, table=call.shapes), printed_report.flags_of(graph))
    return simulate(alone, settings_for(alone, CARD)).functions[0]


def printed(script: Script, call: Call, text: str) -> MemoryProfile:
    """The same from the text, told the shapes and small values of its inputs."""
    graph, read = script.functions[call.function].graph, read_debugprint(text)
    shown = {read.graph.variables[i.variable].name for i in read.graph.inputs}
    ids = {f"in{k}": i.variable for k, i in enumerate(graph.inputs)}
    shapes = {n: call.shapes.shape(v) for n, v in ids.items() if n in shown and v in call.shapes.shapes}
    values = {n: call.shapes.values[v] for n, v in ids.items() if n in shown and v in call.shapes.values}
    return printed_report.outcome(read, shapes, CARD, values).process.functions[0]  # type: ignore[arg-type]


@pytest.mark.parametrize("name", NAMES)
def test_a_text_needs_what_the_graph_needs(name: str, tmp_path: Path) -> None:
    """Each function that the model has compiled when it calls the first one; or the text's figure is said to be a bound."""
    script, found = captured(MODELS / f"{name}.py"), texts(name, tmp_path)
    calls = {e.function: e for e in reversed(script.events) if isinstance(e, Call) and e.function < len(found)}
    assert calls
    for call in calls.values():
        mine, theirs = printed(script, call, found[call.function]), live(script, call)
        marked = any(u.reason != KEPT for u in mine.unknown) or mine.origin is Origin.BOUNDED
        assert mine.figures.live_peak_bytes == theirs.figures.live_peak_bytes or marked, name
        assert not marked, (name, mine.unknown[:3])
