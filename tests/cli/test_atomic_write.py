"""The atomic writer: the old file or the new one, whatever happens; mode, owner and links as they were."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.interpreters import ROOT
from theanodiag.cli.atomic_write import MARK, STALE, require_writable, write_atomically
from theanodiag.cli.main import main
from theanodiag.errors import ExitCode, UnreadableError

WRITER = """
import os, sys
from theanodiag.cli.atomic_write import write_atomically
path, backup, texts = sys.argv[1], sys.argv[2] == "backup", [t.encode() * 20000 for t in sys.argv[3:]]
print("ready", flush=True)
while True:
    for text in texts:
        try:
            kept = write_atomically(path, text, before=open(path, "rb").read(), backup=backup)
            if kept:
                os.unlink(kept)
        except Exception:
            pass
"""
"""Writes the given letters over and over, with backups that it takes away again, until it is killed."""

LIMITED = """
import resource, signal, sys
from theanodiag.cli.atomic_write import write_atomically
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
write_atomically(sys.argv[1], b"x" * 5000, before=open(sys.argv[1], "rb").read())
"""
"""Writes more than the process may: what a full disk does."""

AS_NOBODY = """
import os, sys
from theanodiag.cli.atomic_write import write_atomically
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
write_atomically(sys.argv[1], b"new", before=b"old")
"""


def run(program: str, *args: str) -> subprocess.CompletedProcess[str]:
    """Runs a program of ours."""
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run([sys.executable, "-c", program, *args], env=environ, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def rc(tmp_path: Path) -> Path:
    """A file with `old` in it."""
    path = tmp_path / ".theanorc"
    path.write_bytes(b"old")
    return path


class TestWriting:
    """What a write leaves."""

    def test_content_is_replaced_and_nothing_else_is_left(self, rc: Path) -> None:
        """The folder holds the file alone."""
        write_atomically(str(rc), b"new", before=b"old")
        assert [(p.name, p.read_bytes()) for p in rc.parent.iterdir()] == [(".theanorc", b"new")]

    def test_mode_is_kept(self, rc: Path) -> None:
        """Also an unusual one."""
        rc.chmod(0o640)
        write_atomically(str(rc), b"new", before=b"old")
        assert rc.stat().st_mode & 0o7777 == 0o640

    @pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
    def test_owner_is_kept(self, rc: Path) -> None:
        """Root edits a user's file and it stays the user's."""
        os.chown(rc, 1234, 2345)
        write_atomically(str(rc), b"new", before=b"old")
        assert (rc.stat().st_uid, rc.stat().st_gid) == (1234, 2345)

    def test_links_stay_links(self, rc: Path) -> None:
        """The file behind a chain of symbolic links is written."""
        (rc.parent / "one").symlink_to(rc.name)
        (rc.parent / "two").symlink_to("one")
        write_atomically(str(rc.parent / "two"), b"new", before=b"old")
        assert (rc.parent / "two").is_symlink()
        assert (rc.parent / "one").is_symlink()
        assert rc.read_bytes() == b"new"

    def test_new_file_has_the_usual_mode(self, tmp_path: Path) -> None:
        """As if an editor had made it."""
        mask = os.umask(0o027)
        try:
            write_atomically(str(tmp_path / "rc"), b"new", before=None)
        finally:
            os.umask(mask)
        assert (tmp_path / "rc").stat().st_mode & 0o777 == 0o640

    def test_old_remains_of_killed_writers_are_cleared(self, rc: Path) -> None:
        """Only those that nobody can be writing any more."""
        old, young = (rc.parent / f".{rc.name}{MARK}{name}" for name in ("old", "young"))
        old.touch()
        young.touch()
        os.utime(old, (0, time.time() - STALE - 10))
        write_atomically(str(rc), b"new", before=b"old")
        assert (old.exists(), young.exists()) == (False, True)

    def test_backups_do_not_overwrite_each_other(self, rc: Path) -> None:
        """Each has a name of its own and the content that the file had."""
        (rc.parent / ".theanorc.bak1").symlink_to("nowhere")
        steps = [(b"1", b"old"), (b"2", b"1"), (b"3", b"2")]
        names = [write_atomically(str(rc), new, before=before, backup=True) for new, before in steps]
        assert [Path(n or "").name for n in names] == [".theanorc.bak", ".theanorc.bak2", ".theanorc.bak3"]
        assert [Path(n or "").read_bytes() for n in names] == [b"old", b"1", b"2"]

    def test_a_backup_has_the_mode_of_the_file(self, rc: Path) -> None:
        """Nobody can read in it what he could not read before."""
        rc.chmod(0o600)
        kept = write_atomically(str(rc), b"new", before=b"old", backup=True)
        assert Path(kept or "").stat().st_mode & 0o7777 == 0o600

    def test_a_new_file_needs_no_backup(self, tmp_path: Path) -> None:
        """There is nothing to keep."""
        assert write_atomically(str(tmp_path / "rc"), b"new", before=None, backup=True) is None
        assert [p.name for p in tmp_path.iterdir()] == ["rc"]


class TestRefusing:
    """When nothing is written."""

    def test_file_that_changed_meanwhile_is_left_alone(self, rc: Path) -> None:
        """Someone else's change is not lost."""
        with pytest.raises(UnreadableError, match="changed by someone else"):
            write_atomically(str(rc), b"new", before=b"older")
        assert [p.read_bytes() for p in rc.parent.iterdir()] == [b"old"]

    def test_nothing_written_leaves_no_backup(self, rc: Path) -> None:
        """A copy of what was never replaced would be taken for the file before a change."""
        with pytest.raises(UnreadableError, match="changed by someone else"):
            write_atomically(str(rc), b"new", before=b"older", backup=True)
        rc.chmod(0o444)
        with pytest.raises(UnreadableError, match="read-only"):  # for root too
            write_atomically(str(rc), b"new", before=b"old", backup=True)
        assert [p.name for p in rc.parent.iterdir()] == [".theanorc"]

    def test_names_of_one_file_are_not_parted(self, rc: Path) -> None:
        """A file with a second hard link is refused, with what to do."""
        os.link(rc, rc.parent / "dotfiles")
        with pytest.raises(UnreadableError, match=r"the file has 2 names \(hard links\)"):
            write_atomically(str(rc), b"new", before=b"old")
        assert {p.read_bytes() for p in rc.parent.iterdir()} == {b"old"}

    @pytest.mark.parametrize("before", [None, b"", b"old"])
    def test_what_is_no_file_stays_what_it_is(self, tmp_path: Path, before: bytes | None) -> None:
        """A pipe, a folder, a socket and a link to a device are not replaced by a file."""
        os.mkfifo(tmp_path / "pipe")
        (tmp_path / "folder").mkdir()
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(tmp_path / "socket"))
        (tmp_path / "device").symlink_to("/dev/null")
        kinds = {p.name: p.stat().st_mode for p in tmp_path.iterdir()}
        for name in kinds:
            with pytest.raises(UnreadableError, match=r"this is a (pipe|folder|socket|device), not a file|Is a directory"):
                write_atomically(str(tmp_path / name), b"new", before=before)
            with pytest.raises(UnreadableError):
                require_writable(str(tmp_path / name))
        assert {p.name: p.stat().st_mode for p in tmp_path.iterdir()} == kinds

    @pytest.mark.parametrize("name", ["new/", "new/.", "new/.."])
    def test_the_name_of_a_folder_makes_no_file(self, tmp_path: Path, name: str) -> None:
        """A slash at the end says that a folder is meant."""
        with pytest.raises(UnreadableError, match="Is a directory"):
            write_atomically(f"{tmp_path}/{name}", b"new", before=None)
        assert list(tmp_path.iterdir()) == []

    def test_full_disk_leaves_the_old_file(self, rc: Path) -> None:
        """The half-written temporary file is removed."""
        done = run(LIMITED, str(rc))
        assert "cannot be written: File too large; the file is as it was" in done.stderr
        assert [p.read_bytes() for p in rc.parent.iterdir()] == [b"old"]

    @pytest.mark.parametrize("what", ["folder", "file"])
    def test_read_only_is_respected(self, tmp_path: Path, what: str) -> None:
        """A folder that one may not write to, and a file that one may not write though one may replace it."""
        place = tmp_path / "place"
        place.mkdir()
        (place / "rc").write_bytes(b"old")
        for parent in (*tmp_path.parents, tmp_path):
            if parent.stat().st_uid == os.getuid() and parent != Path("/"):
                parent.chmod(parent.stat().st_mode | 0o755)
        place.chmod(0o555 if what == "folder" else 0o777)
        (place / "rc").chmod(0o666 if what == "folder" else 0o444)
        done = run(AS_NOBODY, str(place / "rc"))
        assert "Permission denied" in done.stderr or "read-only" in done.stderr
        assert [p.read_bytes() for p in place.iterdir()] == [b"old"]


class TestBeforehand:
    """Whether a file can be written is asked before the long work whose result goes there."""

    @pytest.mark.parametrize(("place", "reason"), [("missing/rc", "No such file or directory"), (".", "a folder, not a file")])
    def test_what_cannot_be_written_is_refused(self, tmp_path: Path, place: str, reason: str) -> None:
        """With what the system says."""
        with pytest.raises(UnreadableError, match=reason):
            require_writable(str(tmp_path / place))

    def test_what_can_be_written_is_not_touched(self, rc: Path) -> None:
        """An old file and a new one."""
        require_writable(str(rc))
        require_writable(str(rc.parent / "new"))
        assert [p.read_bytes() for p in rc.parent.iterdir()] == [b"old"]

    def test_check_asks_before_it_runs_the_script(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """The script leaves no trace."""
        (tmp_path / "model.py").write_text("open(__file__ + '.ran', 'w')\n", encoding="utf-8")
        assert main(["check", str(tmp_path / "model.py"), "--fix", str(tmp_path / "missing" / "rc")]) == ExitCode.UNREADABLE
        assert "cannot be written" in capsys.readouterr().err
        assert [p.name for p in tmp_path.iterdir()] == ["model.py"]


class TestKilled:
    """Writers that end in the middle, and two at once."""

    @pytest.mark.parametrize("backup", [False, True])
    def test_kill_at_any_moment_leaves_a_whole_file(self, rc: Path, backup: bool) -> None:
        """Forty writers are killed with SIGKILL at random moments; the file and each backup is always one of the texts."""
        rc.write_bytes(b"a" * 20000)
        chance = random.Random(7)
        for _ in range(40):
            process = start(rc, "a", "b", "c", backup=backup)
            time.sleep(chance.uniform(0, 0.02))
            process.send_signal(signal.SIGKILL)
            process.wait()
            assert all(whole(p.read_bytes()) for p in (rc, *rc.parent.glob("*.bak*")))

    def test_two_writers_never_mix(self, rc: Path) -> None:
        """While two processes write without a pause, every reader sees one text or another, whole."""
        rc.write_bytes(b"a" * 20000)
        writers = [start(rc, "a", "b"), start(rc, "c", "d")]
        seen = set()
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            data = rc.read_bytes()
            assert whole(data)
            seen.add(data[:1])
        for process in writers:
            process.kill()
            process.wait()
        assert len(seen) > 1

    def test_of_several_new_files_the_first_stays(self, tmp_path: Path) -> None:
        """Six threads create one file: one of them does, and it has its text; the others are told, and leave nothing behind."""
        for number in range(30):
            path, done = tmp_path / f"new{number}", list[bytes]()
            together = threading.Barrier(6)

            def create(text: bytes, path: Path = path, done: list[bytes] = done, together: threading.Barrier = together) -> None:
                together.wait()
                with contextlib.suppress(UnreadableError):
                    write_atomically(str(path), text, before=None)
                    done.append(text)

            threads = [threading.Thread(target=create, args=(b"%d" % k,)) for k in range(6)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert done == [path.read_bytes()]
        assert len(list(tmp_path.iterdir())) == 30


def start(path: Path, *letters: str, backup: bool = False) -> subprocess.Popen[str]:
    """A writer that is at work."""
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", WRITER, str(path), "backup" if backup else "alone", *letters]
    process = subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    process.stdout.readline()
    return process


def whole(data: bytes) -> bool:
    """Whether it is one letter, all of it."""
    return len(data) == 20000 and len(set(data)) == 1
