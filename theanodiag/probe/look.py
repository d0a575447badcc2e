"""Collects everything that `theanodiag doctor` reports on this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from .frameworks import Prober, written
from .libraries import ASKED, files, in_cache
from .model import GpuSeen, NvidiaDriver, ProbeResult
from .nearby import nearby
from .nvml import NoNvml, all_gpus


def look(given: Sequence[str], own: str, env: Mapping[str, str], folder: Path, scratch: Path, *, around: bool = True) -> ProbeResult:
    """Probes interpreters, libraries and GPUs.

    `given` are the user's interpreters, `own` is ours; environments are searched below `folder` unless `around` is False; `scratch` is a
    temporary folder.
    """
    prober = Prober(written(scratch), env)
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
    return next((found for n in names if n and (found := shutil.which(n, path=env.get("PATH")))), None)
