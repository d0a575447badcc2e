"""`theanodiag config check --flags` and `config rewrite --flags`: texts of THEANO_FLAGS and its like, damaged."""

from __future__ import annotations

import os
import random
from typing import Any

from .rc_files import PIECES, options
from .target import command, damaged

SAMPLES = (
    "device=cuda,floatX=float32,gpuarray.preallocate=0.8",
    "mode=FAST_RUN,device=gpu0,floatX=float32,lib.cnmem=1,nvcc.fastmath=True",
    "floatX=float32,device=cpu,openmp=True,gcc.cxxflags='-O3 -ffast-math',blas.ldflags=-lopenblas -L/usr/lib",
    "contexts=dev0->cuda0;dev1->cuda1,base_compiledir=/tmp/%(user)s,optimizer_including=cudnn:inplace",
    "linker=cvm,allow_gc=False,scan.allow_gc=1,,exception_verbosity=high,",
    "cxx=,compute_test_value=raise,warn.ignore_bug_before=all,numba__vectorize_target=cpu",
)


def case(chance: random.Random) -> object:
    """A text and what is asked of it."""
    text = damaged(chance, chance.choice(SAMPLES), SAMPLES, (",", "=", ",device=", *PIECES))
    return {"text": text, "options": options(chance)}


def run(case: Any) -> None:
    """Checks or rewrites it."""
    rest = [os.devnull] if case["options"][1] == "check" else []
    command([*case["options"], f"--flags={case['text']}", *rest])
