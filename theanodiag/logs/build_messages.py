"""Messages of compilers, linkers and BLAS libraries, and of the programs that call them."""

from __future__ import annotations

from .model import Cause, Weight, template

_AT_LINE = r"[\w./\\:~+-]{1,300}\.(?:cpp|cc|cu|cxx|c|h|hpp|cuh|hh)[:(]\d{1,9}[:)]?(?:\d{1,9}:)?:?\s{0,3}(?:fatal )?error\b"

MESSAGES = (
    template(
        "but you have", r"requires \S[^\n]{1,200}, but you have \S", Cause.LIBRARIES, "pip, after an installation", weight=Weight.NOTE
    ),
    template(
        "MKL_THREADING_LAYER=GNU",
        r'(?:MUST|or|otherwise,) set "?MKL_THREADING_LAYER|GNU" in your',
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
    template("Assembler messages:", "", Cause.COMPILER, "GNU as"),
    template("Type(float", r"\. ', '\[\w[^\n]{0,200}\(<\w+Type", Cause.COMPILER, "Theano, gof/cc.py: the end of a compiler's message"),
    template(
        "Unknown compiler(s)",
        r"Unknown compiler\(s\): \[+'?(?P<what>[\w+-]{1,20})",
        Cause.COMPILER,
        "meson",
        "a package is built from its source, and this machine has no compiler for it (C: gcc; Fortran: gfortran): better a release of it "
        "that has a wheel for this Python and system (a newer one, or a Python of its time), or conda-forge's package",
    ),
    template(
        "error: metadata-generation-failed",
        "",
        Cause.LIBRARIES,
        "pip, for a package whose own build failed",
        "pip builds a package from its source, and its build failed for what the lines above say: a newer release of it that has a wheel "
        "for this Python, a Python of its time, or conda-forge's package (pip install --only-binary :all: NAME finds one)",
        weight=Weight.NOTE,
    ),
    template("MKL_THREADING_LAYER=INTEL is incompatible with", "", Cause.BLAS, "mkl-service", "export MKL_THREADING_LAYER=GNU"),
    template("Intel MKL FATAL ERROR", "", Cause.BLAS, "Intel MKL", "reinstall mkl, or set blas.ldflags to another BLAS"),
    template("INTEL MKL ERROR", "", Cause.BLAS, "Intel MKL", "reinstall mkl, or set blas.ldflags to another BLAS"),
    template(
        "n entry to ",
        r"(?:[Oo]n entry to ?(?P<routine>\w{3,12}) {0,4}parameter number|Parameter \d+ was incorrect on entry to (?P<mkl>\w{3,12}))",
        Cause.BLAS,
        "BLAS and LAPACK (xerbla), MKL",
        "BLAS got an invalid argument: it uses 64-bit integers (ILP64, _64_, mkl_ilp64) instead of 32-bit ones, or two BLAS are in one "
        "process: set blas.ldflags= (empty, NumPy's) or -lopenblas, and clear the cache (theano-cache purge); lengths of 0 and NaN cause "
        "it too",
    ),
    template(
        "OMP: Error #15",
        r"Initializing (?P<what>\w[\w.]{1,40})",
        Cause.LIBRARIES,
        "Intel OpenMP: packages that bring an OpenMP each",
        "two copies of OpenMP are loaded: install all packages from one channel (conda-forge, or all by pip; conda install nomkl); "
        "KMP_DUPLICATE_LIB_OK=TRUE lets the process go on, with results that may be wrong",
    ),
    template(
        "Error compiling Cython file",
        "",
        Cause.COMPILER,
        "Cython, which compiles a package's source",
        "the Cython that is installed is not of the package's time: 'Cython<3' for packages of before 2023 (pygpu, hddm), the "
        "newest one for "
        "newer packages; pip builds with a Cython of its own unless --no-build-isolation is given; better a binary package (conda-forge)",
    ),
    template("blas_thread_init", r"pthread_create failed", Cause.BLAS, "OpenBLAS", "export OPENBLAS_NUM_THREADS=1"),
    template("tried to allocate too many memory regions", "", Cause.BLAS, "OpenBLAS", "export OPENBLAS_NUM_THREADS=1"),
    template(
        "undefined symbol: ",
        r"undefined symbol: (?P<what>\w{0,20}(?:cblas|[sdcz]gemm|[sdcz]gemv|mkl|MKL|omp_|GOMP|ompc|__kmpc|[sdcz]dot)\w{0,60})",
        Cause.BLAS,
        "the dynamic linker",
    ),
    template(
        "cannot find -l",
        r"cannot find -l(?P<what>(?:open)?blas|cblas|f77blas|atlas|lapack|mkl\w*|satlas|tatlas|iomp5|gfortran)\b",
        Cause.BLAS,
        "ld",
    ),
    template(
        "cannot open shared object file",
        r"(?P<what>lib(?:open|c|f77)?(?:blas|mkl|atlas|lapack|gfortran|iomp|satlas|quadmath)[\w.-]{0,40}): cannot open",
        Cause.BLAS,
        "the dynamic linker",
    ),
    template(
        "undefined reference to",
        r"undefined reference to [`'\"](?P<what>(?:cblas_\w+|[sdcz](?:gemm|gemv|ger|dot|axpy|copy|scal|syrk|nrm2|trsm)_|mkl_\w+|MKL_\w+))",
        Cause.BLAS,
        "ld",
    ),
    template("library_dir of the library we use for blas", "", Cause.BLAS, "Theano 0.9, tensor/blas_headers.py", weight=Weight.NOTE),
    template(
        "no lapack/blas resources found",
        "",
        Cause.BLAS,
        "numpy.distutils/system_info.py",
        "install the headers of BLAS and LAPACK (libopenblas-dev)",
    ),
    template(
        "No BLAS/LAPACK libraries found", "", Cause.BLAS, "SciPy, setup.py", "install the headers of BLAS and LAPACK (libopenblas-dev)"
    ),
    template(
        "libraries not found.",
        r"(?:Blas|Lapack|Atlas|BLAS|LAPACK).{0,60} libraries not found\.",
        Cause.BLAS,
        "numpy.distutils/system_info.py",
        weight=Weight.NOTE,
    ),
    template("could not link to a BLAS", "", Cause.BLAS, "Aesara and PyTensor, tensor/blas.py", weight=Weight.NOTE),
    template(
        "Using NumPy C-API based implementation for BLAS",
        "",
        Cause.BLAS,
        "Theano 0.9 and later, tensor/blas.py",
        "set blas.ldflags",
        weight=Weight.NOTE,
    ),
    template("install the header files of BLAS", "", Cause.BLAS, "Theano", weight=Weight.NOTE),
    template("Duplicate MKL", "", Cause.BLAS, "Theano", weight=Weight.NOTE),
    template("cannot find -l", r"cannot find -l(?P<what>[\w.+-]{1,60})", Cause.COMPILER, "ld"),
    template("library not found for -l", r"-l(?P<what>[\w.+-]{1,60})", Cause.COMPILER, "ld of macOS"),
    template("ld returned 1 exit status", "", Cause.COMPILER, "gcc"),
    template("linker command failed with exit code", "", Cause.COMPILER, "clang"),
    template("undefined reference to", "", Cause.COMPILER, "ld"),
    template(
        "fatal error: ",
        r"error: '?(?!cudnn)(?P<what>[\w./+-]{1,100}?)'?(?:: No such file or directory| file not found)",
        Cause.COMPILER,
        "gcc and clang",
    ),
    template("annot open include file", r"include file: '?(?P<what>[\w./\\+-]{1,100})", Cause.COMPILER, "Visual C++"),
    template("invalid active developer path", "", Cause.COMPILER, "xcrun of macOS", "xcode-select --install"),
    template("Python.h: No such file", "", Cause.COMPILER, "gcc"),
    template("'memcpy' was not declared in this scope", "", Cause.COMPILER, "glibc 2.23 and nvcc", "nvcc.flags=-D_FORCE_INLINES"),
    template("nvcc return status", "", Cause.COMPILER, "Theano 0.9, sandbox/cuda/nvcc_compiler.py"),
    template(
        "nvcc compiler not found on $PATH", "", Cause.COMPILER, "Theano 0.9, sandbox/cuda/__init__.py", "set cuda.root, or put nvcc on PATH"
    ),
    template("unsupported GNU version", "", Cause.COMPILER, "nvcc", "nvcc.compiler_bindir=/path/to/an/older/gcc"),
    template("Compilation failed (return status=", "", Cause.COMPILER, "Theano, Aesara and PyTensor, cmodule.py"),
    *(
        template(text, "", Cause.COMPILER, source)
        for text, source in (
            ("bracket nesting level exceeded", "clang: an expression of too many Ops in one Elemwise"),
            ("g++: command not found", "the shell"),
            ("gcc: command not found", "the shell"),
            ("nvcc: command not found", "the shell"),
            ("g++: not found", "the shell"),
            ("nvcc: not found", "the shell"),
            ("nvcc fatal", "nvcc"),
            ("nvcc error", "nvcc"),
            ("recompile with -fPIC", "ld"),
            ("error: command '", "distutils"),
            ("no Fortran compiler found", "numpy.distutils"),
            ("errors detected in the compilation of", "nvcc"),
            ("error detected in the compilation of", "nvcc"),
            ("ptxas fatal", "ptxas"),
            ("ptxas exited with non-zero error code", "XLA"),
            ("Couldn't invoke ptxas", "XLA"),
            ("libdevice.10.bc", "XLA: set XLA_FLAGS=--xla_gpu_cuda_data_dir"),
            ("more undefined references to", "ld"),
            ("No PTX compilation provider is available", "XLA"),
            ("unable to execute 'g", "setuptools"),
            ("unable to execute g", "distutils"),
            ("' failed with exit status", "distutils"),
            ("Unable to find vcvarsall.bat", "distutils"),
            ("Microsoft Visual C++ 14", "setuptools"),
            ("Microsoft Visual C++ 9.0 is required", "distutils"),
            ("Cannot find compiler 'cl.exe' in PATH", "nvcc"),
            ("Cannot open include file", "MSVC, C1083"),
            ("fatal error LNK", "LINK of MSVC"),
            ("ymbol(s) not found for architecture", "ld of macOS"),
            ("Undefined symbols for architecture", "ld of macOS"),
            ("library imit=] is not found", "Theano-PyMC on macOS: a flag was cut at blanks"),
            ("Command line tools are already installed", "xcrun of macOS"),
            ("agree to the Xcode", "xcrun of macOS"),
            ("cc1: error", "gcc"),
            ("no such instruction", "as"),
            ("relocation truncated to fit", "ld"),
            ("file format not recognized", "ld"),
            ("subprocess-exited-with-error", "pip"),
            ("Failed building wheel for", "pip"),
            ("Failed to build installable wheels", "pip 25"),
            ("Build backend failed to", "uv"),
            ("The build backend returned an error", "uv"),
        )
    ),
    template(
        " is not recognized as ",
        r"'(?:[\w./\\:-]{0,200}[/\\])?(?:[gc]\+\+|gcc|clang(?:\+\+)?|nvcc|cl)(?:\.exe)?' is not recognized as (?:an internal or|"
        r"the name of)",
        Cause.COMPILER,
        "the Windows shell",
    ),
    template(": fatal error ", r"(?:nvcc|ptxas|cl|LINK|g\+\+|gcc|cc1plus|clang)(?:\.exe)? ?: fatal error", Cause.COMPILER, "nvcc and MSVC"),
    template("fatal error C1", r"fatal error C1\d{3}: (?!.{0,40}heap)", Cause.COMPILER, "MSVC"),
    template("ld: library", r"ld: (?:library|framework) .{1,100} not found", Cause.COMPILER, "ld of macOS"),
    *(template(anchor, _AT_LINE, Cause.COMPILER, "gcc, clang, nvcc and MSVC") for anchor in (" error: ", "): error C")),
    template(
        "undefined symbol: ",
        r"[/\\]compiledir_[^\s'\"]{1,400}: undefined symbol: (?!\w{0,20}(?:cblas|[sdcz]gemm|[sdcz]gemv|mkl|MKL|omp_|GOMP|ompc|"
        r"__kmpc|[sdcz]dot|cu[A-Z]|cublas|cudnn))(?P<what>\w{1,100})",
        Cause.COMPILER,
        "the dynamic linker, on a module that Theano, Aesara or PyTensor compiled",
    ),
    template(
        "DLL load failed",
        r"Failed to compile [^\n]{1,60}DLL load failed: (?P<what>[^\n]{1,80})",
        Cause.COMPILER,
        "Theano 0.6 to 0.9, sandbox/cuda/__init__.py, on Windows",
    ),
    *(
        template(name, rf"(?:No module named|ImportError).{{0,60}}{name}", Cause.COMPILER, f"Theano, Aesara and PyTensor, {file}")
        for name, file in (("cutils_ext", "cutils.py"), ("lazylinker_ext", "lazylinker_c.py"))
    ),
    template(
        "DLL load failed",
        r"(?s)DLL load failed.{0,100}(?:lazylinker|cutils_ext|scan_perform)",
        Cause.COMPILER,
        "Theano, on Windows",
        "g++ made a module whose own DLLs are not found: put the compiler's bin folder on PATH",
    ),
    template(
        "The following error happened while compiling the node",
        r"node(?![^\n]{0,2000}(?:before assignment|is not defined))",
        Cause.COMPILER,
        "Theano, Aesara and PyTensor",
        weight=Weight.NOTE,
    ),
    template("Can't find libdevice directory", "", Cause.COMPILER, "XLA", weight=Weight.NOTE),
    template(
        "unable to compile c code.",
        r"variable '(?P<what>\w+)' does not contain",
        Cause.COMPILER,
        "Theano, gof/cmodule.py",
        "export the variable that the message names with the folder that it names in front of its value, before Python starts",
    ),
    template("MissingGXX", "", Cause.COMPILER, "Theano, Aesara and PyTensor, cmodule.py", "install g++ (gxx)"),
    template("CompileError", "", Cause.COMPILER, "PyTensor, link/c/exceptions.py"),
    template("Problem occurred during compilation with the command line", "", Cause.COMPILER, "Theano, Aesara and PyTensor, cmodule.py"),
    template("You can find the C code in this temporary file", "", Cause.COMPILER, "Theano, Aesara and PyTensor, cmodule.py"),
    template("Version check of the existing lazylinker compiled file", "", Cause.COMPILER, "Theano 1.0, gof/lazylinker_c.py"),
    template("Scan code version mismatch", "", Cause.COMPILER, "Theano-PyMC and Aesara, scan_perform_ext.py"),
    template("g++ not detected", "", Cause.COMPILER, "Theano 1.0.5, configdefaults.py", "install g++", weight=Weight.NOTE),
    template("g++ not available", "", Cause.COMPILER, "Aesara and PyTensor, configdefaults.py", "install g++ (gxx)", weight=Weight.NOTE),
)
