"""Catalogue entries of decompositions and solvers.

Sources: Theano 1.0.5 tensor/slinalg.py, nlinalg.py; PyTensor 3.0.7 and 3.3.7 tensor/linalg (what is overwritten).
"""

from __future__ import annotations

from .spec import GpuLowering, OpSpec, alike

OPS = (
    *alike("Det Eig Solve SolveTriangular", gpu=GpuLowering(stays_on_host=True)),
    OpSpec("Eigh", overwrite_flags={"overwrite_a": (1, 0), "overwrite_b": (1, 1)}, gpu=GpuLowering(stays_on_host=True)),
    *alike("LU LUFactor", overwrite_flags={"overwrite_a": (1, 0)}),
    OpSpec("LUFactorTridiagonal", overwrite_flags={"overwrite_dl": (0, 0), "overwrite_d": (1, 1), "overwrite_du": (2, 2)}),
    OpSpec("QZ", overwrite_flags={"overwrite_a": (0, 0), "overwrite_b": (1, 1)}),
    OpSpec("SolveLUFactorTridiagonal", overwrite_flags={"overwrite_b": (0, 5)}),
)
"""The entries of this family."""
