"""The next step, in every state that a report can be in."""

from __future__ import annotations

from dataclasses import replace

import pytest

from theanodiag.capture.model import ScriptEnd
from theanodiag.findings import EXACT_FIGURES, Confidence, Figures, Finding, Fix, Location, Severity, Skipped
from theanodiag.report.model import Report
from theanodiag.report.next_step import next_step

CURE = Finding("TD303", Severity.WARNING, Confidence.DERIVED, "m", Location("model.py", 3), Fix("smaller"), cures=True)


def test_what_fits_needs_nothing(small: Report) -> None:
    """No advice is made up."""
    assert next_step(replace(small, preallocation=None)) is None


def test_what_does_not_fit(too_large: Report) -> None:
    """The first change with which it does; without one, the page of the rule."""
    assert next_step(replace(too_large, findings=(CURE,))) == "follow TD303 (line 3) below: with it the script fits"
    assert next_step(replace(too_large, findings=())) == "theanodiag explain TD301"
    helps = replace(CURE, cures=False, after=Figures(0, 1, 0, 1))
    assert next_step(replace(too_large, findings=(helps,))) == "theanodiag explain TD301; none of the changes below is enough"
    remark = replace(CURE, severity=Severity.INFO)
    assert next_step(replace(too_large, findings=(remark,))) == "theanodiag explain TD301"


def test_changes_of_several_samplers_calls_are_needed_together(too_large: Report) -> None:
    """Each finding has a part of them; one without a change, or of a call that it lists only for its figures, is none."""
    sampled = replace(CURE, code="TD340", after=Figures(0, 1, 0, 1))
    second = replace(sampled, location=Location("model.py", 9), cures=False)
    remark = replace(sampled, location=Location("model.py", 12), fix=None, cures=False)
    assert next_step(replace(too_large, findings=(sampled, remark))) == "follow TD340 (line 3) below: with it the script fits"
    both = next_step(replace(too_large, findings=(sampled, second, remark)))
    assert both == "follow TD340 (lines 3 and 9) below: with both changes the script fits"


@pytest.mark.parametrize(
    ("end", "step"),
    [
        (ScriptEnd("timeout"), "longer --timeout"),
        (ScriptEnd("raised", None, "ModuleNotFoundError: No module named 'keras.layers'"), "install the module keras for python3"),
        (ScriptEnd("raised", None, "ImportError: cannot import name 'x'"), "install what the script imports for python3"),
        (ScriptEnd("raised", None, "ValueError: no"), "correct the error in the script"),
        (ScriptEnd("raised", None, "ValueError: no", reason="calls returned zeros"), "correct the error in the script"),
        (ScriptEnd("raised", None, "MemoryError"), "the memory of this machine, not of the device, ran out"),
        (ScriptEnd("killed", None, reason="signal 9"), "give the script smaller data"),
        (ScriptEnd("raised", None, "ImportError: no", reason="use pool", name_gone=True), "change that line as described above"),
    ],
)
@pytest.mark.parametrize("functions", [True, False])
def test_a_script_that_did_not_come_to_its_end(small: Report, end: ScriptEnd, step: str, functions: bool) -> None:
    """Whether or not it had functions by then."""
    of = replace(small, script=end, functions=small.functions if functions else ())
    assert step in (next_step(of) or "")


@pytest.mark.parametrize(
    ("error", "step"),
    [
        ("TypeError: Cost must be a scalar.", "scalar cost"),
        ("NameError: name 'xrange' is not defined", "theanodiag port"),
        ("FileNotFoundError: [Errno 2] No such file or directory: 'train.csv'", "full path"),
        ("KeyError: 'a'", "correct the error in the script"),
    ],
)
def test_what_logs_say_of_an_error_is_the_next_step_too(small: Report, error: str, step: str) -> None:
    """Advice that says no more than where the error was raised is left out: the traceback is above it."""
    trace = f'Traceback (most recent call last):\n  File "m.py", line 3, in <module>\n    use(it)\n{error}\n'
    assert step in (next_step(replace(small, script=ScriptEnd("raised", None, error, traceback=trace))) or "")


def test_where_numpy_is_missing_so_is_the_framework(raised: Report) -> None:
    """The first thing that a script imports is numpy; installing that alone would only lead to the next error."""
    end = ScriptEnd("raised", None, "ModuleNotFoundError: No module named 'numpy'")
    bare = replace(raised, script=end, target=replace(raised.target, framework=None))
    assert (next_step(bare) or "").startswith("install the framework that the script imports, which brings numpy, for python3, or")
    assert (next_step(replace(raised, script=end)) or "").startswith("install the module numpy")


def test_what_is_not_known(unknown: Report) -> None:
    """The command that tells it comes before the page that explains it."""
    assert next_step(unknown) == "theanodiag explain TD001"
    command = "theanodiag graph paste.txt --shape x=N,N"
    assert next_step(replace(unknown, skipped=(Skipped(EXACT_FIGURES, command),))) == command
    (f,) = unknown.functions
    uncalled = replace(unknown, findings=(), functions=(replace(f, profile=None),))
    assert "--shape 'predict:NAME=N,N'" in (next_step(uncalled) or "") or "--shape predict:NAME=N,N" in (next_step(uncalled) or "")


@pytest.mark.parametrize(("floatx", "hinted"), [("float64", True), ("float32", False)])
def test_float32_beside_the_default_of_floatx(raised: Report, floatx: str, hinted: bool) -> None:
    """The rc file of the old machine said floatX=float32; where it says so here, the script mixes types itself."""
    said = "TypeError: An update must have the same type (shared_var.type=TensorType(float32, matrix), TensorType(float64, matrix))"
    framework = raised.target.framework
    assert framework is not None
    of = replace(
        raised,
        script=ScriptEnd("raised", None, said),
        target=replace(
            raised.target,
            framework=replace(framework, alias_of="theano", flags={**framework.flags, "floatX": floatx}, flags_text="openmp=True"),
        ),
    )
    assert ("with THEANO_FLAGS=openmp=True,floatX=float32:" in (next_step(of) or "")) == hinted
