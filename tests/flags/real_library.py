# ruff: noqa: C402, UP031  (runs on CPython 2.7)
"""Asks a real library what it makes of an environment. Runs inside its interpreter (CPython 2.7 and 3.5+, standard library only).

python real_library.py theano fresh     imports the library as any script would, and reports
python real_library.py theano serve     imports it once, then answers one line of JSON, {"environ": ..., "cwd": ...}, after the other:
                                        a forked child sets that environment and lets the library's own configparser and
                                        configdefaults modules run again, so that an answer takes milliseconds
"""

import importlib
import json
import os
import platform
import struct
import sys
import traceback
import warnings

TRIALS = ("blas.ldflags", "blas__ldflags", "gcc_version_str")
"""Flags whose default takes a run of the compiler: only read if they are set."""


def rerun(package):
    """Lets the modules that read the configuration run again; gives the new configuration."""
    for name in ("configparser", "configdefaults"):
        del sys.modules["%s.%s" % (package, name)]
    library = sys.modules[package]
    defaults = importlib.import_module(package + ".configdefaults")
    library.config = defaults.config
    # In the order of a real import: link/c/cmodule.py adds its flags before scan/__init__.py.
    for module in list(sys.modules.values()):
        if getattr(module, "add_blas_configvars", None) and module.__name__.startswith(package):
            module.config = defaults.config
            module.add_blas_configvars()
    if hasattr(defaults, "add_scan_configvars"):
        defaults.add_scan_configvars()
    if hasattr(defaults.config, "warn_unused_flags"):
        defaults.config.warn_unused_flags()
    return defaults.config


def parameters(package, config):
    """The flag objects."""
    parser = sys.modules[package + ".configparser"]
    return list(parser._config_var_list) if hasattr(parser, "_config_var_list") else list(config._config_var_dict.values())


def plain(value):
    """A value as data that says its type."""
    kind = type(value).__name__
    text = str(value)
    if isinstance(text, bytes):
        # Python 2 keeps the bytes of the file.
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError:
            text = text.decode("latin-1")
    return [kind if kind in ("bool", "int", "float", "NoneType") else "str", text]


def read(parameter, config):
    """The value, or the error on reading it."""
    try:
        return plain(parameter.__get__(config, type(config)))
    except Exception as error:
        return ["error", "%s: %s" % (type(error).__name__, error)]


def report(package, start):
    """The values and warnings after `start()`, or its error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            config = start()
        except Exception as error:
            return {"failure": [type(error).__name__, str(error)], "where": traceback.format_exc().splitlines()[-3:-1], "pid": os.getpid()}
    values = {}
    for parameter in parameters(package, config):
        name = getattr(parameter, "fullname", None) or parameter.name
        if name not in TRIALS or not (parameter.is_default and callable(getattr(parameter, "default", None))):
            values[name] = read(parameter, config)
    said = [str(w.message) for w in caught]
    return {"failure": None, "values": values, "warnings": [w for w in said if "recognise" in w or "has no value" in w], "pid": os.getpid()}


def facts(package):
    """What compiledir_format may name, and where the compiler is."""
    defaults = sys.modules[package + ".configdefaults"]
    named = getattr(defaults, "compiledir_format_dict", None) or getattr(defaults, "_compiledir_format_dict", None)
    if named is None:
        named = {"platform": platform.platform(), "short_platform": defaults.short_platform(), "processor": platform.processor()}
        named.update(python_version=platform.python_version(), hostname=platform.node(), numpy_version=sys.modules["numpy"].__version__)
        named.update(python_bitwidth=struct.calcsize("P") * 8, python_int_bitwidth=struct.calcsize("l") * 8)
        named.update(pytensor_version=sys.modules[package].__version__, gxx_version=(defaults.config.gcc_version_str.replace(" ", "_"),))
    pairs = sorted((name, str(value)) for name, value in named.items())
    return {"facts": pairs, "python": sys.version_info[:2], "cxx": defaults.config.cxx, "version": sys.modules[package].__version__}


def answer(package, job):
    """What the library says in the environment of `job`."""
    text = str if sys.version_info[0] > 2 else lambda s: s.encode("utf-8")
    os.environ.clear()
    os.environ.update(dict((text(name), text(value)) for name, value in job["environ"].items()))
    os.chdir(job["cwd"])
    return report(package, lambda: rerun(package))


def in_child(package, job):
    """`answer` in a forked process, whose only trace is what it says."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, json.dumps(answer(package, job)).encode("utf-8"))
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said.decode("utf-8")


def imported(package):
    """The configuration of the library, imported."""
    return importlib.import_module(package).config


def serve(package, out):
    """Answers the lines of stdin."""
    importlib.import_module(package)
    out.write(json.dumps(facts(package)) + "\n")
    out.flush()
    for line in iter(sys.stdin.readline, ""):
        out.write(in_child(package, json.loads(line)) + "\n")
        out.flush()


if __name__ == "__main__":
    # What the library prints itself must not mix with the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    if sys.argv[2] == "serve":
        serve(sys.argv[1], answers)
    else:
        answers.write(json.dumps(report(sys.argv[1], lambda: imported(sys.argv[1]))) + "\n")
