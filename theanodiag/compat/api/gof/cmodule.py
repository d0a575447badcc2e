"""Serves `theano.gof.cmodule`: names that PyTensor removed."""

import functools
import subprocess

from pytensor.configdefaults import config


@functools.lru_cache(maxsize=None)
def gcc_llvm() -> bool:
    """Returns whether the C++ compiler is LLVM's clang; False without a compiler."""
    if not config.cxx:
        return False
    done = subprocess.run([config.cxx, "--version"], capture_output=True, check=False)
    return b"llvm" in done.stdout + done.stderr
