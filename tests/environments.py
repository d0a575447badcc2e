"""Makes the interpreters with real frameworks that the tests use, from what this machine has.

    python tests/environments.py DIR [NAME...]      make what is missing below DIR and say what was skipped, and why

Each environment is a folder with a stamp of its recipe in it: a changed recipe is made anew.
"""

from __future__ import annotations

import glob
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

APT = ("python3-pygpu", "libgpuarray-dev", "pocl-opencl-icd", "libclblast1", "python3-venv", "python3-dev", "gcc", "g++")
DEBIAN_PYTHON = "/usr/bin/python3"
OLD_THEANO = "0.9.0"
PYGPU = "import pygpu, ensurepip"
INSTALL = ("-m", "pip", "-q", "--disable-pip-version-check", "install", "--compile")
"""How packages are installed, as a user has them. Without compiled files `import scipy.stats` takes 10 MiB more, JAX starts in three times
the time, and where PYTHONDONTWRITEBYTECODE is set it stays so."""
# Theano's own scan_perform.c does not compile on CPython 3.11 (longintrepr.h): without that module Scan runs its loop in Python,
# with the same allocations.
SCAN_IN_PYTHON = "import sys; sys.modules.setdefault('theano.scan_module.scan_perform_ext', None)\n"
# Keras 2.3.1 still takes the abstract classes from `collections` itself, where CPython 3.10 no longer has them.
ABSTRACT_CLASSES = "import collections, collections.abc; vars(collections).update({**vars(collections.abc), **vars(collections)})\n"
# Theano reads numpy.distutils.__config__.blas_opt_info, which the wheels of numpy 1.22 and later no longer have.
BLAS_INFO = "\nif 'blas_opt_info' not in globals():\n    blas_opt_info = {}\n"
API = ("pytest", "pytest-xdist", "hypothesis", "h5py")
"""For the in-process API: the wheel is installed beside the framework when the tests start."""
_THEANO = (
    "numpy<1.22; python_version<'3.11'",
    "numpy==1.23.5; python_version>='3.11'",
    "scipy<1.10",
    "setuptools<70",
    "six",
    "Theano==1.0.5",
)


@dataclass(frozen=True)
class Recipe:
    """How one environment is made."""

    name: str
    pythons: tuple[str, ...]
    """Versions that will do, best first."""
    requirements: tuple[str, ...]
    probe: str
    """A program that exits with 0 in a sound environment."""
    old_theano: bool = False
    """Theano 1.0.5 beside a numpy or a CPython that is newer than it."""
    system: bool = False
    """Made from Debian's own interpreter with its site-packages (pygpu)."""
    bare: tuple[str, ...] = ()
    """Requirements that are installed without what they require themselves."""
    shim: str = ""
    """A line that its interpreter runs when it starts."""


RECIPES = (
    Recipe("theano", ("3.8", "3.9", "3.10", "3.11", "3.7", "3.6"), _THEANO, "import theano", old_theano=True),
    Recipe("aesara", ("3.10", "3.11", "3.9", "3.8"), ("aesara==2.9.4", "numpy<1.25", "setuptools<70"), "import aesara"),
    Recipe("pytensor", ("3.11",), ("pytensor==3.0.7",), "import pytensor"),
    # What pip gives on a Python for which there is no PyTensor 3.
    Recipe("pytensor_310", ("3.10",), ("pytensor",), "import pytensor"),
    Recipe("pytensor_312", ("3.12",), ("pytensor",), "import pytensor"),
    Recipe("pytensor2", ("3.11", "3.10", "3.12"), ("pytensor==2.26.4",), "import pytensor"),
    Recipe(
        "suite", ("3.11", "3.12", "3.13"),
        ("pytensor==3.0.7", "pytest<8.4", "pytest-timeout", "parameterized", "nose", "six", "scipy", "fissix"),
        "import pytensor, pytest_timeout",
    ),
    Recipe("libraries", ("3.11", "3.12"), ("pytensor==3.0.7", "keras==2.3.1", "Lasagne==0.1", "scikit-learn"), "import pytensor"),
    Recipe("pytensor_new", ("3.13", "3.12", "3.14"), ("pytensor",), "import pytensor"),
    Recipe(
        "keras", ("3.8", "3.9", "3.10", "3.11", "3.7"), (*_THEANO, "keras==2.3.1", "h5py<4"),
        "import os; os.environ['KERAS_BACKEND'] = 'theano'; import keras", old_theano=True, shim=ABSTRACT_CLASSES,
    ),
    Recipe("pymc", ("3.12", "3.11", "3.13"), ("pymc==6.4.0", "matplotlib"), "import pymc, matplotlib"),
    Recipe(
        "pymc3", ("3.8", "3.9"), ("pymc3==3.11.5", "numpy<1.22", "scipy<1.8", "setuptools<66"), "import pymc3",
    ),
    # ArviZ 0.16 and later call what dm-tree lost.
    Recipe(
        "pymc4", ("3.10", "3.9"),
        ("pymc==4.4.0", "arviz==0.14.0", "xarray<2023.8", "pandas<2.1", "numpy<1.25", "scipy<1.12", "setuptools<70"), "import pymc",
    ),
    Recipe("pymc5", ("3.12", "3.11", "3.13"), ("pymc==5.28.5",), "import pymc"),
    Recipe(
        "pymc_jax", ("3.12", "3.13"), ("pymc==6.4.0", "matplotlib", "jax==0.12.0.1", "numpyro", "blackjax==1.2.5", "nutpie==0.16.11"),
        "import pymc, jax, numpyro, blackjax, nutpie",
    ),
    Recipe("pymc_extras", ("3.12", "3.11", "3.13"), ("pymc==6.3.2", "pymc-extras==0.15.1"), "import pymc_extras"),
    Recipe("gpu", (), ("numpy==1.23.5", "scipy<1.10", "Theano==1.0.5"), "import theano, pygpu", old_theano=True, system=True),
    # JAX's compiler for GPUs, and the assembler that it wants for old ones: half a GB, none of NVIDIA's libraries.
    Recipe(
        "xla", ("3.13", "3.12"), ("pytensor==3.3.7", "jax==0.12.0.1"), "import pytensor, jax",
        bare=("jax-cuda12-plugin==0.12.0.1", "jax-cuda12-pjrt==0.12.0.1", "nvidia-cuda-nvcc-cu12"),
    ),
    Recipe("jax", ("3.13", "3.12"), ("pytensor==3.3.7", "jax", "flatbuffers"), "import pytensor, jax, flatbuffers"),
    Recipe(
        "onnx", ("3.13", "3.12"), ("pytensor==3.3.8", "jax==0.12.0.1", "flatbuffers", "jax2onnx==0.17.1", "onnxruntime==1.32.0"),
        "import pytensor, jax, jax2onnx, onnxruntime",
    ),
    Recipe("jax_old", ("3.11",), ("pytensor==3.0.7", "jax"), "import pytensor, jax"),
    Recipe(
        "suite_jax", ("3.13", "3.12"),
        ("pytensor==3.3.7", "jax", "pytest<8.4", "pytest-timeout", "parameterized", "pynose", "six", "scipy", "fissix"),
        "import pytensor, jax, nose, pytest_timeout",
    ),
    Recipe(
        "suite_aesara", ("3.10", "3.11", "3.9"),
        ("aesara==2.9.4", "numpy<1.25", "setuptools<70", "pytest<8.4", "pytest-timeout", "parameterized", "pynose", "six"),
        "import aesara, nose, pytest_timeout",
    ),
    Recipe("torch", ("3.11",), ("pytensor==3.0.7", "torch==2.13.0"), "import pytensor, torch"),
    Recipe(
        "gpu_keras", (), ("numpy==1.23.5", "scipy<1.10", "Theano==1.0.5", "keras==2.3.1", "h5py<3.11", "Lasagne==0.1"),
        "import os; os.environ['KERAS_BACKEND'] = 'theano'; import keras, pygpu", old_theano=True, system=True, shim=ABSTRACT_CLASSES,
    ),
    Recipe("theano_api", ("3.9", "3.10", "3.11"), (*_THEANO, *API), "import theano", old_theano=True),
    Recipe("aesara_api", ("3.10", "3.11", "3.9"), ("aesara==2.9.4", "numpy<1.25", "setuptools<70", *API), "import aesara"),
    Recipe("pytensor_api", ("3.13", "3.12", "3.11", "3.10", "3.9"), ("pytensor", *API), "import pytensor"),
    Recipe(
        "notebook", ("3.13", "3.12", "3.11"), ("pytensor", "nbclient", "ipykernel", "click", "rich", "sortedcontainers", "jinja2"),
        "import pytensor, nbclient, ipykernel",
    ),
    Recipe("theano27", ("2.7",), ("numpy==1.16.6", "scipy==1.2.3", "six", "Theano==1.0.5"), "import theano"),
)  # fmt: skip


LARGE = ("xla",)
"""Made for `make test-all` only."""


class CannotMake(Exception):
    """Why an environment cannot be made here."""


def candidates(version: str) -> list[str]:
    """Interpreters of `version` on PATH, or installed beside the one that runs us."""
    found = [p for d in os.get_exec_path() for p in [os.path.join(d, f"python{version}")] if os.access(p, os.X_OK)]
    beside = Path(sys.base_prefix).parent
    return found + sorted(glob.glob(str(beside / f"{version}*" / "bin" / f"python{version}")))


def works(python: str, program: str) -> bool:
    """Whether `python -c program` succeeds (a name on PATH may be a shim that does not)."""
    try:
        return subprocess.run([python, "-c", program], capture_output=True, timeout=120, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def interpreter(recipe: Recipe) -> str:
    """The first interpreter on this machine that suits the recipe."""
    for version in recipe.pythons:
        for path in candidates(version):
            if works(path, "import sys"):
                return path
    raise CannotMake(f"no CPython {' or '.join(recipe.pythons)} found")


def run(*command: str) -> None:
    """Runs a step; what it printed is shown only if it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise CannotMake(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}")


def debian_pygpu() -> str:
    """Debian's interpreter with python3-pygpu and an OpenCL device (PoCL), installed first where apt and root allow it."""
    if works(DEBIAN_PYTHON, f"{PYGPU}; pygpu.init('opencl0:0')"):
        return DEBIAN_PYTHON
    if shutil.which("apt-get") and os.geteuid() == 0:
        run("apt-get", "update", "-qq")
        run("apt-get", "install", "-y", "-qq", *APT)
    elif not works(DEBIAN_PYTHON, PYGPU):
        raise CannotMake("needs Debian's python3-pygpu, and apt-get or root is not there")
    else:
        print("no OpenCL device: it needs pocl-opencl-icd, and apt-get or root is not there", file=sys.stderr)
    return DEBIAN_PYTHON


def new_environment(recipe: Recipe, where: Path) -> str:
    """An empty virtual environment; returns its interpreter."""
    if recipe.system:
        run(debian_pygpu(), "-m", "venv", "--system-site-packages", str(where))
    elif recipe.pythons == ("2.7",):
        python = interpreter(recipe)
        tool = where.with_name("virtualenv-for-27")
        if not (tool / "bin" / "virtualenv").exists():
            run(sys.executable, "-m", "venv", str(tool))
            run(str(tool / "bin" / "pip"), "-q", "install", "virtualenv==20.21.1", "setuptools<70")
        run(str(tool / "bin" / "virtualenv"), "-q", "-p", python, str(where))
    else:
        run(interpreter(recipe), "-m", "venv", str(where))
    return str(where / "bin" / "python")


def make_theano_run(python: str, shim: str = "") -> None:
    """Completes an environment in which Theano 1.0.5 has a newer numpy or CPython than it knows."""
    site = Path(subprocess.check_output([python, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"], text=True).strip())
    (site / "theano_scan_python.pth").write_text(SCAN_IN_PYTHON + shim)
    with (site / "numpy" / "distutils" / "__config__.py").open("a") as file:
        file.write(BLAS_INFO)
    sort = site / "theano" / "tensor" / "sort.py"
    sort.write_text(sort.read_text().replace("[idx]", "[tuple(idx)]"))  # NumPy 1.23 takes no list of slices any more


def make(recipe: Recipe, folder: Path) -> str:
    """The interpreter of `recipe` below `folder`, made if it is not there; raises `CannotMake`."""
    where = folder / recipe.name
    stamp, wanted = where / "recipe", hashlib.sha256(repr((recipe, INSTALL)).encode()).hexdigest()
    python = str(where / "bin" / "python")
    if stamp.exists() and stamp.read_text() == wanted:
        return python
    shutil.rmtree(where, ignore_errors=True)
    python = new_environment(recipe, where)
    run(python, *INSTALL, *recipe.requirements)
    if recipe.bare:
        run(python, *INSTALL, "--no-deps", *recipe.bare)
    if recipe.old_theano:
        make_theano_run(python, recipe.shim)
    run(python, "-c", recipe.probe)
    stamp.write_text(wanted)
    return python


def told(recipe: Recipe, folder: Path) -> tuple[str, str]:
    """The line that names the interpreter of `recipe`, or else why there is none."""
    try:
        return f"THEANODIAG_PY_{recipe.name.upper()}={make(recipe, folder)}", ""
    except CannotMake as reason:
        return "", f"skipped the environment {recipe.name!r}: {reason}"


def old_pool(folder: Path) -> str:
    """The folder with NVIDIA's cnmem.cpp, out of the source package of the last Theano that had it."""
    where = folder / "theano09"
    found = where / f"Theano-{OLD_THEANO}" / "theano" / "sandbox" / "cuda"
    if not (found / "cnmem.cpp").exists():
        pip = (sys.executable, "-m", "pip", "-q", "--disable-pip-version-check")
        run(*pip, "download", "--no-deps", "--no-binary", ":all:", "-d", str(where), f"Theano=={OLD_THEANO}")
        with tarfile.open(where / f"Theano-{OLD_THEANO}.tar.gz") as archive:
            wanted = [m for m in archive.getmembers() if m.name.endswith(("sandbox/cuda/cnmem.cpp", "sandbox/cuda/cnmem.h"))]
            archive.extractall(where, wanted)
    return str(found)


def main(argv: list[str]) -> int:
    """Makes the named environments (default: all) and prints NAME=PATH lines; what is skipped goes to stderr."""
    folder, names = Path(argv[0]).resolve(), [a for a in argv[1:] if not a.startswith("-")]
    folder.mkdir(parents=True, exist_ok=True)
    thorough = bool(os.environ.get("THEANODIAG_THOROUGH"))
    usual = [r for r in RECIPES if not r.name.endswith(("_api", "_keras")) and (thorough or r.name not in LARGE)]
    wanted = [r for r in RECIPES if r.name in names] if names else usual
    with ThreadPoolExecutor(2) as pool:
        for line, reason in pool.map(lambda recipe: told(recipe, folder), wanted):
            print(line or reason, file=sys.stdout if line else sys.stderr, flush=True)
    if not names or "cnmem" in names:
        try:
            print(f"THEANODIAG_CNMEM={old_pool(folder)}", flush=True)
        except CannotMake as reason:
            print(f"skipped the sources of cnmem: {reason}", file=sys.stderr, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
