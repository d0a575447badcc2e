"""The files and measurements that `theanodiag doctor` creates.

`--recipe DIR`: the files of an environment with Theano 1.0.5, and the commands for this machine. `--xla`: a folder with JAX's CUDA plugin,
so that XLA says what a GPU needs that is not there. `--calibrate`: the measured context overhead of a device, kept for every later
prediction.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from .. import files
from ..confirmation import calibration
from ..confirmation.simulated_cuda import VirtualDevice, build
from ..confirmation.xla_estimates import ASSEMBLER, PLUGIN, SIZE, plugin_folder, plugin_packages, release_of_jax
from ..devices.measured import Calibration, edited
from ..doctor import PYTHON, recipe_commands, recipe_files
from ..errors import ExitCode, UnreadableError, UsageError
from ..escaping import visible
from ..files import user_cache
from ..processes.group import run, temporary
from ..units import format_bytes
from . import output
from .atomic_write import write_atomically

MEASURED = ("cuda", "virtual")
"""Kinds of devices whose context overhead can be measured."""


def make_recipe(folder: Path, pythons: Sequence[str]) -> ExitCode:
    """Writes the recipe's files, without overwriting any, and prints what to run; `pythons` are tried before the interpreter on PATH."""
    write_recipe(folder, {name: text.encode() for name, text in recipe_files().items()})
    python = next((name for name in (*pythons, f"python{PYTHON}") if interpreter(name, (PYTHON,)) is not None), None)
    if python is None:
        output.note(f"no CPython {PYTHON} was found on PATH or named with --python: the container brings its own")
    for line in recipe_commands(shlex.quote(str(folder)), shlex.quote(python) if python else None, shutil.which("g++") is not None):
        output.write(visible(line) + "\n")
    return ExitCode.CLEAN


def write_recipe(folder: Path, texts: Mapping[str, bytes]) -> None:
    """Writes the files `texts` (name -> content) to `folder`, which is created if needed.

    Raises UnreadableError, and writes nothing, if one of them is already there with other content, or the folder cannot be created.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        there = {name: (folder / name).read_bytes() for name in texts if os.path.lexists(folder / name)}
    except OSError as error:
        raise UnreadableError(f"cannot be made: {error.strerror}", path=str(folder), help="name another folder") from None
    for name, content in there.items():
        if content != texts[name]:
            raise UnreadableError("there is another file of this name", path=str(folder / name), help="name an empty folder")
    for name, text in texts.items():
        if name not in there:
            write_atomically(str(folder / name), text, before=None)


def interpreter(name: str, releases: Sequence[str]) -> str | None:
    """Returns the path of an interpreter, given as a path or a name on PATH, if it is one of these releases of CPython, starts (a shim may
    lead nowhere), and can create environments; else None.
    """
    path = shutil.which(name)
    if path is None:
        return None
    program = f"import sys, venv, ensurepip; sys.exit('%d.%d' % sys.version_info[:2] not in {tuple(releases)!r})"
    with open(os.devnull, "wb") as nowhere:
        done = run([path, "-c", program], dict(os.environ), 60, nowhere.fileno(), nowhere.fileno())
    return path if done.returncode == 0 else None


def install_xla(python: str | None, sure: bool) -> ExitCode:
    """Requests confirmation, installs the plugin for the interpreter's JAX release in our cache, and prints where it is."""
    interpreter = python or sys.executable
    release = release_of_jax(interpreter, os.environ)
    if release is None:
        help = "name one with --python, or install it there: pip install jax"
        raise UnreadableError("this interpreter has no JAX, and the plugin must match the release of JAX", path=interpreter, help=help)
    folder = plugin_folder() / release
    if (folder / PLUGIN).is_dir():
        output.write(visible(f"the plugin for JAX {release} is already installed: {folder}") + "\n")
        return ExitCode.CLEAN
    if not sure and not _agreed(release, folder):
        output.write("nothing was installed\n")
        return ExitCode.CLEAN
    _install(interpreter, plugin_packages(release), folder)
    output.write(visible(f"the plugin for JAX {release} is in {folder}: theanodiag check model.py --gpu h100-80 asks XLA") + "\n")
    return ExitCode.CLEAN


def _agreed(release: str, folder: Path) -> bool:
    """Asks the user whether to install. Raises UsageError if stdin is not a terminal."""
    what = f"JAX's compiler for GPUs ({PLUGIN} and {ASSEMBLER}, JAX {release}): about {format_bytes(SIZE)} in {folder}"
    if not sys.stdin.isatty():
        raise UsageError(visible(f"{what}: this needs an answer, but there is no terminal"), help="write --yes to install it")
    output.complain(visible(f"{what}. None of your environments is changed. Install it? [y/N] "))
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _install(interpreter: str, packages: tuple[str, ...], folder: Path) -> None:
    """Installs into a temporary folder of its own and renames it, so that an interrupted installation is never used; of two at the same
    time, the first is kept."""
    pip = [interpreter, "-m", "pip", "--disable-pip-version-check", "install", "--no-compile", "--no-deps"]
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with temporary(folder.parent) as half:
            outcome = run([*pip, "--target", str(half / folder.name), *packages], dict(os.environ), None, 2)
            if outcome.returncode:
                help = "try again with a connection"
                raise UnreadableError("pip did not install the plugin; see its message above", path=interpreter, help=help)
            if not (folder / PLUGIN).is_dir():
                shutil.rmtree(folder, ignore_errors=True)
                (half / folder.name).rename(folder)
    except OSError as error:
        if not (folder / PLUGIN).is_dir():
            raise UnreadableError(f"the plugin cannot be installed there: {error.strerror}", path=str(folder)) from None


def calibrate(kind: str, python: str | None) -> Calibration:
    """Measures the first CUDA device (or the simulated one) in the interpreter that has pygpu, and saves the result."""
    if kind not in MEASURED:
        raise UsageError(f"the overhead of {kind!r} cannot be measured", help=f"one of {', '.join(MEASURED)}")
    env = dict(os.environ)
    with temporary() as scratch:
        if kind == "virtual":
            env = VirtualDevice().environment(build(user_cache(env)), env)
        entry = calibration.measured(python or sys.executable, "cuda0", env, scratch)
    keep(entry)
    return entry


def keep(new: Calibration) -> None:
    """Saves the entry in the calibration file, which is created if it does not exist; other entries stay."""
    file = calibration.path(os.environ)
    calibration.stored(os.environ)  # a file that theanodiag did not create is not changed
    file.parent.mkdir(parents=True, exist_ok=True)
    before = files.read(str(file), files.CONFIGURATION) if file.exists() else None
    after = edited((before or b"").decode("utf-8"), new)
    write_atomically(str(file), after.encode("utf-8"), before=before)


def describe(c: Calibration) -> str:
    """Returns the entry as text."""
    parts = [f"{c.context_bytes} before the first allocation", f"{c.blas_bytes} more for BLAS"]
    parts += [f"{c.cudnn_bytes} more for cuDNN"] if c.cudnn_bytes is not None else []
    return f"theanodiag: {c.name}: {c.context.bytes} bytes ({', '.join(parts)}); kept in {calibration.path(os.environ)}"
