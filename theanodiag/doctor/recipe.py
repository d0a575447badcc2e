"""An environment in which Theano 1.0.5 runs and compiles: the versions, a container, and the commands."""

from __future__ import annotations

PYTHON = "3.8"
"""CPython of the environment: the last release whose headers Theano 1.0.5 compiles against unpatched and that numpy 1.21 has wheels for."""
LOCK = ("setuptools==56.0.0", "six==1.17.0", "numpy==1.21.6", "scipy==1.9.3", "Theano==1.0.5")
"""All packages of the environment. numpy 1.22 lost the configuration that Theano reads, setuptools 70 a way to install it."""
PACKAGES = ("g++", "libc6-dev")
"""What Debian calls the compiler and the headers of C."""
PROBE = """\
import numpy, theano, theano.tensor as T
x = T.dmatrix()
f = theano.function([x], T.tanh(T.dot(x, x.T)).sum())
assert abs(f(numpy.ones((2, 3))) - 4 * numpy.tanh(3)) < 1e-12
assert theano.config.cxx and any(hasattr(t, "cthunk") for t in f.fn.thunks), "no C++ compiler was found"
print("Theano", theano.__version__, "compiles with", theano.config.cxx)
"""
"""A program that compiles a function by C and calls it."""
REQUIREMENTS, CONTAINER, PROGRAM = "requirements.txt", "Containerfile", "compiles.py"


def files() -> dict[str, str]:
    """Name -> text of what makes the environment: the lock, a container, and a program that says whether Theano compiles there."""
    return {REQUIREMENTS: _requirements(), CONTAINER: _container(), PROGRAM: PROBE}


def _requirements() -> str:
    head = f"# Theano 1.0.5 on CPython {PYTHON}; made by theanodiag doctor --recipe\n"
    return head + "".join(f"{line}\n" for line in LOCK)


def _container() -> str:
    return f"""\
FROM python:{PYTHON}-slim-bookworm
RUN apt-get update && apt-get install -y --no-install-recommends {" ".join(PACKAGES)} && rm -rf /var/lib/apt/lists/*
WORKDIR /recipe
COPY {REQUIREMENTS} {PROGRAM} ./
RUN python -m pip install --no-cache-dir --disable-pip-version-check -r {REQUIREMENTS}
RUN python {PROGRAM}
WORKDIR /work
ENTRYPOINT ["python"]
"""


def commands(folder: str, python: str | None, compiler: bool) -> tuple[str, ...]:
    """The commands that make it from the files in `folder`: with the interpreter `python`, or in a container where there is none."""
    built = (f"podman build -t theano-1.0.5 {folder}", "podman run --rm -v .:/work theano-1.0.5 model.py")
    if python is None:
        return built
    first = () if compiler else (f"apt-get install {' '.join(PACKAGES)}",)
    inside = f"{folder}/env/bin/python"
    return (*first, f"{python} -m venv {folder}/env", f"{inside} -m pip install -r {folder}/{REQUIREMENTS}", f"{inside} {folder}/{PROGRAM}")
