"""`theanodiag check` on each example and framework, through the command line, against the figures derived by hand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.interpreters import THOROUGH, find, first

from ..schemas import checked
from .expected import AESARA, DEVICE, EXPECTED, PYTENSOR, PYTENSOR_NEW, SCALAR, Expected

ROOT = Path(__file__).resolve().parents[2]
GRAPHS = {"theano": DEVICE, "aesara": AESARA, "pytensor": PYTENSOR, "pytensor_new": PYTENSOR_NEW}
OFTEN = ("theano", "pytensor")
NAMES = first(OFTEN, GRAPHS)
CASES = [
    pytest.param(name, example, function, marks=() if name in OFTEN else THOROUGH)
    for name in GRAPHS
    for example, functions in EXPECTED.items()
    for function in functions
]
ROOM = 40 * SCALAR
"""A graph that was placed on a device has room for a constant at each node, in bytes, and for arrays that may be overwritten or not."""
SHARED = {"big_shared_w": 400040000, "sliced_layer": 100020000, "minibatch_givens": 158831360, "minibatch_argument": 31360}
"""Bytes of the shared variables as they are, without rounding."""

ON_LIBGPUARRAY = ("--engine", "gpuarray")
"""What was derived by hand is Theano's own back-end; for Aesara and PyTensor that is a what-if."""


@cache
def check(name: str, example: str, *options: str) -> tuple[int, dict[str, Any]]:
    """Exit code and report of one run."""
    command = [sys.executable, "-m", "theanodiag", "check", str(ROOT / "examples" / f"{example}.py"), "--python", find(name)]
    env = {**os.environ, "THEANO_FLAGS": "floatX=float32", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([*command, "--format", "json", *options], env=env, capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(checked(done.stdout))


def profile(name: str, example: str, function: str) -> dict[str, Any]:
    """The profile of one function on a device without a context."""
    _, report = check(name, example, *ON_LIBGPUARRAY, "--gpu", "4GiB", "--device-overhead", "0")
    (found,) = [f["profile"] for f in report["functions"] if f["name"] == function]
    assert isinstance(found, dict)
    return found


def expected(name: str, example: str, function: str) -> Expected:
    """What was derived by hand."""
    return EXPECTED[example][function][GRAPHS[name]]


@pytest.mark.parametrize(("name", "example", "function"), CASES)
def test_live_bytes(name: str, example: str, function: str) -> None:
    """Live bytes before, at the peak of and after a call are the sums of products of shapes; where the graph was placed, never less."""
    found, hand = profile(name, example, function), expected(name, example, function)
    figures = (found["live_before_bytes"], found["live_peak_bytes"], found["live_after_bytes"])
    if GRAPHS[name] == DEVICE:
        assert figures == (hand.before, hand.peak, hand.after)
    for figure, derived in zip(figures, (hand.before, hand.peak, hand.after)):
        assert derived <= figure <= 1.01 * derived + ROOM


@pytest.mark.parametrize(("name", "example", "function"), CASES)
def test_inputs_at_the_peak(name: str, example: str, function: str) -> None:
    """The arguments that are on the device at the peak are itemised with their exact bytes."""
    items = {item["kind"]: item["bytes"] for item in profile(name, example, function)["items"]}
    assert items.get("input", 0) == expected(name, example, function).inputs


@pytest.mark.parametrize("example", SHARED)
@pytest.mark.parametrize("name", NAMES)
def test_shared_bytes(name: str, example: str) -> None:
    """The shared variables are itemised with their exact bytes."""
    (function,) = EXPECTED[example]
    items = {item["kind"]: item["bytes"] for item in profile(name, example, function)["items"]}
    assert items["shared"] == SHARED[example]


@pytest.mark.parametrize(("name", "example", "function"), CASES)
def test_items_sum_to_the_figure(name: str, example: str, function: str) -> None:
    """The itemised bytes, without what was reserved beside them, are the live peak; so are the buffers at the peak."""
    found = profile(name, example, function)
    items = sum(item["bytes"] for item in found["items"] if item["kind"] not in ("fragmentation", "context"))
    assert items == sum(row["nbytes"] for row in found["at_peak"]) == found["live_peak_bytes"]


@pytest.mark.parametrize("name", NAMES)
def test_framework_is_named(name: str) -> None:
    """The report says which framework ran the script that says `import theano`."""
    _, report = check(name, "big_shared_w", *ON_LIBGPUARRAY, "--gpu", "4GiB", "--device-overhead", "0")
    assert report["target"]["framework"]["name"] == name.replace("_new", "")


@pytest.mark.parametrize(
    ("example", "card", "fits"),
    [
        ("big_shared_w", "256MiB", False),
        ("big_shared_w", "512MiB", True),
        ("grown_w", "256MiB", False),
        ("minibatch_givens", "128MiB", False),
        ("minibatch_argument", "128MiB", True),
        ("mlp_sgd", "128MiB", True),
    ],
)
@pytest.mark.parametrize("name", NAMES)
def test_verdict(name: str, example: str, card: str, fits: bool) -> None:
    """What does not fit is out of memory (53) and TD301; what fits is neither."""
    code, report = check(name, example, *ON_LIBGPUARRAY, "--gpu", card, "--device-overhead", "0")
    assert ("TD301" in {f["code"] for f in report["findings"]}) is not fits
    assert (code == 53) is not fits


@pytest.mark.parametrize("name", NAMES)
def test_slice_that_moves_saves_a_card(name: str) -> None:
    """The layer of which 50 rows are wanted fits 256 MiB only where the slice is made before the dot."""
    code, _ = check(name, "sliced_layer", *ON_LIBGPUARRAY, "--gpu", "256MiB", "--device-overhead", "0")
    assert (code == 53) is (name in ("theano", "aesara"))
