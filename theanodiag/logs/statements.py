"""Finds the places where a log states an error: Python exceptions in any context, and errors of other programs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

REACH = 800
"""Number of characters from the beginning of an error's line that are read as its message."""
TAIL = 1 << 20
"""Number of characters at the end of a log in which exceptions are searched; the whole log is searched if there are none."""
LAST = 200
"""Number of last errors in a log that are examined."""
CHAIN = 20
"""Maximum number of chained exceptions whose messages are read."""
ERROR = re.compile(
    r"^[ \t>|*`'\"#]{0,20}(?:[\w.]{1,100}\.)?(?P<name>_?[A-Z]\w{0,60}(?:Error|Exception|Interrupt|Exit)|Exception(?! ignored))\b",
    re.MULTILINE,
)
"""An exception at the beginning of a line."""
_NAMES = ("Error", "Exception", "Interrupt", "Exit")
"""What each such line has: one of them is looked for faster than a line."""
_DOTTED = re.compile(
    r"^[ \t>|]{0,20}(?=[\w.]{2,700}: )(?:"
    r"(?:[a-z_]\w{0,60}\.){1,8}(?P<failed>[A-Z]\w{0,60}(?:Resources|Exhausted|Timeout|Failed|Failure|Aborted|Empty|Full))(?=: )|"
    r"(?:[a-z_]\w{0,60}\.){0,7}(?:exc|exceptions?|errors?|_exceptions)\.(?P<module>[A-Z]\w{1,80})(?=: \S)|"
    r"(?:[a-z_]\w{0,60}\.){1,8}(?P<plain>error)(?=: \S)|"
    r"(?:[a-z_]\w{0,60}\.){0,8}(?P<said>(?:Missing|Not|Bad|Unsupported|Unexpected|Invalid|Illegal|Forbidden|Broken|Incompatible|"
    r"Unknown|OutOf)[A-Z]\w{1,60}|"
    r"[A-Z]\w{1,60}(?:NotDefined|NotFound|NotImplemented|Expired|Unsupported|Mismatch|Unavailable|OutOfMemory)|Unsupported)(?=: \S))",
    re.MULTILINE,
)
"""Exceptions whose module is one of errors, or whose names say that something failed."""
_ENDS = ("Error: ", "Exception: ", "Error(", "Exception(")
_INSIDE = re.compile(r"(?:^|[\s\]|:`'\"(>=.-])(?P<name>[A-Z]\w{0,60}Error|(?:[A-Z]\w{0,60})?Exception)$")
BEFORE = 400
"""Maximum number of characters before an exception inside a line."""
_CODE = re.compile(r"\b(?:raise|except|import|class|def|assertRaises\w*|isinstance|warn\w*|ignor\w+|catch|caught)\b|//")
_WRAPPED = re.compile(r"\A[^\n]{0,300}?<(?:type|class) '(?:[a-z_]\w*\.)*(?P<name>[A-Z]\w{0,60}(?:Error|Exception))'>: (?P<said>(?=\S))")
"""An exception's message that begins with the class of another one, which it reports (pydoc, loaders of plug-ins)."""
_ENDS_RAISED = re.compile(
    r"^[ \t>|]*(?:File [^\n]*|[^\n]*, in [^\n]*|[^\n]*\.py:\d[^\n]*|[^\n]*\.py in [^\n]*)\n(?:[ \t|]*(?:\d[^\n]*)?\n){0,8}"
    r"(?P<line>[ \t|]*(?P<mark>-{0,6}> ?)?(?:\d{1,6} +)?raise (?:[a-z_]\w*\.)*(?P<name>[A-Z]\w{1,60})\((?P<said>[^\n]*))"
    r"(?(mark)(?:\n[ \t|]*\d[^\n]*){0,8})\s*\Z",
    re.MULTILINE,
)
"""A log that ends at the last frame of a traceback, whose statement raises the exception."""
HEAD = "Traceback (most recent call last)"
_RAISED = re.compile(r"(?:[A-Za-z_]\w{0,60}\.){0,8}(?P<name>[A-Za-z_]\w{0,80})(?:: \S|\s*$)")
_STOP = re.compile(
    r"\n(?=[\s>|]{0,8}(?:```|Traceback \(|During handling|The above exception|Apply node that|HINT: |Toposort index|File \"|-{20}|={20}))"
)
_NODE = re.compile(r"\s*Apply node that caused the error: (?P<op>[^\s(]{1,200})")
_BACKTRACE = re.compile(r"\nBacktrace when that variable is created:[ \t]*\n(?:[ \t][^\n]*\n|[ \t]*\n)*")
"""Frames inside a message of Theano about an input of a function, which continues after them."""
_CAUSED = re.compile(r"^ {2,8}\d{1,2}: (?:[\w.]{1,100}\.)?(?P<name>[A-Z]\w{0,60}(?:Error|Exception))\b", re.MULTILINE)
"""A cause in the numbered list that a library in Rust prints below its own message."""
_IGNORED = re.compile(
    r"^[ \t>|]{0,8}(?:Exception ignored (?:in|while)[^\n]*(?:__del__|__exit__|atexit|generator|<module '|<bound method|<_io|"
    r"weakref)[^\n]*\n(?:Traceback[^\n]*\n(?:[ \t][^\n]*\n)*)?[^\n]*|Exception \w+: [^\n]* ignored[ \t]*$|"
    r"(?:WARNING \([\w.]+\): |[\w.]*Warning: )?Failed to infer_shape from Op[^\n]*\n(?:[^\n]*\n){0,6}?Traceback[^\n]*\n"
    r"(?:[ \t][^\n]*\n)*[^\n]*)",
    re.MULTILINE,
)
"""Exceptions that do not end the job: in a destructor, as Python ends, and those after which a library continues without a shape."""
_DIRECT = "The above exception was the direct cause"
_CHAINED = ("During handling of the above exception", _DIRECT)
FRAMES = 4_000
"""Number of characters before an exception in which its frames are searched."""
_ENVIRONMENT = re.compile(
    r"(?<![\w.~/\\-])(?:[A-Za-z]:|~)?[/\\][^\n\"'<>|]{0,200}?(?=[/\\](?:[Ll]ib(?:64)?[/\\](?:python\d|(?:site|"
    r"dist)-packages[/\\]|\w{1,40}\.py)|(?:site|dist)-packages[/\\]))"
)
"""The folder of a Python, up to its library."""


def frames_before(text: str, since: int, at: int) -> str:
    """Returns the log from `since` to `at`, without the paths of Python environments, because these are often named after a library."""
    return _ENVIRONMENT.sub("~", text[since:at])


class Statement(NamedTuple):
    """An error that a log states."""

    at: int
    """Offset of the exception's name, or of the beginning of its line."""
    name: str
    """The exception's class without module; empty for a message of another program."""
    words: str
    """The message, beginning with the exception's name."""
    op: str = ""
    """The Op of the Apply node that Theano, Aesara or PyTensor names below the message; empty where none is named."""


def without_ignored(text: str) -> tuple[str, int]:
    """Replaces the exceptions that Python ignored by blanks. Returns the log and the offset of the first of them; -1 if there is none.

    An ignored exception about memory stays, because the log may contain nothing else about memory.
    """
    if not ("Exception" in text and "ignored" in text) and "Failed to infer_shape" not in text:
        return text, -1
    found = [m for m in _IGNORED.finditer(text) if "emory" not in m.group()]
    if not found:
        return text, -1
    parts, at = [], 0
    for match in found:
        parts += [text[at : match.start()], re.sub(r"[^\n]", " ", match.group())]
        at = match.end()
    return "".join((*parts, text[at:])), found[0].start()


def exceptions(text: str) -> list[Statement]:
    """Returns the last exceptions in a log, in order: those that begin a line or end a traceback, else those inside lines."""
    since = max(0, len(text) - TAIL)
    errors = {**_begun(text, since, len(text)), **dict(_raised(text))}
    errors = errors or _begun(text, 0, since) or dict(_inside(text))
    found = [_innermost(_statement(text, at, errors[at])) for at in sorted(errors)[-LAST:]]
    raised = _ENDS_RAISED.search(text, max(0, len(text) - FRAMES))
    return [*found, Statement(raised.start("line"), raised["name"], f"{raised['name']}: {raised['said']}")] if raised else found


def _statement(text: str, at: int, name: str) -> Statement:
    said = words(text, at)
    node = _NODE.match(text, at + len(said))
    return Statement(at, name, said, node["op"] if node else "")


def _begun(text: str, since: int, end: int) -> dict[int, str]:
    """Offset of each exception at the beginning of a line in this part of a log -> its name."""
    errors = {m.start(): m["name"] for m in ERROR.finditer(text, since, end)} if any(text.find(n, since, end) >= 0 for n in _NAMES) else {}
    errors.update({m.start(): m["failed"] or m["module"] or m["plain"] or m["said"] for m in _DOTTED.finditer(text, since, end)})
    if text.find("Caused by:", since, end) >= 0:
        errors.update({m.start("name"): m["name"] for m in _CAUSED.finditer(text, since, end)})
    return errors


def _innermost(error: Statement) -> Statement:
    """The exception that another one reports in its message, in its place; else the error itself."""
    inner = _WRAPPED.match(error.words)
    return Statement(error.at, inner["name"], f"{inner['name']}: {error.words[inner.start('said') :]}", error.op) if inner else error


def _inside(text: str) -> Iterator[tuple[int, str]]:
    """The last exceptions that stand inside lines, after a time or the name of a logger."""
    for ending in _ENDS:
        at = len(text)
        for _ in range(LAST):
            at = text.rfind(ending, 0, at)
            if at < 0:
                break
            end = at + len(ending.rstrip(": ("))
            line = text[max(text.rfind("\n", max(0, end - BEFORE), end) + 1, end - BEFORE, 0) : end]
            match = _INSIDE.search(line)
            if match and not _CODE.search(line[: match.start("name")]):
                yield end - len(match["name"]), match["name"]


def _raised(text: str) -> Iterator[tuple[int, str]]:
    """The line after the frames of each of the last tracebacks, where it is an exception of whatever name."""
    at = len(text)
    for _ in range(LAST // 10):
        at = text.rfind(HEAD, 0, at)
        if at < 0:
            return
        start, framed = text.find("\n", at) + 1, False
        for _ in range(LAST):
            end = text.find("\n", start) if start else -1
            line = text[start:end] if end >= 0 else text[start : start + REACH] if start else ""
            if line and not line[0].isspace():
                match = _RAISED.match(line)
                if match and framed:
                    yield start, match["name"]
                break
            if end < 0:
                break
            start, framed = end + 1, framed or bool(line)


def line_start(text: str, at: int) -> int:
    """Returns the offset of the beginning of the line that contains `at`."""
    return text.rfind("\n", 0, at) + 1


def words(text: str, at: int) -> str:
    """Returns the message of an error at `at`: up to the next traceback, at most `REACH` characters."""
    reach = text[at : at + REACH]
    if "Backtrace when that variable" in reach:
        reach = _BACKTRACE.sub("\n", text[at : at + 4 * REACH])[:REACH]
    stop = _STOP.search(reach)
    reach = reach[: stop.start()] if stop else reach
    first = reach.partition("\n")[0]
    return first if first.rstrip().endswith(HEAD) else reach  # lines of source follow, and the message after them


def chain(text: str, statements: list[Statement]) -> Iterator[Statement]:
    """Yields the last exception, preceded by the exceptions during whose handling it was raised, or that are its explicit cause."""
    return (error for error, _, _ in linked(text, statements))


def is_header(error: Statement) -> bool:
    """Whether an exception is only named, above its frames, as IPython does."""
    return error.words.lstrip().partition("\n")[0].rstrip().endswith(HEAD)


class Link(NamedTuple):
    """One exception of a chain."""

    error: Statement
    before: str
    """The log between the previous exception and this one: its frames."""
    is_named_cause: bool
    """Whether the next exception in the log was raised from it (`raise ... from`)."""


def linked(text: str, statements: list[Statement]) -> Iterator[Link]:
    """Yields the exceptions of the last chain, from the last exception backwards."""
    is_cause = False
    for index in range(len(statements) - 1, max(-1, len(statements) - 1 - CHAIN), -1):
        before = statements[index - 1].at if index else 0
        between = frames_before(text, max(before, statements[index].at - FRAMES), statements[index].at)
        if index == len(statements) - 1 or not is_header(statements[index]):
            yield Link(statements[index], between, is_cause)
        joint = text[before : statements[index].at] if index else ""
        is_cause = _DIRECT in joint
        if index == len(statements) - 1 and is_header(statements[index]):
            continue  # its message was cut off, or stands before it
        if (
            index
            and not any(words in joint for words in _CHAINED)
            and not (is_header(statements[index - 1]) and statements[index - 1].name == statements[index].name)
        ):
            return
