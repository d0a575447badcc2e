"""Messages of XLA and JAX, of the allocator that TensorFlow and XLA share, and of PyTorch."""

from __future__ import annotations

from .model import Cause, Weight, template

_AMOUNT = r"\d{1,15}(?:\.\d+)? ?[kKMGT]?i?[bB]?"
_TORCH = "PyTorch, c10/cuda/CUDACachingAllocator.cpp"

MESSAGES = (
    template(
        "memory while trying to allocate",
        r"trying to allocate (?:(?P<bytes>\d{1,18}) bytes|(?P<amount>" + _AMOUNT + "))",
        Cause.CAPACITY,
        "XLA, service/gpu and pjrt",
    ),
    template(
        "by rematerialization; only reduced to",
        r"only reduced to [^(]{1,40}\((?P<bytes>\d{1,18}) bytes\)",
        Cause.CAPACITY,
        "XLA, hlo_rematerialization.cc",
        weight=Weight.NOTE,
    ),
    template(
        "MPS backend out of memory",
        r"max allowed: (?P<total_amount>" + _AMOUNT + r")\)\. Tried to allocate (?P<amount>" + _AMOUNT + ")",
        Cause.CAPACITY,
        "PyTorch, ATen/mps/MPSAllocator.mm",
    ),
    template("Invalid buffer size: ", r"size: (?P<amount>" + _AMOUNT + ")", Cause.CAPACITY, "PyTorch, ATen/mps/MPSAllocator.mm"),
    template("ut of memory allocating", r"allocating (?P<bytes>\d{1,18}) bytes", Cause.HOST_MEMORY, "XLA, pjrt/cpu"),
    template("allocate request for", r"request for [\d.]+\w+ \((?P<bytes>\d{1,18})B\)", Cause.CAPACITY, "XLA, pjrt"),
    template(
        "Ran out of memory in memory space hbm",
        r"Used (?P<amount>" + _AMOUNT + r") of (?P<total_amount>" + _AMOUNT + ") hbm",
        Cause.CAPACITY,
        "XLA:TPU",
    ),
    template("Total hbm usage >= ", r"usage >= (?P<amount>" + _AMOUNT + ")", Cause.CAPACITY, "XLA:TPU", weight=Weight.NOTE),
    template(
        " bytes allocatable, ",
        r"allocate (?P<bytes>\d{1,18}) bytes in memory \w{1,40}; \d{1,18} bytes allocatable, (?P<free>\d{1,18}) bytes available",
        Cause.CAPACITY,
        "XLA:TPU, TpuAllocator",
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
        r"tensor (?:with|of) shape ?(?:(?P<shape>\[[\d,]{0,200}\])(?: and type (?P<dtype>\w+))?)?"
        r"[^\n]{0,200}(?:device:CPU|/cpu:\d|by allocator (?:mkl)?cpu)",
        Cause.HOST_MEMORY,
        "TensorFlow, on the CPU",
    ),
    template(
        "OOM when allocating tensor",
        r"tensor (?:with|of) shape ?(?:(?P<shape>\[[\d,]{0,200}\])(?: and type (?P<dtype>\w+))?)?"
        r"(?![^\n]{0,200}(?:device:CPU|/cpu:\d|by allocator (?:mkl)?cpu))",
        Cause.CAPACITY,
        "TensorFlow",
    ),
    template(
        "from device: CUDA_ERROR_OUT_OF_MEMORY",
        r"failed to allocate [\d.]+\w{0,3} \((?P<bytes>\d{1,18}) bytes\)",
        Cause.CAPACITY,
        "XLA, stream_executor/cuda",
        "another program uses the card: nvidia-smi lists it; XLA_PYTHON_CLIENT_PREALLOCATE=false reserves nothing at the start",
        weight=Weight.NOTE,
    ),
    template("Dst tensor is not initialized", "", Cause.DEVICE_UNKNOWN_SIZE, "TensorFlow, on a full device"),
    template(
        "Failed to allocate memory for ",
        r"Failed to allocate memory for (?!requested buffer)(?P<what>[\w ]{1,60})",
        Cause.DEVICE_UNKNOWN_SIZE,
        "XLA, service/gpu",
    ),
    template("for a host-to-device transfer", r"allocate a (?P<bytes>\d{1,18})-byte pinned host", Cause.HOST_MEMORY, "XLA, pjrt/gpu"),
    *(
        template(
            "cuSolver internal error",
            pattern,
            cause,
            "jaxlib, gpu/solver_kernels.cc and solver_handle_pool.cc",
            "cuSOLVER gives no reason; usual ones are that it found no memory (XLA_PYTHON_CLIENT_PREALLOCATE=false leaves it some), and a "
            "jaxlib that does not match the CUDA libraries it finds (unset LD_LIBRARY_PATH; pip install -U 'jax[cuda12]', or an older jax)",
        )
        for pattern, cause in ((r"DnCreate\(", Cause.LIBRARY_MEMORY), (r"^(?![^\n]*DnCreate\()", Cause.GPU_FAULT))
    ),
    template("ailed to create cublas handle", "", Cause.LIBRARY_MEMORY, "XLA, stream_executor/cuda/cuda_blas.cc"),
    template(
        "ould not create cudnn handle",
        r"(?s)handle(?:.{0,200}Memory usage: (?P<free>\d{1,18}) bytes free, (?P<total>\d{1,18}) bytes total)?",
        Cause.LIBRARY_MEMORY,
        "XLA, stream_executor/cuda/cuda_dnn.cc",
    ),
    template(
        "would exceed allowed memory",
        r"(?s)out of memory\).{0,200}?Requested\s{0,20}: (?P<amount>"
        + _AMOUNT
        + r")\s{1,9}Device limit\s{0,20}: (?P<total_amount>"
        + _AMOUNT
        + r")\s{1,9}Free \(according to CUDA\): (?P<free_amount>"
        + _AMOUNT
        + ")",
        Cause.CAPACITY,
        "PyTorch, c10/cuda/CUDAMallocAsyncAllocator.cpp",
    ),
    template(
        "out of memory. Tried to allocate",
        r"(?s)Tried\sto\sallocate\s(?P<amount>" + _AMOUNT + r").{0,300}?(?P<total_new>" + _AMOUNT + r")\sallowed;",
        Cause.CAPACITY,
        _TORCH,
        "torch.cuda.set_per_process_memory_fraction limits this process: free memory beyond that is not used",
    ),
    template(
        "out of memory. Tried to allocate",
        r"(?s)Tried\sto\sallocate\s(?P<amount>" + _AMOUNT + r")(?!.{0,300}?\sallowed;)"
        r"(?:\.?\s?\([A-Z]PU\s\d+;\s(?P<total_amount>" + _AMOUNT + r")\stotal\scapacity;"
        r"(?:\s(?P<allocated_amount>" + _AMOUNT + r")\salready\sallocated;)?\s(?P<free_amount>" + _AMOUNT + r")\sfree"
        r"(?:;(?:.{0,60}?;)??\s(?P<reserved_amount>" + _AMOUNT + r")\sreserved)?(?:;\s(?P<unused_amount>" + _AMOUNT + r")\scached)?)?"
        r"(?:\.?\s(?:[A-Z]PU|MPS|MUSA)\s(?:\d+\s)?has\sa\stotal\scapaci?ty\sof\s(?P<total_new>" + _AMOUNT + r")\s"
        r"of\swhich\s(?P<free_new>" + _AMOUNT + r")\sis\sfree)?"
        r"(?:.{0,600}?this\sprocess\shas\s(?P<own_amount>" + _AMOUNT + r")\smemory\sin\suse)?"
        r"(?:.{0,400}?allocated\smemory\s(?P<allocated_new>" + _AMOUNT + r")\sis\sallocated\sby\sPyTorch,"
        r"(?:.{0,200}?\sand\s(?P<unused_new>" + _AMOUNT + r")\sis\sreserved)?)?",
        Cause.CAPACITY,
        _TORCH,
    ),
    *(
        template(text, "", Cause.NO_IMPLEMENTATION, "numba, core/errors.py", weight=weight)
        for text, weight in (
            ("Failed in nopython mode pipeline", None),
            ("Failed in object mode pipeline", None),
            ("numba.core.errors.TypingError", None),
            ("numba.core.errors.LoweringError", None),
            ("numba.core.errors.UnsupportedError", None),
            ("numba.core.errors.NumbaNotImplementedError", None),
            ("numba.core.errors.NumbaTypeError", None),
            ("numba.core.errors.NumbaValueError", None),
            ("numba.errors.TypingError", None),
            ("numba.errors.LoweringError", None),
            ("numba.errors.UnsupportedError", None),
            ("annot determine Numba type of", None),
            ("Failed at nopython", None),
            ("Failed at object", None),
            ("Compilation is falling back to object mode", Weight.NOTE),
            ("<numba.targets.", None),
            ("Cannot unify ", None),
            ("non-precise type ", None),
            ("Invalid use of Function(", None),
            ("Invalid use of BoundFunction(", None),
            ("Invalid use of type(CPUDispatcher", None),
            ("cannot be determined, operation:", None),
            ("NRT required but not enabled", None),
            ("numba.core.errors.NumbaError", None),
            ("numba.core.errors.InternalError", None),
            ("numba.core.errors.ConstantInferenceError", None),
            ("Untyped global name", None),
            ("No implementation of function Function(", None),
            ("Unknown attribute '", Weight.NOTE),
            ("Use of unsupported NumPy function", None),
            ("Unsupported target CPU", None),
        )
    ),
    template(
        "Numba will use object mode to run",
        "",
        Cause.NO_IMPLEMENTATION,
        "Aesara and PyTensor, link/numba/dispatch/basic.py",
        weight=Weight.NOTE,
    ),
    template("cuda runtime error (2)", "", Cause.DEVICE_UNKNOWN_SIZE, "PyTorch before 1.0, THC/generic/THCStorage.cu"),
    *(
        template(text, "", Cause.GPU_NOT_STARTED, "JAX, _src/xla_bridge.py", weight=weight)
        for text, weight in (
            ("Unable to initialize backend '", Weight.NOTE),
            ("assert _default_backend is not None", None),
            ("CUDA backend failed to initialize", Weight.NOTE),
            ("-enabled jaxlib is not installed", Weight.NOTE),
            ("Jax plugin configuration error", Weight.NOTE),
            ("No GPU/TPU found, falling back to CPU", Weight.NOTE),
            ("no supported devices found for platform CUDA", None),
            ("is not in the list of known backends", None),
            ("Could not initialize backend '", None),
            ("' provides no devices", None),
            ("Unable to load cuSOLVER", None),
            ("Unable to load cuSPARSE", None),
            ("Unable to load CUDA", None),
            ("CuDNN library needs to have matching major version", None),
            ("but JAX was built against version", None),
            ("Could not load dynamic library '", Weight.NOTE),
            ("Cannot dlopen some GPU libraries", Weight.NOTE),
        )
    ),
    template("Unknown backend", r"Unknown backend:? '?(?P<what>gpu|cuda|rocm|tpu|\{)", Cause.GPU_NOT_STARTED, "JAX, _src/xla_bridge.py"),
    template(
        "' failed to initialize: ", r"Backend '(?P<what>\w{1,20})' failed to initialize", Cause.GPU_NOT_STARTED, "JAX, _src/xla_bridge.py"
    ),
    template(
        "NotImplementedError: ",
        r"NotImplementedError: .{0,200}?(?P<what>\bJAX\b|\bjax\.|[Nn]umba|[Pp]y[Tt]orch|\bMLX\b|\bmlx\b|torch\.linalg)",
        Cause.NO_IMPLEMENTATION,
        "PyTensor, link/jax, link/numba, link/pytorch and link/mlx",
    ),
    template("Cannot find valid initial parameters", "", Cause.START_VALUES, "NumPyro, infer/util.py", weight=Weight.NOTE),
    template("During: resolving callee type", r"numba_funcif", Cause.NO_IMPLEMENTATION, "PyTensor, link/numba", weight=Weight.NOTE),
    template("cannot produce C code", "", Cause.NO_IMPLEMENTATION, "Theano, Aesara and PyTensor, link/c/basic.py"),
    template("No Python implementation is provided by this", "", Cause.NO_IMPLEMENTATION, "Aesara and PyTensor, link/c/op.py"),
    template("DNN library is not found", "", Cause.CUDNN_UNAVAILABLE, "XLA, stream_executor"),
    template("DNN library initialization failed", "", Cause.CUDNN_UNAVAILABLE, "XLA, stream_executor"),
    template(
        "because cuDNN failed to initialize",
        "",
        Cause.CUDNN_UNAVAILABLE,
        "TensorFlow, conv_ops.cc",
        "TF_FORCE_GPU_ALLOW_GROWTH=true leaves it room",
    ),
    template("No algorithm worked!", "", Cause.CUDNN_UNAVAILABLE, "TensorFlow, conv_ops_impl.cc"),
    *(
        template(text, "", Cause.STATIC_SHAPE, source)
        for text, source in (
            ("does not support nonzero, its output shape is data-dependent", "PyTensor, link/jax/dispatch/tensor_basic.py"),
            ("The size argument of jnp.", "JAX, _src/core.py"),
            ("requires the arguments of `jax.numpy.arange`", "PyTensor, link/jax/dispatch/tensor_basic.py"),
            ("to be constants. The graph that you defined thus cannot be JIT-compiled", "Aesara and PyTensor, link/jax/dispatch"),
            ("has undetermined shape dimensions", "PyTensor, link/jax/ops.py"),
            ("Array boolean indices must be concrete", "JAX, _src/errors.py"),
            ("slice_sizes must be less than or equal to operand shape", "JAX, _src/lax/slicing.py"),
        )
    ),
    template("Array slice indices must have static start/stop/step", "", Cause.STATIC_SHAPE, "JAX, _src/numpy/indexing.py"),
    template("NonConcreteBooleanIndexError", "", Cause.STATIC_SHAPE, "JAX, _src/errors.py"),
    template("TracerIntegerConversionError", "", Cause.STATIC_SHAPE, "JAX, _src/errors.py"),
    *(
        template(text, r"^(?!See https:)", Cause.SYMBOLIC, "JAX, _src/errors.py")
        for text in (
            "UnexpectedTracerError",
            "TracerArrayConversionError",
            "TracerBoolConversionError",
            "The problem arose with the `bool` function",
            "was called on traced array",
        )
    ),
    template("Unable to serialize MPS module", "", Cause.NO_IMPLEMENTATION, "JAX, jax-metal"),
    template("RET_CHECK failure", r"dnn != nullptr", Cause.CUDNN_UNAVAILABLE, "XLA, service/gpu/gpu_compiler.cc"),
    template("failed to get PTX kernel", "named symbol not found|NOT_FOUND", Cause.GPU_NOT_STARTED, "XLA, stream_executor/cuda"),
    template("Could not find the corresponding function", "", Cause.GPU_NOT_STARTED, "XLA, stream_executor/cuda"),
    *(
        template(
            f" {word} for",
            rf"\bNo (?:JAX|Numba|PyTorch|MLX) {word} for(?: Op|(?: the given)?(?: `Op`| distribution)?:?) (?P<what>[^`\n]{{1,200}})",
            Cause.NO_IMPLEMENTATION,
            "Aesara and PyTensor, link/*/dispatch",
        )
        for word in ("conversion", "implementation")
    ),
)
