"""Remedies that depend on the log: a table row for each, and the rule that selects rows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from . import patterns
from .frames import frames, place, raising_package, statement
from .model import Cause
from .statements import frames_before


@dataclass(frozen=True)
class Remedy:
    """A remedy, and the conditions on the log under which it applies."""

    causes: tuple[Cause, ...]
    expression: str
    """Somewhere within `NEAR` characters of the failure; its groups fill the braces in `words`, beside those of `_asks` and `_called`."""
    words: str
    place: str = ""
    """Pattern searched within `AROUND` characters of the failure, such as a platform or library; empty: no condition."""
    became: Mapping[str, str] | None = None
    """Value of the pattern's group `name` -> value of `{became}`; the row applies only to these names."""
    alone: bool = False
    """Whether it is general: used only if no earlier row applies."""

    @cached_property
    def said(self) -> re.Pattern[str]:
        """Returns the compiled `expression`. It is compiled at the first search, because a log has only one cause."""
        return re.compile(self.expression, re.MULTILINE)

    @cached_property
    def where(self) -> re.Pattern[str] | None:
        """`place` as a compiled pattern; None if it is empty."""
        return re.compile(self.place) if self.place else None


UNKNOWN_FUNCTION, UNKNOWN_CALLER = "the function", "what calls it"
NEAR = 2_500
AROUND = 20_000
WINDOWS = r"\b[A-Z]:[\\/]|\bWinError\b|\.dll\b|\.pyd\b|MS_WIN64|~\\"
MACOS = r"(?:(?<![:\w])|-[IL])/Users/|/var/folders/|[Dd]arwin|\.dylib|-dynamiclib|/opt/homebrew|/Library/|macOS"
LINUX = r"/home/|\.so\b|[Ll]inux|/usr/lib"


def remedy(
    causes: Cause | tuple[Cause, ...],
    said: str,
    words: str,
    where: str = "",
    became: Mapping[str, str] | None = None,
    alone: bool = False,
) -> Remedy:
    """Makes a Remedy that applies to one or several causes."""
    return Remedy(causes if isinstance(causes, tuple) else (causes,), said, words, where, became, alone)


def chosen(table: tuple[Remedy, ...], cause: Cause, text: str, at: int, most: int) -> tuple[str, ...]:
    """Returns the texts of the first rows, at most `most`, that apply to a failure at `at`; of rows with the same expression only the
    first.
    """
    own, near = frames_before(text, at, at + NEAR), frames_before(text, max(0, at - NEAR), at + NEAR)
    around = text[max(0, at - AROUND) : at + AROUND]
    remedies: dict[str, None] = {}
    said: set[str] = set()
    for row in table:
        if len(remedies) == most:
            break
        if cause not in row.causes or (row.alone and remedies) or row.expression in said:
            continue
        if row.where is not None and row.where.search(around) is None:
            continue
        match = row.said.search(own) or row.said.search(near)
        if match is None:
            continue
        shown = frames(frames_before(text, max(0, at - NEAR), at))
        called = _called(shown)
        given = {name: (value or "").strip() for name, value in match.groupdict().items()}
        if given.get("function", "").rpartition(".")[2].startswith("__") and called["function"] != UNKNOWN_FUNCTION:
            del given["function"]  # `__init__` is not what the reader's line calls
        named = {"asks": _asks(shown, match), **called, **given}
        if row.became is not None:
            if named["name"] not in row.became:
                continue
            named["became"] = row.became[named["name"]]
        said |= {row.expression} - {""}
        remedies[re.sub(r" \([, ]*\)| (?= )", "", row.words.format(**named))] = None
    return tuple(remedies)


def layer(text: str, at: int) -> str | None:
    """Returns, in words, the package on top of PyMC, Theano or JAX that raised the failure at `at`, or called the library that did, and how
    to find it where R does not show it; None if there is none.
    """
    shown = frames(frames_before(text, max(0, at - NEAR), at))
    if not shown and patterns.OF_R.search(text, max(0, at - NEAR), at + NEAR):
        return "R shows only the end: reticulate::py_last_error() prints Python's traceback, whose last lines say whose code failed"
    if not shown or patterns.INSTALLED.search(place(shown[-1])) is None:
        return None
    called = _called(shown)
    if patterns.BUILT_ON.match(called["library"]):
        return f"it was raised inside of {called['library']}: if your line passes nothing of this, install its newest release"
    if patterns.BUILT_ON.match(called["caller"]):
        who = called["caller"]
        return f"{who} called {called['library']}: if your line passes nothing of this, install the newest release of {who}"
    return None


def _called(shown: list[str]) -> dict[str, str]:
    """The function that the user's code called before a failure, the library that raised it and the one that called this library; words
    for what is not known."""
    places = [place(frame) for frame in shown]
    own = [n for n, line in enumerate(places) if not patterns.OTHER_PACKAGE.search(line) and not patterns.PACKAGE_FOLDER.search(line)]
    packages = [m["package"] for line in reversed(places) if (m := patterns.PACKAGE_FOLDER.search(line))]
    library = raising_package(shown) or "the library"
    caller = next((package for package in packages if package != library), UNKNOWN_CALLER)
    entered = [m["name"] for line in places[own[-1] + 1 :] if (m := patterns.IN_FUNCTION.search(line))] if own else []
    calls = patterns.CALL.findall(statement(shown[own[-1]])) if own else []
    function = next((call for call in calls if call.rpartition(".")[2] in entered), calls[0] if calls else entered[0] if entered else "")
    return {"function": function or UNKNOWN_FUNCTION, "library": library, "caller": caller}


def _asks(shown: list[str], match: re.Match[str]) -> str:
    """The installed package in the last frame before a failure that is none of those that the match names."""
    named = {value for value in match.groupdict().values() if value}
    packages = [m["package"] for frame in shown if (m := patterns.PACKAGE_FOLDER.search(place(frame)))]
    return next((package for package in reversed(packages) if package not in named), "what imports it")
