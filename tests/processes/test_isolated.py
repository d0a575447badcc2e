"""Questions to interpreters: the working folder and relative entries of PYTHONPATH are kept out, absolute ones stay."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.interpreters import find
from theanodiag.processes import group


@pytest.mark.parametrize("name", ["own", "theano27", "pytensor_new"])
def test_only_absolute_entries_are_imported_from(name: str, tmp_path: Path) -> None:
    """A module beside the user is not found, also through an empty or relative entry; one in an absolute entry is."""
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "beside.py").write_text("")
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "framework.py").write_text("print('framework')")
    python = sys.executable if name == "own" else find(name)
    env = group.surroundings({**os.environ, "PYTHONPATH": os.pathsep.join(["", ".", "../here", str(tmp_path / "lib")])})
    program = "import framework\ntry:\n    import beside\nexcept ImportError:\n    print('clean')\n"
    command = group.command(python, program, env)
    done = subprocess.run(command, env=env, cwd=tmp_path / "here", capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["framework", "clean"]


def test_what_python_runs_at_its_start_is_left_out() -> None:
    """Variables that name a program or keep Python open do not reach a question; all others do."""
    given = {"PYTHONSTARTUP": "start.py", "PYTHONINSPECT": "1", "HOME": "/home/ann"}
    assert group.surroundings(given) == {"HOME": "/home/ann"}


def test_a_relative_interpreter_is_found_from_the_users_folder(tmp_path: Path) -> None:
    """The path of an interpreter is made absolute before the working folder changes; a name is looked up in PATH."""
    link = tmp_path / "python-of-mine"
    link.symlink_to(sys.executable)
    assert group.located("python-of-mine", {"PATH": str(tmp_path)}) == str(link)
    assert group.located(os.path.relpath(link), {"PATH": ""}) == str(link)
    assert group.located("no-such-python", {"PATH": str(tmp_path)}) == "no-such-python"
