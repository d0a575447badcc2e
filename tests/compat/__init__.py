"""Tests of theanodiag.compat."""
