"""Remedies for a GPU, CUDA or cuDNN that does not start or fails."""

from __future__ import annotations

from .model import Cause
from .remedy import WINDOWS, remedy

_START = (Cause.GPU_NOT_STARTED, Cause.CUDNN_UNAVAILABLE, Cause.LIBRARY_MEMORY)

GPUS = (
    remedy(
        Cause.GPU_FAULT,
        r"\(cublas\) Invalid value|CUBLAS_STATUS_INVALID_VALUE",
        "cuBLAS rejects the sizes, strides or dtype of this product: look for an axis of length 0 in the node's Inputs shapes, use float32 "
        "rather than float16, and install the newest release of what called it (libgpuarray, jax, torch)",
    ),
    remedy(
        Cause.GPU_FAULT,
        r"\A[^\n]*GpuArrayException: (?!.*(?:CUDA|launch|illegal|misaligned))",
        "libgpuarray itself failed: install pygpu and libgpuarray 0.7.6 for Theano 1.0.5, both in the same release (conda install -c "
        "conda-forge pygpu), then clear the cache: theano-cache purge",
        alone=True,
    ),
    remedy(
        (*_START, Cause.COMPILER),
        r"[Ff]ailed to compile cuda_ndarray[^\n]*codec can't decode",
        "nvcc failed, and its message is not in UTF-8: run chcp 65001 (Linux: export LANG=C) before Python starts to make the message "
        "readable; usually nvcc does not find cl.exe, or does not accept its version",
    ),
    remedy(
        _START,
        r"nvrtc64_(?P<major>\d+?)(?P<minor>\d)(?:_\d+)?\.dll",
        "pygpu and libgpuarray need the nvrtc of CUDA {major}.{minor}: install that CUDA, or reinstall pygpu and libgpuarray for the "
        "CUDA that is installed (conda install -c conda-forge pygpu libgpuarray)",
    ),
    remedy(
        _START,
        r"(?P<library>lib(?:cuda|nvidia)[\w.-]*): (?:file too short|invalid ELF)",
        "{library} is an empty file, which an image has in place of the driver's: start the container with the host's driver (docker run "
        "--gpus all, or --runtime=nvidia with NVIDIA_DRIVER_CAPABILITIES=compute,utility), and no driver in the image",
    ),
    remedy(
        _START,
        r"[Cc]ould not load \"(?P<library>[^\"\n]{1,80})\"|Error loading library",
        "a library of CUDA ({library}) was not found: put CUDA's bin folder on PATH (Windows) or its lib64 into LD_LIBRARY_PATH (Linux), "
        "or reinstall pygpu for the CUDA that is installed",
    ),
    remedy(
        _START,
        r"Unknown device error|forced the init and bad device|Invalid value .{0,40}device",
        "give the card's number as nvidia-smi shows it: device=cuda0, not cuda",
    ),
    remedy(
        _START,
        r"libcud(?:art|nn)\.so\.(?P<version>[\d.]+)|lib(?:cublas|curand|cufft|cusolver|cusparse)\.so\.(?P<of>[\d.]+)",
        "this build needs the libraries of CUDA (or cuDNN) {version}{of}: install that release, and put its lib64 folder into "
        "LD_LIBRARY_PATH (ldconfig)",
    ),
    remedy(
        _START,
        r"driver version is insufficient|UNSUPPORTED_PTX|unsupported toolchain|forward compatibility|SYSTEM_DRIVER_MISMATCH|"
        r"Driver/library version mismatch|driver .{0,40}(?:too old|older)",
        "update the NVIDIA driver (after an update: reboot), or install a CUDA toolkit that the driver shown by nvidia-smi supports",
    ),
    remedy(
        _START,
        r"kernel image is invalid|no kernel image|NO_BINARY_FOR_GPU|INVALID_PTX|ptxas does not support CC|failed to get PTX kernel|"
        r"Could not find the corresponding function",
        "this jaxlib was built for other cards or another CUDA: pip install -U 'jax[cuda12]' (or the same release of jax and jaxlib, for "
        "the CUDA that nvidia-smi shows)",
        r"jax[\\/.]|jaxlib|xla|asm_compiler",
    ),
    remedy(
        Cause.CUDNN_REFUSED,
        r"shapes=(?:\d+ ){0,4}0\b|\nInputs shapes: \[[^\n]{0,200}?\((?:\d+L?, ){0,4}0L?[,)]",
        "an array of the node is empty (a length is 0): a batch without rows, data that was not found, or a filter larger than its image",
    ),
    remedy(
        Cause.CUDNN_REFUSED,
        r"BAD_PARAM[\s\S]{0,2000}?Inputs types: \[(?=[^\n]{0,300}\(float32)[^\n]{0,300}\(float64",
        "cuDNN was given float32 and float64 together: set floatX=float32 (THEANO_FLAGS, .theanorc), and cast weights that were stored "
        "as float64 with astype(theano.config.floatX)",
    ),
    remedy(
        Cause.GPU_FAULT,
        r"CUDNN_STATUS_\w+",
        "cuDNN itself failed: install compatible releases (Theano 1.0.5, pygpu 0.7.6, cuDNN 7) and clear the cache (theano-cache purge); "
        "dnn.enabled=False, or dnn.conv.algo_fwd=small, shows whether cuDNN is the cause",
        r"[Tt]heano|Gpu(?:Dnn|Array)|gpuarray",
    ),
    remedy(
        Cause.GPU_FAULT,
        r"unknown error|timed out|LAUNCH_TIMEOUT",
        "Windows ends a kernel after 2 seconds on a card with a display (the event log has nvlddmkm): increase TdrDelay in the registry, "
        "or compute in smaller parts; update the driver",
        WINDOWS,
    ),
    remedy(
        _START,
        r"invalid device function|no kernel image|NO_BINARY_FOR_GPU|INVALID_PTX|ARCH_MISMATCH|capability|NVRTC_ERROR_INVALID_OPTION",
        "the code was built for other cards: clear the cache (theano-cache purge), set nvcc.flags=-arch=sm_XX for this card, and use a "
        "CUDA release that supports it",
    ),
    remedy(
        (*_START, Cause.GPU_FAULT),
        r"\binitialization error\b|cudaErrorInitializationError|CUDA_ERROR_NOT_INITIALIZED",
        "CUDA does not work in a process that was forked after the card was in use: start workers before, or with multiprocessing's "
        "spawn, or load data in threads; in a worker that does not use the card import theano with device=cpu",
    ),
    remedy(
        (*_START, Cause.GPU_FAULT),
        r"busy or unavailable|DEVICE_UNAVAILABLE|exclusive",
        "another process holds the card exclusively: nvidia-smi lists it; nvidia-smi -c 0 lets several share it",
    ),
    remedy(
        (*_START, Cause.GPU_FAULT),
        r"hipError(?:NoBinaryForGpu|InvalidDeviceFunction)|HIP error: invalid device function",
        "this ROCm build has no code for the card: use a build that lists it (rocminfo prints its gfx number), or try the code of a "
        "similar card, such as HSA_OVERRIDE_GFX_VERSION=10.3.0",
    ),
    remedy(
        _START,
        r"no CUDA-capable device|NO_DEVICE|No CUDA (?:GPUs|devices)|no devices? .{0,20}CUDA|No visible GPU|No devices were found|"
        r"NVIDIA driver|cuInit|CUDA_ERROR_UNKNOWN|no supported devices found|communicate with the NVIDIA driver|number of gpus",
        "nvidia-smi must list the card on that machine: install or reload the driver (reboot after a kernel update or sleep), the device "
        "/dev/nvidia* need read and write permission, containers need --gpus all, and CUDA_VISIBLE_DEVICES may hide it",
    ),
    remedy(
        _START,
        r"Found cuDNN version (?P<has>\d+), but JAX was built against version (?P<wants>\d+)|"
        r"Loaded runtime CuDNN library: (?P<loaded>[\d.]+?) but source was compiled with: (?P<built>[\d.]+\d)|"
        r"Version JAX was built against: (?P<minimum>\d+)[\s\S]{0,80}Installed version: (?P<installed>\d+)",
        "cuDNN {has}{loaded}{installed} is loaded where JAX was built for {wants}{built}{minimum}: pip install -U 'jax[cuda12]' (or "
        "nvidia-cudnn-cu12), and unset LD_LIBRARY_PATH where it names another one",
    ),
    remedy(
        Cause.GPU_NOT_STARTED,
        r"cublasCreate|\(cublas\) Library not init",
        "cuBLAS does not start: leave memory for it (nvidia-smi lists other programs; gpuarray.preallocate below 0.9), and use a CUDA "
        "that the driver supports (conda's cudatoolkit in a version that nvidia-smi shows, with pygpu)",
        r"pygpu",
    ),
    remedy(
        _START,
        r"(?i)could not create cudnn handle|dnn != nullptr|DNN library (?:initialization failed|is not found)|"
        r"CUDNN_STATUS_(?:INTERNAL_ERROR|NOT_INIT)",
        "if memory is free, cuDNN fails because of its version or the driver: update the NVIDIA driver, install JAX with its own CUDA "
        "(pip install -U 'jax[cuda12]'), and unset LD_LIBRARY_PATH, which may name another cuDNN",
        r"jax|xla|cuda_dnn\.cc",
    ),
    remedy(
        (Cause.GPU_NOT_STARTED, Cause.CUDNN_UNAVAILABLE),
        r"[Uu]nable to load (?P<library>cu\w+)|The (?P<named>cu\w+) library was not found|operation cu(?P<of>\w+?)Get|"
        r"jaxlib|jax_plugins|xla_bridge",
        "JAX loads CUDA's libraries from its own packages: pip install -U 'jax[cuda12]'; LD_LIBRARY_PATH must name their lib folders "
        "(site-packages/nvidia/*/lib) or be unset, and no other CUDA",
        r"jax",
    ),
    remedy(
        (Cause.GPU_NOT_STARTED, Cause.CUDNN_UNAVAILABLE),
        r"[Uu]nable to initialize backend '(?!tpu|rocm|plugin)|known backends|Unknown backend|jaxlib is not installed|falling back to CPU",
        "this jaxlib has no GPU support: pip install -U 'jax[cuda12]'; or set JAX_PLATFORMS=cpu to use none",
    ),
    remedy(
        _START,
        r"Mismatched PJRT plugin|PJRT API version",
        "jax, jaxlib and the plugin must be the same release: pip install -U 'jax[cuda12]' installs all of them, after pip uninstall jax "
        "jaxlib jax-cuda12-plugin jax-cuda12-pjrt",
    ),
    remedy(
        _START,
        r"(?i)cudnn|\bdnn not available",
        "set dnn.include_path and dnn.library_path to the folders of cudnn.h and of libcudnn (or CPATH and LD_LIBRARY_PATH); then clear "
        "the cache (theano-cache purge). Without cuDNN: dnn.enabled=False",
        r"[Tt]heano|gpuarray|try_flags|[Ll]asagne|Using gpu device",
    ),
    remedy(
        Cause.CUDNN_UNAVAILABLE,
        r"header is (?:from )?version (?P<header>\d+) while the library is version (?P<library>\d+)",
        "cudnn.h is of {header} and libcudnn of {library}: set dnn.include_path and dnn.library_path to the folders of one cuDNN (with "
        "no other one in CPATH and LD_LIBRARY_PATH); then clear the cache (theano-cache purge)",
    ),
    remedy(
        Cause.CUDNN_UNAVAILABLE,
        r"Mixed dnn version|header is (?:from|version)|two releases|[Vv]ersion is too old|old release",
        "install one cuDNN (5 or newer for Theano 0.9 and later), and remove other copies from CUDA's folders",
    ),
    remedy(
        Cause.GPU_NOT_STARTED,
        r"No module named '?pygpu|pygpu.{0,60}(?:not found|could not be imported|version)|in sync|Could not initialize pygpu",
        "install the same release of pygpu and libgpuarray, 0.7.6 for Theano 1.0 (conda install -c conda-forge pygpu), and test them "
        "alone: python -c \"import pygpu; pygpu.init('cuda0')\"",
    ),
    remedy(
        Cause.GPU_NOT_STARTED,
        r"sandbox[./\\]cuda|cuda una?vai|device gpu|use of gpu",
        "the line above says why; device=gpu is the back-end of Theano up to 0.9: update to Theano 1.0.5 with device=cuda0",
    ),
)
"""Remedies if a GPU, or one of its libraries, could not be started."""
