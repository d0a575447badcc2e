"""What a scan tells those who look on."""

from __future__ import annotations

from pathlib import Path

from theanodiag.workflows.scan_repository import scan
from theanodiag.workflows.scan_workers import FIRST, Watch


def test_the_slowest_is_the_one_that_was_taken_first() -> None:
    """Files that wait for a worker are not at work."""
    watch = Watch()
    watch.begin("running scripts", 4, 2)
    assert watch.slowest is None
    for path in ("a.py", "b.py", "c.py"):
        watch.handed_out(path)
    assert watch.slowest is not None
    assert watch.slowest[0] == "a.py"
    watch.came_back("a.py")
    assert watch.slowest[0] == "b.py"
    watch.came_back("b.py")
    assert watch.slowest[0] == "c.py"
    watch.came_back("c.py")
    assert watch.slowest is None


def test_what_is_left_is_guessed_from_the_pace() -> None:
    """Once there is one, and somebody knows how many files there are."""
    watch = Watch()
    for _ in range(FIRST):
        watch.finished(bad=False)
    assert watch.left_seconds is None
    watch.count(FIRST)
    assert watch.left_seconds == 0
    watch.finished(bad=True)
    assert watch.text() == f"scanning, {FIRST + 1} of {FIRST} done, 1 failed, about 0 s left"


def test_a_scan_tells_it(tmp_path: Path) -> None:
    """Every file is counted, those that cannot be read too."""
    for k in range(7):
        (tmp_path / f"m{k}.py").write_text("import theano\n" + "x = = 1\n" * (k == 3))
    watch = Watch()
    assert len(list(scan([str(tmp_path)], watch=watch))) == 7
    assert (watch.done, watch.bad, watch.slowest) == (7, 1, None)
