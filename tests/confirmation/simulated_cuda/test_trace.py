"""Reading traces, and the environment of a simulated device."""

from __future__ import annotations

from pathlib import Path

from theanodiag.confirmation.simulated_cuda import (
    ClientAlloc,
    ClientFree,
    ClientRefused,
    DriverAlloc,
    Libraries,
    TraceMark,
    VirtualDevice,
    read_trace,
)
from theanodiag.memory.settings import AddressPolicy

TRACE = """init total=4294967296 free=3980394496 pid=1
alloc 1 0x200000000000 4194304 4194304
galloc 1 0x55 0x200000000000 10 64 64
mark call  train
goom 1 99 64
gfree 1 0x55 0x200000000000 64 0
peak 4194304 live_at_exit=4194304 allocs=1 frees=0 ooms=0
"""


def test_lines_become_events(tmp_path: Path) -> None:
    """In their order; lines that are not events are passed over."""
    (tmp_path / "trace").write_text(TRACE)
    assert list(read_trace(tmp_path / "trace")) == [
        DriverAlloc(1 << 45, 4 << 20, 4 << 20),
        ClientAlloc(1 << 45, 10, 64, 64),
        TraceMark("call train"),
        ClientRefused(99, 64),
        ClientFree(1 << 45, 64, 0),
    ]


def test_an_environment_adds_to_what_is_there() -> None:
    """Libraries come in front, flags behind those of the device."""
    device = VirtualDevice(1000, 500, AddressPolicy.UP, keep_contents=False, trace=Path("/t"))
    env = device.environment(Libraries(Path("/lib")), {"LD_PRELOAD": "/other.so", "HOME": "/h"}, "allow_gc=False")
    assert env["LD_PRELOAD"] == "/lib/libclient.so:/other.so"
    assert env["LD_LIBRARY_PATH"] == "/lib"
    assert env["THEANO_FLAGS"].startswith("device=cuda0,")
    assert env["THEANO_FLAGS"].endswith(",allow_gc=False")
    assert {k: v for k, v in env.items() if k.startswith("VIRTUAL")} == {
        "VIRTUAL_DEVICE_TOTAL": "1000",
        "VIRTUAL_DEVICE_FREE": "500",
        "VIRTUAL_DEVICE_ADDRESSES": "up",
        "VIRTUAL_DEVICE_NOCOPY": "1",
        "VIRTUAL_DEVICE_TRACE": "/t",
    }
