"""`theanodiag doctor --recipe`: what it writes makes an environment in which Theano compiles."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests import environments
from tests.interpreters import THOROUGH, python
from theanodiag.doctor import LOCK, PYTHON, REQUIREMENTS, recipe_files

from .run import theanodiag


def test_the_versions_are_those_that_the_tests_run_on() -> None:
    """Each pin is what the interpreter with Theano has, on the CPython that it is for."""
    program = (
        "import sys, pkg_resources; print(sys.version[:3], *('%s==%s' % (d.project_name, d.version) for d in pkg_resources.working_set))"
    )
    version, *installed = python("theano", "-c", program).stdout.split()
    if version != PYTHON:
        pytest.skip(f"the environment with Theano was made with CPython {version} here")
    assert set(LOCK) <= set(installed)
    assert next(r for r in environments.RECIPES if r.name == "theano").pythons[0] == PYTHON


def test_files_are_written_once(tmp_path: Path) -> None:
    """Exact versions, no host of a registry; a second run changes nothing, and a file of the user's stays."""
    done = theanodiag("doctor", "--recipe", str(tmp_path / "old theano"))
    assert done.returncode == 0, done.stderr
    texts = {p.name: p.read_text(encoding="utf-8") for p in (tmp_path / "old theano").iterdir()}
    assert texts == recipe_files()
    assert all(re.fullmatch(r"#.*|[\w.-]+==[\w.]+", line) for line in texts[REQUIREMENTS].splitlines())
    assert not any("//" in text for text in (*texts.values(), done.stdout))
    assert theanodiag("doctor", "--recipe", str(tmp_path / "old theano")).stdout == done.stdout
    mine = tmp_path / "mine" / REQUIREMENTS
    mine.parent.mkdir()
    mine.write_text("numpy\n", encoding="utf-8")
    assert theanodiag("doctor", "--recipe", str(mine.parent)).returncode == 3
    assert [p.name for p in mine.parent.iterdir()] == [REQUIREMENTS]
    assert mine.read_text(encoding="utf-8") == "numpy\n"


@THOROUGH
def test_the_commands_make_an_environment_in_which_theano_compiles(tmp_path: Path) -> None:
    """Those that are printed, one after the other; the last one compiles a function by C and calls it."""
    base = python("theano", "-c", "import sys; print(sys.base_prefix + '/bin/python%d.%d' % sys.version_info[:2])").stdout.strip()
    done = theanodiag("doctor", "--recipe", str(tmp_path / "recipe"), "--python", base)
    lines = [shlex.split(line) for line in done.stdout.splitlines()]
    if lines[0][0] != base:
        pytest.skip(f"needs CPython {PYTHON} and g++")
    env = {**os.environ, "THEANO_FLAGS": f"base_compiledir={tmp_path / 'compiled'}"}
    for line in lines:
        ended = subprocess.run(line, env=env, capture_output=True, text=True, timeout=900, check=False)
        assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "Theano 1.0.5 compiles with" in ended.stdout
