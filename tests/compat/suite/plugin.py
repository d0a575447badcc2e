"""pytest plug-in for the interpreter that has PyTensor: makes Theano's test files importable over the layer, and logs each outcome.

Of Theano nothing but its test files and their data is used. It reads, from the environment:

    SUITE_TESTS   the folder that holds `theano/` with its test files: the site-packages of an environment with Theano 1.0.5
    SUITE_LAYER   the folder that holds `theanodiag/`; unset: the real Theano runs
    SUITE_LOG     the file to which outcomes are appended as they come, one `id<TAB>outcome` a line
    SUITE_TARGET  what stands in for Theano: pytensor (the default) or aesara
    SUITE_MODE    PyTensor's flag `mode`; C: its C code, as `theanodiag run --mode c` has it
    SUITE_ONLY    a file with ids, one a line: only these tests
    SUITE_WHY     the file to which the tracebacks of what fails are appended
"""

import importlib
import importlib.util
import os
import sys
import types
import warnings

import nose.tools
import numpy
import numpy.testing
import pytest

TESTS = os.environ["SUITE_TESTS"]
LAYER = os.environ.get("SUITE_LAYER")
TARGET = os.environ.get("SUITE_TARGET", "pytensor")


class Finder:
    """Finds `theano.**.tests` in TESTS, whatever else `theano` is."""

    def find_spec(self, name, path=None, target=None):
        """The spec of a test package or file."""
        if not name.startswith("theano.") or ".tests" not in name:
            return None
        place = os.path.join(TESTS, *name.split("."))
        if os.path.isdir(place):
            inside = os.path.join(place, "__init__.py")
            return importlib.util.spec_from_file_location(name, inside, submodule_search_locations=[place])
        if os.path.exists(place + ".py"):
            return importlib.util.spec_from_file_location(name, place + ".py")
        return None


class KnownFailure(Exception):
    """What the tests raise where they are known to fail."""


def _skip_if(condition, message=""):
    return pytest.mark.skipif(bool(condition() if callable(condition) else condition), reason=str(message))


def give_back_nose():
    """`numpy.testing.dec` and `noseclasses`, which NumPy 1.25 took away, and the old names of `nose.tools`, where it is pynose."""
    for new in [name for name in dir(nose.tools) if name.startswith("assert_") and name.endswith("equal")]:
        if not hasattr(nose.tools, new + "s"):
            setattr(nose.tools, new + "s", getattr(nose.tools, new))
    if not hasattr(numpy.testing, "dec"):
        numpy.testing.dec = types.SimpleNamespace(
            skipif=_skip_if,
            knownfailureif=lambda condition, message="": pytest.mark.xfail(reason=str(message)),
            slow=lambda function: function,
            setastest=lambda on=True: lambda function: function,
        )
        numpy.testing.noseclasses = types.SimpleNamespace(KnownFailureTest=KnownFailure)


warnings.simplefilter("ignore")
if LAYER:
    sys.path.insert(0, LAYER)
    from theanodiag.compat import install
    from theanodiag.compat.libraries.removed_names import give_back

    give_back()
    install(TARGET)
if LAYER and TARGET == "aesara":  # `theano.tests.unittest_tools`, which nearly all tests import, asks for it
    from aesara.gradient import GradientError, verify_grad

    verify_grad.E_grad = GradientError
give_back_nose()
sys.meta_path.insert(0, Finder())


def key(nodeid):
    """`file::test` with the file below TESTS: an item's id is relative to the folder that pytest was started for."""
    file, _, test = nodeid.partition("::")
    return file[file.index("theano/") :] + "::" + test if "theano/" in file else nodeid


def pytest_configure(config):
    """Sets the mode once PyTensor can be imported, and says where the data lie that a test reads from beside Theano."""
    if LAYER and os.environ.get("SUITE_MODE"):
        config = importlib.import_module(TARGET).config
        config.mode = {"C": "Mode"}.get(os.environ["SUITE_MODE"], os.environ["SUITE_MODE"])
        if os.environ["SUITE_MODE"] == "C":
            config._config_var_dict["linker"]._mutable = True
            config.linker = "cvm"
    if LAYER:
        import theano

        theano.__file__ = os.path.join(TESTS, "theano", "__init__.py")


def pytest_collection_modifyitems(config, items):
    """Keeps what was asked for."""
    if os.environ.get("SUITE_ONLY"):
        with open(os.environ["SUITE_ONLY"]) as file:
            only = set(file.read().splitlines())
        items[:] = [item for item in items if key(item.nodeid) in only]


def pytest_runtest_logreport(report):
    """Writes an outcome as it comes, so that a time limit loses one test and not a file."""
    if report.when == "call" or report.outcome != "passed":
        outcome = report.outcome if report.when == "call" or report.outcome == "skipped" else "error"
        with open(os.environ["SUITE_LOG"], "a") as log:
            log.write(key(report.nodeid) + "\t" + outcome + "\n")
    explain(report)


def pytest_collectreport(report):
    """Says why a file cannot be read."""
    explain(report)


def explain(report):
    """Writes the traceback of what fails, where that is asked for."""
    if report.failed and os.environ.get("SUITE_WHY"):
        with open(os.environ["SUITE_WHY"], "a") as file:
            file.write("=" * 10 + " " + key(report.nodeid) + "\n" + report.longreprtext + "\n")
