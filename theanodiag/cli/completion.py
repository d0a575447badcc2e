"""`theanodiag completion SHELL`: what a shell has to read to complete our commands and options; and the answer when it asks."""

from __future__ import annotations

import click
from click.shell_completion import ShellComplete, get_completion_class, shell_complete

from ..errors import ExitCode
from . import output
from .commands import COMPLETION
from .parameters import Argument, Arguments, application

SHELLS = ("bash", "zsh", "fish")
HELP = 'bash, zsh or fish, as in: eval "$(theanodiag completion bash)", in ~/.bashrc'
PARAMETERS = (Argument("shell", metavar="SHELL", type=click.Choice(SHELLS), help=HELP),)


def run(args: Arguments) -> ExitCode:
    """Prints the lines."""
    shell = get_completion_class(args.shell)
    assert shell is not None
    completer = shell(application(), {}, "theanodiag", COMPLETION)
    output.write(ShellComplete.source(completer).strip() + "\n")  # that of bash would start bash to ask for its release
    return ExitCode.CLEAN


def answer(instruction: str) -> int:
    """Completes the line that the shell asks about; returns the exit code."""
    return shell_complete(application(), {}, "theanodiag", COMPLETION, instruction)
