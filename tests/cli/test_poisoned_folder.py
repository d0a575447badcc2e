"""In a folder full of modules that are called as those of the standard library, no command that only reads runs any of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.interpreters import ROOT, find

NAMES = (
    *("abc", "ast", "base64", "code", "codecs", "collections", "configparser", "contextlib", "copy", "ctypes", "dataclasses", "datetime"),
    *("difflib", "encodings", "enum", "errno", "fnmatch", "functools", "glob", "heapq", "imp", "importlib", "inspect", "io", "itertools"),
    *("json", "keyword", "linecache", "locale", "logging", "math", "multiprocessing", "operator", "os", "pickle", "pkgutil", "platform"),
    *("posixpath", "pwd", "random", "re", "readline", "runpy", "select", "shlex", "shutil", "signal", "site", "sitecustomize", "socket"),
    *("stat", "string", "struct", "subprocess", "sysconfig", "tempfile", "textwrap", "threading", "time", "token", "tokenize", "tomllib"),
    *("traceback", "types", "typing", "urllib", "usercustomize", "uuid", "warnings", "weakref", "zipfile"),
    *("aesara", "jax", "numpy", "pygpu", "pynvml", "pytensor", "scipy", "theano", "torch"),
)
"""Modules that we or an interpreter that we ask may import."""
POISON = "import sys\nopen({!r}, 'a').write(__name__ + ' ' + sys.executable + '\\n')\nraise SystemExit('poisoned')\n"
ENTRY = "import sys; sys.path.pop(0); from theanodiag.cli.main import main; sys.exit(main())"
"""What the console script does: its own folder, not the working folder, is on the path."""
GRAPH = "dot [id A] ''   \n |x [id B]\n |W [id C]\n"
READ_ONLY = (
    "graph paste.txt",
    "graph - --shape x=2,2",
    "graph paste.txt --gpu 4GiB --format json",
    "config show --all",
    "config check theanorc",
    "config check theanorc --format json",
    "config rewrite theanorc --to pytensor",
    "config rewrite --flags device=gpu --to aesara",
    "config set floatX=float32 theanorc --diff",
    "explain TD301",
    "rules",
    "rules --shapes",
)
ASKING = ("config show --all --python {}", "config check theanorc --python {}", "doctor --only --python {}")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The poisoned folder, with a printed graph and an rc file in it."""
    inside = tmp_path / "downloaded"
    inside.mkdir()
    for name in NAMES:
        (inside / f"{name}.py").write_text(POISON.format(str(tmp_path / "ran")))
    (inside / "paste.txt").write_text(GRAPH)
    (inside / "theanorc").write_text("[global]\ndevice = cpu\n")
    return inside


def run(folder: Path, command: list[str], arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs a command of ours in the folder and checks that nothing of it ran; `arguments` as in a shell."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(folder.parent)}
    words = [*command, *arguments.split()]
    done = subprocess.run(words, cwd=folder, env=env, input=GRAPH, capture_output=True, text=True, timeout=300, check=False)
    ran = folder.parent / "ran"
    assert not ran.exists(), ran.read_text()
    assert "poisoned" not in done.stdout + done.stderr
    return done


@pytest.mark.parametrize("arguments", READ_ONLY)
def test_reading_runs_nothing(folder: Path, arguments: str) -> None:
    """Each command that only reads gives its answer."""
    done = run(folder, [sys.executable, "-c", ENTRY], arguments)
    assert done.returncode in (0, 1), done.stderr
    assert done.stdout or "nothing" in done.stderr


@pytest.mark.parametrize("arguments", ["rules", "config check theanorc", "graph paste.txt"])
def test_as_a_module(folder: Path, arguments: str) -> None:
    """`python -m theanodiag` has the working folder on its path until the first line of ours."""
    if sys.version_info < (3, 11):
        pytest.skip("before Python 3.11 `-m` itself imports from the working folder")
    loaded = subprocess.run([sys.executable, "-c", "import runpy, sys; print(*sys.modules)"], capture_output=True, text=True, check=True)
    for name in {"importlib", *loaded.stdout.split()} & set(NAMES):  # Python has them before there is a line of ours
        (folder / f"{name}.py").unlink()
    done = run(folder, [sys.executable, "-m", "theanodiag"], arguments)
    assert done.returncode in (0, 1), done.stderr


@pytest.mark.parametrize("name", ["theano", "theano27", "pytensor_new"])
@pytest.mark.parametrize("arguments", ASKING)
def test_asking_an_interpreter_runs_nothing(folder: Path, name: str, arguments: str) -> None:
    """An interpreter that is asked for its versions or frameworks imports its own modules, on every Python."""
    done = run(folder, [sys.executable, "-c", ENTRY], arguments.format(find(name)))
    assert done.returncode in (0, 1), done.stderr


def test_packages_on_the_path_are_the_scripts_own(tmp_path: Path) -> None:
    """An old click on PYTHONPATH, with which a project of the time runs, is not the one that reads our command line."""
    (tmp_path / "click.py").write_text("__version__ = '7.1'\n")
    (tmp_path / "net.py").write_text("import click\nprint(click.__version__)\n")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    for words, said in ((["rules"], "TD301"), (["run", "--python", find("pytensor"), "net.py"], "7.1\n")):
        command = [sys.executable, "-m", "theanodiag", *words]
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        assert said in done.stdout
