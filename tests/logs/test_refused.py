"""What libraries check and refuse, in whatever words: the cause by whose code raised it, the advice by what its sentence asks for."""

from __future__ import annotations

import pytest

from theanodiag.logs import Cause, explain_log

USER = 'Traceback (most recent call last):\n  File "/home/ann/model.py", line 3, in <module>\n    y = lib.fit(x)\n'
RAISING = '  File "/x/site-packages/{}", line 7, in _check_args\n    raise {}(\n{}\n'
OP = '  File "/x/site-packages/theano/compile/function_module.py", line 903, in __call__\n    self.fn()\n{}\n'


def assert_diagnosis(log: str, cause: Cause, told: str = "") -> None:
    """The log has this cause, and its advice says `told`."""
    found = explain_log(log)
    assert found is not None
    assert found.cause is cause
    assert told in "\n".join(found.advice)


@pytest.mark.parametrize(
    ("file", "error", "cause", "told"),
    [
        ("jax/_src/numpy/lax_numpy.py", "ValueError: mode must be one of 'full', 'same'", Cause.REFUSED,
         "takes one of these, spelt exactly like this"),
        ("blocks/algorithms/__init__.py", "ValueError: max. scaling needs to be greater than 0", Cause.REFUSED,
         "so that this is true: max. scaling"),
        ("pymc3/variational/opvi.py", "TypeError: Cannot call Group with both `vfam` and `params` provided", Cause.REFUSED,
         "pass one of these to lib.fit and leave the other out: vfam, params"),
        ("nutpie/sample.py", "ValueError: Unknown backend: 'foo'", Cause.REFUSED, "does not know foo"),
        ("numpyro/infer/mcmc.py", "ValueError: extra_fields must be provided", Cause.REFUSED, "is missing: add extra_fields"),
        ("fuel/streams.py", "ValueError: socket was not set up: call connect before reading", Cause.REFUSED,
         "a step before lib.fit is missing"),
        ("numpyro/primitives.py", "RuntimeError: site a is there already", Cause.REFUSED, "it exists already"),
        ("arviz/data/base.py", "ValueError: rows of this kind are not supported", Cause.REFUSED, "arviz cannot do this with lib.fit"),
        ("pytensor/tensor/nlinalg.py", "ValueError: expected a square matrix", Cause.SHAPES,
         "lib.fit takes a square matrix"),
        ("pylearn2/models/dbm/layer.py", "NotImplementedError: Need to update for C01B", Cause.NO_IMPLEMENTATION,
         "pylearn2 has no code for this"),
        ("numba/np/linalg.py", "ValueError: foo", Cause.REFUSED, "lib.fit of numba checks its arguments"),
        ("theano/scalar/basic.py", "theano.scalar.basic.ComplexError: complex has no sgn", Cause.DTYPES, "cast"),
        ("numba/cuda/cudadrv/nvrtc.py", "numba.cuda.cudadrv.nvrtc.NvrtcError: Failed to call nvrtcCompileProgram", Cause.COMPILER,
         "compiler"),
    ],
)  # fmt: skip
def test_a_check(file: str, error: str, cause: Cause, told: str) -> None:
    """The advice names the function that the user called, and what the message names."""
    assert_diagnosis(USER + RAISING.format(file, error.partition(":")[0].rpartition(".")[2], error), cause, told)


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        ("ValueError: an odd patch for this image", Cause.SHAPES),
        ("TypeError: a scalar of another kind", Cause.DTYPES),
        ("ValueError: GpuPool: requires data to be C-contiguous", Cause.REFUSED),
        ("RuntimeError: GpuCorrMM: a call failed", Cause.GPU_FAULT),
        ("RuntimeError: Unexpected error in an Op's C code. No Python exception was set.", Cause.LIBRARY_FAULT),
    ],
)
def test_what_the_code_of_an_op_says(error: str, cause: Cause) -> None:
    """It has no frame of its own; a line that raises there is the library's."""
    assert_diagnosis(USER + OP.format(error) + "Apply node that caused the error: Pool(x)\n", cause)


def test_an_index_that_a_library_checks() -> None:
    """A library that says so itself is not too old for NumPy."""
    error = "TypeError: 'float64' object cannot be interpreted as an index"
    assert_diagnosis(USER + RAISING.format("theano/tensor/extra_ops.py", "TypeError", error), Cause.DTYPES)


@pytest.mark.parametrize(
    ("file", "line", "error", "cause", "told"),
    [
        ("/home/ann/model.py", "MCMC(k, 5, 5)", "TypeError: __init__() takes 2 positional arguments but 4 were given", Cause.REFUSED,
         "write the arguments by name"),
        ("/home/ann/model.py", "mmm.fit(y)", "TypeError: Builder.fit() missing 1 required positional argument: 'X'", Cause.REFUSED, "'X'"),
        ("netCDF4/_netCDF4.pyx", "", "RuntimeError: NetCDF: Filter error", Cause.LIBRARY_FAULT, "netCDF stores numbers"),
        ("/x/site-packages/arviz/plots.py", "values[i] -= 1", "ValueError: assignment destination is read-only", Cause.LIBRARY_FAULT,
         "inside of arviz"),
        ("/x/site-packages/pymc3/opvi.py", "pm.theanof.f", "AttributeError: module 'pymc3' has no attribute 'theanof'", Cause.LIBRARIES,
         "pymc3 lacks theanof, which is a part of it"),
        ("/x/site-packages/theano/gof/cmodule.py", "p = compile_str(cmd)", "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xc0",
         Cause.COMPILER, "LANG=C"),
        ("/x/site-packages/jax/_src/dtypes.py", "return t[dtype]", "KeyError: dtype([('float0', 'V')])", Cause.LIBRARIES, "newer jax"),
        ("/x/site-packages/theano/rng.py", "raise e", "TypeError: size must be a tuple or have 1 dimension, got [1] of type <class 'list'>",
         Cause.REFUSED, "so that this is true"),
    ],
)  # fmt: skip
def test_a_call_that_a_function_does_not_take(file: str, line: str, error: str, cause: Cause, told: str) -> None:
    """A call's arguments are checked before there is a frame; code in C has none, or one without its source."""
    assert_diagnosis(f'{USER}  File "{file}", line 7, in g\n    {line}\n{error}\n', cause, told)


@pytest.mark.parametrize(
    ("text", "cause", "told"),
    [
        ("pyo3_runtime.PanicException: sampler state mutex", Cause.LIBRARY_FAULT, "newest release of nutpie"),
        ("SystemError: initialization of _internal failed without raising an exception", Cause.LIBRARIES, "compiled for another NumPy"),
        ("ImportError: Numba requires at least version 0.38.0 of llvmlite.", Cause.LIBRARIES, "pip install 'llvmlite>=0.38.0'"),
        ("ImportError: `save_weights` requires h5py.", Cause.LIBRARIES, "pip install h5py"),
        ("OSError: [Errno 116] Stale file handle: '/nfs/u/.theano/compiledir_L'", Cause.FILE_ACCESS, "base_compiledir"),
        ("TypeError: The variable `x` must be a `SharedVariable` (created through `pm.Data`)", Cause.REFUSED, "x = pm.Data('x', values)"),
        ("AttributeError: no ExhaustiveSGD in sgd. Did you mean SGD?", Cause.LIBRARY_FAULT, "write SGD"),
        ("ValueError: Missing a plate statement for batch dimension -1", Cause.REFUSED, "add plate"),
    ],
)
def test_a_message_of_a_library(text: str, cause: Cause, told: str) -> None:
    """What it names is in the advice."""
    assert_diagnosis(f'{USER}  File "/x/site-packages/nutpie/sample.py", line 7, in g\n    h()\n{text}\n', cause, told)


@pytest.mark.parametrize(
    ("text", "cause", "told"),
    [
        (
            "PackagesNotFoundError: The following packages are not available from current channels:\n\n  - theano-pymc\n",
            Cause.LIBRARIES,
            "conda-forge",
        ),
        ("error: externally-managed-environment\n", Cause.LIBRARIES, "venv"),
        (
            "  Running setup.py install for numpy: started\n    RuntimeError: Broken toolchain: cannot link a simple C program\n",
            Cause.COMPILER,
            "",
        ),
        ("concurrent.futures.process.BrokenProcessPool: A task has failed to un-serialize.\n", Cause.PICKLING, "cores=1"),
    ],
)
def test_installers_and_pools(text: str, cause: Cause, told: str) -> None:
    """A line of pip that names setup.py is no frame of a traceback."""
    assert_diagnosis(text, cause, told)
