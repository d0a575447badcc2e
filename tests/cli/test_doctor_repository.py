"""`theanodiag doctor REPO`: the packages that a repository needs under `run`, as files and as an environment."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.cli.run import theanodiag
from tests.interpreters import THOROUGH

SOURCE = "import theano\nimport missing_part\nfrom sklearn import svm\n"

PYTHON = """#!/bin/sh
case "$*" in
*ensurepip*) exit 0 ;;
*venv*) for last; do :; done; mkdir -p "$last/bin"; cp "$0" "$last/bin/python" ;;
*\\ -r\\ *|*scikit-learn*) echo "no release for this Python" >&2; exit 1 ;;
*install*) echo "$*" >> "$INSTALLED" ;;
*) exec {python} "$@" ;;
esac
"""
"""An interpreter whose pip has no release of scikit-learn."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository whose source needs a module that no package provides."""
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / "train.py").write_text(SOURCE)
    return tmp_path / "repo"


def test_the_packages(folder: Path) -> None:
    """As text and as JSON; a required module without a package is a finding."""
    done = theanodiag("doctor", str(folder))
    assert done.returncode == 1
    assert "  scikit-learn        " in done.stdout
    assert "  missing_part  " in done.stdout
    document = json.loads(theanodiag("doctor", str(folder), "--format", "json").stdout)
    assert [package["requirement"] for package in document["packages"]] == ["pytensor>=3.0,<3.4", "scikit-learn"]
    assert [module["name"] for module in document["unavailable"]] == ["missing_part"]


@pytest.mark.parametrize(
    "words",
    [("--install",), ("--links", "x"), ("--only", "--python", "x"), ("--python", "x"), ("--format", "html"), ("--xla",)],
)
def test_an_option_without_effect_is_an_error(words: tuple[str, ...], folder: Path) -> None:
    """Never ignored."""
    assert theanodiag("doctor", str(folder), *words).returncode == 2


def test_the_files_are_written_once(folder: Path, tmp_path: Path) -> None:
    """A second run changes nothing; another requirements.txt is not replaced."""
    done = theanodiag("doctor", str(folder), "--recipe", str(tmp_path / "env files"))
    assert done.returncode == 1, done.stderr
    assert {p.name for p in (tmp_path / "env files").iterdir()} == {
        "requirements.txt", "imports.py", "theano-1.0.5+theanodiag-py3-none-any.whl",
    }  # fmt: skip
    assert theanodiag("doctor", str(folder), "--recipe", str(tmp_path / "env files")).stdout == done.stdout
    (folder / "requirements.txt").write_text("six\n")
    assert theanodiag("doctor", str(folder), "--recipe", str(folder)).returncode == 3
    assert (folder / "requirements.txt").read_text() == "six\n"


def test_a_package_that_cannot_be_installed_stops_no_other(folder: Path, tmp_path: Path) -> None:
    """It is named; the others are installed one by one, and the imports are tested."""
    python = tmp_path / "python3.12"
    python.write_text(PYTHON.replace("{python}", sys.executable))
    python.chmod(0o755)
    env = {"INSTALLED": str(tmp_path / "installed")}
    done = theanodiag("doctor", str(folder), "--recipe", str(tmp_path / "made"), "--install", "--python", str(python), env=env)
    assert done.returncode == 1
    assert "scikit-learn: pip did not install it" in done.stderr
    installed = (tmp_path / "installed").read_text()
    assert "Theano==1.0.5+theanodiag\n" in installed
    assert "pytensor>=3.0,<3.4\n" in installed
    assert "+ theanodiag run --python" in done.stderr


def test_pip_takes_the_wheel(folder: Path, tmp_path: Path) -> None:
    """As Theano 1.0.5, for a package that requires Theano; no module comes with it."""
    theanodiag("doctor", str(folder), "--recipe", str(tmp_path / "made"))
    venv.create(tmp_path / "env", with_pip=True)
    python = str(tmp_path / "env" / "bin" / "python")
    pip = [
        python,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "install",
        "--no-index",
        "--find-links",
        str(tmp_path / "made"),
        "Theano>=0.8",
    ]
    subprocess.run(pip, check=True, capture_output=True, timeout=300)
    seen = subprocess.run([python, "-c", "import theano"], capture_output=True, text=True, timeout=60, check=False)
    assert "No module named 'theano'" in seen.stderr


@THOROUGH
def test_an_environment_is_made_and_tested(tmp_path: Path) -> None:
    """With real packages; the sources' imports work under `run`."""
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / "train.py").write_text("import numpy, theano\nimport theano.tensor as T\nfrom theano.tensor.nnet import conv2d\n")
    done = theanodiag("doctor", str(tmp_path / "repo"), "--recipe", str(tmp_path / "made"), "--install", timeout=900)
    assert done.returncode == 0, done.stderr
    assert "all 4 imports work" in done.stdout
