"""Writes the JSON Schemas in the package from the types of the documents: `python tools/schemas.py`, part of `make docs`.

A test holds the committed files against what this makes. The description of a key is the text below its field, else that of its type.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import pkgutil
import textwrap
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec

from theanodiag.report import v1
from theanodiag.report.v1.common import Document, Part

FOLDER = Path(v1.__file__).parents[1] / "schemas"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
TEMPLATE = "#/$defs/{name}"
Schema = dict[str, Any]


def files() -> dict[str, str]:
    """Name of the file -> its text, for each document."""
    for module in pkgutil.iter_modules(v1.__path__):
        importlib.import_module(f"{v1.__name__}.{module.name}")
    return dict(sorted(_file(kind) for kind in Document.__subclasses__()))


def _file(kind: type[Document]) -> tuple[str, str]:
    """Name and text of the file for a document."""
    (identity,) = get_args(get_type_hints(kind)["schema"])
    parts = identity.split("/")[1:]
    components = _components(kind)
    own = components.pop(kind.__name__)
    title, _, more = own.pop("description").partition(".\n")
    head = {"$schema": DIALECT, "$id": ":".join(("urn:theanodiag", *parts)), "title": title.rstrip(".")}
    described = {"description": " ".join(more.split())} if more.strip() else {}
    body = {key: value for key, value in own.items() if key != "title"}
    defs = {"$defs": components} if components else {}
    return f"{'-'.join(parts)}.json", json.dumps({**head, **described, **body, **defs}, indent=1, ensure_ascii=False) + "\n"


def _components(root: type[Part]) -> dict[str, Schema]:
    """Name -> schema of a part and of all parts in it, those that `either` names too."""
    known = {part.__name__: part for part in _below(Part)}
    assert len(known) == len(set(_below(Part))), "two parts of one name: a schema would depend on the order of imports"
    wanted, found = [root], dict[str, Schema]()
    while not found or len(wanted) < len(wanted := [*wanted, *(known[name] for name in sorted(_named(found) - found.keys()))]):
        found = msgspec.json.schema_components(wanted, ref_template=TEMPLATE)[1]
    for name, schema in found.items():
        if name in known:
            schema["properties"] = {key: _key(value, _about(known[name]).get(key)) for key, value in schema.get("properties", {}).items()}
    return found


def _key(schema: Schema, about: str | None) -> Schema:
    """The schema of a key, with its description first; a choice of one is a constant."""
    if isinstance(schema.get("enum"), list) and len(schema["enum"]) == 1:
        schema = {"const": schema["enum"][0]}
    return schema if about is None else {"description": about, **{key: value for key, value in schema.items() if key != "description"}}


def _below(kind: type[Part]) -> list[type[Part]]:
    """All kinds of parts."""
    return [part for child in kind.__subclasses__() for part in (child, *_below(child))]


def _named(schema: object) -> set[str]:
    """Names of the parts to which a schema refers."""
    if isinstance(schema, list):
        return set().union(*map(_named, schema))
    if not isinstance(schema, dict):
        return set()
    own = {schema["$ref"].rpartition("/")[2]} if isinstance(schema.get("$ref"), str) else set()
    return own.union(*map(_named, schema.values()))


@cache
def _about(kind: type[Part]) -> dict[str, str]:
    """Key -> the text below its field, also of the classes from which it has fields."""
    found: dict[str, str] = {}
    for part in reversed(kind.__mro__[: kind.__mro__.index(Part)]):
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(part))).body
        assert isinstance(tree, ast.ClassDef)
        keys = dict(zip(part.__struct_fields__, part.__struct_encode_fields__))
        for field, text in zip(tree.body, tree.body[1:]):
            if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
                found[keys[ast.unparse(field.target)]] = " ".join(str(text.value.value).split())
    return found


if __name__ == "__main__":
    for name, text in files().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
