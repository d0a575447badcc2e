"""Checks whether libgpuarray finds the CUDA libraries that it needs on this machine's GPU, and says what to do."""

from __future__ import annotations

from dataclasses import dataclass

from ..probe.libraries import ASKED, chosen, version_of, wheels
from ..probe.model import InterpreterSeen, LibrarySeen, ProbeResult

FLAGS = "THEANO_FLAGS=device=cuda0,dnn.enabled=False"
"""Flags that make Theano use the GPU. cuDNN is off: Theano 1.0.5 compiles against headers of cuDNN 5 to 7."""


@dataclass(frozen=True)
class Legacy:
    """The libraries that libgpuarray loads by name, and the commands that make them found."""

    rows: tuple[tuple[str, str], ...]
    """(name, what the loader finds or could find)."""
    commands: tuple[str, ...]
    """To be run in this order; empty where nothing is missing or nothing helps."""
    complete: bool
    """Whether the loader finds all of them already."""


def advise(found: ProbeResult, folder: str = "~/cuda-links") -> Legacy:
    """What libgpuarray finds here, and the commands that make the rest found by links in `folder`."""
    asked = {s.path: s for s in found.libraries if s.path in ASKED}
    best = best_of(found)
    rows = tuple((name, _row(asked.get(name), best.get(name))) for name in ASKED)
    missing = [name for name in ASKED if name not in asked or asked[name].error is not None]
    if not missing or found.driver is None:
        return Legacy(rows, (), not missing)
    wanted = wheels([n for n in missing if n not in best], found.driver.cuda, capability(found))
    install = (f"{_python(found)} -m pip install {wanted}",) if wanted else ()
    commands = (*install, f"theanodiag doctor --links {folder}", *exports(folder))
    return Legacy(rows, commands, False)


def exports(folder: str) -> tuple[str, ...]:
    """The shell commands that make Theano use the links in `folder`."""
    return (f"export LD_LIBRARY_PATH={folder}${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}", f"export {FLAGS}")


def best_of(found: ProbeResult) -> dict[str, LibrarySeen]:
    """Name that libgpuarray asks for -> the file on this machine that would serve best."""
    return chosen(found.libraries, None if found.driver is None else found.driver.cuda, capability(found))


def capability(found: ProbeResult) -> tuple[int, int] | None:
    """Compute capability of the first GPU; None where it is unknown or there is no GPU."""
    return found.gpus[0].capability if found.gpus else None


def _row(asked: LibrarySeen | None, best: LibrarySeen | None) -> str:
    if asked is not None and asked.error is None:
        return f"found{_cuda(asked)}"
    if best is None:
        return "not found, and no library on this machine provides it"
    return f"not found under this name; {best.path}{_cuda(best)} provides it"


def _cuda(library: LibrarySeen) -> str:
    version = version_of(library) if library.cuda is None else library.cuda
    return f" (CUDA {version[0]}.{version[1]})" if library.cuda and version else ""


def _python(found: ProbeResult) -> str:
    """The interpreter into which wheels are to be installed: the one with pygpu, because its folders are searched."""
    with_pygpu: list[InterpreterSeen] = [i for i in found.interpreters if i.framework("pygpu")]
    both = [i for i in with_pygpu if i.framework("theano")]
    return (both or with_pygpu or list(found.interpreters))[0].path if found.interpreters else "python3"
