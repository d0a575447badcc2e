"""Hooks of MkDocs: the pages of the site that lie outside of docs/, and links between them that hold on the site as in the repository."""

from __future__ import annotations

import os
import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md", "CHANGELOG.md": "changelog.md"}
"""Files of the repository -> the pages that they are on the site."""
SCHEMAS = "theanodiag/report/schemas"
"""The folder of the JSON Schemas, each of which the site serves below `schemas/`."""
REPOSITORY = os.environ.get("THEANODIAG_REPOSITORY", "").rstrip("/")
"""Where the repository is to be read, as in setup.py; empty where that is not known."""
_LINK = re.compile(r"\[([^]]+)\]\((?![a-z]+:|#)([^)#\s]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages and the schemas."""
    for name, page in PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / name).read_text(encoding="utf-8")))
    for path in sorted((ROOT / SCHEMAS).glob("*.json")):
        files.append(File.generated(config, f"schemas/{path.name}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The text of a page, with links for the site."""
    source = {there: name for name, there in PAGES.items()}.get(page.file.src_uri, f"docs/{page.file.src_uri}")
    return _LINK.sub(lambda match: linked(match[1], match[2], match[3] or "", source), markdown)


def linked(words: str, target: str, anchor: str, source: str) -> str:
    """A link of the file `source` of the repository, for the site; what is no page leads to the repository, or is its name."""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
    if not (ROOT / path).exists():
        return f"[{words}]({target}{anchor})"  # MkDocs warns
    if path.startswith("docs/"):
        there = path[len("docs/") :]
    elif path.startswith(f"{SCHEMAS}/"):
        there = f"schemas/{posixpath.basename(path)}"
    elif path in PAGES:
        there = PAGES[path]
    else:
        return f"[{words}]({REPOSITORY}/blob/main/{path})" if REPOSITORY else f"{words} (`{path}`)"
    here = posixpath.dirname(PAGES.get(source, source[len("docs/") :]))
    return f"[{words}]({posixpath.relpath(there, here or '.')}{anchor})"
