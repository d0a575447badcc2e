"""`shared` takes a numpy RandomState, as Theano's does."""


def apply(origin: str) -> None:
    """Registers the shared variable that holds a RandomState."""
    from ..random import streams  # noqa: F401
