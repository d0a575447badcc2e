"""Distinguishes a document that quotes an error message (a manual, an article) from the log of a failed job."""

from __future__ import annotations

import re

_HEADING = re.compile(r"^(?:#{1,6} [A-Z\[]|(?:={4,}|-{4,})\s*$)", re.MULTILINE)
_MARKUP = re.compile(r"\]\([^()\s]{1,300}\)|^\|.{0,400}\|\s*$|^:?\w{1,20}:`|^\.\. \w+::|\*\*\w[^*\n]{0,200}\*\*", re.MULTILINE)
_SENTENCE = re.compile(
    r"^[-*>#|\s\d.]{0,8}[\"'`(*_\[]{0,3}[A-Za-z][\w'’/-]*[,;:]?(?: [\[(\"'`*_]{0,3}[\w'’/%.<>=$~-]+[\])\"'`*_]{0,3}[,;:.!?]{0,2}){5,}"
)
_PRINTED = re.compile(
    r"Traceback \(most recent call last\)|^\s*File \"?[^\n]{1,300}, line \d|Apply node that caused|Storage map footprint|Epoch \d|"
    r"^(?:\S{1,20} )?\d{4}-\d\d-\d\d[ T]\d\d:\d\d|^\w{3} +\d\d? \d\d:\d\d:\d\d |^[A-Z]\d{4} \d\d:\d\d:\d\d|^\[[^\n\]]{0,30}\d:\d\d|"
    r"^[A-Z]\w+Error: |^Using |^WARNING|^INFO|^ERROR",
    re.MULTILINE,
)
LONGEST = 200_000
"""A text with more characters is not considered a document."""


def is_document(text: str) -> bool:
    """Whether a text is a document and not a log.

    A document has at least two headings and two other pieces of markup, a quarter of its lines are sentences, or half of them sentences,
    headings and markup, and it has nothing that programs print around an error: a traceback, a time, a node, a start message, a line that
    begins with the name of an exception.
    """
    if len(text) > LONGEST or _PRINTED.search(text) or len(_HEADING.findall(text)) < 2 or len(_MARKUP.findall(text)) < 2:
        return False
    lines = [line for line in text.splitlines() if line.strip()]
    sentences = sum(1 for line in lines if _SENTENCE.match(line))
    written = sum(1 for line in lines if _SENTENCE.match(line) or _HEADING.match(line) or _MARKUP.search(line))
    return 4 * sentences >= len(lines) or 2 * written >= len(lines)
