"""Finds the failure in a log and explains it: events, the root event, its cause, the failed request, and what to do."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from .. import files
from . import classification, context, patterns, unknown_errors
from .causes import judged, why
from .ended_messages import JOB
from .frames import frames, place, raising_package
from .host_messages import NO_PROGRAM
from .matching import WARNING, WINDOW, Event, line_end, line_starts, messages
from .model import Cause, Consequence, Diagnosis, FailedRequest, LoggedMemory, Template, Weight
from .remedies import advice, command, raised_in
from .request import failed_request, plausible
from .root_failures import roots
from .statements import (
    ERROR,
    FRAMES,
    HEAD,
    Statement,
    chain,
    exceptions,
    frames_before,
    is_header,
    line_start,
    linked,
    without_ignored,
    words,
)
from .wrapping import line_at, unwrapped, with_message_below

# Distinguishes a document that quotes an error message (a manual, an article) from the log of a failed job.

_HEADING = re.compile(r"^(?:#{1,6} [A-Z\[]|(?:={4,}|-{4,})\s*$)", re.MULTILINE)
_MARKUP = re.compile(r"\]\([^()\s]{1,300}\)|^\|.{0,400}\|\s*$|^:?\w{1,20}:`|^\.\. \w+::|\*\*\w[^*\n]{0,200}\*\*", re.MULTILINE)
_SENTENCE = re.compile(
    r"^[-*>#|\s\d.]{0,8}[\"'`(*_\[]{0,3}[A-Za-z][\w'’/-]*[,;:]?(?: [\[(\"'`*_]{0,3}[\w'’/%.<>=$~-]+[\])\"'`*_]{0,3}[,;:.!?]{0,2}){5,}"
)
_PRINTED = re.compile(
    r"Traceback \(most recent call last\)|^[ \t]*File \"?[^\n]{1,300}, line \d|Apply node that caused|Storage map footprint|Epoch \d|"
    r"^(?:\S{1,20} )?\d{4}-\d\d-\d\d[ T]\d\d:\d\d|^\w{3} +\d\d? \d\d:\d\d:\d\d |^[A-Z]\d{4} \d\d:\d\d:\d\d|^\[[^\n\]]{0,30}\d:\d\d|"
    r"^[A-Z]\w+Error: |^Using |^WARNING|^INFO|^ERROR",
    re.MULTILINE,
)
LONGEST = 200_000
"""A text with more characters is not considered a document."""


def is_document(text: str) -> bool:
    """Returns whether a text is a document and not a log.

    A document has at least two headings and two other pieces of markup, a quarter of its lines are sentences, or half of them sentences,
    headings and markup, and it has nothing that programs print around an error: a traceback, a time, a node, a start message, a line that
    begins with the name of an exception.
    """
    if len(text) > LONGEST or _PRINTED.search(text) or len(_HEADING.findall(text)) < 2 or len(_MARKUP.findall(text)) < 2:
        return False
    lines = [line for line in text.splitlines() if line.strip()]
    sentences = sum(1 for line in lines if _SENTENCE.match(line))
    written = sum(1 for line in lines if _SENTENCE.match(line) or _HEADING.match(line) or _MARKUP.search(line))
    return 4 * sentences >= len(lines) or 2 * written >= len(lines)


_FOLLOWS_LOSS = re.compile(
    r"(?:EOF|BrokenPipe|Connection\w{0,10}|OS|IO|Runtime|ParallelSampling|DeadKernel|TerminatedWorker|RemoteTraceback)Error|Interrupt|Exit"
)
"""Errors that follow when a process is lost."""
_TRACEBACK = (
    HEAD, "Segmentation fault", "core dumped", "Aborted", *unknown_errors.REPORT, "out of memory",
)  # fmt: skip
_NUMBERED = re.compile(r"[ \t>|\]]|-+> ?\d|\d{1,6} ")
"""A line of source below the line of a frame."""
_PROGRAM = re.compile(
    r"(?:^|[:\]] |\w (?=[Ee]rror \d))(?:[Ee]rror(?: \d{1,9})?|ERROR|[Ff]atal(?: error)?|FATAL): (?=[^\W\d])(?!nan\b|inf\b)|"
    r"^make(?:\[\d+\])?: \*\*\* |^(?:\[\d+\] )?\"?Error in [^\n]{1,200}? ?:|\b[Ee]xception: (?=[\"'(]|[^\W\d])",
    re.MULTILINE,
)
"""An error of a program that is not Python; what follows is no number, since jobs print errors of models so."""
_FAILURE = (
    "error", "fail", "fatal", "abort", "cannot", "can't", "could not", "unable", "exception", "exhausted", "out of memory", "insufficient",
    "killed", "restarting", "signal", "exit", "exceeded", "crashed", "terminat", "violation",
)  # fmt: skip
"""Words with which a program may say that it failed."""
LAST_LINES = 40
"""Number of last lines containing such a word that are examined."""
WORKING = 2
"""Number of lines without a warning after an optional part's warning, from which the job is assumed to have continued."""
AFTER = 40
"""Number of lines examined after a warning."""
_DISPENSABLE = (Cause.COMPILER, Cause.BLAS, Cause.GPU_NOT_STARTED, Cause.CUDNN_UNAVAILABLE, Cause.COMPILE_LOCK)
"""Resources that a job can do without or wait for."""
_NOT_FOUND = re.compile(r"(?i)\b(?:exit|status|code|error)\w*\D{0,12}\b127\b")
"""The status with which a shell ends where the last command was not found."""
_NO_PERFORM = "No Python implementation is provided by this"
_PYTHON_MODE = re.compile(r"FAST_COMPILE|DebugMode|DEBUG_MODE|linker ?= ?['\"]?(?:py|vm)|c_thunks ?= ?False")
"""What asks for Python instead of C: an Op that has C code only then fails even where there is a compiler."""
_NO_FAILURE = ("this is not a failure", "by rematerialization; only reduced to")
"""Messages of TensorFlow and XLA when they continue, or try to, with less memory."""
_FATAL = re.compile(r"^(?:\S{1,30} ){0,2}F(?:\d{4} [\d:.]{8,18} {1,8}\d{1,9})? [\w./-]{1,200}:\d{1,6}\] \S", re.MULTILINE)
"""The line with which XLA or TensorFlow ends its process (absl's and glog's level F)."""
_UNKNOWN = Template("", "", Cause.NOT_RECOGNISED, "")
_NOTHING = unknown_errors.Read(Cause.NOT_RECOGNISED, FailedRequest())
_PROGRESS = re.compile(
    r"^(?![\s>|-]|File )(?=[^\n]{0,300}\d)[^\n]{0,100}?(?:\b(?:[Ee]poch|EPOCH|[Ii]ter(?:ation)?s?|[Ss]tep|[Dd]raws?)\b|\d%\||\d/\d+ \[)",
    re.MULTILINE,
)
"""A line in which a job says how far it is."""
_OF_PROCESS = re.compile(rf"(?:{JOB}|[^\n]{{0,200}}\b(?:tasks?|rank|[Pp][Ii][Dd]|[Pp]rocess|[Ww]orker|exit ?code)\b)", re.MULTILINE)
"""A line in which a shell, Slurm or MPI names the process that ended: others continue."""
REST = 200_000
"""Number of characters after an error in which such lines are searched."""
SHOWN = 3
"""Maximum number of consequences reported."""


def explain_log(text: str, lines_before: int = 0) -> Diagnosis | None:
    """Diagnose the job that wrote this log.

    Args:
        text: The log, or its end.
        lines_before: Number of lines of the log before `text`, so that line numbers are right.

    Returns:
        The diagnosis; None if the log contains no error. If the error has no known form, the cause is `NOT_RECOGNISED`.

    Raises:
        UsageError: `text` is the name of a file instead of its text.
    """
    files.require_text(text, "log")
    read, moved = with_message_below(unwrapped(text))
    left, ignored = without_ignored(read)
    diagnosis = _diagnosed(text, left, lines_before)
    if diagnosis is not None and moved and diagnosis.line > line_at(read, len(read)) - 2 + lines_before:
        return replace(diagnosis, line=moved + lines_before)
    return _survived(read, ignored, lines_before) if diagnosis is None and ignored >= 0 else diagnosis


def _diagnosed(printed: str, text: str, lines_before: int) -> Diagnosis | None:
    """The diagnosis of a log, given as printed and as read; None if it contains no error."""
    stated = exceptions(text)
    events = _with_classes(text, stated, sorted(messages(text), key=lambda event: event.at))
    left = roots(events)
    root = _root(left)
    explained = {event.at for event in events} - {event.at for event in left}
    if root is None or (root.weight is Weight.NOTE and _other_error_follows(text, root, explained)):
        return _from_words_alone(text, stated, lines_before)
    ended = bool(stated) and line_start(text, stated[-1].at) in explained
    if root.weight is Weight.NOTE and not ended and (optional := _names_optional_part(text, root)) is not None:
        end = line_end(text, root.at)
        rest = text[end:]
        after = _from_words_alone(rest, exceptions(rest), lines_before + line_at(text, end) - 1)
        started = root.cause is not Cause.GPU_NOT_STARTED or _cut(rest) < 0 or not patterns.STARTS_GPU.search(rest)
        if started and (after is not None or _says_it_continues(text[root.at : end]) or (optional and _output_follows(rest, root.cause))):
            return after
    if root.cause is Cause.REWRITE_FAILED and "constant_folding" in root.match.string and (cut := _cut(text)) > root.at:
        return _from_words(text, Statement(cut, "", words(text, cut)), _NOTHING, lines_before)  # what it failed with comes after this
    if is_document(text):
        return _quoted(text, root, lines_before)
    if _was_outlived(text, root, {line_start(text, error.at) for error in stated}):
        return _survived(text, root.at, lines_before)
    if root.cause is Cause.PROCESS_LOST and (memory := _memory_before(text, root)) is not None:
        return _from_words(text, *memory, lines_before)
    return _explained(text, printed, events, root, lines_before)


def _explained(text: str, printed: str, events: Sequence[Event], root: Event, lines_before: int) -> Diagnosis:
    """The diagnosis of a log whose root is known."""
    request, memory = failed_request(text, events, root)
    named = root.cause
    line = text[root.at : line_end(text, root.at)]
    if root.form.anchor == _NO_PERFORM and not _PYTHON_MODE.search(text):
        named = Cause.COMPILER
    if request.bytes is None and named in (Cause.DEVICE_UNKNOWN_SIZE, Cause.HOST_MEMORY):
        requested = unknown_errors.asked(line)
        request = replace(request, bytes=requested.bytes, rounded=requested.rounded)
        named = Cause.CAPACITY if requested.bytes is not None and named is Cause.DEVICE_UNKNOWN_SIZE else named
    request = plausible(request)
    cause = judged(named, root.match, request, memory)
    flags = context.flags(text)
    live = context.storages(printed) or context.storages(text)  # first as printed: names keep their characters
    return Diagnosis(
        cause,
        why(cause, request, memory, root.match.groupdict().get("what") or _library(cause, text, root.at), line) + _sequel(text, root.at),
        line.strip(),
        line_at(text, root.at) + lines_before,
        root.form.source,
        request,
        memory,
        live=live,
        parts=context.compiler_parts(text),
        flags=flags,
        advice=advice(cause, text, root.at, root.form.advice, memory, bool(live)),
        command=command(cause, memory, text, flags),
        consequences=_consequences(text, events, root, lines_before),
    )


def _library(cause: Cause, text: str, at: int) -> str | None:
    """The package whose code raised the failure at `at`, where the cause is one of a library's code; None if the log does not show it."""
    return raising_package(frames(frames_before(text, max(0, at - WINDOW), at))) if cause in (Cause.LIBRARY_FAULT, Cause.REFUSED) else None


def _with_classes(text: str, stated: list[Statement], events: list[Event]) -> list[Event]:
    """The events with the last exception, and those of its chain, that belong to a known class.

    The class of an exception goes before its wording, but for compilers and memory, whose messages say more. Where an exception was raised
    from another one, that is the failure.
    """
    lines = {event.at for event in events}
    hit: Event | None = None
    end = len(text)
    for error, before, is_cause in linked(text, stated):
        start = line_start(text, error.at)
        row = classification.classify(error, before) if hit is None or is_cause else None
        if row is not None:
            hit = classification.event(text, error, row)
            end = error.at + len(error.words)
        elif hit is None and start in lines:
            break
    if hit is None:
        unknown = [_unknown(text, stated[-1])] if stated and line_start(text, stated[-1].at) not in lines else []
        return sorted((*events, *unknown), key=lambda event: event.at)
    keeps = hit.cause is Cause.COMPILER
    others = [e for e in events if keeps or e.weight is Weight.MEMORY or not hit.at <= e.at < end]
    return sorted((*others, hit), key=lambda event: event.at)


def _unknown(text: str, error: Statement) -> Event:
    """An exception of no known class as an event: others may explain it."""
    match = _UNKNOWN.pattern.match(error.words)
    assert match is not None  # it matches anything
    return Event(line_start(text, error.at), _UNKNOWN, match, Weight.NOTE)


def _root(left: Sequence[Event]) -> Event | None:
    """The last known failure that no other one explains; failures that do not end a job count only without others."""
    known = [event for event in left if event.cause is not Cause.NOT_RECOGNISED]
    ended = [event for event in known if event.weight is not Weight.NOTE]
    return (ended or known)[-1] if known else None


def _consequences(text: str, events: Sequence[Event], root: Event, lines_before: int) -> tuple[Consequence, ...]:
    """The last other failures of the log, in its order: the root explains them."""
    own = text[root.at : line_end(text, root.at)].strip()
    places = {event.at for event in events if event.weight is not Weight.NOTE and event.at > root.at}
    places |= {line_start(text, m.start()) for m in itertools.islice(ERROR.finditer(text, line_end(text, root.at)), AFTER)}
    last: dict[str, int] = {}
    for at in sorted(places):
        line = text[at : line_end(text, at)].strip()
        if line != own and not line.rstrip(":").endswith(HEAD):
            last[line] = at
    return tuple(Consequence(line_at(text, at) + lines_before, line) for line, at in list(last.items())[-SHOWN:])


def _memory_before(text: str, lost: Event) -> tuple[Statement, unknown_errors.Read] | None:
    """The out-of-memory error reported with or before the loss of a process; None if there is none."""
    own = Statement(lost.at, "", words(text, lost.at))
    near = max(text.rfind("\n", 0, max(0, lost.at - WINDOW)) + 1, lost.at - 2 * WINDOW, 0)
    before = (error._replace(at=error.at + near) for error in _lines(text[near : lost.at]))
    error, read = _read_first(text, itertools.chain((own,), before))
    return (error, read) if read.cause.is_memory else None


def _names_optional_part(text: str, warning: Event) -> bool | None:
    """Whether a warning names something that jobs run without, or memory that was only wanted; None if the message is no warning."""
    end = line_end(text, warning.at)
    line = text[warning.at : end]
    if warning.form is NO_PROGRAM:
        return None if _NOT_FOUND.search(text, end) else True
    if _says_it_continues(line) or warning.cause.is_memory:
        return True
    return warning.cause in _DISPENSABLE if WARNING.match(line) else None


def _says_it_continues(line: str) -> bool:
    """Whether a library says that it continues."""
    return any(phrase in line for phrase in _NO_FAILURE)


def _output_follows(after: str, cause: Cause) -> bool:
    """Whether ordinary lines follow a warning; a process that waits for a lock prints nothing else."""
    if cause is Cause.COMPILE_LOCK:
        return any(line.strip() and "lock" not in line for line in after.split("\n", AFTER)[:AFTER])
    own = [line for line in after.split("\n", AFTER)[:AFTER] if line.strip() and not line[0].isspace() and not WARNING.match(line)]
    return len(own) >= WORKING


def _other_error_follows(text: str, warning: Event, explained: AbstractSet[int]) -> bool:
    """Whether the job went on after a message that need not end it, and failed with an error that nothing explains; one whose message is
    cut off may be that message's consequence."""
    end = line_end(text, warning.at)
    later = [
        m
        for m in ERROR.finditer(text, end)
        if line_start(text, m.start()) not in explained
        and not text[m.start() : line_end(text, m.start())].rstrip(": ").endswith(HEAD)
        and not (warning.cause is Cause.PROCESS_LOST and _FOLLOWS_LOSS.search(m["name"]))
    ]
    reports = warning.cause is not Cause.NOT_CONVERGED and text[warning.at : end].lstrip(" >").startswith("ERROR")
    own = reports and text[end : end + WINDOW // 4].lstrip(" \n>").startswith(HEAD)
    return len(later) > own


def _from_words_alone(text: str, stated: list[Statement], lines_before: int) -> Diagnosis | None:
    """The diagnosis of an error that matches no known form, from its words; None if the log holds no error."""
    error, read = _read_first(text, chain(text, stated) if stated else _lines(text))
    if not stated:
        at = error.at if read != _NOTHING else _sign(text)
        if at < 0:
            return None
        error = Statement(at, "", words(text, at))
        if not read.cause.is_memory and _progress_follows(text, at):
            return _survived(text, at, lines_before)
    return _from_words(text, error, read, lines_before)


def _from_words(text: str, error: Statement, read: unknown_errors.Read, lines_before: int) -> Diagnosis:
    """The diagnosis of an error that no form has, as its words were read."""
    line = text[error.at : line_end(text, error.at)].strip()
    cause, request = read
    if cause is Cause.NOT_RECOGNISED and request.bytes is None:
        ends = error.at + len(error.words)
        since, until = (ends, ends + FRAMES) if is_header(error) else (max(0, error.at - WINDOW), line_start(text, error.at))
        cause = unknown_errors.whose(error, frames_before(text, since, until))
    memory = context.card(text) if cause.is_memory else LoggedMemory()
    request = plausible(replace(request, site=context.site(text, error.at)))
    message = (
        why(cause, request, memory, _library(cause, text, error.at), line)
        if cause is not Cause.NOT_RECOGNISED
        else unknown_errors.known(error, frames_before(text, max(0, error.at - WINDOW), error.at))
    )
    live, flags = context.storages(text), context.flags(text)
    remedies = advice(cause, text, error.at, (), memory, bool(live))
    part = unknown_errors.part(error)
    if not remedies and (error.name or part):
        remedies = raised_in(frames_before(text, max(0, error.at - WINDOW), error.at), part)
    return Diagnosis(
        cause, message + _sequel(text, error.at), line, line_at(text, error.at) + lines_before, "", request, memory, live=live,
        flags=flags, advice=remedies, command=command(cause, memory, text, flags),
    )  # fmt: skip


def _read_first(text: str, errors: Iterator[Statement]) -> tuple[Statement, unknown_errors.Read]:
    """The first of these errors whose cause, or the size of whose request, can be read; else one that a library raised; else the first."""
    first = (Statement(-1, "", ""), _NOTHING)
    for error in errors:
        read = unknown_errors.read(error, frames_before(text, max(0, error.at - WINDOW), error.at))
        if read.cause not in (Cause.NOT_RECOGNISED, Cause.REFUSED) or read.request.bytes is not None:
            return error, read
        again = error.words.partition("\n")[0] == first[0].words.partition("\n")[0]  # passed up: whose code raised it is said here
        if first[0].at < 0 or again or (first[1] == _NOTHING and read != _NOTHING):
            first = error, read
    return first


def _lines(text: str) -> Iterator[Statement]:
    """The last lines in which a program other than Python may state an error, from the end, each with the line after it."""
    small = text.lower()
    small = small if len(small) == len(text) else text
    starts = (start for start in sorted(set(line_starts(small, _FAILURE)), reverse=True) if not patterns.PRINTED_CODE.match(text, start))
    for start in itertools.islice(starts, LAST_LINES):
        end = line_end(text, start)
        yield Statement(start, "", text[start : line_end(text, min(end + 1, len(text)))])


def _sign(text: str) -> int:
    """Start of the line with the last sign of an unnamed error; -1 if there is none."""
    cut = _cut(text)
    if cut >= 0:
        return cut
    signs = [sign for sign in _TRACEBACK if sign != "out of memory" or not is_document(text)]
    at = max(line_starts(text, signs), default=-1)
    if at < 0:
        place = (
            (start, m)
            for start in line_starts(text, ("rror", "ERROR", "atal", "FATAL", ": *** ", "xception: "))
            if (m := _PROGRAM.search(text[start : line_end(text, start)]))
        )
        fatal = (m.start() for m in _FATAL.finditer(text)) if "] " in text else ()
        at = max((*(start + m.start() for start, m in place), *fatal), default=-1)
        at = _compiled_code(text) if at < 0 else at
    return line_start(text, at) if at >= 0 else at


def _compiled_code(text: str) -> int:
    """Start of the last line of C code, or of what a compiler says of it, in a log that has nothing else; -1 if there is none."""
    tail = text[-FRAMES:]
    found = [m.start() for m in patterns.COMPILED_CODE.finditer(tail) if m.start() == 0 or tail[m.start() - 1] == "\n"]
    return len(text) - len(tail) + found[-1] if len(found) > WORKING else -1


def _cut(text: str) -> int:
    """Start of the last frame of a log that ends inside a traceback; -1 if it ends otherwise."""
    shown = frames(text[-FRAMES:])
    while shown and patterns.IN_LINE.search(place(shown[-1])) is None and "\n" not in shown[-1].strip():
        shown.pop()  # its own line is cut off
    within = (len(shown) > 1 or patterns.ARROW.search(text, len(text) - len(text[-FRAMES:])) is not None) and all(
        patterns.IN_LINE.search(place(frame)) for frame in shown[-2:]
    )
    source = [line for line in shown[-1].split("\n")[1:] if line.strip()] if within else []
    bare = all(frame.count("\n") == 1 for frame in shown[-2:])  # loggers take the blanks before a line
    return text.rfind(place(shown[-1])) if within and (bare or all(map(_NUMBERED.match, source))) else -1


def _was_outlived(text: str, root: Event, stated: AbstractSet[int]) -> bool:
    """Whether the job went on after a line that need not end it, and that is no exception nor what a shell says of a process.

    That a GPU did not start, a rewrite failed or draws are not to be trusted is the answer although the job continues: it is why the job
    is slow, or its results are wrong.
    """
    if root.weight is not Weight.NOTE or root.cause.is_memory or root.at in stated:
        return False
    if root.cause in (Cause.REWRITE_FAILED, Cause.GPU_NOT_STARTED, Cause.NOT_CONVERGED):
        return False
    return _OF_PROCESS.match(text, root.at, line_end(text, root.at)) is None and _progress_follows(text, root.at)


def _progress_follows(text: str, at: int) -> bool:
    """Whether the job says twice, after the line at `at`, how far it is."""
    end = line_end(text, at)
    lines = (m.group().lower() for m in _PROGRESS.finditer(text, end, end + REST))
    own = (line for line in lines if ".py" not in line and not any(word in line for word in (*_FAILURE, "cancel")))
    return len(list(itertools.islice(own, 2))) == 2


def _sequel(text: str, at: int) -> str:
    """What to add to a cause if the job went on after the error at `at`."""
    return "; the log goes on after it" if _progress_follows(text, at) else ""


def _survived(text: str, at: int, lines_before: int) -> Diagnosis:
    """The diagnosis of a log whose only error, a line of no exception, did not end the job."""
    return Diagnosis(
        Cause.NOT_RECOGNISED,
        "the job went on after this line, so it is not what ended it, and the log has no other error",
        text[at : line_end(text, at)].strip(),
        line_at(text, at) + lines_before,
        "",
        advice=("give the end of the log with standard error, and the exit status of the job",),
    )


def _quoted(text: str, root: Event, lines_before: int) -> Diagnosis:
    """The diagnosis of a document that quotes a message, in which nothing need have failed."""
    return Diagnosis(
        Cause.NOT_RECOGNISED,
        "this text is a document that quotes an error, not the log of a job: it has headings, and nothing else that a failing job prints",
        text[root.at : line_end(text, root.at)].strip(),
        line_at(text, root.at) + lines_before,
        "",
        advice=("give the log of the job itself, including standard error",),
    )
