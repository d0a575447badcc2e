"""The line on stderr: silent for what is quick, one line into a file or pipe, a counter on a terminal that is wiped at the end."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

import pytest

from ..interpreters import ROOT

PROGRAM = """
import sys, time
from theanodiag.cli.progress import Progress
with Progress("running model.py", again={again}) as progress:
    time.sleep({seconds})
    {last}
print("done")
"""


def command(seconds: float, last: str = "pass", again: float = 60) -> list[str]:
    """A program that takes so long; `last` is what it does then."""
    return [sys.executable, "-c", PROGRAM.format(seconds=seconds, last=last, again=again)]


def piped(seconds: float, last: str = "pass", again: float = 60) -> subprocess.CompletedProcess[str]:
    """Runs it with stderr in a pipe."""
    return subprocess.run(command(seconds, last, again), cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


def on_terminal(seconds: float, last: str = "pass") -> bytes:
    """Runs it with stderr on a terminal of its own, and gives what the terminal got."""
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb", buffering=0) as terminal:
        subprocess.run(command(seconds, last), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=theirs, timeout=60, check=True)
        os.write(theirs, b"END")
        os.close(theirs)
        got = b""
        while not got.endswith(b"END"):
            got += terminal.read(4096)
    return got.removesuffix(b"END")


def test_quick_work_is_silent() -> None:
    """Nothing is said below a second."""
    done = piped(0)
    assert (done.stdout, done.stderr) == ("done\n", "")


@pytest.mark.parametrize("seconds", [1.5, 2.6])
def test_pipe_gets_one_line(seconds: float) -> None:
    """However long it takes, and nothing that moves a cursor."""
    done = piped(seconds)
    assert done.stderr == "theanodiag: running model.py...\n"
    assert done.stdout == "done\n"


def test_pipe_hears_again_of_long_work() -> None:
    """After two seconds and four, but not after three: a log stays short."""
    done = piped(5.5, again=2)
    lines = done.stderr.splitlines()
    assert lines[0] == "theanodiag: running model.py..."
    assert [re.fullmatch(r"theanodiag: running model\.py\.\.\. \d s", line) is not None for line in lines[1:]] == [True] * 2


def test_pipe_gets_a_line_for_each_step() -> None:
    """Of work in steps, each that takes a second is named once."""
    done = piped(1.8, 'progress.doing("running other.py"); time.sleep(2.4)')
    assert done.stderr == "theanodiag: running model.py...\ntheanodiag: running other.py...\n"


def test_terminal_shows_the_step() -> None:
    """Also one that begins after the line stands."""
    got = on_terminal(1.5, 'progress.doing("trying its code"); time.sleep(2.5)')
    assert b"running model.py... 1 s" in got
    assert b"\rtheanodiag: trying its code... " in got


def test_error_ends_the_line_and_goes_on() -> None:
    """What the work raises is not swallowed, and the process ends."""
    done = piped(0, "raise SystemExit(7)")
    assert (done.returncode, done.stdout, done.stderr) == (7, "", "")


def test_terminal_counts_and_is_wiped() -> None:
    """The seconds go up in one line, of which nothing is left."""
    got = on_terminal(5.4)
    assert b"\n" not in got
    seconds = [int(n) for n in re.findall(rb"\rtheanodiag: running model\.py\.\.\. (\d+) s", got)]
    assert len(seconds) >= 2  # more, but on a machine that is too busy to count each
    assert seconds == sorted(set(seconds))
    assert got.endswith(b"\r\x1b[K")


def test_terminal_is_left_alone_by_quick_work() -> None:
    """Not even the line is wiped, where there may be something of the user's."""
    assert on_terminal(0) == b""


def test_what_is_printed_meanwhile_has_lines_of_its_own() -> None:
    """The line is wiped before it, and comes again after it; in the end nothing of it is left."""
    said = 'progress.between(lambda text: print(text, file=sys.stderr, flush=True))("epoch 1"); time.sleep(2.5)'
    got = on_terminal(2.0, said)
    before, after = got.split(b"epoch 1\r\n")
    assert before.endswith(b" s\r\x1b[K")
    assert after.startswith(b"\rtheanodiag: running model.py... ")
    assert after.endswith(b"\r\x1b[K")


def test_terminal_shows_what_stands_aside() -> None:
    """After the seconds."""
    got = on_terminal(1.5, "progress.aside = lambda: ', line 12'; time.sleep(2.5)")
    assert re.search(rb"\rtheanodiag: running model\.py\.\.\. \d+ s, line 12", got)
