"""`theanodiag scan`, as users run it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.schemas import flaws

from .run import theanodiag


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A small one of the old days."""
    (tmp_path / "train.py").write_text("import theano\nfrom theano.sandbox.cuda.blas import GpuCorr3dMM\nGpuCorr3dMM()\n")
    (tmp_path / "run.sh").write_text("THEANO_FLAGS=device=gpu0 python train.py\n")
    (tmp_path / "numbers.py").write_text("import numpy\n")
    return tmp_path


def test_the_summary(repository: Path) -> None:
    """How many files, what they import, what is to do; nothing is left behind with --no-cache."""
    done = theanodiag("scan", ".", "--no-cache", cwd=repository)
    assert done.returncode == 1
    assert "2 of 3 files use a framework or set its flags (1 irrelevant)." in done.stdout
    assert "theano in 1" in done.stdout
    assert "train.py: 1 by hand" in done.stdout
    assert sorted(p.name for p in repository.iterdir()) == ["numbers.py", "run.sh", "train.py"]


def test_python_2_is_said_before_what_is_to_do(tmp_path: Path) -> None:
    """It is the first step, and the changes by hand are no more after it."""
    (tmp_path / "old.py").write_text("import theano\nprint theano.__version__\n")
    text = theanodiag("scan", ".", "--no-cache", cwd=tmp_path).stdout
    assert "1 file is Python 2: theanodiag port --python2to3 translates it first.\n" in text
    assert text.index("Python 2:") < text.index("Most to do")


def test_no_line_ends_with_blanks(repository: Path) -> None:
    """As those of a wrapped sentence and of empty cells did."""
    lines = theanodiag("scan", str(repository)).stdout.splitlines()
    assert lines
    assert [line for line in lines if line != line.rstrip()] == []


def test_each_number_leads_to_its_files(repository: Path) -> None:
    """The file that an older release is for, and with --verbose a row for each file, and those that use nothing."""
    (repository / "pooled.py").write_text("from theano.tensor.signal import downsample\ndownsample.max_pool_2d(1, 2)\n")
    short = theanodiag("scan", ".", "--no-cache", cwd=repository, env={"COLUMNS": "140"}).stdout
    assert "1 needs Theano 0.6-0.8 (pooled.py)" in short
    assert "other: warnings and errors on flags and memory" in short.replace("\n", " ")
    assert "numbers.py" not in short
    rows = [line.split() for line in theanodiag("scan", ".", "--no-cache", "--verbose", cwd=repository).stdout.splitlines()]
    assert ["numbers.py"] in rows
    assert [row[:4] for row in rows if row[:2] == ["pooled.py", "theano"]] == [["pooled.py", "theano", "0.6-0.8", "2"]]
    assert ["run.sh", "1", "1"] in [row[:3] for row in rows]  # one line, which names a GPU


def test_json_lists_every_file_once(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """By the schema."""
    env = {"XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache"))}
    done = theanodiag("scan", ".", "--format", "json", cwd=repository, env=env)
    document = json.loads(done.stdout)
    assert flaws(document) == []
    assert {f["path"]: f["state"] for f in document["files"]} == {"numbers.py": "irrelevant", "run.sh": "read", "train.py": "read"}
    scans = Path(env["XDG_CACHE_HOME"], "theanodiag", "scans")
    assert len(list(scans.iterdir())) == 1
    assert sorted(p.name for p in repository.iterdir()) == ["numbers.py", "run.sh", "train.py"]
    assert theanodiag("scan", "--clear-cache", cwd=repository, env=env).returncode == 0
    assert list(scans.iterdir()) == []


def test_findings_as_other_tools_take_them(repository: Path) -> None:
    """Selected as elsewhere."""
    done = theanodiag("scan", ".", "--no-cache", "--format", "concise", "--select", "TD2", cwd=repository)
    assert done.stdout.startswith("run.sh:1:")
    assert "TD103" not in done.stdout


def test_a_named_script_that_is_not_run_is_said(tmp_path: Path) -> None:
    """It imports the framework by way of another file, or not at all."""
    (tmp_path / "trains.py").write_text("from model import train\n")
    done = theanodiag("scan", "trains.py", "--run", "--no-cache", cwd=tmp_path)
    assert done.returncode == 0
    assert "not run: trains.py: it imports no framework; to run it all the same: theanodiag check FILE" in done.stderr


def test_scripts_that_are_run(tmp_path: Path) -> None:
    """Each in a process of its own: one that hangs, one that leaves, one that eats memory, one without its framework."""
    (tmp_path / "hangs.py").write_text("import time\ntime.sleep(60)\nimport theano\n")
    (tmp_path / "leaves.py").write_text("import os\nos._exit(3)\nimport theano\n")
    (tmp_path / "eats.py").write_text("x = bytearray(8 << 30)\nimport theano\n")
    (tmp_path / "lacks.py").write_text("import theano\n")
    (tmp_path / "two.py").write_text("import theano\nprint 'old'\n")
    cell = {"cell_type": "code", "source": "import theano\nraise ValueError('in a cell')", "metadata": {}, "outputs": []}
    (tmp_path / "book.ipynb").write_text(json.dumps({"cells": [cell], "nbformat": 4, "nbformat_minor": 4, "metadata": {}}))
    python = os.path.relpath(sys.executable, tmp_path)
    options = ("--run", "--timeout", "15", "--memory", "2GiB", "--jobs", "2", "--format", "json", "--no-cache", "--python", python)
    done = theanodiag("scan", ".", *options, cwd=tmp_path)
    document = json.loads(done.stdout)
    assert flaws(document) == []
    runs = {f["path"]: f["run"] for f in document["files"]}
    assert runs["hangs.py"]["outcome"] == "timed out"
    assert runs["leaves.py"]["outcome"] == "failed"
    assert runs["eats.py"]["outcome"] == "out of memory"
    assert runs["lacks.py"]["outcome"] in ("failed", "no framework")
    assert runs["book.ipynb"]["outcome"] in ("failed", "no framework")
    assert runs["two.py"]["outcome"] == "failed"
    assert "this is Python 2: name its own interpreter" in runs["two.py"]["reason"]
    assert done.returncode == 1


def test_arguments_of_scripts(tmp_path: Path) -> None:
    """A pattern is of a name or of a path as the report shows it; one that matches no script is named."""
    script = "import sys\nopen({!r}, 'w').write(' '.join(sys.argv[1:]))\nimport theano\n"
    for name in ("train_a", "other", "exact"):
        (tmp_path / "src").mkdir(exist_ok=True)
        (tmp_path / "src" / f"{name}.py").write_text(script.format(str(tmp_path / name)))
    table = '[arguments]\n"train*.py" = ["--epochs", "1"]\n"./src/exact.py" = ["2"]\n"tarin.py" = ["3"]\n'
    (tmp_path / "scan.toml").write_text(table)
    done = theanodiag("scan", "src", "--run", "--no-cache", "--jobs", "1", "--arguments", "scan.toml", cwd=tmp_path)
    assert [(tmp_path / name).read_text() for name in ("train_a", "other", "exact")] == ["--epochs 1", "", "2"]
    assert [line for line in done.stderr.splitlines() if "[arguments]" in line] == [
        "theanodiag: scan.toml: 'tarin.py' in [arguments] matches no script; a pattern is of a script's name, or of its path as shown here"
    ]


def test_a_script_that_is_run_sees_its_own_packages_alone(tmp_path: Path) -> None:
    """The folder in which theanodiag is installed is not handed to its interpreter, whose packages may be of another Python."""
    seen = tmp_path / "seen"
    (tmp_path / "seen.py").write_text(f"import os\nopen({str(seen)!r}, 'w').write(os.environ.get('PYTHONPATH', 'none'))\nimport theano\n")
    env = {"PYTHONPATH": str(tmp_path)}
    theanodiag("scan", "seen.py", "--run", "--no-cache", "--jobs", "1", "--python", sys.executable, cwd=str(tmp_path), env=env)
    assert seen.read_text() == str(tmp_path)


def test_bad_input(repository: Path) -> None:
    """Clear errors, no traceback."""
    (repository / "scan.toml").write_text('[argument]\n"train.py" = ["1"]\n')
    of_run = (["--memory", "much"], ["--gpu", "4GiB,k8000"], ["--python", "/no/python"], ["--arguments", "scan.toml"])
    for words in (["nowhere"], [], [".", "--jobs", "0"], [".", "--arguments", "train.py"], *([".", "--run", *more] for more in of_run)):
        done = theanodiag("scan", *words, "--no-cache", cwd=repository)
        assert done.returncode in (2, 3), words
        assert "Traceback" not in done.stderr
        assert "help:" in done.stderr


def test_a_page(repository: Path) -> None:
    """In one file, whole."""
    done = theanodiag("scan", ".", "--no-cache", "--format", "html", "-o", "scan.html", cwd=repository)
    assert (done.returncode, done.stdout) == (1, "")
    text = (repository / "scan.html").read_text()
    assert text.startswith("<!doctype html>")
    assert "2 of 3 files use a framework" in text


@pytest.mark.parametrize("place", [".theanodiag_cache/scan.jsonl", ".theanodiag_cache/.gitignore", ".theanodiag_cache"])
def test_a_cache_that_the_repository_brings(repository: Path, tmp_path_factory: pytest.TempPathFactory, place: str) -> None:
    """A link in its place leads nowhere: nothing is written but the user's own cache."""
    home = tmp_path_factory.mktemp("home")
    (repository / place).parent.mkdir(exist_ok=True)
    (home / "rc").write_text("mine\n")
    (repository / place).symlink_to(home if place == ".theanodiag_cache" else home / "rc")
    before = sorted(repository.rglob("*"))
    env = {"XDG_CACHE_HOME": str(home / "cache")}
    assert theanodiag("scan", ".", cwd=repository, env=env).returncode == 1
    assert (home / "rc").read_text() == "mine\n"
    assert sorted(p.name for p in home.iterdir()) == ["cache", "rc"]
    assert sorted(repository.rglob("*")) == before


def test_a_home_that_cannot_be_written(repository: Path) -> None:
    """Costs the cache, and nothing else."""
    done = theanodiag("scan", ".", cwd=repository, env={"XDG_CACHE_HOME": "/dev/null"})
    assert done.returncode == 1
    assert "no results are kept: /dev/null" in done.stderr
    assert "2 of 3 files" in done.stdout


@pytest.mark.parametrize("asked", [False, True])
def test_the_interpreter_of_a_repository(tmp_path: Path, asked: bool) -> None:
    """A program that its configuration names is started only where the user names that configuration."""
    program = tmp_path / "python"
    program.write_text(f'#!/bin/sh\ntouch {tmp_path / "started"}\nexec {sys.executable} "$@"\n')
    program.chmod(0o755)
    inside = tmp_path / "downloaded"
    inside.mkdir()
    (inside / "theanodiag.toml").write_text(f"python = {json.dumps(str(program))}\n")
    (inside / "train.py").write_text("import theano\n")
    words = ("--config", str(inside / "theanodiag.toml")) if asked else ()
    done = theanodiag("scan", str(inside), "--run", "--no-cache", "--jobs", "1", "--format", "json", *words, cwd=tmp_path)
    runs = {f["path"]: f["run"] for f in json.loads(done.stdout)["files"]}
    assert runs["downloaded/train.py"]["outcome"] in ("failed", "no framework")
    assert (tmp_path / "started").exists() is asked


def outcome(folder: Path, env: Mapping[str, str]) -> str:
    """How the script in a folder ended by a scan that reuses results."""
    done = theanodiag("scan", ".", "--run", "--jobs", "1", "--format", "json", "--cache", str(folder / "kept"), cwd=str(folder), env=env)
    return str(next(f["run"]["reason"] for f in json.loads(done.stdout)["files"] if f["path"] == "train.py"))


def test_a_stored_run_is_used_while_nothing_changed_that_decides_it(tmp_path: Path) -> None:
    """A module of a package below, an rc file of the user, a variable, what is installed where the interpreter looks."""
    home, path = tmp_path / "home", tmp_path / "path"
    package = tmp_path / "project" / "package"
    for folder in (home, path, package):
        folder.mkdir(parents=True)
    (package / "part.py").write_text("import sys\n", encoding="utf-8")
    script = "try:\n    import theano\nexcept ImportError:\n    pass\nimport time\nraise ValueError(time.time_ns())\n"
    (package.parent / "train.py").write_text(script, encoding="utf-8")
    env = {"HOME": str(home), "XDG_CACHE_HOME": str(tmp_path / "cache"), "PYTHONPATH": str(path)}
    seen = [outcome(package.parent, env)]
    assert outcome(package.parent, env) == seen[0]
    assert "ValueError" in seen[0]
    (package / "part.py").write_text("import os\n", encoding="utf-8")
    seen.append(outcome(package.parent, env))
    (home / ".theanorc").write_text("[global]\nfloatX = float32\n", encoding="utf-8")
    seen.append(outcome(package.parent, env))
    (path / "theano-1.0.5.dist-info").mkdir()
    seen.append(outcome(package.parent, env))
    env["XLA_PYTHON_CLIENT_MEM_FRACTION"] = "0.5"
    seen.append(outcome(package.parent, env))
    assert len(set(seen)) == len(seen) == 5
    assert outcome(package.parent, env) == seen[-1]
