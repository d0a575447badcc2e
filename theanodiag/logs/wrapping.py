"""Removes what shells, loggers, containers and web pages add around the lines of a job's output."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

HEAD = "Traceback (most recent call last):"
LONGEST = 200
"""Maximum number of characters of a prefix or suffix around each line."""
_COLOUR = re.compile(r"\x1b\[[0-9;]{0,20}m")
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|#x27|#39);")
_CHARACTERS = {"&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&#x27;": "'", "&#39;": "'"}
SAMPLE = 200
"""Number of last lines that are searched for a common prefix."""
_END = re.compile(r".*(?:[\]:|>)] |[^ ] [A-Z] |0Z |^[>|]{1,4} ?)|^[>|]{1,4} ?|^E   ")
"""The end of what a logger, a container or a mail program puts before a line."""
_ERROR = re.compile(r"[Ee]rror|[Ee]xception|[Ff]ail|[Ff]atal|[Kk]ill")
_KEYS = ("log", "message", "msg", "text", "line", "textPayload", "MESSAGE")
"""Names under which loggers write a message in JSON."""
_LINK = re.compile(
    r"\]\(\)|\[(?P<shown>[^\[\]\n]{0,300})\]\((?:file:|vscode-|https?://(?:localhost|[\w%+.-]{0,60}vscode-))[^)\s\[]{0,800}\)"
)
"""A link to a line of a file or cell, as VS Code copies it, and what is left of one without an address."""
FOLD = "\x1f\n"
"""A line end that a logger escaped inside a longer line; patterns treat it as a blank, and it does not start a new line of the log."""
_FOLDED = re.compile(r"call last\):(?:\\+r)?(?P<escape>\\+)n\s{1,8}File ")
_COPIED = re.compile(
    r"(?P<before>\"name\": \"(?P<name>[A-Za-z_]\w{0,80})\",\s{0,20}?\n)\s{0,20}\"message\": \"(?P<message>(?:[^\"\\\n]|\\.){0,4000})\",?"
)
"""An exception as a notebook's editor copies it."""
_GAP = r"[ \t]{0,80}\n?[ \t]{0,80}"
_WHOLE = r"[ \t]{0,80}\"[^\"\n\\]{1,400}\",[ \t]{0,80}line \d"
_BROKEN = re.compile(rf"File(?!{_WHOLE}){_GAP}(\"(?:\\\n|[^\"\n]){{1,400}}\",){_GAP}(line \d+[^\n]*)")
"""A frame's line that a mail program or a terminal broke into several."""
_QUOTES = re.compile(r"[\s>|*`'\"#]*")
_OPENED = re.compile(r"(?P<name>[A-Z]\w{0,80}) {2,80}Traceback \(most recent call last\):?[ \t]*$", re.MULTILINE)
"""The first line of a traceback of IPython."""
_RAISED = re.compile(r"^(?:[\w.]{1,100}\.)?[A-Z]\w{0,60}(?:Error|Exception|Interrupt)\b", re.MULTILINE)
_PROGRESS = re.compile(r"(?i)\b(?:epoch|iter(?:ation)?|draws?|loss|cost|elbo)\b")
"""Words of a job's own lines, which all its lines may begin with."""


_BOX = str.maketrans({"❱": ">", **dict.fromkeys("│╭╮╰╯─┃━┏┓┗┛", " ")})
"""The box that the library rich draws around a traceback."""


def unwrapped(text: str) -> str:
    """Returns a log without colours, HTML entities, and prefixes and suffixes of its lines.

    It has as many lines as before, except for those of tracebacks in one line, which end with `FOLD`.

    The first line of a traceback always has the same words. Anything else in that line, such as a time, the name of a logger or container,
    or a quotation mark, surrounds every line of the log. It is removed only if the next line of the traceback has it too.
    """
    if "\x1b" in text:  # a single character is found at the speed of memory
        text = _COLOUR.sub("", text)
    if "❱" in text:
        text = text.translate(_BOX)
    if "&" in text:
        text = _ENTITY.sub(lambda m: _CHARACTERS[m[0]], text)
    if "](file:" in text or "](vscode-" in text or ".vscode-" in text or "](http://localhost" in text:
        text = _LINK.sub(lambda m: m["shown"] or "", text)
    if "File\n" in text or "\\\n" in text:
        text = _BROKEN.sub(_joined, text)
    if '"message": "' in text:
        text = _COPIED.sub(lambda m: f"{m['before']}{m['name']}: " + m["message"].replace("\\n", FOLD).replace('\\"', '"'), text)
    folded = list(_FOLDED.finditer(text)) if "\\" in text and "call last):\\" in text else []
    if folded:
        message = _said(text) if text.startswith("{") else text
        return message if message is not text else _unfolded(text, folded)
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


def _joined(match: re.Match[str]) -> str:
    """A frame's line in one, with its line ends after it; unchanged if `File` does not begin its line."""
    before = match.string[match.string.rfind("\n", 0, match.start()) + 1 : match.start()]
    if before.strip(" \t>"):
        return match[0]
    return f"File {match[1]} {match[2]}".replace("\\\n", "") + "\n" * match[0].count("\n")


def _without_common(text: str) -> str:
    """A log without what all of its lines begin with, but for numbers: a time, the name of a program, quotation marks."""
    if text.startswith("{"):
        return _said(text)
    lines = [line[:LONGEST] for line in text[-SAMPLE * LONGEST :].split("\n") if line.strip()][-SAMPLE:]
    lines = lines[1:] if len(text) > SAMPLE * LONGEST else lines
    ends = _END.match(_common([re.sub(r"[0-9]+", "0", line) for line in lines])) if len(lines) > 1 else None
    if ends is None or _ERROR.search(ends[0]) or _PROGRESS.search(ends[0]):
        return text
    prefix = r"\d{1,30}".join(re.escape(part) for part in ends[0].rstrip(" ").split("0"))
    return re.sub(rf"^{prefix} ?", "", text, flags=re.MULTILINE)


def _common(lines: list[str]) -> str:
    """The longest common prefix of the lines."""
    first, last = min(lines), max(lines)
    return first[: next((k for k, (a, b) in enumerate(zip(first, last)) if a != b), min(len(first), len(last)))]


def _said(text: str) -> str:
    """The messages in a log of JSON lines, one line for each; `text` unchanged if a line is no JSON or no line has a message."""
    texts = []
    for line in text.split("\n"):
        try:
            event = json.loads(line) if line.strip() else {}
        except (ValueError, RecursionError):
            return text
        message = next((event[key] for key in _KEYS if isinstance(event.get(key), str)), "") if isinstance(event, dict) else ""
        parts = (message, *(part for part in _strings(event) if HEAD in part and part != message))
        texts.append(FOLD.join(part.rstrip("\n").replace("\n", FOLD) for part in parts if part))
    return "\n".join(texts) if any(texts) else text


def _strings(event: object) -> Iterator[str]:
    """Yields the strings in a JSON object and in the objects directly inside it."""
    for value in event.values() if isinstance(event, dict) else ():
        if isinstance(value, dict):
            yield from (text for text in value.values() if isinstance(text, str))
        elif isinstance(value, str):
            yield value


def _unfolded(text: str, folded: list[re.Match[str]]) -> str:
    """The log with each escaped traceback expanded to several lines."""
    parts, end = [], 0
    for match in folded:
        if match.start() < end:
            continue
        start = text.rfind("\n", 0, match.start()) + 1
        stop = text.find("\n", match.start())
        stop = len(text) if stop < 0 else stop
        escape = len(match["escape"])
        line = text[start:stop]
        if text.startswith("\\", match.end()):  # a quotation mark that is not escaped ends the text
            line = re.sub(r"(?<!\\)\"\s{0,4}[,}\]]", FOLD, line)
        line = re.sub(rf"(?<!\\)(?:\\{{{escape}}}r)?\\{{{escape}}}n", FOLD, line)
        parts += [text[end:start], re.sub(r"\\{1,9}(?=[\"'])", "", line)]
        end = stop
    return "".join((*parts, text[end:]))


def with_message_below(text: str) -> tuple[str, int]:
    """For a log that ends inside a traceback of IPython: moves the message that stands above the frames below them. Returns the log, and
    the number from 1 of the line that was moved; the unchanged log and 0 if there is no such message.
    """
    start = text.rfind("\n", 0, max(0, text.rfind(HEAD[:-1]))) + 1
    head = _OPENED.match(text, start)
    if head is None or _RAISED.search(text, head.end()):
        return text, 0
    above = max(0, start - LONGEST * 4)
    said = list(re.finditer(rf"^(?:[\w.]{{1,100}}\.)?{head['name']}: [^\n]*", text[above:start], re.MULTILINE))
    if not said or "other exception" in text[above + said[-1].end() : start] or "direct cause" in text[above + said[-1].end() : start]:
        return text, 0
    at, end = above + said[-1].start(), above + said[-1].end()
    return f"{text[:at]}{text[end:]}\n{said[-1].group()}\n", line_at(text, at)


def line_at(text: str, at: int) -> int:
    """Returns the line number in the original log, from 1, for a position in the unwrapped text."""
    return text.count("\n", 0, at) - (text.count(FOLD, 0, at) if FOLD[0] in text else 0) + 1


def _form(words: str) -> str:
    """A pattern for these words with any other numbers in them: times and counters differ from line to line."""
    return "".join(r"\d{1,30}" if part.isdigit() else re.escape(part) for part in re.split(r"([0-9]+)", words))
