"""The whole process at the highest stage of a call, which is what a container's limit and `ps` count. Pure.

What the libraries and the model take is measured in the run that computes nothing: it imports and builds the same. It compiles nothing, so
what compilers take is a constant for each, measured on PyMC 6.4.0 (numba 0.68, JAX 0.12.0.1, nutpie 0.16.11) and 5.28.5: from the begin of
the call to the first draw resident memory rises by 169 and 162 MiB where numba compiles (the library, LLVM and 30 to 60 functions), by 13
where C is (its compiler is another process). Pages of shared libraries are counted as resident, as `ps` does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..memory.profile import Origin
from ..units import MIB
from .model import Amount, SamplingCall, SamplingProfile

HOOK = 6 * MIB
"""What the run that computes nothing holds of its own, in bytes: its modules, and what it noted of the graphs."""
NUMBA, AGAIN = 165 * MIB, 12 * MIB
"""What the first call that compiles by numba adds, with numba itself; and each later one."""
NUMBA_ITSELF = 55 * MIB
"""Of it the library and LLVM, where it was loaded before."""
C_MODULES = 13 * MIB
"""What the modules in C of a call add (PyMC 5 and older)."""
LOADED = {"nutpie": 100 * MIB, "numpyro": 110 * MIB, "blackjax": 110 * MIB}
"""What a sampler's libraries add where the script had not loaded them: nutpie with Arrow, the others with JAX."""
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
    compiled, loaded = 0, set[str]()
    for profile in profiles:
        call = profile.call
        compiled += _compiled(call, loaded)
        if call.resident_bytes is None:
            yield None
            continue
        imported = min(call.imported_bytes or 0, call.resident_bytes)
        yield Whole(
            (
                Amount("libraries", max(0, imported - HOOK), Origin.MEASURED),
                Amount("model, data and later imports", call.resident_bytes - imported, Origin.MEASURED),
                Amount("compiled functions and their compilers", compiled, Origin.MEASURED),
                Amount(profile.peak.name, profile.peak.bytes),
            )
        )


def _compiled(call: SamplingCall, loaded: set[str]) -> int:
    """What compilers add for this call; `loaded`: libraries that earlier calls loaded, to which it adds its own."""
    outside = call.sampler if call.kind == "sample" and call.sampler in LOADED else None
    found = LOADED[outside] if outside and outside not in (*loaded, *call.present) else 0
    loaded.add(outside or "")
    if outside in ("numpyro", "blackjax"):
        found += 0 if "xla" in loaded else XLA
        loaded.add("xla")
        return found
    if call.major < 6:
        return found + C_MODULES
    if "numba" in loaded:
        return found + AGAIN
    loaded.add("numba")
    return found + NUMBA - (NUMBA_ITSELF if "numba" in call.present or outside in call.present else 0)
