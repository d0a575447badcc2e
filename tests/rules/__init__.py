"""Tests of theanodiag.rules."""
