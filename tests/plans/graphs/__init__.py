"""Tests of `theanodiag.plans.graphs`."""
