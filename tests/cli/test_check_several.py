"""`check A.py B.py`: a verdict each, and the worst of them is the exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..interpreters import find
from ..schemas import flaws
from .run import theanodiag

SMALL = """import theano
import theano.tensor as T
x = T.fmatrix('x')
f = theano.function([x], x * 2)
f([[1.0]])
"""


@pytest.fixture
def scripts(tmp_path: Path) -> Path:
    """A script that fits anywhere, one of 400 MB, one that raises, one without a function."""
    (tmp_path / "small.py").write_text(SMALL)
    large = "import numpy\nw = theano.shared(numpy.zeros((10000, 10000), 'float32'), 'w')\ng = theano.function([], w.sum())\ng()\n"
    (tmp_path / "large.py").write_text(SMALL + large)
    (tmp_path / "raises.py").write_text("import theano\nraise ValueError('no data')\n")
    (tmp_path / "nothing.py").write_text("import theano\n")
    return tmp_path


def check(folder: Path, *more: str) -> tuple[int, str]:
    """Exit code and answer."""
    done = theanodiag(
        "check",
        "--python",
        find("pytensor"),
        "--gpu",
        "600MiB",
        "--device-overhead",
        "300MiB",
        *more,
        cwd=str(folder),
        env={"COLUMNS": "200"},
    )
    return done.returncode, done.stdout


def test_each_has_a_line_with_its_verdict(scripts: Path) -> None:
    """The words are those of the script checked alone; findings stand below; nothing is said of what was not asked."""
    code, text = check(scripts, "small.py", "large.py", "raises.py", "nothing.py")
    lines = text.splitlines()
    assert code == 53
    alone = check(scripts, "large.py")[1]
    (large,) = [line for line in lines if line.startswith("large.py: ")]
    assert large.removeprefix("large.py: ") in alone.splitlines()
    assert "DOES NOT FIT on 600MiB" in large
    assert "raises.py: failed: ValueError: no data" in lines
    assert "nothing.py: no compiled function was found" in lines
    assert [line for line in lines if line.startswith("small.py: fits on 600MiB: needs at most ")]
    assert any("TD301 error" in line for line in lines)
    assert lines[-1].startswith("1 of 4 fit, 1 of 4 do not fit, 1 of 4 compile no function, 1 of 4 did not run.")
    assert "theanodiag port" not in text


def test_the_exit_code_is_that_of_the_worst(scripts: Path) -> None:
    """Too large before not run, as for one script; a script without a function was not checked."""
    assert check(scripts, "small.py", "small.py")[0] == 0
    assert check(scripts, "small.py", "raises.py")[0] == 3
    (scripts / "exits.py").write_text("import sys, theano\nprint('a warning', file=sys.stderr)\nsys.exit(4)\n")
    assert "exits.py: failed: exit code 4" in check(scripts, "exits.py", "exits.py")[1].splitlines()
    assert check(scripts, "small.py", "nothing.py")[0] == 3
    assert theanodiag("check", "small.py", "absent.py", cwd=str(scripts)).returncode == 3


def test_programs_read_the_verdicts_too(scripts: Path) -> None:
    """As JSON with the schema of `scan`, and as a listing of findings."""
    code, text = check(scripts, "small.py", "large.py", "--format", "json")
    document = json.loads(text)
    assert code == 53
    assert flaws(document) == []
    cards = {f["path"]: f["run"]["cards"]["600MiB"] for f in document["files"]}
    assert cards["small.py"]["fits"] is True
    assert cards["large.py"]["fits"] is False
    assert cards["large.py"]["verdict"].startswith("DOES NOT FIT on 600MiB: needs ")
    assert check(scripts, "small.py", "large.py", "--format", "concise")[1].startswith("large.py:")
    lines = check(scripts, "raises.py", "nothing.py", "--format", "concise")[1].splitlines()
    assert lines == [
        "nothing.py: TD006 no compiled function was found",
        "raises.py: TD006 the script failed: ValueError: no data",
    ]
