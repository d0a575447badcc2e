"""Tests of the upper bound of what XLA needs."""
