"""Defaults that are worked out from others and from the machine."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from theanodiag.flags.model import Dialect, FailureKind, Host, Resolution
from theanodiag.flags.resolve import resolve
from theanodiag.ir.shape import Unknown


@dataclass(frozen=True)
class Disk:
    """A disk with these files, on which all but `/locked` can be written."""

    files: frozenset[str] = field(default_factory=frozenset)

    def exists(self, path: str) -> bool:
        """Whether it is one of the files."""
        return path in self.files

    def realpath(self, path: str) -> str:
        """There are no links."""
        return path

    def program(self, name: str, search: str) -> bool:
        """Programs are files too."""
        return name in self.files

    def unusable(self, path: str) -> str | None:
        """Only below `/locked`."""
        return f"cannot make {path}" if path.startswith("/locked") else None


FACTS = (
    ("short_platform", "Linux-6.1-x86_64"),
    ("processor", ""),
    ("python_version", "3.8.18"),
    ("python_bitwidth", "64"),
    ("device", "cpu"),
)


def theano(flags: str = "", files: tuple[str, ...] = (), cxx: str | None = "/usr/bin/g++", **environ: str) -> Resolution:
    """Theano 1.0.5 on a machine with these files."""
    host = Host(cxx=cxx, facts=FACTS, disk=Disk(frozenset(files)))
    return resolve(Dialect.THEANO, "1.0.5", {"HOME": "/h", "THEANO_FLAGS": flags, **environ}, lambda path: None, host)


def value(resolution: Resolution, name: str) -> object:
    """The value of a flag."""
    setting = resolution.get(name)
    assert setting, name
    return setting.value


@pytest.mark.parametrize(
    ("flags", "name", "expected"),
    [
        ("compile.wait=7", "compile.timeout", 168),
        ("", "DebugMode.check_c", True),
        ("cxx=", "DebugMode.check_c", False),
        ("", "base_compiledir", "/h/.theano"),
        ("", "compiledir", "/h/.theano/compiledir_Linux-6.1-x86_64--3.8.18-64"),
        ("compiledir_format=%(device)s (x,device=cuda0", "compiledir", "/h/.theano/cuda0_x"),
        ("compiledir=/c", "gpuarray.cache_path", "/c/gpuarray_kernels"),
        ("warn.ignore_bug_before=all", "warn.inc_subtensor1_opt", False),
        ("warn.ignore_bug_before=0.5", "warn.round", True),
        ("warn.ignore_bug_before=None", "warn.sum_sum_bug", True),
        ("cuda.root=/cuda", "cuda.include_path", "/cuda/include"),
    ],
)
def test_from_other_flags(flags: str, name: str, expected: object) -> None:
    """Each follows the flags that it is made of."""
    assert value(theano(flags), name) == expected


def test_cuda_from_the_environment() -> None:
    """CUDA_ROOT comes before CUDA_PATH, and that before nvcc on PATH; cuDNN is taken from there if its header is."""
    found = theano(files=("/b/nvcc", "/cuda/include/cudnn.h"), PATH="/a:/b", CUDA_PATH="/other", CUDA_ROOT="/cuda")
    assert [value(found, n) for n in ("cuda.root", "dnn.base_path", "dnn.library_path")] == ["/cuda", "/cuda", "/cuda/lib64"]
    assert value(theano(files=("/cuda-9/bin/nvcc",), PATH="/a:/cuda-9/bin"), "cuda.root") == "/cuda-9"


def test_unknown_is_not_guessed() -> None:
    """What only the library can try out is Unknown, and says why."""
    for found in (value(theano(), "blas.ldflags"), value(theano(cxx=None), "cxx")):
        assert isinstance(found, Unknown)


@pytest.mark.parametrize(
    ("flags", "exception"),
    [
        ("compiledir_format=%(nope)s", "KeyError"),
        ("compiledir_format=%d", "TypeError"),
        ("base_compiledir=/locked", "ValueError"),
        ("cxx=/no/g++", "AssertionError"),
    ],
)
def test_import_fails_later(flags: str, exception: str) -> None:
    """Theano uses its compiledir and its compiler while it is imported; without a compiler it does not."""
    failure = theano(flags).failure
    assert failure
    assert (failure.kind, failure.exception) == (FailureKind.IMPORT, exception)
    assert "cxx" in flags or theano(f"{flags},cxx=").failure is None


def test_compiled_before() -> None:
    """Where the C code is in the cache, the compiler is not missed."""
    cached = "/h/.theano/compiledir_Linux-6.1-x86_64--3.8.18-64/lazylinker_ext/lazylinker_ext.so"
    assert theano("cxx=/no/g++", files=(cached,)).failure is None


def test_a_compiledir_that_cannot_be_made() -> None:
    """It is refused as a value."""
    failure = theano("compiledir=/locked/x").failure
    assert failure
    assert failure.kind is FailureKind.INVALID_VALUE
