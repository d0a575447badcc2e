"""Modules that are missing or do not fit: which distribution brings one, whose code asks for it, and which Python it is written for."""

from __future__ import annotations

import pytest

from tests.logs.pasted import SCRIPT, diagnosed, frame
from theanodiag.logs import Cause


@pytest.mark.parametrize(
    ("module", "told", "untold"),
    [
        ("cv2", "pip install opencv-python", "PYTHONPATH"),
        ("sklearn", "pip install scikit-learn", "pip install sklearn"),
        ("sklearn.cross_validation", "has no cross_validation: its release does not match", "pip install sklearn"),
        ("seaborn", "pip install seaborn", "pip install opencv"),
        ("_sqlite3", "libsqlite3-dev", "pip install _sqlite3"),
        ("data_utils", "of the script's own project, not a package", "pip install"),
        ("utils.sample", "of the script's own project, not a package", ""),
        ("_init_paths", "of the script's own project, not a package", "pip install"),
    ],
)
def test_what_brings_a_module(module: str, told: str, untold: str) -> None:
    """The distribution's name where it differs from the module's; a module of CPython and a file of the project have none."""
    diagnosis = diagnosed(f"{SCRIPT}ModuleNotFoundError: No module named '{module}'\n")
    assert diagnosis.cause is Cause.LIBRARIES
    advice = "\n".join(diagnosis.advice)
    assert told in advice
    assert not untold or untold not in advice


@pytest.mark.parametrize(
    ("source", "cause", "told"),
    [
        ("def await(self):", Cause.PYTHON_TOO_NEW, "which Python 3.7 reserved"),
        ("fit(x, async=True)", Cause.PYTHON_TOO_NEW, "which Python 3.7 reserved"),
        ("except ValueError, e:", Cause.PYTHON_TOO_NEW, "pymc is written in Python 2"),
        ("async def fit(self):", Cause.LIBRARIES, "in pymc's own code"),
        ('x = f"{a}"', Cause.LIBRARIES, "in pymc's own code"),
    ],
)
def test_the_python_that_a_package_is_written_for(source: str, cause: Cause, told: str) -> None:
    """The line of source that does not parse says whether it is older or newer than the Python that reads it."""
    log = f'{SCRIPT}  File "/e/site-packages/pymc/pool.py", line 346\n    {source}\n      ^\nSyntaxError: invalid syntax\n'
    diagnosis = diagnosed(log)
    assert diagnosis.cause is cause
    assert told in diagnosis.advice[0]


THEANO = frame("/e/site-packages/theano/tensor/basic.py", "ret = DimShuffle(x.broadcastable, axes)(x)", "transpose")
KERAS = frame("/e/site-packages/keras/backend/theano_backend.py", "if n.ndim == 0:", "tile")


@pytest.mark.parametrize(
    ("backend", "raising", "told"),
    [
        ("TensorFlow", THEANO + "AttributeError: 'Tensor' object has no attribute 'broadcastable'", "KERAS_BACKEND=theano"),
        ("TensorFlow", "AttributeError: 'Tensor' object has no attribute 'flatten'", "KERAS_BACKEND=theano"),
        ("Theano", KERAS + "AttributeError: 'tuple' object has no attribute 'ndim'", "KERAS_BACKEND=tensorflow"),
        ("Theano", KERAS.replace("if n.ndim == 0:", "raise NotImplementedError") + "NotImplementedError:", "KERAS_BACKEND=tensorflow"),
    ],
)
def test_variables_of_the_other_back_end(backend: str, raising: str, told: str) -> None:
    """Keras says which back-end it runs on, and the frame that failed is of the other, or of the one that was not meant."""
    assert told in diagnosed(f"Using {backend} backend.\n{SCRIPT}{raising}\n").advice[0]
    assert "KERAS_BACKEND" not in "\n".join(diagnosed(f"{SCRIPT}{raising}\n").advice)


def test_which_package_asks_python_2_s_nameless_module() -> None:
    """Python 2 does not name the module that lacks an attribute, but its frames name the package that asks."""
    raising = '  File "build/bdist.linux-x86_64/egg/recurrentshop/engine.py", line 32, in <module>\n'
    log = f"{SCRIPT}{raising}AttributeError: 'module' object has no attribute 'backend'\n"
    assert diagnosed(log).advice[0].startswith("recurrentshop uses backend of another library")


def test_r_has_a_python_of_its_own() -> None:
    """What reticulate runs is not the Python of the shell."""
    log = "Error in py_call_impl(callable, dots$args, dots$keywords) : \n  ModuleNotFoundError: No module named 'nutpie'\n"
    assert "reticulate::py_install('nutpie'" in diagnosed(log).advice[0]


def test_a_name_of_pymc_2() -> None:
    """A package for PyMC 2 takes no later one."""
    raising = frame("/e/site-packages/hddm/likelihoods.py", "return pm.stochastic_from_dist(*args)")
    log = f"{SCRIPT}{raising}AttributeError: module 'pymc' has no attribute 'stochastic_from_dist'\n"
    advice = diagnosed(log).advice
    assert "hddm is written for PyMC 2" in advice[0]
    assert "by its full name" not in "\n".join(advice)


def test_a_module_in_c_of_another_numpy() -> None:
    """One in the cache is compiled anew, one that was installed is installed anew."""
    size = "ValueError: numpy.dtype has the wrong size, try recompiling. Expected 88, got 96\n"
    cached = '  File "numpy.pxd", line 155, in init scan_perform (/h/.theano/compiledir_Linux-64/scan_perform/mod.cpp:8863)\n'
    diagnosis = diagnosed(f"{SCRIPT}{cached}{size}")
    assert diagnosis.cause is Cause.LIBRARIES
    assert "theano-cache purge" in diagnosis.advice[0]
    assert "--force-reinstall" in diagnosed(f"{SCRIPT}{size}").advice[0]
