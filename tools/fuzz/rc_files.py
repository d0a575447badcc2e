"""`theanodiag config check` and `config rewrite` on rc files, damaged."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import Any

from .target import EXTREME, command, damaged

SAMPLES = (
    "[global]\ndevice = cuda0\nfloatX = float32\nallow_gc = False\n\n[gpuarray]\npreallocate = 0.8\n\n[dnn]\nenabled = auto\n",
    "[global]\nfloatX=float32\ndevice=gpu\noptimizer_including=cudnn\nforce_device=True\n\n[lib]\ncnmem=0.9\n\n[nvcc]\nfastmath=True\n"
    "flags=-D_FORCE_INLINES\n",
    "[global]\r\ndevice = gpu0  # use gpu\r\nfloatX = 'float32'\r\n\r\n[cuda]\r\nroot = /usr/local/cuda\r\n"
    "[blas]\r\nldflags = -lopenblas -L/usr/lib\r\n",
    "# of the cluster\n[global]\nbase_compiledir = ~/%(user)s/.theano\ncompiledir_format=compiledir_%%(platform)s\nmode=FAST_RUN\n"
    "[gcc]\ncxxflags = -O3 -march=native\n   -ffast-math\n[warn]\nround = False\n",
    "device = cuda\n[global]\nfloatX : float64\n//warn_float64 = raise\n[global]\nopenmp = true\n[DEFAULT]\ncxx =\n[scan]\nallow_gc=0\n",
    "[global]\nlinker = cvm_nogc\nprofile = yes\nexception_verbosity=high\noptimizer = fast_compile\noptimizer_excluding = inplace\n"
    "[numba]\nvectorize_target = cpu\n[scan]\nallow_output_prealloc = 1\n",
)
NAMES = (
    "device", "floatX", "mode", "linker", "optimizer", "allow_gc", "gpuarray.preallocate", "lib.cnmem", "nvcc.flags", "blas.ldflags", "cxx",
    "dnn.conv.algo_fwd", "base_compiledir", "scan.allow_gc", "root", "force_device", "contexts", "unknown_flag", "float X",
)  # fmt: skip
PIECES = (
    "[global]", "[gpuarray]\n", "[DEFAULT]\n", "\\N{x}", "%(home)s", "%%", "${HOME}", "~", " = ", " : ", "  continued\n", "rem x\n", ";x",
    "dev0->cuda0;dev1->cuda1", "'float32'", "80%", *NAMES,
)  # fmt: skip
DIALECTS = (
    ("theano", ("1.0.5", "1.0.4", "0.9", "0.7", "2", "x", "")), ("aesara", ("2.9.4", "2.0")), ("pytensor", ("3.3.7", "2.18.0", "99")),
)  # fmt: skip


def options(chance: random.Random) -> list[str]:
    """What is asked of the text."""
    if chance.random() < 0.5:
        target = chance.choice(("theano-1.0", "aesara", "pytensor"))
        more = chance.choice(((), ("--unsafe",), ("--env",), ("--check",), ("--format", "json")))
        return ["config", "rewrite", "--to", target, *more]
    dialect, versions = chance.choice(DIALECTS)
    version = chance.choice(((), ("--version", chance.choice((*versions, *EXTREME)))))
    return ["config", "check", "--dialect", dialect, *version, *chance.choice(((), ("--format", "json")))]


def case(chance: random.Random) -> object:
    """A file and what is asked of it."""
    return {"text": damaged(chance, chance.choice(SAMPLES), SAMPLES, PIECES), "options": options(chance)}


def run(case: Any) -> None:
    """Checks or rewrites it; nothing is written."""
    with tempfile.TemporaryDirectory(prefix="theanodiag-fuzz-") as folder:
        path = Path(folder) / ".theanorc"
        path.write_bytes(case["text"].encode("utf-8", "surrogatepass"))
        command([*case["options"], *(["--flags", ""] if case["options"][1] == "check" else []), str(path)])
