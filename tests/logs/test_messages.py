"""Each form in which a library or the system says that a job failed: its cause, and the request to the byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theanodiag.logs import Cause, explain_log
from theanodiag.logs.matching import TEMPLATES

SIZES = st.integers(4096, 1 << 45)
FORMS = {
    Cause.CAPACITY: [
        "Error allocating {n} bytes of device memory (out of memory). new total bytes allocated: 12",
        "MemoryError: Error allocating {n} bytes of device memory (out of memory).",
        "Error allocating {n} bytes of device memory < out of memory >. Driver report 0 bytes free and 2147483648 bytes total",
        "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate {n} bytes.",
        "RESOURCE_EXHAUSTED: Failed to allocate request for 2.20GiB ({n}B) on device ordinal 0",
        "W tsl/bfc_allocator.cc:479] Allocator (GPU_0_bfc) ran out of memory trying to allocate 2.25GiB (rounded to {n}) requested by op",
    ],
    Cause.POOL: ["MemoryError: Error allocating {n} bytes of device memory (CNMEM_STATUS_OUT_OF_MEMORY)."],
    Cause.HOST_MEMORY: [
        "RuntimeError: [enforce fail at alloc_cpu.cpp:75] . DefaultCPUAllocator: can't allocate memory: you tried to allocate {n} bytes.",
        "XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory allocating {n} bytes.",
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
        ("[1]+  Killed                  nohup python model.py > job.log", Cause.KILLED, None),
        ("Out of memory: Killed process 4711 (python) total-vm:99kB, anon-rss:2048kB, file-rss:0kB", Cause.KILLED, None),
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
        ("RESOURCE_EXHAUSTED: Attempting to reserve 3.95G at the bottom of memory. That was not possible. There are 1.92G free, 0B",
         Cause.CAPACITY, round(3.95 * 2**30)),
        ("RESOURCE_EXHAUSTED: Attempting to allocate 180.59M. That was not possible. There are 142.58M free.; (0x3x0_HBM1)",
         Cause.CAPACITY, round(180.59 * 2**20)),
        ("RESOURCE_EXHAUSTED: Attempting to reserve 6.48G at the bottom of memory. That was not possible. There are 6.78G free, 0B",
         Cause.FRAGMENTATION, round(6.48 * 2**30)),
        ("RESOURCE_EXHAUSTED: Allocation (size=107374182400) would exceed memory (size=17179869184) :: #allocation7",
         Cause.CAPACITY, 107374182400),
        ("of memory while trying to allocate 5520758552 bytes.", Cause.CAPACITY, 5520758552),
        ("allocate request for 528.00MiB (553648128B) on device ordinal 0", Cause.CAPACITY, 553648128),
        ("cuda_dnn.cc:535] Could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR", Cause.LIBRARY_MEMORY, None),
        ("XlaRuntimeError: UNKNOWN: CUDNN_STATUS_EXECUTION_FAILED", Cause.GPU_FAULT, None),
        ("CudaAPIError: [719] Call to cuMemAlloc results in CUDA_ERROR_LAUNCH_FAILED", Cause.GPU_FAULT, None),
        ("TypingError: Failed in nopython mode pipeline (step: nopython frontend)", Cause.NO_IMPLEMENTATION, None),
        ("AssertionError: AbstractConv2d Theano optimization failed: there is no implementation available supporting the requested options",
         Cause.NO_IMPLEMENTATION, None),
        ("MemoryError: you might consider using 'theano.shared(..., borrow=True)'", Cause.HOST_MEMORY, None),
        ("RuntimeError: CorrMM failed to allocate working memory of 1600 x 1048576", Cause.HOST_MEMORY, None),
        ("RuntimeError: GpuCorrMM failed to allocate working memory of 1600 x 1048576", Cause.DEVICE_UNKNOWN_SIZE, None),
        ("RuntimeError: BaseCorrMM: Failed to allocate output of 64 x 512 x 224 x 224", Cause.HOST_MEMORY, None),
        ("RuntimeError: BaseCorrMM: Failed to allocate output of 1 x 1 x -3 x 508", Cause.SHAPES, None),
        ("g++: fatal error: Killed signal terminated program cc1plus", Cause.KILLED, None),
        ("g++: internal compiler error: Killed (program cc1plus)", Cause.KILLED, None),
        ("srun: error: gpu20-15: task 0: Out Of Memory", Cause.KILLED, None),
        ("srun: error: c002: task 0: Killed", Cause.KILLED, None),
        ("error: epoch: task 3: Killed mutants survived", Cause.NOT_RECOGNISED, None),
        ("LLVM ERROR: out of memory", Cause.HOST_MEMORY, None),
        ("LLVM ERROR: Unable to allocate memory for common symbols", Cause.LIBRARY_FAULT, None),
        ("ImportError: ('The following error happened while compiling the node', ConvOp{" + 600 * "x" + "}, "
         "'/h/.theano/compiledir_Linux-64/a/m.so: undefined symbol: _ZNSt7__cxx1118basic_stringstreamIcED1Ev')", Cause.COMPILER, None),
        ("forrtl: error (200): program aborting due to control-C event", Cause.STOPPED, None),
        ("make: *** No targets specified and no makefile found.  Stop.", Cause.FILE_ACCESS, None),
        ("fatal: not a git repository (or any of the parent directories): .git", Cause.FILE_ACCESS, None),
        ("RuntimeError: could not set tensor4d descriptor: CUDNN_STATUS_BAD_PARAMshapes=0", Cause.CUDNN_REFUSED, None),
        ("Timeout: The file lock '/home/u/.aesara/compiledir_Linux/.lock' could not be acquired.", Cause.COMPILE_LOCK, None),
        ("Failed to compile cuda_ndarray.cu: libcublas.so.8.0: cannot open shared object file: No such file", Cause.GPU_NOT_STARTED, None),
        ("GpuArrayException: Error loading library: 0", Cause.GPU_NOT_STARTED, None),
        ("pygpu.gpuarray.GpuArrayException: b'cuInit: unknown error'", Cause.GPU_NOT_STARTED, None),
        ("mod.c:1:10: fatal error: 'longintrepr.h' file not found", Cause.PYTHON_TOO_NEW, None),
        ("mod.cpp:29:41: error: 'PyLongObject' has no member named 'ob_digit'", Cause.PYTHON_TOO_NEW, None),
        ('their latest build or set "MKL_THREADING_LAYER=GNU" in your', Cause.BLAS, None),
        ("/usr/include/stdc-predef.h:59:1: fatal error: cuda_runtime.h: No such file or directory", Cause.COMPILER, None),
        ("mod.cpp:380: undefined reference to `__imp_PyExc_IndexError'", Cause.COMPILER, None),
        ("xcrun: error: invalid active developer path (/Library/Developer/CommandLineTools)", Cause.COMPILER, None),
        ("You can find the C code in this temporary file: /tmp/theano_compilation_error_1", Cause.COMPILER, None),
        ("ImportError: Version check of the existing lazylinker compiled file.", Cause.COMPILER, None),
        ("ImportError: Scan code version mismatch", Cause.COMPILER, None),
        ("MemoryError: failed to alloc dot22 output", Cause.HOST_MEMORY, None),
        ("MemoryError: could not allocate convolution descriptor: CUDNN_STATUS_ALLOC_FAILED", Cause.LIBRARY_MEMORY, None),
        ("numpy.core._exceptions.MemoryError: Unable to allocate 926. GiB for an array with shape (6794880, 36601) and data type float32",
         Cause.HOST_MEMORY, 6794880 * 36601 * 4),
        ("cuda_driver.cc:1002] failed to allocate 11.90G (12778405888 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY",
         Cause.CAPACITY, 12778405888),
        ("GpuArrayException: cuDeviceGet: CUDA_ERROR_INVALID_DEVICE: invalid device ordinal", Cause.GPU_NOT_STARTED, None),
        ("GpuArrayException: No CUDA devices avaiable", Cause.GPU_NOT_STARTED, None),
        ("RuntimeError: Cuda error: kSoftmax_node_0: invalid configuration argument.", Cause.GPU_FAULT, None),
        ("RuntimeError: Cuda error: GpuElemwise node_a Add: out of memory.", Cause.DEVICE_UNKNOWN_SIZE, None),
        ("ResourceExhaustedError: OOM when allocating tensor of shape [1,399,532,3] and type float", Cause.CAPACITY, 2547216),
        ("RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`", Cause.LIBRARY_MEMORY, None),
        ("RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`", Cause.LIBRARY_MEMORY, None),
        ("RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED", Cause.LIBRARY_MEMORY, None),
        ("RuntimeError: cuda runtime error (2) : out of memory at THC/generic/THCStorage.cu:66", Cause.DEVICE_UNKNOWN_SIZE, None),
        ("Compute status: Resource exhausted: OOM when allocating tensor with shape", Cause.CAPACITY, None),
        ("RuntimeError: CUDA error: out of memory", Cause.DEVICE_UNKNOWN_SIZE, None),
        ("UnexpectedTracerError: Encountered an unexpected tracer.", Cause.SYMBOLIC, None),
        ("TracerBoolConversionError: Attempted boolean conversion of traced array with shape bool[1]..", Cause.SYMBOLIC, None),
        ("XlaRuntimeError: INTERNAL: RET_CHECK failure (gpu_compiler.cc:626) dnn != nullptr", Cause.CUDNN_UNAVAILABLE, None),
        ("_fblas.error: (len(y)-offy>(n-1)*abs(incy)) failed for 1st keyword n: daxpy:n=921", Cause.SHAPES, None),
        ("ImportError: cannot import name 'PriorModelGen' from 'jaxns'", Cause.LIBRARIES, None),
        ("TracerArrayConversionError: The numpy.ndarray conversion method __array__() was called", Cause.SYMBOLIC, None),
        ("AttributeError: module 'inspect' has no attribute 'ArgSpec'", Cause.PYTHON_TOO_NEW, None),
        ("Error freeing device pointer 0x700e80000 (initialization error). Driver report 0 bytes free", Cause.GPU_FAULT, None),
        ("ValueError: mine", Cause.NOT_RECOGNISED, None),
    ],
)  # fmt: skip
def test_forms(line: str, cause: Cause, size: int | None) -> None:
    """One of each kind."""
    found = explain_log(f"hello\n{line}\n")
    assert found is not None
    assert (found.cause, found.request.bytes if found.cause.is_memory else size, found.line) == (cause, size, 2)
    assert found.why
    assert found.message == line.strip()


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("ConcretizationTypeError: Abstract tracer value encountered where concrete value is expected.\nThe problem arose with the `bool` "
         "function.", Cause.SYMBOLIC),
        ("ERROR (theano.gof.opt): SeqOptimizer apply <x>\nInconsistencyError: Trying to reintroduce a removed node", Cause.REWRITE_FAILED),
        ("ERROR (theano.gof.opt): Optimization failure due to: local_x\nERROR (theano.gof.opt): Traceback (most recent call last):\n"
         '  File "/x/theano/gof/opt.py", line 2034, in process_node\n    r = lopt.transform(node)\n'
         '  File "/x/theano/tensor/opt.py", line 9, in local_x\n    assert a\nAssertionError', Cause.REWRITE_FAILED),
    ],
)  # fmt: skip
def test_forms_of_several_lines(text: str, cause: Cause) -> None:
    """The last line need not be the one that says most."""
    found = explain_log(text)
    assert found is not None
    assert found.cause is cause


def test_a_handle_that_fails_with_room_to_spare() -> None:
    """Is no lack of memory: the line after it says how much was free."""
    text = "cuda_dnn.cc:535] Could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR\n"
    text += "cuda_dnn.cc:539] Memory usage: {} bytes free, {} bytes total.\n"
    full, empty = explain_log(text.format(9 << 20, 16 << 30)), explain_log(text.format(15 << 30, 16 << 30))
    assert full is not None
    assert empty is not None
    assert (full.cause, full.memory.free) == (Cause.LIBRARY_MEMORY, 9 << 20)
    assert (empty.cause, empty.memory.free) == (Cause.GPU_NOT_STARTED, 15 << 30)


def test_a_probe_for_cudnn_that_does_not_compile() -> None:
    """Only means that there is no cuDNN: the job goes on."""
    text = "Can not use cuDNN on context None: cannot compile with cuDNN. We got this error:\n"
    found = explain_log(f"{text}b'/tmp/try_flags_1.c:4:19: fatal error: cudnn.h: No such file or directory\n compilation terminated.'\n")
    assert found is not None
    assert found.cause is Cause.CUDNN_UNAVAILABLE


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


@pytest.mark.parametrize(
    "text",
    ["", "\n", "epoch 1: loss 0.25\nno error here\n", "0 errors, 3 warnings\n", "make: [a] Error 1 (ignored)\n", "import numpy\n"],
)
def test_a_text_without_an_error(text: str) -> None:
    """Has nothing to explain."""
    assert explain_log(text) is None


def test_a_killed_process_asked_for_nothing() -> None:
    """What it held is no request: it stands beside what the log says of memory, and in the sentence."""
    line = "Out of memory: Killed process 9 (python) total-vm:9kB, anon-rss:3072kB, file-rss:0kB"
    found = explain_log(f"{line}\noom_reaper: reaped process 9\n")
    assert found is not None
    assert (found.request.bytes, found.memory.held) == (None, 3 << 20)
    assert "when it held 3.0 MiB" in found.why


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
    assert all(t.source and len(t.anchor.encode()) >= 6 for t in TEMPLATES)
    assert len({(t.anchor, t.pattern.pattern) for t in TEMPLATES}) == len(TEMPLATES) > 90


def test_more_digits_than_anybody_prints() -> None:
    """Are cut off, not refused."""
    found = explain_log(
        f"CUDA out of memory. Tried to allocate 1.5{'0' * 40} GiB (GPU 0; 2.{'0' * 40} GiB total capacity; 1.00 GiB already allocated"
    )
    assert found is not None
    assert found.request.bytes == 3 << 29


def test_a_text_with_every_message() -> None:
    """Fewer occurrences of each are looked at, and the last one is still among them."""
    text = "".join(f"{t.anchor} x\n" for t in TEMPLATES) * 30
    found = explain_log(f"{text}Error allocating 93454336 bytes of device memory (out of memory). new total bytes allocated: 12\n")
    assert found is not None
    assert (found.cause, found.request.bytes, found.line) == (Cause.CAPACITY, 93454336, text.count("\n") + 1)


def test_a_job_that_waited_for_a_lock_and_went_on() -> None:
    """Has no error; one that waits still has."""
    text = "INFO (theano.gof.compilelock): Waiting for existing lock by process '31' (I am process '59')\n"
    found = explain_log(text)
    assert found is not None
    assert found.cause is Cause.COMPILE_LOCK
    assert explain_log(f"{text}There were 68 divergences\n") is None


def test_tensorflow_tries_less() -> None:
    """It takes less of the card where it gets no more, and says so by an error: only what follows tells whether the job failed."""
    text = "E tensorflow/stream_executor/cuda/cuda_driver.cc:806] failed to allocate 3.90G (4184605696 bytes) from device: "
    text += "CUDA_ERROR_OUT_OF_MEMORY: out of memory\n"
    found = explain_log(text)
    assert found is not None
    assert (found.cause, found.request.bytes) == (Cause.CAPACITY, 4184605696)
    assert explain_log(text + "epoch\n" * 10) is None


@pytest.mark.parametrize(
    "line",
    [
        "W tensorflow/core/framework/cpu_allocator_impl.cc:80] Allocation of 1207959552 exceeds 10% of free system memory.",
        "2024-05-23 11:51:49.5: W tensorflow/core/common_runtime/gpu/gpu_device.cc:2251] Cannot dlopen some GPU libraries.",
        "W tensorflow/core/bfc_allocator.cc:239] Allocator (GPU_0_bfc) ran out of memory trying to allocate 2.30GiB with freed_by_count=0. "
        "The caller indicates that this is not a failure, but may mean that there could be performance gains",
    ],
)
def test_a_job_that_goes_on_without(line: str) -> None:
    """A GPU's libraries, or memory for a faster way, has no error."""
    assert explain_log(f"{line}\n" + "epoch\n" * 10) is None
    assert (explain_log(f"{line}\n") is None) is ("not a failure" in line)


def test_xla_that_cannot_shrink_a_program_goes_on() -> None:
    """It warns of the size that it could not reach; what failed, if anything did, is said later."""
    warning = (
        "2025-01-02 03:04:05.678901: W external/xla/xla/service/hlo_rematerialization.cc:3005] Can't reduce memory use below 39.29GiB "
        "(42183160627 bytes) by rematerialization; only reduced to 48.00GiB (51539607568 bytes), down from 48.00GiB originally"
    )
    assert explain_log(f"step 1\n{warning}\nstep 2\n") is None
    failed = explain_log(f"{warning}\njax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Out of memory allocating 51539607568 bytes.\n")
    assert failed is not None
    assert failed.request.bytes == 51539607568


@pytest.mark.parametrize("head", ["F0102 03:04:05.678901   21961 ", "2025-01-02 03:04:05.678901: F external/xla/xla/"])
def test_the_line_with_which_xla_ends_its_process(head: str) -> None:
    """It is an error, whatever words it has; the same line as a warning is none."""
    line = f"{head}parse_flags_from_env.cc:234] No such flag in XLA_FLAGS: --xla_gpu_autotune_lvl=2"
    found = explain_log(f"loading\n{line}\n")
    assert found is not None
    assert (found.cause, found.line, found.message) == (Cause.NOT_RECOGNISED, 2, line)
    assert explain_log(f"loading\n{line.replace('F', 'W', 1)}\n") is None


def test_a_handle_of_cusolver_that_cannot_be_made() -> None:
    """It lacks memory for its workspace, as other libraries' handles do; the same status of a call is a fault."""
    error = "RuntimeError: cusolver error: CUSOLVER_STATUS_INTERNAL_ERROR, when calling `{}`"
    made, called = explain_log(error.format("cusolverDnCreate(handle)")), explain_log(error.format("cusolverDnSpotrf(handle, n)"))
    assert made is not None
    assert called is not None
    assert (made.cause, called.cause) == (Cause.LIBRARY_MEMORY, Cause.GPU_FAULT)
