"""Changes PyTensor's classes so that their objects behave as Theano's; applied once, at the first import of `theano` or `aesara`.

There is one file for each subject, with a function `apply(origin)`, where `origin` is the package that the script imports. A program that
only imports PyTensor never runs any of this.
"""

import importlib
import warnings

from ..framework import own_ops

ORDER = (
    "patterns",
    "config",
    "broadcasting",
    "tensors",
    "constructors",
    "op_names",
    "user_ops",
    "test_values",
    "functions",
    "rewrites",
    "index_checks",
    "stabilising",
    "scans",
    "old_types",
    "old_pickles",
)
"""Files of this folder, in the order in which they are applied."""
NOT_THE_SCRIPTS = (
    r"should implement `(pullback|pushforward)`", r"as_op is deprecated", r"ExternalCOp is deprecated", r"infer_shape takes a",
    r"Scan return signature will change", r"The `mode` argument of `scan` is deprecated", r"RandomVariable Ops will stop",
    r"RandomVariable without an explicit rng is deprecated", r"RandomStream is deprecated", r"matrix_dot is deprecated",
    r"complex_from_polar is deprecated", r"Importing .* from .pytensor\.", r"`pytensor\.[\w.]+` was moved",
    r"pytensor\.sparse\.\w+ is deprecated", r"specifies no C code cache version",
)  # fmt: skip
"""Patterns of PyTensor 3.0 to 3.3's warnings about names and methods that this layer supports as Theano did."""
_applied = []  # type: list[str]


def apply_once(origin: str) -> None:
    """Applies all files of ORDER for the package `origin`; later calls do nothing."""
    if not _applied:
        _applied.append(origin)
        with own_ops():
            for name in ORDER:
                importlib.import_module(__name__ + "." + name).apply(origin)
        for message in NOT_THE_SCRIPTS:
            warnings.filterwarnings("ignore", r"[\s\S]*" + message, Warning)


def origin() -> str:
    """Returns the package for which the changes were applied, `theano` or `aesara`; empty before that."""
    return _applied[0] if _applied else ""
