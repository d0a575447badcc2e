"""The HTML page of `theanodiag scan`: summary, what to do first, a table of folders, a row for each file, and the details of each file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from markupsafe import Markup

from ...findings import Finding, Location, Severity
from ...rules.registry import all_rules
from ...scanned_files.model import FileFacts, FileState
from .. import scanned
from .rendering import page, part

FOLDERS_BYTES, ROWS_BYTES, DETAILS_BYTES = 200_000, 1_100_000, 1_500_000
"""Room for each part of the page, which so stays below 3 MB whatever is scanned."""
MOST_GROUPS, MOST_PLACES = 50, 20
"""Findings of one file that are shown, those that say the same being one; and lines that are named of each."""


def render(facts: Sequence[FileFacts], paths: Sequence[str], command: str = "") -> str:
    """Renders the page for a scan of `paths`. If there is not room for all files, those with the most to do are shown, with the number
    of the others."""
    return page("scan.html", ("report.js",), command, d=Scanned(facts, paths))


@dataclass(frozen=True)
class Scanned:
    """A scan, prepared for the template of the page."""

    files: Sequence[FileFacts]
    paths: Sequence[str]
    columns = scanned.COLUMNS

    @cached_property
    def relevant(self) -> list[FileFacts]:
        """The files with findings or failures, most urgent first."""
        return sorted((f for f in self.files if f.state is not FileState.IRRELEVANT), key=_urgency)

    @cached_property
    def cards(self) -> list[str]:
        """The cards of the scan; each is a column of the table."""
        return scanned.cards_of(self.relevant)

    @cached_property
    def summary(self) -> list[str]:
        """The summary as sentences."""
        return [*scanned.summary(self.files), *filter(None, [scanned.runs(self.files)])]

    @cached_property
    def look(self) -> str:
        """Style of the summary: `bad` if something failed or does not fit, `open` if something needs to be done."""
        if any(f.state is FileState.FAILED or scanned.did_not_run(f) or scanned.too_large(f) for f in self.relevant):
            return "bad"
        return "open" if scanned.most_to_do(self.relevant) else "good"

    @cached_property
    def first(self) -> list[tuple[FileFacts, str]]:
        """What to do first, as pairs of file and action."""
        return [(f, scanned.to_do(f)) for f in scanned.most_to_do(self.relevant)]

    @cached_property
    def unread(self) -> list[FileFacts]:
        """Files that could not be read or were deliberately skipped."""
        return [f for f in self.relevant if f.state is not FileState.READ]

    @cached_property
    def has_failures(self) -> bool:
        """Whether the table needs a column for files that did not run or could not be read."""
        return bool(self.unread) or any(map(scanned.did_not_run, self.relevant))

    @cached_property
    def folders(self) -> list[Markup]:
        """The rows of the table of folders, up to the limit."""
        return _while_there_is_room(FOLDERS_BYTES, (part("_scanned_folder.html", row=row) for row in scanned.folders(self.files)))

    @cached_property
    def more_folders(self) -> int:
        """Number of folders beyond that limit."""
        return len(scanned.folders(self.files)) - len(self.folders)

    @cached_property
    def details(self) -> list[Markup]:
        """The details of each relevant file that is shown, in order; empty if the row says everything."""
        return _while_there_is_room(DETAILS_BYTES, map(self._details, range(len(self.relevant))))

    @cached_property
    def rows(self) -> list[Markup]:
        """A row for each relevant file that is shown, in order."""
        return _while_there_is_room(ROWS_BYTES, map(self._row, range(len(self.relevant))))

    @cached_property
    def by_path(self) -> list[int]:
        """Positions of the shown files, sorted by path."""
        return sorted(range(len(self.rows)), key=lambda k: self.relevant[k].path)

    @property
    def without_details(self) -> int:
        """Number of files whose findings are not shown."""
        return sum(bool(f.findings) for f in self.relevant[len(self.details) :])

    def anchor(self, f: FileFacts) -> str:
        """The page anchor of the details of a file; empty if it has none."""
        k = self._position.get(f.path, len(self.details))
        return f"file-{k}" if k < len(self.details) and self.details[k] else ""

    @cached_property
    def _position(self) -> dict[str, int]:
        return {f.path: k for k, f in enumerate(self.relevant)}

    def _row(self, k: int) -> str:
        return part("_scanned_row.html", d=self, f=self.relevant[k], s=scanned)

    def _details(self, k: int) -> str:
        f = self.relevant[k]
        if not f.findings and not f.reason and f.run is None:
            return ""
        return part("_scanned_details.html", f=f, at=f"file-{k}", groups=groups(f.findings), most=MOST_GROUPS)

    @cached_property
    def pages(self) -> list[tuple[str, str]]:
        """Rule codes used on the page, each with the page of the rule."""
        codes = {x.code for f in self.relevant for x in f.findings}
        return [(rule.code, rule.page.strip()) for rule in all_rules() if rule.code in codes]


@dataclass(frozen=True)
class Group:
    """Equal findings of one file."""

    finding: Finding
    """The first of the findings."""
    places: str
    """Places of the findings: line numbers, or cells of a notebook."""


def groups(findings: Iterable[Finding]) -> list[Group]:
    """The findings grouped by equal text, the most severe first."""
    alike: dict[tuple[str, Severity, str, str], list[Finding]] = {}
    for f in sorted(findings, key=lambda f: -f.severity):
        alike.setdefault((f.code, f.severity, f.message, f.fix.title if f.fix else ""), []).append(f)
    return [Group(same[0], _places([f.location for f in same])) for same in alike.values()]


def _places(places: Sequence[Location]) -> str:
    """`lines 3, 7 and 12`, or the cells of a notebook."""
    lines = [str(place.line) for place in places if place.line is not None and not place.detail]
    names = list(dict.fromkeys([*lines, *(place.detail for place in places if place.detail)]))
    more = len(names) - MOST_PLACES
    word = "line " if len(names) == 1 else "lines "
    return (word if lines else "") + ", ".join(names[:MOST_PLACES]) + (f" and {more} more" if more > 0 else "")


def _urgency(f: FileFacts) -> tuple[object, ...]:
    bad = f.state is FileState.FAILED or scanned.did_not_run(f) or scanned.too_large(f)
    return not bad, -f.names.by_hand, -scanned.counted(f), f.state is not FileState.SKIPPED, f.path


def _while_there_is_room(room: int, texts: Iterable[str]) -> list[Markup]:
    parts: list[Markup] = []
    for text in texts:
        room -= len(text.encode("utf-8"))
        if room < 0:
            break
        parts.append(Markup(text))
    return parts
