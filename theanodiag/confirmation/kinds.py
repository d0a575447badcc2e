"""Names of the kinds of devices on which a prediction can be confirmed; `available.py` has what there is of each."""

from __future__ import annotations

KINDS = ("cuda", "virtual", "opencl", "jax", "torch", "cpu")
"""All kinds, best first: what `--confirm` takes and what `doctor` lists."""
SAMPLING = "pymc"
"""Value of `--confirm` for short runs of the samplers, which use no device."""
BEST = "best"
"""Value of `--confirm` for the best available kind."""
