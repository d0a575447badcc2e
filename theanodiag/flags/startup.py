"""Errors in the rest of the import, after all flags were read. Found by importing the libraries with every value of every flag."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..ir.shape import Unknown
from .defaults import Surroundings, Unreadable
from .model import Dialect, Failure, FailureKind, Setting
from .paths import join
from .table import number


def startup_failures(
    version: str, settings: Mapping[str, Setting], around: Surroundings, unreadable: Sequence[Unreadable]
) -> tuple[Failure, ...]:
    """The errors after the flags were read, the first one first."""
    cxx = settings.get("cxx")
    if around.dialect is not Dialect.THEANO:
        needs_fusion = around.dialect is Dialect.AESARA or number(version) < (2, 10)
        return tuple(_fusion(settings.get("tensor.local_elemwise_fusion"))) if needs_fusion else ()
    if cxx is None or cxx.value == "":
        return ()
    # Only Theano compiles C code while it is imported.
    return (*_compiledir(settings, unreadable), *_compiler(cxx, settings, around))


def _fusion(setting: Setting | None) -> Iterator[Failure]:
    """Aesara 2.9.4, tensor/rewriting/math.py imports a name that tensor/rewriting/elemwise.py defines only with fusion."""
    if setting and setting.origin and setting.value is False:
        yield Failure(FailureKind.IMPORT, "ImportError", "cannot import name 'fuse_seqopt'", setting.origin.value_span, setting.flag)


def _compiledir(settings: Mapping[str, Setting], unreadable: Sequence[Unreadable]) -> Iterator[Failure]:
    """Theano 1.0.5, gof/lazylinker_c.py reads compiledir at import; Aesara and PyTensor do so later."""
    for error in unreadable[:1]:
        setting = settings["compiledir_format" if "compiledir_format" in str(error) else "base_compiledir"]
        span = setting.origin.value_span if setting.origin else None
        yield Failure(FailureKind.IMPORT, error.exception, str(error), span, setting.flag)


def _compiler(cxx: Setting, settings: Mapping[str, Setting], around: Surroundings) -> Iterator[Failure]:
    """Theano 1.0.5, gof/vm.py: a missing compiler fails an assertion, unless the C code is in the cache already."""
    disk, compiledir = around.host.disk, settings["compiledir"].value
    if disk is None or not cxx.origin or around.host.cxx == "" or isinstance(compiledir, Unknown):
        return
    cached = join(str(compiledir), "lazylinker_ext", "lazylinker_ext.so")
    if not disk.program(str(cxx.value), around.environ.get("PATH", "")) and not disk.exists(cached):
        message = f"[Errno 2] No such file or directory: {cxx.value!r}"
        yield Failure(FailureKind.IMPORT, "AssertionError", message, cxx.origin.value_span, cxx.flag)
