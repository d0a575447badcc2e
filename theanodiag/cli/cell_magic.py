"""`%load_ext theanodiag` in a notebook registers the cell magic `%%memcheck`."""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..errors import TheanodiagError, UsageError
from ..processes.group import temporary
from ..report.user_source import renamed
from . import finding_filters, output
from .check import checked, request_of
from .parameters import Arguments, parse

if TYPE_CHECKING:
    from ..report.model import Report


CELL = "cell.py"
"""The file in which the cell is run."""
NAME = "cell"
"""What the cell is called in what is shown."""


def load_ipython_extension(shell: Any) -> None:
    """Registers the magic; called by IPython."""
    shell.register_magic_function(memcheck, "cell")


def memcheck(line: str, cell: str) -> Report | None:
    """`%%memcheck [OPTIONS]`: predicts the memory of the functions that this cell compiles, with the options of `theanodiag check`.

    The cell is a separate script: it runs in another process, computes nothing, and sees no variable of the notebook. The configuration
    file is searched from the notebook's folder upwards.
    """
    with temporary() as folder, _importing_from(os.getcwd()):
        script = folder / CELL
        script.write_text(cell, encoding="utf-8")
        try:
            _, args = parse(["check", CELL, *shlex.split(line)])  # the configuration is that of this folder
            _require_taken(args)
            output.LOOK.quiet = args.quiet
            args.models = (str(script),)
            report = checked(args, request_of(args), finding_filters.selection(args), name=NAME)
        except TheanodiagError as error:
            output.complain(f"%%memcheck: {error}\n".replace(str(script), NAME))
            return None
    if (report.script.exception or "").startswith("NameError"):
        output.note("the cell is run on its own: put the imports and definitions of other cells that it needs into it")
    return renamed(report, str(script), NAME)


@contextlib.contextmanager
def _importing_from(folder: str) -> Iterator[None]:
    """Processes started meanwhile import modules from `folder` too, as the notebook's kernel does: the cell's own file is elsewhere."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (folder, before)))
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before


NOT_HERE = (
    "log",
    "fix",
    "diff",
    "calibrate",
    "output",
    "format",
    "fail_on",
    "function",
    "verbose",
    "show_settings",
    "baseline",
    "update_baseline",
)
"""Options of `check` about output, files and exit codes, which a cell does not have; a baseline knows findings by their file."""


def _require_taken(args: Arguments) -> None:
    """Raises `UsageError` for a script or an option of the line that has no effect in a notebook."""
    for script in args.models[1:]:
        raise UsageError(f"{script}: the cell below is checked, and no other script", help="leave it out, or run theanodiag check")
    for name in NOT_HERE:
        if name in args.given:
            raise UsageError(f"--{name.replace('_', '-')} has no effect in a notebook", help="leave it out, or run theanodiag check")
