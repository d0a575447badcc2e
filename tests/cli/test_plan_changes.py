"""`check --diff` and `check --fix`: the changes are those of the plan, and the script that has them fits."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from theanodiag.findings import Confidence, Cost, Figures, Finding, Fix, FlagChange, LengthChange, Location, Severity
from theanodiag.jobs.plan_application import by_flags_alone
from theanodiag.report.model import Report

from ..interpreters import find
from .run import theanodiag

NET = """
import numpy as np, theano, theano.tensor as T
rng = np.random.RandomState(1)
hidden = 128
{batch}
W = theano.shared(rng.rand(900, hidden).astype("{dtype}"), name="W")
x = T.matrix("x", dtype="{dtype}")
cost = T.tanh(T.dot(T.exp(x), W)).sum()
train = theano.function([x], cost, updates=[(W, W - {lr} * T.grad(cost, W))], name="train")
for k in range(3):
    train(np.zeros((batch, 900), "{dtype}"))
"""


def asked(script: Path, *more: str) -> tuple[str, ...]:
    """A check on a card of 5 MiB, of which the cache takes 4 at once."""
    return ("check", str(script), "--python", find("theano"), "--gpu", "5MiB", "--device-overhead", "0", *more)


def test_the_batch_is_changed_on_its_own_line(tmp_path: Path) -> None:
    """Not the width, which is the same number; the changed script fits with the bytes that the plan names."""
    script = tmp_path / "net.py"
    text = NET.format(batch="batch = 1024", dtype="float32", lr="np.float32(0.1)").replace("hidden = 128", "hidden = 1024")
    script.write_text(text.replace("(900,", "(90,").replace(", 900)", ", 90)"), encoding="utf-8")
    done = theanodiag(*asked(script, "--diff"))
    assert done.returncode == 53
    changes = [line for line in done.stdout.splitlines() if line[:1] in "+-"][2:]
    assert changes[0] == "-batch = 1024", done.stdout + done.stderr
    (after,) = re.findall(r"^\+batch = (\d+)$", "\n".join(changes), re.MULTILINE)
    assert len(changes) == 2
    assert int(after) < 1024
    assert "checked again with these changes: it fits, 4.0 MiB of 5.0 MiB" in done.stderr


def test_the_line_of_an_imported_module_is_changed(tmp_path: Path) -> None:
    """Of a package beside the script; the folder is left as it was."""
    script, settings = tmp_path / "net.py", tmp_path / "parts" / "settings.py"
    settings.parent.mkdir()
    (settings.parent / "__init__.py").write_text("", encoding="utf-8")
    settings.write_text("batch = 1024\n", encoding="utf-8")
    text = NET.format(batch="from parts.settings import batch", dtype="float32", lr="np.float32(0.1)")
    wide = text.replace("hidden = 128", "hidden = 1000").replace("(900,", "(90,").replace(", 900)", ", 90)")
    script.write_text(wide, encoding="utf-8")
    done = theanodiag(*asked(script, "--diff"))
    assert re.search(r"^-batch = 1024\n\+batch = \d+$", done.stdout, re.MULTILINE), done.stdout + done.stderr
    assert f"{settings}" in done.stdout
    assert "checked again with these changes: it fits, " in done.stderr
    assert settings.read_text(encoding="utf-8") == "batch = 1024\n"


def test_an_upper_bound_is_no_plan(tmp_path: Path) -> None:
    """The advice is named with its line; a batch that an estimate takes for small enough may fit, and is not called too large."""
    script = tmp_path / "net.py"
    script.write_text(NET.format(batch="batch = 4096", dtype="float32", lr="np.float32(0.1)"), encoding="utf-8")
    command = ("check", str(script), "--python", find("pytensor"), "--gpu", "27MiB", "--device-overhead", "0", "--diff", "-q")
    done = theanodiag(*command)
    assert re.search(r"an upper bound cannot show that it does not fit; the advice of TD303 .*batch = \d+  # was 4096", done.stderr), (
        done.stderr
    )
    assert "checked again with these changes: it may fit, " in theanodiag(*command, "--engine", "gpuarray").stderr


def test_what_no_line_holds_is_left_by_hand(tmp_path: Path) -> None:
    """With its code; no change is shown that was not seen to do what the plan says."""
    script = tmp_path / "net.py"
    script.write_text(NET.format(batch="batch = 2 ** 11", dtype="float32", lr="np.float32(0.1)"), encoding="utf-8")
    done = theanodiag(*asked(script, "--diff", "-q"))
    assert done.stdout == ""
    assert re.search(r"by hand, step 1: .*\n    batch_size = \d+  # was 2048", done.stderr), done.stderr


def test_a_flag_is_written_into_the_rc_file(tmp_path: Path) -> None:
    """Which makes it fit: float32 for arrays that follow floatX."""
    rc, script = tmp_path / "rc", tmp_path / "net.py"
    rc.write_text("[global]\n# ours\nwarn_float64 = ignore\n", encoding="utf-8")
    text = NET.format(batch="batch = 2 ** 9", dtype="float64", lr="0.1")
    script.write_text(text.replace('"float64"', "theano.config.floatX"), encoding="utf-8")
    env = {"THEANO_FLAGS": "", "THEANORC": str(rc)}
    more = ("--ignore", "TD303,TD304,TD305,TD314")
    done = theanodiag(*asked(script, *more, "--fix", str(rc)), env=env)
    assert done.returncode == 53, done.stderr
    assert rc.read_text(encoding="utf-8") == "[global]\n# ours\nwarn_float64 = ignore\nfloatX = float32\n"
    assert "checked again with these changes: it fits, 4.0 MiB of 5.0 MiB" in done.stderr


def test_other_advice_that_is_a_flag_alone_is_tried() -> None:
    """Not what does not make it fit, nor what changes the script too; nothing for a script that fits."""
    cures = Finding(
        "TD401", Severity.INFO, Confidence.BOUNDED, "float32", Location("m.py"), cures=True, cost=Cost(), after=Figures(0, 5, 0, 7),
        fix=Fix("compute in float32", code="THEANO_FLAGS=floatX=float32", changes=(FlagChange("floatX", "float32"),)),
    )  # fmt: skip
    assert cures.fix is not None
    script = replace(cures, fix=replace(cures.fix, changes=(*cures.fix.changes, LengthChange(9, 3))))
    findings = (replace(cures, cures=False), script, replace(cures, fix=None), cures)
    target = SimpleNamespace(device=SimpleNamespace(is_host=False))
    for fits in (False, True):
        report = cast(Report, SimpleNamespace(process=SimpleNamespace(fits=fits), findings=findings, target=target))
        steps = [(step.description, step.after_bytes) for (step,) in by_flags_alone(report)]
        assert steps == ([] if fits else [("float32", 7)])


LAYERS = """
import numpy as np, theano, theano.tensor as T
x = T.matrix("x")
h = x
for k in range(6):
    h = T.tanh(T.dot(h, theano.shared(np.zeros((1000, 1000), theano.config.floatX))))
f = theano.function([x], h.sum())
for k in range(3):
    f(np.zeros((1000, 1000), theano.config.floatX))
"""


@pytest.mark.parametrize(
    ("before", "gpu", "after"),
    [
        ("[global]\nallow_gc=False\n", "64MiB", "[global]\nallow_gc=False\nfloatX = float32\n"),
        ("[global]\nfloatX=float32\nallow_gc=False\n", "40MiB", "[global]\nfloatX=float32\nallow_gc=True\n"),
        ("[global]\nfloatX=float32\n[gpuarray]\npreallocate = 60\n", "50MiB", "[global]\nfloatX=float32\n[gpuarray]\npreallocate = 30\n"),
    ],
    ids=["float32", "collection", "refused-preallocation"],
)
def test_plans_of_flags_are_written(tmp_path: Path, before: str, gpu: str, after: str) -> None:
    """float64 that nobody asked for; a flag that is changed in its line of the rc file; a preallocation that the card has no room for, with
    which Theano would run on the CPU.
    """
    rc, script = tmp_path / "theanorc", tmp_path / "layers.py"
    rc.write_text(before, encoding="utf-8")
    script.write_text(LAYERS, encoding="utf-8")
    flags = {"THEANO_FLAGS": "", "THEANORC": str(rc)}
    command = ("check", str(script), "--python", find("theano"), "--gpu", gpu, "--device-overhead", "0", "--fix", str(rc))
    done = theanodiag(*command, env=flags)
    assert "checked again with these changes: it fits, " in done.stderr
    assert rc.read_text(encoding="utf-8") == after
    again = theanodiag(*command[:-2], env=flags)
    assert again.returncode == 0, again.stdout
    (promised,) = re.findall(r"it fits, ([\d.]+ MiB) of", done.stderr)
    assert f"needs {promised} of" in again.stdout
