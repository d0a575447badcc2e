"""Runs the recorded command lines, each in a copy of this process, and gives what they print as text that can be kept."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import pkgutil
import re
import shlex
import sys
import tempfile
import traceback
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import theanodiag
from theanodiag.cli.commands import COMMANDS
from theanodiag.cli.main import main
from theanodiag.version import VERSION

from . import inputs

HERE = Path(__file__).parent
MASKS = (
    (re.escape(sys.executable), "PYTHON"),
    (rf"\b{re.escape(VERSION)}\b", "VERSION"),
    (r"(?m)^theanodiag: \w+ing [^\n]*\.\.\.\n", ""),
    (r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", "NOW"),
    (r"is not one of '[^\n]*", "is not one of CHOICES"),
    (r"\b\d+(?:\.\d+)? ?m?s\b", "SECONDS"),
    (r'"seconds": [\d.e-]+', '"seconds": SECONDS'),
    (r"(memory of this host: needs [^\n]*? of )[\d.]+ [KMGT]iB", r"\1HOST"),
    (rf"\b{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES')}\b", "HOST"),
)
"""What differs from one run or machine to the next; what takes longer than a moment on a busy one says that it runs."""
VALUES = 200
"""Characters that a value of a JSON document may have to be kept as it is; of a longer one eight digits of a digest are."""


def lines(folder: Path) -> Iterator[tuple[str, ...]]:
    """The words of each command line, with the files of `folder` in place of `*`."""
    for line in (HERE / "commands.txt").read_text(encoding="utf-8").splitlines():
        words = shlex.split(line, comments=True)
        at = next((k for k, word in enumerate(words) if "*" in word), None)
        if at is None:
            yield from [tuple(words)] if words or not line else []
        else:
            names = sorted(str(path.relative_to(folder)) for path in folder.glob(words[at]))
            assert names, line
            yield from ((*words[:at], name, *words[at + 1 :]) for name in names)


def answers(every: int = 1) -> dict[str, dict[str, str]]:
    """What each command line (`every` one of so many) prints, by the command and the line.

    They run in one folder that has all of `inputs`, and must not need what another one writes.
    """
    found: dict[str, dict[str, str]] = {}
    _import_all()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        inputs.write(folder)
        for words in islice(lines(folder), 0, None, every):
            command = next((word for word in words if not word.startswith("-")), "none")
            group = command if command in COMMANDS else "others"
            found.setdefault(group, {})[shlex.join(words)] = _answer(words, folder)
    return found


def _import_all() -> None:
    """Imports what the commands do, once: each copy of this process would do so again."""
    for _, name, _ in pkgutil.walk_packages(theanodiag.__path__, "theanodiag."):
        if not re.search(r"\.(compat|inside|hook|__main__)\b", name):
            importlib.import_module(name)


def _answer(words: tuple[str, ...], folder: Path) -> str:
    """Exit code, standard output and standard error of `theanodiag WORDS`."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            _run(words, folder, out.fileno(), err.fileno())
        _, status = os.waitpid(child, 0)
        out.seek(0)
        err.seek(0)
        printed = (_kept(stream.read().decode("utf-8", "backslashreplace"), folder) for stream in (out, err))
        return "".join((f"exit code {os.waitstatus_to_exitcode(status)}\n", *printed))


def _run(words: tuple[str, ...], folder: Path, out: int, err: int) -> None:
    """The whole life of the copy of this process."""
    code = 70
    try:
        os.chdir(folder)
        os.environ.update(HOME=str(folder), COLUMNS="100")
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(out, 1)
        os.dup2(err, 2)
        sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w", encoding="utf-8"), open(2, "w", encoding="utf-8")  # noqa: SIM115
        sys.argv[0] = "theanodiag"
        try:
            code = main(words)
        except SystemExit as error:
            code = error.code if isinstance(error.code, int) else 1
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _kept(text: str, folder: Path) -> str:
    text = text.replace(str(folder), "FOLDER")
    for pattern, name in MASKS:
        text = re.sub(pattern, name, text)
    if not text.startswith("{"):
        return "".join(line.rstrip() + "\n" for line in text.splitlines())
    try:
        document = json.loads(re.sub("SECONDS", "0", text))
    except ValueError:
        return text
    return "".join(f"{place}: {value}\n" for place, value in _values(document, ""))


def _values(document: object, place: str) -> Iterator[tuple[str, str]]:
    """Each value of a JSON document after its place; a large part is one digest."""
    text = json.dumps(document, ensure_ascii=False)
    if isinstance(document, dict) and (not place or len(text) <= VALUES * 40) and document:
        for key, value in document.items():
            yield from _values(value, f"{place}.{key}".lstrip("."))
    elif len(text) <= VALUES:
        yield place, text
    else:
        yield place, f"{len(text)} characters, {hashlib.sha256(text.encode()).hexdigest()[:8]}"
