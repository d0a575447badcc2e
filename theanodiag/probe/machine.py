"""Collects everything that `theanodiag doctor` reports on this machine."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from .cuda import ASKED, NoNvml, all_gpus, files, in_cache
from .frameworks import Prober, write_probe
from .model import GpuSeen, NvidiaDriver, ProbeResult

NAME = re.compile(r"python([23](\.\d+)?)?")
DEPTH = 2
"""Levels of folders in which environments are searched, as `.envs/theano`."""
MOST = 40
"""Maximum number of interpreters that are probed."""


def nearby(given: Iterable[str], own: str, env: Mapping[str, str], folder: Path) -> tuple[str, ...]:
    """Paths of interpreters, the given ones first, then ours; each path once."""
    paths = [
        *given,
        own,
        *_active(env),
        *_below(folder, DEPTH),
        *_below(Path(env.get("HOME", "/nonexistent")) / ".virtualenvs", 1),
        *on_path(env),
    ]
    return tuple(dict.fromkeys(_place(p) for p in paths))[:MOST]


def on_path(env: Mapping[str, str]) -> Iterator[str]:
    """`python`, `python3`, `python3.8` ... in the folders of PATH."""
    for folder in env.get("PATH", "").split(os.pathsep):
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        yield from (path for n in names if NAME.fullmatch(n) and os.access(path := os.path.join(folder, n), os.X_OK))


def _active(env: Mapping[str, str]) -> Iterator[str]:
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if env.get(name):
            yield from _python_of(Path(env[name]))


def _below(folder: Path, depth: int) -> Iterator[str]:
    """The interpreters of environments at most `depth` levels below `folder`."""
    try:
        children = sorted(p for p in folder.iterdir() if p.is_dir() and not p.is_symlink())
    except OSError:
        return
    for child in children:
        if (child / "pyvenv.cfg").exists() or (child / "conda-meta").exists():
            yield from _python_of(child)
        elif depth > 1:
            yield from _below(child, depth - 1)


def _python_of(environment: Path) -> Iterator[str]:
    python = environment / "bin" / "python"
    if os.access(python, os.X_OK):
        yield str(python)


def _place(path: str) -> str:
    """The path with symbolic links in its folder resolved, but not the file's own: that may be an environment's link to another
    interpreter.
    """
    folder, name = os.path.split(os.path.abspath(path)) if os.sep in path else ("", path)
    return os.path.join(os.path.realpath(folder), name) if folder else name


def probe_machine(
    given: Sequence[str], own: str, env: Mapping[str, str], folder: Path, scratch: Path, *, around: bool = True
) -> ProbeResult:
    """Probes interpreters, libraries and GPUs.

    `given` are the user's interpreters, `own` is ours; environments are searched below `folder` unless `around` is False; `scratch` is a
    temporary folder.
    """
    prober = Prober(write_probe(scratch), env)
    wanted = nearby(given, own, env, folder) if around else tuple(given)
    interpreters = prober.interpreters(wanted, given)
    candidates = (*ASKED, *files([s for i in interpreters for s in i.site], env, known=in_cache(_cache())))
    libraries = prober.libraries(own, candidates)
    driver, gpus, why = _gpus()
    if driver is None:
        version = next((s.cuda for s in libraries if os.path.basename(s.path).startswith("libcuda.so") and s.cuda), None)
        driver = NvidiaDriver("unknown", version) if version else None
    return ProbeResult(interpreters, libraries, driver, why, gpus, _compiler(env))


def _gpus() -> tuple[NvidiaDriver | None, tuple[GpuSeen, ...], str | None]:
    try:
        driver, gpus = all_gpus()
    except NoNvml as reason:
        return None, (), str(reason)
    return driver, gpus, None


def _cache() -> str:
    """The output of `ldconfig -p`; empty where it fails."""
    try:
        done = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout


def _compiler(env: Mapping[str, str]) -> str | None:
    names = (env.get("CC", ""), "cc", "gcc", "clang")
    return next((path for n in names if n and (path := shutil.which(n, path=env.get("PATH")))), None)
