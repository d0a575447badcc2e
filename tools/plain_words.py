"""Finds phrases that a reader has to guess at, in our documents and messages: `python tools/plain_words.py` (part of `make lint`).

A phrase comes into the table when somebody did not understand it; what to write instead stands beside it.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
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
"""What is looked for (a regular expression) -> what to write."""
DOCUMENTS = ("*.md", "docs/**/*.md", ".github/**/*.md", "configs/*", "examples/*.py")
CODE = ("theanodiag/**/*.py",)
_FOUND = re.compile("|".join(f"(?P<p{k}>{phrase})" for k, phrase in enumerate(PHRASES)), re.IGNORECASE)


def findings(root: Path) -> Iterator[str]:
    """`path:line: phrase -> what to write` for each."""
    for path in _files(root, DOCUMENTS):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            yield from _in(line, f"{path.relative_to(root)}:{number}")
    for path in _files(root, CODE):
        for number, text in strings(path.read_text(encoding="utf-8")):
            yield from _in(text, f"{path.relative_to(root)}:{number}")


def _files(root: Path, patterns: tuple[str, ...]) -> list[Path]:
    return sorted(path for pattern in patterns for path in root.glob(pattern) if path.is_file())


def _in(text: str, place: str) -> Iterator[str]:
    for match in _FOUND.finditer(text):
        advice = list(PHRASES.values())[int((match.lastgroup or "p0")[1:])]
        yield f"{place}: {match[0]!r} -> {advice}"


def strings(source: str) -> Iterator[tuple[int, str]]:
    """The strings of a source that users may read, with their lines: all but docstrings (those of rules are pages below docs/)."""
    tree = ast.parse(source)
    own = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in own:
            yield node.lineno, node.value


def main() -> int:
    """Prints what was found; 1 where there is something."""
    found = list(findings(ROOT))
    print("\n".join(found) or "plain words: nothing found")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
