"""Tests of theanodiag.doctor."""
