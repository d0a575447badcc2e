"""Which frameworks a source imports, in whatever form: a parse is not needed."""

from __future__ import annotations

import re

FRAMEWORKS = ("theano", "aesara", "pytensor", "pymc3", "pymc", "lasagne", "keras")
_IMPORT = re.compile(
    r"^[ \t>.]*(?:from[ \t]+(?P<module>[\w.]+)[ \t\\\r\n]+import\b|import[ \t]+(?P<list>[^\r\n;#]+))|"
    r"(?:__import__|import_module)\(\s*['\"](?P<called>[\w.]+)",
    re.MULTILINE,
)
_STATEMENT = re.compile(r"[;:][ \t]*(?:from[ \t]+(?P<module>[\w.]+)[ \t]+import\b|import[ \t]+(?P<list>[\w., \t]+))")


def frameworks(text: str) -> tuple[str, ...]:
    """The frameworks whose modules the source imports, in the order of `FRAMEWORKS`; Keras counts as one with any back-end."""
    roots: set[str] = set()
    for pattern in (_IMPORT, _STATEMENT):
        for found in pattern.finditer(text):
            parts = found.groupdict()
            listed = (parts.get("list") or "").split(",")
            for name in (parts.get("module"), parts.get("called"), *listed):
                roots.add((name or "").strip().partition(" ")[0].partition(".")[0])
    return tuple(f for f in FRAMEWORKS if f in roots)
