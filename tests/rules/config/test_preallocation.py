"""Rules about memory reserved at the start."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import AE, PT, advice, findings, message, pasted, spots, value
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

# TD234: the entry is the place, and the figure of gpuarray.preallocate is the equivalent.

CASES_234 = [
    pytest.param("0.8", 0.8, id="a share stays"),
    pytest.param("1", 0.95, id="all is cut at gpuarray's ceiling"),
    pytest.param("0.97", 0.95, id="so is nearly all"),
    pytest.param("0", -1.0, id="none is no cache"),
    pytest.param("4000", 4000.0, id="megabytes stay"),
]


@pytest.mark.parametrize(("text", "wanted"), CASES_234)
def test_equivalent(text: str, wanted: float) -> None:
    """Pasted, the new flag has it."""
    subject = config(f"[global]\ndevice = cuda0\n[lib]\ncnmem = {text}\n", flags="profile=False")
    assert spots("TD234", subject) == ["rc:4:1 warning, derived"]
    assert value(pasted("TD234", subject), "gpuarray.preallocate") == wanted


def test_no_number_has_no_equivalent() -> None:
    """Then only the flag is named."""
    assert advice("TD234", config("[lib]\ncnmem = much\n")).code is None


@pytest.mark.parametrize("device", ["gpu0", "cpu"])
def test_old_back_end_reads_it(device: str) -> None:
    """In 0.9, which has both back-ends, it depends on the device."""
    assert findings("TD234", config(flags=f"device={device},lib.cnmem=1", version="0.9.0")) == []
    assert spots("TD234", config(flags="lib.cnmem=1,device=cuda0", version="0.9.0")) == ["THEANO_FLAGS:1:1 warning, derived"]


# TD235: the entry is the place, and the advised share is below one.

CASES_235 = [
    pytest.param("[gpuarray]\npreallocate = 1\n", None, "rc:2:1", id="in a file"),
    pytest.param(None, "profile=False,gpuarray.preallocate=1.0", "THEANO_FLAGS:1:15", id="in the variable"),
    pytest.param("[gpuarray]\npreallocate = 0.5\n", "gpuarray.preallocate=1e0", "THEANO_FLAGS:1:1", id="the one that counts"),
]


@pytest.mark.parametrize(("rc", "flags", "spot"), CASES_235)
def test_share_of_one(rc: str | None, flags: str | None, spot: str) -> None:
    """Following the advice ends it."""
    subject = config(rc, flags)
    assert spots("TD235", subject) == [f"{spot} warning, derived"]
    assert "95 %" in message("TD235", subject)
    assert value(pasted("TD235", subject), "gpuarray.preallocate") == 0.9
    assert findings("TD235", pasted("TD235", subject)) == []


@pytest.mark.parametrize("text", ["0.999", "1.001", "-1", "0", "one"])
def test_td235_other_numbers(text: str) -> None:
    """Just below is TD237's, just above TD236's."""
    assert findings("TD235", config(flags=f"gpuarray.preallocate={text}")) == []


@pytest.mark.parametrize("to", [AE, PT], ids=lambda d: d.name)
def test_other_libraries_have_no_such_flag(to: Dialect) -> None:
    """There it is TD233's."""
    assert findings("TD235", config("[gpuarray]\npreallocate = 1\n", to=to)) == []


# TD236: the entry is the place, and the advised share is the percentage, at most 0.95.

CASES_236 = [
    pytest.param("90", 0.9, "90 means 90 MB", id="whole"),
    pytest.param("100", 0.95, "100 means 100 MB", id="all is cut"),
    pytest.param("1.5", 0.015, "1.5 means 1.5 MB", id="just above one"),
    pytest.param("95.5", 0.95, "95.5 means 95.5 MB", id="above the ceiling"),
    pytest.param("33.0", 0.33, "33 means 33 MB", id="written as a float"),
]


@pytest.mark.parametrize(("text", "wanted", "words"), CASES_236)
def test_percentage_becomes_a_share(text: str, wanted: float, words: str) -> None:
    """Following the advice ends it."""
    subject = config(f"[gpuarray]\n preallocate = {text}\n", flags="profile=False")
    assert spots("TD236", subject) == ["rc:2:2 warning, derived"]
    assert message("TD236", subject).startswith(words)
    assert value(pasted("TD236", subject), "gpuarray.preallocate") == wanted
    assert findings("TD236", pasted("TD236", subject)) == []


@pytest.mark.parametrize("text", ["1", "100.5", "2048", "-50", "", "50%"])
def test_td236_other_numbers(text: str) -> None:
    """One is TD235's; more than a hundred are megabytes; no number is TD220's."""
    assert findings("TD236", config(flags=f"gpuarray.preallocate={text}")) == []


# TD237: the entry is the place, and 0.8 is advised in the words of the flag that was written.

CASES_237 = [
    pytest.param("gpuarray.preallocate=0.95", None, "gpuarray.preallocate = 0.95", "gpuarray.preallocate=0.8", id="new"),
    pytest.param("gpuarray.preallocate=.901", None, "gpuarray.preallocate = 0.901", "gpuarray.preallocate=0.8", id="just above"),
    pytest.param("lib.cnmem=1", "0.8.2", "lib.cnmem = 1", "lib.cnmem=0.8", id="old, all of it"),
    pytest.param("lib.cnmem=0.95", "0.9.0", "lib.cnmem = 0.95", "lib.cnmem=0.8", id="old in 0.9"),
]


@pytest.mark.parametrize(("text", "version", "words", "code"), CASES_237)
def test_high_share(text: str, version: str | None, words: str, code: str) -> None:
    """For information only; following the advice ends it."""
    subject = config(flags=text, version=version)
    assert spots("TD237", subject) == ["THEANO_FLAGS:1:1 info, derived"]
    assert message("TD237", subject).startswith(words)
    assert advice("TD237", subject).code == code
    assert findings("TD237", pasted("TD237", subject)) == []


@pytest.mark.parametrize("text", ["gpuarray.preallocate=0.9", "gpuarray.preallocate=1", "gpuarray.preallocate=1.1", "lib.cnmem=0.95"])
def test_other_shares(text: str) -> None:
    """Nine tenths are not too much; one is TD235's; 1.0 does not read lib.cnmem."""
    assert findings("TD237", config(flags=text)) == []


# TD238: the entry is the place, and zero keeps the cache.


@pytest.mark.parametrize("text", ["-1", "-0.001", "-1e3"])
def test_any_negative_number(text: str) -> None:
    """However small; following the advice ends it."""
    subject = config(f"[gpuarray]\npreallocate = {text}\n", flags="profile=False")
    assert spots("TD238", subject) == ["rc:2:1 info, derived"]
    assert value(pasted("TD238", subject), "gpuarray.preallocate") == 0.0
    assert findings("TD238", pasted("TD238", subject)) == []


def test_advice_of_another_rule_leads_here() -> None:
    """`lib.cnmem = 0` is the same as no cache, and the rule says what that costs."""
    subject = pasted("TD234", config("[lib]\ncnmem = 0\n", flags="device=cuda0"))
    assert "cache off" in message("TD238", subject)


@pytest.mark.parametrize("text", ["-0", "0", "0.5", "-", "minus"])
def test_other_texts(text: str) -> None:
    """Minus zero is zero; the last two are no numbers."""
    assert findings("TD238", config(flags=f"gpuarray.preallocate={text}")) == []


def test_default_keeps_the_cache() -> None:
    """What nobody wrote is not reported."""
    assert findings("TD238", config()) == []


# TD266: the old name is the place; alone it is deprecated, beside the new one an error.

OLD, NEW = "XLA_PYTHON_CLIENT_MEM_FRACTION", "XLA_CLIENT_MEM_FRACTION"
CASES_266 = [
    pytest.param({OLD: ".5"}, "info", "deprecated", ".5", id="old alone"),
    pytest.param({OLD: ".5", NEW: ".7"}, "error", "JAX stops", ".7", id="both differ"),
    pytest.param({OLD: ".5", NEW: ".5"}, "error", "JAX stops", ".5", id="both agree"),
]


@pytest.mark.parametrize(("env", "severity", "words", "share"), CASES_266)
@pytest.mark.parametrize("to", [AE, PT], ids=lambda d: d.name)
def test_old_name(env: dict[str, str], severity: str, words: str, share: str, to: Dialect) -> None:
    """The advice keeps the share: the new one where there is one."""
    subject = config(to=to, env=tuple(env.items()))
    assert spots("TD266", subject) == [f"{OLD} {severity}, derived"]
    assert words in message("TD266", subject)
    assert advice("TD266", subject).code == f"export {NEW}={share}"


def test_advice_ends_it() -> None:
    """The new name alone."""
    assert findings("TD266", config(to=PT, env=((NEW, ".5"),))) == []


def test_td266_theano_has_no_jax() -> None:
    """There the variable is another program's."""
    assert findings("TD266", config(env=((OLD, ".5"), (NEW, ".5")))) == []


# TD267: the variable that undoes the share is the place.

SHARE, EARLY, HOW = "XLA_CLIENT_MEM_FRACTION", "XLA_PYTHON_CLIENT_PREALLOCATE", "XLA_PYTHON_CLIENT_ALLOCATOR"
CASES_267 = [
    pytest.param({SHARE: ".9", EARLY: "false"}, [EARLY], id="not at the start"),
    pytest.param({SHARE: ".9", EARLY: "0"}, [EARLY], id="a zero"),
    pytest.param({SHARE: ".9", HOW: "Platform"}, [HOW], id="another allocator, in capitals"),
    pytest.param({"XLA_PYTHON_CLIENT_MEM_FRACTION": ".9", EARLY: "FALSE", HOW: "platform"}, [EARLY, HOW], id="old name, both"),
]


@pytest.mark.parametrize(("env", "places"), CASES_267)
@pytest.mark.parametrize("to", [AE, PT], ids=lambda d: d.name)
def test_share_that_is_not_reserved(env: dict[str, str], places: list[str], to: Dialect) -> None:
    """For information, with the value as written and the share."""
    subject = config(to=to, env=tuple(env.items()))
    assert spots("TD267", subject) == [f"{place} info, derived" for place in places]
    said = [f.message for f in findings("TD267", subject)]
    assert said == [f"{place}={env[place]}: the share of .9 is not reserved" for place in places]


@pytest.mark.parametrize("env", [{SHARE: ".9", EARLY: "true"}, {SHARE: ".9", HOW: "bfc"}, {SHARE: "", EARLY: "false"}, {EARLY: "false"}])
def test_no_contradiction(env: dict[str, str]) -> None:
    """The usual values, or no share."""
    assert findings("TD267", config(to=PT, env=tuple(env.items()))) == []


def test_td267_theano_has_no_jax() -> None:
    """There the variables are another program's."""
    assert findings("TD267", config(env=((SHARE, ".9"), (EARLY, "false")))) == []
