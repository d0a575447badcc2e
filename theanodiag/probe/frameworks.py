"""Probes this machine and its interpreters.

Each question runs in its own process with a time limit, so that a broken installation costs only its answer.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from ..processes import group
from ..processes.interpreter import AGENT, without_annotations
from .cuda import ASKED, NoNvml, all_gpus, files, in_cache
from .model import FrameworkSeen, GpuSeen, InterpreterSeen, LibrarySeen, NvidiaDriver, ProbeResult, SeenDevice

PROGRAM = AGENT / "measure" / "probe.py"
MARK = "theanodiag-probe "
LIMIT = 60.0
"""Seconds allowed for one question; importing a framework and opening its devices takes a few."""
QUIET = {
    "THEANO_FLAGS": "device=cpu,contexts=,init_gpu_device=,cxx=",
    "AESARA_FLAGS": "cxx=",
    "PYTENSOR_FLAGS": "cxx=",
}
"""Appended to the user's flags so that importing a framework compiles nothing and opens no device."""

Answer = Mapping[str, object]
"""The probe's answer to a question: a JSON object."""


@dataclass(frozen=True)
class Prober:
    """Runs the probe program in interpreters."""

    program: Path
    """The probe in a form valid for every interpreter: see `write_probe`."""
    env: Mapping[str, str]
    """Environment of the probe's processes, before `quiet`."""
    limit: float = LIMIT
    """Seconds that an interpreter has for one answer."""

    def ask(self, python: str, *subject: str) -> Answer:
        """Runs the probe in the interpreter `python` and returns its answer; `{"error": reason}` if it gives none."""
        command = [group.located(python, self.env), str(self.program), *subject]
        try:
            done = group.query(command, quiet(self.env), self.limit)
        except TimeoutError as error:
            return {"error": str(error.strerror)}
        except OSError as error:
            return {"error": f"it does not run: {error.strerror or error}"}
        return understood(done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"), done.returncode)

    def interpreters(self, pythons: Sequence[str], given: Sequence[str] = ()) -> tuple[InterpreterSeen, ...]:
        """Probes several interpreters in parallel.

        If two names mean the same environment, only one is kept. An interpreter that does not run is kept only if it is in `given`.
        """
        with ThreadPoolExecutor(max_workers=max(2, os.cpu_count() or 1)) as pool:
            looks = list(zip(pythons, pool.map(lambda p: self.ask(p, "look"), pythons)))
            own = {str(answer.get("prefix", p)): (p, answer) for p, answer in reversed(looks) if "error" not in answer or p in given}
            kept = [own.pop(key) for key in (str(answer.get("prefix", p)) for p, answer in looks) if key in own]
            return tuple(pool.map(lambda row: self.described(*row), kept))

    def described(self, python: str, answer: Answer) -> InterpreterSeen:
        """Returns the InterpreterSeen for the answer to `look`; each framework in it is imported in a process of its own."""
        if "error" in answer:
            return InterpreterSeen(python, "", python, error=str(answer["error"]))
        names = [n for n in _texts(answer, "found") if n != "numpy"]
        frameworks = tuple(framework_of(n, self.ask(python, n)) for n in names)
        return InterpreterSeen(python, str(answer["python"]), str(answer["prefix"]), tuple(_texts(answer, "site")), frameworks)

    def libraries(self, python: str, names: Sequence[str]) -> tuple[LibrarySeen, ...]:
        """Tries to load each library in the interpreter `python`, each in a process of its own; returns whether and how that works."""
        return tuple(library_of(name, self.ask(python, "libraries", name)) for name in names)


def write_probe(folder: Path, source: Path = PROGRAM) -> Path:
    """Writes the probe into `folder` without annotations, which CPython 2.7 does not know; returns its path."""
    program = folder / source.name
    program.write_text(without_annotations(source.read_text(encoding="utf-8")), encoding="utf-8")
    return program


def quiet(env: Mapping[str, str]) -> dict[str, str]:
    """Returns the environment for the probe's processes, made from `env`: imports compile nothing and JAX preallocates no pool."""
    flags = {k: ",".join(part for part in (env.get(k, ""), added) if part) for k, added in QUIET.items()}
    return {**group.surroundings(env), **flags, "XLA_PYTHON_CLIENT_PREALLOCATE": "false", "PYTHONDONTWRITEBYTECODE": "1"}


def understood(out: str, err: str, code: int) -> Answer:
    """Parses the probe's output; `{"error": reason}` if it contains no answer."""
    lines = [line for line in out.splitlines() if line.startswith(MARK)]
    if lines:
        answer = json.loads(lines[-1][len(MARK) :])
        return answer if isinstance(answer, dict) else {"error": "its answer is not valid"}
    if code < 0:
        return {"error": f"it ended with signal {-code} ({signal.Signals(-code).name})"}
    stderr_lines = [line for line in err.splitlines() if line.strip()]
    return {"error": stderr_lines[-1].strip() if stderr_lines else f"it ended with exit code {code}"}


def framework_of(name: str, answer: Answer) -> FrameworkSeen:
    """Converts an answer of the probe to a FrameworkSeen, for the framework `name`."""
    if "error" in answer:
        return FrameworkSeen(name, None, None, error=str(answer["error"]))
    rows = answer.get("devices")
    devices = tuple(device_of(row) for row in rows) if isinstance(rows, list) else ()
    return FrameworkSeen(name, str(answer.get("version", "")), str(answer.get("path", "")), devices)


def device_of(row: Mapping[str, object]) -> SeenDevice:
    """Converts a row of an answer to a SeenDevice."""
    title, arch, error = (None if row.get(k) is None else str(row[k]) for k in ("title", "arch", "error"))
    total, free = (_integer(row.get(k)) for k in ("total", "free"))
    return SeenDevice(str(row["backend"]), str(row["name"]), title, total, free, arch, error)


def library_of(name: str, answer: Answer) -> LibrarySeen:
    """Converts an answer of the probe to a LibrarySeen, for the library `name`."""
    rows = answer.get("libraries")
    row = rows[0] if isinstance(rows, list) and rows else answer
    cuda, archs = row.get("cuda"), row.get("archs")
    version = (int(cuda[0]), int(cuda[1])) if isinstance(cuda, list) else None
    known = tuple(int(a) for a in archs) if isinstance(archs, list) else ()
    compiles = row.get("compiles")
    error = None if row.get("error") is None else str(row["error"])
    return LibrarySeen(name, version, known, compiles if isinstance(compiles, bool) else None, error)


def _integer(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _texts(answer: Answer, key: str) -> list[str]:
    value = answer.get(key)
    return [str(v) for v in value] if isinstance(value, list) else []


# Collects everything that `theanodiag doctor` reports on this machine.


NAME = re.compile(r"python([23](\.\d+)?)?")
DEPTH = 2
"""Levels of folders in which environments are searched, as `.envs/theano`."""
MOST = 40
"""Maximum number of interpreters that are probed."""


def nearby(given: Iterable[str], own: str, env: Mapping[str, str], folder: Path) -> tuple[str, ...]:
    """Returns the paths of interpreters to probe: those given first, then `own`, then those found in environments and on PATH. Each is
    listed once; at most `MOST` are listed.
    """
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
    """Yields the paths of `python`, `python3`, `python3.8` and the like in the folders of PATH."""
    for folder in env.get("PATH", "").split(os.pathsep):
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        yield from (path for n in names if NAME.fullmatch(n) and os.access(path := os.path.join(folder, n), os.X_OK))


def _active(env: Mapping[str, str]) -> Iterator[str]:
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if env.get(name):
            yield from _python_of(Path(env[name]))


def _below(folder: Path, depth: int) -> Iterator[str]:
    """Yields the interpreters of environments at most `depth` levels below `folder`."""
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
    """The path with symbolic links in its folder resolved. A link at the file itself stays, because it may be an environment's link to
    another interpreter.
    """
    folder, name = os.path.split(os.path.abspath(path)) if os.sep in path else ("", path)
    return os.path.join(os.path.realpath(folder), name) if folder else name


def probe_machine(given: Sequence[str], folder: Path, scratch: Path, *, around: bool = True) -> ProbeResult:
    """Probes interpreters, libraries and GPUs.

    `given` are the user's interpreters; environments are searched below `folder` unless `around` is False; `scratch` is a temporary folder.
    """
    own, env = sys.executable, os.environ
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
