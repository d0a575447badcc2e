"""A step of a perceptron, an LSTM, LeNet and a block of VGG over PyTensor, beside Theano 1.0.5 with OpenBLAS.

`python -m benchmarks nets` measures all, `NETS=mlp,lstm` those. With one thread the ratios are those of processor time, which other work
on the machine disturbs least; with two, of the clock.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from ._timing import interpreter

SCRIPT = Path(__file__).parent / "scripts" / "nets.py"
COMPAT = Path(__file__).resolve().parents[1] / "theanodiag" / "compat"
NETS = ("mlp", "lstm", "lenet", "vgg")
STAND_INS = (("jax", "JAX"), ("pytensor", "CVM"), ("pytensor", "NUMBA"))


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


def shown(found: dict[str, float], reference: dict[str, float], threads: int) -> str:
    """Seconds, and their ratios to Theano's."""
    kind = "_processor" if threads == 1 else ""
    first, step = found[f"first{kind}"], found[f"step{kind}"]
    return (
        f"first {first:.1f} s ({first / reference[f'first{kind}']:.2f}), step {1000 * step:.1f} ms ({step / reference[f'step{kind}']:.2f})"
    )


def main() -> None:
    """Prints seconds and their ratio to Theano's; the marks are 1.0 for a step (convolutions: 0.6) and 0.3 for the first call, in JAX."""
    theano = interpreter("theano")
    for net in os.environ.get("NETS", ",".join(NETS)).split(","):
        for threads in (1, 2):
            reference = measure(theano, "-", net, "FAST_RUN", threads) if theano else {}
            if not reference:
                continue
            print(f"{net}, {threads} thread(s): Theano {shown(reference, reference, threads)}", flush=True)
            for name, mode in STAND_INS:
                python = interpreter(name)
                found = measure(python, str(COMPAT), net, mode, threads) if python else {}
                if found:
                    print(f"  {mode} {shown(found, reference, threads)}", flush=True)
