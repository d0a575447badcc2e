"""A script whose graphs are for the host, as it would be on a device: tensors placed as Theano's GPU optimiser places them."""

from __future__ import annotations

from .script import Script


def lift(script: Script) -> Script:
    """`script` on a device."""
    return script
