"""Messages of compilers, CPython and NumPy when old code meets newer versions of them."""

from __future__ import annotations

from .model import Cause, Weight, template

_OVER = "run it over PyTensor instead: theanodiag run SCRIPT"
_PIN = "Theano 1.0.5 needs numpy<1.22 and CPython up to 3.8 to compile; or run it over PyTensor: theanodiag run SCRIPT"
_GONE = "Theano 1.0.5 and libraries of its time, on CPython"

MESSAGES = (
    template(
        "longintrepr.h", "No such file|file not found", Cause.PYTHON_TOO_NEW, "CPython 3.11: Include/cpython/longintrepr.h has moved", _PIN
    ),
    template("PyFrameObject", r"has no member named|incomplete type", Cause.PYTHON_TOO_NEW, "CPython 3.11", _PIN),
    template("PyLongObject", r"has no member named", Cause.PYTHON_TOO_NEW, "CPython 3.12: Include/cpython/longintrepr.h", _PIN),
    template("PyThreadState", r"has no member named", Cause.PYTHON_TOO_NEW, "CPython 3.11", _PIN),
    template(
        "cannot import name", r"name '?[A-Z]\w{2,20}'? from '?collections", Cause.PYTHON_TOO_NEW, _GONE, "theanodiag run --fix-numpy SCRIPT"
    ),
    template("module 'collections' has no attribute", "", Cause.PYTHON_TOO_NEW, _GONE, "theanodiag run --fix-numpy SCRIPT"),
    template(
        "module 'inspect' has no attribute",
        r"attribute '(?P<what>\w{1,60})'",
        Cause.PYTHON_TOO_NEW,
        _GONE,
        "theanodiag run --fix-numpy SCRIPT",
    ),
    template("No module named 'distutils'", "", Cause.PYTHON_TOO_NEW, "CPython 3.12", "pip install 'setuptools<70'"),
    template("No module named 'imp'", "", Cause.PYTHON_TOO_NEW, "CPython 3.12", _OVER),
    template(
        "blas_opt_info",
        r"has no attribute|KeyError|not defined|Error",
        Cause.NUMPY_TOO_NEW,
        "Theano 1.0.5, configdefaults.py: numpy.distutils.__config__",
        _PIN,
    ),
    template("No section: 'blas'", "", Cause.NUMPY_TOO_NEW, "Theano 1.0.5, configdefaults.py: numpy.distutils.system_info", _PIN),
    template(
        "module 'numpy' has no attribute",
        r"attribute '(?P<what>\w+)'",
        Cause.NUMPY_TOO_NEW,
        "NumPy 1.24 and 2.0",
        "theanodiag run --fix-numpy SCRIPT",
    ),
    template("module 'numpy.random' has no attribute", r"attribute '(?P<what>\w+)'", Cause.NUMPY_TOO_NEW, "NumPy", _OVER),
    template("No module named 'numpy.distutils'", "", Cause.NUMPY_TOO_NEW, "NumPy 1.26 on CPython 3.12", _PIN),
    template("No module named 'numpy.testing.nosetester'", "", Cause.NUMPY_TOO_NEW, "Theano 0.9, tests/main.py", _PIN),
    template(
        "was removed in the NumPy 2.0 release",
        r"`(?P<what>[\w.]+)` was removed",
        Cause.NUMPY_TOO_NEW,
        "NumPy 2.0",
        "theanodiag run --fix-numpy SCRIPT",
    ),
    template(
        "was a deprecated alias for the builtin",
        r"`(?P<what>[\w.]+)` was a deprecated alias",
        Cause.NUMPY_TOO_NEW,
        "NumPy 1.24",
        "theanodiag run --fix-numpy SCRIPT",
    ),
    template("numpy.dtype size changed", "", Cause.NUMPY_TOO_NEW, "NumPy's C interface", "install all packages anew for one NumPy"),
    template(
        "MKL_THREADING_LAYER=GNU",
        r'(?:MUST|or) set "MKL|GNU in your env',
        Cause.BLAS,
        "Theano 1.0.0 and later, configdefaults.py check_mkl_openmp",
        "export MKL_THREADING_LAYER=GNU",
    ),
    template(
        "mkl-service",
        r"[Ii]nstall mkl-service|Could not import",
        Cause.BLAS,
        "Theano 1.0, configdefaults.py",
        "install mkl-service, or set blas.ldflags",
    ),
    template(
        "cannot find -l", r"cannot find -l(?P<what>[\w.+-]{1,60})", Cause.COMPILER, "ld", "install that library, or correct blas.ldflags"
    ),
    template(
        "library not found for -l",
        r"-l(?P<what>[\w.+-]{1,60})",
        Cause.COMPILER,
        "ld of macOS",
        "install that library, or correct blas.ldflags",
    ),
    template("ld returned 1 exit status", "", Cause.COMPILER, "gcc", "the lines above say what was missing"),
    template("linker command failed with exit code", "", Cause.COMPILER, "clang", "the lines above say what was missing"),
    template("undefined reference to", "", Cause.COMPILER, "ld"),
    template(
        "fatal error: ",
        r"error: '?(?!cudnn)(?P<what>[\w./+-]{1,100}?)'?(?:: No such file or directory| file not found)",
        Cause.COMPILER,
        "gcc and clang",
    ),
    template("invalid active developer path", "", Cause.COMPILER, "xcrun of macOS", "xcode-select --install"),
    template("Python.h: No such file", "", Cause.COMPILER, "gcc", "install the headers of this Python (python3-dev)"),
    template("'memcpy' was not declared in this scope", "", Cause.COMPILER, "glibc 2.23 and nvcc", "nvcc.flags=-D_FORCE_INLINES"),
    template("nvcc return status", "", Cause.COMPILER, "Theano 0.9, sandbox/cuda/nvcc_compiler.py"),
    template(
        "nvcc compiler not found on $PATH", "", Cause.COMPILER, "Theano 0.9, sandbox/cuda/__init__.py", "set cuda.root, or put nvcc on PATH"
    ),
    template("unsupported GNU version", "", Cause.COMPILER, "nvcc", "nvcc.compiler_bindir=/path/to/an/older/gcc"),
    template(
        "Compilation failed (return status=", r"return status=(?P<what>-?\d+)", Cause.COMPILER, "Theano, Aesara and PyTensor, cmodule.py"
    ),
    template("CompileError", "", Cause.COMPILER, "PyTensor, link/c/exceptions.py"),
    template("Problem occurred during compilation with the command line", "", Cause.COMPILER, "Theano, Aesara and PyTensor, cmodule.py"),
    template("You can find the C code in this temporary file", "", Cause.COMPILER, "Theano, Aesara and PyTensor, cmodule.py"),
    template("Version check of the existing lazylinker compiled file", "", Cause.COMPILER, "Theano 1.0, gof/lazylinker_c.py"),
    template("Scan code version mismatch", "", Cause.COMPILER, "Theano-PyMC and Aesara, scan_perform_ext.py"),
    template("g++ not detected", "", Cause.COMPILER, "Theano 1.0.5, configdefaults.py", "install g++", weight=Weight.NOTE),
    template("g++ not available", "", Cause.COMPILER, "Aesara and PyTensor, configdefaults.py", "install g++ (gxx)", weight=Weight.NOTE),
)
