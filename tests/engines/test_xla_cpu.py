"""XLA for this host's CPU, with the real libraries: its figures in the report, and the bound that holds where nobody asks it."""

from __future__ import annotations

import functools
import os
from pathlib import Path

import pytest

import theanodiag
from tests.interpreters import find
from theanodiag.memory.profile import Origin
from theanodiag.memory.xla.bound import bound
from theanodiag.report.model import FunctionReport, Report

SCRIPT = Path(__file__).parent / "scripts" / "functions.py"
WRITTEN = Path(__file__).parent / "scripts" / "written.py"
NAMES = [
    "train", "softmax", "cholesky", "solve", "ordered", "places", "loop", "back", "scattered", "many", "distances", "joined",
    "statistics", "noise", "energy",
]  # fmt: skip


@functools.cache
def report(engine: str, device: str, script: Path = SCRIPT) -> Report:
    """The script as it is without a GPU, or for one."""
    return theanodiag.check(script, python=find("jax"), device=device, engine=engine, stdout=os.open(os.devnull, os.O_WRONLY))


def function(name: str, engine: str = "xla", device: str = "none") -> FunctionReport:
    """One function of the report."""
    (found,) = (f for f in report(engine, device).functions if f.name == name)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_every_function_is_compiled(name: str) -> None:
    """Arguments, results and temporaries of the call with the highest sum are XLA's own; the profile is made of them."""
    of = function(name)
    assert of.xla is not None
    assert of.profile is not None
    assert (of.engine, of.xla.backend, of.xla.card, of.profile.origin) == ("xla", "cpu", None, Origin.DERIVED)
    assert of.xla.sum_bytes == max(c.xla.sum_bytes for c in of.calls if c.xla is not None)
    assert of.xla.argument_bytes == sum(n for _, n in of.xla.arguments)
    assert of.profile.figures.live_peak_bytes >= of.xla.sum_bytes


@pytest.mark.parametrize("name", NAMES)
def test_no_call_needs_more_than_the_bound(name: str) -> None:
    """Arguments and results are equal, and temporaries at most as large."""
    of = function(name)
    for call in of.calls:
        assert call.xla is not None
        most = bound(of.graph, call.shapes, "float64").figures
        assert (most.argument_bytes, most.output_bytes) == (call.xla.argument_bytes, call.xla.output_bytes)
        assert most.temporary_bytes >= call.xla.temporary_bytes


def test_values_that_the_cpu_writes_between_loops_are_counted() -> None:
    """Nothing is taken to be computed where it is read, and a product in a loop copies its matrix."""
    functions = report("xla", "none", WRITTEN).functions
    assert {f.name for f in functions} == {"gradient", "last"}
    for of in functions:
        (call,) = of.calls
        assert call.xla is not None
        assert bound(of.graph, call.shapes, "float64").figures.temporary_bytes >= call.xla.temporary_bytes


def test_without_the_plugin_the_cpus_figures_are_told_and_the_verdict_is_a_bound() -> None:
    """Neither is called XLA's for the card."""
    of = function("train", device="h100-80")
    assert of.xla is not None
    assert of.profile is not None
    assert (of.xla.backend, of.profile.origin) == ("cpu", Origin.BOUNDED)
    assert any(s.what == "XLA's figures for the GPU" for s in report("xla", "h100-80").skipped)
    assert of.fits is True


def test_the_report_says_it_in_json() -> None:
    """The keys of the contract."""
    row = next(f for f in report("xla", "none").to_dict()["functions"] if f["name"] == "train")  # type: ignore[attr-defined]
    assert row["profile"]["engine"] == "xla"
    assert set(row["profile"]["xla"]) == {"argument_bytes", "output_bytes", "temporary_bytes", "backend", "card"}


def test_each_kind_of_call_is_compiled_and_timed() -> None:
    """As many compilations as there are kinds of arguments, in the report and in JSON."""
    rows = {f["name"]: f["profile"] for f in report("xla", "none").to_dict()["functions"]}  # type: ignore[attr-defined]
    for of in report("xla", "none").functions:
        kinds = {(c.xla.arguments, c.xla.results) for c in of.calls if c.xla is not None}
        assert len(of.compile_seconds) == len(kinds) == len(rows[of.name]["xla_compile_seconds"])
        assert all(s > 0 for s in of.compile_seconds)
    assert max(len(of.compile_seconds) for of in report("xla", "none").functions) > 1


def test_an_update_of_another_dtype_is_followed_until_the_script_sets_the_variable() -> None:
    """JAX returns a float64 for a float32 variable: XLA is asked about the call that gets it, whose old value takes twice as much."""
    of = function("running")
    assert [(c.xla.dtypes[1], dict(c.xla.arguments)[1]) for c in of.calls if c.xla is not None] == [
        ("float64", 20000), ("float64", 40000), ("float64", 20000),
    ]  # fmt: skip
    assert of.profile is not None
    assert ("average", "float64", 40000) in [(v.variable, v.dtype, v.nbytes) for v in of.profile.at_peak]
    assert of.profile.figures.live_peak_bytes >= 40000 + 40000 + 40000  # the argument, the old and the new value


def test_without_a_gpu_pytensors_own_linkers_compute() -> None:
    """Nobody asked for JAX, and no figure is XLA's."""
    plain = theanodiag.check(SCRIPT, python=find("jax"), device="none", stdout=os.open(os.devnull, os.O_WRONLY))
    assert {(f.engine, f.xla) for f in plain.functions} == {("host", None)}
