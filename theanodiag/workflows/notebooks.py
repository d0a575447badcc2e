"""Reads notebooks for running."""

from __future__ import annotations

from .. import files
from ..compat.running import notebook
from ..errors import UnreadableError


def text_of(path: str) -> str:
    """The text of a notebook; raises `UnreadableError` if the file is not a notebook."""
    text = files.read(path, files.TEXT).decode("utf-8", "replace")
    try:
        notebook.cells(text)
    except (ValueError, AttributeError, TypeError, RecursionError) as error:
        raise UnreadableError(f"this is not a notebook: {error}", path=path, help="save it again from Jupyter") from None
    return text
