"""`%load_ext theanodiag` in a notebook: the magic `%%memcheck`."""

from __future__ import annotations

import dataclasses
import shlex
from typing import TYPE_CHECKING, Any

from ..errors import TheanodiagError
from ..processes.guard import temporary
from . import configured, output, selecting
from .check import checked
from .main import parse

if TYPE_CHECKING:
    from ..report.model import Report

CELL = "cell.py"


def load_ipython_extension(shell: Any) -> None:
    """Registers the magic; IPython calls it."""
    shell.register_magic_function(memcheck, "cell", "memcheck")


def memcheck(line: str, cell: str) -> Report | None:
    """`%%memcheck [OPTIONS]`: what the functions that this cell compiles need, with the options of `theanodiag check`.

    The cell is a script of its own: it runs in another process, computes nothing, and sees no variable of the notebook. A configuration
    is looked for from the notebook's folder on.
    """
    with temporary() as folder:
        script = folder / CELL
        script.write_text(cell, encoding="utf-8")
        try:
            args = parse(["check", *shlex.split(line), str(script)], "check")
            if configured.fill(args, None):
                return None
            report = checked(args, selecting.selection(args))
        except TheanodiagError as error:
            output.complain(f"memcheck: {error}\n")
            return None
    return dataclasses.replace(report, target=dataclasses.replace(report.target, model=CELL))
