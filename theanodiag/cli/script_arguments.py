"""The file with the command-line arguments of scripts: `[arguments]`, path pattern -> list of words."""

from __future__ import annotations

from .. import files
from ..errors import UsageError
from ..settings import read


def table(path: str | None) -> dict[str, tuple[str, ...]]:
    """Path pattern -> command-line arguments.

    Raises `UsageError` where one is no list of strings, `UnreadableError` for a file that cannot be read.
    """
    if path is None:
        return {}
    document = read.parse(files.read(path, files.CONFIGURATION, help="name a TOML file").decode("utf-8", "replace"), path)
    if document and "arguments" not in document:
        raise UsageError(f"{path}: there is no table [arguments], but {', '.join(document)}", help="write [arguments] above the patterns")
    patterns = document.get("arguments", {})
    if not isinstance(patterns, dict) or not all(isinstance(v, list) and all(isinstance(w, str) for w in v) for v in patterns.values()):
        raise UsageError(f"{path}: [arguments] maps patterns to lists of strings", help='such as "train*.py" = ["--epochs", "1"]')
    return {pattern: tuple(words) for pattern, words in patterns.items()}
