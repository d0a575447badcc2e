"""Starts pytest on Theano's test files in the interpreter with PyTensor, and reads what became of each test."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
LAYER = HERE.parents[2]
FILES = HERE / "reference"
"""For each test file a text file with the ids that the real Theano 1.0.5 passes."""


@dataclass(frozen=True)
class Suite:
    """What the tests are run with."""

    python: str
    """The interpreter with PyTensor and pytest."""
    tests: Path
    """The site-packages that hold Theano 1.0.5's test files."""
    mode: str = "FAST_COMPILE"
    """PyTensor's flag `mode`."""
    timeout: float = 120.0
    """Seconds for one test."""
    over: bool = True
    """Over the layer; else the interpreter's own Theano."""
    target: str = "pytensor"
    """What stands in for Theano."""
    why: str = ""
    """A file to which the tracebacks of what fails are appended."""

    def run(self, files: Sequence[str], limit: float = 3600.0, only: Iterable[str] = ()) -> dict[str, str]:
        """Outcome (passed, failed, skipped, error) by `file::test`, of `files` in one process; `limit` in seconds for all of them.

        `only` names the tests to run; none: all.
        """
        with tempfile.TemporaryDirectory() as folder:
            log, chosen = Path(folder) / "log", Path(folder) / "only"
            chosen.write_text("\n".join(only), encoding="utf-8")
            env = {
                **os.environ,
                "PYTHONPATH": str(HERE),
                "SUITE_TESTS": str(self.tests),
                "SUITE_LOG": str(log),
                "SUITE_ONLY": str(chosen) if chosen.stat().st_size else "",
                "SUITE_WHY": self.why,
                "SUITE_TARGET": self.target,
                "SUITE_MODE": self.mode,
                **({"SUITE_LAYER": str(LAYER)} if self.over else {}),
            }
            modules = [file.removesuffix(".py").replace("/", ".") for file in files]
            shown = ["--tb=short" if self.why else "--tb=no", f"--timeout={self.timeout:g}"]
            options = ["-q", "-p", "plugin", "-p", "no:cacheprovider", "--import-mode=importlib", *shown]
            rest = ["-c", os.devnull, "--rootdir", str(self.tests), "--continue-on-collection-errors", "--pyargs", *modules]
            command = [self.python, "-W", "ignore", "-m", "pytest", *options, *rest]
            try:
                subprocess.run(command, cwd=folder, env=env, capture_output=True, timeout=limit, check=False)
            except subprocess.TimeoutExpired:
                pass
            return outcomes(log.read_text(encoding="utf-8").splitlines() if log.exists() else ())


def outcomes(lines: Iterable[str]) -> dict[str, str]:
    """Outcomes by id; of a test that is logged twice (its teardown failed), the worse."""
    found: dict[str, str] = {}
    for line in lines:
        name, _, outcome = line.partition("\t")
        found[name] = outcome if found.get(name, "passed") == "passed" else found[name]
    return found


def reference() -> dict[str, tuple[str, ...]]:
    """The ids that the real Theano passes, by test file."""
    found = {}
    for path in sorted(FILES.glob("*.txt")):
        file, *ids = path.read_text(encoding="utf-8").splitlines()
        found[file] = tuple(ids)
    return found


def listed(path: Path) -> Mapping[str, str]:
    """The ids (`file::test`) of a list, each with its reason: `id  # reason`, one a line."""
    rows = [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return {name.strip(): reason.strip() for name, _, reason in (row.partition("  # ") for row in rows)}
