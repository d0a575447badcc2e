"""Tests of the Python API, run inside an interpreter that has both theanodiag and a framework."""
