"""What the instruments of JAX and torch tell, also on a GPU, read into figures."""

from __future__ import annotations

import pytest

from theanodiag.confirmation.compiled import EARLIER, IN_PEAK, NO_ANALYSIS, UNCOUNTED, read_jax, read_torch
from theanodiag.confirmation.model import CallMeasurement

ANALYSIS = {"argument": 1000, "output": 300, "temp": 50, "alias": 10, "generated_code": 0}
PIECE = {"what": "piece", "function": 0, "call": 0, "seconds": 0.5, "arguments": 1000, "outputs": 300, "moved": 400, "pieces": 3}
PIECE.update(results=1, conditions=0, conditions_bytes=0)
STATISTICS = {"bytes_in_use": 5000, "peak_bytes_in_use": 6000, "bytes_limit": 100000}


def jax_call(**more: object) -> CallMeasurement:
    """One call."""
    (call,) = read_jax([{**PIECE, "analysis": ANALYSIS, "before": None, "after": None, **more}]).calls
    return call


def test_on_the_cpu_only_arrays_are_counted() -> None:
    """The estimate is XLA's assignment, without rounding."""
    call = jax_call()
    assert call.figures["arguments_bytes"] == call.figures["xla_arguments_bytes"] == 1000
    assert call.figures["temporaries_bytes"] == call.figures["live_peak_bytes"] == UNCOUNTED
    assert call.estimated == {"temporaries_bytes": 50, "live_peak_bytes": 1000 + 300 + 50 - 10}


def test_on_a_gpu_the_peak_is_the_allocators() -> None:
    """What was there, what is moved, results and temporaries, with each buffer rounded up, go before it."""
    call = jax_call(before=STATISTICS, after={**STATISTICS, "peak_bytes_in_use": 6100})
    assert call.figures["live_peak_bytes"] == 6100
    assert call.figures["temporaries_bytes"] == IN_PEAK
    assert call.estimated["live_peak_bytes"] == 5000 + 400 + 300 + 50 - 10 + 256 * 4


def test_a_peak_that_this_call_did_not_raise_is_not_its_own() -> None:
    """XLA never sets it back."""
    assert jax_call(before=STATISTICS, after=STATISTICS).figures["live_peak_bytes"] == EARLIER


@pytest.mark.parametrize(("results", "table"), [(1, 2), (2, 1)])
def test_conditions_are_no_results(results: int, table: int) -> None:
    """A function of the compat layer returns them too; XLA counts a byte each, and addresses of all where there are several."""
    call = jax_call(results=results, conditions=1, conditions_bytes=1)
    assert call.figures["xla_outputs_bytes"] == 300 - 1 - 8 * table


def test_zeros_of_an_old_version_are_no_analysis() -> None:
    """JAX 0.4 counts nothing on the CPU, and says 0."""
    call = jax_call(analysis=dict.fromkeys(ANALYSIS, 0))
    assert call.figures["xla_arguments_bytes"] == NO_ANALYSIS
    assert call.estimated == {}


def test_a_function_of_no_arguments_is_no_old_version() -> None:
    """Its zeros count."""
    assert jax_call(arguments=0, analysis={**ANALYSIS, "argument": 0}).figures["xla_arguments_bytes"] == 0


def test_torch_on_cuda_has_peaks_of_its_own() -> None:
    """They are set back before each call; the segments are told at the end."""
    counted = {"allocated": 10, "peak": 900, "reserved": 2 << 20, "segments": 1}
    measured = read_torch([{**PIECE, "before": counted, "after": counted}, {"what": "end", "after": counted}])
    assert measured.calls[0].figures["live_peak_bytes"] == 900
    assert measured.calls[0].figures["reserved_bytes"] == 2 << 20
    assert measured.process == {"live_peak_bytes": 900, "reserved_peak_bytes": 2 << 20}
    assert measured.notes == ("torch holds 1 segments at the end",)


def test_out_of_memory_is_read() -> None:
    """With what was asked."""
    event = {"what": "oom", "function": 0, "call": 1, "node": None, "op": None, "asked": 64, "live": 32, "tensors": [], "message": "no"}
    out = read_jax([event]).out_of_memory
    assert out is not None
    assert (out.function, out.call, out.asked_bytes, out.live_bytes, out.message) == (0, 1, 64, 32, "no")


def test_functions_that_another_linker_compiled_are_notes() -> None:
    """They have no figures."""
    measured = read_torch([{"what": "note", "note": "function 1 was not compiled by PytorchLinker"}])
    assert measured.notes == ("function 1 was not compiled by PytorchLinker",)
    assert not measured.calls
