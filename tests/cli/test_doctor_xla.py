"""`theanodiag doctor --xla`: nothing is installed that nobody agreed to."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.cli.run import theanodiag
from tests.interpreters import find
from theanodiag.confirmation.xla_estimates import FOLDER, PLUGIN, release_of_jax


def test_an_interpreter_without_jax(tmp_path: Path) -> None:
    """The plugin has the release of a JAX."""
    done = theanodiag("doctor", "--xla", "--yes", "--python", find("pytensor"), env={"XDG_CACHE_HOME": str(tmp_path)})
    assert done.returncode == 3
    assert "this interpreter has no JAX" in done.stderr
    assert not list(tmp_path.iterdir())


def test_nobody_can_be_asked(tmp_path: Path) -> None:
    """It says what it would take, where, and how to agree."""
    done = theanodiag("doctor", "--xla", "--python", find("jax"), env={"XDG_CACHE_HOME": str(tmp_path)})
    assert done.returncode == 2
    assert "560.0 MiB" in done.stderr
    assert "--yes" in done.stderr
    assert not list(tmp_path.iterdir())


def test_what_is_there_is_not_installed_again(tmp_path: Path) -> None:
    """The folder of that release."""
    release = release_of_jax(find("jax"), {})
    assert release is not None
    (tmp_path / "theanodiag" / FOLDER / release / PLUGIN).mkdir(parents=True)
    done = theanodiag("doctor", "--xla", "--python", find("jax"), env={"XDG_CACHE_HOME": str(tmp_path)})
    assert done.returncode == 0
    assert "is already installed" in done.stdout


PYTHON = """#!/bin/sh
case "$*" in
*pip*)
  while [ "$1" != --target ]; do shift; done
  touch "$MEET/$$"
  until [ "$(ls "$MEET" | wc -l)" -ge "$OF" ]; do sleep 0.05; done
  mkdir -p "$2/PLUGIN" && touch "$2/PLUGIN/first" && sleep 0.2 && touch "$2/PLUGIN/last" ;;
*) echo 0.4.30 ;;
esac
"""
"""An interpreter with JAX whose pip waits until as many install as OF says."""


@pytest.mark.parametrize("number", [1, 3])
def test_several_install_it_at_once(number: int, tmp_path: Path) -> None:
    """Each says that it is there, it is there whole, and nothing else is left."""
    python, meet, cache = tmp_path / "python", tmp_path / "meet", tmp_path / "cache"
    python.write_text(PYTHON.replace("PLUGIN", PLUGIN))
    python.chmod(0o755)
    meet.mkdir()
    env = {"XDG_CACHE_HOME": str(cache), "MEET": str(meet), "OF": str(number)}
    with ThreadPoolExecutor(number) as pool:
        rows = list(pool.map(lambda _: theanodiag("doctor", "--xla", "--yes", "--python", str(python), env=env), range(number)))
    assert [(done.returncode, done.stderr) for done in rows] == [(0, "")] * number
    assert [path.name for path in (cache / "theanodiag" / FOLDER).iterdir()] == ["0.4.30"]
    assert sorted(path.name for path in (cache / "theanodiag" / FOLDER / "0.4.30" / PLUGIN).iterdir()) == ["first", "last"]


def test_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    """One error that names the folder."""
    python = tmp_path / "python"
    python.write_text(PYTHON)
    python.chmod(0o755)
    (tmp_path / "cache").write_text("")
    done = theanodiag("doctor", "--xla", "--yes", "--python", str(python), env={"XDG_CACHE_HOME": str(tmp_path / "cache")})
    assert done.returncode == 3
    assert "the plugin cannot be installed there" in done.stderr
