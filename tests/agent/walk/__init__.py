"""Tests of how compiled functions are read."""
