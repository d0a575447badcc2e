"""The API table: its form, its lookups, and that each row is true of the frameworks themselves."""

from __future__ import annotations

import json

import pytest

from tests import interpreters
from tests.compat.conftest import STAND_INS, START
from theanodiag.compat import adapters, names
from theanodiag.compat.names.counterparts import ROWS
from theanodiag.compat.names.modules import MODULES

CHECK = """
import importlib, json
from compat_by_path import framework, modules, names as table
from compat_by_path.names import counterparts, modules as by_module
from compat_by_path.errors import NoCounterpart
current, wrong = framework.current, []
for row in counterparts.ROWS:
    for origin in [row.origin] if row.origin else table.ORIGINS:
        if row.target not in ("*", current.root) or origin not in done["aliases"] or not table.holds(row.versions, current.version):
            continue
        module, _, last = (origin + "." + row.old).rpartition(".")
        try:
            getattr(importlib.import_module(module), last)
            found = True
        except NoCounterpart:
            found = False
        ours = modules.own(origin, row.old) is not modules._NOTHING
        if found != bool(row.new) or (row.target == "pytensor" and row.new[:1] in ("=", "+") and ours != (row.new == "+")):
            wrong.append([origin, row.old, row.new])
for module in by_module.MODULES:
    served = module.served and current.root == "pytensor"
    if bool(modules.places(module.old)) != bool(module.places[current.root]) or (served and not modules.has_module(module.old)):
        wrong.append(["module", module.old, ""])
print(json.dumps([current.version, wrong]))
"""
KNOWN = {"tensor.signal", "tensor.signal.conv"}
"""Modules that some PyTensors lack and others have again."""


@pytest.mark.parametrize("name", STAND_INS)
def test_rows_are_true_of_the_framework(name: str) -> None:
    """What is listed as renamed or served is found under the old name, and served by what is said; what is listed as removed is not."""
    done = interpreters.python(name, "-c", START + CHECK)
    assert done.returncode == 0, done.stderr
    _, wrong = json.loads(done.stdout.splitlines()[-1])
    assert [row for row in wrong if row[1] not in KNOWN] == []


def test_served_names_exist() -> None:
    """Each `=name` is an adapter of compat, and each adapter is in the table."""
    served = {row.new[1:] for row in ROWS if row.new.startswith("=")}
    assert served <= adapters.names()
    assert adapters.names() - served - {"graph_inputs"} == set()


def test_no_row_twice() -> None:
    """One name has one row for each target and origin."""
    keys = [(row.old, target, row.origin) for row in ROWS for target in names.TARGETS if row.target in ("*", target)]
    assert len(keys) == len(set(keys))


def test_removed_names_have_advice() -> None:
    """A name without a counterpart always says what to do."""
    assert [row.old for row in ROWS if not row.new and not row.help] == []
    assert [m.old for m in MODULES for target in names.TARGETS if not m.places[target] and not m.help] == []


@pytest.mark.parametrize(
    ("versions", "version", "expected"),
    [("", "3.0.7", True), (">=3.2", "3.2.0", True), (">=3.2", "3.10", True), (">=3.2", "3.1.3", False), ("<2.9", "2.8.11", True),
     (">=2.9,<3", "2.38.3", True), (">=2.9,<3", "3.0.0", False), (">=3.2", None, True), ("<2.9", None, False), (">=2", "2.9rc1", True)],
)  # fmt: skip
def test_versions(versions: str, version: str | None, expected: bool) -> None:
    """Versions compare by number; no version means the newest."""
    assert names.holds(versions, version) is expected


def test_lookup_through_another_module() -> None:
    """`tensor.nnet.nnet.softmax` is the row of `tensor.nnet.softmax`."""
    assert names.lookup("tensor.nnet.nnet.softmax", "pytensor") == names.lookup("tensor.nnet.softmax", "pytensor") is not None


def test_lookup_by_origin() -> None:
    """Theano's softmax and Aesara's behave differently on a vector."""
    found = [names.lookup("tensor.nnet.softmax", "pytensor", None, origin) for origin in names.ORIGINS]
    assert [row.new for row in found if row] == ["=softmax", "=softmax_last"]


def test_lookup_by_version() -> None:
    """PyTensor 2.8 still had convolutions."""
    assert names.lookup("tensor.nnet.conv2d", "pytensor", "2.8.11") is None
    assert names.lookup("tensor.nnet.conv2d", "pytensor", "2.18.6") is not None


def test_unlisted_name_has_no_row() -> None:
    """A name that is called the same needs none."""
    assert names.lookup("tensor.tanh", "pytensor") is None


def test_removed_module() -> None:
    """All of the old GPU back-end is gone, however deep the name; convolutions are gone in PyTensor only."""
    assert names.removed("sandbox.cuda.dnn.dnn_conv", "aesara") is not None
    assert names.removed("tensor.nnet.conv.conv2d", "pytensor") is not None
    assert names.removed("tensor.nnet.conv.conv2d", "aesara") is None


def test_advice_names_the_target() -> None:
    """The advice is written for one target; a plain rename is the new name itself."""
    stack, inv = names.lookup("tensor.stack", "aesara"), names.lookup("tensor.inv", "pytensor")
    assert stack is not None
    assert names.advice(stack, "aesara") == "aesara.tensor.stack([a, b], axis=0)"
    assert inv is not None
    assert names.advice(inv, "pytensor") == "pytensor.tensor.reciprocal"
