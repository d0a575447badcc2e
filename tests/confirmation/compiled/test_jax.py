"""JAX on the CPU: what follows from shapes, XLA's own analysis, and the arrays that there are."""

from __future__ import annotations

import functools
import os
from pathlib import Path

import pytest

import theanodiag
from tests.interpreters import ROOT, THOROUGH, find, listed, python
from theanodiag.confirmation.model import Verdict
from theanodiag.report.confirmed import Confirmation
from theanodiag.report.model import Report

MODELS = Path(__file__).parent / "scripts" / "jax_models.py"
FUNCTIONS = [
    "train", "two_results", "only_its_shape", "constant_table", "same_result_twice", "argument_as_result", "no_arguments",
    "noise", "same_noise", "loop",
]  # fmt: skip


@functools.cache
def report(path: Path) -> Report:
    """The script on JAX."""
    return theanodiag.check(path, python=find("jax"), device="none", confirm="jax", stdout=os.open(os.devnull, os.O_WRONLY))


def confirmation(path: Path) -> Confirmation:
    """The measurement."""
    found = report(path).confirmation
    assert found is not None
    return found


def figures(path: Path, name: str) -> list[dict[str, Verdict]]:
    """The figures of each call of a function."""
    (found,) = (f for f in confirmation(path).functions if f.name == name)
    return [{v.name: v for v in row} for row in found.calls]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_follows_from_shapes_is_what_xla_says_to_the_byte(name: str) -> None:
    """Arguments that nothing computes with are dropped, 64 bits are narrowed, a result of several has a table of pointers."""
    for row in figures(MODELS, name):
        assert row["xla_arguments_bytes"].error_bytes == 0
        assert row["xla_outputs_bytes"].error_bytes == 0


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arrays_have_the_sizes_that_were_predicted(name: str) -> None:
    """Of arguments as they lie on the device, and of results."""
    for row in figures(MODELS, name):
        assert (row["arguments_bytes"].error_bytes, row["outputs_bytes"].error_bytes) == (0, 0)


def test_temporaries_are_xlas_and_are_not_measured_on_the_cpu() -> None:
    """Nothing counts there, and that is said: no figure stands for it."""
    first = figures(MODELS, "train")[0]
    assert isinstance(first["temporaries_bytes"].predicted, int)
    assert first["temporaries_bytes"].predicted > 0
    assert first["temporaries_bytes"].measured == first["live_peak_bytes"].measured
    assert "not measured on the CPU" in str(first["live_peak_bytes"].measured)
    assert "on the CPU only arguments, results and the growth of the process are measured" in confirmation(MODELS).device.line


def test_what_libraries_take_on_the_cpu_is_seen_by_the_process(tmp_path: Path) -> None:
    """XLA counts no temporaries for a product of which only the sum is kept; the process grows by the product at least."""
    script = tmp_path / "product.py"
    script.write_text(
        "import numpy as np, pytensor, pytensor.tensor as pt\n"
        "a = pytensor.shared(np.ones((2000, 2000)), name='a')\n"
        "f = pytensor.function([], pt.sum(pt.tanh(pt.dot(a, a.T))), mode='JAX', name='f')\n"
        "f()\n"
    )
    (row,) = figures(script, "f")
    assert row["temporaries_bytes"].predicted == 0
    grown = row["resident_risen_bytes"].measured
    assert isinstance(grown, int)
    assert 0.9 * 2000 * 2000 * 8 < grown < 100_000_000


CLIENTS = """
import atexit, os, sys
sys.path.insert(0, os.getcwd())
from theanodiag.agent.measure.jax_calls import JaxInstrument

class Client(JaxInstrument):
    def statistics(self):
        import jax
        return {"client": id(jax.devices()[0].client)}

instrument = Client(lambda **event: print(event["after"]), {}, None)
atexit.register(instrument.finish)
import jax
jax.numpy.ones(3) + 1
instrument.watch()
print(instrument.statistics())
"""


def test_the_counters_at_the_end_are_those_of_the_client_that_computed() -> None:
    """JAX drops its client when Python exits; one asked for later is a new one, whose peak is 0."""
    done = python("jax", "-c", CLIENTS)
    first, last = done.stdout.splitlines()
    assert first == last


def test_the_estimate_is_xlas() -> None:
    """The highest peak that it gives for any call of any function."""
    peaks = [v.predicted for f in confirmation(MODELS).functions for row in f.calls for v in row if v.name == "live_peak_bytes"]
    known = [peak for peak in peaks if isinstance(peak, int)]
    assert len(known) == len(peaks) > 0
    assert confirmation(MODELS).estimate_bytes == max(known)


def test_the_second_call_is_measured_too() -> None:
    """What was compiled for the first is used again."""
    assert len(figures(MODELS, "train")) == 2


@THOROUGH
@pytest.mark.parametrize("path", listed(ROOT / "examples", "*.py"), ids=lambda p: p.stem)
def test_every_example(path: Path) -> None:
    """Never more than was predicted, to the byte."""
    functions = confirmation(path).functions
    assert len(functions) == len(report(path).functions)
    verdicts = [v for f in functions for row in f.calls for v in row]
    assert not [v for v in verdicts if v.under]
    assert [v.error_bytes for v in verdicts if v.error_bytes is not None]
    assert {v.error_bytes for v in verdicts} <= {0, None}


LENGTHS = MODELS.with_name("jax_lengths.py")


def test_lengths_that_integers_decide() -> None:
    """The function is compiled for each value: bounds of slices, new lengths, ranges and rows from the end."""
    found = {f.name: f for f in confirmation(LENGTHS).functions}
    counts = {"rows": 3, "grow": 2, "count": 1, "folded": 1, "last": 1, "mixed": 2, "long": 2}
    assert {name: len(f.calls) for name, f in found.items()} == counts
    verdicts = [v for f in found.values() for row in f.calls for v in row]
    assert {v.error_bytes for v in verdicts} == {0, None}
    assert confirmation(LENGTHS).notes[0].startswith("rows is compiled again for each value of i: JAX requires lengths")


def test_what_was_computed_with_constants_is_right() -> None:
    """The script compares with numpy, and ends as it should."""
    assert not [note for note in confirmation(LENGTHS).notes if "ended" in note]


@THOROUGH
def test_lengths_that_values_decide() -> None:
    """They are nothing for JAX: its own words, and what to do, are in the report."""
    notes = confirmation(MODELS.with_name("jax_mask.py")).notes
    assert "boolean" in notes[0]
    assert notes[1] == "if that is what jax does not compile: --confirm cpu runs the same functions on the host"


def test_a_result_that_no_machine_has_room_for() -> None:
    """XLA's refusal is read: the function, the call, and what was asked."""
    out = confirmation(MODELS.with_name("jax_too_large.py")).out_of_memory
    assert out is not None
    assert (out.function, out.call, out.asked_bytes) == (0, 0, 8 * 10**14)
    assert "RESOURCE_EXHAUSTED" in out.message


@pytest.mark.parametrize("name", ["minibatch_givens", "grown_w"])
def test_a_script_that_imports_theano(name: str) -> None:
    """What the layer adds is no result: conditions of assertions; what is compiled for its integers is called as the layer calls it."""
    found = confirmation(ROOT / "examples" / f"{name}.py")
    calls = [call for function in found.functions for call in function.calls]
    assert len(calls) > 1
    assert all(v.error_bytes == 0 for call in calls for v in call if v.name.startswith(("arguments", "outputs", "xla_")))
