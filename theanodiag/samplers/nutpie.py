"""nutpie under PyMC: its own store for all chains, then a copy of it as numpy arrays; the draws of tuning are left out last.

Source: nutpie 0.16.11 under PyMC 6.4.0, measured: with 2000 draws of 5002 numbers and 200 (2000) of tuning the process rose by 168.2
(306.3) MiB at its highest, which is twice 84.0 (152.6) and small objects. Chains run in threads of the process.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..memory.profile import Origin
from .jax_chains import outputs
from .model import Amount, SamplingCall, Stage
from .multitrace import CONVERTS, SMALL, known, loaded, of_draw


def stages(call: SamplingCall) -> Iterator[Stage]:
    """The stages of a call; it computes no convergence checks."""
    rows = outputs(call)
    stored = call.chains * (call.draws + call.tune) * (known(rows) + of_draw(call.statistics))
    store = Amount("nutpie's store", stored, Origin.MEASURED)
    small = Amount("small objects", SMALL, Origin.MEASURED)
    yield Stage("sampling", (store, small))
    libraries = loaded(call, CONVERTS)
    yield Stage("conversion", (store, small, Amount("copies of the store", stored, Origin.MEASURED), *libraries))
    result = (
        Amount("result: draws", call.entries * known(rows)),
        Amount("result: statistics", call.entries * of_draw(call.statistics)),
    )
    yield Stage("result", (*result, *libraries))
