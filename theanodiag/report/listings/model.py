"""What all listings share: the findings, their places as other tools name them, and how findings are told apart from run to run."""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from ...files import STDIN
from ...findings import Finding, Location, Severity

TOOL = "theanodiag"
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?: [KMGT]?i?B\b)?")


@dataclass(frozen=True)
class Listing:
    """Findings, and the folder from which paths are seen."""

    findings: tuple[Finding, ...]
    folder: str

    def path(self, location: Location) -> str:
        """The path as seen from the folder, with forward slashes; as it is where it lies elsewhere or is no file."""
        if not is_file(location):
            return location.path
        inside = os.path.relpath(os.path.join(self.folder, location.path), self.folder)
        return (location.path if inside.startswith(os.pardir) else inside).replace(os.sep, "/")

    def uri(self, location: Location) -> str:
        """The path as a URI: relative below the folder, else absolute."""
        path = self.path(location)
        try:
            quoted = quote(path.encode("utf-8", "surrogateescape"))
        except UnicodeEncodeError:  # half of a character, which no file system gives
            quoted = quote(path.encode("utf-8", "surrogatepass"))
        return f"file://{quoted}" if path.startswith("/") else quoted

    def fingerprints(self) -> Iterator[tuple[Finding, str]]:
        """Each finding with a name that stays the same when lines move or sizes change: of its code, path, place and words.

        How the path was written does not matter, as long as it leads to the same file. Findings that agree in all of these are counted.
        The names are those of `partialFingerprints` in SARIF, and of a baseline.
        """
        seen: Counter[str] = Counter()
        for f in self.findings:
            path = self.path(f.location)
            words = _NUMBER.sub("#", f.message.replace(f.location.path, path))
            name = "\0".join((f.code, path, f.location.detail or "", words))
            seen[name] += 1
            yield f, hashlib.sha256(f"{name}\0{seen[name]}".encode("utf-8", "surrogatepass")).hexdigest()


def is_file(location: Location) -> bool:
    """Whether the place is in a file: not in a variable of the environment, nor in standard input."""
    return location.path != STDIN and not re.fullmatch(r"[A-Z][A-Z0-9_]*", location.path) and bool(location.path)


def level(f: Finding, names: tuple[str, str, str]) -> str:
    """What a format calls the severity; `names` are those of information, warning and error."""
    return names[Severity(f.severity)]


def lines_of(f: Finding) -> tuple[str, ...]:
    """All that a report for people says of a finding behind its place: the message, the notes, what to do, and the code to paste."""
    if f.fix is None:
        return f.message, *f.notes
    return f.message, *f.notes, f"help: {f.fix.title}", *(f"    {line}" for line in (f.fix.code or "").splitlines())


def line_of(f: Finding) -> str:
    """The message and what to do in one line, with the code where that is one line too."""
    if f.fix is None:
        return f.message
    code = (f.fix.code or "").strip().splitlines()
    paste = f": {code[0]}" if len(code) == 1 else f" ({len(code)} lines: --format full)" if code else ""
    return f"{f.message}; help: {f.fix.title}{paste}"
