"""What a failure explains is told as its consequence, and is never the cause."""

from __future__ import annotations

import pytest

from theanodiag.logs import Cause, explain_log

COMPILING = 'Problem occurred during compilation with the command line below:\n"g++.exe" -shared mod.cpp\n'
HALF = 'Traceback (most recent call last):\n  File "x.py", line 1, in <module>\n    import theano\n'
HALF += "AttributeError: module 'theano' has no attribute 'gof'\n"
FREEING = "error freeing device pointer 0x21 (unspecified launch failure)\n"
UNSIZED = "Error allocating %li bytes of device memory (%s).\n"
LINKER = "LINK : fatal error LNK1104: cannot open file 'C:/Theano/cuda_ndarray.pyd'\n"
FORCED = "EnvironmentError: You forced the use of gpu device gpu, but CUDA initialization failed with error:\ncuda unavailable\n"
LOCKED = """ERROR (theano.gpuarray): Could not initialize pygpu, support disabled
Traceback (most recent call last):
  File "E:\\theano\\gof\\cmodule.py", line 1797, in _try_compile_tmp
    os.remove(exe_path + ".exe")
PermissionError: [WinError 32] The process cannot access the file because it is being used by another process: 'try_march_x.exe'
"""
CHAIN = "\nThe above exception was the direct cause of the following exception:\n\nTraceback (most recent call last):\n"
MASS = "ValueError: Mass matrix contains zeros on the diagonal. \nThe derivative of RV `mu`.ravel()[0] is zero.\n"


@pytest.mark.parametrize(
    ("root", "consequence", "cause", "alone"),
    [
        (COMPILING, HALF, Cause.COMPILER, Cause.LIBRARIES),
        (
            "initCnmem: cnmemInit call failed! Reason=CNMEM_STATUS_OUT_OF_MEMORY. numdev=1\n",
            "RuntimeError: Cuda error:kernel_reduce_0: out of memory. (grid: 1 x 1)\n",
            Cause.PREALLOCATION,
            Cause.DEVICE_UNKNOWN_SIZE,
        ),
        (
            "E1110 19:12:18.30 4203 cuda_dnn.cc:502] cudaErrorInsufficientDriver : the driver is too old\n",
            "XlaRuntimeError: FAILED_PRECONDITION: DNN library initialization failed. Look at the errors above for more details.\n",
            Cause.GPU_NOT_STARTED,
            Cause.CUDNN_UNAVAILABLE,
        ),
        (FREEING, UNSIZED, Cause.GPU_FAULT, Cause.DEVICE_UNKNOWN_SIZE),
        (LINKER, FORCED, Cause.COMPILER, Cause.GPU_NOT_STARTED),
        (MASS, f"{CHAIN}RuntimeError: Chain 2 failed.\n", Cause.ZERO_GRADIENT, Cause.NOT_RECOGNISED),
        ("MemoryError: alloc failed\n", "RuntimeError: Cuda error: k: unspecified launch failure.\n", Cause.HOST_MEMORY, Cause.GPU_FAULT),
    ],
)
def test_what_is_explained_is_a_consequence(root: str, consequence: str, cause: Cause, alone: Cause) -> None:
    """It is the cause where it stands alone."""
    both, other = explain_log(root + consequence), explain_log(consequence)
    assert both is not None
    assert other is not None
    assert (both.cause, other.cause) == (cause, alone)
    assert both.line <= root.count("\n")
    assert [c.line > both.line for c in both.consequences] != []
    assert other.message in [c.message for c in both.consequences]


def test_a_job_that_was_stopped_while_it_waited() -> None:
    """The status of the process says how it ended; the lock, only what it did then."""
    lock = "INFO (theano.gof.compilelock): Waiting for existing lock by process '21' (I am process '30')\n"
    found, alone = explain_log(f"Command exit status:\n  130\n\nCommand error:\n  {lock}"), explain_log(lock)
    assert found is not None
    assert alone is not None
    assert (found.cause, alone.cause) == (Cause.STOPPED, Cause.COMPILE_LOCK)


def test_a_locked_file_is_why_the_gpu_did_not_start() -> None:
    """The message that the GPU did not start stands before its reason."""
    found = explain_log(LOCKED)
    assert found is not None
    assert (found.cause, found.line) == (Cause.COMPILER, 5)
    assert any("virus scanner" in line for line in found.advice)


def test_two_failures_that_have_nothing_to_do_with_each_other() -> None:
    """The later one ended the job."""
    found = explain_log(f"{FORCED}...\n{MASS}")
    assert found is not None
    assert (found.cause, found.consequences) == (Cause.ZERO_GRADIENT, ())


def test_a_warning_explains_no_compiler() -> None:
    """Theano warns of NumPy's BLAS on each start without another one."""
    warning = "WARNING (theano.tensor.blas): Using NumPy C-API based implementation for BLAS functions.\n"
    found = explain_log(f"{warning}Exception: ('Compilation failed (return status=1): ld: library not found for -lSystem. ', 'x')\n")
    assert found is not None
    assert found.cause is Cause.COMPILER


def test_what_the_report_of_a_rewrite_quotes() -> None:
    """The exception in its line was caught; alone it is a cause."""
    error = "Cannot convert Type Tensor3(float64, shape=(?, 1, ?)) (of Variable x) into Type Matrix(float64, shape=(?, 1))."
    quoted = explain_log(f"<<!! BUG IN FGRAPH.REPLACE OR A LISTENER !!>> <class 'TypeError'> {error} local_x\n")
    alone = explain_log(f"TypeError: {error}\n")
    assert quoted is not None
    assert alone is not None
    assert (quoted.cause, alone.cause) == (Cause.REWRITE_FAILED, Cause.SHAPES)


@pytest.mark.parametrize("before", ["", "Loading data\n"])
def test_what_theano_says_of_cudnn_at_its_start_explains_no_compiler(before: str) -> None:
    """It stands beside the GPU's name in any log of Theano 0.7 and 0.8 without cuDNN."""
    banner = "Using gpu device 0: GeForce GTX 970 (CNMeM is disabled, cuDNN not available)\n"
    text = before + banner + "/tmp/mod.cpp:1:20: fatal error: Python.h: No such file or directory\ncompilation terminated.\n"
    found = explain_log(text)
    assert found is not None
    assert found.cause is Cause.COMPILER
