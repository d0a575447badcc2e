"""Parts of logs as people paste them, and what is said of one."""

from __future__ import annotations

from theanodiag.logs import Diagnosis, explain_log

SCRIPT = 'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\n    fit(x)\n'


def diagnosed(text: str) -> Diagnosis:
    """What is said of a log."""
    diagnosis = explain_log(text)
    assert diagnosis is not None
    return diagnosis


def frame(path: str, source: str, function: str = "f") -> str:
    """A frame of a traceback."""
    return f'  File "{path}", line 9, in {function}\n    {source}\n'
