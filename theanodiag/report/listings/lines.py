"""Findings as lines of text: for people, editors, and the services that read a job's output."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ...escaping import visible
from ...findings import Finding
from .model import TOOL, Listing, is_file, level, line_of, lines_of


def concise(listing: Listing) -> str:
    """One line per finding: `path:line:col: CODE message`."""
    return "".join(visible(f"{f.location}: {f.code} {line_of(f)}") + "\n" for f in listing.findings)


def pylint(listing: Listing) -> str:
    """`path:line: [CODE] message`, as Pylint prints with --output-format=parseable."""
    return "".join(visible(f"{listing.path(f.location)}:{f.location.line or 1}: [{f.code}] {line_of(f)}") + "\n" for f in listing.findings)


def full(listing: Listing) -> str:
    """A block for each finding, with its notes, fix, and code to paste."""
    return "\n".join("".join(f"{line}\n" for line in _block(f)) for f in listing.findings)


def _block(f: Finding) -> Iterator[str]:
    yield visible(f"{f.location}: {f.kind}: {f.message}")
    yield from (visible(f"    {note}") for note in f.notes)
    if f.fix:
        yield visible(f"    help: {f.fix.title}")
        yield from (visible(f"        {line}") for line in (f.fix.code or "").splitlines())


def grouped(listing: Listing) -> str:
    """Findings grouped by file: a heading for each file and a line for each finding."""
    by_path: dict[str, list[Finding]] = defaultdict(list)
    for f in listing.findings:
        by_path[f.location.path].append(f)
    blocks = [[visible(path), *(visible(f"  {_place(f)} {f.code} {line_of(f)}") for f in findings)] for path, findings in by_path.items()]
    return "\n".join("".join(f"{line}\n" for line in block) for block in blocks)


def _place(f: Finding) -> str:
    return ":".join(str(n) for n in (f.location.line, f.location.column) if n is not None) or "-"


def azure(listing: Listing) -> str:
    """Logging commands of Azure Pipelines; findings of severity info become warnings there.

    Source: Microsoft's "Logging commands": `;`, CR, LF, `]` and `%` escaped.
    """
    lines = []
    for f in listing.findings:
        places = {"sourcepath": listing.path(f.location), "linenumber": f.location.line, "columnnumber": f.location.column}
        named = {"type": level(f, ("warning", "warning", "error")), **(places if is_file(f.location) else {}), "code": f.code}
        properties = "".join(f"{k}={_azure_property(str(v))};" for k, v in named.items() if v is not None)
        lines.append(f"##vso[task.logissue {properties}]{_azure_message(f'{f.location}: {line_of(f)}')}\n")
    return "".join(lines)


def _azure_message(text: str) -> str:
    return visible(text.replace("%", "%AZP25").replace("\r", "%0D").replace("\n", "%0A"))


def _azure_property(text: str) -> str:
    return _azure_message(text).replace(";", "%3B").replace("]", "%5D")


def github(listing: Listing) -> str:
    """Workflow commands of GitHub Actions, shown as annotations.

    Source: GitHub's workflow commands: `%`, CR and LF are escaped, in properties `:` and `,` too.
    """
    lines = []
    for f in listing.findings:
        place = {"line": f.location.line, "col": f.location.column} if is_file(f.location) else {}
        named = {"title": f"{TOOL} ({f.code})", **({"file": listing.path(f.location)} if is_file(f.location) else {}), **place}
        properties = ",".join(f"{k}={_github_property(str(v))}" for k, v in named.items() if v is not None)
        message = "\n".join((f"{f.location}: {f.code} {f.message}", *lines_of(f)[1:]))
        lines.append(f"::{level(f, ('notice', 'warning', 'error'))} {properties}::{_github_message(message)}\n")
    return "".join(lines)


def _github_message(text: str) -> str:
    return visible(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _github_property(text: str) -> str:
    return _github_message(text).replace(":", "%3A").replace(",", "%2C")
