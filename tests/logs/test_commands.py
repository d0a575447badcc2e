"""Commands that a shell, an installer, a container or Python's own command line does not run as they are written."""

from __future__ import annotations

import pytest

from tests.logs.pasted import diagnosed
from theanodiag.logs import Cause, explain_log

TREE = """LibMambaUnsatisfiableError: Encountered problems while solving:
Could not solve for environment specs
The following packages are incompatible
├─ python 3.10**  is requested and can be installed;
└─ theano 1.0.4**  is not installable because there are no viable options
   └─ theano 1.0.4 would require
      └─ python >=3.6,<3.7.0a0 , which conflicts with any installable versions previously reported.
"""
UV = """  × Failed to download and build `llvmlite==0.43.0`
  ╰─▶ Build backend failed to build wheel through `build_wheel` (exit code: 1)

      [stderr]
      Traceback (most recent call last):
        File "/uv/cache/sdists-v6/pypi/llvmlite/0.43.0/src/ffi/build.py", line 116, in find_generator
          raise RuntimeError("No compatible CMake generator could be found.")
      RuntimeError: No compatible CMake generator could be found.
"""
AESARA = (
    r"C:\Aesara\compiledir_Windows-10-GenuineIntel-3.11.5-64\scan_perform\mod.cpp:5404:15: error: 'PyThreadState {aka struct _ts}' "
    "has no member named 'exc_type'\n"
)
PACKAGE = """LibMambaUnsatisfiableError: Encountered problems while solving:
  - package theano-1.0.4-py36hf484d3e_1000 requires python >=3.6,<3.7.0a0, but none of the providers can be installed
"""
MUSL = (
    'Traceback (most recent call last):\n  File "/usr/lib/python3.11/site-packages/scipy/linalg/__init__.py", line 2, in <module>\n'
    "    from ._misc import *\nImportError: Error loading shared library libstdc++.so.6: No such file or directory (needed by "
    "/usr/lib/python3.11/site-packages/scipy/linalg/_fblas.cpython-311-x86_64-linux-musl.so)\n"
)


@pytest.mark.parametrize(
    ("log", "cause", "told"),
    [
        ("python: can't open file 'train.py': [Errno 2] No such file or directory\nsrun: error: gpu03: task 0: Exited with exit code 2\n",
         Cause.FILE_ACCESS, "cd into its folder first"),
        ("% pip install jax[cuda12]\nzsh: no matches found: jax[cuda12]\n", Cause.REFUSED, "in quotation marks"),
        ("usage: doodle.py [-h]\ndoodle.py: error: unrecognized arguments: --balance 0.75\n", Cause.REFUSED, "--help after its name"),
        (TREE, Cause.LIBRARIES, "theano 1.0.4 requires python >=3.6,<3.7.0a0"),
        (PACKAGE, Cause.LIBRARIES, "theano-1.0.4-py36hf484d3e_1000 requires python >=3.6,<3.7.0a0"),
        (UV, Cause.COMPILER, "llvmlite==0.43.0 has no wheel"),
        (AESARA, Cause.PYTHON_TOO_NEW, "this Aesara is older than Python 3.11"),
        ("ERROR: Package 'pymc' requires a different Python: 3.8.10 not in '>=3.10'\n", Cause.LIBRARIES, "this pymc is for Python >=3.10"),
        ("'conda' is not recognized as an internal or external command,\noperable program or batch file.\n", Cause.FILE_ACCESS,
         "the Anaconda Prompt"),
        (MUSL, Cause.LIBRARIES, "FROM python:3.11-slim"),
        ("NUTS: [alpha]\nFatal Python error: Bus error\nBus error (core dumped)\n", Cause.PROCESS_LOST, "--shm-size"),
    ],
)  # fmt: skip
def test_what_a_command_lacks(log: str, cause: Cause, told: str) -> None:
    """Each as the named program prints it."""
    diagnosis = diagnosed(log)
    assert diagnosis.cause is cause
    assert told in "\n".join(diagnosis.advice)


def test_a_script_s_own_message_is_not_of_its_options() -> None:
    """What follows `error:` decides, not the form of the line."""
    diagnosis = explain_log("train.py: error: the loss is not finite\n")
    assert diagnosis is None or diagnosis.cause is not Cause.REFUSED
