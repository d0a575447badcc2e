"""`theanodiag completion SHELL`: what a shell has to read to complete our commands and options; and the answer when it asks."""

from __future__ import annotations

import argparse
import importlib.util
import os
import shlex
from collections.abc import Callable, Collection

from ..errors import ExitCode, UnreadableError
from . import output

HELP = "print the completion script of a shell"
SHELLS = ("bash", "zsh", "fish")


def prepare(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments."""
    parser.add_argument("shell", choices=SHELLS, help='as in: eval "$(theanodiag completion bash)", in ~/.bashrc')


def run(args: argparse.Namespace) -> ExitCode:
    """Prints the lines. Raises `UnreadableError` where argcomplete is not installed."""
    if importlib.util.find_spec("argcomplete") is None:
        raise UnreadableError("completion needs the package argcomplete", help="pip install 'theanodiag[completion]'")
    from argcomplete.shell_integration import shellcode

    output.write(shellcode(["theanodiag"], shell=args.shell).strip() + "\n")
    return ExitCode.CLEAN


def answer(commands: Collection[str], parser: Callable[[str | None], argparse.ArgumentParser]) -> None:
    """Completes the line that the shell asks about, and leaves; returns where argcomplete is not installed.

    `parser` makes the parser in which one of `commands`, or none, has its arguments.
    """
    if importlib.util.find_spec("argcomplete") is None:
        return
    import argcomplete

    try:
        words = shlex.split(os.environ.get("COMP_LINE", ""))[1:]
    except ValueError:  # an open quote
        words = os.environ.get("COMP_LINE", "").split()[1:]
    argcomplete.autocomplete(parser(next((w for w in words if w in commands), None)))
