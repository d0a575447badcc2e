"""The whole process at the highest stage of a call, which is what a container's limit and `ps` count. Pure.

What the libraries and the model take is measured in the run that computes nothing: it imports and builds the same. It compiles nothing, so
what compilers take is a constant for each, measured on PyMC 6.4.0 (numba 0.68, JAX 0.12.0.1, nutpie 0.16.11) and 5.28.5: from the begin of
the call to the first draw resident memory rises by 169 and 162 MiB where numba compiles (the library, LLVM and 30 to 60 functions), by 13
where C is (its compiler is another process). Pages of shared libraries are counted as resident, as `ps` does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..memory.profile import Origin
from ..units import MIB
from .model import Amount, SamplingCall, SamplingProfile

HOOK = 6 * MIB
"""What the run that computes nothing holds of its own, in bytes: its modules, and what it noted of the graphs."""
NUMBA_ITSELF, NUMBA_CODE, AGAIN = 55 * MIB, 110 * MIB, 12 * MIB
"""Numba and LLVM; what the first call adds that compiles by them; and each later one."""
C_MODULES = 13 * MIB
"""What the modules in C of a call add (PyMC 5 and older)."""
ARVIZ, NUTPIE = 90 * MIB, 10 * MIB
"""What nutpie loads: ArviZ with matplotlib, and what is its own (`import nutpie` after PyMC 6.4.0 adds 148 MiB, after ArviZ too 57, each
with numba)."""
JAX = 110 * MIB
"""What numpyro and blackjax load, JAX with them."""
XLA = 200 * MIB
"""What XLA's compiler takes for a small model and keeps, measured with numpyro: 367 MiB in all, of which its libraries and stages."""


@dataclass(frozen=True)
class Whole:
    """What the process holds, by parts of which the last is the highest stage of the call."""

    parts: tuple[Amount, ...]

    @property
    def bytes(self) -> int:
        """All of it, worker processes included."""
        return sum(part.bytes for part in self.parts)

    @property
    def beside_bytes(self) -> int:
        """All but the call's own stages."""
        return sum(part.bytes for part in self.parts[:-1])


def wholes(profiles: Sequence[SamplingProfile]) -> Iterator[Whole | None]:
    """For each call in the script's order; None where the system did not tell what the process held."""
    counted: dict[str, int] = {}
    for number, profile in enumerate(profiles):
        call = profile.call
        _drop_what_is_there(counted, call)
        counted.update(_added(number, call, counted))
        if call.resident_bytes is None:
            yield None
            continue
        imported = min(call.imported_bytes or 0, call.resident_bytes)
        yield Whole(
            (
                Amount("libraries", max(0, imported - HOOK), Origin.MEASURED),
                Amount("model, data and later imports", call.resident_bytes - imported, Origin.MEASURED),
                Amount("compiled functions and their compilers", sum(counted.values()), Origin.MEASURED),
                Amount(profile.peak.name, profile.peak.bytes),
            )
        )


def _drop_what_is_there(counted: dict[str, int], call: SamplingCall) -> None:
    """Takes out the libraries of earlier calls that the run that computes nothing has loaded since: they are in what it holds.

    XLA's compiler is among them, which that run does use.
    """
    for name in call.present:
        counted.pop(name, None)
        if name == "jax":
            counted.pop("xla", None)


def _added(number: int, call: SamplingCall, counted: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """What this call loads and compiles, by names that no earlier call has. `counted`: what those added."""
    there = {*counted, *call.present}
    outside = call.sampler if call.kind == "sample" else ""
    if outside in ("numpyro", "blackjax"):
        if not there.intersection(("jax", "numpyro", "blackjax")):
            yield "jax", JAX
        if "jax compiled" not in counted:
            yield "jax compiled", 0
            yield "xla", XLA
        return
    if outside == "nutpie" and "nutpie" not in there:
        yield "nutpie", NUTPIE
        if "arviz" not in there:
            yield "arviz", ARVIZ
    if call.major < 6:
        yield f"modules in C of call {number}", C_MODULES
    elif "compiled by numba" in counted:
        yield f"compiled by numba in call {number}", AGAIN
    else:
        yield "compiled by numba", NUMBA_CODE
        if not {"numba", "nutpie"}.intersection(call.present):
            yield "numba", NUMBA_ITSELF
