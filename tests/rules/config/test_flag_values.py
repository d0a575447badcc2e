"""Rules about values of flags."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import advice, findings, mended, message, spots, starts, texts, value
from theanodiag.findings import Disposition
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

# TD220: the entry is the place; a slip whose meaning is plain is put right, anything else is met with the valid values.

MEANT = [
    pytest.param("[global]\nallow_gc = yes\n", "[global]\nallow_gc = True\n", "allow_gc", True, id="yes"),
    pytest.param("[global]\nfloatX: Float32\n", "[global]\nfloatX: float32\n", "floatX", "float32", id="other case"),
    pytest.param("[global]\nmode = fast_run\n", "[global]\nmode = FAST_RUN\n", "mode", "FAST_RUN", id="a mode in small letters"),
    pytest.param("[scan]\nallow_gc = off\n", "[scan]\nallow_gc = False\n", "scan.allow_gc", False, id="off"),
]
NOT_MEANT = [
    pytest.param("floatX=float8", 1, "float64", id="no such type"),
    pytest.param("profile=False,openmp_elemwise_minsize=many", 15, "a whole number", id="no number"),
    pytest.param("linker=banana", 1, "cvm", id="no such linker"),
]


@pytest.mark.parametrize(("text", "after", "flag", "wanted"), MEANT)
def test_meaning_is_plain(text: str, after: str, flag: str, wanted: object) -> None:
    """The library refuses the one text and takes the other."""
    assert spots("TD220", config(text)) == ["rc:2:1 error, derived"]
    assert not starts(config(text))
    assert advice("TD220", config(text)).disposition is Disposition.SAFE
    assert texts(mended("TD220", config(text)))[0] == after
    assert value(mended("TD220", config(text)), flag) == wanted


@pytest.mark.parametrize(("text", "column", "words"), NOT_MEANT)
def test_meaning_is_not_plain(text: str, column: int, words: str) -> None:
    """The message names what the flag takes."""
    assert spots("TD220", config(flags=text)) == [f"THEANO_FLAGS:1:{column} error, derived"]
    assert words in message("TD220", config(flags=text))
    assert advice("TD220", config(flags=text)).edits == ()


@pytest.mark.parametrize("rc", ["[global]\nfloatX = float8\n", "[global]\nallow_gc = 'True'\n", "[global]\nallow_gc = True # x\n"])
def test_lost_or_another_rule(rc: str) -> None:
    """A value that a later one replaces is never looked at; quotes and comments are TD221's and TD222's."""
    assert findings("TD220", config(rc, flags="floatX=float32")) == []


# TD221: the entry is the place, and the quotes go; how bad they are depends on whether the flag takes any text.

CASES_221 = [
    pytest.param("[global]\nfloatX = 'float32'\n", "error", "SAFE", "[global]\nfloatX = float32\n", "floatX", "float32", id="choice"),
    pytest.param('[global]\nallow_gc="True"\n', "error", "SAFE", "[global]\nallow_gc=True\n", "allow_gc", True, id="double quotes"),
    pytest.param("[blas]\nldflags = '-lblas'\n", "warning", "UNSAFE", "[blas]\nldflags = -lblas\n", "blas.ldflags", "-lblas", id="text"),
    pytest.param('[cuda]\nroot : "/a b"\n', "warning", "UNSAFE", "[cuda]\nroot : /a b\n", "cuda.root", "/a b", id="path"),
]


@pytest.mark.parametrize(("text", "severity", "disposition", "after", "flag", "wanted"), CASES_221)
def test_quotes_go(text: str, severity: str, disposition: str, after: str, flag: str, wanted: object) -> None:
    """The library starts with a quoted text and stops at a quoted choice."""
    subject = config(text)
    assert spots("TD221", subject) == [f"rc:2:1 {severity}, derived"]
    assert starts(subject) is (severity == "warning")
    assert advice("TD221", subject).disposition is Disposition[disposition]
    assert texts(mended("TD221", subject))[0] == after
    assert value(mended("TD221", subject), flag) == wanted


@pytest.mark.parametrize(
    "text",
    ["[global]\nfloatX = 'float32\n", "[gcc]\ncxxflags = -D'A' -D'B'\n", "[global]\nbananas = 'x'\n", '[global]\ncxx = "\n'],
    ids=["one quote", "quotes within", "no flag", "a single sign"],
)
def test_no_pair_round_the_value(text: str) -> None:
    """Only a pair round the whole is a mistake of this kind."""
    assert findings("TD221", config(text)) == []


# TD222: the entry is the place; the sign is named, and what it does depends on the flag.

CASES_222 = [
    pytest.param("[global]\nallow_gc = True # x\n", "rc:2:1 error, derived", "'#'", "will not start", id="refused"),
    pytest.param("[global]\nfloatX = float32\t;fast\n", "rc:2:1 error, derived", "';fast'", "will not start", id="semicolon after a tab"),
    pytest.param("[blas]\n ldflags = -lblas # a\n", "rc:2:2 warning, derived", "'#'", "part of the value", id="text"),
]


@pytest.mark.parametrize(("text", "spot", "sign", "words"), CASES_222)
def test_sign_is_named(text: str, spot: str, sign: str, words: str) -> None:
    """The library stops where the message says so."""
    assert spots("TD222", config(text)) == [spot]
    assert message("TD222", config(text)).startswith(sign)
    assert words in message("TD222", config(text))
    assert starts(config(text)) is ("start" not in words)


def test_comment_gets_into_the_value() -> None:
    """And is gone from it on a line of its own."""
    assert value(config("[blas]\nldflags = -lblas # a\n"), "blas.ldflags") == "-lblas # a"
    assert value(config("[blas]\n# a\nldflags = -lblas\n"), "blas.ldflags") == "-lblas"


@pytest.mark.parametrize(
    "text",
    ["[global]\ncompiledir = /a#b\n", "[global]\ncxx =\n# g++\n", "[global]\nbananas = 1 # x\n", "[gcc]\ncxxflags = -O2\n  # x\n"],
    ids=["no blank", "own line", "no flag", "comment between the lines of a value"],
)
def test_other_signs(text: str) -> None:
    """They are no inline comments, or nobody reads them."""
    assert findings("TD222", config(text)) == []


# TD223: the entry is the place, and commas in place of the semicolons set both flags.

CASES_223 = [
    pytest.param("floatX=float32;profile=True", 1, "floatX=float32,profile=True", id="two flags"),
    pytest.param("device=cpu,floatX=float32;profile=True", 12, "device=cpu,floatX=float32,profile=True", id="behind a comma"),
    pytest.param("floatX=float32; profile=True;", 1, "floatX=float32, profile=True,", id="blank, and one at the end"),
]


@pytest.mark.parametrize(("text", "column", "after"), CASES_223)
@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_commas_set_both(text: str, column: int, after: str, to: Dialect) -> None:
    """No library starts with the semicolons."""
    subject = config(flags=text, to=to)
    assert spots("TD223", subject) == [f"{to.flags_variable}:1:{column} error, derived"]
    assert not starts(subject)
    repaired = mended("TD223", subject)
    assert texts(repaired)[1] == after
    assert (value(repaired, "floatX"), value(repaired, "profile")) == ("float32", True)


@pytest.mark.parametrize("text", ["cxx=a;b", "contexts=a->cuda0;b=->cuda1", "x;y=1", "floatX=float32"])
def test_semicolons_that_belong(text: str) -> None:
    """No sign behind it, between contexts, in a name."""
    assert findings("TD223", config(flags=text)) == []


def test_file_is_another_matter() -> None:
    """There each flag has a line."""
    assert findings("TD223", config("[global]\ncompiledir = /a;b=c\n")) == []


# TD224: the sign is the place, and what follows it up to the end of the line is lost.

CASES_224 = [
    pytest.param("compiledir=/tmp/a#1,floatX=float32", ["1:18"], "float64", id="in a path"),
    pytest.param("floatX=float32,#profile=True", ["1:16"], "float32", id="commented out on purpose"),
    pytest.param("cxx=#\nfloatX=float32,#", ["1:5", "2:16"], "float32", id="two lines"),
]


@pytest.mark.parametrize(("text", "places", "wanted"), CASES_224)
def test_rest_is_not_read(text: str, places: list[str], wanted: str) -> None:
    """A flag behind the sign keeps its default; one on the next line counts."""
    assert spots("TD224", config(flags=text)) == [f"THEANO_FLAGS:{place} warning, derived" for place in places]
    assert value(config(flags=text), "floatX") == wanted


@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_single_quotes_keep_it(to: Dialect) -> None:
    """The advice, done by hand: the sign becomes a part of the value, in every library."""
    subject = config(flags="gcc__cxxflags='-DA=#1',floatX=float32", to=to)
    assert findings("TD224", subject) == []
    assert value(subject, "floatX") == "float32"


@pytest.mark.parametrize("text", ["cxx=\\#", 'cxx="#"', "cxx=g++"], ids=["escaped", "double quotes", "none"])
def test_sign_that_counts(text: str) -> None:
    """It begins no comment when it is quoted."""
    assert findings("TD224", config(flags=text)) == []


# TD225: the first backslash that is taken away is the place.

CASES_225 = [
    pytest.param("cxx=C:\\bin\\g++", 7, "C:bing++", id="a path of Windows"),
    pytest.param("floatX=float32,cxx=\\\\host\\g++", 26, "\\hostg++", id="a doubled one before it"),
    pytest.param("cxx=a\\ b", 6, "a b", id="before a blank"),
]


@pytest.mark.parametrize(("text", "column", "left"), CASES_225)
def test_backslash_is_lost(text: str, column: int, left: str) -> None:
    """What is left of the value is what the library gets."""
    assert spots("TD225", config(flags=text)) == [f"THEANO_FLAGS:1:{column} warning, derived"]
    assert value(config(flags=text), "cxx") == left


@pytest.mark.parametrize(
    ("text", "kept"),
    [("cxx='C:\\b'", "C:\\b"), ('cxx="C:\\b"', "C:\\b"), ("cxx=C:\\\\b", "C:\\b"), ("cxx=a\\,b", "a,b"), ("cxx=C:/b", "C:/b")],
    ids=["single quotes", "double quotes", "doubled", "an escaped comma", "a slash"],
)
def test_nothing_is_lost(text: str, kept: str) -> None:
    """Each of these gives the value that was meant."""
    assert findings("TD225", config(flags=text)) == []
    assert value(config(flags=text), "cxx") == kept


def test_file_keeps_its_backslashes() -> None:
    """The parser of files knows no escapes."""
    assert value(config("[global]\ncxx = C:\\b\n"), "cxx") == "C:\\b"
    assert findings("TD225", config("[global]\ncxx = C:\\b\n")) == []


# TD226: the entry is the place, and the message names what stays as it is.

FILES = [
    pytest.param("[cuda]\nroot = $HOME/cuda\n", "rc:2:1", "$HOME", id="a variable"),
    pytest.param("[global]\n compiledir = /tmp/${USER}/c\n", "rc:2:2", "${USER}", id="braces"),
    pytest.param("[dnn]\ninclude_path = ~/cudnn\n", "rc:2:1", "~", id="a tilde in a text"),
]


@pytest.mark.parametrize(("text", "place", "what"), FILES)
def test_it_is_named(text: str, place: str, what: str) -> None:
    """As the user wrote it."""
    assert spots("TD226", config(text)) == [f"{place} warning, derived"]
    assert message("TD226", config(text)).startswith(f"{what} is not expanded")


@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_library_takes_it_as_it_stands(to: Dialect) -> None:
    """Also from the variable, where the shell has not seen it because of quotes."""
    subject = config(flags="profile=False,cxx=$CXX", to=to)
    assert spots("TD226", subject) == [f"{to.flags_variable}:1:15 warning, derived"]
    assert value(subject, "cxx") == "$CXX"


@pytest.mark.parametrize("text", ["compiledir = ~/c", "compiledir = /a~b", "cxx = a$", "bananas = $HOME", "compiledir = ${}"])
def test_signs_that_mean_nothing(text: str) -> None:
    """Folders for compiled code have their tilde expanded; a lone sign names no variable."""
    assert findings("TD226", config(f"[global]\n{text}\n")) == []


# TD227: the entry is the place, and the name that has no definition is in the message.

CASES_227 = [
    pytest.param("[global]\ncompiledir = /tmp/%(HOST)s\n", "2:1", "HOST", id="no such name"),
    pytest.param("[global]\nbase = /x\n[cuda]\nroot = %(base)s/cuda\n", "4:1", "base", id="a name of another section"),
    pytest.param("[gcc]\n cxxflags = %(USER)s %(flags)s\n", "2:2", "USER", id="one of two is enough to stop it"),
]


@pytest.mark.parametrize(("text", "place", "name"), CASES_227)
def test_name_stands_for_nothing(text: str, place: str, name: str) -> None:
    """The first name is the one that is shown."""
    assert spots("TD227", config(text)) == [f"rc:{place} warning, derived"]
    assert message("TD227", config(text)).startswith(f"%({name})s has no definition")


def test_value_keeps_the_name() -> None:
    """And with a helper in DEFAULT it does not."""
    assert value(config("[cuda]\nroot = %(base)s/c\n"), "cuda.root") == "%(base)s/c"
    text = "[DEFAULT]\nbase = /x\n[cuda]\nroot = %(base)s/c\n"
    assert findings("TD227", config(text)) == []
    assert value(config(text), "cuda.root") == "/x/c"


@pytest.mark.parametrize(
    "text", ["gcc]\ncxxflags = 50%", "global]\ncompiledir = %(tmpdir)s/c", "global]\ncompiledir_format = %(x)s", "a]\nb = %(c)s"]
)
def test_names_that_stand_for_something(text: str) -> None:
    """A bare sign, a name of the library in any case, the format with its own names, no flag."""
    assert findings("TD227", config(f"[{text}\n")) == []
