"""SECURITY.md's second table, held against the system calls of every command that reads, over a repository of traps."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import traps
from tests.interpreters import ROOT

ENTRY = "import sys; sys.path.pop(0); from theanodiag.cli.start import main; sys.exit(main())"
"""What the console script does: its own folder, not the working folder, is on the path."""
READS = (
    *("scan .", "scan . --jobs 2", "scan . --no-cache --jobs 2", "scan . --format json", "port .", "port . --diff", "port . --check"),
    *(
        "config check .theanorc",
        "config check run.sh",
        "config check zero.theanorc",
        "config check fifo.theanorc",
        "config check large.theanorc",
    ),
    *(
        "config show",
        "config rewrite .theanorc --to pytensor",
        "graph graph.txt",
        "graph zero.txt",
        "graph fifo.txt",
        "explain-log job.log",
    ),
    *("explain-log zero.log", "explain-log fifo.log", "weights model.pkl", "weights state.pkl", "weights zero.pkl", "weights fifo.pkl"),
    *("weights large.pkl", "scan messages --no-cache", "diff zero.log fifo.log", "rules", "explain TD301", "completion bash"),
)
CALLS = (
    "open,openat,creat,execve,mkdir,mkdirat,unlink,unlinkat,rename,renameat,renameat2,symlink,symlinkat,link,linkat,"
    "truncate,chmod,fchmodat,chown,fchownat,mknod,mknodat,connect,bind"
)
WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND")
ALWAYS = ("/dev/null", "/dev/tty")
ROWS = [[cell.strip() for cell in line.split("|")[1:-1]] for line in (ROOT / "SECURITY.md").read_text(encoding="utf-8").splitlines()]
TABLE = {name.strip("`"): row[1:] for row in ROWS if len(row) == 5 for name in row[0].split(", ")}
"""What each command reads, writes, starts and connects to."""
BUSY = (
    "scan slow --no-cache --jobs 2",
    "scan slow --no-cache --jobs 1",
    "port slow",
    "graph -",
    "explain-log -",
    "weights slow.pkl",
)


class Place:
    """The repository, a folder outside it, and a home and a temporary folder of one's own."""

    def __init__(self, top: Path) -> None:
        self.top, self.repository, self.outside = top, top / "repository", top / "outside"
        self.home, self.temporary = top / "home", top / "tmp"
        for folder in (self.repository, self.outside, self.home, self.temporary):
            folder.mkdir()
        self.traps = traps.build(self.repository, self.outside)
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "TMPDIR": str(self.temporary),
            "PYTHONPATH": str(ROOT),
            "LC_ALL": "C.UTF-8",
        }
        self.env["PYTHONDONTWRITEBYTECODE"] = "1"

    def state(self) -> list[tuple[str, int, int, int]]:
        """All that is in and outside the repository, with sizes and times."""
        found = []
        for top in (self.repository, self.outside):
            for folder, folders, names in os.walk(top):
                for path in (os.path.join(folder, name) for name in (*folders, *names)):
                    status = os.lstat(path)
                    found.append((path, status.st_mode, status.st_size, status.st_mtime_ns))
        return sorted(found)

    def allowed(self, cell: str) -> tuple[str, ...]:
        """The folders that a cell of the table names."""
        return (
            *ALWAYS,
            *([str(self.home / ".cache")] if "cache folder" in cell else []),
            *([str(self.temporary), "/dev/shm"] if "temporary" in cell else []),
        )


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    """One for all commands: none of them may change it."""
    top = Path(tempfile.mkdtemp(prefix="traps-"))
    top.chmod(0o755)
    yield Place(top)
    shutil.rmtree(top)


def row_of(words: list[str]) -> list[str]:
    """The cells about a command line."""
    return TABLE[" ".join(words[:2])] if words[0] == "config" else TABLE[words[0]]


def calls(log: Path) -> list[tuple[str, list[str]]]:
    """Name and paths of each call that did something; paths relative to a descriptor come whole."""
    found = []
    lines = [line for file in log.parent.glob(f"{log.name}.*") for line in file.read_text(errors="replace").splitlines()]
    for line in lines:
        told = re.match(r"(?:\d+ +)?(\w+)\((.*)\) += (?:0|[1-9]\d*)", line)
        if told and (told[1] not in ("open", "openat") or WRITES.search(told[2])):
            bases = re.findall(r"(?:AT_FDCWD|\d+)<([^>]*)>, \"((?:[^\"\\]|\\.)*)\"", told[2])
            paths = [os.path.normpath(os.path.join(*pair)) for pair in bases] or re.findall(r'"((?:[^"\\]|\\.)*)"', told[2])
            found.append((told[1], paths if told[1] != "execve" else paths[:1]))
    return found


def test_there_are_enough_traps(place: Place) -> None:
    """Of all kinds."""
    assert place.traps >= 60


def traced(log: Path) -> list[str]:
    """The command in front that lists what each process does in a file of its own."""
    return ["strace", "-ff", "-qq", "-y", "-z", "-s", "5000", "-e", f"trace={CALLS}", "-o", str(log)]


@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
def test_what_is_done_is_seen(tmp_path: Path) -> None:
    """A file and a folder that are made, a program that is started, an address that is connected to."""
    work = "open('made', 'w'); os.mkdir('folder'); s = socket.create_server(('127.0.0.1', 0)); subprocess.run(['/bin/true'])"
    command = [*traced(tmp_path / "calls"), sys.executable, "-I", "-c", f"import os, socket, subprocess; {work}"]
    subprocess.run(command, cwd=tmp_path, check=True)
    did = calls(tmp_path / "calls")
    assert [name for name, _ in did if name in ("bind", "execve")].count("execve") == 2
    assert "bind" in [name for name, _ in did]
    assert {str(tmp_path / "made"), "folder"} <= {path for _, paths in did for path in paths}


@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
@pytest.mark.parametrize("line", READS)
def test_the_table_holds(place: Place, line: str, tmp_path: Path) -> None:
    """Nothing is written, started or connected to but what the table says of the command."""
    before, log, words = place.state(), tmp_path / "calls", line.split()
    command = [*traced(log), sys.executable, "-c", ENTRY, *words]
    done = subprocess.run(
        command, cwd=place.repository, env=place.env, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False
    )
    assert done.returncode in (0, 1, 3), done.stderr
    assert b"Traceback" not in done.stderr
    _, writes, starts, connects = row_of(words)
    did = calls(log)
    started = [paths for name, paths in did if name == "execve"]
    assert len(started) >= 1
    assert started[1:] == [] or not starts.startswith("nothing")
    assert [paths for name, paths in did if name in ("connect", "bind")] == [] or not connects.startswith("nothing")
    changed = [path for name, paths in did if name not in ("execve", "connect", "bind") for path in paths]
    assert [path for path in changed if not path.startswith(place.allowed(writes))] == []
    assert place.state() == before


def test_moving_a_repository_of_traps_changes_that_alone(tmp_path: Path) -> None:
    """`port --write` writes through no link, starts no filter or hook of its git configuration, and moves its other files."""
    place = Place(tmp_path)
    outside = [entry for entry in place.state() if not entry[0].startswith(str(place.repository))]
    command = [sys.executable, "-c", ENTRY, "port", ".", "--write", "--force"]
    done = subprocess.run(
        command, cwd=place.repository, env=place.env, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False
    )
    assert done.returncode in (1, 3), done.stderr  # some cannot be read, some not be written
    assert b"Traceback" not in done.stderr
    assert [entry for entry in place.state() if not entry[0].startswith(str(place.repository))] == outside
    assert "import os, pytensor" in (place.repository / "conftest.py").read_text()


def as_nobody() -> list[str]:
    """The command in front that gives up root's rights; skips the test where that, or what is to run, cannot be done."""
    if os.getuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("needs root, and setpriv")
    command = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    env = {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]}
    if subprocess.run([*command, sys.executable, "-c", "import theanodiag, rich"], env=env, capture_output=True, check=False).returncode:
        pytest.skip("another user cannot read this Python")
    return command


@pytest.mark.parametrize("line", READS)
def test_another_user(place: Place, line: str) -> None:
    """Who can read the repository and write nothing: the same ends, and no traceback."""
    before = place.state()
    command = [*as_nobody(), sys.executable, "-c", ENTRY, *line.split()]
    done = subprocess.run(
        command, cwd=place.repository, env=place.env, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False
    )
    assert done.returncode in (0, 1, 3), done.stderr
    assert b"Traceback" not in done.stderr
    assert place.state() == before


def _catches(pid: int, number: signal.Signals) -> bool:
    """Whether the process has a handler of its own for a signal; on a busy machine Python takes seconds to get there."""
    status = Path(f"/proc/{pid}/status").read_text()
    caught = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(caught, 16) >> (number - 1) & 1)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("line", BUSY)
def test_it_ends_when_it_is_told_to(tmp_path: Path, number: signal.Signals, line: str) -> None:
    """In the middle of its work, with all its processes and temporary files, and without a traceback."""
    (tmp_path / "slow").mkdir()
    (tmp_path / "tmp").mkdir()
    slow = "import theano\n" + "".join(f"x{k} = theano.tensor.sqr(x{k - 1})\n" for k in range(1, 60000))
    for name in ("a", "b", "c"):
        (tmp_path / "slow" / f"{name}.py").write_text(slow)
    (tmp_path / "slow.pkl").write_bytes(b"N0" * 20_000_000 + b"N.")
    env = {
        **os.environ,
        "TMPDIR": str(tmp_path / "tmp"),
        "PYTHONPATH": str(ROOT),
        "HOME": str(tmp_path),
        "THEANODIAG_TEST_MARK": tmp_path.name,
    }
    command = [sys.executable, "-c", ENTRY, *line.split()]
    told = (tmp_path / "told").open("wb")
    process = subprocess.Popen(command, cwd=tmp_path, env=env, stdin=subprocess.PIPE, stdout=told, stderr=told, start_new_session=True)
    began = time.monotonic()
    while not _catches(process.pid, signal.SIGHUP) and time.monotonic() - began < 60:
        time.sleep(0.1)
    time.sleep(1)  # it has begun to work
    assert process.poll() is None
    began = time.monotonic()
    process.send_signal(number)
    assert process.wait(30) == 128 + number
    mark = f"THEANODIAG_TEST_MARK={tmp_path.name}".encode()
    while (left := [*_marked(mark), *(tmp_path / "tmp").iterdir()]) and time.monotonic() - began < 30:
        time.sleep(0.1)
    told.close()
    assert left == []
    assert b"Traceback" not in (tmp_path / "told").read_bytes()


LOSES = """
import os, signal, sys, time
from theanodiag.cli import rules, start

class Loses:
    def __del__(self):
        os.kill(os.getpid(), NUMBER)
        time.sleep(0.1)

def run(args):
    Loses()
    while True:
        time.sleep(0.1)

rules.run = run
sys.argv[1:] = ["rules"]
sys.exit(start.main())
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_where_python_drops_the_exception(number: signal.Signals) -> None:
    """One that is raised in a destructor, or in a callback of an import, comes to nobody."""
    command = [sys.executable, "-c", LOSES.replace("NUMBER", str(int(number)))]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, timeout=20, check=False)
    assert b"Traceback" not in done.stderr
    assert done.returncode == 128 + number


def test_an_interrupt_while_modules_are_imported_prints_nothing() -> None:
    """Python itself prints a traceback."""
    finder = (
        "type('Finder', (), {'find_spec': lambda self, name, *rest: os.kill(os.getpid(), 2) if name == 'theanodiag.cli.main' else None})"
    )
    program = f"import os, sys; from theanodiag.cli.start import main; sys.meta_path.insert(0, {finder}()); main()"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, timeout=20, check=False)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, b"")


def _marked(mark: bytes) -> list[str]:
    found = []
    for entry in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark in entry.read_bytes():
                found.append(str(entry))
        except OSError:
            continue
    return found


ASKED = """#!/bin/sh
case "$*" in *{answers}*) echo theanodiag 3.11.2; exit;; esac
echo $$ > {top}/started
sleep 600 &
sleep 600
"""
"""An interpreter that says its version, where it is asked to by the words `answers`, and else starts another program and does not end."""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize(("line", "answers"), [
    ("export model.py --function f -o made --python ./python", "-S"),
    ("config show rc --python ./python", "-S"),
    ("config show rc --python ./python", "nothing"),
    ("check model.py --python ./python", "nothing"),
])  # fmt: skip
def test_an_interpreter_ends_with_the_command_that_started_it(tmp_path: Path, line: str, answers: str, number: signal.Signals) -> None:
    """With what it started, and with no temporary folder left, even where the command itself is killed."""
    (tmp_path / "model.py").write_text("import theano\n")
    (tmp_path / "rc").write_text("[global]\nfloatX = float32\n")
    (tmp_path / "python").write_text(ASKED.format(answers=answers, top=tmp_path))
    (tmp_path / "python").chmod(0o755)
    (tmp_path / "tmp").mkdir()
    env = {**os.environ, "TMPDIR": str(tmp_path / "tmp"), "PYTHONPATH": str(ROOT), "THEANODIAG_TEST_MARK": tmp_path.name}
    command = [sys.executable, "-c", ENTRY, *line.split()]
    nowhere = subprocess.DEVNULL
    process = subprocess.Popen(command, cwd=tmp_path, env=env, stdin=nowhere, stdout=nowhere, stderr=nowhere)
    until = time.monotonic() + 60
    while not (tmp_path / "started").exists() and time.monotonic() < until:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(number)
    assert process.wait(60) == (128 + number if number == signal.SIGTERM else -number)
    mark, until = f"THEANODIAG_TEST_MARK={tmp_path.name}".encode(), time.monotonic() + 60
    while (left := [*_marked(mark), *(tmp_path / "tmp").iterdir()]) and time.monotonic() < until:
        time.sleep(0.1)
    assert left == []
