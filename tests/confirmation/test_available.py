"""Which kinds of devices are tried, and why one is not there."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from theanodiag.confirmation import KINDS
from theanodiag.confirmation.available import Circumstances, abilities, best_first, probe
from theanodiag.confirmation.compiled import HostDevice
from theanodiag.confirmation.pygpu import NOT_OPENCL, in_force, opencl, with_flags
from theanodiag.confirmation.simulated_cuda import Libraries
from theanodiag.devices import HOST, DeviceProfile, by_name
from theanodiag.probe.model import ProbeResult


def seen(folder: Path, framework: str = "theano", profile: DeviceProfile | None = None, *linkers: str) -> Circumstances:
    """A script in our own interpreter, which has no pygpu."""
    return Circumstances(sys.executable, framework, {"device": "cpu"}, frozenset(linkers), profile, {"PATH": ""}, folder)


@pytest.mark.parametrize(
    ("framework", "device", "linkers", "kinds"),
    [
        ("theano", None, ("cvm",), ("cuda", "opencl", "cpu")),
        ("theano", "4GiB", ("cvm",), ("cuda", "virtual", "opencl", "cpu")),
        ("theano", "none", ("cvm",), ("cpu",)),
        ("theano-pymc", "4GiB", ("cvm",), ("cpu",)),
        ("pytensor", "4GiB", ("numba",), ("cpu",)),
        ("pytensor", None, ("jax", "cvm"), ("jax", "cpu")),
        ("pytensor", None, ("pytorch",), ("torch", "cpu")),
    ],
)
def test_the_order(framework: str, device: str | None, linkers: tuple[str, ...], kinds: tuple[str, ...], tmp_path: Path) -> None:
    """Real before simulated, simulated only where a device is named, the host last."""
    profile = None if device is None else by_name(device)
    assert best_first(seen(tmp_path, framework, profile, *linkers)) == kinds


def test_why_there_is_none(tmp_path: Path) -> None:
    """In words."""
    assert "does not load" in str(probe(seen(tmp_path), "cuda"))
    assert "the script uses aesara" in str(probe(seen(tmp_path, "aesara"), "opencl"))
    assert "give the device to simulate with --gpu" in str(probe(seen(tmp_path), "virtual"))
    assert "with --gpu" in str(probe(seen(tmp_path, "theano", HOST), "virtual"))
    two = replace(seen(tmp_path, "theano", by_name("4GiB")), flags={"contexts": "a->cuda0;b->cuda1"})
    assert "one GPU" in str(probe(two, "virtual"))
    assert probe(seen(tmp_path), "cpu") == HostDevice()


def test_every_kind_is_looked_for(tmp_path: Path) -> None:
    """Each kind finds a device or says why not, and tells what it needs under its own name."""
    assert all(probe(seen(tmp_path, "aesara"), kind) for kind in KINDS)
    assert tuple(ability.kind for ability in abilities(ProbeResult(()))) == KINDS


def test_flags_are_added_behind_the_users() -> None:
    """Later ones win; lists are joined; what is in force needs no second run."""
    assert with_flags({"AESARA_FLAGS": "a=1"}, "aesara", {"b": "2"})["AESARA_FLAGS"] == "a=1,b=2"
    assert with_flags({}, "theano", {}) == {}
    libraries = Libraries(Path())
    excluded = [opencl(libraries, "opencl0:0", "", None, seen).flags["optimizer_excluding"] for seen in ({"optimizer_excluding": "x"}, {})]
    assert excluded == [f"x:{NOT_OPENCL}", NOT_OPENCL]
    assert in_force({"device": "cuda0", "dnn.enabled": False}, {"device": "cuda0", "dnn.enabled": "False"})
    assert not in_force({}, {"device": "cuda0"})
