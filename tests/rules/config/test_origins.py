"""Rules about where flags come from."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import AE, PT, advice, findings, message, spots, starts, value
from theanodiag.flags.diagnose import MachineFacts
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

# TD228: the entry that loses is the place, and the message says which one wins, and with what.

CASES_228 = [
    pytest.param("[global]\nfloatX = float64\n", "floatX=float32", "rc:2:1", "THEANO_FLAGS:1:1 sets float32", id="file and variable"),
    pytest.param(None, "floatX=float64,floatX=float32", "THEANO_FLAGS:1:1", "THEANO_FLAGS:1:16 sets float32", id="twice in the variable"),
    pytest.param("[DEFAULT]\nfloatX=float64\n[global]\nfloatX=float32\n", None, "rc:2:1", ":4:1 sets float32", id="DEFAULT and section"),
    pytest.param("[global]\nfloatX=float32\n[DEFAULT]\nfloatX=float64\n", None, "rc:4:1", ":2:1 sets float32", id="in the other order"),
]


@pytest.mark.parametrize(("rc", "flags", "place", "words"), CASES_228)
def test_loser_and_winner(rc: str | None, flags: str | None, place: str, words: str) -> None:
    """The winner's value is the library's."""
    subject = config(rc, flags)
    assert spots("TD228", subject) == [f"{place} info, derived"]
    assert message("TD228", subject).endswith(words)
    assert value(subject, "floatX") == "float32"


def test_one_finding_each() -> None:
    """Three entries that differ, two that lose."""
    subject = config("[global]\nmode = FAST_RUN\n", "mode=FAST_COMPILE,mode=Mode")
    assert spots("TD228", subject) == ["rc:2:1 info, derived", "THEANO_FLAGS:1:1 info, derived"]


@pytest.mark.parametrize("flags", ["floatX=float32", "floatX", "FLOATX=float64", "mode=Mode"])
def test_nothing_is_lost(flags: str) -> None:
    """The same text, no value, a name that means nothing, another flag."""
    assert findings("TD228", config("[global]\nfloatX = float32\n", flags)) == []


# TD229: the rc variable is the place, and each path has its finding.


@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_paths_are_named(to: Dialect) -> None:
    """In the order of the variable, under the name that the library reads."""
    found = findings("TD229", config(to=to, context=MachineFacts(missing_files=("/b", "/a"))))
    assert [f.location.detail for f in found] == ["/b", "/a"]
    assert {str(f.location) for f in found} == {to.rc_variable}
    assert [f.message.split()[0] for f in found] == ["/b", "/a"]


def test_how_bad() -> None:
    """A warning: the library starts without the file."""
    subject = config(context=MachineFacts(missing_files=("/b",)))
    assert spots("TD229", subject) == ["THEANORC warning, derived"]
    assert starts(subject)


def test_other_facts_are_no_files() -> None:
    """A network folder is not a missing file."""
    assert findings("TD229", config(context=MachineFacts(network_folders=("/b",), numpy=(1, 22)))) == []


# TD230: the other library's variable is the place, and the message names the one that is read.

CASES_230 = [
    pytest.param(PT, "THEANO_FLAGS", "PYTENSOR_FLAGS", id="theano's flags in pytensor"),
    pytest.param(PT, "AESARARC", "PYTENSORRC", id="aesara's file in pytensor"),
    pytest.param(AE, "THEANORC", "AESARARC", id="theano's file in aesara"),
    pytest.param(Dialect.THEANO, "PYTENSOR_FLAGS", "THEANO_FLAGS", id="the new one in the old"),
]


@pytest.mark.parametrize(("to", "name", "mine"), CASES_230)
def test_name_that_is_read(to: Dialect, name: str, mine: str) -> None:
    """How sure: only bounded, since another program may want it."""
    subject = config(to=to, env=((name, "x"),))
    assert spots("TD230", subject) == [f"{name} warning, bounded"]
    assert message("TD230", subject).endswith(f"it reads {mine}")
    assert advice("TD230", subject).title == f"set {mine}"


def test_all_of_them() -> None:
    """Flags first, then files."""
    env = (("THEANORC", "a"), ("THEANO_FLAGS", "b"), ("AESARA_FLAGS", "c"))
    assert [str(f.location) for f in findings("TD230", config(to=PT, env=env))] == ["THEANO_FLAGS", "AESARA_FLAGS", "THEANORC"]


def test_flag_has_no_effect_there() -> None:
    """What the message says is so."""
    assert value(config(to=PT, env=(("THEANO_FLAGS", "floatX=float32"),)), "floatX") == "float64"


@pytest.mark.parametrize("env", [("THEANO_FLAGS", ""), ("KERAS_BACKEND", "theano"), ("THEANO", "1")])
def test_variables_without_effect(env: tuple[str, str]) -> None:
    """An empty one says nothing; others are not the libraries'."""
    assert findings("TD230", config(to=PT, env=(env,))) == []


# TD271: what the library refuses and no other rule explains, with its exception.

CASES_271 = [
    pytest.param("tensor__local_elemwise_fusion=False", 31, "ImportError", id="aesara needs fusion"),
    pytest.param("floatX=float32,tensor__local_elemwise_fusion=0", 46, "ImportError", id="behind another flag"),
]


@pytest.mark.parametrize(("text", "column", "exception"), CASES_271)
def test_exception_is_named(text: str, column: int, exception: str) -> None:
    """At the value that it does not survive."""
    subject = config(flags=text, to=AE)
    assert spots("TD271", subject) == [f"AESARA_FLAGS:1:{column} error, derived"]
    assert message("TD271", subject).startswith(f"{subject.library} will not start: {exception}: ")
    assert not starts(subject)


def test_other_variable_of_the_environment() -> None:
    """A text that is no number of threads stops the import."""
    subject = config(env=(("OMP_NUM_THREADS", "many"),))
    assert spots("TD271", subject) == ["OMP_NUM_THREADS:1:1 error, derived"]
    assert not starts(subject)


@pytest.mark.parametrize(
    "text", ["floatX=float8", "device=gpu0", "cxx='", "dnn.conv.workmem=x"], ids=["value", "device", "quote", "retired"]
)
def test_rules_with_better_words(text: str) -> None:
    """TD220, TD231, TD207 and TD245 speak of these, which stop the library too."""
    assert not starts(config(flags=text))
    assert findings("TD271", config(flags=text)) == []
