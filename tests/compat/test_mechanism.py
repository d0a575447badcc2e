"""Files of `api/` and `behaviour/`: found by name, applied once, and only for PyTensor."""

from __future__ import annotations

import pytest

from tests import interpreters
from tests.cli.run import theanodiag
from theanodiag.compat.names.reexports import REEXPORTS

from .conftest import COMPAT, START

PYTENSORS = ("pytensor", "pytensor_new")


@pytest.fixture(params=PYTENSORS)
def said(request: pytest.FixtureRequest) -> object:
    """Runs a legacy program over PyTensor; gives the lines it printed."""

    def run(program: str) -> list[str]:
        done = interpreters.python(request.param, "-c", START + program)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return run


def test_behaviours_change_at_the_first_legacy_import(said) -> None:  # type: ignore[no-untyped-def]
    """A program that imports PyTensor alone sees it as it is; `import theano` applies all files once, and says for whom."""
    program = """
import importlib
import pytensor
behaviour = importlib.import_module(compat.__name__ + '.behaviour')
print(repr(behaviour.origin()))
import theano, theano.tensor, aesara
print(repr(behaviour.origin()))
"""
    assert said(program) == ["''", "'theano'"]


def test_a_module_and_a_function_of_one_name(said) -> None:  # type: ignore[no-untyped-def]
    """`theano.compile.function` is the function, as in Theano, also once imported as a module; the module can be called too."""
    program = """
import sys, theano, theano.compile.function, theano.compile.pfunc
x = theano.tensor.scalar()
mode = theano.Mode(linker='py', optimizer=None)
for function in (theano.compile.function, sys.modules['theano.compile.function']):
    print(float(function([x], x + 1, mode=mode)(2.)))
try:
    theano.gof()
except TypeError as error:
    print(error)
"""
    assert said(program) == ["3.0", "3.0", "module 'theano.gof' is not callable"]


def test_theano_is_a_name_of_its_modules(said) -> None:  # type: ignore[no-untyped-def]
    """`from theano import theano` and `T.np` are what their imports make them in Theano."""
    assert said("from theano import theano; import theano.tensor as T, numpy; print(T.theano is theano, T.np is numpy)") == ["True True"]


def test_names_are_asked_once(said) -> None:  # type: ignore[no-untyped-def]
    """A name that was read is an attribute of the alias module from then on; one that a script sets wins."""
    program = """
import theano.tensor as T
print('dot' in vars(T), T.dot is T.dot, 'dot' in vars(T))
T.dot = None
print(T.dot)
"""
    assert said(program) == ["False True True", "None"]


@pytest.mark.parametrize("script", ["examples/mlp_sgd.py", "examples/legacy/lstm.py"])
@pytest.mark.parametrize("interpreter", PYTENSORS)
def test_nothing_deprecated_is_used(interpreter: str, script: str) -> None:
    """Where each warning is an error all functions are read: neither this layer nor what records them uses what PyTensor gives up."""
    done = theanodiag(
        "check", script, "--python", interpreters.find(interpreter), cwd=str(interpreters.ROOT), env={"PYTHONWARNINGS": "error"}
    )
    assert done.returncode == 0, done.stderr
    assert "not checked" not in done.stdout + done.stderr


def test_a_module_is_a_file_or_a_row() -> None:
    """Not both: the row would hide the file."""
    files = {path.relative_to(COMPAT / "api").with_suffix("").as_posix().replace("/", ".") for path in (COMPAT / "api").rglob("*.py")}
    assert {name.removesuffix(".__init__") for name in files} & REEXPORTS.keys() == set()


def test_modules_that_only_re_export(said) -> None:  # type: ignore[no-untyped-def]
    """All can be imported by the name of the legacy module, with a star too; their classes are pickled by where they are defined."""
    program = f"""
import importlib, pickle, theano
for name in {sorted(REEXPORTS)!r}:
    importlib.import_module('theano.' + name)
from theano.tensor.nnet.conv import *
import theano.sandbox.cuda.blas, theano.sandbox.cuda
print(conv2d is theano.tensor.nnet.conv.conv2d, theano.sandbox.cuda.blas.GpuCorrMM.__name__, theano.sandbox.cuda.cuda_available)
op = theano.tensor.nnet.bn.AbstractBatchNormInference((0,))
print(pickle.loads(pickle.dumps(op)) == op, pickle.loads(pickle.dumps(theano.tensor.nnet.conv)) is theano.tensor.nnet.conv)
print(imported_scipy_signal, theano.tensor.slinalg.imported_scipy, theano.gof.PureOp is theano.gof.Op)
"""
    assert said(program) == ["True PaddedCorrMM False", "True True", "True True True"]
