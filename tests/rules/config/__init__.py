"""Tests of `theanodiag.rules.config`: one file for each rule."""
