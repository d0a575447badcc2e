"""Memory of the whole process at the highest stage of a call, which a container's limit and `ps` count. Pure.

What the libraries and the model take is measured in the run that computes nothing: it imports and builds the same. It compiles nothing, so
what compilers take is a constant for each, measured on PyMC 6.4.0 (numba 0.68, JAX 0.12.0.1, nutpie 0.16.11) and 5.28.5: from the begin of
the call to the first draw resident memory rises by 157 to 169 MiB where numba's code is on disk (the library, LLVM and what was compiled),
by 13 where C is compiled (its compiler is another process). Pages of shared libraries are counted as resident, as `ps` does.

The first run of a model finds no code on disk, and LLVM keeps what it took (`compiling.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..memory.profile import Origin
from ..units import MIB
from .model import Amount, SamplingCall, SamplingProfile

HOOK = 6 * MIB
"""Bytes that the dry run itself holds: its modules, and its records of the graphs."""
NUMBA_ITSELF, NUMBA_CODE = 96 * MIB, 58 * MIB
"""`import numba` after PyMC 6.4.0, with what PyTensor's conversion to numba imports; and what the first call adds that compiles by it,
without what its nodes take: numba's own functions (26 to 40 MiB of five models), and pages of LLVM that are read only now (22; together 58
in a process that had imported numba and not used it)."""
BESIDE_LLVM = 40 * MIB
"""What NUMBA_ITSELF has beside LLVM's library, where that is measured: 75 to 78 MiB in all with 36 MiB of it resident, 103 with 69."""
C_MODULES, MORE_MODULES = 13 * MIB, 6 * MIB
"""Bytes of the C modules compiled for the first call, and for each later one (PyMC 5 and older). Of a regression sampling took 10 MiB
after draws from the prior; log-likelihood, predictions and `pm.do` after it took less than 1 together; scripts of several calls were 10
to 30 too high with 13 for each.
"""
ARVIZ, NUTPIE, NUTPIE_CODE = 90 * MIB, 10 * MIB, 112 * MIB
"""What nutpie loads: ArviZ with matplotlib, and what is its own; and what numba compiles for it for the first time where the graphs of its
functions could not be recorded (50 to 94 of four models)."""
NUTPIE_FUNCTIONS = "nutpie"
"""Role of the functions that nutpie compiles: density with gradient, and the other variables."""
JAX = 110 * MIB
"""Bytes of the libraries that numpyro and blackjax load, including JAX."""
XLA = 200 * MIB
"""Bytes that XLA's compiler takes for a small model and keeps; measured with numpyro, where the total was 367 MiB including libraries
and stages."""

SINGLE, VECTORIZED = 5 * MIB // 8, 45 * MIB
"""Bytes that XLA takes and keeps for a program of one operation (15 MiB for 25 of them, 24 for 33, 29 for 60; three models); and for
those that the first step of vectorized chains runs one by one, beside what remains of them in the call's stages (numpyro: 62 MiB for
110)."""
INITIAL = 20 * MIB
"""Bytes that XLA takes for what numpyro itself computes one by one before the first draw of a chain that is not mapped over devices, beside
the log-density and its gradient (48 programs)."""
AGAIN, FURTHER = 45 * MIB, 10 * MIB
"""Bytes that XLA takes for the sampler's program of numpyro's second chain, and of each further one, where chains run one after the other:
each compiles it anew (50 for two chains, 64 for four: 35, 4 and 25)."""

IN_C = "modules in C"
"""Begin of the names of those parts."""
FIRST = "functions compiled for the first time"
"""Name of the part that a second run of the same process does not have."""
ALONE = "operations that JAX compiles one by one"
"""Name of what the run that computes nothing does not compile; a later call finds most of it."""


@dataclass(frozen=True)
class Whole:
    """The memory of the whole process as a list of parts; the last part is the highest stage of the call."""

    parts: tuple[Amount, ...]

    @property
    def bytes(self) -> int:
        """Total bytes of the parts, including worker processes."""
        return sum(part.bytes for part in self.parts)

    @property
    def beside_bytes(self) -> int:
        """Bytes of the parts without the call's own stage."""
        return sum(part.bytes for part in self.parts[:-1])


def wholes(profiles: Sequence[SamplingProfile], code: Sequence[int]) -> Iterator[Whole | None]:
    """Yields the memory of the whole process for each call, in the script's order; None if the system did not report it.

    Args:
        profiles: The calls.
        code: What the functions of each take that are compiled for the first time, in bytes, where numba compiles them.
    """
    counted: dict[str, int] = {}
    first = 0
    for number, profile in enumerate(profiles):
        call = profile.call
        _drop_what_is_there(counted, call)
        counted.update(_added(number, call, counted))
        recorded = NUTPIE_FUNCTIONS in call.functions
        if recorded or (call.major >= 6 and call.sampler not in ("numpyro", "blackjax")):  # nutpie compiles by numba, whatever PyMC does
            first += code[number]
        if call.sampler == "nutpie" and not recorded:
            first += NUTPIE_CODE
        there = first
        first += call.compiled_after_bytes
        if call.resident_bytes is None:
            yield None
            continue
        imported = min(call.imported_bytes or 0, call.resident_bytes)
        yield Whole(
            (
                Amount("libraries", max(0, imported - HOOK), Origin.MEASURED),
                Amount("model, data and later imports", call.resident_bytes - imported, Origin.MEASURED),
                Amount("compiled functions and their compilers", sum(counted.values()), Origin.MEASURED),
                *([Amount(FIRST, there, Origin.MEASURED)] if there else ()),
                Amount(profile.peak.name, profile.peak.bytes),
            )
        )


def _drop_what_is_there(counted: dict[str, int], call: SamplingCall) -> None:
    """Removes from `counted` the libraries that the dry run has loaded by now, because they are part of its measured memory. With JAX,
    XLA's compiler is removed too: the dry run also uses it.
    """
    for name in call.present:
        counted.pop(name, None)
        if name == "jax":
            for there in [key for key in counted if key == "xla" or key.startswith("compiled by XLA")]:
                counted.pop(there)


def _added(number: int, call: SamplingCall, counted: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """Yields (name, bytes) of what call `number` loads and compiles. `counted`: the rows of earlier calls."""
    there = {*counted, *call.present}
    outside = call.sampler if call.kind == "sample" else ""
    if outside in ("numpyro", "blackjax"):
        if call.compiled_bytes is not None and call.resident_bytes is not None:  # it compiled the same programs
            yield f"compiled by XLA for call {number}", max(0, call.compiled_bytes - call.resident_bytes)
            single = SINGLE * call.single_operations + (VECTORIZED if call.chain_method == "vectorized" else _chain_by_chain(call))
            yield ALONE, max(single, counted.get(ALONE, 0))
            return
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
        later = any(name.startswith(IN_C) for name in counted)
        yield f"{IN_C} of call {number}", MORE_MODULES if later else C_MODULES
    if call.major < 6 and outside != "nutpie":
        return
    if "compiled by numba" not in counted:
        if call.kind != "fit_pathfinder" or not call.parallel or "deterministics" in call.functions:  # workers compile
            yield "compiled by numba", NUMBA_CODE
        if not {"numba", "nutpie"}.intersection(call.present):
            yield "numba", NUMBA_ITSELF if call.llvm_bytes is None else BESIDE_LLVM + call.llvm_bytes


def _chain_by_chain(call: SamplingCall) -> int:
    """Bytes that numpyro's chains take if they are not mapped over devices; 0 if they are, and for blackjax, which has one program."""
    if call.sampler != "numpyro" or (call.chains > 1 and call.chain_method == "parallel" and not call.sequential):
        return 0
    return INITIAL + (AGAIN + FURTHER * (call.chains - 2) if call.chains > 1 else 0)
