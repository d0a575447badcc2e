"""Tests of theanodiag.workflows."""
