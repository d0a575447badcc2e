"""The flags that the memory simulation starts from."""

from __future__ import annotations

from theanodiag.flags.effective import EffectiveFlags, effective
from theanodiag.flags.model import Dialect, Host
from theanodiag.flags.resolve import resolve
from theanodiag.ir.shape import Unknown


def flags(text: str, dialect: Dialect = Dialect.THEANO, version: str | None = "1.0.5") -> EffectiveFlags:
    """What a flags variable comes to."""
    return effective(resolve(dialect, version, {dialect.flags_variable: text, "HOME": "/h"}, lambda path: None, Host(cxx="/usr/bin/g++")))


def test_defaults_of_theano() -> None:
    """Without flags: float64 on the CPU, intermediates are freed, those inside scan are kept."""
    found = flags("")
    assert (found.floatX, found.device, found.allow_gc, found.scan_allow_gc) == ("float64", "cpu", True, False)
    assert (found.preallocate, found.cnmem, found.linker, found.mode) == (0.0, None, "cvm", "Mode")


def test_a_linker_that_keeps() -> None:
    """A linker without garbage collection wins over allow_gc."""
    assert flags("linker=cvm_nogc,allow_gc=True").allow_gc is False


def test_what_is_refused_is_unknown() -> None:
    """A value that stops the library is not replaced by a guess."""
    assert isinstance(flags("gpuarray.preallocate=80%").preallocate, Unknown)


def test_pytensor_has_no_device() -> None:
    """Flags that a library lacks are None."""
    found = flags("", Dialect.PYTENSOR, None)
    assert (found.device, found.preallocate, found.scan_allow_gc) == (None, None, False)


def test_the_old_pool() -> None:
    """Theano 0.9 has both pools."""
    found = flags("lib.cnmem=.8", version="0.9")
    assert (found.cnmem, found.preallocate) == (0.8, 0.0)
