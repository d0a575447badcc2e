"""Remedies for libraries that are missing or incompatible."""

from __future__ import annotations

from ..compat.libraries import distributions, removed_names
from .model import Cause
from .patterns import FAMILY
from .remedy import remedy

CORE = (
    r"(?:__version__|gof|compile|tensor|config|configdefaults|function|shared|scalar|graph|link|Model|Normal|Uniform|sample|distributions|"
    r"model|theanof)\b"
)
"""Names that every release of a library has: if one is missing, the library is incomplete."""

_OTHER_RELEASE = (
    "the {package} that is installed has no {inner}: its release does not match the code that imports it, or a file of yours is called "
    "{package}.py; if it is not installed at all (Python 2 prints the same message): python -m pip install"
)

_SHORT = {
    "xr": "xarray", "np": "numpy", "pd": "pandas", "sp": "scipy", "jnp": "jax", "nb": "numba", "plt": "matplotlib", "az": "arviz",
    "pt": "pytensor", "tt": "theano",
}  # fmt: skip
"""Name by which code imports a library -> the library."""

_NUMPY_NAMES = {
    **{
        name: f"'numpy<{since.removesuffix('.0')}' still has it, and theanodiag run --fix-numpy SCRIPT restores it"
        for module, name, _, release in removed_names.TABLE
        if module == "numpy" and (since := release.rpartition(" ")[2])
    },
    **dict.fromkeys(
        ("obj2sctype", "issubsctype", "issctype", "sctypes", "sctype2char", "maximum_sctype", "compat", "safe_eval", "geterrobj",
         "seterrobj", "who", "source", "lookfor", "disp", "byte_bounds", "nbytes"),
        "'numpy<2' still has it",
    ),
    "typeDict": "'numpy<1.24' still has it",
    "_get_ndarray_c_version": "'numpy<1.16' still has it, and Theano 1.0.4 and later do not need it",
    "distutils": "'numpy<2' with Python up to 3.11 has it, if import numpy.distutils comes first; newer releases of the package that "
                 "uses it do not need it",
}  # fmt: skip
"""Name that NumPy lost -> the releases that have it: what theanodiag restores, and from NumPy's release notes."""

_PYTHON_PARTS = {
    "_ctypes": "libffi-dev", "_sqlite3": "libsqlite3-dev", "_bz2": "libbz2-dev", "_lzma": "liblzma-dev", "_ssl": "libssl-dev",
    "_tkinter": "tk-dev", "tkinter": "tk-dev", "readline": "libreadline-dev", "zlib": "zlib1g-dev",
}  # fmt: skip
"""Module of CPython in C -> the package of Debian with whose headers Python is built, where it has that module."""
_OF_PROJECTS = (
    r"(?:utils?|config\w*|settings|helpers?|common|tools|lib|src|models?|networks?|layers|modules|data\w*|dataset\w*|loaders?|"
    r"preprocess\w*|process_data|train\w*|evaluat\w*|experiments?|scripts|constants|params|hyperparameters|options|logger|_\w+)"
)
"""Names that projects give to files of their own."""

_KERAS_MIXED = (Cause.LIBRARY_FAULT, Cause.SYMBOLIC, Cause.OWN_CODE, Cause.REFUSED, Cause.LIBRARIES, Cause.DTYPES, Cause.OLD_INTERFACE)
_TF_TENSOR = r"\A[^\n]*'(?:Tensor|Variable|ResourceVariable|KerasTensor)' object has no attribute '(?!_keras|_shape_val)"
"""A class of TensorFlow, which lacks a method that Theano's variables have."""

INSTALLATIONS = (
    remedy(
        (Cause.LIBRARIES, Cause.GPU_NOT_STARTED),
        r"File \"(?P<name>(?!(?:build|tests?|src|lib)[/\\])\w+)[/\\]__init__\.py\", line \d+, in <module>\n[^\n]*\n(?:[^\n]*\n){0,8}?"
        r"[^\n]{0,12}ImportError",
        "{name} was imported from the current folder, not from where it is installed: a clone lacks the parts that its build compiles; "
        "start Python in another folder (cd ..)",
    ),
    remedy(
        (Cause.LIBRARY_FAULT, Cause.LIBRARIES),
        r"einsum[\s\S]{0,900}not enough values to unpack \(expected 5, got 3\)",
        "NumPy 2.4 changed what einsum_path returns: install 'numpy<2.4', or the newest {library}",
    ),
    remedy(
        Cause.PYTHON_TOO_NEW,
        r"[/\\](?:\.a|A)esara[/\\]compiledir_[^\n]{0,300}?-(?P<has>3\.\d+)\.\d+\w*-\d\d\b",
        "this Aesara is older than Python {has}, and its C code does not compile there: conda create -n NEW python=3.10 (or 3.9) with "
        "it, or install the newest release of the package that uses it, which may use PyTensor",
    ),
    remedy(
        Cause.NUMPY_TOO_NEW,
        r"(?:(?:numpy[\w.]*['\"`]? has no attribute|cannot import name|No module named) ['\"`]?(?:numpy\.)?|`np\.)(?P<name>\w+)",
        "NumPy no longer has {name}: {became}",
        "",
        _NUMPY_NAMES,
    ),
    remedy(
        Cause.LIBRARIES,
        r"InvalidVersion: Invalid version: '(?P<version>[^'\n]{1,60})'",
        "{version} is not a version that packaging accepts: the package in the traceback is only partly installed, or is too old for "
        "this packaging; pip install --force-reinstall it, or install packaging<22 with it",
    ),
    remedy(
        (Cause.LIBRARIES, Cause.COMPILER, Cause.GPU_NOT_STARTED),
        r"WinError 193|not a valid Win32 application|64-bit mode not compiled in",
        "a 32-bit file was loaded by a 64-bit Python, or the reverse: Python, the compiler (Visual C++: its amd64 folder), CUDA and each "
        "package must be 64-bit; clear the cache, and reinstall the package for this Python",
    ),
    remedy(
        Cause.LIBRARIES,
        r"cannot import name '?(?P<name>gaussian)'? from '?scipy\.signal",
        "scipy.signal.gaussian moved to scipy.signal.windows: pip install -U arviz, or 'scipy<1.13' with the old one",
    ),
    remedy(
        Cause.LIBRARIES,
        r"initialization of (?P<name>\w+) (?:failed|raised)",
        "{library} was compiled for another NumPy or Python: upgrade {library}, or install an older numpy (numpy<2, <1.24)",
    ),
    remedy(
        Cause.LIBRARIES,
        r"numpy\.distutils[\s\S]{0,900}(?:__config__|distutils)'?|no attribute '__config__'",
        "this numpy is incomplete: pip uninstall numpy until none is left, then pip install --force-reinstall numpy, and run outside of "
        "numpy's source folder",
    ),
    remedy(
        Cause.LIBRARIES,
        r"[Mm]odule '(?P<module>theano|aesara|pytensor)\.tensor' has no attribute '(?P<name>shared|function|scan|config|clone|ifelse)'",
        "{name} is not in {module}.tensor but in {module} itself: {module}.{name}",
    ),
    remedy(
        Cause.LIBRARIES,
        r"[Mm]issing dependencies for (?P<name>\w+)",
        "a package that {library} imports for {name} is missing or cannot be imported, often numba; python -c 'import {name}, numba' "
        "shows which, and pip install {name} numba installs them",
    ),
    remedy(
        Cause.LIBRARIES,
        r"-packages[/\\](?:[\w.-]+\.egg[/\\])?(?P<package>\w+)[/\\][^\n]*\n[^\n]*?\b(?P<owner>arviz|numpy|scipy|pandas|theano|"
        r"aesara|pytensor|jax|xarray)\.(?:\w+\.)*(?P<called>\w+)\([^\n]*\n(?:[\s^~|]*\n)?[^\n]{0,12}"
        r"TypeError: (?P=called)\(\) got an unexpected keyword argument '(?P<name>\w+)'",
        "{package} passes {name} to {owner}.{called}, which this {owner} does not accept: pip install -U {owner}, or install the {owner} "
        "that {package}'s requirements name",
    ),
    remedy(  # tried with blackjax 1.3, 1.4, 1.5 (which run), 1.6.0, 1.6.1 and 1.7.1 (which raise) under PyMC 6.4.0
        Cause.LIBRARIES,
        r"[/\\]blackjax[/\\][^\n]*\n(?:[^\n]*\n){0,4}?[^\n]{0,12}TypeError: [^\n]*unexpected keyword argument 'progress_bar'",
        "PyMC passes progress_bar to blackjax, but 1.6 and later reject it: pip install 'blackjax<1.6', or use nuts_sampler='numpyro'",
    ),
    remedy(
        Cause.LIBRARIES,
        rf"(?:-packages[/\\]|[/\\](?=(?:{FAMILY})[/\\]\w+[/\\]))(?P<package>\w+)[/\\][^\n]*\n"
        r"(?:(?![^\n]*-packages[/\\])[^\n]*\n){0,4}?[^\n]{0,12}"
        r"TypeError: (?P<called>[\w.<>]+)\(\) got an unexpected keyword argument '(?P<name>\w+)'",
        "{package} calls {called} with {name}, which the installed release of that library does not accept: upgrade both (Theano, "
        "Lasagne and nolearn: the development versions), or pin the release that {package} requires; a method {called} of your own class "
        "must accept it too",
    ),
    remedy(
        (Cause.LIBRARIES, Cause.COMPILER),
        r"Error loading shared library (?P<library>[\w.+-]{1,60})|-musl\.so\b",
        "most packages are not built for Alpine's libc: use a Debian image (FROM python:3.11-slim), or apk add libstdc++ libgomp gcompat "
        "for {library}",
    ),
    remedy(
        (Cause.LIBRARIES, Cause.COMPILER),
        r"(?P<library>libpython[\w.]+): cannot open shared",
        "the folder of {library} is not searched: export LD_LIBRARY_PATH=$CONDA_PREFIX/lib (the lib folder of that Python); in "
        "containers do not pass the host's variables",
    ),
    remedy(
        Cause.LIBRARIES,
        rf"[Mm]odule '?(?P<module>theano|aesara|pytensor|pymc3?)'? has no attribute '?{CORE}|"
        r"partially initialized module '?(?P<partly>theano|aesara|pytensor|pymc3?)\b|unknown location",
        "only a part of {module}{partly} is installed, or Theano-PyMC 1.1 instead, which has no gof, or a file or folder of yours has "
        "its name: rename that, else pip uninstall theano theano-pymc, remove the folder that is left, and reinstall the one that is "
        "needed (PyMC3 3.11: pip install --force-reinstall theano-pymc==1.1.2)",
    ),
    remedy(
        Cause.LIBRARIES,
        r"circular import",
        "a circular import: PyMC3 3.9 and later need Theano-PyMC (pip install 'pymc3==3.11.5', in a new environment), and no file of "
        "yours may have the library's name",
    ),
    remedy(
        (Cause.LIBRARIES, Cause.OLD_INTERFACE),
        r"cannot import name '?downsample|signal\.downsample|No module named '?theano\.tensor\.signal\.downsample",
        "theano.tensor.signal.downsample became pool in Theano 0.9: upgrade Lasagne (or the library that imports it) to its newest "
        "development version, or run the script on PyTensor: theanodiag run SCRIPT",
    ),
    remedy(
        Cause.LIBRARIES,
        r"No module named '?(?P<module>theano|pymc3|aesara)\b",
        "{module} is not installed here. theanodiag run SCRIPT provides it on the installed PyTensor or PyMC; else: a new environment "
        "with CPython 3.8 and pip install theano==1.0.5 (pymc3==3.11.5)",
    ),
    remedy(
        Cause.LIBRARIES,
        r"[/\\](?P<package>\w{2,40})[/\\][^\n]{0,200}\n(?:(?![^\n]*\.pyc?\b)[^\n]{0,200}\n){0,5}?[^\n]{0,12}import (?P=package)\."
        r"(?P<name>\w+)[^\n]*\n(?:(?![^\n]*\.pyc?\b)[^\n]{0,200}\n){0,4}?AttributeError: 'module' object has no attribute '(?P=name)'",
        "{package} does not find its own part {name}: its folder has files of two releases, or only some files: pip uninstall {package} "
        "(conda remove) until none is left, then install it once, best in a new environment",
    ),
    remedy(
        Cause.LIBRARIES,
        r"[/\\](?P<package>\w{2,40})[/\\](?!_src[/\\]deprecations)[^\n]{0,200}\n"
        r"(?:(?![^\n]*deprecations\.py)[^\n]{0,200}\n){0,5}?[^\n]{0,60}"
        r"(?:\w*Error: (?:partially initialized )?module '(?P=package)(?:\.[\w.]+)?' has no attribute '(?P<attribute>\w+)|"
        r"ImportError: cannot import name '?(?P<inner>\w+)'? from '?(?P=package)\b|\bfrom (?P=package) import [^\n]{0,80}\n"
        r"[^\n]{0,20}ImportError: cannot import name '?(?P<name>\w+)|"
        r"\bfrom \.[\w.]* import [^\n]{0,80}\n(?:(?![^\n]*\.pyc?\b)[^\n]{0,200}\n){0,4}?ImportError: cannot import name '?(?P<own>\w+))",
        "{library} lacks {name}{attribute}{inner}{own}, which is a part of it: its import failed earlier in this process (restart Python "
        "and read the first error), or its folder has files of two releases (pip uninstall until none is left, then install)",
    ),
    remedy(
        Cause.LIBRARIES,
        r"'(?:TheanoConfigParser|ConfigParser)' object has no attribute|Theano-PyMC package version|"
        r"imported Theano\(-PyMC\) module is broken|does not match the PyMC3 requirements|(?:attribute|KeyError:) '(?:gcc|blas)__\w+'|"
        r"[\\/]pymc3[\\/][^\n]*\n(?:[^\n]*\n){0,3}?[^\n]{0,20}cannot import name '?\w+'? from '?theano",
        "PyMC3 3.11 needs Theano-PyMC 1.1.2, and no other Theano in the environment: pip uninstall theano theano-pymc pymc3, then pip "
        "install pymc3==3.11.5",
    ),
    remedy(
        Cause.LIBRARIES,
        r"google[\\/.]protobuf",
        "protobuf's release does not match the generated code: pip install --upgrade protobuf if a name is missing, 'protobuf<3.21' if "
        "descriptors cannot be created; for TensorFlow install the protobuf that its release requires",
    ),
    remedy(
        (Cause.LIBRARIES, Cause.LIBRARY_FAULT),
        r"-packages[/\\](?:[\w.-]+\.egg[/\\])?(?P<package>\w+)[/\\][^\n]*\n(?:(?![^\n]*-packages[/\\])[^\n]*\n){0,4}?[^\n]{0,200}?"
        r"\b(?P<name>xr|np|pd|sp|jnp|nb|plt|az|pt|tt)\.(?:\w+\.){0,5}(?P<attribute>\w+)\b[^\n]{0,200}\n(?:[\s^~]*\n)?"
        r"[^\n]{0,12}AttributeError: [^\n]*has no attribute '(?P=attribute)'",
        "{package} uses {attribute} of {became}, which this {became} does not have: their releases do not match; pip install -U "
        "{package} {became}, or install a {became} as old as {package}",
        "",
        _SHORT,
    ),
    remedy(
        Cause.LIBRARIES,
        r"from theano\.sandbox\.cuda[\w.]* import [^\n]*\n[\s^~|]*ImportError: cannot import name '?(?P<name>\w+)",
        "theano.sandbox.cuda has {name} only after it has started a GPU: set THEANO_FLAGS=device=gpu before the import, with Theano up "
        "to 0.9; Theano 1.0 has gpuarray instead (device=cuda)",
    ),
    remedy(
        Cause.LIBRARIES,
        r"[Mm]odule '?pymc'? has no attribute '(?P<name>stochastic_from_dist|Stochastic|AdaptiveMetropolis|NormApprox|Lambda|Node|"
        r"Container|StepMethods|stochastic|deterministic|MCMC)'",
        "{asks} is written for PyMC 2, the only release that has {name}: pip install 'pymc<3' (2.3.8), in an environment with Python 3.6, "
        "or a newer {asks}",
        r"-packages[/\\]",
    ),
    remedy(
        Cause.LIBRARIES,
        r"(?:-packages|[/\\]egg)[/\\](?P<package>\w{2,40})[/\\][^\n]{0,200}\n(?:(?![^\n]*\.pyc?\b)[^\n]{0,200}\n){0,3}?"
        r"(?:(?![^\n]*\.pyc?\b)[^\n]{0,200}?(?<![\w.])(?P<module>[a-z]\w*)(?:\.\w+)*\.(?P<used>\w+)\b[^\n]{0,200}\n(?=[^\n]*'(?P=used)'))?"
        r"AttributeError: 'module' object has no attribute '(?!__)(?P<attribute>\w+)'",
        "{package} uses {attribute} of another library ({module}), whose installed release does not have it: upgrade both (the "
        "library to the release that {package}'s requirements name), or pin a release as old as {package}",
    ),
    remedy(
        Cause.LIBRARIES,
        rf"[/\\](?P<package>{FAMILY}|fuel)[/\\][^\n]{{0,200}}\n(?:[^\n]{{0,200}}\n){{0,8}}?"
        r"(?:[ \t]*from (?!(?P=package)\b)(?P<source>\w+)[\w.]* import [^\n]{0,200}\n)?"
        r"\w*Error: (?:cannot import name '?(?P<name>\w+)'?\s|'module' object has no attribute '(?!__)(?P<attribute>\w+))",
        "{package} does not find {name}{attribute} in the library that it calls ({source}): upgrade both to compatible releases (for "
        "Theano, Lasagne, nolearn and blocks usually the development versions), or pin those that {package}'s requirements.txt names",
        alone=True,
    ),
    remedy(
        Cause.LIBRARIES,
        r"\A[^\n]{0,20}ImportError: cannot import name '?(?P<name>\w+)'?\s*$",
        "{asks} imports {name} from a library whose installed release does not have it: upgrade both, or pin that library to the release "
        "that the requirements of {asks} name (or one from the same year)",
        r"[/\\]egg[/\\]|-packages[/\\]",
        alone=True,
    ),
    remedy(
        Cause.LIBRARIES,
        r"KeyError: dtype\(",
        "{library} does not know this dtype of NumPy: install a newer jax and jaxlib, or an older numpy",
    ),
    remedy(
        Cause.LIBRARIES,
        r"version [`'](?P<version>GLIBCXX_[\d.]+|CXXABI_[\d.]+)' not found|GLIBCXX_(?P<of>[\d.]+)",
        "an older libstdc++ is loaded first: conda install -c conda-forge libstdcxx-ng, and export LD_LIBRARY_PATH=$CONDA_PREFIX/lib",
    ),
    remedy(
        Cause.LIBRARIES,
        r"[/\\]compiledir_[^\n]{0,300}\n[^\n]*has the wrong size, try recompiling",
        "the cache has modules compiled for another NumPy: clear it (theano-cache purge, or delete that folder), and run again",
    ),
    # NumPy raises the first if the compiled module wants a newer interface than this numpy has (numpy 1.26, __multiarray_api.py), Cython
    # the second if the type is smaller than when the module was compiled (Cython 3.0, ImportExport.c); numpy.dtype shrank in NumPy 2.
    remedy(
        Cause.LIBRARIES,
        r"compiled against API version 0x|numpy\.(?:ndarray|ufunc) size changed, may indicate binary incompatibility\. Expected",
        "this numpy is older than the one that a compiled package in the traceback was built with: pip install -U numpy, or install an "
        "older release of that package",
    ),
    remedy(
        Cause.LIBRARIES,
        r"wrong size, try recompiling|binary incompatibility|compiled against A[PB]I|multiarray failed|umath failed|"
        r"NumPy 1\.x cannot be run",
        "packages were built for another NumPy: pip install --force-reinstall --no-cache-dir those that the traceback names, or numpy<2",
        alone=True,
    ),
    remedy(
        Cause.LIBRARIES,
        r"DLL load failed(?: while importing (?P<module>\w+))?|WinError (?:126|127|1114)",
        "on Windows a DLL of this module is missing: install the Visual C++ Redistributable, take all packages from one channel of conda, "
        "and start Python from the activated environment (its Library\\bin has to be on PATH)",
    ),
    remedy(
        (Cause.LIBRARIES, Cause.OLD_INTERFACE, Cause.LIBRARY_FAULT, Cause.OWN_CODE),
        r"has no attribute '(?P<name>theano\w*|set_session|get_session|tf|tensorflow\w*|python)'",
        "{name} belongs to a back-end of Keras that is not in use: set KERAS_BACKEND=theano (or =tensorflow, for which the code was "
        'written), or "backend" in ~/.keras/keras.json; use a Keras and TensorFlow as old as the code',
        r"Using (?:Theano|TensorFlow) backend",
    ),
    remedy(
        _KERAS_MIXED,
        rf"[/\\]theano[/\\][^\n]*\n(?:[^\n]*\n){{0,2}}?[^\n]{{0,20}}(?:Attribute|Type|AsTensor|NotImplemented)Error\b|{_TF_TENSOR}",
        'this code calls Theano, but Keras runs on TensorFlow: set KERAS_BACKEND=theano before Python starts, or "backend": "theano" in '
        "~/.keras/keras.json (Keras up to 2.3)",
        r"Using TensorFlow backend",
    ),
    remedy(
        Cause.SYMBOLIC,
        _TF_TENSOR,
        'this code calls Theano, but Keras runs on TensorFlow: set KERAS_BACKEND=theano before Python starts, or "backend": "theano" in '
        "~/.keras/keras.json (Keras up to 2.3)",
        r"[/\\](?:keras|tensorflow)[/\\]",
    ),
    remedy(
        (*_KERAS_MIXED, Cause.NO_IMPLEMENTATION),
        r"[/\\]theano_backend\.py[^\n]*\n(?:[^\n]*\n){0,6}?[^\n]{0,20}(?:Attribute|Type|NotImplemented)Error\b",
        "code written for TensorFlow passes to Keras' Theano back-end what it does not accept: set KERAS_BACKEND=tensorflow before "
        "Python starts (with a TensorFlow as old as the code), or write it with Theano's functions",
        r"Using Theano backend",
    ),
    remedy(
        Cause.LIBRARIES,
        r"Keras requires TensorFlow|KERAS_BACKEND|keras[\s\S]{0,900}No module named '?tensorflow",
        'Keras up to 2.3 runs on Theano: KERAS_BACKEND=theano, or "backend": "theano" in ~/.keras/keras.json; later ones do not',
    ),
    remedy(
        Cause.LIBRARIES,
        rf"(?!module '?\w+'? has no attribute '?{CORE})\b(?:[Mm]odule|from) (?:partially initialized module )?'?(?P<module>[a-z]\w*)"
        r"(?:\.[\w.]+)?'? (?:has no attribute|\()|cannot import name '?\w+'? from '?(?P<source>[a-z]\w*)",
        "the {module}{source} that is installed is too new or too old for {asks}: upgrade {asks} and {module}{source} together (pip "
        "install -U), or pin {module}{source} to an older release (pip install '{module}{source}<X'), best in a new environment",
    ),
    remedy(
        Cause.LIBRARIES,
        r"jaxlib|jax[\\/.]|'jax(?:\.\w+)*'",
        "jax and jaxlib must be the same release, and {caller} must match it: pip install -U jax jaxlib numpyro blackjax, or pin both to "
        "the release that the library requires",
        r"jax",
        alone=True,
    ),
    remedy(
        Cause.LIBRARIES,
        r"-packages[/\\](?:[\w.-]+\.egg[/\\])?(?P<package>\w+)[/\\]__init__\.py[^\n]*\n\s*from (?P<part>\w+) import \*\s*\n"
        r"[^\n]{0,24}No module named '(?P=part)'",
        "{package} imports its own module {part} as Python 2 does: install a {package} for Python 3 (pip install -U {package}), or "
        "Python 2.7",
    ),
    remedy(
        Cause.LIBRARIES,
        rf"No module named '?(?P<module>{_OF_PROJECTS})(?:\.[\w.]*)?'?\s*$",
        "{module} is a file or folder of the script's own project, not a package: run the script from the folder that has it, or export "
        "PYTHONPATH=that folder; if the project lacks it, get the complete project (git pull, its submodules)",
        alone=True,
    ),
    remedy(
        Cause.LIBRARIES,
        r"-packages[/\\](?P<package>\w+)[/\\][^\n]*\n(?:(?![^\n]*-packages[/\\])[^\n]*\n){0,9}?"
        r"[^\n]{0,24}No module named '?(?P=package)\.(?P<inner>\w[\w.]*)",
        "{package} lacks {inner}, which is a part of it: its folder has files of two releases, or only some files: pip uninstall "
        "{package} (conda remove) until none is left, then install it once, best in a new environment",
    ),
    remedy(
        Cause.LIBRARIES,
        r"No module named '?(?P<package>(?P<name>\w+))\.(?P<inner>\w[\w.]*)",
        f"{_OTHER_RELEASE} {{became}}",
        "",
        distributions.DISTRIBUTIONS,
    ),
    remedy(
        Cause.LIBRARIES,
        rf"No module named '?(?P<package>(?!(?:{'|'.join(distributions.DISTRIBUTIONS)})\.)\w+)\.(?P<inner>\w[\w.]*)",
        f"{_OTHER_RELEASE} {{package}}",
    ),
    remedy(
        Cause.LIBRARIES,
        r"\b(?:from|import) (?P<package>\w+)(?:\.\w+)*\.(?P<inner>\w+)[^\n]*\n(?:[^\n]*\n){0,3}?[^\n]{0,20}No module named '?(?P=inner)\b",
        f"{_OTHER_RELEASE} {{package}}",
    ),
    remedy(
        Cause.LIBRARIES,
        r"No module named '?(?P<module>\w+)",
        "R runs a Python that has no {module}: reticulate::py_install('{module}', pip = TRUE), or use_condaenv('NAME', required = TRUE) "
        "before the first call; reticulate::py_config() shows which Python it is",
        r"reticulate|\bpy_(?:call_impl|run_\w+|module_import)\(",
    ),
    remedy(
        Cause.LIBRARIES,
        r"No module named '?(?P<name>\w+)",
        "python -m pip install {became}, with the Python that ran: it contains {name}",
        "",
        distributions.DISTRIBUTIONS,
    ),
    remedy(
        Cause.LIBRARIES,
        r"No module named '?(?P<name>\w+)",
        "this Python was built without {name}: apt-get install {became}, then rebuild it (pyenv install), or use conda's or the system's "
        "Python",
        "",
        _PYTHON_PARTS,
    ),
    remedy(
        Cause.LIBRARIES,
        r"No module named '?(?!theano|aesara|pymc3)(?P<module>\w+)(?![\w.])",
        "{module} is not installed in the Python that ran: python -m pip install {module}, with that same Python; a file of the script's "
        "own project must be in the script's folder, or in a folder of PYTHONPATH",
        alone=True,
    ),
    remedy(
        Cause.LIBRARIES,
        r"'(?:ArrayImpl|DeviceArray)' object has no attribute",
        "C code that expects a NumPy array got a JAX array: pass numpy.asarray(x), use one backend for the whole model, and compatible "
        "releases of PyMC, PyTensor and jax",
    ),
    remedy(
        Cause.PYTHON_TOO_NEW,
        r"-packages[/\\](?:[\w.-]+\.egg[/\\])?(?P<package>\w+)[/\\][^\n]*\n[^\n]*\b(?:async|"
        r"await)\b[^\n]*\n(?:[^\n]*\n){0,3}?\s*SyntaxError",
        "{package} uses `async` or `await` as a name, which Python 3.7 reserved: install a newer release of {package}, or use Python 3.6 "
        "(conda create -n old python=3.6)",
    ),
    remedy(
        Cause.PYTHON_TOO_NEW,
        r"-packages[/\\](?:[\w.-]+\.egg[/\\])?(?P<package>\w+)[/\\][^\n]*\n(?:[^\n]*\n){0,4}?\s*SyntaxError",
        "{package} is written in Python 2: install a release for Python 3 (pip install -U {package}; a fork may have another name), or "
        "use Python 2.7",
    ),
    remedy(
        Cause.LIBRARIES,
        r"-packages[/\\](?:[\w.-]+\.egg[/\\])?(?P<package>\w+)[/\\][^\n]*\n(?:[^\n]*\n){0,8}?\s*(?:NameError|UnboundLocalError|"
        r"SyntaxError|IndentationError|TabError)",
        "the error is in {package}'s own code, or that code is for another Python: install its newest release, or use an older Python",
    ),
    remedy(
        (Cause.LIBRARIES, Cause.FILE_ACCESS),
        r"ExecutableNotFound|[Gg]raphviz",
        "drawing a model needs the package graphviz, and Graphviz's program dot on the PATH: conda install python-graphviz installs both "
        "(else pip install graphviz, and apt install graphviz or brew install graphviz)",
    ),
    remedy(
        Cause.LIBRARIES,
        r"backends: \['(?P<name>\w+)'",
        "no package that can read this kind of file is installed: pip install {name}",
    ),
    remedy(
        Cause.LIBRARIES,
        r"__svml_",
        "numba is configured for Intel's library of vector functions, which is not installed: conda install -c numba icc_rt, or set "
        "NUMBA_DISABLE_INTEL_SVML=1",
    ),
    remedy(
        Cause.LIBRARIES,
        r"incompatible architecture \(have '(?P<has>\w+)', need '(?P<wants>\w+)'",
        "the file was built for {has}, and this Python runs as {wants}: clear the cache of compiled modules (theano-cache purge, "
        "pytensor-cache purge), and install Python, its packages and the compiler all for {wants} (on an Apple-silicon Mac: conda for "
        "arm64, no terminal under Rosetta)",
    ),
    remedy(
        Cause.LIBRARIES,
        r"(?P<asks>\w+) (?:needs|requires) (?P<name>\w+) (?P<release>\d[\d.]*\d) or (?P<than>\w+)\. Got",
        "install {name} {release} or {than}, or another release of {asks}",
    ),
    remedy(
        Cause.LIBRARIES,
        r"undefined symbol|[Ss]ymbol not found|Library not loaded|cannot open shared object",
        "a binary was built against another release of a library: reinstall the package that the line names, and all others from one "
        "channel (conda-forge), and clear the cache of compiled modules",
        alone=True,
    ),
    remedy(
        Cause.LIBRARIES,
        r"AttributeError: '(?P<module>[a-z]\w*)\.[\w.]+' object has no attribute '(?P<name>\w+)'",
        "{library} uses {name} of {module}, which this {module} does not have: pip install -U {module} if it is the older of the two, "
        "else pip install -U {library}",
    ),
    remedy(
        Cause.LIBRARIES,
        r"AttributeError: '(?P<kind>(?!module')\w+)' object has no attribute '(?P<name>\w+)'",
        "{library} uses {name} of a {kind}, which does not have it: the releases of {library} and {caller} do not match; pip install -U "
        "both, or pin the one that the other's requirements name",
        alone=True,
    ),
    remedy(
        Cause.LIBRARIES,
        r"(?:import|from) \w[^\n]*\n\s*[^\n]*-packages[/\\](?:[\w.-]+\.egg[/\\])?(?P<package>\w+)[/\\][^\n]*(?:in <module>|"
        r":\d+)\s*\n[\s\S]*?^\w*(?:Attribute|Type|Key|Index|Name|Value|Runtime)Error\b",
        "{package} fails while it is imported: it is not compatible with this Python, NumPy or a library that it calls, or its folder has "
        "files of two releases: pip uninstall {package} until none is left, then install one release, best in a new environment",
        alone=True,
    ),
)
"""Remedies if libraries are missing or incompatible."""
