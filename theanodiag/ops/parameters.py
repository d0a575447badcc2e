"""Reads the parameters inside the braces of printed Ops, named as in live graphs (`scalar_op`, `inplace_pattern`, `idx_list`, `axis`)."""

from __future__ import annotations

import re
from collections.abc import Callable

Params = dict[str, object]
"""Parameters of an Op: name -> JSON value."""
Groups = list[tuple[str, str]]
"""Bracket groups behind an Op's name, as (opening bracket, content)."""
Reader = Callable[[Groups], Params]
"""Parses the bracket groups of one class of Ops to parameters."""
_CLOSES = {"(": ")", "[": "]", "{": "}", "<": ">"}
_INT = re.compile(r"[-+]?\d{1,18}$")
_FLOAT = re.compile(r"[-+]?(?:\d{1,30}\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d{1,3})?$")
_LITERALS_WORDS: dict[str, object] = {"None": None, "True": True, "False": False, "nan": "nan"}
_MAX_DEPTH = 8


def split_top(body: str) -> list[str]:
    """Splits text at each comma outside of brackets and strings; empty parts are dropped."""
    parts, depth, start, quote = [], 0, 0, ""
    for at, c in enumerate(body):
        if quote:
            quote = "" if c == quote else quote
        elif c in "'\"":
            quote = c
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        elif c == "," and depth <= 0:
            parts.append(body[start:at])
            start = at + 1
    return [p.strip() for p in [*parts, body[start:]] if p.strip()]


def groups(text: str) -> list[tuple[str, str]]:
    """Returns the consecutive bracket groups in `text`, as (opening bracket, content)."""
    rows, at = [], 0
    while at < len(text):
        if text[at] not in _CLOSES:
            at += 1
            continue
        end = _matching(text, at)
        rows.append((text[at], text[at + 1 : end]))
        at = end + 1
    return rows


def _matching(text: str, start: int) -> int:
    """Position of the bracket that closes the one at `start`; the length of `text` where none does."""
    opening, closing, depth = text[start], _CLOSES[text[start]], 0
    for at in range(start, len(text)):
        if text[at] == opening:
            depth += 1
        elif text[at] == closing and text[at - 1] not in "-=":  # not `->`
            depth -= 1
            if depth == 0:
                return at
    return len(text)


def literal(text: str, depth: int = 0) -> object:
    """Parses a number, word, string, or list of these, to a JSON value; returns any other text as it is."""
    text = text.strip()
    if text in _LITERALS_WORDS:
        return _LITERALS_WORDS[text]
    if _INT.match(text):
        return int(text)
    if _FLOAT.match(text):
        return float(text)
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    if len(text) >= 2 and text[0] in "([" and text[-1] == _CLOSES[text[0]] and depth < _MAX_DEPTH:
        return [literal(t, depth + 1) for t in split_top(text[1:-1])]
    return text


def generic(groups: Groups) -> Params:
    """Parses the parameters of an Op without a parser of its own: `k=v`, `inplace`, and everything else in a list `args`."""
    params: Params = {}
    for opening, body in groups:
        if opening == "<":
            params["context_name"] = literal(body)
        if opening != "{":
            continue
        for item in split_top(body):
            _take(item, params)
    return params


def _take(item: str, params: Params) -> None:
    key, equals, value = item.partition("=")
    if equals and key.strip().replace(".", "_").isidentifier():
        name = key.strip().removeprefix("self.")
        params.setdefault({"axes": "axis", "acc": "acc_dtype"}.get(name, name), literal(value))
    elif item in ("inplace", "no_inplace"):
        params["inplace"] = item == "inplace"
    elif item in ("destructive", "non-destructive"):
        params["destructive"] = item == "destructive"
    else:
        rest = params.setdefault("args", [])
        if isinstance(rest, list):
            rest.append(literal(item))


def numbered_parameter(key: str) -> Reader:
    """Makes the parser for Ops such as `Op{2}` or `Op{valid}`: the content of the braces is the value of parameter `key`."""

    def read(groups: Groups) -> Params:
        params = generic(groups)
        args = params.pop("args", [])
        return {**params, key: args[0]} if isinstance(args, list) and args else params

    return read
