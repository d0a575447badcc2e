"""Building the simulated device's libraries."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from theanodiag.confirmation.simulated_cuda import CannotBuild, Libraries, VirtualDevice, build, read_trace
from theanodiag.confirmation.simulated_cuda.build import (
    BUILDING,
    MANIFEST,
    PARTS,
    SOURCES,
    DriverAlloc,
    DriverFree,
    DriverRefused,
    TraceMark,
)

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
    files = {str(p.relative_to(libraries.folder)) for p in libraries.folder.rglob("*") if not p.is_dir()}
    assert files == {*PARTS, "libcuda.so", MANIFEST}


def test_sources_that_were_built_are_not_built_again(libraries: Libraries) -> None:
    """The folder is named after them."""
    before = {p: p.stat().st_mtime_ns for p in libraries.folder.iterdir()}
    again = build(libraries.folder.parent)
    assert {p: p.stat().st_mtime_ns for p in again.folder.iterdir()} == before


def emptied(folder: Path) -> None:
    """As a build leaves it that was killed at once."""
    for path in folder.rglob("*"):
        if not path.is_dir():
            path.unlink()


def cut(folder: Path) -> None:
    """As a full disk leaves it."""
    (folder / "libclient.so").write_bytes((folder / "libclient.so").read_bytes()[:100])


def foreign(folder: Path) -> None:
    """Somebody put another library there."""
    (folder / "libnvrtc.so").unlink()
    (folder / "libnvrtc.so").symlink_to("/usr/lib/libm.so")


@pytest.mark.parametrize("damage", [emptied, cut, foreign])
def test_what_is_not_whole_is_built_again(libraries: Libraries, tmp_path: Path, damage: Callable[[Path], None]) -> None:
    """A folder of the right name is not enough."""
    folder = tmp_path / libraries.folder.name
    shutil.copytree(libraries.folder, folder, symlinks=True)
    folder.chmod(0o700)
    damage(folder)
    assert build(tmp_path) == Libraries(folder)
    assert (folder / "libclient.so").read_bytes() == libraries.client.read_bytes()
    assert [p.name for p in tmp_path.iterdir()] == [folder.name]


@pytest.mark.parametrize("mode", [0o777, 0o770])
def test_a_folder_that_others_may_write_to_is_refused(libraries: Libraries, tmp_path: Path, mode: int) -> None:
    """Code is loaded from it."""
    folder = tmp_path / libraries.folder.name
    shutil.copytree(libraries.folder, folder, symlinks=True)
    folder.chmod(mode)
    with pytest.raises(CannotBuild, match="may be written by others"):
        build(tmp_path)


def test_a_link_in_place_of_the_folder_is_refused(libraries: Libraries, tmp_path: Path) -> None:
    """It may lead anywhere."""
    (tmp_path / libraries.folder.name).symlink_to(libraries.folder)
    with pytest.raises(CannotBuild, match="is no folder"):
        build(tmp_path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_somebody_else_is_refused(libraries: Libraries, tmp_path: Path) -> None:
    """They may have put anything there."""
    folder = tmp_path / libraries.folder.name
    shutil.copytree(libraries.folder, folder, symlinks=True)
    folder.chmod(0o700)
    os.chown(folder, 12345, 12345)
    with pytest.raises(CannotBuild, match="belongs to another user"):
        build(tmp_path)


def test_what_killed_builds_left_goes_away(libraries: Libraries, tmp_path: Path) -> None:
    """It stands in nobody's way meanwhile, under whatever number; a build that goes on is left alone."""
    old, new = tmp_path / f"{BUILDING}old", tmp_path / f"{BUILDING}new"
    for path in (old, new):
        path.mkdir()
    os.utime(old, (1, 1))
    (tmp_path / f"{libraries.folder.name}.{os.getpid()}").mkdir()
    build(tmp_path)
    assert not old.exists()
    assert new.exists()


def test_a_build_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And says what the compiler said."""
    false = tmp_path / "false"
    false.write_text("#!/bin/sh\necho no such flag >&2\nexit 1\n")
    false.chmod(0o755)
    monkeypatch.setenv("CC", str(false))
    with pytest.raises(CannotBuild, match="no such flag"):
        build(tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_every_source_belongs_to_a_part() -> None:
    """No C file is left out."""
    used = {name for sources, _ in PARTS.values() for name in sources}
    assert used == {p.name for p in SOURCES.glob("*.c")}


def test_a_machine_without_a_compiler(tmp_path: Path) -> None:
    """Says what to do."""
    program = f"from pathlib import Path; from theanodiag.confirmation.simulated_cuda import build; build(Path({str(tmp_path)!r}))"
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
    assert kinds == [
        DriverAlloc,
        DriverAlloc,
        DriverRefused,
        TraceMark,
        DriverFree,
        DriverAlloc,
        DriverAlloc,
        DriverAlloc,
        TraceMark,
        DriverFree,
    ]
