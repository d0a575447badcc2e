"""Tests of theanodiag.devices."""
