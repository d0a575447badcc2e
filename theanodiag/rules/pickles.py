"""TD104: weights files that would run code when they are loaded."""

from __future__ import annotations

from collections.abc import Iterator

from ..findings import Confidence, Finding, Fix, Location, Severity
from ..weights.pickle_interpreter import PickledCall
from .base import rule

Subject = tuple[str, tuple[PickledCall, ...]]
"""Path of a file, and the calls of its pickles."""


@rule(
    "TD104",
    "pickle-runs",
    fires=lambda: ("model.pkl", (PickledCall("os.system", 0, "", called=True, sure=True),)),
    silent=lambda: ("model.pkl", ()),
)
def pickle_runs(s: Subject) -> Iterator[Finding]:
    r"""TD104: a pickle would run code when it is loaded

    What it finds
        Finds a name in a pickle that reads, writes, fetches or starts something (`os.system`, `builtins.eval`, `timeit.timeit`,
        `torch.load`). Also finds a function that the pickle calls, if theanodiag does not know the function's package.

    Why it matters
        `pickle.load` calls the functions that the file names, with the permissions of the user who loads it. A file of weights does not
        need any of these functions.

    Example
        `cposix\nsystem\n(S'...'\ntR.` in the file model.pkl calls `os.system`.

    What to do
        Do not load the file with `pickle`. The arrays that `theanodiag weights` extracts from it are safe, because they are only numbers.

    Limits
        The rule compares names with a list: modules of Python itself, and functions of any package that load or run something. A class
        defined by the file's author may also run code, so a file without findings is not necessarily safe to load with `pickle.load`.
    """
    path, calls = s
    for call in calls:
        verb = "calls" if call.called else "names"
        inside = f" of {call.inside}" if call.inside else ""
        known = "" if call.sure else ", which is not known here"
        message = f"loading this pickle {verb} {call.name}{known} (byte {call.at}{inside}); nothing of it was run here"
        severity, confidence = (Severity.ERROR, Confidence.DERIVED) if call.sure else (Severity.WARNING, Confidence.GUESSED)
        advice = "do not load it with pickle unless you know who made it and why"
        yield Finding("TD104", severity, confidence, message, Location(path, detail=call.name), Fix(advice))
