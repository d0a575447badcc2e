"""A fixed sample of Theano's own tests, small enough for the modes that compile for minutes: how it is drawn, and its list.

`python -m tests.compat.suite.sample` draws it anew into sample.txt: needed only where the reference or the internals change.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable

from .running import HERE, listed, reference

SAMPLE = HERE / "sample.txt"
SIZE = 300
FAMILIES = {
    "nnet": ("theano/tensor/nnet/",),
    "signal": ("theano/tensor/signal/",),
    "random": ("theano/tensor/tests/test_raw_random", "theano/tensor/tests/test_shared_randomstreams", "theano/sandbox/tests/test_rng_mrg"),
    "scan": ("theano/scan_module/",),
}
"""What is drawn from first, by the beginnings of ids."""
EACH = 30
"""Tests of each family."""
FROM_ONE_FILE = 25
"""Most tests of one file outside the families: two files there have half of all ids, by parameters."""
HEAD = f"""\
# The fixed sample of Theano's own tests that is run in other modes: {SIZE} of the ids that pass in FAST_COMPILE, in the order of the
# CRC-32 of the id: {EACH} each of {", ".join(FAMILIES)}, the rest of all other files, {FROM_ONE_FILE} of one at most.
# Drawn by `python -m tests.compat.suite.sample`.
"""


def drawn(names: Iterable[str]) -> list[str]:
    """The sample of `names`, sorted: each family's, then the rest."""
    order = sorted(names, key=lambda name: (zlib.crc32(name.encode("utf-8")), name))
    family = {name: next((f for f, starts in FAMILIES.items() if name.startswith(starts)), "") for name in order}
    chosen = [name for f in FAMILIES for name in [n for n in order if family[n] == f][:EACH]]
    taken: Counter[str] = Counter()
    for name in order:
        file = name.partition("::")[0]
        if not family[name] and taken[file] < FROM_ONE_FILE and len(chosen) < SIZE:
            taken[file] += 1
            chosen.append(name)
    return sorted(chosen)


def eligible() -> list[str]:
    """The ids that pass in FAST_COMPILE."""
    left_out = {*listed(HERE / "internals.txt"), *listed(HERE / "failing.txt")}
    return [name for file, names in reference().items() for name in (f"{file}::{n}" for n in names) if name not in left_out]


def sample() -> tuple[str, ...]:
    """The ids of sample.txt."""
    return tuple(listed(SAMPLE))


if __name__ == "__main__":
    SAMPLE.write_text(HEAD + "".join(f"{name}\n" for name in drawn(eligible())), encoding="utf-8")
