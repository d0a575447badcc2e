"""Tests of theanodiag.memory."""
