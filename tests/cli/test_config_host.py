"""The machine as `flags` wants to know it: against the disk, the accounts, the compiler and interpreters that there are."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from pathlib import Path

import pytest

from theanodiag.cli.config_input import RealDisk, accounts, query_interpreter, short_platform, this_host
from theanodiag.errors import UnreadableError
from theanodiag.files import CONFIGURATION

PYTHON = (sys.version_info[0], sys.version_info[1])


@pytest.fixture
def disk(tmp_path: Path) -> RealDisk:
    """A disk with a file, a folder and a link, seen from a folder of its own."""
    (tmp_path / "rc").write_bytes(b"[global]\n\xff")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    return RealDisk(str(tmp_path))


class TestRealDisk:
    """Reading, and what may become a folder for compiled code."""

    def test_bytes_as_they_are(self, disk: RealDisk) -> None:
        """By relative path, by absolute path, and without decoding."""
        assert disk.read("rc") == b"[global]\n\xff"
        assert disk.read(str(Path(disk.cwd, "rc"))) == b"[global]\n\xff"

    @pytest.mark.parametrize("path", ["missing", "folder", "rc/below", "x" * 5000], ids=["missing", "folder", "below a file", "too long"])
    def test_nothing_to_open(self, disk: RealDisk, path: str) -> None:
        """The libraries pass over these in silence."""
        assert disk.read(path) is None

    def test_huge_file_is_refused(self, disk: RealDisk) -> None:
        """By its size alone, on the byte."""
        for size in (CONFIGURATION, CONFIGURATION + 1):
            os.truncate(os.path.join(disk.cwd, "rc"), size)
            assert size > CONFIGURATION or disk.read("rc")
        with pytest.raises(UnreadableError, match="larger than 1 MiB"):
            disk.read("rc")

    @pytest.mark.parametrize(("path", "there"), [("rc", True), ("folder", True), ("link", True), (".", True), ("no", False)])
    def test_existence(self, disk: RealDisk, path: str, there: bool) -> None:
        """Of files, folders and links alike."""
        assert disk.exists(path) is there

    def test_links_are_followed(self, disk: RealDisk) -> None:
        """Also where the rest does not exist yet."""
        assert disk.realpath("link/new") == os.path.realpath(os.path.join(disk.cwd, "folder", "new"))

    def test_programs_by_search_path(self, disk: RealDisk) -> None:
        """A file counts once it can be started."""
        tool = Path(disk.cwd, "folder", "g++")
        tool.write_text("#!/bin/sh\n")
        folder = str(tool.parent)
        assert not disk.program("g++", folder)
        tool.chmod(0o755)
        assert disk.program("g++", folder)
        assert not disk.program("g++", str(Path(disk.cwd)))

    @pytest.mark.parametrize("path", ["folder", "link", "new", "folder/a/b/c"])
    def test_usable_folders(self, disk: RealDisk, path: str) -> None:
        """Those that exist, and those that could be made; none is made."""
        assert disk.unusable(path) is None
        assert not disk.exists("new")

    @pytest.mark.parametrize(("path", "words"), [("rc", "exists but"), ("rc/c", "Unable to create"), ("/proc/c", "Unable to create")])
    def test_unusable_folders(self, disk: RealDisk, path: str, words: str) -> None:
        """A file, below a file, in the kernel's own folder."""
        assert words in (disk.unusable(path) or "")

    @pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
    def test_permissions_count(self, disk: RealDisk) -> None:
        """A folder that cannot be written is refused, and so is one below it."""
        Path(disk.cwd, "folder").chmod(0o555)
        assert "exists but" in (disk.unusable("folder") or "")
        assert "Unable to create" in (disk.unusable("folder/c") or "")


class TestHosts:
    """This machine, and an interpreter's view of it."""

    def test_this_machine(self) -> None:
        """Platform, home and compiler are those of the running interpreter."""
        host = this_host((3, 8))
        assert (host.platform, host.python, host.home) == (sys.platform, (3, 8), os.path.expanduser("~"))
        assert host.cxx == (shutil.which("g++") or host.cxx)
        assert host.disk == RealDisk(os.getcwd())

    def test_accounts_have_their_homes(self) -> None:
        """As the shell expands `~root`."""
        assert dict(accounts())["root"] == os.path.expanduser("~root")

    def test_interpreter_tells_its_facts(self) -> None:
        """Our own: version, platform, and what the name of the folder for compiled code is made of."""
        pytest.importorskip("numpy")
        host, facts = query_interpreter(sys.executable), dict(query_interpreter(sys.executable).facts)
        assert host.python == PYTHON
        assert facts["python_version"] == platform.python_version()
        assert facts["platform"] == platform.platform()
        assert "release" not in facts

    @pytest.mark.parametrize(
        ("body", "words"), [("exit 3", "no message"), ("echo oh no >&2; exit 1", "oh no"), ("echo hi", "not a Python")]
    )
    def test_interpreter_that_fails(self, tmp_path: Path, body: str, words: str) -> None:
        """With the last line that it said."""
        program = tmp_path / "python"
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)
        with pytest.raises(UnreadableError, match=words) as caught:
            query_interpreter(str(program))
        assert caught.value.path == str(program)

    @pytest.mark.parametrize("path", ["/missing/python", "/"], ids=["missing", "folder"])
    def test_interpreter_that_cannot_be_started(self, path: str) -> None:
        """Not there, or no program."""
        with pytest.raises(UnreadableError, match="cannot be started"):
            query_interpreter(path)


RELEASES = [
    pytest.param("5.4.0-42-generic", "Linux-5.4.0-42-generic-x86_64", "Linux-5.4--generic-x86_64", id="ubuntu"),
    pytest.param("3.10.0-957.el7.x86_64", "Linux-3.10.0-957.el7.x86_64-x86_64", "Linux-3.10-el7.x86_64-x86_64", id="centos"),
    pytest.param("6.1.0", "Linux-6.1.0-x86_64", "Linux-6.1.0-x86_64", id="nothing behind the number"),
    pytest.param("10", "Windows-10-10.0.19041", "Windows-10-10.0.19041", id="windows"),
    pytest.param("6.1-rc1", "Linux-6.1-rc1-x86_64", "Linux-6.1-rc1-x86_64", id="two numbers"),
]


@pytest.mark.parametrize(("release", "whole", "short"), RELEASES)
def test_short_platform(release: str, whole: str, short: str) -> None:
    """Without what changes at each update of the kernel."""
    assert short_platform(release, whole) == short
