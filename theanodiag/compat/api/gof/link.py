"""Serves `theano.gof.link` from pytensor.link, with linkers whose callback takes (position, node, thunks...)."""

import inspect
from typing import Any

from pytensor.link.basic import Container, Linker, LocalLinker, PerformLinker
from pytensor.link.basic import WrapLinker as _WrapLinker
from pytensor.link.utils import gc_helper, raise_with_op, streamline


def _old(wrapper: Any) -> Any:
    """`wrapper` in PyTensor's form, which has the graph as first argument."""
    parameters = list(inspect.signature(wrapper).parameters.values())
    several = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    plain = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(plain) != (2 if several else 3):
        return wrapper

    def called(fgraph: Any, i: Any, node: Any, *thunks: Any) -> Any:
        return wrapper(i, node, *thunks)

    return called


class WrapLinker(_WrapLinker):
    """Linker that calls `wrapper(i, node, *thunks)` for each node; the wrapper runs the thunks."""

    def __init__(self, linkers: Any, wrapper: Any) -> None:
        super().__init__(linkers, _old(wrapper))


def WrapLinkerMany(linkers: Any, wrappers: Any) -> Any:
    """WrapLinker that calls each of `wrappers` in order."""
    called = [_old(wrapper) for wrapper in wrappers]

    def wrapper(fgraph: Any, i: Any, node: Any, *thunks: Any) -> None:
        for each in called:
            each(fgraph, i, node, *thunks)

    return _WrapLinker(linkers, wrapper)
