"""Tests of theanodiag.examples."""
