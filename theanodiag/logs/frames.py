"""The frames of a traceback in a log."""

from __future__ import annotations

import re
from collections.abc import Sequence

from . import patterns

SHOWN = 120
"""Number of characters shown of a frame."""


def frames(before: str) -> list[str]:
    """Returns the frames in a text, outermost first. Each frame is the line that names the file, with the lines of source below it."""
    lines = before.splitlines()
    starts = [number for number, line in enumerate(lines) if patterns.FRAME.match(line)]
    return ["\n".join(lines[at:end]) for at, end in zip(starts, (*starts[1:], len(lines)))]


def place(frame: str) -> str:
    """Returns the line of a frame that names the file."""
    return frame.partition("\n")[0]


def where(frame: str) -> str:
    """Returns the line of a frame that names the file, in the form shown to the user."""
    return re.sub(r"\s+", " ", place(frame).lstrip(" >|").rstrip(" |"))[:SHOWN]


def statement(frame: str) -> str:
    """Returns the statement that a frame shows; IPython marks it among other lines."""
    marked = patterns.ARROW.search(frame)
    return marked.group() if marked else frame.partition("\n")[2]


def package(frame: str) -> str | None:
    """Returns the installed package whose code a frame is in; None for the user's code."""
    match = patterns.PACKAGE_FOLDER.search(place(frame))
    compiled = None if match else patterns.COMPILED.search(frame)
    return match["package"] if match else (compiled["package"] or compiled["module"]) if compiled else None


def raising_package(shown: list[str]) -> str | None:
    """Returns the installed package whose code the last of these frames is in; None for the user's code, even if its folder has a library's
    name.
    """
    name = (package(shown[-1]) or checkout(shown)) if shown else None
    users = name is not None and patterns.IN_LIBRARY.search(place(shown[-1])) is not None and not in_library(shown)
    return None if users else name


def in_library(shown: list[str]) -> bool:
    """Returns whether the last of these frames is in the code of a library that is installed or checked out. If a script runs from the same
    folder or below it, the folder is the user's (`~/theano/lstm/net.py` and `~/theano/lstm/train.py`).
    """
    match = patterns.IN_LIBRARY.search(place(shown[-1]))
    if match is None or patterns.INSTALLED.search(match.group()):
        return match is not None
    folder = re.split(r"(?<=[/\\])", match.group())[1]
    first = place(shown[0])
    return not (first.endswith("<module>") and first.startswith(shown[-1][: match.start() + 1 + len(folder)]))


def checkout(shown: Sequence[str]) -> str | None:
    """Returns the package whose code the last of these frames is in, if it is used from a checkout: a folder in another folder of the same
    name (`kabuki/kabuki/utils.py`), while the script is a notebook's or in another folder. None if the package may be the script's own.
    """
    match = patterns.CHECKOUT.search(place(shown[-1]))
    if match is None:
        return None
    first, folder = place(shown[0]).lstrip(), place(shown[-1])[: match.start("package")].lstrip()
    elsewhere = re.match(r"(?:File )?\"?(?:[/\\~]|[A-Z]:)", first) is not None and not first.startswith(folder)
    return match["package"] if elsewhere or patterns.CELL.search(first) else None


def of_python(frame: str) -> bool:
    """Returns whether a frame is of Python's own library."""
    return re.search(patterns.STANDARD, place(frame)) is not None and patterns.INSTALLED.search(place(frame)) is None


def is_own(frame: str) -> bool:
    """Returns whether a frame is in the user's code, not in a library."""
    return patterns.COMPILED.search(frame) is None and not patterns.OTHER_PACKAGE.search(place(frame)) and package(frame) is None


def while_imported(ran: Sequence[str]) -> bool:
    """Returns whether a library's module failed while it was imported, which means that the library does not match other installed
    packages.
    """
    since = next((n + 1 for n in range(len(ran) - 1, -1, -1) if is_own(ran[n])), 0)
    return any(patterns.OF_MODULE.search(place(frame)) is not None and not of_python(frame) for frame in ran[since:])
