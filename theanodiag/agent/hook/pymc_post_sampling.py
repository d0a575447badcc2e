"""Measures the memory of the script's own code after a sampling call: it runs on a few draws under tracemalloc.

At the first result with many draws the process is forked: children continue, with a few draws, with four times as many, and, where the
second was quick, with eight times as many. This gives the growth with the number of draws; with few draws another moment may be the highest
than with many, so the growth between the two largest numbers counts. Then the script itself continues, with all draws if those take little
memory and time, else with as many as the second child had. This run also gives what Python's record of its memory does not have, such as
libraries.

A child changes nothing outside itself: it has no output, writes into its own folder (`own_files.py`), and an audit hook (CPython 3.8) ends
it before it starts a program or opens a connection; the part of the script it was executing is then not reported. If no child is possible
(the threads of JAX do not survive a fork), only the script's own run is measured.
"""

import importlib
import json
import os
import resource
import select
import signal
import sys
import tempfile
import threading
import time
import warnings

from ..measure import meters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live
    from .session import HookSession

FEW, SEVERAL, MANY = 50, 4, 8
"""Draws of each chain in the first child, and how many times as many the second and the third one have."""
FEW_BYTES = 8 << 20
"""Maximum number of bytes of all chains' draws in the first child, if that is two draws or more. Where no child is possible, the script
gets all draws if they take at most that.
"""
ALL_BYTES, ALL_TAKE, ALL_SECONDS = 128 << 20, 256 << 20, 10.0
"""The script gets all draws if they, and what it does with them, take at most this many bytes each, and this many seconds of CPU time: with
few draws another moment may be the highest than with all (72 MiB by 50 and 100 draws for predictions of bambi, 95 with all 1000).
"""
SECONDS, OWN_SECONDS, QUICK = 120.0, 15, (5.0, 1.0)
"""Limits of a child in seconds of wall time and of CPU time; the second and the third child are forked only if the one before used at most
these seconds of CPU time.
"""
CHANGES = (
    "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.system", "os.posix_spawn", "os.fork",
    "os.forkpty", "os.exec", "os.spawn", "os.kill", "subprocess.Popen", "socket.connect", "socket.bind", "socket.sendto", "webbrowser.open",
    "sqlite3.connect", "pty.spawn",
)  # fmt: skip
"""Audit events of actions with effects outside the process."""


class After(object):
    """Measures the parts of the script that run after a sampling call."""

    def __init__(self, session: "HookSession") -> None:
        self.session = session
        self.most = None  # type: int | None  # draws of a chain that the script gets; None before the first result with many
        self.pipe = None  # type: int | None  # of a child, to its parent
        self.files = None  # type: Live  # in a child: the module that has what it writes
        self.part = None  # type: tuple[int, int] | None  # the part that runs: (number of the call before it, draws that it got)
        self.begun = None  # type: int | None  # resident bytes of the process when it began
        self.kept = 0  # bytes that ended parts have left in this process, which are reported as theirs

    @property
    def of_the_script(self) -> "int | None":
        """The number of the call whose result the script is processing; None before the first result and inside a call."""
        return None if self.part is None else self.part[0]

    def held(self, draws: int, chains: int, size: int) -> int:
        """Returns how many draws of each chain the script gets. `size` is the bytes of one draw of one chain."""
        if self.most is None:
            few = max(2, min(FEW, FEW_BYTES // max(1, size * chains)))
            if draws <= SEVERAL * few:  # a later call may make more
                return draws
            self.most = draws
            self._explore(draws, few, chains * size * draws)
        return min(draws, self.most)

    def _explore(self, draws: int, few: int, size: int) -> None:
        """Sets `most` from the children's measurements; inside a child, sets it to the child's number of draws."""
        if not can_fork():
            self.most = draws if size <= FEW_BYTES else SEVERAL * few
            return
        runs = []  # type: list[tuple[list[Live], str]]
        seconds = []  # type: list[tuple[int, float]]
        many = (MANY * few,) if MANY * few < draws and size * MANY * few <= ALL_BYTES * draws else ()  # type: tuple[int, ...]
        for count, quick in zip((few, SEVERAL * few) + many, QUICK + (0.0,)):
            begun = os.times()
            self.session.stream.step(of="trial", draws=count)
            one = self._child(count)
            if one is None:
                return
            runs.append(one)
            seconds.append((count, sum(os.times()[2:4]) - sum(begun[2:4])))
            if not one[1] or seconds[-1][1] > quick:
                break
        for rows, ending in runs:
            for row in rows[:-1] if ending == "failed" else rows:  # what failed had not done all
                self._emit(*row)
        little = runs[-1][1] != "" and size <= ALL_BYTES and all(n <= ALL_TAKE for n in expected(runs, draws))
        soon = extrapolated(seconds, draws) <= ALL_SECONDS
        self.most = draws if little and soon else SEVERAL * few

    def _child(self, count: int) -> "tuple[list[Live], str] | None":
        """(measured rows, how the child ended) of a child with `count` draws; None inside that child."""
        for file in (sys.stdout, sys.stderr):
            try:
                file.flush()
            except Exception:  # closed, or none
                pass
        reading, writing = os.pipe()
        with warnings.catch_warnings():  # CPython's about threads
            warnings.simplefilter("ignore")
            pid = os.fork()
        if pid:
            os.close(writing)
            text = read(reading, time.time() + SECONDS, pid)
            return parse_rows(text)
        os.close(reading)
        self.pipe, self.most = writing, count
        isolate(self.session.stream)
        self.files = importlib.import_module(__name__.rpartition(".")[0] + ".own_files")
        self.files.OwnFiles(tempfile.mkdtemp()).install()
        sys.addaudithook(self._audited)
        return None

    def _audited(self, event: str, args: "Live") -> None:
        if event == "open":
            path, mode, flags = args
            writes = flags & self.files.WRITES if isinstance(flags, int) else any(c in str(mode) for c in "wax+")
            if not writes or isinstance(path, int) or self.files.is_private(path):
                return
        elif event not in CHANGES or (args and event.startswith("os.") and self.files.is_private(args[0])):
            return
        os._exit(0)

    def begins(self, number: int, held: int) -> None:
        """Starts measuring, when the script gets the result of call `number`, with `held` draws."""
        self.ends()
        tracing = sys.modules.get("tracemalloc") or __import__("tracemalloc")
        if not tracing.is_tracing():
            self.part = (number, held)
            self.begun = meters.reset_peak()
            self.session.stream.step(of="own code", draws=held)
            tracing.start(1)

    def ends(self) -> None:
        """Stops measuring, when another call begins or the script ends."""
        part, self.part = self.part, None
        if part is None:
            return
        tracing = sys.modules["tracemalloc"]
        now, peak = tracing.get_traced_memory()
        untraced = self._rise() - tracing.get_tracemalloc_memory() - peak
        tracing.stop()
        self.kept += now
        self._emit(part[0], part[1], peak, now, max(0, untraced))

    def _rise(self) -> int:
        """Bytes by which resident memory was higher than at the begin; 0 in a child, which reads the pages of libraries anew."""
        highest = meters.resident()
        return 0 if self.pipe is not None or self.begun is None or highest is None else highest - self.begun

    def _emit(self, number: int, held: int, peak: int, kept: int, untraced: int) -> None:
        if self.pipe is not None:
            os.write(self.pipe, (json.dumps([number, held, peak, kept, untraced]) + "\n").encode("ascii"))
        else:
            self.session.stream.emit("own_code", number=number, draws=held, peak=peak, kept=kept, untraced=untraced)

    def finish(self, failed: bool) -> "int | None":
        """Stops measuring at the end of the script, and ends the process if it is a child. Returns the number of the
        call being processed."""
        number = self.of_the_script
        self.ends()
        if self.pipe is not None:
            os.write(self.pipe, b"failed\n" if failed and number is not None else b"end\n")  # within a call all parts are complete
            os._exit(0)
        return number


def can_fork() -> bool:
    """Returns whether a forked child could continue the script from here."""
    main = threading.current_thread().__class__.__name__ == "_MainThread"
    return main and hasattr(sys, "addaudithook") and not any(is_loaded(name) for name in ("jax", "torch", "tensorflow"))


def is_loaded(name: str) -> bool:
    """Returns whether a library is really loaded; ArviZ puts JAX and numpyro into `sys.modules` as lazy modules."""
    return name in sys.modules and type(sys.modules[name]).__name__ != "_LazyModule"


def isolate(stream: "Live") -> None:
    """Isolates a child: no stream to the runner, no output, limited CPU time."""
    stream.pid, stream.child, stream.closed = os.getpid(), True, True
    resource.setrlimit(resource.RLIMIT_CPU, (OWN_SECONDS, OWN_SECONDS))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nowhere, fd)
    sys.dont_write_bytecode = True
    signal.alarm(0)


def read(fd: int, until: float, pid: int) -> bytes:
    """Reads what a child process writes, until it ends or the time `until` is reached. Returns the bytes."""
    parts = []  # type: list[bytes]
    while True:
        left = until - time.time()
        if left <= 0 or not select.select([fd], [], [], left)[0]:
            break
        piece = os.read(fd, 65536)
        if not piece:
            break
        parts.append(piece)
    os.close(fd)
    try:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    except EnvironmentError:  # the script waits for its children itself
        pass
    return b"".join(parts)


def parse_rows(text: bytes) -> "tuple[list[Live], str]":
    """Parses a child's report: ([number of the call, draws, peak, kept, untraced bytes] for each part, how the child ended): `end`,
    `failed`, or empty if it was cut off.
    """
    lines = text.decode("ascii", "replace").split("\n")[:-1]
    rows = [json.loads(line) for line in lines if line.startswith("[")]
    return rows, lines[-1] if lines and not lines[-1].startswith("[") else ""


def expected(runs: "list[tuple[list[Live], str]]", draws: int) -> "list[float]":
    """Returns the expected peak of each part in bytes with `draws` draws: linear through the last two measurements, or proportional to the
    only one.
    """
    first = dict((row[0], row) for row in runs[-2][0]) if len(runs) > 1 else {}
    return [extrapolated([tuple(first.get(row[0], (0, 0, 0))[1:3]), (row[1], row[2])], draws) for row in runs[-1][0]]


def extrapolated(points: "list[Live]", draws: int) -> float:
    """Returns a figure with `draws` draws, by a line through the last two of (draws, figure), or through zero if there is only one.

    If both have the same number of draws, because the call made no more of them, the figure is the second one.
    """
    (few, low), (many, high) = ([(0, 0.0)] + points)[-2:]
    return float(high + (high - low) * (draws - many) / float(many - few) if few != many else high)
