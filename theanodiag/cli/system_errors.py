"""What the operating system refuses, as an error of the user's: a limit, a full disk, a folder that is gone."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping

from ..errors import UnreadableError

SHORT: Mapping[int, str] = {
    errno.EMFILE: "raise the limit of open files of a process (ulimit -n; RLIMIT_NOFILE)",
    errno.ENFILE: "this machine has too many files open: end other programs",
    errno.EFBIG: "raise the limit of the size of a file (ulimit -f; RLIMIT_FSIZE)",
    errno.ENOSPC: "make room on the disk, or name another with TMPDIR or -o",
    errno.EDQUOT: "your quota on this disk is used up: make room, or name another disk with TMPDIR or -o",
    errno.EROFS: "this file system is read-only: name another with TMPDIR or -o",
    errno.EACCES: "give yourself the permission, or name another place",
    errno.EPERM: "give yourself the permission, or name another place",
    errno.EAGAIN: "raise the limit of processes (ulimit -u; RLIMIT_NPROC), or end other programs",
    errno.ENOMEM: "this machine, or this process by its limit (ulimit -v), has no memory left",
    errno.ENAMETOOLONG: "give it a shorter name",
    errno.EIO: "the disk or the network that it is on fails",
}
"""Errors of POSIX by number -> what is short and what to do."""


def explained(error: OSError | MemoryError) -> UnreadableError:
    """The error with what is short and what to do."""
    if isinstance(error, MemoryError):
        return UnreadableError("memory ran out", help=SHORT[errno.ENOMEM])
    try:
        os.getcwd()
    except OSError:
        return UnreadableError("the working folder is gone", help="cd to a folder that is there")
    path = error.filename if isinstance(error.filename, str) else None
    advice = SHORT.get(error.errno or 0, "the system refused it; THEANODIAG_DEBUG=1 shows where")
    return UnreadableError(error.strerror or str(error) or type(error).__name__, path=path, help=advice)
