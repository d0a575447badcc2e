"""IfElse: the value of the branch that was taken.

Source: Theano 1.0.5, ifelse.py, `IfElse.make_thunk`.
"""

from __future__ import annotations

from .base import Work


def if_else(work: Work) -> None:
    """A view of the first branch where the op is in place; a copy of any other."""
    half = len(work.node.outputs)
    taken = work.frame.takes_first[work.node.id]
    for output in range(half):
        if work.watches(output):
            value = work.input(1 + output + (0 if taken else half))
            if value is None or (taken and work.node.op.view_map):
                work.share(output, value)
            else:
                work.replace(output, value.shape)


RULES = {"IfElse": if_else}
