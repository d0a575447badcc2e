"""TD2: values of flags: invalid, quoted, truncated, not expanded."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, finding, fix, replace_span
from ...flags.model import Dialect, FlagKind
from ...flags.rcfile_text import names_in
from ...flags.values import accepts, correction, is_text, split_comment, unquoted, valid_values
from ..base import rule
from .examples import config


@rule(
    "TD220",
    "invalid-value",
    fires=lambda: config("[global]\nallow_gc = yes\n"),
    silent=lambda: config("[global]\nallow_gc = true\n"),
)
def invalid_value(s: ConfigSubject) -> Iterator[Finding]:
    """TD220: a value that the flag does not take

    What it finds
        Finds values that the flag does not accept, and lists those that it does accept. Spelling matters: `yes` and `TRUE` are not
        booleans, and an empty text is not a number.

    Why it matters
        The library refuses to start, and its message names only the first flag with such a value.

    Example
        `allow_gc = yes`.

    What to do
        Write one of the values in the message.

    Limits
        Other rules report old GPU devices, retired flags, quotes and inline comments.
    """
    for w in s.effective():
        text = s.interpolated(w)
        if w.flag is None or accepts(w.flag, text) or w.flag.kind in (FlagKind.RETIRED, FlagKind.DEVICE):
            continue
        # Blanks and semicolons of the variable: TD213 and TD223; quotes: TD221.
        if (w.section is None and (text.strip() != text or "=" in text.partition(";")[2])) or accepts(w.flag, unquoted(text)):
            continue
        if split_comment(text)[1] and accepts(w.flag, split_comment(text)[0]):
            continue
        better = correction(w.flag, text)
        advice = fix(f"write {better}", replace_span(w.value_span, better), safe=True) if better else fix("write one of these")
        message = f"{w.flag.name} takes {valid_values(w.flag)}, not {text!r}: {s.library} will not start"
        yield finding("TD220", Severity.ERROR, w, message, advice)


@rule(
    "TD221",
    "quoted-value",
    fires=lambda: config("[global]\nwarn_float64 = 'raise'\n"),
    silent=lambda: config(flags="warn_float64='raise'"),
)
def quoted_value(s: ConfigSubject) -> Iterator[Finding]:
    """TD221: quotes around a value in a file

    What it finds
        Finds values of an rc file in quotes. The library removes quotes in the flags variable, but keeps them in a file.

    Why it matters
        The quotes are part of the value. The library rejects a quoted choice or number, and a quoted path or list of optimizations matches
        nothing.

    Example
        `optimizer_including = "cudnn"`.

    What to do
        Remove the quotes.

    Limits
        None known.
    """
    for w in s.written:
        if w.section is None or w.flag is None or w.value is None or unquoted(w.value) == w.value:
            continue
        text = is_text(w.flag)
        effect = "they are part of the value" if text else f"{s.library} will not start"
        advice = fix(f"write {unquoted(w.value)}", replace_span(w.value_span, unquoted(w.value)), safe=not text)
        yield finding("TD221", Severity.WARNING if text else Severity.ERROR, w, f"quotes round the value of {w.key}: {effect}", advice)


@rule(
    "TD222",
    "inline-comment",
    fires=lambda: config("[global]\nallow_gc = True  # the default\n"),
    silent=lambda: config("[global]\n# the default\nallow_gc = True\n"),
)
def inline_comment(s: ConfigSubject) -> Iterator[Finding]:
    """TD222: a comment after a value

    What it finds
        Finds `#` or `;` after a blank in a value of an rc file. Comments need a line of their own.

    Why it matters
        The comment becomes part of the value. The library rejects a number or choice with a comment, and the compiler rejects the words of
        a comment in its flags.

    Example
        In `device = cpu  # no GPU here` the comment becomes part of the value.

    What to do
        Put the comment on the line above, or let `theanodiag config rewrite` do this.

    Limits
        None known.
    """
    for w in s.written:
        comment = split_comment(w.value)[1] if w.value and w.section is not None and w.flag else ""
        if w.flag is None or not comment or "\n" in (w.value or ""):
            continue
        text = is_text(w.flag)
        effect = "it is part of the value" if text else f"{s.library} will not start"
        message = f"{comment.split()[0]!r} begins no comment here: {effect}"
        yield finding("TD222", Severity.WARNING if text else Severity.ERROR, w, message, fix("put the comment on a separate line"))


@rule(
    "TD223",
    "semicolon",
    fires=lambda: config(flags="floatX=float32;device=cpu"),
    silent=lambda: config(flags="floatX=float32,contexts=a->cuda0;b->cuda1"),
)
def semicolon(s: ConfigSubject) -> Iterator[Finding]:
    """TD223: a semicolon between flags

    What it finds
        Finds `;` in the flags variable where a comma was meant.

    Why it matters
        Everything after the semicolon becomes part of the previous value, which the library rejects.

    Example
        `THEANO_FLAGS="floatX=float32;device=cuda"`.

    What to do
        Separate flags by commas.

    Limits
        The rule does not report the flag `contexts`, in which semicolons are the right separator.
    """
    for w in s.written:
        if w.section is None and w.key != "contexts" and w.value and ";" in w.value and "=" in w.value.partition(";")[2]:
            right = w.span.text[w.span.start : w.span.end].replace(";", ",")
            message = "flags are separated by commas: everything after the ; is part of this value"
            yield finding("TD223", Severity.ERROR, w, message, fix(f"write {right}", replace_span(w.span, right)))


@rule(
    "TD224",
    "hash-in-variable",
    fires=lambda: config(flags="compiledir=/tmp/run#1,floatX=float32"),
    silent=lambda: config(flags="compiledir='/tmp/run#1',floatX=float32"),
)
def hash_in_variable(s: ConfigSubject) -> Iterator[Finding]:
    """TD224: a # in the flags variable

    What it finds
        Finds a `#` outside of quotes in the flags variable.

    Why it matters
        The `#` begins a comment, so all flags after it are silently lost.

    Example
        `THEANO_FLAGS="compiledir=/tmp/run#1,floatX=float32"` does not set floatX.

    What to do
        Quote the value, or remove the `#`.

    Limits
        None known.
    """
    for place in s.variable.comments if s.variable else ():
        message = "# begins a comment here: the rest is not read"
        yield finding("TD224", Severity.WARNING, place, message, fix("put the value in single quotes"))


@rule(
    "TD225",
    "lost-backslash",
    fires=lambda: config(flags="cxx=C:\\mingw\\bin\\g++.exe"),
    silent=lambda: config(flags="cxx='C:\\mingw\\bin\\g++.exe'"),
)
def lost_backslash(s: ConfigSubject) -> Iterator[Finding]:
    r"""TD225: a backslash that is removed

    What it finds
        Finds backslashes in the flags variable that are not in single quotes, as in Windows paths.

    Why it matters
        The library removes these backslashes when it splits the variable into words: `C:\tools\g++` becomes `C:toolsg++`.

    Example
        `THEANO_FLAGS=cxx=C:\mingw\bin\g++.exe`.

    What to do
        Write slashes, or put the value in single quotes. Backslashes in an rc file are kept.

    Limits
        A backslash before a quote or another backslash is considered an escape and is not reported.
    """
    for place in s.variable.backslashes if s.variable else ():
        if place.text[place.end : place.end + 1] not in ("'", '"', "\\", ",", "#"):
            advice = fix("write / instead, or single quotes around the value")
            yield finding("TD225", Severity.WARNING, place, "this backslash is removed", advice)
            return


DOLLAR = re.compile(r"\$(\w+|\{\w+\})")


@rule(
    "TD226",
    "unexpanded-path",
    fires=lambda: config("[cuda]\nroot = $HOME/cuda\n"),
    silent=lambda: config("[global]\nbase_compiledir = ~/.theano-fast\n"),
)
def unexpanded_path(s: ConfigSubject) -> Iterator[Finding]:
    """TD226: ~ or $HOME that is not expanded

    What it finds
        Finds `$NAME` in any flag, and a leading `~` in flags that are plain text, such as `cuda.root` or `dnn.include_path`.

    Why it matters
        The library expands neither `$NAME` nor such a `~`, and searches for a folder of exactly that name. A leading `~` works only in the
        compiledir flags.

    Example
        `[cuda]` with `root = $CUDA_HOME`.

    What to do
        Write the whole path. In a file, `%(USER)s` and `%(TMPDIR)s` work.

    Limits
        In the flags variable, the rule finds only names that the shell did not expand because they were quoted.
    """
    for w in s.written:
        if w.flag is None or not w.value or w.flag.kind not in (FlagKind.STR, FlagKind.PATH, FlagKind.COMPILEDIR, FlagKind.ANY):
            continue
        dollar = DOLLAR.search(w.value)
        tilde = w.value.startswith("~") and w.flag.kind is FlagKind.STR
        if dollar or tilde:
            what = dollar[0] if dollar else "~"
            message = f"{what} is not expanded: {s.library} uses it literally"
            yield finding("TD226", Severity.WARNING, w, message, fix("write the whole path"))


@rule(
    "TD227",
    "raw-percent",
    fires=lambda: config("[global]\nbase_compiledir = /tmp/%(HOSTNAME)s\n"),
    silent=lambda: config("[global]\nbase_compiledir = /tmp/%(USER)s\n"),
)
def raw_percent(s: ConfigSubject) -> Iterator[Finding]:
    """TD227: a %(name)s that is not replaced, because its name is unknown

    What it finds
        Finds values of an rc file with a `%(name)s` whose name is unknown.

    Why it matters
        The value is used literally, including the percent signs. In a path, the library creates or searches for a folder whose name
        contains the text `%(HOSTNAME)s`.

    Example
        `base_compiledir = /tmp/%(HOSTNAME)s`.

    What to do
        Use a known name. The names USER, LSCRATCH, TMPDIR, TEMP, TMP and PID, the options of the section, and the options of `[DEFAULT]`
        are known.

    Limits
        A `%` alone is harmless and not reported. The rule does not check `compiledir_format`, which has its own names.
    """
    for w in s.written:
        if w.flag is None or w.section is None or not w.value or w.flag.name == "compiledir_format":
            continue
        name = next(names_in(w.value), None)
        if name is not None and s.interpolated(w) == w.value:
            message = f"%({name})s has no definition: the text is kept literally"
            yield finding("TD227", Severity.WARNING, w, message, fix("use %(USER)s or %(TMPDIR)s, or write the path"))


@rule(
    "TD272",
    "ldflags-token",
    fires=lambda: config("[blas]\nldflags = -L/opt/my libs -lopenblas\n"),
    silent=lambda: config("[blas]\nldflags = -L/opt/libs '-lopenblas' -fopenmp\n"),
)
def ldflags_token(s: ConfigSubject) -> Iterator[Finding]:
    r"""TD272: blas.ldflags has a word that is not an option

    What it finds
        Finds words of `blas.ldflags` that the libraries reject: those that do not begin with `-`, and `-I`. PyTensor also accepts the path
        of an existing file, shell-style quotes, and the name after `-framework`.

    Why it matters
        The library splits the text at blanks, and each word must be an option such as `-L/usr/lib` or `-lopenblas`. If a path contains a
        blank or has no `-L`, or if the value repeats `ldflags =`, every function that uses BLAS fails with `ValueError: invalid token`.

    Example
        `ldflags = -LC:\Program Files\OpenBLAS -lopenblas`.

    What to do
        Write `-L` before folders and `-l` before libraries. If a folder's name contains a blank, create a link to the folder whose name
        does not.

    Limits
        The rule does not check whether a library or file exists. Other rules report comments and quotes.
    """
    w = s.winner("blas.ldflags")
    if w is None:
        return
    text = s.interpolated(w)
    if w.section is not None and (split_comment(text)[1] or unquoted(text) != text):  # TD222, TD221
        return
    words = shell_words(text) if s.dialect is Dialect.PYTENSOR else text.split()
    word = next((word for word in words if not is_option(unquoted(word))), None)
    if word is not None:
        message = f"{word!r} in blas.ldflags is not a linker option: {s.library} refuses it where BLAS is used (invalid token)"
        yield finding("TD272", Severity.ERROR, w, message, fix("write -L before folders and -l before libraries, without blanks in them"))


def shell_words(text: str) -> list[str]:
    """Returns the words of PyTensor's `blas__ldflags` that must be options (PyTensor 2.34 to 3.3, tensor/blas, ldflags); paths and
    framework names are excluded.
    """
    try:
        words = shlex.split(text)
    except ValueError:
        return text.split()  # a quote without an end is refused too
    named = {at + 1 for at, word in enumerate(words) if word == "-framework"}
    return [word for at, word in enumerate(words) if at not in named and (word.startswith("-") or "/" not in word)]


def is_option(word: str) -> bool:
    """Returns whether the library accepts `word` as a linker option (Theano 1.0.5, Aesara 2.9.4 and PyTensor 3.0.7, tensor/blas.py,
    _ldflags).
    """
    return len(word) > 2 and word.startswith("-") and word[1] != "I"
