"""Which files `port` looks at, and what becomes of links."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.run import theanodiag
from theanodiag.workflows.port_files import SkippedLink, sources

OLD = "import theano\nf = theano.function([], [])\n"


def seen(*paths: Path) -> tuple[list[str], list[str]]:
    """The names of the files to port, and of the links that are skipped."""
    both = list(sources([str(p) for p in paths]))
    files = [os.path.basename(f) for f in both if isinstance(f, str)]
    return files, [os.path.basename(f.path) for f in both if isinstance(f, SkippedLink)]


def test_links_are_followed_nowhere_out_of_the_folder(tmp_path: Path) -> None:
    """A link to another folder's file, to a folder, to a file within, to what is left out, in a circle, to nothing."""
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    for folder in (inside / "sub", inside / ".git", outside):
        folder.mkdir(parents=True)
    for file in (inside / "a.py", inside / "sub" / "b.py", inside / ".git" / "hook.py", inside / "script", outside / "o.py"):
        file.write_text(OLD, encoding="utf-8")
    links = {
        "to_file.py": outside / "o.py", "to_folder": outside, "within.py": inside / "a.py", "folder_within": inside / "sub",
        "hook.py": inside / ".git" / "hook.py", "circle": inside, "self.py": inside / "self.py", "nothing.py": outside / "nothing.py",
        "to_script.py": inside / "script",
    }  # fmt: skip
    for name, there in links.items():
        (inside / name).symlink_to(there)
    (inside / "twice.py").symlink_to(inside / "to_file.py")
    files, skipped = seen(inside)
    assert sorted(files) == ["a.py", "b.py", "nothing.py", "self.py"]
    assert sorted(skipped) == ["hook.py", "to_file.py", "to_folder", "to_script.py", "twice.py"]
    assert seen(inside, outside)[1] == ["hook.py", "to_script.py"]


def test_a_named_link_is_followed_within_its_folder_only(tmp_path: Path) -> None:
    """As a shell names it where a star stands for a tracked link."""
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    for file in (inside / "a.py", outside / "o.py"):
        file.write_text(OLD, encoding="utf-8")
    (inside / "l.py").symlink_to(outside / "o.py")
    (inside / "k.py").symlink_to("a.py")
    assert seen(inside / "l.py") == ([], ["l.py"])
    assert seen(inside / "k.py") == (["k.py"], [])
    assert seen(inside / "k.py", inside / "a.py") == (["k.py"], [])


def test_what_a_star_names_leads_nowhere_out_of_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A linked folder, and a file in one; by another name they are looked at."""
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (outside / "o.py").write_text(OLD, encoding="utf-8")
    (inside / "d").symlink_to(outside)
    monkeypatch.chdir(inside)
    assert seen(Path("d")) == ([], ["d"])
    assert seen(Path("d/o.py")) == ([], ["o.py"])
    assert seen(Path("../outside")) == (["o.py"], [])
    assert seen(Path("d/o.py"), outside) == (["o.py"], [])
    assert seen(outside / "o.py") == (["o.py"], [])


def test_port_writes_nothing_outside_the_folder(tmp_path: Path) -> None:
    """The file behind the link stays, the link is told, and the rest is done."""
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    for file in (inside / "a.py", outside / "o.py"):
        file.write_text(OLD, encoding="utf-8")
    (inside / "link.py").symlink_to(outside / "o.py")
    done = theanodiag("port", str(inside), "--write")
    assert done.returncode == 0
    assert (outside / "o.py").read_text(encoding="utf-8") == OLD
    assert "import pytensor" in (inside / "a.py").read_text(encoding="utf-8")
    assert "link.py: skipped: a link to" in done.stderr
    assert "1 skipped" in done.stderr
