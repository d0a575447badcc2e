"""Tests of `theanodiag.chunked`."""
