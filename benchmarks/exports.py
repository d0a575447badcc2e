"""Exports of twenty small nets: how far the file, run by JAX or ONNX Runtime alone, is from the function, and which lengths stay open.

`python -m benchmarks exports` does all, `NETS=lstm,gru` those, `FLAGS=floatX=float32` with other flags than float64, and `FORMAT=onnx`
writes ONNX.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from ._timing import interpreter

SCRIPT = Path(__file__).parent / "scripts" / "exports.py"
RECURRENT = {"elman", "gru", "lstm", "bidirectional", "attention"}
"""Nets whose first axis is time: the batch is the second one."""


def nets() -> list[str]:
    """Names of the nets: the functions of the script that take nothing."""
    return re.findall(r"^def (\w+)\(\):", SCRIPT.read_text(encoding="utf-8"), re.M)


def main() -> None:
    """Prints a line for each net, and how many exports were written: those that the second runtime gave the same results for."""
    form = os.environ.get("FORMAT", "stablehlo")
    python = interpreter("onnx" if form == "onnx" else "jax")
    if python is None:
        return
    names = os.environ["NETS"].split(",") if "NETS" in os.environ else nets()
    written = open_ = 0
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            words = ["export", str(SCRIPT), "--function", "predict", "--python", python, "-o", f"{folder}/net.{form}"]
            words += ["--shape", "x=7,batch,6"] * (name in RECURRENT and form == "stablehlo")  # ONNX fixes their batch
            env = {**os.environ, "THEANO_FLAGS": os.environ.get("FLAGS", "floatX=float64")}
            done = subprocess.run(
                [sys.executable, "-m", "theanodiag", *words, "--", name], env=env, capture_output=True, text=True, check=False
            )
            open_ += "[batch" in done.stdout or ", batch" in done.stdout
            written += done.returncode == 0 and Path(folder, f"net.{form}").exists()
        print(f"{name}: {' | '.join((done.stdout if done.returncode == 0 else done.stderr).splitlines()[-6:])}", flush=True)
    print(f"{written} of {len(names)} the same, run without the script; {open_} with an open batch")


if __name__ == "__main__":
    main()
