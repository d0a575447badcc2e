"""What a change must not touch unseen: a third of the recorded command lines, and that what differs is named."""

from __future__ import annotations

from .compare import changes, kept
from .replay import answers


def test_command_lines_print_what_they_did() -> None:
    """Exit code, texts and JSON. `python -m tests.oracle` runs all of them; with --accept it keeps what is printed now."""
    found = answers(every=3)
    before = kept()
    assert sum(map(len, before.values())) > 350
    asked = {command: {line: before.get(command, {}).get(line, "") for line in lines} for command, lines in found.items()}
    assert list(changes(found, asked)) == []


def test_what_differs_is_named() -> None:
    """By the command line, and the rows before and after."""
    before = {"rules": {"rules": "exit code 0\nTD001\n", "rules -q": "exit code 0\n"}}
    now = {"rules": {"rules": "exit code 2\nTD001\n", "rules -q": "exit code 0\n"}}
    assert list(changes(now, before)) == ["$ theanodiag rules\n-exit code 0\n+exit code 2\n"]
    assert list(changes(now, now)) == []
