"""`check MODEL --log FILE`: the log, the array that failed, what helps, then the report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..interpreters import ROOT, find
from ..schemas import flaws
from .run import theanodiag

SEARCH = str(ROOT / "tests" / "articles" / "scripts" / "search.py")
LOG = """Using gpu device 0: GRID K520
Traceback (most recent call last):
  File "/home/ann/jobs/search.py", line 16, in model
MemoryError: Error allocating {bytes} bytes of device memory (out of memory). Driver report 1000000 bytes free and 67108864 bytes total
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Of that script: W, 2000 by 2000, did not fit."""
    path = tmp_path / "job.log"
    path.write_text(LOG.format(bytes=16000000))
    return path


def check(log: Path, *more: str) -> tuple[str, str, int]:
    """The check of the script, on the device of the log; stdout, stderr, exit code."""
    asked = ("check", SEARCH, "--python", find("theano"), "--log", str(log), "--device-overhead", "0")
    done = theanodiag(*asked, *more, env={"THEANO_FLAGS": "floatX=float32", "THEANORC": ""})
    return done.stdout, done.stderr, done.returncode


def test_text(log: Path) -> None:
    """Why, which array, the plan that fits, and only then the report, on a device of the size that the log says."""
    shown, _, code = check(log)
    order = ["job.log:4: capacity", "W  float32 (2000, 2000)  16000000 bytes", "TD330", "80.3 MiB, fits", "DOES NOT FIT on GRID K520"]
    places = [shown.index(word) for word in order]
    assert places == sorted(places)
    assert f"{SEARCH}:16" in shown
    assert code == 53


def test_json(log: Path) -> None:
    """The log's document, with the array, in that of the report."""
    document = json.loads(check(log, "--format", "json")[0])
    assert flaws(document) == []
    made = document["log"]["reproduced"]
    assert {m["bytes"] for m in made} == {16000000}
    assert {(m["variable"], tuple(m["shape"]), m["site"]["line"]) for m in made if m["sure"]} == {("W", (2000, 2000), 16)}
    assert document["log"]["cause"] == "capacity"
    assert document["target"]["device"]["total_bytes"] == 67108864


def test_a_size_that_the_script_does_not_have(log: Path) -> None:
    """Is said; and what was asked on the command line decides the device. Other formats stay as they are: the log is on stderr."""
    log.write_text(LOG.format(bytes=999))
    out, err, _ = check(log, "--gpu", "4GiB", "--format", "concise")
    assert "no array of the captured calls has 999 bytes" in err
    assert "but         here the script fits, with theano 1.0.5 and these arguments; the log is of Theano" in err
    assert all(":" in line for line in out.splitlines())
    assert "4GiB" not in err


def test_a_script_that_does_not_start(log: Path, tmp_path: Path) -> None:
    """It has no arrays to compare with."""
    script = tmp_path / "model.py"
    script.write_text("raise ValueError('no data')\n")
    done = theanodiag("check", str(script), "--log", str(log))
    assert "in script   the script called no compiled function, so no array can be named" in done.stdout
    assert "no array of the captured calls" not in done.stdout
    assert "but   " not in done.stdout


def test_a_log_without_an_error_is_unreadable(log: Path) -> None:
    """Before the script is run."""
    log.write_text("all is well\n")
    assert check(log)[2] == 3


def test_a_log_of_an_unknown_card(log: Path) -> None:
    """It is not simulated on another device: its size is asked."""
    log.write_text("Using gpu device 0: GeForce GT 630\nMemoryError: Error allocating 16000000 bytes of device memory (out of memory).\n")
    _, err, code = check(log)
    assert "the log's card is not in the table of cards: 'GeForce GT 630'" in err
    assert "--gpu 4096MiB" in err
    assert code == 2


@pytest.mark.parametrize(
    ("told", "total"),
    [("", 4294770688), ("Driver report 32735232 bytes free and 4294770688 bytes total", 4294770688), ("on a Tesla K80", 4294770688)],
)
def test_the_card_is_that_of_the_log(log: Path, told: str, total: int) -> None:
    """By its name, where the log does not say its size; it then has the card's own context."""
    log.write_text(
        f"Using gpu device 0: GRID K520\nMemoryError: Error allocating 16000000 bytes of device memory (out of memory). {told}\n"
    )
    asked = ("check", SEARCH, "--python", find("theano"), "--log", str(log), "--format", "json")
    device = json.loads(theanodiag(*asked, env={"THEANO_FLAGS": "floatX=float32", "THEANORC": ""}).stdout)["target"]["device"]
    assert (device["name"], device["total_bytes"], device["context"]["bytes"]) == ("GRID K520", total, 90 << 20)
