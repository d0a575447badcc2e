"""theano.config on another framework: old spellings, neutral values of flags that are gone, and errors for the rest."""

from __future__ import annotations

from .conftest import Run
from .test_modules import caught


def test_dotted_flags(legacy: Run) -> None:
    """`config.blas.ldflags` and `config.blas__ldflags` are one flag."""
    program = "import theano; c = theano.config; c.gcc.cxxflags; print(c.blas.ldflags == c.blas__ldflags, c.scan.allow_gc)"
    assert legacy(program) == "True False"


def test_setting_reaches_the_framework(legacy: Run) -> None:
    """`theano.config.floatX = ...` decides the dtype of what is made from then on."""
    program = "import theano, theano.tensor as T; theano.config.floatX = 'float32'; print(T.matrix().dtype, theano.config.floatX)"
    assert legacy(program) == "float32 float32"


def test_flags_that_are_gone_read_as_neutral(legacy: Run) -> None:
    """What a script asks to find out where it runs has the answer of a CPU without extras."""
    program = "import theano; c = theano.config; print(c.device, c.compute_test_value, c.gpuarray.preallocate, c.lib.cnmem)"
    assert legacy(program) == "cpu off 0.0 0.0"


def test_neutral_value_may_be_set(legacy: Run) -> None:
    """Setting what is the case anyway is no error."""
    assert legacy("import theano; theano.config.lib.cnmem = 0; print(theano.config.lib.cnmem)") == "0.0"


def test_other_value_of_a_gone_flag_is_an_error(legacy: Run) -> None:
    """A choice that the framework does not have is never ignored in silence: Aesara refuses it; with PyTensor one line of theanodiag says
    that it has no effect, with the place, and even if the script silences warnings."""
    setting = caught("theano.config.lib.cnmem = 0.8")
    said = legacy("import io, theano; sys.stderr = heard = io.StringIO()" + setting + setting + "print(heard.getvalue())")
    refused = said.startswith("False True config.lib.cnmem = 0.8 has no counterpart in")
    assert refused or (said.startswith("theanodiag: <string>:") and said.count(": theano.config.lib.cnmem has no effect: ") == 1)


def test_unknown_flag_is_an_error(legacy: Run) -> None:
    """Neither reading nor setting an unknown flag passes silently."""
    said = legacy("import theano" + caught("theano.config.nonsense") + caught("theano.config.nonsense = 1"))
    assert said.count("config.nonsense has no counterpart in") == 2


def test_change_flags(legacy: Run) -> None:
    """The decorator and context manager of old tests works."""
    program = """
import theano
with theano.configparser.change_flags(floatX='float32', compute_test_value='off'):
    print(theano.config.floatX)
print(theano.config.floatX)
"""
    assert legacy(program).splitlines() == ["float32", "float64"]
