"""Messages of old code under a newer CPython or NumPy, and of libraries that are missing or have incompatible versions."""

from __future__ import annotations

from .model import Cause, Weight, template

_OVER = "run it on PyTensor instead: theanodiag run SCRIPT"
_FIX = "theanodiag run --fix-numpy SCRIPT restores the names that newer releases of Python and NumPy removed"
_GONE = "Theano 1.0.5 and libraries of its time, on CPython"
_TWO = "code for Python 2, on Python 3"
_LIBRARIES = (
    r"(?:theano|aesara|pytensor|pymc3?|arviz|bambi|keras|tensorflow|lasagne|nolearn|jax|jaxlib|numba|llvmlite|scipy|pandas|xarray|sklearn|"
    r"skimage|matplotlib|pygpu|pylearn2|blocks|torch|numpyro|blackjax|nutpie|flax|optax|chex|haiku|h5py|PIL|networkx|IPython|"
    r"typing_extensions|"
    r"markupsafe|jinja2|tensorflow_probability|exoplanet|pymc_ext|gempy|pandas_datareader|cachetools|filelock|cons|etuples|unification)"
)

MESSAGES = (
    template(
        "panicked at",
        r"^thread '[^'\n]{1,80}'(?: \(\d{1,9}\))? panicked at (?:[^\n]*[/\\](?P<what>[a-z][\w-]{0,40})-\d)?",
        Cause.LIBRARY_FAULT,
        "Rust's standard library, in nutpie, polars and others",
        "Rust code failed on something unexpected: install the newest release of the package that contains it (nutpie for nuts-rs), or "
        "use another back-end; RUST_BACKTRACE=1 shows where",
        weight=Weight.NOTE,
    ),
    template(
        "has no attribute",
        r"AttributeError: module '(?P<what>[a-z_]\w{0,60}(?:\.\w{1,60}){1,6})' has no attribute '",
        Cause.LIBRARIES,
        "CPython, on a part of a package",
    ),
    template(
        "but you are importing PyMC",
        "",
        Cause.LIBRARIES,
        "PyMC 4, __init__.py",
        "pip uninstall the one that it names, or use an environment of its own for each",
        weight=Weight.NOTE,
    ),
    template(
        "legacy version PyMC3",
        "",
        Cause.LIBRARIES,
        "PyMC 4, __init__.py",
        "pip uninstall pymc3, or use an environment of its own for each",
        weight=Weight.NOTE,
    ),
    template(
        "RuntimeWarning: ",
        r"quadpotential\.py:\d+: RuntimeWarning: (?:divide by zero|invalid value)",
        Cause.ZERO_GRADIENT,
        "PyMC3 and PyMC, step_methods/hmc/quadpotential.py",
        weight=Weight.NOTE,
    ),
    template("longintrepr.h", "No such file|file not found", Cause.PYTHON_TOO_NEW, "CPython 3.11: Include/cpython/longintrepr.h has moved"),
    template("PyFrameObject", r"has no member named|incomplete type", Cause.PYTHON_TOO_NEW, "CPython 3.11"),
    template(
        "member named",
        r"no member named '?‘?(?P<what>exc_type|exc_value|exc_traceback|curexc_\w+|f_code|f_lasti|f_localsplus|f_back|use_tracing|tracing|"
        r"recursion_depth|tp_print|ob_digit|co_lnotab|co_\w+|ob_shash|ob_sval)\b",
        Cause.PYTHON_TOO_NEW,
        "Cython's C code, on a newer CPython",
    ),
    template(
        "too many arguments to function",
        r"_PyCFunctionFast|code_new|PyCode_New",
        Cause.PYTHON_TOO_NEW,
        "Cython's C code, on a newer CPython",
    ),
    template(
        "member named",
        r"PyArray_Descr.{0,40}no member named|no member named '?‘?(?P<what>elsize|subarray|f|c_metadata)'?’? in '?‘?(?:struct )?_?PyArray_",
        Cause.NUMPY_TOO_NEW,
        "NumPy 2.0, ndarraytypes.h",
    ),
    template("npy_3kcompat.h", "No such file|not found", Cause.NUMPY_TOO_NEW, "NumPy 2.0"),
    template("_ARRAY_UPDATEIFCOPY", "not declared|undeclared", Cause.NUMPY_TOO_NEW, "NumPy 1.23"),
    template("cannot import name", r"name '?(?P<what>[A-Z]\w{2,20})'? from '?collections", Cause.PYTHON_TOO_NEW, _GONE, _FIX),
    template("cannot import name", r"name '?gcd'? from '?fractions", Cause.PYTHON_TOO_NEW, _GONE, _FIX),
    template(
        "has no attribute",
        r"module '?(?:collections|configparser|fractions|time|imp|inspect|string|types|base64|asyncio|importlib|pkgutil|typing|html|os|sys|"
        r"xml\.etree\.\w+|unittest|locale|platform|gettext|array|thread(?:ing)?)'? has no attribute '(?P<what>\w{1,60})'",
        Cause.PYTHON_TOO_NEW,
        _GONE,
        _FIX,
    ),
    template("Cannot install on Python version", r"version (?P<what>[\d.]*\d)", Cause.PYTHON_TOO_NEW, "setup.py of numba and llvmlite"),
    template(
        "requires a different Python",
        r"different Python: (?P<what>[\d.]*\d)(?= not in '[^'<\n]*')",
        Cause.LIBRARIES,
        "pip: for a newer one",
    ),
    template(
        "requires a different Python", r"different Python: (?P<what>[\d.]*\d)(?![\d.]| not in '[^'<\n]*')", Cause.PYTHON_TOO_NEW, "pip"
    ),
    template("Python requirement", r"not compatible with some of the required packages", Cause.PYTHON_TOO_NEW, "poetry"),
    template("No module named", r"No module named '?distutils", Cause.PYTHON_TOO_NEW, "CPython 3.12"),
    template(
        "No module named",
        r"No module named '?(?:imp|asynchat|asyncore|pipes|cgi|crypt)'?\s*$",
        Cause.PYTHON_TOO_NEW,
        "CPython 3.12 and 3.13",
        _OVER,
    ),
    template(
        "No module named",
        r"No module named '?(?P<what>cPickle|urllib2|ConfigParser|Queue|StringIO|cStringIO|Tkinter|HTMLParser|httplib|urlparse|copy_reg|"
        r"__builtin__|commands|cookielib|SocketServer|itertools\.izip)\b",
        Cause.PYTHON_TOO_NEW,
        _TWO,
        "theanodiag port --python2to3 converts it to Python 3",
    ),
    template(
        "is not defined",
        r"NameError: (?:global )?name '(?P<what>xrange|unicode|raw_input|basestring|unichr|reload|execfile|izip|cmp)' is not defined",
        Cause.PYTHON_TOO_NEW,
        _TWO,
        "theanodiag port --python2to3 converts it to Python 3",
    ),
    template("Missing parentheses in call to", "", Cause.PYTHON_TOO_NEW, _TWO, "theanodiag port --python2to3 converts it to Python 3"),
    template(
        "has no attribute",
        r"'(?:dict|str|bytes)' object has no attribute '(?P<what>iteritems|itervalues|iterkeys|has_key|decode)'",
        Cause.PYTHON_TOO_NEW,
        _TWO,
        "theanodiag port --python2to3 converts it to Python 3",
    ),
    template(
        "has no attribute",
        r"module ['`]?numpy(?:\.[\w.]{1,60})?['`]? has no attribute ['`]?(?P<what>\w{1,60})",
        Cause.NUMPY_TOO_NEW,
        "NumPy 1.24 and 2.0",
    ),
    template("cannot import name", r"cannot import name '?(?P<what>\w{1,60})'? from '?numpy", Cause.NUMPY_TOO_NEW, "NumPy 1.24 and 2.0"),
    template("No module named", r"No module named '?(?P<what>numpy\.(?!_?core\b|[\w.]+' in )[\w.]{1,80})", Cause.NUMPY_TOO_NEW, "NumPy"),
    template(
        "was a deprecated alias for the builtin", r"`(?P<what>[\w.]+)` was a deprecated alias", Cause.NUMPY_TOO_NEW, "NumPy 1.24", _FIX
    ),
    template("numpy boolean subtract", "", Cause.NUMPY_TOO_NEW, "NumPy 1.13", _FIX),
    template(
        "cannot be safely interpreted as an integer",
        r"float\d{0,3}'?>? cannot be safely",
        Cause.NUMPY_TOO_NEW,
        "NumPy 1.18",
        "make the length an int",
    ),
    template("has an inhomogeneous shape after", "", Cause.NUMPY_TOO_NEW, "NumPy 1.24", "pass dtype=object, or arrays of equal length"),
    template(
        "cannot be loaded when allow_pickle=False",
        "",
        Cause.NUMPY_TOO_NEW,
        "NumPy 1.16.3",
        "numpy.load(..., allow_pickle=True) for a file that you trust",
    ),
    template(
        "compiled using NumPy 1.x cannot be run in",
        "",
        Cause.NUMPY_TOO_NEW,
        "NumPy 2.0",
        "install numpy<2, or newer releases of the libraries",
    ),
    template(
        "size changed, may indicate binary incompatibility",
        r"^(?!.{0,200}Warning)",
        Cause.LIBRARIES,
        "NumPy's C interface",
        "reinstall all packages for one NumPy",
    ),
    template("has the wrong size, try recompiling", "", Cause.LIBRARIES, "Cython, on a module in C that was built for another NumPy"),
    template(
        "module compiled against A",
        r"compiled against A[PB]I version (?P<what>\w{1,20})",
        Cause.LIBRARIES,
        "NumPy's C interface",
        "reinstall all packages for one NumPy",
    ),
    template("multiarray failed to import", "", Cause.LIBRARIES, "NumPy's C interface", "reinstall all packages for one NumPy"),
    template("numpy.core.umath failed to import", "", Cause.LIBRARIES, "NumPy's C interface", "reinstall all packages for one NumPy"),
    template("IMPORTANT: PLEASE READ THIS FOR ADVICE ON HOW TO SOLVE THIS ISSUE", "", Cause.LIBRARIES, "NumPy, core/__init__.py"),
    template("Numba needs NumPy", r"Numba needs NumPy (?P<what>[\w. ]{1,30})", Cause.LIBRARIES, "numba, __init__.py"),
    *(
        template(f"has no attribute {name}", "", Cause.LIBRARIES, "PyMC3 3.11 with a Theano that is not Theano-PyMC 1.1.2")
        for name in ("'gcc__cxxflags'", "'blas__ldflags'", "'gcc.cxxflags'")
    ),
    template(
        "has no attribute",
        r"AttributeError: (?:partially initialized )?(?:module )?'?(?P<what>" + _LIBRARIES + r"(?:\.[\w.]{1,80})?)'? has no attribute",
        Cause.LIBRARIES,
        "CPython",
    ),
    template(
        "cannot import name",
        r"cannot import name '?[\w.]{1,60}'? from (?:partially initialized module )?'?(?P<what>" + _LIBRARIES + r"(?:\.[\w.]{1,80})?)\b",
        Cause.LIBRARIES,
        "CPython",
    ),
    template(
        "No module named",
        r"(?:ImportError|ModuleNotFoundError): No module named '?(?P<what>(?!\w+_ext\b)[A-Za-z_][\w.]{0,100})",
        Cause.LIBRARIES,
        "CPython",
        weight=Weight.NOTE,
    ),
    template("No module named", r"No module named '?(?P<what>" + _LIBRARIES + r"(?:\.[\w.]{1,80})?)\b", Cause.LIBRARIES, "CPython"),
    template(
        "cannot open shared object file",
        r"(?P<what>lib(?!cu(?:blas|dart|dnn|rand|fft|da|solver|sparse|pti)|nv|gpuarray)[\w.+-]{1,60}): cannot open",
        Cause.LIBRARIES,
        "the dynamic linker",
        weight=Weight.NOTE,
    ),
    template("wrong architecture", r"mach-o, but wrong architecture", Cause.LIBRARIES, "the dynamic linker of macOS"),
    template("VersionConflict", "", Cause.LIBRARIES, "setuptools"),
    template("No matching distribution found for", "", Cause.LIBRARIES, "pip"),
    template(
        "PackagesNotFoundError",
        r"(?s)PackagesNotFoundError: .{1,120}?\n\s+- (?P<what>[\w.=<>-]{1,60})",
        Cause.LIBRARIES,
        "conda",
        "conda install -c conda-forge: the default channels do not have it; else use pip, or another release of Python",
    ),
    template(
        "externally-managed-environment",
        "",
        Cause.LIBRARIES,
        "pip, in the Python of a system",
        "python3 -m venv ~/env, then ~/env/bin/pip install: a virtual environment (or conda's) of your own",
    ),
    template("ResolutionImpossible", "", Cause.LIBRARIES, "pip"),
    *(
        template(text, "", Cause.LIBRARIES, source)
        for text, source in (
            ("UnsatisfiableError", "conda"),
            ("UnsatisfiableSpecifications", "conda 4"),
            ("specifications were found to be in conflict", "conda"),
            ("Unsatisfiable package specifications", "conda before 4"),
            ("Could not solve for environment specs", "mamba and micromamba"),
            ("ResolvePackageNotFound", "conda"),
            ("nothing provides ", "conda, mamba and their solvers"),
            ("version solving failed", "poetry"),
            ("No solution found when resolving", "uv"),
            ("Unable to find a resolution", "pdm"),
            ("not supporting PEP 517 builds", "poetry"),
        )
    ),
    template(
        "is not installable",
        r"(?P<what>\S{1,120}) is not installable",
        Cause.FILE_ACCESS,
        "pip",
        "name the folder that has pyproject.toml or setup.py",
    ),
    template("does not appear to be a Python project", "", Cause.FILE_ACCESS, "pip", "name the folder that has pyproject.toml or setup.py"),
    template("Could not open requirements file", "", Cause.FILE_ACCESS, "pip"),
    template("DistributionNotFound", "", Cause.LIBRARIES, "setuptools"),
    template("PackageNotFoundError: No package metadata", "", Cause.LIBRARIES, "importlib.metadata"),
    template(
        "DO NOT MATCH THE HASHES",
        "",
        Cause.LIBRARIES,
        "pip",
        "the file that pip got is not the one whose hash the requirements have: pip cache purge, the hashes computed again "
        "(pip-compile), or a mirror that changes files",
    ),
    template(
        "before 'conda activate'",
        "",
        Cause.LIBRARIES,
        "conda",
        'in a script or job: source "$(conda info --base)/etc/profile.d/conda.sh" before conda activate; or conda run -n ENV python SCRIPT',
    ),
    template(
        "Unable to locate package ",
        r"^E: Unable to locate package (?P<what>\S{1,60})",
        Cause.LIBRARIES,
        "apt",
        "run apt-get update before apt-get install, in the same RUN; else the package has another name in this release of the system "
        "(apt-cache search)",
    ),
    template("The imported Theano(-PyMC) module is broken", "", Cause.LIBRARIES, "PyMC3 3.11, __init__.py"),
    template("does not match the PyMC3 requirements", "", Cause.LIBRARIES, "PyMC3 3.11, __init__.py"),
    template("Theano-PyMC package version is", "", Cause.LIBRARIES, "PyMC3", weight=Weight.NOTE),
    template("Keras requires TensorFlow", "", Cause.LIBRARIES, "Keras"),
    template("requires jaxlib version", "", Cause.LIBRARIES, "JAX, _src/lib/__init__.py"),
    template("Descriptors cannot not be created directly", "", Cause.LIBRARIES, "protobuf", "pip install 'protobuf<3.21'"),
    template("Descriptors cannot be created directly", "", Cause.LIBRARIES, "protobuf", "pip install 'protobuf<3.21'"),
    template(
        "not found (required by",
        r"version [`'](?P<what>[\w.]{1,40})' not found",
        Cause.LIBRARIES,
        "the dynamic linker",
        "the compiler is newer than the libstdc++ or libc that is loaded",
    ),
    template(
        "undefined symbol: ",
        r"^(?![^\n]{0,1800}[/\\\\]compiledir_)[^\n]*?undefined symbol: (?!.{0,20}(?:cblas|[sdcz]gemm|[sdcz]gemv|mkl|MKL|omp_|"
        r"GOMP|ompc|__kmpc|cu[A-Z]|cublas|cudnn|[sdcz]dot))(?P<what>\w{1,100})",
        Cause.LIBRARIES,
        "the dynamic linker",
    ),
    template(
        "DLL load failed",
        r"^(?![^\n]{0,60}Failed to compile)[^\n]*?DLL load failed(?: while importing (?P<what>\w{1,60}))?",
        Cause.LIBRARIES,
        "Windows",
        "a DLL that this module needs is missing or of another version",
    ),
    template("Library not loaded: ", r"Library not loaded: (?P<what>\S{1,200})", Cause.LIBRARIES, "the dynamic linker of macOS"),
    template(
        "Symbol not found: ",
        r"^(?![^\n]{0,60}Failed to compile)[^\n]*?Symbol not found: (?P<what>\S{1,100})",
        Cause.LIBRARIES,
        "the dynamic linker of macOS",
    ),
    template(
        "incompatible architecture (",
        r"have '(?P<what>\w+)'",
        Cause.LIBRARIES,
        "the dynamic linker of macOS",
    ),
    template(
        "setup command: ",
        r"error in (?P<what>\w{1,60}) setup command: ",
        Cause.LIBRARIES,
        "setuptools, for a package that is older than it",
        "build it with an older setuptools (pip install 'setuptools<58', then pip install --no-build-isolation), or install a newer "
        "release of it (Theano 1.0.5)",
        weight=Weight.MEMORY,
    ),
    template("is not a supported wheel on this platform", "", Cause.LIBRARIES, "pip"),
    template("Could not find a version that satisfies the requirement", r"requirement (?P<what>[\w.=<>!~-]{1,60})", Cause.LIBRARIES, "pip"),
)
"""From the named projects; other forms appeared in public threads."""
