"""The environment that all tests start from, whatever that of the machine is: variables of libraries and terminals change what they do."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping, MutableMapping
from pathlib import Path

KEPT = (
    "PATH", "TMPDIR", "USER", "LOGNAME", "SHELL", "LD_LIBRARY_PATH", "VIRTUAL_ENV", "PYENV_ROOT", "CI",
    "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "NVPL_BLAS_DEBUG_CPU_TYPE", "PYTHONDONTWRITEBYTECODE", "CUDA_VISIBLE_DEVICES",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy",
    "https_proxy", "no_proxy",
)  # fmt: skip
"""What a machine needs in order to work at all: its folders, its processor, its way out."""
KEPT_PREFIXES = ("THEANODIAG_", "PYTEST_", "COV_", "COVERAGE_", "TRAJECTORY_", "SUITE_", "PIP_", "UV_")
OURS = ("THEANODIAG_DEBUG", "THEANODIAG_RUN")
"""Variables that the product itself reads."""
HOSTILE: dict[str, str | None] = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "3",
    "MKL_THREADING_LAYER": "GNU",
    "OPENBLAS_NUM_THREADS": "2",
    "KMP_AFFINITY": "disabled",
    "THEANO_FLAGS": "floatX=float16,device=cuda,mode=DebugMode,optimizer=None,exception_verbosity=high",
    "THEANORC": "/nonexistent/theanorc",
    "PYTENSOR_FLAGS": "floatX=float16,mode=JAX,compiledir=/nonexistent,warn_float64=raise",
    "PYTENSORRC": "/nonexistent/pytensorrc",
    "AESARA_FLAGS": "floatX=float16,mode=NUMBA",
    "JAX_PLATFORMS": "tpu",
    "JAX_ENABLE_X64": "0",
    "XLA_FLAGS": "--xla_dump_to=/nonexistent",
    "KERAS_BACKEND": "tensorflow",
    "NUMBA_DISABLE_JIT": "1",
    "LC_ALL": "C",
    "LANG": "tr_TR.ISO-8859-9",
    "COLUMNS": "40",
    "LINES": "5",
    "NO_COLOR": "1",
    "FORCE_COLOR": "1",
    "CLICOLOR_FORCE": "1",
    "TERM": "dumb",
    "PYTHONWARNINGS": "error::DeprecationWarning",
    "PYTHONUTF8": "0",
    "PYTHONIOENCODING": "ascii",
    "PYTHONHASHSEED": "1",
    "MALLOC_ARENA_MAX": "1",
    "GIT_DIR": "/nonexistent/git",
    "XDG_CACHE_HOME": "/nonexistent/cache",
    "XDG_CONFIG_HOME": "/nonexistent/config",
    "HOME": None,
    "TMPDIR": "/nonexistent/with a space",
}
"""What clusters, desktops and CI set, and more (None: not set): no result may depend on it."""


def own(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables of `environ` that tests start from. Many tests write a command as words with spaces between: no folder has one."""
    kept = ((name, value) for name, value in environ.items() if name in KEPT or name.startswith(KEPT_PREFIXES))
    return {name: value for name, value in kept if name not in OURS and not (name == "TMPDIR" and " " in value)}


def hostile(environ: Mapping[str, str]) -> dict[str, str]:
    """`environ` with all of `HOSTILE`, for a process that has to be the same with it."""
    changed = {**environ, **HOSTILE}
    return {name: value for name, value in changed.items() if value is not None}


def enter(environ: MutableMapping[str, str], home: str) -> None:
    """Makes `environ` that which tests start from, with the folder `home` (below the one for temporary files) of their own.

    What PYTHONPATH added is not searched any more.
    """
    added = {os.path.abspath(part) for part in environ.get("PYTHONPATH", "").split(os.pathsep) if part}
    sys.path[:] = [part for part in sys.path if part not in added]
    kept = own(environ)
    environ.clear()
    environ.update(kept)
    tempfile.tempdir = None  # to be looked up anew
    folder = Path(tempfile.gettempdir(), home)
    folder.mkdir(parents=True, exist_ok=True)
    environ["HOME"] = str(folder)
