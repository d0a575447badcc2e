"""SECURITY.md speaks of every command, and of bounds that are the code's."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.interpreters import ROOT
from theanodiag.capture.runner import MOST_BYTES
from theanodiag.cli.commands import COMMANDS

TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_in_the_table(command: str) -> None:
    """Whoever adds one says whether it runs code."""
    rows = [line.split("|")[1] for line in TEXT.splitlines() if line.startswith("| ")]
    assert any(re.search(rf"`(theanodiag )?{command}\b", row) for row in rows)


def test_the_bound_is_the_one_in_the_code() -> None:
    """In MiB."""
    assert f"({MOST_BYTES >> 20} MiB)" in TEXT


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="namespaces are Linux's")
def test_the_advised_command_works(tmp_path: object) -> None:
    """A script is checked without a network, and what it tells is heard."""
    (line,) = re.findall(r"unshare .*", TEXT)
    around = line.rstrip("\\ ").split()
    try:
        able = subprocess.run([*around, "true"], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        able = False
    if not able:
        pytest.skip("namespaces are not allowed here")
    script = ROOT / "tests" / "__init__.py"
    command = [*around, sys.executable, "-m", "theanodiag", "check", str(script), "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 3
    assert '"status": "finished"' in done.stdout
    assert '"unverified": null' in done.stdout
