"""Tests of theanodiag.report."""
