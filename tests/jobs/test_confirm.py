"""`--confirm` measures beside the prediction, which stays that of the device asked about."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ..cli.run import theanodiag
from ..interpreters import find

SCRIPTS = Path(__file__).parent / "scripts"
TOO_LARGE = str(SCRIPTS / "half_a_gigabyte.py")


@cache
def asked(interpreter: str, *options: str) -> tuple[int, Any]:
    """Exit code and JSON of `check` on a script that needs 450 MiB."""
    done = theanodiag("check", TOO_LARGE, "--python", find(interpreter), *options, "--format", "json")
    return done.returncode, json.loads(done.stdout)


@pytest.mark.parametrize("kind", ["best", "cpu", "opencl", "virtual"])
@pytest.mark.parametrize(("gpu", "code"), [("300MiB", 53), ("none", 0)])
def test_verdict_and_exit_code_are_those_of_the_device_asked_about(kind: str, gpu: str, code: int) -> None:
    """Where there is no such GPU the run is on the host, which has room; the measurement stands beside the verdict."""
    plain_code, plain = asked("pytensor", "--gpu", gpu)
    confirmed_code, confirmed = asked("pytensor", "--gpu", gpu, "--confirm", kind)
    assert (plain_code, confirmed_code) == (code, code)
    for key in ("target", "process", "functions"):
        assert confirmed[key] == plain[key], key
    ran = confirmed["confirmation"]
    assert (ran["device"]["kind"], ran["on_target"], ran["fits"]) == ("cpu", gpu == "none", True)


def test_a_device_that_is_named_is_not_asked_for_again() -> None:
    """An OpenCL device is no 4 GiB GPU: what fits on that is said, and the next step is not to name it."""
    done = theanodiag("check", TOO_LARGE, "--python", find("gpu"), "--gpu", "4GiB", "--confirm", "opencl")
    assert done.returncode == 0, done.stderr
    assert "fits on 4GiB: needs " in done.stdout
    assert "confirmed on opencl" in done.stdout
    assert "--gpu 4GiB" not in done.stdout


def test_the_simulated_device_of_the_size_asked_about_is_that_device() -> None:
    """What does not fit is refused there too."""
    options = ("--gpu", "300MiB", "--device-overhead", "0")
    plain_code, plain = asked("gpu", *options)
    code, confirmed = asked("gpu", *options, "--confirm", "virtual")
    ran = confirmed["confirmation"]
    assert (plain_code, code, ran["on_target"], ran["fits"]) == (53, 53, True, False)
    assert confirmed["process"] == plain["process"]
