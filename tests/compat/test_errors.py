"""The errors for names that are gone."""

from __future__ import annotations

import pytest

from theanodiag.compat.errors import NoCounterpart, NoSuchAttribute, NoSuchImport


@pytest.mark.parametrize(("kind", "builtin"), [(NoSuchAttribute, AttributeError), (NoSuchImport, ImportError)])
def test_caught_as_the_builtin_error(kind: type[NoCounterpart], builtin: type[Exception]) -> None:
    """`except ImportError` and `hasattr` of old scripts work on them."""
    assert issubclass(kind, builtin)


def test_text_with_advice() -> None:
    """Name, framework, and what to write."""
    said = str(NoSuchAttribute("theano.tensor.inv", "PyTensor 3.0.7", "pytensor.tensor.reciprocal"))
    assert said == "theano.tensor.inv has no counterpart in PyTensor 3.0.7; instead: pytensor.tensor.reciprocal"


def test_text_without_advice() -> None:
    """Where nothing is known nothing is made up."""
    assert str(NoSuchImport("theano.nonsense", "Aesara 2.9.4")) == "theano.nonsense has no counterpart in Aesara 2.9.4"


def test_name_in_tracebacks() -> None:
    """A traceback names the package, by whatever name the file was loaded."""
    assert NoSuchImport.__module__ == "theanodiag.compat"
