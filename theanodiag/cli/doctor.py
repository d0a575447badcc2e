"""`theanodiag doctor`: how predictions can be confirmed on this machine, and the command that installs what is missing.

`theanodiag doctor REPO`: an environment in which `theanodiag run` runs the scripts of a repository.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..confirmation.available import abilities
from ..doctor import Legacy, advise, summary
from ..errors import ExitCode, UnreadableError, UsageError
from ..escaping import visible
from ..probe.model import FrameworkSeen, InterpreterSeen, ProbeResult, SeenDevice
from ..units import format_bytes
from . import output, shared_options
from .parameters import Argument, Arguments, Option, switch

if TYPE_CHECKING:
    from ..probe.model import ProbeResult


PARAMETERS = (
    Option("--python", metavar="INTERPRETER", multiple=True, help="an interpreter to examine (repeatable)"),
    switch("--only", help="examine only the interpreters given with --python"),
    Option("--links", metavar="DIR", help="create this folder, with links through which libgpuarray finds the installed CUDA libraries"),
    Option("--calibrate", metavar="DEVICE", flag_value="cuda",
        help="measure the size of the CUDA context with the first --python, and save it for later predictions"),
    switch("--xla", help="install JAX's GPU compiler (half a GB) in theanodiag's cache, for the first --python, after asking you"),
    Option("--recipe", metavar="DIR",
        help="write the files of an environment: with REPO the requirements of its sources under theanodiag run, else those of "
        "Theano 1.0.5 with a C compiler"),
    switch("--install", help="with REPO and --recipe: also create the environment in DIR/env, install the packages, and test all imports"),
    switch("--yes", help="with --xla: install without asking"),
    shared_options.format_option((*output.FORMATS, "html")),
    shared_options.output_file(),
    Argument("repository", metavar="REPO", required=False,
        help="a folder with sources: list the packages that they need, instead of examining this machine"),
)  # fmt: skip


def run(args: Arguments) -> ExitCode:
    """Prints what is installed. UNREADABLE if an interpreter named with --python does not run; missing parts are a valid answer."""
    shared_options.only_with(args, args.xla, "--xla", "yes")
    shared_options.only_with(args, bool(args.python), "--python", "only")
    shared_options.only_with(args, args.repository is not None and args.recipe is not None, "REPO and --recipe", "install")
    alone = [f"--{name}" for name in ("calibrate", "xla", "recipe", "links") if getattr(args, name)]
    if len(alone) > 1:
        raise UsageError(f"{' and '.join(alone)} are done one at a time", help="leave all but one of them out")
    if alone and (args.format != "text" or args.output is not None):
        raise UsageError(f"{alone[0]} prints no report", help="leave --format and --output out")
    if args.repository is not None:
        others = [*(name for name in alone if name != "--recipe"), *(["--only"] if args.only else [])]
        if others or (args.python and not args.recipe):
            raise UsageError(f"{(others or ['--python'])[0]} has no effect with REPO", help="leave it out, or leave REPO out")
        shared_options.require_output(args)
        from .doctor_repository import describe_repository

        return describe_repository(args)
    if args.calibrate:
        from .doctor_outputs import calibrate, describe

        output.write(visible(describe(calibrate(args.calibrate, args.python[0] if args.python else None))) + "\n")
        return ExitCode.CLEAN
    if args.xla:
        from .doctor_outputs import install_xla

        return install_xla(args.python[0] if args.python else None, args.yes)
    if args.recipe:
        from .doctor_outputs import make_recipe

        return make_recipe(Path(args.recipe).expanduser(), args.python)
    shared_options.require_output(args)
    machine = _look(args)
    if args.links:
        return _links(machine, Path(args.links).expanduser())

    if args.format == "html":
        from ..report.html import command_pages

        output.deliver(command_pages.doctor(machine, output.LOOK.command), args.output, summary(abilities(machine)))
    elif args.format == "json":
        from ..report.v1 import common, doctor  # msgspec is imported only where JSON is written

        output.deliver(common.text(doctor.DoctorV1.of(machine)), args.output, summary(abilities(machine)))
    elif args.output in (None, "-"):
        output.show(text(machine))
    else:
        output.deliver(text(machine), args.output, summary(abilities(machine)))
    broken = any(seen.error is not None and seen.path in args.python for seen in machine.interpreters)
    return ExitCode.UNREADABLE if broken else ExitCode.CLEAN


def _look(args: Arguments) -> ProbeResult:
    from ..probe.frameworks import probe_machine
    from ..processes.group import temporary
    from .progress import Progress

    with temporary() as scratch, Progress("examining interpreters and devices"):
        return probe_machine(args.python, Path.cwd(), scratch, around=not args.only)


def _links(machine: ProbeResult, folder: Path) -> ExitCode:
    """Makes the folder of links and says how to use it; findings where a name still leads nowhere."""
    from ..doctor import best_of, exports
    from ..probe.cuda import ASKED, links, make_links

    best = best_of(machine)
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


def text(machine: ProbeResult) -> str:
    """Returns the result as text."""
    lines = [*_interpreters(machine), "", *_gpus(machine), "", *_abilities(machine), "", *_legacy(machine, advise(machine))]
    return "".join(f"{visible(line)}\n" for line in lines)


def _interpreters(machine: ProbeResult) -> Iterator[str]:
    yield "Interpreters"
    for interpreter in machine.interpreters:
        yield f"  {interpreter.path}  {_about(interpreter)}"
        for framework in interpreter.frameworks:
            yield f"    {_framework(framework)}"
            yield from (f"      {_device(d)}" for d in framework.devices)


def _about(interpreter: InterpreterSeen) -> str:
    if interpreter.error is not None:
        return interpreter.error
    return f"CPython {interpreter.version}" + ("" if interpreter.frameworks else ", no framework")


def _framework(framework: FrameworkSeen) -> str:
    if framework.error is not None:
        return f"{framework.name} does not import: {framework.error}"
    return f"{framework.name} {framework.version}"


def _device(device: SeenDevice) -> str:
    if device.error is not None:
        return f"{device.name}: {device.error}"
    sizes = [f"{format_bytes(n)} {what}" for n, what in ((device.total_bytes, "in all"), (device.free_bytes, "free")) if n is not None]
    return ", ".join([f"{device.name}: {device.title or 'unnamed'}", *([device.arch] if device.arch else []), *sizes])


def _gpus(machine: ProbeResult) -> Iterator[str]:
    yield "GPUs (NVML)"
    if machine.no_driver is not None:
        yield f"  {machine.no_driver}"
        if "nvidia-ml-py" in machine.no_driver:
            yield "  do: pip install 'theanodiag[nvml]'"
    if machine.driver is not None:
        yield f"  driver {machine.driver.version}, serves CUDA up to {machine.driver.cuda[0]}.{machine.driver.cuda[1]}"
    for gpu in machine.gpus:
        capability = f", capability {gpu.capability[0]}.{gpu.capability[1]}" if gpu.capability else ""
        yield f"  {gpu.name}: {format_bytes(gpu.total_bytes)} in all, {format_bytes(gpu.free_bytes)} free{capability}"


def _abilities(machine: ProbeResult) -> Iterator[str]:
    yield "What a prediction can be confirmed on"
    references: dict[str, str] = {}
    for ability in abilities(machine):
        yield f"  {ability.kind:<8} {'yes' if ability.ready else 'no '}  {ability.line}"
        if ability.command is not None:
            yield f"                do: {references.get(ability.command, ability.command)}"
            references.setdefault(ability.command, f"as for {ability.kind}")


def _legacy(machine: ProbeResult, legacy: Legacy) -> Iterator[str]:
    yield "Theano with libgpuarray on CUDA asks for"
    yield from (f"  {name:<14} {line}" for name, line in legacy.rows)
    if machine.driver is None:
        yield "  There is no NVIDIA driver here, so there is nothing to do; `--confirm virtual` needs none."
    yield from (f"  do: {command}" for command in legacy.commands)
