"""A step of LeNet and of a block of VGG over PyTensor, in C and JAX, beside Theano 1.0.5 with its C code and OpenBLAS."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from ._timing import interpreter

SCRIPT = Path(__file__).parent / "scripts" / "conv_nets.py"
COMPAT = Path(__file__).resolve().parents[1] / "theanodiag" / "compat"


def openblas(python: str) -> str:
    """The flags with which Theano links the OpenBLAS that numpy brought along; empty where there is none."""
    for library in Path(python).parent.parent.glob("lib/python3*/site-packages/numpy.libs/libopenblas*"):
        return f"-L{library.parent} -l:{library.name} -Wl\\,-rpath\\,{library.parent}"
    return ""


def measure(python: str, folder: str, net: str, mode: str, threads: int) -> dict[str, float]:
    """Seconds of the first call and of a step, with empty caches."""
    with tempfile.TemporaryDirectory() as cache:
        flags = f"floatX=float32,base_compiledir={cache}"
        blas = openblas(python) if folder == "-" else ""
        env = {**os.environ, "OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads), "PYTENSOR_FLAGS": flags}
        env["THEANO_FLAGS"] = flags + (f",blas.ldflags={blas}" if blas else "")
        if threads == 1:
            env["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
        done = subprocess.run([python, str(SCRIPT), folder, net, mode], env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stderr[-1500:], file=sys.stderr)
        return {}
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    """Prints seconds and their ratio to Theano's; the marks are 0.6 for a step and 0.3 for the first call, in JAX."""
    theano = interpreter("theano")
    stand_ins = [("pytensor", "FAST_RUN"), ("jax", "JAX")]
    for net in ("lenet", "vgg"):
        for threads in (1, 2):
            reference = measure(theano, "-", net, "FAST_RUN", threads) if theano else {}
            if not reference:
                continue
            print(f"{net}, {threads} thread(s): Theano first {reference['first']:.1f} s, step {1000 * reference['step']:.0f} ms")
            for name, mode in stand_ins:
                python = interpreter(name)
                found = measure(python, str(COMPAT), net, mode, threads) if python else {}
                if found:
                    first, step = (found[key] / reference[key] for key in ("first", "step"))
                    values = f"first {found['first']:.1f} s ({first:.2f}), step {1000 * found['step']:.0f} ms ({step:.2f})"
                    print(f"  {mode} {values}", flush=True)
