"""Texts and the values that the libraries take them for."""

from __future__ import annotations

import math

import pytest

from theanodiag.flags.defaults import load_table
from theanodiag.flags.model import Dialect, FailureKind, Flag
from theanodiag.flags.values import Refused, parse_value


def flag(name: str, dialect: Dialect = Dialect.THEANO) -> Flag:
    """A flag of Theano 1.0.5, or of the newest version of another dialect."""
    found = load_table(dialect, "1.0.5" if dialect is Dialect.THEANO else None).dotted(name)
    assert found, name
    return found


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("allow_gc", "0", False),
        ("allow_gc", "true", True),
        ("floatX", "32", "float32"),
        ("gpuarray.preallocate", " .9 ", 0.9),
        ("traceback.limit", "1_0", 10),
        ("optdb.position_cutoff", "inf", math.inf),
        ("vm.lazy", "None", None),
        ("device", "cuda7", "cuda7"),
        ("contexts", "a->cuda0;b->cuda1", "a->cuda0;b->cuda1"),
        ("DebugMode.check_preallocated_output", "initial:ALL", "initial:ALL"),
        ("gpuarray.sync", "", False),
        ("dnn.conv.workmem", "", True),
        ("unittests.rseed", "random", "random"),
        ("unittests.rseed", "12", "12"),
    ],
)
def test_accepted(name: str, text: str, value: object) -> None:
    """Valid texts give the library's value."""
    assert parse_value(flag(name), text) == value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("allow_gc", "yes"),
        ("allow_gc", "TRUE"),
        ("allow_gc", ""),
        ("floatX", "'float32'"),
        ("floatX", "float32 # single"),
        ("gpuarray.preallocate", "80%"),
        ("gpuarray.preallocate", ""),
        ("compile.wait", "0"),
        ("tensor.cmp_sloppy", "3"),
        ("vm.lazy", "1"),
        ("device", "GPU"),
        ("contexts", "a"),
        ("contexts", "cuda0->cuda1"),
        ("DebugMode.check_preallocated_output", "initial,ALL"),
        ("experimental.local_alloc_elemwise", "False"),
        ("unittests.rseed", "x"),
    ],
)
def test_refused(name: str, text: str) -> None:
    """Invalid texts are refused with a ValueError that quotes them."""
    with pytest.raises(Refused, match=r"Invalid value|Malformed|Cannot use") as caught:
        parse_value(flag(name), text)
    assert (caught.value.exception, caught.value.kind) == ("ValueError", FailureKind.INVALID_VALUE)


@pytest.mark.parametrize(
    ("name", "text", "dialect", "words"),
    [
        ("device", "gpu0", Dialect.THEANO, "Use device=cuda"),
        ("device", "cuda0", Dialect.AESARA, "removed from Aesara"),
        ("gpuarray.sync", "False", Dialect.THEANO, "has been removed"),
    ],
)
def test_removed(name: str, text: str, dialect: Dialect, words: str) -> None:
    """What a version refuses by name is told apart from a slip."""
    with pytest.raises(Refused, match=words) as caught:
        parse_value(flag(name, dialect), text)
    assert caught.value.kind is FailureKind.REMOVED
