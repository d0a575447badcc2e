"""Where results of scans are kept: a repository that brings a cache along, or links in its place, gains nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import theanodiag
from theanodiag.errors import UnreadableError
from theanodiag.workflows import result_store
from theanodiag.workflows.result_store import NAME

KEY = result_store.key("facts", "a.py")


@pytest.fixture
def env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A home of its own."""
    return {"XDG_CACHE_HOME": str(tmp_path_factory.mktemp("home"))}


def test_what_was_kept_comes_back(tmp_path: Path, env: dict[str, str]) -> None:
    """In either place; the key that seals it can be read by nobody else."""
    for _ in range(2):
        with result_store.of_user([str(tmp_path)], env) as store, result_store.in_folder(str(tmp_path / "cache"), env) as named:
            store.put(KEY, {"a": [1, "é"]})
            named.put(KEY, {"a": [2, "é"]})
    with result_store.of_user([str(tmp_path)], env) as store, result_store.in_folder(str(tmp_path / "cache"), env) as named:
        assert (store.get(KEY), named.get(KEY)) == ({"a": [1, "é"]}, {"a": [2, "é"]})
    assert Path(env["XDG_CACHE_HOME"], "theanodiag", "secret").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("change", [(b"true", b"null"), (KEY[:8].encode(), b"0" * 8), (b"}\n", b" }\n"), (b'"seal": "', b'"seal": "0')])
def test_what_another_wrote_is_not_believed(tmp_path: Path, env: dict[str, str], change: tuple[bytes, bytes]) -> None:
    """Be it a value, the key or the seal that was changed."""
    with result_store.in_folder(str(tmp_path), env) as store:
        store.put(KEY, {"safe": True})
    path = tmp_path / NAME
    path.write_bytes(path.read_bytes().replace(*change))
    with result_store.in_folder(str(tmp_path), env) as store:
        assert store.get(KEY) is None
        assert store.get("0" * 8 + KEY[8:]) is None


def test_results_under_the_key_of_another_user(tmp_path: Path, env: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> None:
    """Are none."""
    other = {"XDG_CACHE_HOME": str(tmp_path_factory.mktemp("other"))}
    with result_store.in_folder(str(tmp_path), other) as store:
        store.put(KEY, {"safe": True})
    with result_store.in_folder(str(tmp_path), env) as store:
        assert store.get(KEY) is None


def test_links_are_not_followed(tmp_path: Path, env: dict[str, str]) -> None:
    """Neither of the file nor of a folder, on the way or at its end; what they lead to is as it was."""
    outside, target = tmp_path / "outside", tmp_path / "outside" / "rc"
    outside.mkdir()
    target.write_text("mine\n")
    inside = tmp_path / "repository"
    for name in ("file", "dangling", "hard", "device", "pipe"):
        (inside / name).mkdir(parents=True)
    (inside / "file" / NAME).symlink_to(target)
    (inside / "dangling" / NAME).symlink_to(outside / "new")
    os.link(target, inside / "hard" / NAME)
    (inside / "device" / NAME).symlink_to("/dev/zero")
    os.mkfifo(inside / "pipe" / NAME)
    (inside / "folder").symlink_to(outside)
    for name in ("file", "dangling", "hard", "device", "pipe", "folder", "folder/below"):
        with pytest.raises(UnreadableError, match="cannot be kept here"):
            result_store.in_folder(str(inside / name), env)
        with pytest.raises(UnreadableError):
            result_store.clear(str(inside / name), (), env) if name != "folder/below" else result_store.in_folder(str(inside / name), env)
    assert sorted(p.name for p in outside.iterdir()) == ["rc"]
    assert target.read_text() == "mine\n"


def test_a_link_in_place_of_gitignore(tmp_path: Path, env: dict[str, str]) -> None:
    """Creates nothing where it leads to."""
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / ".gitignore").symlink_to(tmp_path / "made")
    with result_store.in_folder(str(tmp_path / "cache"), env) as store:
        store.put(KEY, 1)
    assert not (tmp_path / "made").exists()


def test_a_file_that_git_tracks(tmp_path: Path, env: dict[str, str]) -> None:
    """Is no cache; and git runs nothing that the repository names."""
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / NAME).write_bytes(b"")
    (tmp_path / "ran.sh").write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    (tmp_path / "ran.sh").chmod(0o755)
    for words in (["init", "-q"], ["add", "-f", f"cache/{NAME}"], ["config", "core.fsmonitor", str(tmp_path / "ran.sh")]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    with pytest.raises(UnreadableError, match="git tracks it"):
        result_store.in_folder(str(tmp_path / "cache"), env)
    assert (tmp_path / "cache" / NAME).read_bytes() == b""
    assert not (tmp_path / "ran").exists()


def test_another_installation_of_the_same_sources_uses_the_results(tmp_path: Path, env: dict[str, str]) -> None:
    """As in a CI job or a container that is made anew; other sources have other results, and can clear the old ones."""
    (package,) = theanodiag.__path__
    shutil.copytree(package, tmp_path / "new" / "theanodiag", ignore=shutil.ignore_patterns("__pycache__"), copy_function=shutil.copyfile)

    def there(program: str) -> str:
        given = {**os.environ, **env, "PYTHONPATH": str(tmp_path / "new")}
        command = [sys.executable, "-c", f"from theanodiag.workflows.result_store import *\n{program}"]
        return subprocess.run(command, env=given, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.strip()

    assert there("print(key('facts', 'a.py'))") == KEY
    with (tmp_path / "new" / "theanodiag" / "files.py").open("a") as file:
        file.write("# another\n")
    assert there("print(key('facts', 'a.py'))") not in ("", KEY)
    with result_store.of_user([str(tmp_path)], env) as store:
        store.put(KEY, {})
    there(f"clear(None, [{str(tmp_path)!r}])")
    assert not store.path.exists()
