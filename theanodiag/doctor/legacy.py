"""What Theano 1.0.5 with pygpu needs to run on this machine's GPU: the advice."""

from __future__ import annotations

from dataclasses import dataclass

from ..probe.libraries import ASKED, chosen, version_of, wheels
from ..probe.model import InterpreterSeen, LibrarySeen, ProbeResult

FLAGS = "THEANO_FLAGS=device=cuda0,dnn.enabled=False"
"""cuDNN is off: Theano 1.0.5 compiles against headers of cuDNN 5 to 7."""


@dataclass(frozen=True)
class Legacy:
    """The names that libgpuarray asks for, and how it comes to them."""

    rows: tuple[tuple[str, str], ...]
    """(name, what the loader finds or could find)."""
    commands: tuple[str, ...]
    """To be run one after the other; empty where nothing is missing or nothing helps."""
    complete: bool
    """Whether all names are found as they are."""


def advise(found: ProbeResult, folder: str = "~/cuda-links") -> Legacy:
    """How libgpuarray finds its libraries here; `folder` is for the links."""
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
    """The lines that make a shell use the links."""
    return (f"export LD_LIBRARY_PATH={folder}${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}", f"export {FLAGS}")


def best_of(found: ProbeResult) -> dict[str, LibrarySeen]:
    """The files that would serve best, by the names asked for."""
    return chosen(found.libraries, None if found.driver is None else found.driver.cuda, capability(found))


def capability(found: ProbeResult) -> tuple[int, int] | None:
    """That of the first GPU."""
    return found.gpus[0].capability if found.gpus else None


def _row(asked: LibrarySeen | None, best: LibrarySeen | None) -> str:
    if asked is not None and asked.error is None:
        return f"found{_cuda(asked)}"
    return "not found, and nothing here would serve" if best is None else f"not found under this name; {best.path}{_cuda(best)} would serve"


def _cuda(library: LibrarySeen) -> str:
    version = version_of(library) if library.cuda is None else library.cuda
    return f" (CUDA {version[0]}.{version[1]})" if library.cuda and version else ""


def _python(found: ProbeResult) -> str:
    """The interpreter into which the wheels go: that with pygpu, since its folders are searched."""
    with_pygpu: list[InterpreterSeen] = [i for i in found.interpreters if i.framework("pygpu")]
    both = [i for i in with_pygpu if i.framework("theano")]
    return (both or with_pygpu or list(found.interpreters))[0].path if found.interpreters else "python3"
