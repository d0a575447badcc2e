"""Names of flags: the flag that is meant, and the near ones."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theanodiag.flags.defaults import load_table, versions
from theanodiag.flags.migrate_entry import suggestion, was_live
from theanodiag.flags.model import Dialect
from theanodiag.flags.names import distance, dotted_name, elsewhere, fold, history, nearest, nearest_ever, rc_flag, same_words

TABLE = load_table(Dialect.THEANO, "1.0.5")
EVER = sorted({fold(f.dotted) for dialect in Dialect for version in versions(dialect) for f in load_table(dialect, version).flags})
words = st.text(alphabet="abX.", max_size=7)


def slow_distance(a: str, b: str) -> int:
    """Restricted edit distance by its definition."""
    if not a or not b:
        return len(a) + len(b)
    best = min(slow_distance(a[1:], b) + 1, slow_distance(a, b[1:]) + 1, slow_distance(a[1:], b[1:]) + (a[0] != b[0]))
    if len(a) > 1 and len(b) > 1 and a[0] == b[1] and a[1] == b[0]:
        best = min(best, slow_distance(a[2:], b[2:]) + 1)
    return best


@given(st.text(alphabet="abc", max_size=5), st.text(alphabet="abc", max_size=5), st.integers(0, 3))
def test_distance_counts_slips(a: str, b: str, limit: int) -> None:
    """As the definition says, cut at the limit."""
    assert distance(a, b, limit) == min(slow_distance(a, b), limit + 1)


@given(words, words)
def test_distance_is_symmetric(a: str, b: str) -> None:
    """Whichever is the slip."""
    assert distance(a, b, 2) == distance(b, a, 2)


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("floatX", "floatx"),
        ("theano.config.scan.allow_gc", "scan.allow_gc"),
        ("blas__ldflags", "blas.ldflags"),
        ("config.profile", "profile"),
        ("global.device", "device"),
    ],
)
def test_fold_takes_off_what_people_copy(name: str, folded: str) -> None:
    """Prefixes, case and underscores."""
    assert fold(name) == folded


@pytest.mark.parametrize(
    ("section", "option", "name"), [("global", "device", "device"), ("", "device", "device"), ("dnn.conv", "algo_fwd", "dnn.conv.algo_fwd")]
)
def test_dotted_name(section: str, option: str, name: str) -> None:
    """`global` is no part of a name."""
    assert dotted_name(section, option) == name


@pytest.mark.parametrize(
    ("section", "option", "found"),
    [
        ("global", "FLOATX", "floatX"),
        ("Global", "floatX", None),
        ("dnn", "conv.algo_fwd", None),
        ("dnn.conv", "Algo_Fwd", "dnn.conv.algo_fwd"),
        ("DebugMode", "patience", "DebugMode.patience"),
        ("debugmode", "patience", None),
    ],
)
def test_sections_count_by_letter_and_options_do_not(section: str, option: str, found: str | None) -> None:
    """As configparser compares them."""
    flag = rc_flag(TABLE, section, option)
    assert (flag.name if flag else None) == found


@pytest.mark.parametrize(
    ("slip", "meant"),
    [
        ("flaotX", "floatX"),
        ("optimizer_incuding", "optimizer_including"),
        ("blas.ldflasg", "blas.ldflags"),
        ("float", "floatX"),
        ("ndevice", "device"),
    ],
)
def test_slips_have_one_near_name(slip: str, meant: str) -> None:
    """Swapped, left out, too many."""
    assert [f.name for f in nearest(TABLE, slip)] == [meant]
    flag = suggestion(slip, TABLE)
    assert flag is not None
    assert flag.name == meant


@settings(deadline=None)
@given(st.sampled_from([*EVER, *("." + old.rpartition(".")[2] for old in EVER)]), st.integers(0, 30), st.sampled_from(["", "a", "fl", "."]))
def test_near_names_of_all_times_are_those_few_slips_away(old: str, at: int, slip: str) -> None:
    """The one name, or the one whose option alone, is at most two slips away, as a look at each of them says."""
    name = old.lstrip(".")[:at] + slip + old.lstrip(".")[at + 1 :]
    plain = fold(name)
    limit = min(2, (len(plain) - 1) // 3)
    near = {n for n in EVER if min(distance(plain, n, limit), distance(plain, n.rpartition(".")[2], limit)) <= limit}
    found = nearest_ever(name)
    assert ({fold(found.dotted)} if found else set()) == (near if len(near) == 1 else set())


@pytest.mark.parametrize("name", ["root", "nonsense", "x", "fastmath", "enabled", ""])
def test_far_or_ambiguous_names_have_none(name: str) -> None:
    """Nothing is guessed."""
    assert suggestion(name, TABLE) is None


def test_same_words_do_not_care_for_dots_and_case() -> None:
    """The flag of the same words."""
    flag = same_words(TABLE, "Scan__ALLOW_GC")
    assert flag is not None
    assert flag.name == "scan.allow_gc"


def test_elsewhere_lists_all_sections() -> None:
    """`root` belongs to CUDA and to CTC."""
    assert [f.name for f in elsewhere(TABLE, "root")] == ["cuda.root", "ctc.root"]
    assert [f.name for f in elsewhere(TABLE, "conv.algo_fwd")] == ["dnn.conv.algo_fwd"]


@pytest.mark.parametrize(
    ("name", "section", "key", "live"),
    [
        ("nvcc.fastmath", "nvcc", "FastMath", True),
        ("nvcc.fastmath", None, "nvcc.fastmath", True),
        ("nvcc.fastmath", None, "NVCC.fastmath", False),
        ("blas.ldflags", None, "blas__ldflags", True),
        ("flaotX", "global", "flaotx", False),
        ("dnn.conv.algo_fwd", "dnn", "conv.algo_fwd", False),
    ],
)
def test_was_live_knows_all_generations(name: str, section: str | None, key: str, live: bool) -> None:
    """As spelled there."""
    assert was_live(name, section, key) is live


def test_history_is_in_order() -> None:
    """Oldest dialect first; every one had floatX."""
    assert list(dict.fromkeys(f.dialect for f in history("floatx"))) == list(Dialect)
    assert history("no.such.flag") == ()
