"""Finds phrases that a reader has to guess at, in documents, messages, docstrings and comments (part of `make lint`).

Usage: `python tools/plain_words.py`. A phrase is added to a table when a reader did not understand it, with what to write instead.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PHRASES = {
    r"takes? (?:of the GPU )?for (?:itself|themselves)": "name it: the CUDA context",
    r"there is for arrays": "are available for arrays",
    r"[MG]iB there is\b": "of 64.0 MiB",
    r"not looked at": "not checked",
    r"is a default until": "We assume 300 MiB; measure yours with ...",
    r"(?:is|are) named and leaves?": "Unknown sizes are listed; totals that depend on them are shown as ≥",
    r"none was opened": "no GPU was used",
    r"if that is why": "If that caused the failure, retry with ...",
    r": put right": "say what was done: the earlier value was commented out",
    r"ends the trial": "only the measured run ends",
    r"marks at the nodes": "the nodes were observed",
    r"would serve\b": "provides it",
    r"leaves? (?:them|it) away": "does without",
    r"for want of": "because of too little",
    r"\butili[sz]e|\bleverag(?:e|es|ing)\b|\bseamless|\bblazing": "use plain words",
    r"\bvery unique|\bin order to\b|\bdue to the fact\b|\bplease note\b": "leave it out",
}
"""Phrase (a regular expression) -> what to write instead; for documents and all texts in the code."""
PROSE = {
    r"\b(?:is|are|was|were) (?:told|asked)\b": "name the call, the request or the message",
    r"\bhand(?:s|ed)? on\b": "passes on",
    r"\bgo(?:es)? on\b": "continues",
    r"\blook(?:s|ed)? at\b": "searched, checked, read",
    r"\bso many\b": "this number of",
    r"\b(?:has|have|is) no more\b(?! than)": "removed it, lacks it",
    r"\bwhat (?:was|is) found\b": "name it: the matches, the files",
    r"\bthe ones that\b": "those that",
    r"\b(?:not|cannot|nothing|none) tells?\b|\btext tells\b": "does not say, show or determine",
    r"\bof (?:ours|theirs|the user's own)\b": "theanodiag's, the user's",
}
"""Phrase -> what to write instead; for docstrings and comments of the package."""
DOCUMENTS = ("*.md", "docs/**/*.md", ".github/**/*.md", "configs/*", "examples/*.py")
CODE = ("theanodiag/**/*.py",)
PAGES = "theanodiag/rules/"
"""Rules, whose docstrings are pages of the documentation: they are held to `PHRASES` alone, as other pages are."""


def _pattern(phrases: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<p{k}>{phrase})" for k, phrase in enumerate(phrases)), re.IGNORECASE)


_PHRASE, _IN_PROSE = _pattern(PHRASES), _pattern([*PHRASES, *PROSE])
_ADVICE = [*PHRASES.values(), *PROSE.values()]


def findings(root: Path) -> Iterator[str]:
    """`path:line: phrase -> what to write` for each phrase in a text below `root`."""
    for path in _files(root, DOCUMENTS):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            yield from _in(line, f"{path.relative_to(root)}:{number}", _PHRASE)
    for path in _files(root, CODE):
        source, place = path.read_text(encoding="utf-8"), path.relative_to(root).as_posix()
        for number, text in strings(source):
            yield from _in(text, f"{place}:{number}", _PHRASE)
        pattern = _PHRASE if place.startswith(PAGES) else _IN_PROSE
        for number, text in prose(source) if pattern.search(source) else ():  # reading the tokens is slow
            yield from _in(text, f"{place}:{number}", pattern)


def _files(root: Path, patterns: tuple[str, ...]) -> list[Path]:
    return sorted(path for pattern in patterns for path in root.glob(pattern) if path.is_file())


def _in(text: str, place: str, pattern: re.Pattern[str]) -> Iterator[str]:
    for match in pattern.finditer(text):
        yield f"{place}: {match[0]!r} -> {_ADVICE[int((match.lastgroup or 'p0')[1:])]}"


def strings(source: str) -> Iterator[tuple[int, str]]:
    """(line, text) of the strings that users may read: all except docstrings."""
    tree = ast.parse(source)
    own = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in own:
            yield node.lineno, node.value


def prose(source: str) -> Iterator[tuple[int, str]]:
    """(line, text) of each line of the docstrings (also those of constants) and of each comment."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield from enumerate(node.value.value.split("\n"), node.lineno)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def main() -> int:
    """Prints the findings. Returns 1 if there are any, else 0."""
    found = list(findings(ROOT))
    print("\n".join(found) or "plain words: nothing found")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
