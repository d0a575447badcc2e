"""Finds problems with the flags that a file sets: rc files, scripts, notebooks, container files and similar files."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import replace

from ..findings import Edit, Finding, Fix, Location
from ..flags.carriers.model import UNKNOWN, Carried, NotEditable, Reading, file_edits, known_part, numbered_gpus, offset_of, span_of
from ..flags.defaults import load_table, usual
from ..flags.diagnose import ConfigSubject
from ..flags.flags_variable import parse_flags
from ..flags.model import Dialect, FlagTable, Host
from ..flags.names import dotted_name
from ..flags.rcfile_text import RcDocument, parse_rc
from ..flags.resolve import resolve

_HOST = Host()
"""No machine in particular: what is said of a file is the same wherever it is read."""


def names_gpu(text: str) -> bool:
    """Returns whether flags in the text select a GPU."""
    return re.search(r"\bdevice\s*=\s*(?:gpu|cuda|opencl)", text) is not None


def usual_table(dialect: Dialect) -> FlagTable:
    """Returns the flags of the default version, which is used if none is named."""
    return load_table(dialect, usual(dialect))


_COMMENT = re.compile(r"^[ \t]*(?:#|//|REM\b)[^\n]*", re.IGNORECASE | re.MULTILINE)
_INSTALLS = re.compile(
    rf"(?<![\w./-])(?P<library>{'|'.join(d.value for d in Dialect)})(?:-pymc|-base)?(?:\[[\w,]{{0,40}}\])?[\"' ]{{0,2}}==?[\"' ]{{0,2}}"
    r"(?P<version>\d{1,4}(?:\.\d{1,4}){1,3})(?![\w.*])",
    re.IGNORECASE,
)
"""A requirement of pip or conda: `theano==0.9`, `Theano-PyMC==1.1.2`, `pytensor-base=2.18.6`."""


def table_for(dialect: Dialect, text: str) -> FlagTable:
    """Returns the flags of the version that a file itself installs; of the default version if the file installs none, or several."""
    versions = {version for library, version in installed(text) if library is dialect}
    return load_table(dialect, versions.pop()) if len(versions) == 1 else usual_table(dialect)


def installed(text: str) -> set[tuple[Dialect, str]]:
    """Returns (library, version) of each requirement of pip or conda in a file that names one of the libraries with its version."""
    return {(Dialect(m["library"].lower()), m["version"]) for m in _INSTALLS.finditer(_COMMENT.sub("", text))}


def findings_in(text: str, path: str, reading: Reading, tables: dict[Dialect, FlagTable] | None = None) -> tuple[Finding, ...]:
    """Returns the findings of the flag rules in a file, with places and edits in that file. Each value is checked as if there were no other
    configuration.

    `tables` has the flags of the requested versions, if these are not the versions of `table_for`.
    """
    by_place: dict[tuple[object, ...], Finding] = {}
    names = [_names(carried) for carried in reading.carried]
    by_dialect = {dialect: set[str]() for dialect in Dialect}
    for carried, own in zip(reading.carried, names):
        by_dialect[carried.dialect] |= own
    requested, written = tables or {}, functools.cache(table_for)
    alone = functools.cache(findings_alone)  # many scripts set the same flags line after line
    for carried, own in zip(reading.carried, names):
        elsewhere = reading.set_in_code | (by_dialect[carried.dialect] - own)
        table = requested.get(carried.dialect) or written(carried.dialect, text)
        for f in _findings(carried, table, elsewhere, text, path, alone):
            by_place.setdefault((f.code, f.location.line, f.location.column, f.message), f)
    return tuple(sorted(by_place.values(), key=lambda f: (f.location.line or 0, f.location.column or 0, f.code)))


def _names(carried: Carried) -> set[str]:
    if carried.is_rc:
        entries = parse_rc(carried.value.text).entries
        return {e.option if e.section in ("global", "") else f"{e.section}.{e.option}" for e in entries}
    return {e.key.strip().replace("__", ".") for e in parse_flags(carried.value.text).entries}


def _findings(
    carried: Carried, table: FlagTable, elsewhere: frozenset[str], text: str, path: str, alone: Callable[..., tuple[Finding, ...]]
) -> list[Finding]:
    """The findings in one value at their places in the file; `alone` is `findings_alone`."""
    if carried.is_rc:
        rc = parse_rc(carried.value.text, path)
        unknown = frozenset(n for e, n in zip(rc.entries, (dotted_name(e.section, e.option) for e in rc.entries)) if UNKNOWN in e.value)
        findings = alone(table, rc=rc, elsewhere=elsewhere | unknown)
        lines = carried.value.text.split("\n")
        findings = tuple(f for f in findings if f.location.line is None or UNKNOWN not in lines[f.location.line - 1])
        return [_placed(f, carried, text, path) for f in findings if not f.location.path.startswith("<")]
    known, unknown_names, anything = known_part(carried)
    findings = alone(table, flags=known.value.text, elsewhere=elsewhere | unknown_names, anything=anything)
    begun = ((gpu, f) for gpu in numbered_gpus(carried) for f in alone(table, flags=gpu.value.text, anything=True))
    return [*(_placed(f, known, text, path) for f in findings), *(without_edits(_placed(f, gpu, text, path)) for gpu, f in begun)]


def findings_alone(
    table: FlagTable, *, flags: str = "", rc: RcDocument | None = None, elsewhere: frozenset[str] = frozenset(), anything: bool = False
) -> tuple[Finding, ...]:
    """Returns the findings of the flag rules for one value of the flags variable or one rc file, independent of the machine.

    `elsewhere` are flags that may also be set in another place; with `anything` every flag may be.
    """
    from ..rules.config import findings  # slow to import: the tables of all frameworks

    dialect = table.dialect
    environ = {dialect.flags_variable: flags, dialect.rc_variable: rc.source if rc else ""}
    read = {rc.source: rc.text.encode("utf-8", "surrogateescape")} if rc else dict[str, bytes]()
    resolution = resolve(dialect, table.version, environ, read.get, _HOST)
    variable = parse_flags(flags, dialect.flags_variable) if flags else None
    environment = tuple({**environ, "MKL_THREADING_LAYER": "unknown"}.items())
    return findings(ConfigSubject(resolution, (rc,) if rc else (), variable, environment, elsewhere=elsewhere, anything_elsewhere=anything))


def _placed(finding: Finding, carried: Carried, text: str, path: str) -> Finding:
    """The finding at its place in the file, with the edits of its fix as edits of the file, or without them where they do not fit there."""
    where, value = finding.location, carried.value.text
    offset = offset_of(value, where.line, where.column or 1) if where.line is not None else 0
    place = replace(Location.of(span_of(carried, offset, path, text)), detail=where.detail)
    return replace(finding, location=place, fix=finding.fix and _fix(finding.fix, carried, path, text))


def _fix(fix: Fix, carried: Carried, path: str, text: str) -> Fix:
    own = tuple(Edit(path, e.start, e.end, e.replacement) for e in fix.edits)
    try:
        return replace(fix, edits=file_edits(carried, own, path, text))
    except NotEditable:
        return replace(fix, edits=())


def without_edits(finding: Finding) -> Finding:
    """Returns the finding without its edits, because a scan writes nothing."""
    return replace(finding, fix=finding.fix and replace(finding.fix, edits=()))
