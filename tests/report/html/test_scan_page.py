"""The page of `theanodiag scan`: names are text, it stays small, and in a browser it sorts, filters and unfolds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.report.html.browser import Browser
from tests.report.html.npm import package
from tests.report.html.test_browser import LOOKS
from tests.report.html.test_report_page import EVIL, Read
from theanodiag.findings import Confidence, Finding, Fix, Location, Severity
from theanodiag.report.html import command_pages
from theanodiag.scanned_files.facts import facts
from theanodiag.scanned_files.model import CardRun, FileFacts, FileState, NameCounts, ScriptRun, SourceKind

SOURCE = b"import theano\nfrom theano.gof.compilelock import get_lock\nget_lock()\n"
FLAGS = b"THEANO_FLAGS=device=gpu0,floatX=float23 python train.py\n" * 2


def scanned() -> list[FileFacts]:
    """Files of all states, two of them run."""
    ran = ScriptRun("ran", "", 2.5, {"k80": CardRun(True, 3 << 20), "4GiB": CardRun(False, 20 << 30)})
    train = facts("models/train.py", SourceKind.PYTHON, SOURCE)
    return [
        replace(train, run=ran),
        replace(train, path="models/small.py", run=replace(ran, cards={"k80": CardRun(True, 9 << 20), "4GiB": CardRun(True, 9 << 20)})),
        replace(train, path="other/hangs.py", run=ScriptRun("timed out", "after 5 s", 5.0)),
        facts("run.sh", SourceKind.SHELL, FLAGS),
        facts("numbers.py", SourceKind.PYTHON, b"import numpy\n"),
        facts("other/bad.py", SourceKind.PYTHON, b"import theano\nx = = 1\n"),
    ]


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Browser:
    """The page of these files at 1280 pixels."""
    (tmp_path / "scan.html").write_text(command_pages.render(scanned(), ["."]), encoding="utf-8")
    browser.look(1280)
    browser.errors()
    browser.open(tmp_path / "scan.html")
    return browser


def test_every_file_with_something_to_say_is_on_it_once() -> None:
    """A row each; what a script needs on each card; the reasons of what failed."""
    read = Read(command_pages.render(scanned(), ["."]))
    rows = {row[0]: row[1:] for row in read.rows}
    assert len([row for row in read.rows if row[0].endswith((".py", ".sh"))]) == 5
    assert rows["models/train.py"][:3] == ["3.0 MiB", "20.0 GiB, does not fit", ""]
    assert rows["other/hangs.py"][2] == "timed out"
    assert "numbers.py" not in rows
    text = "".join(read.text)
    assert "lines 1, 2" in text  # findings that say the same stand once
    assert "On 4GiB 1 of 2 do not fit." in text
    assert "failed: line 2: syntax error" in text
    targets = {attributes["id"] for _, attributes in read.elements if attributes.get("id")}
    links = {(attributes.get("href") or "")[1:] for tag, attributes in read.elements if tag == "a"}
    assert links <= targets


@pytest.mark.parametrize("evil", EVIL)
def test_names_are_text(evil: str) -> None:
    """Whatever paths, cards, reasons and findings are called."""
    finding = Finding("TD103", Severity.WARNING, Confidence.DERIVED, evil, Location(evil, 1, 2), Fix(evil))
    run = ScriptRun("ran", evil, 1.0, {evil: CardRun(None, 1)})
    one = FileFacts(evil, SourceKind.PYTHON, FileState.READ, evil, 3, 3, ("theano",), evil, True, NameCounts(1, 2, 3), (finding,), run)
    text = command_pages.render([one, replace(one, path=f"{evil}/{evil}", state=FileState.FAILED)], [evil])
    assert "<img" not in text
    assert "<script>alert" not in text
    assert "\u202e" not in text


def test_it_stays_small_and_says_what_is_left_out() -> None:
    """Whatever is scanned: those with most to do are there."""
    base = scanned()[0]
    loud = tuple(replace(f, message=f"{f.message} {n}") for n in range(9) for f in base.findings)
    many = [replace(base, path=f"folder{k:05}/train.py", findings=loud, names=NameCounts(0, 0, k)) for k in range(6000)]
    text = command_pages.render(many, ["."])
    assert len(text.encode()) < 3_000_000
    assert "folder05999/train.py" in text
    assert "of 6000 files with most to do" in text
    assert "more folders have no room" in text
    assert "more files with findings have no room" in text
    assert len(command_pages.render([replace(base, path=f"folder/{k}.py") for k in range(2000)], ["."]).encode()) < 3_000_000


@pytest.mark.parametrize(("width", "dark"), LOOKS)
def test_no_serious_fault_and_nothing_wider_than_the_window(show: Browser, width: int, dark: bool) -> None:
    """By axe-core, with a script's details unfolded."""
    show.look(width, dark=dark)
    show.run("for (const d of document.querySelectorAll('details')) d.open = true")
    assert show.wait(f"return document.documentElement.scrollWidth <= {width}")
    show.run((package("axe-core") / "axe.min.js").read_text(encoding="utf-8"))
    show.run("window.found = null; axe.run().then(r => { window.found = r.violations; })")
    show.wait("return window.found !== null")
    found = show.run("return window.found.map(v => [v.impact, v.id, v.nodes[0].html.slice(0, 200)])")
    assert [v for v in found if v[0] in ("serious", "critical")] == []
    assert show.errors() == []


def test_it_sorts_filters_and_unfolds(show: Browser) -> None:
    """By the bytes on a card; by words, by the folder that is clicked; a file's name leads to what there is to say of it."""
    rows = "return [...document.querySelectorAll('#by-file tbody tr')].filter(r => !r.hidden).map(r => r.cells[0].textContent)"
    show.driver.find_element("css selector", "#by-file th:nth-child(3) button").click()
    assert show.run(rows)[:2] == ["models/train.py", "models/small.py"]
    show.driver.find_element("css selector", "#by-file th:nth-child(1) button").click()
    assert show.run(rows) == sorted(show.run(rows))
    show.driver.find_element("link text", "other").click()
    assert show.run(rows) == ["other/bad.py", "other/hangs.py"]
    assert show.run("return document.getElementById('filtered').textContent") == "2 of 5 rows"
    show.driver.find_element("link text", "hangs.py").click()
    assert show.wait("return document.querySelectorAll('details.file[open]').length === 1")
    assert "timed out: after 5 s" in show.driver.find_element("css selector", "details.file[open]").text
    assert show.errors() == []
