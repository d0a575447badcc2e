"""`check --diff` and `check --fix`: applies the plan to the script, its modules, or an rc file, after checking the result."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import UsageError
from ..escaping import visible, visible_lines
from ..files import decoded
from ..units import format_bytes
from . import output
from .atomic_write import require_writable, write_atomically
from .output import difference
from .parameters import Arguments, Option, switch

if TYPE_CHECKING:
    from ..findings import FlagChange, PlanStep
    from ..jobs.plan_application import Followed
    from ..report.model import Report
    from ..requests import CheckRequest


@dataclass(frozen=True)
class ChangedRcFile:
    """An rc file before and after flags are set in it."""

    path: str
    variable: str
    """The environment variable that names such files: `THEANORC`."""
    data: bytes | None
    """The current content; None if the file does not exist."""
    before: str
    after: str


def parameters() -> tuple[Option, ...]:
    """Returns the options."""
    return (
        switch("--diff", help="show the plan that makes the script fit, as a patch of the script and the rc file, and write nothing"),
        Option("--fix", metavar="FILE", flag_value="",
            help="set the flags of the plan, or of other advice that makes the script fit by flags alone, in an rc file (default: the one "
            "in use); for a script that fits, the recommended preallocation"),
    )  # fmt: skip


def require_suited(args: Arguments) -> None:
    """Raises `UsageError` for options that have no effect with `--diff`, and `UnreadableError` if the file of `--fix` cannot be written."""
    if args.diff:
        given = args.given if args.format == "text" else {*args.given, "format"}  # a configuration can set the format
        for name in sorted(given & {"fix", "log", "confirm", "calibrate", "function", "format"}):
            raise UsageError(f"--diff only shows changes: --{name} has no effect", help="leave one of them out", option="diff")
    if args.fix:
        require_writable(args.fix)


def show_difference(report: Report, request: CheckRequest, args: Arguments) -> None:
    """Prints the tried changes as `diff -u` does. Prints their effect and the remaining manual changes to stderr."""
    followed, rc = _followed(report, request, None)
    lines = [] if rc is None or followed is None else list(difference(rc.before, rc.after, rc.path, "set"))
    if followed is not None:
        old, new = (decoded(data) for data in (followed.before, followed.after))
        lines = [*difference(old, new, followed.path, "changed"), *lines]
    output.deliver(visible_lines("".join(lines)), args.output)
    _tell(report, followed)


def write_flags(report: Report, request: CheckRequest, path: str) -> None:
    """Sets the flags of the plan, or the recommended preallocation, in `path` (empty: the rc file that the framework reads). Writes a note
    to stderr if there are no such flags, or if they alone do not have the promised effect.
    """
    followed, rc = _followed(report, request, path)
    if rc is None or followed is None:
        why = "no advice makes it fit by flags alone" if report.process.fits is False else "no preallocation is recommended"
        output.tell(f"{why}; nothing was written (--diff shows the changes of the plan)")
        return
    if followed.before != followed.after:
        output.tell("flags alone are not sufficient, the script has to be changed too (--diff shows how); nothing was written")
        return
    if rc.before == rc.after:
        output.tell(f"{rc.path}: nothing to change")
        return
    from ..flags.rcfile_text import encode

    kept = write_atomically(rc.path, encode(rc.after), before=rc.data, backup=rc.data is not None)
    if kept:
        output.note(f"{rc.path}: kept as {kept}")
    output.tell(f"{rc.path}: written")
    _tell(report, followed)


def _followed(report: Report, request: CheckRequest, path: str | None) -> tuple[Followed | None, ChangedRcFile | None]:
    """(the steps that keep their promise when the script is checked again, the rc file with their flags). With a `path` only flags
    are changed, else lines of the script too.
    """
    from ..jobs.plan_application import by_flags_alone, flags_of, follow, followable
    from .progress import Progress

    steps = followable(report)
    while steps and path is not None and len(flags_of(steps[-1:])) == 0:
        steps = steps[:-1]
    tries = [steps[:k] for k in range(len(steps), 0, -1)]
    for steps in [*tries, *(by_flags_alone(report) if path is not None and not tries else ())]:
        rc = _with_flags(report, flags_of(steps), path)
        with _tried(rc) as env, Progress(f"checking {request.path} with the changes"):
            followed = follow(request, report, steps, env)
        if followed is not None:
            return followed, rc
    return None, None


def _with_flags(report: Report, flags: Sequence[FlagChange], path: str | None) -> ChangedRcFile | None:
    """The rc file with these flags set; None if there is no flag. Raises `UsageError` for flags that the framework does not have."""
    if not flags:
        return None
    from ..flags.model import Dialect
    from ..flags.rcfile_text import decode, parse_rc
    from . import config_set
    from .config_input import default_file, read_bytes, table_of

    framework = report.target.framework
    dialect = Dialect(framework.library if framework else "theano")
    version = framework.version if framework and framework.alias_of is None else None
    target = path or default_file(dialect) or os.path.expanduser(f"~/.{dialect.value}rc")
    table = table_of(dialect.value, version, target)
    wanted = dict(config_set.resolved(table, [(f.name, f.value) for f in flags]))
    data = read_bytes(target) if os.path.lexists(target) else None
    document = parse_rc(decode(data or b"", target), target)
    after = config_set.changed(document, wanted.items())
    config_set.verify(document, after, wanted)
    return ChangedRcFile(target, dialect.rc_variable, data, document.text, after)


@contextmanager
def _tried(rc: ChangedRcFile | None) -> Iterator[dict[str, str]]:
    """The environment in which the framework reads the rc file as it would be."""
    from ..flags.rcfile_text import encode
    from ..processes.group import temporary

    if rc is None:
        yield {}
        return
    with temporary() as folder:
        new = folder / "rc"
        new.write_bytes(encode(rc.after))
        named = [p for p in os.environ.get(rc.variable, f"~/.{rc.variable[:-2].lower()}rc").split(os.pathsep) if p]
        others = [p for p in named if os.path.expanduser(p) != rc.path]
        yield {rc.variable: os.pathsep.join([*others, str(new)])}


def _tell(report: Report, followed: Followed | None) -> None:
    """Prints on stderr what the check of the changed script found, and which steps are left to do."""
    from ..jobs.plan_application import manual_steps
    from ..report.next_step import cure_of
    from ..report.verdict import conclusion, needed

    done: Sequence[PlanStep] = () if followed is None else followed.steps
    if followed is not None:
        need, there_is = needed(followed.report), report.target.device.available_bytes
        most = "at most " * followed.report.process.bounded
        fits = {True: "it fits", False: "it does not fit yet", None: "it may fit"}[followed.report.fits]
        of = "" if there_is is None else f" of {format_bytes(there_is)}"
        output.tell(f"checked again with these changes: {fits}, {most}{format_bytes(need)}{of}")
    rest = manual_steps(report, done)
    if followed is None and not rest:
        why = f": {conclusion(report)[0]}"
        cure = cure_of(report)
        if report.process.fits is False:
            why = f": the advice of {cure.code} makes it fit, but must be applied by hand" if cure else ": no plan makes it fit"
        elif cure is not None and cure.fix is not None:
            code = cure.fix.code or ""
            words = cure.fix.title if "\n" in code or not code else f"{cure.fix.title}: {code}"
            why = f", as an upper bound cannot show that it does not fit; the advice of {cure.code} lowers the bound enough ({words})"
        output.tell(f"there is nothing to change{why}")
    for number, step in enumerate(rest, len(done) + 1):
        lines = "".join(f"    {visible(line)}\n" for line in step.code.splitlines())
        output.complain(f"by hand, step {number}: {visible(step.description)}\n{lines}")
