"""Every part of the report for people, one by one: what is shown, and when it is left out."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

import pytest

from theanodiag.capture.model import Capture, DeviceSeen, FrameworkInfo, ScriptEnd, StandIn
from theanodiag.devices import HOST, DeviceProfile
from theanodiag.findings import Confidence, Cost, Finding, Fix, Location, Severity
from theanodiag.ir import Site, TypeKind, Unknown
from theanodiag.ir.shape import shape_text
from theanodiag.memory.profile import Item, LiveVariable, Origin
from theanodiag.memory.script import Call, Script
from theanodiag.ops.arrays import ItemKind
from theanodiag.report import terminal
from theanodiag.report.model import EngineNamed, FunctionReport, Report
from theanodiag.report.verdict import conclusion
from theanodiag.rules.examples import device, dot_script
from theanodiag.workflows import compose

from .conftest import render

FINISHED = ScriptEnd("finished", 0)
THEANO = FrameworkInfo("theano", "1.0.5", "/lib/theano")
LARGE = device(100_000_000)


def report(
    script: Script | None = None, on: DeviceProfile = LARGE, end: ScriptEnd = FINISHED, framework: FrameworkInfo | None = THEANO
) -> Report:
    """The report on a script, by default one that fits."""
    return compose.report(Capture("model.py", "python3", "3.8.18", script or dot_script(10, 100), end, framework), on)


def text(of: Report) -> str:
    """The whole report in one line, so that wrapped lines read on."""
    return " ".join(render(of).split())


def with_function(of: Report, **changes: object) -> Report:
    """The report with its first function changed."""
    first = replace(of.functions[0], **changes)  # type: ignore[arg-type]
    return replace(of, functions=(first, *of.functions[1:]))


def assumed(script: Script) -> Script:
    """The script as if its last call were given by the user."""
    call = script.events[-1]
    assert isinstance(call, Call)
    return replace(script, events=(*script.events[:-1], replace(call, assumed=True)))


class TestTarget:
    """The first lines."""

    def test_a_script_without_a_framework(self) -> None:
        """There is none to name."""
        assert render(report(framework=None)).startswith("model.py  no framework\n")

    def test_a_framework_under_another_name(self) -> None:
        """The name by which the script reached it is told."""
        other = FrameworkInfo("pytensor", "2.18.6", "/lib", alias_of="theano")
        assert render(report(framework=other)).startswith("model.py  pytensor 2.18.6, imported as theano\n")

    @pytest.mark.parametrize(("on", "said"), [(LARGE, True), (HOST, False)], ids=["a GPU", "the host"])
    def test_figures_of_another_back_end(self, on: DeviceProfile, said: bool) -> None:
        """A script that imports Theano, run over PyTensor, gets JAX's figures for a GPU: the verdict itself says so."""
        made = report(framework=FrameworkInfo("pytensor", "3.3.8", "/lib", alias_of="theano"), on=on)
        verdict, _ = conclusion(replace(made, engine=EngineNamed("xla", "XLA's allocator")))
        assert ("; this is about pytensor (JAX), not about Theano's own GPU code: " in verdict) == said

    @pytest.mark.parametrize(("capability", "engine", "said"), [
        ((3, 0), "xla", True), ((5, 2), "xla", False), (None, "xla", False), ((3, 0), "gpuarray", False),
    ])  # fmt: skip
    def test_a_card_on_which_jax_does_not_run(self, capability: tuple[int, int] | None, engine: str, said: bool) -> None:
        """What would fit there is not called good; Theano's own back-end runs on it."""
        card = replace(LARGE, name="GRID K520", compute_capability=capability)
        verdict, style = conclusion(replace(report(on=card), engine=EngineNamed(engine, "the allocator")))
        assert ("; XLA has no code for GRID K520: its compute capability 3.0 is below 5.2" in verdict) == said
        assert verdict.startswith("would fit " if said else "fits ")
        assert style == ("bold yellow" if said else "bold green")

    def test_host_memory_is_no_device(self) -> None:
        """The line says what the figures are instead."""
        assert "device: none; figures are host memory\n" in render(report(on=HOST))

    @pytest.mark.parametrize(("cudnn", "said"), [(7605, "with cuDNN 7605"), (None, "without cuDNN")])
    def test_a_device_that_was_stood_in_for(self, cudnn: int | None, said: str) -> None:
        """Nothing was opened, and the reader is told so."""
        framework = replace(THEANO, stand_in=StandIn({}, cudnn))
        assert f"graph: theano's GPU optimiser, {said}; no GPU was used" in text(report(framework=framework))

    def test_a_device_that_was_opened_has_no_such_line(self) -> None:
        """Its graphs are what the script itself made."""
        framework = replace(THEANO, device=DeviceSeen("K80", 100, 90))
        assert "graphs:" not in text(report(framework=framework))

    def test_markup_in_a_path_is_no_markup(self) -> None:
        """Square brackets are part of the name."""
        of = report()
        assert "[bold]x[/bold].py" in render(replace(of, target=replace(of.target, model="[bold]x[/bold].py")))


class TestFunction:
    """One function."""

    def test_a_call_that_the_script_did_not_make(self) -> None:
        """Its shapes are the user's."""
        assert "called with x float32(10, 100) (assumed)" in text(report(assumed(dot_script(10, 100))))

    def test_a_call_without_arguments(self) -> None:
        """It is said in words."""
        of = report()
        call = replace(of.functions[0].calls[0], inputs=())
        assert "called with no arguments" in text(with_function(of, calls=(call,)))

    def test_an_argument_without_a_name_or_dtype(self) -> None:
        """A question mark stands for the name."""
        of = report()
        call = of.functions[0].calls[0]
        nameless = replace(call, inputs=(replace(call.inputs[0], name=None, dtype=None),))
        assert "called with ? (10, 100)" in text(with_function(of, calls=(nameless,)))

    @pytest.mark.parametrize(("calls", "said"), [(0, "0 calls"), (1, "1 call"), (3, "3 calls")])
    def test_calls_are_counted(self, calls: int, said: str) -> None:
        """In the singular where there is one; only the first is shown."""
        of = report()
        shown = text(with_function(of, calls=of.functions[0].calls * calls))
        assert f"predict 3 nodes, {said} " in shown
        assert shown.count("called with") == min(calls, 1)

    def test_a_function_that_was_never_called_has_no_figures(self) -> None:
        """And the reader learns how to give its shapes."""
        said = text(report(dot_script(10, 100, called=False)))
        assert "no figures: never called, and the shapes of its inputs are not known" in said
        assert "give the shapes: --shape predict:x=..." in said

    def test_bounds_are_marked(self) -> None:
        """Where the graph was placed by our table the figures say so, and where data decides on the framework's own graph."""
        of = report()
        profile = of.functions[0].profile
        assert profile is not None
        bounded = with_function(of, profile=replace(profile, origin=Origin.BOUNDED))
        assert "(bounded: for sizes that depend on data, the largest case is counted)" in text(bounded)
        graph = of.functions[0].graph
        host = tuple(replace(v, type=replace(v.type, kind=TypeKind.TENSOR)) for v in graph.variables)
        shown = text(with_function(bounded, graph=replace(graph, variables=host)))
        assert "(bounded: placed as the GPU optimiser would)" in shown

    def test_the_call_at_the_peak_is_shown(self) -> None:
        """Its shapes are those of the table below it."""
        of = report()
        call, profile = of.functions[0].calls[0], of.functions[0].profile
        assert profile is not None
        larger = replace(call, inputs=(replace(call.inputs[0], shape=(77, 100)),))
        shown = text(with_function(of, calls=(call, larger), profile=replace(profile, call=1)))
        assert "(77, 100)" in shown

    def test_unknown_sizes_are_counted_and_named(self) -> None:
        """Their figures are marked as lower bounds; of many the first names stand there."""
        of = report(dot_script(Unknown("data"), 100))
        said = text(of)
        assert re.search(r"peak ≥ \d", said)
        profile = of.functions[0].profile
        assert profile is not None
        row = profile.unknown[0]
        assert re.search(rf"\(\d+ Variables? unknown: {re.escape(row.variable)}", said)
        five = tuple(replace(row, variable=f"v{k}") for k in range(5))
        shown = text(with_function(of, profile=replace(profile, unknown=five)))
        assert "(5 Variables unknown: v0, v1, v2 and 2 more)" in " ".join(shown.split())

    def test_no_memory_at_all_has_no_parts(self) -> None:
        """A function that takes nothing has no items and no table."""
        of = report()
        profile = of.functions[0].profile
        assert profile is not None
        said = text(with_function(of, profile=replace(profile, items=(), at_peak=())))
        assert "of which" not in said
        assert "live at the peak" not in said


def row(k: int, **changes: object) -> LiveVariable:
    """One buffer at the peak."""
    base = LiveVariable(f"v{k}", None, "float32", (k + 1, 4), 1000 - k, ItemKind.INTERMEDIATE)
    return base._replace(**changes)  # type: ignore[arg-type]


def table(*rows: LiveVariable, items: tuple[Item, ...] = ()) -> list[str]:
    """The lines of the table of buffers, and those right below it."""
    of = report()
    profile = of.functions[0].profile
    assert profile is not None
    lines = render(with_function(of, profile=replace(profile, at_peak=rows, items=items))).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("live at the peak"))
    return list(itertools.takewhile(bool, lines[start + 2 :]))


class TestAtPeak:
    """The table of buffers."""

    @pytest.mark.parametrize("count", [1, 10])
    def test_up_to_ten_are_shown_one_by_one(self, count: int) -> None:
        """No line for the rest where there is none."""
        assert len(table(*map(row, range(count)))) == count

    @pytest.mark.parametrize("count", [11, 20])
    def test_the_rest_is_one_line_with_its_sum(self, count: int) -> None:
        """The column still adds up."""
        lines = table(*map(row, range(count)))
        assert len(lines) == 11
        assert lines[-1].split()[:3] == [str(count - 10), "more", str(sum(1000 - k for k in range(10, count)))]

    def test_the_place_in_the_source_is_beside_the_name(self) -> None:
        """Only the file's own name, since the line is narrow."""
        assert "v0  model.py:12" in table(row(0, site=Site("/home/me/model.py", 12)))[0]

    def test_a_long_name_is_cut(self) -> None:
        """An op's text may be as long as the graph."""
        (line,) = table(row(0, variable="GpuElemwise{Composite{" + "x" * 200 + "}}"))
        assert "…" in line
        assert len(line) <= 80

    def test_markup_in_a_name_is_no_markup(self) -> None:
        """Op texts have square brackets."""
        assert "GpuElemwise{a}[(0, 0)]" in table(row(0, variable="GpuElemwise{a}[(0, 0)]"))[0]

    @pytest.mark.parametrize(("rounding", "said"), [(248, True), (0, False)])
    def test_sizes_with_rounding_are_called_so(self, rounding: int, said: bool) -> None:
        """An output of 8 bytes is shown with the 256 of its block."""
        items = (Item(ItemKind.OUTPUT, 752, Origin.DERIVED), Item(ItemKind.ROUNDING, rounding, Origin.DERIVED))
        below = table(row(0), items=items)[1:]
        assert below == ["  the sizes include the allocator's rounding, 248 B in all"] * said

    def test_a_buffer_without_a_dtype(self) -> None:
        """Workspace has bytes only."""
        assert "None" not in table(row(0, dtype=None))[0]


@pytest.mark.parametrize(
    ("shape", "said"),
    [((), "()"), ((3,), "(3,)"), ((3, 4), "(3, 4)"), ((Unknown("x"), 4), "(?, 4)"), (Unknown("x"), "(?)"), ((Unknown("x"),), "(?,)")],
)
def test_shapes_are_written_as_python_writes_them(shape: object, said: str) -> None:
    """With a question mark for what is unknown."""
    assert shape_text(shape) == said  # type: ignore[arg-type]


class TestProcess:
    """The script as a whole."""

    def test_one_function_is_the_whole_script(self) -> None:
        """Its own lines say everything."""
        assert "the script as a whole" not in text(report())

    def test_several_functions_share_the_device(self) -> None:
        """What they need together is told once: 40000 bytes of W stay at the end."""
        of = report()
        twice = replace(of, functions=(of.functions[0], replace(of.functions[0], index=1, name="train")))
        assert "the script as a whole: live peak 46.9 KiB, taken from the driver 4.0 MiB, kept at its end 39.1 KiB" in text(twice)


def finding(severity: Severity, code: str = "TD999", fix: Fix | None = None) -> Finding:
    """A finding at a place in the script."""
    return Finding(code, severity, Confidence.DERIVED, f"a {severity.name} message", Location("model.py", 3, 7), fix)


class TestFindings:
    """What the rules said."""

    def test_errors_come_first(self) -> None:
        """Whatever order the rules had."""
        of = replace(report(), findings=tuple(map(finding, (Severity.INFO, Severity.ERROR, Severity.WARNING))))
        assert re.findall(r"a (\w+) message", text(of)) == ["ERROR", "WARNING", "INFO"]

    def test_a_finding_has_its_code_and_place(self) -> None:
        """As compilers write it."""
        of = replace(report(), findings=(finding(Severity.WARNING),))
        assert "model.py:3:7: TD999 warning: a WARNING message" in text(of)

    @pytest.mark.parametrize(("code", "shown"), [("THEANO_FLAGS=a=b", True), (None, False)])
    def test_a_fix_is_shown_where_there_is_something_to_paste(self, code: str | None, shown: bool) -> None:
        """A title alone is part of the message already."""
        of = replace(report(), findings=(finding(Severity.INFO, fix=Fix("do this", code=code)),))
        assert ("do this: " in text(of)) is shown


def ended(status: str, **more: object) -> str:
    """The report on a script that ended in this way."""
    return text(report(end=ScriptEnd(status, **more)))  # type: ignore[arg-type]


class TestEnd:
    """How the script ended."""

    def test_a_finished_script_needs_no_line(self) -> None:
        """Nor does one that exited with 0."""
        assert all("the script " not in ended(status, exit_code=0) for status in ("finished", "exited"))

    def test_an_exit_with_a_status_is_told(self) -> None:
        """The script's own status, not ours."""
        assert "the script ended with exit code 3" in ended("exited", exit_code=3)

    def test_a_traceback_is_shown_as_it_is(self) -> None:
        """Long lines of it are not folded, so that they can be searched for."""
        trace = "Traceback (most recent call last):\n  " + "x" * 120 + "\nValueError: bad"
        shown = render(report(end=ScriptEnd("raised", None, "ValueError: bad", trace)))
        assert "  " + "x" * 120 + "\n" in shown
        assert "the script itself failed: ValueError: bad" in shown

    def test_a_long_traceback_has_its_ends(self) -> None:
        """The user's frames are all there; of eighty of a library, the two at either end, and how many there are between them."""
        own = '  File "model.py", line 4, in train\n    cost = grad(x)\n'
        library = "".join(f'  File "/v/lib/python3.8/site-packages/theano/gradient.py", line {n}, in grad\n    f()\n' for n in range(80))
        trace = f"Traceback (most recent call last):\n{own}{library}{own}TypeError: {'y' * 400}\n"
        shown = render(report(end=ScriptEnd("raised", None, f"TypeError: {'y' * 400}", trace)))
        assert shown.count('File "model.py", line 4') == 2
        assert [n for n in range(80) if f'gradient.py", line {n},' in shown] == [0, 1, 78, 79]
        assert "  ... 76 more frames of installed packages\n" in shown
        assert shown.count("y" * 400) == 1
        few = f"Traceback (most recent call last):\n{own}{library.partition('line 4')[0]}line 4\nTypeError: y\n"
        assert "more frames" not in render(report(end=ScriptEnd("raised", None, "TypeError: y", few)))

    def test_a_script_that_was_killed_says_by_what(self) -> None:
        """It has no status and no traceback."""
        assert "the script ended with signal 9 (SIGKILL) may fit on" in ended("killed", reason="signal 9 (SIGKILL)")

    def test_a_reason_beside_a_traceback_is_not_markup(self) -> None:
        """What is in square brackets stays."""
        said = ended("raised", exception="TypeError: x", traceback="Traceback:\nTypeError: x", reason="use x[red] instead")
        assert "the script itself failed: TypeError: x use x[red] instead" in said

    @pytest.mark.parametrize("status", ["stopped", "timeout"])
    def test_a_script_that_was_stopped_says_why(self, status: str) -> None:
        """That is no failure of the script."""
        assert "the script was stopped: enough calls were seen" in ended(status, reason="enough calls were seen")


class TestVerdict:
    """The last lines."""

    def lines(self, of: Report) -> list[str]:
        """The verdict alone."""
        return [line for line, _ in terminal.verdict(of)]

    def test_the_host_needs_so_much(self) -> None:
        """And the next step is a device to fit into."""
        of = report(on=HOST)
        peak = of.process.live_peak_bytes
        assert self.lines(of)[0].startswith("the script needs ")
        assert self.lines(of)[1] == "next: the same command with --host-memory 4GiB"
        assert peak > 0

    def test_a_printed_graph_is_no_script(self) -> None:
        """What no interpreter ran is one function."""
        of = report(on=HOST)
        of = replace(of, target=replace(of.target, interpreter=""))
        assert self.lines(of)[0].startswith("the function needs ")

    def test_a_preallocation_is_the_next_step_where_it_helps(self) -> None:
        """The flag is ready to paste."""
        of = report(dot_script(1000, 8000), device(1_000_000_000))
        assert of.preallocation is not None
        assert self.lines(of)[1].startswith(f'next: THEANO_FLAGS="$THEANO_FLAGS,gpuarray.preallocate={of.preallocation.value:g}" ')

    def test_advice_that_is_not_enough_alone_stands_below_the_plan(self) -> None:
        """It may save most where it cannot make the script fit; a remark does not."""
        finding = Finding(
            "TD303", Severity.WARNING, Confidence.DERIVED, "the largest batch", Location("model.py"), Fix("set the batch", code="B = 1")
        )
        of = report(dot_script(1000, 2000, "float64"), device(10_000_000))
        assert of.process.fits is False
        after = replace(of.process, fits=True)
        cure = replace(finding, after=after, cures=True, cost=Cost())
        half = replace(cure, code="TD401", fix=Fix("compute in float32", code="x"), cures=False)
        said = " ".join(render(replace(of, findings=(cure, half))).split())
        assert "or compute in float32 (TD401): " in said
        assert "; not enough alone" in said
        remark = replace(half, severity=Severity.INFO)
        assert "TD401" not in render(replace(of, findings=(cure, remark)))

    def test_a_preallocation_that_is_not_worth_it_is_not_the_next_step(self) -> None:
        """It would spare requests, but of a few MiB."""
        of = report(dot_script(1000, 2000), device(1_000_000_000))
        assert of.preallocation is None
        assert len(self.lines(of)) == 1

    @pytest.mark.parametrize(
        ("code", "severity", "advice"),
        [
            ("TD231", Severity.ERROR, "theanodiag config check"),
            ("TD231", Severity.WARNING, "let the script compile a function"),
            ("TD301", Severity.ERROR, "let the script compile a function"),
        ],
    )
    def test_without_functions_bad_flags_are_the_first_suspects(self, code: str, severity: Severity, advice: str) -> None:
        """Else the script must compile something where it can be seen."""
        of = replace(report(), functions=(), findings=(finding(severity, code),))
        assert self.lines(of)[0] == "no compiled function was found"
        assert self.lines(of)[1].startswith(f"next: {advice}")

    @pytest.mark.parametrize(
        ("end", "framework", "advice"),
        [
            (ScriptEnd("raised", None, "ModuleNotFoundError: No module named 'keras'"), None, "install the module keras for python3"),
            (ScriptEnd("raised", None, "ModuleNotFoundError: No module named 'pymc3'"), None, "theanodiag port --to pymc "),
            (ScriptEnd("raised", None, "ValueError: no data"), THEANO, "correct the error in the script"),
            (FINISHED, None, "name a script that imports theano, aesara or pytensor"),
            (FINISHED, THEANO, "let the script compile a function at its top level"),
        ],
        ids=["a missing module", "PyMC3", "an error", "no framework", "no function"],
    )
    def test_what_to_do_without_functions(self, end: ScriptEnd, framework: FrameworkInfo | None, advice: str) -> None:
        """The next step is about what went wrong."""
        of = replace(report(Script({}, (), ())), script=end)
        assert self.lines(replace(of, target=replace(of.target, framework=framework)))[1].startswith(f"next: {advice}")

    @pytest.mark.parametrize(("free", "said"), [(10**9, "fits in"), (10**4, "DOES NOT FIT in")])
    def test_a_host_of_a_known_size(self, free: int, said: str) -> None:
        """What is needed stands beside it; there is no driver."""
        host = replace(HOST, free_bytes=free)
        tensors = tuple(replace(v, type=replace(v.type, kind=TypeKind.TENSOR)) for v in dot_script(10, 100).functions[0].graph.variables)
        script = dot_script(10, 100)
        function = replace(script.functions[0], graph=replace(script.functions[0].graph, variables=tensors))
        shared = {k: replace(v, type=replace(v.type, kind=TypeKind.TENSOR)) for k, v in script.shared.items()}
        shown = render(report(replace(script, functions=(function,), shared=shared), host))
        assert f"{said} the memory of this host: needs " in " ".join(shown.split())
        assert "driver" not in shown

    def test_long_notes_are_indented(self) -> None:
        """A sentence goes on below its beginning, and no word is cut."""
        note = "word " * 30 + "end"
        found = Finding("TD301", Severity.INFO, Confidence.DERIVED, "m", Location("a"), notes=(note,))
        shown = render(replace(report(), findings=(found,)))
        rows = [row for row in shown.split("\n") if "word" in row]
        assert len(rows) > 1
        assert all(row.startswith("  word") and len(row) <= 80 for row in rows)
        assert " ".join(" ".join(rows).split()) == note

    def test_what_may_fit_says_what_is_unknown(self) -> None:
        """With the reason, and where to read on."""
        first, then = self.lines(report(dot_script(Unknown("the length depends on data"), 100)))
        assert first.startswith("may fit on example: needs at least ")
        assert first.endswith("the length depends on data")
        assert then == "next: theanodiag explain TD001"

    def test_an_estimate_with_something_unknown_is_no_figure(self) -> None:
        """What is not known comes on top of what is estimated."""
        open_ = report(dot_script(Unknown("the length depends on data"), 100))
        guessed = {i: replace(p, origin=Origin.ESTIMATE) for i, p in open_.process.functions.items()}
        first, _ = self.lines(replace(open_, process=replace(open_.process, functions=guessed)))
        assert first.startswith("may fit on example: needs at least about ")


def test_a_report_is_as_wide_as_it_is_told() -> None:
    """At 120 columns the items need no second line."""
    assert len(render(report(), width=120).splitlines()) < len(render(report(), width=60).splitlines())


def test_no_line_ends_in_blanks() -> None:
    """Reports are kept in files and compared."""
    of: FunctionReport = report().functions[0]
    assert of.name == "predict"
    assert not re.search(r"[ \t]$", render(report()), re.MULTILINE)
