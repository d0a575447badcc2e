"""Tests of theanodiag.capture."""
