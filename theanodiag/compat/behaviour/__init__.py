"""Changes to PyTensor's classes that make their objects behave as Theano's; applied once, when `theano` or `aesara` is first imported.

One file for each subject, with `apply(origin)`, where `origin` is the root that the script imports. A program that imports PyTensor alone
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
"""Files of this folder, in the order in which they are applied."""
_applied = []  # type: list[str]


def apply_once(origin: str) -> None:
    """Applies all files of ORDER for the root `origin`; later calls do nothing."""
    if not _applied:
        _applied.append(origin)
        with own_ops():
            for name in ORDER:
                importlib.import_module(__name__ + "." + name).apply(origin)


def origin() -> str:
    """The root for which the changes were applied, `theano` or `aesara`; empty before that."""
    return _applied[0] if _applied else ""
