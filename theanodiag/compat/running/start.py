"""Sets up a process of `theanodiag run`: alias modules, mode, removed names and Python 2 sources."""

import importlib
import importlib.util
import json
import logging
import os
import shutil
import sys
import traceback
import warnings
from typing import Any, Dict, Sequence

from .. import environment, finder, supported_releases
from .. import install as compat
from ..install import installed, serves_pymc3
from . import lending
from .failures import at_error

MODES = {
    "jax": {"pytensor": "mode=JAX", "aesara": "mode=JAX"},
    "c": {"pytensor": "mode=Mode,linker=cvm", "aesara": "mode=Mode,linker=cvm"},
    "numba": {"pytensor": "mode=NUMBA", "aesara": "mode=NUMBA"},
    "torch": {"pytensor": "mode=PYTORCH", "aesara": "mode=Mode"},
}
"""Value of --mode -> flags of each framework that may replace Theano."""
NEEDED = {"jax": "jax", "numba": "numba", "torch": "torch"}
"""Mode -> package that it needs."""
SHOWN = {"pytensor": "PyTensor", "aesara": "Aesara", "theano": "Theano"}
"""Name of a framework's package -> its name as shown to the user."""


class CannotRun(Exception):
    """Raised if the script cannot be started; its text is `what|what to do`."""


def has(package: str) -> bool:
    """Returns whether `package` is installed; does not import it."""
    try:
        return importlib.util.find_spec(package) is not None
    except (ImportError, ValueError):
        return False


def compiler() -> bool:
    """Returns whether there is a C++ compiler: the flag cxx of PYTENSOR_FLAGS, else g++ or clang++ on PATH."""
    flags = dict(environment.parse(os.environ.get("PYTENSOR_FLAGS", "")))
    return bool(flags["cxx"]) if "cxx" in flags else any(shutil.which(name) for name in ("g++", "clang++"))


def choose(wanted: str) -> str:
    """Returns the mode for `--mode wanted`. Raises CannotRun if the required package is missing."""
    if wanted != "auto":
        if wanted in NEEDED and not has(NEEDED[wanted]):
            raise CannotRun("--mode {0} needs the package {1}, which {2} does not have|install {1} there, or leave --mode out".format(
                wanted, NEEDED[wanted], sys.executable))  # fmt: skip
        return wanted
    if has("jax") and has("jaxlib"):
        return "jax"
    return "c" if compiler() or not has("numba") else "numba"


def sets_mode(target: str) -> bool:
    """Returns whether the flags variable of the framework `target` sets a mode or a linker."""
    names = [name for name, _ in environment.parse(os.environ.get(target.upper() + "_FLAGS", ""))]
    return "mode" in names or "linker" in names


def set_mode(wanted: str, target: str) -> str:
    """Adds the mode to the flags variable of `target`. Returns the mode's name; with "auto" the user's own flags take precedence."""
    variable = target.upper() + "_FLAGS"
    if wanted == "auto" and sets_mode(target):
        return "as the flags say"
    chosen = choose(wanted)
    flags = [os.environ.get(variable, ""), MODES[chosen][target]]
    os.environ[variable] = ",".join(flag for flag in flags if flag)
    return {"jax": "JAX", "c": "C", "numba": "numba", "torch": "PyTorch"}[chosen]


EXPORT_NEEDS = {"stablehlo": ("jax", "flatbuffers"), "onnx": ("jax", "jax2onnx", "onnxruntime")}
"""Format of `theanodiag export` -> what it imports besides PyTensor."""


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _first(settings: Dict[str, Any]) -> None:
    """Sets up the script's own process: selects the mode and prints one line that says what runs instead of what."""
    done = compat("pytensor")
    aliases: Dict[str, str] = done["aliases"]  # type: ignore[assignment]
    if done["refused"]:
        raise CannotRun(done["refused"])
    if not aliases and not installed("theano") and not installed("aesara"):
        oldest = ".".join(map(str, supported_releases.OLDEST))
        raise CannotRun("neither Theano nor PyTensor is installed for {}|install pytensor>={} there (pymc for a script of PyMC3), or name "
                        "another interpreter with --python".format(sys.executable, oldest))  # fmt: skip
    target = aliases.get("theano") or aliases.get("aesara")
    if settings.get("export"):
        needed = EXPORT_NEEDS[settings["export"]["format"]]
        lacking = [name for name in needed if not has(name)] + ([] if target == "pytensor" else ["pytensor"])
        if lacking:
            raise CannotRun("export needs PyTensor, {}, which {} does not have|install {} there, or name another interpreter "
                            "with --python".format(_listed(needed), sys.executable, _listed(lacking)))  # fmt: skip
    if target is None:
        line = "Theano {} is installed and runs the script; names removed since 0.6 are provided".format(_version("Theano"))
    else:
        mode = set_mode(settings["mode"], target)
        line = "{} {} stands in for {}, mode {}".format(
            SHOWN[target], _version(target), " and ".join(SHOWN[name] for name in sorted(aliases, reverse=True)), mode
        )
        remark = supported_releases.untried(target) or supported_releases.names_alone(target)
        line += " ({})".format(remark) if remark else ""
        if "pymc3" in done:
            line += "; PyMC {} for PyMC3".format(_version("pymc"))
        if _leaves_keras_without_backend():
            os.environ["KERAS_BACKEND"] = "theano"
            line += "; KERAS_BACKEND=theano"
    settings.update(said=True, auto=settings["mode"] == "auto" and "mode=JAX" in os.environ.get("PYTENSOR_FLAGS", ""))
    os.environ["THEANODIAG_RUN"] = json.dumps(settings)
    if settings.get("python2"):
        whose = settings.get("because")
        line += "; {} is Python 2{}: translated in memory, line numbers and integer division kept".format(
            whose or settings["python2"], ", and so {} is taken for it".format(settings["python2"]) if whose else ""
        )
    sys.stderr.write("theanodiag: " + line + "\n")
    if settings.get("notebook"):
        sys.excepthook = traceback.print_exception  # which knows the cells' lines; the interpreter would read them from the file
    at_error(bool(settings.get("explain")))
    if settings.get("explain"):
        from . import failures

        failures.at_exit(done)


def _leaves_keras_without_backend() -> bool:
    """Whether a Keras that can compute with Theano (up to 2.3) is installed, and would look for TensorFlow, which is not installed."""
    release = supported_releases.installed_release("keras")
    return bool(release) and release < (2, 4) and not os.environ.get("KERAS_BACKEND") and not has("tensorflow")


def _quiet() -> None:
    """Silences PyTensor's messages about itself at import."""
    warnings.filterwarnings("ignore", r"\s*PyTensor could not link to a BLAS", UserWarning)
    logging.getLogger("pytensor.tensor.blas").setLevel(logging.ERROR)


def start() -> None:
    """Sets this process up as the variable THEANODIAG_RUN specifies; exits with status 3 if the script cannot run."""
    settings = json.loads(os.environ["THEANODIAG_RUN"])
    child = bool(settings.get("said"))
    try:
        if child:
            compat("pytensor")
        else:
            _first(settings)
    except CannotRun as error:
        what, _, advice = str(error).partition("|")
        if settings.get("export"):  # the command says it, as it says why a function cannot be exported
            with open(settings["export"]["report"], "w") as file:
                json.dump({"error": what, "advice": advice}, file)
            os._exit(3)
        sys.stderr.write("theanodiag: " + what + "\nhelp: " + advice + "\n")
        sys.stderr.flush()
        os._exit(3)
    _quiet()
    lending.Lender((lambda: None) if child else lending.told).install()
    sys.meta_path.insert(0, finder.OneLayerFinder())
    if settings.get("fix_numpy"):
        from ..libraries import removed_names

        removed_names.give_back()
    if settings.get("fix_numpy") or (settings.get("pymc3") and serves_pymc3()):  # also for the code before the script's import of PyMC3
        from ..libraries import old_libraries

        old_libraries.follow()
    if settings["fissix"] or settings.get("python2"):
        from . import python2

        python2.install(settings["fissix"], settings.get("project", ""), settings.get("reads", False), settings.get("fix_numpy", False))
