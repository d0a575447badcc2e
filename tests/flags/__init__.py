"""Tests of theanodiag.flags."""
