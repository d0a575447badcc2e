"""Sources of one thing many times over: the work grows with the source and no faster, and none ends theanodiag."""

from __future__ import annotations

import contextlib
import gc
import json
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.run import theanodiag
from theanodiag.errors import UnreadableError
from theanodiag.porting.model import PortOptions
from theanodiag.porting.source_port import port_notebook, port_text
from theanodiag.porting.syntax import LONGEST
from theanodiag.processes.time_limit import time_limit

TRY = "try:\n    import theano\nexcept ImportError:\n    theano = None\ntheano.config.floatX\n"
SOURCES: dict[str, Callable[[int], str]] = {
    "imports": lambda n: "import theano\n" * n,
    "names": lambda n: "from theano.tensor import " + ", ".join(f"dot as d{i}" for i in range(n)) + "\nd0(1, 2)\n" * n,
    "gone": lambda n: "".join(f"from theano.sandbox.cuda import x{i}\n" for i in range(n)),
    "tried": lambda n: TRY * n,
    "inputs": lambda n: "import theano\n" + "f = theano.function([theano.In(x, value=1)], y)\n" * n,
    "one name": lambda n: "from theano.tensor import stack\n" + "stack(a, b, c)\n" * n,
    "ignored": lambda n: "import theano.tensor as T\n" + "T.sqr(1)  # theanodiag: ignore[TD101] so\n" * n,
    "blank lines": lambda n: "import theano\n" + "    \n" * 20 * n,
    "loops": lambda n: "import pytensor\n" + "".join(f"o, u{i} = pytensor.scan(f, x)\n" for i in range(n)),
    "stars": lambda n: "from theano.tensor import *\n" * n + "y = dot(x, x)\n" * n,
    "flags": lambda n: "import os, theano\n" + "os.environ['THEANO_FLAGS'] = 'device=gpu,floatX=float32'\n" * (n // 4),
    "Ops": lambda n: "from pytensor.graph.op import Op\n" + "class A(Op):\n    def grad(self, inputs, g):\n        return g\n" * n,
}


def notebook(cells: int) -> str:
    """One with a call in each cell."""
    code = [{"cell_type": "code", "source": ["import theano.tensor as T\n", f"T.sqr({n})\n"]} for n in range(cells)]
    return json.dumps({"cells": code, "nbformat": 4})


def seconds(work: Callable[[], object]) -> float:
    """Processor time, the best of two."""
    best = []
    for _ in range(2):
        start = time.process_time()
        work()
        best.append(time.process_time() - start)
    return min(best)


@pytest.mark.parametrize("name", SOURCES)
def test_eight_times_the_source_takes_about_eight_times_as_long(name: str) -> None:
    """Work that grows with the square would take 64 times as long."""
    options = PortOptions(unsafe=True)
    small, large = (seconds(lambda n=n: port_text(SOURCES[name](n), "x.py", options)) for n in (500, 4000))  # type: ignore[misc]
    assert large < 24 * max(small, 0.01)


def test_a_notebook_of_many_cells() -> None:
    """As for sources."""
    small, large = (seconds(lambda n=n: port_notebook(notebook(n), "x.ipynb", PortOptions())) for n in (500, 4000))  # type: ignore[misc]
    assert large < 24 * max(small, 0.01)
    assert port_notebook(notebook(3), "x.ipynb", PortOptions()).after.count("T.square") == 3


LONG = ["from theano import " + "b" * 300, "import theano.tensor as T\nT" + ".a" * 20000, ".".join(["theano"] * 5000)]


@pytest.mark.parametrize("text", LONG)
def test_long_names_and_chains_are_names_that_are_gone(text: str) -> None:
    """No name of a source is looked for on the disk, and none is followed part by part without an end."""
    report = port_text(f"{text}\nimport theano\n", "x.py", PortOptions())
    assert "import pytensor" in report.after


def test_what_is_nested_too_deeply_is_an_error_of_the_file(tmp_path: Path) -> None:
    """Beside a file that is moved as always."""
    (tmp_path / "deep.py").write_text("import theano\nx = " + "(" * 5000 + "1" + ")" * 5000 + "\n", encoding="utf-8")
    (tmp_path / "plain.py").write_text("import theano\n", encoding="utf-8")
    (tmp_path / ("n" * 200 + ".py")).write_text(f"from theano import {'b' * 300}\n", encoding="utf-8")
    done = theanodiag("port", str(tmp_path), "--write")
    assert done.returncode == 1, done.stderr
    assert "deep.py: its expressions are nested too deeply" in done.stderr
    assert (tmp_path / "plain.py").read_text(encoding="utf-8") == "import pytensor\n"


def test_code_that_is_too_long_is_told() -> None:
    """Before a tree of it is made."""
    with pytest.raises(UnreadableError, match="characters of code"):
        port_text("import theano\n" + "#" * LONGEST, "x.py", PortOptions())


def stubborn() -> None:
    """Work that goes on after whatever Exception."""
    while True:
        with contextlib.suppress(Exception):
            time.sleep(1)


def test_seconds_are_told_and_nothing_else_catches_them() -> None:
    """The limit is no Exception on its way out, and rings no more after it."""
    with pytest.raises(UnreadableError, match=r"given up after 0\.05 s"), time_limit(0.05, "x.py", "wait"):
        stubborn()
    with time_limit(0.05, "x.py", "wait"):
        pass
    time.sleep(0.06)


def test_the_seconds_count_in_another_thread() -> None:
    """As in a worker of Dask; and what rings at the very end does not reach the code that follows."""
    told = []

    def work() -> None:
        try:
            with time_limit(0.05, "x.py", "wait"):
                stubborn_in_python()
        except UnreadableError as error:
            told.append(error.message)
        for _ in range(200):
            with contextlib.suppress(UnreadableError), time_limit(0.001, "x.py", "wait"):
                time.sleep(0.001)
        told.append("went on")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(10)
    assert told == ["given up after 0.05 s", "went on"]


class Cycle:
    """What only the garbage collector frees, as a syntax tree whose nodes know their parents."""

    def __init__(self) -> None:
        self.itself = self


def test_what_a_block_over_its_time_held_is_freed_at_its_end() -> None:
    """A large tree takes seconds to free, and the file that followed was given up for them."""
    held: list[weakref.ref[Cycle]] = []

    def work() -> None:
        kept = Cycle()
        held.append(weakref.ref(kept))
        stubborn_in_python()

    gc.disable()
    try:
        with contextlib.suppress(UnreadableError), time_limit(0.6, "x.py", "wait"):
            work()
        assert held[0]() is None
    finally:
        gc.enable()


def stubborn_in_python() -> None:
    """Work that goes on after whatever Exception, and waits for nothing."""
    while True:
        with contextlib.suppress(Exception):
            sum(range(1000))


def test_a_file_over_its_seconds_stays_and_the_others_are_done(tmp_path: Path) -> None:
    """`--file-timeout`."""
    (tmp_path / "long.py").write_text("import theano.tensor as T\n" + "T.sqr(T.nnet.relu(x))\n" * 100_000, encoding="utf-8")
    (tmp_path / "plain.py").write_text("import theano\n", encoding="utf-8")
    done = theanodiag("port", str(tmp_path), "--write", "--file-timeout", "3")
    assert done.returncode == 1
    assert "long.py: given up after 3 s" in done.stderr
    assert (tmp_path / "plain.py").read_text(encoding="utf-8") == "import pytensor\n"
