"""`--select`, `--ignore` and comments in the source, as the commands take them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.interpreters import find

from .run import theanodiag

SCRIPT = """import numpy as np
import theano
import theano.tensor as T

x = T.fmatrix("x")
W = theano.shared(np.ones((500, 10), "float32"), name="W")
f = theano.function([x], T.dot(x, W).sum(), name="f")
data = np.ones((20000, 500), "float32")
for i in range(3):
    f(data)  # theanodiag: ignore[TD501] a demonstration
# theanodiag: ignore[TD301]
"""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["check", "x.py", "--select", "TD51O"], "did you mean TD5"), (["config", "check", "--ignore", "TD9"], "no rule begins with 'TD9'")],
)
def test_unknown_codes_are_wrong_usage(arguments: list[str], message: str) -> None:
    """Before anything runs, with what may have been meant."""
    done = theanodiag(*arguments)
    assert done.returncode == 2
    assert message in done.stderr


def test_a_comment_silences_and_stays_in_the_report(tmp_path: Path) -> None:
    """The finding is kept with its reason, does not count for --fail-on, and the idle comment is told."""
    (tmp_path / "model.py").write_text(SCRIPT)
    asked = ["--gpu", "4GiB", "--ignore", "TD2,TD4", "--fail-on", "warning", "--format", "json"]
    done = theanodiag("check", "model.py", "--python", find("theano"), *asked, cwd=str(tmp_path))
    document = json.loads(done.stdout)
    (kept,) = (f for f in document["ignored"] if f["code"] == "TD501")
    assert kept["ignored_by"] == "model.py:10: a demonstration"
    assert kept["saves"]["seconds"] > 0
    assert "TD002" in {f["code"] for f in document["findings"]}
    assert "TD501" not in {f["code"] for f in document["findings"]}
    assert done.returncode == 0, done.stdout


def test_a_printed_graph_takes_them_too(tmp_path: Path) -> None:
    """`graph` leaves out what is not selected, and says how many."""
    x = " |x [id B] <TensorType(float32, matrix)>\n"
    (tmp_path / "paste.txt").write_text(f"Elemwise{{add,no_inplace}} [id A] <TensorType(float32, matrix)> ''\n{x}{x}")
    asked = ("graph", "paste.txt", "--shape", "x=1000,1000", "--gpu", "2MiB", "--device-overhead", "0", "--format", "json")
    every, some = (json.loads(theanodiag(*asked, *more, cwd=str(tmp_path)).stdout) for more in ((), ("--select", "TD302")))
    assert {f["code"] for f in some["findings"]} <= {"TD302"}
    assert len(some["findings"]) + len(some["ignored"]) == len(every["findings"])
    assert some["ignored"]


UNUSABLE = [(("--update-baseline",), 2), (("--baseline", "none.json"), 3), (("--baseline", "bad.json"), 3)]


@pytest.mark.parametrize(("options", "code"), UNUSABLE)
def test_a_baseline_that_cannot_be_used_is_an_error_before_anything_runs(tmp_path: Path, options: tuple[str, ...], code: int) -> None:
    """The script, which may run for hours, leaves no trace."""
    (tmp_path / "bad.json").write_text("[1,", encoding="utf-8")
    (tmp_path / "train.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\nimport theano\n", encoding="utf-8")
    done = theanodiag("scan", ".", "--run", "--no-cache", "--jobs", "1", *options, cwd=tmp_path)
    assert done.returncode == code
    assert "baseline" in done.stderr
    assert not (tmp_path / "ran").exists()
