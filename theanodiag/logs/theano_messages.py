"""Messages of Theano 0.5 to 1.0.5, Theano-PyMC and Aesara, of both GPU back-ends and of libgpuarray."""

from __future__ import annotations

from .model import Cause, Weight, template

_OLD = "Theano 0.5 to 0.9, theano/sandbox/cuda/cuda_ndarray.cu"
_NEW = "Theano 0.9 to 1.0.5, theano/gpuarray/__init__.py"
_LESS = "lower gpuarray.preallocate (or lib.cnmem before 1.0), or free the card: other programs and the desktop hold memory too"

MESSAGES = (
    template(
        "Error allocating",
        r"Error allocating (?P<bytes>\d{1,18}) bytes of device memory [(<]\s?(?P<what>[\w ]{1,60}?)\s?[)>]"
        r"(?:\.? Driver report (?P<free>\d{1,18}) bytes free and (?P<total>\d{1,18}) bytes total)?",
        Cause.CAPACITY,
        _OLD,
    ),
    template("initCnmem: cnmemInit call failed", r"Reason=(?P<what>\w+)", Cause.PREALLOCATION, _OLD, _LESS),
    template("CudaNdarray_ZEROS: allocation failed", "", Cause.DEVICE_UNKNOWN_SIZE, _OLD),
    template("CudaNdarray_ZEROS: Error memsetting", r"memsetting (?P<bytes>\d{1,18}) bytes", Cause.CAPACITY, _OLD),
    template(
        "data element to device memory",
        r"while copying (?P<elements>\d{1,18}) data element",
        Cause.CAPACITY,
        _OLD,
        "split the data: keep it in host memory and send parts of it (theanodiag.ChunkedShared)",
    ),
    template(
        "failed to allocate working memory", r"\bCorr(?:3d)?MM failed", Cause.HOST_MEMORY, "Theano 0.8 to 1.0.5, nnet/c_code/corr_gemm.c"
    ),
    template(
        "failed to allocate working memory", r"\bGpuCorr(?:3d)?MM failed", Cause.DEVICE_UNKNOWN_SIZE, "Theano 0.7 to 1.0.5, corr_gemm.cu"
    ),
    template(
        "Failed to allocate output of",
        r"BaseCorr(?:3d)?MM: Failed to allocate output of (?:\d{1,12} x ){3,4}\d",
        Cause.HOST_MEMORY,
        "Theano 0.8 to 1.0.5, tensor/nnet/corr.py",
    ),
    template("MemoryError: alloc failed", "", Cause.HOST_MEMORY, "Theano 1.0.5, tensor/basic.py and tensor/elemwise.py (C code)"),
    template(
        "Trying to preallocate",
        r"Trying to preallocate (?P<mib>\d{1,9}) MB of GPU memory while only (?P<free_mib>\d{1,9}) MB are available",
        Cause.PREALLOCATION,
        _NEW,
        _LESS,
    ),
    template(
        "Can not enable cuDNN as there is only",
        r"only (?P<free_mib>\d{1,9}) MB of free GPU memory",
        Cause.LIBRARY_MEMORY,
        _NEW,
        "cuDNN needs 75 MB beside the reserve: lower gpuarray.preallocate, or set dnn.enabled=False",
    ),
    template(
        "CUDA_ERROR_OUT_OF_MEMORY",
        r"^(?!.{0,900}\) from device: CUDA)",
        Cause.DEVICE_UNKNOWN_SIZE,
        "libgpuarray, src/gpuarray_buffer_cuda.c",
    ),
    template("GpuArrayException: Out of memory", "", Cause.DEVICE_UNKNOWN_SIZE, "libgpuarray, src/gpuarray_error.c"),
    template("GpuArrayException: b'out of memory", "", Cause.DEVICE_UNKNOWN_SIZE, "libgpuarray, src/gpuarray_error.c"),
    template(
        "clCreateBuffer:",
        "clCreateBuffer: (?:Invalid buffer size|Memory object allocation failure)",
        Cause.DEVICE_UNKNOWN_SIZE,
        "libgpuarray, src/gpuarray_buffer_opencl.c",
        "OpenCL gives no array that is larger than CL_DEVICE_MAX_MEM_ALLOC_SIZE, often a quarter of the device",
    ),
    template("setarray failed", "RuntimeError: setarray failed", Cause.DEVICE_UNKNOWN_SIZE, "Theano 0.9, scan_module/scan_perform.pyx"),
    template(
        "create cuDNN handle",
        r"[Cc]ould not create cuDNN handle: CUDNN_STATUS_(?P<what>\w+)",
        Cause.LIBRARY_MEMORY,
        "Theano 0.9, gpuarray/dnn.py",
        "leave room for cuDNN beside the reserve: gpuarray.preallocate at most 0.9, and no other program on the card",
    ),
    template("descriptor: CUDNN_STATUS_", r"CUDNN_STATUS_(?P<what>[A-Z_]{1,40})", Cause.CUDNN_REFUSED, "Theano 0.7 to 1.0.5, dnn_base.c"),
    template("rror freeing device pointer", r"0x\w{1,16} \((?P<what>[\w ]{1,60})\)", Cause.GPU_FAULT, _OLD),
    template("CUDNN_STATUS_ALLOC_FAILED", "", Cause.LIBRARY_MEMORY, "cuDNN", "choose dnn.conv.algo_fwd=small (and algo_bwd_*=none)"),
    template("error getting worksize", r"CUDNN_STATUS_(?P<what>\w+)", Cause.CUDNN_REFUSED, "Theano 0.7 to 1.0.5, dnn_fwd.c"),
    template(
        "error doing operation: CUDNN_STATUS_",
        r"CUDNN_STATUS_(?P<what>\w+)",
        Cause.CUDNN_REFUSED,
        "Theano 0.7 to 1.0.5, dnn_fwd.c, dnn_gw.c",
        "take a smaller batch: cuDNN counts in 32 bits and refuses larger arrays",
    ),
    template(
        "unspecified launch failure",
        "",
        Cause.GPU_FAULT,
        _OLD,
        "run once with CUDA_LAUNCH_BLOCKING=1: the node that is named then is the one",
    ),
    template("Cuda error:", r"Cuda error: .{1,300}: out of memory", Cause.DEVICE_UNKNOWN_SIZE, _OLD),
    template("Cuda error:", r"Cuda error: .{1,300}: (?P<what>invalid [\w ]{1,60})", Cause.GPU_FAULT, _OLD),
    template("an illegal memory access was encountered", "", Cause.GPU_FAULT, "CUDA driver", "run once with CUDA_LAUNCH_BLOCKING=1"),
    template("CUDA_ERROR_LAUNCH_FAILED", "", Cause.GPU_FAULT, "CUDA driver", "run once with CUDA_LAUNCH_BLOCKING=1"),
    template("CUDA_ERROR_ILLEGAL_ADDRESS", "", Cause.GPU_FAULT, "CUDA driver", "run once with CUDA_LAUNCH_BLOCKING=1"),
    template(
        "Cuda not found. Cannot unpickle CudaNdarray",
        "",
        Cause.OLD_GPU,
        "Theano 0.9, sandbox/cuda/type.py",
        "the file was pickled on a GPU",
    ),
    template(
        "to use the old GPU back-end. It was removed", "", Cause.OLD_GPU, "Theano 1.0.5 and Aesara, configdefaults.py", "write device=cuda"
    ),
    template("This is the old GPU back-end and is removed", "", Cause.OLD_GPU, "Theano 1.0.5, sandbox/cuda/__init__.py"),
    template("No module named 'theano.sandbox.cuda", "", Cause.OLD_GPU, "CPython"),
    template("Could not initialize pygpu", "", Cause.GPU_NOT_STARTED, _NEW, weight=Weight.NOTE),
    template(
        "Missing Blas library", "", Cause.GPU_NOT_STARTED, "libgpuarray, src/gpuarray_blas_cuda_cublas.c", "install the cuBLAS of this CUDA"
    ),
    template("GpuArrayException", r"Could not load \"(?P<what>[^\"]{1,200})\"", Cause.GPU_NOT_STARTED, "libgpuarray, src/util/ldlib.c"),
    template(
        "GpuArrayException",
        r"GpuArrayException: \W{0,3}b?['\"]?cu(?:Init|DeviceGet)\b",
        Cause.GPU_NOT_STARTED,
        "libgpuarray, src/gpuarray_buffer_cuda.c",
    ),
    template("No CUDA devices ava", "", Cause.GPU_NOT_STARTED, "libgpuarray, gpuarray_buffer_cuda.c"),
    template("no CUDA-capable device is detected", "", Cause.GPU_NOT_STARTED, "CUDA", weight=Weight.NOTE),
    template(
        "cannot open shared object file",
        r"(?P<what>lib(?:cu(?:blas|dart|dnn|rand|fft|da)|nvrtc|gpuarray)[\w.-]{0,40}): cannot open",
        Cause.GPU_NOT_STARTED,
        "the dynamic linker",
        "put the library's folder into LD_LIBRARY_PATH",
    ),
    template("Error loading library:", r"library: -?\d", Cause.GPU_NOT_STARTED, "libgpuarray, src/gpuarray_buffer_cuda.c"),
    template("The new gpu-backend need a c++ compiler", "", Cause.GPU_NOT_STARTED, _NEW, "install g++"),
    template("Your installed version of pygpu", "", Cause.GPU_NOT_STARTED, _NEW, "install pygpu 0.7.x"),
    template("initialize the GPU in a subprocess", "", Cause.GPU_NOT_STARTED, _NEW, "start the pool before the GPU is used, or with spawn"),
    template("pygpu was configured but could not be imported", "", Cause.GPU_NOT_STARTED, _NEW, weight=Weight.NOTE),
    template(
        "You enabled cuDNN, but we aren't able to use it", "", Cause.CUDNN_UNAVAILABLE, _NEW, "set dnn.include_path and dnn.library_path"
    ),
    template(
        "cuDNN optimization was enabled, but Theano was not able",
        "",
        Cause.CUDNN_UNAVAILABLE,
        _OLD,
        "set dnn.include_path and dnn.library_path",
    ),
    template(
        "Can not use cuDNN on context", "", Cause.CUDNN_UNAVAILABLE, _NEW, "set dnn.include_path and dnn.library_path", weight=Weight.NOTE
    ),
    template("Not using GPU. Initialisation of device", "", Cause.GPU_NOT_STARTED, _OLD, weight=Weight.NOTE),
    template("CUDA is installed, but device", "", Cause.GPU_NOT_STARTED, _OLD, weight=Weight.NOTE),
    template(
        "could not be acquired",
        r"lock '(?P<what>[^']{0,300}(?:compiledir[^']{0,300}|[/\\]\.lock))' could not be acquired",
        Cause.COMPILE_LOCK,
        "filelock, for Theano-PyMC, Aesara and PyTensor, compile/compilelock.py",
    ),
    template("Waiting for existing lock by", "", Cause.COMPILE_LOCK, "Theano 1.0.5, gof/compilelock.py", weight=Weight.NOTE),
    template(
        "there is no implementation available supporting the requested options",
        "",
        Cause.NO_IMPLEMENTATION,
        "Theano 0.8 to 1.0.5, tensor/nnet/opt.py local_abstractconv_check",
        "on the CPU link a BLAS (blas.ldflags) and do without float16; on the GPU install cuDNN",
    ),
    template(
        "The image and the kernel must have the same type",
        "",
        Cause.DTYPES,
        "Theano 0.6 to 1.0.5, tensor/nnet/conv.py",
        "cast both to floatX",
    ),
)
"""Read in the named sources and releases; further forms were seen in public threads."""
