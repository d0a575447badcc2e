"""`theanodiag config show`: the values that the library would give to the flags, and the origin of each."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ..errors import ExitCode, UsageError
from ..escaping import visible
from ..flags.carriers.file_kinds import FileKind
from ..flags.model import Entry, FailedStart, FlagValue, Ignored, Resolution, Setting
from ..flags.resolve import resolve
from ..flags.translations import VARIABLES, EnvVariable
from ..gc_pause import no_collections
from ..unknown import Unknown
from . import output, shared_options
from .config_input import (
    dialect_options,
    effective_environment,
    named_or_on_disk,
    query_interpreter,
    read_source,
    table_of,
    this_host,
)
from .parameters import Argument, Arguments, Option, switch

if TYPE_CHECKING:
    from ..report.v1.config import ConfigShowV1


def as_text(resolution: Resolution, environ: Mapping[str, str], everything: bool) -> str:
    """Returns one line for each flag (origin, name, value), then the ignored entries, and why the library would fail to start."""
    shown = [s for s in resolution.settings if everything or not s.is_default]
    rows = [(_place(s.origin), f"{s.flag.name} = {_words(s.value)}{_overrides(s)}") for s in shown]
    rows += [
        (_place(i.entry), f"# {_name(i.entry)}: {i.why.value}{'' if i.warns else ' (ignored without a warning)'}")
        for i in _useless(resolution)
    ]
    known = [v for v in _set_variables(resolution, environ) if everything or v.allocator]
    rows += [("environment", f"{v.name} = {environ[v.name]}    # {v.meaning}") for v in known]
    rows = [(visible(place), visible(what)) for place, what in rows]
    width = max((len(place) for place, _ in rows), default=0)
    lines = [visible(f"# {resolution.dialect.value} {resolution.version}: {_files(resolution)}")]
    lines += [f"{place:<{width}}  {what}" for place, what in rows]
    if not rows:
        lines.append("# nothing is set: every flag has its default (--all shows them)")
    if resolution.failure:
        lines += ["", *_failure_lines(resolution, resolution.failure)]
    return "\n".join(lines) + "\n"


def _files(resolution: Resolution) -> str:
    states = [f"{file.path or '(empty path)'} {file.state.value}" for file in resolution.files]
    return ", ".join(states) or "no rc file"


def _failure_lines(resolution: Resolution, failure: FailedStart) -> Iterator[str]:
    where = f"{failure.span}: " if failure.span else ""
    yield visible(f"{where}{resolution.dialect.value} {resolution.version} does not start: {failure.exception}: {failure.message}")
    if failure.span:
        yield failure.span.caret()


def _useless(resolution: Resolution) -> list[Ignored]:
    """Entries without effect, except overridden ones, which are shown with the value that overrides them."""
    lost = {id(e) for s in resolution.settings for e in s.overridden}
    return [i for i in resolution.ignored if id(i.entry) not in lost]


def _set_variables(resolution: Resolution, environ: Mapping[str, str]) -> list[EnvVariable]:
    return [v for v in VARIABLES if resolution.dialect in v.dialects and v.name in environ]


def _place(entry: Entry | None) -> str:
    return str(entry.key_span) if entry else "default"


def _name(entry: Entry) -> str:
    return f"[{entry.section}] {entry.key}" if entry.section else entry.key


def _overrides(setting: Setting) -> str:
    if not setting.overridden:
        return ""
    lost = ", ".join(f"{e.raw!r} ({_place(e)})" for e in setting.overridden)
    return f"    # overrides {lost}"


def _words(value: FlagValue | Unknown) -> str:
    return f"? ({value.reason})" if isinstance(value, Unknown) else str(value)


def document(resolution: Resolution, environ: Mapping[str, str], everything: bool) -> ConfigShowV1:
    """Returns the document `config-show/v1`, with the same content as the text."""
    from ..report.v1 import config

    variables = {v: environ[v.name] for v in _set_variables(resolution, environ)}
    return config.ConfigShowV1.of(resolution, variables, everything)


PARAMETERS = (
    Argument("files", metavar="FILE", nargs=-1, required=False,
        help="rc files in the order of reading (default: those of this environment)"),
    Option("--flags", metavar="STRING", help="text of the flags variable (default: that of this environment)"),
    *dialect_options(),
    switch("--all", help="show defaults too, and related environment variables"),
    Option("--python", metavar="INTERPRETER", help="interpreter that runs the library, for defaults that depend on it"),
    shared_options.format_option(),
)  # fmt: skip


@no_collections()
def run(args: Arguments) -> ExitCode:
    """Prints the flags; exit code 1 if the library would fail to start."""
    resolution = resolution_of(args)
    if args.format == "json":
        from ..report.v1 import common  # msgspec is imported only where JSON is written

        output.write(common.text(document(resolution, os.environ, args.all)))
    else:
        output.show(as_text(resolution, os.environ, args.all))
    return ExitCode.FINDINGS if resolution.failure else ExitCode.CLEAN


def resolution_of(args: Arguments) -> Resolution:
    """Returns the flags that are in effect in this environment, for the library that the command line selects."""
    for source in map(read_source, args.files):
        if source.kind is not FileKind.RC:
            advice = f"theanodiag config check {shlex.quote(source.path)} checks the flags in it"
            raise UsageError(f"{source.path} is {source.name}, not an rc file", help=advice)
    table = table_of(args.dialect, args.library_version, args.files[-1] if args.files else None)
    host = query_interpreter(args.python) if args.python else this_host((sys.version_info[0], sys.version_info[1]))
    given = effective_environment(table.dialect, args.files, args.flags)
    return resolve(table.dialect, table.version, given, named_or_on_disk(args.files), host)
