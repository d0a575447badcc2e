"""TD2: names of flags: unknown, misplaced, removed."""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.defaults import advice
from ...flags.diagnose import ConfigSubject, Unread, WrittenEntry, finding, fix, other_separator, replace_span
from ...flags.migrate_entry import places, suggestion
from ...flags.model import Dialect, FlagKind
from ...flags.names import COMMENTED, fold, history, homes, nearest_ever, rc_flag
from ...flags.translations import special
from ..base import rule
from .examples import config


@rule(
    "TD210",
    "unknown-flag",
    fires=lambda: config("[global]\nflaotX = float32\n"),
    silent=lambda: config("[global]\nfloatx = float32\n"),
)
def unknown_flag(s: ConfigSubject) -> Iterator[Finding]:
    """TD210: a flag that no version has

    What it finds
        Finds names that no version of the library knows, and suggests the most similar flag. Examples are misspellings (`flaotX`), Python
        names (`theano.config.floatX`, `config.floatX`), and names with the default section (`global.floatX`).

    Why it matters
        In a file, an unknown option is silently ignored. In the flags variable, an unknown flag only causes a warning.

    Example
        With `flaotX = float32`, everything stays in float64.

    What to do
        Correct the name. `theanodiag config rewrite --unsafe` corrects the name if only one flag has a similar name.

    Limits
        The rule does not report options that other values use as `%(name)s`, or options that another program may read.
    """
    for w in s.unread(Unread.NAME):
        yield _finding(s, w)


def _finding(s: ConfigSubject, w: WrittenEntry) -> Finding:
    near = suggestion(w.name, s.table)
    message = f"{s.library} has no flag {w.shown}: ignored{', with a warning' if s.warned(w) else ' without a warning'}"
    old = nearest_ever(w.name) if near is None and not COMMENTED.search(w.name) else None
    if old:
        message = f"{message}; did you mean {old.dotted}, which this version does not have either?"
    if near is None:
        return finding("TD210", Severity.WARNING, w, message, fix("remove it, or correct the name"))
    here = w.section is None or rc_flag(s.table, w.section, near.option) is near
    edits = (replace_span(w.key_span, near.option if w.section is not None else near.name),) if here else ()
    return finding("TD210", Severity.WARNING, w, f"{message}; did you mean {near.name}?", fix(f"write {near.name}", *edits))


@rule(
    "TD211",
    "wrong-section",
    fires=lambda: config("[dnn]\nconv.algo_fwd = small\n"),
    silent=lambda: config("[dnn.conv]\nalgo_fwd = small\n"),
)
def wrong_section(s: ConfigSubject) -> Iterator[Finding]:
    """TD211: a flag in the wrong section

    What it finds
        Finds an option with the name of a flag, in a section to which that flag does not belong. A flag's section is the part of its name
        before the last dot.

    Why it matters
        The library silently ignores the option. 17 % of the public `.theanorc` files have such an option.

    Example
        `conv.algo_fwd = small` in `[dnn]` has no effect; `algo_fwd = small` in `[dnn.conv]` works.

    What to do
        Move the option to the section named in the message.

    Limits
        If several sections have an option of that name, the message lists all of them.
    """
    for w in s.unread(Unread.SECTION):
        flags = homes(s.table, w.name)
        code = f"[{flags[0].section}]\n{flags[0].option} = {w.value}" if len(flags) == 1 else None
        message = f"{w.shown} is in the wrong section and ignored: {s.library} reads {places(flags)}"
        yield finding("TD211", Severity.WARNING, w, message, fix(f"move it to {places(flags)}", code=code))


@rule(
    "TD212",
    "wrong-case",
    fires=lambda: config(flags="floatx=float32"),
    silent=lambda: config(flags="floatX=float32"),
)
def wrong_case(s: ConfigSubject) -> Iterator[Finding]:
    """TD212: a flag in the flags variable with wrong upper or lower case

    What it finds
        Finds a flag name in the flags variable with the wrong upper or lower case. Option names are case-insensitive in a file, but
        case-sensitive in the variable.

    Why it matters
        The library ignores the flag, and only prints a warning.

    Example
        `THEANO_FLAGS=floatx=float32`.

    What to do
        Spell the name as the library does: `floatX`.

    Limits
        None known.
    """
    names = {flag.name.lower(): flag.name for flag in s.table.flags}
    for w in s.unread(Unread.CASE):
        right = names[w.key.lower()]
        advice = fix(f"write {right}", replace_span(w.key_span, right))
        yield finding("TD212", Severity.WARNING, w, f"{w.key} is ignored: the flag is called {right}", advice)


@rule(
    "TD215",
    "wrong-separator",
    fires=lambda: config(flags="blas.ldflags=-lopenblas", to=Dialect.PYTENSOR),
    silent=lambda: config(flags="blas__ldflags=-lopenblas", to=Dialect.PYTENSOR),
)
def wrong_separator(s: ConfigSubject) -> Iterator[Finding]:
    """TD215: dots and underscores mixed up

    What it finds
        Finds a flag with a dot where the library expects `__`, or the other way round. In their flags variables Aesara and PyTensor expect
        `blas__ldflags`, and Theano expects `blas.ldflags`. In a file, all of these libraries expect the section `[blas]` with the option
        `ldflags`.

    Why it matters
        The library ignores the flag; in a file it does so without any warning.

    Example
        `PYTENSOR_FLAGS=blas.ldflags=-lopenblas`.

    What to do
        Write the name that the message shows.

    Limits
        None known.
    """
    for w in s.unread(Unread.SEPARATOR):
        flag = other_separator(s.table, w.key)
        assert flag is not None
        right = flag.name if w.section is None else f"[{flag.section}] {flag.option}"
        edits = (replace_span(w.key_span, flag.name),) if w.section is None else ()
        yield finding("TD215", Severity.WARNING, w, f"{w.key} is ignored: {s.library} wants {right} here", fix(f"write {right}", *edits))


@rule(
    "TD216",
    "removed-flag",
    fires=lambda: config("[global]\nint_division = int\n", to=Dialect.AESARA),
    silent=lambda: config("[global]\ncast_policy = custom\n", to=Dialect.AESARA),
)
def removed_flag(s: ConfigSubject) -> Iterator[Finding]:
    """TD216: a flag that this version does not have

    What it finds
        Finds flags that only older or newer releases have, and names their replacements.

    Why it matters
        The library ignores these flags: silently in a file, with a warning in the flags variable.

    Example
        `fastmath = True` in `[nvcc]` has no effect with Theano 1.0.

    What to do
        Remove the flag, or write its replacement. `theanodiag config rewrite` does both.

    Limits
        Other rules report devices, `lib.cnmem` and `nvcc.*`; this rule does not.
    """
    for w in s.unread(Unread.REMOVED):
        known, old = advice(w.name), history(fold(w.name))[-1]
        instead = f"; {known.successor} took its place" if known and known.successor else ""
        note = f" ({known.note})" if known and known.note else ""
        message = f"{s.library} has no flag {w.name}, which {old.dialect.value} {old.last} had: ignored{instead}{note}"
        advised = fix(f"write {known.successor}" if known and known.successor else "take it out")
        yield finding("TD216", Severity.WARNING, w, message, advised)


@rule(
    "TD217",
    "environment-variable",
    fires=lambda: config("[global]\nOMP_NUM_THREADS = 5\nopenmp = True\n"),
    silent=lambda: config("[global]\nopenmp = True\n", env=(("OMP_NUM_THREADS", "5"),)),
)
def environment_variable(s: ConfigSubject) -> Iterator[Finding]:
    """TD217: an environment variable written as a flag

    What it finds
        Finds names such as `OMP_NUM_THREADS` or `CUDA_ROOT` among the flags.

    Why it matters
        The library reads environment variables only from the environment, and ignores them among the flags.

    Example
        `[global]` with `OMP_NUM_THREADS = 5`.

    What to do
        Run `export OMP_NUM_THREADS=5` in the shell before Python starts.

    Limits
        The rule reports names that the library or its parts are known to read, and names that consist of capitals with an underscore.
    """
    for w in s.unread(Unread.ENVIRONMENT):
        shell = f"export {w.key}={w.value}"
        yield finding("TD217", Severity.WARNING, w, f"{w.key} is an environment variable: ignored here", fix(shell, code=shell))


@rule(
    "TD245",
    "retired-flag",
    fires=lambda: config("[dnn.conv]\nalgo_bwd = deterministic\n"),
    silent=lambda: config("[dnn.conv]\nalgo_bwd_data = deterministic\n"),
)
def retired_flag(s: ConfigSubject) -> Iterator[Finding]:
    """TD245: a flag that may not be set at all

    What it finds
        Finds `dnn.conv.workmem`, `dnn.conv.workmem_bwd`, `dnn.conv.algo_bwd` and `gpuarray.sync` with a value.

    Why it matters
        The library recognises these flags only to reject them, and does not start, even for `gpuarray.sync = False`.

    Example
        `[dnn.conv]` with `algo_bwd = small`.

    What to do
        Use `dnn.conv.algo_fwd`, or `algo_bwd_data` and `algo_bwd_filter`. Remove `gpuarray.sync`.

    Limits
        None known.
    """
    for w in s.effective():
        if w.flag and w.flag.kind is FlagKind.RETIRED and w.value:
            move = special(w.flag.dotted, w.value, s.table)
            code = ",".join(f"{n}={v}" for n, v in move.writes) if move else ""
            message = f"{w.flag.name} was removed: {s.library} will not start"
            yield finding("TD245", Severity.ERROR, w, message, fix(f"write {code}" if code else "take it out", code=code or None))
