"""TD2: the device that runs the job, its requirements, and the width of floats on it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ...findings import Confidence, Finding, Location, Severity
from ...flags.diagnose import ConfigSubject, Unread, about, finding, fix, replace_span
from ...flags.model import Dialect, FlagKind
from ...flags.values import accepts, split_comment
from ..base import rule
from .examples import config

OLD = re.compile(r"gpu(\d*)")


@rule(
    "TD231",
    "old-gpu-device",
    fires=lambda: config("[global]\ndevice = gpu0\n"),
    silent=lambda: config("[global]\ndevice = gpu0\n", version="0.9.0"),
)
def old_gpu_device(s: ConfigSubject) -> Iterator[Finding]:
    """TD231: a device of the back-end that was removed in 1.0

    What it finds
        Finds `gpu`, `gpu0` and so on as the value of `device` or `init_gpu_device`, for Theano 1.0 and later.

    Why it matters
        The library refuses to start. A GPU device of the old back-end is the most frequent problem of old files: 44 % of the public
        `.theanorc` files have one. Development versions between 0.9 and 1.0 mix up the words of the message: `Invalid value ("cpu") for
        configuration variable "gpu"`.

    Example
        `device = gpu0`.

    What to do
        Write `device = cuda0`, or `device = cuda` to let the driver choose. The new back-end manages memory differently: see TD234.

    Limits
        Aesara and PyTensor have no GPU device at all: see TD233.
    """
    if s.dialect is not Dialect.THEANO:
        return
    for w in s.written:
        old = OLD.fullmatch((w.value or "").strip("'\" "))
        if old and w.flag and w.flag.kind is FlagKind.DEVICE and "gpu" not in w.flag.choices:
            new = f"cuda{old[1]}"
            message = f"{old[0]} is the CUDA back-end that Theano 1.0 removed: {s.library} will not start"
            advice = fix(f"write {new}", replace_span(w.value_span, new), code=f"{w.flag.name}={new}", safe=True)
            yield finding("TD231", Severity.ERROR, w, message, advice)


NAMES = re.compile(r"(cpu|gpu\d*|cuda\d*|cuda[0-9a-fA-F:.]+|opencl\d+:\d+)?")


@rule(
    "TD232",
    "device-name",
    fires=lambda: config("[global]\ndevice = cuda*\nforce_device = True\n"),
    silent=lambda: config("[global]\ndevice = cuda1\nforce_device = True\n"),
)
def device_name(s: ConfigSubject) -> Iterator[Finding]:
    """TD232: a device name that names no device

    What it finds
        Finds device names other than `cpu`, `cuda`, `cudaN`, `openclN:M` (and `gpu`, `gpuN` before 1.0). The `cuda*` in Theano's messages
        is not meant literally: no device has that name.

    Why it matters
        Theano accepts any name that begins with `cuda`. If there is no such device, starting the GPU fails, Theano only logs this, and the
        job runs on the CPU. Theano refuses all other wrong names at once.

    Example
        `device = cuda*`.

    What to do
        Write `cuda0` for the first GPU, `cuda` to let the driver choose, or `cpu` for none.

    Limits
        The rule does not check whether the device exists.
    """
    for w in s.effective():
        commented = w.section is not None and split_comment(s.interpolated(w))[1]  # TD222
        if w.flag is None or w.flag.kind is not FlagKind.DEVICE or commented:
            continue
        text = s.interpolated(w)
        plain = text.strip("'\" ")
        elsewhere = OLD.fullmatch(plain) or (s.dialect is not Dialect.THEANO and plain)  # TD231, TD233
        refused = not elsewhere and not accepts(w.flag, plain)
        if refused or not NAMES.fullmatch(text.strip("'\"")):
            starts = s.interpolated(w).startswith(("cuda", "opencl"))
            effect = "it fails when the GPU is started" if starts else f"{s.library} will not start"
            message = f"{w.value!r} is not a device: {effect}"
            cpu = s.interpolated(w).lower().startswith("cpu")
            advice = "write cpu, which has no number" if cpu else "write cuda0, or cuda to let the driver choose"
            if plain == "cpu":  # of init_gpu_device
                advice = "leave it empty: it names a GPU that is started beside device=cpu"
            yield finding("TD232", Severity.ERROR, w, message, fix(advice))


@rule(
    "TD233",
    "no-gpu-here",
    fires=lambda: config(flags="device=cuda,floatX=float32", to=Dialect.PYTENSOR),
    silent=lambda: config(flags="mode=JAX,floatX=float32", to=Dialect.PYTENSOR),
)
def no_gpu_here(s: ConfigSubject) -> Iterator[Finding]:
    """TD233: a GPU flag for a library without GPU back-end

    What it finds
        Finds `device`, `gpuarray.*`, `dnn.*` and similar flags in the settings of Aesara or PyTensor.

    Why it matters
        Nothing runs on the GPU. PyTensor ignores these flags (silently in a file); Aesara rejects `device=cuda`.

    Example
        `PYTENSOR_FLAGS=device=cuda,floatX=float32`.

    What to do
        Use `mode=JAX` (in PyTensor also `mode=PYTORCH` or `MLX`). In mode JAX, `XLA_CLIENT_MEM_FRACTION` controls the memory. `theanodiag
        config rewrite --env` prints the variables.

    Limits
        `device=cpu` is harmless. Aesara has the flag `device`; PyTensor does not, and only warns that the flag is unknown.
    """
    if s.dialect is Dialect.THEANO:
        return
    jax = fix("to use a GPU, set mode=JAX", code="mode=JAX")
    for w in s.written:
        if w.flag and w.name in ("device", "init_gpu_device", "contexts") and w.value not in ("cpu", ""):
            yield finding("TD233", Severity.ERROR, w, f"{s.library} has no GPU device: it will not start", jax)
    for w in s.unread(Unread.GPU):
        if w.name in ("device", "init_gpu_device") and w.value in ("cpu", ""):
            message = f"{s.library} has no flag {w.name}, and computes on the CPU unless the mode says otherwise: ignored"
            yield finding("TD233", Severity.INFO, w, message, fix("remove it"))
        elif w.name in ("device", "init_gpu_device", "contexts"):
            yield finding("TD233", Severity.WARNING, w, f"{s.library} has no GPU device: ignored", jax)
        else:
            message = f"{w.name} is a flag of Theano's GPU back-end, which {s.library} does not have: ignored"
            yield finding("TD233", Severity.WARNING, w, message, fix("remove it"))


@rule(
    "TD239",
    "silent-cpu",
    fires=lambda: config(flags="device=cuda0"),
    silent=lambda: config(flags="device=cuda0,force_device=True"),
)
def silent_cpu(s: ConfigSubject) -> Iterator[Finding]:
    """TD239: without force_device the job may run on the CPU

    What it finds
        Finds a GPU device with `force_device` off.

    Why it matters
        If the GPU cannot be started (no memory left for the reserve, no pygpu, a wrong name), Theano only logs this, and the job runs on
        the CPU.

    Example
        `device = cuda0` alone.

    What to do
        Set `force_device = True`. If the GPU cannot be started, the job stops with an error.

    Limits
        None known.
    """
    if s.dialect is Dialect.THEANO and s.on_gpu and s.is_taken("device") and s.is_off("force_device"):
        message = "if the GPU does not start, this is only logged and the job runs on the CPU"
        finding = about("TD239", Severity.INFO, s, "device", message, fix("write force_device=True", code="force_device=True"))
        yield replace(finding, minor=True)


@rule(
    "TD240",
    "device-and-contexts",
    fires=lambda: config(flags="device=cuda0,contexts=dev0->cuda0;dev1->cuda1"),
    silent=lambda: config(flags="device=cpu,contexts=dev0->cuda0;dev1->cuda1"),
)
def device_and_contexts(s: ConfigSubject) -> Iterator[Finding]:
    """TD240: device and contexts start the same GPU

    What it finds
        Finds a device in `contexts` that `device` also names.

    Why it matters
        Theano creates two contexts on the GPU, and preallocates memory in each of them (libgpuarray issue 255).

    Example
        `device=cuda0,contexts=dev0->cuda0;dev1->cuda1`.

    What to do
        Set `device=cpu` and put all GPUs in `contexts`, or remove the GPU that both name from `contexts`.

    Limits
        `device=cuda` may select any GPU and is not reported.
    """
    device, contexts = s.text("device"), s.text("contexts") or ""
    named = [part.partition("->")[2].strip() for part in contexts.strip("'\"").split(";")]
    if device in named and device != "cpu":
        message = f"{device} is in device and in contexts: it is started twice, with two reserves"
        yield about("TD240", Severity.WARNING, s, "contexts", message, fix("write device=cpu", code="device=cpu"))


@rule(
    "TD248",
    "init-device-ignored",
    fires=lambda: config(flags="device=cuda0,init_gpu_device=cuda1"),
    silent=lambda: config(flags="device=cpu,init_gpu_device=cuda1"),
)
def init_device_ignored(s: ConfigSubject) -> Iterator[Finding]:
    """TD248: init_gpu_device together with a GPU device

    What it finds
        Finds `init_gpu_device` together with `device=cuda*`.

    Why it matters
        Theano reads `init_gpu_device` only with `device=cpu`. With a GPU device it has no effect.

    Example
        The file has `device = cuda0` and `init_gpu_device = cuda1`.

    What to do
        Remove one of the two flags.

    Limits
        None known.
    """
    if s.on_gpu and s.text("init_gpu_device"):
        message = "init_gpu_device has an effect only with device=cpu"
        yield about("TD248", Severity.INFO, s, "init_gpu_device", message, fix("remove it"))


EFFECTS = (
    ("CUDA_LAUNCH_BLOCKING", "the job waits for every kernel"),
    ("PYTORCH_NO_CUDA_MEMORY_CACHING", "torch caches no memory"),
)


@rule(
    "TD268",
    "blocking-launches",
    fires=lambda: config(flags="device=cuda0", env=(("CUDA_LAUNCH_BLOCKING", "1"),)),
    silent=lambda: config(flags="device=cuda0,profile=True", env=(("CUDA_LAUNCH_BLOCKING", "1"),)),
)
def blocking_launches(s: ConfigSubject) -> Iterator[Finding]:
    """TD268: Theano waits for every kernel

    What it finds
        Finds CUDA_LAUNCH_BLOCKING=1 and PYTORCH_NO_CUDA_MEMORY_CACHING=1.

    Why it matters
        Both variables are for debugging. With CUDA_LAUNCH_BLOCKING=1, the program waits for the GPU at each launch of a kernel. With
        PYTORCH_NO_CUDA_MEMORY_CACHING=1, PyTorch requests every array from the driver.

    Example
        A job script still sets `CUDA_LAUNCH_BLOCKING=1`.

    What to do
        Remove the variable with `unset`.

    Limits
        The rule reports neither variable with `profile=True`, because Theano's profiler needs CUDA_LAUNCH_BLOCKING=1 for correct times.
    """
    for name, effect in EFFECTS:
        if s.env(name) not in (None, "", "0") and not s.is_on("profile"):
            advice = fix(f"unset {name}", code=f"unset {name}")
            yield Finding("TD268", Severity.INFO, Confidence.DERIVED, f"{effect}: slow", Location(name), advice)


@rule(
    "TD249",
    "float64-on-gpu",
    fires=lambda: config(flags="device=cuda0"),
    silent=lambda: config(flags="device=cuda0,floatX=float32"),
)
def float64_on_gpu(s: ConfigSubject) -> Iterator[Finding]:
    """TD249: float64 on a GPU

    What it finds
        Finds a GPU device with floatX set to float64, which is the default.

    Why it matters
        Every array takes twice the memory of float32. Consumer cards compute float64 up to 32 times slower, and the back-end before Theano
        1.0 leaves float64 on the CPU.

    Example
        `device = cuda0` without `floatX`.

    What to do
        Set `floatX = float32`.

    Limits
        Some models need the precision of float64.
    """
    if s.on_gpu and s.text("floatX") in ("float64", "64"):
        message = "floatX is float64: twice the memory of float32, and slow on most GPUs"
        advice = fix("write floatX=float32", code="floatX=float32")
        yield about("TD249", Severity.WARNING, s, "floatX", message, advice, instead="device")


@rule(
    "TD250",
    "float16",
    fires=lambda: config(flags="floatX=float16"),
    silent=lambda: config(flags="floatX=float32"),
)
def float16(s: ConfigSubject) -> Iterator[Finding]:
    """TD250: floatX=float16 is experimental

    What it finds
        Finds `floatX` set to float16.

    Why it matters
        Many operations have no float16 code, compute in Python or lose precision. Theano calls float16 experimental.

    Example
        `floatX = float16`.

    What to do
        Set `floatX = float32`.

    Limits
        Individual shared variables may safely be float16.
    """
    if s.text("floatX") in ("float16", "16"):
        yield about("TD250", Severity.WARNING, s, "floatX", "float16 is experimental", fix("write floatX=float32", code="floatX=float32"))
