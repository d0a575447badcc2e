"""`%load_ext theanodiag` in a notebook: the magic `%%memcheck`, which `%%theanodiag` is too."""

from __future__ import annotations

import dataclasses
import shlex
from typing import TYPE_CHECKING, Any

from ..errors import TheanodiagError, UsageError
from ..processes.group import temporary
from . import output, selecting
from .check import checked, request_of
from .parameters import Arguments, parse

if TYPE_CHECKING:
    from ..report.model import Report

CELL = "cell.py"


def load_ipython_extension(shell: Any) -> None:
    """Registers the magic; IPython calls it."""
    for name in ("memcheck", "theanodiag"):
        shell.register_magic_function(memcheck, "cell", name)


def memcheck(line: str, cell: str) -> Report | None:
    """`%%memcheck [OPTIONS]`: what the functions that this cell compiles need, with the options of `theanodiag check`.

    The cell is a script of its own: it runs in another process, computes nothing, and sees no variable of the notebook. A configuration
    is looked for from the notebook's folder on.
    """
    with temporary() as folder:
        script = folder / CELL
        script.write_text(cell, encoding="utf-8")
        try:
            _, args = parse(["check", *shlex.split(line), CELL])  # the configuration is that of this folder
            _require_taken(args)
            args.models = (str(script),)
            report = checked(args, request_of(args), selecting.selection(args))
        except TheanodiagError as error:
            output.complain(f"memcheck: {error}\n")
            return None
    return dataclasses.replace(report, target=dataclasses.replace(report.target, model=CELL))


NOT_HERE = ("log", "fix", "diff", "calibrate", "output", "format", "fail_on", "function", "verbose", "quiet", "show_settings")
"""Options of `check` about what is printed, written or returned: a cell only has its report."""


def _require_taken(args: Arguments) -> None:
    """Raises `UsageError` for an option of the line that is of no effect in a notebook."""
    for name in NOT_HERE:
        if name in args.given:
            raise UsageError(f"--{name.replace('_', '-')} is of no effect in a notebook", help="leave it out, or run theanodiag check")
