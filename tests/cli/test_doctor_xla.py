"""`theanodiag doctor --xla`: nothing is installed that nobody agreed to."""

from __future__ import annotations

from pathlib import Path

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
    assert "is there already" in done.stdout
