"""What grew between two reports."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.run import theanodiag
from theanodiag.devices import HOST
from theanodiag.errors import UnreadableError
from theanodiag.ir.graph import Site
from theanodiag.report import report_diff
from theanodiag.report.html import command_pages
from theanodiag.report.model import Report
from theanodiag.rules.sampling import SampledCall
from theanodiag.samplers.model import Amount, DrawArray, SamplingCall
from theanodiag.samplers.process_memory import Whole
from theanodiag.samplers.simulate import profile
from theanodiag.units import MIB


def growth(before: Report, after: Report) -> report_diff.Growth:
    """The comparison of two reports, as they are read from files."""
    return report_diff.growth(*(report_diff.read(report.to_json().encode(), "a.json") for report in (before, after)))


def test_the_peak_and_each_buffer(small: Report, too_large: Report) -> None:
    """A weight of 2000 x 2000 in place of 100 x 100, and a batch of 100 rows in place of 10."""
    found = growth(small, too_large)
    assert found.peak.before == small.process.reserved_peak_bytes
    assert found.peak.after == too_large.process.reserved_peak_bytes
    (function,) = found.functions
    assert function.peak.name == "predict"
    rows = {row.name: (row.before, row.after, row.kind) for row in function.buffers}
    assert rows["W"] == (4 * 100 * 100, 4 * 2000 * 2000, "shared")
    assert rows["x"][1:] == (4 * 100 * 2000, "input")  # 800000 is a multiple of what the allocator rounds to
    assert [row.bytes for row in function.buffers] == sorted((row.bytes for row in function.buffers), reverse=True)


def test_what_shrank_and_what_is_the_same(small: Report, too_large: Report) -> None:
    """The other way round all is less; of one report nothing is told."""
    back, same = growth(too_large, small), growth(small, small)
    assert back.peak.bytes == -growth(small, too_large).peak.bytes < 0
    assert (same.peak.bytes, same.functions) == (0, ())
    assert "no function changed its peak" in report_diff.text(same)


def test_a_function_that_is_new(small: Report, raised: Report) -> None:
    """And one that is gone."""
    (new,), (gone,) = growth(raised, small).functions, growth(small, raised).functions
    assert (new.peak.before, gone.peak.after) == (0, 0)
    assert new.peak.after == gone.peak.before > 0
    assert "  new  " in report_diff.text(growth(raised, small))


@pytest.mark.parametrize(("ends", "told"), [((True, False), "after:  the script did not"), ((False, True), "before: the script did not")])
def test_the_figures_of_a_script_that_failed(ends: tuple[bool, bool], told: str, small: Report, raised: Report) -> None:
    """They are of a part of it, so a peak of 0 is no progress; the page says so too."""
    found = growth(*(small if well else raised for well in ends))
    assert f"  {told} run to its end (ValueError: bad data)" in report_diff.text(found)
    assert "did not run to its end" in command_pages.report_diff(found)
    assert growth(small, small).notes == ()


def test_a_function_that_was_not_called(small: Report) -> None:
    """Its peak is unknown, not 0: it is neither new nor gone."""
    uncalled = replace(small, functions=(replace(small.functions[0], profile=None),))
    found = growth(small, uncalled)
    assert found.functions == ()
    assert "  after:  predict was never called: its peak is not known" in report_diff.text(found)


def test_the_page_has_what_the_text_has(small: Report, too_large: Report) -> None:
    """Verdicts, the peak and each buffer."""
    found = growth(small, too_large)
    page = command_pages.report_diff(found)
    assert all(row.name in page and report_diff.signed(row.bytes) in page for row in found.functions[0].buffers)
    assert found.verdicts[1] in page


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"schema": "theanodiag/report/v1"}', b"[" * 100_000, b"\xff"])
def test_what_is_no_report(data: bytes) -> None:
    """One error for all of them."""
    with pytest.raises(UnreadableError, match="not a report"):
        report_diff.read(data, "a.json")


@pytest.mark.parametrize("nbytes", ["many", 1.5, -1, 10**400, math.nan])
def test_sizes_that_are_no_numbers(nbytes: object, small: Report) -> None:
    """A report that somebody changed."""
    document = json.loads(small.to_json())
    document["functions"][0]["profile"]["at_peak"][0]["nbytes"] = nbytes
    with pytest.raises(UnreadableError, match="not a report"):
        report_diff.read(json.dumps(document).encode(), "a.json")


def test_the_exit_code_says_whether_it_grew(small: Report, too_large: Report, tmp_path: Path) -> None:
    """1 where the later report needs more."""
    for name, report in (("small", small), ("large", too_large)):
        (tmp_path / f"{name}.json").write_text(report.to_json())
    small_path, large_path = str(tmp_path / "small.json"), str(tmp_path / "large.json")
    assert theanodiag("diff", small_path, large_path).returncode == 1
    assert theanodiag("diff", large_path, small_path).returncode == 0
    missing = theanodiag("diff", small_path, str(tmp_path / "none.json"))
    assert (missing.returncode, "none.json: no such file\nhelp: make it with theanodiag check" in missing.stderr) == (3, True)


def sampled(small: Report, draws: int) -> Report:
    """The report of a script that samples so many draws."""
    theta = DrawArray("theta", "free", "float64", (1000,), sampled=True)
    call = SamplingCall(0, "sample", "pymc", "6.4.0", draws=draws, tune=500, chains=4, variables=(theta,), site=Site("model.py", 11))
    found = profile(call)
    whole = Whole((Amount("libraries", 200 * MIB), Amount(found.peak.name, found.peak.bytes)))
    process = replace(small.process, live_peak_bytes=whole.bytes)
    target = replace(small.target, device=HOST)
    return replace(small, target=target, process=process, sampling=(SampledCall("trace", found, whole=whole),))


def test_calls_of_samplers_are_among_what_grew(small: Report) -> None:
    """With their parts, at their line; the parts sum up to what the process grew, and small functions of the sampler are left out."""
    found = growth(sampled(small, 1000), sampled(small, 2000))
    (call,) = found.functions
    assert call.peak.name == "pymc.sample"
    assert call.peak.bytes == found.peak.bytes == sum(row.bytes for row in call.buffers) > 0
    assert {row.site for row in call.buffers} == {"model.py:11"}
    assert "libraries" not in [row.name for row in call.buffers]
