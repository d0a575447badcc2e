"""Scan in JAX: truncated gradients, and a fallback to Scan's own code if JAX cannot trace it."""

from typing import Any

import jax.numpy as jnp
from pytensor.link.jax.dispatch import jax_funcify
from pytensor.scan.op import Scan

from .base import known, traced
from .conditions import carrying
from .unjitted import by_perform, can_perform

_plain = jax_funcify.dispatch(Scan)


def _cut(op: Any, values: list[Any]) -> dict[int, int]:
    """Cuts the output buffers in `values` to the length that the steps fill. Returns output number -> original length of those cut.

    PyTensor's JAX loop assumes that length. Buffers are longer if a gradient is truncated: Scan leaves zeros there.
    """
    info = op.info
    longer: dict[int, int] = {}
    if not known(values[0]):
        return longer
    steps = int(values[0])
    taps = [*info.mit_sot_in_slices, *info.sit_sot_in_slices]
    first = 1 + info.n_seqs + info.n_mit_mot
    for place, tap in enumerate(taps):
        buffer, needed = values[first + place], steps - min(tap)
        if buffer.shape[0] > needed:
            values[first + place], longer[info.n_mit_mot + place] = buffer[:needed], buffer.shape[0]
    for place in range(info.n_nit_sot):
        length = values[op.nit_sot_arg_offset + place]
        if known(length) and int(length) > steps:
            values[op.nit_sot_arg_offset + place], longer[info.n_mit_mot + len(taps) + place] = steps, int(length)
    return longer


@jax_funcify.register(Scan)
def _scan(op: Any, node: Any = None, **kwargs: Any) -> Any:
    """A loop in JAX; if JAX cannot trace it although all values are known, Scan's own code runs."""
    compiled = carrying(_plain(op, node=node, **kwargs))

    def fitted(*values: Any) -> Any:
        given = list(values)
        longer = _cut(op, given)
        outputs = compiled(*given)
        if not longer:
            return outputs
        results = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        for place, length in longer.items():
            part = results[place]
            # No concatenation: XLA crashes where it simplifies the sum of one.
            results[place] = jnp.zeros((length, *part.shape[1:]), part.dtype).at[: part.shape[0]].set(part)
        return results if len(results) > 1 else results[0]

    def scan(*values: Any) -> Any:
        try:
            return fitted(*values)
        except Exception as refused:
            if traced(values) or not can_perform(op, node):
                raise
            return by_perform(op, node, refused)(*values)

    return scan
