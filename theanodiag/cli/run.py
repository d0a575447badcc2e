"""`theanodiag run SCRIPT [ARG...]`: runs a script written for Theano on the PyTensor that is installed."""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

from ..errors import ExitCode, UnreadableError, UsageError
from ..processes import interpreter
from ..workflows import python2_sources

HELP = "run a script written for Theano or Aesara on the PyTensor that is installed"
COMPAT = Path(__file__).resolve().parents[1] / "compat"


def prepare(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments."""
    parser.add_argument("-m", dest="module", metavar="MODULE", help="run a module instead of a script")
    parser.add_argument("--mode", choices=("auto", "jax", "c", "numba", "torch"), default="auto",
                        help="what computes (auto: JAX where it is installed, else C with a compiler, else numba)")  # fmt: skip
    parser.add_argument("--python", metavar="INTERPRETER", help="interpreter that has PyTensor (default: the one that runs theanodiag)")
    parser.add_argument("--python2", action="store_true", help="the script is Python 2, even if Python 3 can read it: 7 / 2 is 3")
    parser.add_argument("--fix-numpy", action="store_true", help="give back names that newer NumPy and Python removed")
    parser.add_argument(
        "--explain",
        action="store_true",
        help="at a failure: whose fault, what to do; else list which legacy names were used and what served them",
    )
    parser.add_argument("script", nargs="?", metavar="SCRIPT", help="the script")


def arranged(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Our arguments, and those that begin with the script or stand behind the module: they are the script's own."""
    at, takes = 0, ("--mode", "--python")
    while at < len(arguments):
        word = arguments[at]
        if word == "-m":
            return arguments[: at + 2], arguments[at + 2 :]
        if not word.startswith("-") and word != "run":
            return arguments[: at + 1], arguments[at + 1 :]
        at += 2 if word in takes else 1
    return arguments, []


def fissix() -> str:
    """The folder that holds fissix; empty where it is not installed beside us: then the script's interpreter must have it."""
    spec = importlib.util.find_spec("fissix")
    return str(Path(spec.origin).resolve().parents[1]) if spec is not None and spec.origin else ""


def source(args: argparse.Namespace) -> Path | None:
    """The file that is run, where it can be told without importing anything; raises UnreadableError where there is none."""
    if args.script is None:
        beside = Path(*args.module.split("."))
        return next((p for p in (beside.with_suffix(".py"), beside / "__main__.py") if p.is_file()), None)
    path = Path(args.script)
    if not path.exists():
        raise UnreadableError("no such script", path=args.script, help="a path, or -m and the name of a module")
    return path if path.is_file() and path.suffix not in (".zip", ".pyz") else None


def surroundings(file: Path | None, module: str | None, old: bool, **settings: object) -> tuple[dict[str, object], dict[str, str]]:
    """(what the layer is told, the environment variables) with which an interpreter runs `file` or `module`; `old`: it is Python 2."""
    culprit = python2_sources.first_python2(file) if file is not None else None
    settings["fissix"] = fissix()
    if old or culprit is not None:
        project = str(file.resolve().parent if file else Path.cwd())
        settings.update(python2=file.name if file else module, project=project)
        if culprit not in (None, file):
            settings["because"] = os.path.relpath(str(culprit), project)
    env = dict(os.environ, THEANODIAG_RUN=json.dumps(settings))
    env["PYTHONPATH"] = os.pathsep.join([str(COMPAT / "running" / "startup"), *filter(None, [env.get("PYTHONPATH")])])
    return settings, env


def run(args: argparse.Namespace) -> ExitCode:
    """Replaces this process by the interpreter that runs the script: the exit code is the script's."""
    if (args.script is None) == (args.module is None):
        raise UsageError("name one script, or one module with -m", help="as in theanodiag run SCRIPT [ARG...], or run -m MODULE [ARG...]")
    file = source(args)
    found = interpreter.find(args.python, os.environ) if args.python else None
    python = found.path if found else sys.executable
    settings, env = surroundings(file, args.module, args.python2, mode=args.mode, fix_numpy=args.fix_numpy, explain=args.explain)
    old = "python2" in settings
    command = [python]
    if args.module:
        command += ["-m", args.module]
    else:
        command += [str(COMPAT / "running" / "script.py")] if old else []
        command.append(args.script)
    return _become([*command, *args.script_args], env)


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
