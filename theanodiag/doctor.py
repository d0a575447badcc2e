"""What this machine lacks for Theano on a GPU, and a recipe for an environment in which Theano 1.0.5 runs and compiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .probe.cuda import ASKED, chosen, version_of, wheels
from .probe.model import Ability, InterpreterSeen, LibrarySeen, ProbeResult

PYTHON = "3.8"
"""CPython version of the environment: the last release against whose headers Theano 1.0.5 compiles unpatched and for which numpy 1.21
has wheels."""
LOCK = ("setuptools==56.0.0", "six==1.17.0", "numpy==1.21.6", "scipy==1.9.3", "Theano==1.0.5")
"""All packages of the environment. numpy 1.22 removed the configuration that Theano reads, and setuptools 70 the way to install it."""
PACKAGES = ("g++", "libc6-dev")
"""Debian packages with the C compiler and headers."""
PROBE = """\
import numpy, theano, theano.tensor as T
x = T.dmatrix()
f = theano.function([x], T.tanh(T.dot(x, x.T)).sum())
assert abs(f(numpy.ones((2, 3))) - 4 * numpy.tanh(3)) < 1e-12
assert theano.config.cxx and any(hasattr(t, "cthunk") for t in f.fn.thunks), "no C++ compiler was found"
print("Theano", theano.__version__, "compiles with", theano.config.cxx)
"""
"""A program that tests the environment: it compiles a function with C code and calls it."""
REQUIREMENTS, CONTAINER, PROGRAM = "requirements.txt", "Containerfile", "compiles.py"


def recipe_files() -> dict[str, str]:
    """Returns a mapping: name -> content of the files of the recipe: the lock file, a container file, and a program that tests whether
    Theano compiles.
    """
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


def recipe_commands(folder: str, python: str | None, compiler: bool) -> tuple[str, ...]:
    """Returns the commands that create the environment from the files in `folder`: with the interpreter `python`, or in a container if it
    is None.
    """
    built = (f"podman build -t theano-1.0.5 {folder}", "podman run --rm -v .:/work theano-1.0.5 model.py")
    if python is None:
        return built
    first = () if compiler else (f"apt-get install {' '.join(PACKAGES)}",)
    inside = f"{folder}/env/bin/python"
    return (*first, f"{python} -m venv {folder}/env", f"{inside} -m pip install -r {folder}/{REQUIREMENTS}", f"{inside} {folder}/{PROGRAM}")


def summary(abilities: Sequence[Ability]) -> str:
    """Returns one line that names the kinds of devices on which a prediction can be confirmed."""
    ready = [a.kind for a in abilities if a.ready]
    return f"a prediction can be confirmed on {', '.join(ready)}" if ready else "no prediction can be confirmed here"


FLAGS = "THEANO_FLAGS=device=cuda0,dnn.enabled=False"
"""Flags that make Theano use the GPU. cuDNN is off: Theano 1.0.5 compiles against headers of cuDNN 5 to 7."""


@dataclass(frozen=True)
class Legacy:
    """The libraries that libgpuarray loads by name, and the commands that make the missing ones loadable."""

    rows: tuple[tuple[str, str], ...]
    """(name, what the loader finds or could find) for each library."""
    commands: tuple[str, ...]
    """Commands to run, in this order; empty if nothing is missing or nothing helps."""
    complete: bool
    """Whether the loader already finds all of them."""


def advise(machine: ProbeResult, folder: str = "~/cuda-links") -> Legacy:
    """Returns what libgpuarray finds on this machine, and the commands that create links in `folder` for the rest."""
    libraries = {s.path: s for s in machine.libraries if s.path in ASKED}
    best = best_of(machine)
    rows = tuple((name, _row(libraries.get(name), best.get(name))) for name in ASKED)
    missing = [name for name in ASKED if name not in libraries or libraries[name].error is not None]
    if not missing or machine.driver is None:
        return Legacy(rows, (), not missing)
    wanted = wheels([n for n in missing if n not in best], machine.driver.cuda, capability(machine))
    install = (f"{_python(machine)} -m pip install {wanted}",) if wanted else ()
    commands = (*install, f"theanodiag doctor --links {folder}", *exports(folder))
    return Legacy(rows, commands, False)


def exports(folder: str) -> tuple[str, ...]:
    """Returns the shell commands that make Theano use the links in `folder`."""
    return (f"export LD_LIBRARY_PATH={folder}${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}", f"export {FLAGS}")


def best_of(machine: ProbeResult) -> dict[str, LibrarySeen]:
    """Returns library name, as libgpuarray loads it -> the most suitable file on this machine."""
    return chosen(machine.libraries, None if machine.driver is None else machine.driver.cuda, capability(machine))


def capability(machine: ProbeResult) -> tuple[int, int] | None:
    """Returns the compute capability of the first GPU; None if it is unknown or there is no GPU."""
    return machine.gpus[0].capability if machine.gpus else None


def _row(library: LibrarySeen | None, best: LibrarySeen | None) -> str:
    if library is not None and library.error is None:
        return f"found{_cuda(library)}"
    if best is None:
        return "not found, and no library on this machine provides it"
    return f"not found under this name; {best.path}{_cuda(best)} provides it"


def _cuda(library: LibrarySeen) -> str:
    version = version_of(library) if library.cuda is None else library.cuda
    return f" (CUDA {version[0]}.{version[1]})" if library.cuda and version else ""


def _python(machine: ProbeResult) -> str:
    """The interpreter into which wheels are to be installed: the one with pygpu, because its folders are searched."""
    with_pygpu: list[InterpreterSeen] = [i for i in machine.interpreters if i.framework("pygpu")]
    both = [i for i in with_pygpu if i.framework("theano")]
    return (both or with_pygpu or list(machine.interpreters))[0].path if machine.interpreters else "python3"
