"""What differs between the releases of PyTensor from 3.0 on: the only file that knows.

Import from here what has moved, and ask `at_least` nowhere else.
"""

from typing import Any, Tuple

import pytensor

RELEASE: Tuple[int, ...] = tuple(int(part) for part in str(pytensor.__version__).split(".")[:3] if part.isdigit())
"""The installed release, such as (3, 0, 7)."""


def at_least(*release: int) -> bool:
    """Whether the installed PyTensor is `release` or newer."""
    return RELEASE >= release


def clone_replace(*args: Any, **kwargs: Any) -> Any:
    """`pytensor.graph.replace.clone_replace`."""
    from pytensor.graph.replace import clone_replace as function

    return function(*args, **kwargs)


def graph_inputs(*args: Any, **kwargs: Any) -> Any:
    """The Variables without an owner from which others are computed."""
    from pytensor.graph.traversal import graph_inputs as function

    return function(*args, **kwargs)
