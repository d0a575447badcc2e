"""`theanodiag config show`: the values of the flags as the library would have them, and where each comes from."""

from __future__ import annotations

import argparse
import os
import sys

from ..errors import ExitCode
from ..flags.model import Resolution
from ..flags.resolve import resolve
from . import options, output
from .config_host import ask_interpreter, this_host
from .config_input import add_dialect, asked_environment, named_or_on_disk, table_of
from .config_show_views import as_data, as_text

HELP = "show the values of the flags and where each comes from"


def prepare(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments."""
    parser.add_argument("files", metavar="FILE", nargs="*", help="rc files in the order of reading (default: those of this environment)")
    parser.add_argument("--flags", metavar="STRING", help="text of the flags variable (default: that of this environment)")
    add_dialect(parser)
    parser.add_argument("--all", action="store_true", help="show defaults too, and the variables beside the flags")
    parser.add_argument("--python", metavar="INTERPRETER", help="interpreter that runs the library, for defaults that depend on it")
    options.add_format(parser)


def run(args: argparse.Namespace) -> ExitCode:
    """Prints; the exit code is 1 where the library would refuse to start."""
    resolution = resolution_of(args)
    if args.format == "json":
        output.document(as_data(resolution, os.environ, args.all))
    else:
        output.show(as_text(resolution, os.environ, args.all))
    return ExitCode.FINDINGS if resolution.failure else ExitCode.CLEAN


def resolution_of(args: argparse.Namespace) -> Resolution:
    """What the library that the command line names makes of this environment."""
    table = table_of(args, args.files[-1] if args.files else None)
    host = ask_interpreter(args.python) if args.python else this_host((sys.version_info[0], sys.version_info[1]))
    given = asked_environment(table.dialect, os.environ, args.files, args.flags)
    return resolve(table.dialect, table.version, given, named_or_on_disk(args.files), host)
