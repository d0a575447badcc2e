"""Tests of theanodiag.weights."""
