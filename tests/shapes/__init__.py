"""Tests of theanodiag.shapes."""
