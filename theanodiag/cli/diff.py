"""`theanodiag diff BEFORE.json AFTER.json`: compares two reports: what grew, and which line caused it."""

from __future__ import annotations

from .. import files
from ..errors import ExitCode
from . import output, shared_options
from .parameters import Argument, Arguments

PARAMETERS = (
    Argument("before", metavar="BEFORE.json", help="a report of check or graph, made with --format json"),
    Argument("after", metavar="AFTER.json", help="a later report on the same script; the exit code is 1 if its peak is higher"),
    shared_options.format_option(("text", "html")),
    shared_options.output_file(),
)  # fmt: skip


def run(args: Arguments) -> ExitCode:
    """Prints the comparison; returns FINDINGS if the later report's peak is higher. Raises `UnreadableError` for a file that is not a
    report."""
    from ..report import report_diff

    shared_options.require_output(args)
    before, after = (report_diff.read(files.read(path, files.TEXT, help=report_diff.MADE_WITH), path) for path in (args.before, args.after))
    growth = report_diff.growth(before, after)
    if args.format == "html":
        from ..report.html import command_pages  # jinja2 is imported only where a page is made

        content = command_pages.report_diff(growth, output.LOOK.command)
    else:
        content = report_diff.text(growth)
    output.deliver(content, args.output, f"the peak changed by {report_diff.signed(growth.peak.bytes)}")
    return ExitCode.FINDINGS if growth.peak.bytes > 0 else ExitCode.CLEAN
