"""TD2: the origin of flags: overridden, missing, meant for another library, or rejected as a whole."""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Confidence, Finding, Location, Severity
from ...flags.diagnose import ConfigSubject, MachineFacts, finding, fix
from ...flags.model import Dialect, FailureKind, FlagKind
from ...flags.values import accepts
from ..base import rule
from .examples import config


@rule(
    "TD228",
    "overridden",
    fires=lambda: config("[global]\nfloatX = float64\n", flags="floatX=float32"),
    silent=lambda: config("[global]\nfloatX = float32\n", flags="floatX=float32"),
)
def overridden(s: ConfigSubject) -> Iterator[Finding]:
    """TD228: a setting that another one overrides

    What it finds
        Finds settings that another setting overrides. The flags variable overrides the files, a later file overrides an earlier one, and
        within the variable the last setting takes effect.

    Why it matters
        Changing the overridden line has no effect.

    Example
        `THEANO_FLAGS=floatX=float32` overrides `floatX = float64` in the file.

    What to do
        Change the setting in effect, or remove the other one.

    Limits
        The rule reports a setting only if the two values differ, or if the overridden value would be rejected.
    """
    for w in s.written:
        winner = s.winner(w.flag.dotted) if w.flag else None
        if w.flag is None or winner is None or winner is w or w.value is None:
            continue
        if winner.value != w.value or not accepts(w.flag, s.interpolated(w)):
            message = f"{w.shown} = {w.value} has no effect: {winner.key_span} sets {winner.value}"
            yield finding("TD228", Severity.INFO, w, message, fix(f"change {winner.key_span} instead"))


@rule(
    "TD229",
    "missing-file",
    fires=lambda: config(context=MachineFacts(missing_files=("/home/user/theanorc",))),
    silent=lambda: config("[global]\ndevice = cpu\n"),
)
def missing_file(s: ConfigSubject) -> Iterator[Finding]:
    """TD229: an rc file that is not read

    What it finds
        Finds paths in THEANORC, AESARARC or PYTENSORRC that cannot be opened. Also finds files such as `~/.theanorc.txt` or `~/theanorc`,
        if there is no `~/.theanorc`.

    Why it matters
        The library silently skips these files, so none of their settings apply.

    Example
        The variable is set to `THEANORC=~/theanorc`, but the file is `~/.theanorc`.

    What to do
        Correct the path. The library reads a `.theanorc` in the working folder only if the variable names it:
        `THEANORC=~/.theanorc:.theanorc`.

    Limits
        The rule does not report default files that do not exist.
    """
    for path in s.context.missing_files:
        message = f"{path} cannot be opened: none of its settings take effect"
        where = Location(s.dialect.rc_variable, detail=path)
        yield Finding("TD229", Severity.WARNING, Confidence.DERIVED, message, where, fix("correct the path"))
    for path in s.context.misnamed_files:
        message = f"{s.library} does not read this name: it reads ~/.{s.dialect.value}rc"
        advice = fix(f"rename it to .{s.dialect.value}rc, or name it in {s.dialect.rc_variable}")
        yield Finding("TD229", Severity.WARNING, Confidence.DERIVED, message, Location(path), advice)


@rule(
    "TD230",
    "other-variable",
    fires=lambda: config(to=Dialect.PYTENSOR, env=(("THEANO_FLAGS", "floatX=float32"),)),
    silent=lambda: config(flags="floatX=float32"),
)
def other_variable(s: ConfigSubject) -> Iterator[Finding]:
    """TD230: the flags variable of another library is set

    What it finds
        Finds an environment variable of another library than the one whose flags are checked, such as THEANO_FLAGS or THEANORC with
        PyTensor.

    Why it matters
        Each library reads only its own variables. After a migration the old settings have no effect.

    Example
        `THEANO_FLAGS=floatX=float32` with PyTensor.

    What to do
        Run `theanodiag config rewrite --flags "$THEANO_FLAGS" --to pytensor`, which prints the new text.

    Limits
        The variable that the rule reports may be meant for another program.
    """
    flags = [(d.flags_variable, s.dialect.flags_variable) for d in Dialect if d is not s.dialect]
    for name, mine in (*flags, *((d.rc_variable, s.dialect.rc_variable) for d in Dialect if d is not s.dialect)):
        if s.env(name) and name not in s.context.translated:
            message = f"{s.library} does not read {name}: it reads {mine}"
            yield Finding("TD230", Severity.WARNING, Confidence.BOUNDED, message, Location(name), fix(f"set {mine}"))


OWN_RULE = (FailureKind.FLAGS_SYNTAX, FailureKind.RC_SYNTAX, FailureKind.RC_ENCODING, FailureKind.REMOVED)
"""Kinds of failures that other rules report more precisely."""


@rule(
    "TD271",
    "refused",
    fires=lambda: config(flags="tensor__local_elemwise_fusion=False", to=Dialect.AESARA),
    silent=lambda: config(flags="tensor.local_elemwise_fusion=False"),
)
def refused(s: ConfigSubject) -> Iterator[Finding]:
    """TD271: the library refuses to start for another reason

    What it finds
        Finds failures at import that no other rule explains: a folder for compiled code that cannot be created, or values that are valid
        individually but not together.

    Why it matters
        The library does not start, so nothing runs.

    Example
        `AESARA_FLAGS=tensor__local_elemwise_fusion=False` raises ImportError in Aesara 2.9.4.

    What to do
        Follow the message, which comes from the library itself.

    Limits
        The rule checks only the configuration, and does not detect a missing library or driver.
    """
    failure = s.resolution.failure
    if failure is None or failure.kind in OWN_RULE:
        return
    if failure.kind is FailureKind.INVALID_VALUE and (failure.flag is None or failure.flag.kind is not FlagKind.COMPILEDIR):
        return
    where = Location.of(failure.span) if failure.span else Location(s.dialect.flags_variable)
    message = f"{s.library} will not start: {failure.exception}: {failure.message}"
    yield Finding("TD271", Severity.ERROR, Confidence.DERIVED, message, where, fix("correct this first"))
