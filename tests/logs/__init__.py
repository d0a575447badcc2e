"""Tests of theanodiag.logs."""
