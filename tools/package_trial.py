"""Builds the wheel and the source archive, and tries the wheel in a bare environment of each CPython from 3.9 on that this machine has.

    python tools/package_trial.py [VERSION...]        (`make package`)

In each environment every module is imported, and commands are run with good and with bad input: each has to end with its exit code, and
none with a traceback. In the oldest and the newest, tests of the source archive (`TESTED`) run on the installed wheel, where no other
theanodiag is. Interpreters: `python3.9` to `python3.14`, of the path or pyenv; versions on the
command line (`3.9 3.13`) leave out the others.
"""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from distributions import built, install, test_tree

ROOT = Path(__file__).resolve().parents[1]
VERSIONS = tuple(f"3.{minor}" for minor in range(9, 15))
IMPORT_ALL = """
import importlib, pkgutil, theanodiag
for module in pkgutil.walk_packages(theanodiag.__path__, "theanodiag."):
    parts = module.name.split(".")
    if not {"compat", "agent", "__main__"} & set(parts):
        importlib.import_module(module.name)
"""
FILES: dict[str, bytes] = {
    "slip": b"[global]\nflaotX = float32\ndevice = gpu0\n",
    "job.log": b"MemoryError: Error allocating 4096 bytes of device memory (out of memory).\n",
    "paste.txt": b"add [id A]\n |x [id B]\n |x [id B]\n",
    "model.py": b"import theano.tensor as T\nx = T.sqr(T.matrix())\n",
    "empty": b"",
    "binary": bytes(range(256)),
}
GOOD: dict[str, int] = {
    "--version": 0,
    "rules": 0,
    "explain TD301": 0,
    "explain-log job.log": 0,
    "config show slip": 1,
    "config check slip": 1,
    "config set allow_gc=True slip --diff": 0,
    "config rewrite slip --to pytensor": 0,
    "graph paste.txt --shape x=2,2 --floatX float32 --gpu 4GiB": 0,
    "port model.py": 0,
    "port nothere": 3,
    "port folder": 0,
    "port binary": 1,
    "scan model.py --no-cache": 0,
    "check model.py": 3,
}
"""Command -> exit code, in an environment without any framework."""
TESTED = ("devices", "ir", "ops", "settings", "workflows/test_printed_report.py", "cli/test_graph.py")
"""The tests of the archive that run on the wheel, below `tests/`: from graphs and settings to reports and a command that makes them."""
NAMED = (
    "check",
    "graph",
    "explain-log",
    "config check",
    "config rewrite --to pytensor",
    "weights",
    "compare --python P --against P",
)
"""Commands that are given a file, which is none: not there, a folder, bytes."""


def interpreters() -> Iterator[tuple[str, str]]:
    """(version, path) of each CPython that this machine has."""
    for version in VERSIONS:
        found = sorted(glob.glob(os.path.expanduser(f"~/.pyenv/versions/{version}.*/bin/python"))) or [
            shutil.which(f"python{version}") or ""
        ]
        said = "import sys; print('%d.%d' % sys.version_info[:2])"
        done = subprocess.run([found[-1], "-c", said], capture_output=True, text=True, check=False) if found[-1] else None
        if done is not None and done.stdout.strip() == version:
            yield version, found[-1]
        else:
            print(f"{version}: not on this machine", flush=True)


def tested(python: str, archive: Path, tree: Path) -> list[str]:
    """The tests of the archive that fail on the wheel which is installed for `python`; prints how many passed."""
    test_tree(python, archive, tree)
    env = {**os.environ, "THEANODIAG_CHECKOUT": str(ROOT)}
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "2", *(f"tests/{name}" for name in TESTED)]
    lines = subprocess.run(command, capture_output=True, text=True, cwd=tree, env=env, check=False).stdout.splitlines()
    last = lines[-1] if lines else "pytest said nothing"
    print(f"  tests of the archive on the wheel: {last}", flush=True)
    failed = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    return failed or ([] if " passed" in last else [last])


def tried(python: str, folder: Path) -> list[str]:
    """What goes wrong in an environment whose interpreter is `python`."""
    done = subprocess.run([python, "-c", IMPORT_ALL], capture_output=True, text=True, cwd=folder, check=False)
    wrong = [f"import: {done.stderr.strip().splitlines()[-1]}"] if done.returncode else []
    for command, code in GOOD.items():
        wrong += _ended(python, command.split(), folder, (code,))
    for command in NAMED:
        words = [python if word == "P" else word for word in command.split()]
        for name in ("nothere", "folder", "binary"):
            wrong += _ended(python, [*words, name], folder, (1, 2, 3))
    return wrong


def _ended(python: str, command: Sequence[str], folder: Path, codes: tuple[int, ...]) -> list[str]:
    done = subprocess.run([python, "-m", "theanodiag", *command], capture_output=True, text=True, errors="replace", cwd=folder, check=False)
    said = done.stdout + done.stderr
    if done.returncode in codes and "Traceback (most recent" not in said:
        return []
    return [f"{' '.join(command)}: exit code {done.returncode}, not {' or '.join(map(str, codes))}: {said.strip()[-300:]}"]


def main() -> int:
    """Prints a line for each version; 1 where something is wrong."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = built(ROOT / ".envs" / "dist")
        print(f"{made.archive.name}: {made.archive.stat().st_size} bytes; {made.wheel.name}: {made.wheel.stat().st_size}", flush=True)
        wrong = 0
        found_here = [found for found in interpreters() if found[0] in (sys.argv[1:] or VERSIONS)]
        for version, python in found_here:
            own = folder / f"env{version}"
            subprocess.run([python, "-m", "venv", str(own)], check=True)
            inside = str(own / "bin" / "python")
            ends = version in (found_here[0][0], found_here[-1][0])
            install(inside, made.wheel, "test" if ends else "port")
            work = folder / f"work{version}"
            (work / "folder").mkdir(parents=True)
            for file, content in FILES.items():
                (work / file).write_bytes(content)
            found = [*tried(inside, work), *(tested(inside, made.archive, folder / f"tree{version}") if ends else ())]
            wrong += len(found)
            print("\n  ".join([f"{version}: {len(GOOD) + 3 * len(NAMED)} commands, {len(found)} wrong", *found]), flush=True)
            shutil.rmtree(own)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
