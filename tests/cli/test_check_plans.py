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
    asked = ("check", script, "--python", find("theano"), "--gpu", "4GiB", "--write", str(rc), "--batch-dim", "x:0")
    done = theanodiag(*asked, env=flags)
    assert done.returncode == 0, done.stderr
    (megabytes,) = re.findall(r"gpuarray\.preallocate=(\d+) \(0\.\d+ of the device\)", " ".join(done.stdout.split()))
    assert rc.read_text(encoding="utf-8") == f"[global]\n# ours\nfloatX = float32\n\n[gpuarray]\npreallocate = {megabytes}\n"
    assert (tmp_path / "theanorc.bak").exists()
    assert "allow_gc=False would fit" in done.stdout
