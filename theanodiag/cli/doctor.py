"""`theanodiag doctor`: what this machine can confirm a prediction with, and the next command for what is missing."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ExitCode, UnreadableError, UsageError
from ..escaping import visible
from . import options, output
from .parameters import Arguments, Option, switch

if TYPE_CHECKING:
    from ..probe.model import ProbeResult


PARAMETERS = (
    Option("--python", metavar="INTERPRETER", multiple=True, help="an interpreter to look at, also several"),
    switch("--only", help="examine only the interpreters given with --python"),
    Option("--links", metavar="DIR", help="make a folder of links by which libgpuarray finds the CUDA libraries that are installed here"),
    Option("--calibrate", metavar="DEVICE", flag_value="cuda",
        help="measure the size of the CUDA context with the first --python, and keep it for later predictions"),
    switch("--xla", help="install JAX's GPU compiler (half a GB) in theanodiag's cache, for the first --python; asks first"),
    Option("--recipe", metavar="DIR", help="write lock and container of an environment where Theano 1.0.5 compiles"),
    switch("--yes", help="with --xla: do not ask"),
    options.format_option((*output.FORMATS, "html")),
    options.output_file(),
)  # fmt: skip


def run(args: Arguments) -> ExitCode:
    """Looks, and prints what there is; always clean, since what is missing is an answer."""
    options.only_with(args, args.xla, "--xla", "yes")
    alone = [f"--{name}" for name in ("calibrate", "xla", "recipe", "links") if getattr(args, name)]
    if len(alone) > 1:
        raise UsageError(f"{' and '.join(alone)} are done one at a time", help="leave all but one of them out")
    if alone and (args.format != "text" or args.output is not None):
        raise UsageError(f"{alone[0]} prints no report", help="leave --format and --output out")
    if args.calibrate:
        from .doctor_makes import calibrate, told

        output.write(visible(told(calibrate(args.calibrate, args.python[0] if args.python else None))) + "\n")
        return ExitCode.CLEAN
    if args.xla:
        from .doctor_makes import install_xla

        return install_xla(args.python[0] if args.python else None, args.yes)
    if args.recipe:
        from .doctor_makes import make_recipe

        return make_recipe(Path(args.recipe).expanduser(), args.python)
    options.require_output(args)
    found = _look(args)
    if args.links:
        return _links(found, Path(args.links).expanduser())
    from .doctor_text import text

    if args.format == "html":
        from ..report.html import pages

        output.deliver(pages.doctor(found), args.output)
    elif args.format == "json":
        from ..report.v1 import doctor, parts  # msgspec is imported only where JSON is written

        output.deliver(parts.text(doctor.DoctorV1.of(found)), args.output)
    elif args.output in (None, "-"):
        output.show(text(found))
    else:
        output.deliver(text(found), args.output)
    return ExitCode.CLEAN


def _look(args: Arguments) -> ProbeResult:
    from ..probe.look import look
    from ..processes.guard import temporary
    from .progress import Progress

    with temporary() as scratch, Progress("looking at interpreters and devices"):
        return look(args.python, sys.executable, os.environ, Path.cwd(), scratch, around=not args.only)


def _links(found: ProbeResult, folder: Path) -> ExitCode:
    """Makes the folder of links and says how to use it; findings where a name still leads nowhere."""
    from ..doctor.recipe import best_of, exports
    from ..probe.libraries import ASKED, links, make_links

    best = best_of(found)
    if not best:
        help = "pip install nvidia-cuda-nvrtc-cu12 nvidia-cublas-cu12, or a CUDA toolkit; theanodiag doctor says which version"
        raise UnreadableError("no library that libgpuarray could use is installed here", help=help)
    table = links(best)
    make_links(folder, table)
    for name in sorted(table):
        output.complain(visible(f"{folder / name} -> {table[name]}") + "\n")
    missing = [name for name in ASKED if name not in best]
    for name in missing:
        output.note(f"{name}: no library on this machine provides it")
    output.write("".join(f"{line}\n" for line in exports(str(folder))))
    return ExitCode.FINDINGS if missing else ExitCode.CLEAN
