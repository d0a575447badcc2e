"""Building the simulated device's libraries."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from theanodiag.confirm.virtual import CannotBuild, Libraries, VirtualDevice, build, read_trace
from theanodiag.confirm.virtual.build import PARTS, SOURCES
from theanodiag.confirm.virtual.trace import DriverAlloc, DriverFree, DriverRefused, Mark

PROGRAM = """
import ctypes
cuda = ctypes.CDLL("libcuda.so.1")
assert cuda.cuInit(0) == 0
a, b, c = (ctypes.c_uint64() for _ in "abc")
codes = [cuda.cuMemAlloc_v2(ctypes.byref(p), ctypes.c_size_t(n)) for p, n in ((a, 1000), (b, 5000), (c, 3000))]
cuda.virtual_mark(b"hello device")
codes.append(cuda.cuMemFree_v2(a))
text = ctypes.create_string_buffer(b"kept")
cuda.cuMemcpyHtoD_v2(b, text, ctypes.c_size_t(5))
back = ctypes.create_string_buffer(5)
cuda.cuMemcpyDtoHAsync_v2(back, b, ctypes.c_size_t(5), None)
print(codes, back.value)
"""


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Libraries:
    """The libraries, built here."""
    try:
        return build(tmp_path_factory.mktemp("libraries"))
    except CannotBuild as reason:
        pytest.skip(str(reason))


def test_all_parts_are_built(libraries: Libraries) -> None:
    """Under the names by which libgpuarray looks for them."""
    assert {p.name for p in libraries.folder.iterdir()} == {*PARTS, "libcuda.so"}


def test_sources_that_were_built_are_not_built_again(libraries: Libraries) -> None:
    """The folder is named after them."""
    before = {p: p.stat().st_mtime_ns for p in libraries.folder.iterdir()}
    again = build(libraries.folder.parent)
    assert {p: p.stat().st_mtime_ns for p in again.folder.iterdir()} == before


def test_every_source_belongs_to_a_part() -> None:
    """No C file is left out."""
    used = {name for sources, _ in PARTS.values() for name in sources}
    assert used == {p.name for p in SOURCES.glob("*.c")}


def test_a_machine_without_a_compiler(tmp_path: Path) -> None:
    """Says what to do."""
    program = f"from pathlib import Path; from theanodiag.confirm.virtual import build; build(Path({str(tmp_path)!r}))"
    done = subprocess.run([sys.executable, "-c", program], env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False)
    assert "no C compiler was found" in done.stderr
    assert "set CC" in done.stderr


def test_the_driver_counts_and_refuses(libraries: Libraries, tmp_path: Path) -> None:
    """A device with 8000 bytes free: 1000 and 5000 fit, 3000 more do not; contents are kept; the trace tells it all."""
    device = VirtualDevice(10_000, 8_000, trace=tmp_path / "trace")
    base = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
    env = {k: v for k, v in device.environment(libraries, base).items() if k != "LD_PRELOAD"}
    command = [sys.executable, "-c"]
    programs = (PROGRAM, PROGRAM.replace("(c, 3000)", "(c, 1500)"))
    outputs = [subprocess.run([*command, p], env=env, capture_output=True, text=True, check=True).stdout for p in programs]
    assert outputs == ["[0, 0, 2, 0] b'kept'\n", "[0, 0, 0, 0] b'kept'\n"]
    kinds = [type(e) for e in read_trace(tmp_path / "trace")]
    assert kinds == [DriverAlloc, DriverAlloc, DriverRefused, Mark, DriverFree, DriverAlloc, DriverAlloc, DriverAlloc, Mark, DriverFree]
