"""Finds the cause of an exception that ends a script, and what to do: this layer, NumPy, Python 2, a missing package, a GPU and so on.

The type and text of the exception and the file that raised it decide; otherwise the cause is reported as unknown. `--explain` also lists,
at exit, which legacy names the script used and which objects served them.
"""

import atexit
import errno
import functools
import os
import re
import shlex
import sys
import traceback
from types import ModuleType, TracebackType
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple, Type

from .. import modules
from ..libraries import distributions, removed_modules, removed_names

_served: Dict[str, str] = {}


def _described(value: object, name: str) -> str:
    """A short description of `value`: its module and qualified name."""
    here = getattr(value, "__module__", None) or getattr(type(value), "__module__", "") or ""
    own = ".compat." in here or here.startswith("_theanodiag_compat")
    called = getattr(value, "__qualname__", None) or getattr(value, "name", None) or type(value).__name__
    return ("this layer's own " if own else "") + "{}.{}".format(here.replace("_theanodiag_compat", "theanodiag.compat"), called)


def at_exit(done: Dict[str, Any]) -> None:
    """Records each legacy name resolved from now on, and prints them to stderr at the end of this process, unless it ends in an exception.

    `done` is the description returned by `install`; its flags are listed too.
    """
    plain = modules.resolve
    pid = os.getpid()

    def resolve(root: str, name: str) -> object:
        value = plain(root, name)
        if not isinstance(value, ModuleType):
            _served[root + "." + name] = _described(value, name)
        return value

    modules.resolve = resolve

    def listed() -> None:
        if os.getpid() != pid or failed:
            return
        lines = ["", "theanodiag: what this script used"]
        lines += ["  {:45} {}".format(name, what) for name, what in sorted(_served.items())]
        lines += ["  {:45} {}".format(flag, "dropped: this flag no longer exists") for flag in done["dropped"]]
        lines += ["  {:45} {}".format(name, value) for name, value in done["flags"].items()]
        for name in sorted(n for n in sys.modules if n.endswith(".running.python2")):
            lines += ["  {:45} {}".format(path, "translated from Python 2") for path in sys.modules[name].translated]
        for name in sorted(n for n in sys.modules if n.endswith(".compat.behaviour.modes") or n == "_theanodiag_compat.behaviour.modes"):
            lines += ["  {:45} {}".format(f, "runs in C: JAX cannot compute it") for f in sys.modules[name].fallen_back]
        sys.stderr.write("\n".join(lines) + "\n")

    atexit.register(listed)


LAYER_LACKS = 5
"""Exit code of `run --explain` for a script that this layer or PyTensor keeps from running as it did on Theano."""
LAYER = "this layer's"
NOT_SERVED = "this layer's, unless Theano 1.0.5 rejects it too"
PYTHON2 = "Python 2's"
NUMPY = "NumPy's"
LIBRARY = "a newer library's"
PYTHON = "a newer Python's"
PACKAGE = "a missing package"
FILE = "a missing file"
GPU = "a GPU's"
MEMORY = "a lack of memory"
SCRIPT = "the script's own"
UNKNOWN = "not known"
"""Whose fault."""


class Failure(NamedTuple):
    """Why a script ended."""

    whose: str
    """Whose fault it is, one of the constants above."""
    why: str
    """The reason, a sentence without its full stop."""
    advice: str
    """What to do; "" where there is nothing to say."""


_PYTHON2_NAMES = frozenset(
    "xrange unicode raw_input basestring long unichr reduce file cmp execfile reload buffer apply intern coerce".split()
)
_PYTHON2_TEXTS = (
    r"object has no attribute '(iteritems|itervalues|iterkeys|has_key|viewitems|decode|next)'",
    r"(dict|odict)_(keys|values|items)\b.*(not subscriptable|has no attribute|unsupported|pickle)",
    r"unsupported operand type\(s\) for [-+*]: .*'(odict_|dict_)?(keys|items|values|range|map|filter|zip)'",
    r"'(map|zip|filter)' object (is not subscriptable|has no attribute)",
    r"object of type '(map|zip|filter|dict_keys)' has no len\(\)",
    r"a bytes-like object is required, not 'str'", r"write\(\) argument must be str, not bytes", r"can't concat str to bytes",
    r"can only concatenate str \(not \"bytes\"\)",
    r"module 'string' has no attribute '(letters|lowercase|uppercase|maketrans|join|split|strip|replace|ato[ifl])'",
    r"'<' not supported between instances of '\w+' and '\w+'", r"'cmp' is an invalid keyword argument",
)  # fmt: skip
"""Messages of CPython 3 for code that is valid in CPython 2.7."""
_DIVISION_TEXTS = (
    r"list indices must be integers or slices, not float", r"'float' object cannot be interpreted as an integer",
    r"slice indices must be integers", r"can't multiply sequence by non-int of type 'float'",
)  # fmt: skip
"""Messages caused by `7 / 2`, which is 3 in Python 2."""
_NUMPY_TEXTS = {
    r"inhomogeneous shape": "the same command with --fix-numpy, or write dtype=object where rows have unequal lengths",
    r"setting an array element with a sequence": "write dtype=object where rows have unequal lengths",
    r"allow_pickle=False": "the same command with --fix-numpy: np.load reads pickles as it did",
    r"arrays to stack must be passed as a": "the same command with --fix-numpy: np.vstack takes generators as it did",
    r"binary mode of fromstring": "the same command with --fix-numpy: np.fromstring takes bytes as it did",
    r"histogram\w*\(\) got an unexpected keyword argument 'normed'": "the same command with --fix-numpy",
    r"out of bounds for u?int\d+": "np.array(...).astype(...), which wraps around as NumPy 1 did",
    r"Using a non-tuple sequence for multidimensional|unhashable type: 'slice'": "x[tuple(index)] for x[index]",
}
_MISUSE = re.compile(
    r"unexpected keyword argument|required positional argument|positional arguments? but|takes no (keyword )?arguments|no attribute"
)
_INTERNAL = (AttributeError, KeyError, NameError, NotImplementedError, UnboundLocalError, RecursionError)


def _frames(error: BaseException) -> List[Tuple[str, int, str]]:
    """(file, line, source) of the calls in the traceback of `error`, innermost last."""
    return [(f.filename.replace("\\", "/"), f.lineno or 0, f.line or "") for f in traceback.extract_tb(error.__traceback__)]


def _ours(file: str) -> bool:
    """Whether `file` belongs to this layer or to the framework on which it is based."""
    return any(part in file for part in ("/theanodiag/compat/", "/pytensor/", "/aesara/")) and "/compat/running/" not in file


@functools.lru_cache(maxsize=None)
def _holds_packages(folder: str) -> bool:
    """Whether pip has installed packages into `folder`."""
    try:
        return any(name.endswith((".dist-info", ".egg-info")) for name in os.listdir(folder))
    except OSError:
        return False


def _third_party(file: str) -> bool:
    """Whether `file` belongs to an installed package."""
    if "site-packages" in file or "dist-packages" in file:
        return True
    folders = [entry for entry in sys.path if entry and file.startswith(entry.replace("\\", "/") + "/")]
    return any(_holds_packages(entry) for entry in folders if os.path.dirname(file) != entry.replace("\\", "/"))


def _users(file: str) -> bool:
    """Whether `file` is one of the script's own files: neither installed nor in the standard library."""
    standard = os.path.dirname(os.__file__).replace("\\", "/")
    return not (_ours(file) or _third_party(file) or file.startswith((standard, "<frozen")) or "/compat/running/" in file)


def place(error: BaseException) -> str:
    """Returns `file:line source` of the innermost call in the script; empty if unknown."""
    frames = [frame for frame in _frames(error) if _users(frame[0])]
    return "{}:{}  {}".format(*frames[-1]).rstrip() if frames else ""


def _of_module(error: BaseException, text: str, frames: List[Tuple[str, int, str]]) -> Optional[Failure]:
    """Recognises a module that cannot be imported."""
    name = getattr(error, "name", None) or ""
    root = name.partition(".")[0]
    if not isinstance(error, ModuleNotFoundError) or not root:
        return None
    if root in distributions.GPU_MODULES or name in distributions.GPU_MODULES:
        return Failure(GPU, "{} works only on a GPU".format(name), _FOR_GPU)
    if root in distributions.PYTHON2_MODULES:
        return Failure(PYTHON2, "the module {} has another name in Python 3".format(name), _TRANSLATE)
    if root == "pymc3":
        return Failure(PACKAGE, "pymc3 is not installed, nor PyMC 5 or newer, on which it runs", _install("pymc"))
    if root in removed_modules.REMOVED_MODULES:
        return Failure(PYTHON, "CPython {} removed the module {}".format(removed_modules.REMOVED_MODULES[root], root), _removed(root))
    if "." in name and root in sys.modules and not _users(getattr(sys.modules[root], "__file__", None) or ""):
        return _lacking(root, "the module " + name)
    package = distributions.DISTRIBUTIONS.get(root, root)
    return Failure(
        PACKAGE, "the module {} is not installed".format(name),
        "{} -m pip install {}; or add the folder that contains it to PYTHONPATH".format(sys.executable, package),
    )  # fmt: skip


def _removed(module: str) -> str:
    """How to do without a module that CPython removed; the package of its name on PyPI is another one."""
    if module == "imp":
        return "the same command with --fix-numpy, which provides it"
    if module == "distutils":
        return _install("setuptools") + ": setuptools brings it back"
    return "name an interpreter of an older Python with --python, or take it out of the script"


def _install(package: str) -> str:
    """How to install a package in this interpreter, or to do without."""
    return "{} -m pip install {}, or name an interpreter that has it with --python".format(sys.executable, package)


def lacks_pymc(error: BaseException) -> str:
    """Returns the one line that replaces the traceback of a script of PyMC3 if no PyMC is installed; else empty."""
    if not isinstance(error, ModuleNotFoundError) or (error.name or "").partition(".")[0] != "pymc3":
        return ""
    where = place(error).partition("  ")[0]
    explanation = explained(error)
    return "{}{}: {}".format(where and where + ": ", explanation.why, explanation.advice)


def _of_counterpart(error: BaseException, text: str, frames: List[Tuple[str, int, str]]) -> Optional[Failure]:
    """Recognises a name of Theano that this layer does not serve."""
    if type(error).__module__ != "theanodiag.compat":
        return None
    why, _, advice = text.partition("; instead: ")
    return Failure(GPU if "GPU back-end" in why else SCRIPT if "no release of" in why else LAYER, why, advice)


def _of_gpu(error: BaseException, text: str, frames: List[Tuple[str, int, str]]) -> Optional[Failure]:
    """Recognises code that requires a GPU."""
    if re.search(r"no CUDA back-end|no pygpu back-end|cuDNN|\bCUDA\b|requires GPU support", text):
        return Failure(GPU, "it needs a GPU through Theano's own back-end: " + _first(text), _FOR_GPU)
    return None


def _of_python2(error: BaseException, text: str, frames: List[Tuple[str, int, str]]) -> Optional[Failure]:
    """Recognises code that is valid only in Python 2."""
    if _translated():
        return None
    name = re.match(r"(?:global )?name '(\w+)' is not defined", text) if isinstance(error, NameError) else None
    if name and name.group(1) in _PYTHON2_NAMES:
        return Failure(PYTHON2, "{} exists only in Python 2".format(name.group(1)), _TRANSLATE)
    users = bool(frames) and not _ours(frames[-1][0])
    if users and isinstance(error, (TypeError, AttributeError)) and any(re.search(t, text) for t in _PYTHON2_TEXTS):
        return Failure(PYTHON2, "Python 2 accepted this: " + _first(text), _TRANSLATE)
    if users and isinstance(error, TypeError) and any(re.search(t, text) for t in _DIVISION_TEXTS):
        return Failure(PYTHON2, "a float where an integer is needed, such as 7 / 2, which is 3 in Python 2: " + _first(text), _TRANSLATE)
    return None


_METHODS = {
    "itemset": "array[index] = value", "tostring": "array.tobytes()", "fromstring": "numpy.frombuffer", "ptp": "numpy.ptp(array)",
    "newbyteorder": "array.view(array.dtype.newbyteorder(order))",
}  # fmt: skip
"""Methods of arrays that NumPy 2 removed -> what to write."""


def _of_library(error: BaseException, text: str, frames: List[Tuple[str, int, str]]) -> Optional[Failure]:
    """Recognises a name or an argument that NumPy, another library or CPython removed."""
    removed = re.match(r"module '([\w.]+)' has no attribute '(\w+)'", text) or re.match(r"cannot import name '(\w+)' from '([\w.]+)'", text)
    if isinstance(error, RuntimeError) and isinstance(error.__cause__, StopIteration):
        return Failure(
            PYTHON,
            "since CPython 3.7 a StopIteration does not end a generator: " + text,
            "return there, instead",
        )
    told = re.match(r"`np\.(\w+)` was removed in ", text)
    words = set(removed.groups()) if removed else {"numpy", told.group(1)} if told else None
    row = next((r for r in removed_names.TABLE if {r.module, r.name} == words), None)
    if row:
        whose = PYTHON if row.since.startswith("CPython") else NUMPY if row.module.startswith("numpy") else LIBRARY
        return Failure(whose, "{}.{} was removed in {}".format(row.module, row.name, row.since), "the same command with --fix-numpy")
    if told:
        return Failure(NUMPY, _first(text), "write what the message says")
    advice = next((advice for pattern, advice in _NUMPY_TEXTS.items() if re.search(pattern, text)), "")
    if advice:
        return Failure(NUMPY, "current NumPy rejects it: " + _first(text), advice)
    if isinstance(error, (AttributeError, ImportError)) and not text.startswith("partially initialized"):
        name = getattr(error, "name", None) if isinstance(error, AttributeError) else removed and removed.group(1)
        holder: Any = getattr(error, "obj", None)
        of = holder.__name__ if isinstance(holder, ModuleType) else removed.group(2) if removed else str(type(holder).__module__)
        owner = holder if isinstance(holder, type) else type(holder)
        where = "" if isinstance(holder, ModuleType) or removed else owner.__name__ + "."
        return _lacking(of, where + name, _METHODS.get(name, "")) if name and (holder is not None or removed) else None
    if isinstance(error, TypeError) and "unexpected keyword argument" in text:
        function = _called(error)
        return _lacking(str(getattr(function, "__module__", "")), "this argument: " + _first(text)) if function is not None else None
    return None


def _lacking(module: str, what: str, advice: str = "") -> Optional[Failure]:
    """What to say of a name or argument that `module` does not have; None if it is no library, or the layer's or the framework's own."""
    root = module.partition(".")[0]
    file = (getattr(sys.modules.get(root), "__file__", None) or "").replace("\\", "/")
    if root not in sys.modules or root in ("builtins", "__main__", "theano", "theanodiag") or (file and (_users(file) or _ours(file))):
        return None
    version = str(getattr(sys.modules.get(root), "__version__", "")) if file else ""
    release = " ".join(filter(None, (root, version))) if _third_party(file) else "CPython {}.{}".format(*sys.version_info[:2])
    whose = NUMPY if root == "numpy" else LIBRARY if _third_party(file) else PYTHON
    advice = advice or "see the release notes of {}, or install the release for which the script was written".format(
        release.partition(" ")[0]
    )
    return Failure(whose, "{} does not have {}; if an older release had it, it was removed or renamed".format(release, what), advice)


def _called(error: BaseException) -> Any:
    """The function whose call in the last line of the script raised `error`; None if the line does not name it."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    name = str(error).partition("(")[0].rpartition(".")[2]
    line = _frames(error)[-1][2] if trace is not None else ""
    found = re.search(r"([A-Za-z_][\w.]*\.)?{}\s*\(".format(re.escape(name)), line) if name.isidentifier() else None
    if found is None or trace is None:
        return None
    names = found.group(0).rstrip("( ").split(".")
    value: Any = {**trace.tb_frame.f_globals, **trace.tb_frame.f_locals}.get(names[0])
    for part in names[1:]:
        value = getattr(value, part, None)
    return value


def _of_file(error: BaseException, text: str, frames: List[Tuple[str, int, str]]) -> Optional[Failure]:
    """Recognises a file that does not exist or cannot be loaded from the network."""
    if isinstance(error, OSError) and error.errno == errno.ENOENT:
        return Failure(
            FILE,
            "there is no {}".format(error.filename),
            "put the data there; a relative path starts in the working folder, " + os.getcwd(),
        )
    if type(error).__name__ in ("URLError", "HTTPError", "ConnectionError", "gaierror", "IncompleteRead"):
        return Failure(
            FILE, "it could not be loaded from the network: " + _first(text), "download it by hand, and put it where the script looks first"
        )
    return None


def _of_memory(error: BaseException, text: str, frames: List[Tuple[str, int, str]]) -> Optional[Failure]:
    """Recognises a lack of memory."""
    is_memory = isinstance(error, MemoryError) or "RESOURCE_EXHAUSTED" in text
    return Failure(MEMORY, _first(text) or "memory ran out", "theanodiag check SCRIPT shows what takes it") if is_memory else None


def _of_syntax(error: BaseException, text: str, frames: List[Tuple[str, int, str]]) -> Optional[Failure]:
    """Recognises a source that this Python cannot parse, of the script (Python 2 is translated before) or of an installed package."""
    if not isinstance(error, SyntaxError) or not error.filename:
        return None
    where = "{}, line {}, is not valid Python {}.{}: {}".format(error.filename, error.lineno, *sys.version_info[:2], error.msg)
    if _users(error.filename.replace("\\", "/")):
        return Failure(SCRIPT, where, "")
    return Failure(PYTHON, where, "install a newer release of that package, or name an interpreter of an older Python with --python")


def _of_layer(error: BaseException, text: str, frames: List[Tuple[str, int, str]]) -> Optional[Failure]:
    """Recognises differences of this layer or of PyTensor from Theano."""
    inside = bool(frames) and _ours(frames[-1][0])
    owner = str(type(getattr(error, "obj", None)).__module__)
    if isinstance(error, AttributeError) and (
        owner.startswith(("pytensor.", "aesara.")) or ".compat." in owner or "_theanodiag_compat" in owner
    ):
        return Failure(NOT_SERVED, "it is not provided: " + _first(text), _REPORT)
    if isinstance(error, NotImplementedError) and (inside or "pytensor" in type(error).__module__):
        return Failure(LAYER, _first(text), _OTHER_MODE)
    if inside and (isinstance(error, _INTERNAL) or (isinstance(error, TypeError) and _MISUSE.search(text))):
        return Failure(LAYER, "it failed inside {}: {}".format("/".join(frames[-1][0].split("/")[-3:]), _first(text)), _REPORT)
    if isinstance(error, TypeError) and _MISUSE.search(text) and ("theano." in frames[-1][2] or "T." in frames[-1][2] if frames else False):
        return Failure(NOT_SERVED, "an argument is not supported: " + _first(text), _REPORT)
    return None


def floats_advice(setting: str, message: str) -> str:
    """Returns what to do about a TypeError whose message shows float64 where float32 is required, if floatX is float64; else empty.

    The rc file of the old machine probably set floatX=float32. `setting` is how that flag is set: `THEANO_FLAGS=floatX=float32`.
    """
    if "TensorType(float64" not in message or "TensorType(float32" not in message:
        return ""
    return "the same command with " + setting + ": the script has float32 arrays, but floatX is float64 here"


def _of_floats(error: BaseException, text: str, frames: List[Tuple[str, int, str]]) -> Optional[Failure]:
    """Recognises an error caused by floatX, which the rc file of the old machine set."""
    seen = os.environ.get("THEANO_FLAGS", "")
    setting = "THEANO_FLAGS=" + shlex.quote(",".join(filter(None, (seen, "floatX=float32"))))
    advice = floats_advice(setting, text) if isinstance(error, TypeError) and _double() else ""
    return Failure(SCRIPT, "it mixes float32 and float64; the .theanorc of its old machine probably set floatX", advice) if advice else None


def _double() -> bool:
    """Whether floatX is float64."""
    loaded = [sys.modules[name] for name in ("pytensor", "aesara") if name in sys.modules]
    return any(getattr(getattr(framework, "config", None), "floatX", "") == "float64" for framework in loaded)


def _translated() -> bool:
    """Whether the script is already translated from Python 2."""
    return bool(sys.modules.get("_theanodiag_compat.running.python2")) and bool(
        sys.modules["_theanodiag_compat.running.python2"]._project[0]
    )


def _first(text: str) -> str:
    """The first line of `text`, cut to 160 characters."""
    line = text.strip().partition("\n")[0]
    return line if len(line) <= 160 else line[:157] + "..."


_TRANSLATE = "the same command with --python2: the script's files are translated in memory"
_FOR_GPU = "to use a GPU: run --mode jax, with a JAX for CUDA; remove code for Theano's own GPU back-end"
_OTHER_MODE = "the same command with --mode c, or --mode jax; if neither works, report it with the traceback"
_REPORT = "if it runs on Theano 1.0.5, report it with the traceback"
_KINDS: Tuple[Callable[[BaseException, str, List[Tuple[str, int, str]]], Optional[Failure]], ...] = (
    _of_floats, _of_syntax, _of_counterpart, _of_module, _of_gpu, _of_python2, _of_layer, _of_library, _of_file, _of_memory,
)  # fmt: skip


def explained(error: BaseException) -> Failure:
    """Returns the cause of the exception that ends the script, and what to do."""
    frames, text = _frames(error), str(error)
    for kind in _KINDS:
        explanation = kind(error, text, frames)
        if explanation is not None:
            return explanation
    if frames and _users(frames[-1][0]):
        return Failure(SCRIPT, "{} in the script: {}".format(type(error).__name__, _first(text)), "")
    where = "PyTensor or this layer" if frames and _ours(frames[-1][0]) else "an installed package"
    return Failure(
        UNKNOWN, "{} rejects this ({}): {}".format(where, type(error).__name__, _first(text)),
        "if Theano 1.0.5 accepts it, report it with the traceback",
    )  # fmt: skip


def screen(error: BaseException) -> str:
    """Returns the explanation of `error` as a few lines of text."""
    explanation = explained(error)
    rows = [("whose fault", explanation.whose), ("why", explanation.why), ("where", place(error)), ("what to do", explanation.advice)]
    return "theanodiag: why the script stopped\n" + "".join("  {:12} {}\n".format(name, value) for name, value in rows if value)


def of_trace(error: BaseException, trace: Optional[TracebackType]) -> BaseException:
    """Returns `error` with its traceback attached, which Python passes to an exception hook separately."""
    return error if error.__traceback__ is not None else error.with_traceback(trace)


failed: List[str] = []
"""The cause of the exception that ended the script, if any."""
status: List[int] = []
"""The exit code of this process if it differs from Python's."""


def advice(error: BaseException) -> str:
    """Returns what to do about an exception that ends a script, if a flag or an option of `run` is sufficient; else empty."""
    explanation = explained(error)
    return explanation.advice if explanation.advice.startswith("the same command") and explanation.whose != LAYER else ""


def at_error(explain: bool) -> None:
    """Prints the advice, if there is any, after Python's own output for the exception that ends the script.

    With `explain`, prints the cause too; if the layer is the cause, the process ends with the status LAYER_LACKS.
    """
    before, process = sys.excepthook, os.getpid()

    def hook(kind: Type[BaseException], error: BaseException, trace: Optional[TracebackType]) -> None:
        error = of_trace(error, trace)
        line = lacks_pymc(error)
        if line and not explain:
            sys.stderr.write("theanodiag: " + line + "\n")
            return
        before(kind, error, trace)
        if not isinstance(error, Exception):
            return
        if explain:
            sys.stderr.write(screen(error))
            failed.append(explained(error).whose)
            if failed[0] in (LAYER, NOT_SERVED) and os.getpid() == process:
                status.append(LAYER_LACKS)
            return
        text = advice(error)
        if text:
            sys.stderr.write("theanodiag: next: " + text + "\n")

    def end() -> None:
        if status and os.getpid() == process:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status[0])

    # PyTensor sets a hook of its own at its import, which ends in `sys.__excepthook__` (link/utils.py, `thunk_hook`).
    sys.excepthook = sys.__excepthook__ = hook
    atexit.register(end)  # the first that is registered runs last
