"""What a confirmation does to a report: findings and the exit code."""

from __future__ import annotations

from dataclasses import replace

import pytest

from theanodiag.capture.model import Capture, FrameworkInfo, ScriptEnd
from theanodiag.confirmation.model import DeviceSpec, FunctionConfirmation, OutOfMemory, Verdict
from theanodiag.errors import ExitCode
from theanodiag.ir import Unknown
from theanodiag.memory.settings import MemorySettings
from theanodiag.report.confirmed import Confirmation
from theanodiag.report.model import Report
from theanodiag.report.terminal import verdict
from theanodiag.rules.examples import device, dot_script
from theanodiag.workflows import compose

SPEC = DeviceSpec("virtual", "a simulated driver", True, False, 1 << 30)
FLAGS = {"floatX": "float32", "allow_gc": True, "cxx": "g++"}


def report() -> Report:
    """A script that fits."""
    framework = FrameworkInfo("theano", "1.0.5", "/lib/theano", flags=FLAGS)
    capture = Capture("model.py", "python3", "3.8.18", dot_script(10, 100), ScriptEnd("finished", 0), framework)
    return compose.report(capture, device(100_000_000))


def confirmation(name: str, measured: int) -> Confirmation:
    """One figure of one call, predicted as 100."""
    row = (Verdict(name, 100, measured),)
    return Confirmation(SPEC, (FunctionConfirmation(0, "predict", (row,), Unknown("no nodes"), Unknown("no time")),))


def test_an_under_estimate_is_an_error() -> None:
    """With versions and the flags that matter."""
    found = compose.confirmed(report(), confirmation("live_peak_bytes", 101), report())
    (finding,) = [f for f in found.findings if f.code == "TD090"]
    assert finding.notes[-2:] == ("theano 1.0.5", "floatX=float32,allow_gc=True")
    assert found.exit_code() == ExitCode.FINDINGS


def test_what_is_right_or_no_memory_is_none() -> None:
    """Kernels copy small arguments of their own."""
    assert compose.confirmed(report(), confirmation("live_peak_bytes", 100), report()).exit_code() == ExitCode.CLEAN
    assert compose.confirmed(report(), confirmation("host_to_device_bytes", 101), report()).exit_code() == ExitCode.CLEAN


@pytest.mark.parametrize(("on_target", "code"), [(True, ExitCode.OUT_OF_MEMORY), (False, ExitCode.CLEAN)])
def test_out_of_memory_decides_the_exit_code_on_the_device_asked_about(on_target: bool, code: ExitCode) -> None:
    """That another device had no room says nothing about it."""
    out = Confirmation(SPEC, (), out_of_memory=OutOfMemory(0, 0, None, None, 5, 1), on_target=on_target)
    found = compose.confirmed(report(), out, report())
    assert found.exit_code() == code
    assert (found.fits, out.fits) == (True, False)


def test_settings_are_adapted_to_the_device() -> None:
    """The simulation is one of the device that runs."""
    asked: list[MemorySettings] = []

    def adapted(settings: MemorySettings) -> MemorySettings:
        asked.append(settings)
        return settings

    capture = Capture("model.py", "python3", "3.8.18", dot_script(10, 100), ScriptEnd("finished", 0), None)
    compose.report(capture, device(100_000_000), None, adapted)
    assert len(asked) == 1


def by_linker(linker: str) -> Report:
    """A script whose cache has to grow, if there is one."""
    script = dot_script(1000, 8000)
    script = replace(script, functions=tuple(replace(f, linker=linker) for f in script.functions))
    return compose.report(Capture("model.py", "python3", "3.8.18", script, ScriptEnd("finished", 0)), device(1_000_000_000))


def test_other_allocators_get_no_advice_about_libgpuarrays() -> None:
    """JAX and PyTorch bring their own."""
    about_the_cache = {"TD310", "TD311", "TD312", "TD314"}
    assert {f.code for f in by_linker("cvm").findings} & about_the_cache == {"TD310"}
    for linker in ("jax", "pytorch"):
        codes = {f.code for f in by_linker(linker).findings}
        assert "TD313" in codes
        assert not codes & about_the_cache
        assert by_linker(linker).preallocation is None


def test_verdict_and_figures_stay_those_of_the_device_asked_about() -> None:
    """Whatever a compiler says about the device that ran: both verdicts stand in the report."""
    script = dot_script(1000, 8000)
    small = compose.report(Capture("model.py", "python3", "3.8.18", script, ScriptEnd("finished", 0)), device(1_000_000))
    ran = replace(confirmation("live_peak_bytes", 100), estimate_bytes=100, on_target=False)
    found = compose.confirmed(small, ran, report())
    assert (small.fits, found.fits, ran.fits) == (False, False, True)
    assert found.exit_code() == small.exit_code() == ExitCode.OUT_OF_MEMORY
    assert (found.process, found.functions, verdict(found)) == (small.process, small.functions, verdict(small))
    assert "the verdict above is for another device: whether it fits" in " ".join(str(found).split())
