"""`theanodiag check` on VGG16's training function, beside compiling the same function."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ._timing import interpreter

SCRIPT = Path(__file__).parent / "scripts" / "vgg16.py"


def main() -> None:
    """Prints seconds and the ratio; the mark is 0.3."""
    python = interpreter("keras")
    if python is None:
        return
    with tempfile.TemporaryDirectory() as cache:
        env = {**os.environ, "THEANO_FLAGS": f"floatX=float32,base_compiledir={cache}"}
        done = subprocess.run([python, str(SCRIPT)], env=env, capture_output=True, text=True, check=True)
    compiling = float(done.stdout.split("seconds ")[1])
    env = {**os.environ, "THEANO_FLAGS": "floatX=float32", "CALL": "1"}
    start = time.perf_counter()
    command = [sys.executable, "-m", "theanodiag", "check", str(SCRIPT), "--python", python, "--gpu", "4GiB"]
    told = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    checking = time.perf_counter() - start
    verdict = [line for line in told.stdout.splitlines() if "fits on" in line.lower() or "not fit" in line.lower()]
    print(f"   {verdict[0] if verdict else told.stderr}")
    print(f"   check {checking:.1f} s, compiling {compiling:.1f} s: {checking / compiling:.2f} (the mark is 0.3)")
