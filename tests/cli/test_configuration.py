"""`--config`, `--isolated`, `--show-settings`, `--baseline`: as the commands take them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ..schemas import flaws
from .run import theanodiag

PASTE = """Elemwise{add,no_inplace} [id A] <TensorType(float32, matrix)> ''
 |x [id B] <TensorType(float32, matrix)>
 |x [id B] <TensorType(float32, matrix)>
"""
ASKED = ("graph", "sub/paste.txt", "--shape", "x=1000,1000", "--device-overhead", "0", "--format", "json")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a pasted graph in one below it."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "paste.txt").write_text(PASTE)
    return tmp_path


def codes(project: Path, *more: str) -> set[str]:
    """What `graph` finds."""
    return {f["code"] for f in json.loads(theanodiag(*ASKED, *more, cwd=str(project)).stdout)["findings"]}


def test_the_file_is_in_force_unless_the_command_line_says_otherwise(project: Path) -> None:
    """The device and the selection come from the file; options take the place of keys; --isolated reads none."""
    (project / "theanodiag.toml").write_text('gpu = "2MiB"\nselect = ["TD301"]\n')
    assert codes(project) == {"TD301"}
    assert codes(project, "--select", "TD302") == {"TD302"}
    assert codes(project, "--gpu", "4GiB") == set()
    assert "TD301" not in codes(project, "--isolated")
    assert codes(project, "--isolated", "--gpu", "2MiB") >= {"TD301", "TD302"}


def test_findings_of_one_file_are_left_out(project: Path) -> None:
    """By a pattern of its path as seen from the configuration, or of its name; a folder's pattern does not fit elsewhere."""
    for pattern, left in (("sub/*", True), ("paste.*", True), ("other/*", False)):
        (project / "theanodiag.toml").write_text(f'gpu = "2MiB"\nper-file-ignores = {{"{pattern}" = ["TD301"]}}\n')
        found = codes(project)
        assert "TD302" in found
        assert ("TD301" not in found) is left


@pytest.mark.parametrize("named", [".", "sources", "sources/a.py"])
def test_the_folder_that_is_named_is_the_nearest(tmp_path: Path, named: str) -> None:
    """The file in the folder that is scanned, or above it; `scan .` read only what was above."""
    (tmp_path / "sources").mkdir()
    (tmp_path / "theanodiag.toml").write_text('fail-on = "warning"\n', encoding="utf-8")
    done = theanodiag("scan", named, "--show-settings", cwd=str(tmp_path))
    assert "theanodiag.toml" in done.stdout.splitlines()[0], done.stdout
    (tmp_path / "sources" / "theanodiag.toml").write_text('fail-on = "info"\n', encoding="utf-8")
    done = theanodiag("scan", named, "--show-settings", cwd=str(tmp_path))
    assert f'fail-on = "{"warning" if named == "." else "info"}"' in done.stdout


def test_show_settings_says_where_each_comes_from(project: Path) -> None:
    """As text, which is TOML, and as JSON; nothing is run."""
    (project / "pyproject.toml").write_text('[tool.theanodiag]\ngpu = "k520"\n')
    asked = ("check", "sub/none.py", "--show-settings", "--select", "TD5")
    text = theanodiag(*asked, cwd=str(project))
    assert text.returncode == 0
    rows = [line.split("  # ") for line in text.stdout.splitlines()]
    assert [r[1] for r in rows if r[0].strip() == 'gpu = "k520"'] == ["pyproject.toml:2:1"]
    document = json.loads(theanodiag(*asked, "--format", "json", cwd=str(project)).stdout)
    assert flaws(document) == []
    said = {row["name"]: (row["value"], row["origin"]) for row in document["settings"]}
    assert said["gpu"] == ("k520", "pyproject.toml:2:1")
    assert said["select"] == (["TD5"], "command line")
    assert said["timeout"] == (600.0, "default")


@pytest.mark.parametrize(
    ("line", "said"),
    [('gpu = "k521"', "not a card or a size"), ('fail-on = "no"', "fail-on cannot be 'no'"), ('ignore = ["TD3", "TDX"]', "no rule begins"),
     ('select = ["TD3"]\nformat = "jsn"', "format cannot be"), ('batch-dim = ["x"]', "x"), ('baseline = "../b"', "below its folder")],
)  # fmt: skip
def test_a_value_that_an_option_does_not_take_has_its_place_in_the_file(project: Path, line: str, said: str) -> None:
    """Not that of an option that nobody wrote."""
    (project / "theanodiag.toml").write_text(f"\n{line}\n")
    done = theanodiag("graph", "sub/paste.txt", "--shape", "x=10,10", cwd=str(project))
    assert done.returncode == 2
    number = 2 + line.count("\n")
    assert done.stderr.startswith(f"theanodiag: theanodiag.toml:{number}:1: ")
    assert said in done.stderr


def test_no_configuration_starts_a_program_for_a_command_that_reads(project: Path) -> None:
    """`python` is for check alone, and not from a file that others can write."""
    trap = project / "trap"
    trap.write_text(f"#!/bin/sh\ntouch '{project}/sprung'\n")
    trap.chmod(0o755)
    (project / "theanodiag.toml").write_text('python = "./trap"\n')
    (project / "model.py").write_text("import theano\n")
    for asked in ("graph sub/paste.txt", "config check", "config show", "rules", "check model.py --show-settings"):
        theanodiag(*asked.split(), cwd=str(project))
    assert not (project / "sprung").exists()
    os.chmod(project / "theanodiag.toml", 0o666)
    assert "python is not used" in theanodiag("check", "model.py", cwd=str(project)).stderr
    assert not (project / "sprung").exists()
    os.chmod(project / "theanodiag.toml", 0o644)
    theanodiag("check", "model.py", cwd=str(project))
    assert (project / "sprung").exists()


def test_what_a_baseline_knows_does_not_fail(project: Path) -> None:
    """From wherever the command runs; a new finding fails; what is gone is said."""
    asked = ("--shape", "x=1000,1000", "--gpu", "8MiB", "--device-overhead", "0", "--fail-on", "info", "--format", "json")
    known = ("--baseline", str(project / "known.json"))
    first = theanodiag("graph", "sub/paste.txt", *asked, cwd=str(project))
    assert json.loads(first.stdout)["findings"]
    assert first.returncode == 1
    assert theanodiag("graph", "sub/paste.txt", *asked, *known, cwd=str(project)).returncode == 3
    written = theanodiag("graph", "sub/paste.txt", *asked, *known, "--update-baseline", cwd=str(project))
    assert written.returncode == 0
    assert flaws(json.loads((project / "known.json").read_text())) == []
    for folder, name in ((project, "sub/paste.txt"), (project / "sub", "paste.txt"), (project, str(project / "sub" / "paste.txt"))):
        done = theanodiag("graph", name, *asked, *known, cwd=str(folder))
        assert json.loads(done.stdout)["findings"] == []
        assert json.loads(done.stdout)["ignored"]
        assert done.returncode == 0
        assert "no longer occur" not in done.stderr
    (project / "other.txt").write_text(PASTE)
    other = theanodiag("graph", "other.txt", *asked, *known, cwd=str(project))
    assert other.returncode == 1
    assert "no longer occur" in other.stderr


def test_only_a_baseline_is_replaced(project: Path) -> None:
    """Any other file stays as it is."""
    (project / "precious").write_text("mine")
    done = theanodiag(*ASKED, "--baseline", "precious", "--update-baseline", cwd=str(project))
    assert done.returncode == 3
    assert (project / "precious").read_text() == "mine"
    assert theanodiag(*ASKED, "--update-baseline", cwd=str(project)).returncode == 2
