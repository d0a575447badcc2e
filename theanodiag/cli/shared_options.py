"""Options that several commands share: those of all commands that show a Report."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from .. import files, settings
from ..errors import UsageError
from ..report.formats import ALL, View, render
from . import finding_filters, output
from .parameters import Arguments, Option, group, switch

if TYPE_CHECKING:
    from ..errors import ExitCode
    from ..report.model import Report


def report(*, device: str, batch: str) -> tuple[Option, ...]:
    """Returns the options of commands that show a report; `device` and `batch` describe the defaults of --gpu and --batch-dim."""
    return (
        *group("Device",
            Option("--gpu", metavar="DEVICE",
                help=f"the device: its memory (4GiB or 4G; 4GB is 4e9 bytes), a card such as k520, or none (default: {device})"),
            Option("--device-overhead", metavar="SIZE",
                help="memory that the CUDA context and its libraries take (default: as measured by doctor --calibrate, else the "
                     "card's usual size, or 300 MiB)"),
            Option("--batch-dim", metavar="NAME:AXIS,...",
                help=f"batch axes, such as x:0,y:0; the report then shows how much memory other batch sizes need (default: {batch})"),
        ),
        *group("Report",
            format_option(ALL),
            output_file(),
            Option("--function", metavar="NAME", multiple=True,
                help="show the details of this function (repeatable; default: the largest)"),
            switch("--verbose",
                help="show the details of all functions, sizes in bytes, and reserved memory that is not live, step by step"),
        ),
        *group("Findings", *finding_filters.parameters(), fail_on()),
    )  # fmt: skip


def format_option(choices: Sequence[str] = output.FORMATS) -> Option:
    """Returns the option `--format`; the first of `choices` is the default. `terminal` is accepted as another name of `text`."""
    kinds = click.Choice([*choices, "terminal"])
    what = f"output format, one of {', '.join(choices)} (default: {choices[0]})"
    return Option("--format", metavar="FORMAT", default=choices[0], type=kinds, callback=format_name, help=what)


def format_name(_: click.Context, __: click.Parameter, text: str) -> str:
    """Returns the canonical name of a format."""
    return "text" if text == "terminal" else text


def fail_on() -> Option:
    """Returns the option `--fail-on`."""
    from ..findings import Severity  # few commands have findings

    return Option(
        "--fail-on",
        default="error",
        type=click.Choice([s.name.lower() for s in Severity]),
        help="lowest severity for which the exit code is 1 (default: error)",
    )


def output_file() -> Option:
    """Returns the option `--output`."""
    return Option("-o", "--output", metavar="FILE", help="write the report to this file, completely or not at all (default: stdout)")


def only_with(args: Arguments, wanted: bool, other: str, *names: str) -> None:
    """Raises `UsageError` if an option is given that has no effect without the option `other`. Does nothing if `wanted` is true."""
    for name in names:
        if name in args.given and not wanted:
            option = name.replace("_", "-")
            raise UsageError(f"--{option} has no effect without {other}", help=f"add {other}, or leave it out", option=name)


READ = ("models", "files", "paths", "text", "log", "before", "after", "baseline", "config", "arguments")
"""Parameters that name files to read."""
SOURCES = (".py", ".ipynb")


def require_output(args: Arguments) -> None:
    """Raises `UnreadableError` if the file of `--output` cannot be written, and `UsageError` if the report would replace a file that the
    command reads (also as its standard input), or a source (`-o *.py`); checked before long work."""
    if args.output in (None, "-"):
        return
    from .atomic_write import is_stream, require_writable

    if is_stream(args.output):
        return
    values = [getattr(args, name, None) for name in READ]
    named = [path for value in values for path in (value if isinstance(value, tuple) else (value,)) if path is not None]
    if os.path.isfile(args.output) and (args.output.endswith(SOURCES) or any(_is_same(path, args.output) for path in named)):
        what = "a source" if args.output.endswith(SOURCES) else "read by this command"
        raise UsageError(f"--output {args.output}: the file is {what}, and the report would replace it", help="name another file with -o")
    require_writable(args.output)


def _is_same(path: str, other: str) -> bool:
    """Whether two paths lead to one file; the first may be `-`, standard input."""
    try:
        return os.path.samefile(0 if path == "-" else path, other)
    except (OSError, ValueError):
        return False


def axes(args: Arguments) -> tuple[str, ...]:
    """Returns the axes given by `--batch-dim`, each as NAME:AXIS."""
    return tuple(part.strip() for part in (args.batch_dim or "").split(",") if part.strip())


def require_functions(report: Report, args: Arguments) -> None:
    """Raises `UsageError` if `--function` names a function that is not in the report."""
    names = [f.name for f in report.functions]
    for name in args.function:
        if name not in names:
            near = difflib.get_close_matches(name, names, 1, 0.6)
            known = f"the functions are {', '.join(dict.fromkeys(names))}" if names else "there is none"
            raise UsageError(f"--function {name}: there is no such function", help=f"did you mean {near[0]}?" if near else known)


def show(report: Report, args: Arguments) -> None:
    """Prints the report in the requested format, with colours only if wanted on a terminal. If the report goes to a file, prints only the
    verdict.
    """
    color = output.has_color(sys.stdout) and args.output in (None, "-")
    view = View(color, output.width(), args.verbose, tuple(args.function), args.quiet, output.LOOK.command, args.fail_on)
    output.deliver(render(report, args.format, view), args.output, in_one_line(report))


def in_one_line(report: Report) -> str:
    """Returns the verdict in one line, with the exception if the script failed."""
    from ..report.terminal import beginning
    from ..report.verdict import conclusion  # here, as few commands show a report

    failed = f"; the script failed: {beginning(report.script.message or report.script.status)}" if report.script.failed else ""
    return f"{conclusion(report)[0]}{failed}"


def exit_code(report: Report, args: Arguments) -> ExitCode:
    """Returns the exit code for the report, by `--fail-on`."""
    from ..findings import Severity

    return report.exit_code(Severity[args.fail_on.upper()])


def script_arguments(path: str | None) -> dict[str, tuple[str, ...]]:
    """Reads the file of `--arguments`. Returns path pattern -> command-line arguments; empty if `path` is None.

    Raises `UsageError` if a value is not a list of strings, `UnreadableError` for a file that cannot be read.
    """
    if path is None:
        return {}
    document = settings.parse_toml(files.read(path, files.CONFIGURATION, help="name a TOML file").decode("utf-8", "replace"), path)
    if document and "arguments" not in document:
        raise UsageError(f"{path}: there is no table [arguments], but {', '.join(document)}", help="write [arguments] above the patterns")
    patterns = document.get("arguments", {})
    if not isinstance(patterns, dict) or not all(isinstance(v, list) and all(isinstance(w, str) for w in v) for v in patterns.values()):
        raise UsageError(f"{path}: [arguments] maps patterns to lists of strings", help='such as "train*.py" = ["--epochs", "1"]')
    return {pattern: tuple(words) for pattern, words in patterns.items()}


def note_unmatched(arguments: Mapping[str, tuple[str, ...]], path: str | None, scripts: Collection[str]) -> None:
    """Writes to stderr which patterns of the file `path` of `--arguments` match none of the scripts."""
    from ..requests import unmatched  # devices and engines, which most commands do not need

    for pattern in unmatched(arguments, scripts):
        output.note(f"{path}: {pattern!r} in [arguments] matches no script; a pattern is of a script's name, or of its path as shown here")
