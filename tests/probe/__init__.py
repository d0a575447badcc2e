"""Tests of theanodiag.probe."""
