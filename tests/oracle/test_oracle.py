"""What a change must not touch unseen: a third of the recorded command lines, and that what differs is named."""

from __future__ import annotations

import subprocess
import sys

from ..interpreters import ROOT
from .compare import changes, kept


def test_command_lines_print_what_they_did() -> None:
    """Exit code, texts and JSON, in a process in which no other test has changed anything. `python -m tests.oracle` runs all of them; with
    --accept it keeps what is printed now."""
    assert sum(map(len, kept().values())) > 350
    command = [sys.executable, "-m", "tests.oracle", "--every", "3"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_what_differs_is_named() -> None:
    """By the command line, and the rows before and after."""
    before = {"rules": {"rules": "exit code 0\nTD001\n", "rules -q": "exit code 0\n"}}
    now = {"rules": {"rules": "exit code 2\nTD001\n", "rules -q": "exit code 0\n"}}
    assert list(changes(now, before)) == ["$ theanodiag rules\n-exit code 0\n+exit code 2\n"]
    assert list(changes(now, now)) == []
