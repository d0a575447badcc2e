"""The HTML report as text: what stands on it without a script, and that nothing of it can be anything but text."""

from __future__ import annotations

import dataclasses
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.report.conftest import make
from theanodiag.capture.model import FrameworkInfo, ScriptEnd
from theanodiag.confirmation.model import DeviceSpec, FunctionConfirmation, OutOfMemory, Verdict
from theanodiag.devices import HOST
from theanodiag.findings import Location
from theanodiag.ir import Unknown
from theanodiag.ir.graph import Site
from theanodiag.memory.script import Script
from theanodiag.report.confirmed import Confirmation
from theanodiag.report.formats import View, render
from theanodiag.report.html.report_page import DrawnReport
from theanodiag.report.model import Report
from theanodiag.report.verdict import needed
from theanodiag.rules.examples import device, dot_script
from theanodiag.units import format_bytes

EVIL = ("</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "a\u202eb\x1b[31m", "{{ 7*7 }}", "<!--")


class Read(HTMLParser):
    """Elements, text, and what the page would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.rows: list[list[str]] = []
        self._cell = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes an element."""
        self.elements.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self._cell = True

    def handle_endtag(self, tag: str) -> None:
        """Ends a cell."""
        self._cell = self._cell and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        """Notes text."""
        self.text.append(data)
        if self._cell:
            self.rows[-1][-1] += data


def page(report: Report) -> str:
    """The HTML of a report."""
    text = render(report, "html", View())
    assert isinstance(text, str)
    return text


def data(text: str) -> Any:
    """The columns that the page's script reads."""
    found = re.search(r'<script type="application/json" id="timeline">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_the_verdict_comes_first_and_the_peak_adds_up(too_large: Report) -> None:
    """Without a script: the verdict, a picture, and rows whose bytes are the live peak."""
    read = Read(page(too_large))
    said = "".join(read.text)
    assert said.index("DOES NOT FIT") < said.index("Where the bytes are") < said.index("Findings") < said.index("Memory over time")
    assert any(tag == "svg" and attrs["role"] == "img" for tag, attrs in read.elements)
    head = next(k for k, row in enumerate(read.rows) if row[:2] == ["Variable", "bytes"])
    rows = [row for row in read.rows[head + 1 :] if len(row) == 7]
    held = [int(row[1].replace("\u202f", "")) for row in rows if row[1].replace("\u202f", "").isdigit()]
    assert sum(held) == too_large.process.live_peak_bytes


def test_the_page_tells_how_it_came_about() -> None:
    """The command, the flags in effect, and the line of code of each of the largest allocations."""
    flags = {"allow_gc": False, "floatX": "float32"}
    script = dot_script(100, 2000)
    site = Site("model.py", 7, code="W = theano.shared(zeros((2000, 2000), '<f4'))")
    shared = {k: dataclasses.replace(v, site=site) for k, v in script.shared.items()}
    report = make(dataclasses.replace(script, shared=shared), device(8_000_000))
    seen = dataclasses.replace(report.target, framework=FrameworkInfo("theano", "1.0.5", "", (3, 8), "1.21", flags=flags))
    text = render(dataclasses.replace(report, target=seen), "html", View(command="theanodiag check 'a b.py'"))
    read = Read(str(text))
    assert ["allow_gc", "False", ""] in read.rows
    assert "with theanodiag check 'a b.py';" in "".join(read.text)
    assert [row[-1] for row in read.rows if row[0] == "W"] == [f"model.py:7{site.code}"]


def test_alternatives_to_the_plan_are_named() -> None:
    """Each with the bytes that it leaves, after the plan."""
    report = make(dot_script(100, 2000), device(18_000_000))
    drawn, said = DrawnReport(report), "".join(Read(page(report)).text)
    assert drawn.alternatives
    for f, after in drawn.alternatives:
        assert f.fix is not None
        assert (
            said.index("To make it fit")
            < said.index(f"{f.fix.title} ({f.code}): needs {format_bytes(after)} then")
            < said.index("Where the")
        )


def test_the_columns_add_up(too_large: Report) -> None:
    """Bytes live at the peak's clock, and those of the driver's blocks, are those of the report."""
    columns = data(page(too_large))
    peak, unit, live, born = columns["peak"], columns["unit"], 0, 0
    for held, after, lasts in zip(columns["held"], columns["born"], columns["lasts"]):
        born += after
        live += held * unit if born <= peak and (not lasts or born + lasts > peak) else 0
    assert live == too_large.process.live_peak_bytes


def test_nothing_is_loaded(too_large: Report) -> None:
    """No address of anything but of places on the page, and a policy that refuses the rest."""
    read = Read(page(too_large))
    loaded = [value for _, attrs in read.elements for name, value in attrs.items() if name in ("src", "href", "action", "data")]
    assert all(value and value.startswith(("#", "data:,")) for value in loaded)
    policies = [attrs["content"] for tag, attrs in read.elements if tag == "meta" and attrs.get("http-equiv") == "Content-Security-Policy"]
    assert len(policies) == 1
    assert "default-src 'none'" in (policies[0] or "")


@pytest.mark.parametrize("evil", EVIL)
def test_names_are_text(evil: str) -> None:
    """A name that is markup, ends a script element, or turns the direction of a line is shown as it is written."""
    report = make(named(dot_script(100, 2000), evil), device(8_000_000))
    plain = Read(page(make(named(dot_script(100, 2000), "W"), device(8_000_000))))
    read = Read(page(report))
    assert [tag for tag, _ in read.elements] == [tag for tag, _ in plain.elements]
    assert not any(name.startswith("on") for _, attrs in read.elements for name in attrs)
    shown = "".join(read.text)
    assert "\u202e" not in shown
    assert "\x1b" not in shown
    assert "49" not in [cell.strip() for row in read.rows for cell in row]


def named(script: Script, name: str) -> Script:
    """The script whose shared variables, arguments and functions are called so."""
    shared = {k: dataclasses.replace(v, name=name) for k, v in script.shared.items()}
    functions = tuple(dataclasses.replace(f, name=name) for f in script.functions)
    return dataclasses.replace(script, shared=shared, functions=functions)


def test_what_was_measured_stands_beside_the_prediction(too_large: Report) -> None:
    """Each figure with its error, an under-estimate marked, and the peak of the call for the timeline; why the run ended."""
    row = (Verdict("live_peak_bytes", 17_600_000, 17_600_064), Verdict("reserved_bytes", 20_194_304, Unknown("it was not asked")))
    ran = FunctionConfirmation(0, too_large.functions[0].name, (row,), Unknown("none"), Unknown("none"))
    out = OutOfMemory(0, 0, 1, "GpuDot22", 512, 4096, message="no room")
    confirmation = Confirmation(DeviceSpec("virtual", "simulated", True, False), (ran,), out_of_memory=out, notes=("it ended",))
    text = page(dataclasses.replace(too_large, confirmation=confirmation))
    read = Read(text)
    rows = [[cell.replace("\u202f", "") for cell in row] for row in read.rows]
    name = too_large.functions[0].name
    assert [f"{name}, call 1", "live peak", "17600000", "17600064", "-64 (less than measured)"] in rows
    assert [f"{name}, call 1", "from the driver", "20194304", "?", "?"] in rows
    assert ("tr", {"class": "under"}) in read.elements
    assert "The device had no room at GpuDot22: no room" in "".join(read.text)
    columns = data(text)
    ((position, live, reserved),) = columns["measured"]
    assert (columns["spans"][position][4], live, reserved) == (0, 17_600_064, None)


def test_reports_without_figures_are_pages_too(unknown: Report, raised: Report) -> None:
    """Unknown sizes and a script that failed: the reasons stand there."""
    assert "the length depends on data" in page(unknown)
    assert "ValueError: bad data" in page(raised)
    never = make(dot_script(10, 10).__class__({}, (), ()), HOST, ScriptEnd("finished", 0))
    assert "no compiled function was found" in page(never)


def test_a_finding_has_its_line_and_the_bar_the_end_of_the_device(too_large: Report, small: Report, tmp_path: Path) -> None:
    """The script's line is text, whatever stands in it; the bar marks where the device ends, if it is too small."""
    script = tmp_path / "model.py"
    script.write_text("W = theano.shared(x)  # <script>\n", encoding="utf-8")
    moved = tuple(dataclasses.replace(f, location=Location(str(script), 1)) for f in too_large.findings)
    text = page(dataclasses.replace(too_large, findings=moved))
    assert f"W = theano.shared(x)  # &lt;script&gt;\n{'^' * 20}</pre>" in text
    need, there_is = needed(too_large), too_large.target.device.available_bytes
    assert there_is is not None
    assert f'<i style="left:{round(100 * there_is / need, 1)}%"></i>' in text
    assert "<i style" not in page(small)
