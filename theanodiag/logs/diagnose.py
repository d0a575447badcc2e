"""Finds the failure in a log and explains it."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from math import prod
from typing import NamedTuple

from ..units import KIB, MIB
from . import (
    amounts,
    build_messages,
    context,
    cuda_messages,
    ended_messages,
    general,
    host_messages,
    library_messages,
    theano_messages,
    value_messages,
    xla_messages,
)
from .causes import advice, judged, why
from .document import is_document
from .model import Cause, Diagnosis, FailedRequest, LoggedMemory, Template, Weight
from .statements import ERROR, HEAD, Statement, chain, exceptions, words
from .wrapping import line_at, unwrapped

TEMPLATES = (
    *cuda_messages.MESSAGES,
    *theano_messages.MESSAGES,
    *ended_messages.MESSAGES,
    *host_messages.MESSAGES,
    *xla_messages.MESSAGES,
    *build_messages.MESSAGES,
    *library_messages.MESSAGES,
    *value_messages.MESSAGES,
)
"""All known messages."""
_TEMPLATES = tuple((t, t.pattern.pattern[:1] == "^" or not re.search(r"\(\?s|\\[snWD]|\[\^", t.pattern.pattern)) for t in TEMPLATES)
"""Each message, and whether its pattern stays in one line."""
MOST = 40
"""For each template, the number of last occurrences that are looked at."""
FEWEST = 2
"""The number of last occurrences that are looked at however many templates a text has."""
OCCURRENCES = 1_200
"""Occurrences in all that are looked at where a text has so many templates as no job prints."""
WINDOW = 2_000
"""Characters from the beginning of a message's line within which its pattern must match."""
_PIPE = re.compile(
    r"(?:EOF|BrokenPipe|Connection\w{0,10}|OS|IO|Runtime|ParallelSampling|DeadKernel|TerminatedWorker|RemoteTraceback)Error|Interrupt|Exit"
)
"""Errors that follow when a process is lost."""
PROBE = 2_000
"""Characters after a message that cuDNN cannot be used within which compilers' messages only say why."""
_TRACEBACK = (
    HEAD, "Segmentation fault", "core dumped", "Aborted", "Apply node that caused the error", "HINT: Use ", "out of memory",
)  # fmt: skip
_PROGRAM = re.compile(
    r"(?:^|[:\]] |\w (?=[Ee]rror \d))(?:[Ee]rror(?: \d{1,9})?|ERROR|[Ff]atal(?: error)?|FATAL): (?=[^\W\d])(?!nan\b|inf\b)", re.MULTILINE
)
"""An error of a program that is not Python; what follows is no number, since jobs print errors of models so."""

_FAILURE = (
    "error", "fail", "fatal", "abort", "cannot", "can't", "could not", "unable", "exception", "exhausted", "out of memory", "insufficient",
    "killed", "restarting", "signal", "exit", "exceeded", "crashed", "terminat", "violation",
)  # fmt: skip
"""Words with which a program may say that it failed."""
MOST_BYTES = 1 << 80
"""More than any size of an array, those that overflow among them."""
WORKING = 2
"""Lines after a warning of something without which the job goes on from which on it is seen to work: those that are no warnings."""
AFTER = 40
"""The number of lines after a warning that are looked at."""
_DISPENSABLE = (Cause.COMPILER, Cause.BLAS, Cause.GPU_NOT_STARTED, Cause.CUDNN_UNAVAILABLE, Cause.COMPILE_LOCK)
"""What a job can go on without, or wait for."""
_NO_NAME = "'module' object has no attribute"
_NO_PERFORM = "No Python implementation is provided by this"
_PYTHON_MODE = re.compile(r"FAST_COMPILE|DebugMode|DEBUG_MODE|linker ?= ?['\"]?(?:py|vm)|c_thunks ?= ?False")
"""What asks for Python instead of C: an Op that has C code only then fails even where there is a compiler."""
_NO_COMPILER = ("g++ not detected", "g++ not available")
_NO_FAILURE = ("this is not a failure", "by rematerialization; only reduced to")
"""What TensorFlow and XLA say where they go on with less memory, or try to."""
_FATAL = re.compile(r"^(?:\S{1,30} ){0,2}F(?:\d{4} [\d:.]{8,18} {1,8}\d{1,9})? [\w./-]{1,200}:\d{1,6}\] \S", re.MULTILINE)
"""The line with which XLA or TensorFlow ends its process (absl's and glog's level F)."""
_WARNING = re.compile(
    r"[^\n]{0,200}?(?:(?:WARNING|INFO|Warning)\b|failed call to cuInit)|"
    r"(?:\S{1,30} ){0,2}[WI](?:\d{4}|(?= (?:tensorflow|external|tsl|xla|jaxlib|T[FS]L?)\b))"
)
"""A line of a logger, or of TensorFlow's and XLA's, after which the job goes on."""
_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_WORDS = bytes(byte if byte >= 128 or chr(byte).isalnum() else 32 for byte in range(256))
_NOTHING = general.Read(Cause.NOT_RECOGNISED, FailedRequest())


class Found(NamedTuple):
    """An occurrence of a known message in a log."""

    at: int
    """Where its line begins."""
    template: Template
    match: re.Match[str]
    rank: Weight
    """Of its template; a warning need not end the job, whatever it says."""


def explain_log(text: str, lines_before: int = 0) -> Diagnosis | None:
    """What failed in the job that wrote this log, and why; None where the log has no error.

    Args:
        text: The log, or its end.
        lines_before: Lines of the log before this part of it, for line numbers.

    Returns:
        The diagnosis; an error of no known form has the cause `NOT_RECOGNISED`.
    """
    printed, text = text, unwrapped(text)
    found = _without_probes(sorted(_messages(text), key=lambda f: f.at))
    chosen = _without_gpu(text, found) or _chosen(found)
    if chosen is None or (chosen.rank is Weight.NOTE and _went_on(text, chosen)):
        return _unknown(text, lines_before)
    if chosen.rank is Weight.NOTE and (harmless := _harmless(text, chosen)) is not None:
        end = _end(text, chosen.at)
        after = _unknown(text[end:], lines_before + line_at(text, end) - 1)
        if after is not None or _goes_on(text[chosen.at : end]) or (harmless and _works(text[end:], chosen.template.cause)):
            return after
    if is_document(text):
        return _quoted(text, chosen, lines_before)
    if chosen.template.cause is Cause.PROCESS_LOST:
        own = Statement(chosen.at, "", words(text, chosen.at))
        near = max(text.rfind("\n", 0, max(0, chosen.at - WINDOW)) + 1, chosen.at - 2 * WINDOW, 0)
        before = (error._replace(at=error.at + near) for error in _lines(text[near : chosen.at]))
        error, read = _read_first(text, itertools.chain((own,), before))
        if read.cause.is_memory:
            return _from_words(text, error, read, lines_before)
    request, memory = _joined(text, found, chosen)
    named = chosen.template.cause
    if chosen.template.anchor == _NO_PERFORM and not _PYTHON_MODE.search(text):
        named = Cause.COMPILER
    if request.bytes is None and named in (Cause.DEVICE_UNKNOWN_SIZE, Cause.HOST_MEMORY):
        told = general.asked(text[chosen.at : _end(text, chosen.at)])
        request = replace(request, bytes=told.bytes, rounded=told.rounded)
        named = Cause.CAPACITY if told.bytes is not None and named is Cause.DEVICE_UNKNOWN_SIZE else named
    request = _plausible(request)
    cause = judged(named, chosen.match, request, memory)
    line = text[chosen.at : _end(text, chosen.at)].strip()
    live = context.storages(printed) or context.storages(text)  # first as printed: names keep their characters
    helps = (*chosen.template.advice, *advice(cause, text, bool(live)))
    said = chosen.match.groupdict().get("what")
    return Diagnosis(
        cause,
        why(cause, request, memory, said),
        line,
        line_at(text, chosen.at) + lines_before,
        chosen.template.source,
        request,
        memory,
        live=live,
        parts=context.compiler_parts(text),
        flags=context.flags(text),
        advice=tuple(dict.fromkeys(helps)),
        command=_command(cause, memory, text),
    )


def _harmless(text: str, note: Found) -> bool | None:
    """Whether the job goes on without what a warning says is missing; None where the message is no warning."""
    line = text[note.at : _end(text, note.at)]
    if _goes_on(line) or note.template.cause.is_memory:
        return True
    return note.template.cause in _DISPENSABLE if _WARNING.match(line) else None


def _goes_on(line: str) -> bool:
    """Whether a library says that it goes on."""
    return any(said in line for said in _NO_FAILURE)


def _works(after: str, cause: Cause) -> bool:
    """Whether a job goes on after a warning: a process that waits for a lock prints nothing else."""
    if cause is Cause.COMPILE_LOCK:
        return any(line.strip() and "lock" not in line for line in after.split("\n", AFTER)[:AFTER])
    own = [line for line in after.split("\n", AFTER)[:AFTER] if line.strip() and not line[0].isspace() and not _WARNING.match(line)]
    return len(own) >= WORKING


def _messages(text: str) -> Iterator[Found]:
    present = _present(text)
    most = max(FEWEST, min(MOST, OCCURRENCES // max(1, len(present))))
    starts = {anchor: list(_starts(text, anchor, most)) for anchor in present}
    for template, of_line in _TEMPLATES:
        for start in starts.get(template.anchor, ()):
            match = template.pattern.search(text[start : _end(text, start)] if of_line else text[start : start + WINDOW])
            if match and "\n" not in text[start : start + match.start()]:
                warns = template.rank is Weight.STOP and _WARNING.match(text, start, _end(text, start))
                yield Found(start, template, match, Weight.NOTE if warns else template.rank)


def _program(text: str, start: int) -> re.Match[str] | None:
    return _PROGRAM.search(text[start : _end(text, start)])


def _form(text: str) -> bytes:
    """A text with one digit instead of all."""
    return text.encode("utf-8", "surrogatepass").translate(_DIGITS)


class _Anchor(NamedTuple):
    """What a log has if it has an anchor, from the cheapest to look for on."""

    text: str
    inner: frozenset[bytes]
    """The words in it that are whole."""
    edges: tuple[bytes, ...]
    """Its first and its last word: ends and beginnings of words of the log."""
    form: bytes


def _anchor(text: str) -> _Anchor:
    form = _form(text)
    first, *words = form.translate(_WORDS).split(b" ")
    edges = tuple(edge for edge in (first, words[-1] if words else b"") if edge)
    return _Anchor(text, frozenset(word for word in words[:-1] if word), edges, form)


_ANCHORS = tuple(_anchor(text) for text in dict.fromkeys(t.anchor for t in TEMPLATES))


def _present(text: str) -> list[str]:
    """The anchors that a log has. Lines that differ in their numbers only, and words, are looked at once."""
    lines = b"\n".join(set(_form(text).split(b"\n")))
    words = set(lines.translate(_WORDS).split())
    said = b"\n".join(words)
    return [a.text for a in _ANCHORS if a.inner <= words and all(edge in said for edge in a.edges) and a.form in lines]


def _starts(text: str, anchor: str, most: int = MOST) -> Iterator[int]:
    """Where the lines of the last occurrences begin."""
    at = len(text) if anchor in text else -1
    for _ in range(most):
        at = text.rfind(anchor, 0, at) if at >= 0 else -1
        if at < 0:
            return
        reach = max(0, at - WINDOW // 2)
        yield max(text.rfind("\n", reach, at) + 1, reach)


def _without_probes(found: list[Found]) -> list[Found]:
    """All but the messages of compilers that were only asked whether there is a cuDNN: the job goes on without it."""
    notes = [f.at for f in found if f.template.cause is Cause.CUDNN_UNAVAILABLE]
    asked = (Cause.COMPILER, Cause.BLAS)
    return [f for f in found if f.template.cause not in asked or not _is_after(notes, f.at)]


def _is_after(notes: list[int], at: int) -> bool:
    """Whether the last of these places before `at` is near."""
    index = bisect_right(notes, at)
    return index > 0 and at <= notes[index - 1] + PROBE


def _went_on(text: str, note: Found) -> bool:
    """Whether the job went on after a message that need not end it, and failed with an error of another kind."""
    end = _end(text, note.at)
    later = [m for m in ERROR.finditer(text, end) if not (note.template.cause is Cause.PROCESS_LOST and _PIPE.search(m["name"]))]
    own = text[note.at : end].lstrip(" >").startswith("ERROR") and text[end : end + WINDOW // 4].lstrip(" \n>").startswith(HEAD)
    return len(later) > own


def _end(text: str, start: int) -> int:
    end = text.find("\n", start, start + WINDOW)
    return min(len(text), start + WINDOW) if end < 0 else end


def _chosen(found: list[Found]) -> Found | None:
    """The most informative message: among those of the highest weight the last one, preferably one with a number of bytes."""
    if not found:
        return None
    rank = max(f.rank for f in found)
    last = [f for f in found if f.rank is rank]
    if rank is not Weight.MEMORY:
        return _reason(last)
    if last[-1].template.cause is Cause.KILLED:
        last = [f for f in last if f.template.cause is Cause.KILLED]
    return next((f for f in reversed(last) if _bytes(f.match) is not None or f.match.groupdict().get("own_kib")), last[-1])


def _without_gpu(text: str, found: list[Found]) -> Found | None:
    """The message that there is no GPU, where the job then asked a module of Theano's, which was not made, for a name."""
    at = text.rfind(_NO_NAME)
    started = [f for f in found if f.template.cause is Cause.GPU_NOT_STARTED and f.at < at]
    if not started or "theano" not in text or ERROR.search(text, at) or max(f.rank for f in found) is Weight.MEMORY:
        return None
    return started[-1]._replace(rank=Weight.STOP)


def _reason(found: list[Found]) -> Found:
    """The last message that gives a reason: compilers' messages explain no other failure, and their last lines only say that."""
    missing = [f for f in found if f.template.anchor in _NO_COMPILER]
    others = [f for f in found if f.template.cause is not Cause.COMPILER]
    if missing and all(f.rank is Weight.NOTE and f.template.cause in (Cause.COMPILER, Cause.BLAS) for f in found):
        return missing[-1]  # without a compiler there is no BLAS either
    reasons = [f for f in found if f.template.advice]
    return (others or reasons or found)[-1]


def _bytes(match: re.Match[str]) -> int | None:
    said = match.groupdict()
    if said.get("bytes"):
        return int(said["bytes"].replace(",", ""))
    for name, factor in (("mib", MIB), ("elements", 4), ("kib", KIB)):
        if said.get(name):
            return int(said[name]) * factor
    if said.get("shape") and said.get("dtype") and (kind := amounts.dtype(_numpy(said["dtype"]))):
        return amounts.nbytes(amounts.shape(said["shape"]), kind)
    return amounts.amount(said["amount"]) if said.get("amount") else None


def _numpy(name: str) -> str:
    """NumPy's name of TensorFlow's dtypes `float` and `double`."""
    return {"float": "float32", "double": "float64"}.get(name, name)


def _request(match: re.Match[str]) -> FailedRequest:
    said = match.groupdict()
    shape = amounts.shape(said["shape"]) if said.get("shape") else None
    kind = amounts.dtype(_numpy(said["dtype"])) if said.get("dtype") else None
    exact = said.get("bytes") or said.get("elements") or said.get("kib") or said.get("mib") or (shape is not None and kind)
    return FailedRequest(_bytes(match), not exact, shape, kind)


def _memory(match: re.Match[str]) -> LoggedMemory:
    said = match.groupdict()

    def one(name: str) -> int | None:
        if said.get(name):
            return int(said[name])
        for suffix, factor in (("mib", MIB), ("kib", KIB)):
            if said.get(f"{name}_{suffix}"):
                return int(said[f"{name}_{suffix}"]) * factor
        text = said.get(f"{name}_amount") or said.get(f"{name}_new")
        return amounts.amount(text) if text else None

    allocated, reserved, unused = one("allocated"), one("reserved"), one("unused")
    if reserved is None and allocated is not None and unused is not None:
        reserved = allocated + unused
    if unused is None and allocated is not None and reserved is not None:
        unused = max(0, reserved - allocated)
    return LoggedMemory(one("free"), one("total"), held=max(filter(None, (one("own"), reserved)), default=None), unused=unused)


def _joined(text: str, found: list[Found], chosen: Found) -> tuple[FailedRequest, LoggedMemory]:
    """The request and memory of the chosen message, completed from other messages about the same request and from the rest of the log."""
    request, memory = _request(chosen.match), _memory(chosen.match)
    for other in reversed(found):
        if memory.free is None and request.bytes is not None and _bytes(other.match) == request.bytes:
            memory = _memory(other.match)
    card = context.card(text)
    memory = replace(memory, total=memory.total or card.total, device=card.device)
    if memory.unused is None and chosen.template.cause is Cause.CAPACITY:
        memory = replace(memory, unused=context.unused(text, chosen.at))
    node = context.node_request(text, chosen.at)
    fits = node.shape is not None and node.dtype is not None and request.bytes in (None, amounts.nbytes(node.shape, node.dtype))
    request = replace(request, node=node.node, input_shapes=node.input_shapes, site=node.site)
    if fits and request.shape is None and chosen.template.cause.is_memory:
        request = replace(request, shape=node.shape, dtype=node.dtype, bytes=request.bytes if request.bytes is not None else node.bytes)
    if request.rounded and request.shape is not None and request.dtype is not None:
        request = replace(request, bytes=amounts.nbytes(request.shape, request.dtype), rounded=False)
    if request.bytes is None and request.shape is not None and prod(request.shape) == 0:
        request = replace(request, bytes=0)
    return request, memory


def _plausible(request: FailedRequest) -> FailedRequest:
    """The request without a size that no program can ask for, as a damaged log has it."""
    return request if request.bytes is None or request.bytes < MOST_BYTES else replace(request, bytes=None, shape=None)


def _unknown(text: str, lines_before: int) -> Diagnosis | None:
    """The diagnosis of an error of no known form; None where there is no error."""
    found = exceptions(text)
    error, read = _read_first(text, chain(text, found) if found else _lines(text))
    if not found:
        at = error.at if read != _NOTHING else _sign(text)
        if at < 0:
            return None
        error = Statement(at, "", words(text, at))
    return _from_words(text, error, read, lines_before)


def _from_words(text: str, error: Statement, read: general.Read, lines_before: int) -> Diagnosis:
    """The diagnosis of an error that no template has, as its words were read."""
    line = text[error.at : _end(text, error.at)].strip()
    cause, request = read
    memory = context.card(text) if cause.is_memory else LoggedMemory()
    request = _plausible(replace(request, site=context.site(text, error.at)))
    said = (
        why(cause, request, memory, None)
        if cause is not Cause.NOT_RECOGNISED
        else f"{error.name}: no known form, so no cause is stated"
        if error.name
        else "this error has none of the forms that are known"
    )
    live = context.storages(text)
    return Diagnosis(
        cause, said, line, line_at(text, error.at) + lines_before, "", request, memory,
        live=live, flags=context.flags(text), advice=advice(cause, text, bool(live)), command=_command(cause, memory, text),
    )  # fmt: skip


def _read_first(text: str, errors: Iterator[Statement]) -> tuple[Statement, general.Read]:
    """The first of these errors whose cause, or the size of whose request, can be read; else the first."""
    first = (Statement(-1, "", ""), _NOTHING)
    for error in errors:
        read = general.read(error, text[max(0, error.at - WINDOW) : error.at])
        if read != _NOTHING:
            return error, read
        first = first if first[0].at >= 0 else (error, read)
    return first


def _lines(text: str) -> Iterator[Statement]:
    """The last lines in which a program other than Python may state an error, from the end, each with the line after it."""
    small = text.lower()
    small = small if len(small) == len(text) else text
    for start in sorted({start for word in _FAILURE for start in _starts(small, word)}, reverse=True)[:MOST]:
        end = _end(text, start)
        yield Statement(start, "", text[start : _end(text, min(end + 1, len(text)))])


def _sign(text: str) -> int:
    """Where the line of the last sign of an unnamed error begins; -1 where there is none."""
    at = max((text.rfind(sign) for sign in _TRACEBACK if sign != "out of memory" or not is_document(text)), default=-1)
    if at < 0:
        found = ((start, m) for word in ("rror", "ERROR", "atal", "FATAL") for start in _starts(text, word) if (m := _program(text, start)))
        fatal = (m.start() for m in _FATAL.finditer(text))
        at = max((*(start + m.start() for start, m in found), *fatal), default=-1)
    return text.rfind("\n", 0, at) + 1 if at >= 0 else at


def _quoted(text: str, chosen: Found, lines_before: int) -> Diagnosis:
    """The diagnosis of a document that quotes a message, in which nothing need have failed."""
    return Diagnosis(
        Cause.NOT_RECOGNISED,
        "this text is a document that quotes an error, not the log of a job: it has headings, and nothing around that a failing job prints",
        text[chosen.at : _end(text, chosen.at)].strip(),
        line_at(text, chosen.at) + lines_before,
        "",
        advice=("give the log of the job itself, standard error too",),
    )


def _command(cause: Cause, memory: LoggedMemory, text: str) -> str | None:
    """The next command to run, in which LOG is the log; with a printed graph in the log the one that simulates it."""
    if cause.is_memory and any(first in text for first in ("[id A]", "[@A]", "|[@B]")):
        return "theanodiag graph LOG"
    if cause.is_memory:
        known = memory.total is not None or cause in (Cause.HOST_MEMORY, Cause.KILLED)
        return f"theanodiag check MODEL.py --log LOG{'' if known else ' --gpu CARD'}"
    if cause in (Cause.PYTHON_TOO_NEW, Cause.NUMPY_TOO_NEW, Cause.OLD_GPU):
        return "theanodiag run MODEL.py"
    if cause in (Cause.COMPILER, Cause.BLAS, Cause.GPU_NOT_STARTED):
        return "theanodiag doctor"
    return None
