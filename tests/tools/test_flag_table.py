"""The generator of the flag tables: what it makes of a real library is what is in the package."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.flags.libraries import DIALECTS, library
from tests.interpreters import ROOT, find, first

TOOLS = ROOT / "tools"
sys.path.insert(0, str(TOOLS))

import flag_kinds  # noqa: E402
import flag_table  # noqa: E402


def probe(name: str, home: str, flags: str) -> dict[str, Any]:
    """What `flag_probe.py` finds in the library of an interpreter."""
    package = DIALECTS[name].value
    environ = {"HOME": home, "PATH": os.environ["PATH"], DIALECTS[name].flags_variable: flags}
    command = [find(name), str(TOOLS / "flag_probe.py"), package]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True, timeout=300)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def rows(name: str) -> dict[str, dict[str, Any]]:
    """Name -> row of the committed table, without its versions; of a release that came after it, what the newest in the table has."""
    data = json.loads((flag_table.DATA / f"{DIALECTS[name].value}.json").read_text())
    known, version = data["versions"], library(name).version
    at = known.index(version) if version in known else len(known) - 1
    order = next(o for o in data["orders"] if data["versions"].index(o["first"]) <= at <= data["versions"].index(o["last"]))
    found = [dict(data["flags"][i]) for i in order["order"]]
    return {row["name"]: {k: v for k, v in row.items() if k not in ("first", "last")} for row in found}


@pytest.mark.parametrize("name", first(("pytensor_new",), ("theano", "pytensor_new")))
def test_regenerating_changes_nothing(name: str, tmp_path: Path) -> None:
    """The committed rows are those that the generator makes of the installed library."""
    home = str(tmp_path)
    made = flag_kinds.describe_flags(probe(name, home, ""), lambda flags: probe(name, home, flags), home)
    assert made is not None
    assert json.loads(json.dumps(made)) == rows(name)


def test_merging_versions() -> None:
    """A flag is written once for each run of versions in which it stays the same."""
    same, other = {"name": "a", "default": 1}, {"name": "a", "default": 2}
    data = flag_table.merge([("1", {"a": same}), ("2", {"a": same}), ("3", {"a": other}), ("4", {})])
    assert [(row["first"], row["last"], row["default"]) for row in data["flags"]] == [("1", "2", 1), ("3", "3", 2)]
    assert [(o["first"], o["last"], o["order"]) for o in data["orders"]] == [("1", "2", [0]), ("3", "3", [1]), ("4", "4", [])]


def test_dump_is_json() -> None:
    """What is written can be read."""
    data = flag_table.merge([("1", {"a": {"name": "a"}})])
    assert json.loads(flag_table.dump(data)) == data


def test_releases_are_in_order() -> None:
    """Versions stand oldest first, each once."""
    for dialect, known in flag_table.releases().items():
        numbers = [tuple(map(int, version.split("."))) for _, _, version in known]
        assert numbers == sorted(set(numbers)), dialect


@pytest.mark.parametrize(
    ("takes", "check"), [(("1", "7", "2", "3"), "> 0"), (("0", "1", "7", "2", "3"), ">= 0"), (("0", "1", "2"), "in (0, 1, 2)")]
)
def test_condition(takes: tuple[str, ...], check: str) -> None:
    """The condition on a number is recognised by which of the panel it takes."""
    assert flag_kinds.condition(dict.fromkeys(takes, 0), ("-2", "-1", "0", "1", "2", "3", "7")) == {"check": check}
