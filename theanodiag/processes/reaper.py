"""Started as a program of its own: runs one command, adopts whatever that starts, and ends all of it.

On Linux it is a subreaper (prctl(2), PR_SET_CHILD_SUBREAPER): a process of the command whose parent ends becomes its child, also one in a
session of its own. So it finds all of them, and needs no help from the process that called us, which adopts nothing. Elsewhere only the
command's process group is ended. `python -I -S reaper.py CONTROL STATUS FD...`: CONTROL gives a line of JSON, the command and its
environment, then `T` (ask it to end) or `K` (end it), whose place the end of the file may take: then the caller is gone. STATUS gets the
command's process number, and last its return code, once nothing of it is left. FD are descriptors that the command gets.
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
SWEEP = 10.0
"""Seconds for ending what is left; what cannot be ended in that time waits for a device, or belongs to another user."""


def adopt() -> None:
    """Become the parent of every descendant whose own parent ends."""
    if sys.platform.startswith("linux"):
        with contextlib.suppress(OSError, AttributeError, ImportError):
            import ctypes

            ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)


def parents() -> dict[int, int]:
    """The parent of every process that /proc shows; nothing where there is none."""
    found = {}
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc"):
            if name.isdigit():
                with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{name}/stat", "rb") as file:
                    found[int(name)] = int(file.read().rpartition(b")")[2].split()[1])
    return found


def descendants() -> set[int]:
    """All processes below this one."""
    table, found, more = parents(), set[int](), {os.getpid()}
    while more:
        more = {pid for pid, parent in table.items() if parent in more and pid not in found}
        found |= more
    return found


def send(number: int, pids: set[int]) -> None:
    """A signal to each of them that is still there."""
    for pid in pids:
        with contextlib.suppress(OSError):
            os.kill(pid, number)


class Reaper:
    """One command."""

    def __init__(self, control: int, status: int, inherited: list[int]) -> None:
        self.control, self.status = control, status
        asked = json.loads(self._line())
        self.code: int | None = None
        process = subprocess.Popen(
            asked["command"], env=asked["env"], start_new_session=True, pass_fds=inherited, preexec_fn=self.started
        )
        self.pid = process.pid
        for fd in inherited:
            os.close(fd)

    def started(self) -> None:
        """In the new process, before it becomes the command: the caller knows its number whatever the command does to us."""
        self.tell(f"{os.getpid()}\n")

    def _line(self) -> bytes:
        found = b""
        while not found.endswith(b"\n"):
            part = os.read(self.control, 1 << 16)
            if not part:
                os._exit(1)
            found += part
        return found

    def tell(self, text: str) -> None:
        """Word to the caller, if it is there."""
        with contextlib.suppress(OSError):
            os.write(self.status, text.encode("ascii"))

    def reap(self) -> bool:
        """Takes note of children that ended; whether there are any left."""
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
        """Until the command ends or the caller wants its end."""
        while self.reap() and self.code is None:
            ready, _, _ = select.select([self.control, awake], [], [])
            if awake in ready:
                os.read(awake, 1 << 12)
            if self.control in ready:
                if os.read(self.control, 1) != b"T":
                    return
                with contextlib.suppress(OSError):
                    os.killpg(self.pid, signal.SIGTERM)

    def sweep(self) -> None:
        """Ends the command and all that it started."""
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


def main(arguments: list[str]) -> None:
    """Runs the command of the one that started us."""
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
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
