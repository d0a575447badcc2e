"""Finding the user's interpreter, and the hook for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.interpreters import find as find_interpreter
from theanodiag.errors import UnreadableError
from theanodiag.processes import interpreter


def complaint(name: str) -> str:
    """What is said of an interpreter that cannot be used."""
    with pytest.raises(UnreadableError) as caught:
        interpreter.find(name, os.environ)
    return str(caught.value).splitlines()[0]


def program(folder: Path, text: str) -> str:
    """An executable file."""
    path = folder / "python"
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


class TestFind:
    """`find`."""

    def test_tells_the_version(self) -> None:
        """The version is that of the interpreter asked for."""
        assert interpreter.find(sys.executable, os.environ).version == sys.version_info[:3]

    def test_finds_a_name_on_the_path(self) -> None:
        """A bare name is looked up in the PATH of the script."""
        env = {**os.environ, "PATH": os.path.dirname(sys.executable)}
        assert interpreter.find(os.path.basename(sys.executable), env).path == sys.executable

    def test_keeps_the_link_of_a_virtual_environment(self, tmp_path: Path) -> None:
        """A link to an interpreter is not followed: its place decides which packages it has."""
        link = tmp_path / "python"
        link.symlink_to(sys.executable)
        assert interpreter.find(str(link), os.environ).path == str(link)

    def test_one_that_does_not_exist(self) -> None:
        """The name is repeated."""
        assert complaint("/nowhere/python") == "/nowhere/python: no such interpreter"

    def test_a_directory(self, tmp_path: Path) -> None:
        """A directory is called one."""
        assert complaint(str(tmp_path)) == f"{tmp_path}: the interpreter is a directory"

    def test_a_file_without_the_right_to_run(self, tmp_path: Path) -> None:
        """A file that may not be executed is told apart from one that is missing."""
        (tmp_path / "python").write_text("")
        assert complaint(str(tmp_path / "python")).endswith("the interpreter may not be executed")

    @pytest.mark.parametrize("text", ["#!/bin/sh\nexit 0\n", "#!/bin/sh\nexit 3\n", "#!/bin/sh\necho something else\n"])
    def test_another_program(self, tmp_path: Path, text: str) -> None:
        """What does not answer as Python does is no interpreter."""
        assert complaint(program(tmp_path, text)).endswith("this is not a Python interpreter")

    def test_a_program_that_the_system_refuses(self, tmp_path: Path) -> None:
        """A file that is no program at all does not run."""
        assert "the interpreter does not run" in complaint(program(tmp_path, "\x00\x01"))

    def test_one_that_does_not_answer(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """It has the time limit of the script to start, not a minute."""
        monkeypatch.setattr(interpreter, "STARTS_WITHIN", (0.1, 60.0))
        with pytest.raises(UnreadableError, match=r"no answer within 0\.2 s"):
            interpreter.find(program(tmp_path, "#!/bin/sh\nsleep 30\n"), os.environ, 0.2)

    def test_a_version_that_is_too_old(self, tmp_path: Path) -> None:
        """CPython 3.4 cannot read the hook's files."""
        old = program(tmp_path, "#!/bin/sh\necho theanodiag 3.4.10\n")
        assert complaint(old).endswith("the interpreter must be CPython 2.7, or 3.5 or later; this is 3.4.10")


class TestHook:
    """`hook_for`."""

    def test_python_3_loads_our_own_files(self, tmp_path: Path) -> None:
        """Nothing is copied where annotations are understood."""
        found = interpreter.Interpreter(sys.executable, (3, 5, 0))
        assert interpreter.hook_for(found, tmp_path) == found.hook
        assert not list(tmp_path.iterdir())

    def test_annotations_go_and_the_rest_stays(self) -> None:
        """What CPython 2.7 does not know is taken away."""
        source = "from typing import Any\ndef f(a: 'Any', *b: int) -> int:\n    return a + 1\n"
        assert interpreter.without_annotations(source).endswith("def f(a, *b):\n    return a + 1\n")

    def test_every_file_compiles_on_python_27(self, tmp_path: Path) -> None:
        """The copies are programs of CPython 2.7."""
        found = interpreter.find(find_interpreter("theano27"), os.environ)
        interpreter.hook_for(found, tmp_path)
        subprocess.run([found.path, "-m", "compileall", "-q", str(tmp_path)], check=True)
