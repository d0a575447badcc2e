"""What a script saves during a capture: files that were there before are as they were, whatever the script does to them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.capture.running import write
from tests.interpreters import ROOT, find
from theanodiag.capture.kept_files import WHAT, put_back
from theanodiag.capture.model import Capture
from theanodiag.capture.runner import run_script

SAVES = """
import os, pickle, shutil
pickle.dump([0.0], open("model.pkl", "wb"))
with open("log.txt", "a") as log:
    log.write("epoch 1")
open("part.new", "w").close()
os.rename("part.new", "moved.txt")
os.remove("removed.txt")
shutil.rmtree("runs")
open(".theanorc", "w").close()
open("created.txt", "w").close()
open(".tool", "w").close()
assert open("log.txt").read() == "oldepoch 1"
"""
OLD = ("model.pkl", "log.txt", "moved.txt", "removed.txt", "runs/1/model.pkl", ".theanorc")


def captured(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str, python: str | None = None, **options: object) -> Capture:
    """The run of the script in its folder, in which all of `OLD` are."""
    monkeypatch.chdir(folder)
    for name in OLD:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("old")
    return run_script(write(folder, text), python, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("python", [None, "theano27", "theano"])
@pytest.mark.parametrize("calls", ["dry", "real"])
def test_files_are_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, python: str | None, calls: str) -> None:
    """Whether they were written, added to, replaced or removed; the script itself sees what it wrote, and its new files stay."""
    seen = captured(tmp_path, monkeypatch, SAVES, python and find(python), calls=calls)
    assert not seen.end.failed, seen.end
    assert [(tmp_path / name).read_text() for name in OLD] == ["old"] * len(OLD)
    assert (tmp_path / "created.txt").exists()
    assert not (tmp_path / "part.new").exists()
    assert [s.reason for s in seen.skipped if s.what == WHAT] == [
        "model.pkl, log.txt, moved.txt and 3 more were restored to the state before this run",
        "the new file created.txt may hold placeholders of this run, not results",
    ]


@pytest.mark.parametrize(
    "end", ["raise ValueError", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "import time; time.sleep(60)"]
)
def test_however_the_script_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    """The parent puts them back."""
    seen = captured(tmp_path, monkeypatch, f"open('model.pkl', 'w').write('new')\n{end}\n", timeout=5.0)
    assert (seen.end.failed or seen.end.status == "timeout", (tmp_path / "model.pkl").read_text()) == (True, "old")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_however_theanodiag_ends(tmp_path: Path, number: int) -> None:
    """Killed too, as by a memory limit: then its helper process puts them back, and nothing is left in the folder for temporary files."""
    temporary = tmp_path / "t"
    temporary.mkdir()
    (tmp_path / "model.pkl").write_text("old")
    write(tmp_path, "open('model.pkl', 'w').write('new')\nopen('written', 'w').close()\nimport time; time.sleep(60)\n")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)}
    command = [sys.executable, "-m", "theanodiag", "check", "model.py", "--gpu", "none"]
    process = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert until(lambda: (tmp_path / "written").exists())
    assert (tmp_path / "model.pkl").read_text() == "new"
    process.send_signal(number)
    process.wait(60)
    assert until(lambda: not os.listdir(temporary))
    assert (tmp_path / "model.pkl").read_text() == "old"


def until(condition: Callable[[], bool]) -> bool:
    """Waits at most a minute; whether the condition holds then."""
    deadline = time.monotonic() + 60
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()


def test_a_forked_process_has_copies_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each file gets its own content back, although both processes count alike."""
    monkeypatch.chdir(tmp_path)
    text = "import os\nchild = os.fork()\nopen('b' if child else 'a', 'w').write('new')\nif child: os.waitpid(child, 0)\n"
    for name in "ab":
        (tmp_path / name).write_text(f"old {name}")
    run_script(write(tmp_path, text), None)
    assert [(tmp_path / name).read_text() for name in "ab"] == ["old a", "old b"]


def test_reading_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing is said of it, nor of a file that has the same content again."""
    text = "open('model.pkl').read()\nopen('log.txt', 'w').write('old')\nimport tempfile; tempfile.NamedTemporaryFile().close()\n"
    seen = captured(tmp_path, monkeypatch, text)
    assert not [s for s in seen.skipped if s.what == WHAT]


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_what_cannot_be_put_back_is_kept_beside_it(tmp_path: Path) -> None:
    """And said."""
    (tmp_path / "copies").mkdir()
    (tmp_path / "copies/1-1").write_text("old")
    path = tmp_path / "model.pkl"
    path.write_text("new")
    path.chmod(0o400)
    (tmp_path / "copies/manifest").write_text(f'["1-1", "{path}"]\n')
    (said,) = put_back(tmp_path / "copies")
    assert "cannot be restored" in said.reason
    assert (tmp_path / "model.pkl.before-check").read_text() == "old"


def test_what_cannot_be_kept_beside_it_either_is_in_a_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The script has put a file in the place of the folder."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "1-1").write_text("old")
    (tmp_path / "runs").write_text("a file")
    (tmp_path / "manifest").write_text(f'["1-1", "{tmp_path / "runs/model.pkl"}"]\n')
    (said,) = put_back(tmp_path)
    kept = Path(said.reason.rpartition(" is in ")[2])
    assert (kept.name, kept.read_text()) == ("model.pkl", "old")


def test_a_manifest_that_the_script_spoiled(tmp_path: Path) -> None:
    """Its lines are data from outside: what names no copy is passed over."""
    (tmp_path / "1-1").write_text("old")
    path = tmp_path / "model.pkl"
    rows = ["no JSON", "[]", f'["../1-1", "{path}"]', '["2-1", "/nowhere"]', f'["1-1", "{path}"]']
    (tmp_path / "manifest").write_text("\n".join(rows))
    assert [s.reason for s in put_back(tmp_path)] == ["model.pkl was restored to the state before this run"]
    assert path.read_text() == "old"
