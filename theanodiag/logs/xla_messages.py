"""Messages of XLA and JAX, of the allocator that TensorFlow and XLA share, and of PyTorch."""

from __future__ import annotations

from .model import Cause, Weight, template

_FRACTION = "XLA_PYTHON_CLIENT_MEM_FRACTION says how much of the card is reserved, XLA_PYTHON_CLIENT_PREALLOCATE=false reserves nothing"
_AMOUNT = r"\d{1,15}(?:\.\d+)? ?[kKMGT]?i?[bB]?"
_TORCH = "PyTorch, c10/cuda/CUDACachingAllocator.cpp"

MESSAGES = (
    template(
        "memory while trying to allocate",
        r"trying to allocate (?:(?P<bytes>\d{1,18}) bytes|(?P<amount>" + _AMOUNT + "))",
        Cause.CAPACITY,
        "XLA, service/gpu and pjrt",
        _FRACTION,
    ),
    template("ut of memory allocating", r"allocating (?P<bytes>\d{1,18}) bytes", Cause.CAPACITY, "XLA, pjrt/cpu", _FRACTION),
    template("allocate request for", r"request for [\d.]+\w+ \((?P<bytes>\d{1,18})B\)", Cause.CAPACITY, "XLA, pjrt", _FRACTION),
    template(
        "Ran out of memory in memory space hbm",
        r"Used (?P<amount>" + _AMOUNT + r") of (?P<total_amount>" + _AMOUNT + ") hbm",
        Cause.CAPACITY,
        "XLA:TPU",
    ),
    template(
        "That was not possible. There are",
        r"Attempting to (?:allocate|reserve) (?P<amount>" + _AMOUNT + r")\b.{0,60}? That was not possible\. "
        r"There are (?P<free_amount>" + _AMOUNT + ") free",
        Cause.CAPACITY,
        "XLA:TPU, TpuAllocator",
    ),
    template(
        "would exceed memory (size=",
        r"Allocation \(size=(?P<bytes>\d{1,18})\) would exceed memory \(size=(?P<total>\d{1,18})\)",
        Cause.CAPACITY,
        "XLA:TPU",
    ),
    template(
        "ran out of memory trying to allocate",
        r"(?s)trying to allocate (?P<amount>" + _AMOUNT + r")(?: \(rounded to (?P<bytes>\d{1,18})\))?(?!.{0,200}not a failure)",
        Cause.CAPACITY,
        "TensorFlow and XLA, bfc_allocator.cc",
        _FRACTION,
    ),
    template(
        "ran out of memory trying to allocate",
        r"(?s)trying to allocate (?P<amount>" + _AMOUNT + r")(?: \(rounded to (?P<bytes>\d{1,18})\))?.{0,200}not a failure",
        Cause.CAPACITY,
        "TensorFlow and XLA, bfc_allocator.cc",
        weight=Weight.NOTE,
    ),
    template(
        "OOM when allocating tensor",
        r"tensor (?:with|of) shape ?(?:(?P<shape>\[[\d,]{0,200}\])(?: and type (?P<dtype>\w+))?)?",
        Cause.CAPACITY,
        "TensorFlow",
    ),
    template(
        "from device: CUDA_ERROR_OUT_OF_MEMORY",
        r"failed to allocate [\d.]+\w{0,3} \((?P<bytes>\d{1,18}) bytes\)",
        Cause.CAPACITY,
        "XLA, stream_executor/cuda",
        _FRACTION,
        weight=Weight.NOTE,
    ),
    template("cuSolver internal error", "", Cause.LIBRARY_MEMORY, "jaxlib, gpu/solver_kernels.cc", _FRACTION),
    template("ailed to create cublas handle", "", Cause.LIBRARY_MEMORY, "XLA, stream_executor/cuda/cuda_blas.cc", _FRACTION),
    template(
        "ould not create cudnn handle",
        r"(?s)handle(?:.{0,200}Memory usage: (?P<free>\d{1,18}) bytes free, (?P<total>\d{1,18}) bytes total)?",
        Cause.LIBRARY_MEMORY,
        "XLA, stream_executor/cuda/cuda_dnn.cc",
        _FRACTION,
    ),
    template("CUDNN_STATUS_EXECUTION_FAILED", "", Cause.GPU_FAULT, "cuDNN", "run once with CUDA_LAUNCH_BLOCKING=1"),
    template(
        "CUDA out of memory",
        r"Tried to allocate (?P<amount>" + _AMOUNT + r")"
        r"(?:\.? ?\(GPU \d+; (?P<total_amount>" + _AMOUNT + ") total capacity;"
        r".{0,80}? already allocated; (?P<free_amount>" + _AMOUNT + r") free)?"
        r"(?:\.? GPU \d+ has a total capaci?ty of (?P<total_new>" + _AMOUNT + ") "
        r"of which (?P<free_new>" + _AMOUNT + r") is free)?",
        Cause.CAPACITY,
        _TORCH,
    ),
    template("Failed in nopython mode pipeline", "", Cause.NO_IMPLEMENTATION, "numba, core/errors.py"),
    template("CUBLAS_STATUS_NOT_INITIALIZED", "", Cause.LIBRARY_MEMORY, "PyTorch, aten/src/ATen/cuda/CublasHandlePool.cpp"),
    template("CUBLAS_STATUS_ALLOC_FAILED", "", Cause.LIBRARY_MEMORY, "cuBLAS"),
    template("error: CUDNN_STATUS_NOT_INITIALIZED", "", Cause.LIBRARY_MEMORY, "PyTorch, aten/src/ATen/cudnn/Handle.cpp"),
    template("cuda runtime error (2)", "", Cause.DEVICE_UNKNOWN_SIZE, "PyTorch before 1.0, THC/generic/THCStorage.cu"),
    template("CUDA error:", r"CUDA error: ?out of memory", Cause.DEVICE_UNKNOWN_SIZE, "PyTorch, c10/cuda/CUDAException.h"),
    template("Shapes must be 1D sequences of concrete values", "", Cause.STATIC_SHAPE, "JAX, _src/core.py"),
    template("Array slice indices must have static start/stop/step", "", Cause.STATIC_SHAPE, "JAX, _src/numpy/indexing.py"),
    template("NonConcreteBooleanIndexError", "", Cause.STATIC_SHAPE, "JAX, _src/errors.py"),
    template("ConcretizationTypeError", "", Cause.STATIC_SHAPE, "JAX, _src/errors.py"),
    template("TracerIntegerConversionError", "", Cause.STATIC_SHAPE, "JAX, _src/errors.py"),
    template(
        "TracerArrayConversionError", "", Cause.STATIC_SHAPE, "JAX, _src/errors.py", "code that JAX traces calls NumPy: use jax.numpy there"
    ),
    template("TracerBoolConversionError", "", Cause.STATIC_SHAPE, "JAX, _src/errors.py"),
    template(
        "No JAX conversion for the given",
        r"`Op`: (?P<what>.{1,200})",
        Cause.NO_IMPLEMENTATION,
        "PyTensor, link/jax/dispatch/basic.py",
    ),
    template(
        "No Numba conversion for the given", r"`Op`: (?P<what>.{1,200})", Cause.NO_IMPLEMENTATION, "Aesara, link/numba/dispatch/basic.py"
    ),
    template(
        "No PyTorch conversion for the given", r"`Op`: (?P<what>.{1,200})", Cause.NO_IMPLEMENTATION, "PyTensor, link/pytorch/dispatch"
    ),
    template(
        "No JAX implementation for the given distribution",
        r": (?P<what>.{1,100})",
        Cause.NO_IMPLEMENTATION,
        "PyTensor, link/jax/dispatch/random.py",
    ),
)
