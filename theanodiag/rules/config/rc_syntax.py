"""TD2: syntax of rc files: encoding, sections, options, and lines that the parser reads differently than intended."""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, finding, fix, meant_in_default, replace_span
from ...flags.names import fold
from ...flags.rcfile import DEFAULT_SECTION
from ...flags.rcfile_text import FlawKind, LineKind, RcDocument, from_latin1, insert
from ...flags.values import assigned
from ..base import rule
from .examples import config


@rule(
    "TD201",
    "byte-order-mark",
    fires=lambda: config("\ufeff[global]\ndevice = cpu\n"),
    silent=lambda: config("[global]\ndevice = cpu\n"),
)
def byte_order_mark(s: ConfigSubject) -> Iterator[Finding]:
    """TD201: the file begins with a byte order mark

    What it finds
        Finds the bytes EF BB BF (a byte order mark) at the beginning of an rc file. Windows' Notepad writes these bytes.

    Why it matters
        The parser does not skip the byte order mark, so it finds no section header in the first line, and the library does not start.

    Example
        Notepad saved the `.theanorc` as "UTF-8 with BOM".

    What to do
        Save the file as UTF-8 without a byte order mark. `theanodiag config rewrite` removes it.

    Limits
        None known.
    """
    for flaw in s.flaws(FlawKind.BOM):
        advice = fix("save it as UTF-8 without a byte order mark", replace_span(flaw.span, ""), safe=True)
        yield finding("TD201", Severity.ERROR, flaw.span, f"a byte order mark: {s.library} will not start", advice)


@rule(
    "TD202",
    "not-utf8",
    fires=lambda: config("# f\udcfcr die GPU\n[global]\ndevice = cpu\n"),
    silent=lambda: config("# für die GPU\n[global]\ndevice = cpu\n"),
)
def not_utf8(s: ConfigSubject) -> Iterator[Finding]:
    """TD202: the file is not UTF-8

    What it finds
        Finds bytes in an rc file that are not UTF-8, in comments too.

    Why it matters
        Python 3 reads the file in the encoding of the locale, which is nowadays UTF-8. If the file is not UTF-8, the library does not start
        (UnicodeDecodeError). Python 2 accepted such bytes.

    Example
        The comment `# für die GPU` stands in a file saved as Latin-1.

    What to do
        Save the file as UTF-8, or use `theanodiag config rewrite`, which reads such bytes as Windows-1252.

    Limits
        In a Latin-1 locale the library reads the file without an error.
    """
    for flaw in s.flaws(FlawKind.NOT_UTF8):
        text = from_latin1(flaw.span.text[flaw.span.start : flaw.span.end])
        advice = fix(f"save it as UTF-8 ({text!r} in Windows-1252)", replace_span(flaw.span, text), safe=True)
        yield finding("TD202", Severity.ERROR, flaw.span, f"this is not UTF-8: {s.library} will not start", advice)


@rule(
    "TD203",
    "no-section-header",
    fires=lambda: config("floatX = float32\n"),
    silent=lambda: config("# settings\n[global]\nfloatX = float32\n"),
)
def no_section_header(s: ConfigSubject) -> Iterator[Finding]:
    """TD203: an option stands before the first section

    What it finds
        Finds options that stand before the first `[section]` line of an rc file.

    Why it matters
        The parser rejects the whole file (MissingSectionHeaderError), and the library does not start.

    Example
        The first line of the file is `floatX = float32`.

    What to do
        Write `[global]` above the options. The section `[global]` holds the flags without a dot in their name.

    Limits
        None known.
    """
    for document in s.documents:
        for flaw in [f for f in document.flaws if f.kind is FlawKind.NO_HEADER][:1]:
            advice = fix("write [global] above it", insert(document, flaw.span.start, f"[global]{document.newline}"), safe=True)
            yield finding("TD203", Severity.ERROR, flaw.span, f"no [section] above this line: {s.library} will not start", advice)


@rule(
    "TD204",
    "junk-line",
    fires=lambda: config("[global]\n// use the GPU\ndevice = cuda0\nforce_device = True\n"),
    silent=lambda: config("[global]\n# use the GPU\ndevice = cpu\n"),
)
def junk_line(s: ConfigSubject) -> Iterator[Finding]:
    """TD204: a line that the parser rejects

    What it finds
        Finds lines that are neither a `[section]`, an `option = value`, a comment, nor the continuation of a value.

    Why it matters
        The parser rejects the whole file (ParsingError), and the library does not start.

    Example
        The parser rejects `// use the GPU`, because comments begin with `#` or `;`.

    What to do
        Make the line a comment, or give the option a value.

    Limits
        A line with a wrong comment sign and a `=` or `:` creates an unknown option instead: see TD210.
    """
    for flaw in s.flaws(FlawKind.JUNK):
        text = flaw.span.text[flaw.span.start : flaw.span.end]
        meant = assigned(s.table, text)
        title = f"write {meant.replace('=', ' = ')}, or make it a comment" if meant else "make it a comment"
        advice = fix(title, replace_span(flaw.span, f"# {text}"), safe=True)
        yield finding("TD204", Severity.ERROR, flaw.span, f"neither an option nor a comment: {s.library} will not start", advice)


@rule(
    "TD205",
    "duplicate-section",
    fires=lambda: config("[blas]\nldflags =\n[global]\ndevice = cpu\n[blas]\ncheck_openmp = False\n"),
    silent=lambda: config("[blas]\nldflags =\n[global]\ndevice = cpu\n"),
)
def duplicate_section(s: ConfigSubject) -> Iterator[Finding]:
    """TD205: a section appears twice

    What it finds
        Finds a second `[section]` of the same name.

    Why it matters
        Python 3 rejects the file (DuplicateSectionError). Python 2 merged both sections, so old files contain such headers.

    Example
        The file has `[nvcc]` with `fastmath` at the top, and again `[nvcc]` with `flags` at the end.

    What to do
        Put all options below the first header, or let `theanodiag config rewrite` do this.

    Limits
        None known.
    """
    for flaw in s.flaws(FlawKind.DUPLICATE_SECTION):
        line = flaw.first.line if flaw.first else 0
        name = flaw.span.text[flaw.span.start : flaw.span.end]
        message = f"{name} was in line {line} already: {s.library} will not start under Python 3"
        yield finding("TD205", Severity.ERROR, flaw.span, message, fix(f"move the options below line {line}"))


@rule(
    "TD206",
    "duplicate-option",
    fires=lambda: config("[global]\ndevice = cpu\nDevice = cuda\n"),
    silent=lambda: config("[global]\ndevice = cpu\n[blas]\nldflags =\n"),
)
def duplicate_option(s: ConfigSubject) -> Iterator[Finding]:
    """TD206: an option appears twice in its section

    What it finds
        Finds a second `option =` of the same name in one section of a file. Upper and lower case make no difference.

    Why it matters
        Python 3 rejects the file (DuplicateOptionError). In Python 2 the last option took effect.

    Example
        `optimizer_including = cudnn` appears twice in `[global]`.

    What to do
        Keep the option whose value you want. `theanodiag config rewrite` keeps the last one and turns the others into comments.

    Limits
        None known.
    """
    for flaw in s.flaws(FlawKind.DUPLICATE_OPTION):
        line = flaw.first.line if flaw.first else 0
        message = f"this option was in line {line} already: {s.library} will not start under Python 3"
        yield finding("TD206", Severity.ERROR, flaw.span, message, fix("keep one of them; Python 2 used the last one"))


@rule(
    "TD207",
    "open-quote",
    fires=lambda: config(flags="device=cpu,cxx='/usr/bin/g++"),
    silent=lambda: config(flags="device=cpu,cxx='/usr/bin/g++'"),
)
def open_quote(s: ConfigSubject) -> Iterator[Finding]:
    r"""TD207: a quote in the flags variable has no end

    What it finds
        Finds a `'` or `"` without a closing quote in the flags variable, or a backslash at the end of the variable.

    Why it matters
        The library cannot split the variable into flags (ValueError: No closing quotation), and does not start.

    Example
        `THEANO_FLAGS="optimizer_excluding=conv_dnn,\"$THEANO_FLAGS"`.

    What to do
        Close the quote or remove it. A flag needs quotes only around a comma.

    Limits
        None known.
    """
    place = s.variable.open_quote if s.variable else None
    if place:
        advice = fix("close it, or remove it")
        yield finding("TD207", Severity.ERROR, place, f"this quote is not closed: {s.library} will not start", advice)


@rule(
    "TD208",
    "option-as-header",
    fires=lambda: config("[global]\ndevice = cpu\n\n[mode]=FAST_RUN\n"),
    silent=lambda: config("[global]\ndevice = cpu\nmode = FAST_RUN\n"),
)
def option_as_header(s: ConfigSubject) -> Iterator[Finding]:
    """TD208: an option written as a section

    What it finds
        Finds lines such as `[name]=value`. The parser reads a line of this form as a section header and ignores the value.

    Why it matters
        The value is silently ignored, and the options below the line end up in a section that contains no flags.

    Example
        `[mode]=FAST_RUN`.

    What to do
        Write `mode = FAST_RUN` in `[global]`.

    Limits
        If `name` is a section that the library knows, the line is not reported.
    """
    known = {flag.section for flag in s.table.flags}
    for document in s.documents:
        for header in document.sections:
            tail = header.tail.lstrip()
            if tail.startswith(("=", ":")) and header.name not in known:
                line = f"{header.name} = {tail[1:].strip()}"
                message = f"[{header.name}]{header.tail.rstrip()} is an empty section: its value is ignored"
                yield finding("TD208", Severity.WARNING, header.span, message, fix(f"write {line} in [global]", code=line))


@rule(
    "TD209",
    "swallowed-line",
    fires=lambda: config("[global]\ndevice = cpu\n    floatX = float32\n"),
    silent=lambda: config("[global]\n  device = cpu\n  floatX = float32\n"),
)
def swallowed_line(s: ConfigSubject) -> Iterator[Finding]:
    """TD209: an indented option is part of the value above it

    What it finds
        Finds an option that is indented deeper than the option above it. The parser takes an indented option as a continuation of the value
        above.

    Why it matters
        The indented option has no effect, and the value above it gets an extra line.

    Example
        An indented `floatX = float32` follows the line `device = cpu`.

    What to do
        Give all options of a section the same indentation.

    Limits
        A value, such as compiler flags, may legitimately have several lines. The rule reports a line only if it begins with the name of a
        flag.
    """
    names = {flag.option.lower() for flag in s.table.flags} | {fold(flag.dotted) for flag in s.table.flags}
    for document in s.documents:
        for start, end, name in _swallowed(document):
            if name.lower() in names:
                message = f"{name} is indented deeper than the option above it: it is part of that value"
                yield finding("TD209", Severity.ERROR, document.span(start, end), message, fix("remove the blanks before it"))


def _swallowed(document: RcDocument) -> Iterator[tuple[int, int, str]]:
    for line in document.lines:
        content = document.text[line.start : line.end]
        name, equals, _ = content.partition("=")
        if line.kind is LineKind.CONTINUATION and equals:
            yield line.end - len(content.lstrip()), line.end, name.strip()


@rule(
    "TD213",
    "blank-before-equals",
    fires=lambda: config(flags="floatX = float32"),
    silent=lambda: config(flags="floatX=float32, device=cpu"),
)
def blank_before_equals(s: ConfigSubject) -> Iterator[Finding]:
    """TD213: a blank around the `=` of a flag

    What it finds
        Finds `name = value` in the flags variable. The blank becomes part of the name or of the value.

    Why it matters
        With a blank before the `=`, the flag `"floatX "` is unknown, so the library ignores it with a warning. With a blank after the `=`,
        the library rejects the value `" float32"`.

    Example
        `THEANO_FLAGS="floatX = float32"`.

    What to do
        Write `floatX=float32`. Spaces after a comma are harmless.

    Limits
        None known.
    """
    for w in s.written:
        if w.section is None and w.value is not None and (w.key != w.key.strip() or w.value != w.value.strip()):
            right = f"{w.key.strip()}={w.value.strip()}"
            message = f"the blanks around the = belong to the {'name' if w.key != w.key.strip() else 'value'}: the flag is lost or refused"
            yield finding("TD213", Severity.ERROR, w, message, fix(f"write {right}", replace_span(w.span, right)))


@rule(
    "TD214",
    "no-value",
    fires=lambda: config(flags="floatX=float32,profile"),
    silent=lambda: config(flags="floatX=float32,profile=True"),
)
def no_value(s: ConfigSubject) -> Iterator[Finding]:
    """TD214: a flag without a value

    What it finds
        Finds a word between the commas of the flags variable that has no `=`.

    Why it matters
        The library ignores the word, with a warning.

    Example
        `THEANO_FLAGS=floatX=float32,profile`.

    What to do
        Give the flag a value: `profile=True`.

    Limits
        None known.
    """
    for w in (w for w in s.written if w.value is None):
        meant = assigned(s.table, w.key)
        advice = fix(f"write {meant}, or remove it" if meant else "remove it")
        yield finding("TD214", Severity.WARNING, w, f"{w.key} has no value: it is ignored", advice)


@rule(
    "TD218",
    "default-section",
    fires=lambda: config("[DEFAULT]\nfloatX = float32\n"),
    silent=lambda: config("[DEFAULT]\nbase = /scratch\n[global]\nbase_compiledir = %(base)s/theano\n"),
)
def default_section(s: ConfigSubject) -> Iterator[Finding]:
    """TD218: an option in [DEFAULT]

    What it finds
        Finds flags in the section `[DEFAULT]`.

    Why it matters
        An option in `[DEFAULT]` is a default for all sections that the file contains, and for no others. Without a `[global]` section it
        has no effect on flags without a dot in their name, such as `floatX`.

    Example
        The file has `floatX = float32` in `[DEFAULT]`, and no other section.

    What to do
        Write `[global]` instead of `[DEFAULT]`.

    Limits
        Helper values for `%(name)s` belong in `[DEFAULT]` and are not reported.
    """
    for w in s.written:
        flag = (w.flag or meant_in_default(s.table, w.key)) if w.section == DEFAULT_SECTION else None
        if flag:
            effect = f"sets {flag.name} by way of [{flag.section}]" if w.flag else "has no effect: the file has no such section"
            yield finding("TD218", Severity.WARNING, w, f"[DEFAULT] {w.key} {effect}", fix(f"write it in [{flag.section}]"))
