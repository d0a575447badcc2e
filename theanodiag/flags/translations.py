"""Hand-written rules for how a flag changes in another library or version, each with its source.

Theano 0.8.2 and 0.9.0 (configdefaults.py, sandbox/cuda/__init__.py), 1.0.5 (configdefaults.py, gpuarray/__init__.py), libgpuarray 0.7.6
(src/gpuarray_buffer_cuda.c), Aesara 2.9.4 and PyTensor 3.3.7 (configdefaults.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from .model import Dialect, FlagTable
from .names import fold
from .values import accepts, unquoted

CNMEM_CEILING = 0.985
"""The largest fraction that CNMeM used (Theano 0.8.2, configdefaults.py, lib.cnmem)."""
PREALLOCATE_CEILING = 0.95
"""The largest fraction that Theano uses; values between it and 1 are reduced to it (1.0.5, gpuarray/__init__.py, init_dev)."""

_GPU = re.compile(r"gpu(\d*)", re.IGNORECASE)


@dataclass(frozen=True)
class Move:
    """What replaces one entry in a migration."""

    reason: str
    """Text of the comment above the old line."""
    writes: tuple[tuple[str, str], ...] = ()
    """(dotted name, text) of the flags to write; empty: the old line only becomes a comment."""
    safe: bool = True
    """Whether it is written without `--unsafe`; if not, the old line becomes a comment that proposes `writes`."""
    comment: str = ""
    """An inline comment of the old line, which gets a line of its own."""
    stays: bool = False
    """Whether the entry stays unchanged, instead of becoming a comment, where the move is not safe and `--unsafe` was not given."""


Handler = Callable[[str, FlagTable], "Move | None"]
"""Takes the text of a flag and the target's flags; returns None where nothing special applies."""


def special(flag_name: str, text: str, target: FlagTable) -> Move | None:
    """The Move of the hand-written rule for a flag; None where there is no rule or it does not apply."""
    handler = _HANDLERS.get(fold(flag_name))
    return handler(text, target) if handler else None


def _device(name: str) -> Handler:
    """The rule for the flag `device` or a similar one called `name`."""

    def handle(text: str, target: FlagTable) -> Move | None:
        plain = unquoted(text.strip()).strip()
        if target.dialect is not Dialect.THEANO:
            return _no_device(name, plain, target)
        old = _GPU.fullmatch(plain)
        if old:
            return Move(f"the gpu* back-end was removed in Theano 1.0; {plain} is cuda{old[1]} now", ((name, f"cuda{old[1]}"),))
        if plain.lower() in ("cuda*", "gpu*", "cudax", "gpux"):
            return Move(f"{plain} is not a device name: cuda lets the driver choose, cuda0 is the first GPU", ((name, "cuda"),))
        return None

    return handle


def _no_device(name: str, plain: str, target: FlagTable) -> Move | None:
    """The Move of a device flag in Aesara or PyTensor; None for `cpu`, if the target has the flag."""
    if target.dotted(name) and plain == "cpu":
        return None
    label = "Aesara" if target.dialect is Dialect.AESARA else "PyTensor"
    if plain in ("cpu", ""):
        return Move(f"{label} has no flag {name}: it computes on the CPU unless the mode says otherwise")
    return Move(f"{label} has no GPU device: use mode=JAX{'' if label == 'Aesara' else ', PYTORCH or MLX'}, which bring their own")


def _cnmem(text: str, target: FlagTable) -> Move | None:
    if not target.dotted("gpuarray.preallocate"):
        return None
    try:
        share = float(unquoted(text))
    except ValueError:
        return Move("lib.cnmem was removed in Theano 1.0, and this is not a number; see gpuarray.preallocate")
    if share < 0 or share != share:
        return Move("lib.cnmem was removed in Theano 1.0, and this was never valid; see gpuarray.preallocate")
    value, meaning = _preallocate(share, unquoted(text))
    return Move(f"lib.cnmem was removed in Theano 1.0; {meaning}", (("gpuarray.preallocate", value),))


def _preallocate(share: float, text: str) -> tuple[str, str]:
    """The text for gpuarray.preallocate that a lib.cnmem of `share` becomes, and an explanation."""
    if share == 0:
        return "-1", "no pool is gpuarray.preallocate = -1 (0 would keep a cache)"
    if share > 1:
        return text, "gpuarray.preallocate counts MB from 1 on too"
    if share > PREALLOCATE_CEILING:
        return str(PREALLOCATE_CEILING), f"gpuarray.preallocate stops at {PREALLOCATE_CEILING}, cnmem did at {CNMEM_CEILING}"
    return text, "gpuarray.preallocate is the same share of the GPU's memory"


def _nvcc_flags(text: str, target: FlagTable) -> Move | None:
    if not target.dotted("gpuarray.preallocate"):
        return None
    paths = " ".join(word for word in unquoted(text).split() if re.match(r"-[IL].", word))
    why = "nvcc is not used since Theano 1.0 (NVRTC compiles the kernels)"
    return Move(why, (("gcc.cxxflags", paths),)) if paths else Move(why)


def _gone(reason: str) -> Handler:
    """The rule for a flag that Theano removed: it has no successor, for this reason."""
    return lambda text, target: Move(reason) if target.dialect is Dialect.THEANO else None


def _renamed(new: str) -> Handler:
    """The rule for a flag now called `new`."""

    def handle(text: str, target: FlagTable) -> Move | None:
        flag = target.dotted(new)
        return Move(f"it is called {new} here", ((new, text),)) if flag and accepts(flag, text) else None

    return handle


def _algorithm(old: str, *new: str) -> Handler:
    """The rule for the flag `old`, replaced by those of `new` that accept its value."""

    def handle(text: str, target: FlagTable) -> Move | None:
        flags = [f for name in new if (f := target.dotted(name))]
        if not flags or not text:
            return None
        reason = f"{old} was removed: now {' and '.join(new)}"
        return Move(reason, tuple((f.dotted, text) for f in flags if accepts(f, text)))

    return handle


def _sync(text: str, target: FlagTable) -> Move | None:
    refused = Move("gpuarray.sync was removed; Theano refuses every value of it, even False")
    return refused if text and target.dotted("gpuarray.sync") else None


def _fusion(text: str, target: FlagTable) -> Move | None:
    """Aesara 2.9.4, tensor/rewriting/math.py imports a name that tensor/rewriting/elemwise.py defines only with fusion."""
    broken = target.dialect is Dialect.AESARA and text in ("False", "false", "0")
    return Move("Aesara cannot be imported without fusion (ImportError); optimizer_excluding = fusion does the same") if broken else None


def _mode(text: str, target: FlagTable) -> Move | None:
    if unquoted(text) not in ("ProfileMode", "PROFILE_MODE"):
        return None
    return Move("ProfileMode was removed: profile=True does its work", (("profile", "True"),))


_HANDLERS: dict[str, Handler] = {
    "device": _device("device"),
    "init_gpu_device": _device("init_gpu_device"),
    "lib.cnmem": _cnmem,
    "nvcc.flags": _nvcc_flags,
    "nvcc.fastmath": _gone("nvcc is not used since Theano 1.0; NVRTC compiles the kernels and takes no options"),
    "nvcc.compiler_bindir": _gone("nvcc is not used since Theano 1.0; cxx names the C++ compiler"),
    "nvcc.cudafe": _gone("nvcc is not used since Theano 1.0"),
    "dnn.conv.workmem": _algorithm("dnn.conv.workmem", "dnn.conv.algo_fwd"),
    "dnn.conv.workmem_bwd": _algorithm("dnn.conv.workmem_bwd", "dnn.conv.algo_bwd_data", "dnn.conv.algo_bwd_filter"),
    "dnn.conv.algo_bwd": _algorithm("dnn.conv.algo_bwd", "dnn.conv.algo_bwd_data", "dnn.conv.algo_bwd_filter"),
    "gpuarray.sync": _sync,
    "mode": _mode,
    "tensor.local_elemwise_fusion": _fusion,
    "lib.amdlibm": _renamed("lib.amblibm"),
    "lib.amblibm": _renamed("lib.amdlibm"),
}  # fmt: skip
