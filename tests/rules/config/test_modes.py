"""Rules about modes, linkers and optimizers."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import AE, PT, advice, findings, message, pasted, spots, starts, value
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

# TD251: allow_gc is the place, in every spelling of false, and for every library.

CASES_251 = [
    pytest.param("[global]\n\nallow_gc: False\n", None, "rc:3:1", id="in a file"),
    pytest.param(None, "profile=False,allow_gc=0", "{}:1:15", id="a zero in the variable"),
    pytest.param("[global]\nallow_gc = True\n", "allow_gc=false", "{}:1:1", id="small letters, over the file"),
]


@pytest.mark.parametrize(("rc", "flags", "spot"), CASES_251)
@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_arrays_are_kept(rc: str | None, flags: str | None, spot: str, to: Dialect) -> None:
    """The library has False then; pasted, True."""
    subject = config(rc, flags, to)
    assert spots("TD251", subject) == [f"{spot.format(to.flags_variable)} warning, derived"]
    assert value(subject, "allow_gc") is False
    assert value(pasted("TD251", subject), "allow_gc") is True
    assert findings("TD251", pasted("TD251", subject)) == []


@pytest.mark.parametrize("text", ["allow_gc=no", "allow_gc=FALSE", "scan.allow_gc=False", "allow_gc"])
def test_td251_other_texts(text: str) -> None:
    """Refused ones are TD220's, Scan's own is TD252's, a word sets nothing."""
    assert findings("TD251", config(flags=text)) == []


# TD252: scan.allow_gc is the place, and the advice is spelled as the library wants it.

CASES_252 = [
    pytest.param(Dialect.THEANO, "scan.allow_gc=False", "scan.allow_gc=True", id="theano"),
    pytest.param(AE, "scan__allow_gc=0", "scan__allow_gc=True", id="aesara"),
    pytest.param(PT, "scan__allow_gc=false", "scan__allow_gc=True", id="pytensor"),
]


@pytest.mark.parametrize(("to", "text", "code"), CASES_252)
def test_spelling_of_the_advice(to: Dialect, text: str, code: str) -> None:
    """Pasted, the flag is on."""
    subject = config(flags=text, to=to)
    assert spots("TD252", subject) == [f"{to.flags_variable}:1:1 info, derived"]
    assert advice("TD252", subject).code == code
    assert value(pasted("TD252", subject), "scan.allow_gc") is True
    assert findings("TD252", pasted("TD252", subject)) == []


@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_default_does_the_same_in_silence(to: Dialect) -> None:
    """Every library has it off; nobody wrote it, so nothing is said."""
    assert value(config(to=to), "scan.allow_gc") is False
    assert findings("TD252", config(to=to)) == []


@pytest.mark.parametrize("text", ["scan__allow_gc=False", "scan.allow_gc=no", "allow_gc=False"])
def test_other_texts_in_theano(text: str) -> None:
    """A name of the other libraries, a refused value, another flag."""
    assert findings("TD252", config(flags=text)) == []


# TD253: the list is the place, and only the tags that save memory are named.

CASES_253 = [
    pytest.param("optimizer_excluding=low_memory", "low_memory would", id="alone"),
    pytest.param("optimizer_excluding=more_mem:inplace:conv_dnn", "inplace would", id="one of three"),
    pytest.param("optimizer_excluding=fusion:inplace_opt", "fusion and inplace_opt would", id="two"),
    pytest.param("optimizer_excluding='inplace:x'", "inplace would", id="in quotes"),
]


@pytest.mark.parametrize(("text", "words"), CASES_253)
@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_tags_are_named(text: str, words: str, to: Dialect) -> None:
    """For every library."""
    subject = config(flags=f"profile=False,{text}", to=to)
    assert spots("TD253", subject) == [f"{to.flags_variable}:1:15 warning, derived"]
    assert message("TD253", subject).startswith(words)


def test_advice_names_the_same_tags() -> None:
    """Without them the rule is silent."""
    assert advice("TD253", config(flags="optimizer_excluding=a:inplace")).title == "take inplace out of the list"
    assert findings("TD253", config(flags="optimizer_excluding=a")) == []


@pytest.mark.parametrize("text", ["optimizer_excluding=local_inplace", "optimizer_including=inplace", "optimizer_excluding=inplace;fusion"])
def test_other_tags(text: str) -> None:
    """Longer names, the opposite flag, a list that is no list."""
    assert findings("TD253", config(flags=text)) == []


# TD254: the optimizer or the mode is the place, and the advice is its fast counterpart.

CASES_254 = [
    pytest.param("optimizer=fast_compile", "optimizer", "fast_run", id="optimizer"),
    pytest.param("optimizer=o1", "optimizer", "fast_run", id="level one"),
    pytest.param("optimizer=merge", "optimizer", "fast_run", id="merge only"),
    pytest.param("mode=FAST_COMPILE", "mode", "FAST_RUN", id="mode"),
]


@pytest.mark.parametrize(("text", "flag", "better"), CASES_254)
@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_fast_counterpart(text: str, flag: str, better: str, to: Dialect) -> None:
    """Every library takes both; pasted, the rule is silent."""
    subject = config(flags=text, to=to)
    assert spots("TD254", subject) == [f"{to.flags_variable}:1:1 info, derived"]
    assert value(pasted("TD254", subject), flag) == better
    assert starts(pasted("TD254", subject))
    assert findings("TD254", pasted("TD254", subject)) == []


def test_both_are_two_findings() -> None:
    """Optimizer first."""
    assert spots("TD254", config("[global]\nmode=FAST_COMPILE\noptimizer=merge\n")) == ["rc:3:1 info, derived", "rc:2:1 info, derived"]


@pytest.mark.parametrize("text", ["optimizer=o4", "optimizer=None", "mode=Mode", "mode=fast_compile", "optimizer=FAST_COMPILE"])
def test_td254_other_texts(text: str) -> None:
    """None is TD255's; case counts."""
    assert findings("TD254", config(flags=text)) == []


# TD255: the optimizer is the place, and the message speaks of the GPU only where there is one.

CASES_255 = [
    pytest.param(Dialect.THEANO, "optimizer=None,device=cuda", True, id="theano on a gpu"),
    pytest.param(Dialect.THEANO, "optimizer=None", False, id="theano"),
    pytest.param(AE, "optimizer=None", False, id="aesara"),
    pytest.param(PT, "optimizer=None", False, id="pytensor"),
]


@pytest.mark.parametrize(("to", "text", "gpu"), CASES_255)
def test_every_operation_as_written(to: Dialect, text: str, gpu: bool) -> None:
    """A warning; pasted, the default is back."""
    subject = config(flags=text, to=to)
    assert spots("TD255", subject) == [f"{to.flags_variable}:1:1 warning, derived"]
    assert ("nothing moves to the GPU" in message("TD255", subject)) is gpu
    assert value(pasted("TD255", subject), "optimizer") == "fast_run"
    assert findings("TD255", pasted("TD255", subject)) == []


def test_place_in_a_file() -> None:
    """With its blanks."""
    assert spots("TD255", config("[global]\n  optimizer = None\n")) == ["rc:2:3 warning, derived"]


@pytest.mark.parametrize("text", ["optimizer=", "optimizer=none", "optimizer_including=None", "optimizer=o1"])
def test_td255_other_texts(text: str) -> None:
    """Refused ones, another flag, a level."""
    assert findings("TD255", config(flags=text)) == []


# TD256: each flag without effect is a place.

CASES_256 = [
    pytest.param(Dialect.THEANO, "mode=FAST_RUN,linker=cvm", [15], "mode=FAST_RUN", id="linker"),
    pytest.param(AE, "optimizer=o1,mode=FAST_COMPILE", [1], "mode=FAST_COMPILE", id="before the mode"),
    pytest.param(PT, "mode=NUMBA,optimizer_including=a,optimizer_excluding=b", [12, 34], "mode=NUMBA", id="two of them"),
]


@pytest.mark.parametrize(("to", "text", "columns", "mode"), CASES_256)
def test_flags_beside_a_mode(to: Dialect, text: str, columns: list[int], mode: str) -> None:
    """For information, with the mode that overrules them."""
    subject = config(flags=text, to=to)
    assert spots("TD256", subject) == [f"{to.flags_variable}:1:{column} info, derived" for column in columns]
    assert all(f.message.endswith(mode) for f in findings("TD256", subject))


def test_file_and_variable() -> None:
    """A mode in the variable overrules a file's list, whose line is the place."""
    assert spots("TD256", config("[global]\noptimizer = None\n", flags="mode=FAST_RUN")) == ["rc:2:1 info, derived"]


@pytest.mark.parametrize(
    "text",
    ["mode=Mode,linker=cvm", "linker=cvm,optimizer=o1", "mode=FAST_RUN,optimizer_including=", "mode=FAST_RUN,allow_gc=False"],
    ids=["the open mode", "no mode", "an empty list", "a flag that counts"],
)
def test_flags_that_count(text: str) -> None:
    """Or have nothing to say."""
    assert findings("TD256", config(flags=text)) == []


# TD257: the linker is the place, and the mode of its name is advised.

CASES_257 = [
    pytest.param("mode=FAST_RUN,linker=jax", 15, "mode=JAX", id="jax"),
    pytest.param("linker=numba,mode=FAST_COMPILE", 1, "mode=NUMBA", id="numba"),
    pytest.param("mode=FAST_RUN,linker=pytorch", 15, "mode=PYTORCH", id="pytorch"),
]


@pytest.mark.parametrize(("text", "column", "code"), CASES_257)
def test_mode_of_that_name(text: str, column: int, code: str) -> None:
    """PyTensor takes it, and pasted the clash is gone."""
    subject = config(flags=text, to=PT)
    assert spots("TD257", subject) == [f"PYTENSOR_FLAGS:1:{column} error, derived"]
    assert advice("TD257", subject).code == code
    assert starts(config(flags=code, to=PT))
    assert findings("TD257", pasted("TD257", subject)) == []


def test_one_rule_speaks() -> None:
    """The linker is wrong here, not without effect: TD256 is silent."""
    assert findings("TD256", config(flags="mode=FAST_RUN,linker=jax", to=PT)) == []


@pytest.mark.parametrize("text", ["mode=FAST_RUN,linker=c", "linker=jax", "mode=Mode,linker=numba", "mode=JAX,linker=jax", "mode=FAST_RUN"])
def test_pairs_that_go(text: str) -> None:
    """The open mode takes any linker."""
    assert findings("TD257", config(flags=text, to=PT)) == []


@pytest.mark.parametrize("to", [Dialect.THEANO, AE], ids=lambda d: d.name)
def test_other_libraries(to: Dialect) -> None:
    """Seen in PyTensor only."""
    assert findings("TD257", config(flags="mode=FAST_RUN,linker=jax", to=to)) == []


# TD258: the linker is the place, and its brother that collects is advised.

CASES_258 = [
    pytest.param("[global]\nlinker = cvm_nogc\n", "rc:2:1", "cvm", id="cvm"),
    pytest.param("[global]\n linker : c|py_nogc\n", "rc:2:2", "c|py", id="c or py"),
    pytest.param("[global]\nlinker = vm_nogc\n", "rc:2:1", "vm", id="vm"),
]


@pytest.mark.parametrize(("text", "spot", "wanted"), CASES_258)
@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_brother_that_collects(text: str, spot: str, wanted: str, to: Dialect) -> None:
    """Both are values of every library, and `allow_gc` never tells."""
    subject = config(text, flags="profile=False", to=to)
    assert spots("TD258", subject) == [f"{spot} warning, derived"]
    assert value(subject, "allow_gc") is True
    assert value(pasted("TD258", subject), "linker") == wanted
    assert findings("TD258", pasted("TD258", subject)) == []


@pytest.mark.parametrize("text", ["linker=cvm", "linker=nogc", "mode=cvm_nogc", "linker=cvm_nogc,linker=cvm"])
def test_td258_other_texts(text: str) -> None:
    """No such ending, another flag, a linker that loses."""
    assert findings("TD258", config(flags=text)) == []


# TD260: each switch is a place, with what it does.

CASES_260 = [
    pytest.param("mode=DEBUG_MODE", "several times", id="debug mode, old name"),
    pytest.param("mode=NanGuardMode", "every value of every array", id="nan guard"),
    pytest.param("profile=1", "times every operation", id="profile"),
    pytest.param("compute_test_value=raise", "for every variable", id="test values"),
    pytest.param("nocleanup=true", "failed compilations", id="no cleanup"),
]


@pytest.mark.parametrize(("text", "words"), CASES_260)
def test_switch_and_effect(text: str, words: str) -> None:
    """For information, with name and value as written."""
    subject = config(flags=f"floatX=float32,{text}")
    assert spots("TD260", subject) == ["THEANO_FLAGS:1:16 info, derived"]
    assert message("TD260", subject).startswith(text)
    assert words in message("TD260", subject)


def test_each_switch_has_its_finding() -> None:
    """Three lines, three places, in the rule's own order."""
    rc = "[global]\nnocleanup = True\nprofile = True\nmode = DebugMode\n"
    assert spots("TD260", config(rc)) == [f"rc:{line}:1 info, derived" for line in (4, 3, 2)]


@pytest.mark.parametrize("text", ["profile=False", "compute_test_value=off", "mode=FAST_RUN", "profile_memory=True", "profile=yes"])
def test_switches_that_are_off(text: str) -> None:
    """Or are others, or refused."""
    assert findings("TD260", config(flags=text)) == []


# TD269: the linker is the place, and it must be one that needs a compiler.

CASES_269 = [
    pytest.param(Dialect.THEANO, "cxx=,linker=cvm", 6, id="cvm"),
    pytest.param(AE, "linker=c,cxx=", 1, id="c in aesara"),
    pytest.param(Dialect.THEANO, "linker=c|py_nogc,cxx=", 1, id="c or py"),
]


@pytest.mark.parametrize(("to", "text", "column"), CASES_269)
def test_library_will_not_start(to: Dialect, text: str, column: int) -> None:
    """As the message says."""
    subject = config(flags=text, to=to)
    assert spots("TD269", subject) == [f"{to.flags_variable}:1:{column} error, derived"]
    assert not starts(subject)
    assert "needs a C++ compiler" in message("TD269", subject)


@pytest.mark.parametrize("text", ["cxx=", "linker=cvm", "cxx=,linker=vm", "cxx=,linker=py", "cxx=g++,linker=c"])
@pytest.mark.parametrize("to", [Dialect.THEANO, AE], ids=lambda d: d.name)
def test_library_starts(text: str, to: Dialect) -> None:
    """Without either of the two, or with a linker of Python code."""
    assert findings("TD269", config(flags=text, to=to)) == []
    assert starts(config(flags=text, to=to))


def test_pytensor_falls_back() -> None:
    """It takes the pair and starts."""
    subject = config(flags="cxx=,linker=cvm", to=PT)
    assert findings("TD269", subject) == []
    assert starts(subject)
