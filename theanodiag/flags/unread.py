"""Why an entry sets no flag: each entry has exactly one reason, so that the rules report everything that a migration would change."""

from __future__ import annotations

import enum

from .environment import is_variable
from .migrate_entry import was_live
from .model import Dialect, Flag, FlagTable
from .names import COMMENTED, GPU_ONLY, dotted_name, elsewhere, homes, rc_flag, same_words
from .rcfile import DEFAULT_SECTION

GPU_BACKEND = ("device", "init_gpu_device", "contexts", "lib.cnmem")
"""Flags without a prefix of their own that only Theano's GPU back-ends had."""
_NO_SECTION = (None, "", "global")


class Unread(enum.Enum):
    """Why the library reads no flag from an entry."""

    NO_VALUE = "a word of the variable without `=`"
    ENVIRONMENT = "the name of an environment variable"
    DEFAULT = "a flag in [DEFAULT] whose own section is not in the file"
    HELPER = "a name of the user's own in [DEFAULT]"
    GPU = "a flag of Theano's GPU back-ends, for a library without one"
    CNMEM = "lib.cnmem"
    NVCC = "an option of nvcc"
    CASE = "a flag of the variable in the wrong case"
    SEPARATOR = "a dot instead of `__`, or the other way round"
    REMOVED = "a flag that other versions have"
    SECTION = "a flag in the wrong section"
    NAME = "no flag of any version"


def why_unread(table: FlagTable, section: str | None, key: str, value: str | None) -> Unread:
    """The reason for an entry that sets no flag of `table`; `section` is None in a variable, `''` before the first header."""
    name = key.replace("__", ".") if section is None else dotted_name(section, key)
    if value is None:
        return Unread.NO_VALUE
    if is_variable(key):
        return Unread.ENVIRONMENT
    if section == DEFAULT_SECTION and not COMMENTED.search(key):
        return Unread.DEFAULT if meant_in_default(table, key) else Unread.HELPER
    live = was_live(name, section, key)
    dotted = section == "global" and "." in key.replace("__", ".")
    if section is not None and not live and not dotted and homes(table, name):
        return Unread.SECTION
    if table.dialect is not Dialect.THEANO and (name in GPU_BACKEND or name.startswith(GPU_ONLY)):
        return Unread.GPU
    if name == "lib.cnmem":
        return Unread.CNMEM
    if name.startswith("nvcc."):
        return Unread.NVCC
    return _by_name(table, section, key, live)


def _by_name(table: FlagTable, section: str | None, key: str, live: bool) -> Unread:
    """The reason that the name itself shows: case, separator, a removed flag, or an unknown name."""
    if section is None and any(flag.name.lower() == key.lower() for flag in table.flags):
        return Unread.CASE
    if section in _NO_SECTION and other_separator(table, key):
        return Unread.SEPARATOR
    return Unread.REMOVED if live else Unread.NAME


def other_separator(table: FlagTable, key: str) -> Flag | None:
    """The flag with several parts whose name equals this key except for dots, `__` and case; None if there is none."""
    flag = same_words(table, key)
    return flag if flag and "." in flag.dotted and flag.dotted.lower() == key.lower().replace("__", ".") else None


def meant_in_default(table: FlagTable, key: str) -> Flag | None:
    """The flag that an option of `[DEFAULT]` may mean: one of `[global]`, else the first with that option name in any section."""
    flags = elsewhere(table, key)
    return rc_flag(table, "global", key) or next((f for f in flags if f.option.lower() == key.lower()), None)
