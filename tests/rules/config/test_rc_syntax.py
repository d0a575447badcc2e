"""Rules about the syntax of rc files (TD201 to TD218)."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import AE, advice, findings, mended, message, spots, starts, texts, value
from theanodiag.findings import Disposition, Fix
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

# TD201: one finding at the first character, and a file that the library reads once the mark is gone.

CASES_201 = [
    pytest.param("\ufeff[global]\ndevice = cpu\n", "[global]\ndevice = cpu\n", id="before a header"),
    pytest.param("\ufeff# für mich\r\n[global]\r\n", "# für mich\r\n[global]\r\n", id="before a comment, ends of line of Windows"),
    pytest.param("\ufeff\ufeff[global]\n", "[global]\n", id="twice"),
]


@pytest.mark.parametrize(("text", "after"), CASES_201)
def test_mark_goes_and_the_rest_stays(text: str, after: str) -> None:
    """The mark is an error at the very start, and taking it off changes nothing else."""
    assert spots("TD201", config(text)) == ["rc:1:1 error, derived"]
    assert texts(mended("TD201", config(text)))[0] == after
    assert advice("TD201", config(text)).disposition is Disposition.SAFE


def test_library_starts_without_it() -> None:
    """Aesara refuses the file with the mark and reads the flag without it."""
    subject = config("\ufeff[global]\nfloatX = float32\n", to=AE)
    assert not starts(subject)
    assert value(mended("TD201", subject), "floatX") == "float32"


@pytest.mark.parametrize(
    "text", ["# \ufeff\n[global]\n", "[global]\n\ufeffdevice = cpu\n", ""], ids=["in a comment", "in line two", "empty"]
)
def test_mark_elsewhere_is_another_matter(text: str) -> None:
    """Only the beginning of a file is special."""
    assert findings("TD201", config(text)) == []


# TD202: one finding for each run of foreign bytes, each replaced by the letters of Windows-1252.

CASES_202 = [
    pytest.param("# f\udcfcr\n[global]\n", ["rc:1:4"], "# für\n[global]\n", id="one letter in a comment"),
    pytest.param(
        "[global]\ncompiledir = /tmp/\udce9t\udce9\n", ["rc:2:19", "rc:2:21"], "[global]\ncompiledir = /tmp/été\n", id="two places"
    ),
    pytest.param("# \udc93x\udc94\n", ["rc:1:3", "rc:1:5"], "# \u201cx\u201d\n", id="quotes of Word"),
    pytest.param("#\udce4\udcf6\udcfc\n", ["rc:1:2"], "#äöü\n", id="a run is one place"),
]


@pytest.mark.parametrize(("text", "places", "after"), CASES_202)
def test_bytes_become_letters(text: str, places: list[str], after: str) -> None:
    """Every run has its place and its letters."""
    assert spots("TD202", config(text)) == [f"{place} error, derived" for place in places]
    assert texts(mended("TD202", config(text)))[0] == after


@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_every_library_starts_afterwards(to: Dialect) -> None:
    """None of them reads the file as it is, all do after the change."""
    subject = config("# \udcb5\n[global]\nfloatX = float32\n", to=to)
    assert not starts(subject)
    assert starts(mended("TD202", subject))


@pytest.mark.parametrize("text", ["# für\n", "# \u20ac \U0001f600\n", "[global]\n"], ids=["two bytes", "three and four bytes", "ascii"])
def test_proper_letters_are_left_alone(text: str) -> None:
    """UTF-8 of any length is right."""
    assert findings("TD202", config(text)) == []


# TD203: the first line without a section is the place, and the header goes above it.

CASES_203 = [
    pytest.param("floatX = float32\n", "1:1", "[global]\nfloatX = float32\n", id="alone"),
    pytest.param(
        "# mine\n\nfloatX: float32\ncxx =\n", "3:1", "# mine\n\n[global]\nfloatX: float32\ncxx =\n", id="below a comment, once for two"
    ),
    pytest.param("floatX = float32\r\n[blas]\r\n", "1:1", "[global]\r\nfloatX = float32\r\n[blas]\r\n", id="ends of line of Windows"),
]


@pytest.mark.parametrize(("text", "place", "after"), CASES_203)
def test_header_is_written_above(text: str, place: str, after: str) -> None:
    """With the file's own end of line; then the flag counts."""
    assert spots("TD203", config(text)) == [f"rc:{place} error, derived"]
    assert texts(mended("TD203", config(text)))[0] == after
    assert not starts(config(text))
    assert value(mended("TD203", config(text)), "floatX") == "float32"


def test_every_file_has_its_own() -> None:
    """A word alone is refused for the same reason."""
    assert spots("TD203", config("device\n")) == ["rc:1:1 error, derived"]


@pytest.mark.parametrize("text", ["", "\n; device = cpu\n", "[]global]\nfloatX = float32\n"], ids=["empty", "comment", "odd header"])
def test_nothing_stands_before(text: str) -> None:
    """Comments and blank lines may."""
    assert findings("TD203", config(text)) == []


# TD204: each line that the parser cannot take is a finding, and becomes a comment where it stands.

CASES_204 = [
    pytest.param("[global]\n// fast\n", ["2:1"], "[global]\n# // fast\n", id="comment of C"),
    pytest.param(
        "[global]\ndevice = cpu\nfloatX\nprofile\n", ["3:1", "4:1"], "[global]\ndevice = cpu\n# floatX\n# profile\n", id="words alone"
    ),
    pytest.param("[global]\n  cpu  \n", ["2:3"], "[global]\n  # cpu  \n", id="indented"),
    pytest.param("[global]\n= cpu\n", ["2:1"], "[global]\n# = cpu\n", id="no name"),
]


@pytest.mark.parametrize(("text", "places", "after"), CASES_204)
def test_line_becomes_a_comment(text: str, places: list[str], after: str) -> None:
    """And then the library starts."""
    assert spots("TD204", config(text)) == [f"rc:{place} error, derived" for place in places]
    assert texts(mended("TD204", config(text)))[0] == after
    assert not starts(config(text))
    assert starts(mended("TD204", config(text)))


@pytest.mark.parametrize(
    "text",
    ["[global]\ncpu:\n", "[global]\ndevice = cpu\n  gpu\n", "device\n[global]\n", "[global]\n  ; cpu\n"],
    ids=["a colon", "continues the value", "before any section is TD203", "indented comment"],
)
def test_near_lines_are_silent(text: str) -> None:
    """They are an option, a value, another rule's, a comment."""
    assert findings("TD204", config(text)) == []


# TD205: the later header is the place, and the message names the line of the first.

CASES_205 = [
    pytest.param("[blas]\n[global]\n[blas]\n", ["3:1"], "[blas] was in line 1 already", id="once again"),
    pytest.param("\n[nvcc]\n[nvcc]\n\n  [nvcc]\n", ["3:1", "5:3"], "[nvcc] was in line 2 already", id="twice again, one indented"),
    pytest.param("[a b]\nx=1\n[a b] y\n", ["3:1"], "[a b] was in line 1 already", id="more behind the bracket"),
]


@pytest.mark.parametrize(("text", "places", "words"), CASES_205)
def test_later_headers_are_named(text: str, places: list[str], words: str) -> None:
    """Each with the first line of all."""
    assert spots("TD205", config(text)) == [f"rc:{place} error, derived" for place in places]
    assert all(words in f.message for f in findings("TD205", config(text)))
    assert not starts(config(text))


def test_moving_the_options_helps() -> None:
    """What the advice says, done by hand, starts and keeps both values."""
    assert advice("TD205", config("[blas]\nldflags=\n[global]\n[blas]\ncheck_openmp=False\n")).title == "move the options below line 1"
    assert starts(config("[blas]\nldflags=\ncheck_openmp=False\n[global]\n"))


@pytest.mark.parametrize("text", ["[blas]\n[Blas]\n", "[dnn]\n[dnn.conv]\n", "[DEFAULT]\n[DEFAULT]\n", "[blas]\n# [blas]\n"])
def test_names_differ(text: str) -> None:
    """Case counts; DEFAULT may come again."""
    assert findings("TD205", config(text)) == []


# TD206: the later option is the place, in any case of letters, and the message names the first line.

CASES_206 = [
    pytest.param("[global]\ndevice = cpu\nDEVICE: cpu\n", ["3:1"], id="other letters and sign"),
    pytest.param("[global]\nfloatX=float32\nfloatx=float32\n  \nFLOATX=float64\n", ["3:1", "5:1"], id="three times"),
    pytest.param("[DEFAULT]\na = 1\nA = 1\n", ["3:1"], id="in DEFAULT"),
]


@pytest.mark.parametrize(("text", "places"), CASES_206)
@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_later_ones_are_refused(text: str, places: list[str], to: Dialect) -> None:
    """By every library, since it is the parser of Python 3 that does it."""
    found = findings("TD206", config(text, to=to))
    assert spots("TD206", config(text, to=to)) == [f"rc:{place} error, derived" for place in places]
    assert all("in line 2 already" in f.message for f in found)
    assert not starts(config(text, to=to))


@pytest.mark.parametrize(
    "text",
    [
        "[DEFAULT]\ndevice=cpu\n[global]\ndevice=cpu\n",
        "[global]\n# device = cpu\ndevice = cpu\n",
        "[global]\ndevice = cpu\n  device = cpu\n",
    ],
    ids=["DEFAULT and section", "commented out", "continues the value"],
)
def test_once_in_its_section(text: str) -> None:
    """Such files are read."""
    assert findings("TD206", config(text)) == []


# TD207: the quote or backslash without an end is the place.

CASES_207 = [
    pytest.param("device=cpu,cxx='g++", 16, id="single"),
    pytest.param('compiledir="/tmp/a b,floatX=float32', 12, id="double, swallowing commas"),
    pytest.param("cxx='a''b", 8, id="the second pair is open"),
    pytest.param("cxx=C:\\", 7, id="final backslash"),
]


@pytest.mark.parametrize(("text", "column"), CASES_207)
@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_place_is_the_quote(text: str, column: int, to: Dialect) -> None:
    """For every library, in the name of its variable."""
    subject = config(flags=text, to=to)
    assert spots("TD207", subject) == [f"{to.flags_variable}:1:{column} error, derived"]
    assert not starts(subject)


@pytest.mark.parametrize(
    "text",
    ['cxx="it\'s"', "cxx=a\\'b", "cxx=C:\\\\", "#'", "cxx=''"],
    ids=["quoted quote", "escaped quote", "escaped backslash", "in a comment", "empty"],
)
def test_closed_quotes(text: str) -> None:
    """Each of these is taken apart without an error."""
    assert findings("TD207", config(flags=text)) == []


# TD208: the bracket is the place, and the advice is the line to write.

CASES_208 = [
    pytest.param("[global]\ndevice = cpu\n[mode]=FAST_RUN\n", "3:1", "mode = FAST_RUN", id="no blanks"),
    pytest.param("[floatX] : float32  \n", "1:1", "floatX = float32", id="a colon"),
    pytest.param("[global]\n  [device]=cpu\n", "2:3", "device = cpu", id="indented"),
]


@pytest.mark.parametrize(("text", "place", "line"), CASES_208)
def test_line_is_ready_to_paste(text: str, place: str, line: str) -> None:
    """The value is lost as it stands, and counts as advised."""
    assert spots("TD208", config(text)) == [f"rc:{place} warning, derived"]
    assert advice("TD208", config(text)).code == line
    name, _, wanted = line.partition(" = ")
    assert value(config(f"[global]\n{line}\n"), name) == wanted


@pytest.mark.parametrize("text", ["[gpuarray]=x\n", "[mode] # = x\n", "[mode]\n=FAST_RUN\n", "[mode] FAST_RUN\n"])
def test_headers_of_another_kind(text: str) -> None:
    """A known section, a comment behind it, nothing behind it, no sign."""
    assert findings("TD208", config(text)) == []


# TD209: the indented name is the place, and without its blanks the flag counts.

CASES_209 = [
    pytest.param("[global]\ncompiledir = /tmp/c\n  floatX = float32\n", "3:3", "floatX", id="two blanks"),
    pytest.param("[global]\ncompiledir = /tmp/c\n\tfloatX = float32\n", "3:2", "floatX", id="a tab"),
    pytest.param("[global]\n compiledir = /tmp/c\n\n   FLOATX=float32\n", "4:4", "FLOATX", id="after a blank line, other letters"),
]


@pytest.mark.parametrize(("text", "place", "name"), CASES_209)
def test_option_is_swallowed(text: str, place: str, name: str) -> None:
    """It has no effect as it stands and has one at the left."""
    assert spots("TD209", config(text)) == [f"rc:{place} error, derived"]
    assert message("TD209", config(text)).startswith(f"{name} is indented deeper")
    assert value(config(text), "floatX") == "float64"
    straight = "\n".join(line.strip() for line in text.splitlines())
    assert value(config(straight), "floatX") == "float32"


def test_every_line_is_named() -> None:
    """Two swallowed lines are two findings."""
    text = "[global]\ncompiledir = /tmp\n floatX = float32\n  device = cpu\n"
    assert spots("TD209", config(text)) == ["rc:3:2 error, derived", "rc:4:3 error, derived"]


@pytest.mark.parametrize("text", ["[gcc]\ncxxflags = -O2\n -DA=1\n", "[global]\ndevice = cpu\n floatX\n", "[global]\n  floatX = float32\n"])
def test_no_option_in_it(text: str) -> None:
    """A compiler flag, a word, the first option of a section."""
    assert findings("TD209", config(text)) == []


# TD213: the whole entry is the place, and closing it up makes the flag count.

CASES_213 = [
    pytest.param("floatX = float32", 1, "name", "floatX=float32", id="both sides"),
    pytest.param("profile=False, floatX =float32", 16, "name", "profile=False, floatX=float32", id="before the sign"),
    pytest.param("floatX=\tfloat32,profile=False", 1, "value", "floatX=float32,profile=False", id="a tab behind it"),
]


@pytest.mark.parametrize(("text", "column", "owner", "after"), CASES_213)
def test_entry_is_closed_up(text: str, column: int, owner: str, after: str) -> None:
    """The message says to which side the blanks belong."""
    subject = config(flags=text)
    assert spots("TD213", subject) == [f"THEANO_FLAGS:1:{column} error, derived"]
    assert f"belong to the {owner}" in message("TD213", subject)
    assert texts(mended("TD213", subject))[1] == after
    assert value(mended("TD213", subject), "floatX") == "float32"


@pytest.mark.parametrize(("text", "lost"), [("floatX =float32", True), ("floatX= float32", False)], ids=["lost", "refused"])
def test_what_the_library_does(text: str, lost: bool) -> None:
    """A blank in the name loses the flag, one in the value stops the library."""
    assert starts(config(flags=text)) is lost
    assert value(config(flags=text), "floatX") != "float32"


def test_blanks_elsewhere() -> None:
    """Beside commas and in a file they do no harm."""
    assert findings("TD213", config("[global]\nprofile  =  False\n", flags=" floatX=float32 ,\tmode=FAST_RUN ")) == []


# TD214: the word is the place.

CASES_214 = [
    pytest.param("profile", [1], id="alone"),
    pytest.param("floatX=float32,profile,openmp", [16, 24], id="two of three"),
    pytest.param("device:cpu", [1], id="a colon is no sign here"),
    pytest.param(" 'profile' ,mode=FAST_RUN", [2], id="quoted, after a blank"),
]


@pytest.mark.parametrize(("text", "columns"), CASES_214)
@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_each_word_is_named(text: str, columns: list[int], to: Dialect) -> None:
    """For every library, which starts all the same."""
    subject = config(flags=text, to=to)
    assert spots("TD214", subject) == [f"{to.flags_variable}:1:{column} warning, derived" for column in columns]
    assert starts(subject)


def test_word_sets_nothing() -> None:
    """Only with a value is the profiler on."""
    assert "profile has no value" in message("TD214", config(flags="profile"))
    assert value(config(flags="profile"), "profile") is False
    assert value(config(flags="profile=True"), "profile") is True


@pytest.mark.parametrize(
    ("word", "advice"),
    [
        ("profile", "write profile=True, or remove it"),
        ("device:cpu", "write device=cpu, or remove it"),
        ("device", "write device=VALUE, or remove it"),
        ("cuda0", "write device=cuda0, or remove it"),
        ("float32", "write floatX=float32, or remove it"),
        ("FAST_RUN", "write mode=FAST_RUN, or remove it"),
        ("banana", "remove it"),
    ],
)
def test_the_assignment_that_a_word_means(word: str, advice: str) -> None:
    """Also for a line of a file, where the safe fix is a comment."""
    assert findings("TD214", config(flags=word))[0].fix == Fix(advice)
    line = findings("TD204", config(f"[global]\n{word}\n"))
    if ":" not in word:  # which is a sign there
        assignment = advice.removesuffix(", or remove it").replace("=", " = ")
        title = line[0].fix and line[0].fix.title
        assert title == (f"{assignment}, or make it a comment" if "write" in advice else "make it a comment")


@pytest.mark.parametrize("text", ["cxx=", "", " , ,", "#profile"], ids=["empty value", "nothing", "only commas", "a comment"])
def test_no_word_alone(text: str) -> None:
    """An empty value is a value."""
    assert findings("TD214", config(flags=text)) == []


# TD218: the entry is the place; whether it counts depends on which sections the file has.

CASES_218 = [
    pytest.param("[DEFAULT]\nfloatX = float32\n", "2:1", "has no effect", "float64", id="no other section"),
    pytest.param("[DEFAULT]\nFLOATX=float32\n[global]\n", "2:1", "by way of [global]", "float32", id="global is there"),
    pytest.param("[blas]\n[DEFAULT]\n floatX = float32\n", "3:2", "has no effect", "float64", id="another section is there"),
]


@pytest.mark.parametrize(("text", "place", "words", "wanted"), CASES_218)
def test_effect_is_what_is_said(text: str, place: str, words: str, wanted: str) -> None:
    """The value that the library has in the end agrees with the message."""
    assert spots("TD218", config(text)) == [f"rc:{place} warning, derived"]
    assert words in message("TD218", config(text))
    assert value(config(text), "floatX") == wanted


def test_section_of_a_dotted_flag() -> None:
    """`ldflags` has its effect by way of `[blas]`."""
    text = "[DEFAULT]\nldflags = -lblas\n[blas]\n"
    assert advice("TD218", config(text)).title == "write it in [blas]"
    assert value(config(text), "blas.ldflags") == "-lblas"


@pytest.mark.parametrize("text", ["[DEFAULT]\nroot_of_all = /x\n", "[default]\nfloatX = float32\n", "[global]\nfloatX = float32\n"])
def test_helpers_and_other_sections(text: str) -> None:
    """A name of one's own; small letters make another section."""
    assert findings("TD218", config(text)) == []
