"""`theanodiag config set`: flags are set, and every other byte stays."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cli.run import theanodiag
from tests.flags.rc_files import rc_texts
from theanodiag.cli.config_set import changed, verify
from theanodiag.flags.defaults import load_table
from theanodiag.flags.model import Dialect
from theanodiag.flags.rcfile_text import effective_text, parse_rc

OLD = b"; mine\r\n[global]\r\nfloatX:\tfloat64   \r\n# end"


def set_(*args: str) -> subprocess.CompletedProcess[str]:
    """Runs `config set`."""
    return theanodiag("config", "set", *args)


@pytest.fixture
def rc(tmp_path: Path) -> Path:
    """A file with its own ways."""
    path = tmp_path / ".theanorc"
    path.write_bytes(OLD)
    return path


def test_value_changes_in_place(rc: Path) -> None:
    """The delimiter, the blanks and the ends of line stay."""
    assert set_("floatX=float32", str(rc)).returncode == 0
    assert rc.read_bytes() == OLD.replace(b"float64", b"float32")


def test_new_sections_are_made_once(rc: Path) -> None:
    """Two flags of a section share it."""
    set_("gpuarray.preallocate=0.83", "gpuarray.sched=multi", str(rc))
    assert rc.read_bytes() == OLD + b"\r\n\r\n[gpuarray]\r\npreallocate = 0.83\r\nsched = multi"


def test_diff_writes_nothing(rc: Path) -> None:
    """It shows the lines."""
    done = set_("floatX=float32", str(rc), "--diff")
    assert "+floatX:\tfloat32" in done.stdout
    assert rc.read_bytes() == OLD


def test_new_file_is_made(tmp_path: Path) -> None:
    """As `git config` does; the dialect follows from the name."""
    path = tmp_path / ".pytensorrc"
    assert set_("scan.allow_gc=True", str(path)).returncode == 0
    assert path.read_text() == "[scan]\nallow_gc = True\n"


def test_backup_keeps_the_old_file(rc: Path) -> None:
    """Byte for byte."""
    set_("--backup", "floatX=float32", str(rc))
    assert (rc.parent / ".theanorc.bak").read_bytes() == OLD


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("flaotX=float32", "theano 1.0.5 has no flag 'flaotX'\nhelp: did you mean floatX?"),
        ("allow_gc=yes", "allow_gc does not take 'yes'\nhelp: it takes True or False"),
        ("allow_gc", "not a setting: 'allow_gc'"),
        ("cxx=a\nb", "cxx: a value of several lines"),
        ("cxx=a\udcff", "cxx: a value that is not UTF-8 text"),
    ],
)
def test_nonsense_is_refused(rc: Path, setting: str, said: str) -> None:
    """With exit code 2, and nothing is written."""
    done = set_(setting, str(rc))
    assert done.returncode == 2
    assert said in done.stderr
    assert rc.read_bytes() == OLD


def test_report_of_config_check_is_followed(rc: Path, tmp_path: Path) -> None:
    """What the findings recommend is set, and then they are gone."""
    rc.write_text("[global]\ndevice = cuda0\nforce_device = True\nallow_gc = False\n[gpuarray]\npreallocate = 1\n")
    report = tmp_path / "report.json"
    report.write_text(theanodiag("config", "check", str(rc), "--format", "json").stdout)
    assert set_("--from-report", str(report), str(rc)).returncode == 0
    after = {(e.section, e.option): e.value for e in parse_rc(rc.read_text()).entries}
    assert after["global", "allow_gc"] == "True"
    assert after["global", "floatX"] == "float32"
    assert after["gpuarray", "preallocate"] == "0.9"
    assert "nothing found" in theanodiag("config", "check", str(rc)).stdout


def test_report_of_check_is_followed(rc: Path, tmp_path: Path) -> None:
    """Its fixes are written for a shell; `--only` picks one rule's."""
    fixes = {"TD310": "THEANO_FLAGS=gpuarray.preallocate=3812.5", "TD401": "export THEANO_FLAGS='floatX=float32'", "TD999": "W.x(1)"}
    findings = [{"severity": "info", "code": code, "fix": {"code": text}} for code, text in fixes.items()]
    (tmp_path / "report.json").write_text(json.dumps({"findings": findings}))
    set_("--from-report", str(tmp_path / "report.json"), "--only", "TD310", str(rc))
    assert rc.read_bytes() == OLD + b"\r\n\r\n[gpuarray]\r\npreallocate = 3812.5"


@pytest.mark.parametrize(
    "code",
    [
        "THEANO_FLAGS='floatX=float32,contexts=a->cuda0,linker=c|py'",
        "os.environ['THEANO_FLAGS'] = 'floatX=float32,linker=c|py'  # in place",
    ],
)
def test_flags_that_were_set_are_not_recommended(rc: Path, tmp_path: Path, code: str) -> None:
    """The line to paste keeps them; the rc file gets what is new."""
    framework = {"flags_text": "floatX=float32,contexts=a->cuda0"}
    findings = [{"severity": "info", "code": "TD325", "fix": {"code": code}}]
    (tmp_path / "report.json").write_text(json.dumps({"findings": findings, "target": {"framework": framework}}))
    assert set_("--from-report", str(tmp_path / "report.json"), str(rc)).returncode == 0
    new = {(e.section, e.option): e.value for e in parse_rc(rc.read_text()).entries}
    old = {(e.section, e.option): e.value for e in parse_rc(OLD.decode()).entries}
    assert new == {**old, ("global", "linker"): "c|py"}


def test_recommended_value_has_no_space_around_it(rc: Path, tmp_path: Path) -> None:
    """As one that is given in the command line: the file would not give it back."""
    findings = [{"severity": "info", "code": "TD310", "fix": {"code": "gcc.cxxflags= \t -O3"}}]
    (tmp_path / "report.json").write_text(json.dumps({"findings": findings}))
    assert set_("--from-report", str(tmp_path / "report.json"), str(rc)).returncode == 0
    assert b"cxxflags = -O3" in rc.read_bytes()


@pytest.mark.parametrize("value", ["a\ud800", "a\0"])
def test_recommended_value_that_is_no_text_is_passed_over(rc: Path, tmp_path: Path, value: str) -> None:
    """The file could not be written, or not be read again."""
    findings = [{"severity": "info", "code": "TD310", "fix": {"code": f"gcc.cxxflags={value}"}}]
    (tmp_path / "report.json").write_text(json.dumps({"findings": findings}))
    done = set_("--from-report", str(tmp_path / "report.json"), str(rc))
    assert (done.returncode, "nothing to set" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"findings": [1]}', '{"findings": [{"severity": "info", "code": "TD310", "fix": "x"}]}', "\0", "[" * 100_000]
)
def test_file_that_is_no_report_is_refused(rc: Path, tmp_path: Path, text: str) -> None:
    """With exit code 3 and the name of the file."""
    (tmp_path / "report.json").write_text(text)
    done = set_("--from-report", str(tmp_path / "report.json"), str(rc))
    assert (done.returncode, "report.json: not a report" in done.stderr) == (3, True)


@settings(max_examples=200, deadline=None)
@given(rc_texts(), st.text(alphabet="ab %()s$#;=:/", max_size=12).map(str.strip))
def test_any_text_is_given_back_by_the_parser(text: str, value: str) -> None:
    """In any file, percent signs and all; `verify` agrees."""
    flag = load_table(Dialect.THEANO, "1.0.5").dotted("gcc.cxxflags")
    assert flag is not None
    before = parse_rc(text)
    after = changed(before, [(flag, value)])
    verify(before, after, {flag: value})
    entry = parse_rc(after).find("gcc", "cxxflags")
    assert entry is not None
    assert effective_text(parse_rc(after), entry) == value


@pytest.mark.parametrize("order", ["allow_gc=False --diff rc", "--diff allow_gc=False rc", "allow_gc=False rc --diff"])
def test_options_may_stand_anywhere(order: str, tmp_path: Path) -> None:
    """Before, between and behind."""
    (tmp_path / "rc").write_text("[global]\n")
    done = theanodiag("config", "set", *order.split(), cwd=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "+allow_gc = False" in done.stdout
