"""Tests of theanodiag; the folders mirror the package."""
