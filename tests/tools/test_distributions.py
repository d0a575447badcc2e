"""What is published holds every file of the repository, and nothing that is left over."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

from tools.distributions import Distributions, build, built, differences, in_archive, in_wheel, tracked

from ..interpreters import ROOT

CHECKOUT = Path(os.environ.get("THEANODIAG_CHECKOUT", ROOT))
"""The repository: where the tests themselves run beside an installed wheel, this is told."""


def listed(*under: str) -> set[str]:
    """What git names below the checkout, but for files that were deleted since."""
    if not (CHECKOUT / ".git").exists():
        pytest.skip("needs a checkout: only git knows which files there have to be")
    command = ["git", "-C", str(CHECKOUT), "ls-files", "--cached", "--others", "--exclude-standard", *under]
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(names) > 500
    return {name for name in names if (CHECKOUT / name).exists()}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Distributions:
    """Both, built from the checkout as it is."""
    return built(tmp_path_factory.mktemp("dist"), CHECKOUT)


def test_the_wheel_has_every_file_of_the_package(made: Distributions) -> None:
    """Folders without an `__init__.py` too, and no file that is not tracked."""
    wanted = listed("theanodiag")
    assert "theanodiag/compat/names/legacy/theano.txt" in wanted
    assert in_wheel(made.wheel) == wanted


def test_the_archive_has_every_file(made: Distributions) -> None:
    """Tests, documents, and what begins with a dot."""
    assert in_archive(made.archive) == listed()


def test_what_is_there_is_not_built_again(made: Distributions) -> None:
    """Until a file changes."""
    before = made.wheel.stat()
    assert built(made.wheel.parents[1], CHECKOUT) == made
    assert made.wheel.stat().st_mtime_ns == before.st_mtime_ns


def test_nothing_of_an_older_build_gets_in(tmp_path: Path) -> None:
    """A wheel of a folder that has files of a former build, compiled ones and a backup."""
    for name in ("setup.py", "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE", "tools/readme_links.py", "theanodiag/version.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(CHECKOUT / name, tmp_path / name)
    kept = ["theanodiag/version.py", "theanodiag/no_init/deeper/data.bin", "theanodiag/no_init/code.py"]
    left = [
        "build/lib/theanodiag/gone.py",
        "theanodiag/__pycache__/x.cpython-39.pyc",
        "theanodiag/no_init/__pycache__/a.cpython-39.pyc",
        "theanodiag/code.py~",
    ]
    for name in (*kept[1:], *left):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    build(tmp_path, tmp_path / "wheels", "--wheel")
    (wheel,) = (tmp_path / "wheels").iterdir()
    assert in_wheel(wheel) == set(kept)


def test_each_difference_is_a_line(tmp_path: Path) -> None:
    """What is lacking, and what is too much, in either."""
    wheel, archive = tmp_path / "a.whl", tmp_path / "a.tar.gz"
    with zipfile.ZipFile(wheel, "w") as opened:
        for name in ("theanodiag/a.py", "theanodiag/stale.py", "theanodiag-1.dist-info/RECORD"):
            opened.writestr(name, "")
    (tmp_path / "README.md").write_text("")
    with tarfile.open(archive, "w:gz") as packed:
        for name in ("README.md", "PKG-INFO", "theanodiag/a.py", "theanodiag.egg-info/SOURCES.txt"):
            packed.add(tmp_path / "README.md", f"theanodiag-1/{name}")
    found = differences(Distributions(wheel, archive), ["README.md", "theanodiag/a.py", "theanodiag/data/b.json"])
    assert found == [
        "a.tar.gz lacks theanodiag/data/b.json",
        "a.whl lacks theanodiag/data/b.json",
        "a.whl has theanodiag/stale.py",
    ]


def test_without_git_by_products_are_left_out(tmp_path: Path) -> None:
    """An unpacked archive has no git to ask."""
    for name in ("setup.py", ".ci/run", "theanodiag/a.py", ".nox/x", "build/lib/y", "theanodiag/__pycache__/a.pyc", "t.egg-info/z"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    assert tracked(tmp_path) == [".ci/run", "setup.py", "theanodiag/a.py"]
