"""The pages of `config check`, `doctor` and `explain-log`: what stands on them, in a browser too, and that `-o` writes them whole."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.cli.run import theanodiag
from tests.report.html.browser import Browser
from tests.report.html.npm import package
from tests.report.html.test_report_page import EVIL
from theanodiag.findings import Confidence, Finding, Fix, Location, Severity
from theanodiag.logs import Cause, Diagnosis
from theanodiag.logs.model import FailedRequest, LoggedMemory, Storage
from theanodiag.probe.model import FrameworkSeen, GpuSeen, InterpreterSeen, ProbeResult
from theanodiag.report.html import command_pages

FOOTER = re.compile("<footer>.*</footer>")
RC = "[global]\nfloatX = float23\ndevcie = cuda\n"


def finding(name: str) -> Finding:
    """One with this name in all its texts."""
    fix = Fix(name, code=f"{name}\n{name}")
    return Finding("TD201", Severity.ERROR, Confidence.DERIVED, name, Location(name, 1, 2), fix, notes=(name,))


def machine(name: str) -> ProbeResult:
    """A machine on which everything is called so."""
    framework = FrameworkSeen(name, "1.0", "/lib", error=name)
    interpreter = InterpreterSeen(name, "3.11", "/usr", frameworks=(framework,))
    return ProbeResult((interpreter,), gpus=(GpuSeen(name, 1 << 30, 1 << 29, (9, 0)),), no_driver=name)


def diagnosis(name: str) -> Diagnosis:
    """A failure that is called so in all its texts."""
    request = FailedRequest(4096, False, (32, 32), "float32", name, (), (name, 3))
    live = (Storage(name, "shared", (32, 32), 4096),)
    memory = LoggedMemory(1, 2, name)
    return Diagnosis(Cause.CAPACITY, name, name, 7, name, request, memory, live, {name: 1}, {name: name}, (name,), name)


@pytest.mark.parametrize("evil", EVIL)
def test_names_are_text(evil: str) -> None:
    """Markup from an rc file, or in the name of a device, is shown as it is written."""
    for text in (
        command_pages.findings([evil], [finding(evil)]),
        command_pages.doctor(machine(evil)),
        command_pages.explained(diagnosis(evil), evil, [(7, evil)]),
    ):
        assert "<img" not in text
        assert "<script>alert" not in text
        assert "\u202e" not in text


def test_config_check_writes_a_page(tmp_path: Path) -> None:
    """With `-o`: nothing on standard output, the findings in the file, and the exit code as without."""
    (tmp_path / "rc").write_text(RC)
    done = theanodiag("config", "check", "rc", "--format", "html", "-o", "flags.html", cwd=str(tmp_path))
    assert (done.returncode, done.stdout) == (1, "")
    text = (tmp_path / "flags.html").read_text()
    assert "float23" in text
    assert "about TD2" in text


def test_doctor_writes_a_page(tmp_path: Path) -> None:
    """The kinds of devices and the interpreters."""
    done = theanodiag("doctor", "--only", "--python", sys.executable, "--format", "html", "-o", "doctor.html", cwd=str(tmp_path))
    assert (done.returncode, done.stdout) == (0, "")
    assert "What a prediction can be confirmed on" in (tmp_path / "doctor.html").read_text()


def test_explain_log_writes_a_page(tmp_path: Path) -> None:
    """The verdict, the lines around the failure with their numbers, the request, the flags and what to do."""
    lines = [
        *(f"epoch {k}" for k in range(9)),
        "THEANO_FLAGS=device=cuda",
        "RuntimeError: CUDA out of memory. Tried to allocate 1.00 GiB",
        "bye",
    ]
    (tmp_path / "job.log").write_text("\n".join(lines))
    done = theanodiag("explain-log", "job.log", "--format", "html", "-o", "log.html", cwd=str(tmp_path))
    assert (done.returncode, done.stdout) == (0, "")
    text = (tmp_path / "log.html").read_text()
    for piece in (
        "1.0 GiB were requested",
        "<strong>11  RuntimeError: CUDA",
        "12  bye",
        "7  epoch 6",
        "<code>device=cuda</code>",
        "smaller batch",
    ):
        assert piece in text
    assert "epoch 5" not in text
    plain = theanodiag("explain-log", "job.log", "--format", "html", cwd=str(tmp_path)).stdout
    assert FOOTER.sub("", plain) == FOOTER.sub("", text), "the footer has the time and the command line"


def test_every_page_names_its_command(tmp_path: Path) -> None:
    """The footer has the command line, and standard error the result in one line."""
    (tmp_path / "job.log").write_text("RuntimeError: CUDA out of memory. Tried to allocate 1.00 GiB\n")
    (tmp_path / "rc").write_text("[global]\nfloatX = float32\n")
    (tmp_path / "paste.txt").write_text("dot [id A] 1\n |x [id B]\n |W [id C]\n")
    theanodiag("graph", "paste.txt", "--format", "json", "-o", "report.json", cwd=str(tmp_path))
    for command, result in (
        (("doctor", "--only", "--python", sys.executable), "can be confirmed"),
        (("explain-log", "job.log"), "1.0 GiB were requested"),
        (("config", "check", "rc"), "0 findings"),
        (("diff", "report.json", "report.json"), "the peak changed by"),
    ):
        done = theanodiag(*command, "--format", "html", "-o", "page.html", cwd=str(tmp_path))
        assert f"with <code>theanodiag {' '.join(command)} --format html -o page.html</code>" in (tmp_path / "page.html").read_text()
        said = done.stderr.splitlines()[-1]
        assert said.startswith("theanodiag: "), done.stderr
        assert result in said
        assert said.endswith("; report in page.html")


def test_pages_have_no_serious_fault(browser: Browser, tmp_path: Path) -> None:
    """By axe-core, at 400 pixels, with no error in the console."""
    browser.look(400)
    made = {
        "flags": command_pages.findings(["rc"], [finding("W")]),
        "doctor": command_pages.doctor(machine("K520")),
        "log": command_pages.explained(diagnosis("W " * 200), "job.log", [(7, "W" * 200)]),
    }
    for name, text in made.items():
        file = tmp_path / f"{name}.html"
        file.write_text(text, encoding="utf-8")
        browser.open(file)
        assert browser.run("return document.documentElement.scrollWidth") <= 400
        browser.run((package("axe-core") / "axe.min.js").read_text(encoding="utf-8"))
        browser.run("window.found = null; axe.run().then(r => { window.found = r.violations; })")
        browser.wait("return window.found !== null")
        found = browser.run("return window.found.map(v => [v.impact, v.id, v.nodes[0].html.slice(0, 200)])")
        assert [v for v in found if v[0] in ("serious", "critical")] == []
    assert browser.errors() == []


def test_a_file_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    """Before anything runs: a folder that is not there, a device, a folder in place of a file."""
    (tmp_path / "rc").write_text(RC)
    for name in ("nowhere/flags.html", "/dev/full", str(tmp_path)):
        done = theanodiag("config", "check", "rc", "--format", "html", "-o", name, cwd=str(tmp_path))
        assert done.returncode == 3, name
        assert "cannot be written" in done.stderr or "not a file" in done.stderr
        assert "Traceback" not in done.stderr
