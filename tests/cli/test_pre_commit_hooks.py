"""`.pre-commit-hooks.yaml`: each hook is complete, and its entry works on the files that it is given."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from ..interpreters import ROOT
from .run import theanodiag

HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: str(hook["id"]))
def test_entry(hook: dict[str, Any], tmp_path: Path) -> None:
    """Clean files pass, a wrong one of two fails with its place; files that repeat each other are not taken for one configuration."""
    assert set(hook) >= {"id", "name", "entry", "language", "files"}
    library = str(hook["id"]).removeprefix("theanodiag-").removesuffix("rc")
    names = [f".{library}rc", f"deploy/{library}rc.gpu"]
    assert all(re.search(hook["files"], name) for name in names)
    assert not re.search(hook["files"], f"not{library}rc/readme")
    (tmp_path / "deploy").mkdir()
    for name in names:
        (tmp_path / name).write_text("[global]\nfloatX = float32\n")
    program, *words = shlex.split(hook["entry"])
    assert program == "theanodiag"
    clean = theanodiag(*words, *names, cwd=str(tmp_path))
    assert (clean.returncode, clean.stdout) == (0, "")
    (tmp_path / names[1]).write_text("[global]\nflaotX = float32\n")
    wrong = theanodiag(*words, *names, cwd=str(tmp_path))
    assert wrong.returncode == 1
    assert f"{names[1]}:2:1: TD210" in wrong.stdout


def test_json_has_one_configuration() -> None:
    """So it does not go with several."""
    assert theanodiag("config", "check", "--each", "--format", "json").returncode == 2
