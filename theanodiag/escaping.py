r"""Escapes text from outside (names, paths, messages, values), so that it is safe to print to a terminal.

A control character, a bidirectional override or a line break in a name could move the cursor, reorder a line, or forge one. Invisible
characters are therefore written as escape sequences, such as `\x1b` or `\u202e`. JSON needs none of this: it has its own escapes.

What a CI service would take for a command to it is broken up as well: a name that reads `::error::`, `##vso[` or `##[group]`. GitHub obeys
`::NAME` at the start of a line, after blanks (a wrapped line may start anywhere), and `##[` everywhere; Azure Pipelines obeys `##vso[` and
TeamCity `##teamcity[` everywhere. Sources: actions/runner, src/Runner.Common/ActionCommand.cs; Microsoft's "Logging commands"; JetBrains'
"Service messages".
"""

from __future__ import annotations

import re

MAX_SHOWN = 10_000
"""Maximum length in characters of a text that is shown; the middle of a longer one is left out."""
_COMMAND = re.compile(
    r"::(?=(?:add-mask|add-matcher|add-path|debug|echo|endgroup|error|group|internal-set-repo-path|notice|remove-matcher|save-state|"
    r"set-env|set-output|stop-commands|warning)\b)|##(?=\w*\[)",
    re.IGNORECASE,
)
"""Matches the beginning of a command to a CI service."""


def visible(text: str) -> str:
    """Makes `text` safe as part of one line: escapes every invisible character, including line breaks and tabs, and commands to a CI
    service.

    Visible characters are those of `str.isprintable` (the space, and all outside of Unicode's categories Other and Separator).
    """
    if len(text) > MAX_SHOWN:
        half = MAX_SHOWN // 2
        text = f"{text[:half]} [{len(text) - 2 * half} characters left out] {text[-half:]}"
    if not text.isprintable():
        text = "".join(c if c.isprintable() else _escape(c) for c in text)
    return _COMMAND.sub(_disarmed, text) if "::" in text or "##" in text else text


def visible_lines(text: str) -> str:
    """Makes `text` safe as several lines: keeps line feeds and tabs, and escapes every other invisible character."""
    lines = text.split("\n")
    return "\n".join("\t".join(map(visible, line.split("\t"))) for line in lines)


def visible_json(document: str) -> str:
    """Returns an equivalent JSON document in ASCII that contains no command to a CI service: `#` is escaped inside strings."""
    return document.replace("##", "#\\u0023") if "##" in document else document


def _disarmed(command: re.Match[str]) -> str:
    mark = command.group()[0]
    return f"\\x{ord(mark):02x}{mark}" if mark == ":" else f"{mark}\\x{ord(mark):02x}"


def _escape(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that could not be decoded ("surrogateescape")
        return f"\\x{code - 0xDC00:02x}"
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
