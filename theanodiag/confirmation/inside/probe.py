"""What an interpreter has: `python probe.py SUBJECT [ARG...]` prints one line, MARK and a JSON object. CPython 2.7 and 3.5+.

`look` finds frameworks without importing any; a framework's name imports that one and asks it for its devices; `libraries NAME...`
opens shared libraries and asks libnvrtc for its version and the architectures that it knows, and compiles a kernel for each. Every
subject is a process of its own, since what is broken may well end it.
"""

import ctypes
import json
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from . import Live

MARK = "theanodiag-probe "
FRAMEWORKS = ("theano", "aesara", "pytensor", "pygpu", "jax", "torch", "numpy")
KERNEL = b'extern "C" __global__ void k(float *a) { a[threadIdx.x] += 1; __syncthreads(); }'


def look() -> "dict[str, object]":
    """The interpreter, and which frameworks can be found in it."""
    return {
        "python": sys.version.split()[0],
        "prefix": sys.prefix,
        "site": [p for p in sys.path if p.endswith(("site-packages", "dist-packages"))],
        "found": [name for name in FRAMEWORKS if exists(name)],
    }


def exists(name: str) -> bool:
    """Whether a module can be found; it is not imported."""
    if sys.version_info[0] == 2:
        import imp

        try:
            found = imp.find_module(name)
        except ImportError:
            return False
        if found[0] is not None:
            found[0].close()
        return True
    from importlib.util import find_spec

    spec = find_spec(name)
    return spec is not None and spec.origin is not None


def framework(name: str) -> "dict[str, object]":
    """The version of an imported framework, and the devices that it sees."""
    module = __import__(name)  # type: Live
    said = {"version": str(getattr(module, "__version__", "")), "path": os.path.dirname(os.path.abspath(module.__file__))}
    return dict(said, devices=DEVICES[name]() if name in DEVICES else [])


def device(backend: str, name: str, **more: object) -> "dict[str, object]":
    """One device; what is not known is left out."""
    return dict((k, v) for k, v in dict(more, backend=backend, name=name).items() if v is not None)


def pygpu_devices() -> "list[dict[str, object]]":
    """What libgpuarray opens; why it does not, where it does not."""
    from pygpu import gpuarray

    found = []
    for kind in ("cuda", "opencl"):
        try:
            for name in names_of(gpuarray, kind):
                found.append(opened(gpuarray, kind, name))
        except Exception as error:
            found.append(device(kind, kind, error=reason_of(error)))
    return found


def names_of(gpuarray: "Live", kind: str) -> "Iterator[str]":
    """The devices of one kind as `device=` writes them."""
    for platform in range(gpuarray.count_platforms(kind)):
        for number in range(gpuarray.count_devices(kind, platform)):
            yield "cuda%d" % number if kind == "cuda" else "opencl%d:%d" % (platform, number)


def opened(gpuarray: "Live", kind: str, name: str) -> "dict[str, object]":
    """A device with a context on it."""
    try:
        context = gpuarray.init(name)
        return device(
            kind, name, title=text(context.devname).strip("\0 "), total=int(context.total_gmem), free=int(context.free_gmem),
            arch=text(context.bin_id) if kind == "cuda" else None,
        )  # fmt: skip
    except Exception as error:
        return device(kind, name, error=reason_of(error))


def jax_devices() -> "list[dict[str, object]]":
    """What XLA sees; its pool is not taken (XLA_PYTHON_CLIENT_PREALLOCATE is off)."""
    import jax

    return [
        device("jax", "%s:%d" % (d.platform, d.id), title=d.device_kind, total=(d.memory_stats() or {}).get("bytes_limit"))
        for d in jax.devices()
    ]


def torch_devices() -> "list[dict[str, object]]":
    """The CUDA devices of torch, and the CPU."""
    import torch

    found = [device("torch", "cpu:0", title="cpu")]
    for i in range(torch.cuda.device_count() if torch.cuda.is_available() else 0):
        about = torch.cuda.get_device_properties(i)
        found.append(device("torch", "cuda:%d" % i, title=about.name, total=int(about.total_memory)))
    return found


DEVICES = {"pygpu": pygpu_devices, "jax": jax_devices, "torch": torch_devices}


def libraries(names: "list[str]") -> "dict[str, object]":
    """How each library opens."""
    return {"libraries": [library(name) for name in names]}


def library(name: str) -> "dict[str, object]":
    """One library: what the loader says, the CUDA version of a driver, what a compiler can do."""
    try:
        handle = ctypes.CDLL(name)
    except OSError as error:
        return {"name": name, "error": str(error)}
    said = {"name": name}  # type: dict[str, object]
    if hasattr(handle, "cuDriverGetVersion"):
        said["cuda"] = [number_of(handle.cuDriverGetVersion) // 1000, number_of(handle.cuDriverGetVersion) // 10 % 10]
    if hasattr(handle, "nvrtcVersion"):
        said.update(compiler(handle))
    return said


def compiler(nvrtc: "Live") -> "dict[str, object]":
    """The version of libnvrtc, and for which architectures it compiles with the option that libgpuarray passes."""
    major, minor = ctypes.c_int(), ctypes.c_int()
    nvrtc.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    known = []  # type: list[int]
    if hasattr(nvrtc, "nvrtcGetSupportedArchs"):
        archs = (ctypes.c_int * number_of(nvrtc.nvrtcGetNumSupportedArchs))()
        nvrtc.nvrtcGetSupportedArchs(archs)
        known = list(archs)
    return {"cuda": [major.value, minor.value], "archs": known, "compiles": bool(known) and compiles(nvrtc, known[-1])}


def compiles(nvrtc: "Live", arch: int) -> bool:
    """Whether a kernel goes through, with its builtins (a second library, found beside the first)."""
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), KERNEL, None, 0, None, None)
    options = (ctypes.c_char_p * 2)(b"-arch", ("compute_%d" % arch).encode("ascii"))
    return bool(nvrtc.nvrtcCompileProgram(program, 2, options) == 0)


def number_of(function: "Live") -> int:
    """What a function of C writes to its only argument."""
    value = ctypes.c_int()
    function(ctypes.byref(value))
    return value.value


def reason_of(error: BaseException) -> str:
    """The last line of an exception, as a person reads it."""
    said = error.args[0] if error.args else ""
    lines = text(said).strip().splitlines() if isinstance(said, (bytes, str)) else str(error).strip().splitlines()
    return "%s: %s" % (type(error).__name__, lines[0] if lines else "no reason given")


def text(value: "Live") -> str:
    """Text of bytes or text."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def main(argv: "list[str]") -> None:
    """Prints what was asked for; an exception is an answer too."""
    subject, args = argv[0], argv[1:]
    try:
        answer = look() if subject == "look" else libraries(args) if subject == "libraries" else framework(subject)
    except BaseException as error:
        answer = {"error": reason_of(error)}
    sys.stdout.write("\n" + MARK + json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.path[:1] = [] if sys.path[0] == os.path.dirname(os.path.abspath(__file__)) else sys.path[:1]
    main(sys.argv[1:])
