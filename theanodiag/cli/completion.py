"""`theanodiag completion SHELL`: prints the completion script of a shell, and answers the shell's completion requests."""

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
    """Prints the completion script."""
    shell = get_completion_class(args.shell)
    assert shell is not None
    completer = shell(application(), {}, "theanodiag", COMPLETION)
    output.write(ShellComplete.source(completer).strip() + "\n")  # that of bash would start bash to ask for its release
    return ExitCode.CLEAN


def answer(instruction: str) -> int:
    """Completes the command line that the shell passes. Returns the exit code."""
    return shell_complete(application(), {}, "theanodiag", COMPLETION, instruction)
