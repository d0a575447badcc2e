"""Serves `theano.gof.cmodule`: names that PyTensor lost."""

import functools
import subprocess

from pytensor.configdefaults import config


@functools.lru_cache(maxsize=None)
def gcc_llvm() -> bool:
    """Whether the C++ compiler is LLVM's clang; False where there is none."""
    if not config.cxx:
        return False
    done = subprocess.run([config.cxx, "--version"], capture_output=True, check=False)
    return b"llvm" in done.stdout + done.stderr
