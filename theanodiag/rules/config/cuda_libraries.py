"""TD2: CUDA, its compiler and cuDNN: search paths, and settings without effect."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, Unread, about, finding, fix
from ...flags.model import Dialect
from ..base import rule
from .examples import config


@rule(
    "TD241",
    "gpu-without-compiler",
    fires=lambda: config("[global]\ndevice = cuda\nforce_device = True\ncxx =\n"),
    silent=lambda: config("[global]\ndevice = cpu\ncxx =\n"),
)
def gpu_without_compiler(s: ConfigSubject) -> Iterator[Finding]:
    """TD241: a GPU without a C++ compiler

    What it finds
        Finds a GPU device together with an empty `cxx`.

    Why it matters
        The gpuarray back-end needs a C++ compiler for its operations. Without one the GPU does not start, and the job runs on the CPU.

    Example
        The file has `device = cuda` and `cxx =`.

    What to do
        Install g++ and remove the empty `cxx`.

    Limits
        The rule does not detect a compiler that is named but missing.
    """
    if s.dialect is Dialect.THEANO and s.on_gpu and s.winner("cxx") and not s.text("cxx"):
        advice = fix("install g++ and remove the empty cxx")
        yield about("TD241", Severity.ERROR, s, "cxx", "the GPU back-end needs a C++ compiler", advice)


@rule(
    "TD242",
    "half-cudnn-path",
    fires=lambda: config("[dnn]\ninclude_path = /opt/cudnn/include\n"),
    silent=lambda: config("[dnn]\ninclude_path = /opt/cudnn/include\nlibrary_path = /opt/cudnn/lib64\n"),
)
def half_cudnn_path(s: ConfigSubject) -> Iterator[Finding]:
    """TD242: one half of the path to cuDNN

    What it finds
        Finds `dnn.include_path` without `dnn.library_path`, or the reverse.

    Why it matters
        Theano looks for the missing half (header or library) in the CUDA folder. The CUDA folder may have no cuDNN, or a library that does
        not match the header.

    Example
        `[dnn]` with `include_path` alone.

    What to do
        Set both paths, or only `dnn.base_path`, from which both follow.

    Limits
        If the other half of cuDNN is in the CUDA folder, one path is sufficient.
    """
    pair = ("dnn.include_path", "dnn.library_path")
    given = [name for name in pair if s.winner(name)]
    if len(given) == 1 and not s.winner("dnn.base_path"):
        other = pair[1 - pair.index(given[0])]
        message = f"{given[0]} is set, {other} is guessed"
        yield about("TD242", Severity.INFO, s, given[0], message, fix(f"set {other} too, or dnn.base_path"))


@rule(
    "TD243",
    "cudnn-off",
    fires=lambda: config(flags="device=cuda0,dnn.enabled=False"),
    silent=lambda: config(flags="device=cuda0,dnn.enabled=auto"),
)
def cudnn_off(s: ConfigSubject) -> Iterator[Finding]:
    """TD243: cuDNN is switched off on a GPU

    What it finds
        Finds `dnn.enabled=False` with a GPU device.

    Why it matters
        Convolutions use slower code that takes more memory.

    Example
        `device=cuda,dnn.enabled=False`.

    What to do
        Set `dnn.enabled=auto`, which uses cuDNN if it is found, or `True`, which makes its absence an error.

    Limits
        A script without convolutions, pooling or softmax is not affected.
    """
    if s.on_gpu and s.text("dnn.enabled") == "False":
        message = "cuDNN is off: convolutions are slower and take more memory"
        yield about("TD243", Severity.INFO, s, "dnn.enabled", message, fix("write dnn.enabled=auto", code="dnn.enabled=auto"))


@rule(
    "TD244",
    "nvcc-ignored",
    fires=lambda: config("[nvcc]\nfastmath = True\n"),
    silent=lambda: config("[nvcc]\nfastmath = True\n", version="0.8.2"),
)
def nvcc_ignored(s: ConfigSubject) -> Iterator[Finding]:
    """TD244: options for a compiler that is not used

    What it finds
        Finds `nvcc.*` flags in the configuration of Theano 1.0 and later, Aesara or PyTensor, none of which reads them.

    Why it matters
        The flags have no effect. The gpuarray back-end compiles its kernels with NVRTC, which gets no options, and everything else with
        g++.

    Example
        `[nvcc]` contains `fastmath = True`, or `flags = -D_FORCE_INLINES`.

    What to do
        Remove the flags. If g++ needs the folders in these flags (-I, -L), write them into `gcc.cxxflags`; `theanodiag config rewrite`
        moves the folders there.

    Limits
        None known.
    """
    for w in s.unread(Unread.NVCC):
        yield finding("TD244", Severity.INFO, w, f"{w.name} has no effect: {s.library} does not use nvcc", fix("remove it"))


NAMES = ("dnn.conv.algo_fwd", "dnn.conv.algo_bwd_data", "dnn.conv.algo_bwd_filter")


HUNGRY = ("large", "fft", "fft_tiling", "winograd_non_fused", "time_once", "time_on_shape_change")


@rule(
    "TD246",
    "cudnn-workspace",
    fires=lambda: config(flags="device=cuda,dnn.conv.algo_fwd=time_once"),
    silent=lambda: config(flags="device=cuda,dnn.conv.algo_fwd=small"),
)
def cudnn_workspace(s: ConfigSubject) -> Iterator[Finding]:
    """TD246: cuDNN algorithms that need a workspace

    What it finds
        Finds `dnn.conv.algo_*` set to `large`, `fft`, `fft_tiling`, `winograd_non_fused` or a `time_*` choice.

    Why it matters
        With these algorithms, each convolution needs a workspace in addition to its arrays. With a `time_*` choice, cuDNN also uses all
        free memory while it measures the algorithms.

    Example
        `[dnn.conv]` with `algo_fwd = time_once`.

    What to do
        If memory is short, set `algo_fwd` to `small` and the other two to `none`, or use `guess_once`.

    Limits
        The size of the workspace depends on the shapes.
    """
    for name in NAMES:
        if s.on_gpu and s.text(name) in HUNGRY:
            code = f"{name}={'small' if name.endswith('fwd') else 'none'}"
            message = f"{s.text(name)} needs a workspace for each convolution"
            yield about("TD246", Severity.INFO, s, name, message, fix(f"write {code} where memory is short", code=code))


INSIDE = re.compile(r"(.+?)[/\\](bin|lib|lib64|include)([/\\]stubs)?[/\\]?")


@rule(
    "TD247",
    "cuda-root",
    fires=lambda: config("[cuda]\nroot = /usr/local/cuda/bin\n"),
    silent=lambda: config("[cuda]\nroot = /usr/local/cuda-8.0\n"),
)
def cuda_root(s: ConfigSubject) -> Iterator[Finding]:
    """TD247: cuda.root names a folder inside CUDA

    What it finds
        Finds `cuda.root` set to a path that ends in `bin`, `lib`, `lib64` or `include`.

    Why it matters
        The library itself appends `include`, `lib64` and `bin` to the path, and finds nothing there.

    Example
        `[cuda]` with `root = /usr/local/cuda/bin`.

    What to do
        Name the folder above: `/usr/local/cuda`.

    Limits
        None known.
    """
    inside = INSIDE.fullmatch(s.text("cuda.root") or "")
    if inside:
        message = f"cuda.root must be the folder that contains {inside[2]}, not {inside[2]} itself"
        yield about("TD247", Severity.WARNING, s, "cuda.root", message, fix(f"write {inside[1]}", code=f"cuda.root={inside[1]}"))


@rule(
    "TD270",
    "cudnn-required",
    fires=lambda: config("[global]\ndevice = cpu\n[dnn]\nenabled = True\n"),
    silent=lambda: config("[global]\ndevice = cuda\nforce_device = True\n[dnn]\nenabled = True\n"),
)
def cudnn_required(s: ConfigSubject) -> Iterator[Finding]:
    """TD270: cuDNN is required without a GPU

    What it finds
        Finds `dnn.enabled=True` while the device is the CPU.

    Why it matters
        The flag has no effect, but suggests that the GPU is used.

    Example
        The file has `device = cpu`, and `enabled = True` in `[dnn]`.

    What to do
        Set `device = cuda`, or remove the flag.

    Limits
        The rule does not see whether the script itself starts a GPU.
    """
    if s.winner("dnn.enabled") and s.text("dnn.enabled") == "True" and s.text("device") == "cpu" and not s.text("contexts"):
        message = "the device is the CPU: cuDNN is not used"
        yield about("TD270", Severity.INFO, s, "dnn.enabled", message, fix("write device=cuda, or remove it"))
