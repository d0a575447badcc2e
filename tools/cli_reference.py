"""Writes docs/cli.md, the reference of the command line, from the parsers themselves: `python tools/cli_reference.py`, part of `make docs`.

A test holds the committed page against what this makes.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from theanodiag.cli import config, output
from theanodiag.cli.main import COMMANDS, build_parser, load

PAGE = Path(__file__).parents[1] / "docs" / "cli.md"
HEAD = """# Commands

Made by `tools/cli_reference.py` from the parsers; each command prints the same for `--help`. The [README](../README.md#exit-codes) has
the exit codes, [settings](settings.md) what a configuration file can say in place of options.
"""


def page() -> str:
    """The text of the page: a section for each command and for each subcommand of `config`."""
    sections = [section(parser, summary) for parser, summary in parsers()]
    return "\n".join([HEAD, *sections])


def parsers() -> Iterator[tuple[argparse.ArgumentParser, str]]:
    """Each command's parser, with all its arguments, and what the command does."""
    for name, (_, summary) in COMMANDS.items():
        parser = _below(build_parser(name))[name]
        yield parser, summary
        if name == "config":
            for sub, (module, what) in config.SUBCOMMANDS.items():
                subparser = _below(parser)[sub]
                load(module).prepare(subparser)
                output.add_options(subparser)
                yield subparser, what


def _below(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of the subcommands, by name."""
    return next(dict(a.choices) for a in parser._actions if isinstance(a, argparse._SubParsersAction))


def section(parser: argparse.ArgumentParser, summary: str) -> str:
    """One command: what it does, how it is called, and its arguments."""
    lines = [f"## {parser.prog}", "", f"{summary[0].upper()}{summary[1:]}.", "", "```text", usage(parser), "```", ""]
    for group in parser._action_groups:
        rows = [row for action in group._group_actions if (row := _row(parser, action))]
        if rows:
            title = "arguments" if group.title == "positional arguments" else group.title
            lines += [f"| {title} | |", "|---|---|", *rows, ""]
    return "\n".join(lines)


def usage(parser: argparse.ArgumentParser) -> str:
    """The first line of its help; options come as [OPTIONS], since the table below has them."""
    if parser.usage:
        return parser.usage % {"prog": parser.prog}
    words = [parser.prog]
    if any(a.option_strings and not isinstance(a, argparse._HelpAction) for a in parser._actions):
        words.append("[OPTIONS]")
    return " ".join([*words, *(_positional(a) for a in parser._actions if not a.option_strings)])


def _positional(action: argparse.Action) -> str:
    """A positional argument as a usage line has it."""
    name = _value(action)
    forms = {"?": f"[{name}]", "*": f"[{name} ...]", "+": f"{name} [{name} ...]", argparse.PARSER: f"{name} ..."}
    return forms.get(str(action.nargs), name)


def _row(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    """A row of the table; empty for --help, and for what is not shown."""
    if action.help == argparse.SUPPRESS or isinstance(action, argparse._HelpAction):
        return ""
    if isinstance(action, argparse._SubParsersAction):
        names = ", ".join(f"`{name}`" for name in action.choices)
        return f"| `{action.metavar}` | one of {names} |"
    value = "" if action.nargs == 0 else _value(action)
    value = f"[{value}]" if value and action.nargs == "?" and action.option_strings else value
    spelled = [f"{option} {value}".rstrip() for option in action.option_strings] or [value]
    told = (action.help or "") % {**vars(action), "prog": parser.prog}
    return f"| {', '.join(f'`{_cell(word)}`' for word in spelled)} | {_cell(told)} |"


def _value(action: argparse.Action) -> str:
    """What stands for the value of an argument."""
    if action.metavar is None and action.choices is not None:
        return "{" + ",".join(map(str, action.choices)) + "}"
    metavar = action.metavar if action.metavar is not None else action.dest.upper()
    return metavar if isinstance(metavar, str) else " ".join(metavar)


def _cell(text: str) -> str:
    """Text for a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
