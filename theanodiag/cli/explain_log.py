"""`theanodiag explain-log FILE|-`: explains a failed job from its log: what failed, why, and what to do."""

from __future__ import annotations

import codecs
import shlex
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from .. import files
from ..errors import ExitCode, UnreadableError
from ..units import format_bytes
from . import output, shared_options
from .parameters import Argument, Arguments

if TYPE_CHECKING:
    from ..logs import Diagnosis


PARAMETERS = (
    Argument("log", metavar="FILE", help="a log, a traceback or copied terminal output; - for standard input"),
    shared_options.format_option((*output.FORMATS, "html")),
    shared_options.output_file(),
)  # fmt: skip


AROUND = 4
"""Number of log lines shown before and after the failure."""


def run(args: Arguments) -> ExitCode:
    """Prints the diagnosis; returns CLEAN if the failure is known and FINDINGS if it is not. Raises `UnreadableError` if the log
    contains no error or cannot be read."""
    from ..logs import Cause
    from ..report import explained

    shared_options.require_output(args)
    source = files.STDIN if args.log == "-" else args.log
    text, lines_before, only_end = _text(args.log)
    diagnosis = _diagnosis(text, lines_before, only_end, args.log)
    if diagnosis.command and args.log != "-":
        whole = f"{diagnosis.command} "  # paths and options of the job can have the word in them
        mark = "--log LOG " if "--log LOG " in whole else "graph LOG "
        diagnosis = replace(diagnosis, command=whole.replace(mark, mark.replace("LOG", shlex.quote(args.log)), 1).rstrip())
    if args.format == "html":
        from ..report.html import command_pages  # jinja2 is imported only where a page is made

        around = _around(text, lines_before, diagnosis.line)
        output.deliver(command_pages.explained(diagnosis, source, around, output.LOOK.command), args.output, diagnosis.why)
    elif args.format == "text" and args.output in (None, "-"):
        output.show(explained.text(diagnosis, source, output.width()))
    elif args.format == "text":
        output.deliver(explained.text(diagnosis, source), args.output, diagnosis.why)
    else:
        from ..report.v1 import common, explain_log  # msgspec is imported only where JSON is written

        output.deliver(common.text(explain_log.ExplainLogV1.of(diagnosis, source)), args.output, diagnosis.why)
    return ExitCode.FINDINGS if diagnosis.cause is Cause.NOT_RECOGNISED else ExitCode.CLEAN


def diagnose(path: str) -> Diagnosis:
    """Returns the diagnosis of a log file, or of standard input (`-`). Raises `UnreadableError` if it contains no error or cannot
    be read.
    """
    return _diagnosis(*_text(path), path)


def _diagnosis(text: str, lines_before: int, only_end: bool, path: str) -> Diagnosis:
    from ..logs import explain_log

    diagnosis = explain_log(text, lines_before)
    if diagnosis is None:
        read = f"of a longer text only the last {format_bytes(files.TEXT)} are read"
        raise UnreadableError(
            "this text contains no error", path=path, help=f"give the complete output of the job, including standard error; {read}"
        )
    return replace(diagnosis, only_end=only_end)


def _around(text: str, lines_before: int, line: int) -> list[tuple[int, str]]:
    """The lines around a line, each with its number and no longer than a page shows."""
    first = max(0, line - lines_before - 1 - AROUND)
    lines = text.split("\n")[first : line - lines_before + AROUND]
    return [(first + k + 1 + lines_before, words[:2_000]) for k, words in enumerate(lines)]


def _text(path: str) -> tuple[str, int, bool]:
    """The end of a log as text, up to `files.TEXT` bytes, since that is where jobs fail; the number of lines before it, and whether
    there is more before it."""
    if path == "-":
        data, lines_before = files.tail(sys.stdin.buffer, files.TEXT)
    else:
        data, lines_before = files.read_tail(path, files.TEXT, help="give a file, or - for standard input")
    only_end = lines_before > 0 or len(data) >= files.TEXT  # one line that is longer is cut at that length
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return data.decode("utf-16" if wide else "utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n"), lines_before, only_end
