"""Memory of what a script does with its draws: measured with all of them, or with few draws and with several times as many, and then
extrapolated along the line through both. Pure.

Libraries, Python's objects and what does not grow are in both, so they stay as they are; what is computed for each draw grows with them.
What grows faster (distances between all pairs of draws) is more than the line says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..memory.profile import Origin
from ..units import MIB
from .model import OWN_CODE, Amount, OwnCode, SamplingCall, Stage
from .pymc_chains import known

LEAST = MIB
"""Amounts of fewer bytes are not reported."""


def stage(call: SamplingCall, result: Stage) -> tuple[Stage, ...]:
    """Returns a tuple with the stage for the script's own code after the call; empty if that code takes almost no memory."""
    size, origin = at(call, lambda row: row.peak)
    beside = untraced(call)
    own = [Amount(_label(call), size, origin)] if size + beside >= LEAST else []
    if own and beside:
        own.append(Amount("libraries that it loads, and what they take", beside, Origin.MEASURED))
    if own and read_as_numpy(call):
        own.append(Amount("result: log-likelihood of several devices as numpy's", read_as_numpy(call)))
    if call.compiled_after_bytes:
        own.append(Amount("functions compiled for the first time", call.compiled_after_bytes, Origin.MEASURED))
    return (Stage(OWN_CODE, (*result.amounts, *own)),) if own else ()


def untraced(call: SamplingCall) -> int:
    """Returns the bytes of libraries, and of what they take outside of Python's record of its memory, whatever the number of draws."""
    return max((row.untraced for row in call.own_code), default=0)


def kept(call: SamplingCall) -> int:
    """Returns the bytes of the script's own code after the call that are still held when the next call begins."""
    size, _ = at(call, lambda row: row.kept)
    read = at(call, lambda row: row.peak)[0] >= LEAST
    return (size if size >= LEAST else 0) + (read_as_numpy(call) if read else 0)


def read_as_numpy(call: SamplingCall) -> int:
    """Returns the bytes of NumPy's copy of a log-likelihood that lies on several devices of JAX. JAX keeps the copy from the first read on
    (786.4 MiB before and 800.9 after, for a log-likelihood of 14.5 MiB; PyMC 6.4.0, JAX 0.12.0.1).
    """
    return call.chains * call.draws * known(call.log_likelihood) if call.devices > 1 and call.sampler in ("numpyro", "blackjax") else 0


def at(call: SamplingCall, figure: Callable[[OwnCode], int]) -> tuple[int, Origin]:
    """Extrapolates `figure`, of the script's own code, to the draws of the call. The result is an upper bound, proportional to the draws,
    if only one number of draws was measured.
    """
    rows = _rows(call)
    if not rows:
        return 0, Origin.DERIVED
    last = rows[-1]
    if last.draws >= call.draws:
        return figure(last), Origin.MEASURED
    if len(rows) == 1:
        return figure(last) * call.draws // last.draws, Origin.BOUNDED
    first = rows[-2]
    slope = (figure(last) - figure(first)) / (last.draws - first.draws)
    return max(0, figure(last), round(figure(last) + slope * (call.draws - last.draws))), Origin.MEASURED


def _rows(call: SamplingCall) -> Sequence[OwnCode]:
    """The measurements of the script's own code in order of the number of draws; of two with the same number, the larger figures."""
    by_draws: dict[int, OwnCode] = {}
    for row in call.own_code:
        same = by_draws.get(row.draws)
        by_draws[row.draws] = row if same is None else replace(row, peak=max(row.peak, same.peak), kept=max(row.kept, same.kept))
    return [by_draws[draws] for draws in sorted(by_draws)]


def _label(call: SamplingCall) -> str:
    draws = [row.draws for row in _rows(call)]
    if draws[-1] >= call.draws:
        return "what it computes"
    return f"what it computes, extrapolated from {' and '.join(map(str, draws[-2:]))} draws"
