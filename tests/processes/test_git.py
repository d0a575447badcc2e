"""What git tells of a repository whose configuration and hooks name programs."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from theanodiag.processes import git

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
STATUS = ("status", "--porcelain", "--ignore-submodules=all", "--", ".")
HOOKS = ("post-index-change", "fsmonitor-watchman", "post-checkout")


def plain(folder: Path, *words: str) -> str:
    """What git itself says."""
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(folder), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with all committed, a program that tells when it runs, and stale times, so that git compares the files."""
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\ncat\n")
    program.chmod(0o755)
    top = tmp_path / "repository"
    (top / "sub").mkdir(parents=True)
    plain(top, "init", "-q")
    for name in ("a.py", "sub/b.py"):
        (top / name).write_text("import theano\n")
    plain(top, "add", ".")
    plain(top, "commit", "-qm", "a")
    for name in ("a.py", "sub/b.py"):
        os.utime(top / name, (1, 1))
    return top


def with_filters(top: Path) -> None:
    """Programs through which files go before they are compared."""
    for key in ("x.clean", "y.z.process", "y.z.clean"):
        plain(top, "config", f"filter.{key}", str(top.parent / "program"))
    plain(top, "config", "filter.x.required", "true")
    (top / ".git/info/attributes").write_text("a.py filter=x\nsub/* filter=y.z\n")


def with_hooks(top: Path) -> None:
    """Programs that git starts when it does something."""
    for name in HOOKS:
        shutil.copy(top.parent / "program", top / ".git/hooks" / name)


def with_monitor(top: Path) -> None:
    """The program that says what changed, named in a file that the configuration includes."""
    (top / ".git/more").write_text(f"[core]\n\tfsmonitor = {top.parent / 'program'}\n")
    plain(top, "config", "include.path", "more")


def with_missing_objects(top: Path) -> None:
    """A folder that lies elsewhere, and the program that is said to fetch it."""
    program = top.parent / "program"
    program.write_text(program.read_text().replace("cat\n", ""))  # which would wait for git, and git for what it says
    plain(top, "status")  # takes the times in: a file that may have been changed is left where it is
    plain(top, "sparse-checkout", "init", "--cone", "--sparse-index")
    for key, value in (("url", f"{top}-gone"), ("promisor", "true"), ("uploadpack", str(top.parent / "program"))):
        plain(top, "config", f"remote.o.{key}", value)
    plain(top, "config", "extensions.partialClone", "o")
    plain(top, "config", "core.repositoryformatversion", "1")
    tree = plain(top, "rev-parse", "HEAD:sub")
    (top / ".git/objects" / tree[:2] / tree[2:]).unlink()


@pytest.mark.parametrize("trap", [with_filters, with_hooks, with_monitor, with_missing_objects])
def test_nothing_that_a_repository_names_is_started(repository: Path, trap: Callable[[Path], None]) -> None:
    """Which plain git does start; nor is a file of git's own written."""
    trap(repository)
    ran, index = repository.parent / "ran", (repository / ".git/index").stat().st_mtime_ns
    ours = git.run_git(str(repository), *STATUS, seconds=20)
    assert not ran.exists()
    assert (repository / ".git/index").stat().st_mtime_ns == index
    if trap is not with_missing_objects:
        assert (ours.returncode, ours.stdout) == (0, "")
        (repository / "a.py").write_text("import theano.tensor\n")
        assert git.run_git(str(repository), *STATUS, seconds=20).stdout == " M a.py\n"
    assert not ran.exists()
    subprocess.run(["git", "-C", str(repository), *STATUS], capture_output=True, check=False)
    assert ran.exists()


def test_a_filter_that_cannot_be_left_out_is_an_error(repository: Path) -> None:
    """`-c NAME=VALUE` cannot name it."""
    (repository / ".git/config").open("a").write('[filter "a=b"]\n\tclean = true\n')
    with pytest.raises(OSError, match="a=b"):
        git.run_git(str(repository), *STATUS, seconds=20)


def test_it_is_asked_of_this_repository(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not of that of GIT_DIR, as in a hook of another; and names are no patterns."""
    monkeypatch.setenv("GIT_DIR", str(repository.parent / "nowhere"))
    (repository / ":!b.py").write_text("")
    assert git.run_git(str(repository), "status", "--porcelain", "--", ":!b.py", seconds=20).stdout == "?? :!b.py\n"
    assert git.repository(str(repository / "sub")) == str(repository)
