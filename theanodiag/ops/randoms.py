"""Catalogue entries of Ops that draw random numbers.

Sources: Theano 1.0.5 tensor/raw_random.py, sandbox/rng_mrg.py; PyTensor 3.3.7 tensor/random/basic.py.
"""

from __future__ import annotations

from .spec import GpuLowering, OpSpec, alike

OPS = (
    OpSpec("ChoiceFromUniform", gpu=GpuLowering("GPUAChoiceFromUniform")),
    OpSpec("GPUA_mrg_uniform", n_outputs=2, integer_input=1),
    OpSpec("RandomFunction", n_outputs=2, integer_input=1, overwrites={}, gpu=GpuLowering(stays_on_host=True)),
    OpSpec("mrg_uniform", n_outputs=2, integer_input=1, gpu=GpuLowering("GPUA_mrg_uniform", host_inputs_from=1)),
    *alike("BernoulliRV BinomialRV", draws_integers=True, gpu=GpuLowering(stays_on_host=True)),
    *alike(
        "BetaBinomialRV CategoricalRV ChoiceRV ChoiceWithoutReplacementRV GeometricRV HyperGeometricRV IntegersRV MultinomialRV "
        "NegBinomialRV NegativeBinomialRV PoissonRV RandIntRV RandomIntegersRV",
        draws_integers=True,
    ),
    *alike("NormalRV RandomVariable UniformRV", gpu=GpuLowering(stays_on_host=True)),
)
"""The entries of this family."""
