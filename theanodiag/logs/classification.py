"""Decides which class of exceptions an exception belongs to."""

from __future__ import annotations

import re

from . import patterns
from .exception_classes import CLASSES, ExceptionClass, raised
from .frames import frames, in_library, place, statement, while_imported
from .matching import Event
from .model import Cause
from .remedies_scripts import ARGUMENTS
from .statements import Statement, line_start

SHOWN = 400
"""Number of characters before an exception without frames that may be its source lines."""
_REFUSES = r"got an unexpected keyword argument"
_WRITTEN_OUT = raised("TypeError", Cause.LIBRARIES, "a library, to one of another release", _REFUSES)
"""An argument that a library itself wrote: what it called is of another release, whatever the script says."""
_GIVEN = raised("TypeError", Cause.OLD_INTERFACE, "a library of another release, to a script", _REFUSES)
"""An argument that the script wrote."""
_CALLED = raised("TypeError", Cause.REFUSED, "a function that has no such argument, in a script", _REFUSES)
"""An argument in the failing line of the script itself, if the log does not say whose function was called."""
_BETWEEN = raised(r"\w+", Cause.LIBRARIES, "a library, of one of another release")
"""A name that an installed package, and no script, asks another library for."""


def classify(error: Statement, before: str) -> ExceptionClass | None:
    """Returns the kind of failure to which an exception in a log belongs, None if no kind fits; `before` is the text of the log between the
    previous exception and this one.
    """
    shown = frames(before)
    last = shown[-1] if shown else before[-SHOWN:]
    refused = patterns.KEYWORD.search(error.words)
    if refused is not None and patterns.OPEN_CALL.search(last):
        return _WRITTEN_OUT
    if refused is not None and shown:
        wrote = [frame for frame in shown if re.search(rf"\b{refused['name']} ?=(?!=)", frame)]
        of_library = in_library(shown)
        if wrote and wrote[-1] == shown[-1] and of_library:
            return _WRITTEN_OUT
        if of_library and patterns.PASSED_ON.search(last):
            return _GIVEN
        if wrote and "-packages" not in wrote[-1] and patterns.OF_LIBRARY.search(wrote[-1].partition("\n")[2]):
            return _GIVEN
        if wrote and wrote[-1] == shown[-1] and refused["name"] not in ARGUMENTS:
            return _CALLED
    if refused is not None and refused["name"] in ARGUMENTS and "-packages" not in last.partition("\n")[0]:
        return _GIVEN
    row = next((row for row in CLASSES if _belongs(row, error, last, before)), None)
    if row is None:
        return None
    written = bool(shown) and patterns.SIGNATURE.search(error.words) and in_library(shown) and not patterns.PASSES.search(statement(last))
    asked = row.form.cause is Cause.OLD_INTERFACE and (
        patterns.PRIVATE.search(error.words) or _asked_by_another(error, [*map(place, shown)])
    )
    between = asked or (row.form.cause is Cause.OLD_INTERFACE and written)
    return _BETWEEN if between or (row.form.cause is Cause.NO_IMPLEMENTATION and while_imported(shown)) else row


def _asked_by_another(error: Statement, places: list[str]) -> bool:
    """Whether an installed package, not a script, used a name that a module or an object lacks; the module's frames may come last."""
    lacks = patterns.LACKS.search(error.words)
    if lacks is None:
        if places and patterns.DRAWS.search(error.words) and re.search(r"[/\\]arviz\w*[/\\]", places[-1]):
            return False  # draws are what a script gives to ArviZ
        asks_object = patterns.PACKAGE_FOLDER.search(places[-1]) if places and "object has no attribute" in error.words else None
        return asks_object is not None and asks_object["package"] not in ("pymc", "pymc3", "pytensor", "aesara", "theano")
    ran = patterns.PACKAGE_FOLDER.search(places[-1]) if places else None
    if ran is not None and ran["package"] == (lacks["library"] or lacks["source"]) and "__getattr__" not in places[-1]:
        return True  # it asks itself
    packages = ((m["package"] if (m := patterns.PACKAGE_FOLDER.search(line)) else "") for line in reversed(places))
    asks = next((package for package in packages if package != (lacks["library"] or lacks["source"])), "")
    return asks not in ("", "IPython", "ipykernel", "spyder", "spyder_kernels")


def _belongs(row: ExceptionClass, error: Statement, frame: str, before: str) -> bool:
    return (
        row.names.match(error.name) is not None
        and (row.frame is None or row.frame.search(frame) is not None)
        and (row.through is None or row.through.search(before) is not None)
        and row.form.pattern.search(error.words) is not None
    )


def event(text: str, error: Statement, row: ExceptionClass) -> Event:
    """Makes an event of the log from an exception of a known class."""
    match = row.form.pattern.search(error.words)
    assert match is not None  # it belongs to the class
    return Event(line_start(text, error.at), row.form, match, row.form.rank)
