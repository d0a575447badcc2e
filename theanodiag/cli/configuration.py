"""`--config`, `--isolated`, `--show-settings`: options that the command line omits are taken from a configuration file."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from ..errors import TheanodiagError, UsageError
from ..escaping import visible
from ..settings import KEYS, Configuration, Key, SettingValue, ValueKind, find_configuration, keys_of, read_named
from . import output

if TYPE_CHECKING:
    from .parameters import Arguments, Command

SCHEMA = "theanodiag/settings/v1"
FIELDS = {"device": "gpu", "shapes": "shape"}
"""Field of a request -> the command-line parameter that sets it, if its name differs."""


@dataclass(frozen=True)
class Settings:
    """The settings of a configuration file for one command."""

    path: str | None
    """Path of the file; None if there is none."""
    folder: str
    """The folder to which its paths are relative."""
    values: Mapping[str, Any]
    """Parameter -> default value."""
    given: Mapping[str, SettingValue]
    """Parameter -> the value as written in the file, with its place."""


def settings(command: Command, words: Mapping[str, Any]) -> Settings:
    """Returns the settings of the configuration file for a command; `words` are the values given on the command line, by parameter.

    Raises `UsageError` with the place of a value that its option does not accept, and the errors of `settings.read_configuration`.
    """
    file = words.get(str(command.params[0].name))
    file = file[0] if isinstance(file, (list, tuple)) and file else file
    place = os.path.abspath(file) if isinstance(file, str) and file != "-" else os.getcwd()
    folder = place if os.path.isdir(place) else os.path.dirname(place)
    configuration = None if words.get("isolated") else read_named(words["config"]) if words.get("config") else find_configuration(folder)
    if configuration is None:
        return Settings(None, os.getcwd(), {}, {})
    params = {param.name: param for param in command.params}
    given = {
        key.option: configuration.values[name]
        for name, key in keys_of(command.configured).items()
        if name in configuration.values and key.option not in words and _usable(name, configuration)
    }
    above = os.path.dirname(configuration.path)
    values = {name: _value(params[name], one, above) if name in params else one.value for name, one in given.items()}
    return Settings(configuration.path, above, values, given)


def _usable(name: str, configuration: Configuration) -> bool:
    """Whether the value may be used: a program to start is not taken from a file that others can write."""
    if name != "python" or configuration.trusted:
        return True
    place = configuration.values[name].span
    output.note(f"{place}: python is not used, because other users can write this file: give --python, or name the file with --config")
    return False


def _value(param: click.Parameter, given: SettingValue, folder: str) -> object:
    """The value as the parameter has it. Paths are those of the configuration's folder."""
    value = given.value
    if isinstance(param.type, click.Choice) and value not in param.type.choices:
        name = next(name for name, key in KEYS.items() if key.option == param.name)
        raise UsageError(f"{name} cannot be {value!r}", span=given.span, help=f"one of {', '.join(param.type.choices)}")
    if param.name == "python" and os.sep in str(value):
        return os.path.join(folder, os.path.expanduser(str(value)))
    if param.name == "baseline":
        return _inside(given, folder)
    return ",".join(value) if isinstance(value, list) and not param.multiple else value


def _inside(given: SettingValue, folder: str) -> str:
    """The path of a file that is written on request: it must lie below the configuration's folder."""
    path = os.path.join(folder, str(given.value))
    if not os.path.realpath(path).startswith(os.path.join(os.path.realpath(folder), "")):
        raise UsageError(
            "the baseline named in a configuration file must be below its folder", span=given.span, help="give --baseline instead"
        )
    return os.path.relpath(path)


def placed(error: TheanodiagError, settings: Settings) -> TheanodiagError:
    """Returns the error with its place in the configuration file added, if the option that it names was set there."""
    given = settings.given.get(FIELDS.get(error.option, error.option)) if error.option else None
    return error if given is None else UsageError(error.message, span=given.span, help=error.help, option=error.option)


def show(command: Command, args: Arguments, settings: Settings) -> None:
    """Prints each setting in effect and its origin, for `--show-settings`."""
    rows = [(name, *_setting(key, args, settings)) for name, key in keys_of(command.configured).items()]
    if args.format == "json":
        from ..report.v1 import common, config  # msgspec is imported only where JSON is written

        listed = [config.OptionSettingV1(*row) for row in rows]
        output.write(common.text(config.SettingsV1("theanodiag/settings/v1", settings.path, listed)))
        return
    lines = [f"{name} = {_toml(value)}" if value is not None else f"# {name} is not set" for name, value, _ in rows]
    width = max(map(len, lines))
    output.show(visible(f"# configuration: {settings.path or 'none'}") + "\n")
    output.show("".join(visible(f"{line:<{width}}  # {origin}") + "\n" for line, (_, _, origin) in zip(lines, rows)))


def _setting(key: Key, args: Arguments, settings: Settings) -> tuple[object, str]:
    """A value as TOML has it; and where it is from: `command line`, `default`, or the place in the configuration."""
    if key.option in settings.given:
        return settings.given[key.option].value, str(settings.given[key.option].span)
    value = getattr(args, key.option, None)
    if key.option not in args.given:
        return value, "default"
    return value.split(",") if key.kind is ValueKind.TEXTS and isinstance(value, str) else value, "command line"


def _toml(value: object) -> str:
    """A value as TOML has it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {json.dumps(v)}" for k, v in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)
