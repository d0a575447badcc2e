"""The report's own judgement: whether a function fits, and what the process says to the shell."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.report.conftest import make
from theanodiag.capture.model import ScriptEnd
from theanodiag.confirmation.model import DeviceSpec
from theanodiag.devices import HOST
from theanodiag.errors import ExitCode
from theanodiag.findings import Confidence, Finding, Location, Severity
from theanodiag.ir import Unknown
from theanodiag.memory.profile import MemoryProfile, UnknownSize
from theanodiag.memory.settings import MemorySettings
from theanodiag.memory.simulate import simulate
from theanodiag.report.confirmed import Confirmation
from theanodiag.report.model import Report
from theanodiag.report.verdict import conclusion, fits
from theanodiag.rules.examples import device, dot_script
from theanodiag.units import format_bytes


@pytest.fixture
def plain() -> Report:
    """A report that fits, with no findings."""
    return replace(make(dot_script(10, 100), device(100_000_000)), findings=())


def profile_of(of: Report) -> MemoryProfile:
    """The profile of its only function."""
    profile = of.functions[0].profile
    assert profile is not None
    return profile


def found(severity: Severity) -> Finding:
    """A finding as bad as that."""
    return Finding("TD999", severity, Confidence.DERIVED, "m", Location("model.py"))


def test_a_function_is_shown_in_a_line(plain: Report) -> None:
    """A notebook that names one does not print its graph; a name cannot break the line."""
    (function,) = plain.functions
    assert repr(function).startswith(f"<FunctionReport of {function.name}: fits, peak ")
    assert repr(function).endswith(f"calls {len(function.calls)}>")
    assert repr(replace(function, name="a\nb", profile=None, fits=None)) == (
        f"<FunctionReport of a\\nb: may fit, peak unknown, nodes {len(function.graph.applies)}, calls {len(function.calls)}>"
    )


@pytest.mark.parametrize("severity", Severity)
@pytest.mark.parametrize("fail_on", Severity)
def test_findings_count_from_the_threshold_on(plain: Report, severity: Severity, fail_on: Severity) -> None:
    """`--fail-on warning` is about warnings and errors."""
    code = replace(plain, findings=(found(severity),)).exit_code(fail_on)
    assert code == (ExitCode.FINDINGS if severity.value >= fail_on.value else ExitCode.CLEAN)


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        (ScriptEnd("finished", 0), ExitCode.CLEAN),
        (ScriptEnd("exited", 0), ExitCode.CLEAN),
        (ScriptEnd("exited", 2), ExitCode.UNREADABLE),
        (ScriptEnd("raised", None, "ValueError"), ExitCode.UNREADABLE),
        (ScriptEnd("killed", None, reason="signal 9"), ExitCode.UNREADABLE),
        (ScriptEnd("stopped", reason="enough"), ExitCode.CLEAN),
        (ScriptEnd("timeout", reason="600 s"), ExitCode.UNREADABLE),
    ],
    ids=lambda v: v.status if isinstance(v, ScriptEnd) else v.name,
)
def test_a_script_that_failed_is_an_input_that_could_not_be_read(plain: Report, end: ScriptEnd, expected: ExitCode) -> None:
    """One that was stopped since enough was seen did not fail; one that the time ran out for was not seen to its end."""
    assert replace(plain, script=end).exit_code() == expected


def test_a_measured_run_that_died_is_no_success(plain: Report) -> None:
    """What was measured until then is in the report all the same."""
    spec = DeviceSpec("virtual", "a line", exact=True, computes=False)
    assert replace(plain, confirmation=Confirmation(spec, ())).exit_code() == ExitCode.CLEAN
    assert replace(plain, confirmation=Confirmation(spec, (), failure="signal 11")).exit_code() == ExitCode.UNREADABLE


def test_what_does_not_fit_comes_before_all_else(plain: Report) -> None:
    """Even where the script then failed."""
    of = replace(plain, process=replace(plain.process, fits=False), script=ScriptEnd("raised"), functions=())
    assert of.exit_code() == ExitCode.OUT_OF_MEMORY


def test_an_unknown_fit_is_no_failure(plain: Report) -> None:
    """It says nothing to the shell."""
    assert replace(plain, process=replace(plain.process, fits=Unknown("data"))).exit_code() == ExitCode.CLEAN


class TestFits:
    """Whether one function fits."""

    def test_at_the_last_byte(self, plain: Report) -> None:
        """4 MiB of reserve fit into exactly 4 MiB and not into a byte less."""
        profile = profile_of(plain)
        need = profile.figures.reserved_bytes
        assert fits(profile, device(need), True) is True
        assert fits(profile, device(need - 1), True) is False

    def test_on_the_host_nobody_says(self, plain: Report) -> None:
        """Its size is not known."""
        assert fits(profile_of(plain), HOST, True) is None

    def test_without_a_profile_nobody_says(self) -> None:
        """A function that was never called."""
        assert fits(None, device(100), True) is None

    def test_a_lower_bound_fits_only_perhaps(self, plain: Report) -> None:
        """But one that is too large already does not."""
        open_ = replace(profile_of(plain), unknown=(UnknownSize("x", None, "data"),))
        assert fits(open_, device(100_000_000), True) is None
        assert fits(open_, device(100), True) is False

    def test_what_the_process_does_not_know_no_function_knows(self, plain: Report) -> None:
        """An unknown shared variable lies beside every call."""
        assert fits(profile_of(plain), device(100_000_000), Unknown("W")) is None
        assert fits(profile_of(plain), device(100), Unknown("the sum over two GPUs")) is None


class TestShown:
    """A report as text, as plain values and as JSON."""

    def test_its_text_is_the_terminal_report(self, plain: Report) -> None:
        """What `print` shows is what `theanodiag check` prints."""
        assert str(plain) == plain.to("text")
        assert "fits on" in str(plain)

    def test_its_json_is_the_json_report(self, plain: Report) -> None:
        """The same document as `--format json`, and the same values."""
        assert plain.to_json() == plain.to("json")
        assert json.loads(plain.to_json()) == json.loads(json.dumps(plain.to_dict()))
        assert plain.to_dict()["schema"] == "theanodiag/report/v1"

    def test_its_repr_is_one_short_line(self, plain: Report) -> None:
        """A prompt and a debugger show it; a report of a thousand functions must not fill the screen there."""
        assert repr(plain) == "<Report of model.py: fits on example, functions 1, findings 0>"
        assert "does not fit" in repr(replace(plain, process=replace(plain.process, fits=False)))
        assert "may fit" in repr(replace(plain, process=replace(plain.process, fits=Unknown("data"))))
        script = replace(plain.script, status="raised", exception="ValueError: no data")
        assert repr(replace(plain, script=script)).endswith("findings 0; the script failed: ValueError: no data>")

    def test_a_confirmation_too(self) -> None:
        """Its text is the part of the report that is about the measured run."""
        ran = Confirmation(DeviceSpec("virtual", "a line", exact=True, computes=False), (), notes=("bell \a",), failure="signal 11")
        assert str(ran).splitlines()[0] == "confirmed on virtual: a line"
        assert "\a" not in str(ran)
        assert repr(ran) == "<Confirmation on virtual: signal 11>"
        assert json.loads(ran.to_json())["failure"] == "signal 11"
        assert ran.to_dict()["device"]["line"] == "a line"


def test_a_reservation_is_told_from_what_is_in_use(plain: Report) -> None:
    """Only where it is most of the figure."""
    settings = MemorySettings(preallocate=0.8, total_bytes=100_000_000)
    process = simulate(dot_script(10, 100), settings)
    words = conclusion(replace(plain, process=process))[0]
    assert words.startswith("fits on ")
    assert f"gpuarray.preallocate reserves 76.3 MiB of this, and at most {format_bytes(process.live_peak_bytes)} are in use" in words
    assert "reserves" not in conclusion(plain)[0]
