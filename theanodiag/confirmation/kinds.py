"""The names of the kinds of devices, for whoever needs no more than these."""

KINDS = ("cuda", "virtual", "opencl", "jax", "torch", "cpu")
"""`jax` and `torch` are tried by default where the script's own functions are compiled for them."""
BEST = "best"
"""Stands for the best kind that there is."""
