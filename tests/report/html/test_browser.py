"""The HTML report in a real Chromium: it draws, zooms, sorts and filters; no error; names are harmless; axe-core finds no serious fault."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.golden.recordings import read, scripts
from tests.golden.replay import VIRTUAL, captured
from tests.interpreters import THOROUGH
from tests.report.conftest import make
from tests.report.html.browser import Browser
from tests.report.html.npm import package
from tests.report.html.test_report_page import EVIL, named, page
from theanodiag.memory.script import Call
from theanodiag.report.model import Report
from theanodiag.rules.examples import device, dot_script
from theanodiag.workflows import compose

LOOKS = [(width, dark) for width in (1280, 400) for dark in (False, True)]
READY = "return document.documentElement.dataset.ready === 'yes'"
TOLD = "return document.getElementById('told').textContent"
Shown = Callable[[Report], Browser]


def vgg16(calls: int = 0) -> Report:
    """A net whose script calls its training so often more."""
    seen = captured(read(next(s.file for s in scripts() if s.name == "truth-vgg16")))
    last = next(e for e in reversed(seen.script.events) if isinstance(e, Call))
    script = replace(seen.script, events=(*seen.script.events, *[last] * calls))
    return compose.report(replace(seen, script=script), VIRTUAL)


@pytest.fixture(scope="module")
def report() -> Report:
    """One that does not fit, with advice whose memory can be drawn."""
    return make(dot_script(100, 2000), device(8_000_000))


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Iterator[Shown]:
    """Opens the page of a report, at 1280 pixels; at the end the console has no error."""

    def opened(report: Report) -> Browser:
        file = tmp_path / "report.html"
        file.write_text(page(report), encoding="utf-8")
        browser.look(1280)
        browser.errors()
        browser.open(file)
        assert browser.wait(READY)
        return browser

    yield opened
    assert browser.errors() == []


@pytest.mark.parametrize(("width", "dark"), LOOKS)
def test_nothing_is_wider_than_the_window(show: Shown, report: Report, width: int, dark: bool) -> None:
    """At both widths and in both colours: no scrolling sideways, a plot and a map that fill their place, and ink apart from the page."""
    browser = show(report)
    browser.look(width, dark=dark)
    assert browser.wait(f"return document.documentElement.scrollWidth <= {width}")
    assert browser.wait("const c = document.querySelector('#plot canvas'), p = document.getElementById('plot');"
                        "return Math.abs(c.getBoundingClientRect().width - p.clientWidth) < 2")  # fmt: skip
    ink, paper = browser.run("const s = getComputedStyle(document.body); return [s.color, s.backgroundColor]")
    assert (sum(map(int, ink[4:-1].split(","))) > sum(map(int, paper[4:-1].split(",")))) is dark


@pytest.mark.parametrize(("width", "dark"), LOOKS)
def test_axe_finds_no_serious_fault(show: Shown, report: Report, width: int, dark: bool) -> None:
    """By the rules of axe-core: contrast, names of controls, tables, headings."""
    browser = show(report)
    browser.look(width, dark=dark)
    browser.run((package("axe-core") / "axe.min.js").read_text(encoding="utf-8"))
    browser.run("window.found = null; axe.run().then(r => { window.found = r.violations; })")
    browser.wait("return window.found !== null")
    found = browser.run("return window.found.map(v => [v.impact, v.id, v.nodes.length, v.nodes[0].html.slice(0, 200)])")
    assert [v for v in found if v[0] in ("serious", "critical")] == []


def test_the_slider_reads_out_each_moment(show: Shown, report: Report) -> None:
    """By the keyboard: the moment, the step, live and reserved bytes, in the words of the report."""
    browser = show(report)
    assert f"live {17_600_000 / 2**20:.1f} MiB" in browser.run(TOLD)
    slider = browser.driver.find_element("id", "moment")
    slider.send_keys("\ue011")  # Home
    assert browser.wait("return document.getElementById('moment').value === '0'")
    assert "live 0 B" in browser.run(TOLD)
    assert browser.run("return document.getElementById('moment').getAttribute('aria-valuetext')") == browser.run(TOLD)
    slider.send_keys("\ue014")  # right
    assert browser.wait("return document.getElementById('moment').value === '1'")


def test_the_pointer_names_what_it_is_on(show: Shown, report: Report) -> None:
    """Variable, source line, dtype, shape and bytes, in the plot and in the map."""
    browser = show(report)
    from selenium.webdriver.common.action_chains import ActionChains

    for place, y in ((".u-over", 0.95), ("#map", 0.6)):
        element = browser.driver.find_element("css selector", place)
        browser.run("arguments[0].scrollIntoView({block: 'center'})", element)
        height = element.size["height"]
        ActionChains(browser.driver).move_to_element_with_offset(element, 0, int(height * (y - 0.5))).perform()
        said = browser.wait("const t = document.getElementById('tip'); return t.hidden ? '' : t.innerText")
        assert "float32 (2000, 2000) · shared" in said, place
        assert "16\u202f000\u202f000 bytes" in said


def test_zoom_and_the_way_back(show: Shown, report: Report) -> None:
    """The buttons, dragging over the plot, and the list of calls."""
    browser = show(report)
    from selenium.webdriver.common.action_chains import ActionChains

    label = "return document.querySelector('#plot canvas').getAttribute('aria-label')"
    whole = browser.run(label)
    plot = browser.driver.find_element("css selector", ".u-over")
    browser.run("arguments[0].scrollIntoView({block: 'center'})", plot)
    ActionChains(browser.driver).move_to_element(plot).click_and_hold().move_by_offset(200, 0).release().perform()
    assert browser.wait(f"return document.querySelector('#plot canvas').getAttribute('aria-label') !== {json.dumps(whole)}")
    browser.driver.find_element("id", "whole").click()
    assert browser.run(label) == whole
    browser.run("const w = document.getElementById('which'); w.selectedIndex = 1; w.dispatchEvent(new Event('change'))")
    assert browser.run(label) != whole


def test_tables_sort_and_filter(show: Shown, report: Report) -> None:
    """By a click and by the keyboard; what is said to screen readers too."""
    browser = show(report)
    rows = "return [...document.querySelectorAll('#peak tbody tr')].filter(r => !r.hidden).map(r => Number(r.cells[1].dataset.value))"
    head = browser.driver.find_element("css selector", "#peak th:nth-child(2) button")
    head.send_keys("\ue007")  # Enter
    assert browser.run(rows) == sorted(browser.run(rows), reverse=True)
    head.click()
    assert browser.run(rows) == sorted(browser.run(rows))
    assert browser.run("return document.querySelector('#peak th:nth-child(2)').getAttribute('aria-sort')") == "ascending"
    browser.driver.find_element("id", "filter").send_keys("shared")
    assert browser.run(rows) == [16_000_000]
    assert browser.run("return document.getElementById('filtered').textContent").startswith("1 of ")


def test_the_curve_of_an_advice_is_drawn(show: Shown, report: Report) -> None:
    """It is there from the start for the advice that saves most, and goes when its box is not ticked."""
    browser = show(report)
    pixels = """
        const c = document.querySelector('#plot canvas'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        const after = getComputedStyle(document.documentElement).getPropertyValue('--after').trim();
        const [r, g, b] = [1, 3, 5].map(k => parseInt(after.slice(k, k + 2), 16));
        let n = 0;
        for (let k = 0; k < d.length; k += 4) n += Math.abs(d[k] - r) + Math.abs(d[k + 1] - g) + Math.abs(d[k + 2] - b) < 30;
        return n"""
    before = browser.wait(pixels)
    assert before > 20
    browser.driver.find_element("css selector", "[data-curve]:checked").click()
    assert browser.run(pixels) < before / 4


@pytest.mark.parametrize("evil", EVIL)
def test_names_do_nothing(show: Shown, evil: str) -> None:
    """A name that is markup stays text, wherever the script puts it."""
    browser = show(make(named(dot_script(100, 2000), evil), device(8_000_000)))
    browser.run("document.getElementById('blocks').open = true")
    assert browser.wait("return document.querySelectorAll('#blocks tbody tr').length > 0")
    assert browser.run("return document.querySelectorAll('img, iframe, object').length") == 0
    assert browser.run("return window.hacked === undefined")


def test_it_reads_without_a_script(browser: Browser, report: Report, tmp_path: Path) -> None:
    """The picture is there, and what only a script could serve is not shown."""
    (tmp_path / "report.html").write_text(page(report), encoding="utf-8")
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.look(1280)
        browser.open(tmp_path / "report.html")
        tree = browser.driver.find_element("css selector", "svg.chart")
        assert tree.is_displayed()
        assert not browser.driver.find_element("id", "interactive").is_displayed()
        assert browser.driver.find_element("id", "peak").is_displayed()
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_it_prints_the_picture(show: Shown, report: Report) -> None:
    """On paper the picture stands in place of what moves."""
    browser = show(report)
    browser.look(1280, media="print")
    shown = "return ['picture', 'interactive'].map(i => getComputedStyle(document.getElementById(i)).display)"
    assert browser.run(shown) == ["block", "none"]
    assert browser.driver.execute_cdp_cmd("Page.printToPDF", {})["data"]


@THOROUGH
def test_a_hundred_thousand_events_are_small_and_quick(show: Shown, tmp_path: Path) -> None:
    """At most 3 MB. Half a second of work or so: beside the time that a page of one call takes, so that a busy machine does not fail it."""
    large, small = vgg16(340), vgg16()
    text = page(large)
    assert len(text.encode()) < 3_000_000
    took = "return performance.now()"
    browser = show(small)
    base = browser.run("return performance.getEntriesByType('navigation')[0].loadEventEnd")
    browser = show(large)
    assert browser.run("return Number(document.getElementById('moment').max)") > 100_000
    assert browser.run("return performance.getEntriesByType('navigation')[0].loadEventEnd") < max(2000, 10 * base)
    start = browser.run(took)
    browser.driver.find_element("id", "closer").click()
    assert browser.run(took) - start < max(1000, 5 * base)
