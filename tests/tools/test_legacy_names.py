"""The generator of the table of legacy names: its rule, and that the table is what the releases have."""

from __future__ import annotations

import datetime
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.interpreters import ROOT
from theanodiag.compat.names import legacy

sys.path.insert(0, str(ROOT / "tools"))

import legacy_names

SOURCES = {
    "theano/__init__.py": b"import os, theano.tensor\nfrom theano.gof import *\nfrom theano import tensor as T\n_hidden = 1\n",
    "theano/gof.py": b"import numpy\nclass Op: pass\ntry:\n    from os import path\nexcept ImportError, e:\n    def fallback(): pass\n",
    "theano/tensor/__init__.py": b"from basic import *\nfrom theano.gof import Op as TensorOp\n",
    "theano/tensor/basic.py": b"from theano.gof import Op\n__all__ = ['add', 'Op']\nadd = sub, mul = 1, 2\n"
    b"for i in range(3): j = i\ndel sub\nprint 'x'\n",
    "theano/tensor/tests/test_basic.py": b"class TestIt: pass\n",
    "theano/generated_version.py": b"sha = 1\n",
}


def test_the_rule() -> None:
    """What counts and what does not, Python 2 among it."""
    found = legacy_names.Release("theano", SOURCES).names()
    assert found == {
        "": {"theano": "", "T": "tensor", "Op": "gof.Op", "fallback": "gof.fallback", "gof": "", "tensor": ""},
        "gof": {"Op": "", "fallback": ""},
        "tensor": {"add": "tensor.basic.add", "Op": "tensor.basic.Op", "TensorOp": "gof.Op", "basic": ""},
        "tensor.basic": {"Op": "gof.Op", "add": "", "mul": "", "j": ""},
    }


def test_the_table_reads_as_it_was_written(tmp_path: Path) -> None:
    """Series, sources and other names come back."""
    held = {"": {"a": (("0.6", "0.7", "0.8"), ""), "b": (("0.6", "1.0"), "gof.c"), "T": (("1.0",), "tensor")}}
    text = legacy_names.written(held, list(legacy_names.RELEASES["theano"]))
    found = legacy._parsed(text.splitlines())[""]
    assert {name: (legacy_names.expanded(row.series, "theano"), row.origin) for name, row in found.items()} == held[""]


def downloaded(folder: Path, root: str, version: str) -> dict[str, set[str]]:
    """The names of a release, by module; skips where it cannot be had."""
    if root == "pytensor" and sys.version_info < (3, 12):
        pytest.skip("PyTensor 3 is written for Python 3.12 and later")
    try:
        sources = legacy_names.files(legacy_names.source(folder, root, version), root)
    except (subprocess.CalledProcessError, OSError) as error:
        pytest.skip(f"{root} {version} cannot be downloaded here: {error}")
    return {module: set(names) for module, names in legacy_names.Release(root, sources).names().items() if names}


EVERY = [(root, series) for root, known in legacy_names.RELEASES.items() for series in known]
TODAY = datetime.date.today().toordinal() % len(EVERY)


@pytest.mark.parametrize(("root", "series"), EVERY if os.environ.get("THEANODIAG_THOROUGH") else [EVERY[TODAY]])
def test_the_table_is_what_the_release_has(root: str, series: str, tmp_path: Path) -> None:
    """One release a day, all of them in `make test-all`: its names are those that the table says it has."""
    table: dict[str, set[str]] = {}
    for module, held in legacy.table(root).items():
        for name, row in held.items():
            if series in legacy_names.expanded(row.series, root):
                table.setdefault(module, set()).add(name)
    assert downloaded(tmp_path, root, legacy_names.RELEASES[root][series]) == table
