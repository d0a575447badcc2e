"""The report for people: 80 columns, the verdict first, colours only on request."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from theanodiag.capture.model import Capture
from theanodiag.devices.profile import DEFAULT_CONTEXT
from theanodiag.errors import ExitCode
from theanodiag.findings import Location, Severity
from theanodiag.report import terminal
from theanodiag.report.html import report_page
from theanodiag.report.model import Report
from theanodiag.report.next_step import plan_of
from theanodiag.report.user_source import marked_line
from theanodiag.rules.examples import data_script, device
from theanodiag.units import MIB, format_bytes
from theanodiag.workflows import compose

from .conftest import FINISHED, render


def lines(report: Report) -> list[str]:
    """The rendered lines."""
    return render(report).splitlines()


def test_small_script_is_shown_whole(small: Report) -> None:
    """The text for a small script, letter by letter."""
    assert render(small) == (
        "model.py  theano 1.0.5\n"
        "\n"
        "fits on example: needs 4.0 MiB of 95.4 MiB\n"
        "[#.............................] 4.2 %, 4194304 of 100000000 bytes\n"
        "\n"
        "where the bytes are, at the peak of predict:\n"
        "live at the peak  dtype and shape         size   share  kind\n"
        "─────────────────────────────────────────────────────────────────────\n"
        "W                 float32 (100, 100)  39.1 KiB  83.2 %  shared\n"
        "x                 float32 (10, 100)    3.9 KiB   8.4 %  input\n"
        "GpuDot22          float32 (10, 100)    3.9 KiB   8.4 %  intermediate\n"
        "\n"
        "device: example, 100000000 bytes (95.4 MiB), context 0 B (derived)\n"
        "engine: gpuarray, Theano's GPU back-end on libgpuarray's allocator\n"
        "\n"
        "predict  3 nodes, 1 call\n"
        "  called with x float32(10, 100)\n"
        "  live before 39.1 KiB, peak 46.9 KiB, after 39.1 KiB\n"
        "  taken from the driver 4.0 MiB\n"
        "  of which shared 39.1 KiB, input 3.9 KiB, intermediate 3.9 KiB\n"
    )


@pytest.mark.parametrize("name", ["small", "too_large", "unknown", "raised"])
def test_no_line_is_wider_than_80_columns(name: str, request: pytest.FixtureRequest) -> None:
    """Readable in the narrowest usual terminal."""
    assert max(len(line) for line in lines(request.getfixturevalue(name))) <= 80


def test_verdict_comes_first_with_the_next_command(too_large: Report) -> None:
    """Below the name of the script: what it means, how much of the device that is, what to do; findings, then functions."""
    shown = lines(too_large)
    first = shown[2 : shown.index("next: follow the plan below: with it the script fits") + 1]
    assert first[0].startswith("DOES NOT FIT")
    assert any(line.startswith("[####") and line[31] == "]" and "#|#" in line and line.endswith("of 8000000 bytes") for line in first)
    finding = next(k for k, line in enumerate(shown) if "TD301 " in line and not line.startswith("next"))
    assert len(first) + 2 < finding < shown.index("predict  3 nodes, 1 call")


def test_the_plan_comes_before_the_findings(too_large: Report) -> None:
    """Its change with cost and code, and that the script then fits; what it is made of and what it is not is told once."""
    shown, found = render(too_large), {f.code: f for f in too_large.findings}
    assert "\nto make it fit (TD305):\n  1. " in shown
    assert "chunks are copied in each epoch; the same results" in shown
    assert f"\n  then it fits: {found['TD305'].after.reserved_bytes} of 8000000 bytes\n" in shown  # type: ignore[union-attr]
    assert "TD305 warning" not in shown
    order = ["DOES NOT FIT", "to make it fit", "where the bytes are", "TD301 error", "device: "]
    assert [word for _, word in sorted((shown.index(word), word) for word in order)] == order
    assert "TD305 warning" in render(too_large, verbose=True)


def test_each_step_of_a_plan_has_its_bytes() -> None:
    """A smaller batch, then chunks beside it: the last step's bytes are what the script needs with both."""
    report = compose.report(Capture("model.py", "python3", "3.8.18", data_script(50_000, 40_000), FINISHED), device(12_000_000))
    plan = plan_of(report)
    assert plan is not None
    assert plan.code == "TD307"
    needs = [step.after_bytes for step in plan.steps]
    assert len(needs) == 2
    assert needs == sorted(needs, reverse=True)
    assert needs[-1] <= 12_000_000 < needs[0]
    shown = render(report)
    assert all(f"needs {format_bytes(n)} then; " in shown for n in needs)
    document = report.to_dict()["plan"]
    assert [step["after_bytes"] for step in document["steps"]] == needs  # type: ignore[index]


def test_a_plan_that_leaves_little_beside_an_assumed_context_says_so() -> None:
    """Not where the context was measured: in the text, and in the page."""
    available = 8_000_000
    capture = Capture("model.py", "python3", "3.8.18", data_script(50_000, 500), FINISHED)
    card = replace(device(available + DEFAULT_CONTEXT.bytes), context=DEFAULT_CONTEXT)
    plan = plan_of(compose.report(capture, card))
    assert plan is not None
    total = available + DEFAULT_CONTEXT.bytes
    words = r"if the CUDA context takes no more than (\d+)\.0 MiB \(we assume 300\.0 MiB, and it can be up to 450\.0 MiB\)"
    for context, said in ((DEFAULT_CONTEXT, True), (replace(DEFAULT_CONTEXT, origin="measured"), False)):
        report = compose.report(capture, replace(card, context=context))
        shown = re.search(words, " ".join(render(report).split()))
        assert bool(shown) is bool(re.search(words, report_page.render(report))) is said
        if shown:  # a context of that size leaves room enough, one a MiB larger does not
            room = int(shown[1]) * MIB
            assert total - room - MIB < plan.steps[-1].after_bytes <= total - room


def test_a_script_that_fits_has_no_plan(small: Report) -> None:
    """Nor has one whose advice is not enough."""
    assert plan_of(small) is None
    assert small.to_dict()["plan"] is None


def test_a_timeline_is_drawn_where_it_is_asked_for(small: Report) -> None:
    """With what is reserved but not live, in the section of each function."""
    plain, verbose = render(small).splitlines(), render(small, verbose=True).splitlines()
    table = re.compile("─| live at the peak|.* %  ")  # of the peak, which is in bytes then
    more = [line.split()[0] for line in verbose if line not in plain and not table.match(line)]
    assert more[-4:] == ["reserved", "reserved", "live", "scattered"]
    assert "fragmentation" in render(small, verbose=True)
    assert "fragmentation" not in render(small)
    assert max(map(len, verbose)) <= 80


def test_functions_are_listed_largest_first_and_three_in_detail(small: Report) -> None:
    """The others are one option away."""
    (one,) = small.functions
    many = replace(small, functions=tuple(replace(one, index=k, name=f"f{k}") for k in range(5)))
    shown = render(many)
    assert [f"\nf{k}  3 nodes" in shown for k in range(5)] == [True, True, True, False, False]
    assert "details of 2 more functions: --verbose, or --function NAME" in shown
    named = render(many, functions=("f4",))
    assert [f"\nf{k}  3 nodes" in named for k in range(5)] == [False, False, False, False, True]
    assert all(f"\nf{k}  3 nodes" in render(many, verbose=True) for k in range(5))


def test_functions_beside_which_the_rest_needs_a_hundred_times_as_much_are_counted(small: Report) -> None:
    """As those of a sampler: neither a list of bytes nor their details help whoever asks where the memory is."""
    (one,) = small.functions
    whole = replace(small.process, reserved_peak_bytes=101 * small.process.reserved_peak_bytes)
    many = replace(small, functions=tuple(replace(one, index=k, name=f"f{k}") for k in range(5)), process=whole)
    shown = render(many)
    assert "5 functions, each with less than 1% of that memory: --verbose, or --function NAME" in " ".join(shown.split())
    assert "details of" not in shown
    assert "3 nodes" not in shown
    assert "\nf4  3 nodes" in render(many, functions=("f4",))
    assert all(f"\nf{k}  3 nodes" in render(many, verbose=True) for k in range(5))


def test_the_range_over_addresses_is_shown_where_there_is_one(small: Report) -> None:
    """Lowest and highest."""
    text = render(replace(small, reserved_range=(8 << 20, 12 << 20)))
    assert "between 8.0 MiB and 12.0 MiB are taken from the driver" in text


def test_printed_bytes_add_up(small: Report) -> None:
    """The column of bytes at the peak, which --verbose shows, adds up to the peak."""
    shown = render(small, verbose=True).splitlines()
    column = [int(m[1]) for line in shown if (m := re.search(r"\)\s+(\d+)\s+[\d.]+ %\s+(?:shared|input|intermediate)", line))]
    assert sum(column) == small.process.live_peak_bytes


def test_lower_bounds_are_marked(unknown: Report) -> None:
    """With unknown sizes the figures say that they are lower bounds."""
    text = render(unknown)
    assert "≥" in text
    assert "may fit" in text
    assert "op Foo: no rule" in text


def test_traceback_of_the_script_is_shown_as_the_scripts(raised: Report) -> None:
    """The user's own error is theirs, and no function is the verdict."""
    text = render(raised)
    assert "the script itself failed: ValueError: bad data" in text
    assert "no compiled function was found" in text


def test_colours_only_on_request(small: Report) -> None:
    """Without colour there is no escape sequence."""
    assert "\x1b[" not in render(small)
    assert "\x1b[" in render(small, color=True)


def test_exit_codes(small: Report, too_large: Report, raised: Report, unknown: Report) -> None:
    """0 clean, 53 does not fit, 3 without functions, 1 for findings at or above the threshold."""
    assert small.exit_code() == ExitCode.CLEAN
    assert too_large.exit_code() == ExitCode.OUT_OF_MEMORY
    assert raised.exit_code() == ExitCode.UNREADABLE
    assert unknown.exit_code(Severity.INFO) == ExitCode.FINDINGS


@pytest.mark.parametrize(("need", "shown"), [(0, "." * 30), (50, "#" * 15 + "." * 15), (100, "#" * 30), (200, "#" * 14 + "|" + "#" * 15)])
def test_the_bar_goes_on_behind_the_end_of_the_device(need: int, shown: str) -> None:
    """What is needed of 100; above it, the end of the device is marked."""
    assert terminal.bar(need, 100) == shown
    assert len(terminal.bar(10**9, 1)) == len(terminal.bar(101, 100)) == 30


def test_the_source_line_stands_below_a_finding(tmp_path: Path) -> None:
    """With carets below the statement, or from the column on; nothing where there is no such file or line."""
    script = tmp_path / "model.py"
    script.write_text("import theano\n    W = theano.shared(x)  # all of it\n", encoding="utf-8")
    assert marked_line(Location(str(script), 2), 60) == ["W = theano.shared(x)  # all of it", "^" * len("W = theano.shared(x)")]
    assert marked_line(Location(str(script), 2, 9), 60) == ["W = theano.shared(x)  # all of it", "    " + "^" * len("theano.shared(x)")]
    assert marked_line(Location(str(script), 2), 12) == ["W = theano.…", "^" * 12]
    assert marked_line(Location(str(script), 2, 9), 8) == ["theano.…", "^" * 8]
    for path, line in (script, None), (script, 3), (script, 9), (tmp_path, 1), ("gone.py", 1):
        assert marked_line(Location(str(path), line), 60) == []
