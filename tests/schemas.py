"""The JSON Schemas in the package, and whether a document is what they describe."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

FOLDER = Path(__file__).parents[1] / "theanodiag" / "report" / "schemas"
NAMES = tuple(sorted(path.stem for path in FOLDER.glob("*.json")))


def load(name: str) -> Any:
    """The schema in the file of that name, such as `report-v1`."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def closed(schema: Any) -> Any:
    """The same schema for what this version writes: no key that it does not describe. (A reader of reports may meet newer ones.)"""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: closed(value) for key, value in schema.items()}
    return {"additionalProperties": False, **made} if isinstance(schema.get("properties"), dict) and "type" in schema else made


@cache
def _validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(closed(load(name)))


def flaws(document: Any) -> list[str]:
    """What of a document is not as its schema (named by its key `schema`) says; nothing for documents that have no schema."""
    said = document.get("schema") if isinstance(document, dict) else None
    if not isinstance(said, str):
        return []
    name = said.removeprefix("theanodiag/").replace("/", "-")
    if name not in NAMES:
        return []
    return [f"{error.json_path}: {error.message}" for error in _validator(name).iter_errors(document)]


def checked(text: str) -> str:
    """The text; where it is a JSON document of ours, it is held against its schema."""
    if text.startswith("{"):
        try:
            document = json.loads(text)
        except ValueError:
            return text
        found = flaws(document)
        assert not found, found[:5]
    return text
