"""Completion, as a real bash asks for it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from theanodiag.cli.commands import COMMANDS
from theanodiag.cli.completion import SHELLS

from ..interpreters import ROOT
from .run import theanodiag

ASK = """
source lines
read -ra COMP_WORDS <<< "$1"
[ "${1: -1}" = " " ] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
compopt() { echo "$2"; }
_theanodiag_completion theanodiag
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def shell(tmp_path: Path) -> Path:
    """A folder with the lines for bash, and with `theanodiag` as a program."""
    if shutil.which("bash") is None:
        pytest.skip("needs bash")
    (tmp_path / "lines").write_text(theanodiag("completion", "bash").stdout)
    program = tmp_path / "theanodiag"
    lines = ("import sys", f"sys.path.insert(0, {str(ROOT)!r})", "from theanodiag.cli.main import main", "sys.exit(main())")
    program.write_text("\n".join((f"#!{sys.executable}", *lines)))
    program.chmod(0o755)
    return tmp_path


def completed(folder: Path, line: str) -> set[str]:
    """What bash offers for a line."""
    env = {"PATH": f"{folder}:/usr/bin:/bin", "HOME": str(folder)}
    done = subprocess.run(["bash", "-c", ASK, "ask", line], cwd=folder, env=env, capture_output=True, text=True, check=True, timeout=60)
    return {word.strip() for word in done.stdout.splitlines() if word.strip()}


def test_commands(shell: Path) -> None:
    """All, and those that begin so."""
    assert completed(shell, "theanodiag ") >= set(COMMANDS)
    assert completed(shell, "theanodiag con") == {"config"}
    assert completed(shell, "theanodiag config r") == {"rewrite"}


def test_options_and_their_values(shell: Path) -> None:
    """Those of the command that stands there."""
    assert completed(shell, "theanodiag check --max") == {"--max-calls"}
    assert completed(shell, "theanodiag graph --fail-on ") == {"info", "warning", "error"}
    assert completed(shell, "theanodiag config check --upd") == {"--update-baseline"}
    assert completed(shell, "theanodiag check mod") == completed(shell, "theanodiag graph -o ") == {"default"}, "names of files"


@pytest.mark.parametrize("name", SHELLS)
def test_each_shell(name: str) -> None:
    """There are lines for each, which name the program."""
    done = theanodiag("completion", name)
    assert done.returncode == 0
    assert "theanodiag" in done.stdout
    assert theanodiag("completion", "ksh").returncode == 2
