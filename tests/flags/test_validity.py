"""Values: what a flag takes, and what a slip was meant to be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theanodiag.flags.defaults import load_table
from theanodiag.flags.model import Dialect, Flag
from theanodiag.flags.values import accepts, correction, is_text, split_comment, unquoted, valid_values

TABLE = load_table(Dialect.THEANO, "1.0.5")


def flag(name: str) -> Flag:
    """A flag of Theano 1.0.5."""
    found = TABLE.dotted(name)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "taken", "refused"),
    [
        ("allow_gc", ["True", "false", "1"], ["yes", "TRUE", ""]),
        ("floatX", ["float32", "32"], ["Float32", "'float32'", "float8"]),
        ("device", ["cpu", "cuda", "cuda*", "opencl0:0"], ["gpu", "gpu0", "CPU", ""]),
        ("gpuarray.preallocate", ["0", "-1", ".5", "1e3"], ["", "80%", "True"]),
        ("openmp_elemwise_minsize", ["10"], ["1.5", ""]),
        ("contexts", ["", "a->cuda0;b->cuda1"], ["cuda0", "cpu->cuda0"]),
        ("vm.lazy", ["None", "True"], ["none", ""]),
        ("gpuarray.sync", [""], ["False", "0"]),
        ("mode", ["FAST_RUN", "Mode"], ["ProfileMode", "fast_run"]),
    ],
)
def test_values_are_taken_as_by_the_library(name: str, taken: list[str], refused: list[str]) -> None:
    """Spelling counts."""
    assert [t for t in taken if not accepts(flag(name), t)] == []
    assert [t for t in refused if accepts(flag(name), t)] == []


@pytest.mark.parametrize(
    ("name", "text", "better"),
    [
        ("allow_gc", "yes", "True"),
        ("allow_gc", "OFF", "False"),
        ("allow_gc", "True;", "True"),
        ("floatX", '"float32"', "float32"),
        ("floatX", "float32 # fast", "float32"),
        ("optimizer", "FAST_RUN", "fast_run"),
        ("optimizer", "none", "None"),
        ("device", "CUDA0", "cuda0"),
        ("vm.lazy", "true", "True"),
        ("floatX", "float8", None),
        ("gpuarray.preallocate", "", None),
        ("mode", "x", None),
    ],
)
def test_sure_slips(name: str, text: str, better: str | None) -> None:
    """What was meant is valid, or nothing is said."""
    assert correction(flag(name), text) == better


@given(st.sampled_from(TABLE.flags), st.text(alphabet="Trueoncpfa32'\"# ;,", max_size=9))
def test_what_was_meant_is_taken(one: Flag, text: str) -> None:
    """For any flag and any text."""
    better = correction(one, text)
    assert better is None or accepts(one, better)


@pytest.mark.parametrize(
    ("text", "parts"), [("a # b", ("a", "# b")), ("a#b", ("a#b", "")), ("a ; b # c", ("a", "; b # c")), ("", ("", ""))]
)
def test_comment_needs_a_blank_before_it(text: str, parts: tuple[str, str]) -> None:
    """Otherwise the sign belongs to the word."""
    assert split_comment(text) == parts


@pytest.mark.parametrize(("text", "plain"), [("'a'", "a"), ('"a"', "a"), ("'a\"", "'a\""), ("'", "'"), ("''", "")])
def test_one_pair_of_quotes_comes_off(text: str, plain: str) -> None:
    """Only a pair."""
    assert unquoted(text) == plain


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("allow_gc", "True or False"),
        ("dnn.enabled", "auto, False, True, no_check"),
        ("blas.ldflags", "any text"),
        ("device", "'cpu', or beginning with cuda or opencl"),
        ("compile.wait", "a whole number > 0"),
    ],
)
def test_valid_values_in_words(name: str, words: str) -> None:
    """For messages."""
    assert valid_values(flag(name)) == words


def test_text_flags_take_anything() -> None:
    """And the others do not."""
    assert is_text(flag("blas.ldflags"))
    assert not is_text(flag("floatX"))
