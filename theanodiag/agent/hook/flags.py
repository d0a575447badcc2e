"""Describes the imported framework for the event `framework`: product, version, flags, device."""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live

FLAGS = (
    "floatX", "device", "mode", "linker", "optimizer", "optimizer_including", "optimizer_excluding", "allow_gc", "force_device",
    "init_gpu_device", "print_active_device", "warn_float64", "cast_policy", "int_division", "compute_test_value", "cxx", "compiledir",
    "scan.allow_gc", "scan.allow_output_prealloc", "vm.lazy", "reoptimize_unpickled_function", "openmp", "profile",
    "gpuarray.preallocate", "gpuarray.sched", "gpuarray.single_stream", "gpuarray.cache_path", "lib.cnmem", "lib.amdlibm",
    "dnn.enabled", "dnn.conv.algo_fwd", "dnn.conv.algo_bwd_data", "dnn.conv.algo_bwd_filter", "dnn.conv.precision", "nvcc.fastmath",
    "conv.assert_shape", "exception_verbosity", "deterministic", "contexts", "base_compiledir", "gcc.cxxflags",
)  # fmt: skip
"""Flags on which graphs, memory or advice depend, by their dotted names (theano/configdefaults.py 1.0.5)."""
VARIABLES = (
    "XLA_CLIENT_MEM_FRACTION", "XLA_PYTHON_CLIENT_MEM_FRACTION", "XLA_PYTHON_CLIENT_PREALLOCATE", "XLA_PYTHON_CLIENT_ALLOCATOR",
    "XLA_FLAGS", "TF_GPU_ALLOCATOR", "PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF",
)  # fmt: skip
"""Environment variables that configure the allocators of JAX and torch; a script may set them itself."""
FLAGS_VARIABLES = ("THEANO_FLAGS", "AESARA_FLAGS", "PYTENSOR_FLAGS")
"""Environment variables from which the frameworks read flags when they are imported."""
BEFORE = dict((name, os.environ[name]) for name in VARIABLES + FLAGS_VARIABLES if name in os.environ)
"""Name -> value of the variables in `VARIABLES` and `FLAGS_VARIABLES` before the script ran."""
TRANSLATED = {}  # type: dict[str, str]
"""Flags variable -> the text that the compat layer put there, translated from the flags of another framework."""


def flags_variables() -> "dict[str, str]":
    """Returns the flags variables that are set, as name -> text. If the compat layer changed a text, the text before that change is
    returned.
    """
    texts = dict((name, os.environ[name]) for name in FLAGS_VARIABLES if name in os.environ)
    texts = dict((name, BEFORE.get(name, "") if text == TRANSLATED.get(name) else text) for name, text in texts.items())
    return dict((name, text) for name, text in texts.items() if text or name in BEFORE)


def read(config: "Live", name: str) -> "Live":
    """Reads the value of a flag, given by its dotted name; newer frameworks join the parts of the name with two underscores.

    Raises AttributeError if the framework has no such flag.
    """
    joined = name.replace(".", "__")
    if joined in dir(type(config)) or "." not in name:
        return getattr(config, joined)
    value = config
    for part in name.split("."):
        value = getattr(value, part)
    return value


def flags(config: "Live") -> "dict[str, object]":
    """Returns a mapping: dotted name -> value (for JSON) of every flag in `FLAGS` that this framework has."""
    values = {}  # type: dict[str, object]
    for name in FLAGS:
        try:
            value = read(config, name)
        except Exception:
            continue
        values[name] = value if isinstance(value, (bool, int, float, type(None))) else str(value)
    return values


def product(module: "Live") -> str:
    """Returns the name of the product behind a package: `theano-pymc` or `theano` for a package imported as theano, else the package's
    name.

    Theano-PyMC 1.1 is recognised by having `graph` and no `gof`.
    """
    name = str(module.__name__)
    if name == "theano" and hasattr(module, "graph") and not hasattr(module, "gof"):
        return "theano-pymc"
    return name


def device(root: str) -> "dict[str, object] | None":
    """Returns the name and memory (in bytes) of the gpuarray device that the framework `root` has opened a context on; None if no context
    is open.
    """
    kinds = sys.modules.get(root + ".gpuarray.type")
    try:
        context = None if kinds is None else kinds.get_context(None)
        if context is None:
            return None
        return {"name": str(context.devname), "total_bytes": int(context.total_gmem), "free_bytes": int(context.free_gmem)}
    except Exception:
        return None


def linker_name(linker: "Live") -> str:
    """Returns the name of a linker in modes, such as `cvm`, `py` or `jax`."""
    name = type(linker).__name__
    if hasattr(linker, "use_cloop"):
        return "cvm" if linker.use_cloop else "vm"
    known = {"PerformLinker": "py", "CLinker": "c", "OpWiseCLinker": "c|py", "NumbaLinker": "numba", "JAXLinker": "jax"}
    return known.get(name, name.replace("Linker", "").lower())


def describe(module: "Live", alias_of: "str | None", variables: "dict[str, str]") -> "dict[str, object]":
    """Returns the fields of the event `framework`. `alias_of` is the legacy name under which the script imported the framework; `variables`
    is what `flags_variables` returned at the import.
    """
    root, config = str(module.__name__), module.config
    variable = (alias_of or root).upper() + "_FLAGS"
    return {
        "name": product(module),
        "version": str(getattr(module, "__version__", getattr(getattr(module, "version", None), "version", ""))),
        "path": str(module.__file__),
        "python": list(sys.version_info[:2]),
        "numpy": getattr(sys.modules.get("numpy"), "__version__", None),
        "alias_of": alias_of,
        "flags": flags(config),
        "environment": dict((name, os.environ[name]) for name in VARIABLES if name in os.environ),
        "set_by_script": [name for name in VARIABLES if name in os.environ and os.environ[name] != BEFORE.get(name)],
        "flags_text": variables.get(variable, ""),
        "flags_by_script": variables.get(variable) != BEFORE.get(variable),
        "device": device(root),
    }
