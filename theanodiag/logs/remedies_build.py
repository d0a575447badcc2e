"""Remedies for compilers, linkers and BLAS."""

from __future__ import annotations

from .model import Cause
from .remedy import MACOS, WINDOWS, remedy

_START = (Cause.GPU_NOT_STARTED, Cause.CUDNN_UNAVAILABLE, Cause.LIBRARY_MEMORY)
_PURGE = "clear the cache of compiled modules (theano-cache purge, aesara-cache or pytensor-cache purge) and run again"
_OF_PYTHON = (
    r"Python\.h['\"]?(?:: No such| file not found)|(?:[Cc]annot open include file|fatal error):? '?<?Python\.h|"
    r"pyconfig\.h['\"]?: No such|cannot find -lpython|undefined reference to [`'\"]?(?:_{1,2}imp_{1,2})?_{0,3}Py|"
    r"lazylinker_ext[/\\]mod\.cpp:[^\n]{1,40}undefined reference"
)
"""What a compiler or a linker says without the headers or the library of Python."""

COMPILERS = (
    remedy(
        Cause.COMPILER,
        r"\b(?:g\+\+|gcc|clang(?:\+\+)?)(?:\.exe)?: error: (?P<piece>[A-Za-z0-9][^\s:'\"/]{0,80}(?<!\.cpp)(?<!\.o)(?<!\.c))(?::|[ \t]*$)",
        "{piece} is only a part of a path that contains a space, and the compiler reads it as a whole path: install Python in a folder "
        "without spaces, or set base_compiledir (and gcc.cxxflags) to one, such as C:\\theano",
    ),
    remedy(
        Cause.COMPILER,
        r"(?:-o |compiledir=?)[^\n]{0,40}[^\x00-\x7f][^\n]{0,200}compiledir_",
        "the cache is in a folder whose name is not ASCII, which the compiler does not find: set base_compiledir to one whose name has "
        "only ASCII letters, such as C:\\theano",
    ),
    remedy(
        (Cause.COMPILER, Cause.GPU_NOT_STARTED),
        r"__mempcpy_inline|memcpy['’]? was not declared",
        "CUDA before 8 with glibc 2.23 and later needs -D_FORCE_INLINES: nvcc.flags=-D_FORCE_INLINES",
    ),
    remedy(
        (Cause.COMPILER, Cause.BLAS, Cause.LIBRARIES),
        r"undefined symbol: (?P<name>_gfortran_\w+)",
        "{name} belongs to libgfortran, which this BLAS or LAPACK needs: add -lgfortran to blas.ldflags (blas__ldflags), or use a BLAS "
        "that needs none (conda install -c conda-forge openblas; apt-get install libopenblas-dev); then clear the cache: theano-cache "
        "purge",
    ),
    remedy(
        (Cause.COMPILER, Cause.LIBRARIES),
        r"undefined symbol: (?P<name>_?Py[A-Z]\w+)",
        "{name} belongs to another version of Python, for which the module was compiled: clear the cache (theano-cache purge, "
        "pytensor-cache purge), and reinstall the package that the line names with this Python's pip",
    ),
    remedy(
        (Cause.COMPILER, Cause.GPU_NOT_STARTED),
        r"DLL load failed: (?:The specified module|[^\x00-\x7f])",
        "a DLL of CUDA or of the compiler is not found: put its bin folder (cudart64_*.dll, cublas64_*.dll; m2w64-toolchain) on PATH, "
        "from the release with which the module was compiled",
    ),
    remedy(
        (Cause.COMPILER, Cause.CUDNN_UNAVAILABLE, Cause.GPU_NOT_STARTED),
        r"error: [a-zA-Z]:\\[Uu]sers\\[^\s:\\]{1,60}: No such file|"
        r"[a-zA-Z]:\\[Uu]sers\\[^\\\s'\"]{1,40} [^\\\s:'\"]{1,40}\\[^\n]{0,200}No such file",
        "the compiler gets a path that is cut at the space in the user's name: set TEMP, TMP and base_compiledir to folders without spaces",
    ),
    remedy(
        Cause.COMPILER,
        r"WinError 32|being used by another process",
        "another program, usually a virus scanner, holds the file that the compiler wrote: exempt the temporary folder and the "
        "compiledir from it, end other Python processes, and run again",
    ),
    remedy(
        Cause.COMPILER,
        r"\b[A-Za-z]:[/\\]+(?:[\w. -]{1,40}[/\\]+){0,3}?(?P<name>TDM-GCC[\w-]*|MinGW[\w-]*|mingw64|cygwin\w*|msys\w*|Strawberry|"
        r"[Rr]tools\w*|Dev-Cpp|CodeBlocks)[/\\][^\n'\"]{0,200}\b(?:ld|as|g\+\+|gcc|cc1plus)(?:\.exe)?['\"]?:",
        "a compiler of the system ({name}) is first on PATH: remove its folder from PATH, and install conda's compiler in the "
        "environment: conda install -c conda-forge m2w64-toolchain (libpython for Theano)",
    ),
    remedy(
        Cause.COMPILER,
        r"(?:LNK1104: cannot open file|cannot open output file) ['\"]?[^\s'\"]{0,160}?(?P<name>[\w-]{1,60}\.\w{1,5})['\"]?(?:\s|:|$)",
        "a Python process that still runs holds {name}: end it (restart the notebook's kernel), then clear the cache: theano-cache purge",
    ),
    remedy(
        Cause.COMPILER,
        r"(?:PermissionError|Permission denied|Access is denied|WinError 5)[^\n]{0,200}",
        "a file of the cache cannot be written: end other Python processes, make yourself the owner of the folder, or set "
        "base_compiledir to another one",
    ),
    remedy(
        Cause.COMPILER,
        r"(?P<header>cuda_runtime\.h|cublas\w*\.h|cuda\.h|curand\w*\.h|cudnn\.h)",
        "the compiler does not find {header}: set cuda.root (cuda__root) to CUDA's folder, or export CPATH=/usr/local/cuda/include "
        "(nvcc.flags=-I/usr/local/cuda/include)",
    ),
    remedy(
        Cause.COMPILER,
        r"compiling the node', ?(?:_?Gpu|_Dropout|_RNN)\w*",
        "a node of the GPU back-end does not compile: Theano, pygpu with libgpuarray, and cuDNN must be compatible releases (Theano "
        "1.0.5, pygpu 0.7.6, cuDNN 5 to 7); update them together and clear the cache (theano-cache purge), or set dnn.enabled=False",
    ),
    remedy(
        (Cause.COMPILER, Cause.COMPILE_LOCK, Cause.FILE_ACCESS),
        r"(?:FileExistsError|Errno 17\])[^\n]*(?:compiledir|lazylinker|\.theano|\.pytensor|\.aesara)",
        "processes that start together create the same folder of the cache: give each a base_compiledir (THEANO_FLAGS, PYTENSOR_FLAGS), "
        "or let one run alone fill the cache first",
    ),
    remedy(
        Cause.COMPILER,
        r"'(?P<name>\w+)' does not contain the '(?P<folder>[^'\n]{1,300})' path",
        "export {name}={folder}:${name} before Python starts, so that the library of this Python is found there",
    ),
    remedy(
        Cause.COMPILER,
        r"bracket nesting level",
        "allow clang deeper nesting: gcc.cxxflags=-fbracket-depth=1024 (gcc__cxxflags in Aesara and PyTensor), or split the expression",
    ),
    remedy(
        Cause.COMPILER,
        r"-(?P<name>ld64\b|ld_classic)",
        "only some releases of Apple's linker know -{name}: install one with xcode-select --install (update Xcode's tools), or install a "
        "complete compiler with conda: conda install -c conda-forge pytensor clang_osx-64 ld64",
    ),
    remedy(
        Cause.COMPILER,
        r"stdlibc\+\+ headers not found|pass '-stdlib=libc\+\+'|-stdlib=libstdc\+\+",
        "this macOS has no libstdc++, but this Python is configured to build extensions with it: export MACOSX_DEPLOYMENT_TARGET=10.9 "
        "CFLAGS=-stdlib=libc++ before pip install",
    ),
    remedy(
        Cause.COMPILER,
        r"'(?P<header>[a-z_]{3,20}|(?:std\w+|math|wchar|string|limits|assert|unistd)\.h)' file not found",
        "clang does not find the SDK's {header}: export SDKROOT=$(xcrun --show-sdk-path), or add it to gcc__cxxflags: -isysroot SDK -I "
        "SDK/usr/include/c++/v1; xcode-select --install installs the SDK",
    ),
    remedy(
        Cause.COMPILER,
        r"[/\\]c\+\+[/\\]v1[/\\][^\n]{0,200}?\berror: ",
        "Apple's C++ headers and the SDK are from different releases: reinstall the command line tools (xcode-select --install), export "
        "SDKROOT=$(xcrun --show-sdk-path); or use conda's compiler (conda install -c conda-forge clangxx)",
    ),
    remedy(
        Cause.COMPILER,
        r"unsupported tapi file type|tapi-tbd",
        "conda's linker is older than Apple's SDK: conda install -c conda-forge ld64 cctools clangxx (their newest releases), or use "
        "Apple's own compiler: cxx=/usr/bin/clang++ in THEANO_FLAGS, AESARA_FLAGS or PYTENSOR_FLAGS",
    ),
    remedy(
        Cause.COMPILER,
        r"\bld: is not found|\bld: (?:command )?not found|cannot find '?ld'?|unable to execute '?ld\b",
        "the compiler finds no linker (ld): conda install -c conda-forge gxx, or apt-get install g++ binutils",
    ),
    remedy(
        Cause.COMPILER,
        r"invalid active developer path|xcrun|Xcode|[Cc]ommand line tools|-lSystem\b",
        "reinstall Apple's command line tools, as after every macOS update: xcode-select --install; accept the licence of Xcode",
    ),
    remedy(
        Cause.COMPILER,
        r"narrowing|non-constant-expression cannot be narrowed",
        "allow narrowing conversions: gcc.cxxflags=-Wno-c++11-narrowing (gcc__cxxflags in Aesara and PyTensor)",
    ),
    remedy(
        Cause.COMPILER,
        r"[Uu]nsupported gpu architecture '?(?P<arch>\w+)|Value '(?P<value>sm_\d+)' is not defined|nvcc fatal[^\n]{0,60}(?:compute|sm)_\d+",
        "this nvcc does not compile for this card's architecture: set nvcc.flags=-arch=sm_XX to one that both support, or use another CUDA",
    ),
    remedy(
        Cause.COMPILER,
        r"unsupported GNU version|gcc versions later than|#error:? +-- unsupported(?! Microsoft)|host_config\.h(?![^\n]*Microsoft)",
        "nvcc accepts only older compilers: set nvcc.compiler_bindir=/usr/bin/gcc-X, to the newest gcc that its CUDA supports, or "
        "install a newer CUDA toolkit",
    ),
    remedy(
        Cause.COMPILER,
        r"upported (?:version of )?Microsoft Visual Studio(?: version)?[.!] Only the versions (?P<versions>[\w, ()]{4,60}) are supported",
        "this CUDA accepts the compiler of Visual Studio {versions}: install one of them, with C++, and put the folder of its cl.exe on "
        "PATH (nvcc.compiler_bindir)",
    ),
    remedy(
        Cause.COMPILER,
        r"cl\.exe|vcvarsall|Visual (?:C\+\+|Studio)(?! version!)",
        "install the Visual C++ that this CUDA or Python names and put its folder with cl.exe on PATH (nvcc.compiler_bindir); "
        "for packages of pip: Microsoft C++ Build Tools, or the package from conda-forge",
    ),
    remedy(
        Cause.COMPILER,
        r"undefined symbol: (?P<symbol>_Z(?:d[la]P|n[wa][mj]|NSt|St|T[VI])\w*|__cxa_\w+|__gxx_\w+)",
        "{symbol} belongs to the C++ runtime: the libstdc++ that Python loads is older than g++, or from another source: install both "
        "from the same one (conda install -c conda-forge gxx libstdcxx-ng; or the system's Python with its g++), then clear the cache "
        "(theano-cache purge)",
    ),
    remedy(
        Cause.COMPILER,
        r"lib(?P<library>stdc\+\+|gcc\w*|mingw\w*|supc\+\+)\.a\([^)\n]{1,80}\)[^\n]{0,200}undefined reference",
        "the compiler's own lib{library} does not link: toolchains are mixed, or this one is broken: keep one g++ on PATH and reinstall it",
    ),
    remedy(
        Cause.COMPILER,
        r"does not define (?:init|module export)\w* function|undefined symbol: init\w+",
        "a module in the cache is broken: clear it (theano-cache purge), and update Theano to 1.0.5",
    ),
    remedy(
        Cause.COMPILER,
        r"no such instruction|invalid register for|[Aa]ssembler messages|operand (?:type|size) mismatch|suffix or operands",
        "the assembler is older than the processor: install newer binutils, or gcc.cxxflags=-march=core2 (gcc__cxxflags=-march=x86-64)",
    ),
    remedy(
        (Cause.LIBRARIES, Cause.COMPILER),
        r"(?P<library>lib[\w+-]+\.so[\w.]*): cannot open shared|Library not loaded: (?:[^\n]{0,200}/)?(?P<dylib>lib[\w.+-]+\.dylib)",
        "{library}{dylib} is not installed, or its folder is not searched: find / -name '{library}{dylib}*' finds it; export "
        "LD_LIBRARY_PATH=THAT_FOLDER:$LD_LIBRARY_PATH (macOS: DYLD_FALLBACK_LIBRARY_PATH) before Python starts, or install the package "
        "that has it (Debian: apt-file search {library}{dylib})",
    ),
    remedy(
        Cause.LIBRARIES,
        r"(?P<library>[\w.+-]+\.so[\w.]*): undefined symbol: (?P<symbol>(?!_Z|Py|_Py|GOMP|omp_|mkl_|cblas_)\w{1,80})",
        "{library} lacks {symbol}, or was built against a library that has it: build and install it again, and its Python package with "
        "it, after removing the old files of both",
    ),
    remedy(
        (Cause.COMPILER, Cause.BLAS),
        r"(?P<library>lib[\w+-]+\.so[\w.]*):? undefined reference to [`'\"]?\w+@(?P<release>GLIBC_[\d.]*\d)",
        "{library} needs a newer C library ({release}) than the compiler links with: use both from one place, that is conda's compiler "
        "with conda's BLAS (conda install -c conda-forge openblas libblas), or cxx=/usr/bin/g++ with the system's; an empty blas.ldflags "
        "(blas__ldflags) uses NumPy's instead",
    ),
    remedy(
        Cause.LIBRARY_FAULT,
        r"happened while compiling the node', (?P<op>[^,(\n]{1,80})",
        "Theano's own code failed while it compiled {op}: install its newest release, and clear the cache: theano-cache purge",
    ),
    remedy(
        Cause.COMPILER,
        r"No module named '?(?P<module>\w+_ext)\b",
        "{module} is compiled when the library is first imported, which needs a C++ compiler: conda install -c conda-forge cxx-compiler "
        "(apt-get install g++, xcode-select --install, on Windows conda install m2w64-toolchain)",
    ),
    remedy(
        Cause.COMPILER,
        r"recompile with -fPIC|relocation R_X86_64",
        "Python or a library was not built as a shared library: use one that was (pyenv: PYTHON_CONFIGURE_OPTS=--enable-shared; or "
        "conda's)",
    ),
    *(
        remedy(Cause.COMPILER, _OF_PYTHON, f"the headers or the library of this Python are missing: {install}", where)
        for where, install in (
            (
                rf"{WINDOWS}|\b_{{1,2}}imp_",
                "conda install libpython m2w64-toolchain, in an environment whose Python is conda's too; then theano-cache purge",
            ),
            (
                rf"{MACOS}|(?i:conda|mamba|miniforge)|[/\\]envs[/\\]",
                "they come with Python: conda install --force-reinstall python; without conda, reinstall Python from python.org, "
                "Homebrew or pyenv (PYTHON_CONFIGURE_OPTS=--enable-shared)",
            ),
            (
                r"\A(?![\s\S]*[Pp]ython ?3)[\s\S]*(?:[Pp]ython ?2\.\d|-2\.[67]\.\d{1,2}-(?:64|32)\b)",
                "apt-get install python-dev, from Ubuntu 20.04 on python2-dev (dnf: python2-devel)",
            ),
            (
                "",
                "apt-get install python3-dev (dnf: python3-devel), for a Python other than the system's, its own package "
                "(python3.11-dev); in conda they come with Python: conda install --force-reinstall python",
            ),
        )
    ),
    remedy(
        Cause.COMPILER,
        r"error: ['‘](?P<name>(?:GA_|[gG]pu)\w+)['’] (?:undeclared|(?:was|has) not (?:been )?declared)",
        "{name} is not in the headers of libgpuarray that the compiler found: they are of another release than pygpu or Theano; remove all "
        "of libgpuarray and pygpu (find / -name 'gpuarray*'), and install both in one release (conda install -c conda-forge pygpu)",
    ),
    remedy(
        Cause.COMPILER,
        r"unrecognized (?:command[- ]line )?option ['\"‘“]?(?P<option>-[\w+=-]+)|unknown argument: ?'?(?P<argument>-[\w+=-]+)|"
        r"unsupported (?:argument|option) '?(?P<other>-[\w+=-]+)",
        "the compiler does not know {option}{argument}{other}: remove it from gcc.cxxflags (gcc__cxxflags); if the library itself passes "
        "it, use the newest release of the library, or another compiler; for -march: gcc.cxxflags=-march=x86-64",
    ),
    remedy(
        Cause.COMPILER,
        r"annot open include file: '?(?P<header>[\w./\\+-]{1,80})",
        "Visual C++ does not find {header}: install the Windows SDK with Visual Studio's C++ (Build Tools, 'Desktop development with "
        "C++'), and start Python from its 'x64 Native Tools' prompt, which sets INCLUDE and LIB",
    ),
    remedy(
        Cause.COMPILER,
        r"fatal error: ['<\"]?(?P<header>[A-Za-z][\w./+-]{1,80}?)['>\"]?(?:: No such file| file not found)",
        "the compiler does not find {header}: install the library that has it, or name its folder (CPATH, gcc.cxxflags=-I, "
        "gcc__cxxflags); a package cloned from git may lack its submodules (git submodule update --init)",
        alone=True,
    ),
    remedy(
        Cause.COMPILER,
        r"key not in self\.keys|\badd_key\b",
        "several processes or threads compile into the same cache: give each job a base_compiledir, and do not compile in threads",
    ),
    remedy(
        Cause.COMPILER,
        r"g\+\+ not (?:detected|available)|(?:g\+\+|gcc|cc)(?:: command)? not found|MissingGXX|not recognized as an internal|"
        r"unable to execute '?[\w./-]*(?:[gc]\+\+|gcc|cc|clang)'?:|"
        r"(?:FileNotFoundError|OSError)[^\n]{0,60}No such file or directory(?:: '(?P<program>[^'\n]{0,120}?(?:[gc]\+\+|gcc|cc|"
        r"clang)[\d.-]{0,6})'|\s*$)",
        "there is no C++ compiler ({program}); install one: apt-get install g++, conda install -c conda-forge gxx (Windows: "
        "m2w64-toolchain, and its folder Library\\mingw-w64\\bin on PATH; macOS: xcode-select --install); without a compiler, cxx= "
        "(empty) runs everything in Python, slowly",
    ),
    remedy(
        (Cause.COMPILER, *_START),
        r"nvcc(?:: command)? not found|nvcc compiler not found|nvcc\.exe|nvcc was not found",
        "put CUDA's bin folder, with nvcc, on PATH, or set cuda.root to CUDA's folder",
    ),
    remedy(
        Cause.COMPILER,
        r"libdevice|cuda_data_dir",
        "XLA does not find CUDA's libdevice: XLA_FLAGS=--xla_gpu_cuda_data_dir=/usr/local/cuda, or pip install nvidia-cuda-nvcc-cu12",
    ),
    remedy(
        Cause.COMPILER,
        r"ptxas",
        "put the ptxas of the CUDA that jaxlib was built for on PATH (pip install nvidia-cuda-nvcc-cu12), and no older one",
    ),
    remedy(
        Cause.COMPILER,
        r"(?:ld|LINK|linker|library)[^\n]{0,80}(?:cannot find|not found for|"
        r"cannot open input file) ?['\"]?(?!-ld64)-?l?(?P<library>[\w.+-]{1,60})",
        "the linker does not find {library}: install it, or remove it from blas.ldflags (blas__ldflags)",
    ),
    remedy(
        Cause.COMPILER,
        r"no Fortran compiler found|Unknown compiler\(s\): \[\['?gfortran",
        "its source is Fortran: install gfortran (apt-get install gfortran, brew install gcc, conda install -c conda-forge "
        "fortran-compiler), or install a release with a wheel for this Python, or conda-forge's package",
    ),
    remedy(
        Cause.COMPILER,
        r"Failed building wheel|subprocess-exited-with-error|error: command '[^'\n]{1,80}' failed|setup\.py",
        "install a binary package (from conda-forge, or a release with a wheel for this Python) instead of building it",
    ),
    remedy(
        Cause.COMPILER,
        r"[/\\](?:theano|aesara|pytensor)[/\\][^\n]{0,200}\.(?:c|cc|cpp|cu|h|cuh)[:(]\d+[^\n]{0,20}error|"
        r"\bmod\.(?:cpp|cu)[:(]\d+[^\n]{0,20}\b(?<!fatal )error: (?!bracket)",
        "C code of the library itself does not compile with this compiler: update the library, or use a compiler as old as the library "
        "(an older gcc, clang or Visual C++), then clear the cache of compiled modules",
    ),
    remedy(
        Cause.COMPILER,
        r"Don't know what to do with '(?P<piece>[^'\n]{1,100})",
        "nvcc was given {piece}, which is not an option: a path or flag was cut at a space, in nvcc.flags, gcc.cxxflags or Python's own "
        "link flags; correct it, or update Theano",
    ),
    remedy(
        Cause.COMPILER,
        r"",
        "on Windows use conda's compiler: conda install m2w64-toolchain libpython (Theano), or conda-forge's pytensor, with no other g++ "
        "on PATH; then clear the cache: theano-cache purge",
        WINDOWS,
    ),
    remedy(
        Cause.COMPILER,
        r"",
        "on macOS reinstall the command line tools, as after every update: xcode-select --install; then clear the cache of "
        "compiled modules",
        MACOS,
        alone=True,
    ),
    remedy(
        Cause.COMPILER,
        r"Failed to compile cuda_ndarray\.cu: \('nvcc return status'",
        "nvcc failed, and its own message is not in this log: run the command after 'for cmd' by hand; usually gcc is too new for this "
        "CUDA (nvcc.compiler_bindir=/usr/bin/gcc-X), or CUDA is not found (cuda.root)",
        alone=True,
    ),
    remedy(
        Cause.COMPILER,
        r"[Mm]odule '?\w+'? has no attribute|partially initialized",
        "the missing attribute is a consequence: the import stopped where the compiler failed; after you have fixed that, reinstall the "
        "library (pip install --force-reinstall)",
    ),
    remedy(
        Cause.COMPILER,
        r"Version check of the existing(?![\s\S]*CompileError\s)|code version mismatch|lazylinker|scan_perform|cutils|inplace_incr|"
        r"run_cthunk",
        _PURGE,
    ),
)
"""Remedies if a compiler or linker failed."""

BLAS = (
    remedy(
        Cause.BLAS,
        r"libmkl\w*\.\w+: undefined symbol: (?P<symbol>omp_\w+|__kmpc_\w+)",
        "MKL does not find {symbol}, which belongs to OpenMP: export MKL_THREADING_LAYER=GNU (or SEQUENTIAL), or reinstall mkl and "
        "intel-openmp from one channel",
    ),
    remedy(
        Cause.BLAS,
        r"(?:cannot find -l|library not found for -l|lib)(?P<library>open|mkl\w*|cblas|f77|atlas|satlas|lapack)",
        "install the BLAS that is named (conda install -c conda-forge blas openblas; apt-get install libopenblas-dev), or set "
        "blas.ldflags (blas__ldflags) to one that is installed; empty uses NumPy's",
    ),
    remedy(
        Cause.BLAS,
        r"in _?ldflags(?:\(|\s)[\s\S]{0,1000}(?:No such file or directory|cannot find the path[^\n]{0,20}): '(?P<folder>[^'\n]{1,300})'",
        "{folder}, a folder of blas.ldflags (blas__ldflags), does not exist: name an installed BLAS, such as -lopenblas; empty uses "
        "NumPy's",
    ),
    remedy(
        Cause.NUMPY_TOO_NEW,
        r"numpy[\w.]*__config__|blas_opt_info",
        "this PyTensor is older than its NumPy: upgrade pymc and pytensor together, or install 'numpy<1.26', in a new environment",
        r"\bpytensor[/\\]",
    ),
    remedy(
        Cause.NUMPY_TOO_NEW,
        r"blas_opt_info|No section: 'blas'|blas\.ldflags|blas__ldflags|__config__",
        "Theano queries NumPy's BLAS in a way that newer releases do not support: pip install 'numpy<1.22', or name the BLAS: "
        "blas.ldflags=-lopenblas (empty: NumPy's own)",
    ),
    remedy(
        Cause.BLAS,
        r"Using NumPy C-API",
        "only speed is affected: set blas.ldflags=-lopenblas (blas__ldflags), or conda install mkl-service",
    ),
)
"""Remedies if BLAS cannot be used."""
