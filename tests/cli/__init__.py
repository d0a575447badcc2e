"""Tests of theanodiag.cli."""
