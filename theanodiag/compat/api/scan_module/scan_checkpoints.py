"""Serves `theano.scan_module.scan_checkpoints`: a scan that stores every N-th step and recomputes the others for the gradient."""

from __future__ import annotations

from typing import Any

import pytensor.tensor as pt

from .scan import scan


def _as_list(x: Any) -> list[Any]:
    return list(x) if isinstance(x, list) else [x]


def scan_checkpoints(
    fn: Any,
    sequences: Any = (),
    outputs_info: Any = None,
    non_sequences: Any = (),
    name: str = "checkpointscan_fn",
    n_steps: Any = None,
    save_every_N: int = 10,
    padding: bool = True,  # noqa: N803
) -> Any:
    """`scan` whose outputs are those of every `save_every_N`-th step.

    All sequences must have one length; with `padding` they are extended with zeros to a multiple of save_every_N. RuntimeError for taps.
    """
    sequences = [] if isinstance(sequences, tuple) else _as_list(sequences)
    non_sequences = [] if isinstance(non_sequences, tuple) else _as_list(non_sequences)
    outputs_info = _as_list(outputs_info)
    if any(isinstance(state, dict) and "taps" in state for state in outputs_info):
        raise RuntimeError("scan_checkpoints doesn't work with taps.")
    if n_steps is None:
        n_steps = sequences[0].shape[0]
    chunks = pt.cast(pt.ceil(n_steps / save_every_N), "int64")
    rest = n_steps % save_every_N
    lengths = pt.set_subtensor(pt.full((chunks,), save_every_N, dtype="int64")[-1], pt.switch(pt.eq(rest, 0), save_every_N, rest))
    if padding:
        missing = [(-s.shape[0]) % save_every_N for s in sequences]
        sequences = [
            pt.join(0, s, pt.zeros([n, *(s.shape[i] for i in range(1, s.ndim))], dtype=s.dtype)) for s, n in zip(sequences, missing)
        ]
    outer = [s.reshape([s.shape[0] // save_every_N, save_every_N, *(s.shape[i] for i in range(1, s.ndim))], s.ndim + 1) for s in sequences]
    without_state = [state for state in outputs_info if state is None]

    def chunk(*args: Any) -> Any:
        inner, states = args[: len(sequences)], args[len(sequences) + 1 : len(args) - len(non_sequences)]
        results, updates = scan(
            fn,
            list(inner),
            [*states, *without_state],
            list(args[len(args) - len(non_sequences) :]),
            name=name + "_inner",
            n_steps=args[len(sequences)],
            return_list=True,
        )
        return [result[-1] for result in results], updates

    return scan(chunk, [*outer, lengths], outputs_info, non_sequences, name=name + "_outer", n_steps=chunks, allow_gc=True)
