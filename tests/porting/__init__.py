"""Tests of theanodiag.porting."""
