"""Programs of Python 2 that the tests translate and run."""

from __future__ import annotations

import contextlib
import io

from theanodiag.compat.running import python2


def printed_by(text: str) -> str:
    """What a program prints once it is translated."""
    printing = io.StringIO()
    names = {"__name__": "program", **{python2.PREFIX + helper: function for helper, function in python2.HELPERS.items()}}
    with contextlib.redirect_stdout(printing):
        exec(compile(python2.translate(text, "program.py", False), "program.py", "exec"), names)
    return printing.getvalue()
