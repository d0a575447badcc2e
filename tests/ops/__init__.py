"""Tests of theanodiag.ops."""
