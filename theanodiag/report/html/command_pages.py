"""The HTML pages of `scan`, `doctor`, `explain-log`, `diff`, and of findings alone, and how every page is rendered."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import jinja2
from markupsafe import Markup

from ...escaping import visible, visible_json
from ...findings import Finding, Location, Severity
from ...ir.shape import shape_text
from ...rules.registry import all_rules
from ...scanned_files.model import FileFacts, FileState
from ...units import format_bytes
from ...version import VERSION
from .. import scanned

if TYPE_CHECKING:
    from ...findings import Finding
    from ...logs import Diagnosis
    from ...probe.model import ProbeResult
    from ..report_diff import Growth


# How pages are rendered: escaping templates, embedded styles and scripts, and a Content-Security-Policy that blocks everything else.

HERE = Path(__file__).parent
PLOTTING = ("uplot/uPlot.iife.min.js",)
"""File names of the JavaScript library that draws the timeline."""


@cache
def asset(name: str) -> str:
    """Returns the text of a style sheet or script in the folder `static`."""
    return (HERE / "static" / name).read_text(encoding="utf-8")


def policy(scripts: tuple[str, ...]) -> str:
    """Returns the value of the Content-Security-Policy that allows only these scripts (given as text) to run and nothing to be loaded."""
    allowed = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(s.encode()).digest()).decode()}'" for s in scripts) or "'none'"
    return f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src {allowed}; base-uri 'none'; form-action 'none'"


def escaped(value: object) -> object:
    """Makes a value safe to show on a page: invisible characters in it become escape sequences. Values that are markup already are
    unchanged.
    """
    return value if hasattr(value, "__html__") else visible(str(value))


def lines(text: str) -> Markup:
    """Escapes a text of several lines as HTML, and the invisible characters in each line."""
    return Markup("\n").join(Markup.escape(visible(line)) for line in text.split("\n"))


def grouped(n: int) -> Markup:
    """Formats `n` with grouped digits, `1 234 567`, separated by non-breaking spaces."""
    return Markup(f"{n:,}".replace(",", "\u202f"))


def as_data(value: object) -> Markup:
    """Converts `value` to JSON that can stand inside a script element: it contains nothing that could end the element."""
    text = visible_json(json.dumps(value, separators=(",", ":"), allow_nan=False))
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


@cache
def _environment() -> jinja2.Environment:
    loader = jinja2.FileSystemLoader(str(HERE / "templates"))
    environment = jinja2.Environment(
        loader=loader, autoescape=True, finalize=escaped, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(size=format_bytes, shape=shape_text, data=as_data, lines=lines, bytes=grouped)
    environment.globals["VERSION"] = VERSION
    return environment


def page(template: str, scripts: tuple[str, ...], command: str = "", **context: object) -> str:
    """Renders a whole page from a template; `scripts` are the file names of the scripts that run in it, `command` is the command line that
    made it, shown at its foot.
    """
    texts = tuple(asset(name) for name in scripts)
    styles = [asset("uplot/uPlot.min.css")] * bool(set(PLOTTING) & set(scripts)) + [asset("report.css")]
    inside = {"scripts": [Markup(t) for t in texts], "styles": [Markup(t) for t in styles], "policy": policy(texts)}
    now = f"{datetime.now(timezone.utc):%Y-%m-%d %H:%M} UTC"
    return part(template, now=now, command=command, **inside, **context)


def part(template: str, **context: object) -> str:
    """Renders a template as part of a page; the result ends with a newline."""
    return _environment().get_template(template).render(**context).rstrip("\n") + "\n"


ROWS = 1_000
"""Maximum number of storage map entries shown on the page of a log."""


def doctor(machine: ProbeResult, command: str = "") -> str:
    """Returns the page of `doctor`: where predictions can be confirmed on this machine, and how to install what is missing."""
    from ...confirmation.available import abilities
    from ...doctor import advise, summary

    rows = abilities(machine)
    look = "good" if any(a.ready for a in rows) else "open"
    about = {"abilities": rows, "summary": summary(rows), "look": look, "legacy": advise(machine)}
    return page("doctor.html", ("report.js",), command, machine=machine, **about)


def explained(diagnosis: Diagnosis, source: str, lines: Sequence[tuple[int, str]], command: str = "") -> str:
    """Returns the page of `explain-log`: what failed, why, and what to do; `lines` are the numbered log lines around the failure."""
    from ...logs import Cause

    look = "open" if diagnosis.cause is Cause.NOT_RECOGNISED else "bad"
    rest = max(0, len(diagnosis.live) - ROWS)
    return page(
        "explained.html",
        ("report.js",),
        command,
        diagnosis=diagnosis,
        source=source,
        lines=tuple(lines),
        look=look,
        live=diagnosis.live[:ROWS],
        rest=rest,
    )


def report_diff(growth: Growth, command: str = "") -> str:
    """Returns the page of `diff`: what grew between two reports, and which line caused it."""
    from ..report_diff import signed

    look = "bad" if growth.peak.bytes > 0 else "good"
    return page("report_diff.html", ("report.js",), command, growth=growth, look=look, signed=signed)


def findings(sources: Sequence[str], findings: Sequence[Finding], command: str = "") -> str:
    """Returns the page that lists findings without a report, such as those about flags; `sources` are the files that were read."""
    from ...findings import Severity
    from ...rules.registry import all_rules

    counts = [(s.name.lower(), sum(f.severity is s for f in findings)) for s in reversed(Severity)]
    summary = ", ".join(f"{n} {name}{'s' * (n > 1)}" for name, n in counts if n) or "nothing found"
    worst = max((f.severity for f in findings), default=None)
    look = {None: "good", Severity.INFO: "good", Severity.WARNING: "open", Severity.ERROR: "bad"}[worst]
    pages = {rule.code: rule.page.strip() for rule in all_rules()}
    named = list(dict.fromkeys(sources))
    return page("findings.html", ("report.js",), command, sources=named, findings=findings, summary=summary, look=look, pages=pages)


FOLDERS_BYTES, ROWS_BYTES, DETAILS_BYTES = 200_000, 1_100_000, 1_500_000
"""Maximum sizes of the table of folders, the table of files and the details of files: the page stays below 3 MB however much is scanned."""
MOST_GROUPS, MOST_PLACES = 50, 20
"""Maximum number of groups of equal findings shown of one file, and of line numbers named in each group."""


# The HTML page of `theanodiag scan`: summary, what to do first, a table of folders, a row for each file, and the details of each file.


def render(facts: Sequence[FileFacts], paths: Sequence[str], command: str = "") -> str:
    """Renders the page for a scan of `paths`. If there is no space for all files, the page shows those with the most to do, and the number
    of the others.
    """
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
        """Names of the GPUs for which the scripts were run; each has a column in the table."""
        return scanned.cards_of(self.relevant)

    @cached_property
    def summary(self) -> list[str]:
        """The sentences at the top of the page: number of files, what `port` would do, and how runs ended."""
        return [*scanned.summary(self.files), *filter(None, [scanned.runs(self.files)])]

    @cached_property
    def look(self) -> str:
        """Returns the style of the summary: `bad` if something failed or does not fit, `open` if something must be done."""
        if any(f.state is FileState.FAILED or scanned.did_not_run(f) or scanned.too_large(f) for f in self.relevant):
            return "bad"
        return "open" if scanned.most_to_do(self.relevant) else "good"

    @cached_property
    def first(self) -> list[tuple[FileFacts, str]]:
        """The files to work on first, most urgent first, each with a text that says what to do."""
        return [(f, scanned.to_do(f)) for f in scanned.most_to_do(self.relevant)]

    @cached_property
    def unread(self) -> list[FileFacts]:
        """The files that could not be read or were deliberately skipped."""
        return [f for f in self.relevant if f.state is not FileState.READ]

    @cached_property
    def has_failures(self) -> bool:
        """Whether the table needs a column for files that did not run or could not be read."""
        return bool(self.unread) or any(map(scanned.did_not_run, self.relevant))

    @cached_property
    def folders(self) -> list[Markup]:
        """The rendered rows of the table of folders, up to `FOLDERS_BYTES`."""
        return _while_there_is_room(FOLDERS_BYTES, (part("_scanned_folder.html", row=row) for row in scanned.folders(self.files)))

    @cached_property
    def more_folders(self) -> int:
        """Number of folders left out of the table because it is full."""
        return len(scanned.folders(self.files)) - len(self.folders)

    @cached_property
    def details(self) -> list[Markup]:
        """The rendered details of the relevant files, in their order, up to `DETAILS_BYTES`; empty for a file whose row says everything."""
        return _while_there_is_room(DETAILS_BYTES, map(self._details, range(len(self.relevant))))

    @cached_property
    def rows(self) -> list[Markup]:
        """The rendered rows of the relevant files, in their order, up to `ROWS_BYTES`."""
        return _while_there_is_room(ROWS_BYTES, map(self._row, range(len(self.relevant))))

    @cached_property
    def by_path(self) -> list[int]:
        """Indices into `rows`, sorted by the path of the file."""
        return sorted(range(len(self.rows)), key=lambda k: self.relevant[k].path)

    @property
    def without_details(self) -> int:
        """Returns the number of files with findings whose details are left out because the page is full."""
        return sum(bool(f.findings) for f in self.relevant[len(self.details) :])

    def anchor(self, f: FileFacts) -> str:
        """Returns the HTML id of the details of file `f`; empty if the page does not have them."""
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
        """Code and documentation (Markdown) of each rule that has a finding on the page."""
        codes = {x.code for f in self.relevant for x in f.findings}
        return [(rule.code, rule.page.strip()) for rule in all_rules() if rule.code in codes]


@dataclass(frozen=True)
class Group:
    """Findings of one file with the same code, severity, message and fix."""

    finding: Finding
    """The first finding of the group."""
    places: str
    """Places of the findings: line numbers, or cells of a notebook."""


def groups(findings: Iterable[Finding]) -> list[Group]:
    """Returns the findings grouped by equal text, the most severe first."""
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
    return not bad, -f.names.by_hand, -scanned.finding_count(f), f.state is not FileState.SKIPPED, f.path


def _while_there_is_room(room: int, texts: Iterable[str]) -> list[Markup]:
    parts: list[Markup] = []
    for text in texts:
        room -= len(text.encode("utf-8"))
        if room < 0:
            break
        parts.append(Markup(text))
    return parts
