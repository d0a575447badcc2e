"""Registers this layer's Ops with the back-ends, and the shared variable that holds a numpy RandomState."""

from ..backends import load_when_used


def apply(origin: str) -> None:
    """Registers the RandomState type with `shared` immediately, and Ops with JAX, numba or PyTorch when that back-end first compiles a
    function."""
    load_when_used()
    from ..random import streams  # noqa: F401  # the import registers it
