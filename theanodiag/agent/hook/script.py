"""Runs the user's script as `__main__`, as `python script.py` would, and reports how it ended. Tracebacks omit frames of theanodiag."""

import __future__

import ast
import codecs
import linecache
import os
import re
import sys
import traceback
import types

from .builtin_names import own_builtins
from .sites import OURS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from .. import Live


class Ending(object):
    """How the script ended; `more` are additional fields of the event `end`."""

    def __init__(self, status: str, exit_code: "int | None" = None, **more: object) -> None:
        self.status = status  # "finished", "exited", "raised", "stopped", "syntax" or "failed"
        self.exit_code = exit_code
        self.more = more


def main_module(path: str) -> "types.ModuleType":
    """Makes the module `__main__` for the script."""
    module = types.ModuleType("__main__")
    builtins = sys.modules["builtins" if sys.version_info[0] > 2 else "__builtin__"]
    module.__dict__.update(__builtins__=builtins)
    if path.endswith(".ipynb"):
        module.__dict__.update(display=vars(builtins)["print"])  # as in IPython, which gives it no __file__
        return module
    module.__dict__.update(__file__=path)
    if sys.version_info[0] > 2:
        from importlib.machinery import SourceFileLoader

        module.__dict__.update(__cached__=None, __loader__=SourceFileLoader("__main__", path), __spec__=None)
    return module


def prepare(path: str, args: "list[str]", safe_path: bool) -> "types.ModuleType":
    """Sets sys.argv, sys.path[0] (unless `safe_path`) and sys.modules["__main__"] as the script expects them; returns the module."""
    sys.argv = [path] + args
    if not safe_path:
        sys.path.insert(0, os.path.dirname(os.path.realpath(path)))
    module = main_module(path)
    sys.modules["__main__"] = module
    return module


def run(path: str, module: "types.ModuleType", parts: "list[list[str]]", failed: "Callable[[str, int, str], None] | None" = None) -> Ending:
    """Compiles the script and executes it in `module`. Exceptions are not raised, but described by the Ending that it returns.

    `parts` replace the content of the file; empty: read the file. Each part is a pair: what follows the path in its name (`, cell 3`), and
    its text. The text of a cell is UTF-8; any other text has one character for each byte (latin-1). If `failed` is given, it is called for
    each top-level statement that raises, with the name of the part, the line and the exception, and execution continues with the next
    statement.
    """
    try:
        steps = compiled(path, parts, failed is not None)
    except (SyntaxError, ValueError, TypeError) as error:
        return syntax_ending(error)
    for step in steps:
        try:
            exec(step, module.__dict__)
        except BaseException as error:
            with own_builtins():
                if isinstance(error, SystemExit):
                    return exit_ending(error)
                if failed is None or not isinstance(error, Exception):
                    return raised_ending(error)
                name = step.co_filename
                failed(name, line_of(name, step.co_firstlineno), first_line(without_our_lines("".join(last_lines(error))))[:LONGEST])
    return Ending("finished", 0)


def compiled(path: str, parts: "list[list[str]]", each: bool) -> "list[types.CodeType]":
    """Compiles each part of the script, or with `each` its top-level statements one by one. A `from __future__ import` holds for later
    parts.
    """
    texts = [(path + str(suffix), text.encode("latin-1")) for suffix, text in parts]
    for name, text in texts:
        show_later(name, text)
    codes, future = [], 0  # type: list[types.CodeType], int
    for name, text in texts or [(path, read(path))]:
        if name != path and sys.version_info[0] == 2:
            text = codecs.BOM_UTF8 + text  # Python 2 takes the bytes for Latin-1
        code = compile(text, name, "exec", future, True)
        future = code.co_flags & FUTURE
        codes.extend(statements(text, name, future) if each else [code])
    return codes


def show_later(name: str, text: bytes) -> None:
    """Stores the lines of a part in `linecache`, so that tracebacks can show them: there is no file to read them from."""
    lines = (text if sys.version_info[0] == 2 else text.decode("utf-8", "replace")).splitlines(True)
    linecache.cache[name] = (len(text), None, lines, name)  # type: ignore[assignment]


def statements(text: bytes, path: str, future: int) -> "list[types.CodeType]":
    """Compiles each top-level statement of a script on its own. `future`: flags of the `from __future__ import`s of the whole script."""
    tree = compile(text, path, "exec", ast.PyCF_ONLY_AST | future, True)  # type: Live
    codes = []
    for statement in list(tree.body):
        tree.body = [statement]
        codes.append(compile(tree, path, "exec", future, True))
    return codes


def line_of(path: str, line: int) -> int:
    """Returns the line of the script's statement that raised the exception being handled; `line` if the traceback has none."""
    lines = [frame[1] for frame in traceback.extract_tb(sys.exc_info()[2]) if frame[0] == path]
    return lines[0] or line if lines else line


def read(path: str) -> bytes:
    """Returns the content of a file."""
    with open(path, "rb") as file:
        return file.read()


def syntax_ending(error: "Live") -> Ending:
    """Returns the Ending of a script that this Python cannot compile; null bytes raise ValueError or TypeError."""
    message = getattr(error, "msg", None) or str(error)
    line, column = getattr(error, "lineno", None) or 1, getattr(error, "offset", None) or 1
    return Ending("syntax", 1, path=getattr(error, "filename", None), message=message, line=line, column=column)


FUTURE = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names if name != "nested_scopes")
"""The flags that `from __future__ import` sets in compiled code."""
CHAIN = 50
"""Maximum number of chained exceptions that are shown; Python itself gives up at its recursion limit."""
LONGEST = 100000
"""Maximum number of characters kept of a traceback, and of a message."""


def exit_ending(error: "Live") -> Ending:
    """Returns the Ending of a script that called sys.exit; a message is printed to stderr, as Python does."""
    if error.code is None:
        return Ending("exited", 0)
    if isinstance(error.code, INTEGERS):
        return Ending("exited", status(int(error.code)))
    try:
        sys.stderr.write("%s\n" % (error.code,))
    except Exception:  # nothing that can be shown, or no stderr: Python says nothing either
        pass
    return Ending("exited", 1)


INTEGERS = (int,) if sys.version_info[0] > 2 else (int, long)  # type: ignore[name-defined]  # noqa: F821


def status(code: int) -> int:
    """Returns the exit code that sys.exit would use for this number; -1 if it does not fit a C long."""
    return code if -sys.maxsize - 1 <= code <= sys.maxsize else -1


def raised_ending(error: BaseException) -> Ending:
    """Returns the Ending of a script that raised; an excepthook installed by the script is still called."""
    kind, value, trace = sys.exc_info()
    if kind is not None and value is not None and own_excepthook():
        try:
            sys.excepthook(kind, value, trace)
        except BaseException:  # Python too ends with the first exception
            pass
    # What Python prints of a syntax error begins with its file; the text of the exception has the file's name and the line in it.
    whole = "%s: %s" % (type(error).__name__, error) if isinstance(error, SyntaxError) else "".join(last_lines(error))
    text = first_line(without_our_lines(whole))[:LONGEST]
    missing = missing_module(text) if isinstance(error, ImportError) else None
    return Ending("raised", 1, exception=text, missing=missing, traceback=shortened(report(error, trace)), within=within(error, trace))


ARGUMENTS = re.compile(r"\S\(\) (takes|got|missing)\b")
"""What Python says of a call whose arguments do not fit: our code passes those of the script on."""


def within(error: BaseException, trace: "TracebackType | None") -> "str | None":
    """Returns the place in our own files, such as `agent/hook/functions.py:12`, at which an exception came up that no `raise` there raises
    and that is not about the arguments of a call.

    None for other exceptions. It may be theanodiag's bug, or an error of a function written in C that our code calls for the script: Python
    has no frames for these.
    """
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    path = "" if trace is None else trace.tb_frame.f_code.co_filename
    if trace is None or not path.startswith(os.path.join(OURS, "agent") + os.sep):
        return None
    raises = linecache.getline(path, trace.tb_lineno).strip().startswith("raise")
    if raises or (isinstance(error, TypeError) and ARGUMENTS.search("".join(last_lines(error)))):
        return None
    return "%s:%d" % (path[len(OURS) :], trace.tb_lineno)


def first_line(text: str) -> str:
    """Returns the class of an exception and the first non-empty line of its message, from the text of a traceback."""
    lines = [line.strip() for line in text.strip().split("\n") if line.strip()]
    if len(lines) > 1 and lines[0].endswith(":"):
        return "%s %s" % (lines[0], lines[1])
    return lines[0] if lines else ""


def shortened(text: str) -> str:
    """Shortens a text to its first and last `LONGEST` / 2 characters."""
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2
    return "%s\n[... %d characters ...]\n%s" % (text[:half], len(text) - 2 * half, text[-half:])


def last_lines(error: BaseException) -> "list[str]":
    """Returns the last lines of a traceback, as Python prints them; only the class name if `str()` of the exception fails."""
    try:
        if links(error) <= CHAIN:
            return list(traceback.format_exception_only(type(error), error))
        return ["%s: %s\n" % (type(error).__name__, error)]
    except BaseException:
        return ["%s: <exception str() failed>\n" % type(error).__name__]


def behind(error: "Live") -> "Live":
    """Returns the exception that Python prints before `error`: its cause, or else its context."""
    try:
        cause = getattr(error, "__cause__", None)
        return getattr(error, "__context__", None) if cause is None and not getattr(error, "__suppress_context__", False) else cause
    except Exception:  # properties of its own
        return None


def links(error: "Live") -> int:
    """Counts the exceptions in the chain of causes, up to `CHAIN` + 1; a cycle counts as too long."""
    length = 1
    while length <= CHAIN and behind(error) is not None:
        error, length = behind(error), length + 1
    return length


def own_excepthook() -> bool:
    """Returns whether the script installed an excepthook. The hook of Theano and its successors does not count."""
    module = getattr(sys.excepthook, "__module__", "") or ""
    return sys.excepthook is not sys.__excepthook__ and module.split(".")[0] not in ("theano", "aesara", "pytensor")


def missing_module(text: str) -> "str | None":
    """Returns the missing module named in an ImportError's message; None if there is none."""
    match = re.search("No module named '?([A-Za-z0-9_.]+)", text)
    return match.group(1) if match else None


def report(error: "Live", trace: "TracebackType | None") -> str:
    """Returns the traceback as Python prints it, without the frames of theanodiag."""
    try:
        if sys.version_info[0] > 2 and links(error) <= CHAIN:
            summary = traceback.TracebackException(type(error), error, trace)
            without_ours(summary, 0)
            return without_our_lines("".join(summary.format()))
    except Exception:  # formatting the exception failed: the plain form below is safe
        pass
    note = "[exceptions behind it are left out: there are more than %d]\n\n" % CHAIN if links(error) > CHAIN else ""
    frames = [f for f in traceback.extract_tb(trace) if not ours(f[0])]
    lines = ["Traceback (most recent call last):\n"] + traceback.format_list(frames)
    return without_our_lines(note + "".join(lines + last_lines(error)))


def without_our_lines(text: str) -> str:
    """Removes theanodiag's frames from a stack inside a message. Theano prints the stack that created a variable; in an exception with
    several arguments its line ends are escaped.
    """
    frame = 'File "%s[^"]*", line [0-9]+, in ' % re.escape(OURS)
    text = re.sub("(?m)^ *" + frame + r".*\n(?:    .*\n)?", "", text)
    escaped = r"(?:(?!\\n).)*\\n"
    return re.sub(r"(?<=\\n) *" + frame + escaped + "(?:    " + escaped + ")?", "", text)


def without_ours(summary: "Live", depth: int) -> None:
    """Removes theanodiag's frames from a traceback and from those of its causes, in place."""
    summary.stack[:] = [f for f in summary.stack if not ours(f.filename)]
    for other in (summary.__cause__, summary.__context__):
        if other is not None and depth < 50:
            without_ours(other, depth + 1)


def ours(path: str) -> bool:
    """Returns whether a path belongs to theanodiag or to the import system."""
    return path.startswith("<frozen importlib") or os.path.abspath(path).startswith(OURS)
