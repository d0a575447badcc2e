"""Tests of `theanodiag.rules.memory`."""
