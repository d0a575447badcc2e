"""`theanodiag explain TD301`: prints the page of a rule, what is known of a flag (`explain allow_gc`), or an exit code (`explain 53`)."""

from __future__ import annotations

import itertools
import re
import sys
import textwrap

from ..errors import ExitCode, UsageError
from ..flags.defaults import advice, versions
from ..flags.migrate_entry import LABELS
from ..flags.model import Computed, Dialect, Flag, FlagNote
from ..flags.names import fold, history
from ..rules.registry import RulePage, all_rules
from . import output
from .parameters import Argument, Arguments

PROSE = 100
"""Lines of at least this many characters are joined with the next one into a paragraph."""
LINE = 120
"""Characters in a line of an exit code's page, which `fitted` then takes for prose."""
MENTIONED = 12
"""Maximum number of rules named for a word that is no rule; more say nothing of the word."""
CUT = 160
"""Longest description of a flag in our tables, which end a longer one there."""


PARAMETERS = (
    Argument("code", metavar="CODE", help="code or name of a rule, a flag, or an exit code of theanodiag: TD301, allow_gc, 53"),
)  # fmt: skip

EXIT_CODES = {
    ExitCode.CLEAN: "nothing to report",
    ExitCode.FINDINGS: "findings at or above `--fail-on` (default: error); or `scan` or `port` could not read some file",
    ExitCode.USAGE: "wrong usage",
    ExitCode.UNREADABLE: "no result: a file could not be read or written; the framework is missing; the script failed, exceeded "
    "`--timeout` or compiled no function; or its measured run (`--confirm`) ended early",
    ExitCode.BUG: "a bug in theanodiag",
    ExitCode.LAYER_LACKS: "`run --explain`: the script needs a part of Theano that `run` does not provide",
    ExitCode.OUT_OF_MEMORY: "predicted out of memory",
}
"""What each exit code means, as the README has it."""
WHAT_TO_DO = {
    ExitCode.FINDINGS: "Read the findings: `theanodiag explain CODE` describes each rule. --fail-on sets the severity at which the exit "
    "code is 1, --ignore hides a rule, and --baseline FILE hides the findings that are already known.",
    ExitCode.USAGE: "Correct the option that the message names; `theanodiag COMMAND --help` lists the options.",
    ExitCode.UNREADABLE: "Follow the line `help:` below the message. If the script itself failed, correct it first; if it took too long, "
    "use --timeout; if the framework is missing, name an interpreter that has it with --python (`theanodiag doctor` lists them).",
    ExitCode.BUG: "Report the traceback, with the command, to the developers of theanodiag.",
    ExitCode.LAYER_LACKS: "Follow the advice that `run --explain` prints below the cause, which names the missing part.",
    ExitCode.OUT_OF_MEMORY: "The job needs more memory than the device of --gpu, or than --host-memory, has. Follow the steps under "
    "`to make it fit` in the report: each step has the peak after it, and the code to paste. `check --diff` shows the steps as a patch, "
    "and `check --fix` sets those that are flags.",
}
"""What a user can do after each exit code other than 0."""


def run(args: Arguments) -> ExitCode:
    """Prints the page of a rule, a flag or an exit code. Raises `UsageError` for any other word."""
    wanted = args.code.strip().lower()
    page = next((rule.page.strip() for rule in all_rules() if wanted in (rule.code.lower(), rule.name)), None)
    page = page or flag_page(args.code.strip())
    if page is None and wanted.isdecimal():
        page = _exit_code_page(int(wanted))
    if page is None:
        about = _about(wanted)
        named = ", ".join(rule.code for rule in about)
        some = 0 < len(about) <= MENTIONED  # a word that is in many pages says little
        help = f"{named} {'says' if len(about) == 1 else 'say'} something about it" if some else "theanodiag rules lists the rules"
        raise UsageError(f"no rule and no flag is called {args.code!r}", help=help)
    output.show((fitted(page, output.width()) if output.is_terminal(sys.stdout) else page) + "\n")
    return ExitCode.CLEAN


def _exit_code_page(number: int) -> str:
    """What one of our exit codes means. Raises `UsageError` for another number."""
    meaning = next((text for code, text in EXIT_CODES.items() if code == number), None)
    if meaning is None:
        ours = ", ".join(str(int(code)) for code in EXIT_CODES)
        raise UsageError(
            f"theanodiag has no exit code {number}",
            help=f"it has {ours}; for that of another program: theanodiag explain-log FILE, with its output",
        )
    advice = WHAT_TO_DO.get(ExitCode(number))
    parts = [f"{number}: an exit code of theanodiag", _section("What it means", textwrap.wrap(meaning, LINE))]
    return "\n\n".join([*parts, *([_section("What to do", textwrap.wrap(advice, LINE))] if advice else [])])


def _about(word: str) -> list[RulePage]:
    """The rules whose pages have this word."""
    return [rule for rule in all_rules() if word and re.search(rf"(?<![\w.]){re.escape(word)}(?![\w.]*\w)", rule.page.lower())]


def flag_page(name: str) -> str | None:
    """Returns the page of a flag of any library and version, in any library's spelling; None if no version has the flag."""
    definitions = history(fold(name.partition("=")[0].strip()))
    if not definitions:
        return None
    newest = definitions[-1]
    known = advice(newest.dotted) or FlagNote(newest.dotted)
    meaning = known.meaning or newest.doc + ("" if len(newest.doc) < CUT else " ...") or "The libraries do not describe it."
    present = any(flag.last == versions(flag.dialect)[-1] for flag in definitions if flag.dialect is Dialect.PYTENSOR)
    note = [known.note] if known.note and not (known.meaning and present) else []
    libraries = list(dict.fromkeys(LABELS[flag.dialect] for flag in definitions))
    of = " and ".join(filter(None, [", ".join(libraries[:-1]), libraries[-1]]))
    parts = [f"{newest.dotted}: a flag of {of}", _section("What it does", [meaning, *note])]
    parts.append(_section("Default", [row for dialect in Dialect for row in _defaults([f for f in definitions if f.dialect is dialect])]))
    if newest.choices:
        parts.append(_section(f"Values in {LABELS[newest.dialect]} {newest.last}", [", ".join(newest.choices)]))
    parts.append(_section("How to set it", [row for dialect in Dialect for row in _ways([f for f in definitions if f.dialect is dialect])]))
    about = _about(newest.dotted.lower())
    if about:
        parts.append(_section("Rules about it", [f"{rule.code}  {rule.title}" for rule in about]))
    return "\n\n".join(parts)


def _section(title: str, rows: list[str]) -> str:
    """A title with its lines, as the pages of rules have them."""
    return "\n".join([title, *(f"    {row}" for row in rows)])


def _defaults(definitions: list[Flag]) -> list[str]:
    """One line for each default that a library had, with the releases that had it."""
    rows = list[str]()
    for default, same in itertools.groupby(definitions, key=lambda flag: flag.default):
        group = list(same)
        text = default.how if isinstance(default, Computed) else "empty" if default == "" else str(default)
        last = group[-1].last
        newest = last == versions(group[0].dialect)[-1]
        rows.append(f"{LABELS[group[0].dialect]} {group[0].first} to {last}{'' if newest else ' (then removed)'}: {text}")
    return [row.replace(" (then removed)", "") for row in rows[:-1]] + rows[-1:]


def _ways(definitions: list[Flag]) -> list[str]:
    """A line that sets it in the flags variable and in the rc file of a library; none for a library that never had it.

    Theano's is in the spelling of 1.0.5, which Theano-PyMC changed.
    """
    usual_one = [flag for flag in definitions if "__" not in flag.name or flag.dialect is not Dialect.THEANO] or definitions
    return [
        f"{flag.dialect.flags_variable}={flag.name}=VALUE, or in ~/.{flag.dialect.value}rc below [{flag.section}]: {flag.option} = VALUE"
        for flag in usual_one[-1:]
    ]


def fitted(page: str, width: int) -> str:
    """Returns a page with paragraphs wrapped to the terminal's width; code and tables are unchanged."""
    lines: list[str] = []
    for depth, group in itertools.groupby(page.splitlines(), key=_depth):
        rows = list(group)
        prose = all(len(row) >= PROSE for row in rows[:-1]) and (len(rows) > 1 or depth in (0, 4))
        if depth < 0 or not prose or max(map(len, rows)) <= width:
            lines += rows
        else:
            margin = " " * depth
            text = " ".join(row.strip() for row in rows)
            lines += textwrap.wrap(
                text, width, initial_indent=margin, subsequent_indent=margin, break_long_words=False, break_on_hyphens=False
            )
    return "\n".join(lines)


def _depth(line: str) -> int:
    """Blanks before the text; -1 for an empty line, which ends a paragraph."""
    return len(line) - len(line.lstrip()) if line.strip() else -1
