"""Takes off what shells, loggers, containers and pages put around the lines that a job printed."""

from __future__ import annotations

import json
import re

HEAD = "Traceback (most recent call last):"
LONGEST = 200
"""Characters of a prefix, or of a suffix, that may stand around each line."""
_COLOUR = re.compile(r"\x1b\[[0-9;]{0,20}m")
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|#x27|#39);")
_CHARACTERS = {"&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&#x27;": "'", "&#39;": "'"}
SAMPLE = 200
"""The number of last lines of which the common beginning is looked for."""
_END = re.compile(r".*(?:[\]:|>)] |[^ ] [A-Z] |0Z |^[>|]{1,4} ?)|^[>|]{1,4} ?|^E   ")
"""The end of what a logger, a container or a mail program puts before a line."""
_ERROR = re.compile(r"[Ee]rror|[Ee]xception|[Ff]ail|[Ff]atal|[Kk]ill")
_KEYS = ("log", "message", "msg", "text", "line", "textPayload", "MESSAGE")
"""Names under which loggers write a message in JSON."""
_QUOTES = re.compile(r"[\s>|*`'\"#]*")


def unwrapped(text: str) -> str:
    """A log without colours, without HTML's entities, and without what stands before and after each line; it has as many lines as before.

    A traceback's first line always has the same words, so what else stands in that line is what stands around every line: a time, the name
    of a logger or a container, a quotation mark. It is only taken off where the traceback's next line has it too.
    """
    if "\x1b[" in text:
        text = _COLOUR.sub("", text)
    if "&quot;" in text or "&#" in text or "&lt;" in text or "&gt;" in text:
        text = _ENTITY.sub(lambda m: _CHARACTERS[m[0]], text)
    at = text.rfind(HEAD)
    if at < 0:
        return _without_common(text)
    start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    before, after = text[start:at], text[at + len(HEAD) : len(text) if end < 0 else end].rstrip()
    if end < 0 or len(before) > LONGEST or len(after) > LONGEST or _QUOTES.fullmatch(before):
        return _without_common(text)
    following = text[end + 1 : end + 1 + 4 * LONGEST].partition("\n")[0]
    prefix, suffix = _form(before), _form(after)
    if not re.match(prefix, following) or not re.search(f"{suffix}$", following.rstrip()):
        return text
    text = re.sub(rf"^{prefix}", "", text, flags=re.MULTILINE)
    if after:
        text = re.sub(rf"{suffix}[ \t]*$", "", text, flags=re.MULTILINE)
    return text.replace('\\"', '"') if before.startswith("{") else text


def _without_common(text: str) -> str:
    """A log without what all of its lines begin with, but for numbers: a time, the name of a program, quotation marks."""
    if text.startswith("{"):
        return _said(text)
    lines = [line[:LONGEST] for line in text[-SAMPLE * LONGEST :].split("\n") if line.strip()][-SAMPLE:]
    lines = lines[1:] if len(text) > SAMPLE * LONGEST else lines
    ends = _END.match(_common([re.sub(r"[0-9]+", "0", line) for line in lines])) if len(lines) > 1 else None
    if ends is None or _ERROR.search(ends[0]):
        return text
    prefix = r"\d{1,30}".join(re.escape(part) for part in ends[0].rstrip(" ").split("0"))
    return re.sub(rf"^{prefix} ?", "", text, flags=re.MULTILINE)


def _common(lines: list[str]) -> str:
    """What all of these begin with."""
    first, last = min(lines), max(lines)
    return first[: next((k for k, (a, b) in enumerate(zip(first, last)) if a != b), min(len(first), len(last)))]


def _said(text: str) -> str:
    """The message of each line, where each is a JSON object that has one."""
    said = []
    for line in text.split("\n"):
        try:
            event = json.loads(line) if line.strip() else {}
        except (ValueError, RecursionError):
            return text
        message = next((event[key] for key in _KEYS if isinstance(event.get(key), str)), "") if isinstance(event, dict) else ""
        said.append(message.rstrip("\n").replace("\n", " "))
    return "\n".join(said) if any(said) else text


def _form(words: str) -> str:
    """A pattern for these words with any other numbers in them: times and counters differ from line to line."""
    return "".join(r"\d{1,30}" if part.isdigit() else re.escape(part) for part in re.split(r"([0-9]+)", words))
