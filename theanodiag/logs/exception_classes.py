"""Causes by exception class and the file that raised it; these are stable across releases, while the wording is not."""

from __future__ import annotations

import re
from dataclasses import dataclass

from . import patterns
from .model import Cause, Template, Weight
from .remedies_installations import CORE
from .remedies_scripts import NAMES


@dataclass(frozen=True)
class ExceptionClass:
    """A class of exceptions in a log, defined by several conditions that must all hold."""

    names: re.Pattern[str]
    """Pattern of the exception's class name, without module."""
    frame: re.Pattern[str] | None
    """Pattern searched in the frame that raised it, including its source line."""
    through: re.Pattern[str] | None
    """Pattern searched in the frames that led to it."""
    form: Template
    """Its cause and source; its pattern is searched in the exception's message."""


def raised(names: str, cause: Cause, source: str, said: str = "", frame: str = "", advice: str = "", through: str = "") -> ExceptionClass:
    """Makes an ExceptionClass from patterns given as texts."""
    form = Template("", said, cause, source, (advice,) if advice else (), None if cause.is_memory else Weight.STOP)
    return ExceptionClass(re.compile(rf"(?:{names})\Z"), _pattern(frame), _pattern(through), form)


def _pattern(text: str) -> re.Pattern[str] | None:
    return re.compile(text) if text else None


_ALL = "Theano, Aesara and PyTensor"
_PYMC = "PyMC3 and PyMC"
_SYMBOL = r"(?:TensorVariable|TensorSharedVariable|TensorConstant|ScalarSharedVariable|SharedVariable|CudaNdarray\w+|XTensorVariable)"
_TO_SCRIPT = "PyMC 4 to 6, to a script of PyMC3"
_GONE = "|".join(NAMES)

CLASSES = (
    raised(
        "\\w*Error",
        Cause.FILE_ACCESS,
        f"{_ALL}, compiledir.py",
        r"[Uu]nable to (?:create|use) the (?:base_)?compiledir|compiledir.{0,200}permission",
    ),
    raised(
        "Exception|RuntimeError|ImportError|AssertionError|OSError",
        Cause.CUDNN_UNAVAILABLE,
        "Theano 0.7 to 1.0.5, dnn.py",
        r"(?i)(?:cudnn|\bdnn\b)[^\n]{0,100}\b(?:not available|can ?not|could not|not found|was not able|too old)|"
        r"can ?not (?:compile|use)[^\n]{0,20}cudnn",
        r"^(?![^\n]*(?:jax|xla|tensorflow|torch))",
    ),
    raised(
        "UnicodeDecodeError",
        Cause.COMPILER,
        "Theano 0.7 to 1.0.5, misc/windows.py: what a compiler prints",
        advice="the compiler's messages or folder names are not in UTF-8: set LANG=C (Windows: chcp 65001), and use ASCII names for "
        "folders",
        through=r"compile_str|output_subprocess_Popen|call_subprocess_Popen",
    ),
    # files of objects: whatever fails while one is read
    raised(
        "AttributeError|ImportError|ModuleNotFoundError|TypeError|KeyError|AssertionError|ContextNotDefined",
        Cause.PICKLING,
        "CPython, pickle, with a file of another release or device",
        through=r"(?m)^(?!\s*\d+ )[^\n]*(?:[Pp]ickler?|dill|joblib)\.loads?\((?!from_parent)|"
        r"in (?:load_(?:global|reduce|build)|find_class)\b",
    ),
    raised(
        "AttributeError|ImportError|ModuleNotFoundError",
        Cause.OLD_GPU,
        "Theano 1.0.5, which has no sandbox/cuda",
        r"theano\.sandbox'? has no attribute 'cuda|theano\.sandbox\.cuda|has no attribute '(?:CudaNdarray\w*|cuda_ndarray)'|"
        r"cannot import name '?cuda'?(?: from 'theano\.sandbox|$)",
    ),
    # rewrites: the compilation continues after their exceptions, but for what nothing computes
    raised(
        "AssertionError|NotImplementedError",
        Cause.NO_IMPLEMENTATION,
        "Theano 0.8 to 1.0.5, tensor/nnet/opt.py: local_abstractconv_check",
        r"there is no implementation available supporting the requested options",
    ),
    raised("InconsistencyError", Cause.REWRITE_FAILED, f"{_ALL}, graph/features.py"),
    raised(
        "MethodNotDefined",
        Cause.REWRITE_FAILED,
        f"{_ALL}, graph/rewriting/basic.py: what it reports",
        through=r"\A(?![\s\S]*constant_folding)[\s\S]*(?:ptimization|ewrite) failure due to[\s\S]*, in process_node",
    ),
    raised(
        "(?!MemoryError|MethodNotDefined)\\w*(?:Error|Exception)",
        Cause.REWRITE_FAILED,
        f"{_ALL}, graph/rewriting/basic.py",
        through=r"\A(?![\s\S]*constant_folding)[\s\S]*"
        r"(?:(?:gof[\\/]opt|graph[\\/]opt|graph[\\/]rewriting[\\/]basic)\.py\"?, line \d+, in process_node|"
        r"Se\w+(?:Optimizer|GraphRewriter) apply\b[\s\S]*, in apply\b)",
    ),
    # configuration: what the parsers of flags and rc files raise
    raised(
        "MissingSectionHeaderError|ParsingError|DuplicateOptionError|DuplicateSectionError|Interpolation\\w*Error",
        Cause.CONFIGURATION,
        "CPython, configparser, on an rc file",
    ),
    raised(
        "ValueError|TypeError|NotImplementedError|KeyError|AttributeError|UserWarning",
        Cause.CONFIGURATION,
        f"{_ALL}, configparser.py",
        r"(?i)invalid (?:value|choice|setting)|could not (?:be )?convert|invalid literal|[Uu]nknown config|not a valid|invalid for|"
        r"is not (?:valid|allowed)|must be|config(?:uration)? (?:variable|option|key)|(?:expects?|value) .{0,60}(?:bool|int|float)",
        r"(?:theano|aesara|pytensor)[\\/](?:configparser|configdefaults)\.py",
    ),
    raised(
        "ValueError|KeyError|TypeError",
        Cause.CONFIGURATION,
        f"{_ALL}, configparser.py",
        r"(?i)invalid (?:value|choice) .{0,200}config(?:uration)? (?:variable|key)|THEANO_FLAGS|theanorc|"
        r"Invalid value .{0,60} for configuration variable",
    ),
    raised("ConfigurationError", Cause.CONFIGURATION, "Fuel and Blocks, config.py"),
    raised("ConfigAccessViolation", Cause.CONFIGURATION, f"{_ALL}, configparser.py"),
    # the GPU, before anything is computed on it
    raised(
        "GpuArrayException",
        Cause.GPU_NOT_STARTED,
        "libgpuarray, for Theano 0.9 to 1.0.5",
        r"\A(?![^\n]{0,200}(?i:out of memory|gmem))",
        r"pygpu[^\n]{0,80}(?:init|GpuContext)|gpuarray[\\/]__init__\.py",
    ),
    raised(
        "\\w*(?:Error|Exception)", Cause.GPU_NOT_STARTED, "JAX, its plugins for CUDA and ROCm", frame=r"jax_plugins[\\/]+xla_(?:cuda|rocm)"
    ),
    raised("ContextNotDefined", Cause.GPU_NOT_STARTED, "Theano 0.9 to 1.0.5, gpuarray/type.py"),
    raised(
        "RuntimeError|ValueError|Exception",
        Cause.GPU_NOT_STARTED,
        "Theano 0.7 to 1.0.5, when its GPU back-end is imported",
        frame=r"theano[\\/](?:sandbox[\\/])?(?:gpuarray|cuda)[\\/]__init__\.py",
    ),
    # models
    raised(
        "SamplingError|ValueError|RuntimeError|AssertionError",
        Cause.START_VALUES,
        f"{_PYMC}, model and sampling",
        r"[Ii]nitial evaluation (?:of model|results)|[Bb]ad initial energy|initial evaluation of model at starting point|"
        r"[Ii]nitial point .{0,60}(?:inf|nan|not finite)|Optimization error: max, logp or dlogp at max have non-finite|"
        r"Bad initial position|initial logp is (?:-?inf|nan)",
    ),
    raised(
        "ValueError|RuntimeError",
        Cause.START_VALUES,
        "NumPyro, BlackJAX and nutpie, before they sample",
        r"(?i)\bvalid initial\b|\binitial\w* (?:points?|parameters|positions?|states?) (?:failed|(?:is|are) invalid)|"
        r"bad initial|\binvalid initial|initiali[sz]ation of (?:the )?first point failed|logp function returned error",
    ),
    raised("ParameterValueError", Cause.START_VALUES, f"{_PYMC}, logprob/utils.py: a parameter is outside of its range"),
    raised(
        "ValueError|RuntimeError|SamplingError|FloatingPointError",
        Cause.ZERO_GRADIENT,
        f"{_PYMC}, step_methods/hmc/quadpotential.py",
        r"[Mm]ass matrix contains (?:zeros|negative)|derivative of RV .{0,100} is zero|[Ss]caling .{0,40}(?:zeros|non-finite)",
    ),
    raised("\\w*(?:Error|Exception)", Cause.ZERO_GRADIENT, f"{_PYMC}, step_methods/hmc", frame="quadpotential"),
    raised(
        "FloatingPointError|AssertionError|ValueError|RuntimeError|Exception|TypeError|LinAlgError|OverflowError",
        Cause.NOT_FINITE,
        f"{_ALL}, {_PYMC}, NumPy and SciPy",
        r"\bNaN (?:detected|occurred|was detected|found)|\b[Ii]nf detected|[Bb]ig value detected|NanGuardMode found|"
        r"(?:must not|cannot|can ?not) contain (?:infs? or NaNs?|NaNs?(?: or infs?)?|non-finite)|[Ii]nput (?:\w+ )?contains? (?:NaN|inf)|"
        r"contains NaN,? |NaN (?:in|or inf)|infs? or NaNs?|(?:loss|cost) (?:is|became|was) (?:nan|inf)|"
        r"cannot convert float (?:NaN|infinity) to integer|overflow encountered in|invalid value encountered|divide by zero encountered",
    ),
    raised(
        "LinAlgError", Cause.NOT_FINITE, "NumPy, SciPy and others, linalg", r"\A(?!.{0,300}(?:square|dimension|shape|empty|ncompatible))"
    ),
    raised(
        "ValueError|RuntimeError|\\w*NotPositiveDefinite\\w*",
        Cause.NOT_FINITE,
        "NumPy and SciPy, linalg",
        r"(?:not|must be|should be|be a?) (?:\w+ )?positive[- ](?:semi-?)?definite|[Ss]ingular\b|did not converge|leading minor|"
        r"[Ee]igenvalues did not",
    ),
    raised("FloatingPointError", Cause.NOT_FINITE, "NumPy and PyMC, variational"),
    raised("AttributeError", Cause.NUMPY_TOO_NEW, "NumPy 2, __init__.py", r"`(?P<what>np\.\w+)` was removed in the NumPy"),
    # old scripts on new libraries
    raised(
        "TypeError|AttributeError|KeyError|ValueError|ImportError",
        Cause.OLD_INTERFACE,
        _TO_SCRIPT,
        r"unexpected keyword argument '(?:sd|testval|njobs|nchains|live_plot|nuts_kwargs|step_kwargs|credible_interval|varnames)'|"
        r"log likelihood not found in inference data|Please use `var_names`|have no active aesthetic mapped to them|"
        rf"[Mm]odule '?pymc'? has no attribute (?!'?{CORE})|module 'pymc\.\w+(?:\.\w+)*' has no attribute|"
        r"'(?:InferenceData|DataTree|MultiTrace)' object (?:is not subscriptable|has no attribute)|"
        r"'InferenceData' object .{0,60}(?:no attribute|subscript)|cannot import name '?\w+'? from '?pymc\b|"
        r"Could not find node at|has no attribute 'testval'|Scratchpad' object has no attribute 'test_value'|`?(?:sd|testval|"
        r"njobs)`? .{0,40}(?:removed|deprecated|no longer)|"
        r"Unused step method arguments|(?:pm|pymc)\.Bound\b|GLM .{0,30}(?:moved|removed)|\bold API\b|API has changed|"
        r"[Pp]revious versions? allowed|"
        r"(?:was|been|is) (?:removed|renamed|moved) (?:in|to|since)\b|is no longer (?:supported|available|accepted)|supported any ?more|"
        r"the `\w+` argument (?:is|has been) (?:removed|deprecated)",
    ),
    raised(
        "AttributeError",
        Cause.OLD_INTERFACE,
        _TO_SCRIPT,
        rf"'(?:TensorVariable|Model|FreeRV|ObservedRV)' object has no attribute '"
        rf"(?:{_GONE}|(?!__)\w+__|transformed|init_value|missing_values)'",
    ),
    raised(
        "AttributeError",
        Cause.OLD_INTERFACE,
        "PyMC3 3.8 and later, ArviZ 1, to an older script",
        r"[Mm]odule '?(?:pymc3\.(?:stats|plots)[\w.]*'? has no attribute|"
        rf"pymc3(?:\.\w+)*'? has no attribute '(?:{_GONE})'|arviz[\w.]*'? has no attribute)",
    ),
    raised("\\w*ImportError|ModuleNotFoundError", Cause.OLD_INTERFACE, _TO_SCRIPT, rf"No module named '?pymc\.(?:\w+\.)*(?:{_GONE})\b"),
    raised("ImportError", Cause.OLD_INTERFACE, "ArviZ 1, to an older script", r"cannot import name '?\w+'? from '?arviz"),
    raised(
        "ValueError|NotImplementedError|TypeError",
        Cause.OLD_INTERFACE,
        "xarray, DataTree, to a script of PyMC3 or of ArviZ before 1",
        r"Invalid format for key|Selecting via tags|directly convert a DataTree",
        r"datatree|treenode",
    ),
    raised("KeyError", Cause.OLD_INTERFACE, "PyMC 4 to 6, sampling/mcmc.py: start=", "", r"\bstart\[i\]"),
    raised("KeyError", Cause.OLD_INTERFACE, _TO_SCRIPT, r"'\w+__'", r"pymc[\\/]"),
    raised("TypeError", Cause.OLD_INTERFACE, _TO_SCRIPT, r"unhashable type: 'dict'", r"pymc[\\/]model"),
    raised("AttributeError", Cause.OLD_INTERFACE, _TO_SCRIPT, r"'tuple' object has no", "", through=r"expand_packed_triangular"),
    raised("TypeError", Cause.OLD_INTERFACE, _TO_SCRIPT, r"'module' object is not callable", r"\bpm\.\w"),
    raised("TypeError", Cause.OLD_INTERFACE, _TO_SCRIPT, r"'str' object is not callable", r"pymc[\\/]smc"),
    raised("TypeError", Cause.OLD_INTERFACE, _TO_SCRIPT, r"(?:Marginal\w*|Latent\w*|TP|HSGP\w*)\.\w+\(\) missing \d"),
    raised(
        "KeyError", Cause.LIBRARIES, "JAX, _src/dtypes.py, and others: a dtype of a newer NumPy", r"KeyError: dtype\(", r"-packages[\\/]"
    ),
    raised("KeyError", Cause.OLD_INTERFACE, "ArviZ, InferenceData, to a script of PyMC3", "", r"inference_data\.py|datatree|xarray"),
    raised(
        "TypeError",
        Cause.OLD_INTERFACE,
        "a library of another release, to a script",
        r"unexpected keyword argument|got multiple values for|missing \d+ required (?:keyword-only|positional)|"
        r"takes .{1,40} positional argument",
        r"-packages[\/](?:pymc|pytensor|aesara|theano)[\/]|\n[^\n]*(?<![\w.])(?:pm|pymc3?|theano|tt|pt|at|aesara|pytensor|T|az|"
        r"arviz|keras)\.\w",
    ),
    raised("SystemError", Cause.LIBRARIES, "CPython, on a module in C", r"^\w*: initialization of (?P<what>\w+) (?:failed|raised)"),
    # graphs
    raised(
        "TypeError",
        Cause.MISSING_INPUT,
        f"{_ALL}, compile/function: a call",
        r"Missing required input: (?P<what>[^\n]{1,80})|Tried to provide value for implicit input",
    ),
    raised("MissingInputError", Cause.MISSING_INPUT, f"{_ALL}, graph/fg.py", r"(?s)(?:not provided|neither provided|.)"),
    raised("UnusedInputError", Cause.UNUSED_INPUT, f"{_ALL}, compile/function"),
    raised("DisconnectedInputError", Cause.DISCONNECTED, f"{_ALL}, gradient.py"),
    raised(
        "ValueError|TypeError|AttributeError|NullTypeGradError|DisconnectedType\\w*",
        Cause.DISCONNECTED,
        f"{_ALL}, gradient.py",
        r"not part of the computational graph of the cost|used only by a non-differentiable|DisconnectedType",
    ),
    raised(
        "NullTypeGradError|MethodNotDefined|NotImplementedError|AttributeError",
        Cause.NO_IMPLEMENTATION,
        f"{_ALL}, gradient.py",
        r"[Uu]ndefined grad|grad(?:ient)? (?:is |was )?not (?:yet )?(?:implemented|defined)|\bgrad\b.{0,40}not (?:implemented|defined)|"
        r"This variable is Null because|does not have a gradient|No (?:pullback|gradient) ",
    ),
    raised(
        "AttributeError",
        Cause.NO_IMPLEMENTATION,
        f"{_ALL}, gradient.py: an Op without a gradient",
        r"object has no attribute '(?:grad|L_op|pullback)'",
        r"gradient\.py",
    ),
    raised("MethodNotDefined", Cause.NO_IMPLEMENTATION, f"{_ALL}, graph/utils.py"),
    raised("TypeError", Cause.DTYPES, f"{_ALL}, gradient.py", r"\.grad illegally\s+returned an integer"),
    raised(
        "TypeError", Cause.NO_IMPLEMENTATION, "Theano 0.7 to 1.0.5, nanguardmode.py", r"ufunc 'is(?:nan|inf)'", through=r"nanguardmode\.py"
    ),
    raised("TypeError", Cause.LIBRARIES, "Theano of two releases", r"Outputs must be theano Variable[^\n]* of type <class 'theano\."),
    raised("NotImplementedError", Cause.REFUSED, "PyMC 4 to 6, data.py", r"Masked arrays or arrays with `nan`"),
    raised("AttributeError|KeyError", Cause.NO_IMPLEMENTATION, f"{_ALL}, back-ends", "", r"\A[^\n]*(?:jaxify|link[\\/]\w+[\\/]dispatch)"),
    raised(r"\w+", Cause.RECURSION, "CPython", r"maximum recursion depth exceeded"),
    raised(
        "AsTensorError|TypeError|NotImplementedError|ValueError|AttributeError|IndexError",
        Cause.SYMBOLIC,
        f"{_ALL}, tensor",
        r"Variables do not support boolean|Variables? .{0,20}cannot be (?:converted|used|interpreted)|to a tensor variable\b|"
        r"(?:Theano|symbolic|tensor) (?:variables?|expressions?) .{0,40}(?:truth|bool)|"
        rf"(?:'{_SYMBOL}' (?:object|and|has no)|and '{_SYMBOL}'|not '?{_SYMBOL}|type {_SYMBOL}\b|<class '[\w.]*{_SYMBOL}'>)|"
        r"TensorType does not support iteration|[Ee]xpected an array-like object, but found a Variable|"
        r"trying to call a function on a \(possibly shared\) variable|[Cc](?:annot|ould not) convert .{1,300} to (?:a )?TensorType|"
        r"[Uu]nable to convert .{1,200} to (?:a )?(?:Theano|symbolic|TensorVariable)|must be (?:a )?(?:[Tt]heano|symbolic|"
        r"Tensor)\w* ?[Vv]ariable|"
        r"must (?:be |have ){1,2}(?:an? )?X?Tensor(?:Type|Variable)|length (?:of .{1,60} )?(?:cannot be determined|"
        r"(?:is )?not known)|variable is not an? iter|(?:only accept|expects?|"
        r"Expected) .{0,60}Variable\w* (?:instances?|got)|type field must be a TensorType|`tf\.Tensor` as a Python `bool`",
    ),
    raised(
        "AttributeError",
        Cause.SYMBOLIC,
        f"{_ALL}: a value where they take a variable",
        r"'(?:numpy\.\w+|float|int|list|tuple|NoneType)' object has no attribute '(?:owner|broadcastable|dimshuffle)'",
    ),
    raised(
        "AttributeError",
        Cause.SYMBOLIC,
        "a tensor of TensorFlow or Keras, to Theano",
        rf"'{patterns.TENSOR}' object has no attribute",
        through=r"[/\\]theano[/\\]|Using TensorFlow backend",
    ),
    # processes and files
    raised(
        "\\w*Error|BrokenProcessPool",
        Cause.PICKLING,
        "CPython, pickle and multiprocessing",
        r"[Cc]an(?:'|no)t (?:pickle|get attribute)|could not be pickled|failed to un-serialize|[Cc]annot (?:be )?pickled?\b|"
        r"not (?:be )?pickl(?:e?able|ed)|Could not pickle|pickle .{0,60}local object|cannot serialize|must use protocol \d",
    ),
    raised("UnpicklingError", Cause.PICKLING, "CPython, pickle"),
    raised("IOError|OSError", Cause.PICKLING, "NumPy, npyio.py", r"Failed to interpret file"),
    raised(
        "ValueError|RuntimeError",
        Cause.REFUSED,
        "CPython, signal and asyncio: what only the main thread may do",
        r"only works in (?:the )?main thread|no current event loop in thread",
        advice="a server, a worker of Dask or Streamlit runs this in a thread: start it in a process of its own (subprocess, "
        "multiprocessing, concurrent.futures.ProcessPoolExecutor), or from the main thread",
    ),
    raised("ValueError|EOFError|TypeError", Cause.PICKLING, "CPython, marshal: code of another Python", r"marshal data"),
    raised(
        "EOFError|BrokenPipeError|Connection\\w+Error", Cause.PROCESS_LOST, "CPython", through=r"multiprocessing[\\/]connection|recv_draw"
    ),
    raised(
        "AssertionError",
        Cause.REFUSED,
        "CPython, multiprocessing/process.py",
        r"daemonic processes are not allowed to have children",
        advice="a worker of Celery, Dask or a Pool cannot start processes: use sample(cores=1) in it, or a worker that is not daemonic: "
        "celery --pool=solo or threads, Dask's distributed.worker.daemon=False",
    ),
    raised(
        "UnicodeDecodeError|UnicodeError",
        Cause.PICKLING,
        "CPython 3, pickle, with a file that Python 2 wrote",
        through=r"pickle|\.pkl|numpy[\\/]lib[\\/](?:npyio|format)|(?:np|numpy)\.load\(",
    ),
    raised("Unicode(?:Decode|Encode|Translate)Error", Cause.ENCODING, "CPython, codecs"),
    raised(
        "FileExistsError|FileNotFoundError|OSError|IOError|WindowsError",
        Cause.COMPILE_LOCK,
        f"{_ALL}, compiledir.py, cmodule.py and lazylinker_c.py: processes that start together, or one that clears the cache",
        r"(?:Errno 17|WinError 183)\][^\n]*compiledir|(?:Errno 2|WinError [23])\][^\n]*compiledir_[^\n]*[/\\](?:tmp|lock|[0-9a-f]{16})",
    ),
    raised(
        "\\w*(?:Error|Exception)|Exception", Cause.COMPILE_LOCK, f"{_ALL}, compilelock.py", "", r"(?:gof|compile|graph)[\\/]compilelock\.py"
    ),
    raised("RuntimeError", Cause.BLAS, f"{_ALL}, check_mkl_openmp", frame=r"\bin check_mkl_openmp\b"),
    raised(
        "(?!KeyError|MemoryError|NotImplementedError|TypeError|KeyboardInterrupt|AttributeError|UnicodeDecodeError|MissingInputError|ModuleNotFoundError)\\w*(?:Error|Exception)",
        Cause.COMPILER,
        f"{_ALL}, cmodule.py",
        r"\A(?!.*(?:blas|BLAS|numpy|No space left|[Dd]isk quota|undefined symbol|cannot allocate memory|Cannot allocate|longintrepr|"
        r"Errno (?:13|17|30|39|116)\]))",
        r"(?:gof|link[\\/]c)[\\/](?:cmodule|lazylinker_c|cutils|basic)\.py",
    ),
    raised(
        "ImportError", Cause.COMPILER, "Theano, gof/cutils.py: an old module in the cache", r"name '?(?:inplace_increment|run_cthunk)\b"
    ),
    raised("PermissionError|OSError|IOError", Cause.COMPILER, f"{_ALL}, cmodule.py", r"try_(?:march|flags|blas)|theano_compil"),
    raised(
        "FileNotFoundError|PermissionError|OSError|IOError|WindowsError",
        Cause.COMPILER,
        f"CPython, subprocess, for {_ALL}",
        frame=r"subprocess\.py|Popen\(|check_(?:output|call)\(",
        through=r"(?:gof|link[\\/]c|theano|aesara|pytensor)[\\/](?:cmodule|compiledir|configdefaults|misc|nvcc_compiler|lazylinker)|call_subprocess_Popen",
    ),
    raised(
        "FileNotFoundError|OSError|IOError|WindowsError",
        Cause.COMPILER,
        "CPython, subprocess",
        r"'?(?:g\+\+|gcc|clang(?:\+\+)?|nvcc|cl(?:\.exe)?|ptxas)'?\s*$",
    ),
    raised(
        "ValueError|TypeError", Cause.CONFIGURATION, f"{_ALL}, tensor/blas.py: blas.ldflags", "ldflags_str", r"\bin _?ldflags(?:\(|\s|$)"
    ),
    raised(
        "FileNotFoundError|NotADirectoryError|OSError|WindowsError",
        Cause.BLAS,
        f"{_ALL}, tensor/blas.py: the folders of blas.ldflags",
        frame=r"\bin _?ldflags(?:\(|\s)",
    ),
    raised(
        "FileNotFoundError|HTTPError|URLError|ConnectionError|SSLError|IsADirectoryError|NotADirectoryError|FileExistsError|TimeoutError|ConnectTimeout|ReadTimeoutError|MaxRetryError|NewConnectionError|ProxyError|gaierror",
        Cause.FILE_ACCESS,
        "CPython and the system",
        r"\A(?![^\n]{0,400}(?:compiledir|WinError 126|Could not find module|: cannot open shared))",
    ),
    raised("RuntimeError", Cause.FILE_ACCESS, "numba, core/caching.py", r"cannot cache function"),
    raised(
        "KeyError",
        Cause.LIBRARIES,
        "PyMC3, plots and stats, which call ArviZ",
        advice="pymc3 and the arviz that it calls do not match: pip install -U arviz, or install the release that pymc3's requirements "
        "name",
        through=r"pymc3[\\/](?:plots|stats)[\\/]__init__\.py",
    ),
    raised(
        "KeyError",
        Cause.REFUSED,
        "pandas and xarray: no such column or label",
        "",
        r"(?:pandas|xarray)[\\/](?:core[\\/])?(?:_libs|index|src)",
    ),
    raised(
        "PermissionError|OSError|IOError",
        Cause.FILE_ACCESS,
        "the system",
        r"Errno (?!8\b|12\b|28\b|32\b|122\b)\d+\]|WinError (?:2|3|4|5|32)\]|(?<!shared object file: )No such file or directory|"
        r"Permission denied|Unable to open file|unable to open file",
    ),
    raised("OSError", Cause.LIBRARIES, "Windows", r"WinError (?:126|127|193|1114)\]|Could not find module|: cannot open shared"),
    # shapes and dtypes of models
    raised("TypeError", Cause.DTYPES, f"{_ALL}, tensor", r"Expected an integer|must be (?:an )?integers?\b"),
    raised("ShapeError", Cause.SHAPES, f"{_PYMC}, exceptions.py"),
    raised(
        "ValueError|KeyError|TypeError|MissingDimensions\\w*|MergeError|AlignmentError",
        Cause.SHAPES,
        f"{_PYMC} and xarray: dims and coords",
        r"\b[Dd]im(?:ension)?s?\b|\b[Cc]oord\w*",
        r"(?:pymc3?|arviz|xarray|arviz_base)[\\/]",
    ),
    raised("KeyError", Cause.REFUSED, f"{_PYMC}, model: no such variable", "", r"pymc3?[\\/]model|\bnamed_vars\["),
    raised("AxisError", Cause.SHAPES, "NumPy"),
    raised(
        "TypeError|ValueError",
        Cause.SHAPES,
        f"{_ALL}, tensor/elemwise.py and type.py",
        r"broadcastable (?:pattern of the input|dimension\b)",
    ),
    raised("AttributeError", Cause.LIBRARIES, "Lasagne 0.1, to nolearn and older scripts", r"Layer' object has no attribute 'get_output"),
    raised("ExecutableNotFound", Cause.LIBRARIES, "graphviz, backend/execute.py"),
    raised("InvalidVersion", Cause.LIBRARIES, "packaging, version.py"),
    raised("error", Cause.SHAPES, "SciPy, NumPy's f2py: checks of BLAS and LAPACK", r"failed for \d\w\w (?:keyword|argument)"),
    raised("ValueError", Cause.REFUSED, "PyMC 4 to 6, pytensorf.py", r"Random variables detected in the logp graph"),
    raised(
        "AttributeError",
        Cause.LIBRARIES,
        "an object of a library's code in C, to a package of another time",
        r"'(?!jaxlib)[a-z]\w*\.(?:\w+\.)+\w+' object has no attribute",
        r"-packages[/\\]",
    ),
    raised("AttributeError|ImportError", Cause.LIBRARIES, "JAX, _src/deprecations.py", frame=r"jax[/\\]_src[/\\]deprecations\.py"),
    raised(
        "AttributeError", Cause.REFUSED, f"{_ALL}, compile/function_module.py", r"\A[^\n]{0,40}Bad input argument (?:with name |to theano)"
    ),
    # a library's own fault
    raised(
        "SyntaxError",
        Cause.PYTHON_TOO_NEW,
        "a library that uses a word which Python 3.7 reserved, or Python 2's syntax",
        frame=rf"\A[^\n]*-packages[/\\][^\n]*\n[^\n]*(?:{patterns.OLD_SYNTAX})",
    ),
    raised(
        "NameError|UnboundLocalError|SyntaxError|IndentationError|TabError",
        Cause.LIBRARIES,
        "a library whose code does not fit this Python, or has a fault",
        frame=r"\A[^\n]*-packages[/\\]",
    ),
    raised("AttributeError", Cause.LIBRARIES, "JAX, to code in C", r"'(?:ArrayImpl|DeviceArray)' object has no attribute", r"\.pyx\b"),
    raised(
        "(?:Attribute|Type|Name|Index|Key)Error",
        Cause.LIBRARY_FAULT,
        "nutpie, whose Rust code lists what Python raised below it",
        through=r"\nCaused by:[ \t]*\n",
        advice="install the newest nutpie, pymc and pytensor (pip install -U nutpie pymc); sample without nuts_sampler='nutpie' shows "
        "whether it is the model",
    ),
    raised("ComplexError", Cause.DTYPES, f"{_ALL}, scalar/basic.py"),
    raised(
        "Nvrtc\\w*Error|NvvmError|LinkerError|Compil(?:e|ation)Exception", Cause.COMPILER, "numba, cuda/cudadrv; CuPy, cuda/compiler.py"
    ),
    raised("\\w*(?:Error|Exception)", Cause.SYMBOLIC, "JAX, _src/core.py, under jax_check_tracer_leaks", r"\bLeaked (?:trace|sub|level)"),
    # numba: what its compiler raises, whatever it says
    raised(
        "(?:Typing|Lowering|Compiler|Verification|Unsupported\\w*|Numba\\w*|ConstantInference|UntypedAttribute)Error|RequireLiteralValue",
        Cause.NO_IMPLEMENTATION,
        "numba, core/errors.py",
    ),
    raised(
        "NotImplementedError|AbstractMethodError",
        Cause.NO_IMPLEMENTATION,
        "a library that does not have what was asked for",
        frame=r"\A[^\n]*(?:-packages[/\\]|[/\\](?:theano|aesara|pytensor|pymc3?|pylearn2)[/\\])(?!(?:\w+[/\\])?(?:configparser|configdefaults|compile[/\\]function))",
    ),
)
"""The first matching entry applies. The patterns come from the named projects, and from errors of the real libraries."""
