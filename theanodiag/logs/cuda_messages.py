"""Messages of CUDA, cuDNN, cuBLAS and libgpuarray about failures, whichever program prints them."""

from __future__ import annotations

from .model import Cause, Weight, template

_RUNTIME = "CUDA runtime, cudaGetErrorString"
_DRIVER = "CUDA driver, cuda.h"
_GPUARRAY = "libgpuarray, src/gpuarray_array.c"
_SPLIT = "split the array: cuBLAS and libgpuarray use 32-bit sizes here"

_FAULTS = (
    "unspecified launch failure",
    "the launch timed out and was terminated",
    "too many resources requested for launch",
    "an illegal memory access was encountered",
    "an illegal instruction was encountered",
    "device-side assert triggered",
    "uncorrectable ECC error",
    "invalid configuration argument",
    "invalid resource handle",
    "invalid device pointer",
    "invalid pitch argument",
    "hardware stack error",
    "the GPU program failed to execute",
    "an internal operation failed",
    "driver shutting down",
    "the function failed to launch on the GPU",
)
_NOT_STARTED = (
    "invalid device function",
    "no kernel image is available for execution",
    "device kernel image is invalid",
    "CUDA driver version is insufficient for CUDA runtime version",
    "all CUDA-capable devices are busy or unavailable",
    "forward compatibility was attempted on non supported HW",
    "PTX was compiled with an unsupported toolchain",
    "unsupported display driver / cuda driver combination",
    "Driver/library version mismatch",
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver",
    "Found no NVIDIA driver on your system",
    "Torch not compiled with CUDA enabled",
    "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False",
    "Unable to determine the device handle for GPU",
)

MESSAGES = (
    template(
        "out of memory",
        r"(?i)^(?!.{0,900}\) from device: CUDA)[^\n]{0,900}?"
        r"(?:cuda|cublas|cudnn|hip|gpu|device)[^\n]{0,300}(?:[:(\-]|reason:|is) ?out of memory",
        Cause.DEVICE_UNKNOWN_SIZE,
        _RUNTIME,
    ),
    template("CUDA_ERROR_OUT_OF_MEMORY", r"^(?!.{0,900}(?:\) from device: CUDA|AllocHost| on host))", Cause.DEVICE_UNKNOWN_SIZE, _DRIVER),
    template("std::bad_alloc", r"std::bad_alloc.{0,200}(?:CUDA|cuda|out_of_memory)", Cause.DEVICE_UNKNOWN_SIZE, "RAPIDS"),
    template("Failed to complete all kernels launched on stream", "", Cause.GPU_FAULT, "XLA, stream_executor"),
    template(
        " launch fail",
        r"\b(?:Blas x?\w{4,5}|[Cc]uDNN|cuBLAS) launch fail(?:ed|ure)",
        Cause.GPU_FAULT,
        "TensorFlow, cuBLAS",
        "free memory on the card: cuBLAS also fails like this if no memory is left",
    ),
    template("Failed to allocate scratch space", "", Cause.DEVICE_UNKNOWN_SIZE, "TensorFlow and XLA, on cuDNN's behalf"),
    template("CudaSupportError", "", Cause.GPU_NOT_STARTED, "numba, cuda/cudadrv/error.py"),
    template("NvvmSupportError", "", Cause.GPU_NOT_STARTED, "numba, cuda/cudadrv/error.py"),
    template("CUDA initialized before forking", "", Cause.GPU_NOT_STARTED, "numba, cuda/cudadrv/driver.py"),
    template("Unsupported .version", "", Cause.GPU_NOT_STARTED, "ptxas of an older driver"),
    template(
        "initialization error",
        r"(?i)cuda.{0,300}?\binitialization error",
        Cause.GPU_NOT_STARTED,
        _RUNTIME,
        "CUDA cannot be used in a process that was forked after CUDA was used: use spawn",
    ),
    template(
        "CudaAPIError: [",
        r"CudaAPIError: \[(?P<what>3|34|35|36|46|100|101|200|209|218|220|221|222|223|803|804)\]",
        Cause.GPU_NOT_STARTED,
        "numba, cuda/cudadrv/driver.py, with the numbers of cuda.h",
        "the driver is older than the CUDA toolkit, or the card is older than both",
    ),
    template(
        "CudaAPIError: [",
        r"CudaAPIError: \[(?P<what>4|214|700|701|702|710|714|715|716|717|718|719|999)\]",
        Cause.GPU_FAULT,
        "numba, cuda/cudadrv/driver.py, with the numbers of cuda.h",
    ),
    template("No devices were found", r"^\s*No devices were found\s*$", Cause.GPU_NOT_STARTED, "nvidia-smi"),
    template("No CUDA GPUs are available", "", Cause.GPU_NOT_STARTED, "PyTorch, c10/cuda/CUDAFunctions.cpp"),
    template("failed call to cuInit", "", Cause.GPU_NOT_STARTED, "TensorFlow, stream_executor/cuda/cuda_driver.cc", weight=Weight.NOTE),
    template(
        "cuda runtime error (",
        r"cuda runtime error \((?P<what>3|10|30|35|38|46|48|100|101|209)\)",
        Cause.GPU_NOT_STARTED,
        "PyTorch before 1.5, THC",
    ),
    template("ailed to initialize NVML", "", Cause.GPU_NOT_STARTED, "nvidia-smi"),
    template(
        "could not select device driver",
        "",
        Cause.GPU_NOT_STARTED,
        "Docker without the NVIDIA runtime",
        "install nvidia-container-toolkit on the host, restart Docker, and start the container with --gpus all",
    ),
    template("cuFFT internal error", "", Cause.GPU_NOT_STARTED, "jaxlib, cuda/versions_helpers.cc"),
    template("Unable to use CUDA because of the following issues", "", Cause.GPU_NOT_STARTED, "JAX, _src/xla_bridge.py"),
    template("cuMemAllocHost", "cuMemAllocHost: CUDA_ERROR_OUT_OF_MEMORY", Cause.HOST_MEMORY, _DRIVER),
    template(
        "bytes on host: CUDA_ERROR_OUT_OF_MEMORY",
        r"alloc(?:ate)? (?P<bytes>\d{1,18}) bytes on host",
        Cause.HOST_MEMORY,
        "XLA and TensorFlow, stream_executor/cuda/cuda_driver.cc",
        weight=Weight.NOTE,
    ),
    *(template(text, "", Cause.GPU_FAULT, _RUNTIME) for text in _FAULTS),
    template("Error in the elemwise call", "", Cause.GPU_FAULT, "Theano 0.9 to 1.0.5, gpuarray/elemwise.py"),
    *(template(text, "", Cause.GPU_NOT_STARTED, _RUNTIME) for text in _NOT_STARTED),
    template(
        "], thread: [", r"block: \[\d{1,9},\d{1,9},\d{1,9}\], thread: \[.{1,60}Assertion", Cause.GPU_FAULT, "CUDA, assert in a kernel"
    ),
    template("no CUDA-capable device is detected", "", Cause.GPU_NOT_STARTED, _RUNTIME, weight=Weight.NOTE),
    template("invalid device ordinal", "", Cause.GPU_NOT_STARTED, _RUNTIME),
    template(
        "uda error",
        r"(?i)cuda(?: runtime)? error.{1,300}?: (?P<what>invalid argument|unknown error|misaligned address)",
        Cause.GPU_FAULT,
        _RUNTIME,
    ),
    template(
        "evice pointer ",
        r"[Ee]rror freeing device pointer \w{1,20} \((?P<what>[\w ]{1,60})\)",
        Cause.GPU_FAULT,
        "Theano 0.5 to 0.9, cuda_ndarray.cu",
    ),
    template("CUDA error: ", r"CUDA error: (?P<what>unknown error|misaligned address|invalid argument)", Cause.GPU_FAULT, _RUNTIME),
    template(
        "CUDA_ERROR_",
        r"CUDA_ERROR_(?P<what>LAUNCH_\w+|ILLEGAL_\w+|MISALIGNED_ADDRESS|ASSERT|ECC_UNCORRECTABLE|HARDWARE_STACK_ERROR|INVALID_PC|"
        r"INVALID_ADDRESS_SPACE|INVALID_HANDLE|INVALID_VALUE|INVALID_CONTEXT|DEINITIALIZED|CONTEXT_IS_DESTROYED|MAP_FAILED)",
        Cause.GPU_FAULT,
        _DRIVER,
    ),
    template(
        "CUDA_ERROR_",
        r"CUDA_ERROR_(?P<what>NO_DEVICE|INVALID_DEVICE|NOT_INITIALIZED|SYSTEM_DRIVER_MISMATCH|SYSTEM_NOT_READY|COMPAT_NOT_SUPPORTED\w*|"
        r"NO_BINARY_FOR_GPU|INVALID_PTX|UNSUPPORTED_PTX_VERSION|INVALID_IMAGE|DEVICE_UNAVAILABLE|STUB_LIBRARY|UNKNOWN)",
        Cause.GPU_NOT_STARTED,
        _DRIVER,
    ),
    template(
        "cudaError",
        r"cudaError(?P<what>NoDevice|InsufficientDriver|InvalidDevice|DevicesUnavailable|NoKernelImageForDevice|InitializationError|"
        r"SystemDriverMismatch|InvalidDeviceFunction)\b",
        Cause.GPU_NOT_STARTED,
        "CUDA runtime, driver_types.h",
    ),
    template("CUDNN_STATUS_", r"CUDNN_STATUS_(?P<what>BAD_PARAM|NOT_SUPPORTED|INVALID_VALUE)", Cause.CUDNN_REFUSED, "cuDNN"),
    template("CUDNN_STATUS_", r"CUDNN_STATUS_(?P<what>EXECUTION_FAILED|MAPPING_ERROR|INTERNAL_ERROR)", Cause.GPU_FAULT, "cuDNN"),
    template(
        "CUDNN_STATUS_",
        r"CUDNN_STATUS_(?P<what>ARCH_MISMATCH|VERSION_MISMATCH|\w*VERSION_MISMATCH|RUNTIME_PREREQUISITE_MISSING|LICENSE_ERROR)",
        Cause.GPU_NOT_STARTED,
        "cuDNN",
    ),
    template("CUDNN_STATUS_ALLOC_FAILED", "", Cause.LIBRARY_MEMORY, "cuDNN", "choose dnn.conv.algo_fwd=small (and algo_bwd_*=none)"),
    template("CUDNN_STATUS_NOT_INITIALIZED", "", Cause.LIBRARY_MEMORY, "cuDNN"),
    template(
        "Possibly insufficient driver version",
        r"driver version: (?P<what>\d[\d.]*\d)",
        Cause.GPU_NOT_STARTED,
        "TensorFlow and JAX, cuda_dnn.cc",
        "cuDNN does not start with so old a driver: install a newer NVIDIA driver, or a release for an older CUDA",
    ),
    template("CUBLAS_STATUS_", r"CUBLAS_STATUS_(?:ALLOC_FAILED|NOT_INITIALIZED)", Cause.LIBRARY_MEMORY, "cuBLAS"),
    template(
        "CUBLAS_STATUS_",
        r"CUBLAS_STATUS_(?P<what>EXECUTION_FAILED|MAPPING_ERROR|INTERNAL_ERROR|INVALID_VALUE|NOT_SUPPORTED)",
        Cause.GPU_FAULT,
        "cuBLAS",
    ),
    template(
        "CUSOLVER_STATUS_",
        r"CUSOLVER_STATUS_(?:ALLOC_FAILED|NOT_INITIALIZED|INTERNAL_ERROR, when calling .?cusolver\w{1,20}Create)",
        Cause.LIBRARY_MEMORY,
        "cuSOLVER",
    ),
    template(
        "CUSOLVER_STATUS_",
        r"CUSOLVER_STATUS_(?P<what>EXECUTION_FAILED|INTERNAL_ERROR(?!, when calling .?cusolver\w{1,20}Create)|INVALID_VALUE)",
        Cause.GPU_FAULT,
        "cuSOLVER",
    ),
    template(
        "the resource allocation failed",
        r"(?i)cublas.{0,200}the resource allocation failed",
        Cause.LIBRARY_MEMORY,
        "Theano 0.6 to 0.9, cuda_ndarray.cu",
    ),
    template(
        "(cublas) ",
        r"\(cublas\) (?P<what>Execution failed|Internal error|Mapping error|Invalid value|Unknown error|Operation completed successfully)",
        Cause.GPU_FAULT,
        "libgpuarray, src/gpuarray_blas_cuda_cublas.c",
    ),
    template("(cublas) GPU resource allocation failed", "", Cause.LIBRARY_MEMORY, "libgpuarray, src/gpuarray_blas_cuda_cublas.c"),
    template(
        "(cublas) ",
        r"\(cublas\) (?P<what>Library not initialized|Operation not supported by device)",
        Cause.GPU_NOT_STARTED,
        "libgpuarray, src/gpuarray_blas_cuda_cublas.c",
    ),
    template("array size greater than addressable space", "", Cause.SIZE_OVERFLOW, _GPUARRAY, _SPLIT),
    template("sizes would overflow the ints", "", Cause.SIZE_OVERFLOW, "libgpuarray, src/gpuarray_blas_cuda_cublas.c", _SPLIT),
    template("Input size too large for operation", "", Cause.SIZE_OVERFLOW, "libgpuarray, src/gpuarray_error.c", _SPLIT),
    template("Maximum cache size reached", "", Cause.POOL, "libgpuarray, src/gpuarray_buffer_cuda.c"),
    template("GpuArrayException: ", r"GpuArrayException: \(?b?['\"]?[Oo]ut of memory", Cause.DEVICE_UNKNOWN_SIZE, _GPUARRAY),
    template(
        "gpudata_alloc: ",
        r"(?P<workspace>gpudata_alloc): .{0,80}(?i:out of memory)",
        Cause.DEVICE_UNKNOWN_SIZE,
        "Theano 1.0.5, gpuarray/c_code/dnn_redux.c",
    ),
    template("NVRTC_ERROR_", r"(?P<what>NVRTC_ERROR_\w+)", Cause.COMPILER, "libgpuarray, src/gpuarray_buffer_cuda.c"),
    template("Could not execute helper program", "", Cause.COMPILER, "libgpuarray, src/gpuarray_error.c"),
    template("Device does not support operation", "", Cause.NO_IMPLEMENTATION, "libgpuarray, src/gpuarray_error.c"),
    template("not available in your version of cuBLAS", "", Cause.NO_IMPLEMENTATION, "libgpuarray, src/gpuarray_blas_cuda_cublas.c"),
)
"""The texts come from the named sources; the status names are the same in all programs that print them."""
