"""Parses labels: `Gemm{inplace}.0 [id A] <TensorType(float32, matrix)> 'h' d={0: [0]} 4 (inner_in_seqs-0)`."""

from __future__ import annotations

import re
from functools import lru_cache
from sys import intern

from .model import Label

LONGEST_ID = 4_000_000
"""Longest id in characters: a list of ids in front of an inner graph that several hundred thousand nodes share."""
ID = re.compile(rf"\[\s?(?:id\s{{1,8}}|@\s?)([^\[\]\n]{{1,{LONGEST_ID}}})\]")
"""An id in any generation: `[id A]`, `[@A]`, `[@140234]`, `[id auto_12]`, `[id A, BC]` (heads of inner graphs)."""
_TYPE = r"<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>"
_FIELD = re.compile(
    rf"""\s*(?:(?P<type>{_TYPE})|shape=(?P<shape>\([^()]*\))|a=\{{[^{{}}]*\}}|'(?P<name>[^']*(?:'(?!\s|$)[^']*)*)'
    |d=(?P<d>\{{[^{{}}]*\}})|v=(?P<v>\{{[^{{}}]*\}})|\{{\}}|(?P<order>\d+)(?=\s|$)
    |->\s*(?:\[(?:id\s+|@)(?P<outer>[^\[\]]+)\]|(?=$|\())|<-\s*\[(?:id\s+|@)[^\[\]]+\]|\((?P<info>[\w-]+)\)(?=\s|$|\)|,))""",
    re.VERBOSE,
)
_BEHIND = (
    r"(?:<([^<>]*(?:<[^<>]*>[^<>]*)*)>(?:\s{1,8}|$))?(?:'([^']*)'(?:\s{1,8}|$))?(\d*)"
    r"(?:\s{0,8}->\s{0,8}\[(?:id\s{1,8}|@)([^\[\]]+)\])?\s{0,8}(?:\(([\w-]+)\))?$"
)
_USUAL = re.compile(_BEHIND)
"""The fields behind the id on nearly all lines: type, name, order number; outer id and role of an inner input.

Runs of spaces are limited, since without a limit each would be searched again and again.
"""
_INFO = re.compile(r"\(((?:n_steps|inner_|outer_)[\w-]*)\)\s*$")
_OUTER = re.compile(r"->\s*\[(?:id\s+|@)([^\[\]]+)\]")
_STORAGE = re.compile(r"\s*\[")
_SPACES = re.compile(r"\s{2,}")
_TAIL_LIMIT = 600
_BARE = re.compile(
    rf"""(?P<rest>(?:\s+{_TYPE})?(?:\s+shape=\([^()]*\))?(?:\s+a=\{{[^{{}}]*\}})?(?:\s+'[^']*')?(?:\s+d=\{{[^{{}}]*\}})?(?:\s+v=\{{[^{{}}]*\}})?
    (?:\s+\d+)?(?:\s+->)?(?:\s+\((?:n_steps|inner_|outer_)[\w-]*\))?)\s*$""",
    re.VERBOSE,
)


def parse_label(text: str) -> Label:
    """The parts of `text`; unknown text behind the id is ignored."""
    found = ID.search(text)
    if found:
        head, ident, rest = text[: found.start()].rstrip(), found[1].strip(), text[found.end() :]
        return Label(head, ident) if not rest or rest.isspace() else _with_fields(head, ident, rest)
    text = _SPACES.sub(" ", text)  # runs of spaces would make the search below slow
    tail = text[-_TAIL_LIMIT:]
    match = _BARE.search(tail)
    rest = match["rest"] if match and match.start() + len(text) > len(tail) else ""
    return _with_fields(text[: len(text) - len(rest)].rstrip(), "", rest)


def usual_tail(tail: str) -> Label | None:
    """The fields behind an id; None where there is more than the usual ones."""
    usual = _USUAL.match(tail.strip())
    if usual is None:
        return None
    kind, name, order, outer, info = usual.groups()
    return Label("", "", intern(kind or ""), "", name, "", "", order, (outer or "").strip(), info or "")


def _with_fields(head: str, ident: str, rest: str) -> Label:
    rest = rest.strip()
    usual = _USUAL.match(rest)
    if usual:
        kind, name, order, outer, info = usual.groups()
        return Label(head, ident, kind or "", "", name, "", "", order, (outer or "").strip(), info or "")
    fields: dict[str, str] = {}
    at = 0
    while at < len(rest):
        match = _FIELD.match(rest, at)
        if not match or match.end() == at:
            break
        if match.lastgroup:
            fields.setdefault(match.lastgroup, match[match.lastgroup])
        at = match.end()
    if at < len(rest):
        _after_storage(rest, fields)
    type_text = fields.get("type", "")[1:-1]
    return Label(
        head, ident, type_text, fields.get("shape", ""), fields.get("name"), fields.get("d", ""), fields.get("v", ""),
        fields.get("order", ""), fields.get("outer", "").strip(), fields.get("info", ""),
    )  # fmt: skip


def end_of_fields(text: str, at: int) -> int:
    """Offset of the end of the label's fields behind its id, which ends at `at`."""
    while (match := _FIELD.match(text, at)) and match.end() > at:
        at = match.end()
    return at


def _after_storage(rest: str, fields: dict[str, str]) -> None:
    """Reads the fields behind a storage column, whose form is free."""
    for key, pattern in (("outer", _OUTER), ("info", _INFO)):
        found = pattern.search(rest)
        if found:
            fields.setdefault(key, found[1])


@lru_cache(maxsize=8192)
def split_output(text: str) -> tuple[str, int | None]:
    """The Op and its output number: `Scan{f}.1` -> (`Scan{f}`, 1); None where no number is printed."""
    base, dot, digits = text.rpartition(".")
    if dot and base and digits.isascii() and digits.isdigit() and len(digits) < 7:
        return base, int(digits)
    return text, None


def open_brackets(text: str) -> bool:
    """Whether `text` opens more brackets than it closes, so that the line continues below."""
    count = text.count
    return count("(") > count(")") or count("<") > count(">") or count("[") > count("]") or count("{") > count("}")


def closes_more(text: str) -> bool:
    """Whether `text` closes brackets that it does not open, so that the line began above."""
    return any(text.count(a) < text.count(b) for a, b in ("()", "[]", "{}"))
