"""Tests of theanodiag.source."""
