"""How the tests of single rules look at findings: where they stand, what following the advice leaves, and whether the library starts."""

from __future__ import annotations

from theanodiag.findings import Finding, Fix
from theanodiag.flags.diagnose import ConfigSubject
from theanodiag.flags.model import Dialect
from theanodiag.flags.rcfile_text import apply_edits
from theanodiag.rules.config import CONFIG_RULES
from theanodiag.rules.config.examples import RC, config

AE, PT = Dialect.AESARA, Dialect.PYTENSOR
BY_CODE = {rule.code: rule for rule in CONFIG_RULES}
GPU = "device=cuda0,force_device=True,floatX=float32"
"""A variable of Theano 1.0 about which no rule has anything to say."""


def findings(code: str, subject: ConfigSubject) -> list[Finding]:
    """What one rule finds."""
    return list(BY_CODE[code].check(subject))


def spots(code: str, subject: ConfigSubject) -> list[str]:
    """Place, severity and confidence of each finding: `rc:1:1 error, derived`."""
    found = findings(code, subject)
    return [f"{f.location} {f.severity.name.lower()}, {f.confidence.name.lower()}".replace(RC, "rc") for f in found]


def message(code: str, subject: ConfigSubject) -> str:
    """The words of the one finding."""
    (found,) = findings(code, subject)
    return found.message


def advice(code: str, subject: ConfigSubject) -> Fix:
    """The advice of the one finding."""
    (found,) = findings(code, subject)
    assert found.fix
    return found.fix


def rebuilt(subject: ConfigSubject, rc: str | None, flags: str | None) -> ConfigSubject:
    """The same surroundings with other texts."""
    return config(rc, flags, subject.dialect, subject.table.version, subject.environ, subject.context)


def texts(subject: ConfigSubject) -> tuple[str | None, str | None]:
    """The texts of the file and of the variable."""
    return subject.documents[0].text if subject.documents else None, subject.variable.text if subject.variable else None


def mended(code: str, subject: ConfigSubject) -> ConfigSubject:
    """The subject after the edits of all findings of the rule; there is at least one."""
    edits = [e for f in findings(code, subject) if f.fix for e in f.fix.edits]
    assert edits
    rc, flags = texts(subject)
    new_rc = None if rc is None else apply_edits(rc, [e for e in edits if e.source == RC])
    new_flags = None if flags is None else apply_edits(flags, [e for e in edits if e.source != RC])
    return rebuilt(subject, new_rc, new_flags)


def pasted(code: str, subject: ConfigSubject) -> ConfigSubject:
    """The subject with the advised flags at the end of the variable, where they win."""
    advised = advice(code, subject).code
    assert advised
    rc, flags = texts(subject)
    return rebuilt(subject, rc, advised if flags is None else f"{flags},{advised}")


def starts(subject: ConfigSubject) -> bool:
    """Whether the library would start with it."""
    return subject.resolution.failure is None


def value(subject: ConfigSubject, dotted: str) -> object:
    """The value that a flag has in the end."""
    setting = subject.resolution.get(dotted)
    assert setting
    return setting.value
