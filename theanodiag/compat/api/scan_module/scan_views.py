"""Serves `theano.scan_module.scan_views`: map, reduce, foldl and foldr, built on scan."""

from __future__ import annotations

from typing import Any

from .scan import scan


def map(
    fn: Any,
    sequences: Any,
    non_sequences: Any = None,
    truncate_gradient: int = -1,
    go_backwards: bool = False,
    mode: Any = None,
    name: Any = None,
) -> Any:
    """(outputs of `fn` for each element of the sequences, updates)."""
    return scan(fn, sequences, [], non_sequences, truncate_gradient=truncate_gradient, go_backwards=go_backwards, mode=mode, name=name)


def reduce(
    fn: Any, sequences: Any, outputs_info: Any, non_sequences: Any = None, go_backwards: bool = False, mode: Any = None, name: Any = None
) -> Any:
    """(outputs of `fn` at the last step, updates)."""
    outputs, updates = scan(fn, sequences, outputs_info, non_sequences, go_backwards=go_backwards, mode=mode, name=name)
    return [output[-1] for output in outputs] if isinstance(outputs, (list, tuple)) else outputs[-1], updates


def foldl(fn: Any, sequences: Any, outputs_info: Any, non_sequences: Any = None, mode: Any = None, name: Any = None) -> Any:
    """`reduce` from the first element to the last."""
    return reduce(fn, sequences, outputs_info, non_sequences, go_backwards=False, mode=mode, name=name)


def foldr(fn: Any, sequences: Any, outputs_info: Any, non_sequences: Any = None, mode: Any = None, name: Any = None) -> Any:
    """`reduce` from the last element to the first."""
    return reduce(fn, sequences, outputs_info, non_sequences, go_backwards=True, mode=mode, name=name)
