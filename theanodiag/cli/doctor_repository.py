"""`theanodiag doctor REPO`: the packages that the scripts of a repository need under `theanodiag run`, as a tested environment."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..dependencies.environment import PYTHON, RELEASES, RepositoryEnvironment, environment_commands, environment_files, resolve
from ..errors import ExitCode, UnreadableError, UsageError
from ..escaping import visible
from ..processes.group import run
from . import output
from .doctor_outputs import interpreter, write_recipe
from .parameters import Arguments
from .progress import Progress

LIMIT = 3600.0
"""Maximum number of seconds for one command of the installation."""


def describe_repository(args: Arguments) -> ExitCode:
    """Prints the packages, or writes the files of the environment to the folder of --recipe and, with --install, creates and tests it.

    FINDINGS if a required module has no known package, a source cannot be read, or (with --install) a package or an import fails.
    """
    if args.format == "html":
        raise UsageError("there is no HTML report of a repository's environment", help="use --format text or json")
    with Progress("reading the sources"):
        environment = resolve(args.repository)
    if args.recipe:
        return _make(environment, Path(args.recipe).expanduser(), args)
    if args.format == "json":
        output.deliver(_json(environment), args.output, _summary(environment))
    elif args.output in (None, "-"):
        output.show(text(environment))
    else:
        output.deliver(text(environment), args.output, _summary(environment))
    return _code(environment)


def _code(environment: RepositoryEnvironment) -> ExitCode:
    return ExitCode.FINDINGS if environment.unavailable or environment.sources.unread else ExitCode.CLEAN


def _json(environment: RepositoryEnvironment) -> str:
    from ..report.v1 import common, doctor  # msgspec is imported only where JSON is written

    sources = environment.sources
    return common.text(
        doctor.DoctorRepositoryV1(
            schema="theanodiag/doctor-repository/v1",
            python=PYTHON,
            sources=sources.count,
            python2=list(sources.python2),
            unread=list(sources.unread),
            packages=[doctor.PackageV1(one.requirement, str(one.location), one.reason) for one in environment.packages],
            unavailable=[doctor.UnavailableModuleV1(one.name, str(one.location), one.advice) for one in environment.unavailable],
            dropped=[doctor.DroppedRequirementV1(one.name + one.specifier, str(one.location)) for one in environment.dropped],
        )
    )


def _summary(environment: RepositoryEnvironment) -> str:
    lacking = len(environment.unavailable)
    return f"{len(environment.packages)} packages" + (f"; no package is known for {lacking} modules" if lacking else "")


def text(environment: RepositoryEnvironment) -> str:
    """Returns the packages, the modules without one, and the commands that follow, as text."""
    return "".join(f"{visible(line)}\n" for line in _lines(environment))


def _lines(environment: RepositoryEnvironment) -> Iterator[str]:
    sources, folder = environment.sources, shlex.quote(environment.folder)
    old = f", {len(sources.python2)} of them Python 2 (run translates them)" if sources.python2 else ""
    yield f"{sources.count} sources{old}. CPython {PYTHON} (or {', '.join(RELEASES[1:])}) and these packages run them with theanodiag run:"
    yield ""
    yield from _table([(one.requirement, f"{one.location}", one.reason) for one in environment.packages])
    if environment.unavailable:
        yield ""
        yield "Imported, but no package is known:"
        yield from _table([(one.name, str(one.location), one.advice) for one in environment.unavailable])
    if environment.dropped:
        yield ""
        yield f"Declared for a release that may not exist for CPython {PYTHON}; the newest release is installed instead:"
        yield from _table([(one.name + one.specifier, str(one.location), "") for one in environment.dropped])
    if sources.unread:
        yield ""
        yield "Not read:"
        yield from _table([(path, reason, "") for path, reason in sources.unread])
    yield ""
    yield f"do: theanodiag doctor {folder} --recipe DIR            to write requirements.txt and a program that tests all imports"
    yield f"    theanodiag doctor {folder} --recipe DIR --install  to create the environment in DIR/env, and test it, as well"


def _table(rows: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    first, second = (max((len(row[k]) for row in rows if len(row[k]) <= 40), default=0) for k in (0, 1))
    yield from (f"  {row[0]:<{first}}  {row[1]:<{second}}  {row[2]}".rstrip() for row in rows)


def _make(environment: RepositoryEnvironment, folder: Path, args: Arguments) -> ExitCode:
    """Writes the files and prints the commands that create and test the environment; with --install, runs these commands."""
    write_recipe(folder, environment_files(environment))
    tried = args.python or (sys.executable, *(f"python{release}" for release in RELEASES))
    python = next(filter(None, (interpreter(name, RELEASES) for name in tried)), None)
    if python is None:
        subject = "the interpreters named with --python are" if args.python else "no interpreter on PATH is"
        output.note(f"{subject} CPython {', '.join(RELEASES)} with the modules venv and ensurepip: name one with --python")
    commands = environment_commands(shlex.quote(str(folder)), shlex.quote(python or f"python{PYTHON}"))
    for module in environment.unavailable:
        output.note(f"{module.location}: {module.name}: {module.advice}")
    if not args.install:
        output.write("".join(f"{visible(line)}\n" for line in commands))
        return _code(environment)
    if python is None:
        raise UnreadableError("there is no interpreter for the environment", help="name one with --python")
    return max(_code(environment), _install(environment, commands))


def _install(environment: RepositoryEnvironment, commands: Sequence[str]) -> ExitCode:
    """Runs the commands in turn, with their output on standard error; FINDINGS if a package cannot be installed, or an import fails.

    If pip rejects the requirements file, each package is installed alone, so that one without a release for this Python stops no other.
    Raises UnreadableError if the environment cannot be created.
    """
    create, install, test = commands
    if _shown(create) != 0:
        raise UnreadableError(f"this command failed: {visible(create)}", help="name another interpreter with --python")
    failed: list[str] = []
    if _shown(install) != 0:
        pip, folder = install.partition(" -r ")[0], shlex.split(install)[-1].rpartition("/")[0]
        lines = ["Theano==1.0.5+theanodiag", *(package.requirement for package in environment.packages)]
        failed = [line for line in lines if _shown(f"{pip} --find-links {shlex.quote(folder)} {shlex.quote(line)}") != 0]
        for line in failed:
            output.note(f"{line}: pip did not install it; its message above says why")
    output.complain(visible(f"+ {test}") + "\n")
    works = _run([sys.executable, "-m", *shlex.split(test)], stdout=1) == 0
    return ExitCode.FINDINGS if failed or not works else ExitCode.CLEAN


def _shown(command: str) -> int:
    """The exit code of a command, which is printed first."""
    output.complain(visible(f"+ {command}") + "\n")
    return _run(shlex.split(command))


def _run(command: Sequence[str], stdout: int = 2) -> int:
    return run(command, dict(os.environ), LIMIT, stdout, 2).returncode
