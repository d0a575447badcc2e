"""A resolution as text and as data: places, overridden entries, what is ignored, what is not known, and why a library would not start."""

from __future__ import annotations

import json
from typing import Any

import pytest

from theanodiag.cli.config_show import as_text, document
from theanodiag.flags.model import Dialect, Host, Resolution
from theanodiag.flags.resolve import resolve
from theanodiag.report.v1.common import builtins

from ..schemas import checked

RC = "[global]\nfloatX = float16\n[nvcc]\nfastmath = True\n"


def resolution(flags: str = "", rc: str | None = None, dialect: Dialect = Dialect.THEANO, **environ: str) -> Resolution:
    """What the library makes of one file, called `rc`, and the variable."""
    files = {} if rc is None else {"rc": rc.encode()}
    variables = {dialect.rc_variable: "rc", dialect.flags_variable: flags, **environ}
    version = {Dialect.THEANO: "1.0.5", Dialect.AESARA: "2.9.4", Dialect.PYTENSOR: "3.3.7"}[dialect]
    return resolve(dialect, version, variables, files.get, Host(home="/home/ann"))


def rows(key: str, shown: Resolution, *, everything: bool = False) -> list[dict[str, Any]]:
    """One list of the data."""
    found = builtins(document(shown, {}, everything))[key]
    assert isinstance(found, list)
    return found


class TestText:
    """Lines for people."""

    def test_nothing_is_set(self) -> None:
        """It says so, and how to see the defaults."""
        assert as_text(resolution(), {}, False).splitlines() == [
            "# theano 1.0.5: rc missing",
            "# nothing is set: every flag has its default (--all shows them)",
        ]

    @pytest.mark.parametrize(
        ("flags", "lines"),
        [
            ("floatX=float32", ["THEANO_FLAGS:1:1  floatX = float32"]),
            ("device=cpu,floatX=float32", ["THEANO_FLAGS:1:12  floatX = float32", "THEANO_FLAGS:1:1   device = cpu"]),
            ("floatx=float32", ["THEANO_FLAGS:1:1  # floatx: no such flag in this version"]),
            ("profile", ["THEANO_FLAGS:1:1  # profile: no `=`"]),
        ],
        ids=["one", "in the order of the library", "unknown", "word"],
    )
    def test_variable(self, flags: str, lines: list[str]) -> None:
        """The place of the name, then the setting, or why it is none."""
        assert as_text(resolution(flags), {}, False).splitlines()[1:] == lines

    def test_overridden_and_ignored(self) -> None:
        """The entry that lost stands beside the winner; what is ignored without a warning is said to be."""
        assert as_text(resolution("floatX=float32", RC), {}, False).splitlines() == [
            "# theano 1.0.5: rc read",
            "THEANO_FLAGS:1:1  floatX = float32    # overrides 'float16' (rc:2:1)",
            "rc:4:1            # [nvcc] fastmath: no such flag in this version (ignored without a warning)",
        ]

    def test_failure_has_its_caret(self) -> None:
        """Below the line of the variable, under the value."""
        *_, message, line, caret = as_text(resolution("device=cpu,floatX=float8"), {}, False).splitlines()
        assert message.startswith("THEANO_FLAGS:1:19: theano 1.0.5 does not start: ValueError: ")
        assert line == "device=cpu,floatX=float8"
        assert caret == " " * 18 + "^" * len("float8")

    @pytest.mark.parametrize("dialect", list(Dialect), ids=lambda d: d.name)
    def test_all_shows_every_flag(self, dialect: Dialect) -> None:
        """One line each, in the order of the library, and the variables beside them."""
        shown = resolution(dialect=dialect)
        lines = as_text(shown, {"OMP_NUM_THREADS": "4"}, True).splitlines()
        names = [line.split()[1] for line in lines if line.startswith("default")]
        assert names == [s.flag.name for s in shown.settings]
        assert any(line.startswith("environment") and "OMP_NUM_THREADS = 4" in line for line in lines)

    def test_variables_of_compilers_allocators_are_always_shown(self) -> None:
        """They say what the flags no longer do; Theano has none of them."""
        environ = {"XLA_PYTHON_CLIENT_PREALLOCATE": "false", "XLA_FLAGS": "--x", "OMP_NUM_THREADS": "4"}
        text = as_text(resolution(dialect=Dialect.PYTENSOR), environ, False)
        assert "environment  XLA_PYTHON_CLIENT_PREALLOCATE = false    # false: XLA takes" in text
        assert "XLA_FLAGS = --x" in text
        assert "OMP_NUM_THREADS" not in text
        assert "XLA" not in as_text(resolution(), environ, False)

    def test_unknown_is_said_to_be(self) -> None:
        """With the reason, and never as a number."""
        lines = as_text(resolution(), {}, True).splitlines()
        assert [line.split(" = ")[1][:3] for line in lines if line.split()[1:2] == ["cxx"]] == ["? ("]

    def test_lone_surrogates_are_printable(self) -> None:
        """Whatever bytes the environment has, the text can be written as UTF-8."""
        assert as_text(resolution("cxx=\udcff"), {}, False).encode("utf-8")


class TestData:
    """The same for programs."""

    def test_setting(self) -> None:
        """Value, type, text, origin with place, and what lost."""
        (setting,) = rows("settings", resolution("floatX=32", RC))
        assert {k: setting[k] for k in ("name", "value", "type", "text", "default", "unknown")} == {
            "name": "floatX", "value": "float32", "type": "str", "text": "32", "default": False, "unknown": None,
        }  # fmt: skip
        origin = {"kind": "variable", "source": "THEANO_FLAGS", "line": 1, "column": 1, "section": None, "key": "floatX", "raw": "32"}
        assert setting["origin"] == origin
        assert [(e["source"], e["line"], e["section"], e["raw"]) for e in setting["overrides"]] == [("rc", 2, "global", "float16")]

    def test_ignored(self) -> None:
        """With the reason, and whether the library warns."""
        ignored = {e["key"]: (e["why"], e["warns"]) for e in rows("ignored", resolution("floatx=float32", RC))}
        assert ignored == {"floatx": ("no such flag in this version", True), "fastmath": ("no such flag in this version", False)}

    @pytest.mark.parametrize(
        ("flags", "kind", "flag", "column"),
        [("floatX=float8", "invalid-value", "floatX", 8), ("device=gpu0", "removed", "device", 8), ("cxx='", "flags-syntax", None, 1)],
        ids=["value", "device", "quote"],
    )
    def test_failure(self, flags: str, kind: str, flag: str | None, column: int) -> None:
        """Which step, which flag, and where."""
        failure = builtins(document(resolution(flags), {}, False))["failure"]
        assert isinstance(failure, dict)
        assert (failure["kind"], failure["flag"], failure["line"], failure["column"]) == (kind, flag, 1, column)

    @pytest.mark.parametrize("flags", ["gpuarray.preallocate=inf", "gpuarray.preallocate=nan", "floatX=float32", "cxx=ü"])
    def test_strict_json(self, flags: str) -> None:
        """No infinity and no NaN, with all flags."""
        text = json.dumps(builtins(document(resolution(flags), {}, True)), allow_nan=False)
        assert json.loads(checked(text))["schema"] == "theanodiag/config-show/v1"

    def test_unknown_has_no_value(self) -> None:
        """The compiler of a machine that nobody asked."""
        (cxx,) = [s for s in rows("settings", resolution(), everything=True) if s["name"] == "cxx"]
        assert (cxx["value"], cxx["type"]) == (None, None)
        assert cxx["unknown"]

    @pytest.mark.parametrize("dialect", list(Dialect), ids=lambda d: d.name)
    def test_variables_of_the_library(self, dialect: Dialect) -> None:
        """Only those that it reads and that are set."""
        environ = {"OMP_NUM_THREADS": "4", "BANANAS": "1"}
        assert builtins(document(resolution(dialect=dialect), environ, False))["environment"] == {"OMP_NUM_THREADS": "4"}

    def test_effects_of_variables_are_those_of_the_text(self) -> None:
        """One for each variable that is set, in the words that stand beside it in the terminal."""
        environ = {"XLA_PYTHON_CLIENT_PREALLOCATE": "false", "XLA_FLAGS": "--x", "OMP_NUM_THREADS": "4"}
        shown = resolution(dialect=Dialect.PYTENSOR)
        data = json.loads(checked(json.dumps(builtins(document(shown, environ, False)))))
        assert set(data["environment_effects"]) == set(data["environment"]) == set(environ)
        lines = as_text(shown, environ, True)
        assert all(f"{name} = {environ[name]}    # {effect}" in lines for name, effect in data["environment_effects"].items())
