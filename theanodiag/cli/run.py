"""`theanodiag run SCRIPT [ARG...]`: runs a script written for Theano on the installed PyTensor."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import click

from .. import files
from ..compat.running import generators, notebook
from ..errors import ExitCode, UnreadableError, UsageError
from ..processes import interpreter
from ..workflows.source_files import first_python2
from .parameters import Argument, Arguments, Option, switch

COMPAT = Path(__file__).resolve().parents[1] / "compat"


PARAMETERS = (
    Option("-m", "module", metavar="MODULE", help="run a module instead of a script"),
    Option("--mode", default="auto", type=click.Choice(("auto", "jax", "c", "numba", "torch")),
        help="what runs the compiled functions (auto: JAX if it is installed, else C if there is a compiler, else numba)"),
    Option("--python", metavar="INTERPRETER", help="interpreter that has PyTensor (default: the one that runs theanodiag)"),
    switch("--python2", help="treat the script as Python 2, where 7 / 2 is 3, even if Python 3 can read it"),
    switch("--fix-numpy", help="restore names that newer NumPy and Python removed"),
    switch("--explain",
        help="after a failure, print its cause and what to do; otherwise list the legacy names used and what provided them"),
    Argument("script", metavar="SCRIPT", required=False, help="the script, or a notebook (.ipynb)"),
    Argument("words", metavar="ARG", nargs=-1, type=click.UNPROCESSED, help="arguments of the script"),
)  # fmt: skip


def arranged(words: list[str]) -> list[str]:
    """Inserts `--` after `-m MODULE` in the arguments: everything after it belongs to the module."""
    valued = {name for p in PARAMETERS if isinstance(p, Option) and not p.is_flag for name in p.opts}
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] != "-m":
        at += 2 if words[at] in valued else 1
    return [*words[: at + 2], "--", *words[at + 2 :]] if words[at : at + 1] == ["-m"] else words


TRAITS = {"usage": "SCRIPT [ARG...]", "arranged": arranged, "looks": False, "context_settings": {"allow_interspersed_args": False}}


def fissix() -> str:
    """Returns the folder of the package fissix, for interpreters in which it is not installed."""
    spec = importlib.util.find_spec("fissix")
    assert spec is not None
    assert spec.origin is not None
    return str(Path(spec.origin).resolve().parents[1])


def source(script: str | None, module: str) -> Path | None:
    """Returns the file that is run, if it can be found without importing anything. Raises UnreadableError if there is none."""
    if script is None:
        beside = Path(*module.split("."))
        return next((p for p in (beside.with_suffix(".py"), beside / "__main__.py") if p.is_file()), None)
    path = Path(script)
    if not path.exists():
        raise UnreadableError("no such script", path=script, help="a path, or -m and the name of a module")
    return path if path.is_file() and path.suffix not in (".zip", ".pyz") else None


def surroundings(file: Path | None, module: str | None, old: bool, **settings: object) -> tuple[dict[str, object], dict[str, str]]:
    """Returns (options of the compatibility layer, environment variables) with which an interpreter runs `file` or `module`; `old`: it is
    Python 2.
    """
    text = files.notebook_text(str(file), "name a script or a notebook") if file is not None and file.suffix == ".ipynb" else None
    culprit = first_python2(file) if file is not None and text is None else None
    old = old or (text is not None and notebook.is_python2(text))
    head = files.head(str(file), files.CONFIGURATION) if file is not None else b""
    settings.update(
        fissix=fissix(),
        notebook=text is not None,
        pymc3=b"pymc3" in head,
        reads=text is None and (bool(settings.get("fix_numpy")) or generators.may_end(head)),
    )
    if old or culprit is not None:
        project = str(file.resolve().parent if file else Path.cwd())
        settings.update(python2=file.name if file else module, project=project)
        if culprit not in (None, file):
            settings["because"] = os.path.relpath(str(culprit), project)
    env = dict(os.environ, **(notebook.settings(text) if text is not None else {}), THEANODIAG_RUN=json.dumps(settings))
    env["PYTHONPATH"] = os.pathsep.join([str(COMPAT / "running" / "startup"), *filter(None, [env.get("PYTHONPATH")])])
    return settings, env


def misplaced(words: list[str], file: Path | None) -> str | None:
    """Returns the first script argument that is an option of `run`, unless the script in `file` mentions it; None if there is none."""
    own = {name for p in PARAMETERS for name in p.opts if name.startswith("--")}
    options = [name for word in words if (name := word.partition("=")[0]) in own]
    if not options or file is None:
        return next(iter(options), None)
    with contextlib.suppress(OSError):
        script = files.head(str(file), files.CONFIGURATION).decode("utf-8", "replace")
        return next((name for name in options if name not in script), None)
    return None


def run(args: Arguments) -> ExitCode:
    """Replaces this process by the interpreter that runs the script; the exit code is the script's."""
    words = [word for word in (args.script, *args.words) if word is not None]
    script = words.pop(0) if words and args.module is None else None
    if (script is None) == (args.module is None):
        raise UsageError("name one script, or one module with -m", help="as in theanodiag run SCRIPT [ARG...], or run -m MODULE [ARG...]")
    file = source(script, args.module)
    option = misplaced(words, file)
    if option is not None:
        sys.stderr.write(f"theanodiag: {option} is passed to the script: options of run must come before it\n")
    python = interpreter.find(args.python, os.environ).path if args.python else sys.executable
    settings, env = surroundings(file, args.module, args.python2, mode=args.mode, fix_numpy=args.fix_numpy, explain=args.explain)
    old = "python2" in settings
    command = [python]
    if args.module:
        command += ["-m", args.module]
    else:
        command += [str(COMPAT / "running" / "script.py")] if old or settings["notebook"] or settings["reads"] else []
        command.append(str(script))
    return _become([*command, *words], env)


def _become(command: list[str], env: dict[str, str]) -> ExitCode:
    """Replaces this process where the system can; else runs a child and ends as it does."""
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name == "posix":
        try:
            os.execve(command[0], command, env)
        except OSError as error:
            raise UnreadableError(f"the interpreter does not run: {error.strerror}", path=command[0]) from None
    raise SystemExit(subprocess.call(command, env=env))
