"""Errors for legacy names without a counterpart, with what to write instead; and the script's line for messages about a node."""

import sys
from typing import Any, Iterator, Tuple


class NoCounterpart(Exception):
    """Base class of the errors for a name of Theano or Aesara that the installed framework lacks."""

    __module__ = "theanodiag.compat"  # one name in tracebacks, under whatever name this file was loaded

    def __init__(self, name: str, framework: str, advice: str = "", why: str = "") -> None:
        message = "{} has no counterpart in {}".format(name, framework) + (": " + why if why else "")
        super().__init__(message + ("; instead: " + advice if advice else ""))


class NoSuchAttribute(NoCounterpart, AttributeError):
    """Raised if the name is read as an attribute, so that `hasattr` is false."""

    __module__ = NoCounterpart.__module__


class NotUnpickled(NoCounterpart):
    """Raised if pickle requests the name. It is not an AttributeError, because pickle would replace that by an error without the reason."""

    __module__ = NoCounterpart.__module__


class NoSuchImport(NoCounterpart, ImportError):
    """Raised if the name is imported, so that `except ImportError` catches it."""

    __module__ = NoCounterpart.__module__


_NOT_THE_USERS = ("/theanodiag/compat/", "/pytensor/", "/aesara/")


def is_users(file: str) -> bool:
    """Returns whether `file` belongs to the user: it is neither in a framework's folder nor in this layer's."""
    return not any(part in file.replace("\\", "/") for part in _NOT_THE_USERS)


def _node_frames(node: Any) -> Iterator[Tuple[str, int]]:
    """(file, line) of the calls on the stack when `node` was created, innermost last, without calls of an Op's `make_node`."""
    for variable in node.outputs:
        for stack in getattr(variable.tag, "trace", None) or ():
            yield from ((frame[0], frame[1]) for frame in stack if frame[2] != "make_node")


def node_line(node: Any) -> str:
    """Returns `file:line` of the user's innermost call that created `node`; empty if unknown."""
    frames = [frame for frame in _node_frames(node) if is_users(str(frame[0]))]
    return "%s:%s" % frames[-1] if frames else ""


def call_prefix() -> str:
    """Returns `file:line: ` of the user's innermost call that is running; empty if there is none."""
    frame = sys._getframe(1)
    while frame is not None and not is_users(frame.f_code.co_filename):
        frame = frame.f_back  # type: ignore[assignment]
    return "%s:%s: " % (frame.f_code.co_filename, frame.f_lineno) if frame is not None else ""


def node_prefix(node: Any) -> str:
    """Returns `file:line: ` of `node_line(node)`, as the beginning of a message; empty if the line is unknown."""
    place = node_line(node)
    return place + ": " if place else ""
