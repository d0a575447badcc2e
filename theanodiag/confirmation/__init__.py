"""Confirms predictions: runs the script on a real or simulated device and compares the measurement with the prediction."""

KINDS = ("cuda", "virtual", "opencl", "jax", "torch", "cpu")
"""All kinds of devices on which a prediction can be confirmed, best first: what `--confirm` takes and what `doctor` lists.
`available.py` finds out which of them this machine has."""
SAMPLING = "pymc"
"""Value of `--confirm` for short runs of the samplers, which use no device."""
BEST = "best"
"""Value of `--confirm` for the best available kind."""
