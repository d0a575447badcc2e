"""What `compare` makes of two runs that were recorded: which values are paired, and what counts as equal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from theanodiag.capture.model import Capture, FrameworkInfo, InstrumentRequest, ScriptEnd
from theanodiag.comparison.model import Comparison
from theanodiag.errors import UsageError
from theanodiag.ir import Op
from theanodiag.ir.builder import GraphBuilder, tensor
from theanodiag.ir.graph import Site
from theanodiag.jobs import compare as job
from theanodiag.memory.script import Call, CallInput, Compile, CompiledFunction, Create, Script, SharedVariable
from theanodiag.requests import CompareRequest
from theanodiag.shapes import infer

Values = dict[str, Any]
"""Name -> array; of a value in a list no elements are written."""


def script(calls: int) -> Script:
    """`f(x) = dot(x, x)` with W as the new value of W, called with (3, 3)."""
    b = GraphBuilder("f")
    x, w = b.argument("x", tensor(None, None)), b.shared("W", tensor(None, None), 7)
    b.update(w, w)
    graph = b.build(b.apply(Op("Dot22", "Dot22"), [x, x], tensor(None, None)))
    table = infer(graph, {x: (3, 3), w: (3, 3)})
    call = Call(0, (CallInput(x, "x", "float32", (3, 3)),), table, Site("s.py", 4))
    shared = {7: SharedVariable(7, "W", tensor(None, None))}
    return Script(shared, (CompiledFunction(0, "f", graph),), (Create(7, (3, 3)), Compile(0), *[call] * calls))


@pytest.fixture
def compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that compares two runs of `s.py` by what each call of theirs returned, without the first node."""
    monkeypatch.chdir(tmp_path)
    Path("s.py").touch()

    def compare(old: Sequence[Values], new: Sequence[Values], end: str = "finished", **options: Any) -> Comparison:
        runs = iter((old, new))

        def recorded(path: str, python: str, *_: object, instrument: InstrumentRequest, **__: object) -> Capture:
            calls, events = next(runs), []
            for number, values in enumerate(calls):
                rows = []
                for name, value in values.items():
                    array, file = np.asarray(value), None
                    if not isinstance(value, list):
                        file = f"{number}-{name}.npy"
                        np.save(Path(str(instrument.options["folder"]), file), array)
                    rows.append({"name": name, "dtype": str(array.dtype), "shape": list(array.shape), "file": file,
                                 "place": None if name.startswith("output") else 1, "state": name.startswith("state")})  # fmt: skip
                events.append({"what": "values", "function": 0, "call": number, "seconds": 0.25, "values": rows})
            framework = FrameworkInfo("pytensor", "3.3.8", "pytensor/__init__.py")
            return Capture(path, python, "3.13.0", script(len(calls)), ScriptEnd(end), framework, measured=tuple(events))

        monkeypatch.setattr(job, "run_script", recorded)
        return job.compare(CompareRequest("s.py", sys.executable, sys.executable, find_node=False, **options))

    return compare


def test_what_is_the_same_is_equal(compared: Any) -> None:
    """Calls, seconds and the predicted peak are told: W, x and the result, 36 bytes each."""
    one = {"output 0": np.ones((3, 3), "float32")}
    found = compared([one, one], [one, one])
    assert found.equal
    (pair,) = found.functions
    assert (pair.calls, pair.seconds, pair.values, pair.peaks) == ((2, 2), (0.5, 0.5), 2, (108, 108))
    assert found.new.framework == "pytensor 3.3.8"


def test_the_first_value_that_differs_is_told(compared: Any) -> None:
    """With its call, the element, and how far it is off."""
    one, other = np.arange(4.0), np.array([0.0, 1.0, 2.5, 3.0])
    found = compared([{"output 0": one}] * 2, [{"output 0": one}, {"output 0": other}])
    first = found.functions[0].first
    assert first is not None
    assert (first.call, first.value, first.at, first.absolute, first.relative) == (1, "output 0", (2,), 0.5, 0.5 / 3)
    assert not found.equal


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ({"output 0": np.ones(3)}, {"output 0": np.ones(4)}, "shape (3,) became (4,)"),
        ({"output 0": np.ones(3)}, {"output 0": np.ones(3, "float32")}, "float64 became float32"),
        ({"output 0": np.ones(3), "output 1": np.ones(2)}, {"output 0": np.ones(3)}, "only the old run has it"),
        ({"output 0": np.ones(3)}, {"output 0": np.ones(3), "W after the update": np.ones(2)}, "only the new run has it"),
        ({"output 0": np.ones(3)}, {"output 0": np.array([1.0, np.nan, 1.0])}, "not finite in one run"),
        ({"output 0": np.array([1, 2])}, {"output 0": np.array([1, 3])}, "off by 1, 0.5 of the largest value"),
    ],
)  # fmt: skip
def test_how_values_differ(compared: Any, old: Values, new: Values, why: str) -> None:
    """In words."""
    found = compared([old], [new])
    assert found.functions[0].first.why == why


def test_a_tolerance_is_relative_to_the_largest_value(compared: Any) -> None:
    """Of its array, and by dtype unless another one is asked for."""
    one = {"output 0": np.array([1000.0, 1.0], "float32")}
    near = {"output 0": np.array([1000.0, 1.05], "float32")}
    found = compared([one], [near])
    assert found.equal
    assert found.functions[0].relative == pytest.approx(5e-5, rel=1e-3)
    assert not compared([one], [near], rtol=1e-5).equal
    assert compared([one], [near], rtol=1e-5, atol=0.1).equal


def test_values_without_elements_are_told(compared: Any) -> None:
    """What was too large to write, or sparse, is not called compared; its shape still counts."""
    found = compared([{"output 0": np.ones(3), "output 1": [1.0, 2.0]}], [{"output 0": np.ones(3), "output 1": [5.0, 6.0]}])
    assert (found.equal, found.functions[0].values, found.functions[0].unread) == (True, 1, ("output 1",))
    assert not compared([{"output 0": [1.0]}], [{"output 0": [2.0]}]).equal
    assert compared([{"output 0": [1.0]}], [{"output 0": [2.0, 3.0]}]).functions[0].first is not None


def test_unnamed_shared_variables_are_paired_by_order(compared: Any) -> None:
    """Their numbers differ where one framework has more inputs."""
    old = {"shared variable 1 after the update": np.ones(2)}
    assert compared([old], [{"shared variable 4 after the update": np.ones(2)}]).equal
    assert not compared([old], [{"shared variable 4 after the update": np.zeros(2)}]).equal


def test_states_of_streams_count_where_both_have_them(compared: Any) -> None:
    """A stream of another kind has none."""
    old = {"output 0": np.ones(2), "state a": np.ones(6, "int32")}
    assert compared([old], [{"output 0": np.ones(2)}]).equal
    assert not compared([old], [{**old, "state a": np.zeros(6, "int32")}]).equal
    assert compared([old], [{**old, "state a": np.zeros(6, "int32")}], same_draws=True).equal


def test_other_calls_and_early_ends_are_not_equal(compared: Any) -> None:
    """Although all values that both have are."""
    one = {"output 0": np.ones(2)}
    assert not compared([one, one], [one]).equal
    assert not compared([one], [one], end="timeout").equal
    assert not compared([], []).equal


def test_arrays_are_compared_by_python_3(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of the two has to be that."""
    old = type("Old", (), {"version": (2, 7), "path": "python2"})
    monkeypatch.setattr(job.interpreter, "find", lambda *_: old)
    with pytest.raises(UsageError, match="both interpreters are Python 2"):
        job.compare(CompareRequest("s.py", "python2", "python2"))
