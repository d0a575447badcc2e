"""Click classes for our commands, with help for arguments, option groups, and defaults from a configuration file."""

from __future__ import annotations

import importlib
import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from ..errors import ExitCode, UsageError, near
from ..settings import keys_of
from ..version import VERSION
from . import output
from .commands import COMMANDS, CONFIG, TASKS, Table, listing

if TYPE_CHECKING:
    from .configuration import Settings


class TextParam(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic from click 8.4 on
    """A parameter whose value may be any text; shells complete it as a file name."""

    name = "text"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Makes the shell complete file names."""
        return [CompletionItem(incomplete, type="file")]


class Argument(click.Argument):
    """An argument with a help text."""

    def __init__(self, name: str, *, help: str, type: Any = None, **options: Any) -> None:
        super().__init__([name], type=type or TextParam(), **options)
        self.about = help
        shown = str(self.metavar or name)
        self.usage = f"{shown if self.required else f'[{shown}]'}{'...' if self.nargs == -1 else ''}"


class Option(click.Option):
    """An option of a command, with a help text."""

    group = "Options"
    """Heading of the option in the help."""
    rivals: tuple[Option, ...] = ()
    """Mutually exclusive options."""

    def __init__(self, *names: str, type: Any = None, **options: Any) -> None:
        """As in `click.Option`. With `flag_value` the value is optional."""
        if "flag_value" in options:
            options.update(is_flag=False, metavar=f"[{options['metavar']}]")
        is_switch = options.get("is_flag") or "/" in names[0]
        super().__init__(list(names), type=None if is_switch else type or TextParam(), **options)

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        """Rejects an option as the value of another option, which click accepts: in `-o --quiet`, `--quiet` is not a file."""
        known = {name for option in ctx.command.params if isinstance(option, Option) for name in option.opts}
        if any(word in known or str(word).startswith("--") for word in (value if isinstance(value, (list, tuple)) else [value])):
            raise click.BadOptionUsage(self.opts[-1], f"Option {self.opts[-1]!r} requires a value.", ctx)
        return super().type_cast_value(ctx, value)


def switch(*names: str, help: str, **options: Any) -> Option:
    """Returns an option without a value."""
    return Option(*names, is_flag=True, help=help, **options)


def one_of(*options: Option) -> tuple[Option, ...]:
    """Returns options that exclude each other."""
    for option in options:
        option.rivals = options
    return options


def group(heading: str, *options: Option) -> tuple[Option, ...]:
    """Returns options with a heading of their own in the help."""
    for option in options:
        option.group = heading
    return options


class Arguments(SimpleNamespace):
    """The parsed arguments of a command: one attribute for each parameter."""

    given: frozenset[str]
    """Names of the parameters that the command line sets."""
    settings: Settings | None
    """The settings of the configuration file; None for a command that reads none."""
    script_args: tuple[str, ...]
    """The arguments after `--`, which are passed to a script."""


class Command(click.Command):
    """A command that is implemented by `run`."""

    def __init__(
        self,
        name: str,
        run: Callable[[Arguments], ExitCode],
        params: Sequence[click.Parameter],
        *,
        about: str,
        usage: str | None = None,
        configured: str = "",
        takes_script: bool = False,
        arranged: Callable[[list[str]], list[str]] = list,
        looks: bool = True,
        **options: Any,
    ) -> None:
        """`about` is its one-line help, `usage` replaces the arguments in the help, and `configured` is the command's name in
        `settings`. `takes_script`: arguments after `--` are passed to a script. `arranged` rewrites the arguments before they are
        parsed. `looks`: it has --color and --quiet."""
        more = [*(_configuration() if configured else ()), *(_looks() if looks else ())]
        super().__init__(name, params=[*params, *more, _help()], add_help_option=False, help=f"{about[0].upper()}{about[1:]}.", **options)
        self.run, self.usage, self.configured, self.takes_script, self.arranged = run, usage, configured, takes_script, arranged
        self.context_settings["terminal_width"] = output.width()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Separates the script's own arguments, and fills in options from the configuration file."""
        at = args.index("--") if self.takes_script and "--" in args else len(args)
        ours = self.arranged(args[:at])
        ctx.meta["script_args"], ctx.meta["settings"] = tuple(args[at + 1 :]), None
        if self.configured and not ctx.resilient_parsing:
            from .configuration import settings

            words, _, _ = self.make_parser(ctx).parse_args(list(ours))
            output.LOOK.quiet = bool(words.get("quiet"))
            ctx.meta["settings"] = config = settings(self, words)
            ctx.default_map = dict(config.values)
        rest = super().parse_args(ctx, ours)
        for param in self.params:
            given = [o.opts[-1] for o in getattr(param, "rivals", ()) if ctx.get_parameter_source(o.name) is ParameterSource.COMMANDLINE]
            if len(given) > 1 and not ctx.resilient_parsing:
                raise click.UsageError(f"{given[1]} is not allowed with {given[0]}", ctx)
        return rest

    def invoke(self, ctx: click.Context) -> tuple[Command, Arguments]:
        """Returns the command and its parsed arguments, without running anything."""
        given = frozenset(n for n in ctx.params if ctx.get_parameter_source(n) is ParameterSource.COMMANDLINE)
        return self, Arguments(**ctx.params, given=given, settings=ctx.meta["settings"], script_args=ctx.meta["script_args"])

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Returns the usage line, without the command's name."""
        words = [self.usage] if self.usage else [p.usage for p in self.params if isinstance(p, Argument)]
        return ["[OPTIONS]", *words, *(["[-- ARG...]"] if self.takes_script else [])]

    def sections(self, ctx: click.Context) -> Mapping[str, list[tuple[str, str]]]:
        """Returns the rows of the help by heading, each with a parameter and its description. Headings are in the order of the
        parameters.
        """
        groups: dict[str, list[tuple[str, str]]] = {"Arguments": []}
        for param in self.params:
            if isinstance(param, Argument):
                groups["Arguments"].append((param.metavar or str(param.name), param.about))
            elif isinstance(param, Option) and (row := param.get_help_record(ctx)) is not None:
                groups.setdefault(param.group, []).append((row[0], param.help or ""))
        return {title: rows for title, rows in groups.items() if rows}

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the arguments and options into the help."""
        for title, rows in self.sections(ctx).items():
            with formatter.section(title):
                formatter.write_dl(rows)


TAKES = {".py": "check", ".ipynb": "check", ".log": "explain-log", ".txt": "explain-log"}
"""End of a file's name -> the command that most people want for it."""


def _with_command(path: str) -> str | None:
    """`did you mean theanodiag check PATH?` for a file or folder in place of a command; None for any other word."""
    command = "scan" if os.path.isdir(path) else TAKES.get(os.path.splitext(path)[1])
    return f"did you mean theanodiag {command} {shlex.quote(path)}?" if command else None


class Commands(click.Group):
    """A group of commands; each is imported on first use."""

    def __init__(self, name: str, tasks: Mapping[str, Table], params: Sequence[click.Parameter] = ()) -> None:
        super().__init__(name, no_args_is_help=False, add_help_option=False, params=[*params, _help()])
        self.table = {name: row for table in tasks.values() for name, row in table.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Returns the names of the commands, in the order of the help."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Returns the command called `cmd_name`; None if there is none."""
        if cmd_name == "config" and ctx.command.name != "config":
            return Commands("config", CONFIG)
        return load(cmd_name, self.table) if cmd_name in self.table else None

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolves a command's name as click does, but raises `UsageError` with similar command names."""
        if args[0] not in self.table and not args[0].startswith("-") and not ctx.resilient_parsing:
            help = near(args[0], self.table) or _with_command(args[0]) or f"{ctx.command_path} --help lists the commands and options"
            raise UsageError(f"there is no command {args[0]!r}", help=help)
        return super().resolve_command(ctx, args)

    def get_help(self, ctx: click.Context) -> str:
        """Returns the help text: the commands grouped by task."""
        return listing(ctx.command_path).rstrip("\n")

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Returns the commands with the prefix `incomplete`; none of them is imported."""
        completions = [CompletionItem(name, help=row[1]) for name, row in self.table.items() if name.startswith(incomplete)]
        return [*completions, *click.Command.shell_complete(self, ctx, incomplete)]


def load(name: str, table: Table = COMMANDS) -> Command:
    """Imports a command. Its module has `run`, `PARAMETERS`, and in `TRAITS` further arguments of `Command`."""
    source, summary = table[name]
    module = importlib.import_module(f"{__package__}.{source}")
    path = source.replace("_", " ")  # as the keys of a configuration name it: config check
    traits = getattr(module, "TRAITS", {})
    return Command(name, module.run, module.PARAMETERS, about=summary, configured=path if keys_of(path) else "", **traits)


def application() -> Commands:
    """Returns the top-level command `theanodiag`."""
    return Commands("theanodiag", TASKS, [_stopping("--version", help="show the version", text=lambda _: f"theanodiag {VERSION}")])


def parse(arguments: Sequence[str]) -> tuple[Command, Arguments]:
    """Returns the command that a command line names, and its parsed arguments.

    Raises `UsageError` for a command line that cannot be parsed, and `SystemExit` after --help and --version.
    """
    app = application()
    try:
        parsed: tuple[Command, Arguments] = app.invoke(app.make_context("theanodiag", list(arguments)))
    except click.UsageError as error:
        raise _as_ours(error) from None
    except click.exceptions.Exit as end:
        raise SystemExit(end.exit_code) from None
    return parsed


def _as_ours(error: click.UsageError) -> UsageError:
    """An error of click as a `UsageError`."""
    path = error.ctx.command_path if error.ctx else "theanodiag"
    help = f"{path} --help lists the commands and options"
    if isinstance(error, click.MissingParameter) and isinstance(error.param, Option) and isinstance(error.param.type, click.Choice):
        name, choices = error.param.opts[-1], [str(choice) for choice in error.param.type.choices]
        return UsageError(f"{name} is missing", help=f"add {name} with one of {', '.join(choices)}")
    if not isinstance(error, click.NoSuchOption):
        message = error.format_message().removesuffix(".")
        return UsageError(message[0].lower() + message[1:], help=help)
    command, word = error.ctx and error.ctx.command, error.option_name
    known = [name for param in (command.params if command else ()) for name in (*param.opts, *param.secondary_opts)]
    if isinstance(command, Command) and command.takes_script:
        help = f"the script's own arguments come after --, as in {path} {command.params[0].metavar} -- {word}"
    return UsageError(f"unrecognized arguments: {word}", help=(near(word, known) if word.startswith("--") else None) or help)


_WHICH = (
    "read this configuration file (default: theanodiag.toml, or pyproject.toml with [tool.theanodiag], in the folder of the given "
    "file, or in the nearest folder above)"
)
_COLOR = "use colours (default: auto, that is on a terminal unless NO_COLOR is set, and always with FORCE_COLOR)"


def _configuration() -> tuple[Option, ...]:
    which = one_of(Option("--config", metavar="FILE", help=_WHICH), switch("--isolated", help="read no configuration file"))
    return (*which, switch("--show-settings", help="print the settings in effect and the origin of each, then exit"))


def _looks() -> tuple[Option, ...]:
    return (
        Option("--color", type=click.Choice(output.COLORS), default="auto", help=_COLOR),
        switch("-q", "--quiet", help="print no progress and no notes, and a short report"),
    )


def _help() -> Option:
    return _stopping("-h", "--help", help="show this help", text=lambda ctx: ctx.get_help())


def _stopping(*names: str, help: str, text: Callable[[click.Context], str]) -> Option:
    """An option that prints a text instead of running the command."""

    def show(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
        if wanted and not ctx.resilient_parsing:
            output.write(f"{text(ctx)}\n")
            ctx.exit()

    return switch(*names, help=f"{help}, and stop", is_eager=True, expose_value=False, callback=show)
