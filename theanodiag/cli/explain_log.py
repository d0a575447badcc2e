"""`theanodiag explain-log FILE|-`: what failed in the job whose log this is, why, and what to do."""

from __future__ import annotations

import argparse
import codecs
import shlex
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from .. import files
from ..errors import ExitCode, UnreadableError
from . import options, output

if TYPE_CHECKING:
    from ..logs import Diagnosis

HELP = "say from the log of a job that crashed what failed and why"


def prepare(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments."""
    parser.add_argument("log", metavar="FILE", help="a log, a traceback or what stood on the terminal; or - for standard input")
    options.add_format(parser)


def run(args: argparse.Namespace) -> ExitCode:
    """Prints the diagnosis: CLEAN where the failure has a known form, FINDINGS where it has none. Raises `UnreadableError` where the text
    has no error, and for what cannot be read."""
    from ..logs import Cause
    from ..report import explained
    from ..report.model import STDIN

    source = STDIN if args.log == "-" else args.log
    found = diagnosis(args.log)
    if found.command and args.log != "-":
        found = replace(found, command=found.command.replace("LOG", shlex.quote(args.log)))
    if args.format == "json":
        output.document(explained.document(found, source))
    else:
        output.show(explained.text(found, source, output.width()))
    return ExitCode.FINDINGS if found.cause is Cause.NOT_RECOGNISED else ExitCode.CLEAN


def diagnosis(path: str) -> Diagnosis:
    """What the log in a file, or on standard input (`-`), says. Raises `UnreadableError` where it has no error, or cannot be read."""
    from ..logs import explain_log

    data, lines_before = _tail(path)
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    found = explain_log(data.decode("utf-16" if wide else "utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n"), lines_before)
    if found is None:
        raise UnreadableError("no error is in this text", path=path, help="give all that the job printed, standard error too")
    return found


def _tail(path: str) -> tuple[bytes, int]:
    """The end of a log, up to `files.TEXT` bytes: that is where jobs fail; and the number of lines before it."""
    if path == "-":
        return files.tail(sys.stdin.buffer, files.TEXT)
    return files.read_tail(path, files.TEXT, help="give a file, or - for standard input")
