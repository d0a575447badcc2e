"""Serves `theano.sparse.opt` from pytensor.sparse.rewriting."""

from typing import Any

from pytensor.sparse import rewriting as _rewriting

from ...pytensor_versions import sparse_names


def __getattr__(name: str) -> Any:
    """The name in pytensor.sparse.rewriting, by any spelling that it has had."""
    if not name.startswith("__"):
        for spelled in sparse_names(name):
            if hasattr(_rewriting, spelled):
                return getattr(_rewriting, spelled)
    raise AttributeError(name)
