"""Tests of theanodiag.plans."""
