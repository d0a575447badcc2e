"""Memory effects of the MRG generator, whose state is updated in place or copied, and of sampling from given probabilities.

Source: Theano 1.0.5, gpuarray/rng_mrg.py, `GPUA_mrg_uniform.c_code`; gpuarray/multinomial.py.
"""

from __future__ import annotations

from .base import Work, in_c


def mrg_uniform(work: Work) -> None:
    """GPUA_mrg_uniform: allocates the sample first, then the state; the outputs are (state, sample)."""
    if work.watches(1):
        work.reuse(1)
    state = work.input(0)
    if state is not None and work.node.op.destroy_map:
        work.share(0, state)
    elif state is not None:
        work.replace(0, state.shape)


def choice_from_uniform(work: Work) -> None:
    """GPUAChoiceFromUniform: copies the probabilities where it draws without replacement."""
    source = work.input(0)
    copy = None if source is None or work.params.get("replace") else work.copied(source, "copy of the probabilities")
    work.reuse(0)
    work.release(copy)


RULES = in_c(
    {
        "GPUA_mrg_uniform": mrg_uniform,
        "GPUAChoiceFromUniform": choice_from_uniform,
        "GPUAMultinomialWOReplacementFromUniform": choice_from_uniform,
    }
)
"""Memory rule by class name of the Op."""
