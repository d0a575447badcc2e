"""Tests of theanodiag.readers."""
