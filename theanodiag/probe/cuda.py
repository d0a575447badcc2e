"""The GPUs of this machine as NVML reports them (nvidia-ml-py, an extra), and the CUDA libraries that libgpuarray loads: the files that can
provide them, and a folder of links with the names that it loads.

On Linux libgpuarray 0.7.6 opens `libcuda.so`, `libnvrtc.so` and `libcublas.so`, without a version, and `libnccl.so` where several GPUs are
asked for (src/loaders/libcuda.c, libnvrtc.c, libcublas.c, dyn_load.c); the driver's version and the list that ends at CUDA 10.0
(src/gpuarray_buffer_cuda.c, setup_lib) become part of the names on Windows and macOS only. Today's wheels and drivers only have
`libnvrtc.so.12` or `libcuda.so.1`, so it finds none of them unless a file has the bare name.

Kernels are compiled with the option `-arch compute_XY`. NVRTC 11.8, 12.9 and 13.5 accepted `compute_90` and compiled every one of the 176
kernels that Theano 1.0.5 made for the scripts in `examples/`, a perceptron, a convolutional network, an LSTM and an embedding. cuBLAS 12.9
and 13.10 export all 21 functions that libgpuarray looks up. A compiler must know the card (13 begins at 7.5, 12 at 5.0) and must not be
newer than the CUDA version that the driver supports, or the driver refuses its PTX. The architecture's name has room for two digits
(detect_arch): a card of capability 10.0 becomes `compute_10`, which no compiler knows. On an H100 with driver
580 and CUDA 13.0 Theano 1.0.5 ran so (docs/accuracy/receipts.md).
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..devices import DeviceProfile, by_name, card_of
from ..devices.measured import Calibration, with_measured
from ..errors import UnreadableError
from .model import GpuSeen, LibrarySeen, NvidiaDriver


class NoNvml(Exception):
    """NVML cannot be used; the message says why."""


def find_gpu(index: int = 0, measured: Mapping[str, Calibration] | None = None) -> DeviceProfile | None:
    """Returns the profile of GPU `index`, with its context if `measured` has one; None without NVML, without a driver, or if there is no
    such GPU.
    """
    try:
        with _nvml() as nvml:
            seen = _gpu(nvml, index)
    except NoNvml:
        return None
    base = card_of(seen.name, seen.total_bytes) or by_name(f"{seen.total_bytes}B")
    # NVML's "free" is before our context exists: the context still comes out of it.
    free = max(0, seen.free_bytes - base.context.bytes)
    capability = seen.capability or base.compute_capability
    profile = dataclasses.replace(
        base, name=seen.name, total_bytes=seen.total_bytes, free_bytes=free, compute_capability=capability, source="NVML"
    )
    return with_measured(profile, measured or {})


def all_gpus() -> tuple[NvidiaDriver, tuple[GpuSeen, ...]]:
    """Returns the NVIDIA driver, and all GPUs; raises `NoNvml` if NVML cannot be used."""
    with _nvml() as nvml:
        cuda = int(nvml.nvmlSystemGetCudaDriverVersion_v2())
        driver = NvidiaDriver(_text(nvml.nvmlSystemGetDriverVersion()), (cuda // 1000, cuda // 10 % 100))
        return driver, tuple(_gpu(nvml, i) for i in range(int(nvml.nvmlDeviceGetCount())))


@contextmanager
def _nvml() -> Iterator[Any]:
    """Context manager: the initialised module pynvml. Raises `NoNvml`."""
    try:
        import pynvml
    except ImportError:
        raise NoNvml("nvidia-ml-py is not installed in theanodiag's environment") from None
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        raise NoNvml(f"NVML: {error}") from None
    try:
        yield pynvml
    except pynvml.NVMLError as error:
        raise NoNvml(f"NVML: {error}") from None
    finally:
        pynvml.nvmlShutdown()


def _gpu(nvml: Any, index: int) -> GpuSeen:
    handle = nvml.nvmlDeviceGetHandleByIndex(index)
    name = _text(nvml.nvmlDeviceGetName(handle))
    major, minor = nvml.nvmlDeviceGetCudaComputeCapability(handle)
    return GpuSeen(name, *_memory(nvml, handle), (int(major), int(minor)))


def _memory(nvml: Any, handle: Any) -> tuple[int, int]:
    """(bytes in all, bytes free). CUDA's total lacks what is reserved for the system: 480 MiB on an H100 with driver 580."""
    try:
        memory = nvml.nvmlDeviceGetMemoryInfo(handle, version=nvml.nvmlMemory_v2)
    except (nvml.NVMLError, AttributeError, TypeError):  # a driver before 510, or a package before 11.510
        memory = nvml.nvmlDeviceGetMemoryInfo(handle)
        return int(memory.total), int(memory.free)
    return int(memory.total) - int(memory.reserved), int(memory.free)


def _text(value: bytes | str) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


ASKED = ("libcuda.so", "libnvrtc.so", "libcublas.so")
"""Library names that libgpuarray 0.7.6 passes to dlopen on Linux."""
FILE = re.compile(r"lib(cuda|nvrtc|cublas)\.so(\.\d+)*")
TOOLKITS = (
    "/usr/local/cuda*/lib64", "/usr/local/cuda*/targets/*/lib", "/opt/cuda/lib64", "/usr/lib/*-linux-gnu", "/usr/lib64", "/usr/lib/wsl/lib",
    "/usr/local/nvidia/lib64", "/usr/local/nvidia/lib",
)  # fmt: skip
"""Glob patterns of the folders in which toolkits and drivers put their libraries."""
TWO_DIGITS = 10
"""The lowest major compute capability whose architecture name has three digits, for which libgpuarray has no room."""


def files(site: Iterable[str], env: Mapping[str, str], toolkits: Sequence[str] = TOOLKITS, known: Iterable[str] = ()) -> tuple[str, ...]:
    """Returns the paths of files that can provide libgpuarray's libraries, each real file once. They are in NVIDIA's wheels below the
    folders `site`, in LD_LIBRARY_PATH, in toolkits, and in `known`.
    """
    folders = [
        *(str(f) for s in site for f in sorted(Path(s).glob("nvidia/*/lib"))),
        *env.get("LD_LIBRARY_PATH", "").split(os.pathsep),
        *(os.path.join(env[name], "lib64") for name in ("CUDA_HOME", "CUDA_PATH") if env.get(name)),
        *(os.path.join(env[name], "lib") for name in ("CONDA_PREFIX",) if env.get(name)),
        *(str(f) for pattern in toolkits for f in sorted(Path("/").glob(pattern.lstrip("/")))),
    ]
    paths = [os.path.join(f, n) for f in dict.fromkeys(folders) if os.path.isdir(f) for n in sorted(os.listdir(f)) if FILE.fullmatch(n)]
    return tuple(dict.fromkeys(os.path.realpath(path) for path in (*paths, *known)))


def in_cache(text: str) -> tuple[str, ...]:
    """Returns the paths of CUDA libraries in the output of `ldconfig -p`: lines such as `libcuda.so.1 (libc6,x86-64) =>
    /usr/lib/libcuda.so.1`.
    """
    pairs = [line.split(" => ") for line in text.splitlines() if " => " in line]
    return tuple(path for name, path in pairs if FILE.fullmatch(name.split()[0]) and "x86-64" in name)


def chosen(seen: Iterable[LibrarySeen], driver: tuple[int, int] | None, capability: tuple[int, int] | None) -> dict[str, LibrarySeen]:
    """Returns library name, as libgpuarray loads it -> the newest file that can be loaded and works with driver and card. Names without
    such a file are left out.
    """
    best: dict[str, LibrarySeen] = {}
    for library in sorted((s for s in seen if s.error is None and os.sep in s.path), key=lambda library: version_of(library) or (0, 0)):
        name = loader_name(library.path)
        if name != "libcuda.so" and not _serves(library, driver, capability):
            continue
        best[name] = library
    return best


def loader_name(path: str) -> str:
    """Returns the library name that libgpuarray loads for the file at `path`, such as `libcuda.so`."""
    return os.path.basename(path).split(".so")[0] + ".so"


def version_of(library: LibrarySeen) -> tuple[int, int] | None:
    """Returns the CUDA version that the library reports, or the version in its file name (`libcublas.so.12`; minor 0); None if neither is
    known.
    """
    numbers = [int(n) for n in os.path.basename(os.path.realpath(library.path)).split(".so.")[-1].split(".") if n.isdigit()]
    return library.cuda or ((numbers[0], numbers[1] if len(numbers) > 1 else 0) if numbers else None)


def _serves(library: LibrarySeen, driver: tuple[int, int] | None, capability: tuple[int, int] | None) -> bool:
    """Whether a library works with the driver and the card: a compiler must know the card and be no newer than the driver's CUDA; cuBLAS
    must be of the driver's major version.
    """
    compiler = loader_name(library.path) == "libnvrtc.so"
    version = version_of(library)
    too_new = driver is not None and version is not None and (version > driver if compiler else version[0] > driver[0])
    blind = capability is not None and bool(library.archs) and capability[0] * 10 + capability[1] not in library.archs
    return not (too_new or (compiler and (blind or library.compiles is False)))


def links(best: Mapping[str, LibrarySeen]) -> dict[str, str]:
    """Returns name of a link -> its target, for the names that libgpuarray loads and the libraries that these load from their own folder.

    `libnvrtc-builtins` and `libcublasLt` are searched in the folder from which their library was loaded, which is the folder of links. With
    only a link to its own file, NVRTC 12.9 loads but compiles nothing.
    """
    table = {}
    for name, library in best.items():
        folder, stem = os.path.split(library.path)[0], name.split(".so")[0]
        table.update({beside: os.path.join(folder, beside) for beside in _beside(folder, stem, library)})
        table[name] = library.path
    return table


def _beside(folder: str, stem: str, library: LibrarySeen) -> Iterator[str]:
    """Yields the names of the files that a library loads itself (such as `libnvrtc-builtins.so.12.9`), and the library's own file name."""
    version = version_of(library)
    major = "" if version is None else str(version[0])
    for name in sorted(os.listdir(folder)):
        kin = re.fullmatch(rf"{stem}(-builtins|Lt)?\.so\.(\d+)[\d.]*", name)
        if kin and kin[2] == major:
            yield name


def make_links(folder: Path, table: Mapping[str, str]) -> None:
    """Creates the links of `table` in `folder` and replaces older ones. Raises UnreadableError if a name is taken by something other than a
    link.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, target in table.items():
            link, new = folder / name, folder / f".{name}.new"
            if link.exists() and not link.is_symlink():
                raise UnreadableError("this is a file, not a link; it is not replaced", path=str(link), help="name another folder")
            new.unlink(missing_ok=True)
            new.symlink_to(os.path.abspath(target))
            new.replace(link)
    except OSError as error:
        raise UnreadableError(f"the links cannot be made: {error.strerror or error}", path=str(folder)) from None


def wheels(missing: Iterable[str], driver: tuple[int, int] | None, capability: tuple[int, int] | None) -> str:
    """Returns the requirements with which pip installs NVIDIA's wheels for the missing libraries, no newer than the driver and old enough
    for the card.
    """
    major, minor = driver or (12, 9)
    if major >= 13 and capability is not None and capability < (7, 5):
        major, minor = 12, 9  # CUDA 13 begins at 7.5
    suffix = f"-cu{major}" if major < 13 else ""
    # A compiler's PTX must be known to the driver; cuBLAS counts by itself behind the major version.
    known = {"libnvrtc.so": f"'nvidia-cuda-nvrtc{suffix}<{major}.{minor + 1}'", "libcublas.so": f"'nvidia-cublas{suffix}<{major + 1}'"}
    return " ".join(known[name] for name in ASKED if name in known and name in set(missing))
