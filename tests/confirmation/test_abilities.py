"""What each kind of device needs, and the next command."""

from __future__ import annotations

import dataclasses

import pytest

from theanodiag.confirmation.available import abilities
from theanodiag.doctor import advise
from theanodiag.probe.model import Ability, FrameworkSeen, GpuSeen, InterpreterSeen, LibrarySeen, NvidiaDriver, ProbeResult, SeenDevice

CUDA = SeenDevice("cuda", "cuda0", "NVIDIA H200", 140 << 30, 139 << 30, "compute_90")
NO_CUDA = SeenDevice("cuda", "cuda", error='GpuArrayException: Could not load "libnvrtc.so"')
POCL = SeenDevice("opencl", "opencl0:0", "pthread")
GPU = GpuSeen("NVIDIA H200", 140 << 30, 139 << 30, (9, 0))
DRIVER = NvidiaDriver("580.1", (13, 0))


def interpreter(path: str, *frameworks: tuple[str, tuple[SeenDevice, ...]]) -> InterpreterSeen:
    """One with some frameworks, which all import."""
    return InterpreterSeen(path, "3.11.2", path, (), tuple(FrameworkSeen(n, "1", "/", d) for n, d in frameworks))


def ability(kind: str, *interpreters: InterpreterSeen, **more: object) -> Ability:
    """What is said of a kind."""
    found = dataclasses.replace(ProbeResult(interpreters, no_driver="NVML is not there", compiler="/usr/bin/cc"), **more)  # type: ignore[arg-type]
    return next(a for a in abilities(found) if a.kind == kind)


LEGACY = interpreter("/theano", ("theano", ()), ("pygpu", (NO_CUDA, POCL)))
PYTENSOR = interpreter("/pytensor", ("pytensor", ()))


def test_every_kind_has_a_line_and_those_that_are_ready_a_command() -> None:
    """Also where there is nothing at all."""
    nothing, something = abilities(ProbeResult(())), abilities(ProbeResult((LEGACY, PYTENSOR), compiler="/cc"))
    assert [a.kind for a in nothing] == ["cuda", "virtual", "opencl", "jax", "torch", "cpu"]
    assert not [a for a in nothing if a.ready or not a.line]
    assert {a.kind for a in something if a.ready} == {"virtual", "opencl", "cpu"}
    assert all(a.command and f"--confirm {a.kind}" in a.command for a in something if a.ready)


def test_cuda_opens() -> None:
    """The command names the interpreter."""
    found = ability("cuda", interpreter("/t", ("theano", ()), ("pygpu", (CUDA,))), gpus=(GPU,), driver=DRIVER)
    assert found.ready
    assert found.command == "theanodiag check MODEL.py --python /t --confirm cuda"


def test_pygpu_without_theano_is_not_enough() -> None:
    """It opens the device, and has nothing to run on it."""
    assert not ability("cuda", interpreter("/t", ("pygpu", (CUDA,))), gpus=(GPU,), driver=DRIVER).ready


def test_a_gpu_whose_libraries_are_not_found() -> None:
    """The next command makes the links."""
    found = ability("cuda", LEGACY, gpus=(GPU,), driver=DRIVER)
    assert 'Could not load "libnvrtc.so"' in found.line
    assert found.command is not None
    assert found.command.startswith("theanodiag doctor --links")


def test_a_gpu_of_three_digits_is_nothing_for_libgpuarray() -> None:
    """No command helps."""
    found = ability("cuda", LEGACY, gpus=(dataclasses.replace(GPU, capability=(10, 0)),), driver=DRIVER)
    assert "too many digits" in found.line
    assert found.command is None


@pytest.mark.parametrize(("kind", "line"), [("virtual", "no C compiler"), ("opencl", "opencl0:0")])
def test_what_a_compiler_is_for(kind: str, line: str) -> None:
    """The simulated driver is built with it; OpenCL brings its own."""
    assert line in ability(kind, LEGACY, compiler=None).line


def test_jax_is_missing_beside_pytensor() -> None:
    """With a GPU the wheel for its CUDA."""
    assert ability("jax", PYTENSOR).command == "/pytensor -m pip install jax"
    assert ability("jax", PYTENSOR, driver=DRIVER, gpus=(GPU,)).command == "/pytensor -m pip install 'jax[cuda13]'"


def test_jax_on_a_gpu_comes_before_jax_on_the_cpu() -> None:
    """Whatever interpreter is first."""
    on = [interpreter(f"/{n}", ("pytensor", ()), ("jax", (SeenDevice("jax", n),))) for n in ("cpu:0", "cuda:0")]
    assert ability("jax", *on).interpreter == "/cuda:0"


def test_a_framework_that_does_not_import_says_why() -> None:
    """Its own words."""
    broken = FrameworkSeen("torch", None, None, error="ImportError: libc10.so")
    found = ability("torch", dataclasses.replace(PYTENSOR, frameworks=(*PYTENSOR.frameworks, broken)))
    assert found.line == "torch does not import: ImportError: libc10.so"


ASKED = tuple(LibrarySeen(name, error="cannot open") for name in ("libcuda.so", "libnvrtc.so", "libcublas.so"))
DRIVERS = LibrarySeen("/usr/lib/libcuda.so.580", (13, 0))
NVRTC = LibrarySeen("/w/libnvrtc.so.13", (13, 0), (75, 90), True)


def test_advice_installs_what_is_missing_and_makes_links() -> None:
    """In this order; cuDNN is switched off."""
    legacy = advise(ProbeResult((LEGACY,), (*ASKED, DRIVERS, NVRTC), DRIVER, gpus=(GPU,)), "/links")
    assert legacy.commands == (
        "/theano -m pip install 'nvidia-cublas<14'",
        "theanodiag doctor --links /links",
        "export LD_LIBRARY_PATH=/links${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}",
        "export THEANO_FLAGS=device=cuda0,dnn.enabled=False",
    )
    assert [("provides it" in line, "no library" in line) for _, line in legacy.rows] == [(True, False), (True, False), (True, True)]


def test_nothing_is_advised_where_all_is_found_or_no_driver_is_there() -> None:
    """The rows say what is."""
    there = tuple(LibrarySeen(a.path, (13, 0)) for a in ASKED)
    complete, without = advise(ProbeResult((LEGACY,), there, DRIVER)), advise(ProbeResult((LEGACY,), ASKED))
    assert (complete.complete, complete.commands) == (True, ())
    assert (without.complete, without.commands) == (False, ())
    assert complete.rows[0] == ("libcuda.so", "found (CUDA 13.0)")
