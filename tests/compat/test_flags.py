"""`theano.config` over PyTensor: every flag that Theano 0.6 to 1.0.5 had is read, set and changed; one without effect says so once."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import pytest

from tests import interpreters

from .conftest import COMPAT, START

PROBE = Path(__file__).with_name("flags_probe.py")
TABLE = json.loads((COMPAT.parent / "flags" / "data" / "theano.json").read_text(encoding="utf-8"))
VERSIONS: list[str] = TABLE["versions"]
RELEASES = ("0.6.0", "0.7.0", "0.8.2", "0.9.0", "1.0.5")
"""The last of each series; of a flag that changed, the latest counts."""


def flags_of(version: str) -> dict[str, dict[str, Any]]:
    """The flags of a release, by name."""
    at = VERSIONS.index(version)
    return {f["name"]: f for f in TABLE["flags"] if VERSIONS.index(f["first"]) <= at <= VERSIONS.index(f["last"])}


FLAGS = {name: flag for version in RELEASES for name, flag in flags_of(version).items()}


def others(flag: dict[str, Any]) -> list[object]:
    """Values that a script may set the flag to, other than its default."""
    kind, default = flag["kind"], flag["default"]
    if not flag.get("mutable", True):
        return []
    if flag.get("choices"):
        return [choice for choice in flag["choices"] if choice != default]
    examples = {"bool": [default is False], "int": [default + 1 if isinstance(default, int) else 7], "float": [0.5], "lazy": [True, False]}
    return list(examples.get(kind, ["x"]))


@functools.cache
def outcomes(name: str) -> dict[str, dict[str, Any]]:
    """What became of each flag in one interpreter."""
    asked = json.dumps([{"name": name, "values": others(flag)} for name, flag in FLAGS.items()])
    done = interpreters.python(name, "-c", START + PROBE.read_text(), env={"FLAGS": asked})
    assert done.returncode == 0, done.stderr
    found: dict[str, dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_the_table_is_the_whole() -> None:
    """Theano 1.0.5 has 140 flags; some of the older ones are gone from it."""
    assert len(flags_of("1.0.5")) == 140
    assert len(FLAGS) > 150
    assert sum(bool(others(flag)) for flag in FLAGS.values()) > 120


@pytest.mark.parametrize("name", ["pytensor", "pytensor_new"])
def test_every_flag_is_read_set_and_changed(name: str) -> None:
    """To each value that Theano takes, and back."""
    found = outcomes(name)
    assert {(flag, step): said for flag in found for step, said in found[flag].items() if said and step not in ("default", "said")} == {}


@pytest.mark.parametrize("name", ["pytensor", "pytensor_new"])
def test_a_default_is_theanos(name: str) -> None:
    """Where Theano does not compute it, and the flag was not retired there."""
    fixed = {n: f["default"] for n, f in flags_of("1.0.5").items() if not isinstance(f["default"], dict) and f["kind"] != "retired"}
    found = outcomes(name)
    assert {n: found[n]["default"] for n in fixed if found[n]["default"] != repr(fixed[n])} == {}


def test_a_flag_without_effect_says_so_once() -> None:
    """However often it is set."""
    said = {name: found.get("said", 0) for name, found in outcomes("pytensor").items()}
    assert max(said.values()) == 1
    for name in ("gpuarray.sched", "nvcc.fastmath", "ProfileMode.n_ops_to_print", "scan.debug"):
        assert said[name] == 1
    for name in ("floatX", "compute_test_value", "int_division", "optimizer", "cast_policy", "scan.allow_output_prealloc", "warn.round"):
        assert said[name] == 0
