"""Tests of theanodiag.api."""
