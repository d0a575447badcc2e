"""Resolution: precedence, origins, what is ignored, and what makes the library refuse to start."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from theanodiag.flags.model import Dialect, FailureKind, Host, RcFileState, Resolution, Why
from theanodiag.flags.resolve import resolve
from theanodiag.ir.shape import Unknown

HOST = Host(cxx="/usr/bin/g++", pid=42)


def theano(files: Mapping[str, str | bytes], flags: str = "", version: str = "1.0.5", **environ: str) -> Resolution:
    """Theano with these files; `~` is `/h`."""
    contents = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}
    return resolve(Dialect.THEANO, version, {"HOME": "/h", "THEANO_FLAGS": flags, **environ}, contents.get, HOST)


def value(resolution: Resolution, name: str) -> object:
    """The value of a flag."""
    setting = resolution.get(name)
    assert setting, name
    return setting.value


class TestPrecedence:
    """Which of several values counts."""

    def test_the_variable_wins(self) -> None:
        """The variable beats the file, and the origin names both."""
        setting = theano({"/h/.theanorc": "[global]\nfloatX = float16\n"}, "floatX=float32").get("floatX")
        assert setting
        assert (setting.value, str(setting.origin), [str(e) for e in setting.overridden]) == (
            "float32",
            "THEANO_FLAGS:1:1: floatX",
            ["/h/.theanorc:2:1: [global] floatX"],
        )

    def test_the_last_file_wins(self) -> None:
        """Of several files, the one named last; files that are not there are passed over."""
        found = theano({"a": "[global]\nfloatX=float16\n", "b": "[global]\nfloatX=float32\n"}, THEANORC="a:missing:b")
        assert value(found, "floatX") == "float32"
        assert [(f.path, f.state) for f in found.files] == [
            ("a", RcFileState.READ),
            ("missing", RcFileState.MISSING),
            ("b", RcFileState.READ),
        ]

    def test_the_last_flag_wins(self) -> None:
        """Of two flags of the same name in the variable, the second."""
        assert value(theano({}, "floatX=float16,floatX=float32"), "floatX") == "float32"

    def test_default_section_needs_a_section(self) -> None:
        """Options of [DEFAULT] count in every section that is there, and nowhere else."""
        text = "[DEFAULT]\nfloatX = float32\n"
        assert value(theano({"/h/.theanorc": text}), "floatX") == "float64"
        assert value(theano({"/h/.theanorc": text + "[global]\n"}), "floatX") == "float32"


class TestText:
    """From what is written to what is parsed."""

    def test_interpolation(self) -> None:
        """Names of the environment, of the section and of the process are replaced."""
        text = "[blas]\nldflags = -L/home/%(USER)s/%(TMP)s/%(PID)s/%(sub)s\nsub = lib\n"
        assert value(theano({"/h/.theanorc": text}, USER="ann", TMP="t"), "blas.ldflags") == "-L/home/ann/t/42/lib"

    def test_raw_fallback(self) -> None:
        """What cannot be interpolated is taken as it stands."""
        assert value(theano({"/h/.theanorc": "[global]\ncompiledir_format = %(platform)s%\n"}), "compiledir_format") == "%(platform)s%"

    def test_user_from_the_home(self) -> None:
        """Without USER, the last part of the home folder stands for it."""
        assert value(theano({"/h/.theanorc": "[gcc]\ncxxflags = %(user)s\n"}), "gcc.cxxflags") == "h"

    def test_tilde(self) -> None:
        """Only flags that are paths have their `~` expanded."""
        found = theano({}, "base_compiledir=~/x,gcc.cxxflags=~/x")
        assert (value(found, "base_compiledir"), value(found, "gcc.cxxflags")) == ("/h/x", "~/x")

    def test_names_by_dialect(self) -> None:
        """Aesara wants `__` in the variable; dots are ignored with a warning."""
        environ = {"AESARA_FLAGS": "blas.ldflags=-la,blas__check_openmp=False", "HOME": "/h"}
        found = resolve(Dialect.AESARA, None, environ, lambda path: None, HOST)
        assert value(found, "blas.check_openmp") is False
        assert [(i.entry.key, i.why, i.warns) for i in found.ignored] == [("blas.ldflags", Why.UNKNOWN, True)]


class TestIgnored:
    """What has no effect."""

    def test_in_a_file(self) -> None:
        """Unknown options and those in a wrong section pass in silence."""
        found = theano({"/h/.theanorc": "[global]\nflaotX = float32\n[lib]\nallow_gc = False\n"})
        assert [(i.entry.key, i.why, i.warns) for i in found.ignored] == [("flaotX", Why.UNKNOWN, False), ("allow_gc", Why.SECTION, False)]

    def test_in_the_variable(self) -> None:
        """Unknown flags and words without a value are warned of from 0.8 on."""
        assert [(i.entry.key, i.why, i.warns) for i in theano({}, "x=1,profile").ignored] == [
            ("x", Why.UNKNOWN, True),
            ("profile", Why.NO_VALUE, True),
        ]
        assert [i.warns for i in theano({}, "x=1", version="0.7").ignored] == [False]

    def test_what_was_overridden(self) -> None:
        """The loser is listed too."""
        assert [i.why for i in theano({}, "floatX=float16,floatX=float32").ignored] == [Why.OVERRIDDEN]


class TestFailure:
    """When the library refuses to start."""

    @pytest.mark.parametrize(
        ("content", "kind", "exception", "place"),
        [
            (b"\xef\xbb\xbf[global]\n", FailureKind.RC_SYNTAX, "MissingSectionHeaderError", "/h/.theanorc:1:1"),
            ("[global]\nroot = é\n".encode("latin-1"), FailureKind.RC_ENCODING, "UnicodeDecodeError", "/h/.theanorc:2:8"),
            ("[global]\n".encode("utf-16"), FailureKind.RC_ENCODING, "UnicodeDecodeError", "/h/.theanorc:1:1"),
            (b"[global]\ndevice = gpu0\n", FailureKind.REMOVED, "ValueError", "/h/.theanorc:2:10"),
            (b"[global]\nfloatX = float32 # x\n", FailureKind.INVALID_VALUE, "ValueError", "/h/.theanorc:2:10"),
        ],
        ids=["bom", "latin-1", "utf-16", "old-device", "inline-comment"],
    )
    def test_files(self, content: bytes, kind: FailureKind, exception: str, place: str) -> None:
        """Each has its kind, the name of the exception, and a place."""
        failure = theano({"/h/.theanorc": content}).failure
        assert failure
        assert (failure.kind, failure.exception, str(failure.span)) == (kind, exception, place)

    def test_the_first_flag_in_the_order_of_the_table(self) -> None:
        """Of two wrong values the library meets that of the flag that it reads first."""
        found = theano({}, "mode=x,floatX=y")
        assert [f.flag and f.flag.name for f in found.failures] == ["floatX", "mode"]
        assert isinstance(value(found, "mode"), Unknown)

    def test_reading_comes_first(self) -> None:
        """A variable that cannot be split stops it before any file."""
        found = theano({"/h/.theanorc": "x"}, "mode='x")
        assert [f.kind for f in found.failures] == [FailureKind.FLAGS_SYNTAX, FailureKind.RC_SYNTAX]
        assert [f.state for f in found.files] == [RcFileState.UNREACHED]

    def test_fewer_linkers_without_compiler(self) -> None:
        """With an empty cxx the C linkers are no valid choice, and vm is the default."""
        assert value(theano({}, "cxx="), "linker") == "vm"
        assert theano({}, "cxx=,linker=cvm").failure

    def test_an_unknown_home_stops_pytensor(self) -> None:
        """PyTensor asks pathlib for the home of an account; Theano passes over such a file."""
        environ = {"PYTENSORRC": "~nobody/rc", "THEANORC": "~nobody/rc", "HOME": "/h"}
        failure = resolve(Dialect.PYTENSOR, "3.0.7", environ, lambda path: None, HOST).failure
        assert failure
        assert (failure.kind, failure.exception) == (FailureKind.RC_PATH, "RuntimeError")
        assert resolve(Dialect.THEANO, "1.0.5", environ, lambda path: None, HOST).failure is None

    def test_threads_that_are_no_number(self) -> None:
        """OMP_NUM_THREADS=4,2 is fine for OpenMP, and stops the library."""
        found = theano({}, "profile=x,floatX=y", OMP_NUM_THREADS="4,2")
        assert [(f.kind, f.exception) for f in found.failures] == [
            (FailureKind.INVALID_VALUE, "ValueError"),
            (FailureKind.ENVIRONMENT, "TypeError"),
            (FailureKind.INVALID_VALUE, "ValueError"),
        ]
