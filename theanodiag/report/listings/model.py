"""What all listings share: the findings, their places in the notation of other tools, and stable fingerprints."""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from urllib.parse import quote

from ...files import STDIN
from ...findings import Finding, Location, Severity

TOOL = "theanodiag"
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?: [KMGT]?i?B\b)?")


@dataclass(frozen=True)
class Listing:
    """Findings, and the folder to which paths are relative."""

    findings: tuple[Finding, ...]
    folder: str
    fail_on: Severity
    """The least severity of a finding for which the command fails."""

    @classmethod
    def of(cls, findings: Iterable[Finding], folder: str, fail_on: str = "info") -> Listing:
        """Makes a listing in which every place is a line of a file, because other tools cannot show cells of notebooks. `fail_on` is the
        name of a severity.
        """
        return cls(tuple(replace(f, location=f.location.in_file()) for f in findings), folder, Severity[fail_on.upper()])

    def path(self, location: Location) -> str:
        """Returns the path of `location` relative to `folder`, with forward slashes; unchanged if it is outside `folder` or not a file."""
        if not is_file(location):
            return location.path
        inside = os.path.relpath(os.path.join(self.folder, location.path), self.folder)
        return (location.path if inside.startswith(os.pardir) else inside).replace(os.sep, "/")

    def uri(self, location: Location) -> str:
        """Returns the path of `location` as a URI: relative if it is below `folder`, else absolute."""
        path = self.path(location)
        try:
            quoted = quote(path.encode("utf-8", "surrogateescape"))
        except UnicodeEncodeError:  # half of a character, which no file system gives
            quoted = quote(path.encode("utf-8", "surrogatepass"))
        return f"file://{quoted}" if path.startswith("/") else quoted

    def fingerprints(self) -> Iterator[tuple[Finding, str]]:
        """Yields each finding with a fingerprint (SHA-256 in hexadecimal) of its code, path, place and text, which stays the same if lines
        move or sizes change.

        Different spellings of the path to a file give the same fingerprint. Findings that agree in all of these are numbered. SARIF's
        `partialFingerprints`, and a baseline, use the same names.
        """
        seen: Counter[str] = Counter()
        for f in self.findings:
            path = self.path(f.location)
            words = _NUMBER.sub("#", f.message.replace(f.location.path, path))
            name = "\0".join((f.code, path, f.location.detail or "", words))
            seen[name] += 1
            yield f, hashlib.sha256(f"{name}\0{seen[name]}".encode("utf-8", "surrogatepass")).hexdigest()


def is_file(location: Location) -> bool:
    """Returns whether `location` is in a file, not in an environment variable or standard input."""
    return location.path != STDIN and not re.fullmatch(r"[A-Z][A-Z0-9_]*", location.path) and bool(location.path)


def level(f: Finding, names: tuple[str, str, str]) -> str:
    """Returns the name of a finding's severity in another tool; `names` are that tool's names for info, warning and error."""
    return names[Severity(f.severity)]


def lines_of(f: Finding) -> tuple[str, ...]:
    """Returns the lines that are printed below a finding's place: message, notes, fix, and code to paste."""
    if f.fix is None:
        return f.message, *f.notes
    return f.message, *f.notes, f"help: {f.fix.title}", *(f"    {line}" for line in (f.fix.code or "").splitlines())


def line_of(f: Finding) -> str:
    """Returns the message and the fix of a finding in one line; with the code to paste if the code is a single line too."""
    if f.fix is None:
        return f.message
    code = (f.fix.code or "").strip().splitlines()
    paste = f": {code[0]}" if len(code) == 1 else f" ({len(code)} lines: --format full)" if code else ""
    return f"{f.message}; help: {f.fix.title}{paste}"
