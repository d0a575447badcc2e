"""Reports what an interpreter provides: `python probe.py SUBJECT [ARG...]` prints MARK and a JSON object. CPython 2.7 and 3.5+.

`look` finds frameworks without importing them. The name of a framework imports it and lists its devices. `libraries NAME...` loads shared
libraries, queries libnvrtc for its version and architectures, and compiles a kernel. Each subject runs in a process of its own, because a
broken installation may crash it.
"""

import ctypes
import json
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .. import Live

MARK = "theanodiag-probe "
"""Marks the line of the output that has the answer."""
FRAMEWORKS = ("theano", "aesara", "pytensor", "pygpu", "jax", "torch", "numpy")
"""The packages that `look` searches for."""
KERNEL = b'extern "C" __global__ void k(float *a) { a[threadIdx.x] += 1; __syncthreads(); }'
"""Source of a CUDA kernel that needs NVRTC's builtins."""


def interpreter_facts() -> "dict[str, object]":
    """Returns the version and folders of the interpreter, and the frameworks that it can import."""
    return {
        "python": sys.version.split()[0],
        "prefix": sys.prefix,
        "site": [p for p in sys.path if p.endswith(("site-packages", "dist-packages"))],
        "found": [name for name in FRAMEWORKS if exists(name)],
    }


def exists(name: str) -> bool:
    """Returns whether a module can be found, without importing it."""
    if sys.version_info[0] == 2:
        import imp

        try:
            location = imp.find_module(name)
        except ImportError:
            return False
        if location[0] is not None:
            location[0].close()
        return True
    from importlib.util import find_spec

    spec = find_spec(name)
    return spec is not None and spec.origin is not None


def framework(name: str) -> "dict[str, object]":
    """Imports a framework. Returns its version, path and devices as JSON values."""
    module = __import__(name)  # type: Live
    facts = {"version": str(getattr(module, "__version__", "")), "path": os.path.dirname(os.path.abspath(module.__file__))}
    return dict(facts, devices=DEVICES[name]() if name in DEVICES else [])


def device(backend: str, name: str, **more: object) -> "dict[str, object]":
    """Describes one device as JSON values; unknown fields are omitted."""
    return dict((k, v) for k, v in dict(more, backend=backend, name=name).items() if v is not None)


def pygpu_devices() -> "list[dict[str, object]]":
    """Opens and describes the CUDA and OpenCL devices of libgpuarray; a device that cannot be opened has an `error`."""
    from pygpu import gpuarray

    devices = []
    for kind in ("cuda", "opencl"):
        try:
            for name in names_of(gpuarray, kind):
                devices.append(opened(gpuarray, kind, name))
        except Exception as error:
            devices.append(device(kind, kind, error=reason_of(error)))
    return devices


def names_of(gpuarray: "Live", kind: str) -> "Iterator[str]":
    """Yields the names of all devices of a kind, `cuda` or `opencl`, as the flag `device` spells them."""
    for platform in range(gpuarray.count_platforms(kind)):
        for number in range(gpuarray.count_devices(kind, platform)):
            yield "cuda%d" % number if kind == "cuda" else "opencl%d:%d" % (platform, number)


def opened(gpuarray: "Live", kind: str, name: str) -> "dict[str, object]":
    """Opens one device and describes it; `error` if that fails."""
    try:
        context = gpuarray.init(name)
        return device(
            kind, name, title=text(context.devname).strip("\0 "), total=int(context.total_gmem), free=int(context.free_gmem),
            arch=text(context.bin_id) if kind == "cuda" else None,
        )  # fmt: skip
    except Exception as error:
        return device(kind, name, error=reason_of(error))


def jax_devices() -> "list[dict[str, object]]":
    """Returns the devices that JAX sees; the probe's environment keeps XLA from preallocating memory."""
    import jax

    return [
        device("jax", "%s:%d" % (d.platform, d.id), title=d.device_kind, total=(d.memory_stats() or {}).get("bytes_limit"))
        for d in jax.devices()
    ]


def torch_devices() -> "list[dict[str, object]]":
    """Returns the CPU and torch's CUDA devices."""
    import torch

    devices = [device("torch", "cpu:0", title="cpu")]
    for i in range(torch.cuda.device_count() if torch.cuda.is_available() else 0):
        about = torch.cuda.get_device_properties(i)
        devices.append(device("torch", "cuda:%d" % i, title=about.name, total=int(about.total_memory)))
    return devices


DEVICES = {"pygpu": pygpu_devices, "jax": jax_devices, "torch": torch_devices}
"""Framework -> function that lists its devices."""


def libraries(names: "list[str]") -> "dict[str, object]":
    """Describes each of the named shared libraries."""
    return {"libraries": [library(name) for name in names]}


def library(name: str) -> "dict[str, object]":
    """Describes a shared library: whether it can be loaded; for a driver also its CUDA version, for libnvrtc what it can compile."""
    try:
        handle = ctypes.CDLL(name)
    except OSError as error:
        return {"name": name, "error": str(error)}
    facts = {"name": name}  # type: dict[str, object]
    if hasattr(handle, "cuDriverGetVersion"):
        facts["cuda"] = [number_of(handle.cuDriverGetVersion) // 1000, number_of(handle.cuDriverGetVersion) // 10 % 10]
    if hasattr(handle, "nvrtcVersion"):
        facts.update(compiler(handle))
    return facts


def compiler(nvrtc: "Live") -> "dict[str, object]":
    """Describes libnvrtc: its CUDA version, its architectures, and whether it compiles a kernel with the option that libgpuarray passes."""
    major, minor = ctypes.c_int(), ctypes.c_int()
    nvrtc.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    known = []  # type: list[int]
    if hasattr(nvrtc, "nvrtcGetSupportedArchs"):
        archs = (ctypes.c_int * number_of(nvrtc.nvrtcGetNumSupportedArchs))()
        nvrtc.nvrtcGetSupportedArchs(archs)
        known = list(archs)
    return {"cuda": [major.value, minor.value], "archs": known, "compiles": bool(known) and compiles(nvrtc, known[-1])}


def compiles(nvrtc: "Live", arch: int) -> bool:
    """Returns whether libnvrtc compiles a kernel for this architecture. For this it must find the library of its builtins in the same
    folder.
    """
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), KERNEL, None, 0, None, None)
    options = (ctypes.c_char_p * 2)(b"-arch", ("compute_%d" % arch).encode("ascii"))
    return bool(nvrtc.nvrtcCompileProgram(program, 2, options) == 0)


def number_of(function: "Live") -> int:
    """Returns the int that a C function writes through its only argument, a pointer."""
    value = ctypes.c_int()
    function(ctypes.byref(value))
    return value.value


def reason_of(error: BaseException) -> str:
    """Returns the class of an exception and the first line of its message."""
    message = error.args[0] if error.args else ""
    lines = text(message).strip().splitlines() if isinstance(message, (bytes, str)) else str(error).strip().splitlines()
    return "%s: %s" % (type(error).__name__, lines[0] if lines else "no reason given")


def text(value: "Live") -> str:
    """Converts `value` to text; bytes are decoded as UTF-8."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def main(argv: "list[str]") -> None:
    """Prints the facts about one subject as JSON; if that raises an exception, prints it as `error`."""
    subject, args = argv[0], argv[1:]
    try:
        answer = interpreter_facts() if subject == "look" else libraries(args) if subject == "libraries" else framework(subject)
    except BaseException as error:
        answer = {"error": reason_of(error)}
    sys.stdout.write("\n" + MARK + json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.path[:1] = [] if sys.path[0] == os.path.dirname(os.path.abspath(__file__)) else sys.path[:1]
    main(sys.argv[1:])
