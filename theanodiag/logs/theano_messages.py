"""Messages of Theano 0.5 to 1.0.5, Theano-PyMC and Aesara, of both GPU back-ends and of libgpuarray."""

from __future__ import annotations

from .model import Cause, Weight, template

_OLD = "Theano 0.5 to 0.9, theano/sandbox/cuda/cuda_ndarray.cu"
_NEW = "Theano 0.9 to 1.0.5, theano/gpuarray/__init__.py"
_LESS = "lower gpuarray.preallocate (or lib.cnmem before 1.0), or free memory on the card: other programs and the desktop hold some too"
_UPDATE = r"shared_var\.type=\w{1,30}\((?P<kind>\w{3,12}), .{1,300}?update_val\.type=\w{1,30}\((?P=kind)\b"
_STATE = r"type\s+'\w{1,30}\((?P<kind>\w{3,12}), [^']{1,60}'\s+and\s+'\w{1,30}\((?P=kind)\b"
_CONVERT = r"Cannot convert Type \w{1,30}\((?P<kind>\w{3,12}), .{1,300}?into Type \w{1,30}\((?P=kind)\b"
"""Two types of one dtype: they differ in their axes, or in which of them broadcast."""

MESSAGES = (
    *(
        template(anchor, "", Cause.REWRITE_FAILED, "Theano, Aesara and PyTensor, graph/rewriting", weight=Weight.NOTE)
        for anchor in (
            "BUG IN FGRAPH.REPLACE",
            "ptimization failure due to",
            "ewrite failure due to",
            "SeqOptimizer apply",
            "SequentialGraphRewriter apply",
        )
    ),
    template(
        "Error allocating",
        r"Error allocating (?P<bytes>\d{1,18}) bytes of device memory (?:[(<]\s?)?(?P<what>out of memory|CNMEM\w{1,60})\s?[)>]?"
        r"(?:\.? Driver report (?P<free>\d{1,18}) bytes free and (?P<total>\d{1,18}) bytes total)?",
        Cause.CAPACITY,
        _OLD,
    ),
    template(
        "Error allocating",
        r"Error allocating \d{1,18} bytes of device memory [(<]\s?(?!out of memory|CNMEM)(?P<what>[\w' -]{1,80}?)\s?[)>]",
        Cause.GPU_FAULT,
        _OLD,
        "the device failed before this request: run once with CUDA_LAUNCH_BLOCKING=1",
    ),
    template(
        "Error allocating",
        r"Error allocating %l?l?[iuzd]{1,2} bytes of device memory",
        Cause.DEVICE_UNKNOWN_SIZE,
        "Theano 0.5, which prints no number",
    ),
    template("initCnmem: cnmemInit call failed", r"Reason=(?P<what>\w+)", Cause.PREALLOCATION, _OLD, _LESS),
    template("pygpu.empty((gmem,)", "", Cause.PREALLOCATION, _NEW, _LESS),
    template("CudaNdarray_ZEROS: allocation failed", "", Cause.DEVICE_UNKNOWN_SIZE, _OLD),
    template("CudaNdarray_ZEROS: Error memsetting", r"memsetting (?P<bytes>\d{1,18}) bytes", Cause.CAPACITY, _OLD),
    template("data element to device memory", r"Cuda error '(?P<what>(?!out of memory)[^'\n]{1,80})'", Cause.GPU_FAULT, _OLD),
    template(
        "data element to device memory",
        r"^(?![^\n]*Cuda error '(?!out of memory))[^\n]*while copying (?P<elements>\d{1,18}) data element",
        Cause.CAPACITY,
        _OLD,
        "split the data: keep it in host memory and copy parts of it to the device (theanodiag.ChunkedShared)",
    ),
    template(
        "failed to allocate working memory",
        r"\bCorr(?:3d)?MM failed to allocate (?P<workspace>working memory)",
        Cause.HOST_MEMORY,
        "Theano 0.8 to 1.0.5, nnet/c_code/corr_gemm.c",
    ),
    template(
        "failed to allocate working memory",
        r"\bGpuCorr(?:3d)?MM failed to allocate (?P<workspace>working memory)",
        Cause.DEVICE_UNKNOWN_SIZE,
        "Theano 0.7 to 1.0.5, corr_gemm.cu",
    ),
    template(
        "Failed to allocate output of",
        r"Corr(?:3d)?MM: Failed to allocate output of (?:-?\d{1,12} x ){0,4}-\d",
        Cause.SHAPES,
        "Theano 0.8 to 1.0.5, tensor/nnet/corr.py, gpuarray/blas.py: a length below 0",
    ),
    template(
        "Failed to allocate output of",
        r"BaseCorr(?:3d)?MM: Failed to allocate output of (?:\d{1,12} x ){3,4}\d",
        Cause.HOST_MEMORY,
        "Theano 0.8 to 1.0.5, tensor/nnet/corr.py",
    ),
    *(
        template(text, f"(?P<workspace>{text})", Cause.DEVICE_UNKNOWN_SIZE, source)
        for text, source in (
            ("Could not allocate working memory", "Theano 0.7 and 0.8, sandbox/cuda/blocksparse.py, sandbox/gpuarray/dnn_fwd.c"),
            ("Could not allocate workspace", "Theano 0.9 to 1.0.5, gpuarray/dnn_rnn_fwd.c"),
            ("Could not allocate reserve", "Theano 0.9 to 1.0.5, gpuarray/dnn_rnn_fwd.c"),
        )
    ),
    *(
        template(text, "", Cause.DEVICE_UNKNOWN_SIZE, source)
        for text, source in (
            ("GpuConv3D: could not allocate output", "Theano 0.6, sandbox/cuda/GpuConv3D.py"),
            ("GpuConvGrad3D: Could not allocated dCdW", "Theano 0.6, sandbox/cuda/GpuConvGrad3D.py"),
            ("could not allocate memory for grid", "Theano 1.0.5, gpuarray/c_code/dnn_sptf_grid.c"),
        )
    ),
    template(
        "failed to allocate ",
        r"Gpu\w{1,40}: failed to allocate (?:memory for the output|(?P<workspace>(?:\w+ )?memory))",
        Cause.DEVICE_UNKNOWN_SIZE,
        "Theano 0.9 to 1.0.5, gpuarray/c_code",
    ),
    template(
        "Failed to allocate output",
        r"BaseGpuCorr(?:3dM?|M)M?: Failed to allocate output(?! of [\d x]*-)|RuntimeError: Failed to allocate output",
        Cause.DEVICE_UNKNOWN_SIZE,
        "Theano 0.7 to 1.0.5, sandbox/cuda/blas.py and gpuarray/blas.py",
    ),
    template(
        "Could not allocate R",
        r"MemoryError: Could not allocate R\s*$",
        Cause.DEVICE_UNKNOWN_SIZE,
        "Theano 0.6, sandbox/cuda/GpuConvTransp3D.py",
    ),
    template(
        "GpuKernel_", r"RuntimeError: GpuKernel_(?:call|sched): (?P<what>[^\n]{1,120})", Cause.GPU_FAULT, "Theano 0.7 to 1.0.5, gpuarray"
    ),
    template("_kernel ", r"Gpu\w{1,40}: \w{1,60}_kernel (?P<what>[^\n]{1,120})", Cause.GPU_FAULT, "Theano 0.9 to 1.0.5, gpuarray/c_code"),
    template("No best-timed conv ", "", Cause.CUDNN_REFUSED, "Theano 1.0.5, gpuarray/c_code/dnn_fwd.c"),
    template("could not set convolution descriptor", "", Cause.CUDNN_REFUSED, "Theano 0.8 to 1.0.5, gpuarray/c_code/conv_desc.c"),
    template("failed to allocate weight memory", "", Cause.HOST_MEMORY, "Theano 0.9 to 1.0.5, tensor/nnet/c_code/corr_gemm.c"),
    template(
        "GpuConnectionistTemporalClassification: Could not allocate", "", Cause.HOST_MEMORY, "Theano 1.0.5, gpuarray/c_code/ctc_wrapper.c"
    ),
    template("cublasS", r"cublasS\w{2,12} failed", Cause.GPU_FAULT, "Theano 0.6 to 0.9, cuda_ndarray.cu"),
    template("cublasCreate() returned this error", r"'(?P<what>the resources could not be allocated)'", Cause.LIBRARY_MEMORY, _OLD),
    template("cublasCreate()", r"the CUDA Runtime initialization failed|unknow error", Cause.GPU_NOT_STARTED, _OLD),
    *(
        template("Can't store in size_t for the bytes requested", rf"(?s)\A(?{then}.*?\nInputs values: [^\n]*array\(-\d)", cause, _OLD)
        for then, cause in (("!", Cause.SIZE_OVERFLOW), ("=", Cause.SHAPES))
    ),
    template("CudaNdarray structure", r"Failed to allocate the CudaNdarray structure", Cause.HOST_MEMORY, _OLD),
    template("CudaNdarray_New failed to allocate self", "", Cause.HOST_MEMORY, _OLD),
    template("Could not allocate gpudata structure", "", Cause.HOST_MEMORY, "Theano 0.6, sandbox/gpuarray/basic_ops.py"),
    template("GpuImages2Neibs: failed to alloc", "", Cause.DEVICE_UNKNOWN_SIZE, "Theano 0.7 to 1.0.5, gpuarray/neighbours.py"),
    template("Failed to allocate temporary space", "", Cause.HOST_MEMORY, _OLD),
    template("nable to allocate an output", "", Cause.HOST_MEMORY, "Theano 0.9 to 1.0.5, tensor/basic.py Split"),
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
        "clCreateBuffer:",
        "clCreateBuffer: (?:Invalid buffer size|Memory object allocation failure)",
        Cause.DEVICE_UNKNOWN_SIZE,
        "libgpuarray, src/gpuarray_buffer_opencl.c",
        "OpenCL allocates no array larger than CL_DEVICE_MAX_MEM_ALLOC_SIZE, often a quarter of the device",
    ),
    template("setarray failed", "RuntimeError: setarray failed", Cause.DEVICE_UNKNOWN_SIZE, "Theano 0.9, scan_module/scan_perform.pyx"),
    template(
        "create cuDNN handle",
        r"[Cc]ould not create cuDNN handle: CUDNN_STATUS_(?P<what>\w+)",
        Cause.LIBRARY_MEMORY,
        "Theano 0.9, gpuarray/dnn.py",
        "leave room for cuDNN beside the reserve: gpuarray.preallocate at most 0.9, and no other program on the card",
    ),
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
    template(
        "No module named",
        r"No module named '?(?:(?:theano\.)?sandbox\.cuda\b|cuda\.(?:dnn|blas|basic_ops|type|var|rng_curand|fftconv|nvcc_compiler)\b)",
        Cause.OLD_GPU,
        "CPython; Python 2 names the module from where it is imported",
    ),
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
    *(
        template(text, "", Cause.GPU_NOT_STARTED, source, weight=weight)
        for text, source, weight in (
            ("No gpu device selected yet", _OLD, None),
            ("no devices support CUDA", _OLD, None),
            ("There is no device that supports CUDA", _OLD, None),
            ("Unable to get properties of gpu", _OLD, None),
            ("EnvironmentError: Unable to set device", _OLD, None),
            ("error initializing device", _OLD, None),
            ("cudaGetDeviceCount' failed", _OLD, None),
            ("Not able to get number of GPUs", _OLD, None),
            ("Unable to get the number of gpus available", _OLD, Weight.NOTE),
            ("Not able to select available GPU from", _OLD, None),
            ("You forced the use of gpu device", "Theano 0.9, sandbox/cuda/__init__.py", None),
            ("You asked to force this device and it failed", "Theano 0.9, sandbox/cuda/__init__.py", None),
            ("Failed to compile cuda_ndarray.cu", "Theano 0.9, sandbox/cuda/__init__.py", Weight.NOTE),
            ("CUDA is installed, but ", "Theano 0.9, sandbox/cuda/__init__.py", Weight.NOTE),
            ("but cuda is not available", "Theano 0.9, sandbox/cuda/__init__.py", Weight.NOTE),
            (
                "nvidia driver version installed with this OS does not give good results",
                "Theano 0.9, sandbox/cuda/tests/test_driver.py",
                None,
            ),
            ("No cuda device available", "libgpuarray, src/gpuarray_buffer_cuda.c", None),
            ("Unknown device error", "libgpuarray, src/gpuarray_error.c", None),
            ("forced the init and bad device provided", _NEW, None),
        )
    ),
    template(
        "context name ",
        r"context name \S{1,40} not defined",
        Cause.GPU_NOT_STARTED,
        "Theano 0.9 to 1.0.5, gpuarray/type.py",
        "give device=cuda before Theano is imported",
    ),
    template(
        'Invalid value ("',
        r"Invalid value \(\"(?P<what>[^\"]{1,60})\"\) for configuration variable \"device\"",
        Cause.GPU_NOT_STARTED,
        "Theano 0.9 and 1.0, configdefaults.py",
        "device=cuda, cuda0, cuda1 ... or cpu",
    ),
    template("Could not load cudnn library", "", Cause.CUDNN_UNAVAILABLE, "Theano 1.0, gpuarray/dnn.py", "set dnn.library_path"),
    template(
        "Mixed dnn version",
        r"RuntimeError: Mixed dnn version",
        Cause.CUDNN_UNAVAILABLE,
        "Theano 0.9 to 1.0.5, gpuarray/dnn.py",
        "header and library of cuDNN are of two releases",
    ),
    *(
        template(text, "", Cause.CUDNN_UNAVAILABLE, "Theano 0.7 to 1.0.5, at its start", weight=Weight.NOTE)
        for text in ("Mixed dnn version", "cuDNN not available", "Version is too old. Update to", "version is too old. Update to")
    ),
    template("Theano can not compile with cuDNN", "", Cause.CUDNN_UNAVAILABLE, "Theano 0.8, sandbox/cuda/dnn.py"),
    template("You have an old release of CuDNN", "", Cause.CUDNN_UNAVAILABLE, "Theano 0.7 and 0.8, sandbox/cuda/dnn.py"),
    template("cudnn RNN require cudnn v5", "", Cause.CUDNN_UNAVAILABLE, "Theano 0.9 to 1.0.5, gpuarray/dnn.py"),
    template("Error: dnn not available", "", Cause.CUDNN_UNAVAILABLE, "Lasagne 0.1, layers/dnn.py"),
    template(
        "requires GPU support -- see http://lasagne",
        "",
        Cause.GPU_NOT_STARTED,
        "Lasagne, layers/dnn.py",
        "no GPU was in use when lasagne.layers.dnn was imported: THEANO_FLAGS=device=cuda (Theano up to 0.9: device=gpu) before it; "
        "Lasagne before 2017 knows only device=gpu, so install the newest (github.com/Lasagne/Lasagne); or use the layers without dnn",
    ),
    template(
        "Unknown GA error",
        "",
        Cause.LIBRARIES,
        "libgpuarray, src/gpuarray_error.c, for a number that it does not know",
        "reinstall pygpu and libgpuarray in the same release (conda install -c conda-forge pygpu=0.7.6 libgpuarray=0.7.6), with no other "
        "copy in LD_LIBRARY_PATH",
    ),
    template("No CUDA devices ava", "", Cause.GPU_NOT_STARTED, "libgpuarray, gpuarray_buffer_cuda.c"),
    template(
        "cannot open shared object file",
        r"(?P<what>lib(?:cu(?:blas|dart|dnn|rand|fft|da|solver|sparse|pti)|nv|gpuarray)[\w.-]{0,40}): cannot open",
        Cause.GPU_NOT_STARTED,
        "the dynamic linker",
    ),
    template("Error loading library:", r"library: -?\d", Cause.GPU_NOT_STARTED, "libgpuarray, src/gpuarray_buffer_cuda.c"),
    template("The new gpu-backend need a c++ compiler", "", Cause.GPU_NOT_STARTED, _NEW, "install g++"),
    template("Your installed version of pygpu", "", Cause.GPU_NOT_STARTED, _NEW, "install pygpu 0.7.x"),
    template("initialize the GPU in a subprocess", "", Cause.GPU_NOT_STARTED, _NEW, "start the pool before the GPU is used, or with spawn"),
    template("pygpu was configured but could not be imported", "", Cause.GPU_NOT_STARTED, _NEW, weight=Weight.NOTE),
    template("You enabled cuDNN, but we aren't able to use it", "", Cause.CUDNN_UNAVAILABLE, _NEW),
    template("cuDNN optimization was enabled, but Theano was not able", "", Cause.CUDNN_UNAVAILABLE, _OLD),
    template("Can not use cuDNN on context", "", Cause.CUDNN_UNAVAILABLE, _NEW, weight=Weight.NOTE),
    template("Not using GPU. Initialisation of device", "", Cause.GPU_NOT_STARTED, _OLD, weight=Weight.NOTE),
    template(
        "could not be acquired",
        r"lock '(?P<what>[^']{0,300}(?:compiledir[^']{0,300}|[/\\]\.lock))' could not be acquired",
        Cause.COMPILE_LOCK,
        "filelock, for Theano-PyMC, Aesara and PyTensor, compile/compilelock.py",
    ),
    template("Overriding existing lock by", "", Cause.COMPILE_LOCK, "Theano 1.0.5, gof/compilelock.py", weight=Weight.NOTE),
    template("unknow reason, the lock was already", "", Cause.COMPILE_LOCK, "Theano 1.0.5, gof/compilelock.py"),
    template("Waiting for existing lock by", "", Cause.COMPILE_LOCK, "Theano 1.0.5, gof/compilelock.py", weight=Weight.NOTE),
    template(
        "there is no implementation available supporting the requested options",
        "",
        Cause.NO_IMPLEMENTATION,
        "Theano 0.8 to 1.0.5, tensor/nnet/opt.py local_abstractconv_check",
        "on the CPU link a BLAS (blas.ldflags) and do without float16; on the GPU install cuDNN",
    ),
    template(
        "into Type",
        r"Cannot convert Type \w{1,30}\((?P<a>(?:float|int|uint|bool|complex)\d*)\b.{0,200}?into Type \w{1,30}\((?!(?P=a)\b)",
        Cause.DTYPES,
        "Theano, Aesara and PyTensor, tensor/type.py",
    ),
    template(
        "cannot store a value of dtype",
        r"of dtype (?P<what>\w{1,20})",
        Cause.DTYPES,
        "Theano, Aesara and PyTensor, tensor/type.py",
        "cast the value, or allow_input_downcast=True",
    ),
    template(
        "cannot store accurately value",
        "",
        Cause.DTYPES,
        "Theano, Aesara and PyTensor, tensor/type.py",
        "cast the value, or allow_input_downcast=True",
    ),
    template(
        "must have the same type as the original", rf"^(?!.{{0,900}}?{_UPDATE})", Cause.DTYPES, "Theano 0.6 to 1.0.5, compile/pfunc.py"
    ),
    *(
        template(anchor, axes, Cause.SHAPES, source)
        for anchor, axes, source in (
            ("must have the same type as the original", _UPDATE, "Theano 0.6 to 1.0.5, compile/pfunc.py"),
            ("associated with the same recurrent state and should have the same type", _STATE, "Theano, Aesara and PyTensor, scan/op.py"),
            ("into Type", _CONVERT, "Theano, Aesara and PyTensor, tensor/type.py"),
        )
    ),
    template(
        "associated with the same recurrent state and should have the same type",
        rf"\A(?![\s\S]{{0,900}}?{_STATE})",
        Cause.DTYPES,
        "Theano, Aesara and PyTensor, scan/op.py",
        "cast the state, or outputs_info, to one dtype",
    ),
    template(
        "images and kernel must have the same stack size",
        "",
        Cause.SHAPES,
        "Theano 0.6 to 1.0.5, dnn.py and gpuarray/c_code",
        weight=Weight.NOTE,
    ),
)
"""From the named sources and releases; other forms appeared in public threads."""
