"""The reaper, a separate program: runs one command, adopts its descendants, and kills all of them at the end.

On Linux it is a subreaper (prctl(2), PR_SET_CHILD_SUBREAPER): a descendant whose parent ends becomes its child, even in another session, so
it finds all of them without help from the process that started it. On other systems only the command's process group is killed.

Usage: `python -I -S reaper.py CONTROL STATUS FD...`. From the descriptor CONTROL it reads a line of JSON: the command, its environment, and
a second command, which is run afterwards if the caller was killed. Then it reads `T` (terminate the command), `K` (kill it), or end of
file, which means that the caller is gone or wants no more. To STATUS it writes the command's process id and, once no descendant is
left, its return code. FD are descriptors that the command inherits.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time

SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER of <linux/prctl.h>."""
ORPHANED = 0.2
"""Seconds within which the kernel gives this process another parent after the caller closed its files by its death."""
SWEEP = 10.0
"""Time limit in seconds for killing descendants; survivors wait for a device or belong to another user."""


def adopt() -> None:
    """Makes this process the parent of every descendant whose own parent has ended (Linux only)."""
    if sys.platform.startswith("linux"):
        with contextlib.suppress(OSError, AttributeError, ImportError):
            import ctypes

            ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)


def parents() -> dict[int, int]:
    """Process id -> id of its parent, for all processes, from /proc; empty if there is no /proc."""
    table = {}
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc"):
            if name.isdigit():
                with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{name}/stat", "rb") as file:
                    table[int(name)] = int(file.read().rpartition(b")")[2].split()[1])
    return table


def descendants() -> set[int]:
    """Returns the ids of all descendants of this process."""
    table, pids, more = parents(), set[int](), {os.getpid()}
    while more:
        more = {pid for pid, parent in table.items() if parent in more and pid not in pids}
        pids |= more
    return pids


def send(number: int, pids: set[int]) -> None:
    """Sends signal `number` to each of the processes that still exist."""
    for pid in pids:
        with contextlib.suppress(OSError):
            os.kill(pid, number)


class Reaper:
    """Runs one command and kills its descendants."""

    def __init__(self, control: int, status: int, inherited: list[int]) -> None:
        self.control, self.status = control, status
        self.caller = os.getppid()
        request = json.loads(self._line())
        self.afterwards: list[str] = request["afterwards"]
        self.alone = False
        """Whether the caller has closed its end."""
        self.code: int | None = None
        self.process = subprocess.Popen(  # kept: its destructor would collect the return code of a command that ends at once
            request["command"], env=request["env"], start_new_session=True, pass_fds=inherited, preexec_fn=self.started
        )
        self.pid = self.process.pid
        for fd in inherited:
            os.close(fd)

    def started(self) -> None:
        """Runs in the new process before the command: reports the process id, so that the caller knows the id even if the reaper
        is killed.
        """
        self.tell(f"{os.getpid()}\n")

    def _line(self) -> bytes:
        line = b""
        while not line.endswith(b"\n"):
            part = os.read(self.control, 1 << 16)
            if not part:
                os._exit(1)
            line += part
        return line

    def tell(self, text: str) -> None:
        """Writes `text` to the calling process, if it still exists."""
        with contextlib.suppress(OSError):
            os.write(self.status, text.encode("ascii"))

    def reap(self) -> bool:
        """Collects children that ended; returns whether any are left."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if not pid:
                return True
            if pid == self.pid:
                self.code = os.waitstatus_to_exitcode(status)

    def wait(self, awake: int) -> None:
        """Waits until the command has ended or the caller requests its end; `awake` is a descriptor that becomes readable when a child
        ends.
        """
        while self.reap() and self.code is None:
            ready, _, _ = select.select([self.control, awake], [], [])
            if awake in ready:
                os.read(awake, 1 << 12)
            if self.control in ready:
                order = os.read(self.control, 1)
                self.alone = not order
                if order != b"T":
                    return
                with contextlib.suppress(OSError):
                    os.killpg(self.pid, signal.SIGTERM)

    def sweep(self) -> None:
        """Kills the command and all its descendants."""
        with contextlib.suppress(OSError):
            os.killpg(self.pid, signal.SIGKILL)
        deadline = time.monotonic() + SWEEP
        while time.monotonic() < deadline:
            stopped: set[int] = set()
            while new := descendants() - stopped:  # one that is stopped starts no other while we look
                send(signal.SIGSTOP, new)
                stopped |= new
            send(signal.SIGKILL, stopped)
            if not self.reap():
                return
            time.sleep(0.005)

    def restore(self) -> None:
        """Runs the second command if the caller has ended. If the caller has only closed its end of the pipe, it does that work itself."""
        deadline = time.monotonic() + ORPHANED
        while self.afterwards and time.monotonic() < deadline:
            if os.getppid() != self.caller:
                subprocess.run(self.afterwards, check=False)
                return
            time.sleep(0.01)


def main(arguments: list[str]) -> None:
    """Runs the reaper with the arguments CONTROL, STATUS, FD..."""
    control, status, *inherited = map(int, arguments)
    for fd in (control, status):
        os.set_inheritable(fd, False)
    adopt()
    awake, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    try:
        reaper = Reaper(control, status, inherited)
    except (OSError, ValueError) as error:
        os.write(status, f"! {type(error).__name__}: {error}\n".encode("ascii", "replace"))
        os._exit(1)

    def ended(number: int, frame: object) -> None:
        reaper.sweep()
        os._exit(1)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, ended)
    reaper.wait(awake)
    reaper.sweep()
    reaper.tell(f"{reaper.code}\n")
    if reaper.alone:
        reaper.restore()
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
