"""`theanodiag port`, as users run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from theanodiag.report import listings

from ..interpreters import ROOT
from .run import theanodiag

OLD = "import theano\nf = theano.function([], [])\n"
NEW = OLD.replace("theano", "pytensor")


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """A source outside of any git tree."""
    path = tmp_path / "model.py"
    path.write_text(OLD, encoding="utf-8")
    return path


def test_the_difference_is_shown_and_nothing_written(script: Path) -> None:
    """Without an option."""
    done = theanodiag("port", str(script))
    assert done.returncode == 0
    assert "-import theano\n+import pytensor\n" in done.stdout.replace("-f = theano.function([], [])\n", "")
    assert "1 to change" in done.stderr
    assert script.read_text(encoding="utf-8") == OLD


def test_check_says_it_by_the_exit_code(script: Path) -> None:
    """1 where something would change, 0 once it is done; a hook or a job that fails names the file."""
    done = theanodiag("port", str(script), "--check")
    assert (done.returncode, f"{script}: not ported yet; --write instead of --check ports it" in done.stderr) == (1, True)
    assert theanodiag("port", str(script), "--write").returncode == 0
    assert script.read_text(encoding="utf-8") == NEW
    assert theanodiag("port", str(script), "--check").returncode == 0


def test_the_port_of_one_file_is_written_to_another(script: Path) -> None:
    """In a repository too, where neither is committed: nothing is overwritten. An existing file, or a folder, is an error."""
    subprocess.run(["git", "init", "-q", str(script.parent)], check=True)
    into = script.parent / "ported.py"
    done = theanodiag("port", str(script), "--into", str(into))
    assert (done.returncode, into.read_text(encoding="utf-8"), script.read_text(encoding="utf-8")) == (0, NEW, OLD)
    assert f"{into}: written" in done.stderr
    again = theanodiag("port", str(script), "--into", str(into))
    assert again.returncode == 3
    assert "the file exists" in again.stderr
    whole = theanodiag("port", str(script.parent), "--into", "other folder")
    ported = f"help: port a copy of the folder: cp -r {script.parent} 'other folder'; theanodiag port 'other folder' --write\n"
    assert (whole.returncode, whole.stderr.endswith(ported)) == (2, True), whole.stderr
    assert theanodiag("port", str(script), "--write", "--into", str(script.parent / "other.py")).returncode == 2


def test_own_modules_that_stay_behind_are_named(tmp_path: Path) -> None:
    """Those of the same folder that the options would change, at any distance; not those that are named too, or need no porting."""
    (tmp_path / "model.py").write_text("import theano.tensor as T\nimport plain, near\nx = T.sqr(T.vector())\n")
    (tmp_path / "near.py").write_text("import far\n")
    (tmp_path / "far.py").write_text("import theano.tensor as T\n")
    (tmp_path / "plain.py").write_text("import json\n")
    alone = theanodiag("port", "model.py", "--into", "new.py", cwd=str(tmp_path))
    assert "near.py imports far.py, which needs porting too: port it with another --into\n" in alone.stderr
    assert "plain.py" not in alone.stderr
    assert alone.returncode == 0
    assert "far.py, which needs" in theanodiag("port", "model.py", cwd=str(tmp_path)).stderr
    for together in (("model.py", "far.py"), (".",), ("model.py", ".")):
        assert "needs porting" not in theanodiag("port", *together, cwd=str(tmp_path)).stderr


def test_a_folder_without_sources_is_said(tmp_path: Path) -> None:
    """A misspelt folder would look ported."""
    (tmp_path / "notes.txt").write_text("import theano\n")
    done = theanodiag("port", str(tmp_path), "--check")
    assert done.returncode == 0
    assert f"{tmp_path}: there is no Python source or notebook to port" in done.stderr


def test_a_folder_is_done_whole_and_what_is_unreadable_is_named(script: Path) -> None:
    """A file of neither Python, a binary and a circle of links do not keep the others from being written."""
    folder = script.parent
    (folder / "broken.py").write_text("import theano\ndef f(:\n", encoding="utf-8")
    (folder / "binary.py").write_bytes(b"import theano\0")
    (folder / "circle").symlink_to(folder)
    (folder / "gone.py").symlink_to(folder / "nowhere")
    (folder / "inner").mkdir()
    (folder / "inner" / "b.py").write_text(OLD, encoding="utf-8")
    done = theanodiag("port", str(folder), "--write")
    assert done.returncode == 1
    assert (folder / "inner" / "b.py").read_text(encoding="utf-8") == script.read_text(encoding="utf-8") == NEW
    for name, why in (("broken.py:2:7", "syntax error"), ("binary.py", "null bytes"), ("gone.py", "no such file")):
        assert any(name in line and why in line for line in done.stderr.splitlines()), done.stderr
    assert "Traceback" not in done.stderr
    assert "5 files, 2 changed" in done.stderr
    assert "3 failed" in done.stderr


def test_a_list_of_findings_has_the_files_that_were_not_read(tmp_path: Path) -> None:
    """Whatever findings are selected: an empty list would look ported."""
    (tmp_path / "model.py").write_text("import theano\nx = [\n")
    done = theanodiag("port", "model.py", "--format", "concise", "--select", "TD103", cwd=str(tmp_path))
    assert done.returncode == 1
    assert done.stdout.startswith("model.py: TD006 model.py:3:1: syntax error")


def test_a_dirty_tree_is_not_written(script: Path) -> None:
    """Unless it is forced."""
    git = ["git", "-C", str(script.parent), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git, "init", "-q"], check=True)
    done = theanodiag("port", str(script), "--write")
    assert done.returncode == 2
    assert "not committed" in done.stderr
    assert script.read_text(encoding="utf-8") == OLD
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "a"], check=True)
    assert theanodiag("port", str(script), "--write").returncode == 0
    assert theanodiag("port", str(script), "--write", "--force").returncode == 0


def test_new_files_that_are_not_written_do_not_matter(script: Path) -> None:
    """The settings of a proof, notes: nothing of them can be lost. A new source, a new folder and a changed file can."""
    git = ["git", "-C", str(script.parent), "-c", "user.name=a", "-c", "user.email=a@b"]
    (script.parent / "notes.txt").write_text("a", encoding="utf-8")
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "a"]):
        subprocess.run([*git, *words], check=True)
    (script.parent / "run.toml").write_text("[arguments]\n", encoding="utf-8")
    (script.parent / "new.py").write_text(OLD, encoding="utf-8")
    refused = theanodiag("port", str(script.parent), "--write")
    assert (refused.returncode, "not committed: ?? new.py" in refused.stderr) == (2, True), refused.stderr
    (script.parent / "new.py").unlink()
    (script.parent / "notes.txt").write_text("b", encoding="utf-8")
    refused = theanodiag("port", str(script.parent), "--write")
    assert (refused.returncode, "notes.txt" in refused.stderr) == (2, True), refused.stderr
    subprocess.run([*git, "checkout", "-q", "notes.txt"], check=True)
    assert script.read_text(encoding="utf-8") == OLD
    assert theanodiag("port", str(script.parent), "--write").returncode == 0
    assert script.read_text(encoding="utf-8") != OLD


def test_a_dirty_repository_inside_is_not_written(script: Path) -> None:
    """Where git sees it from outside (a submodule), where it leaves it out, and where nothing is around it."""
    inner = script.parent / "inner"
    inner.mkdir()
    (inner / "b.py").write_text(OLD, encoding="utf-8")
    subprocess.run(["git", "init", "-q", str(inner)], check=True)
    done = theanodiag("port", str(script.parent), "--write")
    assert (done.returncode, "inner: git has changes here that are not committed: ?? b.py" in done.stderr) == (2, True), done.stderr
    git = ["git", "-C", str(script.parent), "-c", "user.name=a", "-c", "user.email=a@b"]
    (script.parent / ".gitignore").write_text("inner\n", encoding="utf-8")
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "a"]):
        subprocess.run([*git, *words], check=True)
    assert theanodiag("port", str(script.parent), "--write").returncode == 2
    assert (inner / "b.py").read_text(encoding="utf-8") == script.read_text(encoding="utf-8") == OLD


def test_where_git_does_not_answer_nothing_is_written(script: Path) -> None:
    """A repository that git refuses to read, as one of another user: it is not known what is committed."""
    subprocess.run(["git", "init", "-q", str(script.parent)], check=True)
    (script.parent / ".git" / "config").write_text("[core\n", encoding="utf-8")
    done = theanodiag("port", str(script), "--write")
    assert (done.returncode, "git cannot tell" in done.stderr, "--force" in done.stderr) == (2, True, True), done.stderr
    assert script.read_text(encoding="utf-8") == OLD


def test_json_tells_each_change(script: Path) -> None:
    """Held against its schema, as all documents are."""
    script.write_text(OLD + "theano.sandbox.cuda.CudaNdarray(1)\n", encoding="utf-8")
    document = json.loads(theanodiag("port", str(script), "--format", "json").stdout)
    assert document["schema"] == "theanodiag/port/v1"
    assert document["counts"] == {"files": 1, "changed": 1, "failed": 0, "skipped": 0, "safe": 2, "unsafe": 0, "by_hand": 1}
    left = [c for c in document["files"][0]["changes"] if c["safety"] == "by hand"]
    assert [(c["line"], c["code"]) for c in left] == [(3, "TD103")]


def test_a_baseline_knows_a_renamed_file(tmp_path: Path) -> None:
    """By its findings; another file, which has only the imports in common, is new."""
    check = ("port", ".", "--check", "--format", "concise", "--baseline", "known.json")
    lines = [f"{name} = theano.tensor.{name}('x')\n" for name in ("matrix", "vector", "scalar", "tensor3", "tensor4")]
    (tmp_path / "old.py").write_text("import theano\n" + "".join(lines))
    assert theanodiag(*check, "--update-baseline", cwd=str(tmp_path)).returncode == 0
    (tmp_path / "old.py").rename(tmp_path / "new.py")
    renamed = theanodiag(*check, cwd=str(tmp_path))
    assert (renamed.returncode, renamed.stdout) == (0, "")
    assert "old.py does not exist, and ./new.py has its findings: it counts as renamed" in renamed.stderr
    (tmp_path / "new.py").write_text("import theano\nf = theano.function([], 1)\n")
    other = theanodiag(*check, cwd=str(tmp_path))
    assert other.returncode == 1
    assert len(other.stdout.splitlines()) == 2
    assert "6 of its 6 findings no longer occur" in other.stderr


def test_a_baseline_accepts_what_is_left(script: Path) -> None:
    """Its changes do not count for --check any more; a new one does."""
    check = ("port", script.name, "--check", "--format", "concise", "--baseline", "known.json")
    folder = str(script.parent)
    assert theanodiag(*check, "--update-baseline", cwd=folder).returncode == 0
    assert theanodiag(*check, cwd=folder).returncode == 0
    with script.open("a", encoding="utf-8") as file:
        file.write("import theano.sandbox\n")
    new = theanodiag(*check, cwd=folder)
    assert (new.returncode, new.stdout.count("\n")) == (1, 1)


@pytest.mark.parametrize("name", listings.FORMATS)
def test_listings_name_the_changes(script: Path, name: str) -> None:
    """In each format of findings; `--select` chooses among them."""
    done = theanodiag("port", str(script), "--format", name)
    assert done.returncode == 0
    assert "TD101" in done.stdout
    assert "TD101" not in theanodiag("port", str(script), "--format", name, "--select", "TD103").stdout


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every folder")
def test_a_folder_without_permission_is_named(script: Path) -> None:
    """The others are done."""
    closed = script.parent / "closed"
    closed.mkdir(mode=0)
    done = theanodiag("port", str(script.parent))
    closed.chmod(0o700)
    assert done.returncode == 1
    assert "closed: cannot be read" in done.stderr


def test_killed_at_any_moment_each_file_is_whole(tmp_path: Path) -> None:
    """Old or new; and the next run does the rest."""
    for n in range(60):
        (tmp_path / f"m{n}.py").write_text(OLD, encoding="utf-8")
    command = [sys.executable, "-m", "theanodiag", "port", str(tmp_path), "--write"]
    started = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, stderr=subprocess.PIPE, text=True)
    assert started.stderr is not None
    for _ in range(7):
        started.stderr.readline()
    started.kill()
    started.communicate()
    texts = [path.read_text(encoding="utf-8") for path in tmp_path.glob("m*.py")]
    assert len(texts) == 60
    assert set(texts) == {OLD, NEW}
    assert theanodiag("port", str(tmp_path), "--write").returncode == 0
    assert {path.read_text(encoding="utf-8") for path in tmp_path.glob("m*.py")} == {NEW}


def test_a_home_that_cannot_be_written_is_no_hindrance(tmp_path: Path) -> None:
    """fissix keeps its parsers in the user's cache."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    source = tmp_path / "model.py"
    source.write_text("import theano\n", encoding="utf-8")
    done = theanodiag("port", str(source), env={"XDG_CACHE_HOME": str(tmp_path / "file")})
    assert done.returncode == 0, done.stderr
    assert "+import pytensor" in done.stdout


def test_a_source_that_needs_theanodiag_is_counted(script: Path) -> None:
    """In the last line, and as JSON; the import is short, and public."""
    assert "imports theanodiag" not in theanodiag("port", str(script)).stderr
    script.write_text("from theano.tensor.signal import pool\npool.pool_2d(x, (2, 2))\n", encoding="utf-8")
    assert "1 imports theanodiag, which must be installed to run it" in theanodiag("port", str(script)).stderr
    document = json.loads(theanodiag("port", str(script), "--format", "json").stdout)
    assert [f["needs_theanodiag"] for f in document["files"]] == [True]
    assert theanodiag("port", str(script), "--write").returncode == 0
    assert script.read_text(encoding="utf-8").startswith("from theanodiag.legacy.tensor.signal import pool\n")


def test_a_skipped_link_makes_no_file(script: Path) -> None:
    """`--into` of a link that leads outside says so, and ends with 3."""
    inside = script.parent / "inside"
    inside.mkdir()
    (inside / "link.py").symlink_to(script)
    done = theanodiag("port", "link.py", "--into", "new.py", cwd=str(inside))
    assert (done.returncode, "link.py: skipped" in done.stderr, "written" in done.stderr) == (3, True, False)
    assert not (inside / "new.py").exists()


@pytest.mark.parametrize("format", ["text", "json"])
def test_options_about_findings_need_a_format_of_findings(script: Path, format: str) -> None:
    """Without one they would have no effect, and no baseline would be written."""
    for words in (
        ("--select", "TD1"),
        ("--ignore", "TD1"),
        ("--baseline", "known.json"),
        ("--baseline", "known.json", "--update-baseline"),
    ):
        done = theanodiag("port", script.name, "--format", format, *words, cwd=str(script.parent))
        assert (done.returncode, f"{words[0]} has no effect without" in done.stderr) == (2, True)
    assert os.listdir(script.parent) == [script.name]


@pytest.mark.parametrize("force", [False, True])
def test_in_git_the_way_back_is_named(script: Path, force: bool) -> None:
    """Where it is one: with --force it would also undo what was not committed. The old file is kept then, and outside of git."""
    done = theanodiag("port", str(script), "--write")
    assert "git checkout" not in done.stderr
    kept = script.with_name(script.name + ".bak")
    assert f"{script}: the old file is kept as {kept.name}" in done.stderr
    assert kept.read_text(encoding="utf-8") == OLD
    kept.unlink()
    script.write_text(OLD, encoding="utf-8")
    git = ["git", "-C", str(script.parent), "-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "old"]):
        subprocess.run([*git, *command], check=True)
    done = theanodiag("port", str(script), "--write", *(["--force"] if force else []))
    assert script.read_text(encoding="utf-8") == NEW
    assert ("git checkout -- FILE undoes it" in done.stderr) == (not force)
    assert kept.exists() == force


@pytest.mark.parametrize("hidden", ["ignored", "assumed unchanged"])
def test_what_git_does_not_keep_is_kept_beside(script: Path, hidden: str) -> None:
    """Git says nothing of changes in a file that it ignores, nor in one that it was told not to look at: it cannot give them back."""
    git = ["git", "-C", str(script.parent), "-c", "user.name=a", "-c", "user.email=a@b"]
    ignored = hidden == "ignored"
    (script.parent / ".gitignore").write_text(f"{script.name}\n" if ignored else "", encoding="utf-8")
    commands = [["init", "-q"], ["add", "."], ["commit", "-qm", "old"]]
    for command in commands if ignored else [*commands, ["update-index", "--assume-unchanged", script.name]]:
        subprocess.run([*git, *command], check=True)
    changed = OLD + "# not committed\n"
    script.write_text(changed, encoding="utf-8")
    done = theanodiag("port", str(script), "--write")
    assert script.read_text(encoding="utf-8") == NEW + "# not committed\n", done.stderr
    assert script.with_name(script.name + ".bak").read_text(encoding="utf-8") == changed
    assert "git checkout" not in done.stderr


def test_a_file_without_its_encoding_is_not_ported(tmp_path: Path) -> None:
    """Neither Python 2 nor 3 can read it, so that a port of it could not run either."""
    (tmp_path / "model.py").write_bytes(b"import theano\n# caf\xe9\n")
    done = theanodiag("port", "model.py", "--write", cwd=str(tmp_path))
    assert done.returncode == 1
    assert "model.py:2:6: the byte 0xe9 is not UTF-8, and the file declares no encoding" in done.stderr
    assert (tmp_path / "model.py").read_bytes() == b"import theano\n# caf\xe9\n"
