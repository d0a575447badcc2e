"""Hooks of MkDocs: the pages and files of the site that lie outside of docs/, and links that hold on the site as in the repository."""

from __future__ import annotations

import os
import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING

from readme_links import outside

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md", "CHANGELOG.md": "changelog.md"}
"""Files of the repository -> the pages that they are on the site."""
SERVED = {"theanodiag/report/schemas": "schemas", "examples": "examples"}
"""Folders of the repository -> where the site has their files as they are."""
REPOSITORY = os.environ.get("THEANODIAG_REPOSITORY", "").rstrip("/")
"""Where the repository is to be read, as in setup.py; empty where that is not known."""
_LINK = re.compile(r"\[([^]]+)\]\((?![a-z]+:|#)([^)#\s]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages and the served files."""
    from mkdocs.structure.files import File

    for name, page in PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / name).read_text(encoding="utf-8")))
    for folder, there in SERVED.items():
        for path in sorted(p for p in (ROOT / folder).iterdir() if p.is_file()):
            files.append(File.generated(config, f"{there}/{path.name}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The text of a page, with links for the site."""
    return for_site(markdown, page.file.src_uri)


def for_site(markdown: str, page: str) -> str:
    """The text of a page with links for the site; what the site does not have leads to the repository, or is the name of a file."""
    source = {there: name for name, there in PAGES.items()}.get(page, f"docs/{page}")

    def linked(match: re.Match[str]) -> str:
        words, target, anchor = match.groups(default="")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        there = _on_site(path)
        if there:
            return f"[{words}]({posixpath.relpath(there, posixpath.dirname(page) or '.')}{anchor})"
        return outside(f"[{words}]({path})", REPOSITORY) if (ROOT / path).exists() else match[0]  # MkDocs warns of what is nowhere

    return _LINK.sub(linked, markdown)


def _on_site(path: str) -> str:
    """Where the site has a file of the repository; empty if it does not have it."""
    folder, name = posixpath.split(path)
    if path.startswith("docs/"):
        return path[len("docs/") :]
    return f"{SERVED[folder]}/{name}" if folder in SERVED else PAGES.get(path, "")
