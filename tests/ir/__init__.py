"""Tests of theanodiag.ir."""
