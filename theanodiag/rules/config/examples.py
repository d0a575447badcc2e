"""Small configurations for the examples of the rules."""

from __future__ import annotations

from ...flags.defaults import load_table, usual
from ...flags.diagnose import ConfigSubject, MachineFacts
from ...flags.flags_variable import parse_flags
from ...flags.model import Dialect, Host
from ...flags.rcfile_text import parse_rc
from ...flags.resolve import resolve

RC = "/home/user/.rc"
"""Path of the example's rc file."""
NO_CONTEXT = MachineFacts()
"""An unknown machine."""


def config(
    rc: str | None = None,
    flags: str | None = None,
    to: Dialect = Dialect.THEANO,
    version: str | None = None,
    env: tuple[tuple[str, str], ...] = (),
    context: MachineFacts = NO_CONTEXT,
) -> ConfigSubject:
    """Returns the subject for an rc file's text, the value of a flags variable, and further environment variables.

    `to` and `version` name the library (default: Theano 1.0.5).
    """
    environ = {**dict(env), to.rc_variable: RC, **({} if flags is None else {to.flags_variable: flags})}
    files = {} if rc is None else {RC: rc.encode("utf-8", "surrogateescape")}
    table = load_table(to, version or usual(to))
    resolution = resolve(to, table.version, environ, files.get, Host(home="/home/user"))
    documents = () if rc is None else (parse_rc(rc, RC),)
    variable = None if flags is None else parse_flags(flags, to.flags_variable)
    return ConfigSubject(resolution, documents, variable, tuple(environ.items()), context)
