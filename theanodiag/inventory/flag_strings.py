"""Flags that scripts, notebooks, shell scripts and container files set: where, and what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..errors import Span
from ..findings import Finding, Location
from ..flags.diagnose import ConfigSubject
from ..flags.document import Document
from ..flags.flags_variable import parse_flags
from ..flags.model import Dialect, Host
from ..flags.resolve import resolve
from ..flags.table import load_table, usual

_HOST = Host()
"""No machine in particular: what a scan says of a repository is the same wherever it runs."""
_SET = re.compile(
    r"""\b(?P<dialect>THEANO|AESARA|PYTENSOR)_FLAGS(?:['"]\s*\]|['"])?\s*(?:=|,|\+=|[ \t](?=['"\w]))\s*"""
    r"""(?:(?P<quote>['"])(?P<quoted>(?:\\.|(?!(?P=quote)).)*)(?P=quote)|(?P<bare>[^\s'"#;&|)\]]+))"""
)
"""`THEANO_FLAGS=device=cpu`, `os.environ["THEANO_FLAGS"] = "..."`, `setdefault("THEANO_FLAGS", "...")`, Docker's `ENV THEANO_FLAGS ...`."""
_VARIABLE = re.compile(r"\$[\w{(]|%[\w(]|\{\w*\}")


@dataclass(frozen=True)
class FlagString:
    """A value that is given to a variable with flags."""

    dialect: Dialect
    value: str
    span: Span


def found(text: str, path: str) -> Iterator[FlagString]:
    """Every value that the text gives to one of the variables, but for those that are put together when it runs."""
    for match in _SET.finditer(text):
        group = "quoted" if match["quoted"] is not None else "bare"
        value = match[group]
        if "=" in value and not _VARIABLE.search(value):
            yield FlagString(Dialect(match["dialect"].lower()), value, Span(path, text, match.start(group), match.end(group)))


def names_gpu(text: str) -> bool:
    """Whether flags in the text put the work on a GPU."""
    return re.search(r"\bdevice\s*=\s*(?:gpu|cuda|opencl)", text) is not None


def findings(flags: FlagString) -> tuple[Finding, ...]:
    """What the rules on flags find in one value, placed in the file; each as if no other configuration were read."""
    return tuple(_placed(f, flags) for f in findings_alone(flags.dialect, flags=flags.value))


def findings_alone(dialect: Dialect, *, flags: str = "", rc: Document | None = None) -> tuple[Finding, ...]:
    """The findings, without edits, of the rules on flags for a value of the flags variable or an rc file, on no machine in particular."""
    from ..rules.config import findings  # slow to import: the tables of all frameworks

    environ = {dialect.flags_variable: flags, dialect.rc_variable: rc.source if rc else ""}
    read = {rc.source: rc.text.encode("utf-8", "surrogateescape")} if rc else dict[str, bytes]()
    resolution = resolve(dialect, load_table(dialect, usual(dialect)).version, environ, read.get, _HOST)
    variable = parse_flags(flags, dialect.flags_variable) if flags else None
    subject = ConfigSubject(resolution, (rc,) if rc else (), variable, tuple(environ.items()))
    return tuple(without_edits(f) for f in findings(subject))


def _placed(finding: Finding, flags: FlagString) -> Finding:
    """The finding at its place in the file."""
    offset = (finding.location.column or 1) - 1 if finding.location.path == flags.dialect.flags_variable else 0
    start = min(flags.span.start + offset, flags.span.end)
    place = Location.of(Span(flags.span.source, flags.span.text, start, start))
    return replace(finding, location=replace(place, detail=finding.location.detail))


def without_edits(finding: Finding) -> Finding:
    """The finding without its edits: a scan writes nothing, and those for a flags variable do not fit the file around it."""
    return replace(finding, fix=finding.fix and replace(finding.fix, edits=()))
