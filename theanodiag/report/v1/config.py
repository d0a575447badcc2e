"""The JSON output of `config show`, `config check`, `config rewrite` and `--show-settings`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Optional, Union

from ...findings import Finding
from ...flags.model import Entry, FailedStart, Resolution, Setting
from ...flags.translations import EnvVariable
from ...unknown import Unknown
from .common import DescribedV1, Document, FixV1, Part, described, from_attributes, optional

if TYPE_CHECKING:
    from typing_extensions import Self


class ConfigFileV1(Part):
    """A configuration file that theanodiag searched for."""

    path: str
    state: str


class EntryV1(Part):
    """A line of an rc file, or one flag of the flags environment variable."""

    kind: str
    source: str
    line: int
    column: int
    section: Optional[str]
    key: str
    raw: str

    @classmethod
    def of(cls, entry: Entry, **more: Any) -> Self:
        """Returns the JSON object of an entry."""
        span = entry.key_span
        return cls(entry.place.value, span.source, span.line, span.column, entry.section, entry.key, entry.raw, **more)


class IgnoredEntryV1(EntryV1):
    """An entry that has no effect."""

    why: str
    warns: bool
    """whether the framework warns about it"""


class SettingV1(Part):
    """A flag of the framework, with its value."""

    name: str
    value: Union[str, int, float, bool, None]
    type: Optional[str]
    unknown: Optional[str]
    """why value is null"""
    default: bool
    text: Optional[str]
    origin: Optional[EntryV1]
    overrides: list[EntryV1]
    mutable: bool
    in_c_key: bool

    @classmethod
    def of(cls, setting: Setting) -> SettingV1:
        """Returns the JSON object of a flag. JSON has no infinity or NaN: they become text."""
        value, flag = setting.value, setting.flag
        unknown = value.reason if isinstance(value, Unknown) else None
        plain = None if isinstance(value, Unknown) else str(value) if isinstance(value, float) and not math.isfinite(value) else value
        return cls(
            name=flag.name,
            value=plain,
            type=None if isinstance(value, Unknown) else type(value).__name__,
            unknown=unknown,
            default=setting.is_default,
            text=setting.text,
            origin=optional(EntryV1.of, setting.origin),
            overrides=list(map(EntryV1.of, setting.overridden)),
            mutable=flag.mutable,
            in_c_key=flag.in_c_key,
        )


class FailureV1(Part):
    """Why the framework would fail to start."""

    kind: str
    exception: Optional[str]
    message: str
    flag: Optional[str]
    source: Optional[str]
    line: Optional[int]
    column: Optional[int]

    @classmethod
    def of(cls, failure: FailedStart) -> FailureV1:
        """Returns the JSON object of a failure."""
        span, flag = failure.span, failure.flag
        place = (span.source, span.line, span.column) if span else (None, None, None)
        return cls(failure.kind.value, failure.exception, failure.message, flag.name if flag else None, *place)


class ConfigShowV1(Document):
    """Output of theanodiag config show: the flags in force."""

    schema: Literal["theanodiag/config-show/v1"]
    dialect: str
    version: str
    files: list[ConfigFileV1]
    failure: Optional[FailureV1]
    """why the framework would fail to start"""
    settings: list[SettingV1]
    ignored: list[IgnoredEntryV1]
    environment: dict[str, str]
    """other environment variables that are set and that the framework or its compilers read, with their values"""
    environment_effects: dict[str, str]
    """effect of each variable in environment"""

    @classmethod
    def of(cls, resolution: Resolution, variables: Mapping[EnvVariable, str], everything: bool) -> ConfigShowV1:
        """Returns the JSON document of a resolution: all flags, or only those that are set; `variables` are the other environment variables
        that are set.
        """
        return cls(
            schema="theanodiag/config-show/v1",
            dialect=resolution.dialect.value,
            version=resolution.version,
            files=[ConfigFileV1(file.path, file.state.value) for file in resolution.files],
            failure=optional(FailureV1.of, resolution.failure),
            settings=[SettingV1.of(s) for s in resolution.settings if everything or not s.is_default],
            ignored=[IgnoredEntryV1.of(i.entry, why=i.why.value, warns=i.warns) for i in resolution.ignored],
            environment={v.name: value for v, value in variables.items()},
            environment_effects={v.name: v.meaning for v in variables},
        )


class EditV1(Part):
    """An edit that replaces characters of a file or variable (offsets from 0)."""

    source: str
    start: int
    end: int
    replacement: str


class FixWithEditsV1(FixV1):
    """How to resolve a finding, and the edits that do so."""

    edits: list[EditV1]


class ConfigFindingV1(DescribedV1):
    """A finding, with the keys of `report/v1` and the edits of its fix."""

    fix: Optional[FixWithEditsV1]

    @classmethod
    def of(cls, f: Finding) -> ConfigFindingV1:
        """Returns the JSON object of a finding."""
        fields: dict[str, Any] = described(f)
        return cls(**{**fields, "fix": f.fix and from_attributes(FixWithEditsV1, f.fix)})


class ConfigCheckV1(Document):
    """Output of theanodiag config check: the findings about flags."""

    schema: Literal["theanodiag/config-check/v1"]
    dialect: str
    version: str
    files: list[ConfigFileV1]
    failure: Optional[str]
    """why the framework would fail to start"""
    findings: list[ConfigFindingV1]


class RewriteNoteV1(Part):
    """A remark about the rewritten text."""

    text: str
    line: Optional[int]
    column: Optional[int]


class EnvLineV1(Part):
    """An environment variable that replaces a flag; empty if the line is only a comment."""

    name: str
    value: str
    comment: str


class ConfigRewriteV1(Document):
    """Output of theanodiag config rewrite: an rc file or flags string, rewritten."""

    schema: Literal["theanodiag/config-rewrite/v1"]
    source: str
    to: str
    changed: bool
    after: str
    diff: str
    notes: list[RewriteNoteV1]
    env: list[EnvLineV1]


class OptionSettingV1(Part):
    """An option with its value and the origin of that value."""

    name: str
    value: Any
    origin: str


class SettingsV1(Document):
    """Output of --show-settings: the options in force, with the origin of each value."""

    schema: Literal["theanodiag/settings/v1"]
    configuration: Optional[str]
    """the configuration file"""
    settings: list[OptionSettingV1]
