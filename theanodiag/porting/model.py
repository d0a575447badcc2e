"""The types of a port: the target, each change with its safety, and the report of a file."""

from __future__ import annotations

import codecs
import enum
import io
import re
import tokenize
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from ..errors import Span, UnreadableError
from ..escaping import visible

# Comments that silence findings: `# theanodiag: ignore[TD503] reason`, and `ignore-file[...]` for a whole file.

_COMMENT = re.compile(r"#\s*theanodiag:\s*(ignore(?:-file)?)\s*(?:\[([^\]]*)\])?\s*(.*)", re.IGNORECASE)


@dataclass(frozen=True)
class Ignore:
    """One comment that silences findings."""

    line: int
    """Line number of the comment, from 1."""
    codes: tuple[str, ...]
    """Codes that it silences, or their prefixes (`TD5`), in capitals; empty: every code."""
    reason: str
    """Why the finding is silenced: the text after the codes, which may be empty."""
    whole_file: bool
    """Whether it applies to the whole file (`ignore-file`)."""
    alone: bool
    """Whether the comment is alone on its line; it then also applies to the next line."""

    def covers(self, code: str, line: int | None) -> bool:
        """Returns whether the comment silences a finding with `code` at `line`."""
        if self.codes and not code.startswith(self.codes):
            return False
        return self.whole_file or line == self.line or (self.alone and line == self.line + 1)

    def __str__(self) -> str:
        name = "ignore-file" if self.whole_file else "ignore"
        return f"{name}[{','.join(self.codes)}]" if self.codes else name


def read_ignores(text: str) -> tuple[Ignore, ...]:
    """Returns all ignore comments in a source. If this Python cannot tokenize the source, everything after a `#` is treated as a
    comment.
    """
    return tuple(ignore for line, before, comment in _comments(text) if (ignore := _ignore(line, before, comment)))


def _comments(text: str) -> Iterator[tuple[int, str, str]]:
    """(line number, text before the comment, the comment) of each comment."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        for number, line in enumerate(text.splitlines(), 1):
            before, mark, rest = line.partition("#")
            if mark:
                yield number, before, mark + rest
        return
    for token in tokens:
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.line[: token.start[1]], token.string


def _ignore(line: int, before: str, comment: str) -> Ignore | None:
    match = _COMMENT.match(comment)
    if match is None:
        return None
    codes = tuple(c.strip().upper() for c in (match[2] or "").split(",") if c.strip())
    return Ignore(line, codes, match[3].strip(), match[1].lower() == "ignore-file", not before.strip())


FRAMEWORKS = {"pytensor": "pytensor", "aesara": "aesara", "pymc": "pytensor", "theano": "theano"}
"""Port target -> the framework whose names the source uses afterwards. For Theano, only Python 2 is translated."""


class Safety(enum.Enum):
    """How certain it is that a change does not alter the results."""

    SAFE = "safe"
    """The same graph, or values that are equal up to float rounding."""
    UNSAFE = "unsafe"
    """Results may differ: the change says where. Written only on request."""
    BY_HAND = "by hand"
    """Nothing is written: the change says what to write by hand."""


class Style(enum.Enum):
    """What to write for a name that works differently in the target."""

    NATIVE = "native"
    """The target's own functions; `theanodiag.compat` only if there are none."""
    COMPAT = "compat"
    """The function of `theanodiag.compat` that computes what the old name did."""


@dataclass(frozen=True)
class PortOptions:
    """The options of a port."""

    target: str = "pytensor"
    """Target framework: `aesara` or `pytensor`; `theano` keeps the source's own."""
    style: Style = Style.NATIVE
    unsafe: bool = False
    """Whether to write changes that may alter results."""
    python2to3: bool = False
    """Whether to translate Python 2 sources to Python 3 first."""


@dataclass(frozen=True)
class PortEdit:
    """An edit that replaces `text[start:end]` by `replacement` (0-based character offsets)."""

    start: int
    end: int
    replacement: str


@dataclass(frozen=True)
class Change:
    """A change made, or a change to make by hand."""

    span: Span
    """The place in the old text."""
    name: str
    """The full dotted name concerned, such as `theano.tensor.nnet.conv2d`."""
    safety: Safety
    reason: str
    """Why the change is made; if it is not safe, what may differ."""
    advice: str
    """The replacement that was written, or that has to be written by hand."""
    code: str
    """Code of the finding: TD101 safe, TD102 unsafe, TD103 by hand."""


CODES = {Safety.SAFE: "TD101", Safety.UNSAFE: "TD102", Safety.BY_HAND: "TD103"}
"""Safety -> code of the finding."""


_PIECE = re.compile(r"\bfrom theanodiag(?:\.(?:legacy|compat)[\w.]*)? import\b|\bimport theanodiag\b")


@dataclass(frozen=True, repr=False)
class FileReport:
    """The result of porting one file."""

    path: str
    before: str
    """The original text."""
    after: str
    """The ported text; equal to `before` if nothing changed."""
    changes: tuple[Change, ...] = ()
    """The changes in the order of the text."""
    failure: str | None = None
    """Why the file could not be processed; None if it was."""
    bug: bool = False
    """Whether the failure is a bug of theanodiag."""
    skipped: str | None = None
    """Why the file was skipped (a symbolic link that leads outside the given paths); None if it was processed."""

    def __repr__(self) -> str:
        if self.failure is not None or self.skipped is not None:
            return visible(f"<FileReport of {self.path}: {self.failure or self.skipped}>")
        return visible(f"<FileReport of {self.path}: {', '.join(f'{self.count(safety)} {safety.value}' for safety in Safety)}>")

    @property
    def changed(self) -> bool:
        """Whether the ported text differs from the original."""
        return self.before != self.after

    @property
    def needs_theanodiag(self) -> bool:
        """Whether the ported source imports theanodiag, which must then be installed where it runs."""
        return _PIECE.search(self.after) is not None

    def count(self, safety: Safety) -> int:
        """Returns the number of changes with that safety."""
        return Counter(c.safety for c in self.changes)[safety]


@dataclass(frozen=True)
class Proof:
    """The result of the proof of one changed file."""

    proved: bool
    """Whether there are scripts that run the file, and all of them compute the same values."""
    scripts: tuple[str, ...]
    """The scripts that run it."""
    values: int
    """Number of values compared and found equal, over all scripts."""
    reason: str
    """Why it is not proved; empty if it is."""
    lent: bool = False
    """Whether a script that runs it imports theanodiag, which the new interpreter lacks: theanodiag added its own copy for the run."""


@dataclass(frozen=True)
class Ported:
    """One source, before and after porting."""

    report: FileReport
    before: bytes
    after: bytes


# Edits of a source text, and reading the text of a source file.


def applied(text: str, edits: Iterable[PortEdit]) -> str:
    """Returns the text with all edits made. An edit that overlaps an earlier one is left out. Insertions at the same place keep their
    order.
    """
    parts: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        if edit.start < at:
            continue
        parts += [text[at : edit.start], edit.replacement]
        at = edit.end
    return "".join([*parts, text[at:]])


@dataclass(frozen=True)
class Around:
    """Facts about the surroundings of a source file."""

    stem: str = ""
    """Name of the module itself."""
    beside: frozenset[str] = frozenset()
    """Names of the modules and packages in its folder, if that is a package; Python 2 can import them by name alone."""
    above: frozenset[str] = frozenset()
    """Names of the modules and packages in its folder and in all parent folders up to the top of the repository."""
    is_python2: Callable[[], bool] = lambda: False
    """Whether its package is written for Python 2 (at least one of its sources is), or only Python 2 scripts import it."""


NOWHERE = Around()
"""The surroundings of a text that is not a file, or whose place is unknown."""


_DECLARATION = re.compile(rb"(?:[ \t\f]*(?:#.*)?\r?\n)?[ \t\f]*#.*?coding[:=][ \t]*[-\w.]+")
"""A declared encoding, in the first or second line. Source: PEP 263."""


@dataclass(frozen=True)
class SourceText:
    """The text of a file, and the information needed to convert it back to bytes."""

    text: str
    encoding: str
    mark: bytes = b""
    """The byte order mark that the file begins with."""
    undeclared: int | None = None
    """The place of the first character that is not UTF-8 in a file that declares no encoding: no Python can read such a file."""

    def encoded(self, text: str) -> bytes:
        """Returns the bytes of a new text in the file's encoding, with its byte order mark."""
        return self.mark + text.encode(self.encoding)


def read(data: bytes, path: str) -> SourceText:
    """Decodes a Python source. Raises UnreadableError if it has null bytes.

    If the declared encoding is wrong, or if none is declared and the source is not UTF-8, the source is decoded as Latin-1: one character
    for each byte, as in Python 2.
    """
    if b"\0" in data:
        raise UnreadableError("this is not Python source: it has null bytes", path=path, help="leave the file out")
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    body = data[len(mark) :]
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(body).readline)
        text = body.decode(encoding)
        if text.encode(encoding) == body:
            return SourceText(text, encoding, mark)
    except (SyntaxError, UnicodeError, LookupError):
        pass
    text = body.decode("latin-1")
    try:
        body.decode("utf-8")
        undeclared = None
    except UnicodeDecodeError as error:
        undeclared = None if _DECLARATION.match(body) else error.start
    return SourceText(text, "latin-1", mark, undeclared)
