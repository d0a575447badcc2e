"""What PyTensor's objects do otherwise than Theano's did, changed once, when `theano` or `aesara` is first imported through the layer.

One file a subject, each with `apply(origin)`, where `origin` is the root that the script imports. A program that imports PyTensor alone
never runs any of this.
"""

import importlib

from ..framework import own_ops

ORDER = (
    "config",
    "broadcasting",
    "tensors",
    "constructors",
    "op_names",
    "user_ops",
    "test_values",
    "registrations",
    "functions",
    "filters",
    "rewrites",
    "scans",
    "old_types",
)
"""The files, in the order in which they are applied."""
_applied = []  # type: list[str]


def apply_once(origin: str) -> None:
    """Applies all files in their order, at the first call."""
    if not _applied:
        _applied.append(origin)
        with own_ops():
            for name in ORDER:
                importlib.import_module(__name__ + "." + name).apply(origin)


def origin() -> str:
    """`theano` or `aesara`: the root for which the behaviours were applied; empty before."""
    return _applied[0] if _applied else ""
