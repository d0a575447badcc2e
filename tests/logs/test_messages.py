"""Each form in which a library or the system says that a job failed: its cause, and the request to the byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theanodiag.logs import Cause, explain_log
from theanodiag.logs.diagnose import TEMPLATES

SIZES = st.integers(1, 1 << 45)
FORMS = {
    Cause.CAPACITY: [
        "Error allocating {n} bytes of device memory (out of memory). new total bytes allocated: 12",
        "MemoryError: Error allocating {n} bytes of device memory (out of memory).",
        "Error allocating {n} bytes of device memory < out of memory >. Driver report 0 bytes free and 2147483648 bytes total",
        "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate {n} bytes.",
        "XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory allocating {n} bytes.",
        "RESOURCE_EXHAUSTED: Failed to allocate request for 2.20GiB ({n}B) on device ordinal 0",
        "W tsl/bfc_allocator.cc:479] Allocator (GPU_0_bfc) ran out of memory trying to allocate 2.25GiB (rounded to {n}) requested by op",
    ],
    Cause.POOL: ["MemoryError: Error allocating {n} bytes of device memory (CNMEM_STATUS_OUT_OF_MEMORY)."],
    Cause.HOST_MEMORY: [
        "RuntimeError: [enforce fail at alloc_cpu.cpp:75] . DefaultCPUAllocator: can't allocate memory: you tried to allocate {n} bytes."
    ],
}


@pytest.mark.parametrize(("cause", "form"), [(cause, form) for cause, forms in FORMS.items() for form in forms])
@given(n=SIZES)
def test_bytes_are_those_of_the_message(cause: Cause, form: str, n: int) -> None:
    """To the last one, whatever stands around."""
    found = explain_log(f"epoch 1\nepoch 2 loss 0.3\n{form.format(n=n)}\nbye\n")
    assert found is not None
    assert (found.cause, found.request.bytes, found.request.rounded, found.line) == (cause, n, False, 3)


@given(n=SIZES, free=SIZES)
def test_a_request_smaller_than_what_is_free_is_fragmentation(n: int, free: int) -> None:
    """The driver says both numbers; the exception that follows says one, and is the same request."""
    text = f"Error allocating {n} bytes of device memory (out of memory). Driver report {free} bytes free and {1 << 46} bytes total \n"
    found = explain_log(f"{text}MemoryError: Error allocating {n} bytes of device memory (out of memory).\n")
    assert found is not None
    assert found.cause is (Cause.FRAGMENTATION if n <= free else Cause.CAPACITY)
    assert (found.memory.free, found.memory.total) == (free, 1 << 46)


@pytest.mark.parametrize(
    ("line", "cause", "size"),
    [
        ("RuntimeError: Trying to preallocate 99999 MB of GPU memory while only 2048 MB are available.", Cause.PREALLOCATION, 99999 << 20),
        ("RuntimeError: CUBLAS error 'x' while copying 2211840000 data element to device memory.", Cause.SIZE_OVERFLOW, 4 * 2211840000),
        ("RuntimeError: CUBLAS error 'x' while copying 1000 data element to device memory.", Cause.CAPACITY, 4000),
        ("numpy.core._exceptions.MemoryError: Unable to allocate 7.45 GiB for an array with shape (1000, 1000000) "
         "and data type float64",
         Cause.HOST_MEMORY, 8 * 10**9),
        ("MemoryError: Unable to allocate array with shape (7, 3) and data type int16", Cause.HOST_MEMORY, 42),
        ("tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating tensor with shape[64,256] "
         "and type float on x",
         Cause.CAPACITY, 65536),
        ("initCnmem: cnmemInit call failed! Reason=CNMEM_STATUS_OUT_OF_MEMORY. numdev=1", Cause.PREALLOCATION, None),
        ("pygpu.gpuarray.GpuArrayException: b'cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY: out of memory'", Cause.DEVICE_UNKNOWN_SIZE, None),
        ("RuntimeError: CudaNdarray_ZEROS: allocation failed.", Cause.DEVICE_UNKNOWN_SIZE, None),
        ("RuntimeError: Can not enable cuDNN as there is only 12 MB of free GPU memory.", Cause.LIBRARY_MEMORY, None),
        ("MemoryError", Cause.HOST_MEMORY, None),
        ("MemoryError: ", Cause.HOST_MEMORY, None),
        ("OSError: [Errno 12] Cannot allocate memory", Cause.HOST_MEMORY, None),
        ("Killed", Cause.KILLED, None),
        ("./train.sh: line 3: 4711 Killed                  python model.py", Cause.KILLED, None),
        ("Out of memory: Killed process 4711 (python) total-vm:99kB, anon-rss:2048kB, file-rss:0kB", Cause.KILLED, 2 << 20),
        ("slurmstepd: error: Detected 1 oom-kill event(s) in step 1.0", Cause.KILLED, None),
        ("Process finished with exit code 137 (interrupted by signal 9: SIGKILL)", Cause.KILLED, None),
        ("NotImplementedError: No JAX conversion for the given `Op`: Eig", Cause.NO_IMPLEMENTATION, None),
        ("jax.errors.ConcretizationTypeError: Abstract tracer value encountered", Cause.STATIC_SHAPE, None),
        ("mod.cpp:3:10: fatal error: longintrepr.h: No such file or directory", Cause.PYTHON_TOO_NEW, None),
        ("AttributeError: module 'numpy' has no attribute 'bool'", Cause.NUMPY_TOO_NEW, None),
        ("AttributeError: module 'numpy.__config__' has no attribute 'blas_opt_info'", Cause.NUMPY_TOO_NEW, None),
        ("ImportError: cannot import name 'Iterable' from 'collections' (/usr/lib/python3.10)", Cause.PYTHON_TOO_NEW, None),
        ('RuntimeError: To use MKL 2018 with Theano you MUST set "MKL_THREADING_LAYER=GNU" in your environement.', Cause.BLAS, None),
        ("/usr/bin/ld: cannot find -lcublas", Cause.COMPILER, None),
        ("INFO (theano.gof.compilelock): Waiting for existing lock by process '1'", Cause.COMPILE_LOCK, None),
        ("RuntimeError: error doing operation: CUDNN_STATUS_NOT_SUPPORTED", Cause.CUDNN_REFUSED, None),
        ("RuntimeError: Cuda error: k: unspecified launch failure.", Cause.GPU_FAULT, None),
        ("ImportError: Cuda not found. Cannot unpickle CudaNdarray", Cause.OLD_GPU, None),
        ("ValueError: this is my own", Cause.NOT_RECOGNISED, None),
    ],
)  # fmt: skip
def test_forms(line: str, cause: Cause, size: int | None) -> None:
    """One of each kind."""
    found = explain_log(f"hello\n{line}\n")
    assert found is not None
    assert (found.cause, found.request.bytes if found.cause.is_memory else size, found.line) == (cause, size, 2)
    assert found.why
    assert found.message == line.strip()


def test_torch_says_what_is_free_in_two_forms() -> None:
    """Before 2.1 in parentheses, then in sentences; both in units with few digits."""
    old = "RuntimeError: CUDA out of memory. Tried to allocate 48.01 GiB "
    old += "(GPU 0; 15.78 GiB total capacity; 4.00 GiB already allocated; 10.75 GiB free; x)"
    new = "OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. "
    new += "GPU 0 has a total capacity of 15.77 GiB of which 1.25 GiB is free. Process"
    first, second = explain_log(old), explain_log(new)
    assert first is not None
    assert second is not None
    assert (first.request.rounded, first.memory.total, first.memory.free) == (True, round(15.78 * 2**30), round(10.75 * 2**30))
    assert (second.request.bytes, second.memory.free) == (2 << 30, 5 << 28)


@pytest.mark.parametrize("text", ["", "\n", "epoch 1: loss 0.25\nno error here\n", "0 errors, 3 warnings\n", "import numpy\n"])
def test_a_text_without_an_error(text: str) -> None:
    """Has nothing to explain."""
    assert explain_log(text) is None


def test_what_is_no_failure_gives_way() -> None:
    """XLA tries algorithms that it has no room for, and goes on; compilers warn."""
    warning = "W bfc_allocator.cc:296] Allocator (GPU_0_bfc) ran out of memory trying to allocate 2.28GiB with freed_by_count=0. "
    warning += "The caller indicates that this is not a failure"
    found = explain_log(
        f"{warning}\nValueError: mine\nMemoryError: Unable to allocate 1.0 MiB for an array with shape (4,) and data type int8\n"
    )
    assert found is not None
    assert (found.cause, found.request.bytes) == (Cause.HOST_MEMORY, 4)


def test_every_form_names_its_source_and_has_a_piece_to_look_for() -> None:
    """A form without a source could not be checked; without an anchor a long log would be read as often as there are forms."""
    assert all(t.source and len(t.anchor) >= 6 for t in TEMPLATES)
    assert len({(t.anchor, t.pattern.pattern) for t in TEMPLATES}) == len(TEMPLATES) > 90


def test_more_digits_than_anybody_prints() -> None:
    """Are cut off, not refused."""
    found = explain_log(
        f"CUDA out of memory. Tried to allocate 1.5{'0' * 40} GiB (GPU 0; 2.{'0' * 40} GiB total capacity; 1.00 GiB already allocated"
    )
    assert found is not None
    assert found.request.bytes == 3 << 29
