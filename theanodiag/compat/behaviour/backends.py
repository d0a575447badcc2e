"""Our Ops in JAX, numba and PyTorch: their registrations are loaded when such a backend compiles its first function."""

from ..backends import load_when_used


def apply(origin: str) -> None:
    """Makes the linkers load what stands in backends/."""
    load_when_used()
