"""`-o FILE` and formats that are binary, as users run them."""

from __future__ import annotations

import os
import pickle
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.run import theanodiag
from tests.cli.test_graph import SHAPES, TEXT
from tests.interpreters import ROOT, find

FOOTER = re.compile("<footer>.*</footer>")


@pytest.fixture
def paste(tmp_path: Path) -> str:
    """A file with a printed graph in it."""
    (tmp_path / "paste.txt").write_text(TEXT, encoding="utf-8")
    return str(tmp_path / "paste.txt")


@pytest.mark.parametrize("format", ["text", "json", "html", "sarif", "perfetto", "collapsed"])
def test_a_file_has_what_standard_output_would(format: str, paste: str, tmp_path: Path) -> None:
    """The same text but for the command that a page names, nothing on standard output, and the verdict on stderr; the exit code stays."""
    plain = theanodiag("graph", paste, *SHAPES, "--gpu", "1MiB", "--format", format)
    done = theanodiag("graph", paste, *SHAPES, "--gpu", "1MiB", "--format", format, "-o", str(tmp_path / "report"))
    assert (done.returncode, done.stdout) == (plain.returncode, "") == (53, "")
    written = (tmp_path / "report").read_text(encoding="utf-8")
    assert FOOTER.sub("", written) == FOOTER.sub("", plain.stdout)
    verdict = done.stderr.splitlines()[-1]
    assert verdict.startswith("theanodiag: DOES NOT FIT on 1MiB: ")
    assert verdict.endswith(f"; report in {tmp_path / 'report'}")
    assert (f"--gpu 1MiB --format html -o {tmp_path / 'report'}</code>" in written) == (format == "html")


def test_a_script_that_failed_is_named_beside_the_verdict(tmp_path: Path) -> None:
    """The exception stands in the line on the terminal too."""
    (tmp_path / "model.py").write_text("import theano\nraise ValueError('no data')\n", encoding="utf-8")
    done = theanodiag("check", "model.py", "--python", find("theano"), "--format", "json", "-o", "report.json", cwd=tmp_path)
    assert done.returncode == 3
    expected = "theanodiag: no compiled function was found; the script failed: ValueError: no data; report in report.json"
    assert done.stderr.splitlines()[-1] == expected


def graph(paste: str, *options: str, stdout: int = subprocess.PIPE) -> subprocess.CompletedProcess[bytes]:
    """The command with its output as bytes."""
    command = [sys.executable, "-m", "theanodiag", "graph", paste, *SHAPES, "--format", "memory-viz", *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, env=environment, stdout=stdout, stderr=subprocess.PIPE, timeout=120, check=False)


def test_a_report_in_text_imports_nothing_of_the_pages(paste: str) -> None:
    """jinja2 and msgspec are imported, and the simulation recorded, only where a format asks for it."""
    program = (
        "import sys; from theanodiag.cli.main import main; main(sys.argv[1:]); "
        "print([m for m in ('jinja2', 'msgspec', 'theanodiag.report.event_timeline', 'theanodiag.report.html') if m in sys.modules])"
    )
    command = [sys.executable, "-c", program, "graph", paste, *SHAPES]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_bytes_go_through_a_pipe_and_into_a_file(paste: str, tmp_path: Path) -> None:
    """A snapshot is the same both ways."""
    piped = graph(paste).stdout
    assert pickle.loads(piped)["device_traces"]
    graph(paste, "-o", str(tmp_path / "snapshot.pickle"))
    assert (tmp_path / "snapshot.pickle").read_bytes() == piped


def test_bytes_do_not_go_to_a_terminal(paste: str) -> None:
    """They would do to it what nobody knows: a wrong usage that says what to do."""
    ours, theirs = pty.openpty()
    try:
        done = graph(paste, stdout=theirs)
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.returncode == 2
    assert b"-o FILE" in done.stderr


def test_a_file_that_was_there_is_replaced_whole_or_stays(paste: str, tmp_path: Path) -> None:
    """Its mode stays; where the report cannot be written it keeps what it had, and the graph is not even read."""
    target = tmp_path / "report"
    target.write_text("old")
    target.chmod(0o640)
    assert theanodiag("graph", paste, *SHAPES, "-o", str(target)).returncode == 0
    assert target.read_text() != "old"
    assert target.stat().st_mode & 0o777 == 0o640
    done = theanodiag("graph", str(tmp_path / "missing.txt"), "-o", str(tmp_path / "nowhere" / "report"))
    assert done.returncode == 3
    assert "nowhere" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["/dev/null", "/dev/stdout"])
def test_a_device_takes_the_report(name: str, paste: str) -> None:
    """It is written into, and not replaced."""
    done = theanodiag("graph", paste, *SHAPES, "--gpu", "1MiB", "-o", name)
    assert (done.returncode, done.stderr) == (53, "")
    assert ("DOES NOT FIT" in done.stdout) == (name == "/dev/stdout")


def test_a_pipe_takes_the_report(paste: str, tmp_path: Path) -> None:
    """One that somebody reads from."""
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["cat", str(tmp_path / "pipe")], stdout=subprocess.PIPE) as reader:
        assert theanodiag("graph", paste, *SHAPES, "--gpu", "1MiB", "-o", str(tmp_path / "pipe")).returncode == 53
        assert b"DOES NOT FIT" in reader.communicate(timeout=60)[0]


def test_a_full_device_is_an_error(paste: str) -> None:
    """With the reason, exit code 3."""
    done = theanodiag("graph", paste, *SHAPES, "-o", "/dev/full")
    assert done.returncode == 3
    assert "/dev/full: cannot be written: No space left on device" in done.stderr


def test_a_report_never_replaces_what_is_read(tmp_path: Path) -> None:
    """By whatever path it is named; nor a source, which `-o *.py` would name first. Nothing is written."""
    for name in ("job.log", "before.json", "known.json", "a.py", "b.py", "c.ipynb"):
        (tmp_path / name).write_text("MemoryError: Unable to allocate 1.00 GiB for an array\n", encoding="utf-8")
    (tmp_path / "link").symlink_to("job.log")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for words in (
        ("explain-log", "job.log", "-o", "job.log"),
        ("explain-log", "link", "-o", str(tmp_path / "job.log")),
        ("explain-log", "job.log", "-o", "link"),
        ("graph", "job.log", "-o", "./job.log"),
        ("diff", "before.json", "job.log", "-o", "before.json"),
        ("scan", ".", "--baseline", "known.json", "-o", "known.json", "--no-cache"),
        ("config", "check", "job.log", "-o", "job.log"),
        ("check", "-o", "a.py", "b.py"),
        ("check", "b.py", "--log", "job.log", "-o", "job.log"),
        ("scan", ".", "-o", "c.ipynb", "--no-cache"),
    ):
        done = theanodiag(*words, cwd=str(tmp_path))
        assert (done.returncode, "the report would replace it" in done.stderr) == (2, True), (words, done.stderr)
    for command in ("explain-log", "graph"):
        done = theanodiag(command, "-", "-o", "job.log", cwd=str(tmp_path), stdin=tmp_path / "job.log")
        assert (done.returncode, "the report would replace it" in done.stderr) == (2, True), (command, done.stderr)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
