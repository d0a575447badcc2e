"""TD2: compilers, BLAS and the folders of compiled code."""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, MachineFacts, about, fix
from ...flags.model import Dialect
from ..base import rule
from .examples import config


@rule(
    "TD259",
    "python-code",
    fires=lambda: config(flags="cxx="),
    silent=lambda: config(flags="cxx=/usr/bin/g++"),
)
def python_code(s: ConfigSubject) -> Iterator[Finding]:
    """TD259: operations run as Python code

    What it finds
        Finds `linker=py`, or an empty `cxx` with a linker that needs C code.

    Why it matters
        Every operation runs in numpy and Python. The job is many times slower, and uses no GPU.

    Example
        The file has `cxx =`, written to silence a warning about g++.

    What to do
        Install g++ and remove the line.

    Limits
        PyTensor's Numba and JAX modes need no C compiler.
    """
    compiled_elsewhere = s.text("mode") in ("JAX", "NUMBA", "PYTORCH", "MLX") or s.text("linker") == "auto"
    if s.text("linker") == "py":
        yield about("TD259", Severity.WARNING, s, "linker", "linker=py runs every operation in Python", fix("remove it"))
    elif s.winner("cxx") and not s.text("cxx") and not s.on_gpu and not compiled_elsewhere:
        yield about("TD259", Severity.WARNING, s, "cxx", "without a C++ compiler every operation runs in Python", fix("install g++"))


@rule(
    "TD261",
    "network-compiledir",
    fires=lambda: config("[global]\nbase_compiledir = /net/home/x\n", context=MachineFacts(network_folders=("/net",))),
    silent=lambda: config("[global]\nbase_compiledir = /network\n", context=MachineFacts(network_folders=("/net",))),
)
def network_compiledir(s: ConfigSubject) -> Iterator[Finding]:
    """TD261: compiled code on a network disk

    What it finds
        Finds a folder for compiled code that is on a network file system (NFS, CIFS, Lustre …).

    Why it matters
        The folder contains thousands of small files and a lock. Compiling is slow, and jobs on several machines wait for each other's lock.

    Example
        The home folder is on NFS, and `base_compiledir` has its default.

    What to do
        Set `base_compiledir` to a folder on a local disk, such as `/tmp/%(USER)s/theano`.

    Limits
        The rule recognises a network file system only if the mount table shows it.
    """
    name = "compiledir" if s.winner("compiledir") else "base_compiledir"
    home = s.env("HOME") or "/home/user"
    path = (s.text(name) or f"{home}/.{s.dialect.value}").replace("~", home, 1)
    disk = next((f for f in s.context.network_folders if (path + "/").startswith(f.rstrip("/") + "/")), None)
    if disk:
        message = f"{path} is on a network disk ({disk}): compiling is slow, and jobs wait for each other's lock"
        yield about("TD261", Severity.WARNING, s, name, message, fix(f"set {name} to a local disk"))


@rule(
    "TD262",
    "openmp-alone",
    fires=lambda: config("[global]\nopenmp_elemwise_minsize = 10\n"),
    silent=lambda: config("[global]\nopenmp = True\nopenmp_elemwise_minsize = 10\n"),
)
def openmp_alone(s: ConfigSubject) -> Iterator[Finding]:
    """TD262: openmp_elemwise_minsize without openmp

    What it finds
        Finds `openmp_elemwise_minsize` set while `openmp` is off.

    Why it matters
        Without `openmp`, `openmp_elemwise_minsize` has no effect.

    Example
        The file has `openmp_elemwise_minsize = 200000` in `[global]`, but does not set `openmp`.

    What to do
        Set `openmp = True`, or remove the flag.

    Limits
        None known.
    """
    if s.winner("openmp_elemwise_minsize") and s.text("openmp") is not None and not s.is_on("openmp"):
        message = "openmp is off: this has no effect"
        yield about("TD262", Severity.INFO, s, "openmp_elemwise_minsize", message, fix("write openmp=True", code="openmp=True"))


@rule(
    "TD263",
    "empty-blas",
    fires=lambda: config("[blas]\nldflags =\n"),
    silent=lambda: config("[blas]\nldflags = -lopenblas\n"),
)
def empty_blas(s: ConfigSubject) -> Iterator[Finding]:
    """TD263: no BLAS library

    What it finds
        Finds `blas.ldflags` set to nothing.

    Why it matters
        Without BLAS, C code computes matrix products with numpy, copying the arrays to numpy and back, or with the library's own code. Both
        ways are much slower. At import the library prints "Using NumPy C-API based implementation for BLAS functions."

    Example
        `[blas]` with `ldflags =`.

    What to do
        Write `ldflags = -lopenblas`, or the flags of your BLAS. Without the line the library takes the flags from numpy.

    Limits
        The rule reports nothing for a GPU device. If the library prints this message although `blas.ldflags` is not set, it found no BLAS
        on the machine.
    """
    if s.winner("blas.ldflags") and not s.text("blas.ldflags") and not s.on_gpu:
        code = s.spell("blas.ldflags", "-lopenblas")
        message = "no BLAS library for C code: matrix products are slow (Using NumPy C-API based implementation for BLAS functions)"
        yield about("TD263", Severity.INFO, s, "blas.ldflags", message, fix(f"write {code}", code=code))


@rule(
    "TD264",
    "numpy-and-blas",
    fires=lambda: config(context=MachineFacts(numpy=(1, 22))),
    silent=lambda: config(context=MachineFacts(numpy=(1, 21))),
)
def numpy_and_blas(s: ConfigSubject) -> Iterator[Finding]:
    """TD264: this numpy does not say which BLAS it uses

    What it finds
        Finds Theano 1.0 with numpy 1.22 or later and no `blas.ldflags`.

    Why it matters
        Theano queries `numpy.distutils` in a way that fails with numpy 1.22 and later (NoSectionError: No section: 'blas', KeyError:
        blas_opt_info). The cause is not in your rc file.

    Example
        `import theano` with numpy 1.22 raises NoSectionError.

    What to do
        Set `blas.ldflags`, even to an empty value, or use numpy below 1.22.

    Limits
        The rule reports nothing if theanodiag cannot determine the version of numpy.
    """
    numpy = s.context.numpy
    if s.context.installed and s.dialect is Dialect.THEANO and numpy and numpy >= (1, 22) and not s.winner("blas.ldflags"):
        cause = f"numpy {numpy[0]}.{numpy[1]} does not say which BLAS it uses, but {s.library} queries it"
        message = f"{cause}: the import may fail with NoSectionError 'blas'"
        yield about("TD264", Severity.WARNING, s, "blas.ldflags", message, fix("set blas.ldflags", code="blas.ldflags=-lopenblas"))


@rule(
    "TD265",
    "mkl-threading",
    fires=lambda: config("[blas]\nldflags = -lmkl_rt\n"),
    silent=lambda: config("[blas]\nldflags = -lmkl_rt\n", env=(("MKL_THREADING_LAYER", "GNU"),)),
)
def mkl_threading(s: ConfigSubject) -> Iterator[Finding]:
    """TD265: MKL without a threading layer

    What it finds
        Finds `blas.ldflags` with `-lmkl_rt` if MKL_THREADING_LAYER is not set in the environment.

    Why it matters
        MKL loads Intel's OpenMP in addition to gcc's. Two OpenMP libraries in one process lead to wrong results, or to an error at import
        ("To use MKL 2018 with Theano").

    Example
        `ldflags = -lmkl_rt`.

    What to do
        Run `export MKL_THREADING_LAYER=GNU` in the shell.

    Limits
        Newer versions of numpy with MKL set the variable themselves.
    """
    if "mkl_rt" in (s.text("blas.ldflags") or "") and not s.env("MKL_THREADING_LAYER"):
        shell = "export MKL_THREADING_LAYER=GNU"
        message = "MKL may choose a threading layer that is incompatible with gcc"
        yield about("TD265", Severity.INFO, s, "blas.ldflags", message, fix(shell, code=shell))
