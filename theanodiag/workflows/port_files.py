"""Ports the sources below given paths, one file after the other; links that lead outside are not followed."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

from .. import files
from ..errors import Span, TheanodiagError, UnreadableError, UsageError
from ..porting import model, python2, relative_imports, source_port
from ..porting.model import FRAMEWORKS, NOWHERE, Around, FileReport, PortOptions, Style
from ..porting.python2_marks import BRIDGE
from ..processes import git
from ..processes.time_limit import time_limit
from .python2_imports import LARGEST, MOST_IMPORTS, OnDisk, imported_by_python2

SUFFIXES = (".py", ".ipynb")
"""Suffixes of the files that are ported in folders; a file that is named explicitly is ported whatever its suffix."""
_LEFT_OUT = frozenset(("__pycache__", "node_modules", "site-packages"))


@dataclass(frozen=True)
class SkippedLink:
    """A symbolic link that leads outside the given paths and is not followed."""

    path: str
    reason: str


def sources(paths: Sequence[str]) -> Iterator[str | UnreadableError | SkippedLink]:
    """Yields the files to port: the named files, and the sources in folders, sorted by name.

    Folders whose name begins with a dot are skipped, and each file is yielded once. Links in folders are not followed: the file that a link
    leads to is yielded at its own place, or as `SkippedLink` if that place is not among the paths. A named path below the current folder is
    not followed out of the current folder through a link (a shell's `*` names links too). A named path elsewhere is not followed out of its
    own folder.
    """
    roots = tuple(os.path.realpath(path) for path in paths if os.path.isdir(path) and _stays(path, ()))
    seen: set[str] = set()
    for path in paths:
        named = iter((path if _stays(path, roots) else _skipped(path),))
        for file in _below(path, roots) if os.path.isdir(path) and _stays(path, roots) else named:
            if isinstance(file, str):
                real = os.path.realpath(file)
                if real in seen:
                    continue
                seen.add(real)
            yield file


def _below(folder: str, roots: Sequence[str]) -> Iterator[str | UnreadableError | SkippedLink]:
    refused: list[OSError] = []
    for here, folders, names in os.walk(folder, onerror=refused.append):
        while refused:
            yield _unreadable(refused.pop())
        folders[:] = sorted(f for f in folders if not _is_left_out(f))
        for name in folders:
            path = os.path.join(here, name)
            if os.path.islink(path) and not _is_walked(os.path.realpath(path), roots):
                yield _skipped(path)
        for name in sorted(n for n in names if n.endswith(SUFFIXES)):
            path = os.path.join(here, name)
            real = os.path.realpath(path)
            if not os.path.islink(path) or not os.path.exists(real):  # a broken link is reported as a missing file
                yield path
            elif not (_is_walked(real, roots) and real.endswith(SUFFIXES)):
                yield _skipped(path)
    while refused:
        yield _unreadable(refused.pop())


def _stays(path: str, roots: Sequence[str]) -> bool:
    """Whether `path`, after resolving symbolic links, is below one of the roots or the working folder, or in the folder of the unresolved
    path. Always True for folders outside the working folder.
    """
    whole, here = os.path.abspath(path), os.path.abspath(".")
    if os.path.isdir(path) and not _is_inside(whole, here):
        return True
    start = here if _is_inside(whole, here) else os.path.dirname(whole)
    return any(_is_inside(os.path.realpath(path), root) for root in (*roots, os.path.realpath(start), os.path.realpath(here)))


def _is_left_out(name: str) -> bool:
    return name.startswith(".") or name in _LEFT_OUT


def _is_walked(real: str, roots: Sequence[str]) -> bool:
    """Whether the search below one of the roots finds a file anyway."""
    inside = (os.path.relpath(real, root).split(os.sep) for root in roots if _is_inside(real, root))
    return any(not any(_is_left_out(part) for part in parts[:-1]) for parts in inside)


def _is_inside(real: str, root: str) -> bool:
    return real == root or real.startswith(root.rstrip(os.sep) + os.sep)


def _skipped(path: str) -> SkippedLink:
    return SkippedLink(path, f"a link to {os.path.realpath(path)}, which is not among the files to port; name that file to port it")


def _unreadable(error: OSError) -> UnreadableError:
    return UnreadableError(f"cannot be read: {error.strerror}", path=str(error.filename), help="change its permissions, or leave it out")


_HIGHEST = 12
"""Number of folders above a source that are searched."""


class Surroundings:
    """Finds facts about the folders around sources; facts about a package are cached for the whole run, even while its sources are
    rewritten. Without `python2to3`, the Python version of scripts that import a source is not examined.
    """

    def __init__(self, python2to3: bool = False) -> None:
        self._names = functools.cache(_names)
        self._packages = functools.cache(_is_python2)
        self._imported = functools.cache(imported_by_python2 if python2to3 else lambda folder: frozenset())

    def of(self, path: str) -> Around:
        """Returns facts about the folders around the source `path`."""
        path = os.path.abspath(path)
        folder = os.path.dirname(path)
        packaged = os.path.isfile(os.path.join(folder, "__init__.py"))
        above = frozenset(name for one in _folders(folder) for name in self._names(one))
        stem = os.path.splitext(os.path.basename(path))[0]
        beside = self._names(folder) - {"__init__"} if packaged else frozenset[str]()
        scripts = os.path.dirname(_top(folder)) if packaged else folder
        around = Around(stem, beside, above, lambda: (packaged and self._packages(_top(folder))) or path in self._imported(scripts))
        around.is_python2()  # before any of its sources is written
        return around


def _folders(folder: str) -> list[str]:
    """The folder and those above it, up to the top of a repository or to that of an installed package."""
    folders = []
    for _ in range(_HIGHEST):
        folders.append(folder)
        if os.path.lexists(os.path.join(folder, ".git")) or os.path.dirname(folder) == folder:
            break
        folder = os.path.dirname(folder)
    return folders


def _top(folder: str) -> str:
    """The topmost package in which a folder is."""
    while os.path.isfile(os.path.join(os.path.dirname(folder), "__init__.py")):
        folder = os.path.dirname(folder)
    return folder


def _names(folder: str) -> frozenset[str]:
    """The modules and packages in a folder."""
    names: set[str] = set()
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return frozenset()
    for entry in entries:
        stem, suffix = os.path.splitext(entry.name)
        if suffix in (".py", ".so", ".pyd"):
            names.add(stem.partition(".")[0])
        elif not suffix and os.path.isfile(os.path.join(entry.path, "__init__.py")):
            names.add(stem)
    return frozenset(names)


def _is_python2(package: str) -> bool:
    """Whether a source of a package is one of Python 2, and none is written for both."""
    has_python2 = False
    for here, folders, names in os.walk(package):
        folders.sort()
        for name in sorted(n for n in names if n.endswith(".py")):
            path = os.path.join(here, name)
            try:
                text = model.read(files.read(path, LARGEST), path).text
            except TheanodiagError:
                continue
            if BRIDGE.search(text) is not None:
                return False
            has_python2 = has_python2 or python2.is_source_of_python2(text, path)
    return has_python2


SECONDS = 60.0
"""Default time limit for one file in seconds; public sources take a second at most."""


def port(
    source: str, *, to: str = "pytensor", style: str = "native", unsafe: bool = False, python2to3: bool = False, path: str = "<source>"
) -> FileReport:
    """Port the text of a source to PyTensor, PyMC or Aesara.

    Args:
        source: The text of a Python file, or of a notebook if `path` ends with `.ipynb`.
        to: The target: "pytensor", "aesara" or "pymc". For PyMC3 sources, "pytensor" and "pymc" both mean PyMC. "theano", together with
            `python2to3`, converts the source to Python 3 and keeps Theano.
        style: How to replace functions that behave differently. "native": by the target's own if possible. "compat": by those of
            `theanodiag.legacy`.
        unsafe: Also make changes that may alter results.
        python2to3: First convert a Python 2 source to Python 3.
        path: Name of the source in messages.

    Returns:
        The report; its field `after` is the new text.

    Raises:
        UnreadableError: The text is neither Python 2 nor Python 3.
        UsageError: `source` is the name of a file instead of its text, `to` or `style` has an unknown value, or an argument has no effect
            with the others.

    >>> port("import theano.tensor as T\\ny = T.sqr(T.vector())\\n").after
    'import pytensor.tensor as T\\ny = T.square(T.vector())\\n'
    """
    files.require_text(source, "script")
    for name, value, choices in (("to", to, tuple(FRAMEWORKS)), ("style", style, tuple(s.value for s in Style))):
        if value not in choices:
            raise UsageError(f"{name} is one of {', '.join(choices)}, not {value!r}")
    move = source_port.port_notebook if path.endswith(".ipynb") else source_port.port_text
    return move(source, path, options(to, style, unsafe, python2to3))


def options(to: str, style: str, unsafe: bool, python2to3: bool) -> PortOptions:
    """Returns the options of a port to one of `FRAMEWORKS`. Raises UsageError for options that have no effect together."""
    if to == "theano" and (not python2to3 or style != Style.NATIVE.value or unsafe):
        raise UsageError(
            "a source for Theano stays one: only its Python 2 can be translated to Python 3",
            help="--to theano --python2to3, without --unsafe and --style",
        )
    return PortOptions(FRAMEWORKS[to], Style(style), unsafe, python2to3)


def port_file(path: str, options: PortOptions, around: Around = NOWHERE, seconds: float = SECONDS) -> tuple[FileReport, bytes, bytes]:
    """Ports one file. Returns the report, the file's bytes, and the bytes that replace them.

    A file that cannot be read or parsed, or not within `seconds`, is reported as failed. A file at which theanodiag itself fails is
    reported as failed too, so that the other files are still ported.
    """
    text = ""
    try:
        with time_limit(seconds, path, "leave the file out, or allow more by --file-timeout"):
            data = files.read(path, files.TEXT, help="name a source of Python")
            source = model.read(data, path)
            text = source.text
            if source.undeclared is not None and not path.endswith(".ipynb"):
                raise _no_encoding(source, source.undeclared, path)
            move = source_port.port_notebook if path.endswith(".ipynb") else source_port.port_text
            report = move(text, path, options, around)
            return report, data, source.encoded(report.after) if report.changed else data
    except TheanodiagError as error:
        return source_port.failed(path, text, error), b"", b""
    except MemoryError:
        return (
            source_port.failed(path, text, UnreadableError("there is not enough memory for it", path=path, help="leave it out")),
            b"",
            b"",
        )
    except Exception as error:
        return source_port.failed(path, text, source_port.bug(path, f"{type(error).__name__}: {error}")), b"", b""


def _no_encoding(source: model.SourceText, at: int, path: str) -> UnreadableError:
    what = f"the byte 0x{ord(source.text[at]):02x} is not UTF-8, and the file declares no encoding: no Python can read it"
    help = "write the encoding in the first line: # -*- coding: latin-1 -*-"
    return UnreadableError(what, span=Span(path, source.text, at, at + 1), help=help)


def left_imports(
    importers: Iterable[FileReport], ported: Iterable[str], options: PortOptions, seconds: float = SECONDS
) -> Iterator[tuple[str, str]]:
    """Yields (file, importer) of each module that must be ported too before the `ported` files run: a module that one of the `importers`
    imports, directly or not, that is not among the `ported` paths, and that these options would change.
    """
    surroundings = Surroundings(options.python2to3)
    seen = set(map(os.path.abspath, ported))
    waiting = [(os.path.abspath(report.path), report.before) for report in importers if report.path.endswith(".py")]
    for _ in range(MOST_IMPORTS):
        if not waiting:
            return
        importer, text = waiting.pop(0)
        for path in sorted(relative_imports.imported(text, importer, OnDisk()) - seen):
            seen.add(path)
            shown = os.path.relpath(path)
            report = port_file(shown, options, surroundings.of(path), seconds)[0]
            waiting.append((path, report.before))
            if report.changed:
                yield shown, os.path.relpath(importer)


def require_committed(paths: Sequence[str], sources: Iterable[str]) -> None:
    """Raises `UsageError` if git has uncommitted changes at one of `paths`, or in a repository below them that contains one of `sources`.

    Links are followed. Files that git ignores (`.gitignore`) do not count, nor do new files that are not among the `sources`, because they
    are not written. If there is a repository but git does not answer, that is an error too.
    """
    written = {os.path.realpath(source) for source in sources}
    by_repository: dict[str, set[str]] = {}
    for path in paths:
        real = os.path.realpath(path)
        if (top := git.repository(real if os.path.isdir(real) else os.path.dirname(real))) is not None:
            by_repository.setdefault(top, set()).add(os.path.relpath(real, top))
    for source in sorted(written):
        top = git.repository(os.path.dirname(source))
        if top is not None and top not in by_repository:
            by_repository[top] = {"."}
    for top, within in by_repository.items():
        line = _uncommitted(top, sorted(within), written)
        if line is not None:
            raise UsageError(f"{_shown(top)}: git has changes here that are not committed: {line}", help="commit them, or use --force")


def _uncommitted(top: str, within: Sequence[str], written: Set[str]) -> str | None:
    """The first line of what git reports as not committed at these paths of a repository; None if everything is.

    A new file is passed over unless it is `written`. A new folder is not: git does not list what is in it.
    """
    problem = "git cannot tell whether everything here is committed"
    try:
        words = ("status", "--porcelain", "--untracked-files=normal", "--ignore-submodules=all", "--no-renames", "--", *within)
        done = git.run_git(top, *words, seconds=60)
    except OSError as error:
        raise UsageError(f"{_shown(top)}: {problem}: {error.strerror}", help="use --force if it is") from None
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[0]
        raise UsageError(f"{_shown(top)}: {problem}: {reason}", help="use --force if it is")
    return next((line.strip() for line in done.stdout.splitlines() if not _harmless(line, top, written)), None)


def _harmless(line: str, top: str, written: Set[str]) -> bool:
    """Whether a line of git's status is about a new file that is not `written`; a quoted name is not read."""
    name = line[3:]
    return line.startswith("?? ") and not name.endswith(("/", '"')) and os.path.realpath(os.path.join(top, name)) not in written


def _shown(folder: str) -> str:
    """The path of a folder as displayed: relative to the working folder if it is inside."""
    inside = os.path.relpath(folder)
    return folder if inside.startswith(os.pardir) else inside
