"""Whole scans: what is looked at, by whom, and what is left when something goes wrong."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from theanodiag.errors import UnreadableError, UsageError
from theanodiag.scanned_files.model import FileFacts, FileState
from theanodiag.workflows import result_store
from theanodiag.workflows.scan_repository import scan
from theanodiag.workflows.scan_workers import WorkerPool, Workers
from theanodiag.workflows.source_files import candidates

SOURCE = "import theano\nx = theano.tensor.sqr({})\n"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of forty sources, the working folder."""
    for k in range(40):
        (tmp_path / f"d{k % 4}").mkdir(exist_ok=True)
        (tmp_path / f"d{k % 4}" / f"m{k}.py").write_text(SOURCE.format(k))
    monkeypatch.chdir(tmp_path)
    return tmp_path


HERE = Workers()


def of(*paths: str, workers: Workers = HERE, cache: str | None = None, exclude: tuple[str, ...] = ()) -> list[FileFacts]:
    """A scan, by path."""
    return sorted(scan(paths or (".",), workers=workers, cache=cache, exclude=exclude), key=lambda f: f.path)


def test_each_file_once(repository: Path) -> None:
    """Whatever the paths, and links, say twice."""
    os.symlink("d0/m0.py", repository / "again.py")
    os.symlink(".", repository / "d1" / "loop")
    found = of(".", "d0", "d0/m0.py")
    assert len(found) == 40
    assert len({f.path for f in found}) == 40


def test_the_same_by_one_by_two_and_by_dask(repository: Path) -> None:
    """Who does the work changes nothing."""
    pytest.importorskip("distributed", reason="needs dask.distributed: pip install 'theanodiag[dask]'")
    one = of()
    assert of(workers=Workers(2)) == one
    assert of(workers=Workers(2, "local")) == one


def test_what_gitignore_and_exclude_leave_out(repository: Path) -> None:
    """Patterns of the folder itself and of those below it; a file that is named is looked at all the same."""
    (repository / ".gitignore").write_text("d0/\n*9.py\n")
    (repository / "d1" / ".gitignore").write_text("!m9.py\nm1.py\n")
    shown = {c.shown for c in candidates(["."], ["d2"])}
    assert not any(path.startswith(("d0/", "d2/")) for path in shown)
    assert "d1/m9.py" in shown
    assert "d1/m1.py" not in shown
    assert "d3/m19.py" not in shown
    assert [c.shown for c in candidates(["d0/m0.py"])] == ["d0/m0.py"]


def test_a_second_scan_takes_results_over(repository: Path) -> None:
    """Of files that did not change; the store is not damaged by a torn last line."""
    first = of(cache="store")
    path = repository / "store" / result_store.NAME
    whole = path.read_bytes()
    assert whole.count(b"\n") == 40
    path.write_bytes(whole[:-30])
    (repository / "d0" / "m0.py").write_text(SOURCE.format("changed"))
    second = of(cache="store")
    assert [f.path for f in second] == [f.path for f in first]
    assert path.read_bytes().count(b'"value"') == 42  # the torn one, and those two anew
    assert of(cache="store") == second
    for _ in range(2):  # the second time there is none
        result_store.clear("store")
        assert not path.exists()


def test_results_of_earlier_scans_that_make_no_sense_are_not_believed(repository: Path) -> None:
    """A store may come from anybody."""
    first = of(cache="store")
    path = repository / "store" / result_store.NAME
    path.write_bytes(path.read_bytes().replace(b'"state": "read"', b'"state": "irrelevant"'))
    assert of(cache="store") == first


def test_a_scan_that_was_killed_goes_on_where_it_was(repository: Path) -> None:
    """No result is lost that was written, none is there twice."""
    program = (
        "import os, signal\nfrom theanodiag.workflows.scan_repository import scan\n"
        "for k, _ in enumerate(scan(['.'], cache='store')):\n    if k == 17:\n        os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], check=False, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert ended.returncode == -signal.SIGKILL
    path = repository / "store" / result_store.NAME
    kept = path.read_bytes().count(b"\n")
    assert 17 <= kept <= 18
    assert of(cache="store") == of()
    assert path.read_bytes().count(b"\n") == 40


def test_a_worker_that_is_killed_costs_nobody(repository: Path) -> None:
    """Its files are done by another."""
    scanned, killed = [], 0
    for one in scan(["."], workers=Workers(2)):
        scanned.append(one)
        alive = multiprocessing.active_children()  # none while those beside a killed one have ended and others are not needed yet
        if killed < 2 and len(scanned) >= (3, 11)[killed] and alive:
            alive[-1].kill()
            killed += 1
    assert killed == 2
    assert sorted(scanned, key=lambda f: f.path) == of()


def test_a_task_for_workers_that_are_gone_comes_back_undone() -> None:
    """As those that were in flight do, so that all of them are handed out again."""
    pool = WorkerPool(Workers(2))
    try:
        with pytest.raises(BrokenProcessPool):
            pool.submit(os._exit, (1,)).result(60)
        with pytest.raises(BrokenProcessPool):
            pool.submit(len, ("four",)).result(60)
        pool.restart()
        assert pool.submit(len, ("four",)).result(60) == 4
    finally:
        pool.close()


def test_what_cannot_be_read_is_told(repository: Path) -> None:
    """Beside all else, each with its reason."""
    (repository / "d0" / "bad.py").write_text("import theano\nx = = 1\n")
    (repository / "d0" / "null.py").write_bytes(b"import theano\0\n")
    (repository / "d0" / "large.py").write_bytes(b"# theano\n" + b"x = 1\n" * (6 << 20))
    os.mkfifo(repository / "d0" / "pipe.py")
    left = {f.path: (f.state, f.reason) for f in of() if f.state in (FileState.FAILED, FileState.SKIPPED)}
    assert set(left) == {"d0/bad.py", "d0/null.py", "d0/large.py", "d0/pipe.py"}
    assert left["d0/large.py"][0] is FileState.SKIPPED
    assert "pipe" in left["d0/pipe.py"][1]


def test_paths_and_schedulers_that_are_not_there(repository: Path) -> None:
    """Clear errors."""
    with pytest.raises(UnreadableError, match="no such file"):
        of("nowhere")
    pytest.importorskip("distributed", reason="needs dask.distributed: pip install 'theanodiag[dask]'")
    with pytest.raises(UsageError, match="no Dask scheduler"):
        of(workers=Workers(1, "tcp://127.0.0.1:9"))
