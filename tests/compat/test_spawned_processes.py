"""Legacy names in the processes that multiprocessing starts."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.capture.running import write
from tests.interpreters import find, python
from theanodiag.capture.runner import run_script
from theanodiag.compat.install import PACKAGE, STARTERS, with_code

SCRIPT = """
import multiprocessing, os, sys
import theano

def names(number):
    import theano.tensor.nnet
    return theano.__version__, type(theano).__name__, theano.tensor.nnet.relu is not None, os.getpid()

if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
        (found,) = pool.map(names, [1])
    assert found[-1] != os.getpid()
    open(sys.argv[2], "w").write(repr(found[:-1]))
"""


@pytest.mark.parametrize("way", ["fork", "spawn", "forkserver"])
def test_children_of_a_checked_script(tmp_path: Path, way: str) -> None:
    """Each way to start one; without the names a pool starts processes that die until the time is over."""
    script, said = write(tmp_path, SCRIPT), tmp_path / "said"
    end = run_script(script, find("pytensor_new"), [way, str(said)], timeout=100).end
    assert (end.status, end.exception) == ("finished", None)
    assert said.read_text() == "('1.0.5', 'AliasModule', True)"


def test_children_of_a_script_over_the_layer_alone(tmp_path: Path) -> None:
    """`python -m theanodiag.compat`, where nothing watches."""
    script, said = write(tmp_path, SCRIPT), tmp_path / "said"
    root = str(Path(__file__).resolve().parents[2])
    done = python("pytensor_new", "-m", "theanodiag.compat", str(script), "spawn", str(said), env={"PYTHONPATH": root})
    assert done.returncode == 0, done.stderr
    assert said.read_text() == "('1.0.5', 'AliasModule', True)"


def test_only_programs_for_the_user_s_work_are_changed() -> None:
    """Not those with which multiprocessing counts semaphores, nor a script's arguments."""
    program = STARTERS[0] + " spawn_main; spawn_main(pipe_handle=7)"
    assert with_code(["python", "-s", "-c", program, "--multiprocessing-fork"], "x; ")[3] == "x; " + program
    for line in (["python", "-c", "from multiprocessing.resource_tracker import main;main(5)"], ["python", "c.py", program], [b"python"]):
        assert with_code(line, "x; ") == line


def test_the_program_is_one_that_every_version_has() -> None:
    """multiprocessing of this CPython starts its processes so."""
    from multiprocessing import spawn

    line = spawn.get_command_line(pipe_handle=7)
    assert with_code(line, "x; ") != line
    assert PACKAGE not in sys.modules
