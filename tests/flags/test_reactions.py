"""Every flag reacts to every text of a panel as the real library's own object does: kinds, choices, conditions, aliases."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.flags.libraries import DIALECTS
from tests.interpreters import ROOT, find, first
from theanodiag.flags.defaults import load_table, nearest, versions
from theanodiag.flags.model import Dialect, Flag
from theanodiag.flags.values import accepts

TOOLS = ROOT / "tools"
sys.path.insert(0, str(TOOLS))

import flag_kinds  # noqa: E402

OLD = ("-arch=sm_20", "-arch=sm_30 -O3", "-L/usr/lib64", "--machine 64", "-m 64", "")
"""Texts that people gave nvcc.flags."""


def reactions(python: str, package: str, home: Path, **env: str) -> dict[str, Any]:
    """What `flag_probe.py` finds."""
    environ = {"HOME": str(home), "PATH": os.environ["PATH"], **env}
    command = [python, str(TOOLS / "flag_probe.py"), package]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=300, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def row(flag: Flag) -> dict[str, Any]:
    """The facts of a flag of the table, as the generator writes them."""
    facts = {"name": flag.name, "kind": flag.kind.value, "default": None, "doc": "", "choices": flag.choices, "aliases": dict(flag.aliases)}
    return {**facts, "check": flag.check, "default": flag.default if not hasattr(flag.default, "how") else {"computed": ""}}


def wrong(dialect: Dialect, found: dict[str, Any]) -> dict[str, list[str]]:
    """Name -> texts to which the library reacts otherwise than the table of its version says."""
    assert len(found["flags"]) > 60
    table = load_table(dialect, found["version"])
    assert table.version == nearest(dialect, found["version"])
    told = {f["name"]: flag_kinds.unexplained(dialect, f, row(flag)) for f in found["flags"] if (flag := table.get(f["name"]))}
    assert len(told) > 60
    return {name: texts for name, texts in told.items() if texts}


@pytest.mark.parametrize("name", first(("theano", "aesara", "pytensor_new"), DIALECTS))
def test_installed_library(name: str, tmp_path: Path) -> None:
    """Nothing that the library takes is refused, and nothing that it refuses is taken."""
    dialect = DIALECTS[name]
    assert wrong(dialect, reactions(find(name), dialect.value, tmp_path)) == {}


def test_theano_of_the_old_gpu(tmp_path: Path) -> None:
    """Theano 0.9, whose flags of nvcc no later version has."""
    archive = Path(os.environ.get("THEANODIAG_CNMEM", "").partition("/theano/")[0] + ".tar.gz")
    if not archive.is_file():
        pytest.skip("needs the sources of Theano 0.9: run `make test`")
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path)
    source = str(tmp_path / archive.name.removesuffix(".tar.gz"))
    found = reactions(find("theano27"), "theano", tmp_path, PYTHONPATH=source, THEANO_FLAGS="cxx=")
    assert found["version"].startswith("0.9.0")
    assert wrong(Dialect.THEANO, found) == {}


@pytest.mark.parametrize("version", [v for v in versions(Dialect.THEANO) if "0.6" <= v < "1"])
def test_options_of_nvcc(version: str) -> None:
    """Any options are taken, as long as none stands apart from its value (Theano 0.9.0, configdefaults.py, filter_nvcc_flags)."""
    flag = load_table(Dialect.THEANO, version).dotted("nvcc.flags")
    assert flag
    assert [accepts(flag, text) for text in OLD] == [True, True, True, False, False, True]
