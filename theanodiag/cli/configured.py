"""`--config`, `--isolated`, `--show-settings`: options that the command line leaves out are taken from a configuration file."""

from __future__ import annotations

import argparse
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import Span, TheanodiagError, UsageError
from ..settings.keys import Key, Kind, keys_of
from . import output

if TYPE_CHECKING:
    from ..settings.read import Configuration, Given

SCHEMA = "theanodiag/settings/v1"


@dataclass(frozen=True)
class Setting:
    """A value in force, and where it comes from."""

    name: str
    value: object
    """As TOML has it; None: not set."""
    origin: str
    """`command line`, `default`, or the place in the configuration."""


@dataclass(frozen=True)
class Option:
    """An option of the command line that a configuration can give too."""

    key: Key
    action: argparse.Action | None
    """None for what only a configuration has."""
    default: object


def prepare(parser: argparse.ArgumentParser, command: str) -> None:
    """Adds the options, after all others; those that a configuration can give have no default any more until `fill`."""
    which = parser.add_mutually_exclusive_group()
    what = "read this configuration (default: theanodiag.toml, or [tool.theanodiag] in pyproject.toml, of the nearest folder upwards)"
    which.add_argument("--config", metavar="FILE", help=what)
    which.add_argument("--isolated", action="store_true", help="read no configuration file")
    parser.add_argument("--show-settings", action="store_true", help="print the settings in force and where each comes from, and stop")
    actions = {action.dest: action for action in parser._actions}
    taken = {}
    for name, key in keys_of(command).items():
        action = actions.get(key.option)
        taken[name] = Option(key, action, action.default if action else None)
        if action:
            action.default = argparse.SUPPRESS
    parser.set_defaults(options=taken)


def fill(args: argparse.Namespace, file: str | None) -> bool:
    """Sets what the command line left out, from the configuration for `file` (None: for this folder), else as without one.

    With `--show-settings` prints them, and returns True: there is nothing more to do. Raises `UsageError` with the place of a value that
    the option does not take.
    """
    from ..settings import read

    folder = os.path.dirname(os.path.abspath(file)) if file not in (None, "-") else os.getcwd()
    found = None if args.isolated else read.named(args.config) if args.config else read.find(folder)
    options: dict[str, Option] = args.options
    args.origins, args.folder = {}, os.path.dirname(found.path) if found else os.getcwd()
    rows = [_set(args, name, option, found) for name, option in options.items()]
    if args.show_settings:
        _show(rows, found, args.format == "json")
    return bool(args.show_settings)


def _set(args: argparse.Namespace, name: str, option: Option, found: Configuration | None) -> Setting:
    """Sets one option, unless the command line did."""
    dest = option.key.option
    if hasattr(args, dest):
        return Setting(name, _listed(option.key, getattr(args, dest)), "command line")
    given = found.values.get(name) if found else None
    if found is None or given is None or not _usable(name, given, found):
        setattr(args, dest, option.default)
        return Setting(name, option.default, "default")
    setattr(args, dest, _value(name, option, given, os.path.dirname(found.path)))
    args.origins[dest] = given.span
    return Setting(name, given.value, str(given.span))


def _listed(key: Key, value: object) -> object:
    """A value of the command line as TOML has it."""
    return value.split(",") if key.kind is Kind.TEXTS and isinstance(value, str) else value


def _usable(name: str, given: Given, found: Configuration) -> bool:
    """Whether the value may be used: a program to start is not taken from a file that others can write."""
    if name != "python" or found.trusted:
        return True
    output.note(f"{given.span}: python is not used: others than you can write this file; give --python, or name the file with --config")
    return False


def _value(name: str, option: Option, given: Given, folder: str) -> object:
    """The value as the option has it. Paths are those of the configuration's folder."""
    value, action = given.value, option.action
    if action is not None and action.choices is not None and value not in action.choices:
        raise UsageError(f"{name} cannot be {value!r}", span=given.span, help=f"one of {', '.join(map(str, action.choices))}")
    if name == "python" and os.sep in str(value):
        return os.path.join(folder, os.path.expanduser(str(value)))
    if name == "baseline":
        return _inside(given, folder)
    if option.key.kind is Kind.TEXTS and isinstance(value, list) and not isinstance(option.default, list):
        return ",".join(value)
    return value


def _inside(given: Given, folder: str) -> str:
    """The path of a file that is written on request: it must lie below the configuration's folder."""
    path = os.path.join(folder, str(given.value))
    if not os.path.realpath(path).startswith(os.path.join(os.path.realpath(folder), "")):
        raise UsageError("the baseline of a configuration must lie below its folder", span=given.span, help="give --baseline instead")
    return os.path.relpath(path)


FIELDS = {"device": "gpu", "shapes": "shape"}
"""Field of a request -> the argument that sets it, where that has another name."""


def placed(error: TheanodiagError, args: argparse.Namespace | None) -> TheanodiagError:
    """The error with its place in the configuration, where the option that it names was set there."""
    origins: dict[str, Span] = getattr(args, "origins", {})
    span = origins.get(FIELDS.get(error.option, error.option)) if error.option else None
    return error if span is None else UsageError(error.message, span=span, help=error.help, option=error.option)


def _show(rows: list[Setting], found: Configuration | None, as_json: bool) -> None:
    from ..escaping import visible

    if as_json:
        settings = [{"name": r.name, "value": r.value, "origin": r.origin} for r in rows]
        output.document({"schema": SCHEMA, "configuration": found and found.path, "settings": settings})
        return
    lines = [f"{r.name} = {_toml(r.value)}" if r.value is not None else f"# {r.name} is not set" for r in rows]
    width = max(map(len, lines))
    output.show(visible(f"# configuration: {found.path if found else 'none'}") + "\n")
    output.show("".join(visible(f"{line:<{width}}  # {r.origin}") + "\n" for line, r in zip(lines, rows)))


def _toml(value: object) -> str:
    """A value as TOML has it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {json.dumps(v)}" for k, v in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)
