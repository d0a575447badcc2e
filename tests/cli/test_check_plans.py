"""The plans on the command line: the batch, and the preallocation that is written."""

from __future__ import annotations

import re
from pathlib import Path

from ..interpreters import ROOT, find
from .run import theanodiag
from .test_graph import SHAPES, TEXT


def test_a_printed_graph_with_other_batches(tmp_path: Path) -> None:
    """The table, the largest batch that fits, and the batch of the paste among the rows."""
    (tmp_path / "paste.txt").write_text(TEXT, encoding="utf-8")
    asked = ("graph", "paste.txt", *SHAPES, "--gpu", "16MiB", "--device-overhead", "0")
    done = theanodiag(*asked, "--batch-dim", "x:0", cwd=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert re.search(r"the largest batch that fits is \d+\s+\(x:0", done.stdout)
    assert re.search(r"^ +128 .* yes  now$", done.stdout, re.MULTILINE)
    assert "TD303" not in theanodiag(*asked, cwd=str(tmp_path)).stdout


def test_an_axis_that_nothing_has_is_refused(tmp_path: Path) -> None:
    """With the arguments there are."""
    (tmp_path / "paste.txt").write_text(TEXT, encoding="utf-8")
    done = theanodiag("graph", "paste.txt", *SHAPES, "--batch-dim", "z:0", cwd=str(tmp_path))
    assert done.returncode == 2
    assert "z:0" in done.stderr
    assert "x" in done.stderr


def test_the_preallocation_is_written_and_everything_else_kept(tmp_path: Path) -> None:
    """Into the file that is named, with the old one beside it."""
    rc = tmp_path / "theanorc"
    rc.write_text("[global]\n# ours\nfloatX = float32\n", encoding="utf-8")
    script = str(ROOT / "examples" / "sliced_layer.py")  # with three arrays, each of them a request to the driver
    flags = {"THEANO_FLAGS": "", "THEANORC": str(rc)}
    asked = ("check", script, "--python", find("theano"), "--gpu", "4GiB", "--fix", str(rc), "--batch-dim", "x:0")
    done = theanodiag(*asked, env=flags)
    assert done.returncode == 0, done.stderr
    (megabytes,) = re.findall(r"gpuarray\.preallocate=(\d+) serves", " ".join(done.stdout.split()))
    assert rc.read_text(encoding="utf-8") == f"[global]\n# ours\nfloatX = float32\n\n[gpuarray]\npreallocate = {megabytes}\n"
    assert (tmp_path / "theanorc.bak").exists()
    assert "allow_gc=False would fit" in done.stdout


def test_a_preallocation_that_nothing_recommends_is_not_written(tmp_path: Path) -> None:
    """A script of a few bytes: TD310 is silent, and so is the file."""
    rc, script = tmp_path / "theanorc", tmp_path / "small.py"
    rc.write_text("[global]\nfloatX = float32\n", encoding="utf-8")
    script.write_text(SMALL, encoding="utf-8")
    asked = ("check", str(script), "--python", find("theano"), "--gpu", "4GiB", "--fix", str(rc))
    done = theanodiag(*asked, env={"THEANO_FLAGS": "", "THEANORC": str(rc)})
    assert done.returncode == 0, done.stderr
    assert "nothing was written" in done.stderr
    assert rc.read_text(encoding="utf-8") == "[global]\nfloatX = float32\n"
    assert "TD310" not in done.stdout


SMALL = """
import numpy as np, theano, theano.tensor as T
x = T.matrix("x")
W = theano.shared(np.zeros((1500, 1500), "float32"))
theano.function([x], T.dot(x, W))(np.zeros((1500, 1500), "float32"))
"""
"""Three arrays of 9 MB: the cache grows, but costs nobody anything."""
