"""Runs the command line as users do."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from ..interpreters import ROOT
from ..schemas import checked


def theanodiag(
    *args: str, env: Mapping[str, str] | None = None, cwd: str | None = None, timeout: float = 900, stdin: Path = Path(os.devnull)
) -> subprocess.CompletedProcess[str]:
    """`theanodiag ARGS` in a process of its own; output is captured as text, and held against its schema where it is JSON."""
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path, **(env or {})}
    command = [sys.executable, "-m", "theanodiag", *args]
    with stdin.open("rb") as given:
        done = subprocess.run(command, stdin=given, env=environment, cwd=cwd, capture_output=True, text=True, timeout=timeout, check=False)
    checked(done.stdout)
    return done
