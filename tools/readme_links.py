"""The README for readers outside of a checkout; setup.py loads this file by its path."""

from __future__ import annotations

import re


def outside(text: str, repository: str) -> str:
    """The README with links that hold anywhere: into the repository at that address, or, where it is empty, names of files; pictures are
    shown from there, or left out."""
    picture = rf"![\1]({repository}/raw/main/\2)" if repository else ""
    text = re.sub(r"!\[([^]]+)\]\((?!https?:)([^)]+)\)", picture, text)
    target = rf"[\1]({repository}/blob/main/\2)" if repository else r"\1 (`\2`)"
    return re.sub(r"\[([^]]+)\]\((?!https?:)([^)#]+)[^)]*\)", target, text)
