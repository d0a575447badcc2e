"""Entry point: finds the command, runs it, turns errors into messages and exit codes."""

from __future__ import annotations

import _thread
import argparse
import contextlib
import difflib
import importlib
import os
import signal
import sys
import time
from collections.abc import Iterable, Sequence
from typing import NoReturn, Protocol, cast

from ..errors import ExitCode, TheanodiagError, UsageError
from ..version import VERSION
from . import output


class Command(Protocol):
    """What a module of this package offers to be a command."""

    HELP: str
    """One line for `theanodiag --help`."""

    def prepare(self, parser: argparse.ArgumentParser) -> None:
        """Adds the arguments."""

    def run(self, args: argparse.Namespace) -> ExitCode:
        """Does the work; prints only what the user asked for to stdout."""


COMMANDS: dict[str, tuple[str, str]] = {
    "check": ("check", "run a script without computing anything and report the memory that its functions need"),
    "completion": ("completion", "print the completion script of a shell"),
    "compare": ("compare", "run a script, or a script and its port, in two interpreters and compare what their functions compute"),
    "config": ("config", "read, check and rewrite the flags of Theano, Aesara and PyTensor"),
    "diff": ("diff", "compare two JSON reports: what grew, and which line did it"),
    "doctor": ("doctor", "list interpreters, frameworks and devices, what each can confirm, and what to do for what is missing"),
    "explain": ("explain", "print the page of a rule, such as TD301"),
    "explain-log": ("explain_log", "explain a crash from its log"),
    "export": ("export", "write a function of a script, with its weights, as StableHLO, which runs without Theano and PyTensor"),
    "graph": ("graph", "report the memory that a printed graph (debugprint) needs"),
    "port": ("port", "move sources written for Theano or Aesara to PyTensor or Aesara"),
    "rules": ("rules", "list the rules"),
    "scan": ("scan", "say what a repository needs: frameworks, releases, names that are gone, flags, hazards"),
    "weights": ("weights", "list the arrays in the file of an old model, without running anything of it, and convert them"),
    "run": ("run", "run a script written for Theano or Aesara on the PyTensor that is installed"),
}
"""Name -> (module of this package, one-line help). A command's module is imported only when it is asked for."""


LOOKS = tuple(name for name in COMMANDS if name not in ("run", "config"))
"""Commands that print something of their own; the subcommands of `config` have their options themselves."""
SEVERAL = ("words", "files", "paths", "models")
"""Arguments of which there may be several, with options in between."""
RUN_A_SCRIPT = ("check", "compare", "export")
"""Commands that hand what follows `--` to a script."""
PATIENCE = 3.0
"""Seconds between a signal to end and the end, whatever is being done."""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are reported as all others are."""

    def error(self, message: str) -> NoReturn:
        """Raises `UsageError`."""
        raise UsageError(message, help=f"{self.prog} --help lists the commands and options")

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """As argparse does, and with what may have been meant."""
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            meant = near(str(value), map(str, action.choices or ()))
            raise UsageError(str(error), help=meant or f"{self.prog} --help lists the commands and options") from None


def near(word: str, known: Iterable[str]) -> str | None:
    """`did you mean X?` for the known word that is most like this one; None where none is like it."""
    found = difflib.get_close_matches(word, list(known), 1, 0.6)
    return f"did you mean {found[0]}?" if found else None


def build_parser(chosen: str | None) -> argparse.ArgumentParser:
    """The parser; only the arguments of command `chosen` are filled in, so that `--help` imports nothing."""
    parser = Parser(prog="theanodiag", description="Memory and configuration diagnosis for Theano, Aesara and PyTensor code.")
    parser.add_argument("--version", action="version", version=f"theanodiag {VERSION}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, (module, summary) in COMMANDS.items():
        sub = commands.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        if name == chosen:
            load(module).prepare(sub)
            if name in LOOKS:
                output.add_options(sub)
    return parser


def parse(arguments: Sequence[str], chosen: str | None) -> argparse.Namespace:
    """The arguments of command `chosen`; what follows `--` is for the script, not for us, where the command runs one."""
    ours, theirs = list(arguments), []
    if chosen in RUN_A_SCRIPT and "--" in ours:
        at = ours.index("--")
        ours, theirs = ours[:at], ours[at + 1 :]
    if chosen == "run":
        from .run import arranged as until_the_script

        ours, theirs = until_the_script(list(arguments))
    if chosen in RUN_A_SCRIPT:
        from .confirming import arranged

        ours = arranged(ours)
    parser = build_parser(chosen)
    args, unknown = parser.parse_known_args(ours)
    several = next((name for name in SEVERAL if isinstance(getattr(args, name, None), list)), None)
    if several and unknown and not any(word.startswith("-") for word in unknown):
        setattr(args, several, [*getattr(args, several), *unknown])  # argparse takes them before the first option or after the last alone
        unknown = []
    models: list[str] = getattr(args, "models", [])
    unknown = [*unknown, *(word for word in models[1:] if not word.endswith(".py") and not os.path.exists(word))]
    if unknown:
        advice = f"the script's own arguments come after --, as in theanodiag {chosen} MODEL.py -- {' '.join(unknown)}"
        listed = f"theanodiag {chosen} --help lists the commands and options"
        meant = near(unknown[0], options_of(parser, args)) if unknown[0].startswith("--") else None
        raise UsageError(f"unrecognized arguments: {' '.join(unknown)}", help=meant or (advice if chosen in RUN_A_SCRIPT else listed))
    if models:
        args.model = models[0]
    args.script_args = theirs
    return args


def options_of(parser: argparse.ArgumentParser, args: argparse.Namespace) -> Iterable[str]:
    """The options of the command, and of its subcommand, that the line names."""
    for action in parser._actions:
        yield from action.option_strings
        if isinstance(action, argparse._SubParsersAction):
            chosen = getattr(args, action.dest, None)
            if chosen in action.choices:
                yield from options_of(action.choices[chosen], args)


def load(module: str) -> Command:
    """Imports the module of a command."""
    return cast(Command, importlib.import_module(f"{__package__}.{module}"))


class _SignalledError(SystemExit):
    """We are told to end."""


def _ended(number: int, _: object) -> None:
    """Leaves by an exception, so that a script that is being run ends with us and temporary folders go away.

    Python drops an exception that is raised in a callback of an import or of a garbage collection, and a call into C may not return:
    after `PATIENCE` this process ends at once, and the processes that watch it end what it started and remove its folders.
    """
    _thread.start_new_thread(_ends_late, (128 + number,))  # not `threading`, whose locks the interrupted code may hold
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise _SignalledError(128 + number)


def _ends_late(code: int) -> None:
    time.sleep(PATIENCE)
    os._exit(code)


def _gone(code: int) -> NoReturn:
    """Ends this process at once: freeing what a large file was made into takes seconds."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns the exit code; `argv` defaults to the process's own."""
    if argv is None and "_ARGCOMPLETE" in os.environ:
        from .completion import answer

        answer(COMMANDS, build_parser)
    arguments = list(sys.argv[1:] if argv is None else argv)
    chosen = next((a for a in arguments if not a.startswith("-")), None)
    if argv is None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):  # nohup's stays
                signal.signal(number, _ended)
    output.prepare(arguments)
    if not arguments:
        output.write(build_parser(None).format_help())
        return int(ExitCode.USAGE)
    args = None
    try:
        args = parse(arguments, chosen)
        output.choose(args)
        return int(load(COMMANDS[args.command][0]).run(args))
    except TheanodiagError as error:
        return _failed(_placed(error, args), wants_json(arguments) or getattr(args, "format", None) == "json")
    except KeyboardInterrupt:
        output.note("interrupted")
        if argv is None:
            _gone(130)
        return 130
    except _SignalledError as error:
        _gone(int(str(error)))
    except Exception as error:
        if os.environ.get("THEANODIAG_DEBUG"):
            raise
        if isinstance(error, (OSError, MemoryError)):
            from .system_errors import explained

            return _failed(explained(error), wants_json(arguments))
        return _failed(_Bug(error), wants_json(arguments))


class _Bug(TheanodiagError):
    """An exception that nobody expected."""

    exit_code = ExitCode.BUG

    def __init__(self, error: Exception) -> None:
        super().__init__(
            f"this is a bug of theanodiag, not of your input: {type(error).__name__}: {error}",
            help="run again with THEANODIAG_DEBUG=1 for the traceback, and report it with the input",
        )


def _placed(error: TheanodiagError, args: argparse.Namespace | None) -> TheanodiagError:
    """The error with its place in the configuration, for a command that reads one."""
    if getattr(args, "origins", None):
        from .configured import placed

        return placed(error, args)
    return error


def _failed(error: TheanodiagError, as_json: bool) -> int:
    """Says what went wrong, to people and, where JSON was asked for, to programs; returns the exit code."""
    output.complain(f"theanodiag: {error}\n")
    if as_json and not isinstance(error, output.OutputError):
        try:
            output.document(output.error_document(error))
        except output.OutputError:
            pass  # the exit code still says that there was an error
    return int(error.exit_code)


def wants_json(arguments: Sequence[str]) -> bool:
    """Whether the command line asks for JSON, also one that cannot be parsed."""
    ours = list(arguments[: arguments.index("--")] if "--" in arguments else arguments)
    return "--format=json" in ours or ("--format", "json") in zip(ours, ours[1:])
