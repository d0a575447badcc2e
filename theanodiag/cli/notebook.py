"""`%load_ext theanodiag` in a notebook registers the cell magic `%%memcheck`, also under the name `%%theanodiag`."""

from __future__ import annotations

import dataclasses
import shlex
from typing import TYPE_CHECKING, Any

from ..errors import TheanodiagError, UsageError
from ..processes.group import temporary
from . import finding_filters, output
from .check import checked, request_of
from .parameters import Arguments, parse

if TYPE_CHECKING:
    from ..report.model import Report

CELL = "cell.py"


def load_ipython_extension(shell: Any) -> None:
    """Registers the magics; called by IPython."""
    for magic in (memcheck, theanodiag):
        shell.register_magic_function(magic, "cell", magic.__name__)


def memcheck(line: str, cell: str) -> Report | None:
    """`%%memcheck [OPTIONS]`: predicts the memory of the functions that this cell compiles, with the options of `theanodiag check`.

    The cell is a separate script: it runs in another process, computes nothing, and sees no variable of the notebook. The configuration
    file is searched from the notebook's folder upwards.
    """
    return _checked(line, cell, "%%memcheck")


def theanodiag(line: str, cell: str) -> Report | None:
    """`%%theanodiag [OPTIONS]`: another name of `%%memcheck`."""
    return _checked(line, cell, "%%theanodiag")


def _checked(line: str, cell: str, magic: str) -> Report | None:
    """The report on a cell; an error is printed after the name of the `magic` that the user typed."""
    with temporary() as folder:
        script = folder / CELL
        script.write_text(cell, encoding="utf-8")
        try:
            _, args = parse(["check", *shlex.split(line), CELL])  # the configuration is that of this folder
            _require_taken(args)
            args.models = (str(script),)
            report = checked(args, request_of(args), finding_filters.selection(args))
        except TheanodiagError as error:
            output.complain(f"{magic}: {error}\n")
            return None
    return dataclasses.replace(report, target=dataclasses.replace(report.target, model=CELL))


NOT_HERE = ("log", "fix", "diff", "calibrate", "output", "format", "fail_on", "function", "verbose", "quiet", "show_settings")
"""Options of `check` about output, files and exit codes, which a cell does not have."""


def _require_taken(args: Arguments) -> None:
    """Raises `UsageError` for an option of the line that has no effect in a notebook."""
    for name in NOT_HERE:
        if name in args.given:
            raise UsageError(f"--{name.replace('_', '-')} has no effect in a notebook", help="leave it out, or run theanodiag check")
