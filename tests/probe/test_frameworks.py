"""Asking interpreters: whatever is wrong with one is one line of the answer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.interpreters import find
from theanodiag.probe.frameworks import PROGRAM, Prober, framework_of, quiet, understood, write_probe

BROKEN = {
    "raises": "raise RuntimeError('no such\\nthing')",
    "crashes": "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
    "leaves": "import os; os._exit(3)",
    "exits": "import sys; sys.exit('goodbye')",
    "hangs": "import time; time.sleep(1000)",
    "prints": "print('theanodiag'); __version__ = '1.2'",
}


@pytest.fixture(scope="module")
def prober(tmp_path_factory: pytest.TempPathFactory) -> Prober:
    """One that sees broken frameworks, all named theano, each in a folder of its own."""
    scratch = tmp_path_factory.mktemp("scratch")
    for name, text in BROKEN.items():
        (scratch / name).mkdir()
        (scratch / name / "theano.py").write_text(text)
    return Prober(write_probe(scratch), dict(os.environ), limit=30)


def asked(prober: Prober, name: str, limit: float = 30) -> dict[str, object]:
    """What the one that is broken in this way says."""
    env = {**prober.env, "PYTHONPATH": str(prober.program.parent / name)}
    return dict(Prober(prober.program, env, limit).ask(sys.executable, "theano"))


def test_an_exception_is_its_first_line(prober: Prober) -> None:
    """No traceback."""
    assert asked(prober, "raises") == {"error": "RuntimeError: no such"}


def test_a_crash_is_its_signal(prober: Prober) -> None:
    """The number and the name."""
    assert asked(prober, "crashes") == {"error": "it ended with signal 11 (SIGSEGV)"}


def test_one_that_leaves_without_a_word(prober: Prober) -> None:
    """The exit code."""
    assert asked(prober, "leaves") == {"error": "it ended with exit code 3"}


def test_one_that_exits_while_it_is_imported(prober: Prober) -> None:
    """It is caught."""
    assert asked(prober, "exits") == {"error": "SystemExit: goodbye"}


def test_one_that_hangs_is_ended(prober: Prober) -> None:
    """After the limit."""
    assert asked(prober, "hangs", limit=1) == {"error": "no answer within 1 s"}


def test_what_a_framework_prints_is_no_answer(prober: Prober) -> None:
    """The marked line counts."""
    found = framework_of("theano", asked(prober, "prints"))
    assert (found.version, found.error) == ("1.2", None)


def test_what_does_not_run(prober: Prober) -> None:
    """The reason of the system."""
    assert prober.ask("/nowhere/python", "look") == {"error": "it does not run: No such file or directory"}


def test_one_environment_with_two_names_is_told_once(prober: Prober, tmp_path: Path) -> None:
    """The first name; what does not run is told only where it was given."""
    names = [sys.executable, os.path.join(os.path.dirname(sys.executable), "python3"), "/nowhere/a", "/nowhere/b"]
    seen = prober.interpreters([n for n in names if n.startswith("/nowhere") or os.path.exists(n)], given=["/nowhere/b"])
    assert [s.path for s in seen] == [sys.executable, "/nowhere/b"]
    assert [s.error for s in seen] == [None, "it does not run: No such file or directory"]


def test_flags_of_the_user_stay_and_nothing_is_compiled() -> None:
    """Ours come last, and so count."""
    assert quiet({"THEANO_FLAGS": "floatX=float32"})["THEANO_FLAGS"] == "floatX=float32,device=cpu,contexts=,init_gpu_device=,cxx="


def test_the_last_line_of_stderr_is_a_reason() -> None:
    """Where no marked line came."""
    assert understood("", "Traceback\n  x\nImportError: no\n\n", 1) == {"error": "ImportError: no"}


@pytest.mark.parametrize("name", ["theano27", "theano", "aesara", "pytensor_new"])
def test_real_interpreters_are_looked_at(prober: Prober, name: str) -> None:
    """Nothing is imported for it, and CPython 2.7 understands the question."""
    said = prober.ask(find(name), "look")
    expected = name.split("_")[0].removesuffix("27")
    assert expected in list(said["found"])  # type: ignore[call-overload]


def test_the_devices_of_pygpu_are_opened(prober: Prober) -> None:
    """PoCL opens; there is no libcuda, and that is a line."""
    found = framework_of("pygpu", prober.ask(find("gpu"), "pygpu"))
    assert found.version == "0.7.6"
    assert [d.name for d in found.devices if d.backend == "opencl" and (d.total_bytes or 0) > 0] == ["opencl0:0"]
    assert all("\n" not in (d.error or "") for d in found.devices)


def test_the_probe_needs_no_package_of_ours() -> None:
    """It runs as a plain file."""
    done = subprocess.run([sys.executable, "-I", str(PROGRAM), "libraries", "libnone.so"], capture_output=True, text=True, check=True)
    assert "libnone.so: cannot open shared object file" in done.stdout
