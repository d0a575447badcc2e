"""The composition: settings from flags and a device, the device that the script opened, and reports."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import pytest

from theanodiag.capture.model import Capture, DeviceSeen, FrameworkInfo, ScriptEnd
from theanodiag.devices import HOST, Context, DeviceProfile
from theanodiag.engines import has_device_graph, settings_for
from theanodiag.errors import ExitCode, UsageError
from theanodiag.findings import Confidence, Finding, Skipped
from theanodiag.ir import Type, TypeKind, Unknown
from theanodiag.memory.profile import ESTIMATED, Origin
from theanodiag.memory.script import Call, Script, SharedVariable
from theanodiag.memory.settings import AllocatorKind, MemorySettings
from theanodiag.plans import batch
from theanodiag.report.model import Report
from theanodiag.rules.base import Rule
from theanodiag.rules.examples import device, dot_script
from theanodiag.rules.subject import ScriptSubject
from theanodiag.workflows import compose

CARD = DeviceProfile("card", 1_000_000, Context(100_000, "default"))
TENSOR = Type(TypeKind.TENSOR, "float32", (None, None))
END = ScriptEnd("finished", 0)


def settings(on: DeviceProfile = CARD, **flags: object) -> MemorySettings:
    """The settings of a script that ran with these flags (`_` for `.`)."""
    named = {name.replace("__", "."): value for name, value in flags.items()}
    return settings_for(replace(dot_script(10, 10), flags=named), on)


def on_the_host() -> Script:
    """The same product, in a graph of the CPU."""
    script = dot_script(10, 100)
    function = script.functions[0]
    variables = tuple(replace(v, type=TENSOR) for v in function.graph.variables)
    graph = replace(function.graph, variables=variables)
    shared = {0: SharedVariable(0, "W", TENSOR)}
    return replace(script, functions=(replace(function, graph=graph),), shared=shared)


def capture(script: Script, framework: FrameworkInfo | None = None, skipped: tuple[Skipped, ...] = ()) -> Capture:
    """What was captured of it."""
    return Capture("model.py", "python3", "3.8.18", script, END, framework, skipped)


def with_device(total: int, free: int) -> FrameworkInfo:
    """A framework that opened a device."""
    return FrameworkInfo("theano", "1.0.5", "/lib", device=DeviceSeen("K80", total, free))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "x", None])
def test_a_flag_that_is_no_finite_number_preallocates_nothing(value: object) -> None:
    """Bytes cannot be counted with it."""
    assert settings(gpuarray__preallocate=value).preallocate == 0.0


class TestAllocator:
    """Which allocator serves the requests."""

    @pytest.mark.parametrize(
        ("flag", "cnmem", "expected"),
        [
            ("cpu", 0, AllocatorKind.GPUARRAY),
            ("cuda", 0, AllocatorKind.GPUARRAY),
            ("cuda1", 0.9, AllocatorKind.GPUARRAY),
            ("opencl0:0", 0, AllocatorKind.OPENCL),
            ("gpu", 0, AllocatorKind.DIRECT),
            ("gpu0", 0.5, AllocatorKind.CNMEM),
            ("gpu0", 700, AllocatorKind.CNMEM),
        ],
    )
    def test_by_the_flag_device(self, flag: str, cnmem: float, expected: AllocatorKind) -> None:
        """The old back-end is `gpu`; a pool is its own only with `lib.cnmem`."""
        assert settings(device=flag, lib__cnmem=cnmem).allocator is expected

    @pytest.mark.parametrize("flag", ["cpu", "cuda", "opencl0:0", "gpu0"])
    def test_the_host_has_none(self, flag: str) -> None:
        """Whatever the flags say: every request is malloc's."""
        assert settings(HOST, device=flag).allocator is AllocatorKind.DIRECT

    def test_without_flags_it_is_the_cache(self) -> None:
        """Aesara and PyTensor have no such flag any more."""
        assert settings().allocator is AllocatorKind.GPUARRAY


class TestFlags:
    """The other flags."""

    @pytest.mark.parametrize(("value", "expected"), [(0.5, 0.5), (-1, -1.0), (700, 700.0), ("0.5", 0.0), (None, 0.0)])
    def test_preallocation_is_a_number(self, value: object, expected: float) -> None:
        """What is none counts as unset."""
        assert settings(gpuarray__preallocate=value).preallocate == expected

    @pytest.mark.parametrize(("flags", "expected"), [({}, True), ({"allow_gc": True}, True), ({"allow_gc": False}, False)])
    def test_collection_is_on_unless_it_is_off(self, flags: dict[str, object], expected: bool) -> None:
        """As in every framework."""
        assert settings(**flags).allow_gc is expected

    def test_scans_keep_their_cells_unless_told_otherwise(self) -> None:
        """The flag has a dot in Theano and two underscores in Aesara and PyTensor."""
        script = dot_script(10, 10)
        named = [settings_for(replace(script, flags={name: True}), CARD) for name in ("scan.allow_gc", "scan__allow_gc")]
        assert [s.scan_allow_gc for s in (settings(), *named)] == [False, True, True]

    def test_the_device_s_size_less_its_context(self) -> None:
        """What the arrays can have is free memory."""
        assert (settings().total_bytes, settings().free_bytes) == (1_000_000, 900_000)

    def test_the_host_has_no_size(self) -> None:
        """Nothing limits it."""
        assert (settings(HOST).total_bytes, settings(HOST).free_bytes) == (None, None)


class TestLifting:
    """Whether tensors of the host are placed on the device."""

    def test_a_graph_of_the_cpu_is_lifted_onto_a_device(self) -> None:
        """There is no other graph to look at."""
        assert settings_for(on_the_host(), CARD).lift is True

    def test_a_graph_of_the_device_stays_as_it_is(self) -> None:
        """The framework placed it itself."""
        assert settings().lift is False

    def test_on_the_host_nothing_is_lifted(self) -> None:
        """Tensors are followed where they are."""
        assert settings_for(on_the_host(), HOST).lift is False

    def test_a_shared_variable_on_the_device_is_enough(self) -> None:
        """The framework had a device, though no function uses it."""
        script = replace(on_the_host(), shared=dot_script(1, 1).shared)
        assert has_device_graph(script)
        assert not has_device_graph(on_the_host())

    def test_lifted_figures_are_bounds(self) -> None:
        """W of 100 by 100, x and the product of 10 by 100, and room for three constants."""
        of = compose.report(capture(on_the_host()), device(100_000_000))
        profile = of.functions[0].profile
        assert profile is not None
        fused = 3 * 64
        assert (profile.figures.live_peak_bytes, profile.origin) == (40000 + 2 * 4032 + fused, Origin.BOUNDED)

    @pytest.mark.parametrize("framework", ["aesara", "pytensor"])
    def test_those_of_a_framework_without_that_gpu_are_estimates(self, framework: str) -> None:
        """The figures are the same, and nothing is said to fit, nor recommended for a flag that is not there."""
        script = replace(on_the_host(), framework=framework)
        of, theirs = (compose.report(capture(s), device(100_000_000), engine="gpuarray") for s in (script, on_the_host()))
        profile, bound = of.functions[0].profile, theirs.functions[0].profile
        assert profile is not None
        assert bound is not None
        assert (profile.figures, profile.origin) == (bound.figures, Origin.ESTIMATE)
        assert (of.process.fits, of.functions[0].fits, of.preallocation) == (Unknown(ESTIMATED), None, None)
        assert (theirs.process.fits, theirs.functions[0].fits) == (True, True)

    @pytest.mark.parametrize("framework", ["aesara", "pytensor"])
    def test_an_estimate_may_not_fit(self, framework: str) -> None:
        """What would not fit says so, and how sure that is."""
        of = compose.report(capture(replace(on_the_host(), framework=framework)), device(30_000), engine="gpuarray")
        assert of.process.fits is False
        assert {f.confidence for f in of.findings if f.code == "TD301"} == {Confidence.GUESSED}


class TestOpen:
    """Why nothing is said to fit, though what was simulated does."""

    def fits(self, script: Script, end: ScriptEnd = END, *skipped: Skipped) -> bool | Unknown:
        """The verdict of the report."""
        seen = replace(capture(script, skipped=skipped), end=end)
        return compose.report(seen, device(100_000_000)).process.fits

    def test_a_script_that_was_seen_whole_fits(self) -> None:
        """Nothing is left out; that it was stopped after enough calls is as good."""
        left = Skipped("legacy names", "not needed")
        assert self.fits(dot_script(10, 10), END, left) is True
        assert self.fits(dot_script(10, 10), ScriptEnd("stopped", reason="enough")) is True

    @pytest.mark.parametrize("status", ["raised", "killed", "timeout"])
    def test_a_script_that_did_not_come_to_its_end(self, status: str) -> None:
        """The rest of it is in no figure."""
        assert "did not finish" in str(self.fits(dot_script(10, 10), ScriptEnd(status)))

    def test_a_function_without_shapes(self) -> None:
        """It was never called."""
        assert "predict was never called" in str(self.fits(dot_script(10, 10, called=False)))

    def test_what_could_not_be_recorded(self) -> None:
        """A function whose graph was not read takes memory all the same."""
        lost = Skipped("function f", "its graph was not read", lost=True)
        assert "function f: its graph was not read" in str(self.fits(dot_script(10, 10), END, lost))

    def test_a_script_without_functions(self) -> None:
        """Nothing was simulated."""
        assert "no compiled function" in str(self.fits(Script({}, (), ())))

    def test_what_does_not_fit_does_not(self) -> None:
        """More comes on top only."""
        seen = replace(capture(dot_script(10, 1000)), end=ScriptEnd("raised"))
        assert compose.report(seen, device(1_000_000)).process.fits is False


class TestDevice:
    """For which device the report is."""

    def test_the_one_that_the_script_opened(self) -> None:
        """What was not free is its context, as measured."""
        found = compose.opened_device(capture(dot_script(1, 1), with_device(1000, 700)))
        assert found is not None
        assert (found.name, found.total_bytes, found.context) == ("K80", 1000, Context(300, "measured"))

    def test_more_free_than_there_is_is_no_negative_context(self) -> None:
        """Drivers may round."""
        found = compose.opened_device(capture(dot_script(1, 1), with_device(1000, 1001)))
        assert found is not None
        assert found.context.bytes == 0

    @pytest.mark.parametrize("framework", [None, FrameworkInfo("theano", "1.0.5", "/lib")], ids=["no framework", "no device"])
    def test_none_was_opened(self, framework: FrameworkInfo | None) -> None:
        """Then the report is about host memory."""
        assert compose.opened_device(capture(on_the_host(), framework)) is None
        assert compose.report(capture(on_the_host(), framework)).target.device is HOST

    def test_the_user_s_choice_comes_first(self) -> None:
        """Even where the script opened another."""
        assert compose.report(capture(dot_script(1, 1), with_device(1000, 700)), CARD).target.device is CARD

    def test_an_overhead_replaces_the_context(self) -> None:
        """As the user says."""
        found = compose.report(capture(dot_script(1, 1)), CARD, overhead=5).target.device
        assert found.context == Context(5, "derived")

    def test_on_the_host_the_tensors_count_exactly(self) -> None:
        """W, x and the product, without rounding, and the copies that this graph makes of x and of the result."""
        profile = compose.report(capture(on_the_host())).functions[0].profile
        assert profile is not None
        assert {i.kind.value: i.bytes for i in profile.items}["shared"] == 40000


class TestReport:
    """What it all gives."""

    def test_calls_are_those_of_their_function(self) -> None:
        """In their order."""
        script = dot_script(10, 100)
        call = script.events[-1]
        assert isinstance(call, Call)
        other = replace(call, assumed=True)
        of = compose.report(capture(replace(script, events=(*script.events, other))), CARD)
        assert of.functions[0].calls == (call, other)

    def test_what_was_skipped_is_in_the_report(self) -> None:
        """Nothing that could not be looked at is silent."""
        skipped = (Skipped("op Foo", "no rule"),)
        assert compose.report(capture(dot_script(1, 1), skipped=skipped), CARD).skipped == skipped

    def test_a_function_without_a_call_is_in_the_report(self) -> None:
        """With no profile and nothing said about whether it fits."""
        (found,) = compose.report(capture(dot_script(1, 1, called=False)), CARD).functions
        assert (found.calls, found.profile, found.fits) == ((), None, None)

    def test_the_recommendation_is_what_the_simulation_says(self) -> None:
        """The reserve without it is that of the report itself."""
        of = compose.report(capture(dot_script(1000, 8000)), device(1_000_000_000))
        assert of.preallocation is not None
        assert of.preallocation.reserved_without == of.process.reserved_peak_bytes
        assert of.preallocation.bytes == of.preallocation.value * (1 << 20)

    @pytest.mark.parametrize(("rows", "columns"), [(1000, 2000), (10, 4000), (1000, 8000)])
    def test_it_is_recommended_where_the_rule_says_so(self, rows: int, columns: int) -> None:
        """Nothing is written into a file, or put into JSON as a recommendation, of which TD310 is silent."""
        of = compose.report(capture(dot_script(rows, columns)), device(1_000_000_000))
        assert (of.preallocation is not None) is any(f.code == "TD310" for f in of.findings) is (rows * columns == 8_000_000)

    def test_an_empty_script_has_an_empty_report(self) -> None:
        """And no trouble."""
        of = compose.report(capture(Script({}, (), ())), device(100_000_000))
        assert (of.functions, of.findings, of.process.live_peak_bytes) == ((), (), 0)


class TestFailures:
    """A rule or plan with a bug loses its own result: the report names it, and all else is as without it."""

    ON = DeviceProfile("card", 500, Context(0, "default"))

    @pytest.fixture(autouse=True)
    def plain(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """With the variable the failure would be raised."""
        monkeypatch.delenv("THEANODIAG_DEBUG", raising=False)

    def with_failing(self, monkeypatch: pytest.MonkeyPatch, code: str, after: int = 0) -> tuple[Report, Report]:
        """The report without and with a failure of one rule after so many findings."""
        seen = capture(dot_script(10, 100))
        before = compose.report(seen, self.ON)

        def fails(rule: Rule[ScriptSubject], s: ScriptSubject) -> Iterator[Finding]:
            yield from itertools.islice(rule.check(s), after)
            raise KeyError("no such Variable")

        rules = tuple(replace(r, check=partial(fails, r)) if r.code == code else r for r in compose.SCRIPT_RULES)
        monkeypatch.setattr(compose, "SCRIPT_RULES", rules)
        return before, compose.report(seen, self.ON)

    def test_a_rule_that_fails_loses_its_own_finding(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The verdict, the exit code and the other findings stand."""
        before, after = self.with_failing(monkeypatch, "TD302")
        assert before.fits is after.fits is False
        assert after.exit_code() == before.exit_code() == ExitCode.OUT_OF_MEMORY
        assert after.findings == tuple(f for f in before.findings if f.code != "TD302") != before.findings
        said = " ".join(str(after).split())
        assert re.search(r"not checked: TD302 \(largest-at-peak\): KeyError in \w+.py:\d+; please report this bug", said)

    def test_findings_before_the_failure_are_kept(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """They were complete."""
        before, after = self.with_failing(monkeypatch, "TD301", after=1)
        assert after.findings == before.findings
        assert [s.what.partition(" ")[0] for s in after.skipped] == ["TD301"]

    def test_a_plan_that_fails_loses_its_own_advice(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The report is that without a batch plan."""
        monkeypatch.setattr(batch, "plan", lambda *_: 1 // 0)
        found = compose.report(capture(dot_script(10, 100)), self.ON)
        assert found.exit_code() == ExitCode.OUT_OF_MEMORY
        assert any(f.code == "TD301" for f in found.findings)
        assert "ZeroDivisionError" in next(s.reason for s in found.skipped if s.what == "the largest batch")

    def test_that_calls_are_possible_is_not_said_unchecked(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Without the rule that decides it the script may fail before it needs the memory."""
        monkeypatch.setattr(TestFailures, "ON", DeviceProfile("card", 10**10, Context(0, "default")))
        before, after = self.with_failing(monkeypatch, "TD003")
        assert (before.fits, after.fits) == (True, None)
        assert "the shapes of calls could not be checked" in str(after.process.fits)

    def test_a_wrong_option_is_an_error(self) -> None:
        """It is no bug of a plan's."""
        with pytest.raises(UsageError):
            compose.report(capture(dot_script(10, 100)), self.ON, batch=["nothing:7"])

    def test_with_the_variable_the_failure_is_raised(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """So its traceback can be seen."""
        monkeypatch.setenv("THEANODIAG_DEBUG", "1")
        with pytest.raises(KeyError):
            self.with_failing(monkeypatch, "TD302")
