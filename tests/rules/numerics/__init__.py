"""Tests of `theanodiag.rules.numerics`."""
