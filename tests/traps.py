"""A repository of traps: whatever in it is followed, believed, run or waited for leaves a mark outside, or never ends."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
from pathlib import Path

POISONED = (
    "theano",
    "numpy",
    "json",
    "ast",
    "fissix",
    "pathspec",
    "rich",
    "tomllib",
    "conftest",
    "sitecustomize",
    "usercustomize",
    "setup",
)
"""Modules that we, Python or a test runner may import from a working folder."""
HOOKS = ("pre-commit", "post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman", "update")
KINDS = ("py", "ipynb", "sh", "theanorc", "yaml", "toml", "log", "txt", "pkl", "npy")
SHELL = "#!/bin/sh\ntouch {}/ran-$$\n"
GIT = (
    "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = {0}\n\tpager = {0}\n\thooksPath = .git/hooks\n"
    '[filter "x"]\n\tclean = {0}\n\tsmudge = {0}\n'
)


class Runs:
    """What makes a folder where it is unpickled."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (self.folder,)


def build(root: Path, outside: Path) -> int:
    """Fills the folder `root`, with links to `outside`, whose every change is a trap that worked; returns the number of traps."""
    program = outside.parent / "program"
    program.write_text(SHELL.format(outside))
    program.chmod(0o755)
    (outside / "mine.py").write_text("import theano\n")
    (outside / "lines.jsonl").write_text("{}\n")
    (outside / "folder").mkdir()
    return sum(
        (
            _modules(root, outside),
            _links(root, outside),
            _git(root, program),
            _settings(root, program),
            _names(root),
            _contents(root, outside),
        )
    )


def _modules(root: Path, outside: Path) -> int:
    for name in POISONED:
        (root / f"{name}.py").write_text(f"import os, theano\nos.mkdir({str(outside / f'ran-{name}')!r})\nraise SystemExit\n")
    return len(POISONED)


def _links(root: Path, outside: Path) -> int:
    targets = {f"zero.{kind}": "/dev/zero" for kind in KINDS}
    targets |= {
        "random.py": "/dev/random",
        "memory.py": "/proc/self/mem",
        "messages.py": "/proc/kmsg",
        "messages": "/proc/kmsg",
        "mine.py": str(outside / "mine.py"),
    }
    targets |= {
        "elsewhere": str(outside),
        "up": "..",
        "itself": "itself",
        "round": ".",
        ".gitignore": str(outside / "made"),
        "made.py": str(outside / "made2"),
    }
    for name, target in targets.items():
        (root / name).symlink_to(target)
    cache = root / ".theanodiag_cache"
    cache.mkdir()
    for name in ("scan.jsonl", ".gitignore", "secret"):
        (cache / name).symlink_to(outside / "lines.jsonl")
    for kind in KINDS:
        os.mkfifo(root / f"fifo.{kind}")
    return len(targets) + 3 + len(KINDS)


def _git(root: Path, program: Path) -> int:
    folder = root / ".git"
    for name in ("objects", "refs/heads", "hooks", "info"):
        (folder / name).mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "config").write_text(GIT.format(program))
    for name in HOOKS:
        (folder / "hooks" / name).symlink_to(program)
    (root / ".gitattributes").write_text("* filter=x diff=x\n")
    (root / "module").mkdir()
    (root / "module" / ".git").write_text(f"gitdir: {program.parent}\n")
    return len(HOOKS) + 3


def _settings(root: Path, program: Path) -> int:
    (root / "theanodiag.toml").write_text(f"python = {json.dumps(str(program))}\n")
    for number, text in enumerate(("[tool.theanodiag", "a = " + "[" * 5000, '"\\ud800" = 1', "x.y = 1\n" * 5000, "\0")):
        (root / f"d{number}").mkdir()
        (root / f"d{number}" / "pyproject.toml").write_text(text)
    (root / ".theanorc").write_text(f"[global]\ncxx = {program}\nbase_compiledir = {program.parent}/outside/compiled\n[nvcc]\nflags = -x\n")
    (root / "run.sh").write_text(f"THEANO_FLAGS=cxx={program},device=$({program}) python `{program}` theano.py\n")
    return 8


def _names(root: Path) -> int:
    names = [
        "$(touch ran).py",
        "`touch ran`.py",
        "; touch ran.py",
        "-rf.py",
        "--config=x.py",
        "a\nb.py",
        "::error::.py",
        "\x1b]0;x\x07.py",
        "n" * 250 + ".py",
    ]
    for name in names:
        (root / name).write_text("import theano\n")
    with contextlib.suppress(OSError):  # file systems that take no such name
        Path(os.fsdecode(os.fsencode(root) + b"/\xff\xfe.py")).write_text("import theano\n")
    return len(names) + 1


def _contents(root: Path, outside: Path) -> int:
    for name in ("large.py", "large.pkl", "large.theanorc"):
        with (root / name).open("wb") as file:
            file.truncate(1 << 32)  # a hole
    mark = str(outside / "ran-pickle")
    (root / "model.pkl").write_bytes(pickle.dumps(Runs(mark)))
    (root / "state.pkl").write_bytes(b"cposix\nsystem\n(Vmkdir " + mark.encode() + b"\ntR.")
    cells = [{"cell_type": "code", "source": ["import theano\n", f"!mkdir {mark}\n", "%run theano.py\n"]}]
    (root / "lines.ipynb").write_text(json.dumps({"cells": cells, "nbformat": 4}))
    (root / "deep.ipynb").write_text('{"cells":' + "[" * 100_000)
    (root / "deep.py").write_text("import theano\nx = " + "(" * 5000 + ")" * 5000 + "\n")
    (root / "half.py").write_bytes(b"import theano\n\xff\xfe\x00")
    (root / "graph.txt").write_text("dot [id A] ''   \n |x [id B]\n |W [id C]\n")
    (root / "job.log").write_text("MemoryError: Error allocating 1000 bytes of device memory\n" + f"$(mkdir {mark})\n")
    return 9
