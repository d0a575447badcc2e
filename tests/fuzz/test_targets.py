"""The fuzzing targets of tools/fuzz, for a moment: `make fuzz` runs them for long."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.interpreters import ROOT
from tools.fuzz.__main__ import names, place
from tools.fuzz.target import Failure, command


@pytest.mark.parametrize("name", names())
def test_no_case_gives_our_bug(name: str) -> None:
    """Some hundred cases from one seed: no exception, no exit code 4, no case that takes long or much memory."""
    options = ("--seconds", "3", "--seed", "1", name)
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-m", "tools.fuzz", *options], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert f"{name}: " in done.stdout
    assert ": 0 cases" not in done.stdout


def test_a_bug_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception in a command comes out, and as an exit code it is a failure too."""

    def broken(text: str, source: str) -> None:
        raise KeyError(source)

    monkeypatch.setattr("theanodiag.jobs.estimate_function.read_debugprint", broken)
    monkeypatch.delenv("THEANODIAG_DEBUG", raising=False)
    with pytest.raises(Failure, match="KeyError"):
        command(["graph", "-"], b"x")
    monkeypatch.setenv("THEANODIAG_DEBUG", "1")
    with pytest.raises(KeyError):
        command(["graph", "-"], b"x")


def test_failures_are_told_apart_by_their_place() -> None:
    """The line of ours that raised, and the kind of exception: not its text."""
    one = 'Traceback\n  File "/a/theanodiag/x.py", line 3, in f\n    a\n  File "/b/lib.py", line 9, in g\n    b\nValueError: 7'
    assert place(one) == 'File "/a/theanodiag/x.py", line 3, in fValueError'
