# ruff: noqa: UP031, UP032  (runs on CPython 2.7)
"""Prints, as JSON, every flag of the library PACKAGE as its own objects describe it: `python flag_probe.py theano`.

Runs inside the interpreter that has the library (CPython 2.7 and 3.5+, standard library only). Where the import of the library fails
half way, what was registered until then is printed, with the reason under "stopped".
"""

import importlib
import json
import os
import sys
import traceback

MODES = ["Mode", "ProfileMode", "DebugMode", "FAST_RUN", "FAST_RUN_NOGC", "NanGuardMode", "FAST_COMPILE", "PROFILE_MODE", "DEBUG_MODE",
         "MonitorMode", "SANITY_CHECK", "STABILIZE", "JAX", "NUMBA", "PYTORCH", "MLX", "CVM", "VM", "C", "PY", "TORCH", "ONNX"]  # fmt: skip
DEVICES = ["cpu", "gpu", "gpu0", "gpu15", "gpu16", "cuda", "cuda0", "opencl", "opencl0:0"]
CHECKS = ["initial", "previous", "c_contiguous", "f_contiguous", "strided", "wrong_size", "ALL", "initial:previous"]
PANEL = ["", "x", "True", "true", "False", "0", "1", "-2", "-1", "2", "3", "7", "0.5", "1.5", "2.0", "None", "random", "16", "32", "64"]
WORDS = ["-O3", "-O3 -m64", "-m 64", " -O3  -m64", "x y", "x:y", "cpu->gpu0", "0.1", "0.8", "5.9", "100000"]
PANEL += ["~/x"] + MODES + DEVICES + CHECKS + WORDS


def parameters(package):
    """The library's flag objects, in the order in which they were registered."""
    parser = sys.modules[package + ".configparser"]
    if hasattr(parser, "_config_var_list"):
        return list(parser._config_var_list)
    config = getattr(sys.modules.get(package + ".configdefaults"), "config", None) or parser._config
    return list(config._config_var_dict.values())


def import_late(package):
    """Imports the modules that register flags of their own when a GPU is asked for (Theano 0.6: sandbox/cuda/nvcc_compiler.py)."""
    root = os.path.dirname(sys.modules[package].__file__)
    for folder, _, names in os.walk(root):
        for path in (os.path.join(folder, n) for n in sorted(names) if n.endswith(".py") and "tests" not in folder):
            with open(path, "rb") as file:
                text = file.read()
            if b"\nAddConfigVar(" in text or b"config.add(" in text:
                try:
                    name = os.path.splitext(path[len(root) :])[0].replace(os.sep, ".")
                    importlib.import_module(package + (name[:-9] if name.endswith(".__init__") else name))
                except Exception as error:
                    sys.stderr.write("%s: %s" % (path, error))


def convert(parameter, text):
    """What the flag makes of a text given by the user."""
    if hasattr(parameter, "_mutable"):
        value = parameter.apply(text)
        parameter.validate(value)
        return value
    if getattr(parameter, "filter", None):
        return parameter.filter(text)
    return text


def reaction(parameter, text):
    """The value, or the error, as data."""
    try:
        value = convert(parameter, text)
    except Exception as error:
        return {"error": type(error).__name__, "message": str(error)}
    return {"type": type(value).__name__, "value": value if isinstance(value, (bool, int, float, type(None))) else str(value)}


def default(parameter, touches_disk):
    """The default as data: a value, or the name of the function that works it out."""
    value = parameter._default if hasattr(parameter, "_mutable") else parameter.default
    if callable(value):
        return {"computed": getattr(value, "__name__", "function")}
    return {"touches": "disk"} if touches_disk else reaction(parameter, value)


def describe(parameter):
    """One flag as data."""
    name = getattr(parameter, "fullname", None) or parameter.name
    touches_disk = name.endswith("compiledir") and not name.startswith("base")
    doc = parameter.doc
    return {
        "name": name,
        "class": type(parameter).__name__,
        "default": default(parameter, touches_disk),
        "choices": [str(c) for c in getattr(parameter, "all", ())],
        "mutable": bool(getattr(parameter, "_mutable", getattr(parameter, "allow_override", True))),
        "in_c_key": bool(getattr(parameter, "in_c_key", True)),
        "doc": " ".join(doc if isinstance(doc, (tuple, list)) else [doc]),
        "panel": {} if touches_disk else {text: reaction(parameter, text) for text in PANEL},
    }


def main(package):
    """Imports the library and prints what it has."""
    stopped = None
    try:
        from scipy.linalg import blas

        # Theano up to 0.5 looks for a name that scipy dropped with 0.14; no flag depends on it.
        blas.fblas = getattr(blas, "fblas", blas)
    except ImportError:
        pass
    try:
        importlib.import_module(package)
        import_late(package)
    except BaseException:
        stopped = traceback.format_exc().strip().splitlines()[-1]
    module = sys.modules.get(package)
    found = {"version": getattr(module, "__version__", None), "python": sys.version.split()[0], "stopped": stopped, "flags": []}
    try:
        found["flags"] = [describe(p) for p in parameters(package)]
    except Exception:
        found["stopped"] = "{}; {}".format(stopped, traceback.format_exc().strip().splitlines()[-1])
    sys.stdout.write("\n" + json.dumps(found) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
