"""Runs `theanodiag check --confirm` and reads its JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.interpreters import find
from tests.memory.stand.run import SHARED, compiling, joined

from ..schemas import checked

SCRIPTS = Path(__file__).parent / "scripts"
FLAGS = joined({"floatX": "float32", "blas.ldflags": "", **compiling()})


@dataclass(frozen=True)
class Told:
    """What the command said."""

    code: int
    report: Any
    stderr: str
    temporary: Path
    """The folder for temporary files that it had."""

    @property
    def confirmation(self) -> Any:
        """The key `confirmation`."""
        return self.report["confirmation"]

    def functions(self) -> dict[str, Any]:
        """Functions by name."""
        return {f["name"]: f for f in self.confirmation["functions"]}

    def errors(self) -> list[int | None]:
        """The errors of all predicted figures of memory in all calls, those unknown left out."""
        rows = [v for f in self.confirmation["functions"] for call in f["calls"] for v in call]
        return [v["error_bytes"] for v in rows if v["name"] != "host_to_device_bytes" and v["error_bytes"] is not None]


def environment(temporary: Path, flags: str = "") -> dict[str, str]:
    """Temporary files in `temporary`, which is made; the cache of libraries in SHARED."""
    temporary.mkdir()
    theano = ",".join(part for part in (FLAGS, flags) if part)
    return {**os.environ, "TMPDIR": str(temporary), "XDG_CACHE_HOME": str(SHARED), "THEANO_FLAGS": theano, "POCL_DEVICES": "basic"}


def command(interpreter: str, script: Path, device: str, *options: str, args: tuple[str, ...] = ()) -> list[str]:
    """The command line of one run."""
    ours = [sys.executable, "-m", "theanodiag", "check", str(script), "--python", find(interpreter), "--confirm", device, *options]
    return [*ours, "--format", "json", "--", *args]


def confirm(folder: Path, interpreter: str, script: Path, device: str, *options: str, args: tuple[str, ...] = (), flags: str = "") -> Told:
    """One run, with temporary files below `folder`."""
    temporary = folder / "temporary"
    line, env = command(interpreter, script, device, *options, args=args), environment(temporary, flags)
    done = subprocess.run(line, env=env, capture_output=True, text=True, timeout=900, check=False)
    assert done.stdout, done.stderr[-3000:]
    return Told(done.returncode, json.loads(checked(done.stdout)), done.stderr, temporary)
