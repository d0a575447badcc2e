"""Tests of `theanodiag.rules.coverage`."""
