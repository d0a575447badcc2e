"""What a notebook shows, run by nbclient in a real kernel; and that all of it is escaped."""

from __future__ import annotations

import html
import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.interpreters import ROOT, find
from tests.report.conftest import make
from tests.report.html.browser import Browser
from tests.report.html.test_report_page import EVIL, named
from theanodiag.cli.cell_magic import memcheck
from theanodiag.confirmation.model import DeviceSpec, FunctionConfirmation, Verdict
from theanodiag.ir import Unknown
from theanodiag.report.confirmed import Confirmation
from theanodiag.rules.examples import device, dot_script

MODEL = """
import numpy, pytensor, pytensor.tensor as pt
x = pt.matrix("x", dtype="float32")
W = pytensor.shared(numpy.zeros((784, 10), "float32"), "W")
fn = pytensor.function([x], pt.dot(x, W))
"""
CELLS = [
    MODEL + "import theanodiag\ntheanodiag.estimate(fn, {'x': (128, 784)}, device='1 MiB')",
    "theanodiag.read_graph(fn)",
    "%load_ext theanodiag",
    "%%memcheck --gpu 4GiB --engine gpuarray\nimport beside_the_notebook"
    + MODEL
    + "fn(numpy.zeros((64, 784), 'float32'))\nprint(__file__)",
    "%%memcheck --gpu nonsense\npass",
    "%%memcheck --gpu 4GiB -q" + MODEL + "print('quiet')\nfn(numpy.zeros((64, 784), 'float32'))",
]


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[int, dict[str, str]]:
    """Per cell what it gave, by kind."""
    command = [find("notebook"), str(ROOT / "tests" / "report" / "run_notebook.py")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTENSOR_FLAGS": "floatX=float32"}
    folder = tmp_path_factory.mktemp("notebook")
    (folder / "beside_the_notebook.py").write_text("", "utf-8")
    done = subprocess.run(
        command, input=json.dumps(CELLS), cwd=folder, env=environment, capture_output=True, text=True, timeout=400, check=True
    )
    found: dict[int, dict[str, str]] = {}
    for cell, kind, content in json.loads(done.stdout):
        found.setdefault(cell, {})[kind] = found.get(cell, {}).get(kind, "") + content
    return found


def inner(frame: str) -> str:
    """The page in a frame."""
    assert frame.startswith('<iframe sandbox="allow-scripts"')
    return html.unescape(frame.partition('srcdoc="')[2].rpartition('"')[0])


def test_an_estimate_is_a_page(outputs: dict[int, dict[str, str]]) -> None:
    """The verdict, the timeline, and what is live at the peak."""
    shown = inner(outputs[0]["text/html"])
    assert "DOES NOT FIT" in shown
    assert "Where the bytes are" in shown


def test_a_graph_is_a_table(outputs: dict[int, dict[str, str]]) -> None:
    """Its nodes, with their Ops and names."""
    assert "<td" in outputs[1]["text/html"]
    assert "W: " in outputs[1]["text/html"]


def test_a_cell_is_checked(outputs: dict[int, dict[str, str]]) -> None:
    """The magic shows a report on the cell's own script; a mistake in its options is told, without a traceback."""
    shown = inner(outputs[3]["text/html"])
    assert "<h1>cell</h1>" in shown
    assert "cell.py" not in "".join(outputs[3].values()), "the temporary file, which is gone"
    assert "output of cell (its numbers are placeholders):\n  | cell\n" in "".join(outputs[3].values())
    assert "Memory over time" in shown
    assert "%%memcheck: not a card or a size" in "".join(outputs[4].values())
    assert "Memory over time" in inner(outputs[5]["text/html"])
    assert "quiet" not in "".join(text for kind, text in outputs[5].items() if kind != "text/html")
    assert "error" not in outputs[4]


def test_the_arguments_of_a_cell_reach_it() -> None:
    """Behind `--`, as for a script."""
    assert (
        memcheck(
            f"--gpu none --python {find('pytensor_new')} -- --epochs 3", "import sys\n" + MODEL + "assert sys.argv[1:] == ['--epochs', '3']"
        )
        is not None
    )


@pytest.mark.parametrize(("line", "word"), [("other.py", "no other script"), ("--baseline known.json", "--baseline")])
def test_what_a_cell_cannot_take_is_refused(line: str, word: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A second script was left out in silence."""
    assert memcheck(line, "pass") is None
    assert word in capsys.readouterr().err


def test_a_cell_that_uses_another_is_told_to_stand_alone(capfd: pytest.CaptureFixture[str]) -> None:
    """Its process has no variable of the notebook; an error of its own is only shown."""
    words = "the cell is run on its own: put the imports and definitions of other cells that it needs into it"
    assert memcheck("--gpu none", "model.fit(data)\n") is not None
    assert words in capfd.readouterr().err
    assert memcheck("--gpu none", "1 / 0\n") is not None
    assert words not in capfd.readouterr().err


def test_a_frame_works_in_a_page(browser: Browser, tmp_path: Path) -> None:
    """The page draws itself inside of the frame, apart from the notebook."""
    frame = make(dot_script(100, 2000), device(8_000_000))._repr_html_()
    (tmp_path / "notebook.html").write_text(f"<!doctype html><meta charset=utf-8><title>n</title>{frame}", encoding="utf-8")
    browser.look(1280)
    browser.open(tmp_path / "notebook.html")
    browser.driver.switch_to.frame(0)
    try:
        assert browser.wait("return document.documentElement.dataset.ready === 'yes'")
        assert browser.run("return document.querySelector('#plot canvas').width > 100")
    finally:
        browser.driver.switch_to.default_content()
    assert browser.errors() == []


def confirmation(name: str) -> Confirmation:
    """A run of one call of a function with this name."""
    row = (Verdict("live_peak_bytes", 100, 90), Verdict("reserved_bytes", 64, Unknown("it was not asked")))
    spec = DeviceSpec("opencl", "an OpenCL device", True, True)
    return Confirmation(spec, (FunctionConfirmation(0, name, (row,), Unknown("none"), Unknown("none")),), notes=(name,))


def test_a_confirmation_is_a_table() -> None:
    """Predicted, measured and their difference; why a figure is not known."""
    text = confirmation("train")._repr_html_()
    for part in ("train, call 1", ">100<", ">90<", ">10<", "it was not asked"):
        assert part in text


SHOWN: dict[str, Callable[[str], Any]] = {
    "report": lambda name: make(named(dot_script(10, 10), name), device(8_000_000)),
    "confirmation": confirmation,
    "graph": lambda name: replace(dot_script(10, 10).functions[0].graph, name=name),
}


@pytest.mark.parametrize("what", SHOWN)
@pytest.mark.parametrize("evil", EVIL)
def test_names_are_escaped(what: str, evil: str) -> None:
    """Markup in a name is text in every table and frame."""
    text = SHOWN[what](evil)._repr_html_()
    assert "<img" not in text
    assert "<script>alert" not in text
    assert "\u202e" not in text
