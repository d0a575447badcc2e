"""Entry point: finds the command, runs it, turns errors into messages and exit codes."""

from __future__ import annotations

import _thread
import contextlib
import errno
import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from typing import NoReturn

from ..errors import ExitCode, TheanodiagError, UnreadableError
from . import output
from .commands import COMPLETION, listing

PATIENCE = 3.0
"""Seconds that the program may take to end after a signal, before it is forced to."""


class _SignalledError(SystemExit):
    """The process got a signal to end."""


def _ended(number: int, _: object) -> None:
    """Signal handler: raises an exception, so that a running script is ended and temporary folders are removed.

    Python drops an exception that is raised in a callback of an import or of a garbage collection, and a call into C may not return:
    after `PATIENCE` this process ends at once, and the processes that watch it end what it started and remove its folders.
    """
    sys.unraisablehook = lambda _: None  # a dropped exception is printed otherwise, with a traceback
    _thread.start_new_thread(_ends_late, (128 + number,))  # not `threading`, whose locks the interrupted code may hold
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise _SignalledError(128 + number)


def _ends_late(code: int) -> None:
    time.sleep(PATIENCE)
    os._exit(code)


def _gone(code: int) -> NoReturn:
    """Ends this process at once: freeing what a large file was made into takes seconds."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns the exit code; `argv` defaults to the process's own."""
    if argv is None and COMPLETION in os.environ:
        from .completion import answer

        return answer(os.environ[COMPLETION])
    arguments = list(sys.argv[1:] if argv is None else argv)
    if argv is None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):  # nohup's stays
                signal.signal(number, _ended)
    output.prepare(arguments)
    if arguments in ([], ["-h"], ["--help"]):
        output.write(listing())
        return int(ExitCode.CLEAN if arguments else ExitCode.USAGE)
    args = None
    try:
        from .parameters import parse  # here, since importing click takes as long as all else that the list of commands needs

        command, args = parse(arguments)
        output.LOOK.color, output.LOOK.quiet = getattr(args, "color", output.LOOK.color), getattr(args, "quiet", False)
        if args.settings is not None and args.show_settings:
            from .configuration import show

            show(command, args, args.settings)
            return int(ExitCode.CLEAN)
        return int(command.run(args))
    except TheanodiagError as error:
        if args is not None and args.settings is not None:
            from .configuration import placed

            error = placed(error, args.settings)
        return _failed(error, wants_json(arguments) or getattr(args, "format", None) == "json")
    except KeyboardInterrupt:
        output.note("interrupted")
        if argv is None:
            _gone(130)
        return 130
    except _SignalledError as error:
        _gone(int(str(error)))
    except Exception as error:
        if os.environ.get("THEANODIAG_DEBUG"):
            raise
        if isinstance(error, (OSError, MemoryError)):
            return _failed(explained(error), wants_json(arguments))
        return _failed(_Bug(error), wants_json(arguments))


class _Bug(TheanodiagError):
    """An exception that nobody expected."""

    exit_code = ExitCode.BUG

    def __init__(self, error: Exception) -> None:
        super().__init__(
            f"this is a bug in theanodiag, not in your input: {type(error).__name__}: {error}",
            help="run again with THEANODIAG_DEBUG=1 for the traceback, and report it with the input",
        )


def _failed(error: TheanodiagError, as_json: bool) -> int:
    """Prints the error to stderr, and as JSON if requested. Returns the exit code."""
    output.complain(f"theanodiag: {error}\n")
    if as_json and not isinstance(error, output.OutputError):
        try:
            from ..report.v1 import common, short  # msgspec is imported only where JSON is written

            output.write(common.text(short.ErrorV1.of(error)))
        except output.OutputError:
            pass  # the exit code still says that there was an error
    return int(error.exit_code)


def wants_json(arguments: Sequence[str]) -> bool:
    """Returns whether the command line requests JSON, even if it cannot be parsed."""
    ours = list(arguments[: arguments.index("--")] if "--" in arguments else arguments)
    return "--format=json" in ours or ("--format", "json") in zip(ours, ours[1:])


SHORT: Mapping[int, str] = {
    errno.EMFILE: "raise the limit of open files of a process (ulimit -n; RLIMIT_NOFILE)",
    errno.ENFILE: "this machine has too many files open: end other programs",
    errno.EFBIG: "raise the limit of the size of a file (ulimit -f; RLIMIT_FSIZE)",
    errno.ENOSPC: "make room on the disk, or name another with TMPDIR or -o",
    errno.EDQUOT: "your quota on this disk is used up: make room, or name another disk with TMPDIR or -o",
    errno.EROFS: "this file system is read-only: name another with TMPDIR or -o",
    errno.EACCES: "change the permissions, or name another place",
    errno.EPERM: "change the permissions, or name another place",
    errno.EAGAIN: "raise the limit of processes (ulimit -u; RLIMIT_NPROC), or end other programs",
    errno.ENOMEM: "this machine, or this process by its limit (ulimit -v), has no memory left",
    errno.ENAMETOOLONG: "give it a shorter name",
    errno.EIO: "the disk, or the network connection to it, failed",
}
"""POSIX error number -> which resource is exhausted and what to do."""


def explained(error: OSError | MemoryError) -> UnreadableError:
    """Returns the error with the name of the exhausted resource and what to do."""
    if isinstance(error, MemoryError):
        return UnreadableError("memory ran out", help=SHORT[errno.ENOMEM])
    try:
        os.getcwd()
    except OSError:
        return UnreadableError("the working folder is gone", help="change to an existing folder")
    path = error.filename if isinstance(error.filename, str) else None
    advice = SHORT.get(error.errno or 0, "the system refused it; THEANODIAG_DEBUG=1 shows where")
    return UnreadableError(error.strerror or str(error) or type(error).__name__, path=path, help=advice)
