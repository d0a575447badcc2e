"""Analyses one file: its purpose, the names it uses, and known problems. Reads bytes and runs nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from ..compat.names import legacy
from ..errors import TheanodiagError, UnreadableError
from ..findings import Finding
from ..flags.carriers.file_kinds import FileKind, kind_of
from ..flags.carriers.model import Reading
from ..flags.carriers.reading import read
from ..flags.model import Dialect
from ..flags.rcfile_text import decode, parse_rc
from ..porting import imports, model, python2, source_port
from ..porting.import_statements import LACKING, is_optional, may_fail
from ..porting.model import Around, FileReport, PortOptions, Safety
from ..porting.notebook import Notebook
from ..porting.session import PortSession
from ..porting.syntax import parse
from ..porting.targets import was_released
from ..rules.porting import findings as ported
from ..rules.source_registry import SOURCE_RULES
from . import flag_strings
from .model import FileFacts, FileState, NameCounts, SourceKind, is_relevant

FRAMEWORKS = ("theano", "aesara", "pytensor", "pymc3", "pymc", "lasagne", "keras")
_IMPORT = re.compile(
    r"^[ \t>.]*(?:from[ \t]+(?P<module>[\w.]+)[ \t\\\r\n]+import\b|import[ \t]+(?P<list>[^\r\n;#]+))|"
    r"(?:__import__|import_module)\(\s*['\"](?P<called>[\w.]+)",
    re.MULTILINE,
)
_STATEMENT = re.compile(r"[;:][ \t]*(?:from[ \t]+(?P<module>[\w.]+)[ \t]+import\b|import[ \t]+(?P<list>[\w., \t]+))")


def frameworks(text: str) -> tuple[str, ...]:
    """Returns the frameworks whose modules the source imports, in the order of `FRAMEWORKS`; Keras counts as one with any back-end."""
    roots: set[str] = set()
    for pattern in (_IMPORT, _STATEMENT):
        for match in pattern.finditer(text):
            parts = match.groupdict()
            listed = (parts.get("list") or "").split(",")
            for name in (parts.get("module"), parts.get("called"), *listed):
                roots.add((name or "").strip().partition(" ")[0].partition(".")[0])
    return tuple(f for f in FRAMEWORKS if f in roots)


SERIES = ("0.6", "0.7", "0.8", "0.9", "0.10", "1.0")
"""Those whose public names `compat/names/legacy` lists, oldest first."""


def releases(names: Iterable[str]) -> str:
    """Returns the release series that have all of these dotted names (`theano.tensor.nnet.conv2d`), as ranges: "0.6-0.9", "0.7,1.0"; "none"
    if no series has them all.

    Names that no series lists (methods, the user's own names) are ignored; empty if no name of Theano is among them.
    """
    left, theano = set(SERIES), False
    for full in set(names):
        root, _, name = full.partition(".")
        theano = theano or root == "theano"
        series = listed(name) if root == "theano" and name else None
        if series is not None:
            left &= series
    return "" if not theano else format_series(left)


def listed(name: str) -> set[str] | None:
    """Returns the release series that list a name (without its root), or its longest listed part.

    Empty if its module is listed, but no release has the name; None if nothing is known of the name.
    """
    module, _, last = name.rpartition(".")
    if module in legacy.table("theano") and last not in ("tests", "") and not last.startswith("_") and not was_released("theano", name):
        return set()
    while name:
        row = legacy.known("theano", name)
        if row is not None:
            return expanded(row.series)
        name = name.rpartition(".")[0]
    return None


def expanded(text: str) -> set[str]:
    """Returns the series that a text such as `0.6-0.8,1.0` names: {"0.6", "0.7", "0.8", "1.0"}."""
    series: set[str] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        begin, end = SERIES.index(first), SERIES.index(last or first)
        series.update(SERIES[begin : end + 1])
    return series


def format_series(series: set[str]) -> str:
    """Formats series as ranges: `0.6-0.9`, `0.7,1.0`; "none" for no series."""
    runs: list[list[str]] = []
    for k, name in enumerate(SERIES):
        if name not in series:
            continue
        if runs and SERIES.index(runs[-1][-1]) == k - 1:
            runs[-1].append(name)
        else:
            runs.append([name])
    return ",".join(r[0] if len(r) == 1 else f"{r[0]}-{r[-1]}" for r in runs) or "none"


_GPU_NAMES = re.compile(r"theano\.(sandbox\.cuda|sandbox\.gpuarray|gpuarray)\b|\bpygpu\b")
_HAS_NAMES = re.compile(r"theano|aesara|pytensor|pygpu|pymc", re.IGNORECASE)


def facts(path: str, kind: SourceKind, data: bytes) -> FileFacts:
    """Returns the facts about a file with this content; a file that cannot be parsed is FAILED, with the parser's message as the reason."""
    known = FileFacts(path, kind, FileState.IRRELEVANT, lines=data.count(b"\n") + (not data.endswith(b"\n") and bool(data)))
    if kind is not SourceKind.RC and not is_relevant(data):
        return known
    try:
        return _READERS[kind](known, data)
    except TheanodiagError as error:
        return _failed(known, error)


def _failed(known: FileFacts, error: TheanodiagError) -> FileFacts:
    where = f"line {error.span.line}: " if isinstance(error, UnreadableError) and error.span else ""
    return replace(known, state=FileState.FAILED, reason=where + error.message)


def _rc(known: FileFacts, data: bytes) -> FileFacts:
    """An rc file, as if it were the only one that its library reads."""
    dialect = next((d for d in Dialect if d.value in known.path.rpartition("/")[2].lower()), Dialect.THEANO)
    document = parse_rc(decode(data, known.path), known.path)
    findings = map(flag_strings.without_edits, flag_strings.findings_alone(flag_strings.usual_table(dialect), rc=document))
    return replace(known, state=FileState.READ, gpu=flag_strings.names_gpu(document.text), findings=_by_place(findings))


def _flags_only(known: FileFacts, data: bytes) -> FileFacts:
    """A shell script, container file or file of settings: only the flags that it sets."""
    text = data.decode("utf-8", "replace")
    kind = kind_of(known.path.rpartition("/")[2], data)
    reading = read(text, FileKind.SHELL if kind is FileKind.RC else kind)
    state = FileState.READ if reading.carried else FileState.IRRELEVANT
    return replace(known, state=state, gpu=_gpu(reading), findings=_by_place(_about_flags(text, known.path, reading)))


def _about_flags(text: str, path: str, reading: Reading) -> tuple[Finding, ...]:
    """The findings on flags without edits: a scan writes nothing."""
    return tuple(flag_strings.without_edits(f) for f in flag_strings.findings_in(text, path, reading))


def _gpu(reading: Reading) -> bool:
    return any(flag_strings.names_gpu(c.value.text) for c in reading.carried)


def _python(known: FileFacts, data: bytes) -> FileFacts:
    """A source of Python 2 or 3."""
    text = model.read(data, known.path).text
    reading = read(text, FileKind.PYTHON)
    return _source(known, text, reading, _about_flags(text, known.path, reading))


def _source(known: FileFacts, text: str, reading: Reading, findings: Sequence[Finding]) -> FileFacts:
    """A source, in which these flags and findings about them are known already."""
    used = frameworks(text)
    if not used and not reading.carried:
        return known
    known = replace(known, state=FileState.READ, frameworks=used, gpu=_gpu(reading), findings=_by_place(findings))
    if not _HAS_NAMES.search(text) and not imports.TEXT.search(text):  # Keras alone, with whatever back-end
        return replace(known, python=parse(text, known.path)[1] if python2.is_python2(text) else 3)
    try:
        with source_port.open_session(text, known.path, PortOptions(), _around(known.path)) as session:
            return _used(known, text, session)
    except UnreadableError as error:
        return _failed(known, error)


def _used(known: FileFacts, text: str, session: PortSession) -> FileFacts:
    """`known` with facts from the names that a source uses and the flags that it sets."""
    changes = source_port.unless_ignored(session, text)[1]
    uses = [use.name for use in session.names.uses] + [i.imported for i in session.names.imports]
    needed = [
        use.name for use in session.names.uses if not (may_fail(use.leaves[0], LACKING) or (use.bound and is_optional(use.bound.statement)))
    ]
    needed += [i.imported if not is_optional(i.statement) else i.imported.partition(".")[0] for i in session.names.imports]
    findings = [
        *(f for safety in (Safety.UNSAFE, Safety.BY_HAND) for f in ported(FileReport(known.path, text, text, changes), safety)),
        *known.findings,
        *(f for rule in SOURCE_RULES for f in rule.check(session)),
    ]
    counts = {safety: sum(c.safety is safety for c in changes) for safety in Safety}
    gpu = any(_GPU_NAMES.match(name) for name in uses) or ("pygpu" in text and bool(re.search(r"\bimport\s+pygpu", text)))
    return replace(
        known,
        python=session.tree.python,
        releases=releases(needed),
        gpu=gpu or known.gpu,
        names=NameCounts(counts[Safety.SAFE], counts[Safety.UNSAFE], counts[Safety.BY_HAND]),
        findings=_by_place(findings),
    )


def _around(path: str) -> Around:
    """The facts that follow from a source's path: the packages of the scanned folder that contain it are ported with it."""
    return Around(above=frozenset(() if path.startswith("/") else path.split("/")[:-1]))


def _notebook(known: FileFacts, data: bytes) -> FileFacts:
    """Facts of a notebook, its code cells joined to one source. Findings are placed by cell and line; those on flags in the file."""
    text = data.decode("utf-8-sig", "replace")
    notebook, reading = Notebook(text, known.path), read(text, FileKind.NOTEBOOK)
    source = notebook.source
    facts = _source(replace(known, lines=source.count("\n")), source, reading, ())
    flags = _about_flags(text, known.path, reading) if facts.state is FileState.READ else ()
    return replace(facts, findings=(*flags, *(replace(f, location=f.location.in_file()) for f in map(notebook.placed, facts.findings))))


def _by_place(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(findings, key=lambda f: (f.location.line or 0, f.location.column or 0, f.code)))


_READERS: dict[SourceKind, Callable[[FileFacts, bytes], FileFacts]] = {
    SourceKind.PYTHON: _python,
    SourceKind.NOTEBOOK: _notebook,
    SourceKind.RC: _rc,
    SourceKind.SHELL: _flags_only,
    SourceKind.CONTAINER: _flags_only,
    SourceKind.SETTINGS: _flags_only,
}
