"""Writes docs/cli.md, the reference of the command line, from the commands: `python tools/cli_reference.py`, part of `make docs`.

A test holds the committed page against what this makes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from theanodiag.cli.commands import COMMANDS, CONFIG
from theanodiag.cli.parameters import Command, load

PAGE = Path(__file__).parents[1] / "docs" / "cli.md"
HEAD = """# Commands

`tools/cli_reference.py` makes this page from the help of the commands: each command prints its part with `--help`. The
[README](../README.md#exit-codes) lists the exit codes, and [settings](settings.md) lists the options that a configuration file can set.
"""


def page() -> str:
    """The text of the page: a section for each command and for each subcommand of `config`."""
    return "\n".join([HEAD, *sections()])


def sections() -> Iterator[str]:
    """The commands, those of `config` behind it."""
    for name, (_, summary) in COMMANDS.items():
        if name != "config":
            yield section(f"theanodiag {name}", load(name))
            continue
        (table,) = CONFIG.values()
        names = ", ".join(f"`{sub}`" for sub in table)
        words = f"{summary[0].upper()}{summary[1:]}: the commands are {names}."
        yield "\n".join(["## theanodiag config", "", words, "", "```text", "theanodiag config COMMAND [OPTIONS]", "```", ""])
        yield from (section(f"theanodiag config {sub}", load(sub, table)) for sub in table)


def section(path: str, command: Command) -> str:
    """One command: what it does, how it is called, and its parameters."""
    ctx = click.Context(command)
    usage = " ".join([path, *command.collect_usage_pieces(ctx)])
    lines = [f"## {path}", "", str(command.help), "", "```text", usage, "```", ""]
    for title, rows in command.sections(ctx).items():
        cells = [f"| {_spelled(words)} | {_cell(about)} |" for words, about in rows if "--help" not in words]
        lines += [f"| {_cell(title)} | |", "|---|---|", *cells, ""]
    return "\n".join(lines)


def _spelled(words: str) -> str:
    """A parameter as the help writes it, each spelling as code."""
    return f"`{_cell(words)}`".replace(", --", "`, `--")


def _cell(text: str) -> str:
    """Text for a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
