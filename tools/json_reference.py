"""Writes docs/json.md, the reference of the JSON documents, from their schemas: `python tools/json_reference.py`, part of `make docs`.

A test holds the committed page against what this makes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "json.md"
SCHEMAS = ROOT / "theanodiag" / "report" / "schemas"
HEAD = """# JSON

This page lists the types of JSON documents that theanodiag writes. The key `schema` of each document names its type. Keys may be added to
a type, but existing keys never change. The tables have only the top-level keys of each document; the schemas also describe nested objects.
`tools/json_reference.py` makes this page from the JSON Schemas in the package.
"""


def page() -> str:
    """The text of the page: a section for each schema."""
    return "\n".join([HEAD, *(section(path) for path in sorted(SCHEMAS.glob("*.json")))])


def section(path: Path) -> str:
    """One form: what it is, and its keys."""
    schema = json.loads(path.read_text(encoding="utf-8"))
    needed = schema.get("required", [])
    told = [text for text in (f"{schema['title'].rstrip('.')}.", schema.get("description")) if text]
    told.append(f"Schema: [{path.name}](../theanodiag/report/schemas/{path.name}).")
    lines = [f"## {path.stem.replace('-v', '/v')}", "", " ".join(told), ""]
    lines += ["| key | value | always there | |", "|---|---|---|---|"]
    for key, value in schema["properties"].items():
        about = " ".join(_described(value, schema).split()).replace("|", "\\|")
        lines.append(f"| `{key}` | {kind(value, schema)} | {'yes' if key in needed else ''} | {about} |")
    return "\n".join([*lines, ""])


def kind(value: dict[str, Any], schema: dict[str, Any]) -> str:
    """What a value is, in words."""
    value = _resolved(value, schema)
    if "const" in value:
        return f"`{json.dumps(value['const'])}`"
    if "enum" in value:
        return ", ".join(f"`{json.dumps(one)}`" for one in value["enum"])
    for several in ("oneOf", "anyOf"):
        if several in value:
            return " or ".join(dict.fromkeys(kind(one, schema) for one in value[several]))
    names = value.get("type", "any value")
    told = " or ".join([names] if isinstance(names, str) else names)
    return f"{told} of {kind(value['items'], schema)}s" if names == "array" and isinstance(value.get("items"), dict) else told


def _resolved(value: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """The value, or what its $ref, which is of the same file, leads to."""
    while "$ref" in value:
        found: Any = schema
        for part in value["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        value = found
    return value


def _described(value: dict[str, Any], schema: dict[str, Any]) -> str:
    """The description beside a reference, else of what it leads to."""
    return str(value.get("description") or _resolved(value, schema).get("description") or "")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
