"""Receipts of real runs, the table made of them, and bringing up interpreters out of packages."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from benchmarks.receipt import FOLDER, Receipt, Run, document, parse, read_all, write
from benchmarks.receipt_table import page
from tests.interpreters import ROOT, listed

sys.path.insert(0, str(ROOT))

from tools.gpu_bring import bring_up
from tools.gpu_trial import arguments, models


def verdict(name: str, predicted: int, measured: int) -> dict[str, Any]:
    """One figure, as in the JSON report."""
    error = predicted - measured
    return {
        "name": name, "predicted": predicted, "measured": measured, "error_bytes": error, "error_percent": 100 * error / measured,
        "unknown": None,
    }  # fmt: skip


def receipt(*figures: dict[str, Any], real: bool = False) -> Receipt:
    """One of a single run."""
    nodes = {"compared": 7, "equal": 6, "first_parting": None}
    run = Run("examples/x.py", 1.5, {"functions": [{"name": "f", "calls": [list(figures)], "nodes": nodes}]}, "a | note")
    driver = {"version": "580", "cuda": [13, 0]} if real else None
    return Receipt("2026-01-02", "cuda", real, {"line": "a device"}, driver, {"theano": "1.0.5"}, None, (run,))


CHUNK = 128 << 20
"""Bytes that a chunk of XLA's pool can have beyond the array in it, which XLA counts as used where its pool grows (docs/confirm.md)."""


@pytest.mark.parametrize("name", [p.name for p in listed(FOLDER, "*.json")])
def test_every_receipt_is_of_the_schema_and_nothing_was_too_low(name: str) -> None:
    """What is written again is the same; each has runs with figures that were compared."""
    text = (FOLDER / name).read_text(encoding="utf-8")
    found = parse(text)
    assert document(found) == json.loads(text)
    assert [e for run in found.runs for e in run.errors()]
    grows = found.versions.get("XLA_PYTHON_CLIENT_PREALLOCATE") == "false"
    assert max((missing for _, _, missing in found.under), default=0) < (CHUNK if grows else 1)
    assert found.median_percent is not None
    assert found.median_percent <= 1


def test_there_are_receipts_and_the_page_is_made_of_them() -> None:
    """Run `python tools/gpu_trial.py`, or write the page anew, where this fails."""
    receipts = read_all()
    assert {r.kind for _, r in receipts} >= {"virtual", "opencl", "jax"}
    assert (ROOT / "docs" / "accuracy" / "receipts.md").read_text(encoding="utf-8") == page(receipts)


def test_figures_are_counted() -> None:
    """Errors, per cent, under-estimates."""
    found = receipt(verdict("live_peak_bytes", 200, 100), verdict("reserved_bytes", 90, 100), verdict("host_to_device_bytes", 1, 5))
    assert found.median_percent == 55
    assert found.under == (("examples/x.py", "reserved_bytes", 10),)
    assert found.runs[0].nodes == (7, 6)


def test_the_page_says_what_it_is_not_from() -> None:
    """Without a GPU it says so; with one it names the driver."""
    without, real = (page([("a.json", receipt(verdict("live_peak_bytes", 10, 10), real=r))]) for r in (False, True))
    assert "No receipt is from a GPU yet" in without
    assert "No receipt is from a GPU yet" not in real
    assert "driver 580, CUDA 13.0" in real
    assert "| examples/x.py | 1 | 1 | 0 | 0 | 6 of 7 | a / note |" in real


def test_a_receipt_is_read_as_it_was_written(tmp_path: Path) -> None:
    """By its name."""
    made = receipt(verdict("live_peak_bytes", 10, 10), real=True)
    write(made, tmp_path, "cuda-x")
    assert read_all(tmp_path) == (("cuda-x.json", made),)


@pytest.mark.parametrize("text", ["[]", "{}", '{"schema": "theanodiag/receipt/v2"}', '{"schema": "theanodiag/receipt/v1"}'])
def test_what_is_no_receipt(text: str) -> None:
    """It is refused."""
    with pytest.raises(ValueError, match="receipt"):
        parse(text)


def test_scripts_of_each_kind_exist() -> None:
    """The examples for all; VGG16 only where it is asked for."""
    for kind in ("cuda", "jax", "torch"):
        assert all((ROOT / m).is_file() for m in models(kind, True))
        assert len([m for m in models(kind, False) if m.startswith("examples/")]) == 6
    assert set(models("cuda", True)) - set(models("cuda", False)) == {"tests/memory/models/vgg16.py"}
    assert arguments([]).device == []


def deb(path: Path, files: dict[str, str]) -> None:
    """A package of Debian with some files in it."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(text), 0o755
            archive.addfile(info, io.BytesIO(text.encode()))
    parts = {"debian-binary": b"2.0\n", "control.tar.gz": data.getvalue(), "data.tar.gz": data.getvalue()}
    with path.open("wb") as file:
        file.write(b"!<arch>\n")
        for name, content in parts.items():
            file.write(f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n".encode() + content + b"\n" * (len(content) % 2))


def wheel(path: Path, name: str, text: str) -> None:
    """A wheel with one module in it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(name, text)


@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="needs dpkg-deb")
def test_interpreters_come_out_of_packages(tmp_path: Path) -> None:
    """Debian's interpreter runs where it was unpacked, with the wheels; our own has what it lacks, behind what it has."""
    (tmp_path / "pack" / "debs").mkdir(parents=True)
    deb(tmp_path / "pack" / "debs" / "python.deb", {"./usr/bin/python3.11": '#!/bin/sh\necho "$PYTHONHOME $PYTHONPATH $*"\n'})
    wheel(tmp_path / "pack" / "legacy" / "numpy.whl", "numpy/distutils/__config__.py", "x = 1\n")
    wheel(tmp_path / "pack" / "modern" / "brought.whl", "brought.py", "value = 'brought'\n")
    wheel(tmp_path / "pack" / "modern" / "json.whl", "json.py", "raise ImportError\n")
    old, new = bring_up(tmp_path / "pack", tmp_path / "to")
    said = subprocess.run([old, "-c", "x"], capture_output=True, text=True, check=True).stdout
    assert said.startswith(f"{tmp_path}/to/legacy/root/usr {tmp_path}/to/legacy/site:")
    assert "blas_opt_info" in (tmp_path / "to/legacy/site/numpy/distutils/__config__.py").read_text()
    command = [new, "-c", "import brought, json; print(brought.value, json.dumps(1))"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "brought 1\n"
