"""Forms of messages that people paste: of CUDA's libraries, of what ends processes, of libraries that do not fit."""

from __future__ import annotations

import pytest

from theanodiag.logs import Cause, explain_log

GIB = 1 << 30
TORCH = "CUDA out of memory. Tried to allocate {}. GPU 0 has a total capacty of {} of which {} is free. "
TORCH += "Of the allocated memory {} is allocated by PyTorch, and {} is reserved by PyTorch but unallocated. If reserved but"


def cause(text: str) -> Cause | None:
    """What is said of a log."""
    found = explain_log(text)
    return None if found is None else found.cause


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Error allocating 30515200 bytes of device memory (an illegal memory access was encountered). Driver report 0 bytes",
         Cause.GPU_FAULT),
        ("error=700 : an illegal memory access was encountered", Cause.GPU_FAULT),
        ("RuntimeError: CUDA error: device-side assert triggered.", Cause.GPU_FAULT),
        (">operator()(int)->auto: block: [1390,0,0], thread: [125,0,0] Assertion `index < sizes[i]` failed.", Cause.GPU_FAULT),
        ("RuntimeError: GpuCorrMM encountered a CUBLAS error: the GPU program failed to execute", Cause.GPU_FAULT),
        ("CudaAPIError: [700] Call to cuMemcpyDtoH results in CUDA_ERROR_ILLEGAL_ADDRESS", Cause.GPU_FAULT),
        ("RuntimeError: Cuda error: GpuElemwise node_m Composite: too many resources requested for launch.", Cause.GPU_FAULT),
        ("Could not set tensorNd descriptor: CUDNN_STATUS_NOT_SUPPORTEDdim=4", Cause.CUDNN_REFUSED),
        ("GpuArrayException: cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY: out of memory", Cause.DEVICE_UNKNOWN_SIZE),
        ("GpuArrayException: (b'Out of memory', 1)", Cause.DEVICE_UNKNOWN_SIZE),
        ("MemoryError: Could not allocate working GPU memory", Cause.DEVICE_UNKNOWN_SIZE),
        ("RuntimeError: GpuMagmaSVD: failed to allocate working memory", Cause.DEVICE_UNKNOWN_SIZE),
        ("RuntimeError: BaseGpuCorrMM: Failed to allocate output of 5 x 5 x 5 x 5", Cause.DEVICE_UNKNOWN_SIZE),
        ("Error allocating %li bytes of device memory (%s).", Cause.DEVICE_UNKNOWN_SIZE),
        ("Error while calling cudaMalloc(&data, n) in file x.cpp:908. code: 2, reason: out of memory", Cause.DEVICE_UNKNOWN_SIZE),
        ("GpuArrayException: b'cublasCreate: (cublas) GPU resource allocation failed.'", Cause.LIBRARY_MEMORY),
        ("GpuArrayException: b'cuMemAllocHost: CUDA_ERROR_OUT_OF_MEMORY: out of memory'", Cause.HOST_MEMORY),
        ("GpuArrayException: Total array size greater than addressable space", Cause.SIZE_OVERFLOW),
        ("GpuArrayException: Unknown device error: 0", Cause.GPU_NOT_STARTED),
        ("EnvironmentError: Can't use the GPU, no devices support CUDA", Cause.GPU_NOT_STARTED),
        ("(error: Unable to get the number of gpus available: CUDA driver version is insufficient for CUDA runtime version)",
         Cause.GPU_NOT_STARTED),
        ("ImportError: dnn not available", Cause.CUDNN_UNAVAILABLE),
        ("RuntimeError: Mixed dnn version. The header is version 5110 while the library is version 6021.", Cause.CUDNN_UNAVAILABLE),
        ("OSError: [WinError 1455] 页面文件太小，无法完成操作。 Error loading \"x.dll\" or one of its dependencies.", Cause.HOST_MEMORY),
        ("ERROR (theano.gof.cmodule): [Errno 12] Cannot allocate memory", Cause.HOST_MEMORY),
        ("OpenBLAS error: Memory allocation still failed after 10 retries, giving up.", Cause.HOST_MEMORY),
        ("LLVM ERROR: out of memory", Cause.HOST_MEMORY),
        ("[1]    29982 killed     python pmf2.py", Cause.KILLED),
        ("**Killed**", Cause.KILLED),
        ("已杀死", Cause.KILLED),
        ("command terminated with exit code 137", Cause.KILLED),
        ("72d870c1c715  codalab/server:master  \"python3.6\"  8 days ago  Exited (137) 27 hours ago", Cause.KILLED),
        ("Some of your processes may have been killed by the cgroup out-of-memory handler.", Cause.KILLED),
        ("=>> PBS: job killed: vmem 4298727424 exceeded limit 4294967296", Cause.KILLED),
        ("\"OOMKilled\": true,", Cause.KILLED),
        ("RuntimeError: DataLoader worker (pid 7) is killed by signal: Killed.", Cause.KILLED),
        ("\"OOMKilled\": false,", None),
        ("The kernel appears to have died. It will restart automatically.", Cause.PROCESS_LOST),
        ("Aborted (core dumped)", Cause.PROCESS_LOST),
        ("BrokenPipeError: [Errno 32] Broken pipe", Cause.PROCESS_LOST),
        ("python(55810) malloc: *** error for object 0x10d070000: pointer being freed was not allocated", Cause.PROCESS_LOST),
        ("EOFError: Ran out of input", Cause.NOT_RECOGNISED),
        ("fatal error: bracket nesting level exceeded maximum of 256.", Cause.COMPILER),
        ("'g++.exe' is not recognized as an internal or external command,", Cause.COMPILER),
        ("mod.cpp(12): error C2065: 'x': undeclared identifier", Cause.COMPILER),
        ("ld: library 'System' not found", Cause.COMPILER),
        ("mod.cpp:12617:21: error: no member named 'exc_type' in '_ts'.     *type = tstate->exc_type;.", Cause.PYTHON_TOO_NEW),
        ("SyntaxError: Missing parentheses in call to 'print'", Cause.PYTHON_TOO_NEW),
        ("TypeError: 'numpy.float64' object cannot be interpreted as an integer", Cause.NUMPY_TOO_NEW),
        ("python: symbol lookup error: libmkl_intel_thread.so: undefined symbol: omp_get_num_procs", Cause.BLAS),
        ("Intel MKL FATAL ERROR: Cannot load libmkl_avx.so or libmkl_def.so", Cause.BLAS),
        ("/usr/bin/ld: cannot find -lopenblas", Cause.BLAS),
        ("AttributeError: 'TheanoConfigParser' object has no attribute 'gcc__cxxflags'", Cause.LIBRARIES),
        ("ImportError: cannot import name 'CType' from 'aesara.graph.type' (/x/type.py)", Cause.LIBRARIES),
        ("ImportError: cannot import name 'mine' from 'my.own' (/x/own.py)", Cause.OWN_CODE),
        ("AttributeError: module aesara.tensor has no attribute nnet", Cause.LIBRARIES),
        ("TypeError: Cannot convert Type TensorType(float64, matrix) (of Variable x) into Type TensorType(float32, matrix).", Cause.DTYPES),
        ("NotImplementedError: While Scan cannot yet be converted to JAX", Cause.NO_IMPLEMENTATION),
        ("numba.errors.LoweringError: Failed at nopython (nopython mode backend)", Cause.NO_IMPLEMENTATION),
        ("cannot determine Numba type of <class 'numba.dispatcher.LiftedLoop'>", Cause.NO_IMPLEMENTATION),
        ("NotImplementedError: (<numba.targets.base.OverloadSelector object at 0x2>, (reflected list(int64),))", Cause.NO_IMPLEMENTATION),
        ("TypeError: ('An update must have the same type as the original shared variable (shared_var=h, "
         "shared_var.type=CudaNdarrayType(float32, row), update_val=x, update_val.type=TensorType(float32, matrix)).')", Cause.SHAPES),
        ("TypeError: ('An update must have the same type as the original shared variable (shared_var=h, "
         "shared_var.type=TensorType(float32, vector), update_val=x, update_val.type=TensorType(float64, vector)).')", Cause.DTYPES),
        ("ValueError: The hardcoded shape for the number of rows in the image (66) isn't the run time shape (130).", Cause.SHAPES),
        ("RuntimeError: Error in the elemwise call", Cause.GPU_FAULT),
        ("Error freeing device pointer 000000020D8F8000 (unknown error) of size 230400.", Cause.GPU_FAULT),
        ("XlaRuntimeError: INTERNAL: the function failed to launch on the GPU", Cause.GPU_FAULT),
        ("RuntimeError: GpuCorrMM forward encountered an error running gemm: 8", Cause.GPU_FAULT),
        ("RuntimeError: cublasCreate() returned this error 'the resources could not be allocated'", Cause.LIBRARY_MEMORY),
        ("RuntimeError: Can't store in size_t for the bytes requested 4294967296 * 4294967296", Cause.SIZE_OVERFLOW),
        ("EnvironmentError: There is no device that supports CUDA", Cause.GPU_NOT_STARTED),
        ("RuntimeError: cuda runtime error (3) initialization error at /py/THC/generic/THCStorage.c:55", Cause.GPU_NOT_STARTED),
        ("RuntimeError: cuda runtime error (101) : invalid device ordinal at /pytorch/THCGeneral.cpp:47", Cause.GPU_NOT_STARTED),
        ("No devices were found", Cause.GPU_NOT_STARTED),
        ("Using gpu device 0: GeForce GTX 1060 (CNMeM is disabled, cuDNN Mixed dnn version. The header is from one version)",
         Cause.CUDNN_UNAVAILABLE),
        ("`ImportError: cannot import name nonlinearities`", Cause.LIBRARIES),
        ("MemoryError                                        Sun Apr  1 11:39:43 2018", Cause.HOST_MEMORY),
        ("**ValueError: mine**", Cause.NOT_RECOGNISED),
        ("RuntimeError: No best-timed conv fwd algorithm found", Cause.CUDNN_REFUSED),
        ("GpuArrayException: Error in pygpu.empty((gmem,), dtype='int8', context=context)", Cause.PREALLOCATION),
        ("RuntimeError: [enforce fail at CPUAllocator.cpp:56] posix_memalign(&data, n) == 0. 12 vs 0", Cause.HOST_MEMORY),
        ("struct.error: 'i' format requires -2147483648 <= number <= 2147483647", Cause.SIZE_OVERFLOW),
        ("The exit codes of the workers are {SIGKILL(-9)}", Cause.KILLED),
        ("Job exceeded a memory resource limit (vmem, pvmem, etc.). Job was aborted", Cause.KILLED),
        ("zsh: killed     python x.py", Cause.KILLED),
        ("The command '/bin/sh -c make' returned a non-zero code: 137", Cause.KILLED),
        ("srun: error: Orion-18-69: task 289: Bus error", Cause.PROCESS_LOST),
        ("WARNING:root:kernel 4222e7b2-aca5-4c53-972e-ea8892e41d74 restarted", Cause.PROCESS_LOST),
        ("nvcc : fatal error : nvcc cannot find a supported version of Microsoft Visual Studio.", Cause.COMPILER),
        ("numpy.distutils.system_info.NotFoundError: no lapack/blas resources found", Cause.BLAS),
        ("AttributeError: 'module' object has no attribute 'concatenate'", Cause.LIBRARIES),
        ("AttributeError: 'Tensor' object has no attribute 'flatten'", Cause.NOT_RECOGNISED),
        ("TypeError: Cannot convert Type TensorType(float32, (True, False)) (of Variable x) into Type TensorType(float32, matrix).",
         Cause.SHAPES),
    ],
)  # fmt: skip
def test_forms(line: str, expected: Cause | None) -> None:
    """One of each kind, among lines that say nothing."""
    assert cause(f"hello\n{line}\nbye\n") is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TORCH.format("1.70 GiB", "6.00 GiB", "0 bytes", "2.93 GiB", "2.30 GiB"), Cause.FRAGMENTATION),
        (TORCH.format("55.57 GiB", "12.00 GiB", "9.02 GiB", "984.52 MiB", "463.48 MiB"), Cause.CAPACITY),
        (TORCH.format("1.00 GiB", "16.00 GiB", "0.50 GiB", "2.00 GiB", "0.10 GiB"), Cause.OTHER_PROCESS),
        ("CUDA out of memory. Tried to allocate 1.69 GiB (GPU 0; 14.56 GiB total capacity; 649.97 MiB already allocated; "
         "1.31 GiB free; 1.01 GiB reserved in total by PyTorch)", Cause.OTHER_PROCESS),
        ("CUDA out of memory. Tried to allocate 128.00 MiB (GPU 0; 11.17 GiB total capacity; 10.85 GiB already allocated; "
         "24.81 MiB free; 10.86 GiB reserved in total by PyTorch)", Cause.CAPACITY),
        ("CUDA out of memory. Tried to allocate 26.00 MiB (GPU 0; 3.95 GiB total capacity; 2.96 GiB already allocated; "
         "20.88 MiB free; 46.11 MiB cached)", Cause.CAPACITY),
        ("CUDA out of memory. Tried to allocate 4.43 GiB (GPU 0; 23.48 GiB total capacity; 17.83 GiB already allocated; 3.75 GiB free; "
         "19.39 GiB reserved in total by PyTorch)", Cause.CAPACITY),
    ],
)  # fmt: skip
def test_what_torch_counts_says_why(text: str, expected: Cause) -> None:
    """What its pool holds and uses, and what is left for others."""
    assert cause(f"torch.cuda.OutOfMemoryError: {text}\n") is expected


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("cupy.cuda.memory.OutOfMemoryError: Out of memory allocating 1,073,741,824 bytes (allocated so far: 0 bytes).", GIB),
        ("MPS backend out of memory (MPS allocated: 8.96 GB, max allowed: 9.07 GB). Tried to allocate 1.00 GB on",
         GIB),
        ("cupy.cuda.memory.OutOfMemoryError: out of memory to allocate 3845120 bytes (total 76907520 bytes)", 3845120),
        ("XlaRuntimeError: INTERNAL: Failed to allocate 8388608 bytes for new constant", 8388608),
        ("MemoryError: ((1024, 1024), dtype('float64'))", 8 << 20),
        ("Unable to allocate 926. GiB for an array with shape (2, 3) and data type object", 926 * GIB),
        ("Unable to allocate 48. B for an array with shape (2, 3) and data type >f8", 48),
    ],
)  # fmt: skip
def test_other_allocators(text: str, size: int) -> None:
    """Print numbers of their own forms."""
    found = explain_log(f"{text}\n")
    assert found is not None
    assert found.request.bytes == size


def test_the_summary_of_the_bfc_allocator() -> None:
    """Says how much of its regions no array used."""
    text = (
        "bfc_allocator.cc:467] Allocator (GPU_0_bfc) ran out of memory trying to allocate 1.00GiB (rounded to 1073741824) requested by op\n"
    )
    text += "total_region_allocated_bytes_: 15857352704 memory_limit_: 15857352704 available bytes: 0\nInUse:                    {}\n"
    assert cause(text.format(15857352704 - GIB)) is Cause.FRAGMENTATION
    assert cause(text.format(15857352704 - GIB + 1)) is Cause.CAPACITY


def test_an_error_after_a_warning_is_the_failure() -> None:
    """The job went on after the warning."""
    warning = "WARNING (theano.configdefaults): g++ not detected ! Theano will be unable to execute optimized C-implementations\n"
    assert cause(warning) is Cause.COMPILER
    assert cause(f"{warning}Traceback (most recent call last):\nValueError: mine\n") is Cause.NOT_RECOGNISED
    started = "Using gpu device 0: GeForce GTX 970 (CNMeM is disabled, cuDNN not available)\n"
    assert cause(f"{started}Traceback (most recent call last):\nValueError: mine\n") is Cause.NOT_RECOGNISED
    own = "ERROR (theano.gpuarray): Could not initialize pygpu, support disabled\nTraceback (most recent call last):\nFooError: x\n"
    assert cause(own) is Cause.GPU_NOT_STARTED


def test_a_lost_worker() -> None:
    """The parent sees a closed pipe; a bare EOFError elsewhere is an empty file."""
    text = '  File "/usr/lib/python3.9/multiprocessing/connection.py", line 383, in _recv\n    raise EOFError\nEOFError\n'
    assert cause(text) is Cause.PROCESS_LOST
    assert cause(f"{text}RuntimeError: Chain 0 failed.\n") is Cause.PROCESS_LOST
    assert cause('  File "x.py", line 3, in load\n    pickle.load(f)\nEOFError\n') is Cause.OWN_CODE


@pytest.mark.parametrize(("suffix", "op"), [("{dtype='float32', context_name=None}", "GpuAllocEmpty"), ("{dtype='float32'}", "AllocEmpty")])
def test_an_array_that_has_no_value_yet(suffix: str, op: str) -> None:
    """Its dtype is the Op's, not that of its lengths; lengths of Python 2 are printed with an L."""
    text = "pygpu.gpuarray.GpuArrayException: b'cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY: out of memory'\n"
    text += f"Apply node that caused the error: {op}{suffix}"
    text += "(a, b)\nInputs types: [TensorType(int64, scalar), TensorType(int64, scalar)]\nInputs shapes: [(), ()]\n"
    found = explain_log(f"{text}Inputs values: [array(32, dtype=int64), array(128L, dtype=int64)]\n")
    assert found is not None
    assert (found.request.shape, found.request.dtype, found.request.bytes) == ((32, 128), "float32", 32 * 128 * 4)


def test_an_op_on_the_gpu_that_says_only_that_its_output_failed() -> None:
    """The node says where."""
    text = "MemoryError: failed to alloc sm output\nApply node that caused the error: {}(x)\nInputs shapes: [(3, 5)]\n"
    assert cause(text.format("GpuSoftmax")) is Cause.DEVICE_UNKNOWN_SIZE
    assert cause(text.format("SoftmaxWithBias")) is Cause.HOST_MEMORY


def test_a_missing_compiler_is_why_there_is_no_blas() -> None:
    """Theano says both; and a module that was not made for lack of a GPU lacks its names."""
    blas = "WARNING (theano.tensor.blas): Using NumPy C-API based implementation for BLAS functions.\n"
    compiler = "WARNING (theano.configdefaults): g++ not detected ! Theano will be unable to execute optimized C-implementations\n"
    assert cause(compiler + blas) is Cause.COMPILER
    assert cause(blas) is Cause.BLAS
    assert explain_log(compiler + blas + "epoch\n" * 10) is None
    lacks = "AttributeError: 'module' object has no attribute 'shared_constructor'\n"
    assert cause(f"CUDA driver version is insufficient for CUDA runtime version\n{lacks}") is Cause.GPU_NOT_STARTED
    assert cause(lacks) is Cause.LIBRARIES


@pytest.mark.parametrize(("number", "expected"), [(2, Cause.DEVICE_UNKNOWN_SIZE), (218, Cause.GPU_NOT_STARTED), (700, Cause.GPU_FAULT)])
def test_numbers_of_the_driver(number: int, expected: Cause) -> None:
    """Numba prints those of cuda.h, and of some of them no name."""
    name = "CUDA_ERROR_OUT_OF_MEMORY" if number == 2 else "UNKNOWN_CUDA_ERROR"
    assert cause(f"numba.cuda.cudadrv.driver.CudaAPIError: [{number}] Call to cuLinkAddData results in {name}\n") is expected
