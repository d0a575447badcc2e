"""Derives cause and failed request from an unknown error: from the exception's class, its wording, and the code that raised it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from . import amounts, patterns
from .frames import frames, is_own, of_python, package, place, raising_package, statement, where, while_imported
from .model import Cause, FailedRequest
from .statements import HEAD, Statement, is_header

NEAR = 2_000
"""Number of characters before an error in which the frames that led to it are searched."""


class Read(NamedTuple):
    """What an error message says, whatever its exact words."""

    cause: Cause
    """The cause; NOT_RECOGNISED if more than one is possible."""
    request: FailedRequest


def read(error: Statement, before: str = "") -> Read:
    """Returns the cause and request in an error's message; `before` is the preceding part of the log, whose frames show which
    code failed.
    """
    text = error.words
    request = asked(text) if patterns.FAILED.search(text) or "Memory" in error.name else FailedRequest()
    if (request.bytes is not None or patterns.RAN_OUT.search(text)) and not patterns.KILLED.search(text):
        return Read(_memory(text, before, request.bytes), request)
    cause = next((cause for cause, holds in _RULES if holds(error, before)), None) or _status(text) or _of_op(error, before)
    return Read(cause or Cause.NOT_RECOGNISED, FailedRequest())


def asked(line: str) -> FailedRequest:
    """Returns the request for memory in a line that reports a lack of memory."""
    match = patterns.ASKED.search(line)
    return FailedRequest(_bytes(match), match["bare"] is None and match["unit"][0] not in "bB") if match else FailedRequest()


def _bytes(match: re.Match[str]) -> int:
    if match["bare"]:
        return int(match["bare"])
    return amounts.amount(f"{match['size'].replace(',', '')} {match['unit'][:1].upper() if match['unit'][:1] not in 'bB' else ''}B")


def _memory(text: str, before: str, size: int | None) -> Cause:
    """Which memory ran out: the error's words say it, else the library whose code ran last."""
    package = next((m["package"] for m in reversed(list(patterns.PACKAGE.finditer(before[-NEAR:])))), "")
    if patterns.DEVICE.search(text) or package in patterns.ON_DEVICE or patterns.FOR_DEVICE.search(package):
        return Cause.CAPACITY if size is not None else Cause.DEVICE_UNKNOWN_SIZE
    return Cause.HOST_MEMORY if patterns.HOST.search(text) or package in patterns.ON_HOST else Cause.NOT_RECOGNISED


def _status(text: str) -> Cause | None:
    """The cause that a status of CUDA, HIP or one of their libraries names; a failed kernel where only the platform is named."""
    match = patterns.CODE.search(text)
    if match is None and patterns.LIBRARY.search(text):
        return Cause.LIBRARY_MEMORY
    if match is None:
        return Cause.GPU_FAULT if patterns.ACCELERATOR.search(text) else None
    library, code = (match["library"] or match["runtime"]).upper(), match["code"] or match["name"]
    if patterns.NO_ROOM.search(code):
        return Cause.DEVICE_UNKNOWN_SIZE if library in ("CUDA", "HIP") else Cause.LIBRARY_MEMORY
    if library == "CUDNN" and code in ("BAD_PARAM", "NOT_SUPPORTED"):
        return Cause.CUDNN_REFUSED
    return Cause.GPU_NOT_STARTED if patterns.NO_START.search(code) else Cause.GPU_FAULT


def _last(before: str) -> list[str]:
    """The last frames before an error."""
    return frames(before[-NEAR:])


def _raises(frame: str, error: Statement) -> bool:
    """Whether the code of a frame raised an error deliberately: it has a `raise`, or a part of the message.

    Of a statement of several lines a traceback shows one, which may be the message's. A library that refuses something says what: an
    assertion without a message is its own assumption.
    """
    source = frame.partition("\n")[2]
    if error.name == "AssertionError" and patterns.ASSERTS.search(source):
        return patterns.BARE_ASSERTION.match(error.words) is None
    return patterns.RAISES.search(source) is not None or any(
        " " in literal and literal in error.words for literal in patterns.LITERAL.findall(source)
    )


def _deliberate(frame: str, error: Statement) -> bool:
    """Whether the code of a frame, or compiled code that it called, raised an error deliberately."""
    return _raises(frame, error) or (error.name != "KeyError" and patterns.OF_VALUE.match(error.name) is not None and _in_words(error))


def _in_words(error: Statement) -> bool:
    """Whether a message has words that Python's own messages have not."""
    said = error.words.partition("\n")[0].partition(": ")[2]
    return said.count(" ") > 2 and patterns.OF_PYTHON.search(said) is None


def _installed(places: Sequence[str]) -> bool:
    """Returns whether all of these lines name files of installed packages."""
    return all(patterns.INSTALLED.search(line) for line in places)


def _between_libraries(error: Statement, before: str) -> bool:
    """Whether a library called another one as it no longer is: both frames at the end are of installed packages."""
    last = [place(frame) for frame in _last(before)[-2:]]
    called = {m["package"] for line in last if (m := patterns.PACKAGE.search(line))}
    unexpected = patterns.UNEXPECTED.search(error.words) is not None and patterns.BUILTIN.search(error.words) is None
    return unexpected and len(last) == 2 and len(called) == 2 and _installed(last)


def _import(error: Statement, before: str) -> bool:
    """Whether an installed package could not import something, or a known library does not have what is imported from it."""
    if error.name not in ("ImportError", "ModuleNotFoundError") or patterns.NO_PLATFORM.search(error.words):
        return False
    ran = [place(frame) for frame in _last(before)[-1:]]
    if patterns.NO_NAME.search(error.words):
        return _lacking(before)
    return _installed(ran or [error.words]) or (not ran and patterns.UNPLACED.search(error.words) is not None)


def _no_name(error: Statement, before: str) -> bool:
    """Whether a module of a library lacks an attribute; Python 2's message does not name the module."""
    return patterns.MODULE_LACKS.search(error.words) is not None and _lacking(before)


def _lacking(before: str) -> bool:
    """Whether the missing name is a library's: a package uses it, or the user's line names the library, or no code is shown."""
    ran = [place(frame) for frame in _last(before)[-1:]]
    shown = before.rstrip("\n").rpartition("\n")[2]
    return not ran or _installed(ran) or patterns.LIBRARY_FILE.search(ran[0]) is not None or patterns.OF_LIBRARY.search(shown) is not None


def _float_length(error: Statement, before: str) -> Cause | None:
    """Whether a number with a point was given as a length: by a library that is older than this NumPy, or by the user's code."""
    if patterns.FLOAT_LENGTH.search(error.words) is None:
        return None
    ran = _last(before)[-2:]
    by_library = not ran or any(patterns.OTHER_LIBRARY.search(place(frame)) for frame in ran)
    return Cause.NUMPY_TOO_NEW if by_library and not (ran and _raises(ran[-1], error)) else Cause.DTYPES


def _no_gpu(error: Statement, before: str) -> bool:
    """Whether an error says that a GPU, or a library of it, is not there."""
    unformed = re.search(r"not (?:yet )?(?:implemented|supported)|\b[Uu]nsupported\b", error.words.partition("\n")[0])
    return bool(error.name) and patterns.NO_GPU.search(error.words) is not None and unformed is None


def _users_call(error: Statement, before: str) -> bool:
    """Whether the user's line made a call, or, where no line is shown, a method with a public name was called."""
    ran = _last(before)
    return package(ran[-1]) is None if ran else re.search(r"\b[A-Z]\w*\.[a-z]\w*\(\) ", error.words) is not None


def _refused(error: Statement, before: str) -> bool:
    """Whether a library raised the error itself, called by the user's code, by its own or by a library of the family."""
    ran = _last(before)
    if not ran or not patterns.CHECKED.match(error.name):
        return False
    library = package(ran[-1])
    compiled = patterns.COMPILED.search(ran[-1]) is not None and error.name in ("ValueError", "TypeError")
    return (compiled or (library is not None and _raises(ran[-1], error))) and all(
        package(frame) in (None, library) or patterns.OF_FAMILY.search(frame) for frame in ran[:-1]
    )


def _of_op(error: Statement, before: str) -> Cause | None:
    """The cause of an error that an Op's compiled code raised about its inputs; None if no such code ran.

    It has no frame: the last one calls the compiled function, and raises nothing itself.
    """
    ran = _last(before)[-1:]
    if ran and (patterns.CALLS_OP.search(ran[0]) is None or patterns.PASSED_UP.search(ran[0]) or _raises(ran[0], error)):
        return None
    return _of_node(error) if ran or error.op else None


def _of_node(error: Statement) -> Cause | None:
    """The cause that the class of an error that an Op's code raised leaves, with its words on types and layout."""
    if patterns.LAYOUT.search(error.words):
        return Cause.REFUSED
    if patterns.OF_TYPE.search(error.words) and error.name in ("ValueError", "NotImplementedError"):
        return Cause.DTYPES
    if error.name == "RuntimeError":
        return Cause.GPU_FAULT if patterns.ON_GPU.search(f"{error.op} {error.words}") else Cause.LIBRARY_FAULT
    return _OF_OP.get(error.name)


_OF_OP = {
    "ValueError": Cause.SHAPES,
    "IndexError": Cause.SHAPES,
    "AssertionError": Cause.SHAPES,
    "TypeError": Cause.DTYPES,
    "OverflowError": Cause.DTYPES,
    "NotImplementedError": Cause.SHAPES,
    "AttributeError": Cause.LIBRARY_FAULT,
    "NameError": Cause.LIBRARY_FAULT,
}
"""An exception of an Op's code -> what that checks: lengths of arrays, and dtypes."""


def whose(error: Statement, before: str) -> Cause:
    """Returns whose code raised an error whose words do not show the cause: the script's own code, or a library's, which rejected a value
    or met an unexpected one. Unknown if neither frames nor class show it.
    """
    if is_header(error):  # its frames follow, up to where the log ends
        return Cause.LIBRARIES if patterns.BETWEEN.match(error.name) and while_imported(_last(before)) else Cause.NOT_RECOGNISED
    if not error.name and patterns.COMPILED_CODE.match(error.words):
        return Cause.COMPILER
    if not error.name and patterns.NO_FILE.search(error.words.partition("\n")[0]):
        return Cause.FILE_ACCESS
    ran = _last(before)
    shown = len(ran)
    while len(ran) > 1 and of_python(ran[-1]):
        ran.pop()  # what it was given comes from the line that called it
    if not error.name or not ran:
        return _of_class(error)
    if is_own(ran[-1]) and raising_package(ran) is None:
        if len(ran) < shown or _of_own_line(ran[-1], error):
            return Cause.OWN_CODE
        return Cause.LIBRARIES if _lacked(error) else Cause.NOT_RECOGNISED
    if error.op and patterns.PASSED_UP.search(ran[-1]) and (cause := _of_node(error)) is not None:
        return cause
    if while_imported(ran) or _foreign(error, ran):
        return Cause.LIBRARIES
    passed = patterns.SIGNATURE.search(error.words) is not None and patterns.PASSES.search(statement(ran[-1])) is not None
    return Cause.REFUSED if passed or _deliberate(ran[-1], error) or _asked_for(error, ran) else Cause.LIBRARY_FAULT


REPORT = ("Apply node that caused the error", "HINT: Use ", ", ElemSize: ", "Inputs types: [", "Inputs shapes: [")
"""What Theano, Aesara and PyTensor print after an exception of a compiled function."""


def part(error: Statement) -> str:
    """Returns what is missing, if a log holds only the frames before an exception, or only the report after it; empty otherwise."""
    line = error.words.partition("\n")[0]
    if error.name and is_header(error):
        return f"the log ends before the message of {error.name}"
    if not error.name and (line.rstrip(": ").endswith(HEAD) or (patterns.FRAME.match(line) and patterns.IN_LINE.search(line))):
        return "the log ends inside a traceback: the exception, which says what failed, comes after its last frame"
    return "the log has the report of a node that failed, without the exception above it" if any(w in line for w in REPORT) else ""


def known(error: Statement, before: str) -> str:
    """Returns what a log contains about an error of unknown cause: its class, and the frame that raised it."""
    if not error.name:
        return part(error) or "this form of error is not known"
    if is_header(error):
        return part(error)
    ran = _last(before)
    return f"{error.name}{f' in {where(ran[-1])}' if ran else ''}: its message is all that is known of the cause"


def _of_own_line(frame: str, error: Statement) -> bool:
    """Whether a line of the script raised an error itself: it has a `raise`, or Python's own operators raise such an error. Else the line
    called what raised it, in compiled code or in frames that the log lacks, or used an object whose class may be a library's."""
    source = frame.partition("\n")[2]
    if _raises(frame, error) or patterns.OF_LINE.match(error.name) or (error.name == "AssertionError" and patterns.ASSERTS.search(source)):
        return True
    lacked = _lacked(error)
    if lacked is not None:
        return re.search(rf"\bself\.{lacked}\b", source) is not None
    said = error.words.partition("\n")[0]
    return patterns.OF_PYTHON.search(said) is not None and patterns.OBJECT_LACKS.search(said) is None


def _lacked(error: Statement) -> str | None:
    """The attribute that an object of a class lacks, which is not one of Python's own: the class, of a library or of the script, and what
    uses it are of different versions."""
    lacks = patterns.OBJECT_LACKS.search(error.words) if error.name == "AttributeError" else None
    return lacks["name"] if lacks is not None and re.search(f"'{patterns.TENSOR}' object", error.words) is None else None


def _asked_for(error: Statement, ran: Sequence[str]) -> bool:
    """Whether a library did not find a name that the user's code wrote."""
    key = patterns.KEY.match(error.words)
    if key is None:
        return False
    wrote = re.compile(rf"['\"]{re.escape(key['name'])}['\"]")
    return any(wrote.search(frame.partition("\n")[2]) for frame in ran if is_own(frame))


def _of_class(error: Statement) -> Cause:
    """The cause that an exception's class and the form of its message leave where no frame is shown."""
    if error.name in ("ImportError", "ModuleNotFoundError"):
        own = patterns.OF_FILE.search(error.words)
        fits = patterns.NO_PLATFORM.search(error.words) is None
        return Cause.OWN_CODE if own is not None else Cause.LIBRARIES if fits else Cause.NOT_RECOGNISED
    if _lacked(error):
        return Cause.LIBRARIES
    if not (patterns.OWN_CLASS.match(error.words) or (_in_words(error) and patterns.OF_VALUE.match(error.name))):
        return Cause.NOT_RECOGNISED
    return Cause.NO_IMPLEMENTATION if error.name == "NotImplementedError" else Cause.REFUSED


def _foreign(error: Statement, ran: Sequence[str]) -> bool:
    """Whether a package that is built on another one misses an attribute of an object, which is the other one's."""
    return _lacked(error) is not None and patterns.BUILT_ON.match(package(ran[-1]) or "") is not None


_RULES: tuple[tuple[Cause, Callable[[Statement, str], object]], ...] = (
    (Cause.KILLED, lambda e, _: patterns.KILLED.search(e.words)),
    (Cause.NUMPY_TOO_NEW, lambda e, before: _float_length(e, before) is Cause.NUMPY_TOO_NEW),
    (Cause.DTYPES, lambda e, before: _float_length(e, before) is Cause.DTYPES),
    (Cause.SIZE_OVERFLOW, lambda e, before: patterns.NEGATIVE.search(e.words) and patterns.OVERFLOWN.search(before)),
    (Cause.SIZE_OVERFLOW, lambda e, _: e.name and patterns.COUNTED.search(e.words)),
    (Cause.STATIC_SHAPE, lambda e, _: e.name and patterns.STATIC.search(e.words)),
    (Cause.SYMBOLIC, lambda e, _: e.name and patterns.TRACED.search(e.words)),
    (Cause.LIBRARIES, _import),
    (Cause.LIBRARIES, _no_name),
    (Cause.LIBRARIES, lambda e, _: e.name and patterns.UNFIT.search(e.words)),
    (Cause.NO_IMPLEMENTATION, lambda e, _: e.name and patterns.NO_FORM.search(e.words)),
    (Cause.COMPILER, lambda e, _: patterns.TOOL.search(e.words)),
    (Cause.NO_IMPLEMENTATION, lambda e, before: e.op and [*map(package, _last(before)[-1:])] == ["jax"] and e.name == "TypeError"),
    (Cause.REFUSED, lambda e, _: e.name in ("TypeError", "ValueError") and patterns.OF_ARGUMENT.search(e.words)),
    (Cause.SHAPES, lambda e, _: patterns.BEYOND.search(e.words)),
    (Cause.SHAPES, lambda e, _: patterns.VALUE.match(e.name) and patterns.SHAPES.search(e.words)),
    (Cause.SHAPES, lambda e, _: not e.name and patterns.OF_NUMPY.search(e.words)),
    (Cause.DTYPES, lambda e, _: patterns.VALUE.match(e.name) and patterns.DTYPES.search(e.words)),
    (Cause.LIBRARIES, lambda e, before: e.name in ("TypeError", "AttributeError") and _between_libraries(e, before)),
    (Cause.GPU_NOT_STARTED, _no_gpu),
    (Cause.LIBRARIES, lambda e, _: e.name and patterns.ABSENT.search(e.words)),
    (Cause.PROCESS_LOST, lambda e, _: patterns.LOST.search(e.words)),
    (Cause.STOPPED, lambda e, _: patterns.STOPPED.search(e.words)),
    (
        Cause.REFUSED,
        lambda e, before: e.name == "TypeError" and patterns.SIGNATURE.search(e.words) and _users_call(e, before),
    ),
    (Cause.LIBRARIES, lambda e, before: _refused(e, before) and while_imported(_last(before))),
    (Cause.REFUSED, _refused),
    (Cause.LIBRARY_FAULT, lambda e, _: e.name == "PanicException" or (patterns.ACCIDENT.match(e.name) and patterns.OF_NODE.match(e.words))),
    (Cause.GPU_FAULT, lambda e, _: e.name == "GpuArrayException"),
)
"""Cause -> whether an error has it; the first that fits holds."""
