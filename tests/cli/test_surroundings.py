"""Variables of libraries, terminals and clusters change no answer: a command says the same in a hostile environment as in a plain one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.interpreters import ROOT, find
from tests.surroundings import HOSTILE, hostile, own

SHOWN = {"COLUMNS", "FORCE_COLOR", "PYTHONIOENCODING", "LC_ALL", "folders that are files"}
"""What may change how an answer looks, or is told beside it."""
ALONE = (
    "explain TD301",
    "explain-log job_é.log",
    "graph paste_é.txt --shape x=2,2 --floatX float32 --gpu 4GiB -q",
    "port model_é.py --diff",
)
"""The commands that are run with each variable; none of them reads flags."""
MORE: dict[str, dict[str, str]] = {
    "TMPDIR with a space": {"TMPDIR": "{}/tmp dir"},
    "no TMPDIR": {"TMPDIR": "/nonexistent"},
    "empty HOME": {"HOME": ""},
    "folders that are files": {"XDG_CACHE_HOME": "{}/plain/a", "XDG_CONFIG_HOME": "{}/plain/b"},
    "relative folders": {"XDG_CACHE_HOME": "cache", "XDG_CONFIG_HOME": "config"},
    "docstrings are gone": {"PYTHONOPTIMIZE": "2"},
    "no PATH": {"PATH": ""},
    "another numpy": {"PYTHONPATH": "{}/shadow"},
}
FILES = {
    "rc_é": "[global]\nflaotX = float32\ndevice = gpu0\n",
    "model_é.py": "import theano.tensor as T\nx = T.sqr(T.matrix())  # é\n",
    "job_é.log": "MemoryError: Error allocating 4096 bytes of device memory (out of memory).\n",
    "paste_é.txt": "add [id A]\n |x [id B]\n |x [id B]\n",
    "shadow/numpy/__init__.py": "raise SystemExit('a numpy that is none')\n",
    "plain": "",
}
COMMANDS = {
    "config check rc_é": 1,
    "rules": 0,
    "scan model_é.py": 0,
    **dict.fromkeys(ALONE, 0),
}
PEAK = re.compile(r'"live_peak_bytes": (\d+)')
SCRIPT = """
import numpy as np, theano, theano.tensor as T
x, W = T.fmatrix("x"), theano.shared(np.ones((4, 4), "float32"), name="W")
print(theano.function([x], T.dot(x, W))(np.ones((2, 4), "float32")).tolist())
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files for each command."""
    tmp_path = tmp_path_factory.mktemp("surroundings")
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "tmp dir").mkdir()
    return tmp_path


def ended(folder: Path, command: str, env: dict[str, str]) -> tuple[int, str, str]:
    """Exit code, output and errors of a command in a process that starts in `env`; the folder's name is taken out."""
    path = os.pathsep.join([str(ROOT), *filter(None, [env.get("PYTHONPATH")])])
    run = [sys.executable, "-m", "theanodiag", *command.split()]
    done = subprocess.run(
        run, cwd=folder, env={**env, "PYTHONPATH": path}, capture_output=True, timeout=300, check=False, stdin=subprocess.DEVNULL
    )
    out, errors = (text.decode("utf-8", "replace").replace(str(folder), "F") for text in (done.stdout, done.stderr))
    assert "Traceback (most recent" not in out + errors
    return done.returncode, out, errors


@cache
def plain(command: str, folder: Path) -> tuple[int, str, str]:
    """What the command says in an environment of its own."""
    return ended(folder, command, own(os.environ))


def changed(name: str, folder: Path) -> dict[str, str]:
    """The plain environment with one hostile variable, or with those of `MORE`."""
    if name in MORE:
        return {**own(os.environ), **{key: value.format(folder) for key, value in MORE[name].items()}}
    env = {key: value for key, value in own(os.environ).items() if key != name}
    value = HOSTILE[name]
    return env if value is None else {**env, name: value}


@pytest.mark.parametrize("name", [*HOSTILE, *MORE])
def test_each_alone(folder: Path, name: str) -> None:
    """The same exit codes and words; only colours, widths and letters follow the terminal."""
    env = changed(name, folder)
    for command in ALONE:
        found, expected = ended(folder, command, env), plain(command, folder)
        assert expected[0] == 0, expected
        assert found[0] == 0, (command, found)
        if name not in SHOWN:
            assert found == expected, command


def test_all_at_once(folder: Path) -> None:
    """Exit codes are the same, also of commands that read flags and keep results."""
    for command, code in COMMANDS.items():
        assert ended(folder, command, hostile(own(os.environ)))[0] == code, command


@pytest.mark.parametrize("name", ["pytensor", "pytensor_new"])
@pytest.mark.parametrize("surroundings", ["MORE", "threads", "terminal"])
def test_scripts_are_run_and_checked(folder: Path, name: str, surroundings: str) -> None:
    """In folders with spaces, without a home, with the threads and the terminal of a cluster."""
    chosen = {
        "MORE": {"TMPDIR": f"{folder}/tmp dir", "XDG_CONFIG_HOME": f"{folder}/plain/b", "PYTHONOPTIMIZE": "2", "HOME": None},
        "threads": {k: HOSTILE[k] for k in ("OMP_NUM_THREADS", "MKL_THREADING_LAYER", "MALLOC_ARENA_MAX", "THEANORC", "JAX_PLATFORMS")},
        "terminal": {k: HOSTILE[k] for k in ("LC_ALL", "LANG", "TERM", "NO_COLOR", "LINES", "COLUMNS")},
    }[surroundings]
    env = {key: value for key, value in {**own(os.environ), "HOME": os.environ["HOME"], **chosen}.items() if value is not None}
    (folder / "net_é.py").write_text(SCRIPT, encoding="utf-8")
    code, out, errors = ended(folder, f"run --python {find(name)} net_é.py", env)
    assert (code, out) == (0, "[[4.0, 4.0, 4.0, 4.0], [4.0, 4.0, 4.0, 4.0]]\n"), errors
    command = f"check net_é.py --python {find(name)} --gpu 4GiB --format json"
    code, out, errors = ended(folder, command, env)
    assert code == 0, errors
    usual = PEAK.findall(plain(command, folder)[1])
    assert PEAK.findall(out) == usual != []
